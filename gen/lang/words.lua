-- Every word of the language: its arguments and options with type, dimension, default and consequence. This table
-- checks what a user writes (accept.lua) and is the reference page (reference.lua), so the two cannot drift.
--
-- A word: name, group, form (one per line), summary, gives, arguments, options, notes, example. An argument or option is
-- { name, type, doc, ... } with dim (a unit string: the dimension required), required, default (as text) and its value
-- where there is one to fill in. The words for contacts and shapes are in words_contact.lua and words_shape.lua.
-- Types: name, text, number, numbers, choice, expression, expressions, point, points, place, vector, torque, tensor,
-- orientation, coordinate, body, free_body, any_body, shape, shapes, rows, unit, function; of links: link, rotation, joint_values,
-- limits; of meshes: mesh, counts, lengths, file, boundary, field, damping.
local words = {}
local group

local function fold(text) return text and (string.gsub(string.gsub(text, "%s+", " "), "^ ", "")) end

local function specs(list)
  for _, s in ipairs(list or {}) do s.name, s.type, s.doc = s[1], s[2], fold(s[3]) end
  return list
end

local function word(w)
  w.name, w.group, w.form = w[1], group, w[2]
  w.summary, w.gives, w.notes = fold(w.summary), fold(w.gives), fold(w.notes)
  w.arguments, w.options = specs(w.arguments), specs(w.options)
  words[#words + 1] = w
  words[w.name] = w
end

local name_argument = { "name", "name", "An identifier, used in result columns, in `--set` and in the emitted C. Every "
  .. "name of a model must be different.", required = true }
local unit_argument = { "unit", "unit", "A unit such as `\"kg\"` or `\"m/s^2\"`. Where units are given, dimensions are "
  .. "checked." }

group = "The model"

word { "model", "carom.model(name)",
  summary = "Starts a model. A file declares one model and returns it in its last line.",
  gives = "the model, `m` below",
  arguments = { { "name", "name", "The prefix of all emitted C names and the name of the output folder.",
    required = true } },
  example = [[
-- the three lines every model file has:
--   local carom = require "carom"
--   local m = carom.model "example"
--   return m]] }

group = "Quantities"

word { "parameter", "m:parameter(name, value, unit)",
  summary = [[A number that can be changed from run to run without generating again (`--set`, the params struct in
    C).]],
  gives = "an expression",
  arguments = { name_argument, { "value", "number", "The default.", required = true }, unit_argument },
  example = [[
local stiffness = m:parameter("stiffness", 40, "N/m")
m:potential_energy(stiffness * x^2 / 2)]] }

word { "constant", "m:constant(name, value, unit)",
  summary = [[A number burnt into the generated code; `--set` on it generates again. Use it for counts and for numbers
    that never change.]],
  gives = "a plain Lua number, fit for loops; with a unit, an expression that carries it",
  arguments = { name_argument,
    { "value", "number", "The value. A whole number must stay whole under `--set`.", required = true }, unit_argument },
  example = [[
local N = m:constant("N", 3)
local z = {}
for i = 1, N do
  z[i] = m:coordinate("z" .. i, { unit = "m", initial = i })
  m:kinetic_energy(mass * z[i].dot^2 / 2)
end]] }

word { "input", "m:input(name, value, unit)",
  summary = "A number the host program may set between two steps: an actuator, a measured load.",
  gives = "an expression",
  arguments = { name_argument, { "value", "number", "The value until the host sets another.", default = "0" },
    unit_argument },
  notes = [[Constant during a step. Gaps and constraints cannot depend on an input, because its rate is not known.]],
  example = [[
local thrust = m:input("thrust", 0, "N")
m:force(x, thrust)]] }

word { "time", "m:time(unit)",
  summary = "The time, which starts at 0.",
  gives = "an expression",
  arguments = { { "unit", "unit", "`\"s\"` if dimensions of expressions with time shall be checked." } },
  example = [[
local t = m:time()
m:force(x, 0.1 * carom.cos(2 * t))]] }

word { "output", "m:output(name, expression, { unit = ... })",
  summary = "A quantity of interest: a column of the result and an entry of the outputs function in C.",
  arguments = { name_argument,
    { "expression", "expression", "Of coordinates, velocities, time, inputs and parameters.", required = true } },
  options = { { "unit", "unit", "Its unit; the dimension of the expression is checked against it." } },
  example = [[
m:output("speed", carom.sqrt(x.dot^2 + y.dot^2), { unit = "m/s" })]] }

group = "Motion"

word { "coordinate", "m:coordinate(name, { unit = ..., initial = ..., velocity = ... })",
  summary = [[A generalised coordinate: a length, an angle, anything that fixes the configuration together with the
    others.]],
  gives = "an expression; its field `.dot` is the velocity",
  arguments = { name_argument },
  options = {
    { "unit", "unit", "Unit of the coordinate; the velocity has it divided by s." },
    { "initial", "expression", [[Value at the start: a number or an expression of parameters. Contacts must not be
      penetrated there and constraints must hold.]], default = "0" },
    { "velocity", "expression", "Velocity at the start, likewise.", default = "0" } },
  notes = [[Any expression of coordinates and time has a `.dot`, its time derivative: `(l*sin(q)).dot` is
    `l*cos(q)*q.dot`. `t` is not available as a name (it is the time column of results).]],
  example = [[
local phi = m:coordinate("phi", { unit = "rad", initial = carom.pi / 6 })
local J = m:parameter("J", 0.1, "kg m^2")
m:kinetic_energy(J * phi.dot^2 / 2)]] }

word { "body", "m:body(name, { mass = ..., inertia = ..., at = { x, y }, angle = ... })",
  summary = [[A rigid body in the plane, placed by expressions of the coordinates. It adds its kinetic energy and, with
    `gravity`, its weight.]],
  gives = "a body `b` with `b.at`, `b.angle` and `b:point(dx, dy)`, the place of a point fixed on it",
  arguments = { name_argument },
  options = {
    { "mass", "expression", "Mass, a number or an expression of parameters.", dim = "kg", required = true },
    { "inertia", "expression", "Moment of inertia about the centre of mass; needs `angle`.", dim = "kg m^2",
      default = "none (a point mass)" },
    { "at", "point", "Place of the centre of mass.", dim = "m", required = true },
    { "angle", "expression", "Its rotation, counted anticlockwise.", dim = "rad",
      default = "none (it does not turn)" } },
  example = [[
local theta = m:coordinate("theta", { unit = "rad", initial = 0.5 })
local l = m:parameter("l", 0.4, "m")
local J = m:parameter("J", 0.01, "kg m^2")
local rod = m:body("rod", { mass = mass, inertia = J,
  at = { l/2*carom.sin(theta), -l/2*carom.cos(theta) }, angle = theta })
local tip = rod:point(0, -l/2)
m:output("tip_height", tip[2])]] }

word { "gravity", "m:gravity(gx, gy)\nm:gravity(gx, gy, gz)",
  summary = [[The acceleration of free fall, acting on every body (not on coordinates whose energies are written by
    hand).]],
  arguments = {
    { "gx", "expression", "Component along x.", dim = "m/s^2", required = true },
    { "gy", "expression", "Component along y; downwards is negative.", dim = "m/s^2", required = true },
    { "gz", "expression", "Component along z, for free bodies.", dim = "m/s^2", default = "0" } },
  example = "m:gravity(0, -9.81)" }

local function grouped(name)
  group = name
  return word
end
require "gen.lang.words.bodies.entries" (grouped "Bodies in space", name_argument)
require "gen.lang.words.links.entries" (grouped "Bodies in space", name_argument)

group = "Energies and forces"

word { "kinetic_energy", "m:kinetic_energy(T)",
  summary = "Adds T to the kinetic energy. The mass matrix is its second derivative by the velocities.",
  arguments = { { "T", "expression", [[At most quadratic in the velocities. Every coordinate needs inertia, from here or
    from a body.]], dim = "J", required = true } },
  notes = "Alike terms, from a loop or in one long sum, are found and emitted as one loop.",
  example = [[
local J = m:parameter("J", 0.02, "kg m^2")
local w = m:coordinate("w", { unit = "rad" })
m:kinetic_energy(J * w.dot^2 / 2)]] }

word { "potential_energy", "m:potential_energy(V)",
  summary = "Adds V to the potential energy; the force on a coordinate q is -dV/dq.",
  arguments = { { "V", "expression", "Of coordinates, time, inputs and parameters; not of velocities.", dim = "J",
    required = true } },
  example = [[
local g = m:parameter("g", 9.81, "m/s^2")
m:potential_energy(mass * g * y)]] }

word { "dissipation", "m:dissipation(R)",
  summary = "Adds R to Rayleigh's dissipation function; the force on a coordinate q is -dR/d(q.dot).",
  arguments = { { "R", "expression", "For linear damping d*q.dot^2/2, half the power that is lost.", dim = "W",
    required = true } },
  example = [[
local d = m:parameter("d", 0.3, "N s/m")
m:dissipation(d * x.dot^2 / 2)]] }

word { "force",
  "m:force(coordinate, value)\nm:force { at = { x, y }, value = { fx, fy } }\nm:force { torque = ..., angle = ... }\n"
    .. "m:force { at = { x, y, z }, value = { fx, fy, fz } }\nm:force { body = ..., torque = { tx, ty, tz }, frame = ... }",
  summary = [[A force along a coordinate, a force on a point, or a torque on an angle. It may depend on everything:
    coordinates, velocities, time, inputs, parameters.]],
  arguments = {
    { "coordinate", "coordinate", "What a coordinate's force acts on." },
    { "value", "expression", "The generalised force; its dimension is J divided by the coordinate's." } },
  options = {
    { "at", "place", "The point a force acts on, in the plane or in space.", dim = "m" },
    { "value", "place", "Components of the force on that point; needs `at`.", dim = "N" },
    { "torque", "torque", "A torque on an angle, or three components on a free body.", dim = "N m" },
    { "angle", "expression", "The angle a plane torque acts on.", dim = "rad" },
    { "body", "free_body", "The free body a torque acts on." },
    { "frame", "choice", "Whose axes the three components of a torque are along.", choices = { "space", "body" },
      default = '"space"' } },
  example = [[
m:force(x, -0.2 * x.dot)
m:force { at = { x, y }, value = { 0, 0.5 } }

local ball = m:free_body("ball", { mass = 1, inertia = 0.1 })
m:force { at = ball:point(0, 0, 0.2), value = { 1, 0, 0 } }
m:force { body = ball, torque = { 0, 0, 0.1 }, frame = "body" }]] }

word { "spring", "m:spring(name, { between = { p1, p2 }, stiffness = ..., rest = ... })",
  summary = "A linear spring between two points, or on any length or angle: the potential k/2 (l - rest)^2.",
  arguments = { { "name", "name", "May be left out.", default = "none" } },
  options = {
    { "between", "points", "Its two ends, each `{ x, y }` or `{ x, y, z }`. Either this or `length`.", dim = "m",
      spatial = true },
    { "length", "expression", "Its length as an expression, or the angle of a torsional spring." },
    { "stiffness", "expression", "Force per length (or torque per angle).", required = true },
    { "rest", "expression", [[The length without force. Between points a rest length other than 0 needs ends that never
      meet: the direction of the force is not defined there.]], default = "0" } },
  example = [[
local k = m:parameter("k", 200, "N/m")
m:spring("leg", { between = { { 0, 0 }, { x, y } }, stiffness = k, rest = 1 })]] }

word { "damper", "m:damper(name, { between = { p1, p2 }, damping = ... })",
  summary = "A linear damper between two points, or on any length or angle: the dissipation d/2 (dl/dt)^2.",
  arguments = { { "name", "name", "May be left out.", default = "none" } },
  options = {
    { "between", "points", [[Its two ends, each `{ x, y }` or `{ x, y, z }`, which must never meet. Either this or
      `length`.]], dim = "m", spatial = true },
    { "length", "expression", "Its length as an expression, or the angle of a torsional damper." },
    { "damping", "expression", "Force per speed (or torque per angular speed).", required = true } },
  example = [[
local c = m:parameter("c", 3, "N s/m")
m:damper { length = x, damping = c }]] }

require "gen.lang.words.contacts_entries" (grouped "Contacts and constraints", name_argument)
require "gen.lang.words.shapes.entries_solid" (grouped "Shapes in space", name_argument)
require "gen.lang.words.shapes.entries" (grouped "Planar shapes, and contacts between shapes", name_argument)
require "gen.lang.words.piles.entries" (grouped "Piles")
require "gen.lang.words.meshes.entries" (grouped "Finite elements", name_argument)

group = "Running"

word { "run", "m:run { until_time = ..., step = ..., scheme = ... }",
  summary = "What `carom run` does when nothing is said on the command line.",
  options = {
    { "until_time", "number", "End of the run in s.", default = "10", value = 10.0 },
    { "step", "number", "Step in s. Smaller is more accurate and slower; the scheme says how.",
      default = "until_time/10000" },
    { "cfl", "number", [[Instead of step, for meshes: the step is this number times the time in which the fastest wave of
      the material crosses a cell, whose edge is that of a cube (square) of the cells' mean volume (area), of triangles and tetrahedra as
      well; the shortest such step over the bodies. `check`, the small path and PETSc take the same.]], default = "none" },
    { "frames", "number", "For meshes: pictures (VTU files) of a run on PETSc.", default = "0" },
    { "scheme", "text", "A scheme as `carom schemes` lists them.", default = '"D-:M=1"', value = "D-:M=1" },
    { "assemble", "flag", [[true: initial positions that break constraints or penetrate contacts, and velocities that break
      constraints, are projected once (the shortest way in the metric of the mass matrix), and it is told by how much. Defects
      below 1e-5 of the model's size are projected anyway, with a warning.]], default = "false" } },
  example = [[
m:run { until_time = 2, step = 1e-3, scheme = "D-:M=1" }]] }

word { "exact", 'm:exact(function(t, p) return { q = ..., ["q.dot"] = ... } end, events)',
  summary = "A known solution, for convergence studies.",
  arguments = { { "solution", "function", [[Gets the time and a table of parameter values by name, plain numbers both;
    gives a table of coordinates and velocities by name. Some may be missing. At an impact it gives the velocities
    after it.]], required = true },
    { "events", "function", [[Gets the table of parameter values and the end of the run; gives the list of times at
      which velocities jump or forces change, in ascending order: `carom study` keeps them off its grids.]],
      default = "none" } },
  example = [[
m:exact(function(t) return { x = 1, ["x.dot"] = 0 * t } end)]] }

return words
