-- C statements of a finite-element kernel: what depends on the parameters alone is computed once, before the loops.
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local code = require "gen.emit.code"

local S = {}

local function argument(names)
  return function(node)
    if node.op ~= "sym" then return nil end
    if node.kind == "param" or node.kind == "input" then return ("p[P_%s]"):format(node.name) end
    return names[node] or node.kind == "time" and "t" or node.name
  end
end

--- Assignments { lhs, node } as lines of a function without loops. names: symbol -> C text, where it is not its own name.
function S.plain(assignments, names)
  return code.block(assignments, { name = argument(names), indent = "" })
end

--- parts: lists of assignments, each to stand in a place of its own; known: constants that have names, { { symbol, node } ... }.
--- Returns { constants = lines, [i] = lines of part i, operations = those of all parts }.
function S.hoisted(parts, names, known)
  local values, placed, constants = {}, {}, {}
  for _, k in ipairs(known or {}) do values[k[1]] = k[2] end
  local result = { operations = 0 }
  local argument_name = argument(names)

  local function place(node, name)
    placed[node] = name
    constants[#constants + 1] = { "const double " .. name, values[node] or node }
  end
  local function constant(node)
    E.walk({ node }, function(n) if values[n] and not placed[n] then place(n, n.name) end end)
    if not placed[node] then place(node, "k" .. (#constants + 1)) end
  end
  for i, part in ipairs(parts) do
    local seen = {}
    local function visit(node)
      if seen[node] or node.op == "num" then return end
      seen[node] = true
      if L.of(node) == 0 then
        constant(node)
      elseif node[1] then
        result.operations = result.operations + 1
        for j = 1, #node do visit(node[j]) end
      end
    end
    for _, a in ipairs(part) do visit(a[2]) end
    result[i] = code.block(part, { name = function(node) return placed[node] or argument_name(node) end, indent = "" })
  end
  result.constants = code.block(constants, { name = argument_name, indent = "", prefix = "c" })
  return result
end

return S
