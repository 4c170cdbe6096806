-- The words for bodies, energies and forces; springs and dampers become the energy terms they stand for.
local accept = require "gen.lang.core.accept"
local body = require "gen.lang.words.bodies.body"
local fail = require "gen.lang.core.fail"
local free_body = require "gen.lang.words.bodies.frame"
local space = require "gen.lang.core.space"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local W = {}
local sqrt = value.functions.sqrt

local function term(model, where, fields)
  fields.file, fields.line = where.file, where.line
  table.insert(model.terms, fields)
end

-- a word without its options: those come in a table of their own
local function positional(word) return { name = word.name, form = word.form, arguments = word.arguments } end

local function nodes(point)
  local list = {}
  for i, v in ipairs(point) do list[i] = value.node(v) end
  return list
end

function W.body(model, state, given, where)
  local name, o, subject = accept.named(words.body, given, where)
  if o.inertia and not o.angle then fail(where, "%s has inertia but no angle; write angle = ...", subject) end
  state.declare(state.bodies, name, "body", where)
  term(model, where, { kind = "body", name = name, mass = value.node(o.mass),
    inertia = o.inertia and value.node(o.inertia),
    at = nodes(o.at), angle = o.angle and value.node(o.angle) })
  return body.new(name, o.at, o.angle)
end

function W.gravity(model, _, given, where)
  local a = accept.arguments(words.gravity, given, where)
  if model.gravity then fail(where, "gravity is already given; keep one of the two") end
  model.gravity = nodes { a.gx, a.gy, a.gz }
end

local function energy(word, kind, argument)
  return function(model, _, given, where)
    local a = accept.arguments(words[word], given, where)
    term(model, where, { kind = kind, expr = value.node(a[argument]) })
  end
end
W.kinetic_energy = energy("kinetic_energy", "kinetic", "T")
W.potential_energy = energy("potential_energy", "potential", "V")
W.dissipation = energy("dissipation", "dissipation", "R")

local function coordinate_force(model, given, where)
  local a = accept.arguments(positional(words.force), given, where)
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
  if o.frame ~= "body" then torque = space.turned_back(free_body.frame(o.body).R, torque) end
  term(model, where, { kind = "body_torque", w = nodes(free_body.spin(o.body)), value = nodes(torque) })
  o.torque = nil
end

function W.force(model, _, given, where)
  if not accept.plain_table(given[1]) then return coordinate_force(model, given, where) end
  if given.n > 1 then
    fail(where, "force on a point takes one table; write m:force { at = { x, y }, value = { fx, fy } }")
  end
  local o = accept.options(words.force, given[1], "force", where)
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

-- name and options of a spring or damper; the name may be left out
local function element(word, state, given, where)
  local name, options = given[1], given[2]
  if accept.plain_table(name) then name, options = nil, given[1] end
  local subject = "this " .. word.name
  if name ~= nil then
    local a = accept.arguments(positional(word), { name, n = 1 }, where)
    subject = word.name .. " '" .. a.name .. "'"
    state.declare(state.bodies, a.name, word.name, where)
  end
  local o = accept.options(word, options, subject, where)
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

function W.spring(model, state, given, where)
  local o, subject = element(words.spring, state, given, where)
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
end

function W.damper(model, state, given, where)
  local o, subject = element(words.damper, state, given, where)
  local speed = value.rate(length_of(o))
  value.expect(o.damping, units.div(units.power, value.dim(speed ^ 2)), "damping of " .. subject, where)
  term(model, where, { kind = "dissipation", expr = value.node(o.damping * speed ^ 2 / 2) })
end

return { words = W }
