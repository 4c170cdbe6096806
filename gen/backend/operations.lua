-- How each operation of a step plan is written in C: calls of the model's operators (NAME_configure, NAME_forces, NAME_rates, ...) and
-- loops over vectors and rows. w: the writer of step.lua.
local forms = require "gen.backend.forms"
local print_c = require "gen.expr.print"

local put = {}
local constant, power = forms.constant, forms.power

-- a coefficient without its power of h
local function number(c) return type(c) == "number" and print_c.number(c) or constant(c) end

-- every row at its own point: those of one restitution share it
local function by_rows(w, op, time)
  w:loop("group", 0, w.groups, function()
    w:say("const int j = %s_first_of[group];", w.X)
    w:say("double moved[%d], point[%d];", w.NV, w.NQ)
    w:every("i", 0, w.NV, "moved[i] = %s;", w:sum(op.by, "i"))
    w:retract("point", w:named(op.q), "moved")
    w:try("%s_configure(s, %s, point, &%s->at);", w.X, time, op.c)
    w:say("%s_take(s, group, %s);", w.X, op.c)
  end)
end

function put.kinematics(w, op)
  local time = op.node == 0 and "t" or op.node == 1 and "t + h" or ("t + %s * h"):format(print_c.number(op.node))
  w.points[op.c] = { time = time, q = op.q, by = op.by }
  if op.find then -- kept from the last step, but for rows that are found now
    if w.found then w:try("%s_find(s, %s, h);", w.X, op.c) end
    if w.own and not w.given then w:say("%s_own(s, %s);", w.X, op.c) end
    if w.bonds then w:say("%s_bond(s, %s);", w.X, op.c) end
    return
  end
  if op.by then
    if w.NR > 0 then by_rows(w, op, time) end
    return
  end
  local frozen = w.freeze and w.freeze.c == op.c and ("%s > %d ? CAROM_OK : "):format(w.freeze.iteration, w.freeze.from) or ""
  w:try("%s%s_configure(s, %s, %s, %s);", frozen, w.X, time, w:named(op.q), op.c)
end

function put.forces(w, op)
  w:say("%s_forces(s, %s, %s, %s);", w.X, op.c, w:named(op.v), op.f)
  if w.bonds then w:say("%s_pull(s, %s, %s);", w.X, op.c, op.f) end
  if w.adheres then w:say("%s_draw(s, %s, %s);", w.X, op.c, op.f) end
  w:say(w.flies and "++evaluations;" or "++counts->evaluations;")
end

-- free flight (gen/backend/flight.lua) ends where a row may take part
function put.aloft(w, op)
  w:loop("j", 0, w.flies, function() w:fail("CAROM_CONTACT", w:predicate(op.where)) end)
end

function put.rates(w, op)
  if w.NR == 0 and not op.kept then return end
  w:say("%s_%s(s, %s, %s, %s);", w.X, op.homogeneous and "rows" or "rates", op.c, w:named(op.v), op.U)
end

function put.bias(w, op) if w.NR > 0 then w:say("%s_bias(s, %s, %s, %s);", w.X, op.c, w:named(op.v), op.gam) end end

--- The name that an operation copies, if it does nothing else.
function put.copied(op)
  local term = op.terms[1]
  return #op.terms == 1 and term.c == 1 and term.k == 0 and not (term.by or term.on or term.of) and term.x or nil
end

function put.combine(w, op)
  if op.kind == "rows" then
    if w.NR == 0 or w.forgotten[put.copied(op) or 1] or w.rare[op.y] and #op.terms == 0 and not w.in_fresh then return end
    local normal, tangent = w:sum(op.terms, "j"), w:sum(op.terms, "j", true)
    if w.NT > 0 and normal == tangent then
      w:every("j", 0, w.rows, "%s[j] = %s;", op.y, normal)
    else
      w:every("j", 0, w.NG, "%s[j] = %s;", op.y, normal)
      if w.NT > 0 then w:every("j", w.NG, w.rows, "%s[j] = %s;", op.y, tangent) end
    end
    return
  end
  local from = put.copied(op)
  if w.pointers[op.y] then
    if from then return w:say("%s = %s;", op.y, w:named(from)) end
    w:every("i", 0, w.NV, "%s_made[i] = %s;", op.y, w:sum(op.terms, "i"))
    return w:say("%s = %s_made;", op.y, op.y)
  end
  if w.aliases[op.y] then return end
  w:every("i", 0, w.NV, "%s[i] = %s;", op.y, w:sum(op.terms, "i"))
end

