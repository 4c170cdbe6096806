-- A block on an incline under a changing normal load: it slides up, stops, and sticks or slides back.
--
--   m x'' = -m g sin a + t,   m y'' = -N(t) + n,   N(t) = m g cos a + load sin(omega t),   0 <= y _|_ n >= 0,  |t| <= mu n
--
-- x runs up the incline, y away from it. Data of a published test vector: angle 20 degrees, g = 9.81, load 2, omega 5,
-- x' = 2 at the start, mass 1, until t = 1. Known answer (closed form, `exact` below):
--   friction 0.5:  stops at t = 0.235615715058 and sticks at x = 0.239992009602
--   friction 0.25: stops at t = 0.333954217562, slides back, ends at x = 0.138271011935, x' = -0.738009531350
-- With 40 steps (x x'):
--   friction 0.5:  D- M=1 2.391861611038e-01 0;  D- M=2 2.390715611545e-01 0;  moreau-jean theta=0.5 2.406361279739e-01 0
--   friction 0.25: D- M=1 1.434815104684e-01 -7.290346089464e-01;  D- M=2 1.433445361314e-01 -7.290947728345e-01;
--                  moreau-jean theta=0.5 1.444854212504e-01 -7.290346089464e-01
-- While it only slides (until t = 0.2, say) the order of x is 2, 4, 4 for D- M = 1, 2, 3.
local carom = require "carom"
local m = carom.model "incline"

local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local angle = m:parameter("angle", carom.pi / 9, "rad")
local load = m:parameter("load", 2, "N")
local omega = m:parameter("omega", 5, "rad/s")
local friction = m:parameter("friction", 0.5, "1")
local speed = m:parameter("speed", 2, "m/s")
local t = m:time("s")
local x = m:coordinate("x", { unit = "m", initial = 0, velocity = speed })
local y = m:coordinate("y", { unit = "m", initial = 0, velocity = 0 })

m:kinetic_energy(mass * (x.dot^2 + y.dot^2) / 2)
m:force(x, -mass * gravity * carom.sin(angle))
m:force(y, -mass * gravity * carom.cos(angle) - load * carom.sin(omega * t))
m:contact("surface", { gap = y, friction = friction, slide = x })

-- valid as long as the load presses and a block that sticks once sticks for good, or one that turns keeps sliding
m:exact(function(time, p)
  local s, c = p.gravity * math.sin(p.angle), p.gravity * math.cos(p.angle)
  local mu, w, part = p.friction, p.omega, p.load / p.mass
  local function v_up(at) return p.speed - (s + mu * c) * at - mu * part / w * (1 - math.cos(w * at)) end
  local function x_up(at)
    return p.speed * at - (s + mu * c) * at^2 / 2 - mu * part / w * (at - math.sin(w * at) / w)
  end
  local stop, late = 0, p.speed / s + 1
  for _ = 1, 200 do
    local middle = (stop + late) / 2
    if v_up(middle) > 0 then stop = middle else late = middle end
  end
  if time <= stop then return { x = x_up(time), ["x.dot"] = v_up(time), y = 0, ["y.dot"] = 0 } end
  if mu * (c - part) >= s then return { x = x_up(stop), ["x.dot"] = 0, y = 0, ["y.dot"] = 0 } end
  local d = time - stop
  return { y = 0, ["y.dot"] = 0, ["x.dot"] = (mu * c - s) * d + mu * part / w * (math.cos(w * stop) - math.cos(w * time)),
    x = x_up(stop) + (mu * c - s) * d^2 / 2
      + mu * part / w * (math.cos(w * stop) * d - (math.sin(w * time) - math.sin(w * stop)) / w) }
end)

local s, c = carom.sin(angle), carom.cos(angle)
local function on_slope(along, up) return { c * along - s * up, s * along + c * up } end
m:draw("slope", { line = { on_slope(-0.1, 0), on_slope(0.5, 0) }, fixed = true })
m:draw("block", { line = { on_slope(x - 0.03, y), on_slope(x + 0.03, y), on_slope(x + 0.03, y + 0.04), on_slope(x - 0.03, y + 0.04) },
  closed = true })

m:run { until_time = 1, step = 0.025, scheme = "D-:M=1" }
return m
