-- A step plan as tables of C (runtime/include/carom/plan.h), for the runtime that executes plans on PETSc: names become numbers within
-- their kind, what operations are told becomes ranges in tables. Above every operation stands its line of the algorithm box.
local O = require "gen.plan.operations"
local print_c = require "gen.expr.print"
local text_of = require "gen.plan.text"

local P = {}

local word_of = { le = "CAROM_LE", lt = "CAROM_LT", gt = "CAROM_GT", absgt = "CAROM_ABSGT", ["in"] = "CAROM_IN", all = "CAROM_ALL",
  none = "CAROM_NONE", bilateral = "CAROM_BILATERAL", ["not"] = "CAROM_NOT", ["and"] = "CAROM_AND", ["or"] = "CAROM_OR" }
local part_of = { norm = "CAROM_OF_NORM", limit = "CAROM_OF_LIMIT", dot = "CAROM_OF_DOT" }

local Writer = {}
Writer.__index = Writer

-- the number of a name within its kind, in the order in which they come
function Writer:number(kind, name)
  local list = self.names[kind]
  if not list[name] then
    list.count = list.count + 1
    list[name] = list.count
    list[list.count] = name
  end
  return list[name]
end

-- c.g are rows of their own
function Writer:rows(name)
  local c = name:match("^(.+)%.g$")
  local number = self:number("rows", name)
  if c then self.gap[self:number("configuration", c)] = number end
  return number
end

local function number(x) return print_c.number(x + 0.0) end

function Writer:coefficient(c)
  if type(c) == "number" then return number(c) end
  local name = c:gsub("^-", "")
  return number((c:sub(1, 1) == "-" and -1 or 1) * self.plan.values[name])
end

