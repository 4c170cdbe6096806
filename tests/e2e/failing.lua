-- What is said when a step fails, and what happens when one takes too long.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

-- Runs a model that must fail; returns the driver's object, with the diagnosis of carom run.
local function failing(name, body, words)
  local place = S.place(name)
  assert(fs.write(place .. "/" .. name .. ".lua", ('local carom = require "carom"\nlocal m = carom.model "%s"\n'):format(name)
    .. body .. "\nreturn m\n"))
  local said, code = fs.capture(("%s/carom --no-install run %s/%s.lua --json -o %s/out %s 2>/dev/null </dev/null"):format(fs.quote(S.here),
    place, name, place, words))
  T.eq(code, 1, "exit code: " .. said)
  return json.read(said)
end

local FALLING = [[
local x = m:coordinate("x", { initial = 1, velocity = -1 })
local y = m:coordinate("y", { velocity = 1 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:potential_energy(y^2)
]]

T.test("the first quantity that is not finite is told by name and line", function()
  for _, case in ipairs {
    { "deep", "m:potential_energy(carom.sqrt(x) + y^2)", "D-:M=1", "^the first quantity that is not finite: the potential energy "
      .. "%(deep.lua:7%) is not a number at x = %-[%d.e-]+, y = " },
    { "tugging", "m:force(y, carom.log(x))", "moreau-jean", "the force %(tugging.lua:7%) is not a number at x = %-" },
    { "rooted", 'm:contact("edge", { gap = 5 - y + carom.sqrt(x) })', "D-:M=2",
      "gap of contact 'edge' %(rooted.lua:7%) is not a number at x = %-" },
  } do
    local r = failing(case[1], FALLING .. case[2], "--step 0.01 --until 3 --scheme " .. case[3])
    T.ok(r.diagnosis and r.diagnosis[1]:find(case[4]), case[1] .. ": " .. tostring(r.diagnosis and r.diagnosis[1]) .. " / " .. r.message)
    T.ok(not r.message:find "infinite.*smaller step", r.message)
  end
end)

T.test("what is infinite at the start is no scale of event capturing", function()
  T.ok(S.unit({ text = [[
local carom = require "carom"
local m = carom.model "airy"
local x = m:coordinate("x", { initial = 1 })
m:kinetic_energy(m:parameter("mass", 1e-320) * x.dot^2 / 2)
m:potential_energy(20 * x^2)
return m]] }, "capture:rk=radau5"))
end)

-- friction alone holds the wedge; thrown back by Newton's law it would have to slide against more than pushes it
T.test("restitution that friction forbids is told as such, and no smaller step is asked for", function()
  local body = [[
local s = m:coordinate("s", { initial = 0.01, velocity = -1 })
m:kinetic_energy(s.dot^2 / 2)
m:contact("edge", { gap = 0.3 * s, restitution = m:parameter("e", 0.5), friction = m:parameter("mu", 0.5), slide = s })
]]
  for name, scheme in pairs { wedge = "D-:M=1", block = "moreau-jean", table = "moreau-jean --form looped" } do
    local r = failing(name, body, "--step 1e-3 --until 0.1 --scheme " .. scheme)
    T.ok(r.message:find "friction holds a contact that restitution asks to rebound.*contact edge", r.message)
    T.ok(not r.message:find "smaller step", r.message)
  end
end)

T.test("a step that is too long for forces that took hold later is told where it failed", function()
  local r = failing("late", [[
local x = m:coordinate("x", { initial = 0.1 })
m:kinetic_energy(x.dot^2 / 2)
m:potential_energy(x^2 / 2 - x + 1e4 * carom.max(x - 0.5, 0)^2)]], "--step 0.5 --until 100 --scheme D-:M=2")
  T.ok(r.diagnosis and r.diagnosis[1]:find "the step 0.5 is too long: the stiffest forces at t = 1 swing with omega = 141", r.message)
end)

T.test("a motion that runs away is told as such, not as a quantity of the model", function()
  local r = failing("away", [[
local x = m:coordinate("x", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2)
m:potential_energy(200 * x^2)]], "--step 0.5 --until 1000 --scheme D-:M=1")
  T.ok(r.diagnosis and r.diagnosis[1]:find "the motion ran away, x.dot = ", r.message)
end)

T.test("a signal ends a run inside a long step", function()
  for scheme, model in next, { ["D-:M=1,adaptive=on,rtol=1e-12,atol=1e-14"] = "arm7", -- so that its million attempts take seconds
    ["capture:rk=radau5,adaptive=on,rtol=1e-13,atol=1e-15"] = "forced_pendulum" } do
    local program = S.integrator(model, scheme).program
    for _, signal in ipairs { "TERM", "INT" } do
      local text, code = fs.capture(("timeout --preserve-status -s %s -k 30 0.3 %s --json --step 1e6 --until 1e6"):format(signal,
        fs.quote(program)))
      T.eq(code, signal == "TERM" and 143 or 130, scheme)
      local r = json.read(text)
      T.ok(r.status == "interrupted" and r.steps == 0 and r.t > 0 and r.t < 1e6, text)
    end
  end
end)

S.finish()
