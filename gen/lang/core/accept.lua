-- Checks what a user gave to a word against its table: unknown or missing options, wrong types, dimensions. One place, so that
-- every word complains in the same way. accept.types[NAME] is a type of arguments and options: read(x, what, where, dim, spec, given)
-- gives what the word gets of it or fails, shown is its name on the reference page. Words add the types that only they take.
local fail = require "gen.lang.core.fail"
local names = require "gen.lang.core.names"
local sandbox = require "gen.lang.core.sandbox"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"

--- A key of metatables: what messages call the objects that words give.
local A = { types = {}, called = {} }

-- how a word is written, on one line
local function form(word) return (string.gsub(word.form, "\n", " or ")) end

local function finite(x) return x == x and x ~= math.huge and x ~= -math.huge end

local function plain_table(x) return type(x) == "table" and getmetatable(x) == nil end

local function called(x)
  local meta = type(x) == "table" and getmetatable(x)
  local name = type(meta) == "table" and rawget(meta, A.called)
  return name and name(x)
end

--- Refuses x, which is not what it must be.
function A.expected(what, kind, x, where, hint)
  fail(where, "%s must be %s, not %s; %s", what, kind, value.is(x) and "an expression" or called(x) or value.describe(x), hint)
end
local expected = A.expected

local read = {}

function read.name(x, what, where)
  if type(x) ~= "string" then expected(what, "a name in quotes", x, where, "write it as \"name\"") end
  local why, instead = names.refusal(x)
  if why then fail(where, "%s '%s' %s; %s", what, x, why, instead) end
  return x
end

function read.text(x, what, where)
  if type(x) ~= "string" then expected(what, "a text in quotes", x, where, "write it as \"text\"") end
  if string.find(x, "[^%w%s:=,.+_%-]") then
    fail(where, "%s contains a character other than letters, digits and : = , . + - _; leave it out", what)
  end
  return x
end

function read.choice(x, what, where, _, spec)
  for _, choice in ipairs(spec.choices) do if x == choice then return x end end
  local list = "\"" .. table.concat(spec.choices, "\" or \"") .. "\""
  if type(x) ~= "string" then expected(what, list, x, where, "write it in quotes") end
  local near = names.nearest(x, spec.choices)
  fail(where, "%s is '%s'; %swrite %s", what, x, near and ("did you mean '%s'? Or "):format(near) or "", list)
end

function read.number(x, what, where)
  if type(x) ~= "number" then expected(what, "a number", x, where, "write the number itself") end
  if not finite(x) then
    fail(where, "%s is %s; write a finite number", what, x ~= x and "not a number (NaN)" or "infinite")
  end
  return x
end

function read.flag(x, what, where)
  if type(x) ~= "boolean" then expected(what, "true or false", x, where, "write true or false without quotes") end
  return x
end

-- a list of whole numbers from 1 to spec.most (a number, or a function of all options), none twice
function read.numbers(x, what, where, _, spec, given)
  local most = type(spec.most) == "function" and spec.most(given) or spec.most
  if not plain_table(x) or #x == 0 then expected(what, "a list of numbers", x, where, "write { 1, 2 }") end
  local seen = {}
  for i = 1, #x do
    local n = math.tointeger(x[i])
    if not n or n < 1 or n > most or seen[n] then
      fail(where, "entry %d of %s is no new whole number from 1 to %d; write { 1, 2 }", i, what, most)
    end
    seen[n] = true
  end
  return x
end

function read.expression(x, what, where, dim)
  local v = value.lift(x, what)
  if dim then value.expect(v, units.parse(dim), what, where) end
  return v
end

-- one expression or two
function read.expressions(x, what, where, dim)
  if not plain_table(x) then return { read.expression(x, what, where, dim) } end
  if x[1] == nil or x[3] ~= nil then expected(what, "one expression or two", x, where, "write { e1, e2 }") end
  local list = {}
  for i = 1, #x do list[i] = read.expression(x[i], "entry " .. i .. " of " .. what, where, dim) end
  return list
end

function read.point(x, what, where, dim)
  if not plain_table(x) or x[1] == nil or x[2] == nil or x[3] ~= nil then
    expected(what, "a point", x, where, plain_table(x) and #x == 3
      and "write { x, y }; a body in space is m:free_body or m:link" or "write { x, y }")
  end
  return { read.expression(x[1], "x of " .. what, where, dim), read.expression(x[2], "y of " .. what, where, dim) }
end

local axes = { "x", "y", "z" }

local function components(x, n, what, where, dim)
  local list = {}
  for i = 1, n do list[i] = read.expression(x[i], axes[i] .. " of " .. what, where, dim) end
  return list
end

-- three expressions
function read.vector(x, what, where, dim)
  if not plain_table(x) or #x ~= 3 then expected(what, "three expressions", x, where, "write { x, y, z }") end
  return components(x, 3, what, where, dim)
end

