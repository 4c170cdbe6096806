-- Free flight under a force that grows with time: problem 4.2 of Schindler and Acary, "Timestepping schemes for
-- nonsmooth dynamics based on discontinuous Galerkin methods" (2013). The ground is there but is not reached before t
-- = 1.046635...
--
--   q'' = -10 t^2,   q(0) = 1, q'(0) = 0
--
-- Known answer: q = 1 - 5 t^4/6, q' = -10 t^3/3; at t = 1: q = 1/6, q' = -10/3. Later it lies on the ground.
local carom = require "carom"
local m = carom.model "free_flight"

local mass = m:parameter("mass", 1)
local slope = m:parameter("slope", 10)
local restitution = m:parameter("restitution", 0)
local t = m:time()
local q = m:coordinate("q", { initial = 1, velocity = 0 })

m:kinetic_energy(mass * q.dot^2 / 2)
m:force(q, -slope * t^2)
m:contact("ground", { gap = q, restitution = restitution })

m:exact(function(time, p)
  local a = p.slope / p.mass
  if a * time^4 > 12 then return p.restitution == 0 and { q = 0, ["q.dot"] = 0 } or {} end
  return { q = 1 - a * time^4 / 12, ["q.dot"] = -a * time^3 / 3 }
end)

m:run { until_time = 1, step = 0.01, scheme = "D-:M=1" }
return m
