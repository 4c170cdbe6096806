-- Attacks on the sandbox: a model can neither touch the machine nor hang it, and nothing of it stays behind.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fail = require "gen.lang.core.fail"
local load = require("gen.lang.core.load").load

local string_index, string_meta = getmetatable("").__index, getmetatable("")

local function untouched()
  T.eq(getmetatable(""), string_meta)
  T.eq(string_meta.__index, string_index, "string methods are changed")
  T.eq(debug.gethook(), nil, "a hook is left")
  T.eq(("x"):rep(3), "xxx")
  T.eq(string.rep, string_index.rep)
  T.eq(_G.evil, nil)
end

-- `pattern`: expected is one, behind the line
local function attack(name, text, expected, options, pattern)
  T.test(name, function()
    options = options or {}
    options.text = text
    local good, e = pcall(load, "dir/model.lua", options)
    untouched()
    T.ok(not good, "the model was accepted")
    T.ok(fail.is(e), "not a located error: " .. tostring(e))
    if pattern then
      T.ok(tostring(e):find("^dir/model%.lua:" .. expected .. "$"), tostring(e))
    else
      T.eq(tostring(e), "dir/model.lua:" .. expected)
    end
  end)
end

local function denied(name, text, what, why)
  attack(name, "\n" .. text, "2: error: '" .. what .. "' is not available in a model: " .. why)
end

denied("os.execute", "os.execute 'touch evil'", "os", "models cannot touch the system")
denied("io.open", "io.open('evil', 'w')", "io", "models cannot touch files")
denied("io through a local", "local i = io", "io", "models cannot touch files")
denied("load", "load 'evil = 1'()", "load", "models cannot make code from text")
denied("dofile", "dofile '/etc/passwd'", "dofile", 'models cannot touch files; write require "name"')
denied("debug", "debug.sethook()", "debug", "models cannot look behind the language")
denied("coroutine", "coroutine.wrap(function() while true do end end)()", "coroutine",
  "models have no coroutines; use plain loops and functions")
denied("pcall", "pcall(function() while true do end end)", "pcall", "models cannot catch errors; test before")
denied("setmetatable", "setmetatable({}, {})", "setmetatable", "models have no metatables")
denied("getmetatable", "getmetatable('').__index = nil", "getmetatable", "models have no metatables")
denied("rawset", "rawset({}, 1, 2)", "rawset", "models have no metatables")
denied("package", "package.loaded.os = nil", "package", "models cannot change how files are found")
denied("next", "next({})", "next", "the order of next changes from run to run; write pairs or ipairs")
denied("collectgarbage", "collectgarbage 'stop'", "collectgarbage", "models cannot steer memory")
attack("_G", "_G.evil = 1", "1: error: the name '_G' is not known here; declare it with local first, or check the "
  .. "spelling")
attack("math.random", "math.random()", "1: error: math.random is not available in a model: a model must be the same "
  .. "in every run; "
  .. "write the numbers or compute them from the index")
attack("patterns", "string.find(string.rep('a', 1000), string.rep('a?', 1000) .. 'b')",
  "1: error: string.find is not available in a model: models have no patterns")
attack("patterns by methods", "local s = ('a'):gsub('a', 'b')",
  "1: error: string.gsub is not available in a model: models have no patterns")
attack("string.dump", "string.dump(function() end)", "1: error: string.dump is not available in a model: models "
  .. "cannot make code")
attack("huge rep", "local s = ('x'):rep(1e9)", "1: error: a text of more than 1000000 characters; models need only "
  .. "short texts")
attack("endless rep of nothing", "local s = (''):rep(1 << 62)",
  "1: error: a text of more than 1000000 characters; models need only short texts")
attack("huge concat", "local t = {}\nlocal s = ('x'):rep(1e6)\nfor i = 1, 100 do t[i] = s end\ns = table.concat(t)",
  "4: error: a text of more than 1000000 characters; models need only short texts")
attack("huge format", "local s = ('x'):rep(9e5)\ns = ('%s%s'):format(s, s)",
  "2: error: a text of more than 1000000 characters; models need only short texts")
attack("twenty texts in one go", "local s = 'x'\ns = 'a..b' .. s -- ..\n  .. (s" .. (" .. s"):rep(20) .. ")",
  "3: error: more than 20 texts are joined in one expression; join fewer at a time")
