-- Moreau-Jean theta scheme with gamma prediction of the active set (THEORY.md 2; Algorithm 1.4 of Schindler and Acary).
--     q+ = q + h ((1-theta) v + theta v+),   v+ = v + h ((1-theta) M(q)^-1 f + theta M(q+)^-1 f+) + M(q+)^-1 G(q+)^T P
--     0 <= P _|_ G(q+) v+ + g_t + e U >= 0   on the rows with g + gamma h U <= tg
-- mass=end takes M(q+) for both forces, as Siconos does.
-- contact=position: contacts without restitution are bound by their place at the end instead, every one of them,
--     0 <= P _|_ g(t+h, q*) / (theta h) + G (v+ - v*) >= 0,   q* = q + h ((1-theta) v + theta v*) the place at hand, v* its velocity
-- so g(t+h, q+) >= 0 where gaps are linear or the step iterates, and no path of an obstacle is followed by its rate.
return function(p, spec, features)
  local theta = spec.theta
  p.order = theta == 0.5 and (spec.mass == "average" or features.constant_mass) and 2 or 1
  local THETA = p:coefficient("THETA", theta, "theta")
  local REST = p:coefficient("ONE_MINUS_THETA", 1 - theta, "1 - theta")
  p:coefficient("GAMMA", spec.gamma, "gamma, how far ahead the active set looks")
  p:op("evaluate", "at (t,q), kept from the last step: f = h(t,q,v), U = G v + g_t",
    { at = "c0", v = "v", f = p:vector "f", U = p:rows "U" })
  local combined, position = spec.projection == "on", spec.contact == "position"
  p:op("active_gamma", "A = bilateral, " .. (position and "bound by the place, " or "") .. (combined and "or g <= tg"
    or "or g + gamma h U <= tg; decided once per step"),
    { combined = combined, always = position and "s->derived.e[j] == 0.0 || " or "" })
  local linear = features.linear and not features.time_only and theta > 0 and spec.stages == "newton" and not combined
  if spec.mass == "average" and not linear then
    p:op("solve_mass", "a_0 = M(q)^-1 f", { at = "c0", a = p:vector "a0", terms = { { vector = "f" } } })
  end
  local one_pass = theta == 0 or features.time_only
  local function forces(v, renews)
    p:op("configure", "at (t+h, q+): kinematics, gaps, mass factor", { at = "c1", time = "t + h", q = "q1", renews = renews })
    if theta > 0 then
      p:op("evaluate", "f+ = h(t+h, q+, v+)", { at = "c1", v = v, f = p:vector "f1", U = p:rows "Us" })
    end
    if spec.mass == "average" then
      local terms = theta < 1 and { { coefficient = REST, vector = "a0" } } or {}
      if theta > 0 then
        p:op("solve_mass", "a_1 = M(q+)^-1 f+", { at = "c1", a = p:vector "a1", terms = { { vector = "f1" } } })
        terms[#terms + 1] = { coefficient = THETA, vector = "a1" }
      end
      p:op("combine", "v_f = v + h ((1-theta) a_0 + theta a_1)", { out = p:vector "vf", base = "v", terms = terms })
    else
      local terms = theta < 1 and { { coefficient = REST, vector = "f" } } or {}
      if theta > 0 then terms[#terms + 1] = { coefficient = THETA, vector = "f1" } end
      p:op("solve_mass", "a_1 = M(q+)^-1 ((1-theta) f + theta f+)", { at = "c1", a = p:vector "a1", terms = terms })
      p:op("combine", "v_f = v + h a_1", { out = p:vector "vf", base = "v", terms = { { vector = "a1" } } })
    end
  end
  local impact = "0 <= P _|_ G v+ + g_t + e U >= 0 on A,  v+ = v_f + M(q+)^-1 G^T P"
  if position then impact = impact .. "; without restitution 0 <= P _|_ g / (theta h) + G (v+ - v*) >= 0" end
  p:vector "v1"
  p:rows "b"
  if position then p:rows "y" end
  local function begin_combined()
    if combined then p:op("begin_combined", "combined projection: contacts that the projected positions still penetrate join A") end
  end
  if linear then -- one Newton step from v+ = v ends on the solution, and needs no M^-1
    p.needs.free_sensitivity, p.needs.linear = true, true
    p:op("position_theta", "q+ = q + h v for now", { v1 = "v", explicit = true })
    p:op("configure", "at (t+h, q+)", { at = "c1", time = "t + h", q = "q1" })
    p:op("evaluate", "f+ = h(t+h, q+, v)", { at = "c1", v = "v", f = p:vector "f1", U = p:rows "Us" })
    local terms = { { coefficient = THETA, vector = "f1" } }
    if theta < 1 then table.insert(terms, 1, { coefficient = REST, vector = "f" }) end
    p:op("combine", "impulse of these forces", { out = p:vector "dp", terms = terms })
    p:op("impact_theta", "(M + theta h C + theta^2 h^2 K)(v+ - v) = dp + G^T P,  0 <= P _|_ G v+ + g_t + e U >= 0 on A",
      { newton = true, linear = true, place = position and "v" })
    p:op("position_theta", "q+ = q + h ((1-theta) v + theta v+)", { v1 = "v1", explicit = false })
    p:op("configure", "at (t+h, q+)", { at = "c1", time = "t + h", q = "q1" })
  elseif features.affine and theta > 0 and spec.stages == "newton" and not combined and not position then -- the same with M^-1
    p.needs.free_sensitivity = true
    p:op("copy", "any v+ will do: the equations are linear, and one Newton step ends on their solution", { to = "v1", from = "v" })
    p:op("position_theta", "q+ = q + h ((1-theta) v + theta v+)", { v1 = "v1", explicit = false })
    forces "v1"
    p:op("impact_theta", "Newton step with B = I - h theta da/dv - (h theta)^2 da/dq; " .. impact, { newton = true })
    p:op("copy", "", { to = "v1", from = p:vector "vn" })
    p:op("position_theta", "q+ with this v+", { v1 = "v1", explicit = false })
    p:op("configure", "at (t+h, q+)", { at = "c1", time = "t + h", q = "q1" })
  elseif one_pass then
    begin_combined()
    p:op("position_theta", "q+ = q + h ((1-theta) v + theta v+), v+ not known yet", { v1 = "v", explicit = theta == 0 })
    forces "v"
    p:op("impact_theta", impact, { newton = false, combined = combined, place = position and "v" })
    if theta > 0 then
      p:op("position_theta", "q+ = q + h ((1-theta) v + theta v+)", { v1 = "v1", explicit = false })
      p:op("configure", "at (t+h, q+)", { at = "c1", time = "t + h", q = "q1" })
    end
  else
    local newton = spec.stages == "newton"
    p.needs.free_sensitivity = newton
    if spec.mass == "average" and not position then -- of stiff bodies that guess is far off, and so would be curved gaps there
      p:op("combine", "first guess v+ = v + h a_0, or v where a contact presses",
        { out = "v1", base = "v", terms = { { vector = "a0" } }, free = true })
    else
      p:op("copy", "first guess v+ = v", { to = "v1", from = "v" })
    end
    begin_combined()
    -- Newton's matrix knows stiff forces: a step that is too long for them is not solved with frozen kinematics either
    local freezes = newton and not features.affine_gaps and spec.adaptive ~= "on"
    local rounds = features.contacts and (freezes and 3 or 2)
    p:op("begin_iteration", "until v+ is stationary", { rounds = rounds })
    p:op("position_theta", "q+ = q + h ((1-theta) v + theta v+)", { v1 = "v1", explicit = false })
    forces("v1", rounds == 3)
    if theta < 1 and not (features.affine_gaps and (features.constant_mass or spec.mass == "end")) then
      p:op("joint_forces", "")
      p:rows "p"
    end
    p:op("impact_theta", newton and "Newton step with B = I - h theta da/dv - (h theta)^2 da/dq; " .. impact or impact,
      { newton = newton, again = true, combined = combined, place = position and "v1" })
    p:op("finish_theta", "v+ stationary?", { x = "v1", y = "vn", free = "vf", rounds = rounds })
    p:vector "vn"
  end
  if combined then
    p.needs.projection = true
    p:op("project", "q+ onto g = 0 of rows that carry an impulse, g >= 0 of the others in A, M^-1 metric",
      { press = "J", rows = "on", within = "A" })
    p:op("finish_combined", "A complete?")
  elseif spec.projection == "joints" then
    p.needs.projection = true
    p:op("project", "q+ onto g = 0 of bilateral rows, M^-1 metric (RR-7151 (19))", { rows = "joints" })
  end
  if spec.dense == "on" then
    p.dense = { stages = 0, text = "v is the end velocity, q moves along the average that the step used." }
    p:op("keep", "for dense output", { from = "v1", l = 0 })
    p:op("keep_path", "for dense output: the average velocity of the step", { explicit = theta == 0 })
  end
  p.needs.pressing = true
  p:op("pressing_impulse", "which contacts carry an impulse; a new one is an event")
end
