-- Derivatives on the DAG. Forward, with one memo per variable: linear in the number of distinct nodes.
local E = require "gen.expr.node"

local D = {}

local rules = {
  add = function(_, da, db) return da + db end,
  sub = function(_, da, db) return da - db end,
  neg = function(_, da) return -da end,
  mul = function(n, da, db) return da * n[2] + n[1] * db end,
  div = function(n, da, db) -- (a/b)' = (a' - (a/b) b') / b
    if db == E.zero then return da / n[2] end
    return (da - n * db) / n[2]
  end,
  pow = function(n, da, db)
    if db == E.zero then return n[2] * n[1] ^ (n[2] - 1) * da end
    return n * (db * E.log(n[1]) + n[2] * da / n[1])
  end,
  atan2 = function(n, dy, dx)
    return (dy * n[2] - n[1] * dx) / (n[1] ^ 2 + n[2] ^ 2)
  end,
  fmod = function(n, da, db) -- a - trunc(a/b) b, but at its jumps
    if db == E.zero then return da end
    local ratio = n[1] / n[2]
    return da - E.select(E.lt(ratio, 0), E.ceil(ratio), E.floor(ratio)) * db
  end,
  min = function(n, da, db) return E.select(E.lt(n[1], n[2]), da, db) end,
  max = function(n, da, db) return E.select(E.lt(n[2], n[1]), da, db) end,
}

local function derive(node, seed, memo)
  local known = memo[node]
  if known then return known end
  local result = seed[node]
  if not result then
    if not node[1] then
      result = E.zero
    elseif node.op == "select" then
      result = E.select(node[1], derive(node[2], seed, memo), derive(node[3], seed, memo))
    elseif node.op == "part" then
      local rates = derive(node[1], seed, memo)
      result = rates == E.zero and E.zero or E.part(rates, node.k)
    elseif node.op == "call" then
      local rates, still = {}, true
      for i = 1, #node do
        rates[i] = derive(node[i], seed, memo)
        still = still and rates[i] == E.zero
      end
      result = still and E.zero or node.of.derivative(node, rates)
    else
      local da = derive(node[1], seed, memo)
      local db = node[2] and derive(node[2], seed, memo)
      if da == E.zero and (not db or db == E.zero) then
        result = E.zero
      elseif rules[node.op] then
        result = rules[node.op](node, da, db)
      else
        result = E.functions[node.op][2](node[1], node) * da
      end
    end
  end
  memo[node] = result
  return result
end

--- d node / d symbol.
function D.by(node, symbol)
  return derive(node, { [symbol] = E.one }, {})
end

--- The derivation that sends each symbol of `map` to its value: sum over symbols of (d node / d symbol) * map[symbol].
-- The time derivative is total(node, { q -> v, time -> 1 }).
function D.total(node, map)
  return derive(node, map, {})
end

--- The same for many expressions: a function of a node; what they share is differentiated once.
function D.derivation(map)
  local memo = {}
  return function(node) return derive(node, map, memo) end
end

--- The same for a list of expressions.
function D.totals(nodes, map)
  local of, result = D.derivation(map), {}
  for i, node in ipairs(nodes) do result[i] = of(node) end
  return result
end

--- The derivatives of one expression by many symbols at once, in reverse: one sweep whatever their number. What calls give counts as
-- constant: their numbers have no derivatives by each argument. (Rows know their rates; matrices of iterations do without.)
function D.gradient(node, symbols)
  local order, adjoint = {}, {}
  E.walk({ node }, function(n) order[#order + 1] = n end)
  adjoint[node] = E.one
  local function give(n, amount)
    adjoint[n] = adjoint[n] and adjoint[n] + amount or amount
  end
  for i = #order, 1, -1 do
    local n = order[i]
    local w = adjoint[n]
    if w and n[1] and w ~= E.zero then
      if n.op == "select" then
        give(n[2], E.select(n[1], w, E.zero))
        give(n[3], E.select(n[1], E.zero, w))
      elseif rules[n.op] then
        give(n[1], w * rules[n.op](n, E.one, E.zero))
        if n[2] and n[2].op ~= "num" then give(n[2], w * rules[n.op](n, E.zero, E.one)) end
      elseif n.op ~= "lt" and n.op ~= "le" and n.op ~= "part" then
        give(n[1], w * E.functions[n.op][2](n[1], n))
      end
    end
  end
  local result = {}
  for i, symbol in ipairs(symbols) do result[i] = adjoint[symbol] or E.zero end
  return result
end

return D
