-- The pendulum of spatial_pendulum.lua in joint coordinates: a rod on two crossed hinges (universal joint), about y, then x.
--
-- The rod does not turn about its own axis z, so with no spin about it both models move alike as long as that stays so: in
-- the plane x-z always.  Known answer: as there, and the same motion.
local carom = require "carom"
local m = carom.model "spatial_pendulum_link"

local mass = m:parameter("mass", 1, "kg")
local half = m:parameter("half", 0.5, "m")
local inertia = m:parameter("inertia", 1 / 12, "kg m^2")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local phi0 = m:parameter("phi0", 1, "rad")

m:gravity(0, 0, -gravity)
local rod = m:link("rod", { joint = "universal", axis = { 0, 1, 0 }, axis2 = { 1, 0, 0 }, mass = mass,
  inertia = { inertia, inertia, inertia / 10 }, center = { 0, 0, -half }, initial = { -phi0, 0 } })

local axis = rod:direction(0, 0, 1)
m:output("phi", carom.atan2(-axis[1], axis[3]), { unit = "rad" })

m:run { until_time = 10, step = 0.001, scheme = "D-:M=1" }
return m
