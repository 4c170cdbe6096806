-- Friction in the language: what a frictional contact becomes, and what mistakes in it say.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local load = require("gen.lang.core.load").load

local HEAD = [[
local carom = require "carom"
local m = carom.model "test"
local x = m:coordinate("x", { unit = "m" })
local y = m:coordinate("y", { unit = "m", initial = 1 })
local z = m:coordinate("z", { unit = "m" })
local phi = m:coordinate("phi", { unit = "rad" })
m:kinetic_energy(m:constant("one", 1, "kg") * (x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:kinetic_energy(m:constant("J", 1, "kg m^2") * phi.dot^2 / 2)
local mu = m:parameter("mu", 0.3, "1")
local r = m:parameter("r", 0.5, "m")
]] -- ten lines

local function read(body) return load("test.lua", { text = HEAD .. body .. "\nreturn m\n" }) end

local function refused(name, body, expected)
  T.test(name, function()
    local good, e = pcall(read, body)
    T.ok(not good, "the model was accepted")
    T.ok(fail.is(e), "not a located error: " .. tostring(e))
    T.eq(tostring(e), "test.lua:11: error: " .. expected)
  end)
end

T.test("a frictional contact becomes the tables the generator reads", function()
  local m = read [[
m:contact("plain", { gap = y })
m:contact("planar", { gap = y, restitution = 0.5, friction = mu, slide = x, tangential_restitution = 2 * mu })
m:contact("spatial", { gap = y, friction = 0.2, slide = { x, z } })
m:contact("rolling", { gap = y, friction = mu / 2, slip = x.dot + r * phi.dot })
m:contact("both", { gap = y, friction = 0, slip = { x.dot * carom.cos(phi) + 2 * m:time(), z.dot } })
m:contact("list_of_one", { gap = y, friction = 0, slide = { x } })]]
  local plain, planar, spatial, rolling, both, list = table.unpack(m.contacts)
  local x, z = m.coordinates[1], m.coordinates[3]
  T.eq(plain.friction, nil) T.eq(plain.slide, nil) T.eq(plain.slip, nil) T.eq(plain.tangential_restitution, nil)
  T.eq(planar.friction, E.sym("mu", "param")) T.eq(#planar.slide, 1) T.eq(planar.slide[1], x.q) T.eq(planar.slip, nil)
  T.ok(E.is(planar.tangential_restitution)) T.eq(planar.restitution.value, 0.5)
  T.eq(planar.file, "test.lua") T.eq(planar.line, 12)
  T.eq(spatial.friction.value, 0.2) T.eq(#spatial.slide, 2) T.eq(spatial.slide[2], z.q)
  T.eq(rolling.slide, nil) T.eq(#rolling.slip, 1) T.ok(E.is(rolling.slip[1]))
  T.eq(both.friction, E.zero) T.eq(both.slip[2], z.v)
  T.eq(list.slide[1], x.q)
end)

refused("adhesion without energy", 'm:contact("c", { gap = y, adhesion = { stiffness = 1 } })',
  "energy of adhesion of contact 'c' is missing (or nil: a misspelt name?); write energy = ...")
refused("adhesion of nothing", 'm:contact("c", { gap = y, adhesion = { stiffness = 0, energy = 1 } })',
  "stiffness of adhesion of contact 'c' is 0; leave adhesion out")
refused("adhesion below 0", 'm:contact("c", { gap = y, adhesion = { stiffness = 1, energy = -mu } })',
  "energy of adhesion of contact 'c' is -0.3; write a number that is 0 or more")

refused("friction without a direction", 'm:contact("c", { gap = y, friction = 0.1 })',
  "contact 'c' has friction but no direction to act in; write slide = the tangential displacement, or slip = the "
    .. "tangential velocity")
refused("slide without friction", 'm:contact("c", { gap = y, slide = x })',
  "contact 'c' has slide but no friction; write friction = ... (0 for a coefficient that is set later)")
refused("slip without friction", 'm:contact("c", { gap = y, slip = x.dot })',
  "contact 'c' has slip but no friction; write friction = ... (0 for a coefficient that is set later)")
refused("tangential restitution without friction", 'm:contact("c", { gap = y, tangential_restitution = 0.1 })',
  "contact 'c' has tangential_restitution but no friction; write friction = ... (0 for a coefficient that is set later)")
refused("slide and slip", 'm:contact("c", { gap = y, friction = 0.1, slide = x, slip = x.dot })',
  "contact 'c' has both slide and slip; keep one of the two")
refused("negative friction", 'm:contact("c", { gap = y, friction = -mu, slide = x })',
  "friction of contact 'c' is -0.3; write a number that is 0 or more")
refused("friction of a coordinate", 'm:contact("c", { gap = y, friction = phi, slide = x })',
  "friction of contact 'c' depends on a coordinate ('phi'); write a number or an expression of parameters")
refused("friction of time", 'm:contact("c", { gap = y, friction = m:time(), slide = x })',
  "friction of contact 'c' depends on time ('t'); write a number or an expression of parameters")
refused("friction of an input", 'm:contact("c", { gap = y, friction = m:input("grip", 1), slide = x })',
  "friction of contact 'c' depends on an input ('grip'); write a number or an expression of parameters")
refused("friction with a dimension", 'm:contact("c", { gap = y, friction = r, slide = x })',
  "friction of contact 'c' has the dimension m but must have 1; check its factors (plain numbers have no unit: give "
    .. "them one as parameter or constant)")
refused("friction not finite", 'm:contact("c", { gap = y, friction = carom.log(mu - 0.3), slide = x })',
  "friction of contact 'c' is infinite at the start; change the initial values or the expression")
refused("tangential restitution above 1",
  'm:contact("c", { gap = y, friction = mu, slide = x, tangential_restitution = 1.5 })',
  "tangential_restitution of contact 'c' is 1.5; write a number from 0 to 1")
refused("tangential restitution of a velocity",
  'm:contact("c", { gap = y, friction = mu, slide = x, tangential_restitution = phi.dot * m:constant("s", 1, "s") })',
  "tangential_restitution of contact 'c' depends on a velocity ('phi.dot'); write a number or an expression of "
    .. "parameters")
refused("slide with a velocity", 'm:contact("c", { gap = y, friction = mu, slide = x.dot * m:constant("s", 1, "s") })',
  "slide of contact 'c' depends on a velocity ('x.dot'); write it with coordinates, time and parameters")
refused("slide without a coordinate", 'm:contact("c", { gap = y, friction = mu, slide = { x, r } })',
  "entry 2 of slide of contact 'c' does not depend on any coordinate; write a displacement along the contact")
refused("slip without a velocity", 'm:contact("c", { gap = y, friction = mu, slip = x * m:constant("k", 1, "1/s") })',
  "slip of contact 'c' does not depend on any velocity; write a velocity along the contact, or slide = a displacement")
refused("slip that is not affine", 'm:contact("c", { gap = y, friction = mu, slip = x.dot * phi.dot * m:constant("s", '
  .. '1, "s") })',
  "slip of contact 'c' is not affine in the velocities ('phi.dot'); write sums of velocities times functions of the "
    .. "coordinates")
refused("slip with an input", 'm:contact("c", { gap = y, friction = mu, slip = x.dot - m:input("u", 0, "m/s") })',
  "slip of contact 'c' depends on an input ('u'); write it with coordinates, velocities, time and parameters")
refused("slide of a wrong dimension", 'm:contact("c", { gap = y, friction = mu, slide = x^2 })',
  "slide of contact 'c' has the dimension m^2 but must have m; check its factors (plain numbers have no unit: give "
    .. "them one as parameter or constant)")
refused("slip of a wrong dimension", 'm:contact("c", { gap = y, friction = mu, slip = phi.dot })',
  "slip of contact 'c' has the dimension 1/s but must have m/s; check its factors (plain numbers have no unit: "
    .. "give them one as parameter or constant)")
refused("three directions", 'm:contact("c", { gap = y, friction = mu, slide = { x, z, x } })',
  "slide of contact 'c' must be one expression or two, not a table; write { e1, e2 }")
refused("no direction", 'm:contact("c", { gap = y, friction = mu, slide = {} })',
  "slide of contact 'c' must be one expression or two, not a table; write { e1, e2 }")
refused("a direction that is no expression", 'm:contact("c", { gap = y, friction = mu, slide = "x" })',
  "slide of contact 'c' must be a number or an expression, not a string; check the spelling of its names")

-- ---- other laws -----------------------------------------------------------------------------------------------------

refused("a law of restitution without restitution", 'm:contact("c", { gap = y, restitution_law = "poisson" })',
  "contact 'c' has restitution_law but no restitution; write restitution = ...")
refused("a law that is none", 'm:contact("c", { gap = y, restitution = 0.5, restitution_law = "kane" })',
  "restitution_law of contact 'c' is 'kane'; write \"newton\" or \"poisson\" or \"energetic\"")
refused("energetic restitution with friction in space",
  'm:contact("c", { gap = y, restitution = 0.5, restitution_law = "energetic", friction = mu, slide = { x, z } })',
  "contact 'c' has energetic restitution and friction in space, where the slip turns during an impact; write restitution_law = \"poisson\"")

refused("two coefficients, one direction", 'm:contact("c", { gap = y, friction = { mu, 0.2 }, slide = x })',
  "contact 'c' has two coefficients of friction but 1 direction of sliding; write one, or two directions")
refused("a coefficient of 0 among two", 'm:contact("c", { gap = y, friction = { 0, 0.2 }, slide = { x, z } })',
  "entry 1 of friction of contact 'c' must be above 0; write one coefficient where there is none")
refused("compliance with friction", 'm:contact("c", { gap = y, friction = mu, slide = x, compliance = { stiffness = 1 } })',
  "contact 'c' has compliance and friction; a compliant contact is a force along the gap: leave friction out, or write m:force for it")
refused("compliance without stiffness", 'm:contact("c", { gap = y, compliance = {} })',
  "stiffness of compliance of contact 'c' is missing (or nil: a misspelt name?); write stiffness = ...")
refused("damping for no restitution", 'm:contact("c", { gap = y, compliance = { stiffness = 1e5, damping = "flores", speed = 1 } })',
  "contact 'c' has damping, which is made for a restitution; write restitution = a number above 0 and up to 1")
refused("damping without a speed", 'm:contact("c", { gap = y, restitution = 0.5, compliance = { stiffness = 1e5, damping = "flores" } })',
  "compliance of contact 'c' has damping or speed without the other; write damping = \"flores\", speed = the closing speed it is made for")
refused("a soft exponent", 'm:contact("c", { gap = y, compliance = { stiffness = 1e5, exponent = 0.5 } })',
  "exponent of compliance of contact 'c' is 0.5; write 1 or more (1.5 for spheres)")

refused("rolling without a spin", 'm:contact("c", { gap = y, rolling = 0.01 })',
  "contact 'c' has rolling but no spin that it resists; write turn = the relative angular velocity")
refused("a spin that nothing resists", 'm:contact("c", { gap = y, twist = x.dot })',
  "contact 'c' has twist but no pivoting; write pivoting = a length (0 for one that is set later)")
refused("resistance to rolling below 0", 'm:contact("c", { gap = y, rolling = -0.01, turn = x.dot / m:parameter("len", 1, "m") })',
  "rolling of contact 'c' is -0.01; write a number that is 0 or more")
refused("a spin that is none", 'm:contact("c", { gap = y, rolling = 0.01, turn = mu })',
  "slip of contact 'c_rolling' does not depend on any velocity; write a velocity along the contact, or slide = a displacement")
refused("a soft contact that resists rolling",
  'm:contact("c", { gap = y, rolling = 0.01, turn = x.dot / m:parameter("len", 1, "m"), compliance = { stiffness = 1e5 } })',
  "contact 'c' has compliance and rolling; a compliant contact is a force along the gap: leave rolling out, or write m:force for it")
refused("pivoting in the plane", [[m:contact_between(m:disk("d", { radius = 1, at = { x, y } }), m:plane "g", { pivoting = 0.01 })]],
  "contact between 'd' and 'g' has pivoting, but in the plane nothing turns about the normal; leave it out")

refused("static friction below that of sliding", 'm:contact("c", { gap = y, slide = x, friction = mu, static_friction = 0.2 })',
  "static_friction of contact 'c' is below its friction; write at least as much")
refused("static friction alone", 'm:contact("c", { gap = y, static_friction = 0.2 })',
  "contact 'c' has static_friction but no friction; write friction = ... (0 for a coefficient that is set later)")
refused("a speed of Stribeck's alone", 'm:contact("c", { gap = y, slide = x, friction = mu, stribeck = 0.1 })',
  "contact 'c' has stribeck but no static_friction; write static_friction = ...")
refused("friction that gives nothing", 'm:contact("c", { gap = y, slide = x, friction = function() end })',
  "friction of contact 'c' gives nil (a misspelt name?); return a number or an expression")
refused("friction of a coordinate", 'm:contact("c", { gap = y, slide = x, friction = function(slip) return x end })',
  "friction of contact 'c' depends on a coordinate ('x'); write it with its arguments, numbers and parameters")
refused("restitution of a coordinate", 'm:contact("c", { gap = y, restitution = function(v) return x end })',
  "restitution of contact 'c' depends on a coordinate ('x'); write it with its argument, numbers and parameters")

refused("a bond of nothing", 'm:contact("c", { gap = y, bond = "lasting" })',
  "contact 'c' has bond but no cohesion; write cohesion = ...")
refused("cohesion below 0", 'm:contact("c", { gap = y, cohesion = -1 })', "cohesion of contact 'c' is -1; write a number that is 0 or more")

-- ---- contacts that are found while running ------------------------------------------------------------------------------------------

local function pile(options) return [[local b = m:free_body("b", { mass = 1, inertia = 1, at = { 0, 0, 1 } }) m:contacts_among({
  m:sphere("s", { radius = 1, body = b }), m:plane("g", { normal = { 0, 0, 1 } }) }, { ]] .. options .. " })" end
for _, case in ipairs {
  { "friction = { 0.1, 0.2 }", "contacts_among has two coefficients of friction, but contacts that are found while running have no "
    .. "directions of their own; write one" },
  { "static_friction = 0.2", "contacts_among has static_friction but no friction; write friction = ..." },
  { "friction = 0.3, static_friction = 0.2", "static_friction of contacts_among is below its friction; write at least as much" },
  { 'bond = "lasting"', "contacts_among has bond but no cohesion; write cohesion = ..." },
  { 'restitution = 0.5, restitution_law = "energetic", friction = 0.1', "contacts_among has energetic restitution and friction in space, "
    .. "where the slip turns during an impact; write restitution_law = \"poisson\"" },
  { "cohesion = -1", "cohesion of contacts_among is -1; write a number that is 0 or more" },
} do
  T.test("of a pile: " .. case[1], function()
    local good, e = pcall(read, pile(case[1]))
    T.ok(not good and fail.is(e), "not a located error: " .. tostring(e))
    T.ok(tostring(e):find(case[2], 1, true), tostring(e))
  end)
end

T.finish()
