-- The coefficients of the schemes: closed forms, order conditions, correct rounding, and that they are made quickly.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local exact = require "gen.scheme.exact"
local quadrature = require "gen.scheme.quadrature"
local tableau = require "gen.scheme.tableau"

local CC, LOBATTO = "clenshaw-curtis", "lobatto"

-- The double nearest to a closed form such as "7r/96-13/80", r the root.
local function closed(text, root)
  local sum, terms = exact.from(0), text:gsub("-", "+-")
  for term in terms:gmatch("[^+]+") do
    local sign, p, r, q = term:match("^(%-?)(%d*)(r?)/?(%d*)$")
    local value = exact.from(math.tointeger(tonumber(p) or 1))
    if r == "r" then value = value * root end
    value = value / math.tointeger(tonumber(q) or 1)
    sum = sign == "-" and sum - value or sum + value
  end
  return exact.round(sum)
end

-- Compares row (from index 0) with the words of a text; nothing may be left over on either side.
local function same_row(row, text, root, what)
  local i = 0
  for word in text:gmatch("%S+") do
    T.eq(row[i], closed(word, root), ("%s[%d] = %s"):format(what, i, word))
    T.ok(1 / row[i] ~= -math.huge, what .. " has a negative zero")
    i = i + 1
  end
  T.eq(row[i], nil, what .. " is longer than its closed form")
end

local function same_rows(rows, text, root, what)
  local l = 0
  for row in text:gmatch("[^;]+") do
    same_row(rows[l], row, root, ("%s[%d]"):format(what, l))
    l = l + 1
  end
  T.eq(rows[l], nil, what .. " has more rows than its closed form")
end

