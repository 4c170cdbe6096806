-- D- and D+ of degree M: time-discontinuous Galerkin schemes (Schindler, Acary 2013; equation numbers are theirs).
-- Partitioned Runge-Kutta form on the nodes tau_l (see tableau.lua):
--     V_l = v + h sum A_lk a_k + cp_l w,     Q_l = q + h tau_l v + h^2 sum Abar_lk a_k + h cq_l w,      w = M^-1 G^T p
-- with the constrained acceleration a_l, r_l of each stage, and at the end of the step one complementarity problem on the
-- total impulse J = h sum beta_k r_k + p. For D- cp = cq = 0, stage 0 is explicit and so is stage M.
local tableau = require "gen.scheme.tableau"

-- where the paper has the stage velocities, the stage positions and the end velocity of D- and of D+
local CITED = { ["-"] = { V = "(74)", Q = "(72)", after = "(75)" }, ["+"] = { V = "(67)-(71)", Q = "(67)-(71)", after = "(67)-(71)" } }

local function list(first, last, f)
  local t = {}
  for l = first, last do t[#t + 1] = f(l) end
  return t
end

-- Q_l or V_l as an operation
local function stage_state(p, tab, l, vectors, plus)
  local A, B = {}, {}
  for k = 0, tab.M do A[k + 1], B[k + 1] = tab.A[l][k], tab.Abar[l][k] end
  local last, cited = l == tab.M, CITED[tab.sign]
  local jump_v, jump_q = plus and " + cp w" or "", plus and " + h cq w" or ""
  p:op("stage_state", ("V_%d = v + h sum A_%dk a_k%s %s, Q_%d = q + h tau_%d v + h^2 sum Abar_%dk a_k%s %s"):format(
    l, l, jump_v, cited.V, l, l, l, jump_q, cited.Q), {
    l = l, V = p:vector "V", Q = last and "q1" or p:vector "Q",
    tau = tab.c[l] == 0 and "" or tab.c[l] == 1 and "one" or p:coefficient("TAU" .. l, tab.c[l], ("node tau_%d"):format(l)),
    velocity = p:sum("A" .. l, A, vectors, ("A_%d%%d of V_%d %s"):format(l, l, cited.V)),
    position = p:sum("B" .. l, B, vectors, ("Abar_%d%%d of Q_%d %s"):format(l, l, cited.Q)),
    velocity_jump = plus and tab.cp[l] ~= 0 and p:coefficient("CP" .. l, tab.cp[l], ("part of the jump in V_%d"):format(l)) or "",
    position_jump = plus and tab.cq[l] ~= 0 and p:coefficient("CQ" .. l, tab.cq[l], ("part of the jump in Q_%d"):format(l)) or "",
  })
end

-- quaternions of free bodies at all stages, by collocation with the stage velocities (so that the order is kept)
local function rotations(p, tab, vectors, plus)
  local stages, B = {}, {}
  for l = 0, tab.M do
    local A, row = {}, {}
    for k = 0, tab.M do A[k + 1], row[k + 1] = tab.A[l][k], tab.Bq[l][k] end
    B[l + 1] = row
    stages[l + 1] = { velocity = p:sum("A" .. l, A, vectors, ("A_%d%%d of V_%d %s"):format(l, l, CITED[tab.sign].V)),
      velocity_jump = plus and tab.cp[l] ~= 0 and p:coefficient("CP" .. l, tab.cp[l], ("part of the jump in V_%d"):format(l)) or "" }
  end
  p.rotation_stages = tab.M + 1
  p:op("rotations", "quaternions of the stages: Q_l = q + h sum B_lk H(Q_k) V_k", { stages = stages, count = tab.M + 1, B = B })
end

local function stage(p, tab, l, vectors, plus, into, iterated)
  local last = l == tab.M
  local at = last and "c1" or "cs"
  local time = l == 0 and "t" or last and "t + h" or "t + TAU" .. l .. " * h"
  stage_state(p, tab, l, vectors, plus)
  if p.dense then p:op("keep", "for dense output", { from = "V", l = l }) end
  p:op("configure", ("at tau_%d: kinematics, gaps, mass factor"):format(l), { at = at, time = time, q = last and "q1" or "Q" })
  p:op("evaluate", ("h(t,q,v) and rates at stage %d"):format(l), { at = at, v = "V", f = p:vector "f", U = p:rows "Us" })
  p:op("accelerate", ("M a_%d = h + G_A^T r_%d, 0 <= r_%d _|_ G_A a_%d + gam_A >= 0"):format(l, l, l, l),
    { at = at, v = "V", f = "f", a = p:vector(into), r = p:rows("r" .. l), stage = l,
      again = iterated and ("iteration > 0 ? r%d[j] : "):format(l) or "" })
end

-- the coupled stages first..last, by Newton or fixed point; once over is exact when accelerations depend on time only
local function coupled_stages(p, spec, tab, first, last, features, vectors, plus)
  if first > last then return end
  local stages = list(first, last, function(l) return l end)
  for _, l in ipairs(stages) do
    if l > 0 then p:op("copy", ("first guess a_%d = a_0"):format(l), { to = p:vector("a" .. l), from = "a0" }) end
  end
  if features.time_only then
    if features.rotations then rotations(p, tab, vectors, plus) end
    for _, l in ipairs(stages) do stage(p, tab, l, vectors, plus, "a" .. l) end
    return
  end
  local newton = spec.stages == "newton"
  if newton then
    p.needs.sensitivity = true
    local function block(values)
      return list(first, last, function(l) return list(first, last, function(k) return values[l][k] end) end)
    end
    p:op("newton_matrix", "I - h A x da/dv - h^2 Abar x da/dq, factored once per step", {
      count = #stages, A = block(tab.A), B = block(tab.Abar), at = "c0", v = "v", a = "a0", r = "r0" })
  end
  p:op("begin_iteration", ("stages %d..%d until the accelerations are stationary"):format(first, last))
  if features.rotations then rotations(p, tab, vectors, plus) end
  for _, l in ipairs(stages) do stage(p, tab, l, vectors, plus, "b" .. l, true) end
  p:op("finish_stages", newton and "Newton correction" or "fixed point", {
    newton = newton, a = list(first, last, function(l) return "a" .. l end), b = list(first, last, function(l) return "b" .. l end) })
end

-- end of the step: closed set, projection, total impulse
local function velocity_level(p, spec, tab)
  local M = tab.M
  local as, rs = list(0, M, function(k) return "a" .. k end), list(0, M, function(k) return "r" .. k end)
  local beta = {}
  for k = 0, M do beta[k + 1] = tab.beta[k] end
  local cited = CITED[tab.sign].after
  p:op("combine", "v_f = v + h sum beta_k a_k " .. cited,
    { out = p:vector "vf", base = "v", terms = p:sum("BETA", beta, as, "weight beta_%d " .. cited) })
  local hit = spec.projection == "on" or spec.projection == "impacts"
  if hit then p:rows "hit" end
  p:op("closed", "Cl = bilateral, g(q_i) <= tg, or pressing at the end; N = closing in this step (THEORY 4.4)",
    { r = "r" .. M, literal = spec.impact == "literal", hit = hit })
  if spec.projection ~= "off" then
    p.needs.projection = true
    p:op("project", "q_i onto g = 0 of pressing and penetrating rows, M^-1 metric (THEORY 4.5)",
      { press = "r" .. M, rows = spec.projection, within = "NULL" })
  end
  p:op("impact_dg", "0 <= J _|_ W (J - Jr) + U_f + e U_hit >= 0 on Cl, e on N only; v_i = v_f + M^-1 G^T (J - Jr)",
    { hit = hit, terms = p:sum("BETA", beta, rs, "weight beta_%d " .. cited), literal = spec.impact == "literal", plus = tab.sign == "+" })
end

return function(p, spec, features)
  local tab = tableau.dg(spec.sign, spec.M, spec.quadrature)
  local plus = spec.sign == "+"
  local as = list(0, spec.M, function(k) return "a" .. k end)
  p.order = tab.order
  if spec.dense == "on" then
    p.dense = { nodes = tab.c, stages = tab.M + 1, text = "v is the polynomial of degree M through the stage velocities, q its integral." }
  end
  p.needs.bias, p.needs.pressing = true, true
  p:rows "b"
  p:op("strike", "a state given from outside: contacts that are closed and closing hit before the first step (THEORY 4.2)")
  p:vector "v0"
  if p.dense and not plus then p:op("keep", "for dense output: V_0 = v", { from = "v", l = 0 }) end
  p:op("evaluate", "at (t,q), kept from the last step: h(t,q,v), U = G v + g_t", { at = "c0", v = "v", f = p:vector "f", U = p:rows "U" })
  p:op("active_dg", spec.impact == "literal" and "A = bilateral, or (g <= tg and U <= tv)"
    or "A = bilateral, pressing, or (g <= tg and U <= tv), frozen for the step (THEORY 4.1)", { literal = spec.impact == "literal" })
  p:op("accelerate", "M a_0 = h + G_A^T r_0, 0 <= r_0 _|_ G_A a_0 + gam_A >= 0",
    { at = "c0", v = "v", f = "f", a = p:vector "a0", r = p:rows "r0", stage = 0, again = "" })
  if plus then
    p.needs.jump = true
    p:op("begin_jump", "the impulse p of the step acts in the stages: repeat until it is stationary (THEORY 4.6)")
    coupled_stages(p, spec, tab, 0, spec.M, features, as, true)
    velocity_level(p, spec, tab)
    p:op("finish_jump", "p stationary?")
  else
    coupled_stages(p, spec, tab, 1, spec.M - 1, features, as, false)
    if features.rotations then rotations(p, tab, as, false) end
    stage(p, tab, spec.M, as, false, "a" .. spec.M)
    velocity_level(p, spec, tab)
  end
  p:op("pressing", "pressing = in A, closed, r_M > 0 and J > 0 (THEORY 4.7; J = 0: thrown off by an impact of this step)",
    { r = "r" .. spec.M })
end
