-- The word link: a rigid body on a joint of its own, in joint coordinates. Links that hang on each other are one term, the
-- tree; joints with several coordinates are chains of links without mass.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local contacts = require "gen.lang.words.contacts"
local fail = require "gen.lang.core.fail"
local kinematics = require "gen.lang.words.links.frame"
local names = require "gen.lang.core.names"
local space = require "gen.lang.core.space"
local spatial = require "gen.lang.words.bodies.free_body"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local W = {}
local zero, one = value.lift(0), value.lift(1)
local SHARP = 1e-15 -- cos(pi/2) is meant to be 0

local function nodes(list)
  local result = {}
  for i, v in ipairs(list) do result[i] = value.node(v) end
  return result
end

local function rows(matrix) return { nodes(matrix[1]), nodes(matrix[2]), nodes(matrix[3]) } end

local ex, ey, ez = { one, zero, zero }, { zero, one, zero }, { zero, zero, one }
local identity = { ex, ey, ez }

-- the joints that each type is made of: { kind, axis }, from the parent outwards
local types = {
  fixed = function() return {} end,
  revolute = function(a) return { { "revolute", a } } end,
  prismatic = function(a) return { { "prismatic", a } } end,
  cylindrical = function(a) return { { "prismatic", a }, { "revolute", a } } end,
  universal = function(a, b) return { { "revolute", a }, { "revolute", b } } end,
  spherical = function() return { { "revolute", ex }, { "revolute", ey }, { "revolute", ez } } end,
  planar = function(a)
    local t1, t2 = space.tangents(a)
    return { { "prismatic", t1 }, { "prismatic", t2 }, { "revolute", a } }
  end,
}

-- A rotation given as rows or as axis and angle; entries that are 0 or 1 up to rounding are made so.
local function mounting(o, subject, where)
  if not o then return nil end
  local R = o
  if o.axis then R = kinematics.about(spatial.unit(o.axis, "axis of rotation of " .. subject, where), o.angle) end
  local result = {}
  for i = 1, 3 do
    result[i] = {}
    for j = 1, 3 do
      local n = value.node(R[i][j])
      if n.op == "num" then
        local whole = math.floor(n.value + 0.5)
        if math.abs(n.value - whole) < SHARP then n = E.num(whole) end
      end
      result[i][j] = value.wrap(n, units.any)
    end
  end
  return result
end

local function static(list, what, where)
  for _, v in ipairs(list or {}) do
    local symbol = value.moving(v)
    if symbol then fail(where, "%s depends on '%s'; write numbers or expressions of parameters", what, symbol.name) end
  end
end

-- the k-th of the values given for the coordinates of a joint
local function nth(list, k, count, what, where, default)
  if not list then return default end
  if #list ~= count then
    fail(where, "%s has %d value%s but the joint has %d coordinate%s; write one for each", what, #list, #list == 1 and "" or "s",
      count, count == 1 and "" or "s")
  end
  return list[k]
end

-- Declares the k-th coordinate of a link.
local function coordinate(model, state, name, o, subject, where, part, k, count)
  local full = count > 1 and name .. "_" .. k or name
  local why, instead = names.refusal(full)
  if why then fail(where, "the name '%s' of a coordinate of %s %s; %s", full, subject, why, instead) end
  state.declare(state.taken, full, "link", where)
  local unit = part[1] == "revolute" and "rad" or "m"
  local dim = units.parse(unit)
  local initial = nth(o.initial, k, count, "initial of " .. subject, where, zero)
  local velocity = nth(o.velocity, k, count, "velocity of " .. subject, where, zero)
  value.expect(initial, dim, "initial of " .. subject, where)
  value.expect(velocity, units.div(dim, units.second), "velocity of " .. subject, where)
  static({ initial, velocity }, "the start of " .. subject, where)
  local c = { name = full, unit = unit, q = E.sym(full, "q"), v = E.sym(full .. ".dot", "v"), initial = value.node(initial),
    velocity = value.node(velocity), file = where.file, line = where.line }
  table.insert(model.coordinates, c)
  local motor = nth(o.motor, k, count, "motor of " .. subject, where)
  if motor then
    value.expect(motor, units.div(units.energy, dim), "motor of " .. subject, where)
    table.insert(model.terms, { kind = "force", on = c, value = value.node(motor), file = where.file, line = where.line })
  end
  return value.wrap(c.q, dim), value.wrap(c.v, units.div(dim, units.second)), initial
