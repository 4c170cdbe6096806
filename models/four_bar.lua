-- Four-bar linkage with clearance in one joint: the pin at the end of the coupler rattles in the bushing of the rocker.
-- (A standard mechanism of the clearance literature, see P. Flores, J. Ambrosio, J. C. P. Claro, H. M. Lankarani,
-- "Kinematics and Dynamics of Multibody Systems with Imperfect Joints" (2008); the data are this model's own.)
--
-- Crank l1 on the left ground pivot, coupler l2 on the crank (an ideal pin), rocker l3 on the right ground pivot at
-- distance l4; absolute angles, centres of mass at half length. The pin, radius r, is at the coupler's end, the bushing,
-- radius r + c, at the rocker's. With d the distance of their centres the gap is (c^2 - d^2)/(2 c), near the wall c - d;
-- friction acts on the slip of the two surfaces. Starts with the crank along the ground line at speed omega, the pin in
-- the middle of the bushing, all velocities those of the ideal linkage.
--
-- Known answer: d <= c up to the step's penetration, and the energy never grows. For c -> 0 without friction the motion
-- is that of the ideal linkage: it starts at theta2 = 0.947969741383, theta3 = 1.895939482766 with both velocities
-- -6.666666666667, keeps the energy 7.395128403148 and takes 0.299496345498 for one turn of the crank, whose speed varies
-- from 18.9326 to 23.9502 rad/s.
local carom = require "carom"
local m = carom.model "four_bar"
local sin, cos, acos = carom.sin, carom.cos, carom.acos

local l1 = m:parameter("l1", 0.1, "m")
local l2 = m:parameter("l2", 0.35, "m")
local l3 = m:parameter("l3", 0.3, "m")
local l4 = m:parameter("l4", 0.4, "m")
local m1 = m:parameter("m1", 0.2, "kg")
local m2 = m:parameter("m2", 0.7, "kg")
local m3 = m:parameter("m3", 0.6, "kg")
local J1 = m:parameter("J1", 0.02, "kg m^2") -- with a flywheel
local r = m:parameter("r", 0.01, "m")
local c = m:parameter("c", 1e-3, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local omega = m:parameter("omega", 20, "rad/s")
local restitution = m:parameter("restitution", 0.5, "1")
local friction = m:parameter("friction", 0.05, "1")

-- the ideal linkage with the crank at 0: a triangle with the sides l2, l3 and l4 - l1
local base = l4 - l1
local start2 = acos((l2^2 + base^2 - l3^2) / (2 * l2 * base))
local start3 = carom.pi - acos((l3^2 + base^2 - l2^2) / (2 * l3 * base))
local spread = sin(start3 - start2)
local th1 = m:coordinate("theta1", { unit = "rad", initial = 0, velocity = omega })
local th2 = m:coordinate("theta2", { unit = "rad", initial = start2,
  velocity = -omega * l1 * sin(start3) / (l2 * spread) })
local th3 = m:coordinate("theta3", { unit = "rad", initial = start3,
  velocity = -omega * l1 * sin(start2) / (l3 * spread) })

m:gravity(0, -gravity)
m:body("crank", { mass = m1, inertia = J1, at = { l1 / 2 * cos(th1), l1 / 2 * sin(th1) }, angle = th1 })
local coupler = m:body("coupler", { mass = m2, inertia = m2 * l2^2 / 12, angle = th2,
  at = { l1 * cos(th1) + l2 / 2 * cos(th2), l1 * sin(th1) + l2 / 2 * sin(th2) } })
local rocker = m:body("rocker", { mass = m3, inertia = m3 * l3^2 / 12, angle = th3,
  at = { l4 + l3 / 2 * cos(th3), l3 / 2 * sin(th3) } })

local pin = m:disk("pin", { radius = r, body = coupler, at = { l2 / 2, 0 } })
local bushing = m:arc("bushing", { radius = r + c, body = rocker, at = { l3 / 2, 0 } })
m:contact_between(pin, bushing, { name = "joint", restitution = restitution, friction = friction })

local p, b = coupler:point(l2 / 2, 0), rocker:point(l3 / 2, 0)
m:output("play_x", p[1] - b[1], { unit = "m" })
m:output("play_y", p[2] - b[2], { unit = "m" })

local elbow = { l1 * cos(th1), l1 * sin(th1) }
m:draw("crank", { line = { { 0, 0 }, elbow } })
m:draw("coupler_bar", { line = { elbow, p } })
m:draw("rocker_bar", { line = { { l4, 0 }, b } })

m:run { until_time = 0.6, step = 1e-5, scheme = "moreau-jean:theta=0.5" }
return m
