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
  -- Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.5 and II.10: estimates of order 5 and 3
  dop853 = { order = 8,
    c = { 0, 0.526001519587677318785587544488e-1, 0.789002279381515978178381316732e-1, 0.118350341907227396726757197510,
      0.281649658092772603273242802490, 1/3, 1/4, 4/13, 0.651282051282051282051282051282, 3/5, 6/7, 1 },
    A = { {}, { 5.26001519587677318785587544488e-2 }, { 1.97250569845378994544595329183e-2, 5.91751709536136983633785987549e-2 },
      { 2.95875854768068491816892993775e-2, 0, 8.87627564304205475450678981324e-2 },
      { 2.41365134159266685502369798665e-1, 0, -8.84549479328286085344864962717e-1, 9.24834003261792003115737966543e-1 },
      { 3.7037037037037037037037037037e-2, 0, 0, 1.70828608729473871279604482173e-1, 1.25467687566822425016691814123e-1 },
      { 3.7109375e-2, 0, 0, 1.70252211019544039314978060272e-1, 6.02165389804559606850219397283e-2, -1.7578125e-2 },
      { 3.70920001185047927108779319836e-2, 0, 0, 1.70383925712239993810214054705e-1, 1.07262030446373284651809199168e-1,
        -1.53194377486244017527936158236e-2, 8.27378916381402288758473766002e-3 },
      { 6.24110958716075717114429577812e-1, 0, 0, -3.36089262944694129406857109825, -8.68219346841726006818189891453e-1,
        2.75920996994467083049415600797e1, 2.01540675504778934086186788979e1, -4.34898841810699588477366255144e1 },
      { 4.77662536438264365890433908527e-1, 0, 0, -2.48811461997166764192642586468, -5.90290826836842996371446475743e-1,
        2.12300514481811942347288949897e1, 1.52792336328824235832596922938e1, -3.32882109689848629194453265587e1,
        -2.03312017085086261358222928593e-2 },
      { -9.3714243008598732571704021658e-1, 0, 0, 5.18637242884406370830023853209, 1.09143734899672957818500254654,
        -8.14978701074692612513997267357, -1.85200656599969598641566180701e1, 2.27394870993505042818970056734e1,
        2.49360555267965238987089396762, -3.0467644718982195003823669022 },
      { 2.27331014751653820792359768449, 0, 0, -1.05344954667372501984066689879e1, -2.00087205822486249909675718444,
        -1.79589318631187989172765950534e1, 2.79488845294199600508499808837e1, -2.85899827713502369474065508674,
        -8.87285693353062954433549289258, 1.23605671757943030647266201528e1, 6.43392746015763530355970484046e-1 } },
    b = { 5.42937341165687622380535766363e-2, 0, 0, 0, 0, 4.45031289275240888144113950566, 1.89151789931450038304281599044,
      -5.8012039600105847814672114227, 3.1116436695781989440891606237e-1, -1.52160949662516078556178806805e-1,
      2.01365400804030348374776537501e-1, 4.47106157277725905176885569043e-2 },
    differences = { -- b minus embedded weights
      { 0.1312004499419488073250102996e-1, 0, 0, 0, 0, -0.1225156446376204440720569753e1, -0.4957589496572501915214079952,
        0.1664377182454986536961530415e1, -0.3503288487499736816886487290, 0.3341791187130174790297318841,
        0.8192320648511571246570742613e-1, -0.2235530786388629525884427845e-1 },
      { -0.1898007540724076157147023288757, 0, 0, 0, 0, 4.45031289275240888144113950566, 1.89151789931450038304281599044,
        -5.8012039600105847814672114227, -0.422682321323791962932445679177, -0.152160949662516078556178806805,
        0.201365400804030348374776537501, 0.226517921983608258118062039631e-1 } }, difference_orders = { 5, 3 } },
}

--- The names of the Runge-Kutta methods, in the order in which a message lists them.
tableau.rk_names = { "radau3", "radau5", "lobatto2", "lobatto4", "lobatto6", "heun2", "kutta3", "rk4", "dopri5", "dop853" }

-- A list of at most `count` numbers as floats with indices 0..count-1, zero where the list has ended.
local function from_zero(list, count)
  local z = {}
  for i = 1, count do z[i - 1] = (list[i] or 0) + 0.0 end
  return z
end

--- A Runge-Kutta method: { name, order, stages, explicit, c, A, b }, and embedded, embedded_order where it has a second
--- set of weights to estimate the error with; or differences of two to b, with their orders.
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
  local differences = method.differences and {}
  for k, list in ipairs(method.differences or {}) do differences[k] = from_zero(list, stages) end
  return { name = name, order = method.order, stages = stages, explicit = true,
    c = from_zero(method.c, stages), A = A, b = from_zero(method.b, stages),
    embedded = method.embedded and from_zero(method.embedded, stages), embedded_order = method.embedded_order,
    differences = differences, difference_orders = method.difference_orders }
end

return tableau
