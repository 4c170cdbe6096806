-- One element as expressions, slow and obvious: its strain energy, mass and loads, summed over the quadrature points; what the kernels
-- of cells must agree with. Places X[a][k] are numbers; u are the nodal displacements.
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local materials = require "gen.fem.material"

local M = {}

--- dN_a/dX_k at a quadrature point, and w = weight times det dX/dxi, the volume it stands for (no section, no thickness).
function M.geometry(cell, X, point)
  local d, dN = cell.dimension, cell.gradient(point)
  local J = {}
  for k = 1, d do
    J[k] = {}
    for l = 1, d do
      local sum = 0.0
      for a = 1, cell.nodes do sum = sum + X[a][k] * dN[a][l] end
      J[k][l] = sum
    end
  end
  local det, adj, G = materials.determinant(J), materials.adjugate(J), {}
  for a = 1, cell.nodes do
    G[a] = {}
    for k = 1, d do
      local sum = 0.0
      for l = 1, d do sum = sum + dN[a][l] * adj[l][k] end
      G[a][k] = sum / det
    end
  end
  return G, point.w * det
end

-- sum over nodes of N_a values_a, by component
local function interpolate(N, values, d)
  local result = {}
  for k = 1, d do
    local sum = 0.0
    for a = 1, #N do sum = sum + N[a] * values[a][k] end
    result[k] = sum
  end
  return result
end

local function thickness(mesh) return E.lift(mesh.thickness or 1) end

--- Strain energy of a cell of the mesh. `material` = materials.of(mesh), made once per mesh.
function M.energy(mesh, material, X, u)
  local cell, d = cells[mesh.cell], mesh.dimension
  local sum = E.zero
  for _, point in ipairs(cell.points) do
    local G, w = M.geometry(cell, X, point)
    local map = {}
    for i = 1, d do
      for k = 1, d do
        local h = E.zero
        for a = 1, cell.nodes do h = h + E.lift(G[a][k]) * u[a][i] end
        map[material.H[i][k]] = h
      end
    end
    sum = sum + w * E.substitute(material.energy, map)
  end
  return thickness(mesh) * sum
end

--- The numbers (or expressions) m[a][b] with the mass matrix rho thickness m.
function M.mass(mesh, X)
  local cell = cells[mesh.cell]
  local m = {}
  for a = 1, cell.nodes do
    m[a] = {}
    for b = 1, cell.nodes do m[a][b] = 0.0 end
  end
  for _, point in ipairs(cell.mass_points) do
    local N = cell.shape(point)
    local _, w = M.geometry(cell, X, point)
    for a = 1, cell.nodes do
      for b = 1, cell.nodes do m[a][b] = m[a][b] + w * (N[a] * N[b]) end
    end
  end
  return m
end

-- forces f[a][k] = sum over points of w N_a value_k(X at the point)
local function consistent(nodes, points, value)
  local f
  for _, point in ipairs(points) do
    local N, w, g = value(point)
    f = f or {}
    for a = 1, nodes do
      f[a] = f[a] or {}
      for k = 1, #g do f[a][k] = (f[a][k] or E.zero) + w * N[a] * g[k] end
    end
  end
  return f
end

local function at(value, symbols, place)
  local map, result = {}, {}
  for k, symbol in ipairs(symbols) do if place[k] then map[symbol] = E.lift(place[k]) end end
  for k, node in ipairs(value) do result[k] = E.substitute(E.lift(node), map) end
  return result
end

--- Nodal forces f[a][k] of the mesh's body force (force per mass) on a cell.
function M.load(mesh, X)
  local cell, d = cells[mesh.cell], mesh.dimension
  local factor = E.lift(mesh.material.rho) * thickness(mesh)
  return consistent(cell.nodes, cell.mass_points, function(point)
    local N = cell.shape(point)
    local _, w = M.geometry(cell, X, point)
    return N, factor * w, at(mesh.load.value, mesh.load.X, interpolate(N, X, d))
  end)
end

--- The area (length, or 1 for a point) that a quadrature point of a face stands for.
function M.area(face, X, point)
  local dN, t = face.gradient(point), {}
  for l = 1, face.dimension do
    t[l] = {}
    for k = 1, #X[1] do
      local sum = 0.0
      for a = 1, face.nodes do sum = sum + X[a][k] * dN[a][l] end
      t[l][k] = sum
    end
  end
  if face.dimension == 0 then return 1.0 end
  local n = face.dimension == 1 and { t[1][1], t[1][2] }
    or { t[1][2] * t[2][3] - t[1][3] * t[2][2], t[1][3] * t[2][1] - t[1][1] * t[2][3], t[1][1] * t[2][2] - t[1][2] * t[2][1] }
  local square = 0.0
  for k = 1, #n do square = square + n[k] * n[k] end
  return point.w * (type(square) == "number" and math.sqrt(square) or E.sqrt(square))
end

--- Nodal forces f[a][k] of a traction on a face with its node places X.
function M.traction(mesh, traction, X)
  local face, d = cells[cells[mesh.cell].face], mesh.dimension
  local factor = thickness(mesh)
  return consistent(face.nodes, face.mass_points or face.points, function(point)
    local N = face.shape(point)
    return N, factor * M.area(face, X, point), at(traction.value, traction.X, interpolate(N, X, d))
  end)
end

return M
