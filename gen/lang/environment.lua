-- What a model finds around it: the harmless part of Lua's library, copied for each model. Left out on purpose:
-- everything that reaches files or the process, makes code from text, looks behind metatables, may run long in one
-- call (patterns, large rep) or gives other results in the next run (random numbers, addresses of tables, the order
-- of pairs).
local fail = require "gen.lang.fail"
local names = require "gen.lang.names"
local sandbox = require "gen.lang.sandbox"
local value = require "gen.lang.value"

local TEXT = 1000000 -- longest text made in one call
local PRINTED = 1000 -- lines printed by one model

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

local function strings()
  local t = copy(string, "sub len upper lower byte char reverse")
  function t.rep(text, n, separator)
    text, n, separator = tostring(text), math.tointeger(n) or 0, separator or ""
    if n > TEXT or n * (#text + #separator) > TEXT then too_long() end
    return string.rep(text, n, separator)
  end
  function t.format(form, ...)
    if type(form) ~= "string" then fail(sandbox.where(), "string.format needs a text, not a %s", type(form)) end
    if string.find(form, "%%[^%a%%]*p") then fail(sandbox.where(), "%s would print an address; leave it out", "%p") end
    local arguments = table.pack(...)
    local length = #form
    for i = 1, arguments.n do
      if type(arguments[i]) == "table" or type(arguments[i]) == "function" then arguments[i] = text_of(arguments[i]) end
      if type(arguments[i]) == "string" then length = length + #arguments[i] end
    end
    if length > TEXT then too_long() end
    return string.format(form, table.unpack(arguments, 1, arguments.n))
  end
  return t
end

local function tables()
  local t = copy(table, "insert remove sort unpack pack")
  function t.concat(list, separator, i, j)
    i, j = math.tointeger(i or 1) or 1, math.tointeger(j or #list) or 0
    local length = 0
    for k = i, j do
      length = length + #tostring(list[k]) + #(separator or "")
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
  for _, name in ipairs { "abs", "sin", "cos", "tan", "asin", "acos", "atan", "exp", "log", "sqrt", "min", "max" } do
    local numeric = t[name]
    t[name] = function(...)
      for i = 1, select("#", ...) do
        if value.is((select(i, ...))) then return value.functions[name](...) end
      end
      return numeric(...)
    end
  end
  return t
end

-- pairs in a fixed order: numbers, then texts, each ascending (the order of Lua's own changes from run to run)
local function ordered_pairs(t)
  if type(t) ~= "table" or getmetatable(t) ~= nil then
    fail(sandbox.where(), "pairs needs a plain table, not %s; give it a table of your own",
      value.is(t) and "an expression" or type(t) == "table" and "an object of carom" or value.describe(t))
  end
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
