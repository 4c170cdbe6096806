-- A damped, driven pendulum without contact: the smooth test of every scheme's order.
--
--   q'' = -4 sin q - 0.3 q' (1 + 0.2 q'^2) + 0.5 cos 2t,   q(0) = 1, q'(0) = 0.5
--
-- Known answer at t = 2: q = -8.26783152423e-01, q' = 9.6516005522e-02. With h = 0.1:
--   D- M=1 -8.244327835069e-01 1.012579740789e-01      D+ M=1 -8.246471770847e-01 1.005664010934e-01
--   D- M=2 -8.267814103638e-01 9.651609468023e-02      D+ M=2 -8.267815378112e-01 9.651588959552e-02
--   D- M=3 -8.267829677786e-01 9.651653246857e-02      D+ M=3 -8.267829583843e-01 9.651647582626e-02
--   D- M=3,quadrature=lobatto -8.267831518213e-01 9.651600559494e-02
-- The equation is written without dimensions, so no units are given.
local carom = require "carom"
local m = carom.model "forced_pendulum"

local stiffness = m:parameter("stiffness", 4)
local damping = m:parameter("damping", 0.3)
local hardening = m:parameter("hardening", 0.2)
local amplitude = m:parameter("amplitude", 0.5)
local omega = m:parameter("omega", 2)
local t = m:time()
local q = m:coordinate("q", { initial = 1, velocity = 0.5 })

m:kinetic_energy(q.dot^2 / 2)
m:potential_energy(-stiffness * carom.cos(q))
m:force(q, -damping * q.dot * (1 + hardening * q.dot^2) + amplitude * carom.cos(omega * t))

m:draw("rod", { line = { { 0, 0 }, { carom.sin(q), -carom.cos(q) } } })
m:draw("bob", { at = { carom.sin(q), -carom.cos(q) }, radius = 0.06 })

m:run { until_time = 2, step = 0.1, scheme = "D-:M=3,quadrature=lobatto" }
return m
