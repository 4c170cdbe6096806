-- A circuit breaker in small: a spring-loaded contact arm held by a latch, and a trip lever that lets it go. (Mechanisms of
-- this kind are what the nonsmooth schemes of carom's sources were made for; geometry and data are this model's own.)
--
-- The arm turns about the origin, phi from the vertical, clockwise opens; a torsion spring opens it. The roller at its tip
-- leans against the face of the lever, a segment at the end of the lever's left arm. The lever turns about B, level with
-- the roller, psi clockwise lifts the face; a return spring presses it on its rest stop. At t = t_trip a torque `trip` acts
-- on the lever: the face slides up the roller against friction, clears it, and the arm flies to its open stop.
-- Contacts: latch (roller and face, friction), rest and raised (stops of the lever), closed and opened (stops of the arm).
--
-- Known answer: the roller force is N = k (rest - phi)/L = 33.3333 N while latched and its line passes through B, so the
-- lever starts to move if and only if trip > preload + friction N l = 0.05 + 0.15 * 33.3333 * 0.03 = 0.2 N m: with --set
-- trip=0.19 the breaker stays closed for ever and nothing moves; with 0.21 the lever turns by 0.0183 and sticks again,
-- because the tilted face makes the roller push it back. With the default 0.4 N m the arm is open, at phi = 1.2,
-- after some rebounds, and the lever rests on its raised stop, psi = 0.3.
local carom = require "carom"
local m = carom.model "latch"
local sin, cos = carom.sin, carom.cos

local L = m:parameter("L", 0.06, "m")             -- arm: pivot to roller
local r = m:parameter("r", 0.004, "m")            -- roller
local J1 = m:parameter("J1", 1e-4, "kg m^2")      -- arm about its pivot
local k1 = m:parameter("k1", 1, "N m/rad")        -- opening spring
local rest1 = m:parameter("rest1", 2, "rad")      -- angle at which it is relaxed
local l = m:parameter("l", 0.03, "m")             -- lever: pivot to face
local overlap = m:parameter("overlap", 0.001, "m") -- of the face below the roller's centre
local J2 = m:parameter("J2", 3e-6, "kg m^2")      -- lever about its pivot
local k2 = m:parameter("k2", 0.1, "N m/rad")      -- return spring
local preload = m:parameter("preload", 0.05, "N m")
local damping = m:parameter("damping", 2e-5, "N m s/rad") -- in the arm's bearing
local open_angle = m:parameter("open_angle", 1.2, "rad")
local raised_angle = m:parameter("raised_angle", 0.3, "rad")
local trip = m:parameter("trip", 0.4, "N m")
local t_trip = m:parameter("t_trip", 2e-3, "s")
local friction = m:parameter("friction", 0.15, "1")
local restitution = m:parameter("restitution", 0.3, "1")
local t = m:time("s")
local phi = m:coordinate("phi", { unit = "rad" })
local psi = m:coordinate("psi", { unit = "rad" })

m:kinetic_energy(J1 * phi.dot^2 / 2)
m:kinetic_energy(J2 * psi.dot^2 / 2)
m:spring("opening", { length = phi, stiffness = k1, rest = rest1 })
m:damper("bearing", { length = phi, damping = damping })
m:spring("return_spring", { length = psi, stiffness = k2, rest = -preload / k2 })
m:force { torque = carom.select(carom.lt(t, t_trip), 0, trip), angle = psi }

local roller = m:disk("roller", { radius = r, at = { L * sin(phi), L * cos(phi) }, angle = -phi })
-- the lever's frame stands at B = (r + l, L); psi turns it clockwise
local function on_lever(dx, dy)
  return { r + l + cos(psi) * dx + sin(psi) * dy, L - sin(psi) * dx + cos(psi) * dy }
end
local face = m:segment("face", { between = { on_lever(-l, -overlap), on_lever(-l, 6 * overlap) } })
m:contact_between(roller, face, { name = "latch", friction = friction })

m:contact("rest", { gap = l * psi })
m:contact("raised", { gap = l * (raised_angle - psi), restitution = restitution })
m:contact("closed", { gap = L * phi + overlap, restitution = restitution })
m:contact("opened", { gap = L * (open_angle - phi), restitution = restitution })

m:output("overlap_left", overlap * cos(psi) - l * sin(psi), { unit = "m" })

m:draw("arm", { line = { { 0, 0 }, { L * sin(phi), L * cos(phi) } } })
m:draw("lever", { line = { on_lever(0, 0), on_lever(-l, 0) } })

m:run { until_time = 0.05, step = 2e-6, scheme = "moreau-jean:theta=0.5" }
return m
