-- Expressions: derivatives against finite differences, both ways of deriving, collecting, printing and the printed C, all on
-- random expressions.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local D = require "gen.expr.diff"
local code = require "gen.emit.code"
local collect = require("gen.expr.collect").collect
local eval = require("gen.expr.eval").eval
local fs = require "gen.util.fs"
local print_c = require "gen.expr.print"

-- a generator of our own: the same numbers with every Lua
local seed = 20240607
local function random() -- in [0, 1)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return (seed // 64) / 33554432
end
local function pick(n) return 1 + math.floor(random() * n) end

-- ---- random expressions, with arguments kept where functions are defined and not too steep -------------------------------------
local function fresh()
  E.reset()
  return { E.sym("a", "param"), E.sym("b", "param"), E.sym("x", "q"), E.sym("y", "q"), E.sym("u", "v"), E.sym("t", "time") }
end

local grow
local makers = {
  function(s, d) return grow(s, d) + grow(s, d) end,
  function(s, d) return grow(s, d) - grow(s, d) end,
  function(s, d) return grow(s, d) * grow(s, d) end,
  function(s, d) return grow(s, d) * grow(s, d) end,
  function(s, d) return grow(s, d) / (2 + grow(s, d) ^ 2) end,
  function(s, d) return -grow(s, d) end,
  function(s, d) return E.sin(grow(s, d)) ^ pick(5) end,
  function(s, d) return (1.5 + E.cos(grow(s, d))) ^ (pick(2) == 1 and -1.7 or 0.3 * E.sin(grow(s, d))) end,
  function(s, d) return E.sin(grow(s, d)) end,
  function(s, d) return E.cos(grow(s, d)) end,
  function(s, d) return E.tan(0.5 * E.sin(grow(s, d))) end,
  function(s, d) return E.asin(0.5 * E.cos(grow(s, d))) end,
  function(s, d) return E.acos(0.5 * E.sin(grow(s, d))) end,
  function(s, d) return E.atan(grow(s, d)) end,
  function(s, d) return E.exp(E.sin(grow(s, d))) end,
  function(s, d) return E.log(2 + grow(s, d) ^ 2) end,
  function(s, d) return E.sqrt(1 + grow(s, d) ^ 2) end,
  function(s, d) return E.abs(grow(s, d)) end,
  function(s, d) return E.sign(grow(s, d)) * grow(s, d) end,
  function(s, d) return E.atan2(grow(s, d), 2 + E.sin(grow(s, d))) end,
  function(s, d) return E.min(grow(s, d), grow(s, d)) end,
  function(s, d) return E.max(grow(s, d), grow(s, d)) end,
  function(s, d) return E.select(E.lt(grow(s, d), grow(s, d)), grow(s, d), grow(s, d)) end,
  function(s, d) return E.select(E.le(grow(s, d), grow(s, d)), grow(s, d), grow(s, d)) end,
}

function grow(symbols, depth)
  if depth == 0 or random() < 0.15 then
    if random() < 0.25 then return E.num(math.floor(random() * 40 - 20) / 8) end
    return symbols[pick(#symbols)]
  end
  return makers[pick(#makers)](symbols, depth - 1)
end

local function point(symbols)
  local env = {}
  for _, s in ipairs(symbols) do env[s] = random() * 3 - 1.5 end
  return env
end

local function central(node, env, symbol)
  local at, h = env[symbol], 1e-5
  env[symbol] = at + h
  local right = eval(node, env)
  env[symbol] = at - h
  local left = eval(node, env)
  env[symbol] = at
  return (right - left) / (2 * h), math.max(math.abs(left), math.abs(right))
end

T.test("the derivative of every function and operation is its difference quotient", function()
  local s = fresh()
  local x, y = s[3], s[4]
  local cases = { x + y, x - y, x * y, x / y, -x, x ^ 2, x ^ 3, x ^ 7, x ^ -2, x ^ 2.5, x ^ y, E.atan2(x, y), E.atan2(y, x),
    E.min(x, y), E.max(x, y), E.select(E.lt(x, y), x ^ 2, y ^ 3), E.select(E.ge(x, y), E.sin(x), E.cos(y)) }
  for _, name in ipairs(E.function_names) do cases[#cases + 1] = E[name](x * y) end
  T.eq(#E.function_names, 16)
  for _, node in ipairs { E.fmod(5 * x, y + 0.01), E.fmod(-5 * x, 1 + y), E.hypot(x, y), E.clamp(x * y, 0.2, 0.8) } do
    cases[#cases + 1] = node
  end
  for _, node in ipairs(cases) do
    for _, at in ipairs { { 0.3, 0.7 }, { 0.9, 0.2 }, { 0.55, 1.7 } } do
      local env = { [x] = at[1], [y] = at[2] }
      for _, symbol in ipairs { x, y } do
        local expected = central(node, env, symbol)
        T.near(eval(D.by(node, symbol), env), expected, 1e-8 * math.max(1, math.abs(expected)), tostring(node))
      end
    end
  end
end)

T.test("derivatives of 300 random expressions: difference quotients, and reverse equals forward", function()
  local compared = 0
  for _ = 1, 300 do
    local s = fresh()
    local node = grow(s, 5)
    local gradient = D.gradient(node, s)
    for _ = 1, 2 do
      local env = point(s)
      for i, symbol in ipairs(s) do
        local forward = eval(D.by(node, symbol), env)
        T.near(eval(gradient[i], env), forward, 1e-10 * math.max(1, math.abs(forward)), tostring(node))
        local expected, size = central(node, env, symbol)
        if math.abs(expected) < 1e3 and size < 1e3 then -- h^2 times a third derivative must stay small
          compared = compared + 1
          T.near(forward, expected, 2e-5 * math.max(1, math.abs(expected)), tostring(node))
        end
      end
    end
  end
  T.ok(compared > 2500, "only " .. compared .. " compared")
end)

T.test("the time derivative is the sum of its parts", function()
  for _ = 1, 50 do
    local s = fresh()
    local node = grow(s, 4)
    local env = point(s)
    local map = { [s[3]] = s[5], [s[6]] = E.one }
    local expected = eval(D.by(node, s[3]), env) * env[s[5]] + eval(D.by(node, s[6]), env)
    T.near(eval(D.total(node, map), env), expected, 1e-10 * math.max(1, math.abs(expected)))
  end
end)

-- sums and products of symbols, sines and cosines: what energies are made of
local function polynomial(symbols, depth)
  if depth == 0 then
    local x = symbols[pick(#symbols)]
    local kind = pick(4)
    return kind == 1 and E.sin(x) or kind == 2 and E.cos(x) or kind == 3 and x ^ pick(3) or pick(3) * x
  end
  local a, b = polynomial(symbols, depth - 1), polynomial(symbols, depth - 1)
  local kind = pick(5)
  return kind == 1 and a - b or kind == 2 and a + b or kind == 3 and (a + b) ^ 2 or kind == 4 and a / symbols[1] + b or a * b
end

T.test("collecting keeps the value, on 400 random expressions", function()
  local changed = 0
  for k = 1, 400 do
    local s = fresh()
    local node = k <= 200 and grow(s, 5) or polynomial(s, 3)
    local better = collect(node)
    if better ~= node then changed = changed + 1 end
    for _ = 1, 3 do
      local env = point(s)
      local expected = eval(node, env)
      if math.abs(env[s[1]]) > 0.1 then
        T.near(eval(better, env), expected, 1e-9 * math.max(1, math.abs(expected)), tostring(node) .. " -> " .. tostring(better))
      end
    end
  end
  T.ok(changed > 50, "collect changed only " .. changed)
end)

T.test("collecting does what a careful person does", function()
  local s = fresh()
  local a, b, x, u = s[1], s[2], s[3], s[5]
  local sin, cos = E.sin(x), E.cos(x)
  T.eq(tostring(collect(a * (b * cos) ^ 2 + a * (b * sin) ^ 2)), tostring(a * b ^ 2))
  local shared = collect(a * sin * u ^ 2 - a * cos * u ^ 2)
  T.eq(select(2, tostring(shared):gsub("a", "")), 1, tostring(shared))
end)

T.test("numbers are printed with the fewest digits that read back equal", function()
  local values = { 0.1, 1 / 3, 1 / 6, 1e22, 1e23, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 1e15,
    123456789012345680, 9007199254740993.0, 0.3, 100, -0.5, 1e-7 }
  for _ = 1, 2000 do
    local x = (random() * 2 - 1) * 10 ^ (random() * 600 - 300)
    if x == x and math.abs(x) < math.huge then values[#values + 1] = x end
  end
  for _, x in ipairs(values) do
    local text = print_c.number(x)
    T.eq(tonumber(text), x + 0.0, text)
    T.ok(text:find("[.e]"), text .. " is an integer in C")
    local digits = #text:gsub("%.0$", ""):gsub("e.*", ""):gsub("[-.]", ""):gsub("^0+", "")
    for fewer = 15, math.min(digits - 1, 16) do
      T.ok(tonumber(("%." .. fewer .. "g"):format(x)) ~= x, ("%s could be shorter"):format(text))
    end
  end
  T.eq(print_c.number(1), "1.0")
  T.eq(print_c.number(-2), "-2.0")
end)

-- ---- the printed C, compiled, gives the numbers of the evaluator -------------------------------------------------------------------
local has_gcc = fs.run "command -v gcc >/dev/null 2>&1" == 0
local function compiled_values()
  local functions, calls, expected = {}, {}, {}
  for k = 1, 150 do
    local s = fresh()
    local node = grow(s, 5)
    local index = {}
    for i, symbol in ipairs(s) do index[symbol] = ("z[%d]"):format(i - 1) end
    local body = code.block({ { "*out", node } }, { name = function(n) return index[n] end })
    functions[k] = ("static void f%d(const double *z, double *out)\n{\n    (void)z;\n%s\n}\n"):format(k, table.concat(body, "\n"))
    for _ = 1, 3 do
      local env, numbers = point(s), {}
      for i, symbol in ipairs(s) do numbers[i] = ("%.17g"):format(env[symbol]) end
      calls[#calls + 1] = ("    {\n        const double z[] = {%s};\n        f%d(z, &y);\n        printf(\"%%.17g\\n\", y);\n    }"):format(
        table.concat(numbers, ", "), k)
      expected[#expected + 1] = { eval(node, env), tostring(node) }
    end
  end
  local dir = assert(fs.temporary_dir())
  assert(fs.write(dir .. "/all.c", "#include <math.h>\n#include <stdio.h>\n\n" .. table.concat(functions, "\n")
    .. "\nint main(void)\n{\n    double y;\n" .. table.concat(calls, "\n") .. "\n    return 0;\n}\n"))
  local flags = "-std=c11 -O1 -ffp-contract=off -fno-builtin -Wall -Wextra -Wconversion -Werror"
  local said, exit = fs.capture(("cd %s && gcc %s all.c -o all -lm 2>&1 && ./all"):format(dir, flags))
  fs.remove_tree(dir)
  return said, exit, expected
end

if has_gcc then
  T.test("C of 150 random expressions, compiled, against the evaluator: equal to the last bit", function()
    local said, exit, expected = compiled_values()
    T.eq(exit, 0, said:sub(1, 2000))
    local i = 0
    for line in said:gmatch("[^\n]+") do
      i = i + 1
      T.eq(tonumber(line), expected[i][1] + 0.0, expected[i][2])
    end
    T.eq(i, #expected)
  end)
else
  T.skip("C of 150 random expressions, compiled, against the evaluator", "no gcc")
end

T.test("hyperbolic functions to rounding, whole numbers and rests as in C", function()
  for _, x in ipairs { 1e-9, 1e-3, 0.0999, 0.1001, 0.7, 3, 30 } do
    local e = math.exp(x)
    T.near(E.functions.tanh[1](x) * E.functions.cosh[1](x) / E.functions.sinh[1](x), 1, 4e-16 * 2)
    if x > 0.05 then T.near(E.functions.sinh[1](x) / ((e - 1 / e) / 2), 1, 1e-14) end
    T.eq(E.functions.tanh[1](-x), -E.functions.tanh[1](x))
  end
  T.near(E.functions.sinh[1](1e-9), 1e-9, 1e-25)
  T.eq(E.functions.tanh[1](800), 1.0)
  local x = E.sym("x", "q")
  local function at(node, value) return eval(node, { [x] = value }) end
  T.eq(at(E.floor(x), -1.5), -2.0)
  T.eq(at(E.ceil(x), -1.5), -1.0)
  T.near(at(E.fmod(x, 0.7), -1.5), -0.1, 1e-15)
  T.eq(at(E.clamp(x, -1, 1), 7), 1.0)
  T.eq(at(E.hypot(x, 4), 3), 5.0)
  T.eq(E.neg(E.tanh(E.neg(x))), E.tanh(x))
end)

T.finish()
