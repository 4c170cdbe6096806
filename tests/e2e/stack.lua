-- No function of an emitted folder needs more than 2 KB of stack: work space of contact problems lies in the state.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local lang = require "gen.lang.core.load"

local MOST = 2048

-- The frames of the C files of a unit, largest first: list of { bytes, function }.
local function frames(unit)
  local dir, list = S.write(unit), {}
  for k, source in ipairs(unit.sources) do
    S.command(("cd %s && gcc %s -O2 -I. -fstack-usage -c %s -o %d.o"):format(dir, S.base, source, k))
    for name, bytes, kind in fs.read(("%s/%d.su"):format(dir, k)):gmatch("([^:%s]+)\t(%d+)\t(%S+)") do
      T.ok(kind ~= "dynamic", source .. ": the frame of " .. name .. " has no bound")
      list[#list + 1] = { tonumber(bytes), source .. " " .. name }
    end
  end
  table.sort(list, function(a, b) return a[1] > b[1] end)
  return list
end

local function small(name, scheme, options, most)
  local list = frames(S.unit(name, scheme, options))
  T.ok(#list > 0, "no frames")
  T.ok(list[1][1] <= (most or MOST), ("%d bytes in %s"):format(list[1][1], list[1][2]))
end

if S.has "gcc" then
  for _, sample in ipairs { { "slider_crank" }, { "four_bar" }, { "brick_wall" }, -- the last with all of found contacts and shapes
    { "impacting_bar", "alpha" }, -- a mesh and its matrix
    { "circuit_breaker", "capture:rk=dopri5,adaptive=on" } } do
    T.test("no frame above 2 KB: " .. table.concat(sample, " "), function() small(sample[1], sample[2]) end)
  end
  T.long_test("no frame above 2 KB: every model with its own scheme", function()
    for _, name in ipairs(lang.known ".") do
      local good, why = pcall(S.unit, name)
      if good then small(name) else T.ok(why.carom and why.message:find("PETSc", 1, true), why.message) end -- its mesh is large
    end
  end)
  T.long_test("no frame above 2 KB: every model that capture takes", function()
    for _, scheme in ipairs { "capture:rk=rk4", "capture:rk=radau5", "capture:rk=dopri5,adaptive=on",
      "capture:rk=dop853,adaptive=on" } do
      for _, file in ipairs(fs.list "models") do
        local name, taken = file:match "^(.*)%.lua$", nil
        if name and name ~= "exact_oscillator" then taken = pcall(S.unit, name, scheme) end
        -- what its derivatives put on the stack is no array (implicit methods); twelve stages have 78 coefficients
        if taken and not (name == "gripper" and scheme == "capture:rk=radau5") then
          small(name, scheme, {}, scheme:find "dop853" and MOST * 3 // 2)
        end
      end
    end
  end)
  T.long_test("no frame above 2 KB: 24 contacts with friction in space", function()
    local many = { text = [[
local carom = require "carom"
local m = carom.model "many"
m:gravity(0, 0, -9.81)
for i = 1, 3 do
  local b = m:free_body("box" .. i, { mass = 1, inertia = { 1, 1, 1 }, at = { 3 * i, 0, 1 } })
  local shape = m:box("shape" .. i, { body = b, size = { 1, 1, 1 } })
  m:contact_between(shape, m:plane("ground" .. i, { at = { 0, 0, 0 }, normal = { 0, 0, 1 } }), { friction = 0.5, restitution = 0 })
end
m:run { until_time = 1, step = 1e-3 }
return m]] }
    small(many)
    small(many, "capture:rk=rk4")
  end)
else
  T.skip("no frame above 2 KB", "gcc tells frames; it is not here")
end

S.finish()
