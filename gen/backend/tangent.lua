-- The derivative of a step: its plan once as it is, every value kept, and then, for each direction of change, operation by operation what
-- that direction becomes (THEORY 11). Sets, branches and the modes of contacts are those of the values, so it is the derivative of the
-- step with its modes held fixed. Iterations run on directions alone, with the values at which they ended.
local forms = require "gen.backend.forms"
local operations = require "gen.backend.operations"
local print_c = require "gen.expr.print"
local step = require "gen.backend.step"
local uses = require "gen.backend.uses"

local T = {}

--- What a plan or a model has that this cannot differentiate; nil: nothing.
function T.refusal(plan, values)
  if plan.parts then return "of event capturing the derivative is not made yet; write D- or moreau-jean" end
  if #plan.inputs > 0 then return "with impact=split it is not made yet" end
  if values.NB > 0 then return "of bodies that turn in space it is not made yet" end
  if values.D == 3 then return "with friction in two directions it is not made yet" end
  if values.feels then return "forces of the last step are looked at, which have none" end
  if values.rebound or values.bonds or values.adheres or values.own or values.scaled then
    return "with this law of contact it is not made yet"
  end
  for _, m in ipairs(plan.memory) do
    if m.name ~= "press" and m.name ~= "force" then return "this scheme keeps more than positions and velocities from step to step" end
  end
  local why
  uses.each(plan.ops, function(op) -- what hits before the first step as well
    if op.op == "repeat" and not op.small then why = "projection=on has none; write projection=off" end
    if op.op == "contact" and (op.laws == "equal" or op.grip) then why = "projection=on has none; write projection=off" end
    if op.op == "contact" and (op.along or op.mean) or op.op == "kinematics" and op.by or op.op == "direction" and op.from then
      why = "forces along rows of other places have none; write D-"
    end
  end, nil, true)
  return why
end

-- a name's derivative
local function d(w, name)
  if name == "q" or name == "v" then return "along->" .. name end
  if w.plan_memory[name] and not w.defined[name] then return "room->nothing" end -- first guesses
  return "d_" .. name
end

