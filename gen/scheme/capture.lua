-- High-order event capturing (Acary, RR-7151, Algorithm 1, carried on to nonlinear mechanisms with several contacts and
-- friction): smooth phases by a Runge-Kutta or D+- method in fixed modes, events located only as sharply as the order needs,
--     delta = C tau (h/tau)^(p+1),
-- impacts and cascades at frozen configuration, modes by the contact problem at the acceleration level, Zeno by collapse.
-- The method in partitioned form: V_l = v + x sum A_lk a_k, Q_l = q + x c_l v + x^2 sum (Aq A)_lk a_k.
local tableau = require "gen.scheme.tableau"

-- stages, nodes, matrices from either family, indexed from 0
local function method(spec)
  if spec.rk then
    local t = tableau.rk(spec.rk)
    local Abar, bbar = {}, {}
    for l = 0, t.stages - 1 do
      Abar[l], bbar[l] = {}, 0.0
      for k = 0, t.stages - 1 do
        local sum = 0.0
        for i = 0, t.stages - 1 do sum = sum + t.A[l][i] * t.A[i][k] end
        Abar[l][k] = sum
      end
    end
    for k = 0, t.stages - 1 do
      for l = 0, t.stages - 1 do bbar[k] = bbar[k] + t.b[l] * t.A[l][k] end
    end
    return { stages = t.stages, c = t.c, A = t.A, Aq = t.A, Abar = Abar, b = t.b, bbar = bbar, order = t.order, embedded = t.embedded }
  end
  local t = tableau.dg(spec.dg == "D-" and "-" or "+", spec.M, spec.quadrature)
  return { stages = t.M + 1, c = t.c, A = t.A, Aq = t.Bq, Abar = t.Abar, b = t.beta, bbar = t.bbar, order = t.order }
end

-- An embedded quadrature on the same stages: interior nodes, interpolatory (one node: the midpoint or the left rule). A method
-- without a stage at the start gets the acceleration there as stage -1: else nobody sees a force that switches before its first stage.
local function embedded(m)
  if m.embedded then return m.embedded end
  local nodes, starts = {}, false
  local function node(l) return l < 0 and 0.0 or m.c[l] end
  for l = 0, m.stages - 1 do starts = starts or m.c[l] == 0 end
  for l = 0, m.stages - 1 do
    local new = m.c[l] > 0 and m.c[l] < 1
    for _, k in ipairs(nodes) do new = new and m.c[k] ~= m.c[l] end
    if new then nodes[#nodes + 1] = l end
  end
  if #nodes == 0 then nodes = { 0 } end
  if not starts then table.insert(nodes, 1, -1) end
  local weights = {}
  for l = -1, m.stages - 1 do weights[l] = 0.0 end
  for _, l in ipairs(nodes) do -- integral over [0, 1] of the Lagrange polynomial, by its coefficients
    local poly = { 1.0 }
    for _, k in ipairs(nodes) do
      if k ~= l then
        local next_poly = {}
        for i = 1, #poly + 1 do
          next_poly[i] = ((poly[i - 1] or 0) - node(k) * (poly[i] or 0)) / (node(l) - node(k))
        end
        poly = next_poly
      end
    end
    for i, x in ipairs(poly) do weights[l] = weights[l] + x / i end
  end
  return weights
end

-- how many powers of t the weights integrate exactly
local function quadrature_order(m, weights)
  for p = 1, 20 do
    local sum = p == 1 and weights[-1] or 0.0
    for l = 0, m.stages - 1 do sum = sum + weights[l] * m.c[l] ^ (p - 1) end
    if math.abs(sum - 1 / p) > 1e-12 then return p - 1 end
  end
  return 20
end

local function row(values, stages)
  local t = {}
  for k = 0, stages - 1 do t[k + 1] = values[k] end
  return t
end

--- What the templates know of it: order, what operators must be able to do, the method of its trial steps.
return function(spec)
  local m = method(spec)
  local S = m.stages
  -- stage 0 may be the start itself; a last stage that nobody uses is computed after the others
  local explicit_order = true
  local stages = {}
  for l = 0, S - 1 do
    local is_start = m.c[l] == 0
    for k = 0, S - 1 do
      if m.A[l][k] ~= 0 then is_start = false end
      if k >= l and (m.A[l][k] ~= 0 or m.Abar[l][k] ~= 0) then explicit_order = false end
    end
    local unused = true -- by every stage, itself included
    for k = 0, S - 1 do unused = unused and m.A[k][l] == 0 and m.Abar[k][l] == 0 end
    if not (l == 0 and is_start) then
      stages[#stages + 1] = { l = l, after = unused }
    end
  end
  local coupled = not explicit_order
  local solved, after = {}, {}
  for _, stage in ipairs(stages) do
    local list = coupled and stage.after and after or solved
    list[#list + 1] = stage.l
  end
  local A, B, Aq = {}, {}, {}
  for l = 0, S - 1 do A[l + 1], B[l + 1], Aq[l + 1] = row(m.A[l], S), row(m.Abar[l], S), row(m.Aq[l], S) end
  local difference_v, difference_q = {}, {}
  local hat = embedded(m)
  for k = 0, S - 1 do
    difference_v[k + 1], difference_q[k + 1] = m.b[k] - hat[k], 0.0
    for l = 0, S - 1 do difference_q[k + 1] = difference_q[k + 1] + (m.b[l] - hat[l]) * m.A[l][k] end
  end
  difference_v[S + 1] = -(hat[-1] or 0.0) -- of the acceleration at the start
  local adaptive = spec.adaptive == "on"
  local newton = coupled and spec.stages == "newton"
  return { order = m.order, needs = { bias = true, capture = true, sensitivity = newton },
    capture = { stages = S, solved = solved, after = after, coupled = coupled, newton = newton, order = m.order, adaptive = adaptive,
    nodes = row(m.c, S), A = A, B = B, Aq = Aq, b = row(m.b, S), bb = row(m.bbar, S), estimate_v = difference_v, estimate_q = difference_q,
    estimate_order = quadrature_order(m, hat) + 1 } }
end
