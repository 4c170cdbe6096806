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

-- All order conditions of Runge-Kutta methods up to order 9: each is sum_i b_i u_i = 1/gamma with u from a rooted tree,
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

-- by order: all rooted trees, each a list of branches in the order in which these were made
local trees, made = {}, {}
for order = 1, 9 do
  trees[order] = {}
  local function grow(branches, left, from) -- branches that weigh `left` more, none before `from` in the order of making
    if left == 0 then
      table.insert(trees[order], table.move(branches, 1, #branches, 1, {}))
      return
    end
    for k = from, #made do
      if made[k].order <= left then
        branches[#branches + 1] = made[k].tree
        grow(branches, left - made[k].order, k)
        branches[#branches] = nil
      end
    end
  end
  grow({}, order - 1, 1)
  for _, tree in ipairs(trees[order]) do made[#made + 1] = { tree = tree, order = order } end
end

-- the largest violation by weights b of the conditions of orders from `first` to `last`; sums: what they are to be, times 1/gamma
local function satisfies(m, b, first, last, sums)
  local largest = 0
  for order = first, last do
    for _, tree in ipairs(trees[order]) do
      local u, _, gamma = tree_values(m, tree)
      largest = math.max(largest, math.abs(dot(b, u, m.stages - 1) - sums / gamma))
    end
  end
  return largest
end

T.test("there are so many rooted trees", function()
  for order, count in ipairs { 1, 1, 2, 4, 9, 20, 48, 115, 286 } do T.eq(#trees[order], count) end
end)

T.test("Runge-Kutta methods have their order and no more", function()
  for _, name in ipairs(tableau.rk_names) do
    local m = tableau.rk(name)
    T.eq(m.name, name)
    local rounding = m.order < 8 and 1e-15 or 1e-14
    T.near(satisfies(m, m.b, 1, m.order, 1), 0, rounding, name)
    T.ok(satisfies(m, m.b, m.order + 1, m.order + 1, 1) > 1e-6, name .. " has a higher order than it says")
    for power = 0, m.order - 1 do
      T.near(moment(m.b, m.c, power, m.stages - 1), 1 / (power + 1), rounding, name)
    end
    for i = 0, m.stages - 1 do
      T.near(moment(m.A[i], m.c, 0, m.stages - 1), m.c[i], 1e-14, name .. ": row sum")
      for k = i, m.stages - 1 do T.ok(not m.explicit or m.A[i][k] == 0, name .. " is explicit") end
      if not m.explicit then T.eq(m.b[i], m.A[m.stages - 1][i]) end
    end
    if m.embedded then
      T.near(satisfies(m, m.embedded, 1, m.embedded_order, 1), 0, 1e-15, name .. ", embedded")
      local order = m.embedded_order + 1
      T.ok(satisfies(m, m.embedded, order, order, 1) > 1e-6, name .. ", embedded, has a higher order than it says")
    end
    for k, order in ipairs(m.difference_orders or {}) do
      T.near(satisfies(m, m.differences[k], 1, order, 0), 0, 1e-14, name .. ", difference")
      T.ok(satisfies(m, m.differences[k], order + 1, order + 1, 0) > 1e-6, name .. ", difference, is smaller than it says")
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
