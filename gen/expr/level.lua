-- When a value can be known: what depends on parameters only is computed once in init, what depends on the configuration
-- (t, q) once per configuration, the rest per velocity. The highest level among the symbols decides.
local E = require "gen.expr.node"

local level_of_kind = {
  const = 0, param = 0,          -- init
  time = 1, q = 1, data = 1,     -- configuration
  v = 2, input = 2,              -- velocities; inputs may change between steps, so they are never kept
  a = 3, r = 3, ["local"] = 3,   -- accelerations, contact forces, arguments
}

local L = {}
local memo = setmetatable({}, { __mode = "k" })

function L.of(node)
  local known = memo[node]
  if known then return known end
  local level = 0
  if node.op == "sym" then
    level = level_of_kind[node.kind]
  else
    for i = 1, #node do level = math.max(level, L.of(node[i])) end
  end
  memo[node] = level
  return level
end

-- weights near instruction counts of libm on x86-64
local cost_of = { num = 0, sym = 0, neg = 1, div = 5, sqrt = 8, sin = 40, cos = 40, tan = 60, asin = 60, acos = 60,
  atan = 50, atan2 = 60, exp = 40, log = 40, sinh = 60, cosh = 60, tanh = 60, fmod = 20, pow = 2, select = 2, lt = 1, le = 1,
  part = 0, call = 500 }

--- Cost of one operation.
function L.cost_of(node) return cost_of[node.op] or 1 end

--- Cost of evaluating a list of expressions with sharing; what is known at init costs nothing.
function L.cost(roots)
  local sum, seen = 0, {}
  local function go(node)
    if seen[node] or L.of(node) == 0 then return end
    seen[node] = true
    sum = sum + (cost_of[node.op] or 1)
    for i = 1, #node do go(node[i]) end
  end
  for _, root in ipairs(roots) do go(root) end
  return sum
end

--- Number of arithmetic operations (with sharing), for the operation count in the header.
function L.operations(roots)
  local sum = 0
  E.walk(roots, function(n) if n.op ~= "num" and n.op ~= "sym" then sum = sum + 1 end end)
  return sum
end

return L
