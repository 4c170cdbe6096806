-- contact=position: contacts of meshes are bound by the place that they reach, so quasi-static forces and pressures do not depend on
-- the number of steps, nor on how an obstacle's path bends. Both paths.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local json = require "gen.util.json"
local large = require "tests.e2e.large"
local vtu = require "tests.e2e.vtu"

local run, model = large.run, large.model
local paths = large.here and { "small", "petsc" } or { "small" }
if not large.here then T.skip("contact by place on PETSc", "PETSc absent") end

-- A rigid parabola of radius R pressed into a block, plane strain; half of it, cells of 2.5e-3 along the contact.
local die = model("dent", [[
local depth, mu, scale = m:parameter("depth", 2e-4, "m"), m:parameter("mu", 0, "1"), m:parameter("scale", 1, "1")
local function graded(s) return 0.08 * s + 7.36 * carom.max(s - 0.5, 0)^3 end
local b = m:mesh("block", { cells = { 32, 32 }, map = function(X, Y) return { graded(X), -graded(1 - Y) } end })
m:elastic(b, { E = 1e9, nu = 0.3, rho = 1000 })
m:fix(b, "left", { x = 0 })
m:fix(b, "bottom", { y = 0 })
m:contact_surface("die", { mesh = b, boundary = "top", friction = mu,
  gap = function(x, y, t) return scale * (x^2 / 2 - depth * carom.min(t, 1) - y) end })
m:run { until_time = 1, step = 0.1, frames = 1, scheme = "moreau-jean:theta=1,gamma=0" }]])

-- Hertz: rms of p - p0 sqrt(1 - (x/a)^2) within 0.9 a over p0, and the largest p over p0, for half of the force per length
local function hertz(half, points, E_star)
  local F = 2 * half
  local a = math.sqrt(4 * F / (math.pi * E_star))
  local p0, sum, count, most = 2 * F / (math.pi * a), 0.0, 0, 0.0
  for _, p in ipairs(points) do
    if p.x < 0.9 * a then
      local off = p["contact pressure"] - p0 * math.sqrt(1 - (p.x / a) ^ 2)
      sum, count, most = sum + off ^ 2, count + 1, math.max(most, p["contact pressure"])
    end
  end
  return math.sqrt(sum / count) / p0, most / p0, count
end

