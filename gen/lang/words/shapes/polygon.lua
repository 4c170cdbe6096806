-- The word polygon: a convex polygon in the plane.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local body = require "gen.lang.words.bodies.body"
local fail = require "gen.lang.core.fail"
local outline = require "gen.lang.words.shapes.outline"
local shape = require "gen.lang.words.shapes.shape"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local MOST = 32 -- corners: CAROM_CORNERS_MAX
local FLAT = 1e-9 -- of the size: a corner must be further out than that
local zero = value.lift(0)

accept.types.corners = { shown = "list of `{ x, y }`", read = function(x, what, where)
  local write = "write { { x1, y1 }, { x2, y2 }, { x3, y3 }, ... }"
  if not accept.plain_table(x) or #x < 3 then accept.expected(what, "a list of at least three corners", x, where, write) end
  for j = 1, #x do
    if not accept.plain_table(x[j]) or #x[j] ~= 2 then fail(where, "corner %d of %s is no list of two numbers; %s", j, what, write) end
    for i = 1, 2 do accept.types.number.read(x[j][i], ("entry %d of corner %d of %s"):format(i, j, what), where) end
  end
  return x
end }

local polygon = word { "polygon", group = shape.in_plane, "m:polygon(name, { points = { { x, y }, ... }, body = ... })",
  summary = [[A rigid convex polygon. Against planes and the inside of arcs it is its corners, in the order in which they are written.]],
  gives = "a shape for `contact_between`",
  arguments = { shape.name },
  options = {
    { "points", "corners", "Its corners in order around it, either way, at most 32: numbers, in metres.", required = true },
    shape.body,
    { "at", "point", "Where the origin of the points is: in the frame of the body, or in the plane.", dim = "m",
      default = "the centre of mass of the body, or the origin" },
    { "angle", "expression", "Its rotation, in the plane or relative to its body.", dim = "rad", default = "0" },
    { "corners", "numbers", [[The corners that count on planes and within arcs; each is a contact there and costs
      accordingly.]], most = function(given) return type(given.points) == "table" and #given.points or 0 end, default = "all" },
    shape.material },
  notes = [[With disks, boxes, segments and other polygons there are up to two contacts, one at each end of where two sides face each
    other. A shape that is not convex is several polygons on one body. Numbers only: points do not change with parameters.]],
  example = [[
local theta = m:coordinate("theta", { unit = "rad" })
local J = m:parameter("J", 0.03, "kg m^2")
local wedge = m:body("wedge", { mass = mass, inertia = J, at = { x, y }, angle = theta })
local shape = m:polygon("wedge", { points = { { -0.2, -0.1 }, { 0.3, -0.1 }, { -0.1, 0.2 } }, body = wedge })
m:contact_between(shape, m:plane "ground", { friction = 0.4 })
m:contact_between(shape, m:polygon("post", { points = { { 1, 0 }, { 1.2, 0 }, { 1.1, 0.5 } } }), { friction = 0.4 })]] }

local function across(p, q, r) return (q[1] - p[1]) * (r[2] - p[2]) - (q[2] - p[2]) * (r[1] - p[1]) end

-- The points anticlockwise; refuses what is not convex.
local function around(points, subject, where)
  local n, area, size = #points, 0, 0
  if n > MOST then fail(where, "%s has %d corners; write at most %d", subject, n, MOST) end
  for k = 1, n do
    area = area + across(points[1], points[k], points[k % n + 1])
    for i = 1, 2 do size = math.max(size, math.abs(points[k][i] - points[1][i])) end
  end
  local list = {}
  for k = 1, n do list[k] = points[area > 0 and k or n + 1 - k] end
  for k = 1, n do
    local p, q = list[k], list[k % n + 1]
    local length = math.sqrt((q[1] - p[1]) ^ 2 + (q[2] - p[2]) ^ 2)
    for j = 1, n do
      local other = j ~= k and j ~= k % n + 1
      if other and not (length > FLAT * size and across(p, q, list[j]) > FLAT * size * length) then
        fail(where, "%s is not convex with its corners in order around it (at corner %d); write them in order, leave out those on a "
          .. "straight side, and make several polygons of a shape that is not convex", subject, area > 0 and j or n + 1 - j)
      end
    end
  end
  return list
end

function polygon.means(_, state, given, where)
  local name, o, subject = shape.named(polygon, state, given, where)
  local list = around(o.points, subject, where)
  if not o.body and not o.at then o.at = { zero, zero } end
  local frame, middle = shape.placed(o, subject, where)
  local angle = frame.angle
  if o.body and o.angle then angle = angle and angle + o.angle or o.angle end
  local function place(p) return body.place(middle, angle, value.wrap(E.num(p[1])), value.wrap(E.num(p[2]))) end
  local all, balls = {}, {}
  for k, p in ipairs(o.points) do all[k] = place(p) end
  for i, k in ipairs(o.corners or {}) do balls[i] = { centre = all[k], radius = zero, spin = zero, corner = k } end
  for k = 1, o.corners and 0 or #all do balls[k] = { centre = all[k], radius = zero, spin = zero, corner = k } end
  local numbers, factor = outline.table(list)
  return shape.new { kind = "polygon", name = name, frame = frame, given = o, balls = balls, outline = all, middle = middle,
    angle = angle, table = numbers, factor = value.wrap(E.num(factor)) }
end

return { words = { polygon } }
