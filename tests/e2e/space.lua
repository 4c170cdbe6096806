-- Bodies in space: quaternions driven by body-frame angular velocities keep the order of every scheme, energy and angular momentum.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local function distance(a, b)
  local worst = 0
  for name, x in next, a do worst = math.max(worst, math.abs(x - b[name])) end
  return worst
end

-- orders on the free gyroscope against a fine run of order 10; +-0.15 for the fit over the halvings
local fine
T.test("free gyroscope: a reference of order 10", function()
  fine = S.run("gyro_top", "D-:M=5,quadrature=lobatto", { step = 0.01, until_time = 8 }).q
  T.ok(fine.top_qw, "quaternion in the result")
end)
-- each scheme of the catalogue: text, order, and where rounding is near the steps to measure with
local COARSE = { 0.4, 0.2, 0.1 }
local schemes = {
  { "moreau-jean:theta=0", 1 }, { "moreau-jean:theta=0.5", 2 }, { "moreau-jean:theta=0.5,mass=end", 2 }, { "moreau-jean:theta=1", 1 },
  { "schatzman-paoli:theta=0", 2 }, { "schatzman-paoli:theta=0.5", 2 }, { "schatzman-paoli:theta=1,stages=fixed-point", 2 },
  { "D-:M=0", 1 }, { "D-:M=1", 2 }, { "D-:M=2", 4 }, { "D-:M=3", 4 }, { "D-:M=4", 6, COARSE }, { "D-:M=5", 6, COARSE },
  { "D-:M=2,quadrature=lobatto", 4 }, { "D-:M=3,quadrature=lobatto", 6, COARSE }, { "D-:M=4,quadrature=lobatto", 8, { 0.8, 0.4, 0.2 } },
  { "D+:M=0", 1 }, { "D+:M=1", 2 }, { "D+:M=2", 4 }, { "D+:M=3", 4 }, { "D+:M=4", 6, COARSE }, { "D+:M=2,quadrature=lobatto", 4 },
  { "D+:M=3,quadrature=lobatto", 6, COARSE },
}
for _, case in ipairs(T.half(schemes)) do
  T.test(("free gyroscope: %s has order %d"):format(case[1], case[2]), function()
    local steps, errors = case[3] or { 0.2, 0.1, 0.05, 0.025 }, {}
    for i, h in ipairs(steps) do errors[i] = distance(S.run("gyro_top", case[1], { step = h, until_time = 8 }).q, fine) end
    T.near(S.slope(steps, errors), case[2], 0.15)
  end)
end

-- event capturing wants a contact; this one stays far away
local free = { text = [[
local carom = require "carom"
local m = carom.model "free_top"
local top = m:free_body("top", { mass = 1, inertia = { 1, 2, 3 }, spin = { 0.01, 1, 0.01 } })
m:contact("far", { gap = 10 + top.at[3] })
return m
]] }
for _, case in ipairs(T.half({ { "rk=heun2", 2 }, { "rk=lobatto2", 2 }, { "rk=kutta3", 3 }, { "rk=radau3", 3 }, { "rk=rk4", 4 },
  { "rk=lobatto4", 4 }, { "rk=dopri5", 5, { 0.1, 0.05, 0.025 } }, { "rk=radau5", 5, COARSE }, { "rk=lobatto6", 6, COARSE },
  { "dg=D-,M=1", 2 }, { "dg=D-,M=2", 4 }, { "dg=D-,M=3,quadrature=lobatto", 6, COARSE }, { "dg=D+,M=1", 2 }, { "dg=D+,M=2", 4 } }, 1)) do
  T.test(("free gyroscope: capture:%s has order %d"):format(case[1], case[2]), function()
    local steps, errors = case[3] or { 0.2, 0.1, 0.05, 0.025 }, {}
    for i, h in ipairs(steps) do
      errors[i] = distance(S.run(free, "capture:" .. case[1] .. ",length=1,speed=1,time=1,force=1", { step = h, until_time = 8 }).q, fine)
    end
    T.near(S.slope(steps, errors), case[2], 0.2)
  end)
end

T.test("free gyroscope: energy, angular momentum and the unit norm over 1e5 steps", function()
  local scheme = "D-:M=3,quadrature=lobatto"
  local first = S.run("gyro_top", scheme, { step = 0.01, until_time = 0.01, every = 1 })
  local last = S.run("gyro_top", scheme, { step = 0.01, until_time = 1000, every = 100000 })
  for name, x in next, first.outputs do T.near(last.outputs[name], x, 1e-10, name) end
  local q = last.q
  T.near(q.top_qw ^ 2 + q.top_qx ^ 2 + q.top_qy ^ 2 + q.top_qz ^ 2, 1, 1e-14, "norm")
end)

