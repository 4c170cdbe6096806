-- Schatzman-Paoli (THEORY 3; RR-7151 (22)): two-step scheme on positions, constraint at the position level, written in displacements
-- d = q_{k+1} - q_k and dm = q_{k-1} - q_k, so that rotations need no inverse chart:
--     d = -dm + h^2 M^-1 F(t_k + theta h, q_k + theta d, (d - dm)/2h) + M^-1 G^T P
--     0 <= P _|_ (1 + e) g(q_k + (d + e dm)/(1 + e)) >= 0,   each row at the point of its own e;   joints: g(q_k + d) = 0 along G(q_k)
-- A fresh state (or another h) starts with dm = -h v + h^2/2 a, so that q_1 = q_0 + h v_0 + h^2/2 a_0.
return function(p, spec, features)
  local h, q, v = p.h, p.q, p.v
  local theta = p:constant("theta", spec.theta, "where in the step forces are taken")
  local newton = spec.stages == "newton" and not features.time_only
  p.order, p.uniform = spec.theta == 0 and 2 or 1, true

  local press, kept = p:remember("set", "press"), p:remember("vector", "kept")
  local c0 = p:kinematics("c0", 0, q, true)
  local f0 = p:forces("f", c0, v)
  local a0 = p:solve("a", c0.mass, f0)
  p:say "q_{k-1} - q_k, or the start formula"
  p:when(p.fresh, function() p:combine("dm", -h * v + 0.5 * h ^ 2 * a0) end, function() p:combine("dm", 1 * kept) end)
  local dm = p:named "dm"
  local d = p:say("first guess"):combine("d", -dm + h ^ 2 * a0)
  local rows, joints = p:set("rows", p.all), p:set("joints", p.bilateral)

  -- where contact problems are to stay symmetric, joint forces of the last iteration are turned to G(q_k)
  local turned = features.symmetric and features.joints and not features.affine_gaps
  local last = turned and p:combine("P", 0 * c0.g) or nil

  local function central() return (d - dm) / (2 * h) end

  local function solve()
    local V, cs
    p:say "the theta point and the central velocity; at the start those of the state"
    local function point(ds) return spec.theta == 0 and q or p:retract("Qs", q, p:combine("ds", ds)) end
    p:when(p.fresh, function()
      p:kinematics("cs", spec.theta, point(0 * d))
      p:combine("V", 1 * v)
    end, function()
      p:kinematics("cs", spec.theta, point(theta * d))
      p:combine("V", central())
    end)
    V, cs = p:named "V", p:named "cs"
    local f = p:forces("f", cs, V)
    local a = p:solve("a", cs.mass, f)
    local free = p:say("-dm + h^2 M^-1 F (THEORY 3.1)"):combine("free", -dm + h ^ 2 * a)
    local rhs = p:apply("rhs", cs.mass, p:combine("off", free - d))
    p:say "each row where (1 + e) y = d + e dm (THEORY 3.2)"
    local y = p:kinematics_by_rows("y", 1, q, p.weight_new * d + p.weight_old * dm)
    local b = p:combine("b", p.one_plus_e * y.g)
    local A = cs.mass
    if newton then
      p:when(p.fresh, function() p:operator("N", { c = cs, v = V, a = a, wv = 0 * h, wq = 0 * h }) end,
        function() p:operator("N", { c = cs, v = V, a = a, wv = 0.5 * h, wq = theta * h ^ 2 }) end)
      A = p:named "N"
    end
    p:say "M dd = rhs + G^T P,  0 <= P _|_ (1 + e) g + G dd >= 0; joints along G(q_k) (THEORY 3.3)"
    local dd = p:contact("dd", "P", { A = A, at = y, set = rows, rhs = rhs, b = b, along = c0, along_on = joints, rows = "normal",
      guess = last })
    p:combine("d", d + dd)
  end

  if features.time_only and not turned then
    solve()
  else
    p:iterate({ max = spec.iterations, small = { "dd" }, of = { d, p:combine("free", -dm + h ^ 2 * a0) } }, solve)
  end
  local P = p:named "P"
  local q1 = p:retract("q1", q, d)
  local v1 = p:combine("v1", central())
  local c1 = p:kinematics("c1", 1, q1)
  local J = p:combine("J", P / h)
  local presses = p:set("presses", ~p.bilateral & J:gt "zero")
  local new = p:set("joins", presses & ~press)
  local back = p:combine("back", -d)
  local dense
  if spec.dense == "on" then
    local slope = p:combine("slope", d / h)
    dense = { V = { slope }, path = slope, text = "q is linear between the positions, v its slope." }
  end
  return p:accept { q = q1, v = v1, at = c1, impulse = { J }, events = { new }, keep = { { press, presses }, { kept, back } },
    dense = dense }
end
