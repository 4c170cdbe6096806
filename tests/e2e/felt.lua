-- Forces, gaps and angles of contacts, constraints and joints as expressions of the model: in outputs, and in controllers that feel
-- the last step. Joints with limits and motors.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local function model(body) return { text = 'local carom = require "carom"\nlocal m = carom.model "small"\n' .. body .. "\nreturn m\n" } end

local function run(text, scheme, options)
  options.flags, options.csv = "-O0", true
  return S.run(text, scheme, options)
end

-- ---- contacts ---------------------------------------------------------------------------------------------------------------

-- the drive x is turned so that the wall is pressed with 3: u settles where the spring gives that
local presser = model [[
local target = m:parameter("target", 3)
local x, u = m:coordinate("x", { initial = -0.1 }), m:coordinate("u")
m:kinetic_energy((x.dot^2 + u.dot^2) / 2)
local wall = m:contact("wall", { gap = -x })
m:force(x, 50 * u)
m:force(u, 2 * (target - wall.force) - 20 * u.dot)
m:output("load", wall.force)
m:output("distance", wall.gap)
m:output("closing", wall.rate)]]

for _, case in ipairs { { "D-:M=1" }, { "moreau-jean:theta=0.5" }, { "capture:rk=radau5,adaptive=on" },
  { "moreau-jean:theta=0.5", "looped" }, { "D-:M=2,stages=newton", long = true }, { "D+:M=1", long = true },
  { "schatzman-paoli", long = true }, { "capture:rk=radau5", long = true } } do
  local test = case.long and T.long_test or T.test
  test(("a controller presses with the force it is told: %s %s"):format(case[1], case[2] or ""), function()
    local r = run(presser, case[1], { form = case[2], step = 2e-3, until_time = 5 })
    T.near(r.outputs.load, 3, 1e-9)
    T.near(r.q.u, 3 / 50, 1e-9)
    T.eq(r.outputs.load, r.force.wall)
    T.eq(r.outputs.distance, r.rows[#r.rows]["wall.gap"])
    T.eq(r.rows[1].load, 0)
    T.eq(r.rows[10].closing, -r.rows[10]["x.dot"])
  end)
end

T.test("pushing ends for good where the wall is pressed harder than allowed, one step late", function()
  -- the latch is a coordinate that runs away once it is kicked
  local text = model [[
local x, latch = m:coordinate("x"), m:coordinate("latch")
local t = m:time()
m:kinetic_energy((x.dot^2 + latch.dot^2) / 2)
local wall = m:contact("wall", { gap = -x })
m:force(latch, carom.select(carom.gt(wall.force, 2), 100, 0))
m:force(x, carom.select(carom.gt(latch.dot, 0), 0, 10 * t))]]
  for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0.5", "capture:rk=dopri5" } do
    local r = run(text, scheme, { step = 1e-2, until_time = 0.5 })
    local greatest, before = 0, 0
    for k = 2, #r.rows do
      local force = (r.rows[k]["wall.impulse"] - r.rows[k - 1]["wall.impulse"]) / 1e-2
      -- what the latch felt in this step is the force of the step before
      T.near((r.rows[k]["latch.dot"] - r.rows[k - 1]["latch.dot"]) / 1e-2, before > 2 and 100 or 0, 1e-6, scheme .. " row " .. k)
      greatest, before = math.max(greatest, force), force
    end
    T.ok(greatest > 2 and greatest < 2.4, greatest)
    T.eq(r.force.wall, 0, scheme)
  end
end)

T.test("friction and slip in outputs; forces times velocities have their derivatives", function()
  local text = model [[
local x, y = m:coordinate("x", { velocity = 3 }), m:coordinate("y")
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:force(y, -10)
local ground = m:contact("ground", { gap = y, friction = 0.2, slide = x })
m:force(x, -0.1 * ground.force * x.dot) -- a lubricated pad
m:output("drag", ground.friction)
m:output("slip", ground.slip)]]
  for _, case in ipairs { { "D-:M=2,stages=newton" }, { "D-:M=1" }, { "moreau-jean:theta=0.5" }, { "moreau-jean:theta=0.5", "looped" } } do
    local r = run(text, case[1], { form = case[2], step = 1e-3, until_time = 0.5 })
    T.near(r.outputs.drag, -2, 1e-7)
    T.near(r.outputs.slip, r.v.x, 0)
    T.near(r.v.x, 5 * math.exp(-0.5) - 2, 2e-3, case[1]) -- v' = -v - 2 once the ground is felt
  end
end)

T.test("a list of contacts from the corners of a box, forces in space", function()
  local text = model [[
m:gravity(0, 0, -10)
local b = m:free_body("b", { mass = 3, inertia = 0.1, at = { 0, 0, 0.1 } })
local corners = m:contact_between(m:box("brick", { size = { 0.4, 0.3, 0.2 }, body = b, corners = { 1, 2, 3, 4 } }),
  m:plane("ground", { normal = { 0, 0, 1 } }), { friction = 0.3 })
m:force { at = b.at, value = { 4, 3, 0 } }
local sum, side_x, side_y = 0, 0, 0
for _, c in ipairs(corners) do
  sum = sum + c.force
  side_x, side_y = side_x + c.friction[1], side_y + c.friction[2]
end
m:output("weight", sum)
m:output("side", carom.hypot(side_x, side_y))]]
  local r = run(text, "moreau-jean:theta=1", { step = 1e-2, until_time = 0.05 })
  T.near(r.outputs.weight, 30, 1e-8)
  T.near(r.outputs.side, 5, 1e-7)
end)

-- ---- joints -----------------------------------------------------------------------------------------------------------------

T.test("a revolute joint: angle, rate, force and torque of a pendulum with a tilted axis", function()
  -- the bob is off the plane of the pivot: the joint also carries a torque across its axis
  local text = model [[
m:gravity(0, -10, 0)
local b = m:free_body("b", { mass = 2, inertia = { 0.3, 0.2, 0.4 }, at = { 0.5, 0, 0 } })
local pivot = m:joint("pivot", { type = "revolute", body = b, at = { -0.5, 0, -0.1 }, axis = { 0, 0, 1 } })
m:output("angle", pivot.angle)
m:output("rate", pivot.rate)
for i, n in ipairs { "fx", "fy", "fz" } do m:output(n, pivot.force[i]) end
for i, n in ipairs { "tx", "ty", "tz" } do m:output(n, pivot.torque[i]) end]]
  for _, scheme in ipairs { "D-:M=2", "moreau-jean:theta=0.5", "capture:rk=radau5" } do
    local h = 1e-3
    local r = run(text, scheme, { step = h, until_time = 0.4 })
    for k = 50, #r.rows, 70 do
      local a, c = r.rows[k - 1], r.rows[k]
      local mid, w = (a.angle + c.angle) / 2, (a.rate + c.rate) / 2
      local accel = -2 * 10 * 0.5 * math.cos(mid) / (0.4 + 2 * 0.25) -- about the pivot
      T.near((c.rate - a.rate) / h, accel, 1e-3, scheme)
      local ax, ay = -0.5 * (w * w * math.cos(mid) + accel * math.sin(mid)), 0.5 * (accel * math.cos(mid) - w * w * math.sin(mid))
      T.near(c.fx, 2 * ax, 2e-2, scheme)
      T.near(c.fy, 2 * (ay + 10), 2e-2, scheme)
      T.near(c.fz, 0, 1e-6, scheme)
      -- about the centre, which turns in its plane about a principal axis: torque = force x arm of the joint
      local rx, ry, rz = -0.5 * math.cos(mid), -0.5 * math.sin(mid), -0.1
      T.near(c.tx + ry * c.fz - rz * c.fy, 0, 2e-2, scheme)
      T.near(c.ty + rz * c.fx - rx * c.fz, 0, 2e-2, scheme)
      T.near(c.tz, 0, 1e-6, scheme)
    end
    T.near(r.outputs.angle, 2 * math.atan(r.q.b_qz, r.q.b_qw), 1e-9, scheme)
    T.near(r.outputs.rate, r.v.b_wz, 1e-9, scheme)
  end
end)

T.test("the pins of a four-bar linkage, driven by a motor, against Newton and Euler", function()
  local L, mass, inertia, g, drive = { 1.0, 2.0, 1.8 }, { 1.0, 2.0, 1.5 }, { 0.1, 0.7, 0.45 }, 9.81, 7.0
  local text = model [[
local L, mass, inertia = { 1.0, 2.0, 1.8 }, { 1.0, 2.0, 1.5 }, { 0.1, 0.7, 0.45 }
local D = { 2.5, 0 }
local B = { L[1] * math.cos(1), L[1] * math.sin(1) }
-- C on the circles about B and D
local dx, dy = D[1] - B[1], D[2] - B[2]
local d = math.sqrt(dx^2 + dy^2)
local along = (d^2 + L[2]^2 - L[3]^2) / (2 * d)
local across = math.sqrt(L[2]^2 - along^2)
local C = { B[1] + (along * dx - across * dy) / d, B[2] + (along * dy + across * dx) / d }
m:gravity(0, -9.81, 0)
local function bar(i, p, q)
  return m:free_body("bar" .. i, { mass = mass[i], inertia = { 0.05, 0.06, inertia[i] }, at = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2, 0 },
    orientation = { axis = { 0, 0, 1 }, angle = math.atan(q[2] - p[2], q[1] - p[1]) } })
end
local crank, coupler, rocker = bar(1, { 0, 0 }, B), bar(2, B, C), bar(3, D, C)
local z = { 0, 0, 1 }
local motor = m:input("motor", 7, "N m")
local pins = {
  m:joint("A", { type = "revolute", body = crank, at = { -L[1] / 2, 0, 0 }, axis = z, motor = motor }),
  m:joint("B", { type = "revolute", body = coupler, at = { -L[2] / 2, 0, 0 }, axis = z, on = crank }),
  m:joint("C", { type = "spherical", body = rocker, at = { L[3] / 2, 0, 0 }, on = coupler }),
  m:joint("D", { type = "cylindrical", body = rocker, at = { -L[3] / 2, 0, 0 }, axis = z }) }
for i, p in ipairs(pins) do
  m:output("f" .. i .. "x", p.force[1])
  m:output("f" .. i .. "y", p.force[2])
end]]
  local h = 2e-4
  local r = run(text, "D-:M=2", { step = h, until_time = 0.3 })
  for k = 200, #r.rows, 400 do
    local a, c = r.rows[k - 1], r.rows[k]
    local th, ax, ay, al = {}, {}, {}, {}
    for i = 1, 3 do
      local n = "bar" .. i
      th[i] = math.atan(a[n .. "_qz"], a[n .. "_qw"]) + math.atan(c[n .. "_qz"], c[n .. "_qw"])
      ax[i], ay[i] = (c[n .. "_x.dot"] - a[n .. "_x.dot"]) / h, (c[n .. "_y.dot"] - a[n .. "_y.dot"]) / h
      al[i] = (c[n .. "_wz"] - a[n .. "_wz"]) / h
    end
    -- half bars; moments of the coupler about B and of the rocker about D give the force of C on the rocker
    local px, py = function(i) return L[i] / 2 * math.cos(th[i]) end, function(i) return L[i] / 2 * math.sin(th[i]) end
    local function about_start(i) -- sum of moments of inertia and weight about the first pin of bar i
      return inertia[i] * al[i] + px(i) * mass[i] * (ay[i] + g) - py(i) * mass[i] * ax[i]
    end
    -- rocker: 2p x F = about_start(3); coupler: 2p x (-F) = about_start(2)
    local a11, a12, b1 = -2 * py(3), 2 * px(3), about_start(3)
    local a21, a22, b2 = 2 * py(2), -2 * px(2), about_start(2)
    local det = a11 * a22 - a12 * a21
    local cx, cy = (b1 * a22 - b2 * a12) / det, (a11 * b2 - a21 * b1) / det
    local bx, by = mass[2] * ax[2] + cx, mass[2] * (ay[2] + g) + cy           -- on the coupler
    local fx, fy = mass[1] * ax[1] + bx, mass[1] * (ay[1] + g) + by           -- of A on the crank
    local dx, dy = mass[3] * ax[3] - cx, mass[3] * (ay[3] + g) - cy           -- of D on the rocker
    for i, f in ipairs { { fx, fy }, { bx, by }, { cx, cy }, { dx, dy } } do
      T.near(c["f" .. i .. "x"], f[1], 2e-3, ("pin %d, x, t = %g"):format(i, c.t))
      T.near(c["f" .. i .. "y"], f[2], 2e-3, ("pin %d, y, t = %g"):format(i, c.t))
    end
    -- and the crank: motor, B and its weight about A
    T.near(drive - (2 * px(1) * by - 2 * py(1) * bx), about_start(1), 2e-3, "motor, t = " .. c.t)
  end
end)

T.test("limits and motor of a revolute joint act as those of a link", function()
  local function arm(joint) return model([[
m:gravity(0, 0, -10)
local drive = m:input("drive", 0, "N m")
]] .. joint) end
  local link = arm [[
m:link("arm", { joint = "revolute", axis = { 0, 1, 0 }, mass = 2, inertia = { 0.1, 0.2, 0.3 }, center = { 0.4, 0, 0 },
  limits = { -0.5, 1 }, restitution = 0.5, motor = drive })
m:output("angle", 0)]]
  local joint = arm [[
local b = m:free_body("b", { mass = 2, inertia = { 0.1, 0.2, 0.3 }, at = { 0.4, 0, 0 } })
local arm = m:joint("arm", { type = "revolute", body = b, at = { -0.4, 0, 0 }, axis = { 0, 1, 0 }, limits = { -0.5, 1 }, restitution = 0.5,
  motor = drive })
m:output("angle", arm.angle)]]
  for _, drive in ipairs { 0, -30, 5 } do
    local options = { step = 1e-3, until_time = 1.2, set = { "drive=" .. drive } }
    local a, b = run(link, "D-:M=1", options), run(joint, "D-:M=1", options)
    T.near(b.outputs.angle, a.q.arm, 2e-3, "drive " .. drive)
    T.near(b.impulse.arm_high, a.impulse.arm_high, 5e-3 * (1 + a.impulse.arm_high), "drive " .. drive)
    T.near(b.impulse.arm_low, a.impulse.arm_low, 5e-3 * (1 + a.impulse.arm_low), "drive " .. drive)
    T.ok(a.impulse.arm_high + a.impulse.arm_low > 0.1)
  end
end)

T.test("a motor between two bodies acts on both, about an axis and along it", function()
  local text = model [[
local spin, push = m:input("spin", 0.3, "N m"), m:input("push", 2, "N")
local a = m:free_body("a", { mass = 1, inertia = { 0.1, 0.2, 0.5 } })
local b = m:free_body("b", { mass = 2, inertia = { 0.3, 0.3, 0.7 } })
m:joint("turn", { type = "revolute", body = b, axis = { 0, 0, 1 }, on = a, motor = spin })
local c = m:free_body("c", { mass = 1, inertia = 1, at = { 0, 5, 0 }, orientation = { axis = { 1, 0, 0 }, angle = 0.4 } })
local d = m:free_body("d", { mass = 3, inertia = 1, at = { 0.2, 5, 0 } })
local rail = m:joint("rail", { type = "prismatic", body = d, at = { -0.2, 0, 0 }, axis = { 1, 0, 0 }, on = c, motor = push,
  limits = { -1, 1.5 } })
m:output("way", rail.slide)
m:output("speed", rail.rate)]]
  local r = run(text, "D-:M=1", { step = 1e-3, until_time = 1 })
  T.near(r.v.b_wz, 0.3 / 0.7, 1e-6)
  T.near(r.v.a_wz, -0.3 / 0.5, 1e-6)
  T.near(r.v.d_x, 2 / 3, 1e-6)
  T.near(r.v.c_x, -2, 1e-6)
  T.near(r.outputs.speed, 2 + 2 / 3, 1e-6)
  T.near(r.outputs.way, (2 + 2 / 3) / 2, 2e-3)
  T.near(math.abs(r.v.c_wx) + math.abs(r.v.d_wy) + math.abs(r.v.d_wz), 0, 1e-9)
  local later = run(text, "D-:M=1", { step = 1e-3, until_time = 2 })
  T.near(later.outputs.way, 1.5, 2e-3)
  T.eq(later.contacts.rail_high, "closed")
end)

S.finish()