-- a body with one corner thrown on a floor: impacts while it turns; full order by event capturing
local thrown = { text = [[
local carom = require "carom"
local m = carom.model "thrown"
local b = m:free_body("b", { mass = 1, inertia = { 1, 2, 3 }, at = { 0, 0, 1 }, spin = { 1, 2, 0.5 } })
m:gravity(0, 0, -9.81)
m:contact("tip", { gap = b:point(0.3, 0.2, -0.4)[3], restitution = 0.5 })
m:run { until_time = 1, step = 0.01 }
return m
]] }
local scales = ",length=1,speed=1,time=0.3,force=1"
for _, case in ipairs { { "capture:dg=D-,M=1", 2, 0.25 }, { "capture:dg=D-,M=2", 4, 0.7 }, { "capture:rk=radau5", 5, 0.9 } } do
  T.test(("a turning body through five impacts: %s has order %d"):format(case[1], case[2]), function()
    local reference = S.run(thrown, "capture:rk=lobatto6" .. scales, { step = 1 / 800, until_time = 1 })
    T.eq(reference.counts.events, 5, "impacts")
    local steps, errors = {}, {}
    for i, n in ipairs { 23, 47, 93, 187 } do
      steps[i] = 1 / n
      errors[i] = distance(S.run(thrown, case[1] .. scales, { step = 1 / n, until_time = 1 }).q, reference.q)
    end
    local slope = S.slope(steps, errors) -- the error of location, one order higher, can dominate
    T.ok(slope > case[2] - 0.25 and slope < case[2] + 1 + case[3], ("slope %.2f"):format(slope))
  end)
end

