-- Gap and slip of two planar shapes, as expressions. A ball is what touches: { centre, radius, spin }, a disk or, with
-- radius 0, a corner. Everything else is touched by balls. n points from the touched shape to the ball, t = (n2, -n1):
-- for the ground n is up and t to the right. The slip is t . (velocity of the ball's point - velocity of the other's
-- point) there.
local body = require "gen.lang.words.bodies.body"
local value = require "gen.lang.core.value"

local G = {}
local sqrt, cos, sin, abs = value.functions.sqrt, value.functions.cos, value.functions.sin, value.functions.abs
local min, max = value.functions.min, value.functions.max
local select, ge, le = value.functions.select, value.functions.ge, value.functions.le
local zero = value.lift(0)

local function minus(a, b) return { a[1] - b[1], a[2] - b[2] } end
local function along(a, s, b) return { a[1] + s * b[1], a[2] + s * b[2] } end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] end
local function cross(a, b) return a[1] * b[2] - a[2] * b[1] end
local function length(a) return sqrt(a[1] ^ 2 + a[2] ^ 2) end
local function over(a, s) return { a[1] / s, a[2] / s } end
local function tangent(n) return { n[2], -n[1] } end
local function either(c, a, b) return { select(c, a[1], b[1]), select(c, a[2], b[2]) } end
local function rate(a) return { value.rate(a[1]), value.rate(a[2]) } end

--- Angular velocity of a frame.
function G.spin(frame) return frame.angle and value.rate(frame.angle) or zero end

-- velocity of the point of a frame that is now at p
local function velocity(frame, p)
  local v, w, r = rate(frame.at), G.spin(frame), minus(p, frame.at)
  return { v[1] - w * r[2], v[2] + w * r[1] }
end

-- where a ball touches and the normal there, when a picture asks for them
local function place(ball, n) return function() return along(ball.centre, -ball.radius, n), n end end

-- slip of a ball on a point with velocity v, n given; scale is n . n where n is no unit vector
local function slip(ball, n, v, scale)
  local turning = ball.radius * ball.spin
  return dot(tangent(n), minus(rate(ball.centre), v)) + (scale and turning * scale or turning)
end

--- A vector of a frame, in the plane.
function G.turned(frame, x)
  return body.place({ zero, zero }, frame.angle, x[1], x[2])
end

--- Each gives gap, slip and place of a ball and the fields of a shape.
local touch = {}

function touch.plane(ball, plane)
  local n = plane.normal
  local p = along(ball.centre, -ball.radius, n)
  return dot(n, minus(ball.centre, plane.point)) - ball.radius, slip(ball, n, velocity(plane.frame, p)), place(ball, n)
end

function touch.disk(ball, disk)
  local d = minus(ball.centre, disk.ball.centre)
  local distance = length(d)
  local n = over(d, distance)
  return distance - ball.radius - disk.ball.radius,
    slip(ball, n, rate(disk.ball.centre)) + disk.ball.radius * disk.ball.spin, place(ball, n)
end

-- The gap is written region by region, the direction by the nearest point: both are short that way.
function touch.segment(ball, segment)
  local p1, p2 = segment.ends[1], segment.ends[2]
  local u, c1, c2 = minus(p2, p1), minus(ball.centre, p1), minus(ball.centre, p2)
  local s = dot(c1, u) / dot(u, u)
  local distance = select(le(s, 0), length(c1), select(ge(s, 1), length(c2), abs(cross(u, c1)) / length(u)))
  s = min(max(s, 0), 1)
  local d = minus(c1, { s * u[1], s * u[2] })
  local n = over(d, length(d))
  local v
  if segment.frame then
    v = velocity(segment.frame, along(ball.centre, -ball.radius, n))
  else -- the ends move as they are written
    local v1 = rate(p1)
    v = along(v1, s, minus(rate(p2), v1))
  end
  return distance - ball.radius, slip(ball, n, v), place(ball, n)
end

-- Inside a whole circle: gap (R^2 - d^2)/(2 R) with R the play of the ball's centre. Normal and tangent are both d/R long,
-- so the ratio of the two forces is right also where the wall is not met exactly, and there is no root to be singular in
-- the middle.
local function within(ball, arc, e)
  local play = arc.radius - ball.radius
  local n = { -e[1] / play, -e[2] / play }
  local v = velocity(arc.frame, along(arc.centre, arc.radius / play, e))
  return (play ^ 2 - dot(e, e)) / (2 * play), slip(ball, n, v, dot(n, n)), place(ball, n)
end

function touch.arc(ball, arc)
  local e = minus(ball.centre, arc.centre)
  local inside = arc.side == "inside"
  if inside and not arc.from then return within(ball, arc, e) end
  local d = length(e)
  local distance = inside and arc.radius - d or d - arc.radius
  local n = inside and { -e[1] / d, -e[2] / d } or over(e, d)
  if arc.from then
    local turn = arc.frame.angle or zero
    local function on_circle(angle) return { cos(turn + angle), sin(turn + angle) } end
    local middle, half = on_circle((arc.from + arc.to) / 2), (arc.to - arc.from) / 2
    local covered = ge(dot(e, middle), d * cos(half))
    local nearest = either(ge(cross(middle, e), 0), on_circle(arc.to), on_circle(arc.from))
    local from_end = minus(e, { arc.radius * nearest[1], arc.radius * nearest[2] })
    distance = select(covered, distance, length(from_end))
    n = either(covered, n, over(from_end, length(from_end)))
  end
  local p = along(ball.centre, -ball.radius, n)
  return distance - ball.radius, slip(ball, n, velocity(arc.frame, p)), place(ball, n)
end

--- Which shape is touched by which, in the order of the table: kinds of what touches, of what is touched.
G.pairs = { { "disk", "disk" }, { "disk", "plane" }, { "disk", "segment" }, { "disk", "arc" }, { "box", "plane" },
  { "box", "arc" }, { "polygon", "plane" }, { "polygon", "arc" } }

--- Does it take this pair of shapes? On the outside of an arc a box is not its corners.
function G.takes(touching, touched) return touching.kind == "disk" or touched.side ~= "outside" end

--- Angular velocity of a shape; that of a segment without a body follows from its ends
function G.spin_of(shape)
  if shape.ball or shape.frame then return shape.ball and shape.ball.spin or G.spin(shape.frame) end
  local u = minus(shape.ends[2], shape.ends[1])
  return cross(u, rate(u)) / dot(u, u)
end

--- The contacts of two shapes, one for each ball of the first: a list of { gap, slip, place and spin (functions), number (of the corner)
--- or nil }.
function G.contacts(touching, touched)
  local list = {}
  for i, ball in ipairs(touching.balls or { touching.ball }) do
    local gap, slip_rate, where = touch[touched.kind](ball, touched)
    list[i] = { gap = gap, slip = { slip_rate }, place = where, number = ball.corner,
      spin = function() return { ball.spin - G.spin_of(touched) } end }
  end
  return list
end

return G