-- Lua ends a comment at a carriage return too, and \z swallows ends of lines: what follows is no text
local JOINED = "(s" .. (" .. s"):rep(20) .. ")"
for _, start in ipairs { "-- '\rlocal t = ", "local t = 'a\\z\n  b' .. ", "local t = 'a\\\r\nb' .. ", "local t = 'a\\\n\rb' .. ",
  "local t = 'a\\z \r\n\v\f\t b' .. " } do
  T.test("joined texts behind " .. start:gsub("%c", "?"), function()
    T.fails(function() load("m.lua", { text = "local s = 'x'\n" .. start .. JOINED .. " .. '" }) end, "more than 20 texts are joined")
  end)
end
attack("joined texts behind a first line that is a comment", "#!'\nlocal s = ''\nlocal t = " .. JOINED .. " -- '",
  "3: error: more than 20 texts are joined in one expression; join fewer at a time")
attack("an address by rep", "local s = string.rep({}, 1)", "1: error: string.rep needs a text, not a table")
attack("an address in a text", "local s = ('%p'):format({})", "1: error: %p would print an address; leave it out")
attack("compiled code", "\27Lua", "1: error: this is compiled code, not a model; give the Lua text")

local SMALL = { instructions = 2000000, memory = 16 * 1024 }
attack("endless loop", "local x = 0\nwhile true do x = x + 1 end",
  "2: error: the model does not finish within 2 million instructions; look for a loop that never ends", SMALL)
attack("endless loop by goto", "::a:: goto a",
  "1: error: the model does not finish within 2 million instructions; look for a loop that never ends", SMALL)
attack("endless sort", "local t = {}\nfor i = 1, 1000 do t[i] = i end\ntable.sort(t, function() while true do end end)",
  "3: error: the model does not finish within 2 million instructions; look for a loop that never ends", SMALL)
attack("huge text", "local s = 'x'\nwhile true do s = s .. s end",
  "2: error: the model needs more than 16 MiB of memory; look for a table or text that grows without end", SMALL)
attack("huge text by many operands", "local s = ('x'):rep(1e5)\nwhile true do s = s" .. (" .. s"):rep(18) .. " end",
  "2: error: the model needs more than 16 MiB of memory; look for a table or text that grows without end", SMALL)
attack("slow calls", "local t = {}\nfor i = 1, 1e5 do t[i] = i end\nwhile true do table.insert(t, 1, 0) end",
  "3: error: the model does not finish within 0.2 seconds; look for a loop that never ends", { seconds = 0.2 })
attack("slow comparisons in one sort", "local t, s = {}, ('x'):rep(1e6)\nfor i = 1, 1e5 do t[i] = s end\ntable.sort(t)",
  "3: error: the model does not finish within 0.2 seconds; look for a loop that never ends", { seconds = 0.2 })
attack("sorting what has no order", "table.sort { 1, {} }",
  "1: error: table.sort cannot tell which of a table and a number comes first; give it a function(a, b) that says so")
attack("huge table", "local t = {}\nfor i = 1, 1e9 do t[i] = { i } end",
  "2: error: the model needs more than 16 MiB of memory; look for a table or text that grows without end", SMALL)
-- the watchman looks seldom while a word of ours is at work, but neither between words nor in functions that words call
local M = "local m = require('carom').model('a')\n"
attack("endless words", M .. "while true do m:time('s') end",
  "2: error: the model does not finish within 2 million instructions; look for a loop that never ends", SMALL)
attack("words without end", M .. "for i = 1, 1e9 do m:parameter('p' .. i, i) end",
  "2: error: the model needs more than 16 MiB of memory, with %d+ words so far; look for a table or text that grows without end, "
    .. "or write a smaller model", { memory = 16 * 1024 }, true)
attack("huge text between words", M .. "local s = 'x'\nwhile true do s = s .. s\nm:time('s') end",
  "[34]: error: the model needs more than 16 MiB of memory; look for a table or text that grows without end", SMALL, true)
attack("huge text in a function that a word calls", M .. "m:heightfield('ground', { size = { 1, 1 }, cells = { 2, 2 },\n"
  .. "height = function() local s = 'x'; while true do s = s .. s end end })",
  "3: error: the model needs more than 16 MiB of memory; look for a table or text that grows without end", SMALL)
-- no time is lost with collections, of which each finds a little
attack("memory that is nearly full", "local t, n, s = {}, 0, ('x'):rep(1000)\nwhile true do n = n + 1\nlocal waste = s .. n\n"
  .. "if n < 95000 or n % 100 == 0 then t[#t + 1] = waste end end",
  "%d: error: the model needs more than 100 MiB of memory; look for a table or text that grows without end",
  { memory = 100 * 1024, seconds = 5 }, true)
