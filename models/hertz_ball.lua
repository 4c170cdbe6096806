-- Balls that hit a wall which gives way as spheres do (Hertz), without loss and with three ways to damp it.
--
--   m q'' = max(k max(-q, 0)^(3/2) (1 - c q'/v), 0),   c = 0 or of the restitution e that is wanted at the speed v:
--   flores 8/5 (1-e)/e,   hunt_crossley 3/2 (1-e),   lankarani_nikravesh 3/4 (1-e^2)
--
-- After Flores, Machado, Silva and Martins (On the continuous contact force models for soft materials in multibody dynamics, 2011).
-- Data: m = 1, k = 1e6, e = 0.5, v = 1, and the balls come with v. Known answers (closed form): the elastic ball leaves with v, after
-- 2 sqrt(pi) Gamma(7/5)/Gamma(9/10) d/v = 1.281134935e-2 s, d = (5 m v^2/(4 k))^(2/5) = 4.352753e-3 m. With damping the equation of
-- motion is one of q' and q apart, so that the speed r v after the hit is the root of
--   c r + log(1 - c r) = log(1 + c) - c:   r = 0.470444779 (flores), 0.662962 (hunt_crossley), 0.725241 (lankarani_nikravesh)
-- whatever k, m and the exponent are.
local carom = require "carom"
local m = carom.model "hertz_ball"

local mass = m:parameter("mass", 1, "kg")
local stiffness = m:parameter("stiffness", 1e6) -- N/m^(3/2)
local speed = m:parameter("speed", 1, "m/s")
local distance = m:parameter("distance", 0, "m") -- from the wall
local radius = m:constant("radius", 0.05, "m")

for i, damping in ipairs { "elastic", "flores", "hunt_crossley", "lankarani_nikravesh" } do
  local q = m:coordinate(damping, { unit = "m", initial = distance, velocity = -speed })
  local law = { stiffness = stiffness, exponent = 1.5 }
  if i > 1 then law.damping, law.speed = damping, speed end
  m:kinetic_energy(mass * q.dot^2 / 2)
  local wall = m:contact("wall_" .. damping, { gap = q, compliance = law, restitution = i > 1 and 0.5 or nil })
  m:output("force_" .. damping, wall.force, { unit = "N" })
  m:draw(damping, { at = { q + radius, 2.5 * radius * i }, radius = radius })
end
m:draw("wall", { line = { { 0, 0 }, { 0, 12.5 * radius } }, fixed = true })

m:run { until_time = 0.03, step = 1e-5, scheme = "D-:M=2" }
return m
