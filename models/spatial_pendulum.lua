-- A pendulum in space: a rod hung on a spherical joint at one end, as a free body and three constraints.
--
-- With the joint at the origin and the centre of the rod at distance a below it. Started in the plane x-z, at rest at the
-- angle phi0, it stays there and is the planar pendulum
--   (m a^2 + I) phi'' = -m g a sin(phi)
-- Known answer: with the data below (a = 0.5, I = 1/12, m = 1, g = 9.81) its period for phi0 = 1 is
-- 4 sqrt((m a^2 + I)/(m g a)) K(sin(phi0/2)); the energy is constant, and the end of the rod does not move.
local carom = require "carom"
local m = carom.model "spatial_pendulum"

local mass = m:parameter("mass", 1, "kg")
local half = m:parameter("half", 0.5, "m")
local inertia = m:parameter("inertia", 1 / 12, "kg m^2")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local phi0 = m:parameter("phi0", 1, "rad")
local turn = m:parameter("turn", 0, "rad/s") -- about the vertical, at the start

m:gravity(0, 0, -gravity)

-- The axis of the rod is z of the body; turned by -phi about y its centre is at half (sin phi, 0, -cos phi).
local s, c = carom.sin(phi0), carom.cos(phi0)
local rod = m:free_body("rod", { mass = mass, inertia = { inertia, inertia, inertia / 10 },
  at = { half * s, 0, -half * c }, orientation = { axis = { 0, 1, 0 }, angle = -phi0 },
  velocity = { 0, turn * half * s, 0 }, spin = { turn * s, 0, turn * c } })

m:joint("joint", { type = "spherical", body = rod, at = { 0, 0, half }, to = { 0, 0, 0 } })

local axis = rod:direction(0, 0, 1)
m:output("phi", carom.atan2(-axis[1], axis[3]), { unit = "rad" })

m:run { until_time = 10, step = 0.001, scheme = "D-:M=1" }
return m
