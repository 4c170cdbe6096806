-- A puck on a plate with grooves, along which it slides more easily than across them: it turns into their direction, and stops in it.
--
--   m x'' = t_1,   m y'' = t_2,   (t_1/mu1)^2 + (t_2/mu2)^2 <= (m g)^2,   sliding: t = -m g D^2 u/|D u|, D = diag(mu1, mu2), u = (x', y')
--
-- The associated law of anisotropic friction (Michalowski and Mroz, Associated and non-associated sliding rules in contact friction
-- problems, 1978). Data: mu1 = 0.1 along x, mu2 = 0.2 along y, g = 9.81, starts with (1, 1) m/s. Known answers (closed form): y''/x'' is
-- (mu2/mu1)^2 y'/x', so that all along y'/y'(0) = (x'/x'(0))^((mu2/mu1)^2), here the fourth power. With w = x'/x'(0) it stops at
--   T = integral of (1 + 4 w^6)^(1/2) over 0..1 / (mu1 g) = 1.234976142229 s
--   x = integral of w (1 + 4 w^6)^(1/2) / (mu1 g) = 0.695298400541 m,
--   y = integral of w^4 (1 + 4 w^6)^(1/2) / (mu1 g) = 0.334146140358 m
-- and for mu2 = mu1 2^(1/2), where y'/x' = w, at x = (3^(3/2) - 1)/(6 mu1 g) after (3^(1/2) + arsinh(2^(1/2))/2^(1/2))/(2 mu1 g).
local carom = require "carom"
local m = carom.model "grooved_plate"

local mass = m:parameter("mass", 0.2, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local along = m:parameter("along", 0.1, "1")
local across = m:parameter("across", 0.2, "1")
local speed = m:parameter("speed", 1, "m/s") -- in both directions
local radius = m:constant("radius", 0.04, "m")
local x = m:coordinate("x", { unit = "m", velocity = speed })
local y = m:coordinate("y", { unit = "m", velocity = speed })
local z = m:coordinate("z", { unit = "m" })

m:kinetic_energy(mass * (x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:potential_energy(mass * gravity * z)
m:contact("plate", { gap = z, slide = { x, y }, friction = { along, across } })

for i = 0, 5 do m:draw("groove_" .. i, { line = { { -0.1, 0.1 * i }, { 0.8, 0.1 * i } }, fixed = true }) end -- from above
m:draw("puck", { at = { x, y }, radius = radius })

m:run { until_time = 1.6, step = 1e-3, scheme = "D-:M=2" }
return m