local function declare(w, name, count)
  local mine = "d_" .. name
  if w.known[mine] then return end
  w.known[mine] = true
  w.members[#w.members + 1] = ("double %s[%d];"):format(mine, count)
  w.declared[#w.declared + 1] = { mine, ("double *const %s = room->step.%s;"):format(mine, mine) }
end

local DATA = { e = "room->e[%s]", ["1+e"] = "room->e[%s]",
  ["1/(1+e)"] = "(-room->e[%s] / ((1.0 + s->derived.e[%s]) * (1.0 + s->derived.e[%s])))",
  ["e/(1+e)"] = "(room->e[%s] / ((1.0 + s->derived.e[%s]) * (1.0 + s->derived.e[%s])))" }

-- derivative of the element of a name
local function element(w, name, index)
  local c = name:match("^(.+)%.g$")
  if c then return ("room->step.g_%s[%s]"):format(c, index) end
  if DATA[name] then return (DATA[name]:gsub("%%s", index)) end
  return ("%s[%s]"):format(d(w, name), index)
end

local function coefficient(c)
  if type(c) == "number" then return print_c.number(c) end
  return c:sub(1, 1) == "-" and "-" .. forms.constant(c:sub(2)) or forms.constant(c)
end

-- derivative of a sum of products at an index, by the rule of the product; h is one of the factors
local function sum(w, terms, index, tangent)
  local list = {}
  local function add(term, factors)
    local text = table.concat(factors, " * ")
    if term.on then
      local of = tangent and ("%s_contact_of[%s - %s]"):format(w.X, index, w.NG) or index
      text = ("(%s[%s] ? %s : 0.0)"):format(w.name_of(term.on), of, text)
    end
    list[#list + 1] = text
  end
  for _, term in ipairs(terms) do
    if not (tangent and (term.part == "normal" or term.x:find "%.g$")) then
      local names = { term.x, table.unpack(term.by or {}) }
      local function power(k) return forms.power(k, coefficient(term.c)) end
      local function product(changed)
        local factors = { changed and power(term.k) or ("along->h * %s"):format(power(term.k - 1)) }
        if not changed and term.k ~= 1 then factors[1] = print_c.number(term.k) .. " * " .. factors[1] end
        for i, name in ipairs(names) do
          factors[#factors + 1] = i == changed and element(w, name, index) or w:element(name, index)
        end
        return factors
      end
      for i in ipairs(names) do add(term, product(i)) end
      if term.k ~= 0 then add(term, product(nil)) end
    end
  end
  return #list > 0 and table.concat(list, " + ") or "0.0"
end

local put = {}

-- what the operators along a direction are told of a place: t, q, dt, dq
local function place(w, c)
  local at = w.at[c]
  local dt = at.node == 0 and "along->t" or at.node == 1 and "along->t + along->h"
    or ("along->t + %s * along->h"):format(print_c.number(at.node))
  return ("s, %s, %s, %s, %s, along"):format(at.time, w.name_of(at.q), dt, d(w, at.q))
end

local function is_zero(w, key) return w.operators[key].zero end

function put.kinematics(w, op)
  if not op.find then
    w.at[op.c] = { time = op.node == 1 and "t + h" or op.node == 0 and "t" or ("t + %s * h"):format(print_c.number(op.node)), q = op.q,
      node = op.node }
    if w.made[op.c] > 1 then w:try("%s_configure(s, %s, %s, %s);", w.X, w.at[op.c].time, w.name_of(op.q), op.c) end
  end
  if w.gaps[op.c] and w.NR > 0 then w:say("%s_gaps_along(%s, room->step.g_%s);", w.X, place(w, op.c), op.c) end
end

function put.forces(w, op) w:say("%s_forces_along(%s, %s, %s, %s);", w.X, place(w, op.c), w.name_of(op.v), d(w, op.v), d(w, op.f)) end

function put.rates(w, op)
  if w.NR == 0 then return end
  if not op.homogeneous then
    return w:say("%s_rates_along(%s, %s, %s, %s);", w.X, place(w, op.c), w.name_of(op.v), d(w, op.v), d(w, op.U))
  end
  w:say("%s_rows_along(%s, %s, room->rows);", w.X, place(w, op.c), w.name_of(op.v))
  w:say("%s_rows(s, %s, %s, %s);", w.X, op.c, d(w, op.v), d(w, op.U))
  w:every("j", 0, w.NR, "%s[j] += room->rows[j];", d(w, op.U))
end

function put.bias(w, op)
  if w.NR > 0 then w:say("%s_bias_along(%s, %s, %s, %s);", w.X, place(w, op.c), w.name_of(op.v), d(w, op.v), d(w, op.gam)) end
end

function put.combine(w, op)
  if op.kind ~= "rows" then return w:every("i", 0, w.NV, "%s[i] = %s;", d(w, op.y), sum(w, op.terms, "i")) end
  if w.NR == 0 then return end
  w:every("j", 0, w.NG, "%s[j] = %s;", d(w, op.y), sum(w, op.terms, "j"))
  if w.NT > 0 then w:every("j", w.NG, w.NR, "%s[j] = %s;", d(w, op.y), sum(w, op.terms, "j", true)) end
end

function put.ratio(w, op)
  if w.NR == 0 then return end
  local y = w.name_of(op.y)
  w:every("j", 0, w.NG, "%s[j] = %s[j] > 0.0 && %s[j] < 1.0 ? (%s - %s[j] * %s) / %s : 0.0;", d(w, op.y), y, y, element(w, op.a, "j"), y,
    element(w, op.b, "j"), w:element(op.b, "j"))
  if w.NT > 0 then w:every("j", w.NG, w.NR, "%s[j] = %s[%s_contact_of[j - %d]];", d(w, op.y), d(w, op.y), w.X, w.NG) end
end

function put.retract(w, op)
  if op.x then return w:every("i", 0, w.NV, "%s[i] = %s[i] + %s[i];", d(w, op.q1[1]), d(w, op.q), d(w, op.x)) end
  for l, q1 in ipairs(op.q1) do
    local terms = {}
    for k, weight in ipairs(op.weights[l]) do
      if weight[1] ~= 0 then terms[#terms + 1] = { c = weight[1], k = weight[2], x = op.V[k] } end
    end
    w:every("i", 0, w.NV, "%s[i] = %s[i] + %s;", d(w, q1), d(w, op.q), sum(w, terms, "i"))
  end
end

local function mass_of(A) return A:match("^mass@(.+)$") end

function put.apply(w, op)
  local c = mass_of(op.A)
  w:say("%s_apply_mass(s, %s, %s, %s);", w.X, c, d(w, op.x), d(w, op.y))
  if is_zero(w, "mass") then return end
  w:say("%s_mass_along(%s, %s, room->vector);", w.X, place(w, c), w.name_of(op.x))
  w:every("i", 0, w.NV, "%s[i] += room->vector[i];", d(w, op.y))
end

-- in other operators than the mass matrix corrections are solved for, which are 0 in the end: the operator need not change
function put.solve(w, op)
  local c, moved = mass_of(op.A), { op = "solve", A = op.A, x = {}, y = {} }
  for i, x in ipairs(op.x) do moved.x[i], moved.y[i] = d(w, x), d(w, op.y[i]) end
  if not c or is_zero(w, "mass") then return operations.solve(w, moved) end
  w:say("%s_mass_along(%s, %s, room->vector);", w.X, place(w, c), w.name_of(op.y[1]))
  w:every("i", 0, w.NV, "%s[i] = %s[i] - room->vector[i];", moved.y[1], moved.x[1])
  w:say("%s_solve_mass(s, %s, %s);", w.X, c, moved.y[1])
end

function put.spread(w, op)
  if w.NR == 0 then return end
  w:say("%s_spread(s, %s, %s, %s, %s);", w.X, op.c, w.name_of(op.on), d(w, op.r), d(w, op.f))
  w:every("j", 0, w.NR, "room->rows[j] = %s[j] ? %s[j] : 0.0;", w.name_of(op.on), w.name_of(op.r))
  w:say("%s_spread_along(%s, room->rows, room->vector);", w.X, place(w, op.c))
  w:every("i", 0, w.NV, "%s[i] += room->vector[i];", d(w, op.f))
end

function put.contact(w, op)
  local c, x, r = mass_of(op.A), w.name_of(op.x), op.r
  w:every("i", 0, w.NV, "room->load[i] = %s;", op.rhs and d(w, op.rhs) .. "[i]" or "0.0")
  if c and not is_zero(w, "mass") then
    w:say("%s_mass_along(%s, %s, room->vector);", w.X, place(w, c), x)
    w:every("i", 0, w.NV, "room->load[i] -= room->vector[i];")
  end
  if w.NR == 0 then
    w:every("i", 0, w.NV, "%s[i] = room->load[i];", d(w, op.x))
    return w:say(c and "%s_solve_mass(s, %s, %s);" or "%s_solve_in(s, %s, %s);", w.X, c or op.A, d(w, op.x))
  end
  if not is_zero(w, "spread") then
    w:every("j", 0, w.NR, "room->rows[j] = %s[j] ? %s : 0.0;", w.name_of(op.set),
      op.carried and ("%s[j] - %s[j]"):format(r, w.name_of(op.carried)) or r .. "[j]")
    w:say("%s_spread_along(%s, room->rows, room->vector);", w.X, place(w, op.at))
    w:every("i", 0, w.NV, "room->load[i] += room->vector[i];")
  end
  w:say("%s_rows_along(%s, %s, room->rows);", w.X, place(w, op.at), x)
  w:every("j", 0, w.NR, "room->rows[j] += %s;", element(w, op.b, "j"))
  local matrix = w.matrix and (c and "NULL, " or op.A .. ", ") or ""
  w:try("%s_contact_along(s, %s, %s%s, %s, %s, %s, room->load, room->rows, %s, room->solve, &room->size, %s, %s);", w.X, op.at, matrix,
    w.name_of(op.set),
    w.NT > 0 and op.slide and op.slide .. "_" or "NULL", r, w.NT > 0 and "room->mu" or "NULL", op.carried and d(w, op.carried) or "NULL",
    d(w, op.x), d(w, op.r))
end

put["repeat"] = function(w, op)
  local nested = w.depth > 0 and w.depth + 1 or ""
  w.depth = w.depth + 1
  w:say "{"
  w:say("double before%s = HUGE_VAL;", nested)
  w:say("int pass%s = 0;", nested)
  w:say("for (; pass%s < %d; ++pass%s) {", nested, 2 * op.max, nested)
  w:say "room->size = 0.0;"
  T.list(w, op.body)
  w:say "double moved = 0.0, beside = CAROM_NOTHING;"
  w:loop("i", 0, w.NV, function()
    for _, name in ipairs(op.small) do w:say("moved = fmax(moved, fabs(%s[i]));", d(w, name)) end
    for _, name in ipairs(op.of) do w:say("beside = fmax(beside, fabs(%s[i]));", d(w, name)) end
  end)
  w:say("const bool exhausted = moved >= 0.5 * before%s && moved <= CAROM_TERMS_CANCEL * room->size;", nested)
  w:say("if (carom_settled(moved, &before%s, beside, 0.0, 0.0, %s, %s) || exhausted) {", nested, w.tol, w.stagnation)
  w:say "break;"
  w:say "}"
  w:say "}"
  w:fail("CAROM_STAGES", ("pass%s == %d"):format(nested, 2 * op.max))
  w:say "}"
  w.depth = w.depth - 1
end

function put.when(w, op)
  w:say(op.any == "fresh" and "if (fresh) {" or "if (" .. w.X .. "_any(s, %s)) {", op.any ~= "fresh" and w.name_of(op.any) or nil)
  T.list(w, op.body)
  if op.other and #op.other > 0 then
    w:say "} else {"
    T.list(w, op.other)
  end
  w:say "}"
end

-- sets, directions of sliding in the plane and operators stay what they are
put["set"], put.direction, put.operator, put.accept = function() end, function() end, function() end, function() end

function T.list(w, ops)
  for _, op in ipairs(ops) do
    w.note = nil
    put[op.op](w, op)
  end
end

-- the arrays of derivatives that the lines mention, as names
local function mentioned(w)
  local text, lines = table.concat(w.lines, "\n"), {}
  for _, pair in ipairs(w.declared) do
    if text:find("%f[%w_]" .. pair[1] .. "%f[^%w_]") then lines[#lines + 1] = pair[2] end
  end
  return lines
end

--- Lines of the pass over values, of that over one direction, their declarations, members of the work space.
function T.lines(plan, size, operators)
  size = setmetatable({ sequential = true, roomy = true, work_at = "room->step.", given = nil }, { __index = size })
  local values = step.lines(plan, size)
  local w = values.writer
  w.lines, w.follow, w.note, w.open = {}, {}, nil, nil
  w.plan_memory, w.defined, w.made, w.gaps, w.known, w.declared, w.members = {}, {}, {}, {}, {}, {}, {}
  w.at, w.operators, w.depth = { c0 = { time = "t", q = "q", node = 0 } }, operators, 0
  w.name_of = function(name) return w:named(name) end
  w.matrix = size.matrix
  for _, m in ipairs(plan.memory) do w.plan_memory[m.name] = true end
  local function gap_of(x)
    if type(x) == "string" then
      local c = x:match("^(.+)%.g$")
      if c then w.gaps[c] = true end
    elseif type(x) == "table" then
      for _, y in next, x do gap_of(y) end -- order does not matter
    end
  end
  uses.each(plan.ops, function(op)
    if op.op == "combine" or op.op == "ratio" then gap_of { op.terms, op.a, op.b } end
    if op.op == "contact" then gap_of { op.b } end
    if op.op == "kinematics" then w.made[op.c] = (w.made[op.c] or 0) + 1 end
    for name, kind in next, uses.made(op) do w.defined[name] = kind end -- order does not matter
  end, nil, true)
  local names = {}
  for name, kind in next, w.defined do
    if kind == "rows" and w.NR > 0 or kind == "vector" or kind == "point" then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do declare(w, name, w.defined[name] == "rows" and w.NR or w.NV) end
  local gaps = {}
  for c in next, w.gaps do gaps[#gaps + 1] = c end
  table.sort(gaps)
  for _, c in ipairs(w.NR > 0 and gaps or {}) do w.members[#w.members + 1] = ("double g_%s[%d];"):format(c, w.NG) end
  T.list(w, plan.ops)
  return { values = values.step, declarations = values.declarations, directions = w.lines, names = mentioned(w),
    members = table.move(w.members, 1, #w.members, #values.members + 1, values.members),
    q = d(w, values.ends.q), v = d(w, plan.ops[#plan.ops].v), ends = values.ends, stages = values.stages }
end

return T
