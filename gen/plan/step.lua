-- A step plan: one step of a scheme as a list of the operations of operations.lua, pure data. A scheme (gen/scheme) writes it through
-- the constructors here, which check kinds and that names are defined before they are used; back ends and the interpreter
-- (tests/oracle) execute it; text.lua prints it.
--
-- A plan has memory, kept between steps and written by `accept` only: a step is all or nothing. A state set from outside is `fresh`:
-- vectors and rows in memory are then 0, sets empty (or all, if they say so). Inputs are given by a program that runs the plan. A plan may
-- have another one, `otherwise`, with the same memory: the step that is made when its own equations are not solved.
--
-- A scheme that is a program (carom/capture.h) writes `parts` instead: plans with a name that the program runs from a state (t, q, v) with
-- its configuration c0, over h. Each says what it takes (inputs) and what it gives; an input that it gives again is changed in place.
-- Nothing is accepted in them: the program looks, then commits or forgets.
local F = require "gen.plan.form"
local O = require "gen.plan.operations"

local Step = {}
Step.__index = Step

local function complain(format, ...) error("step plan: " .. format:format(...), 0) end

--- A new plan; `title` is the scheme's text.
function Step.new(title)
  local p = setmetatable({ title = title, ops = {}, constants = {}, memory = {}, inputs = {}, values = {}, kinds = {}, said = nil }, Step)
  p.list = p.ops
  p.h, p.bilateral, p.all, p.none = F.coefficient(1, 1), F.bilateral, F.all, F.none
  p.norm, p.limit, p.dot = F.norm, F.limit, F.dot
  for _, name in ipairs(O.data) do p.kinds[name] = "rows" end
  p.q, p.v, p.fresh = p:defined("point", "q"), p:defined("vector", "v"), p:defined("set", "fresh")
  p.e, p.weight_new, p.weight_old, p.one_plus_e = F.handle("rows", "e"), F.handle("rows", "1/(1+e)"), F.handle("rows", "e/(1+e)"),
    F.handle("rows", "1+e")
  return p
end

--- A new plan that knows what this one does of the laws of contact.
function Step:another(title)
  local p = Step.new(title)
  p.rebounds = self.rebounds
  return p
end

-- ---- names ------------------------------------------------------------------------------------------------------------------------

-- the kind of a name, nil if it is not defined: "c.g" are rows and "mass@c" an operator of a configuration
function Step:kind(name)
  local configuration = name:match("^mass@(.+)$")
  if configuration then return self.kinds[configuration] == "configuration" and "operator" or nil end
  configuration = name:match("^(.+)%.g$") or name:match("^(.+)%.slide$")
  if configuration then return self.kinds[configuration] == "configuration" and "rows" or nil end
  return self.kinds[name]
end

--- Defines a name (again: with the same kind only) and returns what stands for it.
function Step:defined(kind, name)
  local before = self.kinds[name]
  if before and before ~= kind then complain("%s is a %s already, now a %s", name, before, kind) end
  self.kinds[name] = kind
  if kind ~= "configuration" then return F.handle(kind, name) end
  return F.handle(kind, name, { g = F.handle("rows", name .. ".g"), slide = F.handle("rows", name .. ".slide"),
    mass = F.handle("operator", "mass@" .. name) })
end

--- What stands for a name that is defined.
function Step:named(name)
  return self:defined(self.kinds[name] or complain("'%s' is not defined", name), name)
end

