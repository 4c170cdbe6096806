-- A block on a moving belt whose friction falls with the speed of slip (Stribeck): what makes bows sing and brakes squeal.
--
--   m x'' = -k x - c x' + t,   |t| <= mu_s m g where it sticks,  |t| = mu(s) m g at the slip s = v_b - x'
--   mu(s) = mu_k + (mu_s - mu_k) exp(-(s/v_s)^2)
--
-- Data: m = 1, k = 4, c = 0.4, g = 9.81, mu_s = 0.5, mu_k = 0.3, v_s = 0.5, v_b = 0.5; it starts at rest on the belt, spring relaxed.
-- Known answers (closed form): it lets go where the spring has reached x = (mu_s m g - c v_b)/k = 1.17625, at t = 2.3525. Sliding
-- steadily, at x = mu(v_b) m g/k, is stable where c > m g (mu_s - mu_k) 2 v_b/v_s^2 exp(-(v_b/v_s)^2), so with these data (0.4 < 2.887)
-- it is not: the block sticks and slips for ever, with one period from the first slip on. It slips for 2.384147438 s, until x =
-- 0.292381072, and lets go again 4.151885294 s after it did before (an independent program: Runge-Kutta of order 4, the end of the slip
-- by bisection, the same digits with steps of 1e-3 and 2.5e-4 s). At 1.5 m/s (0.003 < 0.4) steady
-- sliding is stable and the stick-slip goes on beside it; a belt of 2.5 m/s is too fast for it, the block settles to x = 0.73575.
local carom = require "carom"
local m = carom.model "stribeck_belt"

local mass = m:parameter("m", 1, "kg")
local stiffness = m:parameter("k", 4, "N/m")
local damping = m:parameter("c", 0.4, "N s/m")
local belt_speed = m:parameter("v_b", 0.5, "m/s")
local sliding = m:parameter("friction", 0.3, "1")
local static = m:parameter("static_friction", 0.5, "1")
local stribeck = m:parameter("stribeck", 0.5, "m/s")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local t = m:time("s")
local q0 = m:coordinate("q0", { unit = "m" }) -- in the frame of the belt: at rest where the block sticks
local y = m:coordinate("y", { unit = "m" })

local x = q0 + belt_speed * t

m:gravity(0, -gravity)
m:body("block", { mass = mass, at = { x, y } })
m:spring { length = x, stiffness = stiffness }
m:damper { length = x, damping = damping }
m:contact("belt", { gap = y, at = { x, y }, slide = q0, friction = sliding, static_friction = static, stribeck = stribeck })
m:output("x", x, { unit = "m" })

m:draw("belt", { line = { { -1, 0 }, { 2, 0 } }, fixed = true })
m:draw("block", { line = { { x - 0.06, y }, { x + 0.06, y }, { x + 0.06, y + 0.08 }, { x - 0.06, y + 0.08 } }, closed = true })

m:run { until_time = 24, step = 1e-2, scheme = "capture:dg=D-,M=2" }
return m
