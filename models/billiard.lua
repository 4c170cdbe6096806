-- A carom shot on a billiard table: the cue ball slips, rolls, hits one ball and then the other; cushions all round.
-- (G. Coriolis, "Theorie mathematique des effets du jeu de billard", 1835. A carom table of 2.84 m x 1.42 m, balls of
-- 61.5 mm; cushions are upright planes. The centre of the table is the origin.)
--
-- The cue ball starts with the speed v0 and no spin. Until it rolls, friction slows it down and spins it up:
--   v = v0 - mu g t,   R w = 5/2 mu g t
-- Known answer: it rolls from t = 2 v0/(7 mu g) on with 5/7 v0, having slid for 12 v0^2/(49 mu g); with the data below
-- 0.291248 s, 1.428571 m/s and 0.499283 m, and it hits the first ball only later. The shot is left-right symmetric:
-- --set side=-1 mirrors it. --set balls=1 leaves the cue ball alone, for the table as it is.
local carom = require "carom"
local m = carom.model "billiard"

local balls = m:constant("balls", 3)
local mass = m:parameter("mass", 0.21, "kg")
local R = m:parameter("R", 0.03075, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local length = m:parameter("length", 2.84, "m")
local width = m:parameter("width", 1.42, "m")
local v0 = m:parameter("v0", 2, "m/s")
local side = m:parameter("side", 1, "1")
local cloth = m:parameter("cloth", 0.2, "1")               -- friction on the table
local polish = m:parameter("polish", 0.05, "1")            -- friction between balls
local bounce = m:parameter("bounce", 0.95, "1")            -- restitution between balls
local rubber = m:parameter("rubber", 0.8, "1")             -- restitution of the cushions
local cushion_friction = m:parameter("cushion_friction", 0.15, "1")

m:gravity(0, 0, -gravity)

local table_plane = m:plane("table_top", { normal = { 0, 0, 1 } })
local cushions = {
  m:plane("left", { at = { -length / 2, 0, 0 }, normal = { 1, 0, 0 } }),
  m:plane("right", { at = { length / 2, 0, 0 }, normal = { -1, 0, 0 } }),
  m:plane("near", { at = { 0, -width / 2, 0 }, normal = { 0, 1, 0 } }),
  m:plane("far", { at = { 0, width / 2, 0 }, normal = { 0, -1, 0 } }),
}
local cushion_names = { "left", "right", "near", "far" }

-- The first ball is hit half full (its centre is R beside the path); the other stands where the cue ball then goes.
local places = { { -1, 0 }, { 0.2, R }, { 0.66, -0.36 } }
local names = { "cue", "red", "yellow" }
local spheres = {}
for i = 1, balls do
  local p = places[i]
  local ball = m:free_body(names[i], { mass = mass, inertia = 2 / 5 * mass * R^2, at = { p[1], side * p[2], R },
    velocity = { i == 1 and v0 or 0, 0, 0 } })
  spheres[i] = m:sphere(names[i], { radius = R, body = ball })
  m:contact_between(spheres[i], table_plane, { name = names[i] .. "_table", friction = cloth })
  for k, cushion in ipairs(cushions) do
    m:contact_between(spheres[i], cushion, { name = names[i] .. "_" .. cushion_names[k], restitution = rubber,
      friction = cushion_friction })
  end
  for k = 1, i - 1 do
    m:contact_between(spheres[i], spheres[k], { name = names[k] .. "_" .. names[i], restitution = bounce, friction = polish })
  end
  if i == 1 then
    local w = ball:direction(ball.spin[1], ball.spin[2], ball.spin[3])
    m:output("slip", carom.sqrt((ball.at[1].dot - R * w[2])^2 + (ball.at[2].dot + R * w[1])^2), { unit = "m/s" })
  end
end

m:run { until_time = 3, step = 1e-4, scheme = "moreau-jean:theta=0.5" }
return m
