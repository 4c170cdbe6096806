-- How large a finite-element model is: cells, nodes, degrees of freedom, edges, memory; without making the mesh where it is a
-- grid.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local cells = require "gen.fem.cells"
local gmsh = require "gen.fem.gmsh"
local grid = require "gen.fem.grid"
local materials = require "gen.fem.material"

local S = {}

--- The volume that a quadrature point of a cell with its nodes at X stands for: weight times det dX/dxi.
function S.volume_at(cell, X, point)
  local dN, J = cell.gradient(point), {}
  for k = 1, cell.dimension do
    J[k] = {}
    for l = 1, cell.dimension do
      J[k][l] = 0.0
      for a = 1, cell.nodes do J[k][l] = J[k][l] + X[a][k] * dN[a][l] end
    end
  end
  return point.w * materials.determinant(J)
end

-- length or area that a point of a side stands for; of a bar 1
local function area_at(face, X, point)
  local t, dN = {}, face.dimension > 0 and face.gradient(point) or {}
  for k = 1, face.dimension do
    t[k] = { 0.0, 0.0, 0.0 }
    for a, x in ipairs(X) do
      for i = 1, 3 do t[k][i] = t[k][i] + (x[i] or 0.0) * dN[a][k] end
    end
  end
  local a, b = t[1], t[2]
  if not a then return point.w end
  local n = b and { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } or a
  return point.w * math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
end

--- What each node of a side, with its nodes at X, stands for: the integral of its shape function.
function S.shares(face, X)
  local list = {}
  for a = 1, #X do list[a] = 0.0 end
  for _, point in ipairs(face.mass_points or face.points) do
    local area, N = area_at(face, X, point), face.shape(point)
    for a = 1, #X do list[a] = list[a] + area * N[a] end
  end
  return list
end

local function volume(made, cell)
  local sum = 0.0
  for _, nodes in ipairs(made.cells) do
    local X = {}
    for a, node in ipairs(nodes) do X[a] = made.nodes[node] end
    for _, point in ipairs(cell.points) do sum = sum + S.volume_at(cell, X, point) end
  end
  return sum
end

-- Of a grid, which is not made for that where it is large: a coarse one tells the volume where a map moves the nodes.
local function of_grid(mesh)
  local source, boxes, nodes, coarse = mesh.source, 1, 1, {}
  for k, count in ipairs(source.cells) do
    boxes, nodes, coarse[k] = boxes * math.tointeger(count), nodes * (math.tointeger(count) + 1), math.tointeger(count)
  end
  for k, count in ipairs(coarse) do coarse[k] = boxes > 20000 and math.min(count, 8) or count end
  local made, why = grid.make({ cells = coarse, size = source.size, origin = source.origin, map = source.map }, mesh.cell)
  if not made then
    error({ carom = true, file = mesh.file, line = mesh.line, message = ("mesh '%s': %s"):format(mesh.name, why) }, 0)
  end
  return { cells = boxes * #(cells[mesh.cell].cuts or { 1 }), nodes = nodes, volume = volume(made, cells[mesh.cell]) }
end

-- of a text file; nil for one that only PETSc can read
local function of_file(mesh)
  local read = gmsh.read(mesh.source.file)
  return read and { cells = #read.cells, nodes = #read.nodes, volume = volume(read, cells[mesh.cell]) }
end

--- Per mesh { cells, nodes, dof, edge (of a cube of the mean volume), wave_speed } and, of all: cells, nodes, dof, unit_step
--- (the step of CFL 1). A mesh that cannot be counted here has but its wave speed, and `unknown` is true.
function S.of_model(model)
  local env, all = {}, { cells = 0, nodes = 0, dof = 0, unit_step = math.huge, model = model }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for i, mesh in ipairs(model.meshes) do
    local s
    if mesh.source.file then s = of_file(mesh) else s = of_grid(mesh) end
    local wave_speed = eval(E.lift(materials.of(mesh).wave_speed), env)
    if s then
      s.dof, s.wave_speed, s.edge = s.nodes * mesh.dimension, wave_speed, (s.volume / s.cells) ^ (1 / mesh.dimension)
      all[i] = s
      all.cells, all.nodes, all.dof = all.cells + s.cells, all.nodes + s.nodes, all.dof + s.dof
      all.unit_step = math.min(all.unit_step, s.edge / s.wave_speed)
    else
      all[i], all.unknown = { wave_speed = wave_speed }, true
    end
  end
  return all
end

--- Bytes that a run takes, over all ranks: vectors, mesh, and the two symmetric matrices of an implicit scheme.
function S.memory(all, spec)
  local sum = 40e6
  for i, mesh in ipairs(all.model.meshes) do
    local s, d = all[i], mesh.dimension
    sum = sum + s.nodes * d * 8 * 24 + s.cells * 8 * 2 * cells[mesh.cell].nodes
    if spec.family == "moreau-jean" then sum = sum + 2 * s.nodes * (cells[mesh.cell].neighbours + 1) / 2 * (d * d * 8 + 4) end
  end
  return sum
end

--- A number of bytes for people.
function S.text(bytes)
  if bytes >= 1e9 then return ("%.1f GB"):format(bytes / 1e9) end
  return ("%.0f MB"):format(bytes / 1e6)
end

--- Largest extent of all bodies together
function S.extent(bodies)
  local size = 0.0
  for k = 1, bodies[1].mesh.dimension do
    local low, high = math.huge, -math.huge
    for _, body in ipairs(bodies) do
      for _, place in ipairs(body.made.nodes) do low, high = math.min(low, place[k]), math.max(high, place[k]) end
    end
    size = math.max(size, high - low)
  end
  return size
end

return S
