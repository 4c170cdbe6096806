-- Straight-line C from expressions: shared nodes become named temporaries, in the order they are needed.
-- A block is a list of assignments { lhs, node }, of a call { pointer, call }; what is known already (struct fields, arguments) has
-- its name from `name`.
local print_c = require "gen.expr.print"

local M = {}

local WIDTH = 92 -- a longer right-hand side is cut into temporaries

local function identifier(text)
  return (text:gsub("[^%w_]", "_"))
end

-- a name by role where there is one: sin_theta1, sqrt_x3; else x1, x2, ...
local function temporary_name(node, state, name)
  if node[1] and not node[2] and node.op ~= "neg" then
    local inner = name(node[1])
    if inner and inner:match("^[%a_][%w_]*$") then
      local candidate = identifier(node.op .. "_" .. inner)
      if not state.taken[candidate] then
        state.taken[candidate] = true
        return candidate
      end
    end
  end
  repeat
    state.counter = state.counter + 1
  until not state.taken[state.prefix .. state.counter]
  return state.prefix .. state.counter
end

--- Lines of C for the assignments.
-- options: name(node) -> text or nil; indent; taken = set of identifiers that must not be used for temporaries; prefix of
-- temporaries that have no better name.
function M.block(assignments, options)
  local lines = {}
  local indent = options.indent or "    "
  local temporaries = {}
  local state = { counter = 0, taken = options.taken or {}, prefix = options.prefix or "x" }

  local function name(node)
    local known = temporaries[node] or options.name(node)
    if not known and node.op == "part" and temporaries[node[1]] then return (print_c.c(node, function(n) return temporaries[n] end)) end
    return known
  end

  -- how often is each node used in this block?
  local uses, seen = {}, {}
  local function count(node)
    uses[node] = (uses[node] or 0) + 1
    if seen[node] or options.name(node) then return end
    seen[node] = true
    local needs = print_c.needs_name(node)
    for i = 1, #node do
      count(node[i])
      if needs and (i == 1 or node.op ~= "pow") then uses[node[i]] = uses[node[i]] + 1 end -- printed more than once
    end
  end
  for _, a in ipairs(assignments) do count(a[2]) end

  local define
  local function prepare(node) -- gives names below `node` where they are needed
    if name(node) or not node[1] then return end
    for i = 1, #node do
      local child = node[i]
      if not name(child) and child[1] then
        if child.op == "part" then
          define(child[1]) -- it has a name then
        elseif uses[child] > 1 and child.op ~= "lt" and child.op ~= "le" then
          define(child)
        else
          prepare(child)
        end
      end
    end
    if node.op ~= "select" and node.op ~= "call" and #(print_c.c(node, name)) > WIDTH then -- cut: name the longer operand
      local longest, length = nil, 0
      for i = 1, #node do
        local text = print_c.c(node[i], name)
        if #text > length and not name(node[i]) and node[i][1] then longest, length = node[i], #text end
      end
      if longest and length > 12 then define(longest) end
    end
  end

  -- what a call gives goes to an array of its own, or where the caller wants it
  local function define_call(node, target)
    prepare(node)
    local arguments = {}
    for i = 1, #node do arguments[i] = print_c.c(node[i], name) end
    local id = temporary_name(node, state, name)
    temporaries[node] = id
    for _, line in ipairs(node.of.c(id, arguments, target)) do lines[#lines + 1] = indent .. line end
  end

  function define(node)
    if node.op == "call" then return define_call(node) end
    prepare(node)
    local text = print_c.c(node, name)
    local id = temporary_name(node, state, name)
    temporaries[node] = id
    lines[#lines + 1] = ("%sconst double %s = %s;"):format(indent, id, text)
  end

  for _, a in ipairs(assignments) do
    local lhs, node, op = a[1], a[2], a.op or "="
    if node.op == "call" then
      define_call(node, lhs)
      goto done
    end
    if node.op == "part" and not name(node) then
      define(node[1])
    elseif uses[node] > 1 and node[1] and not name(node) then
      define(node)
    end
    prepare(node)
    lines[#lines + 1] = ("%s%s %s %s;%s"):format(indent, lhs, op, (print_c.c(node, name)), a.comment and " /* " .. a.comment .. " */" or "")
    ::done::
  end
  return lines
end

return M