-- The tables of the two schemes in closed form; the first rows of Bq and Abar are zero.
local closed_forms = {
  { M = 1, quadrature = CC, root = 1, c = "0 1", beta = "1/2 1/2", Bq = "0 0; 1/2 1/2",
    plus = { A = "1/2 -1/2; 1/2 1/2", Abar = "0 0; 1/2 0", cp = "-1 1", cq = "0 0" },
    minus = { A = "0 0; 1 0", Abar = "0 0; 1/2 0" } },
  { M = 2, quadrature = CC, root = 1, c = "0 1/2 1", beta = "1/6 2/3 1/6", Bq = "0 0 0; 5/24 1/3 -1/24; 1/6 2/3 1/6",
    plus = { A = "1/6 -1/3 1/6; 1/6 5/12 -1/12; 1/6 2/3 1/6", Abar = "0 0 0; 1/12 1/24 0; 1/6 1/3 0",
      cp = "1 -1/2 1", cq = "0 0 0" },
    minus = { A = "0 0 0; 1/4 1/4 0; 0 1 0", Abar = "0 0 0; 1/12 1/24 0; 1/6 1/3 0" } },
  { M = 3, quadrature = CC, root = 1, c = "0 1/4 3/4 1", beta = "1/18 4/9 4/9 1/18",
    Bq = "0 0 0 0; 59/576 47/288 -7/288 5/576; 3/64 15/32 9/32 -3/64; 1/18 4/9 4/9 1/18",
    plus = { A = "1/18 -1/9 1/9 -1/18; 1/18 37/144 -17/144 1/18; 1/18 65/144 43/144 -1/18; 1/18 4/9 4/9 1/18",
      Abar = "0 0 0 0; 1/72 3/128 -13/1152 1/192; 1/24 85/384 5/384 1/192; 1/18 1/3 1/9 0",
      cp = "-1 1 -1 1", cq = "0 3/32 3/32 0" },
    minus = { A = "0 0 0 0; 1/9 7/48 -1/144 0; 0 9/16 3/16 0; 1/9 1/3 5/9 0",
      Abar = "0 0 0 0; 11/576 5/384 -1/1152 0; 3/64 27/128 3/128 0; 1/18 1/3 1/9 0" } },
  { M = 4, quadrature = CC, root = 2, c = "0 1/2-r/4 1/2 r/4+1/2 1", beta = "1/30 4/15 2/5 4/15 1/30",
    Bq = [[0 0 0 0 0; r/120+23/480 2/15-13r/480 1/5-3r/20 2/15-43r/480 -7/480+r/120; 1/60 2/15+r/8 1/5 2/15-r/8 1/60;
      23/480-r/120 43r/480+2/15 1/5+3r/20 13r/480+2/15 -7/480-r/120; 1/30 4/15 2/5 4/15 1/30]],
    plus = { A = [[1/30 -1/15 1/15 -1/15 1/30; 1/30 13/80-r/96 41/240-r/6 13/80-7r/96 -7/240;
        1/30 1/10+r/8 7/30 1/10-r/8 1/30; 1/30 7r/96+13/80 41/240+r/6 r/96+13/80 -7/240; 1/30 4/15 2/5 4/15 1/30]],
      Abar = [[0 0 0 0 0; 1/60-r/120 r/960+1/160 11/160-49r/960 23/240-21r/320 -r/960;
        1/60 11/240+r/30 1/60 11/240-r/30 0; r/120+1/60 21r/320+23/240 11/160+49r/960 1/160-r/960 r/960;
        1/30 r/15+2/15 1/5 2/15-r/15 0]],
      cp = "1 -7/8 1 -7/8 1", cq = "0 -r/32 0 r/32 0" },
    minus = { A = [[0 0 0 0 0; 1/16 5/48-r/96 11/48-r/6 5/48-7r/96 0; 0 1/6+r/8 1/6 1/6-r/8 0;
        1/16 7r/96+5/48 11/48+r/6 r/96+5/48 0; 0 1/3 1/3 1/3 0]],
      Abar = [[0 0 0 0 0; 1/60-7r/960 1/160-r/960 11/160-47r/960 23/240-13r/192 0; 1/60 11/240+r/30 1/60 11/240-r/30 0;
        7r/960+1/60 13r/192+23/240 11/160+47r/960 r/960+1/160 0; 1/30 r/15+2/15 1/5 2/15-r/15 0]] } },
  { M = 3, quadrature = LOBATTO, root = 5, c = "0 1/2-r/10 r/10+1/2 1", beta = "1/12 5/12 5/12 1/12",
    Bq = [[0 0 0 0; r/120+11/120 5/24-r/120 5/24-13r/120 -1/120+r/120;
      11/120-r/120 5/24+13r/120 r/120+5/24 -r/120-1/120; 1/12 5/12 5/12 1/12]],
    plus = { A = "1/12 -r/12 r/12 -1/12; 1/12 1/4 1/6-7r/60 r/60; 1/12 1/6+7r/60 1/4 -r/60; 1/12 5/12 5/12 1/12",
      Abar = "0 0 0 0; 1/24-r/120 1/60 11/120-r/24 0; r/120+1/24 11/120+r/24 1/60 0; 1/12 r/24+5/24 5/24-r/24 0",
      cp = "-1 r/5 -r/5 1", cq = "0 0 0 0" },
    minus = { A = "0 0 0 0; r/60+1/12 1/6 1/4-7r/60 0; 1/12-r/60 1/4+7r/60 1/6 0; 1/6 5/12-r/12 r/12+5/12 0",
      Abar = "0 0 0 0; 1/24-r/120 1/60 11/120-r/24 0; r/120+1/24 11/120+r/24 1/60 0; 1/12 r/24+5/24 5/24-r/24 0" } },
}

for _, form in ipairs(closed_forms) do
  for _, sign in ipairs { "-", "+" } do
    T.test(("closed forms, D%s M=%d %s"):format(sign, form.M, form.quadrature), function()
      local d = tableau.dg(sign, form.M, form.quadrature)
      local own, root = sign == "-" and form.minus or form.plus, exact.sqrt(form.root)
      local none = ("0 "):rep(form.M + 1)
      T.eq(d.M, form.M) T.eq(d.sign, sign) T.eq(d.quadrature, form.quadrature) T.eq(d.stages, form.M + 1)
      same_row(d.c, form.c, root, "c")
      same_row(d.beta, form.beta, root, "beta")
      same_rows(d.Bq, form.Bq, root, "Bq")
      same_rows(d.A, own.A, root, "A")
      same_rows(d.Abar, own.Abar, root, "Abar")
      same_row(d.bbar, own.Abar:match("[^;]+$"), root, "bbar")
      same_row(d.cp, own.cp or none, root, "cp")
      same_row(d.cq, own.cq or none, root, "cq")
    end)
  end
end

-- sum of w_i x_i^power
local function moment(w, x, power, last)
  local sum = 0.0
  for i = 0, last do sum = sum + w[i] * x[i] ^ power end
  return sum
end

