-- Co-simulation units of FMI 2.0 and 3.0: the C package, the functions of the standard over it (carom/fmi2.h, carom/fmi3.h), the model
-- description and a library for this machine, in one archive.
local template = require "gen.emit.template"
local zip = require "gen.target.zip"

local F = {}

-- kinds of variables as carom/fmu.h numbers them
local KIND = 1000000
local TIME, PARAMETER, INPUT, OUTPUT, POSITION, VELOCITY, GAP, IMPULSE, FORCE = 0, 1, 2, 3, 4, 5, 6, 7, 8

local ESCAPES = { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }

--- A text inside an attribute of XML.
function F.escaped(text) return (text:gsub("[%c]", " "):gsub('[&<>"]', ESCAPES)) end

local function number(x)
  local short = ("%.15g"):format(x)
  return tonumber(short) == x and short or ("%.17g"):format(x)
end

--- The variables of a unit with all that its description says of them, and the list of their units.
function F.variables(unit)
  local list, outputs, units, known, names = {}, {}, {}, {}, {}
  local model = unit.model
  local function add(kind, index, item, causality, variability, text, start)
    local name, base = item.name, item.name
    local count = 1
    while names[name] do
      count = count + 1
      name = base .. "_" .. count
    end
    names[name] = true
    if item.unit and item.unit ~= "" and not known[item.unit] then
      known[item.unit] = true
      units[#units + 1] = F.escaped(item.unit)
    end
    local v = { name = F.escaped(name), reference = ("%d"):format(kind * KIND + index), index = ("%d"):format(#list + 1),
      text = F.escaped(text), causality = causality, variability = variability,
      unit = item.unit and item.unit ~= "" and (' unit="%s"'):format(F.escaped(item.unit)) or "",
      start = start and (' start="%s"'):format(number(start)) or "",
      initial = causality == "parameter" and ' initial="exact"' or causality == "output" and ' initial="calculated"' or "" }
    list[#list + 1] = v
    if causality == "output" then outputs[#outputs + 1] = v end
  end
  add(TIME, 0, { name = "time", unit = "s" }, "independent", "continuous", "time")
  for i, p in ipairs(model.parameters) do add(PARAMETER, i - 1, p, "parameter", "tunable", "parameter " .. p.name, p.value) end
  for i, u in ipairs(model.inputs) do add(INPUT, i - 1, u, "input", "continuous", "input " .. u.name, u.value or 0) end
  for i, o in ipairs(unit.made and unit.made.output_list or model.outputs) do
    add(OUTPUT, i - 1, o, "output", "continuous", "output " .. o.name)
  end
  local q, v = 0, 0
  for _, block in ipairs(unit.eq and unit.eq.symbols.blocks or {}) do
    for _, symbol in ipairs(block.q) do
      add(POSITION, q, { name = symbol.name, unit = block.q_unit }, "output", "continuous", "position")
      q = q + 1
    end
    for _, symbol in ipairs(block.v) do
      add(VELOCITY, v, { name = symbol.name, unit = block.v_unit }, "output", "continuous", "velocity")
      v = v + 1
    end
  end
  for i, c in ipairs(unit.eq and model.contacts or {}) do
    add(GAP, i - 1, { name = c.name .. ".gap" }, "output", "continuous", "gap of the contact")
    add(IMPULSE, i - 1, { name = c.name .. ".impulse" }, "output", "continuous", "total impulse of the contact since the start")
    add(FORCE, #model.constraints + i - 1, { name = c.name .. ".force" }, "output", "continuous",
      "mean force of the contact in the last internal step")
  end
  for i, c in ipairs(unit.eq and model.constraints or {}) do
    add(FORCE, i - 1, { name = c.name .. ".force" }, "output", "continuous", "mean force of the constraint in the last internal step")
  end
  return list, outputs, units
end

--- The files of an archive but for libraries: description and sources. version: 2 or 3.
function F.files(unit, version)
  local model = unit.model
  if unit.model.among then
    error({ carom = true, message = ("--target fmu%d: a pile has too many variables for a unit"):format(version) }, 0)
  end
  local variables, outputs, units = F.variables(unit)
  local sources = table.move(unit.sources, 1, #unit.sources, 2, { "fmu.c" })
  local step = model.run.step or 1e-3
  local values = { X = unit.name, fmi = tostring(version), digest = unit.digest, version = unit.version, sources = sources,
    title = F.escaped(model.title or "a mechanical system"), variables = variables, outputs = outputs, units = units, step = number(step),
    stop = model.run.until_time and (' stopTime="%s"'):format(number(model.run.until_time)) or "" }
  local function render(name) return (template.render(unit.read("templates/target/" .. name), "templates/target/" .. name, values)) end
  local files = { { name = "modelDescription.xml", text = render(("fmu%d.xml.in"):format(version)) } }
  local function add(name, text) files[#files + 1] = { name = "sources/" .. name, text = text } end
  if version == 3 then add("buildDescription.xml", render "buildDescription.xml.in") end
  add("fmu.c", render "fmu.c.in")
  for _, file in ipairs(unit.files) do
    if file.name:find "%.[ch]$" and file.name ~= "example_main.c" then add(file.name, file.text) end
  end
  for _, name in ipairs(version == 2 and { "fmu", "fmi2" } or { "fmu", "fmi3", "fmi3_absent" }) do
    add("carom/" .. name .. ".h", unit.read("runtime/include/carom/" .. name .. ".h"))
  end
  return files, sources
end

--- Where a library for a machine lies, by what `uname -s -m` says.
function F.place(version, system, machine, name)
  local windows = system:find "^MINGW" or system:find "^Windows"
  local ending = system == "Darwin" and ".dylib" or windows and ".dll" or ".so"
  if version == 2 then
    local bits = (machine == "x86_64" or machine == "aarch64" or machine == "arm64") and "64" or "32"
    return ("binaries/%s%s/%s%s"):format(system == "Darwin" and "darwin" or windows and "win" or "linux", bits, name, ending)
  end
  local arm = machine == "aarch64" or machine == "arm64"
  return ("binaries/%s-%s/%s%s"):format(arm and "aarch64" or machine, system == "Darwin" and "darwin" or windows and "windows" or "linux",
    name, ending)
end

--- The archive. libraries: list of { name = place, text = bytes }.
function F.archive(files, libraries)
  local all = { files[1] }
  table.move(libraries, 1, #libraries, 2, all)
  table.move(files, 2, #files, #all + 1, all)
  return zip.store(all)
end

return F
