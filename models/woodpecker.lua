-- The woodpecker toy: a sleeve on a pole, a spring, a woodpecker. It swings, the sleeve jams and slips, the beak hits the pole, and it
-- comes down in a self-sustained motion. Equations, data and start of Glocker (Pfeiffer, Glocker: Multibody Dynamics with Unilateral
-- Contacts, 1996; Leine, Glocker, van Campen, J. Vib. Control 9 (2003), 25-78): small angles, planar, the pole rigid.
--
--   y height of the sleeve, phi_M its angle, phi_S that of the woodpecker; contact 1 beak and pole, 2 and 3 edges of the sleeve
--   gap1 = l_M + l_G - l_S - r_0 - h_S phi_S,  gap2 = r_M - r_0 + h_M phi_M,  gap3 = r_M - r_0 - h_M phi_M
--   slip1 = y' + l_M phi_M' + (l_G - l_S) phi_S',  slip2 = slip3 = y' + r_M phi_M'
--
-- Known answer: the motion becomes periodic; per period the sleeve falls by the same distance, and the work of the weight is what friction
-- and impacts take. Runs with capture, D- and Moreau-Jean agree on a period of 0.1460 s and a fall of 19.44 mm in it.
local carom = require "carom"
local m = carom.model "woodpecker"

local m_M = m:parameter("m_M", 0.0003, "kg")
local J_M = m:parameter("J_M", 5e-9, "kg m^2")
local m_S = m:parameter("m_S", 0.0045, "kg")
local J_S = m:parameter("J_S", 7e-7, "kg m^2")
local c_phi = m:parameter("c_phi", 0.0056, "N m/rad")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local r_0 = m:parameter("r_0", 0.0025, "m")
local r_M = m:parameter("r_M", 0.0031, "m")
local h_M = m:parameter("h_M", 0.0058, "m")
local l_M = m:parameter("l_M", 0.01, "m")
local l_G = m:parameter("l_G", 0.015, "m")
local h_S = m:parameter("h_S", 0.02, "m")
local l_S = m:parameter("l_S", 0.0201, "m")
local restitution = m:parameter("restitution", 0.5, "1")
local friction = m:parameter("friction", 0.3, "1")

local y = m:coordinate("y", { unit = "m", velocity = -0.3411 })
local phi_M = m:coordinate("phi_M", { unit = "rad", initial = -(r_M - r_0) / h_M })
local phi_S = m:coordinate("phi_S", { unit = "rad", initial = -0.2788, velocity = -7.4583 })

-- places to first order in the angles, as the equations have them
m:kinetic_energy(m_M * y.dot^2 / 2 + J_M * phi_M.dot^2 / 2 + m_S * (y.dot + l_M * phi_M.dot + l_G * phi_S.dot)^2 / 2
  + J_S * phi_S.dot^2 / 2)
m:potential_energy(m_M * gravity * y + m_S * gravity * (y + l_M * phi_M + l_G * phi_S))
m:potential_energy(c_phi * (phi_M - phi_S)^2 / 2)
m:contact("beak", { gap = l_M + l_G - l_S - r_0 - h_S * phi_S, slide = y + l_M * phi_M + (l_G - l_S) * phi_S, friction = friction,
  restitution = restitution })
m:contact("lower", { gap = r_M - r_0 + h_M * phi_M, slide = y + r_M * phi_M, friction = friction })
m:contact("upper", { gap = r_M - r_0 - h_M * phi_M, slide = y + r_M * phi_M, friction = friction })
m:output("energy", m_M * y.dot^2 / 2 + J_M * phi_M.dot^2 / 2 + m_S * (y.dot + l_M * phi_M.dot + l_G * phi_S.dot)^2 / 2
  + J_S * phi_S.dot^2 / 2 + m_M * gravity * y + m_S * gravity * (y + l_M * phi_M + l_G * phi_S) + c_phi * (phi_M - phi_S)^2 / 2,
  { unit = "J" })

local function turned(angle, dx, dy)
  return { carom.cos(angle) * dx - carom.sin(angle) * dy, y + carom.sin(angle) * dx + carom.cos(angle) * dy }
end
m:draw("pole", { line = { { 0, 0.03 }, { 0, -0.2 } } })
m:draw("sleeve", { line = { turned(phi_M, -r_M, -h_M), turned(phi_M, r_M, -h_M), turned(phi_M, r_M, h_M),
  turned(phi_M, -r_M, h_M) }, closed = true })
local hinge = turned(phi_M, l_M, 0)
local function on_bird(dx, dy)
  return { hinge[1] + carom.cos(phi_S) * dx - carom.sin(phi_S) * dy, hinge[2] + carom.sin(phi_S) * dx + carom.cos(phi_S) * dy }
end
m:draw("spring", { line = { { 0, y }, hinge, on_bird(l_G, 0) } })
m:draw("woodpecker", { line = { on_bird(l_G - l_S, h_S), on_bird(l_G, h_S + 0.003), on_bird(l_G + 0.004, -0.02), on_bird(l_G - 0.003, 0) },
  closed = true })

m:run { until_time = 1, step = 1e-4, scheme = "moreau-jean:theta=0.5" }
return m
