-- A point mass thrown obliquely on a rough floor: it stops sliding at an impact, bounces on and comes to rest exactly.
--
--   m x'' = t,   m y'' = -m g + n,   0 <= y _|_ n >= 0,  |t| <= mu n;   impacts: y' -> -e y',  |jump of x'| <= mu jump of y'
--
-- g = 9.81, e = 0.5, mu = 0.3, from (0, 1) with velocity (1, 0). Known answer: the first impact, at sqrt(2/g) =
-- 0.451523640986, takes at most mu (1 + e) sqrt(2 g) = 1.993 of x', so it stops x' = 1 at once; the bounces go on
-- straight up and down and accumulate at 3 sqrt(2/g) = 1.354570922957. A scheme without event location sees the impact
-- at the end of the step it falls in: with 200, 400, 800, 1600, 3200 steps until t = 2
--   x = 0.46 0.455 0.4525 0.4525 0.451875, all velocities 0 (published test values, whose data are not stated: the ones
--   used here give exactly these numbers)
local carom = require "carom"
local m = carom.model "oblique_bounce"

local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local restitution = m:parameter("restitution", 0.5, "1")
local friction = m:parameter("friction", 0.3, "1")
local height = m:parameter("height", 1, "m")
local speed = m:parameter("speed", 1, "m/s")
local x = m:coordinate("x", { unit = "m", initial = 0, velocity = speed })
local y = m:coordinate("y", { unit = "m", initial = height, velocity = 0 })

m:gravity(0, -gravity)
m:body("ball", { mass = mass, at = { x, y } })
m:contact("floor", { gap = y, restitution = restitution, friction = friction, slide = x, at = { x, y } })

-- flight by flight; an impact with normal speed u takes up to friction*(1 + e)*u of the tangential speed
m:exact(function(t, p)
  local g, e, mu = p.gravity, p.restitution, p.friction
  local start, px, vx, up = 0, 0, p.speed, 0
  local lasts = math.sqrt(2 * p.height / g)
  local py, down = p.height, g * lasts
  for _ = 1, 200 do
    if t < start + lasts then
      local s = t - start
      return { x = px + vx * s, ["x.dot"] = vx, y = py + up * s - g * s^2 / 2, ["y.dot"] = up - g * s }
    end
    px, start, py = px + vx * lasts, start + lasts, 0
    local taken = math.min(math.abs(vx), mu * (1 + e) * down)
    vx = vx > 0 and vx - taken or vx + taken
    up, down = e * down, e * down
    lasts = 2 * up / g
  end
  local s = t - start -- at rest on the floor; what slip is left is braked by friction
  local stop = mu > 0 and math.abs(vx) / (mu * g) or math.huge
  local sign, d = vx > 0 and 1 or -1, math.min(s, stop)
  return { x = px + vx * d - sign * mu * g * d^2 / 2, ["x.dot"] = s < stop and vx - sign * mu * g * s or 0, y = 0,
    ["y.dot"] = 0 }
end)

m:draw("ball", { at = { x, y + 0.03 }, radius = 0.03 })
m:draw("ground", { line = { { -0.2, 0 }, { 1.6, 0 } }, fixed = true })

m:run { until_time = 2, step = 0.01, scheme = "D-:M=1" }
return m
