-- Small meshes with known answers, on both paths: damping by mass, the rule that closes a contact (gamma), obstacles that move and bend.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local large = require "tests.e2e.large"

local run, model = large.run, large.model
local paths = large.here and { "small", "petsc" } or { "small" }
if not large.here then T.skip("laws of small meshes on PETSc", "PETSc absent") end

T.test("damping by mass: a body that moves as a whole slows down as the theta rule says", function()
  local path = model("damped", [[
local b = m:mesh("b", { cells = { 2, 2 } })
m:elastic(b, { E = 1e6, nu = 0.3, rho = 1000, damping = { mass = 20, stiffness = 0 } })
m:start(b, { velocity = { 1, -1 } })
m:probe("c", { mesh = b, at = { 0, 0 } })
m:run { until_time = 0.5, step = 0.05, scheme = "moreau-jean:theta=0.5" }]])
  for _, kind in ipairs(paths) do
    for _, theta in ipairs { 0.5, 1 } do
      local rows = run(("%s --path %s --scheme moreau-jean:theta=%g"):format(path, kind, theta))
      local v = 1
      for i = 2, #rows do
        v = v * (1 - 20 * 0.05 * (1 - theta)) / (1 + 20 * 0.05 * theta)
        T.near(rows[i]["c.x.dot"], v, 1e-12, kind)
        T.near(rows[i]["c.y.dot"], -v, 1e-12, kind)
      end
    end
  end
end)

-- At t = 0.04 the gap is 0.04 less; the step from there is the first with an impulse when g + gamma h U <= 0, here gap <= gamma 0.01.
T.test("gamma: the step in which a bar that comes at a wall is stopped", function()
  local path = model("coming", [[
local g0 = m:parameter("g0", 0.0425, "m")
local b = m:mesh("b", { cells = { 2 }, size = { 1 } })
m:elastic(b, { E = 1e3, rho = 1000 })
m:start(b, { velocity = { -1 } })
m:contact_surface("wall", { mesh = b, boundary = "left", gap = function(x) return x + g0 end })
m:run { until_time = 0.08, step = 0.01, scheme = "moreau-jean:theta=0.5,gamma=0.5" }]])
  for _, kind in ipairs(paths) do
    for _, case in ipairs { { 0.0425, 0, 7 }, { 0.0425, 0.5, 6 }, { 0.0475, 0.5, 7 }, { 0.0475, 1, 6 } } do
      local rows = run(("%s --path %s --set g0=%g --scheme moreau-jean:theta=0.5,gamma=%g,contact=velocity"):format(path, kind, case[1],
        case[2]))
      local first
      for i, row in ipairs(rows) do first = first or row["wall.impulse"] > 0 and i end
      T.eq(first, case[3], ("%s, gap %g, gamma %g"):format(kind, case[1], case[2]))
    end
  end
end)

