-- The pendulum of spatial_pendulum.lua in joint coordinates: a rod on a spherical joint, by the angles q1, q2, q3 about x, y
-- and z one after the other, and no constraints.
--
-- The axis of the rod is (sin q2, -sin q1 cos q2, cos q1 cos q2). Known answer: the motion of spatial_pendulum.lua, at the
-- start in the plane x-z at the angle phi0 and turning about the vertical with `turn`.
local carom = require "carom"
local m = carom.model "spatial_pendulum_link"

local mass = m:parameter("mass", 1, "kg")
local half = m:parameter("half", 0.5, "m")
local inertia = m:parameter("inertia", 1 / 12, "kg m^2")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local phi0 = m:parameter("phi0", 1, "rad")
local turn = m:parameter("turn", 0, "rad/s") -- about the vertical, at the start

m:gravity(0, 0, -gravity)

-- the spin (turn sin(phi0), 0, turn cos(phi0)) along the axes of the rod, in rates of the angles
local c = carom.cos(phi0)
local rod = m:link("rod", { joint = "spherical", mass = mass, inertia = { inertia, inertia, inertia / 10 },
  center = { 0, 0, -half }, initial = { 0, -phi0, 0 }, velocity = { turn * carom.sin(phi0) / c, 0, turn / c } })

local axis = rod:direction(0, 0, 1)
m:output("phi", carom.atan2(-axis[1], axis[3]), { unit = "rad" })
m:output("height", rod:point(0, 0, -2 * half)[3], { unit = "m" })

m:run { until_time = 10, step = 0.001, scheme = "D-:M=1" }
return m
