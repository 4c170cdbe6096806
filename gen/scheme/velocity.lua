-- D- of degree 1 at the velocity level, half-explicit (THEORY 4.10): the contact problem of the stage is Moreau-Jean's, so no second
-- derivatives of gaps are needed, and constraints of velocities hold at both ends. On A, with G0 = G(t, q), Gp = G(t+h, q + h v),
--     0 <= P0 _|_ Gp V1 + g_t >= 0,   M0 (V1 - v) = h f(t, q, v) + G0^T P0,   q+ = q + h/2 (v + V1)
--     v_f = v + (V1 - v)/2 + h/2 M^-1 f(t+h, q+, V1),   Jr = P0/2,   then the total impulse of D- with e on U of the start.
-- The force acts along G0 and the constraint along Gp: with Gp for both the scheme is of order 1 and strongly dissipative.
local Step = require "gen.plan.step"
local macros = require "gen.plan.macros"

local function plan(p, spec, features, level)
  local h, q = p.h, p.q
  p.order = 2
  local press, force = p:remember("set", "press"), p:remember("rows", "force")
  local c0 = p:kinematics("c0", 0, q, true)
  local v, P0, struck = p.v, nil, nil
  if features.contacts > 0 then v, P0, struck = macros.strike(p, c0) end
  local U = p:rates("U", c0, v)
  p:say "active set, frozen for the step (THEORY 4.1)"
  local A = p:set("A", level > 0 and p.bilateral or p.bilateral | press | c0.g:le "tg" & U:le "tv")
  local f = p:forces("f", c0, v)
  local cp = p:kinematics("cp", 1, p:retract("qp", q, p:combine("hv", h * v)))
  local hf = p:combine("hf", h * f)
  local guess = p:combine("Pv", 1 * force)
  local b = p:rates("bp", cp, v)
  p:say "force along G(q), constraint along G(q + h v)"
  local dv, Pv = p:contact("dv", "Pv", { A = c0.mass, at = cp, along = c0, set = A, rhs = hf, b = b, guess = guess })
  local V1 = p:combine("V1", v + dv)
  local q1 = p:retract("q1", q, p:combine("d", 0.5 * h * v + 0.5 * h * V1))
  local c1 = p:kinematics("c1", 1, q1)
  local a1 = p:solve("a1", c1.mass, p:forces("f1", c1, V1))
  local vf = p:combine("vf", v + 0.5 * dv + 0.5 * h * a1)
  local Jr = p:combine("Jr", 0.5 * Pv)
  local ended = macros.total_impulse(p, { c0 = c0, c1 = c1, q1 = q1, U = U, A = A, press = press, vf = vf, Jr = Jr, r = Pv, hit = U }, spec,
    { contacts = features.contacts, joints = features.joints, dimension = math.min(features.dimension, 2) }, level)
  p:accept { q = q1, v = ended.v, at = c1, impulse = { ended.J, P0 }, events = { ended.N, struck },
    keep = { { press, ended.press }, { force, Pv } } }
  if level == 0 and (features.contacts > 1 or features.joints or spec.projection ~= "off") and features.contacts > 0 then
    p.otherwise = plan(Step.new(("%s, level 1 (THEORY 4.8)"):format(spec.canonical)), spec, features, 1)
  end
  return p
end

return function(p, spec, features) return plan(p, spec, features, 0) end
