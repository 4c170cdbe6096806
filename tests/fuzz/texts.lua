-- Hostile texts for the parts written in Lua, inside one process:
--
--   lua5.4 tests/fuzz/texts.lua --target json|model|compile|words --count 100000 [--seed 1]
--
-- What is given must be read or refused in the way the part promises; an error that is not a refusal, or one that takes more than
-- ten seconds, ends the run with the input in out/fuzz/.
package.path = "./?.lua;" .. package.path
local R = require "tests.random.prng"
local fs = require "gen.util.fs"
local mutate = require "tests.fuzz.mutate"

local targets = {}

function targets.json()
  local json = require "gen.util.json"
  local texts = { [=[{"a":[1,2.5,-3e4,true,false,null,"x\u00e9\n\"\\"],"b":{"c":{}},"d":[[[]]]}]=],
    '{"version":"1.0","q":{"x":1e-300,"y":-0.0}}',
    '["\\ud83d\\ude00", "\\t", 12345678901234567890]' }
  return texts, function(text)
    local value, why = json.read(text)
    if value == nil and type(why) ~= "string" then error("refused without a word") end
    if value ~= nil and value ~= json.null and type(value) ~= "table" then json.read(json.write(value)) end
  end
end

local function model_texts()
  local texts = {}
  for _, folder in ipairs { "models", "models/fem" } do
    for _, name in ipairs(fs.list(folder)) do
      local text = name:find("%.lua$") and fs.read(folder .. "/" .. name)
      if text and #text < 6000 then texts[#texts + 1] = text end
    end
  end
  for example in assert(fs.read("gen/lang/README.md")):gmatch("```lua\n(.-)```") do
    if not example:find("^carom%.") and not example:find("^m:%w+%(name") then
      texts[#texts + 1] = 'local carom = require "carom"\nlocal m = carom.model "example"\nlocal mass = m:parameter("mass", 2, "kg")\n'
        .. 'local x = m:coordinate("x", { unit = "m", initial = 1 })\nlocal y = m:coordinate("y", { unit = "m", initial = 2 })\n'
        .. "m:kinetic_energy(mass * (x.dot^2 + y.dot^2) / 2)\n" .. example .. "return m\n"
    end
  end
  return texts
end

-- An error must be a message of carom to the author of a model.
local function told(good, why)
  if good then return end
  if not (type(why) == "table" and why.carom) then error(type(why) == "table" and (why.message or "") .. (why.trace or "") or why, 0) end
  if type(why.message) ~= "string" or why.message:find("internal error", 1, true) then error("message: " .. tostring(why.message), 0) end
end

-- The watchman of the sandbox must stop a model after a second of the processor, where users have more: a thousand spheres become
-- a hundred thousand in many inputs.
local function load_model(text)
  return pcall(require("gen.lang.core.load").load, "hostile.lua", { text = text, root = ".", seconds = 1 })
end

-- models: whatever the text, it is a model or a message with file and line
function targets.model()
  return model_texts(), function(text) told(load_model(text)) end
end

-- and what is a model becomes C or a message
function targets.compile()
  local P = require "gen.pipeline"
  local schemes = { "D-:M=1", "D-:M=2,projection=on", "D+:M=1", "moreau-jean", "moreau-jean:stages=newton", "schatzman-paoli",
    "capture:rk=radau5", "D-:M=0", "moreau-jean:theta=1,contact=position", "D-:M=1,adaptive=on", "D-:M=1,dense=on" }
  local turn = 0
  return model_texts(), function(text)
    local good, model = load_model(text)
    told(good, model)
    if good and #model.coordinates <= 40 and #(model.meshes or {}) == 0 then
      turn = turn + 1
      told(pcall(P.compile, model, { scheme = schemes[turn % #schemes + 1], form = turn % 3 == 0 and "looped" or nil }))
    end
  end, nil, true
end

-- command lines: options are read or refused
function targets.words()
  local args = require "gen.util.args"
  local commands = require "gen.cli.commands"
  local texts = { "run\nzeno_ball\n--scheme\nD-:M=1\n--set\nq=1\n--out\nx\n--json", "gen\n-o\nx\n--dump\nplan\nmodel.lua\n--prefix=a",
    "study\nbowl\n--schemes\nD-:M=1;moreau-jean\n--steps\n1e-2,1e-3", "check\n-\n--scheme=capture:rk=radau5", "help\n--man",
    "solve\na.txt\n--tol\n1e-8", "test\n--long\n-v", "bench\n--json" }
  local P = require "gen.scheme.catalogue"
  return texts, function(text)
    local words = {}
    for word in (text .. "\n"):gmatch("(.-)\n") do words[#words + 1] = word end
    local command = commands.get(table.remove(words, 1) or "")
    if command then
      local good, why = pcall(args.parse, words, command.options)
      if not good and type(why) ~= "table" then error(why, 0) end
      for _, word in ipairs(words) do
        good, why = pcall(P.parse, word)
        if not good and not (type(why) == "table" and why.carom) then error(why, 0) end
      end
    end
  end
end

local M = { targets = targets }

--- Tries `count` broken texts on a target. options: seed, out (folder of what failed), tell (a function). Returns how many were tried
-- and how many went wrong.
function M.run(target, count, options)
  local texts, try, finish, gently = assert(targets[target], "there is no target " .. target)()
  local r = R.new(options.seed or 1)
  local bad, longest, tried = 0, 0, 0
  for k = 1, count do
    local text = mutate(r, texts, gently or k % 2 == 0)
    local begin = os.clock()
    local good, why = xpcall(try, function(e) return type(e) == "string" and debug.traceback(e, 2) or tostring(e) end, text)
    local took = os.clock() - begin
    longest, tried = math.max(longest, took), k
    if not good or took > 10 then
      bad = bad + 1
      local file = ("%s/%s_%d_%d"):format(options.out or "out/fuzz", target, options.seed or 1, k)
      fs.mkdir(options.out or "out/fuzz")
      assert(fs.write(file, text))
      options.tell(("%s, input %d (%s): %s"):format(target, k, file, good and ("%.1f s"):format(took) or tostring(why):sub(1, 600)))
      if bad >= 20 then break end
    end
  end
  if finish then finish() end
  return tried, bad, longest
end

if arg and arg[0] and arg[0]:find("fuzz/texts%.lua$") then
  local options = { seed = 1, count = 1000, tell = function(text) print("not ok - " .. text) end }
  for i = 1, #arg, 2 do options[arg[i]:match("^%-%-(%w+)$")] = tonumber(arg[i + 1]) or arg[i + 1] end
  local tried, bad, longest = M.run(options.target, options.count, options)
  print(("%s: %d inputs, %d wrong, longest %.2f s"):format(options.target, tried, bad, longest))
  os.exit(bad == 0 and 0 or 1)
end
return M
