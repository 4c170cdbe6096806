-- The kernels of a finite-element model as C statements: for each cell kind the tables and sums of its shape functions, for
-- each mesh what happens at one quadrature point. The loops around them stand in templates/cells.c.in and carom/cells.h.
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local cells = require "gen.fem.cells"
local code = require "gen.emit.code"
local lanes = require "gen.emit.lanes"
local materials = require "gen.fem.material"
local print_c = require "gen.expr.print"
local statements = require "gen.emit.statements"
local sums = require "gen.fem.sums"

local K = {}

-- C text of an array element; indices from 1
local function element(array, i) return ("%s[%d]"):format(array, i - 1) end

--- Assignments of a vector to a C array, each entry times `factor`.
function K.vector(array, values, factor)
  local list = {}
  for k, node in ipairs(values) do list[k] = { element(array, k), (factor or 1) * E.lift(node) } end
  return list
end

--- Names of vector symbols: the entries of a C array, `after` so many others.
function K.names(list, array, names, after)
  names = names or {}
  for k, symbol in ipairs(list or {}) do names[symbol] = element(array, k + (after or 0)) end
  return names
end

-- matrices lie flat, by rows
local function scaled(lhs, A, factor)
  local list = {}
  for _, row in ipairs(A) do for _, node in ipairs(row) do list[#list + 1] = { element(lhs, #list + 1), factor * node } end end
  return list
end

-- C[i][j][k][l] = dP_ij/dH_kl, both halves from one (they are second derivatives of an energy); zeros are left out
local function tangent(material, thickness)
  local d, list = #material.H, {}
  for ij = 0, d * d - 1 do
    for kl = ij, d * d - 1 do
      local i, j, k, l = ij // d + 1, ij % d + 1, kl // d + 1, kl % d + 1
      local c = thickness * material.tangent[i][j][k][l]
      if c ~= E.zero then
        list[#list + 1] = { element("C", ij * d * d + kl + 1), c }
        if ij ~= kl then list[#list + 1] = { element("C", kl * d * d + ij + 1), c } end
      end
    end
  end
  return list
end

-- Cauchy stress, xx yy zz yz xz xy: P F^T / det F, or P itself for small strains
local function cauchy(material)
  local d = #material.H
  local function sigma(i, j)
    if i == 3 and j == 3 and d == 2 then return material.linear and material.through or material.through / material.J end
    if i > d or j > d then return E.zero end
    if material.linear then return material.P[i][j] end
    local sum = E.zero
    for k = 1, d do sum = sum + material.P[i][k] * material.F[j][k] end
    return sum / material.J
  end
  return K.vector("s", { sigma(1, 1), sigma(2, 2), sigma(3, 3), sigma(2, 3), sigma(1, 3), sigma(1, 2) })
end

-- stress of a rate H in the undeformed material, C(0) H
local function rate(material)
  local P, rest = {}, {}
  for _, row in ipairs(material.H) do for _, symbol in ipairs(row) do rest[symbol] = E.zero end end
  for i, row in ipairs(material.tangent) do
    P[i] = {}
    for j, by in ipairs(row) do
      P[i][j] = E.zero
      for k, line in ipairs(by) do
        for l, c in ipairs(line) do P[i][j] = P[i][j] + E.substitute(c, rest) * material.H[k][l] end
      end
    end
  end
  return P
end

--- What the kernels of a mesh do at a quadrature point: force, rate, tangent, lanes, energy, stress; each as statements.lua gives it.
function K.material(mesh)
  local material, thickness = materials.of(mesh, true), E.lift(mesh.thickness or 1)
  local names = {}
  for i, row in ipairs(material.H) do K.names(row, "H", names, (i - 1) * #row) end
  local force = scaled("P", material.P, thickness)
  local stiffness = tangent(material, thickness)
  if not material.linear then
    force[#force + 1] = { "const double J", material.J }
    stiffness[#stiffness + 1] = { "const double J", material.J }
  end
  local _, S = sums.derivatives(cells[mesh.cell], K.nodal(cells[mesh.cell]))
  local function inside(assignments) return statements.hoisted({ assignments }, names, material.constants) end
  return {
    linear = material.linear, density = material.rho * thickness, wave_speed = material.wave_speed,
    force = inside(force), rate = inside(scaled("P", rate(material), thickness)),
    tangent = inside(stiffness), stress = inside(cauchy(material)),
    energy = inside { { "const double W", thickness * material.energy } },
    lanes = lanes(material, thickness, cells[mesh.cell], S),
  }
end

--- Symbols x_a of the values of one component at the nodes, as they stand in the arrays of lanes.
function K.nodal(cell)
  local x = {}
  for a = 1, cell.nodes do x[a] = E.sym(("x[%d][l]"):format((a - 1) * cell.dimension), "local") end
  return x
end

-- the numbers of nested tables, one after the other, on lines of bearable length
local function flat(value)
  local lines, line = {}, ""
  local function put(item)
    if type(item) == "table" then
      for _, inner in ipairs(item) do put(inner) end
      return
    end
    local text = print_c.number(item) .. ","
    if #line + #text > 108 then
      lines[#lines + 1], line = line, ""
    end
    line = line == "" and text or line .. " " .. text
  end
  put(value)
  lines[#lines + 1] = line == "" and "0.0" or line:sub(1, -2)
  return lines
end

local function tabulate(points, f)
  local list = {}
  for q, point in ipairs(points) do list[q] = f(point) end
  return list
end

--- Tables of a cell kind (or of the faces of one) and its sums over the nodes in lanes.
function K.cell(name)
  local cell = cells[name]
  local d = cell.dimension
  local mass_points = cell.mass_points or cell.points
  local function braced(points)
    return "{ " .. table.concat(flat(tabulate(points, function(point) return point.w end)), " ") .. " }"
  end
  local t = {
    name = name, mass = cell.mass_points == cell.points and name or name .. "_mass", n = cell.nodes, d = d, nd = cell.nodes * d,
    points = #cell.points, mass_points = #mass_points,
    weight = braced(cell.points), dN = flat(tabulate(cell.points, cell.gradient)),
    mass_weight = braced(mass_points), mass_dN = flat(tabulate(mass_points, cell.gradient)),
    N = flat(tabulate(mass_points, cell.shape)), centre_dN = cell.centre and flat(cell.gradient(cell.centre)),
  }
  if d == 0 or not cell.centre then return t end
  local function lines(assignments)
    local roots = {}
    for i, a in ipairs(assignments) do roots[i] = a[2] end
    return code.block(assignments, { name = function(node) return node.op == "sym" and node.name or nil end, indent = "",
      prefix = "s" }), L.operations(roots)
  end
  local D, T, forward, backward = sums.derivatives(cell, K.nodal(cell)), {}, {}, {}
  for q in ipairs(cell.points) do
    T[q] = {}
    for k = 1, d do
      forward[#forward + 1] = { ("D[%d][%d][l]"):format(q - 1, k - 1), D[q][k] }
      T[q][k] = E.sym(("T[%d][%d][l]"):format(q - 1, k - 1), "local")
    end
  end
  for a, node in ipairs(sums.divergence(cell, T)) do backward[a] = { ("f[%d][l]"):format((a - 1) * d), node } end
  t.forward, t.forward_operations = lines(forward)
  t.backward, t.backward_operations = lines(backward)
  return t
end

return K
