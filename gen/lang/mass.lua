-- Is the mass matrix positive definite at the start? Kinetic energies are at most quadratic in the velocities, so
-- each summand gives its block by second differences, exactly up to rounding and without a derivative. Blocks are
-- collected sparsely and factored (up-looking, within the profile of each row): linear in the number of summands for
-- systems of many small bodies.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.fail"
local rate = require("gen.lang.rate").of

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

local function body_energy(term)
  local list = { { term.mass * (rate(term.at[1]) ^ 2 + rate(term.at[2]) ^ 2), 0.5 } }
  if term.inertia then list[2] = { term.inertia * rate(term.angle) ^ 2, 0.5 } end
  return list
end

-- a free body: its rotation is no coordinate and has its inertia by declaration
local function add_translation(M, term, env, index)
  for _, c in ipairs(term.position) do
    local row, i = M[index[c.v]], index[c.v]
    row[i] = (row[i] or 0) + eval(term.mass, env)
  end
end

-- links: velocity of the centre and spin
local function tree_energy(term)
  local list = {}
  for _, link in ipairs(term.links) do
    local sum = E.zero
    for i = 1, 3 do
      sum = sum + link.mass * rate(link.place[i]) ^ 2
      for j = 1, 3 do sum = sum + link.inertia[i][j] * link.spin[i] * link.spin[j] end
    end
    if sum ~= E.zero then list[#list + 1] = { sum, 0.5 } end
  end
  return list
end

-- the spin of the free body that a tree hangs on
local function is_base_spin(s, base) return base and (s == base.w[1] or s == base.w[2] or s == base.w[3]) end

-- Adds the block of one summand to the rows of M.
local function add_block(M, node, factor, env, index, term)
  local local_env, v = setmetatable({}, { __index = env }), {}
  for _, s in ipairs(E.symbols(node)) do
    if s.kind == "v" and is_base_spin(s, term.base) then
      local_env[s] = 0.0
    elseif s.kind == "v" then
      if not index[s] then fail(term, "'%s' does not belong to this model; use what its own words return", s.name) end
      v[#v + 1] = s
      local_env[s] = 0.0
    end
  end
  local function energy() return eval(node, local_env) end
  local rest = energy()
  if rest ~= rest or math.abs(rest) == math.huge then
    fail(term, "the kinetic energy is not finite at the start; change the initial values or the expression")
  end
  -- along one direction a quadratic has no third difference
  local along, scale = {}, 0
  for k = 0, 3 do
    for i, s in ipairs(v) do local_env[s] = k * (1 + 0.375 * i) end
    along[k] = energy()
    scale = math.max(scale, math.abs(along[k]))
  end
  local third = along[3] - 3 * along[2] + 3 * along[1] - along[0]
  if third ~= third or math.abs(third) > 1e-9 * scale then
    fail(term, "the kinetic energy is not quadratic in the velocities; write terms like mass*q.dot^2/2")
  end
  for _, s in ipairs(v) do local_env[s] = 0.0 end
  local single = {}
  for i, s in ipairs(v) do
    local_env[s] = 1.0
    local plus = energy()
    local_env[s] = -1.0
    local minus = energy()
    local_env[s] = 0.0
    single[i] = plus
    local row = M[index[s]]
    row[index[s]] = (row[index[s]] or 0) + factor * (plus - 2 * rest + minus)
  end
  for i = 2, #v do
    local_env[v[i]] = 1.0
    for j = 1, i - 1 do
      local_env[v[j]] = 1.0
      local coupling = energy() - single[i] - single[j] + rest
      local_env[v[j]] = 0.0
      if coupling ~= 0 then
        local a, b = math.max(index[v[i]], index[v[j]]), math.min(index[v[i]], index[v[j]])
        M[a][b] = (M[a][b] or 0) + factor * coupling
      end
    end
    local_env[v[i]] = 0.0
  end
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
end

--- Fails where a coordinate has no inertia or the mass matrix is not positive definite at the start.
return function(model, env)
  local M, index = {}, {}
  for i, c in ipairs(model.coordinates) do
    M[i] = {}
    index[c.v] = i
  end
  for _, term in ipairs(model.terms) do
    local list = term.kind == "kinetic" and summands(term.expr)
      or term.kind == "body" and body_energy(term)
      or term.kind == "tree" and tree_energy(term)
      or {}
    if term.kind == "free_body" then add_translation(M, term, env, index) end
    for _, part in ipairs(list) do add_block(M, part[1], part[2], env, index, term) end
  end
  for i, c in ipairs(model.coordinates) do
    if not M[i][i] or M[i][i] == 0 then
      fail(c, "coordinate '%s' has no inertia; add a body that moves with it or m:kinetic_energy with %s.dot", c.name,
        c.name)
    end
  end
  factor(M, #M, function(i, diagonal, first)
    local c = model.coordinates[i]
    if diagonal < 0 then
      fail(c, "the mass of coordinate '%s' is negative (%.6g); check the sign of the kinetic energy", c.name, diagonal)
    end
    local others = {}
    for j = first, i do others[#others + 1] = #others < 6 and model.coordinates[j].name or nil end
    fail(c, "the mass matrix is singular at the start (coordinates %s); give each of them inertia of its own or "
      .. "remove one",
      table.concat(others, ", "))
  end)
end
