-- Nonsmooth generalised-alpha, coupled, with constraints on positions, velocities and accelerations (Capobianco, Harsch, Eugster, Leine
-- 2021; alpha:level=all). rho and its constants, abar+ and rbar+ as in alpha.lua; the position correction u and the velocity jump w act
-- beside the accelerations,
--     q+ = q + h v + h^2 ((1/2-beta) abar + beta abar+) + u,    M(q+) u = G^T (kappa - K),   K = h^2 ((1/2-beta) rbar + beta rbar+)
--     v+ = v + h ((1-gamma) abar + gamma abar+) + w,            M(q+) w = G^T (P - R),       R = h ((1-gamma) rbar + gamma rbar+)
--     M(q+) a+ = f(t+h, q+, v+) + G^T r+
--     0 <= kappa _|_ g(q+) >= 0;   on A: 0 <= P _|_ U+ + e U >= 0, else P = 0;   on B: 0 <= r+ _|_ G a+ + gam >= 0, else r+ = 0
-- A: kappa > 0 or closed; B: of A with P > 0. Outside a set it is the total that vanishes, so that what pressed is taken back. The three
-- problems are solved one after another until nothing moves: accelerations by Newton's matrix S = M + gamma c h C + beta c h^2 K. Where
-- what presses goes on pressing, G da = 0 and that is Newton's method; in a step with an impact the corrections fall by 1 - W_S/W_M. Sets
-- that alternate get half of each correction; where that does not help the step is made with P and kappa alone (B = joints, THEORY 4.8).
local Step = require "gen.plan.step"
local alpha = require "gen.scheme.alpha"
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
  local function average(x, x1, bar) return of_a * x + of_new * x1 + of_bar * bar end

  local a, abar = p:remember("vector", "a"), p:remember("vector", "abar")
  local r, rbar = p:remember("rows", "r"), p:remember("rows", "rbar")
  local c0 = p:kinematics("c0", 0, q, true)
  local v, P0, struck = p.v, nil, nil
  if features.contacts > 0 then v, P0, struck = macros.strike(p, c0) end
  local U = p:rates("U", c0, v)
  p:say "a state given from outside: its accelerations"
  p:when(p.fresh, function()
    local A = p:set("A0", p.bilateral | c0.g:le "tg" & U:le "tv")
    macros.accelerate(p, "a", "r", { c = c0, v = v, A = A })
    p:combine("abar", 1 * a)
    p:combine("rbar", 1 * r)
  end)
  local all = p:set("every", p.all)
  local a1, r1 = p:combine("a1", 1 * a), p:combine("r1", 1 * r)
  local u, kap = p:combine("u", 0 * v), p:combine("kap", 0 * r)
  local w, P = p:combine("w", 0 * v), p:combine("P", h * r)
  local free = p:combine("free", 1 * p:solve("af", c0.mass, p:forces("f", c0, v)))

  p:say "positions, velocities, accelerations, one after another until nothing moves"
  p:iterate({ max = 4 * spec.iterations, small = { "da", "du", "dw" }, of = { a1, free, p:combine("size", 0.01 * v / h) },
    rounds = features.contacts > 0 and { x = a1, dx = "da", from = a, press = "R0" } or nil }, function()
    local ab1, rb1 = p:combine("ab1", average(a, a1, abar)), p:combine("rb1", average(r, r1, rbar))
    local vf = p:combine("vf", v + h * rest * abar + h * gamma * ab1)
    local d = p:combine("d", h * v + h ^ 2 * half * abar + h ^ 2 * beta * ab1 + u)
    local c1 = p:kinematics("c1", 1, p:retract("q1", q, d))
    local K0 = p:combine("K0", h ^ 2 * half * rbar + h ^ 2 * beta * rb1)
    local R0 = p:combine("R0", h * rest * rbar + h * gamma * rb1)
    local bq = p:combine("bq", c1.g - p:rates("Gu", c1, u, true))
    p:say "0 <= kappa _|_ g(q+) >= 0, linearised"
    local un = p:contact("un", "kap", { A = c1.mass, at = c1, set = all, b = bq, carried = K0, guess = kap, rows = "normal",
      within = true })
    local A = p:set("A", p.bilateral | kap:gt "zero" | c1.g:le "zero")
    local open = p:set("open", ~A)
    local back = p:combine("back", -1 * p:spread("fo", c1, R0, open))
    local bv = p:combine("bv", p:rates("Uf", c1, vf) + p.e * U)
    p:say "0 <= P _|_ U+ + e U >= 0 on A; outside P = 0"
    local wn = p:contact("wn", "P", { A = c1.mass, at = c1, set = A, rhs = back, b = bv, carried = R0, guess = P })
    local v1 = p:combine("v1", vf + wn)
    local B = p:set("B", level > 0 and p.bilateral or p.bilateral | A & P:gt "zero")
    local rhs = p:combine("rhs", p:forces("f", c1, v1) - p:apply("ma", c1.mass, a1))
    local ba = p:combine("ba", p:rates("Ga", c1, a1, true) + p:bias("gam", c1, v1))
    local S = p:operator("S", { c = c1, v = v1, a = a1, wv = p:constant("gamma c", g * c) * h, wq = p:constant("beta c", b * c) * h ^ 2,
      symmetric = features.symmetric or nil })
    p:say "S da = f - M a+ + G^T r+,  0 <= r+ _|_ G (a+ + da) + gam >= 0 on B"
    local da = p:contact("da", "r1", { A = S, at = c1, set = B, rhs = rhs, b = ba, guess = r1, within = true })
    p:combine("a1", a1 + da)
    p:combine("du", un / h ^ 2 - u / h ^ 2)
    p:combine("dw", wn / h - w / h)
    p:combine("u", 1 * un)
    p:combine("w", 1 * wn)
  end)
  local c1 = p:named "c1"
  local ab1, rb1 = p:combine("ab1", average(a, a1, abar)), p:combine("rb1", average(r, r1, rbar))
  p:say "P with the forces of the last iterate: w stays, and may have stood still before they did"
  local J = p:combine("J", (P - p:named "R0" + h * rest * rbar + h * gamma * rb1):on(p:named "A"))
  local N = p:set("N", ~p.bilateral & J:gt "zero" & c0.g:gt "tg")
  p:accept { q = p:named "q1", v = p:named "v1", at = c1, impulse = { J, P0 }, events = { N, struck },
    keep = { { a, a1 }, { abar, ab1 }, { r, r1 }, { rbar, rb1 } } }
  if level == 0 and features.contacts > 0 then
    p.otherwise = plan(Step.new(("%s, level 1 (THEORY 4.8)"):format(spec.canonical)), spec, features, 1)
  end
  return p
end

return function(p, spec, features)
  if features.contacts == 0 and not features.joints then return alpha(p, spec, features) end -- nothing to hold
  return plan(p, spec, features, 0)
end
