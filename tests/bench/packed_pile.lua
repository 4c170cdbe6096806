-- Columns of ten spheres that touch each other and their neighbours from the start: a pile at rest of a given size.
local carom = require "carom"
local m = carom.model "packed_pile"

local N = m:constant("N", 1000)
local r, high = 0.01, 10
local side = math.ceil((N / high) ^ 0.5)

m:gravity(0, 0, -9.81)
local shapes = { m:plane("floor", { normal = { 0, 0, 1 } }) }
for i = 0, N - 1 do
  local column = i // high
  local ball = m:free_body("b" .. i, { mass = 0.01, inertia = 4e-7,
    at = { column % side * 2 * r, column // side * 2 * r, (2 * (i % high) + 1) * r } })
  shapes[i + 2] = m:sphere("b" .. i, { radius = r, body = ball })
end
m:contacts_among(shapes, { friction = 0.5 })
m:run { until_time = 0.05, step = 5e-4, scheme = "moreau-jean:theta=1,gamma=1" }
return m
