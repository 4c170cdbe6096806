-- What a model finds around it: the harmless part of Lua's library, copied for each model. Left out on purpose:
-- everything that reaches files or the process, makes code from text, looks behind metatables, may run long in one
-- call (patterns, large rep) or gives other results in the next run (random numbers, addresses of tables, the order
-- of pairs).
local fail = require "gen.lang.core.fail"
local names = require "gen.lang.core.names"
local sandbox = require "gen.lang.core.sandbox"
local value = require "gen.lang.core.value"

local TEXT = 1000000 -- longest text made in one call
local PRINTED = 1000 -- lines printed by one model
local LONG = 10000   -- comparing two longer texts takes a while

-- The text of anything, without addresses: those differ from run to run.
local function text_of(x)
  local kind = type(x)
  if value.is(x) then return tostring(x) end
  if kind == "table" or kind == "function" or kind == "thread" or kind == "userdata" then return kind end
  return tostring(x)
end

local function copy(library, list)
  local t = {}
  for name in string.gmatch(list, "%S+") do t[name] = library[name] end
  return t
end

local function too_long()
  fail(sandbox.where(), "a text of more than %d characters; models need only short texts", TEXT)
end

-- Calls a function of Lua's library for the model: what it complains about is the model's mistake, on the model's line.
local function native(f, ...)
  local results = table.pack(pcall(f, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  local e = results[2]
  if type(e) ~= "string" then error(e, 0) end
  fail(sandbox.where(), "%s", (string.gsub(e, "^[^%s:]+:%d+: ", "")))
end

local function is_text(x) return type(x) == "string" or type(x) == "number" end

-- what a model hands to `name` must be a text (or a number, which becomes one)
local function text_argument(x, name)
  if not is_text(x) then fail(sandbox.where(), "%s needs a text, not %s", name, value.describe(x)) end
  return tostring(x)
end

local function whole_argument(x, name)
  return math.tointeger(x) or fail(sandbox.where(), "%s needs a whole number, not %s", name,
    type(x) == "number" and tostring(x) or value.describe(x))
end

local function plain_table(x, name)
  if type(x) ~= "table" or getmetatable(x) ~= nil then
    fail(sandbox.where(), "%s needs a plain table, not %s; give it a table of your own", name,
      value.is(x) and "an expression" or type(x) == "table" and "an object of carom" or value.describe(x))
  end
  return x
end

local function strings()
  local t = copy(string, "sub len upper lower byte char reverse")
  function t.rep(text, n, separator)
    text, n = text_argument(text, "string.rep"), whole_argument(n, "string.rep")
    separator = separator == nil and "" or text_argument(separator, "string.rep")
    if n > TEXT or n * (#text + #separator) > TEXT then too_long() end
    return string.rep(text, n, separator)
  end
  function t.format(form, ...)
    form = text_argument(form, "string.format")
    if string.find(form, "%%[^%a%%]*p") then fail(sandbox.where(), "%s would print an address; leave it out", "%p") end
    local arguments = table.pack(...)
    local length = #form
    for i = 1, arguments.n do
      local kind = type(arguments[i])
      if kind ~= "number" and kind ~= "string" and kind ~= "nil" and kind ~= "boolean" then arguments[i] = text_of(arguments[i]) end
      if type(arguments[i]) == "string" then length = length + #arguments[i] end
    end
    if length > TEXT then too_long() end
    return native(string.format, form, table.unpack(arguments, 1, arguments.n))
  end
  return t
end

-- Which of two comes first, where the model does not say.
local function before(a, b)
  if type(a) ~= type(b) or not is_text(a) then
    fail(sandbox.where(), "table.sort cannot tell which of %s and %s comes first; give it a function(a, b) that says so",
      value.describe(a), value.describe(b))
  end
  if type(a) == "string" and #a > LONG and #b > LONG then sandbox.current().clock() end
  return a < b
end

-- Lua's own sort is one call that nothing can interrupt. This one (merging runs of doubling length) stays under the watchman, ends
-- whatever the order function says, and leaves equal entries as they were.
local function sort(list, less)
  plain_table(list, "table.sort")
  if less ~= nil and type(less) ~= "function" then
    fail(sandbox.where(), "table.sort needs a function(a, b) that says whether a comes first, not %s", value.describe(less))
  end
  less = less or before
  local n, width, from, to = #list, 1, {}, {}
  for i = 1, n do from[i] = list[i] end
  while width < n do
    for low = 1, n, 2 * width do
      local middle, high = math.min(low + width, n + 1), math.min(low + 2 * width, n + 1)
      local i, j = low, middle
      for k = low, high - 1 do
        if j >= high or i < middle and not less(from[j], from[i]) then
          to[k], i = from[i], i + 1
        else
          to[k], j = from[j], j + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  for i = 1, n do list[i] = from[i] end
end

local function tables()
  local t = copy(table, "insert remove unpack pack")
  t.sort = sort
  function t.concat(list, separator, i, j)
    plain_table(list, "table.concat")
    separator = separator == nil and "" or text_argument(separator, "table.concat")
    i = i == nil and 1 or whole_argument(i, "table.concat")
    j = j == nil and #list or whole_argument(j, "table.concat")
    local length = 0
    for k = i, j do
      if not is_text(list[k]) then
        fail(sandbox.where(), "table.concat: entry %d is %s; give texts and numbers", k, value.describe(list[k]))
      end
      length = length + #tostring(list[k]) + #separator
      if length > TEXT then too_long() end
    end
    return table.concat(list, separator, i, j)
  end
  return t
end

-- math works on expressions too where carom has the same function
local function mathematics()
  local t = copy(math, "abs ceil floor fmod huge max min modf pi sin cos tan asin acos atan exp log sqrt "
    .. "tointeger type maxinteger mininteger ult")
  for _, name in ipairs { "abs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "min", "max", "floor",
    "ceil", "fmod" } do
    local numeric = t[name]
    t[name] = function(...)
      for i = 1, select("#", ...) do
        if value.is((select(i, ...))) then return value.functions[name](...) end
      end
      return native(numeric, ...)
    end
  end
  return t
end

-- pairs in a fixed order: numbers, then texts, each ascending (the order of Lua's own changes from run to run)
local function ordered_pairs(t)
  plain_table(t, "pairs")
  local numbers, texts = {}, {}
  for key in next, t do
    if type(key) == "number" then
      numbers[#numbers + 1] = key
    elseif type(key) == "string" then
      texts[#texts + 1] = key
    else
      fail(sandbox.where(), "pairs needs keys that are numbers or texts, not a %s; use ipairs and a list", type(key))
    end
  end
  table.sort(numbers)
  table.sort(texts)
  table.move(texts, 1, #texts, #numbers + 1, numbers)
  local i = 0
  return function()
    i = i + 1
    local key = numbers[i]
    if key ~= nil then return key, t[key] end
  end
end

local denied = {
  io = "models cannot touch files", os = "models cannot touch the system", load = "models cannot make code from text",
  loadstring = "models cannot make code from text", dofile = "models cannot touch files; write require \"name\"",
  loadfile = "models cannot touch files; write require \"name\"", debug = "models cannot look behind the language",
  coroutine = "models have no coroutines; use plain loops and functions",
  package = "models cannot change how files are found",
  pcall = "models cannot catch errors; test before", xpcall = "models cannot catch errors; test before",
  setmetatable = "models have no metatables", getmetatable = "models have no metatables",
  rawset = "models have no metatables",
  rawget = "models have no metatables", rawequal = "models have no metatables", rawlen = "models have no metatables",
  collectgarbage = "models cannot steer memory",
  next = "the order of next changes from run to run; write pairs or ipairs",
  utf8 = "texts are plain ASCII here",
}
local denied_members = {
  ["math.tanh"] = "write carom.tanh", ["math.sinh"] = "write carom.sinh", ["math.cosh"] = "write carom.cosh",
  ["math.hypot"] = "write carom.hypot", ["math.clamp"] = "write carom.clamp", ["math.atan2"] = "write carom.atan2",
  ["math.random"] = "a model must be the same in every run; write the numbers or compute them from the index",
  ["math.randomseed"] = "a model must be the same in every run",
  ["string.gsub"] = "models have no patterns", ["string.gmatch"] = "models have no patterns",
  ["string.find"] = "models have no patterns", ["string.match"] = "models have no patterns",
  ["string.dump"] = "models cannot make code", ["table.move"] = "write a loop",
}

-- a library whose missing members are explained
local function explained(name, t)
  local members = {}
  for key in pairs(t) do members[#members + 1] = key end
  table.sort(members)
  return setmetatable(t, { __index = function(_, key)
    key = text_of(key)
    local why = denied_members[name .. "." .. key]
    if why then fail(sandbox.where(), "%s.%s is not available in a model: %s", name, key, why) end
    fail(sandbox.where(), "there is no %s.%s; %s", name, key, names.suggest(key, members, "there are"))
  end })
end

--- The globals of one model.
local function environment(self)
  local printed = 0
  local globals = {
    assert = assert, error = error, ipairs = ipairs, pairs = ordered_pairs, select = select, tonumber = tonumber,
    tostring = text_of, type = type,
    require = function(name) return self:require(name) end,
    print = function(...)
      printed = printed + 1
      if printed > PRINTED then fail(sandbox.where(), "the model prints more than %d lines; print less", PRINTED) end
      local parts = table.pack(...)
      for i = 1, parts.n do parts[i] = fail.clean(string.sub(text_of(parts[i]), 1, 600)) end
      io.stderr:write(table.concat(parts, "\t"), "\n")
    end,
    math = explained("math", mathematics()), string = explained("string", strings()),
      table = explained("table", tables()),
  }
  local known = {}
  for key in pairs(globals) do known[#known + 1] = key end
  table.sort(known)
  return setmetatable(globals, { __index = function(_, key)
    key = text_of(key)
    if denied[key] then fail(sandbox.where(), "'%s' is not available in a model: %s", key, denied[key]) end
    local near = names.nearest(key, known)
    fail(sandbox.where(), "the name '%s' is not known here; %s", key,
      near and "did you mean '" .. near .. "'?" or "declare it with local first, or check the spelling")
  end })
end

return environment
