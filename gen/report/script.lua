-- Expressions as a function of JavaScript: o[k] = the k-th of them, from the columns c of a result and the time t.
local print_c = require "gen.expr.print"

local S = {}

-- What the printed text calls, in C's names.
S.HEAD = "const { sin, cos, tan, asin, acos, atan, exp, log, sqrt, sinh, cosh, tanh, floor, ceil, pow } = Math, fabs = Math.abs, "
  .. "atan2 = Math.atan2, fmod = (a, b) => a % b;"

-- Nodes in an order in which each stands after what it is made of, and how often each is used.
local function ordered(list)
  local order, uses = {}, {}
  local function visit(n)
    uses[n] = (uses[n] or 0) + 1
    if uses[n] > 1 then return end
    for i = 1, #n do visit(n[i]) end
    order[#order + 1] = n
  end
  for _, n in ipairs(list) do visit(n) end
  return order, uses
end

--- The lines of the function. value(symbol) gives its text: a column, the time, a number; nil: it is not known.
function S.lines(list, value)
  local order, uses = ordered(list)
  local names, needed, lines, count = {}, {}, { S.HEAD }, 0
  for _, n in ipairs(order) do
    if print_c.needs_name(n) then for i = 1, #n do needed[n[i]] = true end end
  end
  local function name(n)
    if n.op == "sym" then return names[n] or value(n) or "NaN" end
    return names[n]
  end
  local function text(n) return (print_c.c(n, name):gsub("%(double%)%(", "(0 + ")) end
  for _, n in ipairs(order) do
    local condition = n.op == "lt" or n.op == "le"
    if n.op ~= "num" and n.op ~= "sym" and not condition and (uses[n] > 1 or needed[n]) then
      local line = text(n)
      count = count + 1
      lines[#lines + 1] = ("const a%d = %s;"):format(count, line)
      names[n] = "a" .. count
    end
  end
  for k, n in ipairs(list) do lines[#lines + 1] = ("o[%d] = %s;"):format(k - 1, text(n)) end
  return lines
end

--- How many nodes these expressions have together.
function S.size(list)
  local order = ordered(list)
  return #order
end

return S