-- The floor rises with an acceleration and is bent, and the block slides over it: the rate of the gap changes by both. Without that in the
-- force of a step the velocities at its end mend what they can, and places are wrong by h^2.
T.test("D-: a block on a floor that rises faster and faster and is bent: both paths agree, and the floor carries it", function()
  if not large.here then return end
  local path = model("lifted", [[
local b = m:mesh("b", { cells = { 3, 2 }, size = { 0.3, 0.2 } })
m:elastic(b, { E = 1e5, nu = 0.3, rho = 1000 })
m:start(b, { velocity = { 0.5, 0 } })
m:body_force(b, { 0, -9.81 })
m:contact_surface("floor", { mesh = b, boundary = "bottom", gap = function(x, y, t) return y - 3 * t^2 + 0.04 * x^2 end })
m:probe("foot", { mesh = b, at = { 0, 0 } })
m:probe("top", { mesh = b, at = { 0.3, 0.2 } })
m:run { until_time = 0.05, step = 5e-4, scheme = "D-:M=1" }]])
  for _, scheme in ipairs { "D-:M=1", "D-:M=2" } do
    local small, petsc = run(path .. " --path small --scheme " .. scheme), run(path .. " --path petsc --scheme " .. scheme)
    T.eq(#small, #petsc)
    T.ok(small[#small]["floor.impulse"] > 0.8 * 0.05 * 60 * 9.81, "it presses: " .. small[#small]["floor.impulse"])
    for i = 1, #small do
      for _, name in ipairs { "foot.x", "foot.y", "top.y", "foot.y.dot", "floor.impulse" } do
        -- the small path divides gaps by their slope, which turns the normal by curvature times depth
        T.near(petsc[i][name], small[i][name], name == "floor.impulse" and 1e-5 or 1e-6, scheme .. " " .. name .. " row " .. i)
      end
    end
  end
end)

-- Beside a mesh: a sled whose friction differs with the direction, one on a belt that sticks, is pulled loose and slides, a ball with
-- restitution and friction by its own motion.
T.test("coefficients beside a mesh, by direction and by what each contact did last: both paths agree, on one rank and on two", function()
  if not large.here then return end
  local path = model("coefficients", [[
local bar = m:mesh("bar", { cells = { 2, 1, 1 }, size = { 1, 0.2, 0.2 } })
m:elastic(bar, { E = 1e5, nu = 0.3, rho = 100 })
m:fix(bar, "left")
local tip = m:node(bar, { 1, 0.2, 0.2 })
local function body(name, x0, y0, z0, vx, vy)
  local x, y = m:coordinate(name .. "_x", { initial = x0, velocity = vx }), m:coordinate(name .. "_y", { initial = y0, velocity = vy })
  local z = m:coordinate(name .. "_z", { initial = z0 })
  m:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2)
  m:force(z, -2 * 9.81)
  return x, y, z
end
local x, y, z = body("sled", 0, 0, 0, 1, 1)
m:contact("ice", { gap = z, slide = { x, y }, friction = { 0.2, 0.4 } })
local p, q, r = body("block", 1.2, 0.2, 0.2, 0.4, 0)
m:spring("rope", { between = { tip, { p, q, r } }, stiffness = 200, rest = 0.2 })
m:contact("belt", { gap = r - 0.2, slide = { p - 0.4 * m:time(), q }, friction = 0.3, static_friction = 0.6 })
local a, b, c = body("ball", 0, 0, 0.05, 1, 0)
m:contact("floor", { gap = c, slide = { a, b }, restitution = function(speed) return 0.8 - 0.1 * speed end,
  friction = function(slip, force) return 0.05 + 0.02 * slip + 1e-4 * force end })
m:run { until_time = 1, step = 2e-3, scheme = "D-:M=1,projection=on" }]], { dimension = 3 })
  local small = run(path .. " --path small")
  local loose, bounces = 0, 0
  for i = 2, #small do
    loose = loose + (math.abs(small[i]["block_x.dot"] - 0.4) > 1e-3 and math.abs(small[i - 1]["block_x.dot"] - 0.4) < 1e-9 and 1 or 0)
    bounces = bounces + (small[i]["ball_z.dot"] > 0 and small[i - 1]["ball_z.dot"] < 0 and 1 or 0)
  end
  T.ok(loose > 0 and bounces > 2, ("the block came loose %d times, the ball bounced %d times"):format(loose, bounces))
  T.ok(math.abs(small[#small].sled_x - small[#small].sled_y) > 0.01, "the sled turns off")
  for _, way in ipairs { "--path petsc", "--ranks 2" } do
    local rows = run(path .. " " .. way)
    T.eq(#rows, #small)
    for i = 1, #small do
      for _, name in ipairs { "sled_x", "sled_y", "block_x", "block_x.dot", "ball_x", "ball_z", "ball_x.dot" } do
        T.near(rows[i][name], small[i][name], 1e-8, ("%s: %s at %g"):format(way, name, small[i].t))
      end
    end
  end
end)

S.finish()
