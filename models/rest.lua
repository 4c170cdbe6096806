-- A point that rests on the ground while the load on it grows: problem 4.3 of Schindler and Acary (2013).
--
--   q'' = -10 t^2 + r,   0 <= q _|_ r >= 0,   q(0) = 0, q'(0) = 0
--
-- Known answer: q = 0, q' = 0, r = 10 t^2; the impulse until t is 10 t^3/3. With h = 0.1 the impulse until t = 1 is
-- 3.85 (Moreau-Jean, theta = 1), 3.35 (theta = 1/2), 3.35 (D- M = 1), 3.333333333333 (D- M = 2).
local carom = require "carom"
local m = carom.model "rest"

local mass = m:parameter("mass", 1)
local slope = m:parameter("slope", 10)
local restitution = m:parameter("restitution", 0)
local t = m:time()
local q = m:coordinate("q", { initial = 0, velocity = 0 })

m:kinetic_energy(mass * q.dot^2 / 2)
m:force(q, -slope * t^2)
m:contact("ground", { gap = q, restitution = restitution })

m:exact(function() return { q = 0, ["q.dot"] = 0 } end)

m:run { until_time = 1, step = 0.01, scheme = "D-:M=1" }
return m
