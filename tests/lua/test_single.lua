-- C in single precision: the pass over tokens.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "gen.emit.single"
local keys = require "gen.scheme.single"
local catalogue = require "gen.scheme.catalogue"

local function refuse(word) error("refused " .. word, 0) end
local function becomes(from, to, tolerances) T.eq(S.text(from, tolerances, refuse), to) end

T.test("types, literals and functions", function()
  becomes("long double x = fabsl(y) + 0.5L; long n = 3L; if (x < HUGE_VALL) x = 1.L;",
    "float x = fabsf(y) + 0.5f; long n = 3L; if (x < HUGE_VALF) x = 1.f;")
  becomes("const double x = 1.0 / (.5 + 3. * 2e+05 - 7);", "const float x = 1.0f / (.5f + 3.f * 2e+05f - 7);")
  becomes("y = fabs(sin (x)) > HUGE_VAL ? DBL_EPSILON : pow(a, 2);", "y = fabsf(sinf (x)) > HUGE_VALF ? FLT_EPSILON : powf(a, 2);")
  becomes("x = isnan(y) ? NAN : 0x1f + 10u + 3UL + a1.e5;", "x = isnan(y) ? NAN : 0x1f + 10u + 3UL + a1.e5;")
  becomes("q[1]-.5-1.e-2", "q[1]-.5f-1.e-2f")
end)

T.test("what is not a token of C stays: strings, characters, comments, lines that include", function()
  for _, text in ipairs { 'f("double 1.0 \\" sin(");', "c = '\\''; d = '\"';", "/* a double of 1.0 */", "// double 1e-9\n",
    '#include <float.h>\n#include "double.h"\n', "p->exp = exp_of.log; int sin;", "doubles sin_theta x1e5" } do
    becomes(text, text, true)
  end
  becomes("/* 1.0 */ 1.0 // 1.0\n1.0", "/* 1.0 */ 1.0f // 1.0\n1.0f")
  becomes("#define A(x) (1e3 * sqrt(x)) /* 1.0 */\n", "#define A(x) (1e3f * sqrtf(x)) /* 1.0 */\n")
end)

T.test("tolerances are shares of digits in the runtime, and numbers in a model", function()
  becomes("1e-8", "1e-8f")
  becomes("1e-8 1e-4 0.5 2.3e-16 1e-290", "0.00029f 1e-4f 0.5f 1.2e-07f 1.8e-36f", true)
  T.ok(math.abs(S.tolerance(2.0 ^ -52) / 2.0 ^ -23 - 1) < 1e-9, "rounding becomes rounding")
  T.eq(S.tolerance(0.25), 0.25)
  T.ok(S.tolerance(-1e-8) < -2e-4)
end)

T.test("numbers beyond floats are refused", function()
  for _, word in ipairs { "1e39", "1e-39", "1e-300" } do
    local good, said = pcall(S.text, "x = " .. word .. ";", false, refuse)
    T.ok(not good and said == "refused " .. word, said)
  end
  becomes("0.0 3.4e38", "0.0f 3.4e38f")
end)

T.test("keys of schemes: other defaults, and what no float reaches", function()
  local spec = keys(catalogue.parse "D-:M=2")
  T.ok(spec.tol > 1e-7 and spec.ctol > 1e-7 and spec.tg >= 1e-6)
  T.eq(keys(catalogue.parse "D-:M=2,tg=1e-4").tg, 1e-4)
  local good, said = pcall(keys, catalogue.parse "D-:M=2,tol=1e-12")
  T.ok(not good and said.message:find("single precision does not reach", 1, true), tostring(said.message))
end)

T.finish()
