-- The friction part of carom bench: what a frictional contact adds to a step, and the solvers on the collection of problems,
-- beside Siconos' NSGS where Siconos (libsiconos-numerics-dev) is installed.

local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"

local F = {}

local function quietly(command)
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  if code ~= 0 then errors.environment("%s failed:\n%s", command, (said:gsub("%s+$", ""))) end
  return said
end

local SCHEMES = { { "d", "D-:M=1" }, { "m", "moreau-jean:theta=0.5" } }
local MODELS = { { "stick", "stick_block" }, { "box", "rocking_box" } }

-- The model without friction: the same text, but for what follows `friction =` in its contacts.
local function without_friction(name)
  local text = assert(fs.read(fs.root .. "/models/" .. name .. ".lua"))
  return (text:gsub(", friction = friction, slide = [^}]*}", " }"):gsub(", friction = friction }", " }"))
end

--- Steps with friction against steps of the same model without, in one process.
function F.steps(results, folder)
  local generate = function(file, scheme, prefix)
    local dir = folder .. "/" .. prefix
    quietly(fs.command { fs.root .. "/carom", "--no-install", "gen", file, "--scheme", scheme, "--prefix", prefix, "-q", "-o", dir })
    return dir
  end
  local includes, sources, rough = {}, { fs.root .. "/tests/bench/bench_friction.c" }, nil
  for _, model in ipairs(MODELS) do
    local smooth = folder .. "/" .. model[2] .. ".lua"
    assert(fs.write(smooth, without_friction(model[2])))
    for _, scheme in ipairs(SCHEMES) do
      for _, kind in ipairs { { "rough", model[2] }, { "smooth", smooth } } do
        local prefix = ("%s_%s_%s"):format(model[1], kind[1], scheme[1])
        local dir = generate(kind[2], scheme[2], prefix)
        includes[#includes + 1], sources[#sources + 1] = "-I" .. dir, dir .. "/" .. prefix .. ".c"
        if prefix == "box_rough_d" then rough = dir end
      end
    end
  end
  local program = folder .. "/bench_friction"
  quietly(("%s %s %s %s/friction/*.c %s/l*.c -o %s -lm"):format((build.compiler()), fs.command(includes), fs.command(sources),
    fs.quote(rough), fs.quote(rough), fs.quote(program)))
  for label, with, without in quietly(fs.quote(program)):gmatch("([^\n]-)%s+with (%S+) without (%S+) ns/step") do
    results:add("friction of " .. label, with - without, "ns", label:find("^one") and 50 or 150,
      ("on top of a step of %s ns"):format(without))
  end
end

-- Flags and the object of the peer, or nil and why not.
local function siconos(folder)
  local compiler = build.compiler()
  local said, code = fs.capture(("echo '#include <siconos/SiconosConfig.h>' | %s -E -M - 2>/dev/null"):format(compiler))
  local place = code == 0 and said:match("(%S*/siconos)/SiconosConfig%.h")
  if not place then return nil, "install Siconos (libsiconos-numerics-dev) to compare with its NSGS" end
  local object, here = folder .. "/siconos_nsgs.o", fs.root .. "/tests/bench"
  local why, failed = fs.capture(("%s -I%s -I%s -I%s -I%s -c %s -o %s 2>&1"):format(compiler, fs.quote(fs.root .. "/runtime/include"),
    fs.quote(here), fs.quote(place), fs.quote(place .. "/numerics"), fs.quote(here .. "/siconos_nsgs.c"), fs.quote(object)))
  if failed ~= 0 then return nil, "the comparison is written for another Siconos: " .. (why:match("error:[^\n]*") or "") end
  return ("-DBENCH_SICONOS -I%s %s -lsiconos_numerics"):format(fs.quote(here), fs.quote(object))
end

local function problem_files()
  local folder = (os.getenv "CAROM_REFERENCE" or fs.root .. "/../shared/reference") .. "/friction"
  local said = fs.capture(("ls %s/*.txt 2>/dev/null"):format(fs.quote(folder)))
  local list = {}
  for path in said:gmatch("[^\n]+") do list[#list + 1] = path end
  return list
end

-- One line of bench_solve as measurements.
local function tell(results, line)
  local name, contacts, auto, solver, best = line:match("^(%S+)%.txt contacts (%d+) auto (%S+) best (%S+) (%S+)")
  if not name then return end
  auto, best = tonumber(auto), tonumber(best)
  local seconds, iterations, residual = line:match(" peer (%S+) iterations (%d+) residual (%S+)")
  local failed = line:find(" failed$")
  local note = ("%s contacts, auto %.1e s, best single %s %.1e s"):format(contacts, auto, solver, best)
  local rival = best
  if seconds then
    seconds = tonumber(seconds)
    if not failed then rival = math.min(rival, seconds) end
    note = note .. (", Siconos %.1e s (%s iterations%s)"):format(seconds, iterations,
      failed and ", residual " .. residual .. ", not solved" or "")
  end
  results:add("solve " .. name .. " over the best", auto / rival, "ratio", 2, note)
  if seconds and name == "Capsules-i100-1090" then
    results:add("Siconos NSGS over carom, " .. name, seconds / auto, "ratio", 50, "the same sparse problem, 1e-8", ">")
  end
end

--- All solvers and Siconos' on the collection, in one process.
function F.solvers(results, folder)
  local files = problem_files()
  if #files == 0 then
    results:add("solvers on the collection", nil, "ratio", nil, "not measured: set CAROM_REFERENCE to the folder with friction/*.txt")
    return
  end
  local peer, why = siconos(folder)
  if not peer then results:add("Siconos NSGS over carom", nil, "ratio", nil, "not measured: " .. why) end
  local program, runtime = folder .. "/bench_solve", fs.quote(fs.root .. "/runtime")
  quietly(("%s -I%s/include %s %s/friction/*.c %s/l*.c %s -o %s -lm"):format((build.compiler()), runtime,
    fs.quote(fs.root .. "/tests/bench/bench_solve.c"), runtime, runtime, peer or "", fs.quote(program)))
  for line in quietly("OPENBLAS_NUM_THREADS=1 " .. fs.command { program, table.unpack(files) }):gmatch("[^\n]+") do
    tell(results, line)
  end
end

return F
