-- The elimination order and the pattern of L: right, sparse, deterministic, linear in time for chains.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local banded = require "gen.plan.banded"
local symbolic = require "gen.plan.symbolic"

local function chain(n, elastic)
  local a, g = {}, {}
  for i = 0, n - 1 do
    a[#a + 1] = { i, i }
    if elastic and i > 0 then a[#a + 1] = { i - 1, i } end
    g[#g + 1] = i == 0 and { 0 } or { i - 1, i }
  end
  return n, 0, a, g
end

local function star(n) -- every bead touches body 0
  local a, g = { { 0, 0 } }, {}
  for i = 1, n do
    a[#a + 1] = { i, i }
    g[#g + 1] = { 0, i }
  end
  return n + 1, 0, a, g
end

local seed = 12345
local function pick(below) -- 0 .. below-1
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % below
end

local function random(nv, nr)
  local a, g = {}, {}
  for j = 0, nv - 1 do
    for i = 0, j do
      if i == j or pick(6) == 0 then a[#a + 1] = { i, j } end
    end
  end
  for r = 1, nr do
    g[r] = {}
    for j = 0, nv - 1 do
      if pick(4) == 0 then g[r][#g[r] + 1] = j end
    end
    if #g[r] == 0 then g[r][1] = pick(nv) end
  end
  return nv, math.min(2, nr), a, g
end

-- Dense K with reproducible values: A dominant on its diagonal, G mixed.
local function values(t)
  local A, G = {}, {}
  for p = 1, t.na do A[p] = t.Ai[p] == t.Aj[p] and 20 + p % 3 or 0.5 + p % 5 / 7 end
  for p = 1, t.ng do G[p] = (p % 2 == 0 and 1 or -1) * (1 + p % 11 / 5) end
  return A, G
end

local function dense(t, A, G)
  local n, K = t.nv + t.nr, {}
  for i = 1, n do
    K[i] = {}
    for j = 1, n do K[i][j] = 0 end
  end
  for p = 1, t.na do
    K[t.Ai[p] + 1][t.Aj[p] + 1] = A[p]
    K[t.Aj[p] + 1][t.Ai[p] + 1] = A[p]
  end
  for r = 1, t.nr do
    for p = t.Gp[r] + 1, t.Gp[r + 1] do
      K[t.nv + r][t.Gj[p] + 1] = G[p]
      K[t.Gj[p] + 1][t.nv + r] = G[p]
    end
  end
  return K
end

-- Factorises with the tables exactly as runtime/kkt.c does; checks L D L' = P K P', entry by entry.
local function check_factor(t)
  local n = t.nv + t.nr
  local A, G = values(t)
  local K, L, D, filled, y = dense(t, A, G), {}, {}, {}, {}
  for k = 1, n do filled[k], y[k] = t.Lp[k], 0 end
  for k = 1, n do
    local u = t.order[k]
    local d = u < t.nv and A[t.Ad[u + 1] + 1] or 0
    for p = t.Kp[k] + 1, t.Kp[k + 1] do
      local s = t.Ks[p]
      T.ok(t.Kj[p] < k - 1, "an entry is not below the diagonal")
      y[t.Kj[p] + 1] = s >= 0 and A[s + 1] or G[-s]
    end
    local previous = -1
    for p = t.Rp[k] + 1, t.Rp[k + 1] do
      local j = t.Rj[p]
      T.ok(j > previous and j < k - 1, "row pattern is not ascending")
      previous = j
      local value = y[j + 1]
      y[j + 1] = 0
      for e = t.Lp[j + 1] + 1, filled[j + 1] do y[t.Li[e] + 1] = y[t.Li[e] + 1] - L[e] * value end
      local l = value / D[j + 1]
      d = d - l * value
      filled[j + 1] = filled[j + 1] + 1
      L[filled[j + 1]] = l
      T.eq(t.Li[filled[j + 1]], k - 1, "rows and columns of L disagree")
    end
    for j = 1, n do T.eq(y[j], 0, "an entry of L is missing from the pattern") end
    D[k] = d
    T.ok(u < t.nv and d > 0 or u >= t.nv and d < 0, "pivot of the wrong sign")
  end
  local full = {}
  for j = 1, n do
    full[j] = {}
    for i = 1, n do full[j][i] = i == j and 1 or 0 end
  end
  for j = 1, n do
    for e = t.Lp[j] + 1, t.Lp[j + 1] do full[t.Li[e] + 1][j] = L[e] end
  end
  for i = 1, n do
    for j = 1, i do
      local sum = 0
      for k = 1, j do sum = sum + full[i][k] * D[k] * full[j][k] end
      T.near(sum, K[t.order[i] + 1][t.order[j] + 1], 1e-9, "L D L'")
    end
  end
end

-- Rows of G come after their unknowns; returns whether all do.
local function rows_after_unknowns(t)
  local place = {}
  for k, u in ipairs(t.order) do place[u] = k end
  for r = 1, t.nr do
    for p = t.Gp[r] + 1, t.Gp[r + 1] do
      if place[t.Gj[p]] > place[t.nv + r - 1] then return false end
    end
  end
  return true
end

local function same(x, y)
  for _, name in ipairs(symbolic.sizes) do T.eq(x[name], y[name], name) end
  for _, name in ipairs(symbolic.arrays) do
    T.eq(table.concat(x[name], " "), table.concat(y[name], " "), name)
  end
end

T.test("the order is a permutation and rows follow their unknowns", function()
  for trial = 1, 40 do
    local t = symbolic.kkt(random(1 + pick(12), pick(10)))
    local seen = {}
    for _, u in ipairs(t.order) do
      T.ok(not seen[u] and u >= 0 and u < t.nv + t.nr, "trial " .. trial)
      seen[u] = true
    end
    T.eq(#t.order, t.nv + t.nr)
    T.ok(rows_after_unknowns(t), "trial " .. trial)
  end
end)

T.test("the tables factorise the matrix", function()
  for _ = 1, 25 do
    local nv = 4 + pick(9)
    check_factor(symbolic.kkt(random(nv, pick(nv // 2))))
  end
  check_factor(symbolic.kkt(chain(12, false)))
  check_factor(symbolic.kkt(chain(12, true)))
  check_factor(symbolic.kkt(star(30))) -- a hub
end)

T.test("pointers and parents are consistent", function()
  local t = symbolic.kkt(random(15, 12))
  local n = t.nv + t.nr
  for _, name in ipairs { "Kp", "Lp", "Rp" } do T.eq(#t[name], n + 1, name) end
  T.eq(#t.Gp, t.nr + 1)
  T.eq(#t.Ad, t.nv)
  T.eq(#t.Kj, t.na - t.nv + t.ng)
  T.eq(#t.Ks, #t.Kj)
  T.eq(#t.Rj, t.nl)
  for k = 1, n do -- the parent is the first entry of a column
    T.eq(t.parent[k], t.Lp[k] < t.Lp[k + 1] and t.Li[t.Lp[k] + 1] or -1)
  end
end)

T.test("fill is that of the structure", function()
  local t = symbolic.kkt(chain(500, false))
  T.ok(t.nl <= 3 * 500, "chain: " .. t.nl)
  t = symbolic.kkt(chain(500, true))
  T.ok(t.nl <= 5 * 500, "elastic chain: " .. t.nl)
  t = symbolic.kkt(star(500)) -- 500 rows on one body must not become a dense block
  T.ok(t.nl <= 3 * 500, "star: " .. t.nl)
  local m, a = 20, {}
  for i = 0, m * m - 1 do
    a[#a + 1] = { i, i }
    if i % m < m - 1 then a[#a + 1] = { i, i + 1 } end
    if i + m < m * m then a[#a + 1] = { i, i + m } end
  end
  t = symbolic.kkt(m * m, 0, a, {}) -- in natural order 20 entries per column
  T.ok(t.nl < 12 * m * m, "mesh: " .. t.nl)
end)

T.test("the same input gives the same tables", function()
  same(symbolic.kkt(chain(300, true)), symbolic.kkt(chain(300, true)))
  local nv, ne, a, g = random(20, 15)
  same(symbolic.kkt(nv, ne, a, g), symbolic.kkt(nv, ne, a, g))
end)

T.test("work is linear for chains", function()
  local function work(n) -- thousands of Lua instructions, the same on every machine
    local count = 0
    local nv, ne, a, g = chain(n, true)
    debug.sethook(function() count = count + 1 end, "", 1000)
    symbolic.kkt(nv, ne, a, g)
    debug.sethook()
    return count
  end
  local small, large = work(1000), work(8000)
  T.ok(large < 8 * 1.5 * small, ("8000 unknowns: %d, 1000: %d thousand instructions"):format(large, small))
end)

T.test("wrong patterns are refused", function()
  T.fails(function() symbolic.kkt(2, 0, { { 0, 0 } }, {}) end, "diagonal")
  T.fails(function() symbolic.kkt(2, 0, { { 0, 0 }, { 1, 1 }, { 1, 0 } }, {}) end, "upper triangle")
  T.fails(function() symbolic.kkt(1, 0, { { 0, 0 }, { 0, 0 } }, {}) end, "twice")
  T.fails(function() symbolic.kkt(1, 0, { { 0, 0 } }, { { 0, 0 } }) end, "repeated column")
  T.fails(function() symbolic.kkt(1, 2, { { 0, 0 } }, { { 0 } }) end, "bilateral")
end)

T.test("no rows, rows without unknowns", function()
  local t = symbolic.kkt(1, 0, { { 0, 0 } }, {})
  T.eq(t.nl, 0)
  t = symbolic.kkt(1, 0, { { 0, 0 } }, { {}, { 0 } })
  T.eq(#t.order, 3)
end)

-- Does the band hold all pairs of rows that share an unknown?
local function check_band(g, order, width)
  local place = {}
  for k, i in ipairs(order) do place[i + 1] = k end
  for i = 1, #g do
    T.ok(place[i], "a row has no place")
    for j = 1, i - 1 do
      for _, c in ipairs(g[i]) do
        for _, d in ipairs(g[j]) do
          if c == d then T.ok(math.abs(place[i] - place[j]) <= width, ("rows %d and %d are outside the band"):format(i, j)) end
        end
      end
    end
  end
end

-- rows between the unknowns 7k mod n and 7(k+1) mod n, in an order of no help
local function ring(n, closed)
  local g = {}
  for k = 1, closed and n or n - 1 do g[k * 5 % n == 0 and n or k * 5 % n] = { k * 7 % n, (k + 1) * 7 % n } end
  local rows = {}
  for k = 1, n do rows[#rows + 1] = g[k] end
  return rows
end

T.test("the band of a chain is one row wide, that of a loop two, of a tree few; what all touch has none", function()
  for _, case in ipairs { { ring(51, false), 1 }, { ring(51, true), 2 }, { { { 0, 1 }, { 2, 3 } }, 1 } } do
    local order, width = banded.of(case[1], 1e9)
    T.eq(#order, #case[1])
    T.eq(width, case[2])
    check_band(case[1], order, width)
  end
  local tree, spokes = {}, {}
  for k = 1, 62 do tree[k] = { k, (k - 1) // 2 } end
  for k = 1, 400 do spokes[k] = { 0, k } end
  local order, width = banded.of(tree, 1e9)
  check_band(tree, order, width)
  T.ok(width <= 24)
  T.eq(banded.of(spokes, 1e9), nil)
  T.eq(banded.of(ring(51, true), 10), nil, "more work than the other factorisation")
end)

T.finish()
