-- Runs the text of a model so that it can neither touch the machine nor hang it: an environment of harmless
-- functions, a budget of instructions and memory, and `require` of nothing but carom and files beside the model.
-- Whatever goes wrong inside comes out as one error with file and line (fail.lua), and string methods, hook and all
-- else are as before afterwards.
--
-- Texts are loaded under the chunk names "=carom:1", "=carom:2" ...: positions are found by walking the stack for
-- them, which is exact for any file name, and only such code gets the restricted string methods (the generator's own
-- code keeps them all).
local check_joins = require "gen.lang.core.joins"
local fail = require "gen.lang.core.fail"

local S = {}
S.__index = S

-- The watchman looks every INTERVAL instructions: few, because s = s .. s doubles in three, and fewer once memory has
-- GROWN. OWN is what a look itself takes: Lua counts the instructions of a hook as well. Every ROUND looks it also
-- checks instructions and seconds (single instructions can be slow: joining long texts).
local INTERVAL, CLOSER, OWN, ROUND = 16, 5, 14, 32
local CLOSER_ROUND = 8 -- then single instructions may be slow as well
local OWN_INTERVAL = 10000
local INSTRUCTIONS = 100 * 1000 * 1000
local SECONDS = 20
local MEMORY = 384 * 1024 -- KiB on top of what is in use at the start
-- What each body and shape may take beside, up to our own limits: a model with very many of them is no loop without end.
local BODY = { instructions = 2000, memory = 16, seconds = 5e-4 }
local GROWN = 8 * 1024    -- KiB
local FULL = 0.9          -- of the memory in use after a collection: with less room, collections would take all the time
local FILE_SIZE = 8 * 1024 * 1024

-- What our own work on a model may take, checking it or generating from it: the launcher's limits (see carom). 0 is none.
local function own_limit(name, default)
  local x = tonumber(os.getenv(name) or "") or default
  return x > 0 and x or math.huge
end
local OWN_MIB, OWN_SECONDS = own_limit("CAROM_LIMIT_MIB", 2048), own_limit("CAROM_LIMIT_SECONDS", 300)

--- What a model may use, for the reference page.
S.limits = { instructions = INSTRUCTIONS, memory = MEMORY }

local active -- the sandbox that is running, if any
local words, bodies = 0, 0 -- words of the model that were called in it, and those of them that make a body or shape
local MANY = 1000

--- The sandbox that is running; nil outside one.
function S.current() return active end

--- While the value given is not closed, a word of ours is at work for the model: its instructions are no loop of the model's, and the
-- watchman looks seldom. He looks once when it is done. Not for words that call functions of the model. makes_body: a word of which a
-- model may have very many.
function S.word(makes_body)
  return active and active.word and active.word(makes_body)
end

--- Position in the model of the statement that is being executed; nil outside a sandbox.
function S.where()
  if not active then return nil end
  for level = 2, 250 do
    local info = debug.getinfo(level, "Sl")
    if not info then break end
    local index = string.match(info.source, "^=carom:(%d+)$")
    if index then
      active.last = { file = active.files[tonumber(index)], line = info.currentline }
      return active.last
    end
  end
  return active.last
end