attack("endless recursion", "local function f() return 1 + f() end\nf()",
  "1: error: calls or expressions are nested too deeply; look for a function that calls itself without end")
attack("error object", "error({})", "1: error: the model raised an error object that is a table; raise a text")
attack("forged error object", "error({ carom = true, file = 'x', line = 1, message = 'y' })",
  "1: error: the model raised an error object that is a table; raise a text")
attack("nil error", "error()", "1: error: the model raised an error object that is nil; raise a text")
attack("escape sequences in a message", "error('\\27[2J\\nroot:')", "1: error: ?[2J?root:")
attack("require of a path", "require '../x'", "1: error: require can load carom and files beside the model, not "
  .. "'../x'; "
  .. 'write require "name" for name.lua in the same folder')
attack("require of a library", "require 'io'", "1: error: there is no file 'io.lua' beside the model; check the name "
  .. "after require")
attack("require with a zero byte", "require 'x\\0y'", "1: error: require can load carom and files beside the model, "
  .. "not 'x?y'; "
  .. 'write require "name" for name.lua in the same folder')
attack("require of a number", "require(5)", "1: error: require needs a name in quotes, not a number")
attack("changing carom", "require('carom').sin = 1", "1: error: carom cannot be changed; use a local")
attack("changing a model", "local m = require('carom').model 'a'\nm.terms = {}",
  "2: error: a model has no field 'terms' to set; use a local")
attack("looking into an expression", "local q = require('carom').model('a'):coordinate('q')\nlocal op = q.op",
  "2: error: an expression has no field 'op'; did you mean '.dot' (its time derivative)?")
attack("changing an expression", "local q = require('carom').model('a'):coordinate('q')\nq.op = 'x'",
  "2: error: an expression has no fields to set; keep the value in a local")
attack("inserting into an expression", "local q = require('carom').model('a'):coordinate('q')\ntable.insert(q, 'x')",
  "2: error: an expression has no length; is it meant to be a table?")
attack("pairs of an expression", "local q = require('carom').model('a'):coordinate('q')\nfor k in pairs(q) do end",
  "2: error: pairs needs a plain table, not an expression; give it a table of your own")
attack("pairs of a model", "local m = require('carom').model('a')\nfor k in pairs(m) do end",
  "2: error: pairs needs a plain table, not an object of carom; give it a table of your own")
attack("a unit as C code", "require('carom').model('a'):parameter('p', 1, '*/ int evil; /*')",
  "1: error: the unit of parameter 'p' is '*/ int evil; /*', which is not a unit; write for example \"kg\", \"m/s^2\", \"N*m\" or "
    .. "\"1\"")

T.test("standard functions are copies", function()
  T.fails(function() load("m.lua", { text = "math.sin = nil string.format = nil table.insert = nil evil = 1 x()" }) end,
    "'x'")
  T.ok(math.sin and string.format and table.insert)
  untouched()
end)

T.test("a hook and string methods of the caller come back", function()
  local function mine() end
  debug.sethook(mine, "", 100000)
  pcall(load, "m.lua", { text = "x()" })
  local hook, _, count = debug.gethook()
  debug.sethook()
  T.eq(hook, mine) T.eq(count, 100000)
  untouched()
end)