T.test("the weights integrate polynomials of the right degree, and no more", function()
  for _, name in ipairs(quadrature.names) do
    for M = 1, 8 do
      local d = tableau.dg("-", M, name)
      local degree = d.order - 1
      T.eq(d.order, name == LOBATTO and 2 * M or (M % 2 == 0 and M + 2 or M + 1))
      for power = 0, degree do T.near(moment(d.beta, d.c, power, M), 1 / (power + 1), 4e-16) end
      local off = moment(d.beta, d.c, degree + 1, M) - 1 / (degree + 2)
      T.ok(math.abs(off) > 1e-11, ("%s M=%d is exact beyond degree %d"):format(name, M, degree))
      for l = 0, M do T.near(d.c[l] + d.c[M - l], 1, 2e-16) T.eq(d.beta[l], d.beta[M - l]) end
    end
  end
end)

T.test("order conditions of the stages", function()
  for _, name in ipairs(quadrature.names) do
    for M = 1, 8 do
      for _, sign in ipairs { "-", "+" } do
        local d = tableau.dg(sign, M, name)
        for l = 0, M do
          -- Bq is collocation on M+1 nodes, A on M; D+ has its jump at the left end, of which low powers know nothing.
          for power = 0, M do T.near(moment(d.Bq[l], d.c, power, M), d.c[l] ^ (power + 1) / (power + 1), 5e-15) end
          for power = 0, M - 1 do T.near(moment(d.A[l], d.c, power, M), d.c[l] ^ (power + 1) / (power + 1), 5e-15) end
          for k = 0, M do
            local sum = 0.0
            for i = 0, M do sum = sum + d.Bq[l][i] * d.A[i][k] end
            T.near(d.Abar[l][k], sum, 2e-15, "Abar = Bq A")
          end
        end
        for k = 0, M do
          if name == LOBATTO then T.near(d.bbar[k], d.beta[k] * (1 - d.c[k]), 1e-16, "bbar") end
          T.eq(d.bbar[k], d.Abar[M][k])
          T.eq(d.Bq[0][k], 0.0)
          T.eq(d.Abar[0][k], 0.0)
        end
        for power = 0, M - 1 do
          T.near(moment(d.bbar, d.c, power, M), 1 / ((power + 1) * (power + 2)), 1e-15, "bbar on polynomials")
        end
      end
    end
  end
end)

T.test("D- is explicit at both ends, D+ is stiffly accurate; the impulse ends in v alone", function()
  for _, name in ipairs(quadrature.names) do
    for M = 1, 8 do
      local minus, plus = tableau.dg("-", M, name), tableau.dg("+", M, name)
      for l = 0, M do
        T.eq(minus.A[0][l], 0.0) T.eq(minus.A[l][M], 0.0)
        T.eq(minus.cp[l], 0.0) T.eq(minus.cq[l], 0.0)
        T.eq(plus.A[M][l], plus.beta[l]) T.eq(plus.A[l][0], plus.beta[0])
      end
      T.eq(plus.cp[M], 1.0) T.eq(plus.cp[0], M % 2 == 0 and 1.0 or -1.0)
      T.eq(plus.cq[0], 0.0) T.eq(plus.cq[M], 0.0)
      if name == LOBATTO then
        for l = 0, M do for k = 0, M do T.eq(minus.Abar[l][k], plus.Abar[l][k]) end T.eq(plus.cq[l], 0.0) end
      end
    end
  end
end)

T.test("correct rounding, against values computed elsewhere with 300 digits", function()
  local lobatto5, lobatto7 = tableau.dg("+", 5, LOBATTO), tableau.dg("-", 7, LOBATTO)
  local lobatto8, cc7 = tableau.dg("+", 8, LOBATTO), tableau.dg("+", 7, CC)
  T.eq(lobatto5.beta[1], 0x1.838ef05e9dfc2p-3) T.eq(lobatto5.beta[2], 0x1.1c1665ae8edfdp-2)
  T.eq(lobatto7.c[1], 0x1.06ad19dc54156p-4) T.eq(lobatto7.c[2], 0x1.a21958fed45d6p-3)
  T.eq(lobatto7.c[3], 0x1.94d6bba00f9a8p-2)
  T.eq(lobatto8.A[3][2], 0x1.27d820e54ba32p-3) T.eq(lobatto8.A[3][5], 0x1.1e2ca32b9abbcp-6)
  T.eq(lobatto8.A[3][8], -0x1.01be9622aec9dp-8) T.eq(lobatto8.Abar[5][2], 0x1.24531a7799558p-4)
  T.eq(cc7.cp[2], -1.0) T.eq(cc7.cq[3], 0x1.a149825d5b64p-7)
  local cc5, cc8, radau5 = tableau.dg("-", 5, CC), tableau.dg("-", 8, CC), tableau.rk("radau5")
  T.eq(cc5.c[1], 0x1.8722191a02d61p-4) T.eq(cc5.A[2][4], 0x1.134970282998ep-9)
  T.eq(cc8.Bq[7][8], -0x1.ec342f366e22cp-8)
  T.eq(radau5.A[0][2], 0x1.8576b15adbb79p-6) T.eq(radau5.A[1][2], -0x1.545e0c7243c2cp-5)
end)

