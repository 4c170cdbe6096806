-- The word surface: smooth ground without border, whose height is an expression; a sphere rolls on it without the edges of a heightfield.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local S = {}

-- Newton's method from the place below the centre: the error of the point is squared in each step, and again in the gap
local STEPS = 3

local surface = word { "surface", group = shape.in_space, "m:surface(name, { height = function(x, y) ... end, at = { x, y, z } })",
  summary = "Smooth ground that does not move, without border: its height is an expression; solid below.",
  gives = "a shape for `contact_between` with a sphere",
  arguments = { { "name", "name", "An identifier; contacts are named after the two shapes.", required = true } },
  options = {
    { "height", "function", [[The height at x and y, counted from `at`: a function that works with expressions, that is without
      `if`.]], required = true },
    { "at", "vector", "Where x, y and heights are counted from.", dim = "m", default = "{ 0, 0, 0 }" }, shape.material },
  notes = [[The nearest point is found by three steps of Newton's method: good while the ball is smaller than the radius of
    curvature. Ground for other shapes, measured heights, or a border: `heightfield`, which is triangles.]],
  example = [[
m:gravity(0, 0, -9.81)
local ball = m:free_body("ball", { mass = 0.1, inertia = 1e-4, at = { 0.5, 0.6, 0.3 } })
local dunes = m:surface("dunes", { height = function(u, w) return 0.1 * carom.sin(3 * u) * carom.cos(2 * w) end })
m:contact_between(m:sphere("ball", { radius = 0.05, body = ball }), dunes, { friction = 0.3 })]] }

function surface.means(_, state, given, where)
  local name, o, subject = shape.named(surface, state, given, where)
  local at = o.at or space.origin
  shape.still(at, subject, where)
  return shape.new { kind = "surface", spatial = true, name = name, frame = { at = at }, given = o, point = at, height = o.height }
end

--- The point of the smooth surface nearest to a centre, and the direction out of it there; values.
function S.nearest(ground, centre)
  local x, y = E.sym("x of surface", "local"), E.sym("y of surface", "local")
  local f = value.node(value.lift(ground.height(value.wrap(x), value.wrap(y)), "the height of surface '" .. ground.name .. "'"))
  local fx, fy = D.by(f, x), D.by(f, y)
  local fxx, fxy, fyy = D.by(fx, x), D.by(fx, y), D.by(fy, y)
  local c = {}
  for i = 1, 3 do c[i] = value.node(centre[i]) - value.node(ground.point[i]) end
  local px, py = c[1], c[2]
  local function at(nodes)
    local map, memo, result = { [x] = px, [y] = py }, {}, {}
    for i, node in ipairs(nodes) do result[i] = E.substitute(node, map, memo) end
    return table.unpack(result)
  end
  for _ = 1, STEPS do -- (x - cx) + (f - cz) fx = 0 and the same for y
    local z, zx, zy, zxx, zxy, zyy = at { f, fx, fy, fxx, fxy, fyy }
    local d = z - c[3]
    local rx, ry = px - c[1] + d * zx, py - c[2] + d * zy
    local a, b, e = 1 + zx * zx + d * zxx, zx * zy + d * zxy, 1 + zy * zy + d * zyy
    local det = a * e - b * b
    px, py = px - (e * rx - b * ry) / det, py - (a * ry - b * rx) / det
  end
  local z, zx, zy = at { f, fx, fy }
  local length = E.sqrt(1 + zx * zx + zy * zy)
  local point, n = { px, py, z }, { -zx / length, -zy / length, 1 / length }
  for i = 1, 3 do
    point[i] = value.wrap(point[i] + value.node(ground.point[i]), value.dim(centre[i]))
    n[i] = value.wrap(n[i], value.dim(value.lift(1)))
  end
  return point, n
end

S.words = { surface }
return S
