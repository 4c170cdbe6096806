-- The arithmetic with many digits and its rounding to doubles.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local exact = require "gen.scheme.exact"

T.test("arithmetic with many digits", function()
  local third, root = exact.ratio(1, 3), exact.sqrt(2)
  T.eq(exact.round(third), 1 / 3) T.eq(exact.round(-third), -1 / 3)
  T.eq(exact.round(root), math.sqrt(2)) T.eq(exact.round(root * root - 2), 0.0)
  T.eq(exact.round(third * 3 - 1), 0.0) T.eq(1 / exact.round(exact.from(-0.0)), math.huge)
  T.eq(exact.round(exact.ratio(-7, 3) / exact.ratio(-5, 9)), 63 / 15)
  T.eq(exact.round(1 / (third - 7)), -3 / 20) T.eq(exact.round(exact.ratio(7, -9)), -7 / 9)
  for _, x in ipairs { 0.1, -0.1, 1 / 3 * 1e-6, -123456.789, 3, -4, 2.0 ^ -60, 0x1.fffffffffffffp-1 } do
    T.eq(exact.round(exact.from(x)), x + 0.0)
  end
  -- Half way between two doubles is decided by what follows, far away; alone it cannot be decided.
  local half_way, little = exact.from(1) + exact.from(2.0 ^ -53), exact.from(2.0 ^ -130)
  T.eq(exact.round(half_way + little), 1 + 2.0 ^ -52)
  T.eq(exact.round(half_way - little), 1.0)
  T.eq(exact.round(-(half_way + little)), -1 - 2.0 ^ -52)
  T.fails(function() exact.round(half_way) end, "too few digits")
  T.fails(function() return third / (third * 3 - 1) end, "too small")
  T.fails(function() return third / 0 end, "by zero")
end)

T.finish()
