-- The word joint: constraints between two frames, one of a free body, the other of a second one or space. With d the
-- distance of the two points, a the axis on the body, (t1, t2, b) a right-handed triad on the other side with b its axis,
-- and u2 the direction on the body that is t2 at the start:
--   a point stays: d = 0            an axis stays:     t1.a = t2.a = 0       no turning about it: t1.u2 = 0
--   it slides along b: t1.d = t2.d = 0                 in the plane across b: b.d = 0
local accept = require "gen.lang.core.accept"
local contacts = require "gen.lang.words.contacts"
local fail = require "gen.lang.core.fail"
local free_body = require "gen.lang.words.bodies.frame"
local handle = require "gen.lang.core.handle"
local look = require "gen.lang.core.look"
local space = require "gen.lang.core.space"
local spatial = require "gen.lang.words.bodies.free_body"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local nodes, static = value.nodes, look.still
local atan2 = value.functions.atan2
local zero, one = value.lift(0), value.lift(1)
local ex, ey, ez = { one, zero, zero }, { zero, one, zero }, { zero, zero, one }
local HALF_TURN = 3.14 -- rad, with room for what a step penetrates

-- the rows of each type, whether it needs an axis, and what of it a model may look at; one that is driven or limited has one of these
local types = {
  spherical = { "point" },
  universal = { "point", "cross", axes = true },
  revolute = { "point", "axis", axes = true, free = { "angle" } },
  cylindrical = { "line", "axis", axes = true, free = { "angle", "slide" } },
  prismatic = { "line", "axis", "turn", axes = true, free = { "slide" } },
  planar = { "across", "axis", axes = true },
  fixed = { "point", "axis", "turn" },
}

local rows = {
  point = function(j) return { j.d[1], j.d[2], j.d[3] } end,
  line = function(j) return { space.dot(j.t1, j.d), space.dot(j.t2, j.d) } end,
  across = function(j) return { space.dot(j.b, j.d) } end,
  axis = function(j) return { space.dot(j.t1, j.a), space.dot(j.t2, j.a) } end,
  cross = function(j) return { space.dot(j.a, j.b) } end,
  turn = function(j) return { space.dot(j.t1, j.u2) } end,
}

-- space itself as a frame
local ground = { at = space.origin, initial = { at = space.origin } }

-- Directions of both sides in space. Whatever is not given is carried over at the start.
local function directions(j, o, subject, A, B, where)
  local function to_other(x) return space.turned_back(B.initial.R, space.turned(A.initial.R, x)) end
  local function to_body(x) return space.turned_back(A.initial.R, space.turned(B.initial.R, x)) end
  local axis = o.axis and spatial.unit(o.axis, "axis of " .. subject, where)
  local to_axis = o.to_axis and spatial.unit(o.to_axis, "to_axis of " .. subject, where)
  local b = to_axis or to_other(axis)
  local t1, t2 = space.tangents(b)
  j.a = space.turned(A.R, axis or to_body(b))
  j.b, j.t1, j.t2 = space.turned(B.R, b), space.turned(B.R, t1), space.turned(B.R, t2)
  j.u2 = space.turned(A.R, to_body(t2))
  j.axis, j.to_axis = axis or to_body(b), b
end

-- What each row does to the body when its multiplier is 1: a force on the point of the joint, or a torque, both in space.
local wrench = {
  point = function() return { { force = ex }, { force = ey }, { force = ez } } end,
  line = function(j) return { { force = j.t1 }, { force = j.t2 } } end,
  across = function(j) return { { force = j.b } } end,
  axis = function(j) return { { torque = space.cross(j.a, j.t1) }, { torque = space.cross(j.a, j.t2) } } end,
  cross = function(j) return { { torque = space.cross(j.a, j.b) } } end,
  turn = function(j) return { { torque = space.cross(j.u2, j.t1) } } end,
}

-- The force or torque of the last step on the body, three components in space.
local function reaction(model, j, kind, made, which)
  local sum, at = { zero, zero, zero }, 0
  for _, row in ipairs(kind) do
    for _, unit in ipairs(wrench[row](j)) do
      at = at + 1
      if unit[which] then
        local force = handle.force(model, made[at].entry, 0, made[at].value)
        sum = space.plus(sum, space.times(force, unit[which]))
      end
    end
  end
  return sum
end

