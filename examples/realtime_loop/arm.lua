-- An arm that a motor drives against a stop; the host sets the torque.
local carom = require "carom"
local m = carom.model "arm"

local inertia  = m:parameter("inertia", 0.02, "kg m^2")
local damping  = m:parameter("damping", 0.05, "N m s/rad")
local weight   = m:parameter("weight", 3.0, "N m")      -- largest torque of gravity
local torque   = m:input("torque", 0, "N m")
local phi      = m:coordinate("phi", { unit = "rad", initial = 0 })

m:kinetic_energy(inertia * phi.dot^2 / 2)
m:potential_energy(-weight * carom.cos(phi))
m:damper { length = phi, damping = damping }
m:force(phi, torque)
m:contact("stop", { gap = 1.5 - phi, restitution = 0.3 })

-- Few iterations on purpose: a step that is too long for the motion is refused instead of taking its time.
m:run { until_time = 1, step = 2e-2, scheme = "moreau-jean:theta=0.5,iterations=3" }
return m
