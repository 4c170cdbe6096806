-- Newton's cradle after Liu, Zhao and Brogliato (Proc. R. Soc. A 464 (2008), 3193-3211): N equal balls on a line that touch; ball 1 comes
-- in with speed 1. In an impact the contacts are springs F = k d^eta, and each gives back restitution^2 of the work it was loaded with, so
-- impulses run through the chain one after another and yet at the same time: neither the sequence (0 0 1) nor one problem for all
-- (-1/3 2/3 2/3), see the model cradle.
--
--   mass qi'' = r(i-1) - r(i),   q(i+1) - q(i) >= 0 (ball sizes taken out)
--
-- Known answer, velocities after the impact (chains of springs integrated in time):
--   3 balls, restitution 1: Hertz (eta = 3/2) -0.070952353645 0.076403039068 0.994549314578; linear springs -0.130262 0.150230 0.980032
--   5 balls, restitution 1, Hertz: -0.071085 -0.030274 -0.014464 0.127045 0.988777
-- What is simplified: balls are points on a line, they hang on nothing, and nothing moves during the impact. The momentum is 1 throughout,
-- with restitution 1 the energy is 1/2, and it never grows.
local carom = require "carom"
local m = carom.model "newton_cradle_lzb"

local N = m:constant("N", 5)
local mass = m:parameter("mass", 1, "kg")
local run_up = m:parameter("run_up", 0.02, "m")
local speed = m:parameter("speed", 1, "m/s")
local restitution = m:parameter("restitution", 1, "1")
local eta = m:parameter("eta", 1.5, "1")

local q, momentum, energy = {}, 0, 0
for i = 1, N do
  q[i] = m:coordinate("q" .. i, { unit = "m", initial = i == 1 and -run_up or 0, velocity = i == 1 and speed or 0 })
  m:kinetic_energy(mass * q[i].dot^2 / 2)
  momentum = momentum + mass * q[i].dot
  energy = energy + mass * q[i].dot^2 / 2
end
for i = 1, N - 1 do
  m:contact("pair" .. i, { gap = q[i + 1] - q[i], restitution = restitution, impact_law = "lzb", impact_exponent = eta })
end
m:output("momentum", momentum, { unit = "N s" })
m:output("energy", energy, { unit = "J" })

for i = 1, N do m:draw("ball" .. i, { at = { q[i] + 2 * (i - 1) * 0.004, 0 }, radius = 0.004 }) end -- thin, so that they touch

m:run { until_time = 0.1, step = 1e-3, scheme = "capture:dg=D-,M=2" }
return m
