-- Mesh files of gmsh, read by the runtime's reader (runtime/mesh): a small program of the cache prints what is wanted of a file.
-- Formats 2.2 and 4.1, text and binary. Cells of highest dimension make the body; nodes that no cell uses are left out; faces have
-- their normal outward.
local lines = require "gen.util.lines"

local M = {}

-- the number in a line "word number"
local function count(next_line) return math.tointeger(tonumber(next_line():match "%d+$")) end

-- as many lines of numbers as the next one says
local function rows(next_line)
  local list = {}
  for i = 1, count(next_line) do list[i] = lines.numbers(next_line()) end
  return list
end

-- { cell =, boundaries = { name ... } }
local function head(next_line)
  local outline = { cell = next_line():match "%S+$", boundaries = {} }
  for i = 1, count(next_line) do outline.boundaries[i] = next_line() end
  return outline
end

--- { cell =, boundaries = { names of groups one dimension lower } }; nil and a reason, also when the cells are not those of `cell`; a third
-- value says that the reason is the machine and not the file.
function M.outline(path, cell)
  local next_line, why, missing = lines.of("mesh_lines", { "outline", path })
  if not next_line then return nil, why, missing end
  local outline = head(next_line)
  if cell and outline.cell ~= cell then
    return nil, ("it holds %s, not %s; leave out cell, or write cell = \"%s\""):format(outline.cell, cell, outline.cell)
  end
  return outline
end

--- The mesh, as gen/fem/grid.lua makes it; nil and a reason.
function M.read(path)
  local next_line, why = lines.of("mesh_lines", { "whole", path })
  if not next_line then return nil, why end
  local names, mesh = head(next_line).boundaries, { boundaries = {} }
  for _, name in ipairs(names) do mesh.boundaries[name] = {} end
  mesh.nodes, mesh.cells = rows(next_line), rows(next_line)
  for _, nodes in ipairs(mesh.nodes) do
    for k, x in ipairs(nodes) do nodes[k] = x + 0.0 end -- places are not whole numbers
  end
  for _, face in ipairs(rows(next_line)) do
    local faces = mesh.boundaries[names[table.remove(face, 1)]]
    faces[#faces + 1] = face
  end
  return mesh
end

return M
