-- Schemes that reach meshes on PETSc by their plan alone: orders and energies of generalised-alpha, steps by tolerances, dense output.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"
local vtu = require "tests.e2e.vtu"

local run, model = large.need "schemes on PETSc"

-- A bar of 20 cells, length = E = rho = 1, before a wall.
local function bar(name, more)
  return model(name, ([[
local bar = m:mesh("bar", carom.bar { cells = 20, length = 1, section = 1 })
m:elastic(bar, { E = 1, rho = 1 })
m:contact_surface("wall", { mesh = bar, boundary = "left", gap = function(x) return x end })
m:probe("tip", { mesh = bar, at = { 0 } })
m:probe("tail", { mesh = bar, at = { 1 } })
%s]]):format(more)) .. " --path petsc"
end

local function last(rows, name) return rows[#rows][name] end

-- differences of results with steps h, h/2, h/4
local function order(words, name, steps)
  local x = {}
  for i, n in ipairs(steps) do x[i] = last((run(("%s --step %.17g"):format(words, 1 / n))), name) end
  return math.log(math.abs(x[1] - x[2]) / math.abs(x[2] - x[3]), 2)
end

T.test("alpha on PETSc: order 2 in smooth motion and while a contact presses", function()
  local free = bar("vibrating", [[
m:start(bar, { displacement = function(X) return { 2 + 0.1 * carom.cos(carom.pi * X) } end })
m:run { until_time = 0.5, step = 0.05, scheme = "alpha:rho=0.8,ctol=1e-12" }]])
  T.near(order(free, "tail.x", { 20, 40, 80 }), 2, 0.1, "a free vibration")
  local pressed = bar("pressed", [[
m:body_force(bar, function(X, t) return { -0.1 * t^2 } end)
m:run { until_time = 1, step = 0.05, scheme = "alpha:rho=0.8,ctol=1e-12" }]])
  T.near(order(pressed, "tail.x", { 20, 40, 80 }), 2, 0.1, "a load that presses")
  T.near(order(pressed, "wall.impulse", { 20, 40, 80 }), 2, 0.15, "its impulse")
end)

local FLYING = bar("flying", [[
m:start(bar, { displacement = { 0.25 }, velocity = { -1 } })
m:run { until_time = 3, step = 0.05, scheme = "alpha:rho=0.8" }]])

-- the figures of a prototype: 20 lumped elements, e = 0, to t = 3; in the metric of S projection gains at most 0.4 percent
T.test("alpha on PETSc: energies of a bar that hits a wall, also far beyond the explicit limit; impulses of order 1", function()
  for steps, known in pairs { [150] = 0.975, [61] = 0.972, [31] = 0.966 } do
    local rows = run(("%s --step %.17g"):format(FLYING, 3 / steps))
    local most = 0
    for _, row in ipairs(rows) do most = math.max(most, row.energy) end
    T.near(last(rows, "energy") / rows[1].energy, known, 6e-4, steps .. " steps")
    T.ok(most <= rows[1].energy * (1 + 1e-9), "it gains nothing: " .. most)
  end
  local rows, record = run(("%s --scheme alpha:rho=0.8,projection=on --step %.17g"):format(FLYING, 3 / 61))
  local most = 0
  for _, row in ipairs(rows) do most = math.max(most, row.energy) end
  T.ok(most / rows[1].energy < 1.0045 and most / rows[1].energy > 1.003, most / rows[1].energy)
  T.ok(rows[#rows]["contacts.deepest"] < 1e-12 and record.momentum_imbalance < 1e-10)
  local a, b = last((run(FLYING .. " --step 0.01")), "wall.impulse"), last((run(FLYING .. " --step 0.0025")), "wall.impulse")
  T.ok(math.abs(2 - a) < 0.06 and math.abs(2 - b) < math.abs(2 - a), ("%g, %g of 2"):format(a, b))
end)

-- A block that falls on another, and on a wall that leans; each node meets one of them.
T.test("alpha:level=all on PETSc is that of the small path, on one rank and on two", function()
  local function falls(name, speed, more)
    return model(name, ([[
local upper = m:mesh("upper", { cells = { 3, 2 }, size = { 0.4, 0.3 }, origin = { 0.23, 0.302 }, unit = "m" })
m:elastic(upper, { E = 2e6, nu = 0.3, rho = 2000 })
m:start(upper, { velocity = { %g, -1 } })
m:gravity(0, -9.81)
%s
m:run { until_time = 0.02, step = 2e-4, scheme = "alpha:rho=0.8,level=all,ctol=1e-12,tol=1e-12" }]]):format(speed, more))
  end
  local leaning = falls("leaning", 0.8, [[m:contact_surface("hit", { mesh = upper, boundary = "right",
  gap = function(x, y) return 0.634 - x + 0.02 * y end, restitution = 0.4 })]])
  local blocks = falls("blocks", 0.3, [[
local lower = m:mesh("lower", { cells = { 5, 2 }, size = { 1, 0.3 }, unit = "m" })
m:elastic(lower, { E = 1e6, nu = 0.3, rho = 1000, damping = { mass = 0.5, stiffness = 1e-4 } })
m:fix(lower, "bottom")
m:contact_pair("hit", { mesh = upper, boundary = "bottom", master = lower, master_boundary = "top" })]])
  for _, case in ipairs { { leaning, " --path petsc" }, { blocks, " --path petsc" }, { blocks, " --ranks 2" } } do
    local small = " --path small --scheme alpha:rho=0.8,level=all,lumped=on,ctol=1e-12,tol=1e-12,tg=1e-10"
    local rows, known = run(case[1] .. case[2]), run(case[1] .. small)
    T.ok(last(known, "hit.impulse") > 5, "it hits")
    for _, name in ipairs { "kinetic", "elastic", "hit.impulse" } do
      T.near(last(rows, name), last(known, name), 1e-9 * last(known, name), name .. case[2])
    end
  end
end)

-- Errors at one time jump with where in a step the impacts fall: their means over the run are compared, with those of alpha at h/64.
T.test("alpha on PETSc: order 1 through impacts with restitution", function()
  local hopping = bar("hopping", [[
m:contact_surface("bounce", { mesh = bar, boundary = "left", gap = function(x) return x - 0.1 end, restitution = 0.5 })
m:body_force(bar, { -1 })
m:start(bar, { displacement = { 0.3 }, velocity = { -0.5 } })
m:run { until_time = 2, step = 0.05, scheme = "alpha:rho=0.8,ctol=1e-12" }]])
  local known = run(hopping .. " --step 0.000625")
  local function mean(n)
    local rows, sum = run(("%s --step %.17g"):format(hopping, 1 / n)), { 0.0, 0.0 }
    for i, row in ipairs(rows) do
      local exact = known[(i - 1) * (1600 // n) + 1]
      for k, name in ipairs { "tip.x", "tail.x" } do sum[k] = sum[k] + math.abs(row[name] - exact[name]) / #rows end
    end
    return sum
  end
  T.ok(last(known, "bounce.impulse") > 1, "it hits")
  local coarse, fine = mean(25), mean(200)
  for k = 1, 2 do
    local slope = math.log(coarse[k] / fine[k], 2) / 3
    T.ok(slope > 0.8 and slope < 1.8, "slope " .. slope)
  end
end)

T.test("adaptive=on on PETSc: as on the small path, one and two ranks; steps of the explicit one stay below its limit", function()
  for i, scheme in ipairs { "D-:M=1,adaptive=on,rtol=1e-4,atol=1e-6", "moreau-jean:theta=0.5,adaptive=on,rtol=1e-3,atol=1e-5" } do
    local words = ("%s --scheme %s --step 0.1 --until 2.6"):format(FLYING, scheme)
    local small = run((words:gsub("%-%-path petsc", "--path small")))
    for _, ranks in ipairs { "", i == 1 and " --ranks 2" or nil } do
      local rows, record = run(words .. ranks)
      for _, name in ipairs { "tip.x", "tail.x", "wall.impulse" } do -- the small path goes on from more than the halves tell
        T.near(last(rows, name), last(small, name), i == 1 and 1e-4 or 1e-3, scheme .. name)
      end
      T.ok(record.momentum_imbalance < 1e-8, record.momentum_imbalance)
    end
  end
  -- the mean force of a step is that of all that it was made of
  local rows = run(FLYING .. " --scheme D-:M=1,adaptive=on,rtol=1e-4,atol=1e-6 --step 0.1 --until 2.6")
  local sum = 0
  for i = 2, #rows do sum = sum + rows[i]["wall.force"] * (rows[i].t - rows[i - 1].t) end
  T.near(sum, last(rows, "wall.impulse"), 1e-9)
end)

T.test("dense=on on PETSc: pictures of times between the steps; projection=on: nothing penetrates", function()
  for _, scheme in ipairs { "moreau-jean:theta=0.5,dense=on", "D-:M=2,dense=on", "D-:M=1,adaptive=on,rtol=1e-4,dense=on" } do
    local _, _, dir = run(FLYING .. " --scheme " .. scheme .. " --step 0.03 --until 0.24 --frames 7")
    local times = {}
    for t in fs.read(dir .. "/frames/flying.pvd"):gmatch 'timestep="([^"]*)"' do times[#times + 1] = tonumber(t) end
    T.eq(#times, 8)
    for k = 1, 7 do
      T.near(times[k + 1], 0.24 * k / 7, 1e-12, scheme)
      local picture = ("%s/frames/flying_%04d.vtu"):format(dir, k)
      T.near(vtu.array(picture, "displacement")[1], 0.25 - times[k + 1], 1e-12, scheme .. ": it flies")
      T.near(vtu.array(picture, "velocity")[1], -1, 1e-12)
    end
  end
  local rows = run(FLYING .. " --scheme moreau-jean:theta=0.5,projection=on --step 0.03")
  T.ok(last(rows, "contacts.deepest") < 1e-12 and math.abs(last(rows, "wall.impulse") - 1.96) < 0.02, last(rows, "wall.impulse"))
  rows = run(FLYING .. " --scheme moreau-jean:theta=0.5 --step 0.03")
  T.ok(last(rows, "contacts.deepest") > 1e-3, "without it: " .. last(rows, "contacts.deepest"))
end)

S.finish()
