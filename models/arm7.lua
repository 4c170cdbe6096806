-- An arm of seven joints whose tip falls on a table: axes upright, across, upright, ... as in the usual redundant arm.
--
--   M(q) q'' + bias(q, q') = motors - damping q' + contact,   M and bias by recursion through the links
--
-- Joints stay within their limits, and the tip touches the table with friction. With motors 0 the arm falls from a bent
-- pose; known answer: without damping and impacts the energy is constant, and once at rest on the table nothing moves.
local carom = require "carom"
local m = carom.model "arm7"

local gravity = m:parameter("gravity", 9.81, "m/s^2")
local damping = m:parameter("damping", 0.5, "N m s/rad")
local restitution = m:parameter("restitution", 0.2, "1")
local friction = m:parameter("friction", 0.3, "1")
m:gravity(0, 0, -gravity)

-- mass, inertia about the centre, centre, and where the next joint is; every second frame is turned by a right angle about x
local rows = {
  { at = { 0, 0, 0.34 }, mass = 4.0, inertia = { 0.10, 0.09, 0.02 }, center = { 0, -0.03, 0.12 }, initial = 0.3 },
  { at = { 0, 0, 0 }, mass = 4.0, inertia = { 0.05, 0.018, 0.044 }, center = { 0.0003, 0.059, 0.042 }, initial = 0.9 },
  { at = { 0, 0.4, 0 }, mass = 3.0, inertia = { 0.08, 0.075, 0.01 }, center = { 0, 0.03, 0.13 }, initial = -0.2 },
  { at = { 0, 0, 0 }, mass = 2.7, inertia = { 0.03, 0.01, 0.029 }, center = { 0, 0.067, 0.034 }, initial = -0.8 },
  { at = { 0, 0.4, 0 }, mass = 1.7, inertia = { 0.02, 0.018, 0.005 }, center = { 0.0001, 0.021, 0.076 }, initial = 0.4 },
  { at = { 0, 0, 0 }, mass = 1.8, inertia = { 0.005, 0.0036, 0.0047 }, center = { 0, 0.0006, 0.0004 }, initial = 0.7 },
  { at = { 0, 0.126, 0 }, mass = 0.3, inertia = { 0.001, 0.001, 0.001 }, center = { 0, 0, 0.02 }, initial = 0.1 },
}
local limit = { 2.97, 2.09, 2.97, 2.09, 2.97, 2.09, 3.05 }

local link
for i, row in ipairs(rows) do
  local turn = i == 1 and 0 or i % 2 == 0 and carom.pi / 2 or -carom.pi / 2
  row.parent, row.joint, row.axis = link, "revolute", { 0, 0, 1 }
  row.rotation = { axis = { 1, 0, 0 }, angle = turn }
  row.limits, row.restitution = { -limit[i], limit[i] }, restitution
  row.motor = m:input("motor" .. i, 0, "N m")
  link = m:link("joint" .. i, row)
  m:dissipation(damping * link.q.dot^2 / 2)
end

local tip = link:point(0, 0, 0.1)
m:contact("table", { gap = tip[3], restitution = restitution, friction = friction, slide = { tip[1], tip[2] }, at = tip })
for i, axis in ipairs { "x", "y", "z" } do m:output("tip_" .. axis, tip[i], { unit = "m" }) end
m:draw("stand", { line = { { 0, 0, 0 }, { 0, 0, 0.34 } }, fixed = true })
m:draw("table_top", { line = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 }, { -1, 1, 0 } }, closed = true, fixed = true })

m:run { until_time = 2, step = 1e-3, scheme = "D-:M=1" }
return m
