-- High-order event capturing (Acary, RR-7151, Algorithm 1, carried on to nonlinear mechanisms with several contacts and
-- friction): smooth phases by a Runge-Kutta or D+- method in fixed modes, events located only as sharply as the order needs,
--     delta = C tau (h/tau)^(p+1),
-- impacts and cascades at frozen configuration, modes by the contact problem at the acceleration level, Zeno by collapse.
-- The program is carom/capture.h; here are the parts that it runs (THEORY 7.1). The trial step,
--     V_l = v + h sum A_lk a_k,   Q_l = q + h sum Aq_lk V_k,   v+ = v + h sum b_k a_k,   q+ = q + h sum b_k V_k,
-- has the a_k with closed contacts held, tangents of sticking ones too, and r_T = -mu s r_N where they slide; its end is put back on
-- g = 0 and U = 0 of what is held.
local tableau = require "gen.scheme.tableau"

-- Does neither the end of a step nor any stage look at stage l?
local function idle(m, l)
  local unused = m.b[l] == 0
  for k = 0, m.last do unused = unused and m.A[k][l] == 0 end
  return unused
end

-- stages, nodes, matrices of either family, indexed from 0
local function method(spec)
  local t, m
  if spec.rk then
    t = tableau.rk(spec.rk)
    m = { last = t.stages - 1, c = t.c, A = t.A, Aq = t.A, b = t.b, order = t.order, embedded = t.embedded, differences = t.differences,
      difference_orders = t.difference_orders }
    if spec.adaptive ~= "on" and idle(m, m.last) then m.last = m.last - 1 end -- which only the estimate looks at
  else
    t = tableau.dg(spec.dg == "D-" and "-" or "+", spec.M, spec.quadrature)
    m = { last = t.M, c = t.c, A = t.A, Aq = t.Bq, b = t.beta, order = t.order }
  end
  m.Abar = {}
  for l = 0, m.last do
    m.Abar[l] = {}
    for k = 0, m.last do
      m.Abar[l][k] = 0.0
      for i = 0, m.last do m.Abar[l][k] = m.Abar[l][k] + m.Aq[l][i] * m.A[i][k] end
    end
  end
  return m
end

-- Stages that are solved, those that nobody waits for and that follow, and whether each solved one needs only those before it. Stage 0
-- may be the start itself.
local function sorted(m)
  local explicit, starts, solved, after = true, m.c[0] == 0, {}, {}
  for l = 0, m.last do
    for k = l, m.last do if m.A[l][k] ~= 0 or m.Abar[l][k] ~= 0 then explicit = false end end
  end
  for k = 0, m.last do starts = starts and m.A[0][k] == 0 end
  for l = starts and 1 or 0, m.last do
    local unused = true -- by every stage, itself included
    for k = 0, m.last do unused = unused and m.A[k][l] == 0 and m.Abar[k][l] == 0 end
    table.insert(unused and not explicit and after or solved, l)
  end
  return explicit, solved, after
end

-- Weights of the integral over [0, 1] of the polynomial through the values at the stages `nodes` (-1: the start), by its coefficients
local function interpolatory(m, nodes)
  local weights = {}
  local function node(l) return l < 0 and 0.0 or m.c[l] end
  for l = -1, m.last do weights[l] = 0.0 end
  for _, l in ipairs(nodes) do
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
    for l = 0, m.last do sum = sum + weights[l] * m.c[l] ^ (p - 1) end
    if math.abs(sum - 1 / p) > 1e-12 then return p - 1 end
  end
  return 20
end

