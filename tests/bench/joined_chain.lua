-- N bars in the plane, each a body of its own, held together by constraints: how the cost of a step grows. From the origin outwards, level,
-- or with closed = 1 a V whose other end is held, too.
local carom = require "carom"
local m = carom.model "joined_chain"

local N, closed = m:constant("N", 10), m:constant("closed", 0)
local l, dip = 0.1, closed == 1 and 0.5 or 0

m:gravity(0, -9.81)
local last
for i = 1, N do
  local down = i <= N / 2
  local x = m:coordinate("x" .. i, { unit = "m", initial = (i - 0.5) * l * math.cos(dip) })
  local y = m:coordinate("y" .. i, { unit = "m", initial = -(down and i - 0.5 or N - i + 0.5) * l * math.sin(dip) })
  local phi = m:coordinate("phi" .. i, { unit = "rad", initial = down and -dip or dip })
  local bar = m:body("bar" .. i, { mass = 0.1, inertia = 0.1 * l^2 / 12, at = { x, y }, angle = phi })
  local here, there = bar:point(-l / 2, 0), last and last:point(l / 2, 0) or { 0, 0 }
  for k, name in ipairs { "across", "up" } do m:constraint(name .. i, { zero = here[k] - there[k] }) end
  last = bar
end
if closed == 1 then
  local tip = last:point(l / 2, 0)
  for k, name in ipairs { "across", "up" } do
    m:constraint(name .. "_end", { zero = tip[k] - (k == 1 and N * l * math.cos(dip) or 0) })
  end
end

m:run { until_time = 1, step = 1e-4, scheme = "D-:M=1" }
return m
