-- A box that falls into a parabolic bowl and comes to rest on its two lower corners: two curved frictional contacts.
--
--   corners X, Y = x -+ a cos th + b sin th, y -+ a sin th - b cos th,   gap Y - 0.15 X^2,   slip X' + 0.3 X Y'
--
-- mass 1, half width a = 0.5, half height b = 0.3, inertia (a^2 + b^2)/3, g = 9.81, e = 0.5, from (0.2, 0.9, 0.1) at
-- rest. Normal (-0.3 X, 1) and tangent (1, 0.3 X) are not normalised, both by the same factor: the ratio of their forces
-- is the true one. Known answer (x y theta | velocities; two high-order event-located runs agree to 1e-15):
--   friction 0.2: t = 1.027027027: 0.0061012124887 0.33867751607 0.004589570839 | -0.10507710813 0.069552999325
--                 0.11901531409;  t = 2, at rest: 0.0019337781748 0.33750060116 0.00063750918921
--   friction 0.5: t = 1.027027027: 0.1372727311 0.34075587842 0.045720377883 | -0.032026242963 0.020082376863
--                 0.037018620281;  t = 2, at rest: 0.13696711198 0.34051586309 0.045118807509
--   friction 0:   t = 2.5: -0.079906251968 0.3385264531 -0.026335726774 | 0.37139032234 -0.0095415663643 0.12233888874
-- First impacts at 0.332060084 (corner 1) and, for friction 0.2, 0.3390942745 (corner 2).
local carom = require "carom"
local m = carom.model "box_in_bowl"

local mass = m:parameter("mass", 1, "kg")
local a = m:parameter("a", 0.5, "m")
local b = m:parameter("b", 0.3, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local curvature = m:parameter("curvature", 0.3, "1/m")
local restitution = m:parameter("restitution", 0.5, "1")
local friction = m:parameter("friction", 0.2, "1")
local x = m:coordinate("x", { unit = "m", initial = 0.2 })
local y = m:coordinate("y", { unit = "m", initial = 0.9 })
local theta = m:coordinate("theta", { unit = "rad", initial = 0.1 })

m:gravity(0, -gravity)
local box = m:body("box", { mass = mass, inertia = mass * (a^2 + b^2) / 3, at = { x, y }, angle = theta })
for i, side in ipairs { -1, 1 } do
  local corner = box:point(side * a, -b)
  local X, Y = corner[1], corner[2]
  m:contact("corner" .. i, { gap = Y - curvature * X^2 / 2, restitution = restitution, friction = friction,
    slip = X.dot + curvature * X * Y.dot })
end

m:draw("box", { line = { box:point(-a, -b), box:point(a, -b), box:point(a, b), box:point(-a, b) }, closed = true })
local bowl = {}
for k = -8, 8 do bowl[#bowl + 1] = { a * k / 4, curvature * (a * k / 4)^2 / 2 } end
m:draw("bowl", { line = bowl, fixed = true })

m:run { until_time = 2, step = 2 / 1480, scheme = "D-:M=2" }
return m
