-- carom gen: write the integrator of a model as C.

local args = require "gen.util.args"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local large = require "gen.cli.large"
local measure = require "gen.cli.measure"
local model = require "gen.cli.model"
local targets = require "gen.cli.targets"

local STAGES = { "model", "system", "equations", "plan", "steps", "c" }

local gen = {
  name = "gen",
  usage = "carom gen MODEL [--scheme S] [-o DIR] [--target c|batch|lib|python|fmu2|fmu3|petsc] [--prefix NAME] [--real TYPE] [--split] "
    .. "[--with tangent] [--set NAME=VALUE]... [--dump STAGE] [--depfile F]",
  summary = "write the integrator of a model as C",
  text = [[
Writes a self-contained folder: header, source, the pieces of the runtime it uses, an example main, a build file and a
README. All or nothing; files that would not change keep their time stamps. The text belongs to you without obligation.

A model with a mesh becomes such a folder where it is small; --target petsc writes a program that runs it at any size on PETSc
and MPI, with its Makefile.

--target batch adds NAME_batch.h and NAME_batch.c, the same integrator for thousands of instances side by side, in vectors of GCC or Clang
(D- of degree 1 and explicit moreau-jean, contacts without constraints). Angles have sines of its own, all else has the same bits.

--target lib adds a shared library with the same functions, and flat ones (carom/library.h) for languages that know no headers. --target
python writes a package on ctypes that pip installs from its folder.

--target fmu2 and fmu3 write MODEL.fmu, a unit for co-simulation by FMI 2.0 or 3.0: parameters are tunable, inputs, outputs, positions,
velocities, gaps, impulses and forces of contacts are variables, impacts are integrated inside of communication steps, states can be kept
and written as bytes. It holds a library for this machine (--platforms) and its sources, which one call of a C compiler turns into one.

--real float writes single precision for processors that have no other: every number, literal and function is a float, defaults of tol,
ctol, tg and tv are those of seven digits (2e-6, 3e-5, 1e-6, 1e-4). Differences of nearly equal numbers are left to doubles: adaptive=on,
schatzman-paoli, level=all, meshes and contacts_among are refused, and very stiff models may say that a step did not converge.

--with tangent adds the derivative of a step to models in straight code (D-, D+, moreau-jean; THEORY.md 11): what becomes of directions of
state, parameters and inputs, the whole Jacobian, and the way back through recorded steps, for fitting and optimal control.

--set takes constants, which are burnt into the C, and parameters, which stay fields of its params struct: their defaults change.
--split moves long functions of the model and its tables into files of their own beside NAME.c; results are the same bits.
--burn makes a parameter a constant, and what follows from its value is left out: --burn friction=0 drops all of friction.

Generating may take as much memory (MiB) and processor time (seconds) as the environment variables CAROM_LIMIT_MIB (2048, or
half of the memory there is) and CAROM_LIMIT_SECONDS (300) say, 0 being no limit; beyond, the model is refused with exit code 2.]],
  options = {
    model.options.scheme,
    model.options.form,
    { "--out", short = "-o", value = "DIR", text = "output folder (default: out/MODEL)" },
    model.options.set,
    { "--burn", value = "NAME=VALUE", many = true, text = "make a parameter a constant of the C; may be repeated" },
    model.options.assemble,
    { "--target", value = "T", text = "c, batch, lib, python, fmu2, fmu3; petsc: meshes only (default: c, or by the size of the mesh)" },
    { "--platforms", value = "LIST", text = "of libraries in FMUs: native (default), x86_64-linux, aarch64-linux, x86_64-windows; none" },
    { "--real", value = "TYPE", text = "float or double (default): the type of all numbers in the C" },
    { "--with", value = "LIST", text = "tangent: also the derivative of a step by state, parameters, inputs, time and step length" },
    { "--split", text = "C of a long model in several files, which compilers can take side by side" },
    { "--prefix", value = "NAME", text = "name of files and symbols instead of the model's" },
    { "--dump", value = "STAGE", text = "print one stage (" .. table.concat(STAGES, ", ") .. ") and write nothing" },
    { "--depfile", value = "F", text = "write a make rule: outputs depend on every file that was read" },
    { "--measure", text = "compile it here, and tell code, state, stack and deviations from MISRA C in its README (needs gcc)" },
    { "--list-outputs", text = "print the names of the files that would be written, and write nothing" },
    { "--quiet", short = "-q", text = "print nothing when all is well" },
  },
}

