-- Stick-slip oscillator: a block on a moving belt, held by a spring and a damper fixed to the ground.
--
--   m q0'' = -k x - c x' + t,   x = q0 + v_b t,   m y'' = -m g + n,   0 <= y _|_ n >= 0,  |t| <= mu n,  slip q0'
--
-- Coordinates in the frame of the belt, q0 = x - v_b t, so that the block is at rest where it sticks. Data: m = 1, k =
-- 4, c = 0.1, v_b = 0.5, g = 9.81; the spring starts relaxed with the block at rest in space (q0' = -v_b).
-- Known answer for friction 0.3 (closed form): slips until t = 0.174931952313, sticks until the spring has reached x =
-- (mu m g - c v_b)/k = 0.72325 at t = 1.532804037647, then slips for good and settles:
--   t = 6:  q0 = -2.160867229220, q0' = -0.847522095006        t = 12: q0 = -5.131310201236, q0' = -0.637506131294
-- (With a static coefficient 0.5 above the 0.3 of sliding the stick-slip goes on, stick_slip_static.lua: first
-- transitions at 0.17493195231 2.51380403765 4.59036776464.)
local carom = require "carom"
local m = carom.model "belt"

local mass = m:parameter("m", 1, "kg")
local stiffness = m:parameter("k", 4, "N/m")
local damping = m:parameter("c", 0.1, "N s/m")
local belt_speed = m:parameter("v_b", 0.5, "m/s")
local friction = m:parameter("friction", 0.3, "1")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local t = m:time("s")
local q0 = m:coordinate("q0", { unit = "m", initial = 0, velocity = -belt_speed })
local y = m:coordinate("y", { unit = "m", initial = 0 })

local x = q0 + belt_speed * t

m:gravity(0, -gravity)
m:body("block", { mass = mass, at = { x, y } })
m:spring { length = x, stiffness = stiffness }
m:damper { length = x, damping = damping }
m:contact("belt", { gap = y, at = { x, y }, friction = friction, slide = q0 })
m:output("x", x, { unit = "m" })

m:draw("belt", { line = { { -1, 0 }, { 2, 0 } }, fixed = true })
m:draw("block", { line = { { x - 0.06, y }, { x + 0.06, y }, { x + 0.06, y + 0.08 }, { x - 0.06, y + 0.08 } }, closed = true })

m:run { until_time = 12, step = 1e-2, scheme = "D-:M=1" }
return m
