-- A double pendulum whose lower mass hits a floor: angles q1, q2 from below, unit masses and lengths.
--
--   2 q1'' + cos d q2'' = -sin d q2'^2 - 2 g sin q1 - 0.2 q1' + contact,   d = q1 - q2
--   cos d q1'' + q2''   =  sin d q1'^2 - g sin q2 - 0.2 q2' + contact
--   gap = 1.6 - cos q1 - cos q2 >= 0,  restitution 0.5,  starts at (1.2, 1.9) at rest
--
-- Known answer (two high-order event-located runs agree to 8e-13): impacts at 0.5640371273, 1.217671931, 1.505104266,
-- 1.644064954, ... accumulating, then the tip slides on the floor;
--   t = 1.283783784: -0.71651343833 0.67703462425, velocities -1.1208804386 -0.053267685173
--   t = 2.5:         -0.29882270076 0.87066744345, velocities 1.3999001211 0.53889383907
local carom = require "carom"
local m = carom.model "double_pendulum"
local sin, cos = carom.sin, carom.cos

local m1 = m:parameter("m1", 1, "kg")
local m2 = m:parameter("m2", 1, "kg")
local l1 = m:parameter("l1", 1, "m")
local l2 = m:parameter("l2", 1, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local damping = m:parameter("damping", 0.2, "N m s/rad")
local depth = m:parameter("depth", 1.6, "m")
local restitution = m:parameter("restitution", 0.5, "1")
local q1 = m:coordinate("q1", { unit = "rad", initial = 1.2 })
local q2 = m:coordinate("q2", { unit = "rad", initial = 1.9 })

local elbow = { l1 * sin(q1), -l1 * cos(q1) }
local tip = { elbow[1] + l2 * sin(q2), elbow[2] - l2 * cos(q2) }

m:gravity(0, -gravity)
m:body("upper", { mass = m1, at = elbow })
m:body("lower", { mass = m2, at = tip })
m:dissipation(damping * (q1.dot^2 + q2.dot^2) / 2)
m:contact("floor", { gap = depth + tip[2], restitution = restitution, at = tip })

m:draw("arms", { line = { { 0, 0 }, elbow, tip } })
m:draw("ground", { line = { { -1.2, -depth }, { 1.8, -depth } }, fixed = true })

m:run { until_time = 2.5, step = 2.5 / 1480, scheme = "D-:M=2" }
return m
