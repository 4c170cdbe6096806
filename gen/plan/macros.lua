-- What several schemes share: lists of operations with a name, no operations of their own.
local M = {}

--- q onto g = 0 of the rows in `hold`, and out of penetration of those in `within`, in the metric of M (or of another operator):
--- a few linearised sweeps, which fail when they lead away. A row that has joined stays: one that is let go comes back when others move,
--- and no sweep is the last. hold, within: sets or predicates; within = p.none: there are none of these.
function M.project(p, c, q, hold, within, metric)
  local penetrates = within & c.g:lt "-eps"
  local X = p:say("project: q onto g = 0, dx = M^-1 G^T tau (THEORY 4.5)"):set("X", hold | penetrates)
  p:iterate({ max = 5, holds = X & c.g:absgt "eps" | penetrates, falls = c.g }, function()
    if within ~= p.none then p:set("X", X | penetrates) end
    local dx = p:contact("dx", "tau", { A = metric or c.mass, at = c, set = X, b = c.g, laws = "equal", rows = "normal" })
    p:retract(q.name, q, dx)
    p:kinematics(c.name, 1, q)
  end)
end

--- A state from outside may hold contacts that are closed and closing: they hit before the first step (THEORY 4.2). Returns the
--- velocity to go on with, the impulse, and the set of contacts that were hit.
function M.strike(p, c0)
  p:say "a state given from outside: contacts that are closed and closing hit before the first step (THEORY 4.2)"
  local function nothing()
    p:combine("v0", 1 * p.v)
    p:combine("P0", 0 * c0.g)
    p:set("struck", p.none)
  end
  p:when(p.fresh, function()
    local U = p:rates("U0", c0, p.v)
    local hit = p:set("hit", ~p.bilateral & c0.g:le "tg" & U:lt "-tv")
    p:when(hit, function()
      local closed = p:set("closed", p.bilateral | c0.g:le "tg")
      local b = p:combine("b", U + p.e * U:on(hit))
      local w, P = p:contact("w0", "P0", { A = c0.mass, at = c0, set = closed, b = b, rebound = p.rebounds and hit or nil })
      p:combine("v0", p.v + w)
      p:set("struck", ~p.bilateral & P:gt "zero")
    end, nothing)
  end, nothing)
  return p:named "v0", p:named "P0", p:named "struck"
end

--- M a = f + G_A^T r, 0 <= r _|_ G_A a + gam >= 0 (THEORY 4.1, 6.2); a contact without a finite force leaves A (THEORY 6.3). a, r: names;
--- r holds the first guess. given: c, v, A, slide (rows or nil), laws; turned (a name: the direction of sliding is taken here, THEORY
--- 6.4) but not on the set frozen.
function M.accelerate(p, a, r, given)
  local f = p:forces("f", given.c, given.v)
  local gam = p:bias("gam", given.c, given.v)
  local slide = given.slide
  if slide and given.turned then
    local Us = p:rates("Us", given.c, given.v)
    p:say "in space the direction of sliding turns"
    slide = p:direction(given.turned, { U = Us, where = slide, turns = given.frozen and 10, frozen = given.frozen })
  end
  p:say "M a = h(t,q,v) + G^T r, 0 <= r _|_ G a + gam >= 0 on A (THEORY 4.1, 6.2)"
  return p:contact(a, r, { A = given.c.mass, at = given.c, set = given.A, rhs = f, b = gam, slide = slide, guess = r,
    drop = slide and given.laws ~= "equal" and given.A or nil, laws = given.laws, within = true })
end

--- The end of a step whose smooth part gave v_f and the impulse J_r (THEORY 4.4 - 4.7): closed set, projection, total impulse.
--- given: c0, c1, q1, U, A, press (of the step before), vf, Jr, r (forces at the end), metric, hit (the speed that e
--- acts on; absent: that at the hit, or at the end); spec: impact, projection; features:
--- contacts, dimension; level > 0: contacts are not projected (THEORY 4.8). Returns { v, J, N, press }.
function M.total_impulse(p, given, spec, features, level)
  local c0, c1, A, r, Jr, vf = given.c0, given.c1, given.A, given.r, given.Jr, given.vf
  local literal, projection = spec.impact == "literal", spec.projection or "off"
  if features.contacts == 0 and projection ~= "off" then projection = "joints" end
  local pressed = p:set("pressed", A & r:gt "zero")
  p:say "or pressing before, and left to the impulse (THEORY 4.7)"
  local pressing = p:set("pressing", pressed | given.press & ~A)
  p:say "closed at the end (THEORY 4.4)"
  local Cl = p:set("Cl", p.bilateral | c1.g:le "tg" | (literal and p.none or pressing))
  p:say "closing in this step"
  local N = p:set("N", Cl & ~A & ~given.press & c0.g:gt "tg")
  local at_hit = not given.hit and (projection == "on" or projection == "impacts")
  local x, descent
  if at_hit then -- before q moves
    descent = p:combine("descent", c0.g - c1.g)
    x = p:say("when in the step it hit"):ratio("x", c0.g, descent)
  end
  if level and level > 0 and projection ~= "off" then projection = "joints" end
  if projection == "on" then
    M.project(p, c1, given.q1, p.bilateral | pressed, p.all, given.metric)
  elseif projection == "impacts" then
    local impact = p:set("impact", Cl & ~A)
    p:when(impact, function() M.project(p, c1, given.q1, p.bilateral | pressed, p.all, given.metric) end,
      function() M.project(p, c1, given.q1, p.bilateral, p.none, given.metric) end)
  elseif projection == "joints" and features.joints then
    M.project(p, c1, given.q1, p.bilateral, p.none, given.metric)
  end
  local Uf = p:rates("Uf", c1, vf)
  local b
  if given.hit then
    b = p:combine("b", Uf + p.e * given.hit:on(N))
  elseif at_hit then
    local Uhit = p:say("speed at the hit (THEORY 4.5)"):combine("Uhit", given.U + x * (Uf - given.U))
    local back = p:set("back", N & Uhit:lt "zero")
    b = p:combine("b", Uf + p.e * Uhit:on(back))
  else
    b = p:combine("b", Uf + p.e * Uf:on(N))
  end
  local slide
  if features.dimension == 3 and not literal then
    local ts = p:constant("ts", spec.tv, "slower is no slip")
    local on = p:set("on", A & ~N & (-p.dot(Uf, Jr) - ts * p.norm(Jr)):gt "zero" & (p.norm(Jr) - 0.999 * p.limit(Jr)):gt "zero")
    slide = p:say("where sliding goes on, its mean direction"):direction("son", { from = Jr, on = on })
  end
  local w, P, J
  if literal then
    p:say "0 <= p _|_ W p + U_f + e U_f >= 0 on Cl"
    w, P = p:contact("w1", "P", { A = c1.mass, at = c1, set = Cl, b = b, rebound = p.rebounds and N or nil })
    J = p:combine("J", Jr + P)
  else
    p:say "0 <= J _|_ W (J - Jr) + U_f + e U_hit >= 0 on Cl (THEORY 4.6)"
    w, J = p:contact("w1", "J", { A = c1.mass, at = c1, set = Cl, b = b, carried = Jr, guess = Jr, slide = slide,
      fallback = slide and true, rebound = p.rebounds and N or nil })
  end
  local v1 = p:say("v_i = v_f + M^-1 G^T (J - Jr)"):combine("v1", vf + w)
  p:say "presses (THEORY 4.7)"
  local press = p:set("presses", pressing & Cl & J:gt "zero")
  return { v = v1, J = J, N = N, press = press }
end

return M
