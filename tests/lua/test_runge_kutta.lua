-- The Runge-Kutta methods: order conditions and closed forms.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local exact = require "gen.scheme.exact"
local tableau = require "gen.scheme.tableau"

-- sum of w_i x_i^power
local function moment(w, x, power, last)
  local sum = 0.0
  for i = 0, last do sum = sum + w[i] * x[i] ^ power end
  return sum
end

local function dot(x, y, last)
  local sum = 0.0
  for i = 0, last do sum = sum + x[i] * y[i] end
  return sum
end

-- All order conditions of Runge-Kutta methods up to order 5: each is sum_i b_i u_i = 1/gamma with u from a rooted tree,
-- a product over its branches; a branch is A times the u of the tree above it.
local function tree_values(m, tree)
  local u, order, gamma = {}, 1, 1
  for i = 0, m.stages - 1 do u[i] = 1.0 end
  for _, branch in ipairs(tree) do
    local w, n, g = tree_values(m, branch)
    for i = 0, m.stages - 1 do u[i] = u[i] * dot(m.A[i], w, m.stages - 1) end
    order, gamma = order + n, gamma * g
  end
  return u, order, gamma * order
end

local leaf = {}
local line2, bush2 = { leaf }, { leaf, leaf }
local line3 = { line2 }
local trees = { leaf, line2, line3, bush2, { line3 }, { bush2 }, { leaf, line2 }, { leaf, leaf, leaf },
  { { line3 } }, { { bush2 } }, { { leaf, line2 } }, { { leaf, leaf, leaf } }, { leaf, line3 }, { leaf, bush2 },
  { line2, line2 }, { leaf, leaf, line2 }, { leaf, leaf, leaf, leaf } }

local function satisfies(m, b, order)
  local largest = 0
  for _, tree in ipairs(trees) do
    local u, n, gamma = tree_values(m, tree)
    if n <= order then largest = math.max(largest, math.abs(dot(b, u, m.stages - 1) - 1 / gamma)) end
  end
  return largest
end

T.test("Runge-Kutta methods have their order and no more", function()
  for _, name in ipairs(tableau.rk_names) do
    local m = tableau.rk(name)
    T.eq(m.name, name)
    T.near(satisfies(m, m.b, m.order), 0, 1e-15, name)
    if m.order < 5 then T.ok(satisfies(m, m.b, m.order + 1) > 1e-3, name .. " has a higher order than it says") end
    for power = 0, m.order - 1 do
      T.near(moment(m.b, m.c, power, m.stages - 1), 1 / (power + 1), 1e-15, name)
    end
    for i = 0, m.stages - 1 do
      T.near(moment(m.A[i], m.c, 0, m.stages - 1), m.c[i], 4e-15, name .. ": row sum")
      for k = i, m.stages - 1 do T.ok(not m.explicit or m.A[i][k] == 0, name .. " is explicit") end
      if not m.explicit then T.eq(m.b[i], m.A[m.stages - 1][i]) end
    end
    if m.embedded then
      T.near(satisfies(m, m.embedded, m.embedded_order), 0, 1e-15, name .. ", embedded")
      T.ok(satisfies(m, m.embedded, m.embedded_order + 1) > 1e-6, name .. ", embedded, has a higher order than it says")
    end
  end
end)

local function same_row(row, expected, what)
  for i, value in ipairs(expected) do T.eq(row[i - 1], value, what) end
  T.eq(row[#expected], nil, what)
end

T.test("closed forms of the collocation methods", function()
  local radau3, lobatto4 = tableau.rk("radau3"), tableau.rk("lobatto4")
  same_row(radau3.c, { 1/3, 1.0 }, "radau3.c")
  same_row(radau3.A[0], { 5/12, -1/12 }, "radau3.A[0]")
  same_row(radau3.A[1], { 3/4, 1/4 }, "radau3.A[1]")
  same_row(lobatto4.A[0], { 0.0, 0.0, 0.0 }, "lobatto4.A[0]")
  same_row(lobatto4.A[1], { 5/24, 1/3, -1/24 }, "lobatto4.A[1]")
  same_row(lobatto4.A[2], { 1/6, 2/3, 1/6 }, "lobatto4.A[2]")
  local s = exact.sqrt(6)
  local radau5 = tableau.rk("radau5")
  same_row(radau5.c, { exact.round((4 - s) / 10), exact.round((4 + s) / 10), 1.0 }, "radau5.c")
  same_row(radau5.A[0], { exact.round((88 - 7 * s) / 360), exact.round((296 - 169 * s) / 1800),
    exact.round((3 * s - 2) / 225) }, "radau5.A[0]")
  same_row(radau5.b, { exact.round((16 - s) / 36), exact.round((16 + s) / 36), 1/9 }, "radau5.b")
end)

T.test("an unknown method is refused", function()
  T.fails(function() tableau.rk("euler") end, "unknown Runge%-Kutta method 'euler'; write one of radau3, radau5")
end)

T.finish()
