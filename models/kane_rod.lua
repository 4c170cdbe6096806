-- Kane's paradox: a rod that hits a rough floor with Newton's law of restitution may leave it with more energy than it came with.
--
--   m x'' = t,   m y'' = -m g + n,   J phi'' = moments of (t, n) at the tip,   0 <= gap _|_ n >= 0,  |t| <= mu n
--
-- A rod of mass 1 and length 1 whose lower tip is at (cos(phi), -sin(phi))/2 from its middle falls without spin, so that the tip closes
-- with speed 1 and slides. Kane and Levinson (Dynamics: theory and applications, 1985) found the gain of energy for a double pendulum;
-- the rod is the smallest model that has it. Known answer for phi = 0.95, friction 0.3, restitution 1, slip -0.75 (closed form,
-- without weight): impulses (normal, tangential) and change of energy
--   newton     1.226320275486 -0.331900256446   +0.124462596167
--   poisson    0.960173375823 -0.121063729937   -0.083623635687
--   energetic  0.969259326643 -0.096387507519   -0.069173800856
-- `kane_rod.lua` has all three rods side by side, each with its law.
local carom = require "carom"
local m = carom.model "kane_rod"

local friction = m:parameter("friction", 0.3, "1")
local restitution = m:parameter("restitution", 1, "1")
local angle = m:parameter("angle", 0.95, "rad")
local closing = m:parameter("closing", 1, "m/s")
local slip = m:parameter("slip", -0.75, "m/s")
local mass = m:constant("mass", 1, "kg")
local length = m:constant("length", 1, "m")

for _, law in ipairs { "newton", "poisson", "energetic" } do
  local x = m:coordinate("x_" .. law, { unit = "m", velocity = slip })
  local y = m:coordinate("y_" .. law, { unit = "m", initial = length / 2 * carom.sin(angle) + 1e-3 * length, velocity = -closing })
  local phi = m:coordinate("phi_" .. law, { unit = "rad", initial = angle })
  m:body("rod_" .. law, { mass = mass, at = { x, y }, inertia = mass * length^2 / 12, angle = phi })
  local tip = { x + length / 2 * carom.cos(phi), y - length / 2 * carom.sin(phi) }
  m:contact("tip_" .. law, { gap = tip[2], slide = tip[1], friction = friction, restitution = restitution,
    restitution_law = law, at = tip })
  m:output("energy_" .. law, mass * (x.dot^2 + y.dot^2) / 2 + mass * length^2 / 12 * phi.dot^2 / 2, { unit = "J" })
  m:draw("rod_" .. law, { line = { { 2 * x - tip[1], 2 * y - tip[2] }, tip } })
end

m:run { until_time = 0.01, step = 1e-3, scheme = "capture:rk=dopri5" }
return m
