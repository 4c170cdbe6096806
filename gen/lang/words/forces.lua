-- The words for energies and forces; springs and dampers become the energy terms they stand for.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local frame = require "gen.lang.words.bodies.frame"
local look = require "gen.lang.core.look"
local space = require "gen.lang.core.space"
local text = require "gen.lang.core.text"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local sqrt = value.functions.sqrt
local nodes, term = value.nodes, word.term

-- a word without its options: those come in a table of their own
local function positional(w) return { name = w.name, form = w.form, arguments = w.arguments } end

-- an energy of one argument becomes one term
local function energy(w, kind, argument)
  return function(model, _, given, where)
    term(model, where, { kind = kind, expr = value.node(accept.arguments(w, given, where)[argument]) })
  end
end

local kinetic_energy = word { "kinetic_energy", group = "Energies and forces", "m:kinetic_energy(T)",
  summary = "Adds T to the kinetic energy. The mass matrix is its second derivative by the velocities.",
  arguments = { { "T", "expression", [[At most quadratic in the velocities. Every coordinate needs inertia, from here or
    from a body.]], dim = "J", required = true } },
  notes = "Alike terms, from a loop or in one long sum, are found and emitted as one loop.",
  example = [[
local J = m:parameter("J", 0.02, "kg m^2")
local w = m:coordinate("w", { unit = "rad" })
m:kinetic_energy(J * w.dot^2 / 2)]] }

kinetic_energy.means = energy(kinetic_energy, "kinetic", "T")
kinetic_energy.terms = { kinetic = {
  text = function(t) return "kinetic energy " .. text(t.expr) end,
  check = function(t, _, rotating) look.no_rotation(t, rotating, { t.expr }, "the kinetic energy") end } }

local potential_energy = word { "potential_energy", group = "Energies and forces", "m:potential_energy(V)",
  summary = "Adds V to the potential energy; the force on a coordinate q is -dV/dq.",
  arguments = { { "V", "expression", "Of coordinates, time, inputs and parameters; not of velocities.", dim = "J",
    required = true } },
  example = [[
local g = m:parameter("g", 9.81, "m/s^2")
m:potential_energy(mass * g * y)]] }

potential_energy.means = energy(potential_energy, "potential", "V")
potential_energy.terms = { potential = {
  text = function(t) return "potential energy " .. text(t.expr) end,
  check = function(t, env)
    look.only(t.expr, look.positions, t, "the potential energy", "write velocity-dependent forces with dissipation or force")
    look.at_start(t.expr, env, t, "the potential energy")
  end } }

local dissipation = word { "dissipation", group = "Energies and forces", "m:dissipation(R)",
  summary = "Adds R to Rayleigh's dissipation function; the force on a coordinate q is -dR/d(q.dot).",
  arguments = { { "R", "expression", "For linear damping d*q.dot^2/2, half the power that is lost.", dim = "W",
    required = true } },
  example = [[
local d = m:parameter("d", 0.3, "N s/m")
m:dissipation(d * x.dot^2 / 2)]] }

dissipation.means = energy(dissipation, "dissipation", "R")
dissipation.terms = { dissipation = {
  text = function(t) return "dissipation " .. text(t.expr) end,
  check = function(t, env) look.at_start(t.expr, env, t, "the dissipation") end } }

