-- The modelling language: what a model becomes. (test_mistakes.lua: what mistakes say.)
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local load = require("gen.lang.core.load").load

local HEAD = 'local carom = require "carom"\nlocal m = carom.model "test"\n'
local BALL = HEAD .. 'local q = m:coordinate("q", { unit = "m", initial = 1 })\nm:kinetic_energy(q.dot^2 / 2 * '
  .. 'm:constant("one", 1, "kg"))\n'

local function read(text, options)
  options = options or {}
  options.text = text
  return load("test.lua", options)
end

T.test("a model becomes the tables the generator reads", function()
  local m, consumed = read [[
local carom = require "carom"
local m = carom.model "all"
local mass = m:parameter("mass", 2, "kg")
local N = m:constant("N", 3)
local L = m:constant("L", 0.5, "m")
local u = m:input("u", 4, "N")
local t = m:time()
local x = m:coordinate("x", { unit = "m", initial = 2 * L, velocity = -1 })
local th = m:coordinate("th", { unit = "rad", velocity = N })
m:gravity(0, -9.81)
local b = m:body("b", { mass = mass, inertia = mass * L^2, at = { x, 0 }, angle = th })
m:kinetic_energy(mass * x.dot^2 / 2)
m:potential_energy(mass * 9 * m:constant("g", 1, "m/s^2") * x)
m:dissipation(0)
m:force(x, u)
m:force { at = b:point(0, L), value = { u, 0 } }
m:force { torque = u * L, angle = th }
m:contact("wall", { gap = x, restitution = 0.25 })
m:constraint("drive", th - 3 * t)
m:constraint("drive2", { zero = th - 3 * t })
m:output("y", b:point(L, 0)[2], { unit = "m" })
m:run { until_time = 2, step = 0.1, scheme = "D-:M=1" }
m:exact(function(time) return { x = time } end)
return m
]]
  T.eq(#consumed, 0)
  T.eq(m.name, "all") T.eq(m.file, "test.lua") T.eq(m.line, 2)
  T.eq(#m.parameters, 1) T.eq(m.parameters[1].name, "mass") T.eq(m.parameters[1].value, 2.0)
  T.eq(m.parameters[1].unit, "kg") T.eq(m.parameters[1].sym, E.sym("mass", "param")) T.eq(m.parameters[1].line, 3)
  T.eq(#m.constants, 3) T.eq(m.constants[1].value, 3) T.eq(math.type(m.constants[1].value), "integer")
  T.eq(m.inputs[1].name, "u") T.eq(m.inputs[1].value, 4.0)
  local x, th = m.coordinates[1], m.coordinates[2]
  T.eq(x.q, E.sym("x", "q")) T.eq(x.v, E.sym("x.dot", "v")) T.eq(x.initial.value, 1.0) T.eq(x.velocity.value, -1.0)
  T.eq(th.velocity.value, 3.0) T.eq(th.unit, "rad")
  local kinds = {}
  for i, term in ipairs(m.terms) do kinds[i] = term.kind .. ":" .. term.line end
  T.eq(table.concat(kinds, " "), "body:11 kinetic:12 potential:13 dissipation:14 force:15 point_force:16 "
    .. "point_force:17")
  T.eq(m.terms[5].on, x)
  T.eq(m.terms[6].torque, nil)
  T.eq(m.terms[7].at[1], E.zero) T.ok(m.terms[7].torque)
  T.eq(m.gravity[2].value, -9.81)
  T.eq(m.contacts[1].gap, x.q) T.eq(m.contacts[1].restitution.value, 0.25)
  T.eq(m.constraints[1].expr, m.constraints[2].expr)
  T.eq(m.outputs[1].unit, "m")
  T.eq(m.run.until_time, 2) T.eq(m.run.scheme, "D-:M=1")
  T.eq(m.exact(3).x, 3)
  T.eq(m.time, E.sym("t", "time"))
  T.eq(#m.files, 1) T.eq(m.files[1], "test.lua")
  local list = {}
  for i, n in ipairs(m.names) do list[i] = n.name .. "/" .. n.kind end
  T.eq(table.concat(list, " "), "mass/parameter N/constant L/constant g/constant u/input x/coordinate x.dot/velocity "
    .. "th/coordinate th.dot/velocity")
end)

T.test("run has defaults", function()
  local m = read(BALL .. "return m")
  T.eq(m.run.until_time, 10.0) T.eq(m.run.step, 1e-3) T.eq(m.run.scheme, "D-:M=1")
  T.eq(read(BALL .. "m:run { until_time = 1e-3 } return m").run.step, 1e-7)
end)

T.test("points on a body turn with it", function()
  local m = read(HEAD .. [[
local x = m:coordinate("x", { initial = 1 })
local a = m:coordinate("a", { initial = 0.3 })
local b = m:body("b", { mass = 1, inertia = 1, at = { x, 2 }, angle = a })
local p = b:point(3, 4)
m:output("px", p[1]) m:output("py", p[2])
return m]])
  local env = { [m.coordinates[1].q] = 1, [m.coordinates[2].q] = 0.3 }
  T.near(eval(m.outputs[1].expr, env), 1 + 3 * math.cos(0.3) - 4 * math.sin(0.3), 1e-15)
  T.near(eval(m.outputs[2].expr, env), 2 + 3 * math.sin(0.3) + 4 * math.cos(0.3), 1e-15)
end)

T.test("springs and dampers are the energies they stand for", function()
  local m = read(HEAD .. [[
local x = m:coordinate("x", { initial = 3 })
local y = m:coordinate("y", { initial = 4 })
m:body("b", { mass = 1, at = { x, y } })
m:spring("s", { between = { { 0, 0 }, { x, y } }, stiffness = 10, rest = 1 })
m:spring { between = { { 0, 0 }, { x, y } }, stiffness = 10 }
m:spring { length = x, stiffness = 2, rest = 1 }
m:damper { between = { { 0, 0 }, { x, y } }, damping = 5 }
return m]])
  local x, y = m.coordinates[1], m.coordinates[2]
  local env = { [x.q] = 3, [y.q] = 4, [x.v] = 0.5, [y.v] = -2 }
  T.near(eval(m.terms[2].expr, env), 10 / 2 * (5 - 1)^2, 1e-13)
  T.near(eval(m.terms[3].expr, env), 10 / 2 * 25, 1e-13)
  T.near(eval(m.terms[4].expr, env), (3 - 1)^2, 1e-13)
  T.near(eval(m.terms[5].expr, env), 5 / 2 * ((3 * 0.5 - 4 * 2) / 5)^2, 1e-13)
end)

T.test(".dot of any expression is its time derivative", function()
  local m = read(HEAD .. [[
local q = m:coordinate("q", { initial = 1 })
m:kinetic_energy(((q^2).dot)^2 / 2)
m:output("r", (carom.sin(q) * m:time()).dot)
return m]])
  local env = { [m.coordinates[1].q] = 2, [m.coordinates[1].v] = 3, [m.time] = 5 }
  T.near(eval(m.terms[1].expr, env), 72, 1e-13)
  T.near(eval(m.outputs[1].expr, env), math.cos(2) * 3 * 5 + math.sin(2), 1e-13)
end)

T.test("functions of numbers are numbers, of expressions expressions", function()
  local m = read(HEAD .. [[
local q = m:coordinate("q", { initial = carom.sin(0.5) + math.sin(0.5) })
assert(carom.max(1, 2) == 2 and carom.select(carom.lt(1, 2), 3, 4) == 3 and carom.sum {} == 0)
m:kinetic_energy(carom.sum { q.dot^2, q.dot^2 })
m:output("a", carom.select(carom.gt(q, 0), math.sin(q), carom.atan(q, 2)))
return m]])
  T.near(m.coordinates[1].initial.value, 2 * math.sin(0.5), 1e-16)
  T.eq(m.outputs[1].expr.op, "select")
end)

T.test("--set replaces constants, and only these", function()
  local text = HEAD .. [[
local N = m:constant("N", 2)
local p = m:parameter("p", 5)
for i = 1, N do
  local q = m:coordinate("q" .. i)
  m:kinetic_energy(p * q.dot^2)
end
return m]]
  local m, consumed = read(text, { set = { N = "4", p = 7, unknown = 1 } })
  T.eq(#m.coordinates, 4) T.eq(m.coordinates[4].name, "q4")
  T.eq(table.concat(consumed, ","), "N")
  T.eq(m.parameters[1].value, 5.0)
  T.eq(#read(text, { set = { N = 3.0 } }).coordinates, 3)
  local why = T.fails(function() read(text, { set = { N = 2.5 } }) end, "whole number")
  T.eq(tostring(why),
    "test.lua:3: error: the constant 'N' is declared as a whole number, 2: give one, or write 2.0 in the model so that any may be set")
  T.fails(function() read(text, { set = { N = "many" } }) end,
    "%-%-set N=many is not a finite number; write %-%-set N=2")
end)

T.test("exact gets numbers and parameter values, and its answer is checked", function()
  local m = read(BALL .. 'm:parameter("g", 2)\nm:exact(function(t, p) return { q = p.g * t, ["q.dot"] = p.g } '
    .. 'end)\nreturn m')
  T.eq(m.exact(2).q, 4.0)
  T.eq(m.exact(2, { g = 5 }).q, 10)
end)
T.finish()
