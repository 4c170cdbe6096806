-- Two masses and springs over two stops: the chain of two_mass_one with a heavier load on the upper mass and a stop
-- below each; both bounce, and both lie still in the end.
--
--   M q'' + C q' + K q = F + r,   M = diag(1, 2), K = [[30, -20], [-20, 25]], C = 0.02 K,
--   F = (-6 + 2 sin 3t, -5),   q1 >= 0, q2 >= 0, restitution 1/2 and 2/5,   q(0) = (0.6, 0.4), q'(0) = 0
--
-- No closed form is used: `carom study two_mass_two` makes a fine reference of its own.
local carom = require "carom"
local m = carom.model "two_mass_two"

local restitution1 = m:parameter("restitution1", 0.5, "1")
local restitution2 = m:parameter("restitution2", 0.4, "1")
local load1 = m:parameter("load1", -6, "N")
local load2 = m:parameter("load2", -5, "N")
local amplitude = m:parameter("amplitude", 2, "N")
local omega = m:parameter("omega", 3, "rad/s")
local t = m:time("s")
local q1 = m:coordinate("q1", { unit = "m", initial = 0.6, velocity = 0 })
local q2 = m:coordinate("q2", { unit = "m", initial = 0.4, velocity = 0 })

local m1, m2 = m:parameter("m1", 1, "kg"), m:parameter("m2", 2, "kg")
m:kinetic_energy(m1 * q1.dot^2 / 2 + m2 * q2.dot^2 / 2)
-- K is a spring of 10 from the ground to q1, one of 20 between the two, one of 5 from the ground to q2; dampers alike
local links = { { "ground1", q1, 10 }, { "between", q1 - q2, 20 }, { "ground2", q2, 5 } }
local ratio = m:parameter("damping_ratio", 0.02, "s")
for _, link in ipairs(links) do
  local k = m:parameter("k_" .. link[1], link[3], "N/m")
  m:spring { length = link[2], stiffness = k }
  m:damper { length = link[2], damping = ratio * k }
end
m:force(q1, load1 + amplitude * carom.sin(omega * t))
m:force(q2, load2)
m:contact("stop1", { gap = q1, restitution = restitution1 })
m:contact("stop2", { gap = q2, restitution = restitution2 })

m:draw("mass1", { line = { { q1, 0.05 }, { q1 + 0.15, 0.05 }, { q1 + 0.15, 0.2 }, { q1, 0.2 } }, closed = true })
m:draw("mass2", { line = { { q2, -0.2 }, { q2 + 0.15, -0.2 }, { q2 + 0.15, -0.05 }, { q2, -0.05 } }, closed = true })
m:draw("wall", { line = { { 0, -0.3 }, { 0, 0.3 } }, fixed = true })

m:run { until_time = 3, step = 3 / 1009, scheme = "D-:M=1" }
return m
