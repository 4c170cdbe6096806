-- Mechanisms beside meshes on PETSc: they ride along with the vectors of the mesh, and move as on the small path.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local mixed = require "tests.e2e.mixed"
local large = require "tests.e2e.large"

local meshed, spatial, space = mixed.meshed, mixed.spatial, mixed.space

-- A corner that is held is hit too: it does not yield, the disk does.
local disk = large.model("disk", [[
m:gravity(0, -9.81)
local block = m:mesh("block", { cells = { 6, 3 }, size = { 0.6, 0.3 }, unit = "m" })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
m:fix(block, "left")
local x = m:coordinate("x", { unit = "m", initial = 0.05 })
local y = m:coordinate("y", { unit = "m", initial = 0.39, velocity = -1 })
local a = m:coordinate("a", { unit = "rad", velocity = 3 })
local ball = m:body("ball", { mass = 3, inertia = 0.02, at = { x, y }, angle = a })
m:spring("rope", { between = { { 0.1, 0.9 }, ball.at }, stiffness = 80, rest = 0.3 })
m:contact_surface("hit", { mesh = block, boundary = "top", against = m:disk("ball", { body = ball, radius = 0.1 }), friction = 0.3 })
m:output("height", y)
m:run { until_time = 0.05, step = 2e-4, scheme = "D-:M=1" }
]])

-- An arm of links, whose mass depends on where it is, with a motor and a limit hits the mesh with its tip; two free bodies on a joint fall
-- on a plane with friction and bounce.
local arm = large.model("arm", [[
m:gravity(0, 0, -9.81)
local block = m:mesh("block", { cells = { 4, 2, 1 }, size = { 0.4, 0.2, 0.1 }, unit = "m" })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
m:fix(block, "bottom")
local upper = m:link("upper", { joint = "revolute", axis = { 0, 1, 0 }, at = { 0.1, 0.1, 0.75 }, mass = 2, inertia = { 0.02, 0.02, 0.002 },
  center = { 0, 0, -0.15 }, initial = 0.4, limits = { -0.42, 0.42 }, restitution = 0.3, motor = m:input("drive", 0.5, "N m") })
local lower = m:link("lower", { parent = upper, joint = "revolute", axis = { 0, 1, 0 }, at = { 0, 0, -0.3 }, mass = 1,
  inertia = { 0.01, 0.01, 0.001 }, center = { 0, 0, -0.15 }, initial = -0.9, velocity = 12 })
m:contact_surface("hit", { mesh = block, boundary = "top", against = m:sphere("tip", { body = lower, at = { 0, 0, -0.3 }, radius = 0.07 }),
  friction = 0.3 })
local a = m:free_body("a", { mass = 1, inertia = { 0.02, 0.02, 0.01 }, at = { 0.7, 0, 0.3 }, velocity = { -0.2, 0, -1 } })
local b = m:free_body("b", { mass = 1, inertia = { 0.02, 0.02, 0.01 }, at = { 0.7, 0.3, 0.3 }, velocity = { -0.2, 0, -1 } })
m:joint("pin", { type = "spherical", body = b, at = { 0, -0.15, 0 }, on = a })
local floor = m:plane("floor", { normal = { 0, 0, 1 }, at = { 0, 0, 0.22 } })
m:contact_between(m:sphere("sa", { body = a, radius = 0.06 }), floor, { friction = 0.4, restitution = 0.2 })
m:contact_between(m:sphere("sb", { body = b, radius = 0.05 }), floor, { friction = 0.4 })
m:run { until_time = 0.06, step = 5e-4, scheme = "D-:M=1" }
]])

local function with_run(until_time, text)
  return text .. ('\nm:run { until_time = %g, step = 5e-4, scheme = "D-:M=1" }'):format(until_time)
end
local welded, solid = large.model("welded", with_run(0.05, meshed)), large.model("solid", with_run(0.03, spatial .. space))

