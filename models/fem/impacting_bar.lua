-- An elastic bar that flies against a rigid wall: linear elements, consistent mass, Moreau-Jean with theta = 1/2.
--
-- The example ImpactingBar of Siconos: n nodes at distances length/n (so the bar is a cell shorter than `length`), all moving
-- towards the wall with the speed v0 from a distance of 5e-5 m. Known: a wave runs to the free end and back, so contact lasts
-- 2 length/c with c = sqrt(E/rho), the wall carries rho c v0 section all the while, and the bar leaves with v0:
-- 3.85e-4 s, 1270.8 N and an impulse of 2 rho section length v0 = 0.4898 N s for an ideal bar.
local carom = require "carom"
local m = carom.model "impacting_bar"

local n       = m:constant("n", 100)
local length  = m:constant("length", 1.0)
local E       = m:parameter("E", 210e9, "Pa")
local rho     = m:parameter("rho", 7800, "kg/m^3")
local section = m:parameter("section", 3.14e-4, "m^2")
local v0      = m:parameter("v0", 0.1, "m/s")

local bar = m:mesh("bar", carom.bar { cells = n - 1, length = length * (n - 1) / n, section = section })
m:elastic(bar, { E = E, rho = rho })
m:start(bar, { displacement = { 5e-5 }, velocity = { -v0 } })
-- With the usual step the tip arrives exactly at the end of one, up to rounding. The wall stands a hair further away, so that
-- the contact closes in the next step everywhere, as it does in the published run.
m:contact_surface("wall", { mesh = bar, boundary = "left", gap = function(x) return x + 1e-13 end })
m:probe("tip", { mesh = bar, at = { 0 } })
m:probe("tail", { mesh = bar, at = { length } })

m:run { until_time = 1e-3, step = 2e-6, scheme = "moreau-jean:theta=0.5,gamma=0" }
return m
