-- What carom gen writes beside a C package: units of FMI and libraries, whose compiled parts are made here.

local args = require "gen.util.args"
local errors = require "gen.cli.errors"
local fmu = require "gen.target.fmu"
local fs = require "gen.util.fs"
local lib = require "gen.target.library"
local program = require "gen.util.program"

local targets = {}

-- machines that --platforms names, and who compiles for them; native: this one
local PLATFORMS = {
  ["x86_64-linux"] = { "x86_64-linux-gnu-gcc", "Linux", "x86_64" }, ["aarch64-linux"] = { "aarch64-linux-gnu-gcc", "Linux", "aarch64" },
  ["x86_64-windows"] = { "x86_64-w64-mingw32-gcc", "Windows", "x86_64" },
}
local FLAGS, HIDDEN = " -shared -fPIC", " -fvisibility=hidden"

-- The shared library of sources among files, as bytes; it carries no path and no date.
local function library(files, sources, name, compiler)
  local folder = fs.need(fs.temporary_dir())
  local good, why = pcall(function()
    fs.need(fs.write_all(folder, files))
    program.compile(folder, ("%s%s -I. -o %s %s -lm"):format(compiler, FLAGS, name, fs.command(sources)))
    return fs.need(fs.read(folder .. "/" .. name))
  end)
  fs.remove_tree(folder)
  if not good then error(why, 0) end
  return why
end

local function native()
  local system, machine = fs.capture("uname -s -m"):match("(%S+) (%S+)")
  if not system then errors.environment("uname does not tell what machine this is") end
  return { (program.compiler()), system, machine }
end

-- Compilers for the machines that were asked for.
local function machines(asked)
  local list = {}
  for name in (asked or "native"):gmatch("[^,]+") do
    local known = PLATFORMS[name]
    if name == "native" then
      list[#list + 1] = native()
    elseif not known then
      args.fail("--platforms %s: write native, x86_64-linux, aarch64-linux or x86_64-windows, with commas between, or none", name)
    elseif fs.run("command -v " .. known[1] .. " >/dev/null 2>&1") ~= 0 then
      errors.environment("--platforms %s needs the compiler %s, which is not here", name, known[1])
    else
      list[#list + 1] = { known[1] .. " -std=c11 -O2 -ffp-contract=off", known[2], known[3] }
    end
  end
  return list
end

local function unit_of_fmi(unit, version, options)
  local files, sources = fmu.files(unit, version)
  local plain, libraries = {}, {}
  for i, file in ipairs(files) do plain[i] = { name = file.name:gsub("^sources/", ""), text = file.text } end
  for _, m in ipairs(options.platforms == "none" and {} or machines(options.platforms)) do
    local place = fmu.place(version, m[2], m[3], unit.name)
    libraries[#libraries + 1] = { name = place, text = library(plain, sources, place:match "[^/]+$", m[1] .. HIDDEN) }
  end
  return { { name = unit.name .. ".fmu", text = fmu.archive(files, libraries) } }
end

local function ending(system) return system == "Darwin" and ".dylib" or system:find "^MINGW" and ".dll" or ".so" end

-- The library of a model for this machine, under a name without ending.
local function native_library(unit, name)
  local machine, files, sources = native(), lib.files(unit)
  name = name .. ending(machine[2])
  return { name = name, text = library(files, sources, name, machine[1]) }, files
end

local makers = {
  lib = function(unit)
    local made, files = native_library(unit, "lib" .. unit.name)
    local all = { made }
    table.move(unit.files, 1, #unit.files, 2, all)
    local known = {}
    for _, file in ipairs(all) do known[file.name] = true end
    for _, file in ipairs(files) do if not known[file.name] then all[#all + 1] = file end end
    return all
  end,
  python = function(unit) return lib.python(unit, (native_library(unit, unit.name))) end,
  fmu2 = function(unit, options) return unit_of_fmi(unit, 2, options) end,
  fmu3 = function(unit, options) return unit_of_fmi(unit, 3, options) end,
}

--- Names of targets made from a C package, for messages.
targets.names = { "lib", "python", "fmu2", "fmu3" }

--- Is this a target that is made from a C package?
function targets.is(name) return makers[name] ~= nil end

--- Files that will be there, without making them.
function targets.outputs(unit, name)
  if name:find "^fmu" then return { unit.name .. ".fmu" } end
  local list = {}
  for i, file in ipairs(makers[name](unit)) do list[i] = file.name end
  return list
end

--- The files of a target.
function targets.files(unit, name, options) return makers[name](unit, options) end

return targets
