-- What the end-to-end tests share: a model and a scheme in, a compiled integrator and its results out. Everything is made
-- in one temporary folder per test program, so that programs may run side by side; S.finish() removes it.
local T = require "tests.lua.harness"
local P = require "gen.pipeline"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local S = {}

S.folder = assert(fs.temporary_dir())
S.here = (fs.capture("pwd -P"):gsub("\n$", ""))
-- -ffp-contract=off as carom itself does: results do not depend on the compiler or the level
S.base = "-std=c11 -ffp-contract=off"
S.strict = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

--- Is there such a program?
function S.has(program)
  return fs.run("command -v " .. program .. " >/dev/null 2>&1") == 0
end

local counter = 0
--- A new folder inside the temporary one.
function S.place(name)
  counter = counter + 1
  local dir = ("%s/%d_%s"):format(S.folder, counter, name)
  assert(fs.mkdir(dir))
  return dir
end

--- Runs a command; its words are the error when it fails. Returns what it said.
function S.command(command)
  local said, code = fs.capture("{ " .. command .. " ; } 2>&1 </dev/null")
  if code ~= 0 then error(("exit code %d from: %s\n%s"):format(code, command, said), 2) end
  return said
end

--- The pipeline on a model (a name, or { text = "..." } for one written in the test).
-- options: set (constants), burn (parameters that become constants), form, prefix, real
function S.unit(model, scheme, options)
  options = options or {}
  local loaded
  if type(model) == "table" then
    loaded = P.load("inline.lua", { text = model.text, set = options.set, burn = options.burn })
  else
    loaded = P.load(model, { set = options.set, burn = options.burn })
  end
  return P.compile(loaded, { scheme = scheme, form = options.form, prefix = options.prefix, real = options.real, with = options.with })
end

--- Writes the files of a unit into a folder of their own and returns it.
function S.write(unit, dir)
  dir = dir or S.place(unit.name)
  assert(fs.write_all(dir, unit.files))
  return dir
end

-- Objects of the runtime, one per file and set of flags. Fifty test programs want the same ones: they are kept in build/objects, in a
-- folder named by what the runtime and the compilers are, and put there whole, since the programs run side by side.
local kept
local function place_of_objects()
  if not kept then
    local digest = S.command("cd " .. fs.quote(S.here) .. " && { gcc --version; clang --version || true; tcc -v || true; "
      .. "find runtime -name '*.[ch]' | LC_ALL=C sort | xargs sha256sum; } 2>/dev/null | sha256sum | cut -c1-16"):gsub("%s", "")
    kept = S.here .. "/build/objects/" .. digest
    if not fs.mkdir(kept) then kept = S.place "objects" end
  end
  return kept
end

local function object(path, compiler)
  local flat = (compiler .. " " .. path):gsub("[^%w.=,+-]", "_")
  local file = ("%s/%s.o"):format(place_of_objects(), flat)
  if not fs.exists(file) then
    local own = S.place "object" .. "/o.o"
    S.command(("%s -I%s -c %s -o %s && cp %s %s.$$ && mv %s.$$ %s"):format(compiler, fs.quote(S.here .. "/runtime/include"),
      fs.quote(S.here .. "/runtime/" .. path), fs.quote(own), fs.quote(own), fs.quote(file), fs.quote(file), fs.quote(file)))
  end
  return file
end

