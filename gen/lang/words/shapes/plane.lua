-- The word plane: a straight line, or a plane in space, without end and solid on one side.
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local frames = require "gen.lang.words.bodies.frame"
local geometry = require "gen.lang.words.shapes.geometry"
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local zero, one = value.lift(0), value.lift(1)

local plane = word { "plane", group = shape.in_plane,
  "m:plane(name, { at = { x, y }, normal = { nx, ny }, body = ... })\n"
  .. "m:plane(name, { at = { x, y }, angle = ..., body = ... })\n"
  .. "m:plane(name, { at = { x, y, z }, normal = { nx, ny, nz }, body = ... })",
  summary = [[A straight line without end, solid on one side; with three components a plane in space. Without options, the
    ground: y = 0, solid below.]],
  gives = "a shape for `contact_between`",
  arguments = { shape.name },
  options = {
    { "at", "place", "A point on it: in the frame of the body, in the plane or in space.", dim = "m",
      default = "{ 0, 0 } or { 0, 0, 0 }" },
    { "normal", "place", [[Direction away from the solid side, of any length; numbers or expressions of parameters.
      Either this or `angle`.]], default = "{ 0, 1 } or { 0, 0, 1 }" },
    { "angle", "expression", [[In the plane: inclination of the line, anticlockwise; at 0 the solid side is below, at pi/2 on the
      right. May depend on coordinates or time: a plane that tips.]], dim = "rad", default = "0" },
    shape.any_body, shape.material },
  example = [[
local slope = m:plane("slope", { at = { 0, -1 }, angle = -carom.pi / 6 })
local wall = m:plane("wall", { at = { 3, 0 }, normal = { -1, 0 } })
local ball = m:disk("ball", { radius = 0.1, at = { x, y } })
m:contact_between(ball, slope, { friction = 0.2 })
m:contact_between(ball, wall, { restitution = 0.8 })]] }

local function in_space(name, o, subject, where)
  if o.angle or o.at and #o.at ~= 3 or o.normal and #o.normal ~= 3 or o.body and not frames.is(o.body) then
    fail(where, "%s is half in the plane and half in space; write at = { x, y, z } and normal = { nx, ny, nz }", subject)
  end
  local at = o.at or space.origin
  local frame, point
  if o.body then
    frame = frames.frame(o.body)
    point = frames.place(frame, at)
  else
    frame, point = { at = at }, at
  end
  local normal, own = shape.direction(o.normal, frame, "normal of " .. subject, where)
  local t1, t2 = space.tangents(own)
  return shape.new { kind = "plane", spatial = true, name = name, frame = frame, given = o, point = point, normal = normal, sizes = {},
    t1 = space.turned(frame.R, t1), t2 = space.turned(frame.R, t2) }
end

-- a direction as a unit vector
local function unit_vector(v, subject, where)
  for i = 1, 2 do
    for _, s in ipairs(E.symbols(value.node(v[i]))) do
      if s.kind ~= "param" then
        fail(where, "normal of %s depends on '%s'; write angle = the inclination of the line instead", subject, s.name)
      end
    end
  end
  local x, y = value.number(v[1]), value.number(v[2])
  if x and y then
    local size = math.sqrt(x * x + y * y)
    if size == 0 then fail(where, "normal of %s is { 0, 0 }; write a direction such as { 0, 1 }", subject) end
    return { value.wrap(E.num(x / size), units.any), value.wrap(E.num(y / size), units.any) }
  end
  local size = value.functions.sqrt(v[1] ^ 2 + v[2] ^ 2)
  return { v[1] / size, v[2] / size }
end

function plane.means(_, state, given, where)
  local name, o, subject = shape.named(plane, state, given, where)
  if shape.is_spatial(o) then return in_space(name, o, subject, where) end
  if o.normal and o.angle then fail(where, "%s has both normal and angle; keep one of the two", subject) end
  local frame, point
  if o.body then
    frame, point = shape.placed(o, subject, where)
  else
    point = o.at or { zero, zero }
    frame = { at = point, angle = o.angle }
  end
  local normal = o.normal and unit_vector(o.normal, subject, where) or { zero, one }
  if o.body and o.angle then normal = geometry.turned({ angle = o.angle }, normal) end
  return shape.new { kind = "plane", name = name, frame = frame, given = o, point = point, normal = geometry.turned(frame, normal) }
end

return { words = { plane } }
