-- A row of N dominoes; the first is pushed over. (Studied often: the wave soon runs at a speed of its own, whatever the push;
-- the data are this model's own.)
--
-- Known answer: all of them fall, at a steady speed after the first few; without restitution the energy never grows; a row that
-- is pushed to the left (direction = -1) is the mirror image of one pushed to the right.
local carom = require "carom"
local m = carom.model "domino"

local N         = m:constant("N", 12)
local mass      = m:parameter("mass", 0.008, "kg")
local thick     = m:parameter("thick", 0.008, "m")     -- along the row
local width     = m:parameter("width", 0.024, "m")
local height    = m:parameter("height", 0.048, "m")
local spacing   = m:parameter("spacing", 0.024, "m")   -- from one to the next
local push      = m:parameter("push", 3, "rad/s")      -- rate at which the first tips over its edge
local direction = m:parameter("direction", 1, "1")     -- 1: to the right, -1: to the left
local friction  = m:parameter("friction", 0.3, "1")
local gravity   = m:parameter("gravity", 9.81, "m/s^2")

m:gravity(0, 0, -gravity)
local a2, b2, c2 = thick^2, width^2, height^2
local Jx, Jy, Jz = mass * (b2 + c2) / 12, mass * (a2 + c2) / 12, mass * (a2 + b2) / 12
local shapes, energy, fallen = { m:plane("floor", { normal = { 0, 0, 1 } }) }, {}, {}
for i = 1, N do
  local rate = i == 1 and push or 0
  local d = m:free_body("domino" .. i, { mass = mass, inertia = { Jx, Jy, Jz }, at = { (i - 1) * spacing * direction, 0, height / 2 },
    velocity = { direction * rate * height / 2, 0, rate * thick / 2 }, spin = { 0, direction * rate, 0 } })
  shapes[i + 1] = m:box("domino" .. i, { size = { thick, width, height }, body = d })
  local v, w = { d.at[1].dot, d.at[2].dot, d.at[3].dot }, d.spin
  energy[i] = mass * (v[1]^2 + v[2]^2 + v[3]^2) / 2 + (Jx * w[1]^2 + Jy * w[2]^2 + Jz * w[3]^2) / 2 + mass * gravity * d.at[3]
  local upright = d:direction(0, 0, 1)[3]
  fallen[i] = carom.select(carom.lt(upright, 0.8), 1, 0) -- 37 degrees
  m:output("x" .. i, d.at[1], { unit = "m" })
  m:output("upright" .. i, upright, { unit = "1" })
end
m:contacts_among(shapes, { friction = friction })

m:output("energy", carom.sum(energy), { unit = "J" })
m:output("fallen", carom.sum(fallen), { unit = "1" })

m:run { until_time = 1.2, step = 5e-4, scheme = "moreau-jean:theta=1,gamma=1,tol=1e-8,ctol=1e-8" }
return m
