-- The word joint: constraints between two frames, one of a free body, the other of a second one or space. With d the
-- distance of the two points, a the axis on the body, (t1, t2, b) a right-handed triad on the other side with b its axis,
-- and u2 the direction on the body that is t2 at the start:
--   a point stays: d = 0            an axis stays:     t1.a = t2.a = 0       no turning about it: t1.u2 = 0
--   it slides along b: t1.d = t2.d = 0                 in the plane across b: b.d = 0
local accept = require "gen.lang.accept"
local fail = require "gen.lang.fail"
local free_body = require "gen.lang.free_body"
local space = require "gen.lang.space"
local spatial = require "gen.lang.spatial"
local value = require "gen.lang.value"
local words = require "gen.lang.words"

local W = {}

-- the rows of each type, and whether it needs an axis
local types = {
  spherical = { "point" },
  universal = { "point", "cross", axes = true },
  revolute = { "point", "axis", axes = true },
  cylindrical = { "line", "axis", axes = true },
  prismatic = { "line", "axis", "turn", axes = true },
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

-- Vectors are numbers or expressions of parameters: the other side would be wrong with anything that moves.
local function static(vector, what, where)
  for _, v in ipairs(vector or {}) do
    local symbol = value.moving(v)
    if symbol then fail(where, "%s depends on '%s'; write numbers or expressions of parameters", what, symbol.name) end
  end
end

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
end

function W.joint(model, state, given, where)
  local name, o, subject = accept.named(words.joint, given, where)
  local kind = types[o.type]
  if o.on and rawequal(o.on, o.body) then fail(where, "%s joins a body to itself; give two bodies", subject) end
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
  state.declare(state.bodies, name, "joint", where)
  local A, B = free_body.frame(o.body), o.on and free_body.frame(o.on) or ground
  local at = o.at or space.origin
  local to = o.to
  if not to then
    local start = free_body.place(A.initial, at)
    to = space.turned_back(B.initial.R, space.minus(start, B.initial.at))
  end
  local j = { d = space.minus(free_body.place(A, at), free_body.place(B, to)) }
  if o.type == "fixed" then o.axis = { value.lift(0), value.lift(0), value.lift(1) } end
  if o.axis then directions(j, o, subject, A, B, where) end
  local count = 0
  for _, row in ipairs(kind) do
    for _, expression in ipairs(rows[row](j)) do
      count = count + 1
      local full = name .. "_" .. count
      state.declare(state.taken, full, "joint", where)
      table.insert(model.constraints, { name = full, expr = value.node(expression), file = where.file, line = where.line })
    end
  end
end

return { words = W }
