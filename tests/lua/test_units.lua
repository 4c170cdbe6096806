-- Units: what a unit string means, what is refused, and how dimensions travel through expressions.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local U = require "gen.lang.core.units"
local load = require("gen.lang.core.load").load

local function same(a, b) T.eq(U.text(U.parse(a)), U.text(U.parse(b)), a .. " against " .. b) T.eq(U.parse(a),
  U.parse(b)) end

T.test("equal dimensions are the same table", function()
  same("N", "kg m/s^2")
  same("N*m", "J")
  same("N m/rad", "J")
  same("kg*m^2", "kg m^2")
  same("W", "J/s")
  same("Pa", "N/m^2")
  same("1/s", "Hz")
  same("rad/s", "s^-1")
  same("m/s/s", "m s^-2")
  same("m/(s s)", "m/s^2")
  same("kg.m", "m kg")
  same("1", "rad")
  same("m^(-1)", "1/m")
  same("V A", "W")
end)

T.test("dimensions as text", function()
  T.eq(U.text(U.parse "J"), "kg m^2/s^2 (J)")
  T.eq(U.text(U.parse "m/s"), "m/s")
  T.eq(U.text(U.parse "1"), "1")
  T.eq(U.text(U.parse "1/s"), "1/s")
  T.eq(U.text(U.parse "kg/(m s)"), "kg/(m s)")
  T.eq(U.text(U.pow(U.parse "m", 0.5)), "m^0.5")
end)

T.test("scaled and unknown units are refused with what to write", function()
  local function refused(text, why, instead)
    local d, w, i = U.parse(text)
    T.eq(d, nil) T.eq(w, why) T.eq(i, instead)
  end
  refused("mm", "contains the scaled unit 'mm'", "write m and multiply the value by 1e-3")
  refused("deg/s", "contains the scaled unit 'deg'", "write rad and multiply the value by carom.pi/180")
  refused("kN/m", "contains the scaled unit 'kN'", "write N and multiply the value by 1e3")
  refused("m/s\xC2\xB2", "contains a superscript", "write ^2 or ^3")
  refused("(m", "lacks a ')'", "close the bracket")
  refused("m^x", "has a wrong exponent", "write a whole number after ^")
  refused("m^99", "has a wrong exponent", "write a whole number after ^")
  refused("", "is not a unit", 'write for example "kg", "m/s^2", "N*m" or "1"')
  refused("m */ x", "is not a unit", 'write for example "kg", "m/s^2", "N*m" or "1"')
  refused("%n", "is not a unit", 'write for example "kg", "m/s^2", "N*m" or "1"')
  T.ok(select(2, U.parse "parsec"):find("unknown unit 'parsec'", 1, true))
  T.ok(not U.parse(("("):rep(59)))
end)

local HEAD = [[
local carom = require "carom"
local m = carom.model "test"
local mass, g, l = m:parameter("mass", 1, "kg"), m:parameter("g", 9.81, "m/s^2"), m:parameter("l", 1, "m")
local q = m:coordinate("q", { unit = "m", initial = 1 })
local th = m:coordinate("th", { unit = "rad" })
local free = m:parameter("free", 1)
m:kinetic_energy(mass * q.dot^2 / 2 + mass * l^2 * th.dot^2 / 2)
]]

local function wrong(name, line, message)
  T.test(name, function()
    local good, e = pcall(load, "test.lua", { text = HEAD .. line .. "\nreturn m" })
    T.ok(not good, "accepted")
    T.eq(tostring(e), "test.lua:8: error: " .. message)
  end)
end

local function right(name, line)
  T.test(name, function() load("test.lua", { text = HEAD .. line .. "\nreturn m" }) end)
end

local HINT = "; check its factors (plain numbers have no unit: give them one as parameter or constant)"
wrong("a sum of unlike quantities", "local x = q + mass",
  "cannot add m and kg: the dimensions differ; check the factors and the units of the parameters")
wrong("a difference of unlike quantities", "local x = q - th",
  "cannot subtract m and 1: the dimensions differ; check the factors and the units of the parameters")
wrong("energy that is none", "m:potential_energy(mass * q)",
  "the V of potential_energy has the dimension kg m but must have kg m^2/s^2 (J)" .. HINT)
wrong("kinetic energy without mass", "m:kinetic_energy(q.dot^2 / 2)",
  "the T of kinetic_energy has the dimension m^2/s^2 but must have kg m^2/s^2 (J)" .. HINT)
wrong("whole numbers are pure factors", "m:potential_energy(mass * 10 * q)",
  "the V of potential_energy has the dimension kg m but must have kg m^2/s^2 (J)" .. HINT)
wrong("sine of a length", "local x = carom.sin(q)",
  "the argument of sin has the dimension m but must have none; divide it by a quantity of that dimension")
wrong("exponent with a dimension", "local x = q^q",
  "the exponent has the dimension m; divide it by a quantity of that dimension")
wrong("variable power of a length", "local x = q^th",
  "a quantity with dimension m cannot have a variable exponent; make the base dimensionless")
wrong("min of unlike quantities", "local x = carom.min(q, mass)",
  "cannot take min of m and kg: the dimensions differ; check the factors and the units of the parameters")
wrong("comparison of unlike quantities", "local x = carom.lt(q, mass)",
  "cannot compare m and kg: the dimensions differ; check the factors and the units of the parameters")
