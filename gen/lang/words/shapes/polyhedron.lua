-- The word polyhedron: the convex hull of points or of a surface in a file. Its corners, edges and faces are a table of numbers that the
-- runtime reads (carom/collide.h). carom.hull gives what a body needs of it.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local points_of = require "gen.util.points"
local polyhedron_of = require "gen.util.polyhedron"
local sandbox = require "gen.lang.core.sandbox"
local shape = require "gen.lang.words.shapes.shape"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local MOST = 32 -- corners: CAROM_CORNERS_MAX

accept.types.places = { shown = "list of `{ x, y, z }`", read = function(x, what, where)
  local write = "write { { x1, y1, z1 }, { x2, y2, z2 }, ... }"
  if not accept.plain_table(x) or #x < 4 then accept.expected(what, "a list of at least four points", x, where, write) end
  for j = 1, #x do
    if not accept.plain_table(x[j]) or #x[j] ~= 3 then fail(where, "point %d of %s is no list of three numbers; %s", j, what, write) end
    for i = 1, 3 do
      local c = accept.types.number.read(x[j][i], ("entry %d of point %d of %s"):format(i, j, what), where)
      if c - c ~= 0 then fail(where, "entry %d of point %d of %s is %g; give finite numbers", i, j, what, c) end
    end
  end
  return x
end }

local options = {
  { "points", "places", "Points, in metres, whose convex hull it is.", default = "none (file)" },
  { "file", "file", "An STL or OBJ file beside the model, whose convex hull it is.", default = "none (points)" },
  { "scale", "number", "Factor of the places in the file: 0.001 where they are millimetres.", default = "1" },
  { "corners", "number", [[The largest number of corners, at most 32. A hull with more is made of those that are furthest out,
    and lies within it; without this option it is refused.]], default = "32, no more are left out" },
}

local function file_of(o, subject, where)
  local guard = sandbox.current()
  if guard.from_input then
    fail(where, "a model from standard input has no folder, so '%s' cannot be found; save the model to a file", o.file)
  end
  local scale = o.scale or 1
  local points, why = points_of.read(guard.directory .. o.file, { scale, scale, scale })
  if not points then fail(where, "file '%s' of %s: %s", o.file, subject, why) end
  return points
end

-- The hull that options ask for.
local function hull_of(o, subject, where)
  if (o.points == nil) == (o.file == nil) then
    fail(where, "%s needs points = { { x, y, z }, ... } or file = \"name.stl\"", subject)
  end
  if o.scale and (not o.file or o.scale <= 0) then fail(where, "scale of %s is a positive factor of a file", subject) end
  if o.corners and (math.tointeger(o.corners) == nil or o.corners < 4 or o.corners > MOST) then
    fail(where, "corners of %s is %g; write a whole number from 4 to %d", subject, o.corners, MOST)
  end
  local points = o.points or file_of(o, subject, where)
  local hull, left = polyhedron_of.hull(points, o.corners or MOST)
  if not hull then fail(where, "%s has no convex hull: %s", subject, left) end
  if left > 0 and not o.corners then
    fail(where, "%s has more than %d corners; write corners = %d to keep those that are furthest out (what is left out reaches %.3g m "
      .. "beyond)", subject, MOST, MOST, left)
  end
  return hull
end

local polyhedron = word { "polyhedron", group = shape.in_space,
  "m:polyhedron(name, { points = { { x, y, z }, ... }, body = ... })\nm:polyhedron(name, { file = \"name.stl\", body = ... })",
  summary = "A convex polyhedron: the hull of points, or of what an STL or OBJ file holds.",
  gives = "a shape for `contact_between` and `contacts_among`",
  arguments = { { "name", "name", "An identifier; contacts are named after the two shapes.", required = true } },
  options = table.move({ { "body", "free_body", [[The free body or link the shape is fixed to; points are then those of the body's own
      frame.]], default = "none (fixed, or moved by its own expressions)" },
    { "at", "vector", "Where the origin of the points is: in the frame of the body, or in space.", dim = "m",
      default = "the origin of the body" }, shape.material }, 1, 3, #options + 1, table.move(options, 1, #options, 1, {})),
  notes = [[`carom.hull { points = ..., density = ... }` (or `file`, `scale`, `corners`) gives what a body needs: `mass`, `inertia` (three
    rows, about the centre of mass), `volume`, `center`, and `points`, the corners of the hull counted from the centre of mass. A pair has
    up to 8 touches, of a face with more corners those that span most. Against heightfields it is its corners. Numbers only: points do not
    change with parameters.]],
  example = [[
m:gravity(0, 0, -9.81)
local rock = carom.hull { points = { { 0, 0, 0 }, { 0.1, 0, 0 }, { 0, 0.1, 0 }, { 0, 0, 0.1 }, { 0.1, 0.1, 0.05 } },
  density = m:parameter("rho", 2700, "kg/m^3") }
local stone = m:free_body("stone", { mass = rock.mass, inertia = rock.inertia, at = { 0, 0, 0.2 } })
m:contact_between(m:polyhedron("stone", { points = rock.points, body = stone }), m:plane("floor", { normal = { 0, 0, 1 } }),
  { friction = 0.5 })]] }

function polyhedron.means(_, state, given, where)
  local name, o, subject = shape.named(polyhedron, state, given, where)
  local hull = hull_of(o, subject, where)
  local frame, centre, arm = shape.placed_in_space(o, subject, where)
  return shape.new { kind = "polyhedron", spatial = true, name = name, frame = frame, given = o, centre = centre, arm = arm, hull = hull,
    sizes = { value.lift(polyhedron_of.radius(hull)) },
    table = { columns = #hull.corners, rows = #hull.faces, numbers = polyhedron_of.table(hull) } }
end

--- What carom.hull takes: the same, and a density.
local of_hull = word { "hull", "carom.hull { points = ..., density = ... }", arguments = {}, options = table.move(options, 1, #options, 2, {
  { "density", "expression", "Mass per volume.", dim = "kg/m^3", default = "none (no mass and inertia)" } }) }

local function hull(given)
  local where = sandbox.where()
  local o = accept.options(of_hull, given, "hull", where)
  local made = hull_of(o, "the hull", where)
  local volume, centre, inertia = polyhedron_of.mass(made)
  local points = {}
  for i, c in ipairs(made.corners) do points[i] = { c[1] - centre[1], c[2] - centre[2], c[3] - centre[3] } end
  local function massive(x, unit) return o.density and o.density * value.wrap(value.node(value.lift(x)), units.parse(unit)) end
  local rows = {}
  for i, row in ipairs(inertia) do
    rows[i] = {}
    for j, x in ipairs(row) do rows[i][j] = massive(x, "m^5") end
  end
  return { volume = volume, center = centre, points = points, mass = massive(volume, "m^3"), inertia = o.density and rows or nil }
end

return { words = { polyhedron }, hull = hull }
