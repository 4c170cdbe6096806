-- The operations of a step plan that hold others, and its end, in C. w: the writer of step.lua.
local uses = require "gen.backend.uses"

local put = {}

function put.when(w, op)
  if w.NR == 0 and op.any ~= "fresh" then return w:list(op.other or {}) end
  if op.any == "fresh" then
    w:say "if (fresh) {"
    for _, other in ipairs(op.other or {}) do -- what is 0 or empty otherwise is looked at only then
      local zero = other.op == "combine" and other.kind == "rows" and #other.terms == 0 and other.y
        or other.op == "set" and other.where[1] == "none" and other.S
      if zero and not w.sequential and uses.only_accepted(w.plan, zero, op) then w.rare[zero] = true end
    end
  else
    w:say("if (%s_any(s, %s)) {", w.X, w:named(op.any))
  end
  if uses.stands_apart(op) and not w.sequential then
    w:apart_of(op)
  else
    w.in_fresh = w.in_fresh or op.any == "fresh"
    w:list(op.body)
    if op.any == "fresh" then w.in_fresh = false end
  end
  if op.other then
    local mark = #w.lines
    w:say "} else {"
    local empty = #w.lines
    w:list(op.other)
    local began = op.any == "fresh" and #w.lines == empty + 1 and w.lines[#w.lines]:find "^[%w_]+ = v;$"
    if began then w.lines[#w.lines] = nil end
    if #w.lines == empty then w.lines[mark + 1] = nil end
  end
  w:say "}"
end

-- the operator of one vector that a loop makes
local function operator_of(ops)
  for _, op in ipairs(ops) do if op.op == "operator" and type(op.wv[1]) ~= "table" then return op end end
end

local function largest(w, names, into)
  for _, name in ipairs(names) do w:say("%s = carom_larger_of(%s, %s[i]);", into, into, w:named(name)) end
end

put["repeat"] = function(w, op)
  local deep = w.depth > 0 and tostring(w.depth + 1) or ""
  local iteration, change = "iteration" .. deep, "change" .. deep
  w:say "{"
  if op.small then w:say("double %s = HUGE_VAL;", change) end
  local scale, moving = "CAROM_NOTHING", op.of -- what corrections are measured by: most of it the loop does not change
  if op.small and w.free then
    local fixed
    fixed, moving = uses.unchanged(op.body, op.of)
    if #fixed > 0 then
      scale = "scale" .. deep
      w:say("double %s = CAROM_NOTHING; /* of the velocities that do not change */", scale)
      w:loop("i", 0, w.NV, function() largest(w, fixed, scale) end)
    end
  end
  local rounds = op.rounds and op.rounds.press and (op.rounds.freeze and 3 or 2) or 1
  if rounds > 1 then w:say "double part = 1.0; /* of a correction that is taken */" end
  if op.rounds then w:say "double first = 0.0; /* size of the first iterate */" end
  local keeps = w.free and op.rounds and operator_of(op.body) -- Newton's matrix, while corrections shrink well with it
  if keeps then w:say "bool renew = true; /* Newton's matrix, which is kept while corrections shrink well with it */" end
  w:say("int %s = 0;", iteration)
  if op.falls then
    w:say "double start = 0.0, left = 0.0;"
    if not w.met then w:declare("bool", "met", w.LG) end
    w.met = true
    w:every("j", 0, w.NG, "met[j] = false;")
  end
  w:say("for (; %s %s %d; ++%s) {", iteration, op.falls and "<=" or "<", rounds * op.max, iteration)
  if rounds > 1 then
    w:say "/* contacts that press and alternate between modes: a second round takes a half of corrections that do not shrink, a"
    w:say " * quarter, ...; a third one, where gaps are curved, leaves the kinematics where it begins */"
    w:say("if (%s > 0 && %s %% %d == 0) {", iteration, iteration, op.max)
    w:say "bool press = false;"
    w:every("j", w.NE, w.NG, "press = press || %s[j] > 0.0;", op.rounds.press)
    w:say "if (!press) {"
    w:say("%siterations = %s;", w.info_at, iteration)
    w:say("%sresidual = %s;", w.info_at, change)
    w:fail "CAROM_STAGES"
    w:say "}"
    w:say("%s = HUGE_VAL;", change)
    w:say "part = 1.0;"
    if keeps then w:say "renew = true;" end
    w:every("i", 0, w.NV, "%s[i] = %s[i];", op.rounds.x, w:named(op.rounds.from))
    w:say "}"
    w.freeze = op.rounds.freeze and { c = op.rounds.freeze, from = 2 * op.max, iteration = iteration }
  end
  if op.holds then
    w:say "bool any = false;"
    if op.falls then w:say "double worst = 0.0, old = 0.0; /* of all rows, of those that were there before */" end
    w:loop("j", 0, w.NG, function()
      w:say("if (%s) {", w:predicate(op.holds))
      w:say "any = true;"
      if op.falls then
        w:say("worst = fmax(worst, fabs(%s));", w:element(op.falls, "j"))
        w:say("old = met[j] ? fmax(old, fabs(%s)) : old;", w:element(op.falls, "j"))
        w:say "met[j] = true;"
      end
      w:say "}"
    end)
    w:say "if (!any) {"
    w:say "break;"
    w:say "}"
    if op.falls then
      w:say("start = %s == 0 ? worst : start;", iteration)
      w:say("if (%s == %d || (%s > 1 && old > 0.5 * left)) { /* rounding, or not to be had */", iteration, op.max, iteration)
      w:say("if (worst <= fmax(1e-3 * start, %s)) {", w.tolerances.tg)
      w:say "break;"
      w:say "}"
      w:say "if (old >= worst) {"
      w:say("%sresidual = worst;", w.info_at)
      w:fail "CAROM_STAGES"
      w:say "}"
      w:say("%s = 0; /* a row has joined, which it does once: from the start with it */", iteration)
      w:say "start = worst;"
      w:say "}"
      w:say "left = worst;"
    end
  end
  w.depth = w.depth + 1
  w.loops[w.depth] = op
  w:list(op.body)
  w.loops[w.depth] = nil
  w.depth = w.depth - 1
  if op.small then
    w:say("double moved = 0.0, beside = %s%s%s;", scale, op.defect and ", left = 0.0" or "", op.speeds and ", fast = 0.0" or "")
    w:loop("i", 0, w.NV, function()
      largest(w, op.small, "moved")
      largest(w, moving, "beside")
      if op.defect then largest(w, op.defect, "left") end
      if op.speeds then largest(w, op.speeds, "fast") end
    end)
    if op.floor and w.extent then
      w:loop("i", 0, w.NQ, function()
        w:say("beside = fmax(beside, CAROM_STIFF_ROUNDING * fmax(fabs(%s[i]), %s) / h); /* stiff forces know places to rounding only */",
          w:named(op.floor), w.extent)
      end)
    end
    if op.rounds then
      w:say("if (%s == 0) { first = beside; }", iteration)
      w:say "beside = beside > 1e3 * first ? 1e3 * first : beside; /* iterates that ran away are no measure of what is small */"
      if rounds > 1 then w:say("part *= %s >= %d && moved > 0.9 * %s ? 0.5 : 1.0;", iteration, op.max, change) end
    end
    if op.speeds then
      w:say("const bool exhausted = moved >= 0.5 * %s && h * moved <= CAROM_SPEED_ROUNDING * fast;", change)
    end
    if keeps then
      w:say("renew = moved > CAROM_RENEW * %s;", change)
      w:say("if (carom_foreseen(moved, %s, beside, %s)) {", change, w.tol)
      for _, other in ipairs(uses.before_kinematics(op.body)) do w:one(other) end -- places that belong to these velocities
      w:say "break;"
      w:say "}"
    end
    w:say("if (carom_settled(moved, &%s, beside, 0.0, %s, %s, %s)%s) {", change, op.defect and "left" or "0.0", w.tol, w.stagnation,
      op.speeds and " || exhausted" or "")
    w:say "break;"
    w:say "}"
    if rounds > 1 then
      w:say("for (int i = 0; i < %d && part < 1.0; ++i) {", w.NV)
      w:say("%s[i] -= (1.0 - part) * %s[i];", op.rounds.x, op.rounds.dx)
      w:say "}"
    end
  end
  if op.same then
    w:say "bool same = true;"
    w:loop("j", 0, w.NG, function()
      w:say("same = same && %s[j] == %s[j];", op.same[1], op.same[2])
      w:say("%s[j] = %s[j];", op.same[2], op.same[1])
    end)
    if w.NT > 0 and w.row_sets[op.same[2]] then w:say("%s_tangents_follow(s, %s);", w.X, op.same[2]) end
    w:say "if (same) {"
    w:say "break;"
    w:say "}"
  end
  w:say "}"
  if op.small then
    w:say("%siterations = %s;", w.info_at, iteration)
    w:say("if (%s == %d) {", iteration, rounds * op.max)
    w:say("%sresidual = %s;", w.info_at, change)
    w:fail "CAROM_STAGES"
    w:say "}"
    if w.freeze then
      local point = w.points[w.freeze.c]
      w:say("if (%s >= %d) {", iteration, w.freeze.from)
      w:say "++counts->frozen;"
      w:try("%s_configure(s, %s, %s, %s);", w.X, point.time, point.q, w.freeze.c)
      w:say "}"
      w.freeze = nil
    end
  end
  w:say "}"
end

-- what it writes into the state comes after everything was found to be finite: lines of their own
function put.accept(w, op)
  local function keep(wanted)
    for _, pair in ipairs(op.keep) do
      local memory, from = w.memory[pair[1]], pair[2]
      local kind = w.kinds[from]
      if kind == wanted and not w.forgotten[pair[1]] and (kind == "vector" or w.NR > 0) then
        w:every("j", 0, kind == "vector" and w.NV or kind == "set" and w.NG or w.rows, "s->%s[j] = %s[j];", memory, from)
      end
    end
  end
  if op.halt then
    for _, wanted in ipairs { "set", "rows", "vector" } do keep(wanted) end
    return w:say "return CAROM_UNFINISHED;"
  end
  w.ends = { q = op.q, v = w:named(op.v) }
  w.step, w.lines = w.lines, {}
  if op.watch and w.NT > 0 and not w.in_work then
    w:say "if (s->derived.frictional) {"
    w:say("%s_watch_painleve(s, %s_delassus_on(s, %s, %s), %s, %s);", w.X, w.X, op.at, op.on, op.on, op.watch)
    w:say "}"
  end
  if op.dense then w:keep_span(op.dense) end
  for _, wanted in ipairs { "set", "rows", "vector" } do keep(wanted) end
  if w.NR == 0 then return end
  local total
  for _, name in ipairs(op.impulse) do if not w.rare[name] then total = name end end
  w.total = total
  local function add()
    for _, name in ipairs(op.impulse) do
      if w.rare[name] then w:every("j", 0, w.rows, "%s[j] += %s[j];", total, name) end
    end
    for _, name in ipairs(op.events) do
      if w.rare[name] then w:every("j", w.NE, w.NG, "counts->events += %s[j] ? 1U : 0U;", name) end
    end
  end
  if next(w.rare) then
    w:say "if (fresh) {"
    add()
    w:say "}"
  end
  for _, name in ipairs(op.events) do
    if not w.rare[name] then w:every("j", w.NE, w.NG, "counts->events += %s[j] ? 1U : 0U;", name) end
  end
end

return put
