-- N rods in space, free bodies on spherical joints, level at the start: how the cost of a step grows.
local carom = require "carom"
local m = carom.model "free_chain"

local N, l = m:constant("N", 10), 0.1

m:gravity(0, 0, -9.81)
local last
for i = 1, N do
  local rod = m:free_body("rod" .. i, { mass = 0.1, inertia = { 8e-5, 8e-5, 1e-5 }, at = { (i - 0.5) * l, 0, 0 },
    orientation = { axis = { 0, 1, 0 }, angle = math.pi / 2 } })
  m:joint("joint" .. i, { type = "spherical", body = rod, at = { 0, 0, -l / 2 }, on = last, to = { 0, 0, last and l / 2 or 0 } })
  last = rod
end

m:run { until_time = 1, step = 1e-4, scheme = "D-:M=1" }
return m