local function surface(dir, name, last)
  local list = {}
  for _, p in ipairs(vtu.points(("%s/frames/%s_%04d.vtu"):format(dir, name, last), { "contact pressure" })) do
    if math.abs(p.y) < 0.01 and p.x < 0.1 and p["contact pressure"] > 0 then list[#list + 1] = p end
  end
  return list
end

T.test("a die that stops: the same force with 10, 20 and 40 steps, on both paths", function()
  for _, kind in ipairs(paths) do
    for _, step in ipairs(kind == "small" and { 0.1, 0.05 } or { 0.1, 0.05, 0.025 }) do
      local rows = run(("%s --path %s --step %g"):format(die, kind, step))
      T.near(rows[#rows]["die.force"], 30631.784, 0.01, ("%s, step %g"):format(kind, step))
    end
  end
end)

T.test("the other value, contact=velocity, follows rates: the kink costs it a step", function()
  for _, kind in ipairs { paths[#paths] } do
    local rows = run(die .. " --scheme moreau-jean:theta=1,gamma=0,contact=velocity --step 0.05 --path " .. kind)
    T.near(rows[#rows]["die.force"], 28765, 1, kind)
  end
end)

T.test("with friction both paths agree, whatever the slope of the gap", function()
  local force = {}
  for _, kind in ipairs(paths) do
    for _, scale in ipairs { 1, 10 } do
      local rows = run(("%s --set mu=0.3 --set scale=%d --path %s"):format(die, scale, kind))
      table.insert(force, { rows[#rows]["die.force"], rows[#rows]["die.force.x"], rows[#rows]["die.impulse"] })
    end
  end
  T.ok(force[1][2] > 1000, "friction holds the surface")
  for i = 2, #force do
    for k = 1, 3 do T.near(force[i][k] / force[1][k], 1, 1e-6, ("run %d, quantity %d"):format(i, k)) end
  end
end)

if large.here then
  T.test("friction at a node of a plane of symmetry: tnn", function() -- its tangent is held; that was 0/0 once
    local rows = run(die .. " --set mu=0.3 --path petsc", "-carom_contact_type tnn")
    T.near(rows[#rows]["die.force"], 30884.58, 0.01)
  end)

  T.test("pressures under a die are those of Hertz after 10 steps", function()
    local rows, _, dir = run(die .. " --path petsc --set depth=0.0015")
    local rms, most, count = hertz(rows[#rows]["die.force"], surface(dir, "dent", 1), 1e9 / (1 - 0.3 ^ 2))
    T.ok(count >= 8, "nodes in contact: " .. count)
    T.ok(rms < 0.02, ("rms error of the pressure %.4f of p0"):format(rms))
    T.near(most, 1, 0.02, "largest pressure over p0")
  end)
end

-- two bodies, one pressed by its far side, which stops as well
local pair = [[
local function graded(s) return 0.08 * s + 7.36 * carom.max(s - 0.5, 0)^3 end
local low = m:mesh("low", { cells = { 26, 26 }, map = function(X, Y) return { graded(X), -graded(1 - Y) } end })
local up = m:mesh("up", { cells = { 26, 26 },
  map = function(X, Y) return { graded(X), graded(Y) + (1 - graded(Y)) * carom.min(graded(X), 0.1)^2 / 2 } end })
for _, b in ipairs { low, up } do
  m:elastic(b, { E = 1e9, nu = 0.3, rho = 1000 })
  m:fix(b, "left", { x = 0 })
end
m:fix(low, "bottom", { y = 0 })
m:fix(up, "top", { motion = function(X, Y, t) return { false, -4e-3 * carom.min(t, 1) } end })
m:contact_pair("between", { mesh = up, boundary = "bottom", master = low, master_boundary = "top" })
m:run { until_time = 1, step = 0.1, frames = 1, scheme = "moreau-jean:theta=1,gamma=0" }]]

T.test("a pair pressed together: force with 10 and 20 steps on both paths, pressures of Hertz", function()
  local path = model("press", pair)
  for _, kind in ipairs(paths) do
    for _, step in ipairs(kind == "small" and { 0.1 } or { 0.1, 0.05 }) do
      local rows, _, dir = run(("%s --path %s --step %g"):format(path, kind, step))
      T.near(rows[#rows]["between.force"], 435910.45, 0.05, ("%s, step %g"):format(kind, step))
      if kind == "petsc" and step == 0.1 then
        local rms, most = hertz(rows[#rows]["between.force"], surface(dir, "press", 1), 1e9 / (2 * (1 - 0.3 ^ 2)))
        T.ok(rms < 0.02, ("rms error of the pressure %.4f of p0"):format(rms))
        T.near(most, 1, 0.02, "largest pressure over p0")
      end
    end
  end
end)

-- ---- nodes inside an obstacle at the start ---------------------------------------------------------------------------------------

T.test("penetration at the start: refused beyond 1e-5 of the size on both paths, below that told", function()
  local path = model("inside", [[
local deep = m:parameter("deep", 1e-3, "m")
local b = m:mesh("b", { cells = { 3, 3 } })
m:elastic(b, { E = 1e6, rho = 1000 })
m:contact_surface("floor", { mesh = b, boundary = "bottom", gap = function(x, y, t) return y - deep end })
m:run { until_time = 0.01, step = 1e-3, scheme = "moreau-jean:theta=1,gamma=0" }]])
  for _, kind in ipairs(paths) do
    local out, err, code = large.carom(("run %s --path %s --out %s"):format(path, kind, large.out()))
    local told = kind == "small" and "penetrates.*floor_1, node 1 of b at %(0, 0%), gap %-0.001"
      or "4 nodes are inside.*floor by 0.001 at %(0, 0, 0%)"
    T.ok(code ~= 0 and (out .. err):find(told), out .. err)
    out, err, code = large.carom(("run %s --set deep=1e-6 --path %s --out %s"):format(path, kind, large.out()))
    T.eq(code, 0, out .. err)
    T.ok(err:find "warning: 4 nodes are inside what they may meet at the start, deepest in floor[_1234]* by 1e%-06", kind .. err)
  end
end)

-- ---- strain and rotation -------------------------------------------------------------------------------------------------------

T.test("the greatest strain and rotation on both paths; linear bodies that turn or stretch too far are told", function()
  -- a plate that only turns: in linear theory it becomes sqrt(1 + angle^2) times as long, and seems to turn by atan(angle)
  local function plate(material, cell, depth)
    return ([[
local w = m:parameter("w", 100)
local b = m:mesh("b", { cells = { 4, 2%s }, size = { 1, 0.2%s }, origin = { -0.5, -0.1%s }, cell = "%s" })
%s
m:start(b, { velocity = function(X, Y) return { -w * Y, w * X%s } end })
m:probe("e", { mesh = b, at = { 0.5, 0.1%s } })
m:run { until_time = 0.01, step = 1e-4, scheme = "moreau-jean:theta=0.5,gamma=0" }]]):format(depth and ", 1" or "", depth and ", 0.1" or "",
      depth and ", 0" or "", cell, material, depth and ", 0" or "", depth and ", 0" or "")
  end
  local linear = "m:elastic(b, { E = 1e9, nu = 0.3, rho = 1000 })"
  local cases = { { "lin", plate(linear, "quad4"), { 1, 1.0 } }, { "lintri", plate(linear, "tri3"), { 1, 1.0 } },
    { "linhex", plate(linear, "hex8", true), { 1, 1.0 } }, { "lintet", plate(linear, "tet4", true), { 1, 1.0 } },
    { "stiff", plate(linear, "quad4"), { 0.05, 0.05 }, " --set w=5" } }
  for _, case in ipairs(cases) do
    for _, kind in ipairs(paths) do
      local angle = case[3][2]
      local out, err, code = large.carom(("run %s%s --path %s --json --out %s"):format(model(case[1], case[2]), case[4] or "", kind,
        large.out()))
      T.eq(code, 0, out .. err)
      local told = json.read(out).deformation.b
      T.near(told.strain, math.sqrt(1 + angle ^ 2) - 1, 1e-9, case[1] .. " " .. kind)
      T.near(told.rotation, math.atan(angle), 1e-9, case[1] .. " " .. kind)
      T.eq(err:find("warning: body b has a linear material and turns by 45 degrees", 1, true) ~= nil, angle > 0.1, err)
      T.eq(err:find("m:hyperelastic", 1, true) ~= nil, angle > 0.1, err)
    end
  end
  -- a body whose material is not linear turns as it should, and nobody complains
  local path = model("turning", plate([[
m:hyperelastic(b, { rho = 1000, energy = function(F)
  local C = F[1][1]^2 + F[1][2]^2 + F[2][1]^2 + F[2][2]^2
  local J = F[1][1] * F[2][2] - F[1][2] * F[2][1]
  return 4e8 / 2 * (C - 2 - 2 * carom.log(J)) + 3e8 * carom.log(J)^2
end })]], "quad4"))
  local out, err, code = large.carom(("run %s --path small --out %s"):format(path, large.out()))
  T.eq(code, 0, err)
  local strain, rotation = out:match "mesh b%s+greatest strain ([%d.e+-]+), rotation ([%d.e+-]+) degrees"
  T.ok(tonumber(strain) < 0.05 and math.abs(tonumber(rotation) - 180 / math.pi) < 2, out)
  T.ok(not (out .. err):find("warning: body", 1, true), err)
end)

-- ---- rigid models, and what it refuses -------------------------------------------------------------------------------------------

local ball = { text = [[
local carom = require "carom"
local m = carom.model "ball"
local e = m:parameter("e", 0, "1")
local z = m:coordinate("z", { initial = 1, unit = "m" })
m:kinetic_energy(z.dot^2 / 2)
m:potential_energy(9.81 * z)
m:contact("floor", { gap = z - carom.min(m:time(), 1) / 10, restitution = e })
m:run { until_time = 2, step = 0.03 }
return m]] }

T.test("a rigid body meets a floor that rises and stops, by place: neither below nor above it", function()
  local result = S.run(ball, "moreau-jean:theta=1,contact=position", { csv = true, step = 0.03, until_time = 2 })
  for _, row in ipairs(result.rows) do T.ok(row.z >= math.min(row.t, 1) / 10 - 1e-12, "above the floor at t = " .. row.t) end
  T.near(result.q.z, 0.1, 1e-12, "rests on it")
  T.near(result.v.z, 0, 1e-12)
  local bounced = S.run(ball, "moreau-jean:theta=1,contact=position", { set = { "e=0.5" }, step = 1e-3, until_time = 0.6 })
  local plain = S.run(ball, "moreau-jean:theta=1", { set = { "e=0.5" }, step = 1e-3, until_time = 0.6 })
  T.eq(bounced.v.z, plain.v.z, "contacts with restitution keep the law of velocities")
end)

T.test("refused: theta of 1/2, piles", function()
  T.fails(function() S.unit(ball, "moreau-jean:theta=0.5,contact=position") end, "theta=1")
end)

S.finish()
