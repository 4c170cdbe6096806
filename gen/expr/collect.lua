-- What a careful person does by hand: write an expression as a sum of monomials, use sin^2 = 1 - cos^2, bring together what
-- has the same coefficient, and so separate constants of the parameters (computed once) from functions of the state:
--     m*(l/2*cos)^2 + m*(l/2*sin)^2 + ...   ->   (m/4 + ...)*l^2            one hoisted constant
--     K*c1*s2*v^2 - K*s1*c2*v^2             ->   K*(c1*s2 - s1*c2)*v^2
-- The result is taken only where it is cheaper than the expression as it stood.
local E = require "gen.expr.node"
local L = require "gen.expr.level"

local C = {}

local LIMIT = 160 -- monomials; beyond this an expression is left alone

-- A polynomial is a list of monomials {coef=, f={atom, exponent, atom, exponent, ...} sorted by atom id}, with an index by key.
local function key_of(f)
  local parts = {}
  for i = 1, #f, 2 do parts[#parts + 1] = f[i].id .. "^" .. f[i + 1] end
  return table.concat(parts, "*")
end

local function poly() return { index = {} } end

local function put(p, coef, f)
  if coef == 0 then return end
  local key = key_of(f)
  local m = p.index[key]
  if m then
    m.coef = m.coef + coef
  else
    m = { coef = coef, f = f }
    p.index[key] = m
    p[#p + 1] = m
  end
end

local function merge(f, g)
  local h, i, j = {}, 1, 1
  while i <= #f or j <= #g do
    if j > #g or (i <= #f and f[i].id < g[j].id) then
      h[#h + 1], h[#h + 2] = f[i], f[i + 1]
      i = i + 2
    elseif i > #f or g[j].id < f[i].id then
      h[#h + 1], h[#h + 2] = g[j], g[j + 1]
      j = j + 2
    else
      local n = f[i + 1] + g[j + 1]
      if n ~= 0 then h[#h + 1], h[#h + 2] = f[i], n end
      i, j = i + 2, j + 2
    end
  end
  return h
end

local function times(p, q)
  if #p * #q > LIMIT then return nil end
  local r = poly()
  for _, a in ipairs(p) do
    for _, b in ipairs(q) do put(r, a.coef * b.coef, merge(a.f, b.f)) end
  end
  return r
end

local function atom(node, exponent)
  local p = poly()
  put(p, 1, { node, exponent or 1 })
  return p
end

local function constant(x)
  local p = poly()
  put(p, x, {})
  return p
end

local expand

local function expand_raw(node)
  local op = node.op
  if op == "num" then return constant(node.value) end
  if op == "neg" then
    local p = expand(node[1])
    return p and times(constant(-1), p)
  elseif op == "add" or op == "sub" then
    local p, q = expand(node[1]), expand(node[2])
    if not (p and q) or #p + #q > LIMIT then return nil end
    local r = poly()
    for _, m in ipairs(p) do put(r, m.coef, m.f) end
    for _, m in ipairs(q) do put(r, op == "add" and m.coef or -m.coef, m.f) end
    return r
  elseif op == "mul" then
    local p, q = expand(node[1]), expand(node[2])
    return p and q and times(p, q)
  elseif op == "pow" and node[2].op == "num" and node[2].value % 1 == 0 and node[2].value > 0 and node[2].value <= 4 then
    local p = expand(node[1])
    local r = p
    for _ = 2, node[2].value do
      if not r then return nil end
      r = times(r, p)
    end
    return r
  elseif op == "div" then
    local p, q = expand(node[1]), expand(node[2])
    if not (p and q) then return nil end
    if #q == 1 and q[1].coef ~= 0 then
      local f = {}
      for i = 1, #q[1].f, 2 do f[i], f[i + 1] = q[1].f[i], -q[1].f[i + 1] end
      local inverse = poly()
      put(inverse, 1 / q[1].coef, f)
      return times(p, inverse)
    end
    return times(p, atom(node[2], -1))
  end
  return atom(node)
end

local expand_memo = setmetatable({}, { __mode = "k" })
function expand(node)
  local known = expand_memo[node]
  if known == nil then
    known = expand_raw(node) or false
    expand_memo[node] = known
  end
  return known or nil
end

-- sin(x)^n with n >= 2 becomes sin(x)^(n-2) (1 - cos(x)^2), until none is left
local function pythagoras(p)
  for _ = 1, 8 do
    local r, changed = poly(), false
    for _, m in ipairs(p) do
      local at
      for i = 1, #m.f, 2 do
        if m.f[i].op == "sin" and m.f[i + 1] >= 2 then at = i; break end
      end
      if at then
        changed = true
        local lower = merge(m.f, { m.f[at], -2 })
        put(r, m.coef, lower)
        put(r, -m.coef, merge(lower, { E.cos(m.f[at][1]), 2 }))
      else
        put(r, m.coef, m.f)
      end
      if #r > LIMIT then return nil end
    end
    p = r
    if not changed then return p end
  end
  return p
end

-- product of coefficient and powers; what is known first stands first, so that it can be shared or hoisted
local function product(coef, f)
  local by_level, below = { {}, {}, {}, {} }, nil
  for i = 1, #f, 2 do
    local atom_node, n = f[i], f[i + 1]
    local list = by_level[L.of(atom_node) + 1]
    if n > 0 then
      list[#list + 1] = E.pow(atom_node, n)
    else
      below = below and below * E.pow(atom_node, -n) or E.pow(atom_node, -n)
    end
  end
  local result
  for level = 1, 4 do
    for _, node in ipairs(by_level[level]) do result = result and result * node or node end
  end
  result = (result or E.one) * coef
  return below and result / below or result
end

-- splits the factors of a monomial into those of parameters and those of the state
local function split(f)
  local k, s = {}, {}
  for i = 1, #f, 2 do
    local list = L.of(f[i]) == 0 and k or s
    list[#list + 1], list[#list + 2] = f[i], f[i + 1]
  end
  return k, s
end

-- the factors common to all monomials of a list
local function common(list)
  local f = list[1].s
  local result = {}
  for i = 1, #f, 2 do
    local least = f[i + 1]
    for j = 2, #list do
      local found = 0
      for l = 1, #list[j].s, 2 do
        if list[j].s[l] == f[i] then found = list[j].s[l + 1] end
      end
      if found * least <= 0 then least = 0 break end
      least = least > 0 and math.min(least, found) or math.max(least, found)
    end
    if least ~= 0 then result[#result + 1], result[#result + 2] = f[i], least end
  end
  return result
end

local function negate(f)
  local g = {}
  for i = 1, #f, 2 do g[i], g[i + 1] = f[i], -f[i + 1] end
  return g
end

local function before(f, g)
  for i = 1, math.min(#f, #g), 2 do
    if f[i] ~= g[i] then return f[i].id < g[i].id end
    if f[i + 1] ~= g[i + 1] then return f[i + 1] < g[i + 1] end
  end
  return #f < #g
end

local function rebuild(p)
  -- 1. by state monomial: its coefficient is a polynomial of the parameters
  local by_state, states = {}, {}
  for _, m in ipairs(p) do
    if m.coef ~= 0 then
      local k, s = split(m.f)
      local key = key_of(s)
      local entry = by_state[key]
      if not entry then
        entry = { s = s, ks = {} }
        by_state[key] = entry
        states[#states + 1] = entry
      end
      entry.ks[#entry.ks + 1] = { coef = m.coef, f = k }
    end
  end
  -- 2. by coefficient, up to a number
  local by_k, groups = {}, {}
  for _, entry in ipairs(states) do
    local lead = entry.ks[1].coef
    local k = E.zero
    for _, m in ipairs(entry.ks) do k = k + product(m.coef / lead, m.f) end
    local group = by_k[k]
    if not group then
      group = { k = k }
      by_k[k] = group
      groups[#groups + 1] = group
    end
    group[#group + 1] = { w = lead, s = entry.s }
  end
  -- 3. common factors out, equal weights into the constant
  local sum = E.zero
  for _, group in ipairs(groups) do
    local gcd = common(group)
    table.sort(group, function(a, b) return before(a.s, b.s) end) -- one order, so that sums are shared
    local w = group[1].w
    local inner = E.zero
    for _, m in ipairs(group) do
      local ratio = m.w / w
      inner = inner + product(ratio, merge(m.s, negate(gcd)))
    end
    local g0, g1 = {}, {} -- of the configuration, of the velocities
    for i = 1, #gcd, 2 do
      local list = L.of(gcd[i]) <= 1 and g0 or g1
      list[#list + 1], list[#list + 2] = gcd[i], gcd[i + 1]
    end
    local constant_part = group.k * math.abs(w)
    local value = L.of(inner) <= 1 and constant_part * (product(1, g0) * inner) * product(1, g1)
      or constant_part * product(1, g0) * (product(1, g1) * inner)
    if w < 0 then sum = sum - value else sum = sum + value end
  end
  return sum
end

local memo = setmetatable({}, { __mode = "k" })

--- The cheapest of the forms described at the top.
function C.collect(node)
  if memo[node] then return memo[node] end
  local best = node
  local p = expand(node)
  if p then
    local cost, operations = L.cost { best }, L.operations { best }
    for _, form in ipairs { p, pythagoras(p) or p } do
      local candidate = rebuild(form)
      local c, n = L.cost { candidate }, L.operations { candidate }
      if c < cost or (c == cost and n < operations) then best, cost, operations = candidate, c, n end
    end
  end
  memo[node] = best
  return best
end

return C
