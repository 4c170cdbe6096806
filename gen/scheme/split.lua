-- impact=split (THEORY 4.9): each impact of a step of D- at its own time. What the plan of a step needs for it; the program that runs the
-- plan is runtime/include/carom/split.h, which looks for closing contacts, finds the time of the first, makes a step to it that ends with
-- the impact, and goes on with what is left.
--
--   look      halt where a contact closes: the program sees it, its rates, and the forces of the start
--   hitting   the step ends with the impact of these contacts
--   landing   contacts whose flight is shorter than the step: the end of bouncing, they rest from its start
--   known     the forces of the start are those of the piece before
local macros = require "gen.plan.macros"

local S = {}

--- What is handed in and out.
function S.inputs(p)
  local given = {}
  for _, name in ipairs { "look", "hitting", "landing", "closing" } do given[name] = p:input("set", name) end
  for _, name in ipairs { "rate_start", "rate_end" } do given[name] = p:input("rows", name) end
  return given
end

--- Velocities without what is left of bouncing, and the impulse of that.
function S.land(p, c0, v, press, landing)
  p:say "the end of bouncing: these rest"
  p:when(landing, function()
    local S0 = p:set("rests", p.bilateral | landing | press)
    local w = p:contact("wl", "Pl", { A = c0.mass, at = c0, set = S0, b = p:rates("Ul", c0, v), laws = "equal", rows = "normal" })
    p:combine("vl", v + w)
  end, function()
    p:combine("vl", 1 * v)
    p:combine("Pl", 0 * c0.g)
  end)
  return p:named "vl", p:named "Pl"
end

--- Forces and active set of the start, if the program knows them; `compute` writes the others. free: so is "af", without contacts.
function S.start(p, A, free, compute)
  local known, a, r, set = p:input("set", "known"), p:input("vector", "start_a"), p:input("rows", "start_r"), p:input("set", "start_A")
  local af = free and p:input("vector", "start_free") or nil
  p:say "from the same start"
  p:when(known, function()
    if af then p:combine("af", 1 * af) end
    p:combine("a0", 1 * a)
    p:combine("r0", 1 * r)
    p:set(A.name, set | p.none)
  end, function()
    compute()
    if af then p:combine("af", 1 * p:named "free0") end
  end)
  return { { a, p:named "a0" }, { r, p:named "r0" }, { set, A }, af and { af, p:named "af" } or nil }
end

--- The step ends here where a contact closes, if somebody looks. V: velocities whose integral q+ is, more: what else is handed out.
function S.look(p, given, now, V, more)
  local Uh = p:rates("Uh", now.c1, V)
  p:say "closing in this step"
  local back = (now.c1.g - now.c0.g):le "zero" -- of one that left a closed gap
  local closes = p:set("closes", ~now.A & ~now.press & now.c1.g:le "tg" & (now.c0.g:gt "tg" | now.U:gt "tv" & back))
  local seen = p:set("seen", given.look & (given.hitting | closes))
  local keep = { { given.closing, closes }, { given.rate_start, now.U }, { given.rate_end, Uh } }
  table.move(more, 1, #more, #keep + 1, keep)
  p:when(seen, function() p:halt(keep) end)
  return closes
end

--- The end of a step at an impact: what hits (and what is closed by then: a gap below tg would count as resting from there on), with what
--- presses under it; positions are put on g = 0 of these.
function S.impact(p, hitting, closes, now)
  local c1, A = now.c1, now.A
  local N = p:set("N", hitting | closes)
  local S1 = p:set("on_hit", p.bilateral | N | A & now.r:gt "zero")
  local Uf = p:rates("Uf", c1, now.vf)
  local b = p:combine("b", Uf + p.e * Uf:on(N))
  p:say "0 <= P _|_ W P + U_f + e U_f >= 0: the impact"
  local w, P = p:contact("w1", "P", { A = c1.mass, at = c1, set = S1, b = b, rebound = p.rebounds and N or nil })
  local v1 = p:combine("v1", now.vf + w)
  p:combine("J", now.Jr + P)
  macros.project(p, c1, now.q1, S1, p.all)
  local U1 = p:rates("U1", c1, v1)
  p:set("presses", A & now.r:gt "zero" & U1:le "tv")
end

return S
