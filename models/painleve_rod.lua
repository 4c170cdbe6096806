-- Painleve's rod: a slender rod that slides on the ground with one end, the example in which rigid bodies with Coulomb
-- friction have no finite contact force (P. Painleve, C. R. Acad. Sci. 121 (1895); F. Genot, B. Brogliato, "New results
-- on Painleve paradoxes", Eur. J. Mech. A/Solids 18 (1999)).
--
-- Centre (x, y), angle theta against the ground, half length l, inertia m l^2/3. The tip is at (x - l cos theta, y - l sin
-- theta). With the tip slipping to the left, friction +mu n:
--   tip normal acceleration = (n/m) (1 + 3 cos^2 - 3 mu sin cos) + l sin theta theta'^2 - g
-- The factor of n, the pivot, can be negative only above mu = (1 + 3 cos^2)/(3 sin cos), least at tan(theta) = 2: the
-- critical mu is 4/3. Where it is negative there is no solution without an impact if l sin theta theta'^2 < g
-- (inconsistent), and there are two if it is greater (indeterminate). Slipping to the right is always regular.
--
-- The default start is inconsistent: tan(theta) = 2, mu = 1.6, tip slipping with -1, theta' = 0: the pivot is -0.32/m.
-- What is known: an impact without collision jams the tip at once; with the impulses p = W^-1 (0, 1) = (0.3, 0.4) m, inside
-- the cone since 0.4/0.3 = 4/3 < 1.6, the velocities become x' = -0.6, y' = 0.3, theta' = 3/sqrt(20)/l = 0.670820393250.
-- Acceleration-level schemes must report the configuration and fall back to a velocity-level step. To move out of it:
-- --set friction=1.3 (regular for every angle), --set slip=1 (slips to the right), --set spin=4 (indeterminate).
local carom = require "carom"
local m = carom.model "painleve_rod"
local sin, cos = carom.sin, carom.cos

local mass = m:parameter("mass", 1, "kg")
local l = m:parameter("l", 1, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local friction = m:parameter("friction", 1.6, "1")
local restitution = m:parameter("restitution", 0, "1")
local angle = m:parameter("angle", carom.atan(2), "rad")
local slip = m:parameter("slip", -1, "m/s")
local spin = m:parameter("spin", 0, "rad/s")
-- the tip starts at the origin, in contact, with no normal velocity
local x = m:coordinate("x", { unit = "m", initial = l * cos(angle), velocity = slip - l * sin(angle) * spin })
local y = m:coordinate("y", { unit = "m", initial = l * sin(angle), velocity = l * cos(angle) * spin })
local theta = m:coordinate("theta", { unit = "rad", initial = angle, velocity = spin })

m:gravity(0, -gravity)
local rod = m:body("rod", { mass = mass, inertia = mass * l^2 / 3, at = { x, y }, angle = theta })
local tip = rod:point(-l, 0)
m:contact("tip", { gap = tip[2], restitution = restitution, friction = friction, slide = tip[1], at = tip })
m:output("pivot", 1 + 3 * cos(theta)^2 - 3 * friction * sin(theta) * cos(theta), { unit = "1" })

m:draw("rod", { line = { tip, rod:point(l, 0) } })
m:draw("ground", { line = { { -1, 0 }, { 2, 0 } }, fixed = true })

m:run { until_time = 0.3, step = 1e-4, scheme = "moreau-jean:theta=0.5" }
return m
