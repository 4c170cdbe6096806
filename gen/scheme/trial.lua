-- The trial step of `capture` (THEORY 7.1): a Runge-Kutta or D+- method in fixed modes,
--     V_l = v + x sum A_lk a_k,   Q_l = q + x sum Aq_lk V_k,   v+ = v + x sum b_k a_k,   q+ = q + x sum b_k V_k,
-- the a_k with closed contacts held and r_T = -mu s r_N where they slide; the end is put back on g = 0 and U = 0 of what is held. The
-- program that captures events hands in the modes (sets, directions of sliding), looks at the end, and keeps or forgets it.
local macros = require "gen.plan.macros"
local tableau = require "gen.scheme.tableau"

-- stages, nodes, matrices of either family, indexed from 0
local function method(spec)
  if spec.rk then
    local t = tableau.rk(spec.rk)
    return { last = t.stages - 1, c = t.c, A = t.A, Aq = t.A, b = t.b, order = t.order }
  end
  local t = tableau.dg(spec.dg == "D-" and "-" or "+", spec.M, spec.quadrature)
  return { last = t.M, c = t.c, A = t.A, Aq = t.Bq, b = t.beta, order = t.order }
end

-- which stages are the start itself, wait for others, are used by nobody
local function sorted(m)
  local explicit, first, after = true, 0, {}
  local Abar = {}
  for l = 0, m.last do
    Abar[l] = {}
    for k = 0, m.last do
      Abar[l][k] = 0.0
      for i = 0, m.last do Abar[l][k] = Abar[l][k] + m.Aq[l][i] * m.A[i][k] end
      if k >= l and (m.A[l][k] ~= 0 or Abar[l][k] ~= 0) then explicit = false end
    end
  end
  local starts = m.c[0] == 0
  for k = 0, m.last do starts = starts and m.A[0][k] == 0 end
  if starts then first = 1 end
  local before = {}
  for l = first, m.last do
    local unused = true
    for k = 0, m.last do unused = unused and m.A[k][l] == 0 and Abar[k][l] == 0 end
    local list = unused and not explicit and after or before
    list[#list + 1] = l
  end
  return explicit, before, after, Abar
end

return function(p, spec, features)
  local m = method(spec)
  local explicit, before, after, Abar = sorted(m)
  local h, q, v = p.h, p.q, p.v
  p.order = m.order
  local function weight(name, value, l, k) return p:constant(k and ("%s_%d%d"):format(name, l, k) or ("%s_%d"):format(name, l), value) end
  local closed, slide = p:input("set", "closed"), p:input("rows", "s")

  local c0 = p:kinematics("c0", 0, q, true)
  local held = p:set("held", p.bilateral | closed)
  p:combine("r", 0 * slide)
  macros.accelerate(p, "a", "r", { c = c0, v = v, A = held, slide = slide, laws = "equal" })
  local a, r = {}, {}
  for l = 0, m.last do a[l], r[l] = p:combine("a" .. l, 1 * p:named "a"), p:combine("r" .. l, 1 * p:named "r") end

  local function velocities()
    local V = {}
    for l = 0, m.last do
      local form = 1 * v
      for k = 0, m.last do if m.A[l][k] ~= 0 then form = form + h * weight("A", m.A[l][k], l, k) * a[k] end end
      V[l + 1] = p:combine("V" .. l, form)
    end
    return V
  end
  local Aq, b = {}, {} -- rows from 1, as the list of the stage velocities
  for l = 0, m.last do
    Aq[l + 1], b[l + 1] = {}, h * weight("b", m.b[l], l)
    for k = 0, m.last do Aq[l + 1][k + 1] = h * weight(spec.rk and "A" or "Bq", m.Aq[l][k], l, k) end
  end
  local function evaluate(list, into)
    local V, names, weights = velocities(), {}, {}
    for i, l in ipairs(list) do names[i], weights[i] = "Q" .. l, Aq[l + 1] end
    local Q = p:say("stages"):retract_stages(names, q, V, Aq, weights)
    for i, l in ipairs(list) do
      local c = p:kinematics("cs", m.c[l], Q[i])
      macros.accelerate(p, into .. l, "r" .. l, { c = c, v = V[l + 1], A = held, slide = slide, laws = "equal" })
    end
  end

  if explicit then
    for _, l in ipairs(before) do evaluate({ l }, "a") end
  elseif #before > 0 then
    local wv, wq, small = {}, {}, {}
    for i, l in ipairs(before) do
      wv[i], wq[i], small[i] = {}, {}, "x" .. l
      for j, k in ipairs(before) do
        wv[i][j], wq[i][j] = h * weight("A", m.A[l][k], l, k), h ^ 2 * weight("Abar", Abar[l][k], l, k)
      end
    end
    local newton = spec.stages == "newton" and not features.time_only
    local S = newton and p:operator("S", { c = c0, v = v, a = p:named "a", r = p:named "r", on = held, wv = wv, wq = wq })
    local of = { p:solve("free", c0.mass, p:named "f") }
    p:say "until the accelerations are stationary"
    p:iterate({ max = spec.iterations, small = small, of = of }, function()
      evaluate(before, "b")
      local x = {}
      for i, l in ipairs(before) do x[i] = p:combine("x" .. l, p:named("b" .. l) - a[l]) end
      if S then p:solve_stages(S, x) end
      for i, l in ipairs(before) do p:combine("a" .. l, a[l] + x[i]) end
    end)
  end
  if #after > 0 then evaluate(after, "a") end
  local form, J = 1 * v, nil
  for k = 0, m.last do
    form = form + b[k + 1] * a[k]
    J = J and J + b[k + 1] * r[k] or b[k + 1] * r[k]
  end
  local q1 = p:retract_stages({ "q1" }, q, velocities(), Aq, { b })[1]
  local c1 = p:kinematics("c1", 1, q1)
  local vf = p:combine("vf", form)
  J = p:combine("J", J)
  macros.project(p, c1, q1, held, p.none)
  p:say "U = 0 of what is held"
  local w = p:contact("w", "tau", { A = c1.mass, at = c1, set = held, b = p:rates("b", c1, vf), slide = slide, laws = "equal" })
  local v1 = p:combine("v1", vf + w)
  return p:accept { q = q1, v = v1, at = c1, impulse = { J }, events = {}, keep = {} }
end
