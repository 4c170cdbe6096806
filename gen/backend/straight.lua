-- The back end `straight`: the step of a model whose operators are unrolled (templates/unrolled.c.in, carom/straight.h), from its plan.
local flight = require "gen.backend.flight"
local parts = require "gen.backend.parts"
local steady_of = require "gen.backend.steady"
local step = require "gen.backend.step"
local compact = require("gen.backend.writer").compact

local S = {}

-- what the state calls the memory of plans, where templates that know nothing of plans know it as well
local MEMBERS = { press = "pressing", force = "force" }

-- every operation, however deep
local function each(ops, visit)
  for _, op in ipairs(ops) do
    visit(op)
    each(op.body or {}, visit)
    each(op.other or {}, visit)
  end
end

-- what the operators of a model must be able to do for a plan
local function needs_of(plan)
  local needs = { pressing = false, capture = plan.capture ~= nil }
  for _, m in ipairs(plan.memory) do needs.pressing = needs.pressing or m.name == "press" end
  local lists = { table.unpack(plan.parts or {}) }
  for _, level in ipairs(plan.degrees or { plan }) do
    while level do
      lists[#lists + 1] = level
      level = level.otherwise
    end
  end
  for _, list in ipairs(lists) do
    each(list.ops, function(op)
      if op.op == "bias" then needs.bias = true end
      if op.op == "spread" then needs.spread = true end
      if op.op == "operator" then needs[type(op.wv[1]) == "table" and "sensitivity" or "free_sensitivity"] = true end
      if op.op == "apply" or op.op == "spread" or op.op == "operator" and type(op.wv[1]) ~= "table" then needs.matrix = true end
      if op.op == "kinematics" and op.by then needs.by_rows, needs.matrix = true, true end
      if op.op == "contact" then
        needs.carried, needs.mean = needs.carried or op.carried ~= nil, needs.mean or op.mean ~= nil
        if op.grip then needs.fixed = true elseif op.laws == "equal" then needs.projection = true end
        if op.along and not op.along_on and not op.mean then needs.along = true end
        if op.rhs then needs.pulled = true end
      end
    end)
  end
  return needs
end

local function mentions_fresh(x)
  if x == "fresh" then return true end
  if type(x) ~= "table" then return false end
  for _, y in next, x do if mentions_fresh(y) then return true end end -- order does not matter
  return false
end

-- Levels of a step that differ in what a few names are only are one function that is told its level. a: the levels before k.
local function joined(a, b, k)
  if #a.step ~= #b.step or table.concat(a.declarations) ~= table.concat(b.declarations)
    or table.concat(a.accept) ~= table.concat(b.accept) then
    return false
  end
  local lines = {}
  for i, line in ipairs(a.step) do
    lines[i] = line
    if line ~= b.step[i] then
      local name, x, remark = line:match("^([%w_%[%]]+) = (.-);(.*)$")
      local other, y = b.step[i]:match("^([%w_%[%]]+) = (.-);")
      if not name or name ~= other then return false end
      lines[i] = y == "false" and ("%s = level < %d && (%s);%s"):format(name, k, x, remark)
        or ("%s = level < %d ? %s : %s;%s"):format(name, k, x, y, remark)
    end
  end
  a.step, a.argument = lines, ", int level"
  return true
end

-- More doubles than a step may keep on the stack: those of longer ones lie in the state.
local ON_STACK = 96

-- doubles that the declarations of a step put on the stack
local function on_stack(declarations)
  local sum = 0
  for _, line in ipairs(declarations) do
    if line:find("^double ") then
      for first, second in line:gmatch("%[(%d+)%]%[?(%d*)") do sum = sum + first * (tonumber(second) or 1) end
    end
  end
  return sum
end

-- the same of configurations and operators
local function structures_of(declarations, values)
  local NV, NR, sum = values.NV, values.NR, 0
  local doubles = { config = values.has_lazy_delassus and NR * (NR + NV) or NR, matrix = NV * NV,
    stage_matrix = (values.stage_count * NV) ^ 2 }
  for _, line in ipairs(declarations) do
    sum = sum + (doubles[line:match("^" .. values.X .. "_([%w_]+) [%w_]+_at,")] or 0)
  end
  return sum
end

--- What event capturing works on (carom/points.h), as types.
function S.points(values)
  if not values.needs.capture then return {} end
  local lines = { ("CAROM_POINTS_OF(%s, %d, %d, %d, %d, %d, %d, %d);"):format(values.X, values.NQ, values.NV, values.NC, values.NG,
    values.NT, values.NR, values.NW) }
  if values.chains then lines[2] = ("CAROM_CHAINS_OF(%s, %d, %d, %d);"):format(values.X, values.NV, values.NC, values.NR) end
  lines[#lines + 1] = ""
  return lines
end

-- What operators and rows are, for the header of a state that holds some.
local function types(values)
  local X, NV, lines, points = values.X, values.NV, {}, S.points(values)
  local members = table.concat(values.plan_members or {}, "\n") .. table.concat(values.tangent and values.tangent.members or {}, "\n")
  local function structure(name, ...)
    if not members:find(X .. "_" .. name .. " ", 1, true) then return end
    table.move({ "typedef struct {", ... }, 1, 1 + select("#", ...), #lines + 1, lines)
    lines[#lines + 1] = ("} %s_%s;"):format(X, name)
  end
  local n = values.stage_count * NV
  structure("stage_matrix", ("double lu[%d];"):format(n * n), (("double K[n][n], C[n][n], dq[n][n], dv[n][n];"):gsub("n", NV)),
    ("int pivot[%d];"):format(n))
  structure("matrix", ("double lu[%d];"):format(NV * NV), ("int pivot[%d];"):format(NV))
  structure("points", ("%s_config at;"):format(X), ("double g[%d];"):format(values.NR),
    values.apart and ("double G[%d][%d];"):format(values.NR, NV) or nil)
  values.operator_types = #lines > 0
  if #lines > 0 then table.insert(lines, 1, "/* Operators, factored, and rows at points of their own: see carom/operator.h. */") end
  return table.move(lines, 1, #lines, #points + 1, points)
end

--- The work space of models in straight code: what contact problems need (carom/room.h), and the vectors of long steps.
function S.work(values)
  values.room_inner = "0"
  if values.looped then return end
  local members = values.plan_members or {}
  local lines = { "struct {" }
  if values.NR > 0 then
    values.room_inner = ("CAROM_ROOM_INNER(%d, %d, %d, %d, %d, %d)"):format(values.NE, values.NC, values.NG, values.NR, values.D,
      values.several and 1 or 0)
    local needs = values.needs
    local rows = needs.sensitivity or needs.matrix
    if needs.fixed or rows then
      local NR = values.NR
      values.room_inner = ("CAROM_ROOM_MORE(%s, %d + CAROM_MULTIPLIERS_ROOM(%d))"):format(values.room_inner, NR * (NR + 1), NR)
    end
    lines[2] = ("    double room[%s%s]; /* of contact problems */"):format(values.room_inner,
      needs.along and (" + %d"):format(values.NR * values.NR) or rows and (" + CAROM_ROOM_ROWS(%d, %d)"):format(values.NR, values.NV) or "")
  end
  for _, member in ipairs(members) do lines[#lines + 1] = "    " .. member end
  values.types = types(values)
  if #lines == 1 then return end
  lines[#lines + 1] = "} work; /* scratch of one step: nothing in it survives, saved states do not have it */"
  values.work_struct = lines
end

-- The levels of a plan as functions of C, and how they are called; they are numbered as they come.
local function levels_of(values, plan, size, known)
  local first, calls, level = #values.levels, {}, plan
  while level do
    local made = step.lines(level, size)
    made.number, made.total = #values.levels, made.total or "NULL"
    made.title, made.argument = #calls == 0 and (plan.degree and plan.title or values.scheme) or level.title, ""
    local last, k = #values.levels > first and values.levels[#values.levels], #calls
    if last and joined(last, made, k) then made = last else values.levels[#values.levels + 1] = made end
    calls[k + 1] = made
    values.stage_count = math.max(values.stage_count, made.stages)
    for _, lines in ipairs(made.functions) do
      local text = table.concat(lines, "\n")
      if not known[text] then table.move(lines, 1, #lines, #values.plan_functions + 1, values.plan_functions) end
      known[text] = true
    end
    for _, member in ipairs(made.members) do
      if not known[member] then table.insert(values.plan_members, member) end
      known[member] = true
    end
    level = level.otherwise
  end
  for k, made in ipairs(calls) do
    calls[k] = ("%s_level_%d(s, h%s)"):format(values.X, made.number, made.argument ~= "" and ", " .. k - 1 or "")
  end
  return { levels = table.move(values.levels, first + 1, #values.levels, 1, {}), calls = calls,
    name = plan.degree and "step_" .. plan.degree or values.step_name, static = plan.degree and "static " or values.step_static }
end

-- Is more than a step may keep on the stack in one of the plans?
local function long(plans, size)
  for _, level in ipairs(plans) do
    while level do
      if on_stack(step.lines(level, size).declarations) > ON_STACK then return true end
      level = level.otherwise
    end
  end
  return false
end

-- Steps of so many velocities may stand in the text twice: one of them, and many one after another.
local SMALL = 8

-- Free flight as a function of its own, tried first; nothing where bilateral rows are always there, or rows are found or have memory.
local function flight_of(values, plan, size)
  local flies = not plan.parts and #plan.inputs == 0 and values.NR > 0 and values.NE == 0
    and not (values.found or values.own or values.bonds or values.adheres or plan.uniform) and flight.plan(plan)
  if not flies then return false end
  local rowless = { roomy = false, flies = size.NG, all_rows = values.NR, NR = 0, NG = 0, NT = 0, NC = 0, LG = 0, rows = 0 }
  local made = step.lines(flies, setmetatable(rowless, { __index = size }))
  if on_stack(made.declarations) > ON_STACK then return false end
  made.open, made.begins, made.forgets = tostring(flies.open), { "s->events.room > 0" }, {}
  if mentions_fresh(plan.ops) then table.insert(made.begins, "s->fresh") end
  for _, m in ipairs(plan.memory) do
    local member = MEMBERS[m.name] or m.name
    if m.kind == "set" then table.insert(made.begins, ("%s_any(s, s->%s)"):format(values.X, member)) end
    if m.kind == "rows" and not size.forgotten[m.name] then
      table.move({ ("for (int j = 0; j < %d; ++j) {"):format(values.NR), ("s->%s[j] = 0.0;"):format(member), "}" }, 1, 3,
        #made.forgets + 1, made.forgets)
    end
  end
  made.begins = table.concat(made.begins, " || ")
  made.glides = values.NV <= SMALL
  for _, op in ipairs(flies.ops) do made.glides = made.glides and op.op ~= "repeat" end
  made.kind = made.glides and "CAROM_REPEATED" or "inline"
  made.air, made.coast = made.glides and values.X .. "_flight" or values.X, made.glides and "coast(s, air" or "coast_once(s"
  return made
end

-- The plan that is written: of models without friction in which nothing changes, what is left of it.
local function written(values, unit)
  local plan = unit:steps()
  local steady = values.form.steady and values.NT == 0 and not (values.adheres or values.bonds or values.own or values.found)
  if not steady or plan.parts or plan.degrees or #plan.inputs > 0 or plan.uniform then return plan end
  return steady_of.plan(plan)
end

--- Puts the step into the values of the templates plan_step.c.in and carom/operator.h. policy: see gen/backend/step.lua.
function S.values(values, unit, policy)
  local plan = written(values, unit)
  values.steps_of = plan
  values.keeps_force = values.NT > 0 or values.needs.spread or values.needs.capture or false
  local size = { rows = values.rows, tol = values.tol, stagnation = values.NT > 0 and "CAROM_STAGNATION_FRICTION" or "CAROM_STAGNATION",
    spans = values.dense_spans, groups = values.groups, apart = values.apart, free = not policy,
    tolerances = { tg = values.tg, tv = values.tv, ts = values.tv, eps = "CAROM_PLACE_ROUNDING" },
    forgotten = { force = not values.keeps_force } }
  if plan.capture then -- beside the scales of the motion
    size.stagnation, size.tolerances.eps, size.tolerances.ts = "CAROM_STAGNATION", "CAROM_PLACE_ROUNDING * s->length",
      "CAROM_RATE_ZERO * s->speed"
  end
  for key, x in next, policy or {} do size[key] = x end -- order does not matter
  for _, key in ipairs { "X", "NQ", "NV", "NS", "NB", "NE", "NG", "NR", "NT", "NC", "D", "e_at", "mu_at", "contact_of_at", "rows_at",
    "rebound", "own", "bonds", "adheres",
    "found" } do size[key] = values[key] end
  size.LG = values.NG -- at most
  values.size, size.pieces = size, {}
  if values.found then size.NG = values.gaps_at end -- known while running
  values.levels, values.stage_count, values.memory, values.plan_functions, values.steps = {}, 0, {}, {}, {}
  values.plan_members = {}
  if plan.parts then
    values.plan_members[1] = ("%s_capturing capture; /* the step under way */"):format(values.X)
    if values.chains then values.plan_members[2] = ("%s_chained chain;"):format(values.X) end
    parts.values(values, plan, size, not policy and function(declarations)
      return on_stack(declarations) + structures_of(declarations, values) > ON_STACK
    end)
  end
  local plans, known = not plan.parts and (plan.degrees or { plan }) or {}, {}
  size.roomy = not policy and long(plans, size) or nil
  for i, one in ipairs(plans) do
    values.steps[i] = levels_of(values, one, size, known)
    local flight_lines = not policy and flight_of(values, one, size)
    if flight_lines then flight_lines.step, flight_lines.accept = compact(flight_lines.step), compact(flight_lines.accept) end
    values.steps[i].flight = flight_lines
    values.glides = values.glides or flight_lines and flight_lines.glides and values.steps[i].name == "step" or false
  end
  for _, level in ipairs(not policy and values.levels or {}) do level.step, level.accept = compact(level.step), compact(level.accept) end
  if not policy then values.plan_functions = compact(values.plan_functions) end
  local kept = table.move(plan.inputs, 1, #plan.inputs, #plan.memory + 1, table.move(plan.memory, 1, #plan.memory, 1, {}))
  for _, m in ipairs(kept) do
    if not MEMBERS[m.name] and (m.kind == "vector" or values.NR > 0) then
      values.memory[#values.memory + 1] = { name = m.name, kind = m.kind, type = m.kind == "set" and "bool" or "double",
        count = m.kind == "vector" and values.NV or m.kind == "set" and values.NG or values.NR,
        first = m.kind == "set" and tostring(m.full or false) or "0.0" }
    end
  end
  if values.NW > 0 and plan.capture then
    values.memory[#values.memory + 1] = { name = "side", kind = "switch", type = "double", count = values.NW, first = "0.0" }
  end
  values.uniform, values.strikes = plan.uniform or false, mentions_fresh(plan.ops)
end

--- What the templates that all forms share know of a plan: order, what operators must be able to do, what is kept for dense output.
function S.outline(plan)
  local dense, nodes = not plan.parts and plan.ops[#plan.ops].dense, {}
  for l, c in ipairs(dense and dense.nodes or {}) do nodes[l - 1] = c end
  return { order = plan.order, needs = needs_of(plan), split = #plan.inputs > 0, capture = plan.capture,
    dense = dense and { stages = #(dense.nodes or {}), nodes = dense.nodes and nodes, text = dense.text } }
end

return S
