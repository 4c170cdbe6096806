-- Models of meshes as ordinary coordinates (gen/fem/small.lua): the published bar, its analytic answers, patch tests, energy and
-- momentum, friction, prescribed motion, contact between meshes.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local function model(text) return { text = 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. text .. "\nreturn m\n" } end

local function result(text, options)
  local named = type(text) == "table" or text:find("^[%w_]+$")
  local unit = S.unit(named and text or model(text), options.scheme, { set = options.constants })
  options.csv, options.step, options.until_time = true, options.step or unit.model.run.step, options.until_time or unit.model.run.until_time
  local run = S.compile(unit, { flags = options.flags or "-O1" }):run(options)
  return run.rows, run
end

-- see tests/e2e/references.lua
local reference = (os.getenv("CAROM_REFERENCE") or "../shared/reference") .. "/trajectories/impacting_bar_moreau_jean_h2e-6.csv"

T.test("impacting_bar: duration of contact, force, impulse", function()
  local rows = result("impacting_bar", {})
  local L, c, v0, rho, section = 1.0, math.sqrt(210e9 / 7800), 0.1, 7800, 3.14e-4
  local closed, first, last = 0, nil, nil
  for i, row in ipairs(rows) do
    if row["wall.closed"] > 0 then
      closed, first, last = closed + 1, first or i, i
    end
  end
  T.near(closed * 2e-6, 2 * L / c, 2 * 2e-6, "contact lasts 2 L / c") -- within a step at both ends
  local sum, square, count = 0.0, 0.0, 0
  for i = first + 20, last - 20 do
    sum, square, count = sum + rows[i]["wall.force"], square + rows[i]["wall.force"] ^ 2, count + 1
  end
  local mean = sum / count
  T.near(mean, rho * c * v0 * section, 1e-3 * mean, "plateau of the force")
  T.near(math.sqrt(square / count - mean ^ 2), 0, 2.0, "its ripple")
  T.near(rows[#rows]["wall.impulse"], 0.4814274221, 1e-9, "impulse, as published for 100 nodes")
  T.near(rows[#rows]["wall.impulse"], 2 * rho * section * L * v0, 0.02 * 0.49)
  local before = rows[1].energy
  for i = 2, #rows do
    T.ok(rows[i].energy <= before * (1 + 1e-12), "energy is never created")
    before = rows[i].energy
  end
end)

if not fs.exists(reference) then
  T.skip("impacting_bar: the published run", "reference absent: " .. reference)
else
  T.test("impacting_bar: the published run", function()
    local rows = result("impacting_bar", { until_time = 1.5e-3 })
    local known, names = S.csv(assert(fs.read(reference)))
    T.ok(#known > 100 and names[2] == "q_tip")
    for _, row in ipairs(known) do
      local mine = rows[math.floor((row.t - 1e-8) / 2e-6 + 0.5) + 1]
      T.near(mine["tip.x"], row.q_tip, 1e-16, "q at " .. row.t) -- 2.4e-19 seen
      T.near(mine["tip.x.dot"], row["q_tip.dot"], 1e-11, "v at " .. row.t) -- 1.5e-13 seen
    end
  end)
end

T.test("impacting_bar: the same numbers as before", function()
  local rows = result("impacting_bar", {})
  T.near(rows[#rows]["tip.x"], 1.09784755980909e-05, 1e-15)
  T.near(rows[#rows]["tip.x.dot"], 0.101728414713041, 1e-11)
end)

T.test("the explicit scheme with lumped mass has the bar's impulse, too", function()
  local _, run = result("impacting_bar", { scheme = "D-:M=1", step = 1e-6, until_time = 1e-3 })
  T.near(run.outputs["wall.impulse"], 0.4898, 0.02 * 0.49)
end)

-- constant strain in a distorted mesh: exact for every kind of cell
local function strip(cell, plane)
  return ([[
local pi = carom.pi
local function bump(X, Y) return carom.sin(pi * X) * carom.sin(pi * Y) end
local s = m:mesh("s", { cells = { 4, 3 }, size = { 2, 1 }, cell = "%s", plane = "%s", thickness = 0.1,
  map = function(X, Y) return { X + 0.05 * bump(X, Y), Y + 0.03 * bump(X / 2, Y) } end })
m:elastic(s, { E = 1e9, nu = 0.3, rho = 1000, damping = { mass = 2000, stiffness = 1e-4 } })
m:fix(s, "left", { x = 0 })
m:fix(s, "bottom", { y = 0 })
m:traction(s, "right", { 1e6, 0 })
m:probe("corner", { mesh = s, at = { 2, 1 } })
m:run { until_time = 0.1, step = 1e-3, scheme = "moreau-jean:theta=1" }]]):format(cell, plane)
end

for _, cell in ipairs { "quad4", "tri3" } do
  for plane, expected in pairs { stress = { 2.002, 0.9997 }, strain = { 2.00182, 0.99961 } } do
    T.test(("patch test: %s, plane %s"):format(cell, plane), function()
      local _, run = result(strip(cell, plane), {})
      T.near(run.outputs["corner.x"], expected[1], 1e-12)
      T.near(run.outputs["corner.y"], expected[2], 1e-12)
    end)
  end
end

local function cube(cell, material)
  return ([[
local pi = carom.pi
local b = m:mesh("b", { cells = { 2, 2, 2 }, cell = "%s", map = function(X, Y, Z)
  local w = carom.sin(pi * X) * carom.sin(pi * Y) * carom.sin(pi * Z)
  return { X + 0.05 * w, Y - 0.04 * w, Z + 0.06 * w }
end })
%s
m:fix(b, "left", { x = 0 })
m:fix(b, "near", { y = 0 })
m:fix(b, "bottom", { z = 0 })
m:traction(b, "top", function() return { 0, 0, 1e6 } end)
m:probe("corner", { mesh = b, at = { 1, 1, 1 } })
m:run { until_time = 0.05, step = 1e-3, scheme = "moreau-jean:theta=1" }]]):format(cell, material)
end

for _, cell in ipairs { "hex8", "tet4" } do
  T.test("patch test: " .. cell, function()
    local _, run = result(cube(cell, 'm:elastic(b, { E = 1e9, nu = 0.3, rho = 1000, damping = { mass = 2000, stiffness = 1e-4 } })'), {})
    T.near(run.outputs["corner.x"], 0.9997, 1e-12)
    T.near(run.outputs["corner.y"], 0.9997, 1e-12)
    T.near(run.outputs["corner.z"], 1.001, 1e-12)
  end)
end

T.test("patch test: neo-Hooke, the stretches of a bar pulled at its end", function()
  local _, run = result(cube("hex8", [[m:hyperelastic(b, { rho = 1000, damping = { mass = 2000, stiffness = 1e-4 }, energy = function(F)
  local J = carom.det(F)
  return 4e8 / 2 * (carom.trace(carom.matmul(carom.transpose(F), F)) - 3 - 2 * carom.log(J)) + 6e8 / 2 * carom.log(J)^2
end })]]), {})
  local a, b = run.outputs["corner.x"], run.outputs["corner.z"]
  local log_J = math.log(a * a * b)
  T.near(4e8 * (a - 1 / a) + 6e8 * log_J / a, 0, 1e-3, "no stress across")
  T.near(4e8 * (b - 1 / b) + 6e8 * log_J / b, 1e6, 1e-3, "stress along")
  T.near(run.outputs["corner.y"], a, 1e-12)
end)

T.test("dropped_block: momentum and energy", function()
  local rows, run = result("dropped_block", { constants = { n = "3", cfl = "1" } })
  local mass = 7800 * 1.0 -- the curved face takes 2e-5 of it away
  T.ok(rows[#rows]["floor.impulse"] > 0.9 * mass, "it has bounced")
  T.near(rows[#rows]["floor.force.x"], 0, 1e-3)
  -- an impulse p at the end of a step works p (v + v+)/2: energy may rise in a step (1e-3 seen), not above that of the fall
  for i = 2, #rows do T.ok(rows[i].energy <= rows[1].energy * (1 + 1e-12), "more energy than at the start") end
  T.near(rows[1].energy, 0.5 * mass, 1e-4 * mass)
  T.ok(run.counts.events > 4)
end)

T.test("sliding_block_fem: stops as a rigid block does", function()
  local rows = result("sliding_block_fem", { constants = { n = "2" }, step = 5e-4, until_time = 0.12 })
  local mass, last = 1000 * 0.4 * 0.1 * 0.1, rows[#rows]
  T.near(rows[40]["floor.force"], mass * 9.81, 0.05 * mass * 9.81, "weight")
  T.near(rows[40]["floor.force.x"], -rows[40]["floor.force"], 1e-6 * mass, "friction while all of it slides")
  T.near((last["front.x"] + last["back.x"]) / 2 - 0.2, 1 / (2 * 9.81), 0.02 / (2 * 9.81), "way")
  T.near(last["front.x.dot"], 0, 1e-6)
end)

T.test("sliding_block_fem with D- and D+: as with Moreau-Jean, friction within the step", function()
  local _, known = result("sliding_block_fem", { constants = { n = "2" }, step = 1e-5, until_time = 4e-3,
    scheme = "moreau-jean:theta=0.5,lumped=on" })
  for _, scheme in ipairs { "D-:M=1,lumped=on", "D+:M=1,lumped=on" } do
    local rows, run = result("sliding_block_fem", { constants = { n = "2" }, step = 1e-5, until_time = 4e-3, scheme = scheme })
    local last = rows[#rows]
    T.near(run.outputs["front.x"], known.outputs["front.x"], 1e-7, scheme)
    T.near(run.outputs["back.x"], known.outputs["back.x"], 1e-7, scheme)
    T.near(last["floor.force.x"], -last["floor.force"], 1e-6 * last["floor.force"], "friction while all of it slides")
  end
end)

T.test("dropped_block with friction: Coulomb's law on every step", function()
  local rows = result("dropped_block", { constants = { n = "2", cfl = "2" }, set = { "mu=0.3", "v_t=2", "pull=5000" } })
  local touching = 0
  for _, row in ipairs(rows) do
    local pull = math.sqrt(row["floor.force.x"] ^ 2 + row["floor.force.y"] ^ 2)
    T.ok(pull <= 0.3 * row["floor.force"] * (1 + 1e-9) + 1e-6, "inside the cone")
    if row["floor.closed"] > 0 then touching = touching + 1 end
  end
  T.ok(touching > 5)
  T.ok(rows[3]["floor.force.x"] < 0, "friction is against the motion")
end)

T.test("prescribed motion: a bar pulled at one end follows, and feels its own inertia", function()
  -- u(0,t) = a t^2/2 with a constant: after the waves are damped all points have the acceleration a and the strain is
  -- rho a (L - X)/E
  local text = [[
local b = m:mesh("b", carom.bar { cells = 8, length = 1 })
m:elastic(b, { E = 1e6, rho = 1000, damping = { mass = 0, stiffness = 1e-2 } })
m:fix(b, "left", { motion = function(X, t) return { 5 * t^2 } end })
m:probe("tail", { mesh = b, at = { 1 } })
m:probe("head", { mesh = b, at = { 0 } })
m:run { until_time = 1, step = 1e-3, scheme = "moreau-jean:theta=0.5" }]]
  local rows = result(text, {})
  local last = rows[#rows]
  T.near(last["head.x"], 5.0, 1e-12)
  T.near(last["head.x.dot"], 10.0, 1e-11)
  T.near(last["tail.x"] - 1 - last["head.x"], -1000 * 10 * 0.5 / 1e6, 2e-5, "lags by rho a L^2 / (2 E)")
  T.near(last["tail.x.dot"], 10.0, 1e-3)
end)

T.test("two_blocks: the impulse between them is the change of momentum", function()
  local text = assert(fs.read("models/fem/two_blocks.lua")):gsub("m:fix%(lower, \"bottom\"%)", "")
    :gsub("m:probe.-\n", "m:probe(\"a\", { mesh = upper, at = { 0.23, 0.27, 1.00001 } })\n", 1)
  local rows = result({ text = text }, { constants = { n = "1" }, until_time = 3e-4 })
  local energy = rows[1].energy
  T.near(energy, 0.5 * 8900 * 0.125, 1e-9 * energy)
  for i = 2, #rows do T.ok(rows[i].energy <= rows[i - 1].energy * (1 + 1e-12), "energy is never created") end
  local impulse = rows[#rows]["interface.impulse"]
  T.ok(impulse > 0.3 * 8900 * 0.125 and impulse < 2 * 8900 * 0.125)
  T.near(rows[#rows]["interface.force.x"], 0, 1e-6)
end)

T.test("emitted C of a mesh is clean", function()
  local cases = { { "impacting_bar" }, { "impacting_bar", "D-:M=1" }, { "punch", set = { n = "2" } }, { "blade_rub", set = { n = "2" } },
    { "two_blocks", set = { n = "1" } }, { "dropped_block", "moreau-jean:theta=0.5,lumped=on", set = { n = "2" } } }
  for _, case in ipairs(cases) do
    local unit = S.unit(case[1], case[2], { set = case.set })
    S.command(("cd %s && gcc %s %s -I. -c %s.c -o /dev/null"):format(S.write(unit), S.base, S.strict, unit.name))
  end
end)

T.test("stages of a mesh as text, and meshes that are too large", function()
  local unit = S.unit("impacting_bar")
  T.ok(unit:dump("equations"):find("mesh bar: 99 cells bar2, energy per volume 0.5*E*H_11^2", 1, true))
  T.fails(function() S.unit("dropped_block", nil, { set = { n = "12" } }) end,
    "the meshes of 'dropped_block' have 6591 coordinates, but more than 4000 are for PETSc; write %-%-path petsc, or fewer cells")
end)

S.finish()