local force = word { "force", group = "Energies and forces",
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

local function coordinate_force(model, given, where)
  local a = accept.arguments(positional(force), given, where)
  if not a.coordinate or not a.value then
    fail(where, "force needs a coordinate and a value (or one of them is nil: a misspelt name?); write m:force(q, "
      .. "value)")
  end
  for _, c in ipairs(model.coordinates) do
    if c.q == a.coordinate then
      local dim = c.unit and units.div(units.energy, units.parse(c.unit))
      value.expect(a.value, dim, "the force on '" .. c.name .. "'", where)
      return term(model, where, { kind = "force", on = c, value = value.node(a.value) })
    end
  end
end

-- Forces on points in space and torques on free bodies: the torque is kept along the axes of the body.
local function spatial_force(model, o, where)
  if o.at and #o.at ~= #o.value then
    fail(where, "at and value of force have %d and %d components; give both two, or both three in space", #o.at, #o.value)
  end
  if o.at and #o.at == 3 then
    term(model, where, { kind = "spatial_force", at = nodes(o.at), value = nodes(o.value) })
    o.at, o.value = nil, nil
  end
  if not o.body then
    if o.torque and not value.is(o.torque) then
      fail(where, "a torque of three components needs the free body it acts on; write body = ...")
    end
    if o.frame then fail(where, "frame is for the torque on a free body; write body = ... or leave it out") end
    return
  end
  if not o.torque or value.is(o.torque) or o.angle then
    fail(where, "a torque on a free body has three components and no angle; write body = ..., torque = { tx, ty, tz }")
  end
  local torque = o.torque
  if o.frame ~= "body" then torque = space.turned_back(frame.frame(o.body).R, torque) end
  term(model, where, { kind = "body_torque", w = nodes(frame.spin(o.body)), value = nodes(torque) })
  o.torque = nil
end

function force.means(model, _, given, where)
  if not accept.plain_table(given[1]) then return coordinate_force(model, given, where) end
  if given.n > 1 then
    fail(where, "force on a point takes one table; write m:force { at = { x, y }, value = { fx, fy } }")
  end
  local o = accept.options(force, given[1], "force", where)
  if (o.at == nil) ~= (o.value == nil) then
    fail(where, "a force on a point needs both at and value; write at = { x, y }, value = { fx, fy }")
  end
  if (o.torque == nil) ~= (o.angle == nil) and not o.body and (not o.torque or value.is(o.torque)) then
    fail(where, "a torque needs both torque and angle; write torque = ..., angle = ...")
  end
  if not o.at and not o.torque then
    fail(where, "this force says neither at and value nor torque and angle; write m:force { at = { x, y }, value = { "
      .. "fx, fy } }")
  end
  spatial_force(model, o, where)
  if not o.at and not o.torque then return end
  local zero = value.lift(0)
  term(model, where, { kind = "point_force", at = nodes(o.at or { zero, zero }),
    value = nodes(o.value or { zero, zero }),
    torque = o.torque and value.node(o.torque), angle = o.angle and value.node(o.angle) })
end

-- a force or torque on a place: both geometry, finite at the start
local function check_point(t, env)
  for i = 1, #t.at do
    look.place(t.at[i], env, t, "the point of the force")
    look.at_start(t.value[i], env, t, "the force")
  end
  if t.torque then look.at_start(t.torque, env, t, "the torque") end
  if t.angle then look.only(t.angle, look.geometric, t, "the angle of the torque", look.write_geometric) end
end

force.terms = {
  force = {
    text = function(t) return ("force on %s = %s"):format(t.on.name, text(t.value)) end,
    check = function(t, env) look.at_start(t.value, env, t, "the force on '" .. t.on.name .. "'") end },
  point_force = {
    text = function(t)
      local parts = {}
      if t.value then parts[#parts + 1] = ("force %s at %s"):format(text(t.value), text(t.at or { 0, 0 })) end
      if t.torque then parts[#parts + 1] = ("torque %s on the angle %s"):format(text(t.torque), text(t.angle)) end
      return table.concat(parts, ", ")
    end,
    check = check_point },
  spatial_force = {
    text = function(t) return ("force %s at %s"):format(text(t.value), text(t.at)) end,
    check = check_point },
  body_torque = {
    text = function(t) return ("torque %s along the axes of the body of %s"):format(text(t.value), t.w[1].name) end,
    check = function(t, env) for i = 1, 3 do look.at_start(t.value[i], env, t, "the torque") end end },
}

-- name and options of a spring or damper; the name may be left out
local function element(w, state, given, where)
  local name, options = given[1], given[2]
  if accept.plain_table(name) then name, options = nil, given[1] end
  local subject = "this " .. w.name
  if name ~= nil then
    local a = accept.arguments(positional(w), { name, n = 1 }, where)
    subject = w.name .. " '" .. a.name .. "'"
    state.declare(state.bodies, a.name, w.name, where)
  end
  local o = accept.options(w, options, subject, where)
  if (o.between == nil) == (o.length == nil) then
    fail(where, "%s needs either between or length; write between = { p1, p2 } or length = ...", subject)
  end
  return o, subject
end

local function distance_squared(pair)
  local dx, dy = pair[2][1] - pair[1][1], pair[2][2] - pair[1][2]
  local d = dx ^ 2 + dy ^ 2
  return pair[1][3] and d + (pair[2][3] - pair[1][3]) ^ 2 or d
end

local function length_of(o) return o.length or sqrt(distance_squared(o.between)) end

local spring = word { "spring", group = "Energies and forces", "m:spring(name, { between = { p1, p2 }, stiffness = ..., rest = ... })",
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

function spring.means(model, state, given, where)
  local o, subject = element(spring, state, given, where)
  local stretch_squared
  if o.between and (not o.rest or value.node(o.rest) == value.node(value.lift(0))) then
    stretch_squared = distance_squared(o.between) -- smooth where the ends meet
  else
    local length = length_of(o)
    if o.rest then value.expect(o.rest, value.dim(length), "rest of " .. subject, where) end
    stretch_squared = (length - (o.rest or 0)) ^ 2
  end
  value.expect(o.stiffness, units.div(units.energy, value.dim(stretch_squared)), "stiffness of " .. subject, where)
  term(model, where, { kind = "potential", expr = value.node(o.stiffness * stretch_squared / 2) })
  if o.between then table.insert(model.pictured, { name = "spring", drawn = { line = o.between, spring = true } }) end
end

local damper = word { "damper", group = "Energies and forces", "m:damper(name, { between = { p1, p2 }, damping = ... })",
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

function damper.means(model, state, given, where)
  local o, subject = element(damper, state, given, where)
  local speed = value.rate(length_of(o))
  value.expect(o.damping, units.div(units.power, value.dim(speed ^ 2)), "damping of " .. subject, where)
  term(model, where, { kind = "dissipation", expr = value.node(o.damping * speed ^ 2 / 2) })
end

return { words = { kinetic_energy, potential_energy, dissipation, force, spring, damper } }
