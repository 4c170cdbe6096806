-- Kinds of shapes in space and which of them can touch, in either order: the table of runtime/shapes/shapes.c and what stands in the files
-- named there. (A test compares the two.)
local P = {}

--- In the order of carom_shape_kind.
P.kinds = { "sphere", "box", "capsule", "cylinder", "plane", "heightfield", "polyhedron", "polygon" }

--- What touches, what is touched, and how many touches a written contact keeps rows for.
P.list = { { "sphere", "sphere", 1 }, { "sphere", "box", 1 }, { "sphere", "capsule", 1 }, { "sphere", "cylinder", 1 },
  { "sphere", "plane", 1 }, { "sphere", "heightfield", 4 }, { "box", "box", 8 }, { "box", "plane", 8 }, { "box", "heightfield", 8 },
  { "capsule", "box", 3 }, { "capsule", "capsule", 3 }, { "capsule", "plane", 2 }, { "capsule", "heightfield", 6 },
  { "cylinder", "plane", 8 }, { "sphere", "polyhedron", 1 }, { "capsule", "polyhedron", 3 }, { "box", "polyhedron", 8 },
  { "polyhedron", "polyhedron", 8 }, { "polyhedron", "plane", 8 }, { "polyhedron", "heightfield", 8 } }

--- The same in the plane, where disks are spheres and boxes and segments are polygons.
P.flat = { { "sphere", "polygon", 1 }, { "polygon", "polygon", 2 } }

local slots, text, number = {}, {}, {}
for i, pair in ipairs(P.list) do
  slots[pair[1] .. " " .. pair[2]] = pair[3]
  text[i] = pair[1] .. "-" .. pair[2]
end
for _, pair in ipairs(P.flat) do slots[pair[1] .. " " .. pair[2]] = pair[3] end
for i, kind in ipairs(P.kinds) do number[kind] = i - 1 end

function P.covers(a, b) return P.slots(a, b) ~= nil or P.slots(b, a) ~= nil end

--- How many touches a written contact of kind a on kind b has; nil: they do not touch, or b touches a.
function P.slots(a, b) return slots[a .. " " .. b] end

--- The number of a kind, and its name in C.
function P.number(kind) return number[kind] end
function P.c(kind) return "CAROM_" .. kind:upper() end

--- The list in words.
P.text = table.concat(text, ", ")

return P