T.test("harmless Lua works", function()
  load("m.lua", { text = [[
local carom = require "carom"
local m = carom.model(("abc"):upper():lower():sub(1, 2) .. ("x"):rep(2))
local order = {}
for k, v in pairs { b = 2, a = 1, 10, 20 } do order[#order + 1] = tostring(k) .. "=" .. v end
assert(table.concat(order, " ") == "1=10 2=20 a=1 b=2")
assert(tostring({}) == "table" and string.format("%s %d", {}, 3) == "table 3" and tostring(print) == "function")
assert(math.max(1, 2, 3) == 3 and math.log(8, 2) == 3 and select("#", table.unpack { 1, 2 }) == 2)
assert("10" + 1 == 11 and #"abc" == 3)
local q = m:coordinate "q"
assert(tostring(q + 1) == "q + 1")
m:kinetic_energy(q.dot^2)
return m]] })
  untouched()
end)

T.test("sort: as Lua's own, equal entries stay in order, any order function ends", function()
  load("m.lua", { text = [[
local t, seed = {}, 1
for i = 1, 1000 do
  seed = (seed * 16807) % 2147483647
  t[i] = { key = seed % 50, place = i }
end
table.sort(t, function(a, b) return a.key < b.key end)
for i = 2, #t do
  assert(t[i - 1].key < t[i].key or t[i - 1].key == t[i].key and t[i - 1].place < t[i].place)
end
local words = { "b", "a", "c", "" }
table.sort(words)
assert(table.concat(words, ",") == ",a,b,c")
table.sort(words, function() return true end)
table.sort {}
local m = require("carom").model "a"
m:kinetic_energy(m:coordinate("q").dot^2)
return m]] })
end)

T.test("no function of the library takes carom for guilty, or shows an address", function()
  local arguments = { "nil", "1", "-1", "0.5", "1e300", "'x'", "'%d'", "'%s %q'", "{}", "{ 1, 2 }", "{ {} }", "print", "true", "q",
    "require 'carom'" }
  local functions = { "assert", "error", "ipairs", "pairs", "select", "tonumber", "tostring", "type" }
  for library, names in pairs {
    string = "sub len upper lower byte char reverse rep format", table = "insert remove sort unpack pack concat",
    math = "abs ceil floor fmod max min modf sin cos tan asin acos atan exp log sqrt tointeger type ult" } do
    for name in names:gmatch("%S+") do functions[#functions + 1] = library .. "." .. name end
  end
  local before = "local q = require('carom').model('a'):coordinate 'q'\nlocal x = "
  local tried = 0
  for _, name in ipairs(functions) do
    for i, first in ipairs(arguments) do
      local second, third = arguments[(7 * i + tried) % #arguments + 1], arguments[(tried + i) % #arguments + 1]
      for _, rest in ipairs { "", ", " .. second, ", 5", ", 'y', " .. third } do
        local text = name .. "(" .. first .. rest .. ")"
        local good, e = pcall(load, "m.lua", { text = before .. text .. "\nerror(tostring(x))" })
        T.ok(not good and fail.is(e), text)
        T.ok(not e.message:find("internal error", 1, true), text .. ": " .. e.message)
        T.ok(not e.message:find("0x%x%x%x%x"), text .. ": " .. e.message)
        tried = tried + 1
      end
    end
  end
  T.ok(tried > 1500)
  untouched()
end)

T.test("concat takes a number between texts", function()
  T.fails(function() load("m.lua", { text = "error(table.concat({ 1, 2 }, 5))" }) end, "^152$")
end)

T.test("exact runs under guard as well", function()
  local m = load("m.lua", { instructions = 1000000, text = [[
local m = require("carom").model "a"
local q = m:coordinate "q"
m:kinetic_energy(q.dot^2)
m:exact(function(t)
  while t > 1 do end
  return { q = ("x"):len() }
end)
return m]] })
  T.eq(m.exact(0).q, 1)
  local e = T.fails(function() m.exact(2) end, "does not finish")
  T.eq(e.line, 5)
  untouched()
end)

T.test("files beside the model, each read once and recorded", function()
  local folder = os.tmpname()
  os.remove(folder)
  assert(os.execute("mkdir " .. folder))
  local function write(name, text)
    local f = assert(io.open(folder .. "/" .. name, "w"))
    f:write(text)
    f:close()
  end
  write("part.lua", "return { length = 2 }")
  write("circle.lua", "local c = require 'circle'")
  write("broken.lua", "local x = 1\nlocal y = q.z\n")
  write("model.lua", 'local p = require "part"\nassert(p == require "part")\nlocal m = require("carom").model "a"\n'
    .. 'local q = m:coordinate("q", { initial = p.length })\nm:kinetic_energy(q.dot^2)\nreturn m')
  write("bad1.lua", 'require "circle"')
  write("bad2.lua", 'require "broken"')
  local m = load(folder .. "/model.lua")
  T.eq(table.concat(m.files, " "), folder .. "/model.lua " .. folder .. "/part.lua")
  T.eq(tostring(T.fails(function() load(folder .. "/bad1.lua") end, "")),
    folder .. "/circle.lua:1: error: 'circle' requires itself; break the circle")
  T.eq(tostring(T.fails(function() load(folder .. "/bad2.lua") end, "")),
    folder
      .. "/broken.lua:2: error: the name 'q' is not known here; declare it with local first, or check the spelling")
  T.fails(function() load("-", { text = 'require "part"' }) end,
    "has no folder, so 'part' cannot be loaded; save the model to a file")
  for _, name in ipairs { "part", "circle", "broken", "model", "bad1", "bad2" } do
    os.remove(folder .. "/" .. name .. ".lua")
  end
  os.remove(folder)
  untouched()
end)

T.finish()
