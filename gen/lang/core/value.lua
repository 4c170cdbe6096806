-- Expressions as a model sees them. A value is an opaque, unchangeable wrapper around an expression node
-- (gen/expr/node.lua) and its dimension: the model can compute with it but neither look inside nor change the shared
-- graph, and a dimension that does not fit is reported on the very line where the two were put together.
local E = require "gen.expr.node"
local U = require "gen.lang.core.units"
local fail = require "gen.lang.core.fail"
local rates = require "gen.lang.core.rate"
local sandbox = require "gen.lang.core.sandbox"

local V = {}
local NODE, DIM, CONDITION = {}, {}, {} -- keys no model can name

local Value = {}

local function wrap(node, dim)
  return setmetatable({ [NODE] = node, [DIM] = dim or false, [CONDITION] = false }, Value)
end
V.wrap = wrap

function V.is(x) return type(x) == "table" and getmetatable(x) == Value end

local function describe(x)
  if x == nil then return "nil (a misspelt name?)" end
  if type(x) == "table" then return "a table" end
  return "a " .. type(x)
end
V.describe = describe

-- A whole number (or one half) is a pure factor; any other may stand for a quantity whose unit was not written, like
-- 9.81: its dimension is unknown.
local function dim_of_number(x)
  return (x % 1 == 0 or x == 0.5 or x == -0.5) and U.any
end

--- A number or value as a value; anything else is refused in the words of `what`.
function V.lift(x, what)
  if V.is(x) then
    if x[CONDITION] then
      fail(sandbox.where(), "%s is a condition; use it as the first argument of carom.select", what or "the operand")
    end
    return x
  end
  if type(x) ~= "number" then
    fail(sandbox.where(), "%s must be a number or an expression, not %s; check the spelling of its names",
      what or "the operand", describe(x))
  end
  if x ~= x or x == math.huge or x == -math.huge then
    fail(sandbox.where(), "%s is %s; write a finite number", what or "the operand",
      x ~= x and "not a number (NaN)" or "infinite")
  end
  return wrap(E.num(x), dim_of_number(x))
end

function V.node(value) return value[NODE] end
function V.dim(value) return value[DIM] end

--- The nodes of a list of values.
function V.nodes(list)
  local result = {}
  for i, v in ipairs(list) do result[i] = v[NODE] end
  return result
end

--- The number of a value that is one; else false.
function V.number(value) return value[NODE].op == "num" and value[NODE].value end

--- A symbol of a value that is no parameter, if there is one.
function V.moving(value)
  for _, s in ipairs(E.symbols(value[NODE])) do if s.kind ~= "param" then return s end end
end

local function same(a, b, doing)
  local d, fits = U.same(a, b)
  if not fits then
    fail(sandbox.where(), "cannot %s %s and %s: the dimensions differ; check the factors and the units of the "
      .. "parameters",
      doing, U.text(a), U.text(b))
  end
  return d
end

local function binary(operation, dim_rule)
  return function(a, b)
    a, b = V.lift(a), V.lift(b)
    local node = operation(a[NODE], b[NODE])
    local dim = dim_rule(a[DIM], b[DIM], b[NODE])
    return wrap(node, node == E.zero and U.any or dim)
  end
end

Value.__add = binary(E.add, function(a, b) return same(a, b, "add") end)
Value.__sub = binary(E.sub, function(a, b) return same(a, b, "subtract") end)
Value.__mul = binary(E.mul, U.mul)
Value.__div = binary(E.div, U.div)
Value.__unm = function(a)
  a = V.lift(a)
  return wrap(E.neg(a[NODE]), a[DIM])
end
Value.__pow = binary(E.pow, function(a, b, exponent)
  if not U.is_pure(b) then
    fail(sandbox.where(), "the exponent has the dimension %s; divide it by a quantity of that dimension", U.text(b))
  end
  if exponent.op == "num" then return U.pow(a, exponent.value) end
  if not U.is_pure(a) then
    fail(sandbox.where(), "a quantity with dimension %s cannot have a variable exponent; make the base dimensionless",
      U.text(a))
  end
  return a
end)

local function no_comparison()
  fail(sandbox.where(), "expressions cannot be compared with < > <= >=; write carom.select(carom.lt(a, b), x, y)")
end
Value.__lt, Value.__le = no_comparison, no_comparison
Value.__eq = function(a, b) return V.is(a) and V.is(b) and a[NODE] == b[NODE] end
Value.__tostring = function(a) return tostring(a[NODE]) end
Value.__newindex = function() fail(sandbox.where(), "an expression has no fields to set; keep the value in a local") end
Value.__len = function() fail(sandbox.where(), "an expression has no length; is it meant to be a table?") end
Value.__concat = function() fail(sandbox.where(), "an expression is not text; join its name instead") end
Value.__call = function() fail(sandbox.where(), "an expression cannot be called; is a * missing?") end
local function no_integer_operation(sign)
  return function() fail(sandbox.where(), "expressions have no operator %s; use + - * / ^", sign) end
end
for operator, sign in pairs { __idiv = "//", __mod = "%", __band = "&", __bor = "|", __bxor = "~", __bnot = "~",
  __shl = "<<", __shr = ">>" } do
  Value[operator] = no_integer_operation(sign)
end

