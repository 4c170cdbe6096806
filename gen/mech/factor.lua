-- M^-1 as expressions: M = L D L^T, and trees of links by recursion (articulated.lua).
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local articulated = require "gen.mech.articulated"
local tree = require "gen.mech.tree"

local S = {}

-- M = L D L^T symbolically: unit lower L (sparse), and the reciprocals of D. skip[i]: not of this part of M.
local function triangular(eq, skip)
  local n = eq.n
  local F = { L = {}, dinv = {}, d = {} }
  for i = 1, n do
    F.L[i] = {}
    for j = 1, skip[i] and 0 or i - 1 do
      local sum = eq.M[i][j]
      for k = 1, j - 1 do
        if F.L[i][k] and F.L[j][k] then
          sum = (sum or E.zero) - F.L[i][k] * F.L[j][k] * F.d[k]
        end
      end
      if sum and sum ~= E.zero then F.L[i][j] = sum * F.dinv[j] end
    end
    local d = not skip[i] and eq.M[i][i] or E.zero
    for k = 1, i - 1 do
      if F.L[i][k] then d = d - F.L[i][k] ^ 2 * F.d[k] end
    end
    F.d[i] = d
    F.dinv[i] = d == E.zero and E.zero or 1 / d
  end
  return F
end

-- the same, trees by recursion
local function by_recursion(eq)
  local inside = {}
  for _, own in ipairs(eq.trees) do
    for _, link in ipairs(own.links) do inside[own.at[link]] = true end
  end
  local F = triangular(eq, inside)
  F.trees = eq.trees
  for _, own in ipairs(eq.trees) do
    own.dinv = articulated.factor(own.links, own.rotor)
    for _, link in ipairs(own.links) do F.dinv[own.at[link]] = own.dinv[link] end
  end
  return F
end

-- What M^-1 costs with a factor, M itself included.
local function cost_of(F, n)
  local b = {}
  for i = 1, n do b[i] = E.sym("b" .. i, "local") end
  return L.cost(S.solve(F, n, b))
end

--- M factored: as L D L^T, or trees of links by recursion where that is shorter. matrix: M itself is needed as well, so it costs nothing.
function S.factor(eq, matrix)
  if #(eq.trees or {}) == 0 or matrix then return triangular(eq, {}) end
  local recursive = by_recursion(eq)
  if eq.n > tree.long then return recursive end
  local plain = triangular(eq, {})
  return cost_of(recursive, eq.n) < cost_of(plain, eq.n) and recursive or plain
end

--- The solution of M x = b, b a list of expressions (missing entries are zero); L and dinv may be replaced by stand-ins.
function S.solve(F, n, b)
  local x = {}
  for i = 1, n do
    local sum = b[i] or E.zero
    for j = 1, i - 1 do
      if F.L[i][j] and x[j] ~= E.zero then sum = sum - F.L[i][j] * x[j] end
    end
    x[i] = sum
  end
  for i = 1, n do x[i] = x[i] * F.dinv[i] end
  for i = n, 1, -1 do
    for j = i + 1, n do
      if F.L[j][i] and x[j] ~= E.zero then x[i] = x[i] - F.L[j][i] * x[j] end
    end
  end
  for _, own in ipairs(F.trees or {}) do
    local force = {}
    for _, link in ipairs(own.links) do force[link] = b[own.at[link]] end
    local acceleration = articulated.solve(own.links, own.dinv, force)
    for _, link in ipairs(own.links) do x[own.at[link]] = acceleration[link] end
  end
  return x
end

return S
