-- Stick-slip oscillator with static friction: a block on a moving belt, held by a spring and a damper fixed to the ground (belt.lua), whose
-- coefficient is larger while it sticks: the stick-slip goes on for ever.
--
--   m q0'' = -k x - c x' + t,   x = q0 + v_b t,   m y'' = -m g + n,   |t| <= mu_s n where q0' = 0,  |t| = mu_k n where it slides
--
-- Data: m = 1, k = 4, c = 0.1, v_b = 0.5, g = 9.81, mu_s = 0.5, mu_k = 0.3; the spring starts relaxed with the block at rest in space.
-- Known answer (closed form, piece by piece): it changes between slip and stick at
--   t = 0.17493 2.51380 4.59037 6.40460 8.48116 10.29539
-- Moreau-Jean with theta = 1/2 and 1201 steps to t = 12 ends at q0 = -5.749243067986, q0' = -0.739294307413, with 2402 steps at
-- -5.750970073171, -0.710581059337 (an independent program).
local carom = require "carom"
local m = carom.model "stick_slip_static"

local mass = m:parameter("m", 1, "kg")
local stiffness = m:parameter("k", 4, "N/m")
local damping = m:parameter("c", 0.1, "N s/m")
local belt_speed = m:parameter("v_b", 0.5, "m/s")
local sliding = m:parameter("friction", 0.3, "1")
local static = m:parameter("static_friction", 0.5, "1")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local t = m:time("s")
local q0 = m:coordinate("q0", { unit = "m", initial = 0, velocity = -belt_speed })
local y = m:coordinate("y", { unit = "m", initial = 0 })

local x = q0 + belt_speed * t

m:gravity(0, -gravity)
m:body("block", { mass = mass, at = { x, y } })
m:spring { length = x, stiffness = stiffness }
m:damper { length = x, damping = damping }
m:contact("belt", { gap = y, at = { x, y }, friction = sliding, static_friction = static, slide = q0 })
m:output("x", x, { unit = "m" })

m:draw("belt", { line = { { -1, 0 }, { 2, 0 } }, fixed = true })
m:draw("block", { line = { { x - 0.06, y }, { x + 0.06, y }, { x + 0.06, y + 0.08 }, { x - 0.06, y + 0.08 } }, closed = true })

m:run { until_time = 12, step = 1e-3, scheme = "D-:M=1" }
return m
