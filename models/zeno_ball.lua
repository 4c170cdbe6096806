-- A ball whose impacts accumulate at t = 3: problem 4.4 of Schindler and Acary (2013), equation (10) of Acary, RR-7151.
--
--   q'' = -2 + r,   0 <= q _|_ r >= 0,   restitution 1/2,   q(0) = 1, q'(0) = 0
--
-- Known answer: impacts at 3 - 2^(1-n) for n = 0, 1, 2, ...; q = 1 - t^2 before t = 1; after impact n, before the next,
-- q = -(t-3)^2 - 3/2^n (t-1) + (3 - 2^-n)/2^(n-1), and rest from t = 3 on. The total impulse until t = 4 is 8. With
-- h = 4/407, which keeps the impacts off the grid, D- M = 1 ends at q = -9.055291610449e-05, q' = 0, impulse 8.
local carom = require "carom"
local m = carom.model "zeno_ball"

local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 2, "m/s^2")
local restitution = m:parameter("restitution", 0.5, "1")
local q = m:coordinate("q", { unit = "m", initial = 1, velocity = 0 })

m:kinetic_energy(mass * q.dot^2 / 2)
m:potential_energy(mass * gravity * q)
m:contact("ground", { gap = q, at = { 0, 0 }, restitution = restitution })

-- by flights, for any gravity and restitution: a flight that starts with speed u lasts 2u/g
m:exact(function(t, p)
  local g, e = p.gravity, p.restitution
  local start = math.sqrt(2 / g)
  if t < start then return { q = 1 - g * t^2 / 2, ["q.dot"] = -g * t } end
  local speed = e * g * start
  for _ = 1, 2000 do
    local s = t - start
    if s < 2 * speed / g then return { q = s * (speed - g * s / 2), ["q.dot"] = speed - g * s } end
    start, speed = start + 2 * speed / g, e * speed
    if speed < 1e-17 then break end
  end
  return { q = 0, ["q.dot"] = 0 }
end, function(p, T)
  local times, time, speed = {}, math.sqrt(2 / p.gravity), p.restitution * math.sqrt(2 * p.gravity)
  while time <= T and speed > 1e-17 and #times < 2000 do
    times[#times + 1] = time
    time, speed = time + 2 * speed / p.gravity, p.restitution * speed
  end
  return times
end)

m:draw("ball", { at = { 0, q + 0.05 }, radius = 0.05 })
m:draw("ground", { line = { { -0.5, 0 }, { 0.5, 0 } }, fixed = true })

m:run { until_time = 4, step = 4 / 407, scheme = "D-:M=1" }
return m