-- What tells the error: weights of the differences to methods of lower order on the same stages, one or two, and the order of what is made
-- of them. With two, E and e of orders p > o in h,
--     E (E/hypot(E, share e))^power
-- is of order p + power (p - o): where derivatives grow evenly it falls with h as the error of the method does, and the error at the end
-- with the tolerance. Where nothing falls, at a jump, it stays near E. share: so that it is no less than the error (measured; e weighs more
-- with a stage at the start). dop853: the authors' (Hairer, Norsett, Wanner, II.10). Others: E
-- from an interpolatory quadrature on inner stages (one: the midpoint or the left rule), e without the first of them. A method
-- without a stage at the start gets the acceleration there as stage -1: else nobody sees a force that switches before its first stage.
local function estimate(m)
  local e = { power = 0.0, share = 1.0 }
  local function difference(weights)
    local d = { [-1] = -(weights[-1] or 0.0) }
    for l = 0, m.last do d[l] = m.b[l] - weights[l] end
    e[#e + 1] = d
    return quadrature_order(m, weights) + 1
  end
  local p, o
  if m.differences then
    e[1], e[2], e.share, p, o = m.differences[1], m.differences[2], 0.1, m.difference_orders[1] + 1, m.difference_orders[2] + 1
  elseif m.embedded then
    p = difference(m.embedded)
  else
    local nodes, starts = {}, false
    for l = 0, m.last do starts = starts or m.c[l] == 0 end
    for l = 0, m.last do
      local new = m.c[l] > 0 and m.c[l] < 1
      for _, k in ipairs(nodes) do new = new and m.c[k] ~= m.c[l] end
      if new then nodes[#nodes + 1] = l end
    end
    if #nodes == 0 then nodes = { 0 } end
    if not starts then table.insert(nodes, 1, -1) end
    p = difference(interpolatory(m, nodes))
    if p < m.order then
      e.share = starts and 0.2 or 1.0
      table.remove(nodes, 1)
      o = difference(interpolatory(m, #nodes > 0 and nodes or { starts and 0 or -1 }))
      if m.order > p + (p - o) then o, e[2] = nil, nil end -- too far to go (lobatto6)
    end
  end
  if o then e.power = (m.order - p) / (p - o) end
  e.order = o and m.order or p
  return e
end

-- ---- what parts are made of ---------------------------------------------------------------------------------------------------------

-- The modes that the program hands in. closed: contacts that are held; stick: with their tangents; slide: directions of sliding; straight
-- (in space): they do not turn.
local function modes(p, features)
  local m = { closed = p:input("set", "closed"), stick = p:input("set", "stick"), straight = p:input("set", "straight"),
    slide = p:input("rows", "slide", true), rough = features.dimension > 1, turns = features.dimension == 3,
    felt = features.felt and features.dimension > 1 }
  m.held = p:set("held", p.bilateral | m.closed)
  return m
end

-- a, r: M a = f + G^T r with what is held, in these modes
local function accelerate(p, a, r, c, v, m)
  local f = p:forces("f", c, v)
  local af = p:solve("af", c.mass, f)
  local slide = m.rough and m.slide or nil
  if m.turns then
    local Us = p:rates("Us", c, v)
    p:say "in space the direction of sliding turns with the velocity; beyond a stop it goes on as it was"
    slide = p:direction("turned", { U = Us, where = slide, frozen = m.straight, forward = true })
  end
  local gam = p:bias("gam", c, v)
  local ba = p:combine("ba", p:rates("Ga", c, af, true) + gam)
  p:say "M a = h(t,q,v) + G^T r, G a + gam = 0 of what is held (THEORY 7.1)"
  local wa, forces = p:contact("wa", r, { A = c.mass, at = c, set = m.held, b = ba, laws = "equal", grip = m.stick, slide = slide,
    borne = true, felt = m.felt and v or nil, sliding = m.felt and m.slide or nil })
  return p:combine(a, af + wa), forces
end

-- q back on g = 0 of what is held, and to where sticking contacts hold on: a few sweeps in the metric of M
local function put_back(p, c, node, q, m, anchor)
  local off, far = c.g, c.g:absgt "eps"
  local function defect() return p:combine("off", c.g + (c.slide - anchor):on(m.stick)) end
  if m.rough then
    off = defect()
    far = far | p.norm(off):gt "eps"
  end
  p:say "q onto g = 0, dx = M^-1 G^T tau (THEORY 7.1)"
  p:iterate({ max = 4, holds = m.held & far }, function()
    local dx = p:contact("dx", "tau", { A = c.mass, at = c, set = m.held, b = off, laws = "equal", grip = m.stick })
    p:retract(q.name, q, dx)
    p:kinematics(c.name, node, q)
    if m.rough then defect() end
  end)
end

-- v1: v without the rates of what is held
local function brake(p, c, v, m)
  p:say "U = 0 of what is held"
  local w = p:contact("w", "tau", { A = c.mass, at = c, set = m.held, b = p:rates("b", c, v), laws = "equal", grip = m.stick })
  return p:combine("v1", v + w)
end

-- ---- the trial step -----------------------------------------------------------------------------------------------------------------

local function trial(p, spec, features, method_of)
  local M, explicit, solved, after = method_of.m, method_of.explicit, method_of.solved, method_of.after
  local h, q, v, last = p.h, p.q, p.v, M.last
  local function weight(name, value, l, k) return p:constant(k and ("%s_%d%d"):format(name, l, k) or ("%s_%d"):format(name, l), value) end
  local m = modes(p, features)
  local anchor, start, force = p:input("rows", "anchor", true), p:input("vector", "a"), p:input("rows", "r")
  local c0 = p:kinematics("c0", 0, q, true)

  local a, r, V = { [0] = start }, { [0] = force }, {}
  for i, l in ipairs(table.move(after, 1, #after, #solved + 1, { table.unpack(solved) })) do
    r[l] = p:defined("rows", "r" .. l)
    a[l] = not explicit and i <= #solved and p:combine("a" .. l, 1 * start) or p:defined("vector", "a" .. l)
  end
  -- stage velocities: of one stage, or of those that look at the accelerations of the stages `changed`
  local function velocity(l)
    local form = 1 * v
    for k = 0, last do if M.A[l][k] ~= 0 then form = form + h * weight("A", M.A[l][k], l, k) * a[k] end end
    V[l + 1] = p:combine("V" .. l, form)
  end
  local function velocities(changed)
    for l = 0, last do
      local looks = false
      for _, k in ipairs(changed) do looks = looks or M.A[l][k] ~= 0 end
      if looks or not V[l + 1] then velocity(l) end
    end
  end
  local Aq, b = {}, {} -- rows from 1, as the list of the stage velocities
  for l = 0, last do
    Aq[l + 1], b[l + 1] = {}, h * weight("b", M.b[l], l)
    for k = 0, last do Aq[l + 1][k + 1] = h * weight(spec.rk and "A" or "Bq", M.Aq[l][k], l, k) end
  end
  -- accelerations of a stage; known: stages whose velocities are there
  local function evaluate(l, into, known)
    local B = {}
    for i = 1, known + 1 do B[i] = table.move(Aq[i], 1, known + 1, 1, {}) end
    local Q = p:say("stage " .. l):retract_stages({ "Q" .. l }, q, table.move(V, 1, known + 1, 1, {}), B,
      { table.move(Aq[l + 1], 1, known + 1, 1, {}) })[1]
    accelerate(p, into, "r" .. l, p:kinematics("cs", M.c[l], Q), V[l + 1], m)
  end

  if explicit then
    for l = 0, last do
      velocity(l)
      if l > 0 or solved[1] == 0 then evaluate(l, "a" .. l, l) end
    end
  else
    velocities {}
    local newton, S, defect = spec.stages == "newton" and not features.time_only, nil, {}
    local small, of, wv, wq = {}, {}, {}, {}
    for i, l in ipairs(solved) do
      small[i], of[i], defect[i], wv[i], wq[i] = "x" .. l, p:defined("vector", "b" .. l), newton and "d" .. l or nil, {}, {}
      for j, k in ipairs(solved) do
        wv[i][j], wq[i][j] = h * weight("A", M.A[l][k], l, k), h ^ 2 * weight("Abar", M.Abar[l][k], l, k)
      end
    end
    if newton then
      local follows = m.turns and p:set("follows", m.closed & ~m.straight) or nil
      S = p:operator("S", { c = c0, v = v, a = start, r = force, on = m.held, grip = m.stick, slide = m.rough and m.slide or nil,
        turning = follows, wv = wv, wq = wq })
    end
    of[#of + 1] = p:defined("vector", "share")
    p:say "until the accelerations are stationary; a body that sticks has a = 0, its free acceleration tells what is small"
    p:iterate({ max = spec.iterations, small = small, of = of, defect = newton and defect or nil, speeds = { v } }, function()
      local x, d = {}, {}
      for i, l in ipairs(solved) do
        evaluate(l, "b" .. l, last)
        d[i] = p:combine((newton and "d" or "x") .. l, p:named("b" .. l) - a[l])
        if not newton then -- the next stage takes it already
          p:combine("a" .. l, 1 * p:named("b" .. l))
          velocities { l }
        end
      end
      p:combine("share", 0.01 * p:named "af")
      if newton then
        for i, l in ipairs(solved) do x[i] = p:defined("vector", "x" .. l) end
        p:solve_stages(S, x, d)
        for i, l in ipairs(solved) do p:combine("a" .. l, a[l] + x[i]) end
        velocities(solved)
      end
    end)
    for _, l in ipairs(after) do evaluate(l, "a" .. l, last) end
  end

  local form, J = 1 * v, nil
  for k = 0, last do
    form = form + b[k + 1] * a[k]
    J = J and J + b[k + 1] * r[k] or b[k + 1] * r[k]
  end
  for i, d in ipairs(method_of.estimate) do
    local name, by = i == 1 and "error" or "coarse", h * weight(i == 1 and "dv_start" or "dc_start", d[-1] or 0.0, 0) * start
    for k = 0, last do by = by + h * weight(i == 1 and "dv" or "dc", d[k], k) * a[k] end
    p:say(i == 1 and "difference to an embedded method" or "and to a coarser one"):combine(name .. "_v", by)
    by = 0 * v
    for k = 0, last do
      local sum = 0.0
      for l = 0, last do sum = sum + d[l] * M.A[l][k] end
      by = by + h ^ 2 * weight(i == 1 and "dq" or "dr", sum, k) * a[k]
    end
    p:combine(name .. "_q", by)
  end
  local q1 = p:say("the end"):retract_stages({ "q1" }, q, V, Aq, { b })[1]
  local c1 = p:kinematics("c1", 1, q1)
  local vf = p:combine("vf", form)
  p:combine("J", J)
  put_back(p, c1, 1, q1, m, anchor)
  local v1 = brake(p, c1, vf, m)
  p:rates("Ue", c1, v1)
  accelerate(p, "ae", "re", c1, v1, m)
end

return function(p, spec, features)
  local M = method(spec)
  local explicit, solved, after = sorted(M)
  local adaptive = spec.adaptive == "on"
  local errors = adaptive and estimate(M) or {}
  p.order = M.order
  p.capture = { order = M.order, adaptive = adaptive, coupled = not explicit, estimates = #errors, estimate_order = errors.order,
    estimate_power = errors.power, estimate_share = errors.share }
  local gives = { "q1", "c1", "v1", "vf", "Ue", "ae", "re", "J" }
  table.move({ "error_q", "error_v", "coarse_q", "coarse_v" }, 1, 2 * #errors, #gives + 1, gives)
  p:part("trial", "one step of the method in fixed modes, put back on what they hold; vf: before that", gives, function(part)
    trial(part, spec, features, { m = M, explicit = explicit, solved = solved, after = after, estimate = errors })
  end)
  p:part("evaluate", "rates, accelerations and forces in fixed modes", { "Ue", "ae", "re" }, function(part)
    local m = modes(part, features)
    local c0 = part:kinematics("c0", 0, part.q, true)
    part:rates("Ue", c0, part.v)
    accelerate(part, "ae", "re", c0, part.v, m)
  end)
  p:part("place", "q back on what fixed modes hold", { "q1", "c1" }, function(part)
    local m = modes(part, features)
    local anchor, q1, c1 = part:input("rows", "anchor", true), part:input("point", "q1"), part:input("configuration", "c1")
    put_back(part, c1, 0, q1, m, anchor)
  end)
  p:part("brake", "v without the rates of what fixed modes hold", { "v1" }, function(part)
    local m = modes(part, features)
    brake(part, part:kinematics("c0", 0, part.q, true), part.v, m)
  end)
  p:part("rest", "impulses P that end the rates of what fixed modes hold, with friction where they slide", { "v1", "P" }, function(part)
    local m = modes(part, features)
    local c0 = part:kinematics("c0", 0, part.q, true)
    local w = part:contact("w", "P", { A = c0.mass, at = c0, set = m.held, b = part:rates("b", c0, part.v), laws = "equal", grip = m.stick,
      slide = m.rough and m.slide or nil, borne = true, felt = m.felt and part.v or nil,
      sliding = m.felt and m.slide or nil })
    part:combine("v1", part.v + w)
  end)
  p:part("impact", "impulses P on the contacts that are hit, with restitution, and on closed ones without", { "v1", "P" }, function(part)
    local closed, hit = part:input("set", "closed"), part:input("set", "hit")
    local c0 = part:kinematics("c0", 0, part.q, true)
    local on = part:set("on", part.bilateral | closed | hit)
    local U = part:rates("U", c0, part.v)
    local b = part:combine("b", U + part.e * U:on(hit))
    part:combine("P", 0 * c0.g)
    part:say "0 <= P _|_ W P + U + e U >= 0 (THEORY 7.3)"
    local w = part:contact("w", "P", { A = c0.mass, at = c0, set = on, b = b, guess = "P",
      rebound = part.rebounds and hit or nil, felt = features.felt and part.v or nil })
    part:combine("v1", part.v + w)
  end)
  p:part("modes", "forces on the contacts that may close, accelerations u of all gaps with them and u0 without", { "u0", "u", "r" },
    function(part)
      local candidates, slide = part:input("set", "candidates"), part:input("rows", "slide", true)
      local c0 = part:kinematics("c0", 0, part.q, true)
      local on = part:set("on", part.bilateral | candidates)
      local af = part:solve("af", c0.mass, part:forces("f", c0, part.v))
      local gam = part:bias("gam", c0, part.v)
      local u0 = part:combine("u0", part:rates("Ga", c0, af, true) + gam)
      part:combine("r", 0 * c0.g)
      part:say "0 <= r _|_ G a + gam >= 0 on what may close (THEORY 7.4)"
      local along = features.dimension > 1 and slide or nil
      local w = part:contact("w", "r", { A = c0.mass, at = c0, set = on, b = u0, slide = along, guess = "r", within = true,
        felt = features.felt and part.v or nil, sliding = features.felt and along or nil })
      part:combine("u", part:rates("Gw", c0, w, true) + u0)
    end)
  if features.chains then
    p:part("struck", "velocities and rates that impulses r on contacts cause, impulses P of joints with them", { "w", "U", "P" },
      function(part)
        local on, r = part:input("set", "on"), part:input("rows", "r")
        local c0 = part:kinematics("c0", 0, part.q, true)
        local rows = part:set("rows", on & part.all)
        local y = part:solve("y", c0.mass, part:spread("f", c0, r, rows))
        if features.joints then
          local joints = part:set("joints", part.bilateral)
          local x = part:contact("x", "P", { A = c0.mass, at = c0, set = joints, b = part:rates("b", c0, y, true), laws = "equal" })
          part:combine("w", y + x)
        else
          part:combine("w", 1 * y)
          part:combine("P", 0 * c0.g)
        end
        part:rates("U", c0, part:named "w", true)
      end)
  end
  if features.dimension == 3 and explicit then
    p:part("response", "rates that impulses alone would cause", { "U" }, function(part)
      local on, r = part:input("set", "on"), part:input("rows", "r")
      local c0 = part:kinematics("c0", 0, part.q, true)
      local rows = part:set("rows", on & part.all)
      part:rates("U", c0, part:solve("y", c0.mass, part:spread("f", c0, r, rows)), true)
    end)
  end
  return p
end
