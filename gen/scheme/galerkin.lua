-- D- and D+ of degree M: time-discontinuous Galerkin schemes (THEORY 4; Schindler, Acary 2013, whose equation numbers these are).
-- On the nodes tau_l of a quadrature, with the constrained accelerations a_l, r_l of the stages,
--     V_l = v + h sum A_lk a_k + cp_l w  (74),     Q_l = q + h sum Bq_lk V_k  (72),     v_f = v + h sum beta_k a_k  (75)
-- and at the end one contact problem on the total impulse J, v_i = v_f + w, w = M^-1 G^T (J - J_r). D-: cp = 0, stage 0 is the start and
-- stage M explicit. D+ (67)-(71): the jump w acts in the stages, all of them coupled, repeated until it is stationary. Degree 0 is
-- Moreau-Jean's. Where the equations are not solved, the step is made with less in them (THEORY 4.8): level 1 without projection of
-- contacts and with w = 0 in the stages, the last level with contacts at the end only.
local macros = require "gen.plan.macros"
local split = require "gen.scheme.split"
local tableau = require "gen.scheme.tableau"

-- how many levels there are: none where the equations are always solved or a shorter step is taken instead
local function levels(spec, features)
  local projects, implicit = spec.projection ~= "off", spec.sign == "+" or spec.M > 1 and not features.time_only
  local several = features.contacts > 1 or features.joints
  if features.contacts == 0 or spec.adaptive == "on" or not (implicit or several or projects) then return 0 end
  return (spec.sign == "+" or projects) and 2 or 1
end