-- entries of a table, as a range in it
function Writer:range(table_name, entries)
  local list = self.tables[table_name]
  local first = #list
  table.move(entries, 1, #entries, first + 1, list)
  return #entries > 0 and ("{ %d, %d }"):format(first, #entries) or nil
end

function Writer:list(kind, names)
  local entries = {}
  for i, name in ipairs(names or {}) do entries[i] = tostring(kind == "rows" and self:rows(name) or self:number(kind, name)) end
  return self:range("name", entries)
end

-- fields { key, value, .. } as initialisers; what is absent is left out
local function initialiser(fields)
  local parts = {}
  for i = 1, fields.n or #fields, 2 do
    local key, value = fields[i], fields[i + 1]
    if value and value ~= 0 and value ~= "" then parts[#parts + 1] = ("%s = %s"):format(key, value) end
  end
  return "{ " .. table.concat(parts, ", ") .. " }"
end

function Writer:terms(list, kind)
  local entries = {}
  for i, term in ipairs(list or {}) do
    local by = term.by or {}
    if #by > 2 then error "a term has more than two factors" end
    entries[i] = initialiser { ".c", self:coefficient(term.c), ".k", math.tointeger(term.k),
      ".x", kind == "vector" and self:number("vector", term.x) or self:rows(term.x), ".by", by[1] and self:rows(by[1]) or 0,
      ".by_also", by[2] and self:rows(by[2]) or 0, ".on", term.on and self:number("set", term.on) or 0,
      ".normal", term.part == "normal" and 1 or 0, ".of", term.of and part_of[term.of] or 0, ".y", term.y and self:rows(term.y) or 0 }
  end
  return self:range("term", entries)
end

function Writer:tests(predicate)
  local entries = {}
  local function go(p)
    local word = p[1]
    if word == "and" or word == "or" then
      for i = 2, #p do
        go(p[i])
        if i > 2 then entries[#entries + 1] = initialiser { ".word", word_of[word] } end
      end
      return
    elseif word == "not" then
      go(p[2])
    end
    local fields = { ".word", word_of[word], n = 10 }
    if word == "in" then
      fields[9], fields[10] = ".set", self:number("set", p[2])
    elseif type(p[2]) == "table" and word ~= "not" then
      local tolerance = p[3]
      fields[3], fields[4] = ".terms", self:terms(p[2], "rows")
      if type(tolerance) == "number" then
        fields[5], fields[6] = ".times", number(tolerance)
      else
        local name = tolerance:gsub("^-", "")
        fields[5], fields[6] = ".times", name ~= "zero" and (tolerance:sub(1, 1) == "-" and "-1.0" or "1.0") or 0
        fields[7], fields[8] = ".tolerance", name ~= "zero" and "CAROM_TOL_" .. name:upper() or 0
      end
    end
    for i = 1, fields.n do fields[i] = fields[i] or 0 end
    entries[#entries + 1] = initialiser(fields)
  end
  if predicate then go(predicate) end
  return self:range("test", entries)
end

function Writer:operator(name)
  local c = name:match("^mass@(.+)$")
  return c and -self:number("configuration", c) or self:number("operator", name)
end

function Writer:factors(matrix)
  local entries = {}
  for _, row in ipairs(matrix or {}) do
    for _, x in ipairs(row) do
      entries[#entries + 1] = initialiser { ".c", self:coefficient(x[1]), ".k", math.tointeger(x[2]) }
    end
  end
  return self:range("factor", entries)
end

-- the fields of an operation; o: a number, given the kind of the operand
local put = {}

function put.kinematics(w, op, o)
  return { ".c", o("configuration", op.c), ".q", o("point", op.q), ".node", op.node ~= 0 and number(op.node) or 0,
    ".find", op.find and 1 or 0, ".terms", op.by and w:terms(op.by, "vector") or 0 }
end
function put.forces(_, op, o) return { ".y", o("vector", op.f), ".c", o("configuration", op.c), ".v", o("vector", op.v) } end
function put.rates(_, op, o)
  return { ".y", o("rows", op.U), ".c", o("configuration", op.c), ".v", o("vector", op.v), ".homogeneous", op.homogeneous and 1 or 0 }
end
function put.bias(_, op, o) return { ".y", o("rows", op.gam), ".c", o("configuration", op.c), ".v", o("vector", op.v) } end
function put.combine(w, op, o) return { ".y", o(op.kind, op.y), ".terms", w:terms(op.terms, op.kind) or 0 } end
function put.ratio(_, op, o) return { ".y", o("rows", op.y), ".x", o("rows", op.a), ".b", o("rows", op.b) } end
function put.retract(w, op, o)
  local V = op.x and { op.x } or op.V
  return { ".points", w:list("point", op.q1), ".q", o("point", op.q), ".vectors", w:list("vector", V),
    ".factor", w:factors(op.x and { { { 1, 0 } } } or op.weights), ".stages", w.turns and op.B and w:factors(op.B) or 0 }
end
function put.apply(w, op, o) return { ".y", o("vector", op.y), ".A", w:operator(op.A), ".x", o("vector", op.x) } end
function put.solve(w, op, o)
  if #op.y > 1 then error "stages are not solved together on PETSc" end
  return { ".y", o("vector", op.y[1]), ".A", w:operator(op.A), ".x", o("vector", op.x[1]) }
end
function put.operator(w, op, o)
  if type(op.wv[1]) == "table" then error "stages are not solved together on PETSc" end
  return { ".y", w:operator(op.A), ".c", o("configuration", op.c), ".v", o("vector", op.v), ".factor", w:factors { { op.wv, op.wq } } }
end
function put.spread(_, op, o)
  return { ".y", o("vector", op.f), ".c", o("configuration", op.c), ".r", o("rows", op.r), ".set", o("set", op.on) }
end
put["set"] = function(w, op, o) return { ".y", o("set", op.S), ".test", w:tests(op.where) } end
function put.direction(_, op, o)
  return { ".y", o("rows", op.s), ".x", o("rows", op.U), ".from", o("rows", op.from), ".where", o("rows", op.where),
    ".on", o("set", op.on), ".turns", op.turns or 0, ".frozen", o("set", op.frozen) }
end
function put.contact(w, op, o)
  return { ".y", o("vector", op.x), ".r", o("rows", op.r), ".A", w:operator(op.A), ".c", o("configuration", op.at),
    ".set", o("set", op.set), ".x", o("vector", op.rhs), ".b", o("rows", op.b), ".carried", o("rows", op.carried),
    ".equal", op.laws == "equal" and 1 or 0,
    ".normal", op.rows == "normal" and 1 or 0, ".slide", o("rows", op.slide), ".along", o("configuration", op.along),
    ".along_on", o("set", op.along_on), ".guess", o("rows", op.guess), ".drop", o("set", op.drop), ".fallback", op.fallback and 1 or 0 }
end
put["repeat"] = function(w, op, o)
  local rounds = op.rounds or {}
  return { ".max", math.tointeger(op.max), ".vectors", w:list("vector", op.small), ".of", w:list("vector", op.of),
    ".defect", w:list("vector", op.defect), ".same", w:list("set", op.same), ".test", w:tests(op.holds),
    ".falls", o("rows", op.falls), ".round_x", o("vector", rounds.x), ".round_dx", o("vector", rounds.dx),
    ".round_from", o("vector", rounds.from), ".round_press", o("rows", rounds.press), ".round_freeze", o("configuration", rounds.freeze) }
end
function put.when(_, op, o) return { ".set", o("set", op.any) } end
function put.accept(w, op, o)
  local keep, place, dense, nodes = {}, {}, op.dense or {}, {}
  for l, c in ipairs(dense.nodes or {}) do nodes[l] = { c, 0 } end
  for i, m in ipairs(w.plan.memory) do place[m.name] = i end
  for _, pair in ipairs(op.keep) do
    local kind = w.plan.memory[place[pair[1]]].kind
    keep[#keep + 1], keep[#keep + 2] = tostring(place[pair[1]]), tostring(o(kind, pair[2]))
  end
  return { ".q", o("point", op.q), ".v", o("vector", op.v), ".c", o("configuration", op.at), ".impulse", w:list("rows", op.impulse),
    ".events", w:list("set", op.events), ".keep", w:range("name", keep), ".vectors", w:list("vector", dense.V) or 0,
    ".of", w:list("vector", { dense.path }) or 0, ".factor", w:factors { nodes } or 0 }
end

-- lines of the algorithm box, by the number of the operation
local function box(plan)
  local lines, last = {}, 0
  for line in text_of(plan):gmatch("[^\n]+") do
    local n, rest = line:match("^%s*(%d+) (.*)$")
    if n and tonumber(n) == last + 1 then
      last = last + 1
      lines[last] = (rest:gsub("%s%s%s+%-%- ", "  -- "):gsub("%*/", "* /"))
    end
  end
  return lines
end

function Writer:ops(list)
  local function o(kind, name)
    if not name then return 0 end
    return kind == "rows" and self:rows(name) or self:number(kind, name)
  end
  local count = 0
  for _, op in ipairs(list) do
    local fields = put[op.op](self, op, o)
    local place = #self.tables.op + 1
    self.tables.op[place] = ""
    local body, other = op.body and self:ops(op.body) or 0, op.other and self:ops(op.other) or 0
    local word = "CAROM_DO_" .. (op.op == "combine" and op.kind == "rows" and "COMBINE_ROWS" or op.op:upper())
    local all = { ".op", word }
    table.move(fields, 1, #fields, 3, all)
    for _, more in ipairs { ".body", body, ".other", other } do all[#all + 1] = more end
    all.n = #all
    self.tables.op[place] = initialiser(all)
    count = count + 1 + body + other
  end
  return count
end

--- The tables of a plan and the plan itself, as lines of C: `static const carom_plan NAME`; of the one that is taken otherwise before it.
--- more: phase; turns: bodies do.
function P.tables(plan, name, more)
  local tables = { op = {}, term = {}, test = {}, factor = {}, name = {} }
  local w = setmetatable({ plan = plan, turns = more and more.turns, gap = {}, names = {}, tables = tables }, Writer)
  for _, kind in ipairs { "vector", "rows", "set", "point", "configuration", "operator" } do w.names[kind] = { count = 0 } end
  w:number("vector", "v")
  w:number("point", "q")
  w:number("set", "fresh")
  for _, rows in ipairs(O.data) do w:number("rows", rows) end
  local memory = {}
  for i, m in ipairs(plan.memory) do
    memory[i] = initialiser { ".kind", "CAROM_KEPT_" .. m.kind:upper(), ".name", w:number(m.kind, m.name), ".full", m.full and 1 or 0 }
  end
  w:ops(plan.ops)
  for c = 1, w.names.configuration.count do w:rows(w.names.configuration[c] .. ".g") end -- every configuration has its gaps
  local weaker = plan.otherwise and name .. "_weaker"
  local lines, said = weaker and P.tables(plan.otherwise, weaker, more) or {}, box(plan)
  local function put_table(type, suffix, entries, comments)
    if #entries == 0 then return end
    lines[#lines + 1] = ("static const %s %s_%s[%d] = {"):format(type, name, suffix, #entries)
    for i, entry in ipairs(entries) do
      if comments and comments[i] then lines[#lines + 1] = ("    /* %d %s */"):format(i, comments[i]) end
      lines[#lines + 1] = "    " .. entry .. ","
    end
    lines[#lines + 1] = "};"
  end
  local gap = { "0" }
  for c = 1, w.names.configuration.count do gap[c + 1] = tostring(w.gap[c]) end
  put_table("carom_plan_op", "op", w.tables.op, said)
  put_table("carom_term", "term", w.tables.term)
  put_table("carom_test", "test", w.tables.test)
  put_table("carom_factor", "factor", w.tables.factor)
  if #w.tables.name > 0 then
    lines[#lines + 1] = ("static const int %s_name[%d] = { %s };"):format(name, #w.tables.name, table.concat(w.tables.name, ", "))
  end
  lines[#lines + 1] = ("static const int %s_gap[%d] = { %s };"):format(name, #gap, table.concat(gap, ", "))
  put_table("carom_memory", "memory", memory)
  local function count(kind) return w.names[kind].count end
  local function known(suffix, list) return #list > 0 and name .. "_" .. suffix or "NULL" end
  lines[#lines + 1] = ("static const carom_plan %s = {"):format(name)
  lines[#lines + 1] = ("    .vectors = %d, .rows = %d, .sets = %d, .points = %d, .configurations = %d, .operators = %d, "
    .. ".memories = %d, .ops = %d,"):format(count "vector", count "rows", count "set", count "point", count "configuration",
      count "operator", #memory, #w.tables.op)
  lines[#lines + 1] = ("    .op = %s_op, .term = %s, .test = %s, .factor = %s, .name = %s, .gap = %s_gap, .memory = %s,"):format(name,
    known("term", w.tables.term), known("test", w.tables.test), known("factor", w.tables.factor), known("name", w.tables.name), name,
    known("memory", memory))
  lines[#lines + 1] = ("    .uniform = %d, .places = %s, .phase = %s, .otherwise = %s,"):format(plan.uniform and 1 or 0,
    number(plan.places or 0), number(more and more.phase or 0), weaker and "&" .. weaker or "NULL")
  lines[#lines + 1] = "};"
  return lines
end

return P
