-- Expression nodes: a hash-consed DAG, so equal expressions are the same table and comparing them is `==`.
-- Constructors do the cheap simplifications and nothing else; products are never expanded here (see collect.lua).
-- A node is { op = "add", [1] = a, [2] = b, id = n }; ids only serve as hash keys and never reach any output.
local E = {}

local Node = {}
Node.__index = function(_, key)
  if key == "dot" then
    error("only a coordinate has .dot; write the velocity of each coordinate by itself, e.g. q.dot", 2)
  end
end

local next_id, nums, syms, cons

local function new(node)
  next_id = next_id + 1
  node.id = next_id
  return setmetatable(node, Node)
end

function E.is(x)
  return getmetatable(x) == Node
end

--- The node of a number.
function E.num(x)
  local value = x + 0.0
  if value ~= value then error("not a number (NaN) in an expression; check for 0/0 or a wrong argument", 2) end
  if value == 0 then value = 0.0 end -- one zero, no -0.0
  local node = nums[value]
  if not node then
    node = new { op = "num", value = value }
    nums[value] = node
  end
  return node
end

--- The symbol `name` of a kind: "param" "input" "time" "q" "v" "a" "r" "const" "local".
function E.sym(name, kind)
  local key = kind .. ":" .. name
  local node = syms[key]
  if not node then
    node = new { op = "sym", name = name, kind = kind }
    syms[key] = node
  end
  return node
end

--- A number, a node, or an error that says what was found instead.
function E.lift(x)
  if getmetatable(x) == Node then return x end
  if type(x) == "number" then return E.num(x) end
  error("expected a number or an expression, got " .. (x == nil and "nil (a misspelt name?)" or type(x)), 3)
end
local lift = E.lift

local function make(op, a, b, c)
  local table_of_op = cons[op]
  if not table_of_op then
    table_of_op = {}
    cons[op] = table_of_op
  end
  local key = a.id
  if b then key = key * 0x1000000 + b.id end
  if c then key = key .. "," .. c.id end
  local node = table_of_op[key]
  if not node then
    node = new { op = op, a, b, c }
    table_of_op[key] = node
  end
  return node
end

--- Forgets all nodes. Called before a model is read, so that what was built earlier in the same process cannot change
-- the order of anything: the same input gives the same bytes. Nodes of before must not be mixed with later ones.
local ZERO, ONE
function E.reset()
  next_id, nums, syms, cons = 0, {}, {}, {}
  if ZERO then
    nums[0.0], nums[1.0] = ZERO, ONE
    next_id = 2
  end
end
E.reset()
ZERO, ONE = E.num(0), E.num(1)
E.zero, E.one = ZERO, ONE

local function number(node) return node.op == "num" and node.value or nil end

local function finite(x, what)
  if x ~= x or x == math.huge or x == -math.huge then error(what, 3) end
  return x
end

function E.neg(a)
  a = lift(a)
  if a.op == "num" then return E.num(-a.value) end
  if a.op == "neg" then return a[1] end
  if a.op == "sub" then return make("sub", a[2], a[1]) end
  return make("neg", a)
end

function E.add(a, b)
  a, b = lift(a), lift(b)
  local x, y = number(a), number(b)
  if x and y then return E.num(x + y) end
  if x == 0 then return b end
  if y == 0 then return a end
  if b.op == "neg" then return E.sub(a, b[1]) end
  if a.op == "neg" then return E.sub(b, a[1]) end
  if a == b then return E.mul(2, a) end
  return make("add", a, b)
end

function E.sub(a, b)
  a, b = lift(a), lift(b)
  local x, y = number(a), number(b)
  if x and y then return E.num(x - y) end
  if x == 0 then return E.neg(b) end
  if y == 0 then return a end
  if a == b then return ZERO end
  if b.op == "neg" then return E.add(a, b[1]) end
  if a.op == "neg" then return E.neg(E.add(a[1], b)) end
  return make("sub", a, b)
end

-- base and integer exponent of a node seen as a power
local function power(node)
  if node.op == "pow" and number(node[2]) then return node[1], node[2].value end
  return node, 1
end

function E.mul(a, b)
  a, b = lift(a), lift(b)
  local x, y = number(a), number(b)
  if x and y then return E.num(x * y) end
  if x == 0 or y == 0 then return ZERO end
  if x == 1 then return b end
  if y == 1 then return a end
  if x == -1 then return E.neg(b) end
  if y then return E.mul(b, a) end -- numbers stand in front
  if a.op == "neg" and b.op == "neg" then return E.mul(a[1], b[1]) end
  if a.op == "neg" then
    if x then return E.mul(-x, a[1]) end
    return E.neg(E.mul(a[1], b))
  end
  if b.op == "neg" then
    if x then return E.mul(-x, b[1]) end
    return E.neg(E.mul(a, b[1]))
  end
  if x and b.op == "mul" and number(b[1]) then return E.mul(x * b[1].value, b[2]) end
  if x and b.op == "div" and number(b[1]) then return E.div(x * b[1].value, b[2]) end
  if not x and b.op == "mul" and number(b[1]) then return E.mul(b[1], E.mul(a, b[2])) end
  if a.op == "mul" and number(a[1]) then return E.mul(a[1], E.mul(a[2], b)) end
  local base_a, n = power(a)
  local base_b, m = power(b)
  if base_a == base_b then return E.pow(base_a, n + m) end
  return make("mul", a, b)