--- A new sandbox. options: file (the model's path, "-" for standard input), libraries (name -> value for require),
-- environment (function(sandbox) -> table of globals), instructions, memory (KiB), seconds.
function S.new(options)
  local self = setmetatable({
    files = {}, loaded = {}, loading = {}, dimensions = { used = {}, open = {} }, bounds = {}, libraries = options.libraries or {},
    directory = string.match(options.file, "^(.*/)") or "", from_input = options.file == "-",
    instructions = options.instructions or INSTRUCTIONS, memory = options.memory or MEMORY,
    seconds = options.seconds or SECONDS,
  }, S)
  self.last = { file = options.file, line = 1 }
  self.environment = options.environment(self)
  return self
end

-- A Lua error message without its own position, in words for the model's author.
local function explain(message)
  message = string.sub(message, 1, 2000)
  message = string.gsub(message, "^carom:%d+:%d+: ", "")
  local place, rest = string.match(message, "^([^%s:]+%.lua:%d+): (.*)$")
  if place then
    if string.match(rest, "^attempt to") or string.match(rest, "^bad argument") then
      return "internal error of carom at " .. place .. ": " .. rest .. "; please report it with this model"
    end
    message = rest
  end
  if string.find(message, "stack overflow", 1, true) then
    return "calls or expressions are nested too deeply; look for a function that calls itself without end"
  end
  if string.find(message, "nil value", 1, true) then
    return message .. "; check the spelling"
  end
  return message
end

-- Turns any error into one of ours, while the stack still shows where it happened.
local function located(e)
  if fail.is(e) then return e end
  local where = S.where()
  local message = type(e) == "string" and explain(e)
    or type(e) == "number" and tostring(e)
    or "the model raised an error object that is " .. (e == nil and "nil" or "a " .. type(e)) .. "; raise a text"
  local _, failure = pcall(fail, where, "%s", message)
  return failure
end

-- What a budget has come to with the bodies so far, and no more than `most` unless it was more before.
local function extent(budget, what, most)
  return budget.own and budget[what] or math.min(budget[what] + bodies * BODY[what], math.max(budget[what], most))
end

local function room(budget) return extent(budget, "memory", OWN_MIB * 1024) end

local function duration(budget) return extent(budget, "seconds", OWN_SECONDS) end

-- A budget is { instructions =, memory = (KiB), seconds = } of a model, or { own = true, memory =, seconds = } of the generator.
local function own_budget()
  return { own = true, instructions = math.huge, memory = OWN_MIB * 1024, seconds = OWN_SECONDS }
end

local function out_of_memory(budget, where)
  if budget.own then
    fail(where, "generating this model needs more than %d MiB of memory; write a smaller one, or set CAROM_LIMIT_MIB to a higher limit",
      math.min(OWN_MIB, 1e9) // 1)
  end
  fail(where, "the model needs more than %d MiB of memory%s; look for a table or text that grows without end%s", room(budget) // 1024,
    words > MANY and (", with %d words so far"):format(words) or "", words > MANY and ", or write a smaller model" or "")
end

local function out_of_time(budget, where)
  if budget.own then
    fail(where, "generating this model takes more than %g seconds; write a smaller one, or set CAROM_LIMIT_SECONDS to a higher limit",
      budget.seconds)
  end
  fail(where, "the model does not finish within %g seconds; look for a loop that never ends", duration(budget))
end

-- Starts the watchman. Gives the function that looks at the clock, for work that is one call, and what S.word gives.
local function watch(budget, interval)
  local memory, base = collectgarbage, collectgarbage("count")
  local near = base + math.min(GROWN, budget.memory / 2)
  local limit = near
  local every = budget.own and 1 or ROUND
  local done, began, left = 0, os.clock(), every
  local look

  local function clock()
    if os.clock() - began > duration(budget) then out_of_time(budget, S.where() or budget.where) end
  end

  local function round()
    left = every
    done = done + every * interval
    local bound = extent(budget, "instructions", math.huge)
    if done > bound then
      fail(S.where(), "the model does not finish within %d million instructions; look for a loop that never ends", bound // 1000000)
    end
    clock()
  end

  local function heavy()
    local closer = limit > near
    limit = base + room(budget)
    if not closer then -- from now on look more closely
      if not budget.own then
        interval, every = CLOSER, CLOSER_ROUND
        left = math.min(left, every)
        debug.sethook(look, "", interval + OWN)
      end
    elseif memory("count") > limit then
      memory()
      if memory("count") > base + FULL * (limit - base) then out_of_memory(budget, S.where() or budget.where) end
    end
  end

  function look()
    left = left - 1
    if left < 0 then round() end
    if memory("count") > limit then heavy() end
  end
  debug.sethook(look, "", interval + OWN)

  local function seldom()
    clock()
    if memory("count") > limit then heavy() end
  end
  local word = setmetatable({}, { __close = function(_, failure)
    if not failure then look() end
    debug.sethook(look, "", interval + 2)
  end })
  return clock, function(makes_body)
    words, bodies = words + 1, bodies + (makes_body and 1 or 0)
    debug.sethook(seldom, "", OWN_INTERVAL)
    return word
  end
end

-- An error that no handler could look at.
local function bare(e, budget, where)
  if fail.is(e) then error(e, 0) end
  if string.find(tostring(e), "not enough memory", 1, true) then
    collectgarbage()
    out_of_memory(budget, where)
  end
  fail(where, "%s", explain(tostring(e)))
end

-- xpcall of f under watch, its results packed. The hook is set and removed inside of the protected call: where it ends f is the only
-- place it may speak. A handler that could not run (no stack or memory left) leaves it on: the outer call catches what it says then.
local function watched(budget, interval, started, f, handler, ...)
  local good, results = pcall(function(...)
    local packed = table.pack(xpcall(function(...)
      started(watch(budget, interval))
      local results = table.pack(f(...))
      debug.sethook()
      return table.unpack(results, 1, results.n)
    end, function(e)
      debug.sethook()
      return handler(e)
    end, ...))
    debug.sethook()
    return packed
  end, ...)
  if good then return results end
  debug.sethook()
  return { false, results, n = 2 }
end

-- Calls f(...) under guard and gives its results; errors come out located.
local function guarded(self, budget, interval, f, ...)
  local meta, outer, last = getmetatable(""), active, self.last
  local methods = meta.__index
  local hook, mask, count = debug.gethook()
  local safe = self.environment.string
  active = self
  meta.__index = function(text, key)
    local source = debug.getinfo(2, "S").source
    if string.match(source, "^=carom:") or string.match(source, "^=%[C%]") then return safe[key] end
    if type(methods) == "table" then return methods[key] end
    return methods(text, key)
  end
  if not outer then words, bodies = 0, 0 end
  local clock, word = self.clock, self.word
  local results = watched(budget, interval, function(at, begin) self.clock, self.word = at, not budget.own and begin end, f, located, ...)
  debug.sethook(hook, mask, count)
  meta.__index = methods
  active, self.clock, self.word = outer, clock, word
  if results[1] then return table.unpack(results, 2, results.n) end
  return bare(results[2], budget, self.last or last)
end

--- Calls a function of the model under guard.
function S:call(f, ...) return guarded(self, self, INTERVAL, f, ...) end

--- Calls a function of ours on the model under guard: the same errors, our own budget.
function S:call_own(f, ...) return guarded(self, own_budget(), OWN_INTERVAL, f, ...) end

--- The generator's work after a model has been loaded, within our own budget: gives the results of f(...). Faults of ours keep
-- their trace.
function S.bounded(where, f, ...)
  local hook, mask, count = debug.gethook()
  local budget = own_budget()
  budget.where = where
  local results = watched(budget, OWN_INTERVAL, function() end, f, function(e)
    return type(e) == "table" and e or { internal = true, message = tostring(e), trace = debug.traceback("", 2) }
  end, ...)
  debug.sethook(hook, mask, count)
  if results[1] then return table.unpack(results, 2, results.n) end
  if type(results[2]) ~= "table" then bare(results[2], budget, where) end -- out of memory: no handler was called
  error(results[2], 0)
end

-- Loads a text as chunk number #files.
local function compile(self, text, file)
  self.files[#self.files + 1] = file
  local index = #self.files
  text = string.gsub(text, "^\239\187\191", "") -- editors of some systems begin a text so
  if string.byte(text, 1) == 27 then
    fail({ file = file, line = 1 }, "this is compiled code, not a model; give the Lua text")
  end
  if string.byte(text, 1) == 35 then text = "--" .. text end -- a first line "#!..." is a comment
  check_joins(text, file)
  local chunk, message = load(text, "=carom:" .. index, "t", self.environment)
  if not chunk then
    local line, rest = string.match(message, "^carom:%d+:(%d+): (.*)$")
    fail({ file = file, line = tonumber(line) or 1 }, "%s; correct the Lua syntax here or just above%s", rest or message,
      string.match(message, "near 'until'") and " (until is a word of Lua; the option of run is until_time)" or "")
  end
  return chunk
end

--- Reads a whole file; nil, a reason and whether there is something when it cannot be read.
function S.read(path)
  local handle, why = io.open(path, "rb")
  if not handle then return nil, why end
  local text = handle:read(FILE_SIZE + 1)
  local readable = text or handle:read(0) or handle:seek("end") == 0
  handle:close()
  if not readable then return nil, "it is not a file", true end
  if text and #text > FILE_SIZE then return nil, "it is larger than 8 MiB", true end
  return text or ""
end

--- Runs the main text; gives what it returns.
function S:run(text, file)
  collectgarbage() -- what earlier models left behind shall not count as room for this one
  return self:call(function() return compile(self, text, file)() end)
end

--- `require` of the sandbox.
function S:require(name)
  local where = S.where()
  if type(name) ~= "string" then fail(where, "require needs a name in quotes, not a %s", type(name)) end
  if self.libraries[name] ~= nil then return self.libraries[name] end
  if not string.match(name, "^[%a_][%w_]*$") then
    fail(where, "require can load carom and files beside the model, not '%s'; write require \"name\" for name.lua in "
      .. "the same folder", name)
  end
  if self.loaded[name] ~= nil then return self.loaded[name] end
  if self.from_input then
    fail(where, "a model from standard input has no folder, so '%s' cannot be loaded; save the model to a file", name)
  end
  if self.loading[name] then fail(where, "'%s' requires itself; break the circle", name) end
  local path = self.directory .. name .. ".lua"
  local text = S.read(path)
  if not text then
    fail(where, "there is no file '%s' beside the model; check the name after require", name .. ".lua")
  end
  self.loading[name] = true
  local result = compile(self, text, path)()
  self.loading[name] = nil
  if result == nil then result = true end
  self.loaded[name] = result
  return result
end

return S
