-- A follower pressed by a spring on a turning cam: a contact whose gap depends on time.
--
--   m q'' = -k (q + preload) - c q' + r,   gap q - s(t) >= 0,   s(t) = lift (1 - cos(omega t))/2
--
-- Known answer: while the contact holds, q = s(t) and r = m s'' + c s' + k (s + preload). With the defaults (m 1, k
-- 100, c 0.5, preload 0.02, lift 0.1) r stays positive, and the follower on the cam, below omega = 15.4850 rad/s; r
-- is least just after the top of the cam (omega t = 3.197). At the default omega = 20 rad/s the follower leaves the
-- cam in every turn.
local carom = require "carom"
local m = carom.model "cam_follower"

local mass = m:parameter("mass", 1, "kg")
local stiffness = m:parameter("stiffness", 100, "N/m")
local damping = m:parameter("damping", 0.5, "N s/m")
local preload = m:parameter("preload", 0.02, "m")
local lift = m:parameter("lift", 0.1, "m")
local omega = m:parameter("omega", 20, "rad/s")
local restitution = m:parameter("restitution", 0.3, "1")
local t = m:time("s")
local q = m:coordinate("q", { unit = "m", initial = 0 })

local cam = lift * (1 - carom.cos(omega * t)) / 2

m:kinetic_energy(mass * q.dot^2 / 2)
m:spring { length = q, stiffness = stiffness, rest = -preload }
m:damper { length = q, damping = damping }
m:contact("cam", { gap = q - cam, at = { 0, q }, restitution = restitution })
m:output("profile", cam, { unit = "m" })

m:draw("follower", { line = { { -0.02, q }, { 0.02, q }, { 0.02, q + 0.06 }, { -0.02, q + 0.06 } }, closed = true })
local rim = {} -- the cam's profile, as the follower meets it from above
for i = 0, 59 do
  local along = carom.pi * i / 30
  local reach = 0.05 + lift * (1 - carom.cos(omega * t - along)) / 2
  rim[i + 1] = { reach * carom.sin(along), reach * carom.cos(along) - 0.05 }
end
m:draw("cam", { line = rim, closed = true })

m:run { until_time = 2, step = 1e-4, scheme = "D-:M=1" }
return m
