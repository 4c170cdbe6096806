-- Every word of the language: its arguments and options with type, dimension, default and consequence. This table checks what
-- a user writes (accept.lua) and is the reference page (reference.lua), so the two cannot drift.
--
-- A word: name, form, summary, gives, arguments, options, later (options of coming versions), notes, example.
-- An argument or option: name, type, dim (a unit string: the dimension required), required, default (as text) and its
-- value where there is one to fill in, doc.
-- Types: name, text, number, expression, point, points, coordinate, unit, function, options.
local words = {}

local function word(w)
  words[#words + 1] = w
  words[w.name] = w
end

local name_argument = { name = "name", type = "name", required = true, doc = "An identifier, used in result columns, in "
  .. "`--set` and in the emitted C. Every name of a model must be different." }
local unit_argument = { name = "unit", type = "unit", doc = "A unit such as `\"kg\"` or `\"m/s^2\"`. Where units are given, "
  .. "dimensions are checked." }

word { name = "model", form = 'carom.model(name)', group = "The model",
  summary = "Starts a model. A file declares one model and returns it in its last line.",
  gives = "the model, `m` below",
  arguments = { { name = "name", type = "name", required = true,
    doc = "The prefix of all emitted C names and the name of the output folder." } },
  example = [[
-- the three lines every model file has:
--   local carom = require "carom"
--   local m = carom.model "example"
--   return m]] }

word { name = "parameter", form = 'm:parameter(name, value, unit)', group = "Quantities",
  summary = "A number that can be changed from run to run without generating again (`--set`, the params struct in C).",
  gives = "an expression",
  arguments = { name_argument,
    { name = "value", type = "number", required = true, doc = "The default." }, unit_argument },
  example = 'local stiffness = m:parameter("stiffness", 40, "N/m")\nm:potential_energy(stiffness * x^2 / 2)' }

word { name = "constant", form = 'm:constant(name, value, unit)', group = "Quantities",
  summary = "A number burnt into the generated code; `--set` on it generates again. Use it for counts and for numbers that "
    .. "never change.",
  gives = "a plain Lua number, fit for loops; with a unit, an expression that carries it",
  arguments = { name_argument,
    { name = "value", type = "number", required = true, doc = "The value. A whole number must stay whole under `--set`." },
    unit_argument },
  example = 'local N = m:constant("N", 3)\nlocal z = {}\nfor i = 1, N do\n'
    .. '  z[i] = m:coordinate("z" .. i, { unit = "m", initial = i })\n  m:kinetic_energy(mass * z[i].dot^2 / 2)\nend' }

word { name = "input", form = 'm:input(name, value, unit)', group = "Quantities",
  summary = "A number the host program may set between two steps: an actuator, a measured load.",
  gives = "an expression",
  arguments = { name_argument,
    { name = "value", type = "number", default = "0", doc = "The value until the host sets another." }, unit_argument },
  notes = "Constant during a step. Gaps and constraints cannot depend on an input, because its rate is not known.",
  example = 'local thrust = m:input("thrust", 0, "N")\nm:force(x, thrust)' }

word { name = "time", form = 'm:time(unit)', group = "Quantities",
  summary = "The time, which starts at 0.",
  gives = "an expression",
  arguments = { { name = "unit", type = "unit", doc = "`\"s\"` if dimensions of expressions with time shall be checked." } },
  example = 'local t = m:time()\nm:force(x, 0.1 * carom.cos(2 * t))' }

word { name = "output", form = 'm:output(name, expression, { unit = ... })', group = "Quantities",
  summary = "A quantity of interest: a column of the result and an entry of the outputs function in C.",
  arguments = { name_argument,
    { name = "expression", type = "expression", required = true, doc = "Of coordinates, velocities, time, inputs and parameters." } },
  options = { { name = "unit", type = "unit", doc = "Its unit; the dimension of the expression is checked against it." } },
  example = 'm:output("speed", carom.sqrt(x.dot^2 + y.dot^2), { unit = "m/s" })' }

word { name = "coordinate", form = 'm:coordinate(name, { unit = ..., initial = ..., velocity = ... })', group = "Motion",
  summary = "A generalised coordinate: a length, an angle, anything that fixes the configuration together with the others.",
  gives = "an expression; its field `.dot` is the velocity",
  arguments = { name_argument },
  options = {
    { name = "unit", type = "unit", doc = "Unit of the coordinate; the velocity has it divided by s." },
    { name = "initial", type = "expression", default = "0", doc = "Value at the start: a number or an expression of parameters. "
      .. "Contacts must not be penetrated there and constraints must hold." },
    { name = "velocity", type = "expression", default = "0", doc = "Velocity at the start, likewise." } },
  notes = "Any expression of coordinates and time has a `.dot`, its time derivative: `(l*sin(q)).dot` is `l*cos(q)*q.dot`. "
    .. "`t` is not available as a name (it is the time column of results).",
  example = 'local phi = m:coordinate("phi", { unit = "rad", initial = carom.pi / 6 })\n'
    .. 'local J = m:parameter("J", 0.1, "kg m^2")\nm:kinetic_energy(J * phi.dot^2 / 2)' }

word { name = "body", form = 'm:body(name, { mass = ..., inertia = ..., at = { x, y }, angle = ... })', group = "Motion",
  summary = "A rigid body in the plane, placed by expressions of the coordinates. It adds its kinetic energy and, with "
    .. "`gravity`, its weight.",
  gives = "a body `b` with `b.at`, `b.angle` and `b:point(dx, dy)`, the place of a point fixed on it",
  arguments = { name_argument },
  options = {
    { name = "mass", type = "expression", dim = "kg", required = true, doc = "Mass." },
    { name = "inertia", type = "expression", dim = "kg m^2", default = "none (a point mass)",
      doc = "Moment of inertia about the centre of mass; needs `angle`." },
    { name = "at", type = "point", dim = "m", required = true, doc = "Place of the centre of mass." },
    { name = "angle", type = "expression", dim = "rad", default = "none (it does not turn)", doc = "Its rotation, counted anticlockwise." } },
  example = 'local theta = m:coordinate("theta", { unit = "rad", initial = 0.5 })\nlocal l = m:parameter("l", 0.4, "m")\n'
    .. 'local J = m:parameter("J", 0.01, "kg m^2")\nlocal rod = m:body("rod", { mass = mass, inertia = J,\n'
    .. '  at = { l/2*carom.sin(theta), -l/2*carom.cos(theta) }, angle = theta })\nlocal tip = rod:point(0, -l/2)\n'
    .. 'm:output("tip_height", tip[2])' }

word { name = "gravity", form = 'm:gravity(gx, gy)', group = "Motion",
  summary = "The acceleration of free fall, acting on every body (not on coordinates whose energies are written by hand).",
  arguments = {
    { name = "gx", type = "expression", dim = "m/s^2", required = true, doc = "Component along x." },
    { name = "gy", type = "expression", dim = "m/s^2", required = true, doc = "Component along y; downwards is negative." } },
  example = 'm:gravity(0, -9.81)' }

word { name = "kinetic_energy", form = 'm:kinetic_energy(T)', group = "Energies and forces",
  summary = "Adds T to the kinetic energy. The mass matrix is its second derivative by the velocities.",
  arguments = { { name = "T", type = "expression", dim = "J", required = true,
    doc = "At most quadratic in the velocities. Every coordinate needs inertia, from here or from a body." } },
  notes = "Many small terms are better than one sum: alike terms are found and emitted as one loop.",
  example = 'local J = m:parameter("J", 0.02, "kg m^2")\nlocal w = m:coordinate("w", { unit = "rad" })\nm:kinetic_energy(J * w.dot^2 / 2)' }

word { name = "potential_energy", form = 'm:potential_energy(V)', group = "Energies and forces",
  summary = "Adds V to the potential energy; the force on a coordinate q is -dV/dq.",
  arguments = { { name = "V", type = "expression", dim = "J", required = true,
    doc = "Of coordinates, time, inputs and parameters; not of velocities." } },
  example = 'local g = m:parameter("g", 9.81, "m/s^2")\nm:potential_energy(mass * g * y)' }

word { name = "dissipation", form = 'm:dissipation(R)', group = "Energies and forces",
  summary = "Adds R to Rayleigh's dissipation function; the force on a coordinate q is -dR/d(q.dot).",
  arguments = { { name = "R", type = "expression", dim = "W", required = true,
    doc = "For linear damping d*q.dot^2/2, half the power that is lost." } },
  example = 'local d = m:parameter("d", 0.3, "N s/m")\nm:dissipation(d * x.dot^2 / 2)' }

word { name = "force", form = 'm:force(coordinate, value)   m:force { at = { x, y }, value = { fx, fy } }   '
    .. 'm:force { torque = ..., angle = ... }', group = "Energies and forces",
  summary = "A force along a coordinate, a force on a point, or a torque on an angle. It may depend on everything: "
    .. "coordinates, velocities, time, inputs, parameters.",
  arguments = {
    { name = "coordinate", type = "coordinate", doc = "What a coordinate's force acts on." },
    { name = "value", type = "expression", doc = "The generalised force; its dimension is J divided by the coordinate's." } },
  options = {
    { name = "at", type = "point", dim = "m", doc = "The point a force acts on." },
    { name = "value", type = "point", dim = "N", doc = "Components of the force on that point; needs `at`." },
    { name = "torque", type = "expression", dim = "N m", doc = "A torque; needs `angle`." },
    { name = "angle", type = "expression", dim = "rad", doc = "The angle the torque acts on." } },
  example = 'm:force(x, -0.2 * x.dot)\nm:force { at = { x, y }, value = { 0, 0.5 } }' }

word { name = "spring", form = 'm:spring(name, { between = { p1, p2 }, stiffness = ..., rest = ... })', group = "Energies and forces",
  summary = "A linear spring between two points, or on any length or angle: the potential k/2 (l - rest)^2.",
  arguments = { { name = "name", type = "name", default = "none", doc = "May be left out." } },
  options = {
    { name = "between", type = "points", dim = "m", doc = "Its two ends, each `{ x, y }`. Either this or `length`." },
    { name = "length", type = "expression", doc = "Its length as an expression, or the angle of a torsional spring." },
    { name = "stiffness", type = "expression", required = true, doc = "Force per length (or torque per angle)." },
    { name = "rest", type = "expression", default = "0", doc = "The length without force. Between points a rest length other than 0 "
      .. "needs ends that never meet: the direction of the force is not defined there." } },
  example = 'local k = m:parameter("k", 200, "N/m")\nm:spring("leg", { between = { { 0, 0 }, { x, y } }, stiffness = k, rest = 1 })' }

word { name = "damper", form = 'm:damper(name, { between = { p1, p2 }, damping = ... })', group = "Energies and forces",
  summary = "A linear damper between two points, or on any length or angle: the dissipation d/2 (dl/dt)^2.",
  arguments = { { name = "name", type = "name", default = "none", doc = "May be left out." } },
  options = {
    { name = "between", type = "points", dim = "m", doc = "Its two ends, each `{ x, y }`. Either this or `length`." },
    { name = "length", type = "expression", doc = "Its length as an expression, or the angle of a torsional damper." },
    { name = "damping", type = "expression", required = true, doc = "Force per speed (or torque per angular speed)." } },
  example = 'local c = m:parameter("c", 3, "N s/m")\nm:damper { length = x, damping = c }' }

word { name = "contact", form = 'm:contact(name, { gap = ..., restitution = ... })', group = "Contacts and constraints",
  summary = "A unilateral contact: the gap stays nonnegative, the contact force only pushes, and it is zero while the gap is open.",
  arguments = { name_argument },
  options = {
    { name = "gap", type = "expression", required = true, doc = "Distance to penetration: positive apart, zero touching. Of coordinates, "
      .. "time and parameters. A true distance gives impulses in N s; any smooth function with the same sign is allowed." },
    { name = "restitution", type = "expression", dim = "1", default = "0", doc = "Newton's coefficient between 0 (no rebound) and 1 "
      .. "(no loss): the gap opens with this fraction of the speed it closed with. A number or an expression of parameters." } },
  later = { friction = true, slide = true, slip = true },
  example = 'm:contact("floor", { gap = y, restitution = 0.5 })' }

word { name = "constraint", form = 'm:constraint(name, { zero = expression })', group = "Contacts and constraints",
  summary = "A bilateral constraint: the expression stays zero, by a force of either sign.",
  arguments = { name_argument },
  options = { { name = "zero", type = "expression", required = true, doc = "Of coordinates, time and parameters. It and its rate must "
    .. "be zero at the start. `m:constraint(name, expression)` means the same." } },
  notes = "With time in it the constraint is a drive: `theta - omega*t`.",
  example = 'm:constraint("wire", { zero = y - 2 * x })' }

word { name = "run", form = 'm:run { until_time = ..., step = ..., scheme = ... }', group = "Running",
  summary = "What `carom run` does when nothing is said on the command line.",
  options = {
    { name = "until_time", type = "number", default = "10", value = 10.0, doc = "End of the run in s." },
    { name = "step", type = "number", default = "until_time/10000", doc = "Step in s. Smaller is more accurate and slower; the scheme says how." },
    { name = "scheme", type = "text", default = '"D-:M=1"', value = "D-:M=1", doc = "A scheme as `carom schemes` lists them." } },
  example = 'm:run { until_time = 2, step = 1e-3, scheme = "D-:M=1" }' }

word { name = "exact", form = 'm:exact(function(t, p) return { q = ..., ["q.dot"] = ... } end)', group = "Running",
  summary = "A known solution, for convergence studies.",
  arguments = { { name = "solution", type = "function", required = true, doc = "Gets the time and a table of parameter values by name, "
    .. "plain numbers both; gives a table of coordinates and velocities by name. Some may be missing." } },
  example = 'm:exact(function(t) return { x = 1, ["x.dot"] = 0 * t } end)' }

return words
