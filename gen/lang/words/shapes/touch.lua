-- Contacts of two shapes in space by the geometry of the runtime (runtime/shapes): no formula, but a function of the frames of the two
-- bodies which the emitted C calls. A pair has as many contacts as it has slots (carom/geometry.h), those that nothing fills are far.
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local frames = require "gen.lang.words.bodies.frame"
local lines = require "gen.util.lines"
local pairs_of = require "gen.lang.words.shapes.pairs"
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"

local T = { pairs = pairs_of.list }

local OUT = 10 -- numbers of a slot: gap, normal, two arms
local FRAMES = 18 -- numbers of the two shapes, which stand before those of the frames

-- Numbers at generation: the runtime is asked, once for each question.
local function asked(couple, what)
  local known = {}
  return function(numbers)
    local text = {}
    for i, x in ipairs(numbers) do text[i] = ("%.17g"):format(x) end
    local key = table.concat(text, " ")
    if not known[key] then
      local words, input = { what }, { key }
      for i, kind in ipairs { couple.a, couple.b } do
        local t = couple.tables[i]
        for _, n in ipairs { pairs_of.number(kind), t and t.columns or 0, t and t.rows or 0, t and #t.numbers or 0 } do
          words[#words + 1] = tostring(n)
        end
        for k, x in ipairs(t and t.numbers or {}) do text[k] = ("%.17g"):format(x) end
        input[#input + 1] = t and table.concat(text, " ", 1, #t.numbers) or nil
      end
      local next_line, why = lines.of("slot_lines", words, table.concat(input, "\n") .. "\n")
      if not next_line then error({ environment = true, message = why }, 0) end
      known[key] = lines.numbers(next_line())
    end
    return known[key]
  end
end

-- The table of a shape in C, and what to call it: shapes with the same one share it.
local function table_of(s) return s.table and { name = "carom_table_" .. (s.table.name or s.name), columns = s.table.columns,
  rows = s.table.rows, numbers = s.table.numbers } or false end

local function literal_of(t) return t and ("{%d, %d, %s}"):format(t.columns, t.rows, t.name) or "{0, 0, 0}" end

-- One of the two functions of a couple as E.call takes it.
local function call_of(couple, what, c)
  local of = couple.tables
  local literal = ("&(const carom_couple){%s, %s, {%s, %s}}"):format(pairs_of.c(couple.a), pairs_of.c(couple.b), literal_of(of[1]),
    literal_of(of[2]))
  local name = ("%s_%s_%s"):format(what, couple.a, couple.b)
  for i = 1, 2 do if of[i] then name = name .. "_" .. of[i].name:gsub("^carom_table_", "") end end
  return { name = name, count = OUT * couple.slots,
    group = OUT, values = asked(couple, what), c = function(array, arguments, target)
      local numbers = ("const double %s_of[%d] = {%s};"):format(array, #arguments, table.concat(arguments, ", "))
      local call = ("%s(%s, %s_of, %s);"):format(c, literal, array, target or array)
      if target then return { numbers, call } end
      return { numbers, ("double %s[%d];"):format(array, OUT * couple.slots), call }
    end }
end

local function couple_of(a, b)
  local couple = { a = a.kind, b = b.kind, slots = pairs_of.slots(a.kind, b.kind), tables = { table_of(a), table_of(b) } }
  local rates = call_of(couple, "rates", "(void)carom_slot_rates")
  local slots = call_of(couple, "slots", "(void)carom_slots")
  function slots.derivative(call, by)
    local arguments = table.move(call, 1, #call, 1, {})
    for i = FRAMES + 1, #call do arguments[#arguments + 1] = by[i] end
    return E.call(rates, arguments)
  end
  rates.is_rate = true
  function rates.derivative() error("third derivatives of a gap between shapes were asked for", 0) end
  return couple, slots
end

local identity = { { E.one, E.zero, E.zero }, { E.zero, E.one, E.zero }, { E.zero, E.zero, E.one } }

-- Numbers of a shape in the frame of its body, then those of the frame, appended to two lists.
local function describe(s, own, frame)
  local d = shape.described(s)
  for _, part in ipairs { d.size, s.given.body and d.at or { E.zero, E.zero, E.zero }, d.axis } do
    table.move(part, 1, 3, #own + 1, own)
  end
  for i = 1, 3 do frame[#frame + 1] = value.node(s.frame.at[i]) end
  for i = 1, 3 do
    for j = 1, 3 do frame[#frame + 1] = s.frame.R and value.node(s.frame.R[i][j]) or identity[i][j] end
  end
end

-- A frame without dimensions: places written with plain numbers (links) and with units meet here; what comes out of it is known.
local length, speed = units.parse "m", units.parse "m/s"

local function bare(frame)
  local function without(list)
    local out = {}
    for i, x in ipairs(list) do out[i] = value.wrap(value.node(x)) end
    return out
  end
  return { at = without(frame.at), omega = frame.omega and without(frame.omega) }
end

--- Refuses shapes of which only some corners count: here all of them do.
function T.whole(a, b, where)
  for _, s in ipairs { a, b } do
    if s.given.corners then
      fail(where, "%s '%s' has chosen corners, but against %s '%s' all of it touches; leave out corners", s.kind, s.name,
        s == a and b.kind or a.kind, s == a and b.name or a.name)
    end
  end
end

--- The slots of a touching b: gap and its rate, normal, along(t) (the slip along a direction), the two frames, number, tables.
function T.slots(a, b)
  local couple, of = couple_of(a, b)
  local own, frame = {}, {}
  describe(a, own, frame)
  describe(b, own, frame)
  local call = E.call(of, table.move(frame, 1, #frame, #own + 1, own))
  local from, to = bare(a.frame), bare(b.frame)
  local list = {}
  for j = 1, couple.slots do
    local function part(k, dim) return value.wrap(E.part(call, OUT * (j - 1) + k), dim) end
    local function vector(k) return { part(k), part(k + 1), part(k + 2) } end
    local n = vector(2)
    local u = space.minus(frames.velocity(from, vector(5)), frames.velocity(to, vector(8)))
    local function along(t) return value.wrap(value.node(space.dot(t, u)), speed) end
    list[j] = { gap = part(1, length), n = n, rate = along(n), along = along, from = from, to = to,
      number = couple.slots > 1 and j or nil, tables = couple.tables }
  end
  return list
end

--- The contacts of a touching b, as solid.lua gives them, with the rate of the gap.
function T.contacts(a, b, where)
  T.whole(a, b, where)
  local list = {}
  for j, s in ipairs(T.slots(a, b)) do
    local t1, t2 = space.tangents(s.n)
    list[j] = { gap = s.gap, rate = s.rate, slip = { s.along(t1), s.along(t2) },
      spin = function() return frames.spin_between(s.from, s.to, t1, t2) end, number = s.number, tables = s.tables }
  end
  return list
end

return T
