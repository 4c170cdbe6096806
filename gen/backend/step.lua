-- A step plan (gen/plan/step.lua) as C. It knows no scheme, and of the model only its sizes: what the model is stands behind the names
-- of its operators.
local control = require "gen.backend.control"
local forms = require "gen.backend.forms"
local operations = require "gen.backend.operations"
local uses = require "gen.backend.uses"
local writer = require "gen.backend.writer"

local B = {}

local W = setmetatable({}, { __index = writer })

-- what the state calls the memory of plans
local MEMORY = { press = "pressing", force = "force" }

function W:one(op, before)
  local whole = op.op == "repeat" or op.op == "when"
  if whole then self:remark(op) elseif op.op ~= "accept" then self.note = op.text end
  local put = self.dialect and self.dialect.operations[op.op] or operations[op.op] or control[op.op]
  put(self, op, before)
  self.note = nil
  if self.sequential and op.op == "contact" and self.NR > 0 then
    self:say("between = between || %s_between_modes(s, %s, %s, %s, %s, %s, %s);", self.X, op.at, op.set,
      op.slide and self.NT > 0 and op.slide .. "_" or "NULL", op.x, op.b, op.r)
  end
end

function W:list(ops)
  if self.sequential then
    for _, op in ipairs(ops) do self:one(op) end
    return
  end
  local from, skipped = {}, {}
  for i, op in ipairs(ops) do
    if op.op == "contact" then
      local first, guess = uses.only_for(ops, i, self.loops[#self.loops], self.around), uses.guess_of(ops, i)
      from[i] = { table.unpack(ops, first, i - 1) }
      if self.free and self.NR > 0 then
        local forces = uses.accelerates(ops, i, first, self.loops[#self.loops], self.around)
        if forces then
          from[i], skipped[first - 1] = { accelerates = forces }, true
        end
      end
      for k = first, i - 1 do skipped[k] = true end
      if guess and not skipped[guess] then
        table.insert(from[i], 1, ops[guess])
        skipped[guess] = true
      end
    end
  end
  local loop = self.loops[#self.loops]
  for i, op in ipairs(self.free and loop and loop.rounds and ops or {}) do
    local solve = op.op == "operator" and type(op.wv[1]) ~= "table" and uses.solved_for(ops, i)
    if solve then from[i], skipped[i - 1] = { solve }, true end
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

--- Lines of the step and its declarations. size: X, NQ NV NS NB NE NG NR NT NC, rows (how many rows carry force, in C), tolerances by
--- name, tol, stagnation; forgotten: memory that this back end makes nothing of (first guesses); in_work: what the step needs are
--- members of the state's work space, else it is on the stack. sequential: nothing is left out or moved, every value has a place of its
--- own, for who looks at it afterwards (tangent.lua). dialect: operations and methods that are written in another way (lanes.lua).
function B.lines(plan, size)
  if size.NR == 0 then plan = setmetatable({ ops = uses.rowless(plan.ops) }, { __index = plan }) end
  local w = setmetatable({ plan = plan, lines = {}, declarations = {}, members = {}, functions = {}, depth = 0, turns = 0,
    info = size.given and "info" or "&info", info_at = size.given and "info->" or "info.", tangential = {},
    kinds = {}, memory = {}, aliases = {}, pointers = {}, -- of names; pointers: vectors that one branch copies
    stacked = {}, -- how many stages an operator is of
    row_sets = {}, full = {}, whole = {}, -- sets that need their tangents, that hold all bilateral rows, all rows
    follow = {}, -- what is said after the loop at hand
    handed = {}, unread = {}, rare = {}, -- what is handed back, that nobody reads, that only fresh states have
    points = { c0 = { time = "t", q = "q" } }, loops = {}, around = {} }, -- of configurations; where we are
    { __index = function(_, key) return size.dialect and size.dialect.methods[key] or W[key] or size[key] end })
  for _, m in ipairs(plan.memory) do w.memory[m.name] = MEMORY[m.name] or m.name end
  for _, input in ipairs(plan.inputs or {}) do
    if input.kind == "configuration" then w.points[input.name] = {} end
    w.tangential[input.name] = input.tangential
    if not size.given then w.memory[input.name] = input.name end -- parts are handed theirs
  end
  local order, count, made, copies = {}, {}, {}, {}
  local function define(name, kind)
    if not w.kinds[name] then order[#order + 1] = name end
    w.kinds[name], count[name] = kind, (count[name] or 0) + 1
  end
  local operators, outside, stages = {}, {}, 0
  uses.each(plan.ops, function(op, inside)
    if op.op == "combine" and not (inside and inside.op == "when") then outside[op.y] = true end
    if op.op == "contact" then outside[op.x] = true end
    local d = uses.defines[op.op]
    if d then define(op[d[1]], d[2]) end
    if op.op == "combine" then
      define(op.y, op.kind)
      if op.kind == "vector" then
        local from = operations.copied(op)
        if from then copies[#copies + 1] = { y = op.y, from = from, branch = inside and inside.op == "when" and inside }
        else made[op.y] = true end
      end
    elseif op.op == "retract" then
      for _, name in ipairs(op.q1) do define(name, "point") end
    elseif op.op == "solve" then
      for _, name in ipairs(op.y) do define(name, "vector") end
    elseif op.op == "contact" then
      define(op.x, "vector")
      define(op.r, "rows")
      w.row_sets[op.set] = w.row_sets[op.set] or not op.grip
    elseif op.op == "operator" then
      w.stacked[op.A] = type(op.wv[1]) == "table" and #op.wv or nil
      if not w.kinds[op.A] then operators[#operators + 1] = { name = op.A, stages = w.stacked[op.A] } end
      w.kinds[op.A] = "operator"
      stages = w.stacked[op.A] or stages
    end
    if op.op == "spread" then w.row_sets[op.on] = true end
    if op.op == "set" and op.where[1] == "all" then w.whole[op.S] = true end
    if op.op == "set" then w.full[op.S] = forms.full(op, w.full[op.S]) end
  end, nil, size.sequential)
  for _, copy in ipairs(copies) do
    local fixed = (count[copy.from] or 0) + (w.memory[copy.from] and 1 or 0) <= 1 or copy.from == "v"
    if w.given and w.given[copy.y] or w.memory[copy.y] or size.sequential then w.aliases[copy.y] = nil
    elseif copy.branch and fixed and not outside[copy.y] then w.pointers[copy.y] = copy.branch.any
    elseif fixed and count[copy.y] == 1 then w.aliases[copy.y] = copy.from end
  end
  uses.each(plan.ops, function(op) -- forces along other rows are those of bilateral ones
    if op.along_on and uses.only_accepted(plan, op.along_on, op) then w.unread[op.along_on] = true end
  end)
  for _, m in ipairs(plan.memory) do -- what the step changes before it is accepted
    if w.kinds[m.name] and (m.kind == "vector" or size.NR > 0) then
      w:every("i", 0, m.kind == "vector" and size.NV or m.kind == "set" and size.NG or size.rows, "%s[i] = s->%s[i];", m.name,
        w.memory[m.name])
    end
  end
  w:list(plan.ops)
  local text = w:text()
  for _, name in ipairs(order) do
    local kind = not (w.given and w.given[name]) and w.kinds[name]
    if (kind == "vector" or kind == "rows") and not writer.mentioned(text, name) then kind = nil end
    if kind == "vector" and not w.aliases[name] then
      if w.pointers[name] then
        if made[name] or w.handed[name] then w:declare("double", name .. "_made", size.NV) end
        w:remember(w.pointers[name] == "fresh" and "const double *%s = v;" or "const double *%s;", name)
      else
        w:declare("double", name, size.NV)
      end
    elseif kind == "point" then w:declare("double", name, size.NQ)
    elseif kind == "rows" and (w.handed[name] or w.rare[name]) and size.NR > 0 and not w.in_work and not w.roomy then
      w:remember("double %s[%d] = {0.0}; /* no compiler shall doubt it */", name, size.NR)
    elseif kind == "rows" and (size.NR > 0 or w.flies) then w:declare("double", name, size.NR > 0 and size.NR or size.all_rows)
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
  local declarations = writer.together(w.declarations)
  table.move(w:constants_of(plan.constants), 1, #plan.constants, #declarations + 1, declarations)
  return { step = w.step or w.lines, accept = w.lines, total = w.total, declarations = declarations, members = w.members,
    stages = stages, functions = w.functions, ends = w.ends, writer = w }
end

local READ = { vector = "const double *", rows = "const double *", slide = "const double *", set = "const bool *" }

-- The lines from `mark` on, which end a step with a contact problem, as a function of its own. Where they look at more than can be handed
-- over, or another level has other lines, they stay where they are.
function W:impact_of(mark, op, note)
  local x, r = op.x, op.r
  local lines, own, arguments, values, seen = {}, {}, {}, {}, { [x] = true, [r] = true }
  local text = table.concat(self.lines, "\n", mark + 1)
  local code = text:gsub("/%*.-%*/", ""):gsub("[%w_]+%->[%w_.]+", function(path) return path:match "^[%w_]+" end)
  for name in code:gmatch "%f[%w_][%a_][%w_]*" do
    local kind, slide = self.kinds[name], self.kinds[name:match "^(.*)_$"]
    kind = kind ~= "slide" and kind or slide == "slide" and slide or name == "v" and "vector"
    if seen[name] then
      goto next
    elseif name == "h" or name == "t" or name == "level" or name == "fresh" or name:find "^[A-Z][A-Z0-9_]+$" and not name:find "^CAROM"
      and name ~= "NULL" then return
    elseif kind == "rows" and self.lazy[name] then own[#own + 1] = ("double %s[%d];"):format(name, self.NR)
    elseif kind then
      arguments[#arguments + 1] = (kind == "configuration" and self.X .. "_config *" or name == op.set and "bool *" or READ[kind]) .. name
      values[#values + 1] = name
    end
    seen[name] = true
    ::next::
  end
  table.move({ "double *" .. x, "double *" .. r, "carom_info *info", "carom_counts *counts" }, 1, 4, #arguments + 1, arguments)
  table.move({ x, r, "&info", "counts" }, 1, 4, #values + 1, values)
  local head = ("static inline carom_status %s_impact(%s *s, %s)"):format(self.X, self.X, table.concat(arguments, ", "))
  own = writer.together(own)
  table.move({ "/* The end of a step: impulses on what is closed there. */", head, "{", table.unpack(own) }, 1, 3 + #own, 1, lines)
  lines[#lines + 1] = "carom_status status = CAROM_OK;"
  for k = mark + 1, #self.lines do
    local line = self.lines[k]:gsub("return [%w_]+_fail%(s, status, &info%);", "return status;"):gsub("&info%f[^%w_]", "info")
    lines[#lines + 1] = note and line:gsub(" /%* " .. note:gsub("%p", "%%%0") .. " %*/$", "") or line
  end
  table.move({ "return status;", "}", "" }, 1, 3, #lines + 1, lines)
  local whole = table.concat(lines, "\n")
  if self.pieces.impact and self.pieces.impact ~= whole then return end
  self.pieces.impact = whole
  for k = #self.lines, mark + 1, -1 do self.lines[k] = nil end
  self.functions[#self.functions + 1] = lines
  self.note = note
  self:try("%s_impact(s, %s);", self.X, table.concat(values, ", "))
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
