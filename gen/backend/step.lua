-- A step plan (gen/plan/step.lua) as C. It knows no scheme, and of the model only its sizes: what the model is stands behind the names
-- of its operators.
local control = require "gen.backend.control"
local forms = require "gen.backend.forms"
local operations = require "gen.backend.operations"
local print_c = require "gen.expr.print"

local B = {}

local W = {} -- the writer
for name, f in next, forms do W[name] = f end -- order does not matter

-- a line of C; the first statement of an operation carries what is said about it
function W:say(format, ...)
  if #self.follow > 0 then -- tangents of sets that were just made
    local follow = self.follow
    self.follow = {}
    for _, line in ipairs(follow) do self.lines[#self.lines + 1] = line end
  end
  local line = select("#", ...) > 0 and format:format(...) or format
  if self.note and line:find ";$" then
    line, self.note = ("%s /* %s */"):format(line, self.note), nil
  end
  self.lines[#self.lines + 1] = line
end

function W:loop(variable, first, last, body)
  self:say("for (int %s = %s; %s < %s; ++%s) {", variable, first, variable, last, variable)
  body()
  self:say "}"
end

-- The same statement for every element: loops over the same elements that stand one after another are one loop. A statement looks at
-- no other elements of what the ones before it made.
function W:every(variable, first, last, format, ...)
  local header = ("for (int %s = %s; %s < %s; ++%s) {"):format(variable, first, variable, last, variable)
  local open = self.open
  if open and open.header == header and open.lines == self.lines and open.last == #self.lines then
    self.lines[#self.lines] = nil
  else
    self:say(header)
  end
  local follow = self.follow
  self.follow = {}
  self:say(format, ...)
  self.lines[#self.lines + 1], self.follow = "}", follow
  self.open = { header = header, lines = self.lines, last = #self.lines }
end

function W:remember(format, ...) self.declarations[#self.declarations + 1] = format:format(...) end

-- Where what the step needs lives is the back end's: on the stack, or in the work space of the state, where large models have room.
-- count: numbers, of each of `rows`; nil: a structure, known by its address.
function W:declare(kind, name, count, rows)
  local many = count and (rows and ("[%d][%d]"):format(count, rows) or ("[%d]"):format(count)) or ""
  if self.in_work then
    self.members[#self.members + 1] = ("%s %s%s;"):format(kind, name, many)
    self:remember(rows and "%s(*const %s)[" .. rows .. "] = s->work.%s;" or count and "%s *const %s = s->work.%s;"
      or "%s *const %s = &s->work.%s;", kind .. (rows and " " or ""), name, name)
  elseif count then
    self:remember("%s %s%s;", kind, name, many)
  else
    self:remember("%s %s_at, *const %s = &%s_at;", kind, name, name, name)
  end
end

-- point = q + x
function W:retract(point, q, x)
  self:every("i", 0, self.NS, "%s[i] = %s[i] + %s[i];", point, q, x)
  if self.NB == 0 then return end
  self:loop("body", 0, self.NB, function() -- it may stand in a loop over groups of rows
    self:say("carom_quaternion_turn(%s + %d + 4 * body, %s + %d + 3 * body, %s + %d + 4 * body);", q, self.NS, x, self.NS, point, self.NS)
  end)
end

-- velocities of the step for dense output; of two steps where halves of one are accepted together
function W:keep_span(dense)
  local last = ("s->span[%d]"):format(self.spans - 1)
  if self.spans == 2 then self:say "s->span[0] = s->span[1];" end
  self:loop("i", 0, self.NV, function()
    for l, name in ipairs(dense.V) do self:say("%s.V[%d][i] = %s[i];", last, l - 1, self:named(name)) end
    if dense.path then self:say("%s.path[0][i] = %s[i];", last, self:named(dense.path)) end
  end)
  self:loop("i", 0, self.NQ, function() self:say("%s.q[i] = q[i];", last) end)
  self:say("%s.t = t;", last)
end

-- a status that ends the step
function W:try(format, ...)
  self:say("status = " .. format, ...)
  self:fail("status", "status != CAROM_OK")
end

-- the step ends with a status, if a condition holds
function W:fail(status, condition)
  local leave = self.given and ("return %s;"):format(status) or ("return %s_fail(s, %s, &info);"):format(self.X, status)
  self:say(condition and ("if (%s) { %s }"):format(condition, leave) or leave)
end

-- what the state calls the memory of plans
local MEMORY = { press = "pressing", force = "force" }

function W:named(name)
  if self.memory[name] and not self.kinds[name] then return "s->" .. self.memory[name] end
  if self.aliases[name] then return self:named(self.aliases[name]) end
  return name
end

function W:remark(op)
  if op.text then
    self:say ""
    self:say("/* %s */", op.text)
  end
end

function W:one(op, before)
  local whole = op.op == "repeat" or op.op == "when"
  if whole then self:remark(op) elseif op.op ~= "accept" then self.note = op.text end
  (operations[op.op] or control[op.op])(self, op, before)
  self.note = nil
end

-- Everything that an operation mentions, itself and what is inside it.
local function mentions(x, name)
  if type(x) == "string" then return x == name end
  if type(x) ~= "table" then return false end
  for key, y in next, x do if key ~= "text" and key ~= "op" and mentions(y, name) then return true end end -- order does not matter
  return false
end

-- outside an operation, is a name looked at by `accept` alone?
function W:only_accepted(name, inside)
  local only = true
  local function go(ops)
    for _, op in ipairs(ops) do
      if op.op ~= "accept" and op ~= inside then
        for key, x in next, op do -- order does not matter
          if type(x) == "table" and key ~= "body" and key ~= "other" then
            only = only and not mentions(x, name)
          elseif x == name and key ~= "y" and key ~= "S" and key ~= "r" then
            only = false
          end
        end
        go(op.body or {})
        go(op.other or {})
      end
    end
  end
  go(self.plan.ops)
  return only
end

local LAZY = { rates = "U", bias = "gam", combine = "y", direction = "s", ["set"] = "S" }

-- The operations just before a contact problem that nobody else looks at: they are done only if the problem is there. In a loop names may
-- come from the iteration before.
local function only_for(ops, i, loop, around)
  local first = i
  while first > 1 do
    local op = ops[first - 1]
    local name = LAZY[op.op] and op[LAZY[op.op]]
    if not name or op.op == "combine" and op.kind ~= "rows" or name == ops[i].set then break end
    local elsewhere = loop and (mentions(loop.small, name) or mentions(loop.same, name) or mentions(loop.holds, name))
    local function look(other)
      local again = LAZY[other.op] and other[LAZY[other.op]] == name
      elsewhere = elsewhere or not again and mentions(other, name)
      return again
    end
    for k = i + 1, #ops do if look(ops[k]) then goto known end end
    for k = 1, loop and first - 2 or 0 do if look(ops[k]) then break end end
    for f = #around, 1, -1 do
      for k = around[f].i + 1, #around[f].ops do if look(around[f].ops[k]) then goto known end end
    end
    ::known::
    if elsewhere then break end
    first = first - 1
  end
  return first
end

-- where a first guess of a contact problem is made that nobody looks at before
local function guess_of(ops, i)
  local r = ops[i].guess == ops[i].r and ops[i].r
  for k = i - 1, 1, -1 do
    if r and ops[k].op == "combine" and ops[k].y == r and operations.copied(ops[k]) then return k end
    if not r or mentions(ops[k], r) then return end
  end
end

function W:list(ops)
  local from, skipped = {}, {}
  for i, op in ipairs(ops) do
    if op.op == "contact" then
      local first, guess = only_for(ops, i, self.loops[#self.loops], self.around), guess_of(ops, i)
      from[i] = { table.unpack(ops, first, i - 1) }
      for k = first, i - 1 do skipped[k] = true end
      if guess and not skipped[guess] then
        table.insert(from[i], 1, ops[guess])
        skipped[guess] = true
      end
    end
  end
  local frame = { ops = ops }
  self.around[#self.around + 1] = frame
  for i, op in ipairs(ops) do
    frame.i = i
    if from[i] then
      self:one(op, from[i])
    elseif not skipped[i] then
      self:one(op)
    end
  end
  self.around[#self.around] = nil
end

-- does a list hold a contact problem, however deep?
local function has_contact(ops)
  for _, op in ipairs(ops) do
    if op.op == "contact" or has_contact(op.body or {}) or has_contact(op.other or {}) then return true end
  end
  return false
end

--- What is done once, of a state given from outside, and is long: a function of its own.
function W.stands_apart(op) return op.op == "when" and op.any == "fresh" and op.other and has_contact(op.body) or false end

-- Declarations of arrays of one type in as few lines as can be.
local function together(declarations)
  local out, first, width = {}, {}, {}
  for _, line in ipairs(declarations) do
    local kind, rest = line:match("^(double) ([%w_]+%[[%d%]%[]+);$")
    if not kind then kind, rest = line:match("^(bool) ([%w_]+%[%d+%]);$") end
    if kind and first[kind] and width[kind] + #rest < 100 then
      out[first[kind]] = out[first[kind]]:gsub(";$", ", " .. rest .. ";")
      width[kind] = #out[first[kind]]
    else
      out[#out + 1] = line
      if kind then first[kind], width[kind] = #out, #line end
    end
  end
  return out
end

-- every operation, however deep, but not in what stands apart
local function each(ops, visit, inside)
  for _, op in ipairs(ops) do
    visit(op, inside)
    if op.body and not W.stands_apart(op) then each(op.body, visit, op.op == "repeat" and op or inside or op) end
    if op.other then each(op.other, visit, inside or op) end
  end
end

local DEFINES = { kinematics = { "c", "configuration" }, forces = { "f", "vector" }, rates = { "U", "rows" }, bias = { "gam", "rows" },
  ratio = { "y", "rows" }, apply = { "y", "vector" }, spread = { "f", "vector" }, ["set"] = { "S", "set" }, direction = { "s", "slide" } }

-- A list without what is repeated while something holds of rows: where there are none, nothing does.
local function rowless(ops)
  local list = {}
  for _, op in ipairs(ops) do
    if op.op ~= "repeat" or not op.holds then
      local copy = {}
      for key, x in next, op do copy[key] = (key == "body" or key == "other") and rowless(x) or x end -- order does not matter
      list[#list + 1] = copy
    end
  end
  return list
end

--- Lines of the step and its declarations. size: X, NQ NV NS NB NE NG NR NT NC, rows (how many rows carry force, in C), tolerances by
--- name, tol, stagnation; forgotten: memory that this back end makes nothing of (first guesses); in_work: what the step needs are
--- members of the state's work space, else it is on the stack.
function B.lines(plan, size)
  if size.NR == 0 then plan = setmetatable({ ops = rowless(plan.ops) }, { __index = plan }) end
  local w = setmetatable({ plan = plan, lines = {}, declarations = {}, members = {}, functions = {}, depth = 0, turns = 0,
    info = size.given and "info" or "&info",
    kinds = {}, memory = {}, aliases = {}, pointers = {}, -- of names; pointers: vectors that one branch copies
    stacked = {}, -- how many stages an operator is of
    row_sets = {}, full = {}, whole = {}, -- sets that need their tangents, that hold all bilateral rows, all rows
    follow = {}, -- what is said after the loop at hand
    handed = {}, unread = {}, rare = {}, -- what is handed back, that nobody reads, that only fresh states have
    points = { c0 = { time = "t", q = "q" } }, loops = {}, around = {} }, -- of configurations; where we are
    { __index = function(_, key) return W[key] or size[key] end })
  for _, m in ipairs(plan.memory) do w.memory[m.name] = MEMORY[m.name] or m.name end
  local order, count, made, copies = {}, {}, {}, {}
  local function define(name, kind)
    if not w.kinds[name] then order[#order + 1] = name end
    w.kinds[name], count[name] = kind, (count[name] or 0) + 1
  end
  local operators, outside, stages = {}, {}, 0
  each(plan.ops, function(op, inside)
    if op.op == "combine" and not (inside and inside.op == "when") then outside[op.y] = true end
    local d = DEFINES[op.op]
    if d then define(op[d[1]], d[2]) end
    if op.op == "combine" then
      define(op.y, op.kind)
      if op.kind == "vector" then
        local from = operations.copied(op)
        if from then copies[#copies + 1] = { y = op.y, from = from, branch = inside and inside.op == "when" } else made[op.y] = true end
      end
    elseif op.op == "retract" then
      for _, name in ipairs(op.q1) do define(name, "point") end
    elseif op.op == "solve" then
      for _, name in ipairs(op.y) do define(name, "vector") end
    elseif op.op == "contact" then
      define(op.x, "vector")
      define(op.r, "rows")
      w.row_sets[op.set] = true
    elseif op.op == "operator" then
      w.stacked[op.A] = type(op.wv[1]) == "table" and #op.wv or nil
      if not w.kinds[op.A] then operators[#operators + 1] = { name = op.A, stages = w.stacked[op.A], on = op.on, op = op } end
      w.kinds[op.A] = "operator"
      stages = w.stacked[op.A] or stages
    end
    if op.op == "spread" then w.row_sets[op.on] = true end
    if op.op == "set" and op.where[1] == "all" then w.whole[op.S] = true end
    if op.op == "set" then w.full[op.S] = forms.full(op, w.full[op.S]) end
  end)
  for _, copy in ipairs(copies) do
    local fixed = (count[copy.from] or 0) + (w.memory[copy.from] and 1 or 0) <= 1 or copy.from == "v"
    if w.given and w.given[copy.y] or w.memory[copy.y] then w.aliases[copy.y] = nil
    elseif copy.branch and fixed and not outside[copy.y] then w.pointers[copy.y] = true
    elseif fixed and count[copy.y] == 1 then w.aliases[copy.y] = copy.from end
  end
  for _, A in ipairs(operators) do -- which rows are held, NAME_sensitivity sees by their forces
    if A.on and w:only_accepted(A.on, A.op) then w.unread[A.on] = true end
  end
  each(plan.ops, function(op) -- forces along other rows are those of bilateral ones
    if op.along_on and w:only_accepted(op.along_on, op) then w.unread[op.along_on] = true end
  end)
  for _, m in ipairs(plan.memory) do -- what the step changes before it is accepted
    if w.kinds[m.name] and (m.kind == "vector" or size.NR > 0) then
      w:every("i", 0, m.kind == "vector" and size.NV or m.kind == "set" and size.NG or size.rows, "%s[i] = s->%s[i];", m.name,
        w.memory[m.name])
    end
  end
  w:list(plan.ops)
  for _, name in ipairs(order) do
    local kind = not (w.given and w.given[name]) and w.kinds[name]
    if kind == "vector" and not w.aliases[name] then
      if w.pointers[name] then
        if made[name] or w.handed[name] then w:declare("double", name .. "_made", size.NV) end
        w:remember("const double *%s = v;", name)
      else
        w:declare("double", name, size.NV)
      end
    elseif kind == "point" then w:declare("double", name, size.NQ)
    elseif kind == "rows" and size.NR > 0 then w:declare("double", name, size.NR)
    elseif kind == "set" and w.rare[name] and size.NR > 0 and not w.in_work then w:remember("bool %s[%d] = {false};", name, size.NR)
    elseif kind == "set" and size.NR > 0 and not w.unread[name] then w:declare("bool", name, size.NR)
    elseif kind == "slide" and size.NT > 0 then w:declare("double", name .. "_", size.NT)
    elseif kind == "configuration" and w.points[name].by then
      if size.NR > 0 then w:declare(size.X .. "_points", name) end
    elseif kind == "configuration" and name ~= "c0" and name ~= "c1" then
      w:declare(size.X .. "_config", name)
    end
  end
  for _, A in ipairs(operators) do w:declare(size.X .. (A.stages and "_stage_matrix" or "_matrix"), A.name) end
  if w.turns > 0 then
    w:declare("double", "turn", w.turns, size.NT)
    w:remember("for (int i = 0; i < %d; ++i) {", w.turns * size.NT)
    w:remember("turn[i / %d][i %% %d] = 0.0;", size.NT, size.NT)
    w:remember "}"
  end
  local constants = {}
  for i, c in ipairs(plan.constants) do
    constants[i] = { name = forms.constant(c.name), text = print_c.number(c.value), comment = c.text ~= "" and c.text or c.name }
  end
  return { step = w.step or w.lines, accept = w.lines, total = w.total, declarations = together(w.declarations), members = w.members,
    constants = constants, stages = stages, functions = w.functions, ends = w.ends }
end

-- A function of what a state given from outside does first; it hands back what the rest of the step looks at. Levels of a step share it.
function W:apart_of(op)
  local names, given, arguments, values = {}, {}, {}, {}
  for _, other in ipairs(op.other) do
    local name = other.y or other.S
    names[#names + 1], given[name] = name, true
  end
  local size = setmetatable({ given = given }, getmetatable(self))
  local made = B.lines({ ops = op.body, memory = self.plan.memory, constants = {} }, size)
  table.move(made.members, 1, #made.members, #self.members + 1, self.members)
  for i, name in ipairs(names) do
    local set = self.kinds[name] == "set"
    if self.pointers[name] then self.handed[name] = true end
    arguments[i] = (set and "bool *" or "double *") .. name
    values[i] = self.pointers[name] and name .. "_made" or name
  end
  local lines = { ("/* %s */"):format(op.text), ("static carom_status %s_from_outside(%s *s, %s_config *c0, %s, carom_info *info,"):format(
    self.X, self.X, self.X, table.concat(arguments, ", ")), "    carom_counts *counts)", "{", "const double *const v = s->v;" }
  table.move(made.declarations, 1, #made.declarations, #lines + 1, lines)
  lines[#lines + 1] = "carom_status status = CAROM_OK;"
  table.move(made.step, 1, #made.step, #lines + 1, lines)
  table.move({ "return status;", "}", "" }, 1, 3, #lines + 1, lines)
  self.functions[#self.functions + 1] = lines
  self:try("%s_from_outside(s, c0, %s, &info, counts);", self.X, table.concat(values, ", "))
  for _, name in ipairs(names) do if self.pointers[name] then self:say("%s = %s_made;", name, name) end end
end

return B
