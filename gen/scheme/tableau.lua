-- The coefficients of the schemes, as doubles that are correctly rounded from many digits.
--
-- tableau.dg gives the discontinuous Galerkin pairs D- and D+, tableau.rk the Runge-Kutta methods. All arrays are
-- indexed from 0, as the stages are.
local exact = require "gen.scheme.exact"
local quadrature = require "gen.scheme.quadrature"

local tableau = {}

-- Nodes c in [0,1] are taken as x = 4c - 2 in [-2,2]. An interval of length 4 has capacity 1: products of distances
-- between nodes, which the Lagrange polynomials divide by, neither vanish nor explode as M grows.
local function wide(c) return c * 4 - 2 end

-- Coefficients (of 1, x, x^2, ...) of the Lagrange polynomials on the nodes x[first..last], one row per node.
local function lagrange(x, first, last)
  local basis, one = {}, exact.from(1)
  for k = first, last do
    local poly, scale, degree = { [0] = one }, one, 0
    for j = first, last do
      if j ~= k then
        poly[degree + 1] = poly[degree]
        for i = degree, 1, -1 do poly[i] = poly[i - 1] - poly[i] * x[j] end
        poly[0] = -(poly[0] * x[j])
        degree = degree + 1
        scale = scale * (x[k] - x[j])
      end
    end
    scale = one / scale
    for i = 0, degree do poly[i] = poly[i] * scale end
    basis[k] = poly
  end
  return basis
end

-- powers[i] = x^i, i = 0..count
local function powers_of(x, count)
  local powers = { [0] = exact.from(1) }
  for i = 1, count do powers[i] = powers[i - 1] * x end
  return powers
end

-- For each of the nodes c[0..M] the integrals from 0 to c_l of the Lagrange polynomials on the nodes first..last,
-- and the values of these polynomials at c = 0.
local function integrals(c, M, first, last)
  local x, degree = {}, last - first
  for l = 0, M do x[l] = wide(c[l]) end
  local basis = lagrange(x, first, last)
  local left = powers_of(exact.from(-2), degree + 1)
  local rows = {}
  for l = 0, M do
    local here, moment = powers_of(x[l], degree + 1), {}
    for i = 0, degree do moment[i] = (here[i + 1] - left[i + 1]) / (4 * (i + 1)) end -- dc = dx / 4
    rows[l] = {}
    for k = first, last do rows[l][k] = exact.dot(basis[k], moment, 0, degree) end
  end
  local at_zero = {}
  for k = first, last do at_zero[k] = exact.dot(basis[k], left, 0, degree) end
  return rows, at_zero
end

-- The velocity matrix of D-: collocation on all nodes but the last, where the acceleration is not used.
local function velocity_minus(c, M)
  local A = integrals(c, M, 0, M - 1)
  for l = 0, M do A[l][M] = exact.from(0) end
  return A
end

-- The velocity matrix of D+: collocation on all nodes but the first, and a jump at the left end, which is beta_0 times
-- what a_0 differs there from the polynomial through the other accelerations.
local function velocity_plus(c, M, beta)
  local A, at_zero = integrals(c, M, 1, M)
  for l = 0, M do
    for k = 1, M do A[l][k] = A[l][k] - beta[0] * at_zero[k] end
    A[l][0] = beta[0]
  end
  return A
end

-- The product of two matrices with indices 0..M.
local function product(X, Y, M)
  local Z = {}
  for l = 0, M do
    Z[l] = {}
    for k = 0, M do
      local column = {}
      for i = 0, M do column[i] = Y[i][k] end
      Z[l][k] = exact.dot(X[l], column, 0, M)
    end
  end
  return Z
end

-- The impulse p at the end of the step, in the stages: V_l has cp_l Minv p and Q_l has h cq_l Minv p.
--
-- D+ holds its end of step inside the interval of integration, so p acts there: it is the atom, at the last node, of
-- the measure whose smooth part the quadrature weighs with h beta_M a_M. Wherever h a_M stands in a stage, h a_M +
-- Minv p / beta_M does, so cp and cq are the last columns of A and Abar over beta_M. At the end of the step cp_M = 1;
-- and cq_M = 0, as it is (the integral of (1 - t) l~_M minus beta_0 l~_M(0)) / beta_M, with l~_M the last Lagrange
-- polynomial on the nodes 1..M: the quadrature is right for this degree and sees but the value at node 0.
-- D- meets p only after its last stage, in v_i = v + h sum beta_k a_k + Minv p: nothing in the stages.
local function impulse_column(sign, X, M, beta)
  local column = {}
  for l = 0, M do column[l] = sign == "+" and X[l][M] / beta[M] or exact.from(0) end
  return column
end

local function rounded(row, last)
  local z = {}
  for i = 0, last do z[i] = exact.round(row[i]) end
  return z
end

local function rounded_rows(X, last)
  local Z = {}
  for i = 0, last do Z[i] = rounded(X[i], last) end
  return Z
end

