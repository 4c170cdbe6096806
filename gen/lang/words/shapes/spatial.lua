-- The words for shapes in space: sphere, capsule, cylinder, and the spatial meaning of plane and box. Their geometry is in
-- solid.lua.
local fail = require "gen.lang.core.fail"
local free_body = require "gen.lang.words.bodies.frame"
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local spatial = require "gen.lang.words.bodies.free_body"
local value = require "gen.lang.core.value"

local S = {}
local zero, one = value.lift(0), value.lift(1)

-- Frame and middle of a shape: on a free body, or where its own expressions say (not turned); then the way from the origin
-- of the frame to the middle.
local function placed(o, subject, where)
  if o.body then
    local frame = free_body.frame(o.body)
    local arm = o.at and space.turned(frame.R, o.at) or space.origin
    return frame, o.at and space.plus(frame.at, arm) or frame.at, arm
  end
  if not o.at then
    fail(where, "%s has no place; write body = what m:free_body returned, or at = { x, y, z }", subject)
  end
  return { at = o.at }, o.at, space.origin
end

-- A direction of a shape, of unit length and in space.
local function direction(vector, frame, what, where)
  for _, v in ipairs(vector or {}) do
    local symbol = value.moving(v)
    if symbol then
      fail(where, "%s depends on '%s'; write numbers or expressions of parameters, and body = ... for a shape that turns",
        what, symbol.name)
    end
  end
  local n = vector and spatial.unit(vector, what, where) or { zero, zero, one }
  return space.turned(frame.R, n), n
end

function S.sphere(name, o, subject, where)
  local frame, centre, arm = placed(o, subject, where)
  return shape.new { kind = "sphere", spatial = true, name = name, frame = frame, given = o,
    balls = { { centre = centre, arm = arm, radius = o.radius } } }
end

-- capsules and cylinders: a middle, an axis and half the length along it
local function rod(kind)
  return function(name, o, subject, where)
    local frame, centre, arm = placed(o, subject, where)
    local axis = direction(o.axis, frame, "axis of " .. subject, where)
    local half = o.length / 2
    local balls = {}
    for i, sign in ipairs { -1, 1 } do
      balls[i] = { centre = space.along(centre, sign * half, axis), arm = space.along(arm, sign * half, axis),
        radius = o.radius, number = i }
    end
    return shape.new { kind = kind, spatial = true, name = name, frame = frame, given = o, centre = centre, arm = arm, axis = axis,
      half = half, radius = o.radius, balls = balls }
  end
end
S.capsule, S.cylinder = rod "capsule", rod "cylinder"

-- corners in the order of the plane box, lower face first
local corners = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 }, { -1, -1, 1 }, { 1, -1, 1 }, { 1, 1, 1 },
  { -1, 1, 1 } }

function S.box(name, o, subject, where)
  if not o.size then fail(where, "%s is on a free body and needs three lengths; write size = { a, b, c }", subject) end
  if o.width or o.height or o.angle then
    fail(where, "%s is in space: it has size = { a, b, c } and turns with its body; leave out width, height and angle",
      subject)
  end
  if o.at and #o.at ~= 3 or o.body and not free_body.is(o.body) then
    fail(where, "%s is in space; write at = { x, y, z } or body = what m:free_body returned", subject)
  end
  local frame, centre, arm = placed(o, subject, where)
  local half, balls = space.times(0.5, o.size), {}
  for i, k in ipairs(o.corners or { 1, 2, 3, 4, 5, 6, 7, 8 }) do
    local offset = space.turned(frame.R, { corners[k][1] * half[1], corners[k][2] * half[2], corners[k][3] * half[3] })
    balls[i] = { centre = space.plus(centre, offset), arm = space.plus(arm, offset), radius = zero, number = k }
  end
  return shape.new { kind = "box", spatial = true, name = name, frame = frame, given = o, centre = centre, arm = arm, half = half,
    balls = balls }
end

function S.plane(name, o, subject, where)
  if o.angle or o.at and #o.at ~= 3 or o.normal and #o.normal ~= 3 or o.body and not free_body.is(o.body) then
    fail(where, "%s is half in the plane and half in space; write at = { x, y, z } and normal = { nx, ny, nz }", subject)
  end
  local at = o.at or space.origin
  local frame, point
  if o.body then
    frame = free_body.frame(o.body)
    point = free_body.place(frame, at)
  else
    frame, point = { at = at }, at
  end
  local normal, own = direction(o.normal, frame, "normal of " .. subject, where)
  local t1, t2 = space.tangents(own)
  return shape.new { kind = "plane", spatial = true, name = name, frame = frame, given = o, point = point, normal = normal,
    t1 = space.turned(frame.R, t1), t2 = space.turned(frame.R, t2) }
end

--- Is a plane or box with these options one in space?
function S.is_spatial(o)
  return o.size ~= nil or o.at ~= nil and #o.at == 3 or o.normal ~= nil and #o.normal == 3 or free_body.is(o.body)
end

return S
