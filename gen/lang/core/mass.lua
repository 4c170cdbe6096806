-- Is the mass matrix positive definite at the start? Kinetic energies are quadratic in the velocities, so one pass through
-- each summand, with numbers for all else, gives its block exactly: every node is c + b.v + v.A v with few entries (quadratic.lua).
-- Trees of links give theirs by composite bodies (tree_mass.lua). Blocks are collected sparsely and factored (up-looking, within
-- the profile of each row): linear in the number of summands for systems of many small bodies.
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local quadratic = require "gen.lang.core.quadratic"
local rate = require "gen.lang.core.rate"
local tree_mass = require "gen.lang.core.tree_mass"

local SINGULAR = 1e-13 -- a pivot below this fraction of its diagonal entry is taken for zero
local EFFORT = 2e7     -- multiplications; a denser matrix is left to the integrator's own factorisation

-- a sum as its summands, without recursion: a sum of thousands is a deep chain
local function summands(node)
  local stack, list = { { node, 1 } }, {}
  while #stack > 0 do
    local top = table.remove(stack)
    local n, sign = top[1], top[2]
    if n.op == "add" then
      stack[#stack + 1] = { n[2], sign }
      stack[#stack + 1] = { n[1], sign }
    elseif n.op == "sub" then
      stack[#stack + 1] = { n[2], -sign }
      stack[#stack + 1] = { n[1], sign }
    elseif n.op == "neg" then
      stack[#stack + 1] = { n[1], -sign }
    elseif n.op == "mul" and n[1].op == "num" and (n[2].op == "add" or n[2].op == "sub") then
      stack[#stack + 1] = { n[2], sign * n[1].value }
    else
      list[#list + 1] = { n, sign }
    end
  end
  return list
end

local function body_energy(term, rate_of)
  local list = { { term.mass * (rate_of(term.at[1]) ^ 2 + rate_of(term.at[2]) ^ 2), 0.5 } }
  if term.inertia then list[2] = { term.inertia * rate_of(term.angle) ^ 2, 0.5 } end
  return list
end

-- a free body: its rotation is no coordinate and has its inertia by declaration
local function add_translation(M, term, env, index)
  for _, c in ipairs(term.position) do
    local row, i = M[index[c.v]], index[c.v]
    row[i] = (row[i] or 0) + eval(term.mass, env)
  end
end

local function finite(x) return x == x and math.abs(x) < math.huge end

-- Adds the block of one summand to the rows of M.
local function add_block(M, node, factor, forms, index, term)
  local form = forms(node)
  if not form then fail(term, "the kinetic energy is not quadratic in the velocities; write terms like mass*q.dot^2/2") end
  local good = finite(form.c)
  for i, b in pairs(form.b) do good = good and index[i] and finite(b) end -- a conjunction: order does not matter
  for i, row in pairs(form.A) do
    for j, a in pairs(row) do -- sums of numbers each with a place of its own
      local k, l = index[i], index[j]
      if not k or not l then
        fail(term, "'%s' does not belong to this model; use what its own words return", (k and j or i).name)
      end
      good = good and finite(a)
      k, l = math.max(k, l), math.min(k, l)
      M[k][l] = (M[k][l] or 0) + (k == l and 2 or 1) * factor * a
    end
  end
  if not good then fail(term, "the kinetic energy is not finite at the start; change the initial values or the expression") end
end

-- L D L^T within the profile; calls bad(row) at a pivot that is not positive.
local function factor(M, n, bad)
  local first, effort = {}, 0
  for i = 1, n do
    first[i] = i
    for j in pairs(M[i]) do first[i] = math.min(first[i], j) end -- a minimum: order does not matter
    effort = effort + (i - first[i]) ^ 2
  end
  if effort > EFFORT then return end
  local l, d = {}, {}
  for i = 1, n do
    local row = {}
    l[i] = row
    local pivot = M[i][i] or 0
    for j = first[i], i - 1 do
      local sum = M[i][j] or 0
      for k = math.max(first[i], first[j]), j - 1 do sum = sum - row[k] * l[j][k] end
      row[j] = sum -- L_ij d_j until the row is complete
    end
    for j = first[i], i - 1 do
      local x = row[j] / d[j]
      pivot = pivot - x * row[j]
      row[j] = x
    end
    -- the loop above reads L_jk (scaled) and row[k] (unscaled), as L D L^T wants
    if pivot ~= pivot or pivot <= SINGULAR * math.abs(M[i][i] or 0) then bad(i, M[i][i] or 0, first[i]) end
    d[i] = pivot
  end
  return function(b) -- overwrites b by M^-1 b
    for i = 1, n do for j = first[i], i - 1 do b[i] = b[i] - l[i][j] * b[j] end end
    for i = 1, n do b[i] = b[i] / d[i] end
    for i = n, 1, -1 do for j = first[i], i - 1 do b[j] = b[j] - l[i][j] * b[i] end end
    return b
  end
end

-- the turning of free bodies, each by itself: what hangs on one is left out
local function add_rotations(M, model, env, index)
  for _, term in ipairs(model.terms) do
    for i = 1, term.kind == "free_body" and 3 or 0 do
      local row = {}
      M[#M + 1], index[term.w[i]] = row, #M + 1
      for j = 1, i do row[index[term.w[j]]] = eval(term.inertia[i][j], env) end
    end
  end
end

--- Fails where a coordinate has no inertia or the mass matrix is not positive definite at the start. Gives a function that
-- overwrites b by M^-1 b, and the numbers of velocities in it.
return function(model, env)
  local M, index = {}, {}
  for i, c in ipairs(model.coordinates) do
    M[i] = {}
    index[c.v] = i
  end
  add_rotations(M, model, env, index)
  local count = #M
  for _, node in ipairs(model.nodes or {}) do -- of meshes, which have inertia of their own
    for _, v in ipairs(node.v) do
      M[#M + 1] = { [#M + 1] = node.mass(env) }
      index[v] = #M
    end
  end
  local forms, rate_of = quadratic.forms(env), rate.shared()
  for _, term in ipairs(model.terms) do
    local list = term.kind == "kinetic" and summands(term.expr) or term.kind == "body" and body_energy(term, rate_of) or {}
    if term.kind == "free_body" then add_translation(M, term, env, index) end
    if term.kind == "tree" then tree_mass(M, term, env, index) end
    for _, part in ipairs(list) do add_block(M, part[1], part[2], forms, index, term) end
  end
  for i, c in ipairs(model.coordinates) do
    if not M[i][i] or M[i][i] == 0 then
      fail(c, "coordinate '%s' has no inertia; add a body that moves with it or m:kinetic_energy with %s.dot", c.name,
        c.name)
    end
  end
  local solve = factor(M, #M, function(i, diagonal, first)
    local c = model.coordinates[i]
    if not c or not model.coordinates[first] then
      fail(model.nodes[1], "the mass of a node is not a number that can be computed with; check the size and the density of its mesh")
    end
    if diagonal < 0 then
      fail(c, "the mass of coordinate '%s' is negative (%.6g); check the sign of the kinetic energy", c.name, diagonal)
    end
    local others = {}
    for j = first, i do others[#others + 1] = #others < 6 and model.coordinates[j].name or nil end
    fail(c, "the mass matrix is singular at the start (coordinates %s); give each of them inertia of its own or "
      .. "remove one",
      table.concat(others, ", "))
  end)
  for _, node in ipairs(model.nodes or {}) do
    for _, v in ipairs(node.v) do index[v] = nil end
  end
  if solve and #M > count then -- nodes stay as they are
    local all = solve
    function solve(b)
      for i = count + 1, #M do b[i] = 0.0 end
      return all(b)
    end
  end
  return solve or function(b) -- too full to be factored here
    for i = 1, count do b[i] = b[i] / M[i][i] end
    return b
  end, index
end