-- a point that slides across a slope: its direction turns all the time, so does friction
local slope = { text = [[
local carom = require "carom"
local m = carom.model "incline"
local x = m:coordinate("x", { initial = 0, velocity = 0 })
local y = m:coordinate("y", { initial = 0, velocity = 2 })
local z = m:coordinate("z", { initial = 0, velocity = 0 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:force(x, -9.81 * 0.34)
m:force(z, -9.81 * 0.94)
m:contact("plane", { gap = z, restitution = 0, friction = 0.25, slide = { x, y } })
m:run { until_time = 1, step = 0.025 }
return m
]] }
for _, case in ipairs { { "D-:M=1", 2 }, { "D-:M=2", 4 }, { "D-:M=3", 4 }, { "moreau-jean", 1 }, { "D+:M=2", 1 } } do
  T.test(("sliding that turns in space: %s has order %d"):format(case[1], case[2]), function()
    local reference = S.run(slope, "capture:rk=radau5,length=1,speed=1,time=1,force=1", { step = 1 / 400, until_time = 1 })
    local steps, errors = {}, {}
    for i, n in ipairs { 40, 80, 160, 320 } do
      steps[i] = 1 / n
      errors[i] = distance(S.run(slope, case[1], { step = 1 / n, until_time = 1 }).q, reference.q)
    end
    T.near(S.slope(steps, errors), case[2], 0.2)
  end)
end

T.test("a turning body through five impacts: schatzman-paoli has order 1", function()
  local reference = S.run(thrown, "capture:rk=lobatto6" .. scales, { step = 1 / 800, until_time = 1 })
  local steps, errors = {}, {}
  for i, n in ipairs { 200, 400, 800, 1600, 3200, 6400 } do
    steps[i] = 1 / n
    errors[i] = distance(S.run(thrown, "schatzman-paoli", { step = 1 / n, until_time = 1 }).q, reference.q)
  end
  T.near(S.slope(steps, errors), 1, 0.2)
end)

-- ---- loops over tables -----------------------------------------------------------------------------------------------------------------
-- joints with motors and limits, a spring, a torque, a coordinate beside them
local linkage = [[
local carom = require "carom"
local m = carom.model "linkage"
local t, k = m:time(), m:parameter("k", 30, "N/m")
m:gravity(0.3, 0, -9.81)
local function body(name, x)
  return m:free_body(name, { mass = 1, inertia = { 0.02, 0.03, 0.04 }, at = { x, 0, 1 },
    orientation = { axis = { 1, 2, 0.5 }, angle = 0.3 } })
end
local upper, lower = body("upper", 0.2), body("lower", 0.4)
m:joint("shoulder", { type = "prismatic", body = upper, axis = { 1, 0, 0 }, at = { -0.2, 0, 0 }, limits = { -0.1, 0.02 } })
m:joint("elbow", { type = "revolute", body = lower, on = upper, axis = { 0, 1, 0.1 }, motor = 0.6 * carom.sin(9 * t),
  limits = { -0.2, 0.1 }, restitution = 0.4 })
local x = m:coordinate("x", { unit = "m", initial = 1, velocity = -1 })
m:body("cart", { mass = 2, at = { x, 0 } })
local p = lower:point(0.1, 0, 0)
m:spring { length = carom.sqrt((p[1] - x)^2 + p[2]^2 + p[3]^2), stiffness = k, rest = 1 }
m:force { body = lower, torque = { 0.1, 0, 0.2 } }
m:contact("wall", { gap = x - 0.9, restitution = 0.5 })
m:output("height", lower.at[3])
m:output("turning", lower.spin[2])
return m
]]
-- a box on a plane, a sphere that rolls off a hill
local shapes = [[
local carom = require "carom"
local m = carom.model "shapes"
m:gravity(0.3, 0, -9.81)
local function body(name, x, z, spin)
  return m:free_body(name, { mass = 1, inertia = { 0.02, 0.03, 0.04 }, at = { x, 0, z }, spin = spin,
    orientation = { axis = { 1, 2, 0.5 }, angle = 0.3 } })
end
local floor = m:plane("floor", { normal = { 0, 0.1, 1 } })
local hill = m:surface("hill", { height = function(a, b) return 0.1 * carom.sin(3 * a) * carom.cos(2 * b) end, at = { 0, -4, 0.1 } })
local law = { restitution = 0.3%s }
local brick, ball = body("brick", 3, 0.3, { 1, 0.5, -2 }), body("ball", 5, 0.55, { 0, 3, 1 })
m:contact_between(m:box("box", { size = { 0.3, 0.2, 0.1 }, body = brick, corners = { 1, 2, 3 } }), floor, law)
m:contact_between(m:sphere("sphere", { radius = 0.2, body = ball, at = { 0.02, 0, 0 } }), hill, law)
return m
]]
local function same(text, scheme, tolerance)
  local a, b
  for _, form in ipairs { "unrolled", "looped" } do
    local run = S.compile(S.unit({ text = text }, scheme, { form = form }), { flags = "-O0" })
    b = run:run { until_time = 0.4, step = 2e-3, csv = true, every = 50 }
    a = a or b
  end
  for _, part in ipairs { "q", "v", "impulse", "outputs" } do
    for name, value in pairs(a[part]) do T.near(b[part][name], value, tolerance * math.max(1, math.abs(value)), part .. " " .. name) end
  end
  T.eq(table.concat(b.names, " "), table.concat(a.names, " "), "columns of the result")
  T.eq(b.counts.events, a.counts.events, "events")
  T.ok(a.counts.events >= 2, "only " .. a.counts.events .. " events")
end
local smooth, rough = shapes:format "", shapes:format ", friction = 0.3"
for _, case in ipairs { { linkage, "moreau-jean:theta=0.5", 1e-11 }, { linkage, "D-:M=1,projection=on", 1e-11 },
  { smooth, "schatzman-paoli", 2e-9 }, { smooth, "moreau-jean:theta=1", 1e-11, long = true },
  { smooth, "D-:M=2,stages=fixed-point", 1e-11 }, { smooth, "D+:M=1,stages=fixed-point", 1e-11, long = true },
  { rough, "moreau-jean:theta=0.5", 1e-9 } } do
  local name = ("free bodies, looped equals unrolled: %s, %s"):format(case[1]:match 'model "(%a+)"', case[2])
  local test = case.long and T.long_test or T.test
  test(name, function()
    same(table.unpack(case))
  end)
end

-- A chain of bodies, thrown and spinning about its middle, flies like one thing: its centre falls, its angular momentum stays.
T.test("a chain of 40 free bodies with spherical joints falls freely, in loops over tables", function()
  local chain = { text = [[
local carom = require "carom"
local m = carom.model "chain"
m:gravity(0, 0, -9.81)
local n, before, height, turning = 40, nil, 0, 0
for i = 1, n do
  local x = 0.1 * (i - (n + 1) / 2)
  local b = m:free_body("b" .. i, { mass = 0.5, inertia = { 1e-3, 2e-3, 2.5e-3 }, at = { x, 0, 2 }, velocity = { 0, 0, 1 - 1.5 * x },
    spin = { 0, 1.5, 0 } })
  if before then m:joint("j" .. i, { type = "spherical", body = b, on = before, at = { -0.05, 0, 0 } }) end
  height = height + b.at[3] / n
  local w = b:direction(1e-3 * b.spin[1], 2e-3 * b.spin[2], 2.5e-3 * b.spin[3])
  turning = turning + w[2] + 0.5 * (b.at[3] * b.at[1].dot - b.at[1] * b.at[3].dot)
  before = b
end
m:output("height", height)
m:output("turning", turning)
m:force { body = before, torque = { 0.02, 0, 0.01 } }
return m
]] }
  for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0.5" } do
    local unit = S.unit(chain, scheme)
    T.eq(unit.form, "looped")
    local r = S.compile(unit):run { until_time = 0.2, step = 2e-3, csv = true, every = 10 }
    local first, last = r.rows[1], r.rows[#r.rows]
    T.near(last.height, 2 + 0.2 - 9.81 * 0.2 ^ 2 / 2, 1e-9, "its centre falls")
    T.near(last.turning, first.turning, 2e-3 * math.abs(first.turning), "angular momentum about y")
    T.ok(math.abs(r.q.b40_qx) > 1e-3, "the torque turns the last one")
  end
end)

-- A chain falls on hills and slides: rolled up, a short one moves as it does in straight code; a long one keeps its joints, stays above the
-- ground and loses energy, which the ground takes and nothing gives.
local falling = { text = [[
local carom = require "carom"
local m = carom.model "necklace"
local n = m:constant("n", 100)
m:gravity(0, 0, -9.81)
local function height(x, y) return 0.1 * carom.sin(3 * x) + 0.05 * carom.cos(4 * y) end
local smooth, at = m:constant("smooth", 0), { -10, -2, 0 }
local hills = smooth == 1 and m:surface("hills", { height = height, at = at })
  or m:heightfield("hills", { height = height, cells = { 400, 40 }, size = { 40, 4 }, at = at })
local before, energy = nil, 0
for i = 1, n do
  local b = m:free_body("b" .. i, { mass = 0.1, inertia = { 1e-4, 2e-4, 3e-4 }, at = { 0.1 * i, 0, 0.19 }, velocity = { 0.3, 0.4, -0.5 } })
  if before then m:joint("j" .. i, { type = "spherical", body = b, on = before, at = { -0.05, 0, 0 } }) end
  m:contact_between(m:sphere("s" .. i, { radius = 0.03, body = b }), hills, { friction = 0.3 })
  for k = 1, 3 do energy = energy + 0.05 * b.at[k].dot^2 + 0.5e-4 * k * b.spin[k]^2 end
  energy = energy + 0.1 * 9.81 * b.at[3]
  before = b
end
m:output("energy", energy)
return m
]] }
T.test("a chain of free bodies on hills with friction: three as in straight code, a hundred in loops over tables", function()
  -- the second: at t = 0.54 bodies are pushed into the hills by the projection of others, from its second sweep on
  for _, case in ipairs { { "D-:M=1", 3, 0.2, 2e-3, 0 }, { "moreau-jean:theta=0.5", 5, 0.6, 0.015, 1 } } do
    local results = {}
    for i, form in ipairs { "unrolled", "looped" } do
      local unit = S.unit(falling, case[1], { form = form, set = { n = case[2], smooth = case[5] } })
      results[i] = S.compile(unit, { flags = "-O0" }):run { until_time = case[3], step = case[4] }
    end
    T.ok(results[1].counts.events >= 3, "they hit the hills")
    for _, part in ipairs { "q", "v", "impulse" } do
      for name, x in pairs(results[1][part]) do T.near(results[2][part][name], x, 1e-7, case[1] .. ", " .. part .. " " .. name) end
    end
  end
  local unit = S.unit(falling, "D-:M=1")
  T.eq(unit.form, "looped")
  local r = S.compile(unit, { flags = "-O0" }):run { until_time = 0.12, step = 2e-3, csv = true, every = 5 }
  T.ok(r.counts.events >= 40, "only " .. r.counts.events .. " events")
  for k = 2, #r.rows do
    T.ok(r.rows[k].energy <= r.rows[k - 1].energy + 1e-3, ("energy rises from %g to %g"):format(r.rows[k - 1].energy, r.rows[k].energy))
    for i = 1, 100 do
      for slot = 1, 4 do T.ok(r.rows[k][("s%d_hills_%d.gap"):format(i, slot)] > -2e-3, "above the ground") end
    end
  end
  T.ok(r.rows[#r.rows].energy < 0.97 * r.rows[1].energy, "hits and friction take energy")
end)

S.finish()