-- a point in the plane or in space
function read.place(x, what, where, dim)
  if not plain_table(x) or #x < 2 or #x > 3 then
    expected(what, "a point", x, where, "write { x, y }, or { x, y, z } in space")
  end
  return components(x, #x, what, where, dim)
end

function read.points(x, what, where, dim, spec)
  if not plain_table(x) or x[1] == nil or x[2] == nil or x[3] ~= nil then
    expected(what, "two points", x, where, "write { { x1, y1 }, { x2, y2 } }")
  end
  local one = spec.spatial and read.place or read.point
  local first = one(x[1], "the first point of " .. what, where, dim)
  local second = one(x[2], "the second point of " .. what, where, dim)
  if #first ~= #second then
    fail(where, "%s has one point in the plane and one in space; give both two components or both three", what)
  end
  return { first, second }
end

-- one expression (in the plane) or three (in space)
function read.torque(x, what, where, dim)
  if plain_table(x) then return read.vector(x, what, where, dim) end
  return read.expression(x, what, where, dim)
end

function read.coordinate(x, what, where)
  if not value.is(x) or value.node(x).kind ~= "q" then
    expected(what, "a coordinate", x, where, "give what m:coordinate returned")
  end
  return value.node(x)
end

function read.unit(x, what, where)
  if type(x) ~= "string" then expected(what, "a unit in quotes", x, where, "write for example \"m/s\"") end
  local dim, why, instead = units.parse(x)
  if not dim then fail(where, "%s is '%s', which %s; %s", what, x, why, instead) end
  units.note(dim, sandbox.current().dimensions.used)
  return x
end

read["function"] = function(x, what, where)
  if type(x) ~= "function" then expected(what, "a function", x, where, "write function(t) return { ... } end") end
  return x
end

for name, shown in pairs {
  name = "name", text = "text", number = "number", flag = "`true` or `false`", choice = "text", unit = "unit", coordinate = "coordinate",
  expression = "expression", expressions = "expression or `{ e1, e2 }`", numbers = "list of numbers", ["function"] = "function",
  point = "`{ x, y }`", points = "`{ { x1, y1 }, { x2, y2 } }`", vector = "`{ x, y, z }`", place = "`{ x, y }` or `{ x, y, z }`",
  torque = "expression or `{ tx, ty, tz }`",
} do
  A.types[name] = { shown = shown, read = read[name] }
end

-- A bound on an expression or several: looked at now where it is a number, else at the start (check.lua).
local function at_least(spec, x, what, where)
  for i, v in ipairs(spec.type == "expression" and { x } or x) do
    local n, name = value.node(v), spec.type == "expression" and what or axes[i] .. " of " .. what
    if n.op ~= "num" then
      table.insert(sandbox.current().bounds, { expr = n, what = name, least = spec.least, file = where.file, line = where.line })
    elseif n.value < spec.least then
      fail(where, "%s is %g; write a number that is %g or more", name, n.value, spec.least)
    end
  end
end

-- One argument or option against its description.
local function accept(spec, x, what, where, given)
  if x == nil then
    if spec.required then
      fail(where, "%s is missing (or nil: a misspelt name?); write %s", what, spec.write or spec.name .. " = ...")
    end
    return nil
  end
  local result = A.types[spec.type].read(x, what, where, spec.dim, spec, given)
  if spec.least then at_least(spec, result, what, where) end
  return result
end

--- The positional arguments of a word, by name. `given` is a packed list.
function A.arguments(word, given, where)
  local specs = word.arguments or {}
  local allowed = #specs + (word.options and 1 or 0)
  if given.n > allowed then
    fail(where, "%s takes at most %d argument%s but got %d; write %s", word.name, allowed, allowed == 1 and "" or "s",
      given.n, form(word))
  end
  local result = {}
  for i, spec in ipairs(specs) do
    if given[i] == nil and spec.required then
      fail(where, "%s lacks its %s (or it is nil: a misspelt name?); write %s", word.name, spec.name, form(word))
    end
    local whose = spec.name ~= "name" and result.name and (" '%s'"):format(result.name) or "" -- the name comes before the rest
    result[spec.name] = accept(spec, given[i], "the " .. spec.name .. " of " .. word.name .. whose, where)
  end
  return result
end

local function option_names(word)
  local list = {}
  for i, spec in ipairs(word.options) do list[i] = spec.name end
  return list
end

--- The options of a word, by name. `subject` names the object in messages: contact 'ground'.
function A.options(word, given, subject, where)
  if given == nil then given = {} end
  if not plain_table(given) then
    expected("the options of " .. subject, "a table", given, where, "write " .. form(word))
  end
  local keys = {}
  for key in next, given do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  local known = option_names(word)
  local is_known = {}
  for _, name in ipairs(known) do is_known[name] = true end
  for _, key in ipairs(keys) do
    if type(key) ~= "string" then
      fail(where, "%s has a value without a name; write %s", subject, form(word))
    elseif not is_known[key] then
      fail(where, "%s has no option '%s'; %s", subject, key, names.suggest(key, known, "it has"))
    end
  end
  local result = {}
  for _, spec in ipairs(word.options) do
    result[spec.name] = accept(spec, given[spec.name], spec.name .. " of " .. subject, where, given)
  end
  return result
end

--- A word whose arguments are a name and a table of options: the name, the options and what to call it in messages.
function A.named(word, given, where)
  if given.n > 2 then fail(where, "%s takes a name and a table of options; write %s", word.name, form(word)) end
  local a = A.arguments(word, { given[1], n = math.min(given.n, 1) }, where)
  local subject = word.name .. " '" .. a.name .. "'"
  return a.name, A.options(word, given[2], subject, where), subject
end

A.plain_table, A.components = plain_table, components
return A
