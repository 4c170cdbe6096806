-- A tall block that rocks on its two lower corners (G. W. Housner, "The behavior of inverted pendulum structures during
-- earthquakes", Bull. Seism. Soc. Am. 53 (1963)): friction keeps the corners in place, impacts take energy.
--
-- A uniform block, half width a, half height b, R = sqrt(a^2 + b^2), tan(alpha) = a/b, released at rest from the angle
-- `tilt`, standing on its left corner. While that corner holds, theta'' = -p^2 sin(alpha - theta), p^2 = 3 g/(4 R).
-- When theta is back at 0 the right corner hits. Without restitution the left one leaves, the momentum about the right
-- corner stays, and theta' is multiplied by 1 - 3/2 sin(alpha)^2.
--
-- Known answer for the defaults (a = 0.1, b = 0.3, sin(alpha)^2 = 0.1, p = 4.823531681734, tilt 0.1), if no corner
-- slips: first impact at t = 0.191063828438 with theta' = -1.117366368814, after it -0.949761413492 (factor 0.85); the
-- block then rocks to theta = -0.068361648079 and hits again at t = 0.490931681262. A friction of 0.6 holds; with
-- less than about 0.25 a corner slides. Above tilt = alpha = 0.321750554397 it falls over.
local carom = require "carom"
local m = carom.model "rocking_box"

local mass = m:parameter("mass", 1, "kg")
local a = m:parameter("a", 0.1, "m")
local b = m:parameter("b", 0.3, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local restitution = m:parameter("restitution", 0, "1")
local friction = m:parameter("friction", 0.6, "1")
local tilt = m:parameter("tilt", 0.1, "rad")
local s, c = carom.sin(tilt), carom.cos(tilt)
local x = m:coordinate("x", { unit = "m", initial = a * (c - 1) - b * s })
local y = m:coordinate("y", { unit = "m", initial = a * s + b * c })
local theta = m:coordinate("theta", { unit = "rad", initial = tilt })

m:gravity(0, -gravity)
local block = m:body("block", { mass = mass, inertia = mass * (a^2 + b^2) / 3, at = { x, y }, angle = theta })
local box = m:box("block", { width = 2 * a, height = 2 * b, body = block, corners = { 1, 2 } })
m:contact_between(box, m:plane "ground", { name = "corner", restitution = restitution, friction = friction })

m:run { until_time = 1, step = 1e-4, scheme = "D-:M=1" }
return m
