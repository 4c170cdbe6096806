-- A mesh that is made: nodes = { { x, y, z }, ... }, cells, boundaries by name, edge (of a cube of the mean volume of a cell).
local cells = require "gen.fem.cells"
local gmsh = require "gen.fem.gmsh"
local grid = require "gen.fem.grid"
local sizes = require "gen.fem.size"

local M = {}

local known = setmetatable({}, { __mode = "k" }) -- made once

local function refuse(where, format, ...)
  error({ carom = true, file = where.file, line = where.line, message = format:format(...) }, 0)
end

--- Nodes, cells and boundaries; every cell must be right side out.
function M.of(mesh)
  if known[mesh] then return known[mesh] end
  local m, why
  if mesh.source.file then m, why = gmsh.read(mesh.source.file) else m, why = grid.make(mesh.source, mesh.cell) end
  if not m then refuse(mesh, "mesh '%s': %s", mesh.name, why) end
  local cell, volume = cells[mesh.cell], 0.0
  for e, nodes in ipairs(m.cells) do
    local X = {}
    for a, n in ipairs(nodes) do X[a] = m.nodes[n] end
    for _, point in ipairs(cell.mass_points) do
      local w = sizes.volume_at(cell, X, point)
      if w <= 0 then
        refuse(mesh, "mesh '%s': cell %d, with the node %d at (%s), is turned inside out; check the map or the file", mesh.name, e,
          nodes[1], table.concat(X[1], ", "))
      end
      volume = volume + w
    end
  end
  known[mesh] = m
  m.edge = (volume / #m.cells) ^ (1 / mesh.dimension)
  return m
end

--- What is seen of a mesh: its cells in the plane and on a line, in space the faces that one cell alone has; lists of nodes.
function M.outside(mesh)
  local m, cell = M.of(mesh), cells[mesh.cell]
  if mesh.dimension < 3 then return m.cells end
  local list, count = {}, {}
  for _, nodes in ipairs(m.cells) do
    for _, corners in ipairs(cell.faces) do
      local face, sorted = {}, {}
      for k, a in ipairs(corners) do face[k], sorted[k] = nodes[a], nodes[a] end
      table.sort(sorted)
      face.key = table.concat(sorted, " ")
      list[#list + 1], count[face.key] = face, (count[face.key] or 0) + 1
    end
  end
  local outside = {}
  for _, face in ipairs(list) do if count[face.key] == 1 then outside[#outside + 1] = face end end
  return outside
end

--- The nodes of a boundary, each once, in order of first appearance
function M.nodes_of(m, name)
  local list, seen = {}, {}
  for _, face in ipairs(m.boundaries[name] or {}) do
    for _, n in ipairs(face) do
      if not seen[n] then
        seen[n] = true
        list[#list + 1] = n
      end
    end
  end
  return list
end

--- The node nearest to a place.
function M.nearest(m, at)
  local best, least = nil, math.huge
  for n, place in ipairs(m.nodes) do
    local square = 0.0
    for k, x in ipairs(at) do square = square + (place[k] - x) ^ 2 end
    if square < least then best, least = n, square end
  end
  return best
end

local axes = { "x", "y", "z" }

--- What the displacement of a node is called, in results and as a coordinate.
function M.name(mesh, n, k) return ("%s_%d_%s"):format(mesh.name, n, axes[k]) end

return M
