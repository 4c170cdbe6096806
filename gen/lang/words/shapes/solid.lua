-- Gap and slip of two shapes in space, as expressions. n points from the touched shape to the touching one; the slip is
-- the velocity of the touching body's point relative to the other's along two directions t1, t2 perpendicular to n.
-- Everything is exact: what touches a plane does so at corners, end caps or rims. Pairs that are no short formula: touch.lua.
local free_body = require "gen.lang.words.bodies.frame"
local space = require "gen.lang.core.space"
local surface = require "gen.lang.words.shapes.surface"
local value = require "gen.lang.core.value"

local G = {}
local sqrt, min, max = value.functions.sqrt, value.functions.min, value.functions.max
local dot, minus, along = space.dot, space.minus, space.along

-- Arms lead from the origins of the two frames to the points that meet: the difference of two places would round.
-- Adds to a contact its slip, and its spin (a function that gives it): about t1, t2 and the normal.
local function moving(contact, frame_p, arm_p, frame_q, arm_q, t1, t2)
  local u = minus(free_body.velocity(frame_p, arm_p), free_body.velocity(frame_q, arm_q))
  contact.slip = { dot(t1, u), dot(t2, u) }
  function contact.spin() return free_body.spin_between(frame_p, frame_q, t1, t2) end
  return contact
end

-- where a ball touches and the normal there, when a picture asks for them
local function touching(ball, n) return function() return along(ball.centre, -ball.radius, n), n end end

-- the arm of a place on a plane, not needed where nothing turns
local function arm_on(plane, place) return plane.frame.omega and minus(place, plane.frame.at) end

local function ball_on_plane(ball, frame, plane)
  local n = plane.normal
  return moving({ gap = dot(n, minus(ball.centre, plane.point)) - ball.radius, number = ball.number, place = touching(ball, n) },
    frame, along(ball.arm, -ball.radius, n), plane.frame, arm_on(plane, along(ball.centre, -ball.radius, n)), plane.t1, plane.t2)
end

-- the spheres, corners or end caps of a shape, one contact each
local function balls_on_plane(shape, plane)
  local list = {}
  for i, ball in ipairs(shape.balls) do list[i] = ball_on_plane(ball, shape.frame, plane) end
  return list
end

-- A sphere against a point-like partner: d leads from the partner's nearest middle, at `arm` on its frame, to the centre;
-- radius is that of the partner.
local function round(ball, frame, d, other, arm, radius)
  local distance = space.length(d)
  local n = space.times(1 / distance, d)
  local t1, t2 = space.tangents(n)
  return { moving({ gap = distance - ball.radius - radius, place = touching(ball, n) }, frame, along(ball.arm, -ball.radius, n),
    other.frame, along(arm, radius, n), t1, t2) }
end

local touch = {
  ["sphere plane"] = balls_on_plane,
  ["box plane"] = balls_on_plane,
  ["capsule plane"] = balls_on_plane,
}

touch["sphere sphere"] = function(a, b)
  local ball, other = a.balls[1], b.balls[1]
  return round(ball, a.frame, minus(ball.centre, other.centre), b, other.arm, other.radius)
end

-- The nearest point of the axis is one of the end points or the foot of the perpendicular.
touch["sphere capsule"] = function(a, b)
  local ball = a.balls[1]
  local c = minus(ball.centre, b.centre)
  local s = min(max(dot(c, b.axis), -b.half), b.half)
  return round(ball, a.frame, along(c, -s, b.axis), b, along(b.arm, s, b.axis), b.radius)
end

-- In the frame of the box, the nearest point has each coordinate cut off at the faces.
touch["sphere box"] = function(a, b)
  local ball, R = a.balls[1], b.frame.R
  local c = space.turned_back(R, minus(ball.centre, b.centre))
  local nearest, d = {}, {}
  for i = 1, 3 do
    nearest[i] = min(max(c[i], -b.half[i]), b.half[i])
    d[i] = max(c[i] - b.half[i], 0) + min(c[i] + b.half[i], 0)
  end
  local distance = space.length(d)
  local own = space.times(1 / distance, d)
  local t1, t2 = space.tangents(own)
  return { moving({ gap = distance - ball.radius, place = function()
    local n = space.turned(R, own)
    return along(ball.centre, -ball.radius, n), n
  end }, a.frame, along(ball.arm, -ball.radius, space.turned(R, own)), b.frame, space.plus(b.arm, space.turned(R, nearest)),
    space.turned(R, t1), space.turned(R, t2)) }
end

touch["sphere surface"] = function(a, ground)
  local ball = a.balls[1]
  local point, n = surface.nearest(ground, ball.centre)
  local t1, t2 = space.tangents(n)
  return { moving({ gap = dot(n, minus(ball.centre, point)) - ball.radius, place = touching(ball, n) }, a.frame,
    along(ball.arm, -ball.radius, n), ground.frame, space.origin, t1, t2) }
end

-- The deepest point of each rim is the radius away from its middle, along the part of n perpendicular to the axis. (When
-- the axis is along n all points of the rim are equally deep: there is none.)
touch["cylinder plane"] = function(a, plane)
  local n, list = plane.normal, {}
  local cosine = dot(n, a.axis)
  local across = along(n, -cosine, a.axis)
  local size = sqrt(dot(across, across))
  for i, sign in ipairs { -1, 1 } do
    local middle = along(a.centre, sign * a.half, a.axis)
    local arm = along(along(a.arm, sign * a.half, a.axis), -a.radius / size, across)
    list[i] = moving({ gap = dot(n, minus(middle, plane.point)) - a.radius * size, number = i,
      place = function() return along(middle, -a.radius / size, across), n end },
      a.frame, arm, plane.frame, arm_on(plane, along(middle, -a.radius / size, across)), plane.t1, plane.t2)
  end
  return list
end

--- Which shape is touched by which: kinds of what touches, of what is touched.
G.pairs = { { "sphere", "sphere" }, { "sphere", "plane" }, { "sphere", "box" }, { "sphere", "capsule" }, { "box", "plane" },
  { "capsule", "plane" }, { "cylinder", "plane" }, { "sphere", "surface" } }

--- The contacts of two shapes: a list of { gap, slip = two values, spin (a function), number (of the corner, cap or rim) or nil }.
function G.contacts(a, b) return touch[a.kind .. " " .. b.kind](a, b) end

return G
