-- A billiard ball with side spin ("english") on cloth that resists sliding, rolling and pivoting, and a cushion that turns the spin into
-- a change of direction. (The ball of models/billiard.lua; after G. Coriolis, "Theorie mathematique des effets du jeu de billard", 1835.
-- Cloth that resists rolling by a moment rho N and pivoting by a moment sigma N is the usual one-parameter model of each.)
--
-- It starts with the speed v0, without rolling, turning with w0 about the vertical. Known answers, while it is on the table:
--   it slides          v = v0 - mu g t,   R w = 5/2 (mu - rho/R) g t     until they are equal, at t1 = v0 / (g (7/2 mu - 5/2 rho/R))
--   then it rolls      v' = -5/7 rho g/R
--   side spin          w_z' = -5/2 sigma g/R^2, whatever the rest does, until it is 0
-- With the data below t1 = 0.309204101 s, where v = 1.393341554 m/s; rolling it loses 0.113937282 m/s in a second, the spin
-- 10.374776919 rad/s. At the cushion (vertical; restitution e, friction muc) it rolls with v and turns with w: the slip is (w R, -v), along
-- the cushion and down, both directions are as hard to turn, so the impulse of friction is muc (1 + e) m v against the slip:
--   v_x+ = -e v,   v_y+ = -muc (1 + e) v w R/s,   v_z+ = muc (1 + e) v v/s,   s = sqrt((w R)^2 + v^2)
-- (the table does not push then: the ball leaves it, climbing at the cushion).
local carom = require "carom"
local m = carom.model "billiard_english"

local mass = m:parameter("mass", 0.21, "kg")
local R = m:parameter("R", 0.03075, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local v0 = m:parameter("v0", 2, "m/s")
local w0 = m:parameter("w0", 60, "rad/s")
local cloth = m:parameter("cloth", 0.2, "1")
local rolling = m:parameter("rolling", 5e-4, "m")        -- resistance to rolling
local pivoting = m:parameter("pivoting", 4e-4, "m")      -- resistance to turning on the spot
local rubber = m:parameter("rubber", 0.8, "1")           -- restitution of the cushion
local cushion_friction = m:parameter("cushion_friction", 0.15, "1")
local distance = m:parameter("distance", 1, "m")         -- from the ball to the cushion

m:gravity(0, 0, -gravity)
local ball = m:free_body("ball", { mass = mass, inertia = 2 / 5 * mass * R^2, at = { 0, 0, R }, velocity = { v0, 0, 0 },
  spin = { 0, 0, w0 } })
local sphere = m:sphere("ball", { radius = R, body = ball })
m:contact_between(sphere, m:plane("table_top", { normal = { 0, 0, 1 } }), { name = "table", friction = cloth, rolling = rolling,
  pivoting = pivoting })
m:contact_between(sphere, m:plane("cushion", { at = { distance + R, 0, 0 }, normal = { -1, 0, 0 } }),
  { name = "rail", restitution = rubber, friction = cushion_friction })

local w = ball:direction(ball.spin[1], ball.spin[2], ball.spin[3])
m:output("roll", R * w[2], { unit = "m/s" })   -- the speed at which it would roll
m:output("side", w[3], { unit = "rad/s" })

m:run { until_time = 1.5, step = 1e-3, scheme = "D-:M=1" }
return m