local function dot(x, y, last)
  local sum = 0.0
  for i = 0, last do sum = sum + x[i] * y[i] end
  return sum
end

-- q'' = f, a smooth pendulum with nonlinear damping, from (1, 1/2): 20 steps of 0.1, the stages by fixed point.
local function pendulum(d)
  local h, q, v, M = 0.1, 1.0, 0.5, d.M
  local function f(t, x, w) return -4 * math.sin(x) - 0.3 * w * (1 + 0.2 * w * w) + 0.5 * math.cos(2 * t) end
  for step = 0, 19 do
    local a = {}
    for l = 0, M do a[l] = f(step * h, q, v) end
    for _ = 1, 40 do
      for l = 0, M do
        local Q = q + h * d.c[l] * v + h * h * dot(d.Abar[l], a, M)
        a[l] = f((step + d.c[l]) * h, Q, v + h * dot(d.A[l], a, M))
      end
    end
    q = q + h * v + h * h * dot(d.bbar, a, M)
    v = v + h * dot(d.beta, a, M)
  end
  return q, v
end

T.test("a smooth pendulum, against test vectors of a separate program", function()
  local vectors = {
    { "-", 1, CC, -8.244327835069e-01, 1.012579740789e-01 }, { "+", 1, CC, -8.246471770847e-01, 1.005664010934e-01 },
    { "-", 2, CC, -8.267814103638e-01, 9.651609468023e-02 }, { "+", 2, CC, -8.267815378112e-01, 9.651588959552e-02 },
    { "-", 3, CC, -8.267829677786e-01, 9.651653246857e-02 }, { "+", 3, CC, -8.267829583843e-01, 9.651647582626e-02 },
    { "-", 4, CC, -8.267831522789e-01, 9.651600538035e-02 }, { "+", 4, CC, -8.267831523030e-01, 9.651600532392e-02 },
    { "-", 3, LOBATTO, -8.267831518213e-01, 9.651600559494e-02 },
    { "+", 3, LOBATTO, -8.267831519399e-01, 9.651600543982e-02 },
    { "-", 4, LOBATTO, -8.267831524226e-01, 9.651600552188e-02 },
    { "+", 4, LOBATTO, -8.267831524227e-01, 9.651600552176e-02 },
  }
  for _, x in ipairs(vectors) do
    local q, v = pendulum(tableau.dg(x[1], x[2], x[3]))
    T.near(q, x[4], 1e-12, ("q of D%s M=%d %s"):format(x[1], x[2], x[3]))
    T.near(v, x[5], 1e-12, ("v of D%s M=%d %s"):format(x[1], x[2], x[3]))
  end
end)

T.test("what cannot be made is refused", function()
  T.fails(function() tableau.dg("*", 1, CC) end, "'%-' or '%+'")
  T.fails(function() tableau.dg("-", 1, "gauss") end, "unknown quadrature 'gauss'; write one of clenshaw%-curtis")
  T.fails(function() tableau.dg("-", 0, CC) end, "M = 0 is not")
  T.fails(function() tableau.dg("-", 1.5, CC) end, "M = 1.5 is not")
  T.fails(function() tableau.dg("-", 33, CC) end, "M = 33 is not")
  T.ok(quadrature.is(CC) and quadrature.is(LOBATTO) and not quadrature.is("gauss"))
end)

T.test("M = 8 takes less than 30 ms", function()
  local best = math.huge
  for _ = 1, 3 do
    local start = os.clock()
    tableau.dg("+", 8, LOBATTO)
    best = math.min(best, os.clock() - start)
  end
  T.ok(best < 0.030, ("took %.1f ms"):format(best * 1e3))
end)

T.finish()
