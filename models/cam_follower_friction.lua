-- A flat-faced follower in a guide on a turning cam, with dry friction at the face and in the guide: the face is dragged sideways, presses
-- the stem against the guide, and the friction there works against the lift and against the return. (The textbook case of a follower that
-- jams; data are this model's own. The stem does not tilt, and the point of contact does not wander along the face.)
--
--   m y'' = -k (y + preload) - c y' + N - F_G,   m x'' = F_C - R;   gap at the cam y - s(t), s(t) = lift (1 - cos(omega t))/2;
--   at the guide -x on the right, x + clearance on the left; |F_C| <= mu_cam N, |F_G| <= mu_guide R
--
-- Known answer: while cam and guide hold, the cam's surface slides to the right, so R = F_C = mu_cam N and
--   N = (m s'' + c s' + k (s + preload)) / (1 - mu_cam mu_guide sign(s')):
-- the force jumps where the lift ends, and with mu_cam mu_guide >= 1 the follower jams. With the defaults N is positive always.
local carom = require "carom"
local m = carom.model "cam_follower_friction"

local mass = m:parameter("mass", 0.2, "kg")
local stiffness = m:parameter("stiffness", 2000, "N/m")
local damping = m:parameter("damping", 2, "N s/m")
local preload = m:parameter("preload", 0.01, "m")
local lift = m:parameter("lift", 0.02, "m")
local radius = m:parameter("radius", 0.03, "m")
local omega = m:parameter("omega", 30, "rad/s")
local clearance = m:parameter("clearance", 1e-4, "m")
local mu_cam = m:parameter("mu_cam", 0.15, "1")
local mu_guide = m:parameter("mu_guide", 0.3, "1")
local t = m:time("s")
local x = m:coordinate("x", { unit = "m" })
local y = m:coordinate("y", { unit = "m" })

local s = lift * (1 - carom.cos(omega * t)) / 2
m:kinetic_energy(mass * (x.dot^2 + y.dot^2) / 2)
m:spring("spring", { length = y, stiffness = stiffness, rest = -preload })
m:damper("damper", { length = y, damping = damping })
m:contact("cam", { gap = y - s, slide = x - radius * omega * t, at = { x, y }, friction = mu_cam })
m:contact("right", { gap = -x, slide = y, at = { x + 0.005, y + 0.03 }, friction = mu_guide })
m:contact("left", { gap = x + clearance, slide = y, at = { x - 0.005, y + 0.03 }, friction = mu_guide })
m:output("profile", s, { unit = "m" })

m:draw("follower", { line = { { x - 0.02, y }, { x + 0.02, y }, { x + 0.02, y + 0.005 }, { x + 0.005, y + 0.005 },
  { x + 0.005, y + 0.06 }, { x - 0.005, y + 0.06 }, { x - 0.005, y + 0.005 }, { x - 0.02, y + 0.005 } }, closed = true })
for i, side in ipairs { -1, 1 } do
  local wall = side * 0.005 - (side < 0 and clearance or 0)
  m:draw("guide" .. i, { line = { { wall, 0.03 }, { wall, 0.05 } } })
end
local rim = {} -- the cam, as the face meets it from above
for i = 0, 59 do
  local along = carom.pi * i / 30
  local reach = radius + lift * (1 - carom.cos(omega * t - along)) / 2
  rim[i + 1] = { reach * carom.sin(along), reach * carom.cos(along) - radius }
end
m:draw("cam_rim", { line = rim, closed = true })

m:run { until_time = 0.5, step = 1e-4, scheme = "D-:M=1" }
return m
