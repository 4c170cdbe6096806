-- The word free_body: a rigid body with three coordinates for its place and a rotation of its own.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local free_body = require "gen.lang.words.bodies.frame"
local names = require "gen.lang.core.names"
local rates = require "gen.lang.core.rate"
local space = require "gen.lang.core.space"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local W = {}
local sqrt, sin, cos = value.functions.sqrt, value.functions.sin, value.functions.cos

local function nodes(list)
  local result = {}
  for i, v in ipairs(list) do result[i] = value.node(v) end
  return result
end

--- Values made to unit length: numbers at once, anything else as an expression.
local function unit(list, what, where)
  local squares, known, result = 0, 0, {}
  for _, v in ipairs(list) do
    local n = value.node(v)
    known = known and n.op == "num" and known + n.value ^ 2
    squares = squares + v ^ 2
  end
  if known == 0 then fail(where, "%s has the length 0; write a direction", what) end
  local length = known and math.sqrt(known) or sqrt(squares)
  for i, v in ipairs(list) do
    result[i] = known and value.wrap(E.num(value.node(v).value / length), units.any)
      or value.wrap(value.node(v / length), units.any)
  end
  return result
end

local function quaternion(o, what, where)
  if not o then return { value.lift(1), value.lift(0), value.lift(0), value.lift(0) } end
  if not o.axis then return unit(o, what, where) end
  local axis = unit(o.axis, "axis of " .. what, where)
  local half = o.angle / 2
  local s = sin(half)
  local q = { cos(half), s * axis[1], s * axis[2], s * axis[3] }
  for i = 1, 4 do q[i] = value.wrap(value.node(q[i]), units.any) end
  return q
end

-- Declares NAME_suffix among the quantities.
local function component(state, name, suffix, where)
  local full = name .. suffix
  local why, instead = names.refusal(full)
  if why then fail(where, "the name '%s' of a coordinate of free body '%s' %s; %s", full, name, why, instead) end
  state.declare(state.taken, full, "free body", where)
  return full
end

local function symbols(state, name, suffixes, kind, where)
  local list = {}
  for i, suffix in ipairs(suffixes) do list[i] = E.sym(component(state, name, suffix, where), kind) end
  return list
end

local function wrapped(list, dim)
  local result = {}
  for i, n in ipairs(list) do result[i] = value.wrap(n, dim) end
  return result
end

local metre = units.parse "m"
local per_second = units.parse "rad/s"

function W.free_body(model, state, given, where)
  local name, o, subject = accept.named(words.free_body, given, where)
  state.declare(state.bodies, name, "free body", where)
  local start = { at = o.at or space.origin, velocity = o.velocity or space.origin, spin = o.spin or space.origin,
    orientation = quaternion(o.orientation, "orientation of " .. subject, where) }
  local position, at = {}, {}
  for i, suffix in ipairs { "_x", "_y", "_z" } do
    local full = component(state, name, suffix, where)
    position[i] = { name = full, unit = "m", q = E.sym(full, "q"), v = E.sym(full .. ".dot", "v"),
      initial = value.node(start.at[i]), velocity = value.node(start.velocity[i]), file = where.file, line = where.line }
    table.insert(model.coordinates, position[i])
    at[i] = value.wrap(position[i].q, metre)
  end
  local q = symbols(state, name, { "_qw", "_qx", "_qy", "_qz" }, "q", where)
  local w = symbols(state, name, { "_wx", "_wy", "_wz" }, "v", where)
  local rotation = free_body.lazy({ name = name, q = q, v = w, initial = nodes(start.orientation), spin = nodes(start.spin),
    file = where.file, line = where.line }, { rate = function() return space.quaternion_rate(q, w) end })
  for i = 1, 4 do rates.set(q[i], function() return rotation.rate[i] end) end
  table.insert(model.rotations, rotation)
  table.insert(model.terms, { kind = "free_body", name = name, mass = value.node(o.mass),
    inertia = { nodes(o.inertia[1]), nodes(o.inertia[2]), nodes(o.inertia[3]) }, position = position, w = w,
    file = where.file, line = where.line })
  return free_body.new(name, { at = at, orientation = wrapped(q, units.any), spin = wrapped(w, per_second),
    start = start })
end

return { words = W, unit = unit }