end

function E.div(a, b)
  a, b = lift(a), lift(b)
  local x, y = number(a), number(b)
  if y == 0 then error("division by zero in an expression", 3) end
  if x and y then return E.num(x / y) end
  if x == 0 then return ZERO end
  if y == 1 then return a end
  if a == b then return ONE end
  if y then
    if a.op == "mul" and number(a[1]) then return E.mul(a[1].value / y, a[2]) end
    if ("%a"):format(math.abs(y)):find("^0x1p") then return E.mul(1 / y, a) end -- a power of two: exact, and cheaper
  end
  if a.op == "neg" then return E.neg(E.div(a[1], b)) end
  if b.op == "neg" then return E.neg(E.div(a, b[1])) end
  return make("div", a, b)
end

function E.pow(a, b)
  a, b = lift(a), lift(b)
  local x, y = number(a), number(b)
  if x and y then return E.num(finite(x ^ y, "a power in an expression is not finite")) end
  if y == 0 then return ONE end
  if y == 1 then return a end
  if x == 1 then return ONE end
  if y == 0.5 then return E.sqrt(a) end
  if y and y == math.floor(y) then
    if y < 0 then return E.div(1, E.pow(a, -y)) end
    if a.op == "neg" then
      local p = E.pow(a[1], y)
      return y % 2 == 0 and p or E.neg(p)
    end
    if a.op == "pow" and number(a[2]) and a[2].value % 1 == 0 then return E.pow(a[1], a[2].value * y) end
    if a.op == "sqrt" and y % 2 == 0 then return E.pow(a[1], y / 2) end
  end
  return make("pow", a, b)
end

Node.__add, Node.__sub, Node.__mul, Node.__div = E.add, E.sub, E.mul, E.div
Node.__unm = function(a) return E.neg(a) end
Node.__pow = E.pow
local function no_comparison()
  error("expressions cannot be compared with < or <=; write carom.select(carom.lt(a, b), x, y)", 2)
end
Node.__lt, Node.__le = no_comparison, no_comparison
Node.__tostring = function(node) return require("gen.expr.print").text(node) end
Node.__newindex = function() error("an expression cannot be changed", 2) end
Node.__metatable = Node -- models cannot reach it: the sandbox has no getmetatable

-- Lua has no hyperbolic functions; where exponentials would cancel, their series, to rounding
local function sinh(x)
  if math.abs(x) > 0.1 then return (math.exp(x) - math.exp(-x)) / 2 end
  local s = x * x
  return x * (1 + s / 6 * (1 + s / 20 * (1 + s / 42 * (1 + s / 72))))
end

local function cosh(x) return (math.exp(x) + math.exp(-x)) / 2 end

local function tanh(x)
  if math.abs(x) < 0.1 then return sinh(x) / cosh(x) end
  local e = math.exp(-2 * math.abs(x))
  return (x < 0 and -1 or 1) * (1 - e) / (1 + e)
end

-- name -> { numeric value, derivative as a function of (argument, node) }
E.functions = {
  sin = { math.sin, function(x) return E.cos(x) end },
  cos = { math.cos, function(x) return E.neg(E.sin(x)) end },
  tan = { math.tan, function(_, f) return 1 + f ^ 2 end },
  asin = { math.asin, function(x) return 1 / E.sqrt(1 - x ^ 2) end },
  acos = { math.acos, function(x) return -1 / E.sqrt(1 - x ^ 2) end },
  atan = { math.atan, function(x) return 1 / (1 + x ^ 2) end },
  exp = { math.exp, function(_, f) return f end },
  log = { math.log, function(x) return 1 / x end },
  sqrt = { math.sqrt, function(_, f) return 0.5 / f end },
  abs = { math.abs, function(x) return E.sign(x) end },
  sign = { function(x) return x > 0 and 1 or x < 0 and -1 or 0 end, function() return ZERO end },
  sinh = { sinh, function(x) return E.cosh(x) end },
  cosh = { cosh, function(x) return E.sinh(x) end },
  tanh = { tanh, function(_, f) return 1 - f ^ 2 end },
  floor = { function(x) return math.floor(x) + 0.0 end, function() return ZERO end }, -- but at its jumps
  ceil = { function(x) return math.ceil(x) + 0.0 end, function() return ZERO end },
}
E.function_names = { "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "abs", "sign", "sinh", "cosh", "tanh", "floor",
  "ceil" }