-- The pair D- or D+ (sign "-" or "+") with M on the nodes of a quadrature:
--   V_l = v + h sum_k A_lk a_k + cp_l Minv p,   Q_l = q + h c_l v + h^2 sum_k Abar_lk a_k + h cq_l Minv p,
--   v_i = v + h sum_k beta_k a_k + Minv p,      q_i = q + h v + h^2 sum_k bbar_k a_k,
-- with Abar = Bq A, Bq_lk the integral from 0 to c_l of the Lagrange polynomial k on all nodes, and bbar = beta^T A.
local function galerkin_pair(sign, M, name)
  local c = quadrature.nodes(name, M)
  local Bq = integrals(c, M, 0, M)
  local beta = Bq[M]
  local A = sign == "-" and velocity_minus(c, M) or velocity_plus(c, M, beta)
  local Abar = product(Bq, A, M)
  return {
    sign = sign, M = M, quadrature = name, stages = M + 1, order = quadrature.order(name, M),
    c = rounded(c, M), beta = rounded(beta, M), bbar = rounded(Abar[M], M),
    A = rounded_rows(A, M), Abar = rounded_rows(Abar, M), Bq = rounded_rows(Bq, M),
    cp = rounded(impulse_column(sign, A, M, beta), M), cq = rounded(impulse_column(sign, Abar, M, beta), M),
  }
end

-- Exact arithmetic takes a quarter of the time in which a model is generated, and several stages ask for the same pair: each is made
-- once and is nobody's to change.
local pairs_made = {}

--- The pair of a sign, M and a quadrature, as above.
function tableau.dg(sign, M, name)
  if sign ~= "-" and sign ~= "+" then error("the sign of a discontinuous Galerkin scheme is '-' or '+'", 2) end
  local key = ("%s %s %s"):format(sign, M, name)
  pairs_made[key] = pairs_made[key] or galerkin_pair(sign, M, name)
  return pairs_made[key]
end

-- Collocation methods: order and nodes. The last node is 1 in all of them, so b is the last row of A.
local collocation = {
  radau3 = { order = 3, nodes = function() return { [0] = exact.ratio(1, 3), exact.from(1) } end },
  radau5 = { order = 5, nodes = function()
    local s = exact.sqrt(6)
    return { [0] = (4 - s) / 10, (4 + s) / 10, exact.from(1) }
  end },
  lobatto2 = { order = 2, nodes = function() return quadrature.nodes("lobatto", 1) end },
  lobatto4 = { order = 4, nodes = function() return quadrature.nodes("lobatto", 2) end },
  lobatto6 = { order = 6, nodes = function() return quadrature.nodes("lobatto", 3) end },
}

-- Explicit methods: order, nodes, the rows of A up to the diagonal, weights and those of the embedded method. Quotients
-- of integers are correctly rounded as they stand.
local explicit = {
  heun2 = { order = 2, c = { 0, 1 }, A = { {}, { 1 } }, b = { 1/2, 1/2 } },
  kutta3 = { order = 3, c = { 0, 1/2, 1 }, A = { {}, { 1/2 }, { -1, 2 } }, b = { 1/6, 2/3, 1/6 } },
  rk4 = { order = 4, c = { 0, 1/2, 1/2, 1 }, A = { {}, { 1/2 }, { 0, 1/2 }, { 0, 0, 1 } }, b = { 1/6, 1/3, 1/3, 1/6 } },
  dopri5 = { order = 5, c = { 0, 1/5, 3/10, 4/5, 8/9, 1, 1 },
    A = { {}, { 1/5 }, { 3/40, 9/40 }, { 44/45, -56/15, 32/9 },
      { 19372/6561, -25360/2187, 64448/6561, -212/729 },
      { 9017/3168, -355/33, 46732/5247, 49/176, -5103/18656 },
      { 35/384, 0, 500/1113, 125/192, -2187/6784, 11/84 } },
    b = { 35/384, 0, 500/1113, 125/192, -2187/6784, 11/84, 0 },
    embedded = { 5179/57600, 0, 7571/16695, 393/640, -92097/339200, 187/2100, 1/40 }, embedded_order = 4 },
}

--- The names of the Runge-Kutta methods, in the order in which a message lists them.
tableau.rk_names = { "radau3", "radau5", "lobatto2", "lobatto4", "lobatto6", "heun2", "kutta3", "rk4", "dopri5" }

-- A list of at most `count` numbers as floats with indices 0..count-1, zero where the list has ended.
local function from_zero(list, count)
  local z = {}
  for i = 1, count do z[i - 1] = (list[i] or 0) + 0.0 end
  return z
end

--- A Runge-Kutta method: { name, order, stages, explicit, c, A, b }, and embedded, embedded_order where it has a second
--- set of weights to estimate the error with.
function tableau.rk(name)
  local method = collocation[name]
  if method then
    local c = method.nodes()
    local last = #c
    local A = rounded_rows(integrals(c, last, 0, last), last)
    return { name = name, order = method.order, stages = last + 1, explicit = false,
      c = rounded(c, last), A = A, b = table.move(A[last], 0, last, 0, {}) }
  end
  method = explicit[name]
  if not method then
    error(("unknown Runge-Kutta method '%s'; write one of %s"):format(name, table.concat(tableau.rk_names, ", ")), 2)
  end
  local stages = #method.c
  local A = {}
  for i = 1, stages do A[i - 1] = from_zero(method.A[i], stages) end
  return { name = name, order = method.order, stages = stages, explicit = true,
    c = from_zero(method.c, stages), A = A, b = from_zero(method.b, stages),
    embedded = method.embedded and from_zero(method.embedded, stages), embedded_order = method.embedded_order }
end

return tableau
