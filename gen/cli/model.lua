-- What run, gen and check share: loading the model that the arguments name and sorting the names given to --set.

local args = require "gen.util.args"
local fs = require "gen.util.fs"
local text = require "gen.util.text"

local model = {}

--- The option entries that mean the same everywhere.
model.options = {
  scheme = { "--scheme", value = "S", text = "integration scheme, as family:key=value,... (see carom schemes)" },
  form = { "--form", value = "FORM", text = "unrolled (straight code) or looped (loops over tables); default by ability and size" },
  assemble = { "--assemble", text = "project initial values that do not fit onto constraints and contacts, and say by how much" },
  set = {
    "--set", value = "NAME=VALUE", many = true,
    text = "give a parameter, constant, input or initial value (NAME or NAME.dot); may be repeated",
  },
}

--- The generator, told where its templates and models are.
function model.pipeline()
  local pipeline = require "gen.pipeline"
  pipeline.root = fs.root
  return pipeline
end

--- The one operand MODEL.
function model.operand(options, command)
  if not options[1] then args.fail("carom %s needs a MODEL: a file or a name from carom models", command) end
  if options[2] then args.fail("carom %s takes one MODEL; '%s' is too much", command, options[2]) end
  return options[1]
end

local function names_of(list, ending, into)
  for _, item in ipairs(list or {}) do into[#into + 1] = item.name .. ending end
end

local function has(list, name)
  for _, item in ipairs(list or {}) do
    if item.name == name then return true end
  end
  return false
end

local function unknown_name(loaded, name)
  local known = {}
  names_of(loaded.parameters, "", known)
  names_of(loaded.constants, "", known)
  names_of(loaded.inputs, "", known)
  names_of(loaded.coordinates, "", known)
  names_of(loaded.coordinates, ".dot", known)
  for _, rotation in ipairs(loaded.rotations or {}) do
    names_of(rotation.q, "", known)
    names_of(rotation.v, "", known)
  end
  local hint = text.hint(name, known)
  local shown = table.concat(known, " ", 1, math.min(#known, 20)) .. (#known > 20 and " ..." or "")
  args.fail("--set %s: %s has no such name%s; known: %s", name, loaded.name, hint, shown)
end

--- Loads MODEL with the constants of --set. Returns the model and the assignments that are left for the run:
--- a list of { name =, text =, value = } of parameters, inputs and initial values. assemble: project a start that does not fit;
--- burn: parameters that shall be constants.
function model.load(operand, set, assemble, burn)
  local pipeline = model.pipeline()
  local loaded = pipeline.load(operand, { set = {}, assemble = assemble })
  local constants, burnt, any, rest = {}, {}, false, {}
  for _, assignment in ipairs(args.assignments(burn, "--burn")) do
    local known = {}
    names_of(loaded.parameters, "", known)
    if not has(loaded.parameters, assignment.name) then
      args.fail("--burn %s: %s has no parameter of that name%s; known: %s", assignment.name, loaded.name, text.hint(assignment.name, known),
        table.concat(known, " ", 1, math.min(#known, 20)) .. (#known > 20 and " ..." or ""))
    end
    burnt[assignment.name], any = assignment.value, true
  end
  for _, assignment in ipairs(args.assignments(set)) do
    if has(loaded.constants, assignment.name) then
      constants[assignment.name], any = assignment.value, true
    else
      rest[#rest + 1] = assignment
    end
  end
  if any then loaded = pipeline.load(operand, { set = constants, burn = burnt, assemble = assemble }) end
  for _, assignment in ipairs(rest) do
    local name = assignment.name
    local found = has(loaded.parameters, name) or has(loaded.inputs, name) or has(loaded.coordinates, (name:gsub("%.dot$", "")))
    for _, rotation in ipairs(loaded.rotations or {}) do found = found or has(rotation.q, name) or has(rotation.v, name) end
    if not found then unknown_name(loaded, name) end
  end
  return loaded, rest
end

--- Other defaults of parameters, for carom gen; initial values and inputs are given at run time.
function model.burn(loaded, rest)
  local left = {}
  for _, assignment in ipairs(rest) do
    local found = false
    for _, p in ipairs(loaded.parameters) do
      if p.name == assignment.name then
        p.value, found = assignment.value, true
        loaded.burnt = loaded.burnt or {}
        table.insert(loaded.burnt, { name = p.name, value = p.value })
      end
    end
    if not found then left[#left + 1] = assignment end
  end
  if left[1] then
    args.fail("--set %s: carom gen takes constants and parameters only; this value of %s is given at run time, to carom run",
      left[1].name, loaded.name)
  end
end

--- For commands that do not run: values of run time are refused there.
function model.only_constants(loaded, rest, command)
  if rest[1] then
    args.fail("--set %s: carom %s takes constants only; this value of %s is given at run time, to carom run",
      rest[1].name, command, loaded.name)
  end
end

return model
