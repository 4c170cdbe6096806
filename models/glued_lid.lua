-- A lid that is glued to its box along its length and pried open at a hinge: the glue tears from the far end to the hinge.
--
--   a lid of the length L turns about one end with the angle omega t; at the distance x_i from it a spot of glue of the area A of the lid
--   pulls with beta^2 C g, g = x_i sin(omega t), as long as it holds: b beta' = min(0, w - beta C g^2) (Raous, Cangemi and Cocou, A
--   consistent model coupling adhesion, friction, and unilateral contact, 1999)
--
-- Data: L = 0.2 m, N = 10 spots in the middle of as many equal parts, per spot C = 1e6 N/m and w = 1 J, no viscosity, omega = 0.02 rad/s.
-- Known answer (closed form): beta = min(1, w/(C g^2)), so that a spot pulls with C g up to g = (w/C)^(1/2), then with w^2/(C g^3), and
-- the moment that opens the lid is
--   M = cos(omega t) sum of x_i min(C g_i, w^2/(C g_i^3)):   t = 1 s: 141.994084 N m   2: 36.608434   5: 12.020666   10: 1.510738
-- A spot takes the work w until it is off (w/2 whole, w/2 while it tears; w^2/(2 C g^2) is left at the opening g).
local carom = require "carom"
local m = carom.model "glued_lid"

local N = m:constant("N", 10)
local length = m:constant("length", 0.2, "m")
local mass = m:parameter("mass", 0.1, "kg")
local stiffness = m:parameter("stiffness", 1e6, "N/m")
local energy = m:parameter("energy", 1, "J")
local viscosity = m:parameter("viscosity", 0, "J s")
local omega = m:parameter("omega", 0.02, "rad/s")
local t = m:time("s")
local phi = m:coordinate("phi", { unit = "rad", velocity = omega })

m:kinetic_energy(mass * length^2 / 6 * phi.dot^2)
local drive = m:constraint("drive", { zero = phi - omega * t })
local glue = { stiffness = stiffness, energy = energy, viscosity = viscosity }
local whole = 0
for i = 1, N do
  local x = (i - 0.5) / N * length
  local spot = m:contact("spot" .. i, { gap = x * carom.sin(phi), adhesion = glue, at = { x * carom.cos(phi), x * carom.sin(phi) } })
  whole = whole + spot.intensity / N
end
m:output("moment", drive.force, { unit = "N m" })
m:output("whole", whole) -- what is left of the glue

m:draw("box", { line = { { 0, 0 }, { length, 0 } }, fixed = true })
m:draw("lid", { line = { { 0, 0 }, { length * carom.cos(phi), length * carom.sin(phi) } } })

m:run { until_time = 20, step = 1e-3, scheme = "D-:M=1" }
return m
