-- The numbers behind an expression: the oracle for the C that is printed from the same DAG.
local E = require "gen.expr.node"

local binary = {
  add = function(a, b) return a + b end,
  sub = function(a, b) return a - b end,
  mul = function(a, b) return a * b end,
  div = function(a, b) return a / b end,
  atan2 = function(a, b) return math.atan(a, b) end,
  fmod = function(a, b) return math.fmod(a + 0.0, b + 0.0) end,
  min = math.min,
  max = math.max,
  lt = function(a, b) return a < b end,
  le = function(a, b) return a <= b end,
}

-- small whole powers as the printed C does them: by products
local function power(a, b)
  if b % 1 == 0 and b >= 2 and b <= 8 then
    local half = power(a, b // 2)
    return b % 2 == 0 and half * half or half * half * a
  end
  if b == 1 then return a end
  return a ^ b
end
binary.pow = power

--- Evaluates with env[symbol] = number; memo (node -> number) may be shared between calls with one env.
local function eval(node, env, memo)
  memo = memo or {}
  local function go(n)
    local known = memo[n]
    if known ~= nil then return known end
    local op = n.op
    local result
    if op == "num" then
      result = n.value
    elseif op == "sym" then
      result = env[n]
      if result == nil then error("no value for the symbol " .. n.name, 0) end
    elseif op == "neg" then
      result = -go(n[1])
    elseif op == "select" then
      if go(n[1]) then result = go(n[2]) else result = go(n[3]) end
    elseif op == "call" then
      local numbers = {}
      for i = 1, #n do numbers[i] = go(n[i]) end
      result = n.of.values(numbers)
    elseif op == "part" then
      result = go(n[1])[n.k]
    elseif n[2] then
      result = binary[op](go(n[1]), go(n[2]))
    else
      result = E.functions[op][1](go(n[1]))
    end
    memo[n] = result
    return result
  end
  return go(node)
end

return { eval = eval }
