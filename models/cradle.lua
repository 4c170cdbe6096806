-- Newton's cradle as N equal balls on a line: ball 1 comes in with speed 1, the others are at rest, `gap` apart.
--
--   mass qi'' = r(i-1) - r(i),   q(i+1) - q(i) >= 0 (ball sizes taken out)
--
-- Known answer, velocities after all impacts (ball 1 starts one gap before ball 2):
--   gap 0 exactly, all impacts at once: 3 balls, restitution 1: -1/3 2/3 2/3;  restitution 0.5: 0 0.5 0.5
--   any gap > 0, impacts in sequence:   3 balls, restitution 1: 0 0 1;  restitution 0.5: 0.203125 0.234375 0.5625
--                                       4 balls, restitution 0.5: 0.173828 0.193359 0.210938 0.421875
-- A scheme with step h treats impacts closer than h as simultaneous: with the defaults they are 20 steps apart.
-- The momentum is 1 throughout; with restitution 1 the energy is 1/2.
local carom = require "carom"
local m = carom.model "cradle"

local N = m:constant("N", 3)
local mass = m:parameter("mass", 1, "kg")
local gap = m:parameter("gap", 0.02, "m")
local speed = m:parameter("speed", 1, "m/s")
local restitution = m:parameter("restitution", 1, "1")

local q = {}
local momentum = 0
for i = 1, N do
  q[i] = m:coordinate("q" .. i, { unit = "m", initial = (i - 1) * gap, velocity = i == 1 and speed or 0 })
  m:kinetic_energy(mass * q[i].dot^2 / 2)
  momentum = momentum + mass * q[i].dot
end
for i = 1, N - 1 do
  m:contact("pair" .. i, { gap = q[i + 1] - q[i], restitution = restitution })
end
m:output("momentum", momentum, { unit = "N s" })

for i = 1, N do m:draw("ball" .. i, { at = { q[i] + 2 * (i - 1) * 0.004, 0 }, radius = 0.004 }) end -- thin, so that they touch

m:run { until_time = 0.1, step = 1e-3 / 1.01, scheme = "D-:M=1" }
return m