local function agree(rows, known, tolerance)
  T.eq(#rows, #known)
  for i, row in ipairs(rows) do
    for name, x in pairs(row) do -- a support gets its part of a projection in the step itself, or in the next one
      if not name:find "reaction" and not name:find "force%." then
        T.near(x, known[i][name], tolerance * math.max(1, math.abs(known[i][name])), name .. " in row " .. i)
      end
    end
  end
end

if large.here then
  T.test("on PETSc a mechanism beside a mesh moves as on the small path, on one rank and on two", function()
    for _, case in ipairs { { disk, 1e-7 }, { welded, 1e-6 }, { solid, 1e-6 }, { arm, 1e-9 } } do
      local known = large.run(case[1] .. " --path small")
      T.ok(known[#known]["hit.impulse"] > 0.1, "it hits")
      agree(large.run(case[1] .. " --path petsc"), known, case[2])
      agree(large.run(case[1] .. " --ranks 2"), known, case[2])
    end
  end)
  -- steps with a matrix: the mesh is condensed to the nodes that the mechanism knows. Frictionless for alpha, which has no friction there.
  local function smooth(model, name)
    local path = ("%s/%s.lua"):format(S.folder, name)
    assert(fs.write(path, (fs.read(model):gsub("friction = 0%.%d", "friction = 0"))))
    return path
  end
  local still = ",projection=off" -- nodes are put back in the metric of the step's operator there, in that of M on the small path
  local implicit = { { disk, "moreau-jean:theta=0.5", 1e-6 }, { welded, "moreau-jean:theta=0.5,lumped=on" .. still, 1e-6 },
    { smooth(arm, "arm_smooth"), "alpha:rho=0.8,tg=1e-10", 1e-6 } }
  local function as_small(case, ranks)
    local model, scheme, tolerance = table.unpack(case)
    local known = large.run(("%s --path small --scheme %s"):format(model, scheme))
    T.ok(known[#known]["hit.impulse"] > 0.1, "it hits")
    for _, words in ipairs(ranks and { "--path petsc", "--ranks 2" } or { "--path petsc" }) do
      local rows = large.run(("%s %s --scheme %s"):format(model, words, scheme))
      for _, row in ipairs(rows) do row["contacts.deepest"] = nil end -- of all rows there, of those that are looked at here
      agree(rows, known, tolerance)
    end
  end
  T.test("on PETSc moreau-jean and alpha beside a mechanism are those of the small path, on one rank and on two", function()
    for _, case in ipairs(implicit) do as_small(case, true) end
  end)
  T.test("on PETSc moreau-jean beside a mechanism goes on from a saved state with the same bits", function()
    local words, state = welded .. " --path petsc --scheme moreau-jean:theta=0.5,lumped=on", S.folder .. "/implicit.state"
    local all = large.run(words)
    large.run(words .. " --until 0.02 --checkpoint " .. state)
    local rows = large.run(words .. " --resume " .. state)
    for name, x in pairs(rows[#rows]) do T.eq(x, all[#all][name], name) end
  end)
  local pads = large.model("pads", [[
m:gravity(0, -9.81)
local base = m:mesh("base", { cells = { 4, 2 }, size = { 0.6, 0.2 }, unit = "m" })
m:elastic(base, { E = 1e6, nu = 0.3, rho = 1000 })
m:fix(base, "bottom")
local pad = m:mesh("pad", { cells = { 6, 2 }, size = { 0.6, 0.1 }, origin = { 0, 0.2001 }, unit = "m" })
local G = m:parameter("G", 5e5, "Pa")
m:hyperelastic(pad, { rho = 1000, energy = function(F)
  local J = carom.det(F)
  return G / 2 * (carom.trace(carom.matmul(carom.transpose(F), F)) - 3 - 2 * carom.log(J)) + G / 2 * carom.log(J)^2
end })
m:contact_pair("lie", { mesh = pad, boundary = "bottom", master = base, master_boundary = "top", friction = 0.2 })
local x = m:coordinate("x", { unit = "m", initial = 0.25 })
local y = m:coordinate("y", { unit = "m", initial = 0.405, velocity = -1 })
local a = m:coordinate("a", { unit = "rad", velocity = 3 })
local ball = m:body("ball", { mass = 3, inertia = 0.02, at = { x, y }, angle = a })
m:contact_surface("hit", { mesh = pad, boundary = "top", against = m:disk("ball", { body = ball, radius = 0.1 }), friction = 0.3 })
m:run { until_time = 0.03, step = 2e-4 }
]])
  T.long_test("the same with a consistent mass, links, pairs, bodies that are not linear, alpha:level=all", function()
    for _, case in ipairs { { solid, "moreau-jean:theta=0.5" .. still, 1e-6 }, { arm, "moreau-jean:theta=0.5,mass=end" .. still, 1e-6 },
      { disk, "moreau-jean:theta=1", 1e-5 }, { pads, "moreau-jean:theta=0.5", 1e-6 },
      { smooth(disk, "disk_smooth"), "alpha:rho=0.8,tg=1e-10", 1e-6 }, { smooth(welded, "welded_smooth"), "alpha:rho=0.8,tg=1e-10", 1e-6 },
      { smooth(arm, "arm_smooth"), "alpha:rho=0.8,tg=1e-10,level=all", 1e-5 } } do
      as_small(case, case[1] == pads)
    end
  end)
  T.test("on PETSc adaptive=on beside a mechanism keeps its tolerance", function()
    local known = large.run(arm .. " --path small --scheme D-:M=1,adaptive=on,rtol=1e-4,atol=1e-6")
    local scheme = " --scheme D-:M=1,adaptive=on,rtol=1e-4,atol=1e-6"
    local rows, record = large.run(arm .. " --path petsc" .. scheme)
    for _, name in ipairs { "upper", "lower", "upper.dot", "a_z", "b_y", "b_z", "hit.impulse" } do
      T.near(rows[#rows][name], known[#known][name], 3e-4, name)
    end
    T.ok(record.counts.steps == nil or record.counts.steps >= 120, "steps")
    local again = large.run(arm .. " --ranks 2" .. scheme)
    for name, x in pairs(again[#again]) do T.near(x, rows[#rows][name], 1e-6 * math.max(1, math.abs(x)), name) end
  end)
  T.test("on PETSc a mechanism goes on from a saved state with the same bits", function()
    local all, state = large.run(solid .. " --path petsc"), S.folder .. "/solid.state"
    large.run(solid .. " --path petsc --until 0.02 --checkpoint " .. state)
    local rows = large.run(solid .. " --path petsc --resume " .. state)
    for name, x in pairs(rows[#rows]) do T.eq(x, all[#all][name], name) end
  end)
  T.test("on PETSc a step whose equations are not solved is made by the weaker plan, and counted", function()
    local scheme, state = " --scheme D+:M=1,tg=1e-10,tol=1e-11,iterations=2", S.folder .. "/weaker.state"
    local known, record = large.run(disk .. " --path small --scheme D+:M=1,lumped=on,tg=1e-10,tol=1e-11,iterations=2")
    T.ok(record.counts.frozen > 100 and record.counts.frozen < 200, "some steps are")
    local rows, mine = large.run(disk .. " --path petsc" .. scheme)
    T.eq(mine.counts.frozen, record.counts.frozen)
    agree(rows, known, 1e-9)
    rows, mine = large.run(disk .. " --ranks 2" .. scheme)
    T.eq(mine.counts.frozen, record.counts.frozen)
    agree(rows, known, 1e-9)
    large.run(disk .. " --path petsc --until 0.02 --checkpoint " .. state .. scheme)
    local after, later = large.run(disk .. " --path petsc --resume " .. state .. scheme)
    rows, mine = large.run(disk .. " --path petsc" .. scheme)
    T.eq(later.counts.frozen, mine.counts.frozen)
    for name, x in pairs(after[#after]) do T.eq(x, rows[#rows][name], name) end
  end)
  T.long_test("on PETSc and on the small path alike: D-:M=2, D-:M=3, D+:M=1, projection", function()
    for _, scheme in ipairs { "D-:M=2,tg=1e-10", "D-:M=3,quadrature=lobatto,tg=1e-10", "D+:M=1,lumped=on,tg=1e-10",
      "D-:M=1,projection=on,tg=1e-10" } do
      for _, model in ipairs { disk, welded, solid, arm } do
        agree(large.run(model .. " --path petsc --scheme " .. scheme), large.run(model .. " --path small --scheme " .. scheme), 1e-5)
      end
    end
  end)
  T.test("on PETSc ties that cannot be meant are said", function()
    local function refused(text, pattern)
      local _, err, code = large.carom("run " .. large.model("odd", text .. 'm:run { until_time = 0.01, step = 1e-3, scheme = "D-:M=1" }')
        .. " --path petsc --out " .. large.out())
      T.eq(code, 2, err)
      T.ok(err:find(pattern), err)
    end
    local start = [[
local block = m:mesh("block", { cells = { 2, 2 }, size = { 1, 1 }, unit = "m" })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
local x = m:coordinate("x", { unit = "m", initial = 2, velocity = %s })
local body = m:body("body", { mass = 1, at = { x, 1 } })
m:tie("weld", { mesh = block, boundary = "right", body = body })
]]
    refused(start:format "0.3", "odd.lua:7: tie 'weld' does not hold at the start: the node at %(1, 0, 0%)")
    refused(start:format "0" .. 'm:fix(block, "top")\n', "is held by m:fix and tied to a body")
    refused(start:format "0" .. 'm:force(x, m:node(block, { 1, 0 })[1])\n', "is tied twice, or tied and a point of its own")
    refused('m:gravity(0, -9.81)\n' .. start:format "0" .. 'm:output("f", m:contact("c", { gap = x }).force)\n',
      "forces of contacts and constraints cannot stand in expressions")
  end)
else
  T.skip("mechanisms beside meshes on PETSc", "PETSc absent")
end

S.finish()
