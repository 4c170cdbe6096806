-- Does an expression hold a function with steps or kinks? Its derivatives do not tell: they are constant, or 0, on either side.
local E = require "gen.expr.node"

local STEPS = { floor = true, ceil = true, sign = true, fmod = true, lt = true, le = true, select = true, min = true, max = true,
  abs = true }

--- One of a node for which has(node) is true: whose arguments move, say.
return function(node, has)
  local seen = {}
  local function go(n)
    if seen[n] == nil then
      seen[n] = false
      local found = STEPS[n.op] and has(n) or false
      for i = 1, #n do found = found or E.is(n[i]) and go(n[i]) end
      seen[n] = found
    end
    return seen[n]
  end
  return go(node)
end
