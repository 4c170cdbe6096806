-- A model as a shared library for other languages (carom/library.h), and as a Python package around it.
local template = require "gen.emit.template"

local L = {}

local function values_of(unit)
  local model = unit.model
  local first = model.parameters[1]
  local sources = {}
  for i, name in ipairs(unit.sources) do sources[i] = "sources/" .. name end
  return { X = unit.name, digest = unit.digest, version = unit.version, scheme = unit.scheme, api = "1",
    title = (model.title or "a mechanical system"):gsub('[\\"%c]', " "),
    first = unit.eq and unit.eq.q[1].name or "t", sources = table.concat(sources, " "),
    example_call = first and ("%s=%.17g"):format(first.name, first.value) or "",
    example_end = ("%.15g"):format(model.run.until_time or 1), example_step = ("%.15g"):format(model.run.step or 1e-3) }
end

--- C files of the library, without folder, and the names of its sources.
function L.files(unit)
  local values = values_of(unit)
  local files = { { name = "library.c", text = (template.render(unit.read "templates/target/library.c.in", "templates/target/library.c.in",
    values)) } }
  for _, file in ipairs(unit.files) do
    if file.name:find "%.[ch]$" and file.name ~= "example_main.c" then files[#files + 1] = file end
  end
  for _, name in ipairs { "fmu", "library" } do
    files[#files + 1] = { name = "carom/" .. name .. ".h", text = unit.read("runtime/include/carom/" .. name .. ".h") }
  end
  return files, table.move(unit.sources, 1, #unit.sources, 2, { "library.c" })
end

--- The files of a Python package. library: { name =, text = }.
function L.python(unit, library)
  local values = values_of(unit)
  local function render(name) return (template.render(unit.read("templates/target/" .. name), "templates/target/" .. name, values)) end
  local files = { { name = "README.md", text = render "python_README.md.in" },
    { name = "pyproject.toml", text = render "pyproject.toml.in" },
    { name = unit.name .. "/__init__.py", text = render "module.py.in" }, { name = unit.name .. "/" .. library.name, text = library.text } }
  for _, file in ipairs((L.files(unit))) do files[#files + 1] = { name = "sources/" .. file.name, text = file.text } end
  return files
end

return L
