-- Contacts in the plane by the geometry of the runtime (runtime/shapes/polygon.c): boxes, polygons and segments as corners with sides
-- between them, disks and cams as spheres, in frames that are turned about z. touch.lua does the rest.
local fail = require "gen.lang.core.fail"
local geometry = require "gen.lang.words.shapes.geometry"
local touch = require "gen.lang.words.shapes.touch"
local value = require "gen.lang.core.value"

local O = { pairs = { { "disk", "box" }, { "disk", "polygon" }, { "box", "box" }, { "box", "polygon" }, { "polygon", "polygon" },
  { "box", "segment" }, { "polygon", "segment" }, { "arc", "box" }, { "arc", "polygon" } } }

local zero, one = value.lift(0), value.lift(1)
local sqrt, sin, cos = value.functions.sqrt, value.functions.sin, value.functions.cos

-- in C no shape of a model has such a name
local square = { name = "4", columns = 4, rows = 0, numbers = { -1, -1, 1, -1, 1, 1, -1, 1 } }
local edge = { name = "2", columns = 2, rows = 0, numbers = { -1, 0, 1, 0 } }

--- The table of a polygon and the factor of its corners: a power of two, so that the corners are what was written.
function O.table(corners)
  local size, numbers = 0, {}
  for _, p in ipairs(corners) do size = math.max(size, math.abs(p[1]), math.abs(p[2])) end
  local factor = 2.0 ^ math.ceil(math.log(size, 2))
  for _, p in ipairs(corners) do
    numbers[#numbers + 1] = p[1] / factor
    numbers[#numbers + 1] = p[2] / factor
  end
  return { columns = #corners, rows = 0, numbers = numbers }, factor
end

-- what the runtime is told: kind, factors of the corners, table; middle, cosine and sine of the angle, its rate
local described = {}

function described.disk(s)
  return "sphere", { s.ball.radius }, nil, s.ball.centre, one, zero, s.ball.spin
end

function described.arc(s)
  return "sphere", { s.radius }, nil, s.centre, one, zero, geometry.spin(s.frame)
end

local function turned(s, factors, numbers)
  local angle = s.angle
  return "polygon", factors, numbers, s.middle, angle and cos(angle) or one, angle and sin(angle) or zero, geometry.spin(s)
end

function described.box(s) return turned(s, s.half, square) end
function described.polygon(s) return turned(s, { s.factor, s.factor }, s.table) end

function described.segment(s, where)
  local p, q = s.ends[1], s.ends[2]
  local own = s.given.body and s.given.between or s.ends
  local half = sqrt((own[2][1] - own[1][1]) ^ 2 + (own[2][2] - own[1][2]) ^ 2) / 2
  local symbol = value.moving(half)
  if symbol then
    fail(where, "segment '%s' changes its length with '%s', which polygons and boxes do not touch; give it a body", s.name, symbol.name)
  end
  return "polygon", { half, zero }, edge, { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2 }, (q[1] - p[1]) / (2 * half),
    (q[2] - p[2]) / (2 * half), geometry.spin_of(s)
end

-- a planar shape as touch.lua takes those in space
local function raised(s, where)
  local kind, sizes, numbers, middle, c, w, spin = described[s.kind](s, where)
  return { kind = kind, name = s.name, sizes = sizes, table = numbers, given = {}, frame = { at = { middle[1], middle[2], zero },
    R = { { c, -w, zero }, { w, c, zero }, { zero, zero, one } }, omega = { zero, zero, spin } } }
end

--- Does it take this pair of shapes? Corners within arcs are formulas (geometry.lua).
function O.takes(touching) return touching.kind ~= "arc" or touching.side == "outside" and not touching.from end

--- The contacts of a touching b, as geometry.lua gives them, with the rate of the gap.
function O.contacts(a, b, where)
  touch.whole(a, b, where)
  local list = {}
  for j, t in ipairs(touch.slots(raised(a, where), raised(b, where))) do
    list[j] = { gap = t.gap, rate = t.rate, slip = { t.along { t.n[2], -t.n[1], zero } }, number = t.number, tables = t.tables,
      spin = function() return { t.from.omega[3] - t.to.omega[3] } end }
  end
  return list
end

return O