wrong("force on a length", "m:force(q, mass * q)",
  "the force on 'q' has the dimension kg m but must have kg m/s^2 (N)" .. HINT)
wrong("force on an angle is a torque", "m:force(th, mass * g)",
  "the force on 'th' has the dimension kg m/s^2 (N) but must have kg m^2/s^2 (J)" .. HINT)
wrong("dissipation", "m:dissipation(mass * q.dot^2)",
  "the R of dissipation has the dimension kg m^2/s^2 (J) but must have kg m^2/s^3 (W)" .. HINT)
wrong("body", 'm:body("b", { mass = l, at = { q, 0 } })',
  "mass of body 'b' has the dimension m but must have kg" .. HINT)
wrong("place of a body", 'm:body("b", { mass = mass, at = { th, q } })',
  "x of at of body 'b' has the dimension 1 but must have m" .. HINT)
wrong("gravity", "m:gravity(0, -mass)", "the gy of gravity has the dimension kg but must have m/s^2" .. HINT)
wrong("stiffness", 'm:spring("s", { length = q, stiffness = mass })',
  "stiffness of spring 's' has the dimension kg but must have kg/s^2" .. HINT)
wrong("rest length", "m:spring { length = q, stiffness = 1, rest = mass }",
  "rest of this spring has the dimension kg but must have m" .. HINT)
wrong("damping", "m:damper { length = th, damping = mass }",
  "damping of this damper has the dimension kg but must have kg m^2/s" .. HINT)
wrong("output", 'm:output("h", q.dot, { unit = "m" })', "output 'h' has the dimension m/s but must have m" .. HINT)
wrong("initial value", 'm:coordinate("p", { unit = "m", initial = mass })',
  "initial of coordinate 'p' has the dimension kg but must have m" .. HINT)
wrong("initial velocity", 'm:coordinate("p", { unit = "m", velocity = l })',
  "velocity of coordinate 'p' has the dimension m but must have m/s" .. HINT)
wrong("restitution", 'm:contact("c", { gap = q, restitution = l })',
  "restitution of contact 'c' has the dimension m but must have 1" .. HINT)
wrong("a scaled unit", 'm:parameter("d", 50, "mm")',
  "the unit of parameter 'd' is 'mm', which contains the scaled unit 'mm'; write m and multiply the value by 1e-3")
wrong("no unit at all, of an option", 'm:coordinate("p", { unit = "qm" })',
  "unit of coordinate 'p' is 'qm', which contains the unknown unit 'qm'; "
    .. "known units: kg m s A K mol cd N J W Pa Hz C V Ohm F H Wb T rad sr")
wrong("unit of time", 'm:time("m")', 'the unit of time is s, not m; write m:time("s")')
wrong("time with its unit", 'local x = m:time("s") + q',
  "cannot add s and m: the dimensions differ; check the factors and the units of the parameters")

right("numbers as summands fit everything", "local x = (q + 1) * (mass - 2)")
right("unknown units switch the check off", "m:potential_energy(mass * free * q)")
right("a number with a fraction may be a quantity", "m:potential_energy(mass * 9.81 * q)")
right("roots and powers", "m:output('a', carom.sqrt(q^2 + l^2), { unit = 'm' }) m:output('b', (q^3)^(1/3), { unit = "
  .. "'m' })")
right("rad is no dimension", "m:output('a', l * th * th.dot, { unit = 'm/s' })")
right("time without unit", "m:force(q, carom.cos(2 * m:time()) * mass * g)")
right("constants carry units", "local k = m:constant('k', 5, 'N/m') m:potential_energy(k * q^2 / 2)")
right("points with plain numbers", "local b = m:body('b', { mass = mass, at = { q, 0 }, angle = th }) "
  .. "m:output('y', b:point(1, 0.3)[2], { unit = 'm' })")
T.test("only base units that the model uses are required", function()
  local text = [[
local m = require("carom").model "test"
local th = m:coordinate("th", { unit = "rad", initial = 1.2 })
local L, mass, g = 1.0, 1.0, 9.81
m:kinetic_energy(0.5 * mass * L^2 * th.dot^2)
m:potential_energy(-mass * g * L * math.cos(th))
m:force(th, -2 * th)
]]
  load("test.lua", { text = text .. "return m" })
  local e = T.fails(function() load("test.lua", { text = text .. 'm:parameter("p", 1, "kg")\nreturn m' }) end,
    "dimension")
  T.eq(tostring(e), "test.lua:4: error: the T of kinetic_energy has the dimension 1/s^2 but must have "
    .. "kg m^2/s^2 (J)" .. HINT)
end)
T.test("a model without any unit is never refused for units", function()
  load("test.lua", { text = [[
local carom = require "carom"
local m = carom.model "test"
local th = m:coordinate("th", { initial = 1 })
m:gravity(0, -9.81)
local b = m:body("b", { mass = 2, inertia = 1, at = { carom.sin(th), -carom.cos(th) }, angle = th })
m:potential_energy(3 * carom.exp(th) + th)
m:force(th, carom.sin(2 * m:time()))
m:spring { between = { b:point(0, 1), { 1, 1 } }, stiffness = 3, rest = 1 }
m:output("a", th, { unit = "m" })
return m]] })
end)

T.finish()
