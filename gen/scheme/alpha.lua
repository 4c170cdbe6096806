-- Nonsmooth generalised-alpha with the contact forces of the acceleration level and the impulse of D- at the end ("alpha-J"):
-- the alpha step as smooth part, the active set A frozen, one problem on the total impulse J (THEORY 4.4 - 4.7), rho in [0, 1] the
-- spectral radius at infinity:
--     am = (2 rho - 1)/(rho + 1),  af = rho/(rho + 1),  gamma = 1/2 + af - am,  beta = (gamma + 1/2)^2/4
--     abar+ = (af a + (1-af) a+ - am abar)/(1-am),      rbar+ likewise of the forces r
--     v_f = v + h ((1-gamma) abar + gamma abar+),       q+ = q + h v + h^2 ((1/2-beta) abar + beta abar+)
--     M(q+) a+ = f(t+h, q+, v_f) + G^T r+,   0 <= r+ _|_ G a+ + gam >= 0 on A
-- Newton's matrix S = M + gamma c h C + beta c h^2 K, c = (1-af)/(1-am), is the operator of that problem, and the metric of projection:
-- stiff models would gain energy in the metric of M. After a hit or a change of A, a and r are computed anew and abar = a, rbar = r;
-- copying a+ instead falls to order 1.3. Where its equations are not solved the step is made with contacts at the end only (THEORY 4.8).
local macros = require "gen.plan.macros"

local function plan(p, spec, features, level)
  local rho, h, q = spec.rho, p.h, p.q
  local am, af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
  local g, c = 0.5 + af - am, (1 - af) / (1 - am)
  local b = (g + 0.5) ^ 2 / 4
  local gamma, rest = p:constant("gamma", g), p:constant("1-gamma", 1 - g)
  local beta, half = p:constant("beta", b), p:constant("1/2-beta", 0.5 - b)
  local of_a, of_new = p:constant("af/(1-am)", af / (1 - am)), p:constant("(1-af)/(1-am)", c)
  local of_bar = -p:constant("am/(1-am)", am / (1 - am))
  p.order = 2

  local press, before, hit = p:remember("set", "press"), p:remember("set", "A_before"), p:remember("set", "hits", true)
  local a, abar = p:remember("vector", "a"), p:remember("vector", "abar")
  local r, rbar = p:remember("rows", "r"), p:remember("rows", "rbar")
  local c0 = p:kinematics("c0", 0, q, true)
  local v, P0, struck = p.v, nil, nil
  if features.contacts > 0 then v, P0, struck = macros.strike(p, c0) end
  local U = p:rates("U", c0, v)
  p:say "active set, frozen for the step (THEORY 4.1)"
  local A = p:set("A", level > 0 and p.bilateral or p.bilateral | press | c0.g:le "tg" & U:le "tv")
  local slide = features.dimension > 1 and p:direction("s", { U = U }) or nil
  local rows = features.contacts > 0 or features.joints -- without any a fresh state is the only change
  local changed = rows and p:set("changed", p.fresh | hit | A & ~before | before & ~A) or p.fresh
  p:say "after a hit or a change of A: accelerations of the state"
  p:when(changed, function()
    macros.accelerate(p, "a", "r", { c = c0, v = v, A = A, slide = slide })
    p:combine("abar", 1 * a)
    p:combine("rbar", 1 * r)
  end)
  local a1, r1 = p:combine("a1", 1 * a), p:combine("r1", 1 * r)

  local function average(x, x1, bar) return of_a * x + of_new * x1 + of_bar * bar end

  p:say "a+ by Newton"
  p:iterate({ max = spec.iterations, small = { "da" }, of = { a1, p:solve("free", c0.mass, p:forces("f", c0, v)) } }, function()
    local ab1 = p:combine("ab1", average(a, a1, abar))
    local vf = p:combine("vf", v + h * rest * abar + h * gamma * ab1)
    local d = p:combine("d", h * v + h ^ 2 * half * abar + h ^ 2 * beta * ab1)
    local c1 = p:kinematics("c1", 1, p:retract("q1", q, d))
    local f = p:forces("f", c1, vf)
    local rhs = p:combine("rhs", f - p:apply("ma", c1.mass, a1))
    local bias = p:combine("b", p:rates("Ga", c1, a1, true) + p:bias("gam", c1, vf))
    local S = p:operator("S", { c = c1, v = vf, a = a1, wv = p:constant("gamma c", g * c) * h, wq = p:constant("beta c", b * c) * h ^ 2,
      symmetric = features.symmetric or nil })
    p:say "S da = f - M a+ + G^T r+,  0 <= r+ _|_ G (a+ + da) + gam >= 0 on A"
    local da = p:contact("da", "r1", { A = S, at = c1, set = A, rhs = rhs, b = bias, slide = slide, guess = r1,
      drop = slide and A, within = true })
    p:combine("a1", a1 + da)
  end)
  local rb1 = p:combine("rb1", average(r, r1, rbar))
  local Jr = p:combine("Jr", h * rest * rbar + h * gamma * rb1)
  local c1, q1 = p:named "c1", p:named "q1"
  local ended = macros.total_impulse(p, { c0 = c0, c1 = c1, q1 = q1, U = U, A = A, press = press, vf = p:named "vf", Jr = Jr, r = r1,
    metric = p:named "S" }, spec, features, level)
  p:accept { q = q1, v = ended.v, at = c1, impulse = { ended.J, P0 }, events = { ended.N, struck },
    keep = { { press, ended.press }, { before, A }, { hit, ended.N }, { a, a1 }, { abar, p:named "ab1" }, { r, r1 }, { rbar, rb1 } } }
  if level == 0 and features.contacts > 0 then
    p.otherwise = plan(p:another(("%s, level 1 (THEORY 4.8)"):format(spec.canonical)), spec, features, 1)
  end
  return p
end

return function(p, spec, features) return plan(p, spec, features, 0) end
