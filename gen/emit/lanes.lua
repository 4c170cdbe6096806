-- The batched force kernel: CAROM_LANES cells side by side. At one quadrature point it goes from A = dX/dxi and D = du/dxi
-- (both scaled by S, see sums.lua) to T = w P adj(A)^T, which the transposed sums turn into forces. Every statement is one
-- loop over the lanes; calls of libm stand in loops of their own, so that the rest becomes vector code.
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local materials = require "gen.fem.material"
local print_c = require "gen.expr.print"
local statements = require "gen.emit.statements"

local libm = { sin = true, cos = true, tan = true, asin = true, acos = true, atan = true, exp = true, log = true, atan2 = true }

local function is_call(node)
  return (libm[node.op] or node.op == "pow" and not print_c.is_product(node)) and L.of(node) > 0
end

local function entries(array, d)
  local S = {}
  for i = 1, d do
    S[i] = {}
    for k = 1, d do S[i][k] = E.sym(("%s[%d][q][%d][l]"):format(array, i - 1, k - 1), "local") end
  end
  return S
end

-- the calls that hold no other call in their arguments, in the order they are needed
local function innermost(roots)
  local holds, list = {}, {}
  E.walk(roots, function(node)
    for i = 1, #node do holds[node] = holds[node] or holds[node[i]] end
    if is_call(node) then
      if not holds[node] then list[#list + 1] = node end
      holds[node] = true
    end
  end)
  return list
end

-- Takes the calls of libm out of the assignments: a list of lists, arguments before their calls, the assignments last; and
-- the names of the arrays that hold the values of the lanes in between.
local function separate(assignments)
  local parts, arrays = {}, {}
  while true do
    local roots = {}
    for i, a in ipairs(assignments) do roots[i] = a[2] end
    local calls = innermost(roots)
    if #calls == 0 then break end
    local arguments, results, map = {}, {}, {}
    for _, call in ipairs(calls) do
      local value = {}
      for i = 1, #call do
        value[i] = call[i]
        if L.of(call[i]) > 0 then
          arrays[#arrays + 1] = "c" .. (#arrays + 1)
          value[i] = E.sym(arrays[#arrays] .. "[l]", "local")
          arguments[#arguments + 1] = { value[i].name, call[i] }
        end
      end
      local last = arguments[#arguments][1]
      results[#results + 1] = { last, E.map(call, function(_, i) return value[i] end) }
      map[call] = E.sym(last, "local")
    end
    parts[#parts + 1], parts[#parts + 2] = arguments, results
    local memo = {}
    for i, a in ipairs(assignments) do assignments[i] = { a[1], E.substitute(a[2], map, memo) } end
  end
  parts[#parts + 1] = assignments
  return parts, arrays
end

--- The statements at one quadrature point, one list per loop over the lanes, with `constants` and `arrays`.
return function(material, thickness, cell, S)
  local d = cell.dimension
  local A, U = entries("A", d), entries("D", d)
  local adj, det = materials.adjugate(A), materials.determinant(A)
  local map, memo = {}, {}
  local inverse = material.linear and 1 or 1 / det -- a linear stress leaves the division to the weight
  for i = 1, d do
    for k = 1, d do
      local sum = E.zero
      for l = 1, d do sum = sum + U[i][l] * adj[l][k] end
      map[material.H[i][k]] = sum * inverse
    end
  end
  local weight = cell.points[1].w / S ^ d * thickness
  if material.linear then weight = weight / det end
  local P, assignments = {}, {}
  for i = 1, d do
    P[i] = {}
    for k = 1, d do P[i][k] = weight * E.substitute(material.P[i][k], map, memo) end
  end
  local lowest = material.linear and det or E.min(det, E.substitute(material.J, map, memo))
  assignments[1] = { "const double lowest", lowest }
  for i = 1, d do
    for k = 1, d do
      local sum = E.zero
      for l = 1, d do sum = sum + P[i][l] * adj[k][l] end
      assignments[#assignments + 1] = { ("T[%d][q][%d][l]"):format(i - 1, k - 1), sum }
    end
  end
  local parts, arrays = separate(assignments)
  local result = statements.hoisted(parts, {}, material.constants)
  result.arrays = arrays
  return result
end