-- Everything of carom that shapes the output: loaded modules, templates, and the runtime pieces that are copied.
local function generator_files()
  local files = {}
  for name in pairs(package.loaded) do -- sorted below
    local path = name:find("^gen%.") and package.searchpath(name, package.path)
    if path then files[#files + 1] = path end
  end
  for _, folder in ipairs { "templates", "templates/target", "runtime", "runtime/friction", "runtime/include/carom", "runtime/mesh",
    "runtime/petsc" } do
    for _, name in ipairs(fs.list(fs.root .. "/" .. folder)) do
      if name:find("%.[ch]$") or name:find("%.in$") then files[#files + 1] = fs.root .. "/" .. folder .. "/" .. name end
    end
  end
  table.sort(files)
  return files
end

local function make_name(path)
  return (path:gsub("([ #\\])", "\\%1"):gsub("%$", "$$"))
end

local function dependency_rule(outputs, loaded)
  local left, right = {}, {}
  for i, path in ipairs(outputs) do left[i] = make_name(path) end
  for _, path in ipairs(loaded.files or {}) do right[#right + 1] = make_name(path) end
  for _, path in ipairs(generator_files()) do right[#right + 1] = make_name(path) end
  return table.concat(left, " ") .. ": \\\n  " .. table.concat(right, " \\\n  ") .. "\n"
end

local function check_stage(stage)
  for _, known in ipairs(STAGES) do
    if stage == known then return end
  end
  args.fail("--dump %s: the stages are %s", stage, table.concat(STAGES, ", "))
end

local function write(dir, files, depfile, rule)
  local all = {}
  for i, file in ipairs(files) do all[i] = { name = dir .. "/" .. file.name, text = file.text } end
  if depfile then all[#all + 1] = { name = depfile, text = rule } end
  local changed, why = fs.write_all("", all)
  if not changed then errors.environment("nothing written: %s", why) end
  return changed
end

-- what --with asks for beside the integrator, as a set
local function additions(text)
  local set = {}
  for word in (text or ""):gmatch("[^,]+") do
    if word ~= "tangent" then args.fail("--with %s: there is only tangent, the derivative of a step", word) end
    set[word] = true
  end
  return set
end

local function compile(loaded, options)
  local settings = { scheme = options.scheme, form = options.form, prefix = options.prefix, with = additions(options.with),
    runtime = large.runtime() }
  local target = options.target
  if target and target ~= "c" and target ~= "batch" and target ~= "petsc" and not targets.is(target) then
    args.fail("--target %s: write c, batch, petsc, %s", target, table.concat(targets.names, ", "))
  end
  settings.with.batch, settings.with.split = target == "batch", options.split
  local real = options.real
  if real and real ~= "float" and real ~= "double" then args.fail("--real %s: write float or double", real) end
  if real == "float" and target and target ~= "c" then args.fail("--real float is for --target c; %s hands over doubles", target) end
  settings.real = real
  if options.platforms and not (target and target:find "^fmu") then args.fail("--platforms is for --target fmu2 and fmu3") end
  if not large.is(loaded) then
    if target == "petsc" then args.fail("--target petsc is for models with a mesh; %s has none", loaded.name) end
    return model.pipeline().compile(loaded, settings)
  end
  local asked = (target == "c" or target == "batch" or targets.is(target)) and "small" or target
  return (large.unit(model.pipeline(), loaded, asked, settings, options))
end

function gen.run(options)
  local operand = model.operand(options, "gen")
  if options.dump then check_stage(options.dump) end
  if options.prefix and not options.prefix:find("^[%a_][%w_]*$") then
    args.fail("--prefix %s is not a C identifier", options.prefix)
  end
  local loaded, rest = model.load(operand, options.set, options.assemble, options.burn)
  model.burn(loaded, rest)
  local unit = compile(loaded, options)
  if options.dump then
    local text = unit:dump(options.dump)
    io.stdout:write(text, text:sub(-1) == "\n" and "" or "\n")
    return 0
  end
  local dir = options.out or "out/" .. (options.prefix or loaded.name)
  local outputs = {}
  if targets.is(options.target) then
    for i, name in ipairs(targets.outputs(unit, options.target)) do outputs[i] = dir .. "/" .. name end
  else
    for i, file in ipairs(unit.files) do outputs[i] = dir .. "/" .. file.name end
  end
  if options.list_outputs then
    print(table.concat(outputs, "\n"))
    return 0
  end
  if options.measure then
    local section = measure.section(measure.unit(unit, true))
    for _, file in ipairs(unit.files) do if file.name == "README.md" then file.text = file.text .. section end end
  end
  local files = targets.is(options.target) and targets.files(unit, options.target, options) or unit.files
  local changed = write(dir, files, options.depfile, options.depfile and dependency_rule(outputs, loaded))
  if not options.quiet then
    print(("%s with %s: %d files in %s (%d changed)"):format(loaded.name, unit.scheme, #files, dir, changed))
  end
  return 0
end

return gen
