-- Materials: from the energy density W(F) per reference volume to the first Piola stress P = dW/dF and its tangent
-- dP/dF, by differentiation. Everything is an expression of the displacement gradient H = F - I (symbols H_11 ...),
-- which keeps small strains exact to rounding, and of the parameters.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"

local M = {}

--- The d x d symbols H_ij of the displacement gradient.
function M.gradient_symbols(d)
  local H = {}
  for i = 1, d do
    H[i] = {}
    for j = 1, d do H[i][j] = E.sym(("H_%d%d"):format(i, j), "local") end
  end
  return H
end

-- Lame's constants; in plane stress the first is reduced so that the stress through the thickness vanishes.
local function lame(material, plane)
  local young, nu = E.lift(material.E), E.lift(material.nu)
  local mu = young / (2 * (1 + nu))
  if plane == "stress" then return young * nu / ((1 + nu) * (1 - nu)), mu end
  return young * nu / ((1 + nu) * (1 - 2 * nu)), mu
end

-- W = lambda/2 tr(e)^2 + mu e:e with the small strain e = sym H; a bar is E/2 e^2. name(text, node) may put a symbol of that
-- name in place of a constant.
local function elastic(material, H, mesh, name)
  local d = #H
  if d == 1 then
    local young = E.lift(material.E)
    return name("young", young) / 2 * H[1][1] ^ 2, young, E.zero
  end
  local lambda0, mu0 = lame(material, mesh.plane)
  local lambda, mu, two_mu = name("lambda", lambda0), name("mu", mu0), name("two_mu", 2 * mu0)
  local trace, stretch, shear = E.zero, E.zero, E.zero
  for i = 1, d do
    trace = trace + H[i][i]
    stretch = stretch + H[i][i] ^ 2
    for j = i + 1, d do shear = shear + (H[i][j] + H[j][i]) ^ 2 end
  end
  local energy = lambda / 2 * trace ^ 2 + two_mu / 2 * stretch + mu / 2 * shear
  return energy, lambda0 + 2 * mu0, mesh.plane == "strain" and lambda * trace or E.zero
end

-- The user's energy with F = I + H; in plane strain F_33 = 1 where the energy is one of a 3 x 3 F.
local function hyperelastic(material, H, mesh)
  local d, map = #H, {}
  for i, row in ipairs(material.F) do
    for j, symbol in ipairs(row) do
      local identity = i == j and 1 or 0
      map[symbol] = (i <= d and j <= d) and H[i][j] + identity or E.num(identity)
    end
  end
  local energy = E.substitute(E.lift(material.energy), map)
  local through = d == 2 and material.F[3] and E.substitute(D.by(E.lift(material.energy), material.F[3][3]), map)
  -- a rest state with stress or without stiffness is no elastic material; its tangent gives the fastest wave
  local at_rest, entries = {}, {}
  for i = 1, d do
    for j = 1, d do
      at_rest[H[i][j]] = E.zero
      entries[#entries + 1] = H[i][j]
    end
  end
  local good, stiffest = pcall(function()
    local P = D.gradient(energy, entries)
    local most
    for k, p in ipairs(P) do
      local c = E.substitute(D.by(p, entries[k]), at_rest)
      most = most and E.max(most, c) or c
    end
    return most
  end)
  if not good then
    error({ carom = true, file = mesh.file, line = mesh.line, message = ("the energy of mesh '%s' has no finite second "
      .. "derivative at F = I; write one that has, without roots of J - 1 and the like"):format(mesh.name) }, 0)
  end
  return energy, stiffest, through or E.zero
end

--- The material of a mesh: { H, energy, P[i][j], tangent[i][j][k][l], F, J = det F, through = stress P_33 of a plane,
--- linear, rho, wave_speed } as expressions. named: elastic constants are symbols of kind "const", listed with their values
--- in `constants` = { { symbol, node } ... } (for C, where they are computed once; else they stand in full).
function M.of(mesh, named)
  local d, material = mesh.dimension, mesh.material
  local H = M.gradient_symbols(d)
  local linear = material.kind == "elastic"
  local constants = {}
  local function name(text, node)
    if not named then return node end
    constants[#constants + 1] = { E.sym(text, "const"), node }
    return constants[#constants][1]
  end
  local density = linear and elastic or hyperelastic
  local energy, stiffest, through = density(material, H, mesh, name)
  local result = { H = H, energy = energy, through = through, linear = linear, constants = constants,
    rho = E.lift(material.rho), P = {}, tangent = {}, F = {} }
  for i = 1, d do
    result.P[i], result.F[i] = D.gradient(energy, H[i]), {}
    for j = 1, d do result.F[i][j] = i == j and 1 + H[i][j] or H[i][j] end
  end
  for i = 1, d do
    result.tangent[i] = {}
    for j = 1, d do
      result.tangent[i][j] = {}
      for k = 1, d do result.tangent[i][j][k] = D.gradient(result.P[i][j], H[k]) end
    end
  end
  result.J = M.determinant(result.F)
  result.wave_speed = E.sqrt(stiffest / result.rho)
  return result
end

--- det A of a 1x1, 2x2 or 3x3 matrix of numbers or expressions.
function M.determinant(A)
  if #A == 1 then return A[1][1] end
  if #A == 2 then return A[1][1] * A[2][2] - A[1][2] * A[2][1] end
  return A[1][1] * (A[2][2] * A[3][3] - A[2][3] * A[3][2]) + A[1][2] * (A[2][3] * A[3][1] - A[2][1] * A[3][3])
    + A[1][3] * (A[2][1] * A[3][2] - A[2][2] * A[3][1])
end

--- det A times the inverse of A.
function M.adjugate(A)
  if #A == 1 then return { { 1.0 } } end
  if #A == 2 then return { { A[2][2], -A[1][2] }, { -A[2][1], A[1][1] } } end
  local B = { {}, {}, {} }
  for i = 1, 3 do
    for j = 1, 3 do
      local a, b, c, d = j % 3 + 1, (j + 1) % 3 + 1, i % 3 + 1, (i + 1) % 3 + 1 -- cyclic: the sign takes care of itself
      B[i][j] = A[a][c] * A[b][d] - A[a][d] * A[b][c]
    end
  end
  return B
end

return M
