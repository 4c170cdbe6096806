-- A ball dropped on the ground: the smallest nonsmooth model.
--
--   m q'' = -m g + r,   0 <= q _|_ r >= 0,   q' jumps to -e q' at an impact
--
-- Known answer: with gravity 9.81, e = 0.9, q(0) = 1, q'(0) = 0 the first impact is at sqrt(2/9.81) = 0.451523640986
-- with speed sqrt(2*9.81) = 4.42944691807; impacts accumulate at (1 + e)/(1 - e) times the first time, t =
-- 8.57894917873, and the ball rests from then on. (Elementary mechanics; the data are those of the ball example of
-- Siconos.)
local carom = require "carom"
local m = carom.model "bouncing_ball"

local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local restitution = m:parameter("restitution", 0.9, "1")
local q = m:coordinate("q", { unit = "m", initial = 1, velocity = 0 })

m:kinetic_energy(mass * q.dot^2 / 2)
m:potential_energy(mass * gravity * q)
m:contact("ground", { gap = q, at = { 0, 0 }, restitution = restitution })
m:output("height", q, { unit = "m" })
m:output("energy", mass * q.dot^2 / 2 + mass * gravity * q, { unit = "J" })

m:draw("ball", { at = { 0, q + 0.05 }, radius = 0.05 })
m:draw("ground", { line = { { -0.5, 0 }, { 0.5, 0 } }, fixed = true })

m:run { until_time = 10, step = 5e-4, scheme = "D-:M=1" }
return m
