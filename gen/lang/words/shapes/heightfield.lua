-- The word heightfield: ground given by its height over a rectangle, a grid of triangles wherever it is met (carom/collide.h). Smooth
-- ground is the word surface.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

-- vertices; a table of them is part of the generated C
local MOST = 250000

-- rows of plain numbers, all of one length
accept.types.rows = { shown = "list of lists of numbers", read = function(x, what, where)
  local write = "write { { z11, z12, ... }, { z21, z22, ... }, ... }"
  if not accept.plain_table(x) or #x < 2 then accept.expected(what, "a list of at least two rows of numbers", x, where, write) end
  for j = 1, #x do
    if not accept.plain_table(x[j]) or #x[j] < 2 or #x[j] ~= #x[1] then
      fail(where, "row %d of %s is no list of at least two numbers, as long as the first row; %s", j, what, write)
    end
    for i = 1, #x[j] do accept.types.number.read(x[j][i], ("entry %d of row %d of %s"):format(i, j, what), where) end
  end
  return x
end }

local heightfield = word { "heightfield", group = shape.in_space,
  "m:heightfield(name, { height = function(x, y) ... end, cells = { nx, ny }, size = { lx, ly } })\n"
  .. "m:heightfield(name, { heights = { { z11, z12, ... }, ... }, size = { lx, ly } })",
  summary = "Ground that does not move: its height over a rectangle, solid below.",
  gives = "a shape for `contact_between` and `contacts_among`",
  arguments = { { "name", "name", "An identifier; contacts are named after the two shapes.", required = true } },
  options = {
    { "height", "function", [[The height at x and y, counted from the lowest corner: a function of two numbers that returns a
      number.]], default = "none (heights)" },
    { "cells", "counts", "With `height`: the numbers of cells along x and y.", default = "none (heights)" },
    { "heights", "rows", [[Rows of heights along x, the rows following each other along y; at least two rows of two.]],
      default = "none (height)" },
    { "size", "lengths", "Lengths of the rectangle along x and y.", dim = "m", required = true },
    { "at", "vector", "Its lowest corner in x and y, and the level that heights are counted from.", dim = "m",
      default = "{ 0, 0, 0 }" }, shape.material },
  notes = [[The ground is triangles, two for each cell, split from its lowest to its highest corner; a ball
    rolls over a field of constant slope as over a plane. Beyond the rectangle there is nothing. Boxes touch it with their
    corners only: a peak in the middle of a face is not seen, so let the ground be gentle against boxes. Ground that is smooth,
    for a sphere, is `surface`.]],
  example = [[
m:gravity(0, 0, -9.81)
local ball = m:free_body("ball", { mass = 0.1, inertia = 1e-4, at = { 0.5, 0.6, 0.3 } })
local dunes = m:heightfield("dunes", { size = { 2, 2 }, cells = { 20, 20 },
  height = function(u, w) return 0.1 * carom.sin(3 * u) * carom.cos(2 * w) end })
m:contact_between(m:sphere("ball", { radius = 0.05, body = ball }), dunes, { friction = 0.3 })]] }

local function number(v) return value.node(v).value end

-- heights of the vertices: row by row along y, each along x
local function sampled(o, cells, spacing, subject, where)
  local list = {}
  for j = 0, cells[2] do
    for i = 0, cells[1] do
      local x, y = i * spacing[1], j * spacing[2]
      local z = o.height(x, y)
      if type(z) ~= "number" or z ~= z or z == math.huge or z == -math.huge then
        fail(where, "the height of %s at x = %g, y = %g is %s; return a finite number", subject, x, y,
          type(z) == "number" and tostring(z) or value.describe(z))
      end
      list[#list + 1] = z
    end
  end
  return list
end

local function tabulated(rows)
  local list = {}
  for _, row in ipairs(rows) do table.move(row, 1, #row, #list + 1, list) end
  return list
end

function heightfield.means(_, state, given, where)
  local name, o, subject = shape.named(heightfield, state, given, where)
  if (o.height == nil) == (o.heights == nil) then
    fail(where, "%s needs height = function(x, y) ... end and cells = { nx, ny }, or heights = { { ... }, ... }", subject)
  end
  if #o.size ~= 2 or number(o.size[1]) <= 0 or number(o.size[2]) <= 0 then
    fail(where, "size of %s must be two positive lengths; write size = { lx, ly }", subject)
  end
  if o.heights and o.cells or o.height and not (o.cells and #o.cells == 2) then
    fail(where, "%s %s; write cells = { nx, ny } with height, and nothing of the kind with heights", subject,
      o.heights and "has cells, which follow from its heights" or "lacks its numbers of cells")
  end
  local cells = o.heights and { #o.heights[1] - 1, #o.heights - 1 } or o.cells
  if (cells[1] + 1) * (cells[2] + 1) > MOST then
    fail(where, "%s has more than %d vertices; take fewer cells", subject, MOST)
  end
  local at = o.at or space.origin
  shape.still(at, subject, where)
  local spacing = { number(o.size[1]) / cells[1], number(o.size[2]) / cells[2] }
  return shape.new { kind = "heightfield", spatial = true, name = name, frame = { at = at }, given = o, point = at,
    sizes = { value.lift(spacing[1]), value.lift(spacing[2]) }, table = { columns = cells[1] + 1, rows = cells[2] + 1,
      numbers = o.heights and tabulated(o.heights) or sampled(o, cells, spacing, subject, where) } }
end

return { words = { heightfield } }
