-- Schatzman-Paoli (RR-7151 (22)): two-step scheme on positions, constraint at the position level.
--     q_{k+1} = 2 q_k - q_{k-1} + h^2 M^-1 F(t_k + theta h, theta q_{k+1} + (1-theta) q_k, v) + M^-1 G^T P
--     0 <= P _|_ g((q_{k+1} + e q_{k-1}) / (1 + e)) >= 0,      v = (q_{k+1} - q_{k-1}) / 2h
-- It starts (and restarts when h changes) with q_{-1} = q_0 - h v_0 + h^2/2 a_0, so that q_1 = q_0 + h v_0 + h^2/2 a_0.
-- The impulse of a step is P / h. Only the average with weight e is kept from penetrating, not q_{k+1} itself.
return function(p, spec, features)
  local theta = spec.theta
  p.order = theta == 0 and 2 or 1
  p.needs.two_step, p.needs.restitution_groups = true, true
  local THETA = theta > 0 and p:coefficient("THETA", theta, "theta") or "0.0"
  for _, name in ipairs { "f", "a0", "qm", "x", "xf", "Q", "Qs", "V", "xn" } do p:vector(name) end
  for _, name in ipairs { "U", "b", "y" } do p:rows(name) end
  p:op("evaluate", "at (t,q), kept from the last step: f = h(t,q,v)", { at = "c0", v = "v", f = "f", U = "U" })
  p:op("solve_mass", "a_0 = M(q)^-1 f", { at = "c0", a = "a0", terms = { { vector = "f" } } })
  p:op("two_step", "q_{k-1}, or the start formula; first guess q_{k+1} = 2 q_k - q_{k-1} + h^2 a_0")
  local newton = spec.stages == "newton" and not features.time_only
  p.needs.free_sensitivity = newton
  p:op(features.time_only and "begin_once" or "begin_iteration", "until q_{k+1} is stationary")
  p:op("paoli_point", "theta q_{k+1} + (1-theta) q_k and the central velocity", { theta = THETA, zero = theta == 0 })
  p:op("configure", "at the theta point", { at = "cs", time = theta == 0 and "t" or "t + " .. THETA .. " * h", q = "Qs" })
  p:op("evaluate", "F at the theta point", { at = "cs", v = "V", f = "f", U = "U" })
  p:op("paoli_free", "x_f = 2 q_k - q_{k-1} + h^2 M^-1 F")
  p:op("impact_paoli", (newton and "Newton step with B = I - h/2 da/dv - theta h^2 da/dq; " or "")
    .. "0 <= P _|_ (1 + e) g(y) + G (q_{k+1} - x) >= 0, y = (x + e q_{k-1})/(1 + e)",
    { newton = newton, time = theta == 0 and "t" or "t + " .. THETA .. " * h", wq = THETA .. " * h * h" })
  p:op(features.time_only and "finish_once" or "finish_theta", "q_{k+1} stationary?", { x = "x", y = "xn", free = "xf" })
  p:op("paoli_end", "q_{k+1} and the central velocity")
  p:op("configure", "at (t+h, q_{k+1})", { at = "c1", time = "t + h", q = "q1" })
  if spec.dense == "on" then
    p.dense = { stages = 0, text = "q is linear between the positions, v its slope." }
    p:op("keep_path", "for dense output: the slope of the positions", { slope = true })
  end
  p.needs.pressing = true
  p:op("pressing_impulse", "which contacts carry an impulse; a new one is an event")
end