local function plan(p, spec, features, level)
  local impulsive = level > 0 and level == levels(spec, features) -- contacts act by the impulse of the end alone
  local tab = tableau.dg(spec.sign, spec.M, spec.quadrature)
  local M, plus, h, q = spec.M, spec.sign == "+", p.h, p.q
  local newton = spec.stages == "newton" and not features.time_only
  p.order = tab.order
  local function weight(name, value, l, k) return p:constant(k and ("%s_%d%d"):format(name, l, k) or ("%s_%d"):format(name, l), value) end

  local press, force = p:remember("set", "press"), p:remember("rows", "force")
  local c0 = p:kinematics("c0", 0, q, true)
  local v, P0, struck = p.v, nil, nil
  if features.contacts > 0 then v, P0, struck = macros.strike(p, c0) end
  local given, Pl = spec.impact == "split" and level == 0 and features.contacts > 0 and split.inputs(p) or nil, nil
  if given then v, Pl = split.land(p, c0, v, press, given.landing) end
  local U = p:rates("U", c0, v)
  p:say "active set, frozen for the step (THEORY 4.1)"
  local resting = c0.g:le "tg" & U:le "tv"
  local A = p:set("A", impulsive and p.bilateral or spec.impact == "literal" and p.bilateral | resting
    or p.bilateral | press | (given and given.landing or p.none) | resting)
  local slide = features.dimension > 1 and p:say("who slides (THEORY 6.4)"):direction("s", { U = U }) or nil
  local turning = features.dimension == 3 and not plus
  local frozen = turning and M > 1 and not features.time_only and p:set("frozen", p.none) or nil

  local a, r, w = {}, {}, nil -- of the stages
  local function accelerate(into, l, c, V)
    return macros.accelerate(p, into, "r" .. l, { c = c, v = V, A = A, slide = slide, turned = turning and "turned" .. l or nil,
      frozen = frozen })
  end
  local jumps, solves = plus and level == 0, (plus or M > 1) and not features.time_only
  local function start()
    p:combine("r0", 1 * force)
    accelerate("a0", 0, c0, v)
    if jumps or solves then p:solve(given and "free0" or "af", c0.mass, p:named "f") end
  end
  local known = {}
  if given then known = split.start(p, A, jumps or solves, start) else start() end
  a[0], r[0] = p:named "a0", p:named "r0"
  local size -- of velocities that the step brings; a body that sticks has a = 0, its free acceleration tells what is small
  if jumps or solves then size = p:combine("size", 0.01 * h * p:named "af") end

  local function velocities()
    local V = {}
    for l = 0, M do
      local form = 1 * v
      for k = 0, M do if tab.A[l][k] ~= 0 then form = form + h * weight("A", tab.A[l][k], l, k) * a[k] end end
      if plus and tab.cp[l] ~= 0 then form = form + weight("cp", tab.cp[l], l) * w end
      V[l + 1] = p:say("stage velocities " .. (plus and "(67)" or "(74)")):combine("V" .. l, form)
    end
    return V
  end

  local Bq = {} -- rows from 1, as the list of the stage velocities
  for l = 0, M do
    Bq[l + 1] = {}
    for k = 0, M do Bq[l + 1][k + 1] = h * weight("Bq", tab.Bq[l][k], l, k) end
  end
  local function places(first, last, V)
    local names, weights = {}, {}
    for l = first, last do names[#names + 1], weights[#weights + 1] = l == M and "q1" or "Q" .. l, Bq[l + 1] end
    local Q = p:say("stage positions " .. (plus and "(69)" or "(72)")):retract_stages(names, q, V, Bq, weights)
    return function(l) return Q[l - first + 1] end
  end

  local closes -- in this step, with impact=split
  local function evaluate(first, last, into)
    local V = velocities()
    local Q = places(first, last, V)
    for l = first, last do
      local c = p:kinematics(l == M and "c1" or "cs", tab.c[l], Q(l))
      if given and l == M then -- velocities whose integral q+ is are known before the forces at the end are
        closes = split.look(p, given, { c0 = c0, c1 = c, U = U, A = A, press = press }, V[l + 1], known)
      end
      if given and features.steady and features.dimension < 3 then -- a piece more or less costs no evaluation
        p:say "nothing changes in a step"
        p:combine(into .. l, 1 * a[0])
        p:combine("r" .. l, 1 * r[0])
      else
        accelerate(into .. l, l, c, V[l + 1])
      end
    end
  end

  -- stages first..last together: by Newton or fixed point; once is exact when accelerations depend on time only
  local function coupled(first, last)
    if first > last then return end
    for l = math.max(first, 1), last do a[l], r[l] = p:combine("a" .. l, 1 * a[0]), p:combine("r" .. l, 1 * force) end
    if features.time_only then
      evaluate(first, last, "a")
      if last == M then p:kinematics("c1", 1, places(M, M, velocities())(M)) end -- with what they are now
      return
    end
    local S, small, of = nil, {}, { p:combine("rate", size / h) }
    if newton then
      local wv, wq = {}, {}
      for l = first, last do
        wv[#wv + 1], wq[#wq + 1] = {}, {}
        for k = first, last do
          wv[#wv][k - first + 1], wq[#wq][k - first + 1] = h * weight("A", tab.A[l][k], l, k), h ^ 2 * weight("Abar", tab.Abar[l][k], l, k)
        end
      end
      local on = p:set("held", p.bilateral | r[0]:gt "zero")
      p:say "I x M + h A x C + h^2 Abar x K with pressing rows held"
      S = p:operator("S", { c = c0, v = v, a = a[0], r = r[0], on = on, slide = slide, wv = wv, wq = wq })
    end
    local defect = newton and {} or nil
    for l = first, last do
      small[#small + 1], of[#of + 1] = "x" .. l, a[l]
      if newton then defect[#defect + 1] = "d" .. l end
    end
    p:say("stages %d..%d until the accelerations are stationary", first, last)
    p:iterate({ max = spec.iterations, small = small, of = of, defect = defect }, function()
      evaluate(first, last, "b")
      local x, d = {}, {}
      for l = first, last do
        d[#d + 1] = p:combine((S and "d" or "x") .. l, p:named("b" .. l) - a[l])
        x[#x + 1] = S and p:defined("vector", "x" .. l) or d[#d]
      end
      if S then p:solve_stages(S, x, d) end
      for l = first, last do p:combine("a" .. l, a[l] + x[l - first + 1]) end
    end)
  end

  local function finish()
    local vf, Jr = 1 * v, nil
    for k = 0, M do
      vf = vf + h * weight("beta", tab.beta[k], k) * a[k]
      local part = h * weight("beta", tab.beta[k], k) * r[k]
      Jr = Jr and Jr + part or part
    end
    vf = p:say("end velocity " .. (plus and "(71)" or "(75)")):combine("vf", vf)
    Jr = p:say("impulse of the contact forces"):combine("Jr", Jr)
    local now = { c0 = c0, c1 = p:named "c1", q1 = p:named "q1", U = U, A = A, press = press, vf = vf, Jr = Jr, r = r[M] }
    local function total() return macros.total_impulse(p, now, spec, features, level) end
    if not given then return vf, total() end
    p:when(given.hitting, function() split.impact(p, given.hitting, closes, now) end, total)
    return vf, { v = p:named "v1", J = p:combine("Jl", p:named "J" + Pl), N = p:named "N", press = p:named "presses" }
  end

  local ended
  local function pass()
    local vf
    coupled(0, M)
    vf, ended = finish()
    if level > 0 then return end
    p:combine("dw", ended.v - vf - w)
    p:combine("w", ended.v - vf)
  end
  if plus then
    w = p:combine("w", 0 * v)
    if level > 0 then
      pass()
    else
      p:say "the jump acts in the stages: until it is stationary (THEORY 4.6)"
      p:iterate({ max = spec.iterations, small = { "dw" }, of = { w, v, size } }, pass)
    end
  else
    coupled(1, M - 1)
    r[M] = p:combine("r" .. M, 1 * force)
    evaluate(M, M, "a")
    a[M] = p:named("a" .. M)
    ended = select(2, finish())
  end
  local function dense()
    if spec.dense ~= "on" then return end
    local V, nodes = {}, {}
    for l = 0, M do V[l + 1], nodes[l + 1] = p:named("V" .. l), tab.c[l] end
    return { V = V, nodes = nodes, text = "v is the polynomial of degree M through the stage velocities, q its integral." }
  end
  p:accept { q = p:named "q1", v = ended.v, at = p:named "c1", impulse = { ended.J, P0 },
    events = { ended.N, struck }, keep = { { press, ended.press }, { force, r[M] } }, dense = dense() }
  if level < levels(spec, features) then
    p.otherwise = plan(p:another(("%s, level %d (THEORY 4.8)"):format(spec.canonical, level + 1)), spec, features, level + 1)
  end
  return p
end

return function(p, spec, features) return plan(p, spec, features, 0) end
