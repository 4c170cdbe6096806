-- A pendulum in absolute coordinates: a point mass on a rigid massless rod, held by a bilateral constraint.
--
--   m x'' = x/l s,  m y'' = -m g + y/l s,  sqrt(x^2 + y^2) = l
--
-- Known answer: the angle from below obeys phi'' = -g/l sin phi. With l = 1, g = 9.81 and release at rest from phi =
-- 1 the energy stays at -9.81 cos 1 = -5.300365620566; the period is 4 sqrt(l/g) K(sin 1/2) = 2.139137600559 (K the
-- complete elliptic integral). The drift of the constraint is what schemes differ in: with h = 0.01 the velocity
-- projection alone lets it grow to 3.01e-4 until t = 10 and 1.06e-3 until t = 100 (D- M=1,projection=off); position
-- projection, the default here, keeps it at rounding.
local carom = require "carom"
local m = carom.model "constrained_pendulum"

local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local length = m:parameter("length", 1, "m")
local x = m:coordinate("x", { unit = "m", initial = length * carom.sin(1) })
local y = m:coordinate("y", { unit = "m", initial = -length * carom.cos(1) })

m:gravity(0, -gravity)
m:body("bob", { mass = mass, at = { x, y } })
m:constraint("rod", { zero = carom.sqrt(x^2 + y^2) - length })
m:output("energy", mass * (x.dot^2 + y.dot^2) / 2 + mass * gravity * y, { unit = "J" })

m:draw("rod", { line = { { 0, 0 }, { x, y } } })

m:run { until_time = 10, step = 0.01, scheme = "D-:M=2" }
return m