-- what is left free: the angle about the axis, counted from the start, and the way along it
local free = {
  angle = function(j) return atan2(-space.dot(j.t1, j.u2), space.dot(j.t2, j.u2)) end,
  slide = function(j) return space.dot(j.b, j.d) end,
}

local function spin_about(b, A, B)
  local rate = A.omega and space.dot(b, A.omega) or zero
  return B.omega and rate - space.dot(b, B.omega) or rate
end

-- What a model may look at.
local function object(model, name, j, kind, made, A, B)
  local fields = {
    { "force", function() return reaction(model, j, kind, made, "force") end },
    { "torque", function() return reaction(model, j, kind, made, "torque") end },
  }
  for _, what in ipairs(kind.free or {}) do fields[#fields + 1] = { what, function() return free[what](j) end } end
  if kind.free then
    fields[#fields + 1] = { "rate", function() return kind.free[1] == "angle" and spin_about(j.b, A, B) or value.rate(free.slide(j)) end }
  end
  return handle.new("joint", name, fields)
end

-- A motor turns the body about the axis, or pushes its point along it, and does the opposite to the other side.
local function drive(model, j, o, kind, subject, where)
  local turns = kind.free[1] == "angle"
  value.expect(o.motor, turns and units.energy or units.force, "motor of " .. subject, where)
  local function add(term) word.term(model, where, term) end
  local sides = { { o.body, j.axis, j.at, o.motor }, { o.on, j.to_axis, j.to, -o.motor } }
  for _, side in ipairs(sides) do
    local body, axis, at, motor = side[1], side[2], side[3], side[4]
    if body and turns then
      add { kind = "body_torque", w = nodes(free_body.spin(body)), value = nodes(space.times(motor, axis)) }
    elseif body then
      add { kind = "spatial_force", at = nodes(at), value = nodes(space.times(motor, j.b)) }
    end
  end
end

-- Limits are contacts; an angle counts from the start and jumps at a half turn, so they lie within one.
local function limit(model, state, name, j, o, kind, subject, where)
  static(o.limits, "limits of " .. subject, where)
  local q = free[kind.free[1]](j)
  if kind.free[1] == "angle" then
    for k = 1, 2 do
      local at = value.node(o.limits[k])
      if at.op == "num" and math.abs(at.value) >= HALF_TURN then
        fail(where, "a limit of %s is %g; the angle of a joint lies between -pi and pi (%g from the start); write smaller limits",
          subject, at.value, HALF_TURN)
      end
    end
  end
  contacts.limits(model, state, name, o, subject, where, q)
end

local joint = word { "joint", group = "Bodies in space",
  "m:joint(name, { type = ..., body = ..., at = { x, y, z }, axis = { x, y, z }, on = ..., to = { x, y, z } })",
  summary = [[Joins a free body to another one or to space, by constraints (`NAME_1`, `NAME_2` ...). What is not said about
    the other side is taken as it is at the start.]],
  gives = [[a joint `j` with `j.force` and `j.torque`: what it did to `body` in the last step, at the point of the joint, three
    components in space each (means over the step; 0 before the first); and, of what it leaves free, `j.angle` (revolute, cylindrical:
    turned against the other side since the start, between -pi and pi), `j.slide` (prismatic, cylindrical: the way along the axis) and
    `j.rate` (of the angle, or else of the slide)]],
  arguments = { word.name },
  options = {
    { "type", "choice", [[`"spherical"` keeps a point (3 constraints), `"universal"` also the angle between two axes (4),
      `"revolute"` a point and an axis (5), `"cylindrical"` an axis along which it slides (4), `"prismatic"` the same
      without turning (5), `"planar"` a plane perpendicular to the axis (3), `"fixed"` everything (6).]],
      choices = { "spherical", "universal", "revolute", "cylindrical", "prismatic", "planar", "fixed" }, required = true },
    { "body", "free_body", "The body that is joined.", required = true },
    { "at", "vector", "The point of the joint, in the frame of `body`.", dim = "m", default = "{ 0, 0, 0 }" },
    { "axis", "vector", [[The axis of the joint (of a plane: its normal), in the frame of `body`. Spherical and fixed joints
      have none.]], default = "none" },
    { "on", "free_body", "The body it is joined to.", default = "none (space)" },
    { "to", "vector", "The same point in the frame of `on`, or in space.", dim = "m", default = "where it is at the start" },
    { "to_axis", "vector", [[The same axis in the frame of `on`, or in space; of a universal joint, the other axis,
      perpendicular to `axis` at the start.]], default = "where it is at the start" },
    { "limits", "limits", [[Of a revolute joint: its angle stays between these two, both between -pi and pi; of a prismatic one: its
      slide. By contacts `NAME_low` and `NAME_high`.]], default = "none" },
    { "restitution", "expression", "Restitution of both limits.", dim = "1", default = "0" },
    { "motor", "expression", [[Torque (N m) about the axis of a revolute joint, force (N) along that of a prismatic one, on `body`
      and the opposite on the other side: an input, or any expression.]], default = "none" } },
  notes = [[Points and axes are numbers or expressions of parameters. A given motion is one more `constraint`.
    Forces that are looked at act one step late where a controller uses them. Constraints that say the same twice
    (two fixed joints in a loop) have no unique forces.]],
  example = [[
m:gravity(0, 0, -9.81)
local upper = m:free_body("upper", { mass = 1, inertia = { 0.02, 0.02, 0.001 }, at = { 0, 0, -0.25 } })
local lower = m:free_body("lower", { mass = 1, inertia = { 0.02, 0.02, 0.001 }, at = { 0, 0, -0.75 }, velocity = { 0.1, 0, 0 },
  spin = { 0, -0.4, 0 } })
m:joint("shoulder", { type = "spherical", body = upper, at = { 0, 0, 0.25 }, to = { 0, 0, 0 } })
local elbow = m:joint("elbow", { type = "revolute", body = lower, at = { 0, 0, 0.25 }, axis = { 0, 1, 0 }, on = upper,
  limits = { -2, 2 }, motor = m:input("drive", 0, "N m") })
m:output("bend", elbow.angle, { unit = "rad" })
m:output("load", elbow.force[3], { unit = "N" })]] }

function joint.means(model, state, given, where)
  local name, o, subject = accept.named(joint, given, where)
  local kind = types[o.type]
  if o.on and rawequal(o.on, o.body) then fail(where, "%s joins a body to itself; give two bodies", subject) end
  -- the other side would be wrong with anything that moves
  for _, field in ipairs { "at", "to", "axis", "to_axis" } do static(o[field], field .. " of " .. subject, where) end
  if kind.axes and not o.axis then
    fail(where, "%s is %s and needs an axis; write axis = { x, y, z } in the frame of the body", subject, o.type)
  end
  if o.type == "universal" and not o.to_axis then
    fail(where, "%s is universal and needs its other axis; write to_axis = { x, y, z }", subject)
  end
  if not kind.axes and (o.axis or o.to_axis) then
    fail(where, "%s is %s and has no axis; leave it out", subject, o.type)
  end
  for _, field in ipairs { "limits", "motor" } do
    if o[field] and (not kind.free or #kind.free > 1) then
      fail(where, "%s is %s: %s for joints of one freedom, revolute and prismatic; write m:contact or m:force", subject, o.type,
        field == "motor" and "motor is" or "limits are")
    end
  end
  if o.restitution and not o.limits then fail(where, "%s has restitution but no limits; write limits = { low, high }", subject) end
  state.declare(state.bodies, name, "joint", where)
  local A, B = free_body.frame(o.body), o.on and free_body.frame(o.on) or ground
  local at = o.at or space.origin
  local to = o.to
  if not to then
    local start = free_body.place(A.initial, at)
    to = space.turned_back(B.initial.R, space.minus(start, B.initial.at))
  end
  local j = { at = free_body.place(A, at), to = free_body.place(B, to) }
  j.d = space.minus(j.at, j.to)
  if o.type == "fixed" then o.axis = { value.lift(0), value.lift(0), value.lift(1) } end
  if o.axis then directions(j, o, subject, A, B, where) end
  local made = {}
  for _, row in ipairs(kind) do
    for _, expression in ipairs(rows[row](j)) do
      local full = name .. "_" .. #made + 1
      state.declare(state.taken, full, "joint", where)
      local entry = { name = full, expr = value.node(expression), file = where.file, line = where.line }
      table.insert(model.constraints, entry)
      made[#made + 1] = { entry = entry, value = expression }
    end
  end
  if o.motor then drive(model, j, o, kind, subject, where) end
  if o.limits then limit(model, state, name, j, o, kind, subject, where) end
  return object(model, name, j, kind, made, A, B)
end

return { words = { joint } }