end

-- Joint limits are contacts.
local function limits(model, state, name, o, subject, where, q)
  if not o.limits then
    if o.restitution then fail(where, "%s has restitution but no limits; write limits = { low, high }", subject) end
    return
  end
  if #q ~= 1 then
    fail(where, "limits of %s are for joints of one coordinate; write m:contact with a gap of its .q", subject)
  end
  static(o.limits, "limits of " .. subject, where)
  contacts.limits(model, state, name, o, subject, where, q[1])
end

-- Appends a link to its tree.
local function append(term, name, link, where, mass, center, inertia)
  table.insert(term.links, { name = name, joint = link.joint, parent = link.parent and link.parent.index or 0,
    q = link.q and value.node(link.q), axis = nodes(link.axis), at = nodes(link.at), rotation = rows(link.mounting or identity),
    mass = value.node(mass), center = nodes(center), inertia = rows(inertia), file = where.file, line = where.line })
  link.index, link.term = #term.links, term
end

local massless = { space.origin, space.origin, space.origin }

function W.link(model, state, given, where)
  local name, o, subject = accept.named(words.link, given, where)
  state.declare(state.bodies, name, "link", where)
  for _, field in ipairs { "axis", "axis2", "at", "center" } do static(o[field], field .. " of " .. subject, where) end
  if o.joint == "universal" and not o.axis2 then
    fail(where, "%s is universal and needs its second axis; write axis2 = { x, y, z }", subject)
  end
  if o.axis2 and o.joint ~= "universal" then
    fail(where, "%s is %s and has no second axis; leave axis2 out", subject, o.joint)
  end
  if o.axis and (o.joint == "fixed" or o.joint == "spherical") then
    fail(where, "%s is %s and has no axis; leave it out", subject, o.joint)
  end
  local axis = o.axis and spatial.unit(o.axis, "axis of " .. subject, where) or ez
  local parts = types[o.joint](axis, o.axis2 and spatial.unit(o.axis2, "axis2 of " .. subject, where))
  local parent = o.parent and kinematics.carrier(o.parent)
  local term = parent and parent.term
  if not term then
    term = { kind = "tree", name = name, links = {}, file = where.file, line = where.line }
    table.insert(model.terms, term)
    if parent then -- a free body: all that hangs on it is one tree
      term.base, parent.term = { name = parent.name, at = nodes(parent.at), R = rows(parent.mounting), w = nodes(parent.spin) }, term
    end
  end
  if #parts == 0 then
    if o.initial or o.velocity or o.motor or o.limits then
      fail(where, "%s is fixed and has no coordinate; leave initial, velocity, motor and limits out", subject)
    end
    parts = { { "fixed", ez } }
  end
  local count = parts[1][1] == "fixed" and 0 or #parts
  local at, turned, q, link = o.at or space.origin, mounting(o.rotation, subject, where), {}, parent
  for k, part in ipairs(parts) do
    local f = { parent = link, at = k == 1 and at or space.origin, mounting = k == 1 and turned or nil, joint = part[1], axis = part[2] }
    if count > 0 then f.q, f.rate, f.start = coordinate(model, state, name, o, subject, where, part, k, count) end
    q[k] = f.q
    link = kinematics.new(f)
    if k == #parts then
      append(term, name, link, where, o.mass or zero, o.center or space.origin, o.inertia or massless)
    else
      append(term, name, link, where, zero, space.origin, massless)
    end
  end
  limits(model, state, name, o, subject, where, q)
  return kinematics.object(name, link, count > 1 and q or q[1])
end

return { words = W }
