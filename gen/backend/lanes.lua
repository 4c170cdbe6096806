-- The back end `lanes`: the step of a model in straight code for several instances side by side (carom/batch.h), from its plan. Numbers are
-- vectors, sets are masks, and nothing branches but on whether any lane needs it; what a lane cannot do is left to the model's own step.
local flight = require "gen.backend.flight"
local operations = require "gen.backend.operations"
local print_c = require "gen.expr.print"
local step = require "gen.backend.step"

local L = {}

local FLAT = { kinematics = true, forces = true, rates = true, bias = true, combine = true, retract = true, contact = true,
  direction = true, ["set"] = true, accept = true, solve = true }

-- The plan of states that were not given from outside, which are those that lanes step: nothing was struck before the step.
local function ongoing(plan)
  local ops, nothing = {}, {}
  for _, op in ipairs(plan.ops) do
    if op.op == "when" and op.any == "fresh" then
      for _, other in ipairs(op.other or {}) do
        if other.op == "combine" and other.kind == "rows" and #other.terms == 0 then nothing[other.y] = true
        elseif other.op == "set" and other.where[1] == "none" then nothing[other.S] = true
        else ops[#ops + 1] = other end
      end
    else
      ops[#ops + 1] = op
    end
  end
  local function without(names)
    local kept = {}
    for _, name in ipairs(names) do if not nothing[name] then kept[#kept + 1] = name end end
    return kept
  end
  local last = {}
  for key, x in next, ops[#ops] do last[key] = x end -- order does not matter
  last.impulse, last.events, ops[#ops] = without(last.impulse), without(last.events), last
  return setmetatable({ ops = ops }, { __index = plan })
end

-- does a form look at tangents?
local function tangential(x)
  if type(x) ~= "table" then return false end
  if type(x.of) == "string" then return true end
  for key, y in next, x do if key ~= "text" and tangential(y) then return true end end -- order does not matter
  return false
end

--- What a plan has that lanes do not do; nil: nothing.
function L.refusal(plan)
  if plan.parts or plan.degrees or #plan.inputs > 0 or plan.uniform then return "more than one step" end
  for _, m in ipairs(plan.memory) do
    if m.name ~= "press" and m.name ~= "force" then return "a memory of its own" end
  end
  for _, op in ipairs(ongoing(plan).ops) do
    if not FLAT[op.op] then return op.op == "repeat" and "iterations" or "cases" end
    if op.by or op.along or op.mean or op.grip or op.dense or op.halt or op.laws == "equal" or type(op.A) == "string"
      and not op.A:find "^mass@" then
      return "contact problems of its own"
    end
    if tangential(op) then return "norms of slip" end
  end
end

local methods, put = {}, {}

-- a value on a set, else 0
function methods.on(_, element, text) return ("CAROM_PICK(%s, %s, CAROM_ALL(0.0))"):format(element, text) end

local RELATION = { le = "<=", lt = "<", gt = ">", absgt = ">" }
local JOIN = { ["or"] = " | ", ["and"] = " & " }

-- A predicate of row j as a mask.
function methods.predicate(w, p)
  local word = p[1]
  if word == "in" then return w:named(p[2]) .. "[j]" end
  if word == "all" then return "~CAROM_NONE" elseif word == "none" or word == "bilateral" then return "CAROM_NONE" end
  if word == "not" then return "~(" .. w:predicate(p[2]) .. ")" end
  if JOIN[word] then
    local parts = {}
    for i = 2, #p do
      local text = w:predicate(p[i])
      if not (word == "or" and text == "CAROM_NONE" or word == "and" and text == "~(CAROM_NONE)") then
        parts[#parts + 1] = JOIN[p[i][1]] and "(" .. text .. ")" or text
      end
    end
    if #parts == 0 then return word == "or" and "CAROM_NONE" or "~CAROM_NONE" end
    return table.concat(parts, JOIN[word])
  end
  local sum = w:sum(p[2], "j")
  if word == "absgt" then sum = "CAROM_ABS(" .. sum .. ")" end
  return ("(carom_mask)(%s %s %s)"):format(sum, RELATION[word], w:tolerance(p[3]))
end

function put.kinematics(w, op)
  local time = op.node == 0 and "t" or op.node == 1 and "t + h" or ("t + %s * h"):format(print_c.number(op.node))
  w.points[op.c] = { time = time, q = op.q }
  if not op.find then w:say("%s_configure(s, (carom_lanes[1]){%s}, %s, %s);", w.X, time, w:named(op.q), op.c) end
end

function put.forces(w, op) w:say("%s_forces(s, %s, %s, %s);", w.X, op.c, w:named(op.v), op.f) end

put["set"] = function(w, op)
  if w.NR > 0 then w:every("j", 0, w.NG, "%s[j] = %s;", op.S, w:predicate(op.where)) end
end

-- free flight (gen/backend/flight.lua) is that of all lanes, or of none
function put.aloft(w, op)
  w:every("j", 0, w.flies, "s->odd |= %s;", w:predicate(op.where))
  if not w.asked then w:say "if (carom_any(&s->odd)) { return false; }" end -- later ones at the end
  w.asked = true
end

function put.direction() end -- of lanes that have friction, nothing touches

function put.contact(w, op, before)
  if w.NR == 0 then return operations.contact(w, op, before) end
  local c = op.at
  if before and before.accelerates then
    return w:say("%s_accelerate(s, %s, %s, %s, %s, %s);", w.X, c, w:named(before.accelerates.v), op.set, op.x, op.r)
  end
  local note = w.note
  w.note = nil
  for _, other in ipairs(before or {}) do if other.y ~= op.r then w:one(other) end end -- but no first guesses
  w.note = note
  w:say("%s_contact(s, %s, %s, %s, %s, %s, %s, %s, %s);", w.X, c, op.set, op.rhs and w:named(op.rhs) or "NULL",
    (w:element(op.b, ""):gsub("%[%]$", "")), op.carried or "NULL", tostring(op.within or false), op.x, op.r)
end

function put.accept(w, op)
  w.ends = { q = op.q, v = w:named(op.v) }
  w.step, w.lines = w.lines, {}
  w.total = w.NR > 0 and op.impulse[#op.impulse] or "NULL"
  for _, pair in ipairs(w.NR > 0 and op.keep or {}) do
    local memory, from = w.memory[pair[1]], pair[2]
    if not w.forgotten[pair[1]] then
      local set = w.kinds[from] == "set"
      w:every("j", 0, w.NG, "s->%s[j] = %s(good, %s[j], s->%s[j]);", memory, set and "CAROM_PICK_MASK" or "CAROM_PICK", from,
        memory)
    end
  end
  for _, name in ipairs(w.NR > 0 and op.events or {}) do w:every("j", 0, w.NG, "s->events -= %s[j] & good;", name) end
end

--- The step in lanes: lines, declarations, what is kept; evaluations of forces; and the same for free flight, if there is any. size: as
--- of straight code.
function L.lines(plan, size)
  local flat = ongoing(plan)
  local told = setmetatable({ NT = 0, D = 1, rows = size.NG, free = true, roomy = false,
    dialect = { methods = methods, operations = put } }, { __index = size })
  local made, evaluations = step.lines(flat, told), 0
  for _, op in ipairs(flat.ops) do evaluations = evaluations + (op.op == "forces" and 1 or 0) end
  local flies = size.NR > 0 and flight.plan(flat)
  if flies then
    made.flight = step.lines(flies, setmetatable({ flies = size.NG, all_rows = size.NR, NR = 0, NG = 0, NC = 0, LG = 0, rows = 0 },
      { __index = told }))
    made.flight.open = tostring(flies.open)
  end
  return made, evaluations
end

return L
