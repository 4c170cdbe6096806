-- Reads a model: finds the file, runs it in the sandbox, checks it. load(path, options) gives the model (contract in
-- model.lua) and the list of names of options.set that were constants.
local E = require "gen.expr.node"
local blocks = require "gen.system.blocks"
local carom = require "gen.lang.core.carom"
local check = require "gen.lang.core.check"
local environment = require "gen.lang.core.environment"
local fail = require "gen.lang.core.fail"
local model = require "gen.lang.core.model"
local names = require "gen.lang.core.names"
local runs = require "gen.lang.words.runs"
local sandbox = require "gen.lang.core.sandbox"
local value = require "gen.lang.core.value"

local L = {}

-- The names of the .lua files in a folder; none if it cannot be listed.
local function lua_files(folder)
  local list = {}
  local pipe = io.popen("ls -- '" .. string.gsub(folder, "'", "'\\''") .. "' 2>/dev/null")
  if not pipe then return list end
  for line in pipe:lines() do
    local name = string.match(line, "^(.+)%.lua$")
    if name then list[#list + 1] = name end
  end
  pipe:close()
  return list
end

-- where a model may be that is given by its name alone
local function folders(root)
  local models = (root or ".") .. "/models/"
  return { models, models .. "fem/" }
end

--- The names of the models in the models folders, sorted. Other files there are what models require.
function L.known(root)
  local list = {}
  for _, folder in ipairs(folders(root)) do
    for _, name in ipairs(lua_files(folder)) do
      if string.find(sandbox.read(folder .. name .. ".lua") or "", "carom%.model%f[%W]") then list[#list + 1] = name end
    end
  end
  table.sort(list)
  return list
end

local function no_such_model(path, root)
  local folder, name = string.match(path, "^(.*/)([^/]*)$")
  name = string.gsub(name or path, "%.lua$", "")
  local known = folder and lua_files(folder) or L.known(root)
  local near = names.nearest(name, known)
  if near then
    fail({ file = path }, "there is no such model; did you mean %s?", folder and folder .. near .. ".lua" or near)
  end
  fail({ file = path }, "there is no such model; give a file or one of: %s", table.concat(L.known(root), ", "))
end

--- The file a model argument means, and its text. MODEL is "-" (standard input), a path, or a name in root/models
-- or root/models/fem.
function L.find(path, root)
  if path == "-" then return "-", io.read("a") or "" end
  local text, why, exists = sandbox.read(path)
  if text then return path, text end
  if string.match(path, "^[%w_%-]+$") then
    for _, folder in ipairs(folders(root)) do
      local inside = folder .. path .. ".lua"
      text = sandbox.read(inside)
      if text then return inside, text end
    end
  end
  if exists then fail({ file = path }, "the model cannot be read: %s; give a model file", why) end
  no_such_model(path, root)
end

-- all that --set may name, in declared order
local function settable(m)
  local list = {}
  local function add(entries, kind)
    for _, e in ipairs(entries) do list[#list + 1] = { name = e.name, kind = kind } end
  end
  add(m.parameters, "parameter")
  add(m.constants, "constant")
  add(m.inputs, "input")
  if m.among then return list end -- bodies of a pile start where the file says
  for _, block in ipairs(blocks.of(m)) do
    add(block.q, block.kind == "rotation" and "orientation" or "coordinate")
    add(block.v, block.kind == "rotation" and "spin" or "velocity")
  end
  return list
end

--- See check.lua: where a run with other values starts.
function L.assembled(m, given, asked) return check.assembled(m, given, asked) end

--- Its initial values and what they depend on; see check.lua.
function L.start(m) return check.start(m) end

--- options: set (name -> value), burn (of parameters that shall be constants), assemble (project initial values that do not fit), text
-- (instead of reading path), root (project folder), and the limits instructions, memory (KiB), seconds.
function L.load(path, options)
  options = options or {}
  local file, text = path, options.text
  if not text then file, text = L.find(path, options.root) end
  E.reset()
  local state = { set = options.set or {}, burn = options.burn or {}, consumed = {} }
  local guard = sandbox.new { file = file, environment = environment, libraries = { carom = carom.library(state) },
    instructions = options.instructions, memory = options.memory, seconds = options.seconds }
  local returned = guard:run(text, file)
  local m = model.raw(returned)
  if not m then
    local _, lines = string.gsub(text, "\n", "")
    local last = math.max(1, string.sub(text, -1) == "\n" and lines or lines + 1)
    fail({ file = file, line = last }, state.object and "the model is not returned; end the file with: return m"
      or "the file declares no model; begin with: local m = require(\"carom\").model \"name\"")
  end
  value.settle(guard.dimensions)
  m.files = guard.files
  m.names, m.bounds = settable(m), guard.bounds
  guard:call_own(check.model, m, options.assemble)
  runs.guard_exact(m, guard)
  return m, state.consumed
end

return L