local even = { cos = true, abs = true, cosh = true }
local odd = { sin = true, tan = true, asin = true, atan = true, sign = true, sinh = true, tanh = true }
for _, name in ipairs(E.function_names) do
  local value = E.functions[name][1]
  E[name] = function(a)
    a = lift(a)
    if a.op == "num" then return E.num(finite(value(a.value), name .. " of " .. a.value .. " is not finite")) end
    if a.op == "neg" then
      if even[name] then return E[name](a[1]) end
      if odd[name] then return E.neg(E[name](a[1])) end
    end
    return make(name, a)
  end
end

function E.atan2(y, x)
  y, x = lift(y), lift(x)
  if y.op == "num" and x.op == "num" then return E.num(math.atan(y.value, x.value)) end
  return make("atan2", y, x)
end

--- The rest of a / b with the sign of a, as in C.
function E.fmod(a, b)
  a, b = lift(a), lift(b)
  if number(b) == 0 then error("fmod by zero in an expression", 3) end
  if a.op == "num" and b.op == "num" then return E.num(math.fmod(a.value, b.value)) end
  return make("fmod", a, b)
end

function E.hypot(a, b) return E.sqrt(lift(a) ^ 2 + lift(b) ^ 2) end

function E.clamp(x, low, high) return E.min(E.max(x, low), high) end

function E.min(a, b)
  a, b = lift(a), lift(b)
  if a.op == "num" and b.op == "num" then return E.num(math.min(a.value, b.value)) end
  return a == b and a or make("min", a, b)
end

function E.max(a, b)
  a, b = lift(a), lift(b)
  if a.op == "num" and b.op == "num" then return E.num(math.max(a.value, b.value)) end
  return a == b and a or make("max", a, b)
end

-- conditions: only usable as the first argument of select
function E.lt(a, b) return make("lt", lift(a), lift(b)) end
function E.le(a, b) return make("le", lift(a), lift(b)) end
function E.gt(a, b) return E.lt(b, a) end
function E.ge(a, b) return E.le(b, a) end

function E.select(condition, a, b)
  if not E.is(condition) or (condition.op ~= "lt" and condition.op ~= "le") then
    error("select needs a condition made by carom.lt, le, gt or ge as its first argument", 2)
  end
  a, b = lift(a), lift(b)
  local x, y = number(condition[1]), number(condition[2])
  if x and y then
    local holds
    if condition.op == "lt" then holds = x < y else holds = x <= y end
    return holds and a or b
  end
  return a == b and a or make("select", condition, a, b)
end

--- A function that is no formula: of.name, of.count numbers from its arguments (a list of nodes). of.values(numbers) gives them as a
-- list; of.derivative(call, rates) the call whose numbers are their derivatives along rates of the arguments (nil: never asked for);
-- of.is_rate says of that call that it is one; of.c(array, arguments, target) lines of C that leave the numbers in an array that they
-- declare, or in target. Numbers belong together in groups of of.group. E.part(call, k) is the k-th number, from 1.
function E.call(of, arguments)
  local ids = { of.name }
  for i, a in ipairs(arguments) do ids[i + 1] = lift(a).id end
  local key = table.concat(ids, ",")
  cons.call = cons.call or {}
  if not cons.call[key] then
    local node = new { op = "call", of = of }
    for i, a in ipairs(arguments) do rawset(node, i, lift(a)) end
    cons.call[key] = node
  end
  return cons.call[key]
end

function E.part(call, k)
  cons.part = cons.part or {}
  local key = call.id .. "," .. k
  cons.part[key] = cons.part[key] or new { op = "part", call, k = k }
  return cons.part[key]
end

--- The same operation on other arguments (simplified anew): f(argument, number) gives each.
function E.map(node, f)
  local list, same = {}, true
  for i = 1, #node do
    list[i] = f(node[i], i)
    same = same and list[i] == node[i]
  end
  if same then return node end
  if node.op == "call" then return E.call(node.of, list) end
  if node.op == "part" then return E.part(list[1], node.k) end
  return E[node.op](list[1], list[2], list[3])
end

--- Calls visit(node) once for every distinct node below (and including) the roots, children first.
function E.walk(roots, visit)
  local seen = {}
  local function go(node)
    if seen[node] then return end
    seen[node] = true
    for i = 1, #node do go(node[i]) end
    visit(node)
  end
  for _, root in ipairs(roots) do go(root) end
end

--- The symbols an expression depends on, in order of first appearance.
function E.symbols(node)
  local list = {}
  E.walk({ node }, function(n) if n.op == "sym" then list[#list + 1] = n end end)
  return list
end

--- Replaces nodes by others (map: node -> node), everywhere below `node`; `memo` may be shared between calls.
function E.substitute(node, map, memo)
  memo = memo or {}
  local function go(n)
    local known = map[n] or memo[n]
    if known then return known end
    local result = E.map(n, go)
    memo[n] = result
    return result
  end
  return go(node)
end

return E
