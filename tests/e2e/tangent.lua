-- carom gen --with tangent: the derivative of a step with its contact modes held fixed, against differences of the same step; forwards and
-- backwards over a run.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local main = assert(fs.read "tests/e2e/tangent.c")

-- runs the comparison; sets: { number of a parameter, value ... }
local function compare(unit, steps, h, sets)
  local flags = ('#define MODEL %s\n#define NV %d\n#define NP %d\n#define HEADER "%s.h"\n'):format(unit.name, unit.eq.n,
    #unit.model.parameters, unit.name)
  local command = { S.compile(unit, { main = flags .. main }).program, tostring(steps), tostring(h) }
  for _, x in ipairs(sets or {}) do command[#command + 1] = tostring(x) end
  local said = S.command(fs.command(command))
  local r = {}
  for word in said:gmatch("%S+") do r[#r + 1] = tonumber(word) end
  T.ok(#r == 7, "it ran: " .. said)
  return { compared = r[1], off = r[2], kinks = r[3], events = r[4], one_sided = r[5], none = r[6], adjoint = r[7] }
end

local function parameter(unit, name)
  for i, p in ipairs(unit.model.parameters) do if p.name == name then return i - 1 end end
end

local function with_tangent(model, scheme) return S.unit(model, scheme, { with = { tangent = true } }) end

for _, case in ipairs {
  { "slider_crank", "D-:M=1", 700, 2e-5, friction = 0.1 },
  { "slider_crank", "moreau-jean:theta=0.5,projection=off", 400, 2e-5, friction = 0.1 },
  { "slider_crank", "D-:M=2", 400, 2e-5, friction = 0 },
  { "bouncing_ball", "D-:M=1", 900, 1e-3 },
} do
  local name, scheme, steps, h = table.unpack(case)
  T.test(("steps of %s with %s have the slopes that differences show, through impacts"):format(name, scheme), function()
    local unit = with_tangent(name, scheme)
    local r = compare(unit, steps, h, case.friction and { parameter(unit, "friction"), case.friction })
    T.ok(r.events > 0, "something hits")
    T.ok(r.compared > 3 * steps, "slopes compared: " .. r.compared)
    T.eq(r.off, 0, "slopes that are off")
    T.ok(r.kinks < 0.05 * r.compared, "slopes at kinks: " .. r.kinks)
    T.eq(r.none, 0, "steps without a derivative")
    T.ok(r.adjoint < 1e-10, "backwards as forwards, to rounding: " .. r.adjoint)
  end)
end

T.test("joints, without projection", function()
  local r = compare(with_tangent("constrained_pendulum", "D-:M=1,projection=off"), 50, 1e-3)
  T.eq(r.off, 0)
  T.eq(r.none, 0)
end)

T.test("what has no derivative is refused with what to write", function()
  for _, case in ipairs {
    { "slider_crank", "capture:rk=radau5", "event capturing" }, { "slider_crank", "D-:M=1,projection=on", "projection=off" },
    { "slider_crank", "D-:M=1,adaptive=on", "adaptive=off" }, { "box_tumble", "D-:M=1", "turn in space" },
    { "slider_crank", "schatzman-paoli", "keeps more" },
  } do
    local good, e = pcall(with_tangent, case[1], case[2])
    T.ok(not good and tostring(type(e) == "table" and e.message or e):find(case[3]), ("%s with %s: %s"):format(case[1], case[2],
      tostring(type(e) == "table" and e.message or e)))
  end
end)

S.finish()