--- d/dt of an expression (rate.lua).
local function rate(value)
  for _, s in ipairs(E.symbols(value[NODE])) do
    if s.kind == "v" then
      fail(sandbox.where(), "'%s' has no .dot: accelerations are unknowns; write equations with coordinates and "
        .. "velocities", s.name)
    elseif s.kind == "input" and string.find(s.name, ".", 1, true) then
      fail(sandbox.where(), "'%s' has no .dot: the force of the last step is one number", s.name)
    elseif s.kind == "input" then
      fail(sandbox.where(), "the input '%s' has no .dot: its rate is not known; make the rate an input of its own",
        s.name)
    end
  end
  local node = rates.of(value[NODE])
  return wrap(node, node == E.zero and U.any or U.div(value[DIM], U.second))
end
V.rate = rate

Value.__index = function(value, key)
  if key == "dot" and not value[CONDITION] then return rate(value) end
  fail(sandbox.where(), "an expression has no field '%s'; did you mean '.dot' (its time derivative)?",
    type(key) == "string" and key or type(key))
end

-- Wrong only if the two differ in a base unit that the model uses in some unit: who gives "rad" to an angle and writes
-- masses and lengths as plain numbers has not said anything about kg and m.
local function mismatch(m, used)
  if U.differ(m.found, m.expected, used) then
    fail(m.where, "%s has the dimension %s but must have %s; check its factors "
      .. "(plain numbers have no unit: give them one as parameter or constant)", m.what, U.text(m.found),
      U.text(m.expected))
  end
end

--- Requires the dimension `expected` (unknown and plain numbers pass).
function V.expect(value, expected, what, where)
  local _, fits = U.same(value[DIM], expected)
  if fits then return end
  local m = { found = value[DIM], expected = expected, what = what, where = where or sandbox.where() }
  local dimensions = sandbox.current().dimensions
  mismatch(m, dimensions.used)
  table.insert(dimensions.open, m)
end

--- At the end of a model: what was open because a base unit had not been used yet.
function V.settle(dimensions)
  for _, m in ipairs(dimensions.open) do mismatch(m, dimensions.used) end
end

--- Wraps a condition node; only select takes it.
local function condition(node) return setmetatable({ [NODE] = node, [DIM] = false, [CONDITION] = true }, Value) end

local function compare(operation, on_numbers)
  return function(a, b)
    if type(a) == "number" and type(b) == "number" then return on_numbers(a, b) end
    a, b = V.lift(a), V.lift(b)
    same(a[DIM], b[DIM], "compare")
    return condition(operation(a[NODE], b[NODE]))
  end
end

-- functions of one argument: what becomes of the dimension
local function pure(name)
  return function(d)
    if not U.is_pure(d) then
      fail(sandbox.where(), "the argument of %s has the dimension %s but must have none; divide it by a quantity of "
        .. "that dimension",
        name, U.text(d))
    end
    return U.any
  end
end
local result_dim = {
  sqrt = function(d) return U.pow(d, 0.5) end,
  abs = function(d) return d end,
  sign = function() return U.any end,
}

--- The functions of the language; with plain numbers they give plain numbers.
V.functions = {}
for _, name in ipairs(E.function_names) do
  local dim_rule, value = result_dim[name] or pure(name), E.functions[name][1]
  V.functions[name] = function(x, second)
    if name == "atan" and second ~= nil then return V.functions.atan2(x, second) end
    if type(x) == "number" then return value(x) end
    x = V.lift(x, "the argument of " .. name)
    return wrap(E[name](x[NODE]), dim_rule(x[DIM]))
  end
end

local function two(name, on_numbers, dim_of_result)
  V.functions[name] = function(a, b)
    if type(a) == "number" and type(b) == "number" then return on_numbers(a, b) end
    a, b = V.lift(a, "the first argument of " .. name), V.lift(b, "the second argument of " .. name)
    local d = same(a[DIM], b[DIM], "take " .. name .. " of")
    return wrap(E[name](a[NODE], b[NODE]), dim_of_result or d)
  end
end
two("atan2", math.atan, U.any)
two("min", math.min)
two("max", math.max)
two("fmod", function(a, b) return math.fmod(a + 0.0, b + 0.0) end)
two("hypot", function(a, b) return math.sqrt(a * a + b * b) end)

function V.functions.clamp(x, low, high) return V.functions.min(V.functions.max(x, low), high) end

V.functions.lt = compare(E.lt, function(a, b) return a < b end)
V.functions.le = compare(E.le, function(a, b) return a <= b end)
V.functions.gt = compare(E.gt, function(a, b) return a > b end)
V.functions.ge = compare(E.ge, function(a, b) return a >= b end)

function V.functions.select(c, a, b)
  if type(c) == "boolean" then
    if c then return a end
    return b
  end
  if not (V.is(c) and c[CONDITION]) then
    fail(sandbox.where(), "the first argument of select must be a condition, not %s; write carom.lt(a, b), le, gt or "
      .. "ge",
      V.is(c) and "an expression" or describe(c))
  end
  a, b = V.lift(a, "the second argument of select"), V.lift(b, "the third argument of select")
  local d = same(a[DIM], b[DIM], "select between")
  return wrap(E.select(c[NODE], a[NODE], b[NODE]), d)
end

return V
