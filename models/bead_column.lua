-- A column of N beads that falls on the ground: many alike contacts, from a Lua loop.
--
--   m qi'' = -m g + r(i) - r(i+1),   gaps q1 - R and q(i+1) - q(i) - 2R,   bead i starts at 1 + 0.25 (i - 1), at rest
--
-- Data of the bead column of Siconos: R = 0.1, m = 1, restitution 0.9, gravity 9.81. Known answer: all beads fall
-- alike until bead 1 hits the ground at sqrt(2 (1 - R)/g) = 0.428352936878; until then qi = 1 + 0.25 (i - 1) - g
-- t^2/2.
local carom = require "carom"
local m = carom.model "bead_column"

local N = m:constant("N", 10)
local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local radius = m:parameter("radius", 0.1, "m")
local restitution = m:parameter("restitution", 0.9, "1")

local q = {}
for i = 1, N do
  q[i] = m:coordinate("q" .. i, { unit = "m", initial = 1 + 0.25 * (i - 1) })
  m:kinetic_energy(mass * q[i].dot^2 / 2)
  m:potential_energy(mass * gravity * q[i])
end

m:contact("ground", { gap = q[1] - radius, restitution = restitution })
for i = 1, N - 1 do
  m:contact("bead" .. i, { gap = q[i + 1] - q[i] - 2 * radius, restitution = restitution })
end

for i = 1, N do m:draw("bead" .. i, { at = { 0, q[i] }, radius = radius }) end
m:draw("floor", { line = { { -0.5, 0 }, { 0.5, 0 } }, fixed = true })

m:run { until_time = 5, step = 5e-4, scheme = "moreau-jean:theta=0.5" }
return m
