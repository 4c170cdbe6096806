-- A free gyroscope: a rigid body with three different moments of inertia, spun about its middle axis. It tumbles.
--
--   I w' = -w x I w,   q' = 1/2 q o (0, w)          (w along the axes of the body)
--
-- (L. Euler 1758; the tumbling is often named after V. Dzhanibekov. E. T. Whittaker, "Analytical Dynamics", ch. VI, gives w
-- by elliptic functions.) Known answer: the energy 1/2 sum I_i w_i^2 and the angular momentum in space, component by
-- component, keep the values of the start, with the data below 1.0002 and (0.01, 2, 0.03), while w_y changes its sign again
-- and again.
local carom = require "carom"
local m = carom.model "gyro_top"

local I1 = m:parameter("I1", 1, "kg m^2")
local I2 = m:parameter("I2", 2, "kg m^2")
local I3 = m:parameter("I3", 3, "kg m^2")
local mass = m:parameter("mass", 1, "kg")
local spin = m:parameter("spin", 1, "rad/s")
local off = m:parameter("off", 0.01, "rad/s") -- about the other axes: a spin about one axis alone would stay

local top = m:free_body("top", { mass = mass, inertia = { I1, I2, I3 }, spin = { off, spin, off } })

local w = top.spin
local L = top:direction(I1 * w[1], I2 * w[2], I3 * w[3])
m:output("energy", (I1 * w[1]^2 + I2 * w[2]^2 + I3 * w[3]^2) / 2, { unit = "J" })
for i, axis in ipairs { "x", "y", "z" } do m:output("L" .. axis, L[i], { unit = "kg m^2/s" }) end

m:run { until_time = 100, step = 0.01, scheme = "D-:M=3,quadrature=lobatto" }
return m