function put.ratio(w, op)
  if w.NR == 0 then return end
  w:loop("j", 0, w.NG, function()
    local a, b = w:element(op.a, "j"), w:element(op.b, "j")
    w:say("%s[j] = %s != 0.0 ? fmax(0.0, fmin(1.0, %s / %s)) : 1.0;", op.y, b, a, b)
  end)
  if w.NT > 0 then
    w:every("j", w.NG, w.rows, "%s[j] = %s[%s[j - %s]];", op.y, op.y, w.contact_of_at, w.NG)
  end
end

function put.retract(w, op)
  if op.x then return w:retract(op.q1[1], w:named(op.q), op.x) end
  for l, q1 in ipairs(op.q1) do
    local terms = {}
    for k, weight in ipairs(op.weights[l]) do
      if weight[1] ~= 0 then terms[#terms + 1] = { c = weight[1], k = weight[2], x = op.V[k] } end
    end
    w:every("i", 0, w.NS, "%s[i] = %s[i] + %s;", q1, w:named(op.q), w:sum(terms, "i"))
  end
  if w.NB == 0 then return end
  local n = #op.V
  local rows = {}
  for l = 1, n do
    for k = 1, n do rows[#rows + 1] = number(op.B[l][k][1]) end
  end
  w:say "{"
  w:say("const double B[%d] = {%s};", n * n, table.concat(rows, ", "))
  w:say("double spin[%d][3], turned[%d][4];", n, n)
  w:loop("k", 0, w.NB, function()
    w:loop("j", 0, 3, function()
      for l, V in ipairs(op.V) do w:say("spin[%d][j] = %s[%d + 3 * k + j];", l - 1, w:named(V), w.NS) end
    end)
    w:say("carom_quaternion_stages(%d, B, %s + %d + 4 * k, &spin[0][0], h, &turned[0][0]);", n, w:named(op.q), w.NS)
    for l, q1 in ipairs(op.q1) do
      local stage
      for i = 1, n do
        local same = true
        for k = 1, n do same = same and op.B[i][k][1] == op.weights[l][k][1] end
        if same then stage = i end
      end
      if stage then
        w:every("j", 0, 4, "%s[%d + 4 * k + j] = turned[%d][j];", q1, w.NS, stage - 1)
      else
        local weights = {}
        for k = 1, n do weights[k] = number(op.weights[l][k][1]) end
        w:say("carom_quaternion_end(%d, (const double[]){%s}, %s + %d + 4 * k, &spin[0][0], &turned[0][0], h, %s + %d + 4 * k);", n,
          table.concat(weights, ", "), w:named(op.q), w.NS, q1, w.NS)
      end
    end
  end)
  w:say "}"
end

local function mass_of(A) return A:match("^mass@(.+)$") end

function put.apply(w, op) w:say("%s_apply_mass(s, %s, %s, %s);", w.X, mass_of(op.A), w:named(op.x), op.y) end

function put.solve(w, op)
  local c = mass_of(op.A)
  if not w.stacked[op.A] then
    w:every("i", 0, w.NV, "%s[i] = %s[i];", op.y[1], w:named(op.x[1]))
    if c then return w:say("%s_solve_mass(s, %s, %s);", w.X, c, op.y[1]) end
    return w:say("%s_solve_in(s, %s, %s);", w.X, op.A, op.y[1])
  end
  local n = #op.x
  w:say "{"
  w:say("double stacked[%d];", n * w.NV)
  w:loop("i", 0, w.NV, function()
    for l, x in ipairs(op.x) do w:say("stacked[%s] = %s[i];", l == 1 and "i" or ("%d + i"):format((l - 1) * w.NV), w:named(x)) end
  end)
  w:say("%s_solve_stages(%s%s, %d, stacked);", w.X, w.in_work and w.stacked_at .. ", " or "", op.A, n)
  w:loop("i", 0, w.NV, function()
    for l, y in ipairs(op.y) do w:say("%s[i] = stacked[%s];", y, l == 1 and "i" or ("%d + i"):format((l - 1) * w.NV)) end
  end)
  w:say "}"
end

-- of several stages: I - wv da/dv - wq da/dq, with rows that carry force held
function put.operator(w, op, before)
  local point = w.points[op.c]
  local given = ("s, %s, %s, %s, %s"):format(op.c, point.time, w:named(point.q), w:named(op.v))
  if type(op.wv[1]) ~= "table" then
    local function weight(x) return power(x[2], number(x[1])) end
    local loop = w.loops[#w.loops]
    local kept, note = w.free and loop and loop.rounds, w.note
    if kept then w:say "if (renew) {" end
    for _, other in ipairs(before or {}) do w:one(other) end -- for the operator alone
    w.note = note
    w:say("if (!%s_operator(%s, %s, %s, %s, %s)) {", w.X, given, w:named(op.a or op.v), weight(op.wv), weight(op.wq), op.A)
    w:fail "CAROM_STAGES"
    w:say "}"
    if kept then w:say "}" end
    return
  end
  local n = #op.wv
  w.stacked_at = op.c
  local function numbers(rows)
    local list = {}
    for l, row in ipairs(rows) do
      local cells = {}
      for k, x in ipairs(row) do cells[k] = number(x[1]) end
      list[l] = "{" .. table.concat(cells, ", ") .. "}"
    end
    return "{" .. table.concat(list, ", ") .. "}"
  end
  w:say "{"
  w:say("const double wv[%d][%d] = %s, wq[%d][%d] = %s;", n, n, numbers(op.wv), n, n, numbers(op.wq))
  local function told(name) return name and w:named(name) or "NULL" end
  local modes = w.NR > 0 and told(op.r) .. ", " .. op.on .. ", " or ""
  if w.NT > 0 then modes = modes .. ("%s, %s, "):format(told(op.grip), op.slide and op.slide .. "_" or "NULL") end
  if w.D == 3 then modes = modes .. told(op.turning) .. ", " end
  w:say("if (!%s_stage_operator(%s, %s, %sh, %d, &wv[0][0], &wq[0][0], %s)) {", w.X, given, w:named(op.a), modes, n, op.A)
  w:fail "CAROM_STAGES"
  w:say "}"
  w:say "}"
end

function put.spread(w, op) if w.NR > 0 then w:say("%s_spread(s, %s, %s, %s, %s);", w.X, op.c, op.on, op.r, op.f) end end

put["set"] = function(w, op)
  if w.NR == 0 or w.unread[op.S] or w.rare[op.S] and op.where[1] == "none" and not w.in_fresh then return end
  local text = w:predicate(op.where)
  if text:find(w.X .. "_norm", 1, true) or text:find(w.X .. "_dot", 1, true) then w.open = nil end -- it looks at other elements
  w:every("j", 0, w.NG, "%s[j] = %s;", op.S, text)
  if w.NT > 0 and w.row_sets[op.S] then w.follow[#w.follow + 1] = ("%s_tangents_follow(s, %s);"):format(w.X, op.S) end
end

function put.direction(w, op)
  if w.NT == 0 then return end
  if op.from then return w:say("%s_direction_of(s, %s, %s, %s_);", w.X, op.on, op.from, op.s) end
  if not op.where then
    return w:say(w.free and "if (s->derived.frictional) { %s_slip(s, %s, %s_); }" or "%s_slip(s, %s, %s_);", w.X, op.U, op.s)
  end
  if op.forward then
    return w:say("%s_turn_forward(s, %s, %s_, %s, %s, %s_);", w.X, op.U, op.where, op.frozen, w.tolerances.ts, op.s)
  end
  if not op.frozen then return w:say("%s_turn_with(s, %s, %s_, 0, NULL, NULL, %s_);", w.X, op.U, op.where, op.s) end
  w:say("%s_turn_with(s, %s, %s_, %s, turn[%d], %s, %s_);", w.X, op.U, op.where, w.depth > 0 and "iteration" or "0", w.turns, op.frozen,
    op.s)
  w.turns = w.turns + 1
end

-- A x = rhs where no row of the set is there
local function without_contact(w, op)
  local c = mass_of(op.A)
  if w.free and c and w.NR > 0 then
    return w:say("%s_free(s, %s, %s, %s, %s, %s);", w.X, c, op.rhs and w:named(op.rhs) or "NULL", op.carried or "NULL", op.x, op.r)
  end
  w:every("i", 0, w.NV, "%s[i] = %s;", op.x, op.rhs and w:named(op.rhs) .. "[i]" or "0.0")
  if not op.rhs then return end
  if c then w:say("%s_solve_mass(s, %s, %s);", w.X, c, op.x) else w:say("%s_solve_in(s, %s, %s);", w.X, op.A, op.x) end
end

local function contact(w, op, before)
  local c = mass_of(op.A)
  local function rows(name) return name and (w:element(name, ""):gsub("%[%]$", "")) or "NULL" end
  local rhs = op.rhs and w:named(op.rhs) or "NULL"
  local function told() -- direction of sliding, who was hit
    local text = w.NT > 0 and (op.slide and op.slide .. "_" or "NULL") .. ", " or ""
    return text .. (w.rebound and (op.rebound and w:named(op.rebound) or "NULL") .. ", " or "")
  end
  if w.NR == 0 then return without_contact(w, op) end
  if op.felt and w.own then -- restitution is in right-hand sides, so before these
    w:say("%s_own(s, %s, %s, %s);", w.X, op.at, w:named(op.felt), op.sliding and op.sliding .. "_" or "NULL")
  end
  local function how()
    local words = {}
    for _, pair in ipairs { { "drop", "CAROM_DROP" }, { "fallback", "CAROM_FALL_BACK" }, { "within", "CAROM_WITHIN" } } do
      if op[pair[1]] then words[#words + 1] = pair[2] end
    end
    return #words > 0 and table.concat(words, " | ") or "0"
  end
  if before and before.accelerates then
    local guess = op.guess and op.guess ~= op.r and op.guess or before[1] and put.copied(before[1])
    guess = not w.forgotten[guess or 1] and guess
    return w:try("%s_accelerate(s, %s, %s, %s, %s%s, %s, %s, %s, %s, counts);", w.X, op.at, w:named(before.accelerates.v), op.set,
      told(), guess and rows(guess) or "NULL", how(), op.x, op.r, w.info)
  end
  local always = w.whole[op.set] or w.NE > 0 and w.full[op.set] -- bilateral rows are in it
  if not always then w:say("if (%s_any(s, %s)) {", w.X, op.set) end
  local note = w.note
  for _, other in ipairs(before or {}) do w:one(other) end
  w.note = nil
  if op.guess and op.guess ~= op.r then w:every("j", 0, w.rows, "%s[j] = %s;", op.r, w:element(op.guess, "j")) end
  w.note = note
  local by = w.points[op.at].by -- rows at points of their own
  local at = by and ("&%s->at"):format(op.at) or op.at
  if op.along and not by and not op.mean then -- forces along the rows of another configuration, whose mass it is
    w:try("%s_contact_along(s, %s, %s, %s, %s%s, %s, %s, %s, %s, %s, counts);", w.X, op.at, op.along, op.set,
      told(), rhs, rows(op.b), how(), op.x, op.r, w.info)
  elseif by and w.apart then
    w:try("%s_contact_apart(s, %s, %s, %s, %s, %s, %s, %s, %s, %s, counts);", w.X, c or op.A, op.at, op.along, op.set, rhs, rows(op.b),
      op.x, op.r, w.info)
  elseif op.grip then
    local modes = w.NT > 0 and ("%s, %s, "):format(op.grip, op.slide and op.slide .. "_" or "NULL") or ""
    w:try("%s_fix(s, %s, %s, %s%s, %s, %s, %s, %s);", w.X, c, op.set, modes, op.borne and "true" or "false", rows(op.b), op.x, op.r, w.info)
  elseif op.laws == "equal" then
    w:try("%s_hold%s(s, %s, %s, %s, %s, %s);", w.X, c and "" or "_in", c or at .. ", " .. op.A, op.set, rows(op.b), op.x, op.r)
  else
    w:try("%s_contact%s(s, %s, %s, %s%s, %s, %s, %s, %s, %s, %s, counts);", w.X, c and "" or "_in",
      c and at or at .. ", " .. op.A .. (op.mean and (", %s, %s"):format(op.along, constant(op.mean[1])) or ""), op.set,
      told(), rhs, rows(op.b), rows(op.carried),
      how(), op.x, op.r, w.info)
  end
  if always then return end
  w:say "} else {"
  without_contact(w, op)
  if not (w.free and c) then w:every("j", 0, w.rows_at, "%s[j] = %s;", op.r, op.carried and w:element(op.carried, "j") or "0.0") end
  w:say "}"
end

-- In straight code the one that ends the step, with rates and right-hand sides that only it looks at, is a function of its own.
function put.contact(w, op, before)
  local lazy, apart = {}, w.free and w.NR > 0 and w.depth == 0 and not (w.given or w.flies or op.rhs or op.along) and #(before or {}) > 1
  for _, other in ipairs(apart and before or {}) do
    apart = apart and (other.op == "rates" or other.op == "combine" and other.kind == "rows")
    lazy[other.U or other.y or ""] = true
  end
  if not apart then return contact(w, op, before) end
  local note = w.note
  w:settle()
  w.lazy, w.note = lazy, note
  local mark = #w.lines
  contact(w, op, before)
  w:impact_of(mark, op, note)
end

return put