local DRIVER = { "mesh/shape.c" } -- which pictures of meshes ask
for _, name in ipairs(fs.list(S.here .. "/runtime/driver")) do
  if name:find("%.c$") then DRIVER[#DRIVER + 1] = "driver/" .. name end
end

-- The bits are the same at every level (tests/e2e/determinism.lua), and most programs run for less time than -O1 would take to make
-- them: -O0 where no options ask for more, and by tcc, which makes a program in a tenth of the time of gcc -O0.
local quickest = S.has "tcc" and "tcc -w" or "gcc"
local function compiler_of(options)
  local flags = options.flags or "-O0"
  local plain = flags == "-O0" and not options.cc and not options.own
  return ("%s %s %s"):format(options.cc or plain and quickest or "gcc", S.base, flags)
end

--- Compiles a unit with a main of its own (options.main, a text) or with the driver. options: cc, flags ("-O0"), main,
-- driver (flags of the driver's files, "-O1"), own (more flags of main and of the model's files).
-- Returns an object with run().
function S.compile(unit, options)
  options = options or {}
  local dir = S.write(unit)
  local compiler = compiler_of(options)
  local main, link, own = options.main, {}, unit.name .. ".c"
  if not main then -- one text with the model: a program less to start
    own = ""
    main = ('#include "%s.c"\n#include <carom/driver.h>\nint main(int argc, char **argv)\n{\n'
      .. '    return carom_drive(%s_model(), argc, argv);\n}\n'):format(unit.name, unit.name)
    local flags = ("gcc %s %s"):format(S.base, options.driver or "-O1")
    for _, name in ipairs(DRIVER) do link[#link + 1] = object(name, flags) end
  end
  assert(fs.write(dir .. "/main.c", main))
  for _, name in ipairs(unit.sources) do
    if name:find("^" .. unit.name .. "_") then link[#link + 1] = name -- of the model, too
    elseif name ~= unit.name .. ".c" then link[#link + 1] = object(name, compiler) end
  end
  S.command(("cd %s && %s %s -I. -I%s main.c %s %s -o run -lm"):format(fs.quote(dir), compiler, options.own or "",
    fs.quote(S.here .. "/runtime/include"), own, fs.command(link)))
  return setmetatable({ unit = unit, dir = dir, program = dir .. "/run" }, { __index = S.methods })
end

S.methods = {}

-- rows of a csv file: list of { name = number }
function S.csv(text)
  local names, rows = nil, {}
  for line in text:gmatch("[^\n]+") do
    if line:sub(1, 1) ~= "#" then
      local row, i = {}, 0
      for cell in line:gmatch("[^,]+") do
        i = i + 1
        if names then row[names[i]] = tonumber(cell) else row[i] = cell end
      end
      if names then rows[#rows + 1] = row else names = row end
    end
  end
  return rows, names
end

local function number(x) return type(x) == "number" and ("%.17g"):format(x) or x end

--- Runs the driver. options: step, until_time, set = list of "name=value", csv (rows come along as result.rows), every.
-- Returns the parsed JSON object; a run that fails is an error unless options.may_fail.
function S.methods:run(options)
  local words = { self.program, "--json" }
  local function add(...) for _, w in ipairs { ... } do words[#words + 1] = w end end
  if options.step then add("--step", number(options.step)) end
  if options.until_time then add("--until", number(options.until_time)) end
  if options.every then add("--every", tostring(options.every)) end
  for _, s in ipairs(options.set or {}) do add("--set", s) end
  local file = self.dir .. "/result.csv"
  if options.csv then add("--result", file) end
  local text, code = fs.capture(fs.command(words))
  local result = json.read(text)
  if not result then error(("no answer from %s (code %d)"):format(fs.command(words), code), 2) end
  if code ~= 0 and not options.may_fail then
    error(("%s with %s: %s"):format(self.unit.name, self.unit.scheme, result.message or code), 2)
  end
  result.code, result.text = code, text
  if options.csv then result.rows, result.names = S.csv(assert(fs.read(file))) end
  return result
end

local built = {}
--- The compiled integrator of a model name and scheme, made once per program.
function S.integrator(model, scheme, options)
  local text = type(model) == "table" and model.text or model
  options = options or {}
  local constants = {} -- those of the model; a list is for the run
  for name, x in next, options.set or {} do
    if type(name) == "string" then constants[#constants + 1] = name .. "=" .. x end
  end
  table.sort(constants)
  local key = table.concat({ text, scheme, options.form or "", options.flags or "", table.unpack(constants) }, "\n")
  if not built[key] then built[key] = S.compile(S.unit(model, scheme, options), options) end
  return built[key]
end

--- Runs a model with a scheme in one call.
function S.run(model, scheme, options)
  return S.integrator(model, scheme, options):run(options)
end

--- Least-squares slope of log(error) against log(h): the measured order.
function S.slope(h, e)
  local n, sx, sy, sxx, sxy = #h, 0, 0, 0, 0
  for i = 1, n do
    local x, y = math.log(h[i]), math.log(e[i])
    sx, sy, sxx, sxy = sx + x, sy + y, sxx + x * x, sxy + x * y
  end
  return (n * sxy - sx * sy) / (n * sxx - sx * sx)
end

--- Text outside `static const` tables (from their first line to the one that closes them).
function S.lines_outside_tables(text)
  local count, inside = 0, false
  for line in text:gmatch("(.-)\n") do
    if not inside and line:find("^%s*static const .*{$") and line:find("%[") then
      inside = true
    elseif inside then
      inside = not line:find("^%s*};")
    else
      count = count + 1
    end
  end
  return count
end

function S.finish()
  fs.remove_tree(S.folder)
  T.finish()
end

return S
