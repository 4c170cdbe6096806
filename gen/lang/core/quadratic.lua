-- Expressions as quadratic forms of the velocities, with numbers for everything else: c + b.v + v.A v, where b and A hold only
-- what is not zero. One visit per node, and what nodes share is shared.
local eval = require("gen.expr.eval").eval

local Q = {}

local function constant(c) return { c = c, b = {}, A = {}, degree = 0 } end

-- p + factor * q
local function add(p, q, factor)
  local r = { c = p.c + factor * q.c, b = {}, A = {}, degree = math.max(p.degree, q.degree) }
  for i, x in pairs(p.b) do r.b[i] = x end -- maps by symbol: order does not matter
  for i, x in pairs(q.b) do r.b[i] = (r.b[i] or 0) + factor * x end
  for i, row in pairs(p.A) do
    local to = {}
    for j, x in pairs(row) do to[j] = x end
    r.A[i] = to
  end
  for i, row in pairs(q.A) do
    local to = r.A[i] or {}
    r.A[i] = to
    for j, x in pairs(row) do to[j] = (to[j] or 0) + factor * x end
  end
  return r
end

local function mul(p, q)
  if p.degree == 0 then return add(constant(0), q, p.c) end
  if q.degree == 0 then return add(constant(0), p, q.c) end
  if p.degree + q.degree > 2 then return nil end
  local r = { c = p.c * q.c, b = {}, A = {}, degree = 2 }
  for i, x in pairs(p.b) do r.b[i] = q.c * x end
  for i, x in pairs(q.b) do r.b[i] = (r.b[i] or 0) + p.c * x end
  for i, x in pairs(p.b) do -- entry (i, j) stands in the row of the older symbol
    for j, y in pairs(q.b) do
      local k, l = i, j
      if j.id > i.id then k, l = j, i end
      local row = r.A[k]
      if not row then
        row = {}
        r.A[k] = row
      end
      row[l] = (row[l] or 0) + x * y
    end
  end
  return r
end

local rules = {
  add = function(p, q) return add(p, q, 1) end,
  sub = function(p, q) return add(p, q, -1) end,
  neg = function(p) return add(constant(0), p, -1) end,
  mul = mul,
  div = function(p, q) return q.degree == 0 and add(constant(0), p, 1 / q.c) or nil end,
  pow = function(p, q)
    if q.degree == 0 and q.c == 2 then return mul(p, p) end
    return nil
  end,
}

--- A function from nodes to their forms (nil: not quadratic); env has the numbers of all symbols but velocities. A form is
-- { c = number, b = { [v] = number }, A = { [v] = { [w] = number } } } with each pair of velocities in one order only.
function Q.forms(env)
  local memo, values, depends = {}, {}, {}
  local function moves(node) -- does it depend on a velocity?
    local known = depends[node]
    if known == nil then
      known = node.kind == "v"
      for i = 1, #node do known = moves(node[i]) or known end
      depends[node] = known
    end
    return known
  end
  local function go(node)
    local known = memo[node]
    if known == nil then
      if not moves(node) then
        known = constant(eval(node, env, values))
      elseif node.op == "sym" then
        known = { c = 0, b = { [node] = 1 }, A = {}, degree = 1 }
      elseif node.op == "select" and not moves(node[1]) then
        known = go(eval(node[1], env, values) and node[2] or node[3])
      elseif rules[node.op] then
        local p, q = go(node[1]), node[2] and go(node[2])
        known = p and (q or not node[2]) and rules[node.op](p, q) or nil
      end
      memo[node] = known or false
    end
    return known or nil
  end
  return go
end

return Q
