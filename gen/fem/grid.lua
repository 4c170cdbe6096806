-- Grids of cells: nodes, cells and named boundaries of a block, a rectangle or a bar, in the order that the runtime for large
-- models uses as well: nodes along x first, then y, then z; nodes of a cell in the order of VTK.
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local eval = require("gen.expr.eval").eval

local G = {}

local boundaries = {
  { "left", "right" },
  { "left", "right", "bottom", "top" },
  { "left", "right", "near", "far", "bottom", "top" },
}

--- Names of the boundaries of a grid of dimension d: two for each direction, lower then upper.
function G.boundaries(d)
  local list = {}
  for i, name in ipairs(boundaries[d]) do list[i] = name end
  return list
end

-- corners of a box as offsets along x, y, z in the order of VTK
local corners = {
  { { 0, 0, 0 }, { 1, 0, 0 } },
  { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } },
  { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 1 }, { 1, 1, 1 }, { 0, 1, 1 } },
}

-- Faces of a box: for each boundary its corners, seen from outside anticlockwise, starting at an end of the diagonal that
-- the cut into triangles uses.
local box_faces = {
  { left = { 1 }, right = { 2 } },
  { left = { 4, 1 }, right = { 2, 3 }, bottom = { 1, 2 }, top = { 3, 4 } },
  { left = { 1, 5, 8, 4 }, right = { 7, 6, 2, 3 }, near = { 1, 2, 6, 5 }, far = { 7, 3, 4, 8 }, bottom = { 1, 4, 3, 2 },
    top = { 7, 8, 5, 6 } },
}

local function moved_by(map)
  return function(place)
    local env, result = {}, {}
    for i, s in ipairs(map.inputs) do env[s] = place[i] end
    for i, node in ipairs(map.value) do
      result[i] = eval(E.lift(node), env)
      if result[i] ~= result[i] or math.abs(result[i]) == math.huge then return nil end
    end
    return result
  end
end

--- The mesh of a grid: { nodes = { { x, y, z } ... }, cells = { { node ... } ... }, boundaries = { name -> { { node ... } ... } } },
-- nodes counted from 1; nil and a reason where the map goes wrong.
function G.make(source, cell)
  local n, d = source.cells, #source.cells
  local counts = { n[1] + 1, (n[2] or 0) + 1, (n[3] or 0) + 1 }
  local function node(i, j, k) return 1 + i + counts[1] * (j + counts[2] * k) end
  local mesh = { nodes = {}, cells = {}, boundaries = {} }
  local move = source.map and moved_by(source.map)
  for k = 0, n[3] or 0 do
    for j = 0, n[2] or 0 do
      for i = 0, n[1] do
        local at, place = { i, j, k }, {}
        for c = 1, d do place[c] = source.origin[c] + source.size[c] * at[c] / n[c] end
        local moved = place
        if move then
          moved = move(place)
          if not moved then return nil, ("the map is not finite at (%s)"):format(table.concat(place, ", ")) end
        end
        mesh.nodes[#mesh.nodes + 1] = moved
      end
    end
  end
  local function of_box(i, j, k)
    local list = {}
    for c, offset in ipairs(corners[d]) do list[c] = node(i + offset[1], j + offset[2], k + offset[3]) end
    return list
  end
  local function put(list, box, cut)
    local item = {}
    for c, corner in ipairs(cut) do item[c] = box[corner] end
    list[#list + 1] = item
  end
  for _, name in ipairs(boundaries[d]) do mesh.boundaries[name] = {} end
  for k = 0, math.max(1, n[3] or 1) - 1 do
    for j = 0, math.max(1, n[2] or 1) - 1 do
      for i = 0, n[1] - 1 do
        local box, at = of_box(i, j, k), { i, j, k }
        if cells[cell].cuts then
          for _, cut in ipairs(cells[cell].cuts) do put(mesh.cells, box, cut) end
        else
          mesh.cells[#mesh.cells + 1] = box
        end
        for b, name in ipairs(boundaries[d]) do
          local axis = (b + 1) // 2
          if at[axis] == (b % 2 == 1 and 0 or n[axis] - 1) then
            local face = {}
            for c, corner in ipairs(box_faces[d][name]) do face[c] = box[corner] end
            if cells[cell].face_cuts then
              for _, cut in ipairs(cells[cell].face_cuts) do put(mesh.boundaries[name], face, cut) end
            else
              table.insert(mesh.boundaries[name], face)
            end
          end
        end
      end
    end
  end
  return mesh
end

return G
