-- A super ball on a floor: rubber that gives back the motion along the floor, too, turns spin into speed and back at each bounce.
--
--   m x'' = t,   m y'' = -m g + n,   J phi'' = r t,   u = x' + r phi',   bounces: y' -> -e y',  u -> -e_t u,  |jump of x'| <= mu jump of y'
--
-- R. L. Garwin (Kinematics of an ultraelastic rough ball, 1969). A solid ball, J = 2/5 m r^2, thrown forward without spin from rest at a
-- height; e = e_t = 1, friction large. Known answer (closed form): a bounce that sticks takes 2/7 (1 + e_t) of the slip u from x', and
-- u changes sign, so that x' alternates between x'(0) and 3/7 x'(0), the spin r phi' between 0 and -10/7 x'(0), with no energy lost;
-- bounces are at (2 k + 1) sqrt(2 h/g). With the spin r phi' = 5/2 x'(0) it comes back after each bounce, as players know.
-- With less of e_t the slip of the k-th bounce is (-e_t)^k u: x' goes to x'(0) - 2/7 u(0), at which the ball rolls.
local carom = require "carom"
local m = carom.model "superball"

local mass = m:parameter("mass", 0.05, "kg")
local radius = m:parameter("radius", 0.02, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local height = m:parameter("height", 1, "m")
local speed = m:parameter("speed", 1, "m/s")
local spin = m:parameter("spin", 0, "rad/s")
local restitution = m:parameter("restitution", 1, "1")
local tangential = m:parameter("tangential", 1, "1") -- e_t
local friction = m:parameter("friction", 1, "1")
local x = m:coordinate("x", { unit = "m", velocity = speed })
local y = m:coordinate("y", { unit = "m", initial = height })
local phi = m:coordinate("phi", { unit = "rad", velocity = spin })

m:gravity(0, -gravity)
m:body("ball", { mass = mass, at = { x, y + radius }, inertia = 2 / 5 * mass * radius^2, angle = phi })
m:contact("floor", { gap = y, slip = x.dot + radius * phi.dot, at = { x, y }, friction = friction, restitution = restitution,
  tangential_restitution = tangential })
m:output("rim", radius * phi.dot, { unit = "m/s" })
m:output("energy", mass * (x.dot^2 + y.dot^2) / 2 + mass * radius^2 / 5 * phi.dot^2 + mass * gravity * y, { unit = "J" })

m:draw("floor", { line = { { -0.2, 0 }, { 4, 0 } }, fixed = true })
m:draw("ball", { at = { x, y + radius }, radius = radius })
m:draw("mark", { line = { { x, y + radius }, { x + radius * carom.cos(phi), y + radius + radius * carom.sin(phi) } } })

m:run { until_time = 4, step = 1e-2, scheme = "capture:dg=D-,M=2" }
return m