--- A named constant of the scheme, correctly rounded. 0 and 1 need no name.
function Step:constant(name, value, text)
  if value == 0 or value == 1 then return F.coefficient(value) end
  if self.values[name] and self.values[name] ~= value then complain("constant %s has two values", name) end
  if not self.values[name] then self.constants[#self.constants + 1] = { name = name, value = value, text = text or "" } end
  self.values[name] = value
  return F.coefficient(name)
end

--- Memory of a kind; full: a set that holds everything in a fresh state.
function Step:remember(kind, name, full)
  self.memory[#self.memory + 1] = { name = name, kind = kind, full = full }
  return self:defined(kind, name)
end

--- What the program that runs the plan hands in. tangential: rows that are 0 but on tangents.
function Step:input(kind, name, tangential)
  self.inputs[#self.inputs + 1] = { name = name, kind = kind, tangential = tangential }
  return self:defined(kind, name)
end

--- A part with a name, which `write` fills in and which gives what it names: { "q1", "c1", .. }.
function Step:part(name, text, gives, write)
  local part = self:another(name)
  part.text, part.gives = text, gives
  write(part)
  for _, given in ipairs(gives) do if not part.kinds[given] then complain("part %s does not give '%s'", name, given) end end
  self.parts = self.parts or {}
  table.insert(self.parts, part)
end

--- Words for the next operation: what it is in the mathematics, with its equation.
function Step:say(...)
  self.said = select("#", ...) > 1 and (...):format(select(2, ...)) or (...)
  return self
end

-- ---- checking -----------------------------------------------------------------------------------------------------------------------

local check = {}

local function name_of(x) return type(x) == "table" and x.name or x end

-- one operand of a kind that names carry
local function operand(p, op, f, x)
  if type(x) ~= "string" then complain("%s: %s must be the name of a %s", op.op, f.name, f.kind) end
  local kind = p:kind(x)
  if not kind then complain("%s: '%s' is not defined", op.op, x) end
  if kind ~= f.kind then complain("%s: %s '%s' is a %s, not a %s", op.op, f.name, x, kind, f.kind) end
end

local function summands(p, op, f, data)
  local kind
  F.names(data, function(role, name)
    if role == "constant" then
      if not p.values[name] then complain("%s: there is no constant '%s'", op.op, name) end
      return
    end
    local found = p:kind(name)
    if not found then complain("%s: '%s' is not defined", op.op, name) end
    if role ~= "summand" and found ~= role then complain("%s: '%s' is a %s, not a %s", op.op, name, found, role) end
    if role == "summand" then
      if kind and kind ~= found then complain("%s: %s mixes %s and %s", op.op, f.name, kind, found) end
      kind = found
    end
  end)
  return kind
end

function check.form(p, op, f, data)
  local kind = summands(p, op, f, data)
  if op.kind and kind and op.kind ~= kind then complain("%s: %s of %s", op.op, op.kind, kind) end
  op.kind = op.kind or kind
  if op.kind ~= "vector" and op.kind ~= "rows" then complain("%s: nothing to combine", op.op) end
end
function check.displacements(p, op, f, data)
  if summands(p, op, f, data) ~= "vector" then complain("%s: %s must be vectors times rows", op.op, f.name) end
end
function check.predicate(p, op, f, data)
  local comparisons = { le = true, lt = true, gt = true, absgt = true }
  local words = { ["or"] = true, ["and"] = true, ["not"] = true, ["in"] = true, all = true, none = true, bilateral = true }
  local function go(x)
    if comparisons[x[1]] then
      local tolerance = x[3]
      if type(tolerance) ~= "number" and not O.tolerances[tostring(tolerance):gsub("^-", "")] then
        complain("%s: '%s' is no tolerance", op.op, tostring(tolerance))
      end
      if summands(p, op, f, x[2]) ~= "rows" then complain("%s: a predicate looks at rows", op.op) end
    elseif not words[x[1]] then
      complain("%s: '%s' is no predicate", op.op, tostring(x[1]))
    elseif x[1] == "in" then
      operand(p, op, { name = f.name, kind = "set" }, x[2])
    else
      for i = 2, #x do go(x[i]) end
    end
  end
  go(data)
end
function check.number(_, op, f, x) if type(x) ~= "number" then complain("%s: %s must be a number", op.op, f.name) end end
function check.flag(_, op, f, x) if x ~= true then complain("%s: %s is true or absent", op.op, f.name) end end
function check.word(_, op, f, x)
  if not O.words[f.name][x] then complain("%s: %s has no '%s'", op.op, f.name, tostring(x)) end
end
local function coefficient(p, op, f, x)
  local c, k = x[1], x[2]
  local named = type(c) == "string" and p.values[c]
  if not named and type(c) ~= "number" or type(k) ~= "number" then complain("%s: %s is no coefficient c h^k", op.op, f.name) end
end
function check.weight(p, op, f, x)
  if type(x[1]) ~= "table" then return coefficient(p, op, f, x) end
  for _, row in ipairs(x) do for _, y in ipairs(row) do coefficient(p, op, f, y) end end
end
function check.matrix(p, op, f, x) check.weight(p, op, f, x) end
function check.body(_, op, f, x) if type(x) ~= "table" then complain("%s: %s must be a list", op.op, f.name) end end
function check.rounds(p, op, _, x)
  for _, pair in ipairs { { "x", "vector" }, { "dx", "vector" }, { "from", "vector" }, { "press", "rows" } } do
    operand(p, op, { name = "rounds." .. pair[1], kind = pair[2] }, x[pair[1]])
  end
  if x.freeze then operand(p, op, { name = "rounds.freeze", kind = "configuration" }, x.freeze) end
end
function check.keep(p, op, _, list)
  local kept, places = {}, op.halt and p.inputs or p.memory
  for _, pair in ipairs(list) do
    for _, m in ipairs(places) do
      if m.name == pair[1] then
        kept[m.name] = true
        operand(p, op, { name = "keep." .. m.name, kind = m.kind }, pair[2])
      end
    end
    if not kept[pair[1]] then complain("accept: '%s' is not in %s", pair[1], op.halt and "what programs look at" or "memory") end
  end
  for _, m in ipairs(op.halt and {} or p.memory) do if not kept[m.name] then complain("accept: memory '%s' is not kept", m.name) end end
end

function check.dense(p, op, _, x)
  for _, name in ipairs(x.V) do operand(p, op, { name = "dense", kind = "vector" }, name) end
  if x.path then operand(p, op, { name = "dense.path", kind = "vector" }, x.path) end
  if x.nodes and #x.nodes ~= #x.V then complain("accept: %d nodes of %d vectors", #x.nodes, #x.V) end
end

--- Appends an operation after checking it; defines what it gives.
function Step:put(op)
  local signature = O.of[op.op] or complain("there is no operation '%s'", tostring(op.op))
  for key in next, op do if not signature.known[key] then complain("%s has no field '%s'", op.op, tostring(key)) end end
  for _, f in ipairs(signature.fields) do
    local x = op[f.name]
    if x == nil then
      if not f.optional then complain("%s: %s is missing", op.op, f.name) end
    elseif not f.defines then
      if check[f.kind] then
        check[f.kind](self, op, f, x)
      elseif f.list then
        for _, name in ipairs(x) do operand(self, op, f, name) end
      else
        operand(self, op, f, x)
      end
    end
  end
  for _, f in ipairs(signature.fields) do
    if f.defines then
      for _, name in ipairs(f.list and op[f.name] or { op[f.name] }) do self:defined(f.kind == "any" and op.kind or f.kind, name) end
    end
  end
  op.text, self.said = self.said, nil
  self.list[#self.list + 1] = op
  return op
end

local function names(list)
  local t = {}
  for i, x in ipairs(list or {}) do t[i] = x.name end
  return list and t
end

-- ---- constructors: one for each operation, in the words of a scheme --------------------------------------------------------------------

function Step:kinematics(c, node, q, find)
  self:put { op = "kinematics", c = c, node = node, q = q.name, find = find }
  return self:defined("configuration", c)
end
--- Every row at its own point: q moved by vectors times rows.
function Step:kinematics_by_rows(c, node, q, by)
  self:put { op = "kinematics", c = c, node = node, q = q.name, by = F.terms(by) }
  return self:defined("configuration", c)
end
function Step:forces(f, c, v)
  self:put { op = "forces", f = f, c = c.name, v = v.name }
  return self:defined("vector", f)
end
function Step:rates(U, c, v, homogeneous)
  self:put { op = "rates", U = U, c = c.name, v = v.name, homogeneous = homogeneous }
  return self:defined("rows", U)
end
function Step:bias(gam, c, v)
  self:put { op = "bias", gam = gam, c = c.name, v = v.name }
  return self:defined("rows", gam)
end
function Step:combine(y, form)
  local terms, kind = F.terms(form)
  self:put { op = "combine", y = y, terms = terms, kind = kind }
  return self:defined(kind, y)
end
function Step:ratio(y, a, b)
  self:put { op = "ratio", y = y, a = a.name, b = b.name }
  return self:defined("rows", y)
end
function Step:retract(q1, q, x)
  self:put { op = "retract", q1 = { q1 }, q = q.name, x = x.name }
  return self:defined("point", q1)
end
-- a coefficient, or a matrix of them (rows from 1), as data
local function weight(w)
  if w.kind == "coefficient" then return { w.c, w.k } end
  local rows = {}
  for i, row in ipairs(w) do
    rows[i] = {}
    for j, x in ipairs(row) do rows[i][j] = { x.c, x.k } end
  end
  return rows
end

--- The points q + sum_k weights[l][k] V[k] of a method with position matrix B (coefficients of h), one for each name.
function Step:retract_stages(list, q, V, B, weights)
  local velocities, points = {}, {}
  for k, x in ipairs(V) do velocities[k] = x.name end
  self:put { op = "retract", q1 = list, q = q.name, V = velocities, B = weight(B), weights = weight(weights) }
  for l, name in ipairs(list) do points[l] = self:defined("point", name) end
  return points
end
function Step:apply(y, A, x)
  self:put { op = "apply", y = y, A = A.name, x = x.name }
  return self:defined("vector", y)
end
function Step:solve(y, A, x)
  self:put { op = "solve", y = { y }, A = A.name, x = { x.name } }
  return self:defined("vector", y)
end
--- Over several vectors; in place where x is not given.
function Step:solve_stages(A, y, x)
  self:put { op = "solve", y = names(y), A = A.name, x = names(x or y) }
end
--- fields: c, v, a, wv, wq, symmetric; of stages also r, on, grip, slide, turning.
function Step:operator(A, fields)
  self:put { op = "operator", A = A, c = fields.c.name, v = fields.v.name, a = name_of(fields.a), wv = weight(fields.wv),
    wq = weight(fields.wq), r = name_of(fields.r), on = name_of(fields.on), grip = name_of(fields.grip),
    slide = name_of(fields.slide), turning = name_of(fields.turning), symmetric = fields.symmetric }
  return self:defined("operator", A)
end
function Step:spread(f, c, r, on)
  self:put { op = "spread", f = f, c = c.name, r = r.name, on = on.name }
  return self:defined("vector", f)
end
function Step:set(S, where)
  self:put { op = "set", S = S, where = F.data(where) }
  return self:defined("set", S)
end
function Step:direction(s, fields)
  self:put { op = "direction", s = s, U = name_of(fields.U), from = name_of(fields.from), where = name_of(fields.where),
    on = name_of(fields.on), turns = fields.turns, frozen = name_of(fields.frozen), forward = fields.forward }
  return self:defined("rows", s)
end
--- Returns x and r.
function Step:contact(x, r, fields)
  local op = { op = "contact", x = x, r = r }
  for _, f in ipairs(O.of.contact.fields) do
    if not f.defines then op[f.name] = name_of(fields[f.name]) end
  end
  op.mean = fields.mean and weight(fields.mean)
  self:put(op)
  return self:defined("vector", x), self:defined("rows", r)
end

-- the operations that a function writes, as a list; what they define stays defined if `always`
local function body(p, write, always)
  local outer, kinds = p.list, p.kinds
  p.list, p.kinds = {}, setmetatable({}, { __index = kinds })
  local good, why = pcall(write)
  local list, inner = p.list, p.kinds
  p.list, p.kinds = outer, kinds
  if not good then error(why, 0) end
  if always then for name, kind in next, inner do kinds[name] = kind end end -- order does not matter
  return list, inner
end

--- stop: max, and small (names) + of (vectors) + defect (names), same (two sets) or holds (a predicate) with falls (rows); rounds: x,
--- dx, from, press, freeze.
function Step:iterate(stop, write)
  local said = self.said
  self.said = nil
  local list = body(self, write, not stop.holds)
  local rounds = stop.rounds and { x = stop.rounds.x.name, dx = stop.rounds.dx, from = stop.rounds.from.name,
    press = stop.rounds.press, freeze = stop.rounds.freeze }
  self.said = said
  self:put { op = "repeat", max = stop.max, body = list, small = stop.small, of = names(stop.of), defect = stop.defect,
    same = names(stop.same), holds = stop.holds and F.data(stop.holds), falls = name_of(stop.falls), rounds = rounds,
    floor = stop.floor, speeds = names(stop.speeds) }
end

--- Runs `write` if the set has a member, else `other`.
function Step:when(set, write, other)
  local said = self.said
  self.said = nil
  local list, inner = body(self, write)
  local otherwise, also
  if other then otherwise, also = body(self, other) end
  self.said = said
  self:put { op = "when", any = set.name, body = list, other = otherwise }
  for name, kind in next, inner do -- what both define is defined after it
    if also and rawget(also, name) == kind then self.kinds[name] = kind end
  end
end

local function kept(pairs_of)
  local keep = {}
  for i, pair in ipairs(pairs_of or {}) do keep[i] = { pair[1].name, pair[2].name } end
  return keep
end

--- The step ends here and is not made; keep: { { input, with }, .. }, what the program is to see.
function Step:halt(keep) self:put { op = "accept", halt = true, keep = kept(keep) } end

--- fields: q, v, at, impulse and events (lists), keep = { { memory, with }, .. }; dense = { V, nodes or path, text }; watch and on.
function Step:accept(fields)
  self:put { op = "accept", q = fields.q.name, v = fields.v.name, at = fields.at.name, impulse = names(fields.impulse),
    events = names(fields.events), keep = kept(fields.keep), watch = name_of(fields.watch), on = name_of(fields.on),
    dense = fields.dense and { V = names(fields.dense.V), nodes = fields.dense.nodes, path = name_of(fields.dense.path),
      text = fields.dense.text } }
  return self
end

return Step
