-- Moreau-Jean theta scheme with gamma prediction of the active set (THEORY 2; Algorithm 1.4 and (39)-(44) of Schindler and Acary).
--     q+ = q + h ((1-theta) v + theta v+),   v+ = v + h ((1-theta) M(q)^-1 f + theta M(q+)^-1 f+) + M(q+)^-1 G(q+)^T P
--     0 <= P _|_ G(q+) v+ + g_t + e U >= 0   on the rows with g + gamma h U <= tg
-- in increments of v+: A dv = rhs + G^T P with A = M (fixed point) or M + theta h C + theta^2 h^2 K (Newton); with theta = 0, with forces
-- of time only and for linear models once is enough. mass=end takes M(q+) for both forces, as Siconos does.
-- contact=position: contacts without restitution are bound by their place at the end, g / (theta h) + G dv >= 0.
local macros = require "gen.plan.macros"

return function(p, spec, features)
  local h, q, v, e = p.h, p.q, p.v, p.e
  local theta, rest = p:constant("theta", spec.theta), p:constant("1-theta", 1 - spec.theta)
  local implicit, combined, position = spec.theta > 0, spec.projection == "on" and features.contacts > 0, spec.contact == "position"
  local linear = features.linear and implicit and spec.stages == "newton" and not combined
  local once = not implicit or features.time_only or linear
  local newton = implicit and spec.stages == "newton" and not features.time_only
  -- M^-1 f of the start stands beside M(q+); where M is constant or mass=end, f itself does
  local average = spec.mass == "average" and not features.constant_mass
  local two_ended = features.joints and spec.theta < 1 and not once -- joints whose G or M^-1 is not the same at both ends
    and not (features.affine_gaps and (features.constant_mass or spec.mass == "end"))
  p.order = spec.theta == 0.5 and (spec.mass == "average" or features.constant_mass) and 2 or 1

  local press, force = p:remember("set", "press"), p:remember("rows", "force")
  local c0 = p:kinematics("c0", 0, q, true)
  local U = p:rates("U", c0, v)
  local f0 = p:forces("f0", c0, v)
  local a0 = (average or not once) and not features.mesh and p:solve("a0", c0.mass, f0) -- meshes: M may be no diagonal, h a0 large
  p:say "active set (THEORY 2.2)"
  local near = combined and c0.g or c0.g + p:constant("gamma", spec.gamma, "how far ahead the active set looks") * h * U
  local bound = p.bilateral | near:le "tg"
  if features.bonds then bound = bound | press end -- what is bonded stays so until it is pulled off, not until rounding opens it
  local placed = position and p:set("placed", ~p.bilateral & e:le "zero")
  local A = p:set("A", placed and bound | placed or bound)
  -- joints whose forces act at both ends: inside the contact problem, or turned from those of the last iteration where its matrix is to
  -- stay symmetric
  local lagged = two_ended and (not newton or features.dimension > 1 or features.symmetric or features.mesh)
  local restitution = e * U
  if combined then restitution = e * U:on(p:set("closing", U:lt "zero")) end
  local hit
  if p.rebounds then
    p:say "hit in this step: what closes, and did not press before"
    hit = p:set("hit", A & ~p.bilateral & ~press & U:lt "-tv")
  end
  local joints = two_ended and p:set("joints", p.bilateral)
  local P = p:combine("P", 1 * force)
  p:say "first guess"
  if not a0 or once or position or spec.mass ~= "average" then
    p:combine("v1", 1 * v)
  else
    p:when(press, function() p:combine("v1", 1 * v) end, function() p:combine("v1", v + h * a0) end)
  end
  local v1, q1, c1 = p:named "v1", nil, nil

  local function move()
    local d = p:combine("d", h * rest * v + h * theta * v1)
    q1 = p:say("q+ = q + h ((1-theta) v + theta v+)"):retract("q1", q, d)
    c1 = p:kinematics("c1", 1, q1)
  end

  local function solve()
    move()
    local f1 = implicit and p:forces("f1", c1, v1)
    local y -- beside the forces; where one pass is enough, v+ is still v
    local still = once and not combined and not features.driven -- unless v+ is prescribed somewhere
    if average then y = still and h * rest * a0 or v - v1 + h * rest * a0 elseif not still then y = v - v1 end
    local f = 0 * v
    if not average then f = f + h * rest * f0 end
    if implicit then f = f + h * theta * f1 end
    if lagged then -- their impulse acts at both ends of the step, as other forces do (THEORY 2.3): what the last iteration gave
      local before = p:say("G(q)^T P of joints (THEORY 2.3)"):spread("j0", c0, P, joints)
      if average then y = y + rest * p:solve("aj", c0.mass, before) else f = f + rest * before end
      f = f - rest * p:spread("j1", c1, P, joints)
    end
    local rhs = p:combine("rhs", y and p:apply("my", c1.mass, p:combine("y", y)) + f or f)
    local operator = c1.mass
    if newton then
      local a1
      if not features.constant_mass and not features.mesh then
        local of = spec.mass == "average" and f1 or p:combine("fm", rest * f0 + theta * f1)
        a1 = p:solve("a1", c1.mass, of)
      end
      p:say "Newton's matrix M + theta h C + theta^2 h^2 K"
      operator = p:operator("N", { c = c1, v = v1, a = a1, wv = theta * h, wq = p:constant("theta^2", spec.theta ^ 2) * h ^ 2 })
    end
    local U1 = p:rates("U1", c1, v1)
    local b = U1 + restitution
    if placed then b = b - U1:on(placed, "normal") + p:constant("1/theta", 1 / spec.theta) / h * c1.g:on(placed) end
    b = p:combine("b", b)
    local dv
    p:say "0 <= P _|_ G (v+ + dv) + g_t + e U >= 0 on A (39)-(42)"
    dv, P = p:contact("dv", "P", { A = operator, at = c1, set = A, rhs = rhs, b = b, guess = P,
      along = joints and not lagged and c0 or nil, along_on = joints and not lagged and joints or nil,
      mean = joints and not lagged and theta or nil, rebound = hit })
    p:combine("v1", v1 + dv)
  end

  local function step()
    if once then
      solve()
      if implicit then move() end
    else
      local ha0 = a0 and p:combine("ha0", h * a0)
      local curved = newton and not features.affine_gaps and spec.adaptive ~= "on"
      p:iterate({ max = spec.iterations, small = { "dv" }, of = { v1, v, ha0 or nil }, floor = "q1",
        rounds = (features.contacts > 0 or features.mesh)
          and { x = v1, dx = "dv", from = v, press = "P", freeze = curved and "c1" or nil } or nil }, solve)
      q1, c1 = p:named "q1", p:named "c1"
    end
  end

  if combined then
    local more = p:set("more", A)
    p:say "combined projection: contacts that the projected positions still penetrate join A (THEORY 2.4)"
    p:iterate({ max = features.mesh and 20 or features.contacts + 1, same = { more, A } }, function()
      step()
      macros.project(p, c1, q1, p.bilateral | A & P:gt "zero", A, features.mesh and p:named "N") -- a stiff model: not in the metric of M
      p:set("more", A | ~p.bilateral & c1.g:lt "-tg")
    end)
  else
    step()
    if spec.projection ~= "off" and features.joints then
      macros.project(p, c1, q1, p.bilateral, p.none, features.mesh and p:named "N" or nil)
    end
  end
  local presses = p:set("presses", ~p.bilateral & P:gt "zero")
  local new = p:set("joins", presses & ~press)
  local dense
  if spec.dense == "on" then
    dense = { V = { v1 }, path = p:combine("path", rest * v + theta * v1),
      text = "v is the end velocity, q moves along the average that the step used." }
  end
  p.places = position and spec.theta or nil
  local slides = features.dimension > 1
  return p:accept { q = q1, v = v1, at = c1, impulse = { P }, events = { new }, keep = { { press, presses }, { force, P } }, dense = dense,
    watch = slides and U or nil, on = slides and A or nil }
end
