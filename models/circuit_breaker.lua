-- The mechanism of a low-voltage circuit breaker, in the plane: a latched lever, a coupler, a moving contact. Springs are loaded while
-- it is closed; a trip torque lifts the hook, the lever is let go, and the linkage throws the moving contact from the fixed one to its
-- stop, with impacts, bounces and friction. (After the description of such mechanisms in Acary, Brogliato: Numerical Methods for
-- Nonsmooth Dynamical Systems, Springer 2008.) What is simplified: the plane, four moving bodies, ideal bearings without clearance, a
-- parallelogram as linkage, no arc and no magnetic forces; geometry and data are this model's own. The latch alone is the model latch.
--
-- The lever (length L) turns about the origin by phi, clockwise opens; its roller leans on the face of the hook, which turns about
-- B = (r + l, L) by psi. A coupler of length base joins the lever's tip to the tip of the moving contact, of the same length L, which turns
-- about (-base, 0) by chi; the opening spring acts on it. Contacts: hook (roller and face, friction), rest and raised (stops of the hook),
-- fixed (moving and fixed electrical contact), opened (stop of the lever).
--
-- Known answer: in a parallelogram chi = phi and the coupler does not turn, so the roller force is N = k (rest - phi)/L = 33.3333 N while
-- latched, and the hook moves if and only if trip > preload + friction N l = 0.2 N m: with --set trip=0.19 nothing moves. Once let go the
-- linkage moves like one body of inertia J = J_lever + J_contact + m_coupler L^2; with the default 0.4 N m it ends open, phi = chi = 1.2.
local carom = require "carom"
local m = carom.model "circuit_breaker"
local sin, cos = carom.sin, carom.cos

local L = m:parameter("L", 0.06, "m")               -- lever and moving contact: pivot to tip
local base = m:parameter("base", 0.05, "m")         -- coupler, and distance of the two pivots
local r = m:parameter("r", 0.004, "m")              -- roller
local J_lever = m:parameter("J_lever", 4e-5, "kg m^2")
local J_contact = m:parameter("J_contact", 4e-5, "kg m^2")
local m_coupler = m:parameter("m_coupler", 0.005, "kg")
local J_coupler = m:parameter("J_coupler", 2e-6, "kg m^2")
local k = m:parameter("k", 1, "N m/rad")            -- opening spring, on the moving contact
local rest = m:parameter("rest", 2, "rad")
local l = m:parameter("l", 0.03, "m")               -- hook: pivot to face
local overlap = m:parameter("overlap", 0.001, "m")  -- of the face below the roller's centre
local J_hook = m:parameter("J_hook", 3e-6, "kg m^2")
local k_hook = m:parameter("k_hook", 0.1, "N m/rad")
local preload = m:parameter("preload", 0.05, "N m")
local damping = m:parameter("damping", 2e-5, "N m s/rad")
local open_angle = m:parameter("open_angle", 1.2, "rad")
local raised_angle = m:parameter("raised_angle", 0.3, "rad")
local trip = m:parameter("trip", 0.4, "N m")
local t_trip = m:parameter("t_trip", 2e-3, "s")
local friction = m:parameter("friction", 0.15, "1")
local restitution = m:parameter("restitution", 0.3, "1")
local t = m:time("s")
local phi = m:coordinate("phi", { unit = "rad" })
local theta = m:coordinate("theta", { unit = "rad" }) -- of the coupler
local chi = m:coordinate("chi", { unit = "rad" })
local psi = m:coordinate("psi", { unit = "rad" })

local tip = { L * sin(phi), L * cos(phi) }
local far = { tip[1] - base * cos(theta), tip[2] - base * sin(theta) } -- the other end of the coupler
m:kinetic_energy(J_lever * phi.dot^2 / 2)
m:kinetic_energy(J_contact * chi.dot^2 / 2)
m:kinetic_energy(J_hook * psi.dot^2 / 2)
m:body("coupler", { mass = m_coupler, inertia = J_coupler, at = { (tip[1] + far[1]) / 2, (tip[2] + far[2]) / 2 }, angle = theta })
m:constraint("joint_x", far[1] + base - L * sin(chi))
m:constraint("joint_y", far[2] - L * cos(chi))
m:spring("opening", { length = chi, stiffness = k, rest = rest })
m:damper("bearing", { length = chi, damping = damping })
m:spring("return_spring", { length = psi, stiffness = k_hook, rest = -preload / k_hook })
m:force { torque = carom.select(carom.lt(t, t_trip), 0, trip), angle = psi }

local roller = m:disk("roller", { radius = r, at = tip, angle = -phi })
local function on_hook(dx, dy) return { r + l + cos(psi) * dx + sin(psi) * dy, L - sin(psi) * dx + cos(psi) * dy } end
local face = m:segment("face", { between = { on_hook(-l, -overlap), on_hook(-l, 6 * overlap) } })
m:contact_between(roller, face, { name = "hook", friction = friction })
m:contact("rest_stop", { gap = l * psi })
m:contact("raised", { gap = l * (raised_angle - psi), restitution = restitution })
m:contact("fixed", { gap = L * chi + overlap, restitution = restitution })
m:contact("opened", { gap = L * (open_angle - phi), restitution = restitution })

m:draw("lever", { line = { { 0, 0 }, tip } })
m:draw("rod", { line = { tip, far } })
m:draw("moving", { line = { { -base, 0 }, far } })
m:draw("hook_arm", { line = { on_hook(0, 0), on_hook(-l, 0) } })

m:run { until_time = 0.05, step = 2e-6, scheme = "moreau-jean:theta=0.5" }
return m
