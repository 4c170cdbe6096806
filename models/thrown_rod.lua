-- A slender rod is thrown and tumbles on a floor with friction until it lies: two contacts that hit in turns, each impact throwing the
-- other end down. (A classic of impacts with friction; data are this model's own. Poisson's restitution, since Newton's can gain energy
-- where a rod hits askew, see kane_rod. The rod has no thickness and its ends are points.)
--
--   x'' = 0, y'' = -g, theta'' = 0 in flight;  gaps y +- (l/2) sin(theta), slips of the two ends along the floor
--
-- Known answer: until the first impact x = x0 + vx t, y = y0 + vy t - g t^2/2, theta = theta0 + omega t; with the defaults end 1 hits
-- at t = 0.382954641. The energy never grows. In the end the rod lies still: y = 0, sin(theta) = 0.
local carom = require "carom"
local m = carom.model "thrown_rod"
local sin, cos = carom.sin, carom.cos

local mass = m:parameter("mass", 0.2, "kg")
local l = m:parameter("l", 0.6, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local restitution = m:parameter("restitution", 0.5, "1")
local friction = m:parameter("friction", 0.4, "1")
local height = m:parameter("height", 1, "m")
local spin = m:parameter("spin", 4, "rad/s")
local x = m:coordinate("x", { unit = "m", velocity = 1.5 })
local y = m:coordinate("y", { unit = "m", initial = height })
local theta = m:coordinate("theta", { unit = "rad", initial = 0.4, velocity = spin })
local J = mass * l^2 / 12

m:gravity(0, -gravity)
m:body("rod", { mass = mass, inertia = J, at = { x, y }, angle = theta })
for i, side in ipairs { -1, 1 } do
  local dx, dy = side * l / 2 * cos(theta), side * l / 2 * sin(theta)
  m:contact("end" .. i, { gap = y + dy, slide = x + dx, at = { x + dx, y + dy }, restitution = restitution,
    restitution_law = "poisson", friction = friction })
end
m:output("energy", mass * (x.dot^2 + y.dot^2) / 2 + J * theta.dot^2 / 2 + mass * gravity * y, { unit = "J" })

m:draw("rod", { line = { { x - l / 2 * cos(theta), y - l / 2 * sin(theta) }, { x + l / 2 * cos(theta), y + l / 2 * sin(theta) } } })
m:draw("floor", { line = { { -0.5, 0 }, { 3, 0 } } })

m:run { until_time = 4, step = 1e-4, scheme = "D-:M=1" }
return m
