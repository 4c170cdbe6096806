-- Slider-crank with clearance: crank, rod and a slider that rattles between two guides and touches them with its four
-- corners. P. Flores, R. Leine, C. Glocker, "Modeling and analysis of planar rigid multibody systems with
-- translational clearance joints based on the non-smooth dynamics approach" (2010).
--
-- Absolute angles of crank, rod and slider from the horizontal; moments of inertia about the centres of mass, which
-- lie at half length (crank, rod) and at the rod's end (slider). Guides at height +-d/2, d = 2 (b + c). Corner
-- heights
--   l1 sin th1 + l2 sin th2 -+ a sin th3 +- b cos th3      corners 1, 2 up (-a, +a), corners 3, 4 down (-a, +a).
-- and their tangential positions l1 cos th1 + l2 cos th2 -+ a cos th3 -+ b sin th3. `friction` is 0 by default.
--
-- Known answer for restitution 0.1 (two high-order event-located runs agree to all digits):
--   t = 0.02: theta 1.6142522052 -0.51988557053 0, velocities 71.77882587 1.4214031207 0
--   t = 0.2:  theta1 18.1621247361, theta2 0.3197197947, velocities 75.52535895 -32.60583790
-- The first impacts are at 0.002692502752 0.003275813963 0.003338377912; both upper corners close at 0.003345380890
-- and open at 0.015022832364. D- M = 1 with h = 2e-5 gives at t = 0.02: 1.614258171908e+00 -5.198842349116e-01.
-- With restitution 0.4 and friction 0.01: t = 0.02: theta 1.6133165415 -0.51990471023 0, velocities 71.681765813
-- 1.3825267178 0.
local carom = require "carom"
local m = carom.model "slider_crank"
local sin, cos = carom.sin, carom.cos

local l1 = m:parameter("l1", 0.153, "m")
local l2 = m:parameter("l2", 0.306, "m")
local a = m:parameter("a", 0.05, "m")
local b = m:parameter("b", 0.025, "m")
local c = m:parameter("c", 0.001, "m")
local m1 = m:parameter("m1", 0.038, "kg")
local m2 = m:parameter("m2", 0.038, "kg")
local m3 = m:parameter("m3", 0.076, "kg")
local J1 = m:parameter("J1", 7.4e-5, "kg m^2")
local J2 = m:parameter("J2", 5.9e-4, "kg m^2")
local J3 = m:parameter("J3", 2.7e-6, "kg m^2")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local restitution = m:parameter("restitution", 0.1, "1")
local friction = m:parameter("friction", 0, "1")

local th1 = m:coordinate("theta1", { unit = "rad", initial = 0, velocity = 150 })
local th2 = m:coordinate("theta2", { unit = "rad", initial = 0, velocity = -75 })
local th3 = m:coordinate("theta3", { unit = "rad", initial = 0, velocity = 0 })

local pin = { l1 * cos(th1), l1 * sin(th1) }
local joint = { pin[1] + l2 * cos(th2), pin[2] + l2 * sin(th2) }

m:gravity(0, -gravity)
m:body("crank", { mass = m1, inertia = J1, at = { l1 / 2 * cos(th1), l1 / 2 * sin(th1) }, angle = th1 })
m:body("rod", { mass = m2, inertia = J2, at = { pin[1] + l2 / 2 * cos(th2), pin[2] + l2 / 2 * sin(th2) }, angle = th2 })
local slider = m:body("slider", { mass = m3, inertia = J3, at = joint, angle = th3 })

local half = b + c -- from the middle line to a guide
for i, corner in ipairs { slider:point(-a, b), slider:point(a, b), slider:point(-a, -b), slider:point(a, -b) } do
  m:contact("corner" .. i, { gap = i <= 2 and half - corner[2] or half + corner[2], restitution = restitution,
    friction = friction, slide = corner[1], at = corner })
end

m:output("slider_x", joint[1], { unit = "m" })
m:output("slider_y", joint[2], { unit = "m" })

m:draw("crank", { line = { { 0, 0 }, pin } })
m:draw("rod", { line = { pin, joint } })
for i, y in ipairs { half, -half } do
  m:draw("guide" .. i, { line = { { l2 - l1 - 2 * a, y }, { l1 + l2 + 2 * a, y } }, fixed = true })
end

m:run { until_time = 0.2, step = 1e-5, scheme = "D-:M=1" }
return m
