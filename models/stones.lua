-- Stones of random shape, convex polyhedra of 6 to 14 corners, fall into a heap on the ground. Known about the answer: in the end the
-- ground carries their weight, they rest, and none is deeper in another than a small part of its size.
--
-- The shapes come from a generator of random numbers of its own, so that they are the same everywhere.
local carom = require "carom"
local m = carom.model "stones"

local count = m:constant("count", 40)
local rho = m:parameter("rho", 2600, "kg/m^3")
m:gravity(0, 0, -9.81)

local state = 20261118
local function random(low, high)
  state = (1103515245 * state + 12345) % 2147483648
  return low + (high - low) * state / 2147483648
end

local shapes = { m:plane("ground", { normal = { 0, 0, 1 } }) }
local weight = 0
for i = 1, count do
  local size, points = random(0.05, 0.09), {}
  local axes = { size * random(0.7, 1.3), size * random(0.7, 1.3), size * random(0.7, 1.3) }
  for k = 1, math.floor(random(6, 15)) do
    local z, phi = random(-1, 1), random(0, 2 * math.pi)
    local rho_xy = math.sqrt(1 - z * z)
    points[k] = { axes[1] * rho_xy * math.cos(phi), axes[2] * rho_xy * math.sin(phi), axes[3] * z }
  end
  local stone = carom.hull { points = points, density = rho }
  weight = weight + stone.mass
  local place, turn = (i - 1) % 4, random(0, 2 * math.pi) -- four to a layer
  local body = m:free_body("stone" .. i, { mass = stone.mass, inertia = stone.inertia,
    at = { 0.25 * (place % 2) - 0.125, 0.25 * (place // 2) - 0.125, 0.15 + 0.25 * ((i - 1) // 4) },
    orientation = { axis = { random(-1, 1), random(-1, 1), random(0.2, 1) }, angle = turn } })
  shapes[#shapes + 1] = m:polyhedron("stone" .. i, { points = stone.points, body = body })
end

m:contacts_among(shapes, { friction = 0.6 })
m:output("weight", 9.81 * weight, { unit = "N" })

m:run { until_time = 2, step = 2e-3, scheme = "moreau-jean:theta=1,gamma=1" }
return m
