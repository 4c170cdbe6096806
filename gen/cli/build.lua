-- Compiles a generated unit with the driver into an executable of the cache (gen/util/program.lua).

local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local program = require "gen.util.program"

local build = { absolute = program.absolute, cached = program.cached, compile = program.compile, compiler = program.compiler,
  digests = program.digests, fingerprint = program.fingerprint, program = program.program }
local add_texts, cached, compile, fingerprint = program.add_texts, program.cached, program.compile, program.fingerprint
local intact = program.intact

local DRIVER_SOURCES = { "bodies.c", "checkpoint.c", "deform.c", "digits.c", "driver.c", "failure.c", "fields.c",
  "file.c", "heard.c", "npy.c", "options.c", "progress.c", "result.c", "skin.c", "stack.c", "stop.c", "stress.c", "summary.c", "sweep.c",
  "text.c", "vtu.c", "../mesh/shape.c" }
local DRIVER_HEADERS = { "bodies.h", "checkpoint.h", "deform.h", "digits.h", "failure.h", "fields.h", "file.h",
  "heard.h", "npy.h", "options.h", "progress.h", "result.h", "skin.h", "stack.h", "stop.h", "stress.h", "summary.h", "sweep.h", "text.h",
  "vtu.h", "../mesh/shape.h" }
local PUBLIC_HEADERS = { "driver.h", "model.h", "status.h" }

-- Names as xargs reads them, one per line.
local function xargs_words(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = fs.quote((word:gsub("[%s\"'\\]", "\\%0"))) end
  return ("printf '%%s\\n' %s | xargs -P \"$(getconf _NPROCESSORS_ONLN)\""):format(table.concat(list, " "))
end

-- The driver, the same for every model: its sources with the keys of their objects.
local function driver_sources(root, compiler, identity)
  local parts, texts, sources = { compiler, identity }, {}, {}
  add_texts(parts, root, "driver/", DRIVER_HEADERS)
  add_texts(parts, root, "include/carom/", PUBLIC_HEADERS)
  add_texts(texts, root, "driver/", DRIVER_SOURCES)
  local common = fingerprint(parts)
  for i, name in ipairs(DRIVER_SOURCES) do
    sources[i] = { label = "driver_" .. name:match("([^/]+)%.c$"), path = root .. "/runtime/driver/" .. name,
      key = fingerprint { common, texts[i] } }
  end
  return sources
end

--- Objects of many sources { label =, path =, key = }, each kept by itself: when one changes the others are not compiled again.
function build.kept_objects(folder, cache, compiler, sources)
  local objects, missing = {}, {}
  for i, source in ipairs(sources) do
    objects[i] = ("%s/%s-%s.o"):format(cache or folder, source.label, source.key:sub(1, 32))
  end
  for i, good in ipairs(intact(objects)) do
    if not good then table.move({ sources[i].path, ("%d.o"):format(i), objects[i] }, 1, 3, #missing + 1, missing) end
  end
  if #missing > 0 then
    compile(folder, ("%s -n 3 sh -c %s"):format(xargs_words(missing), fs.quote(compiler .. ' -c "$0" -o "$1" && ' .. program.KEEP)))
  end
  return objects
end

-- The texts that a source includes, and what these include, in the order in which they are met.
local function included(text, folder, texts, list, seen)
  for name in text:gmatch('\n%s*#%s*include "([^"\n]+)"') do
    for _, path in ipairs { folder .. name, name } do
      if texts[path] and not seen[path] then
        seen[path] = true
        list[#list + 1] = texts[path]
        included(texts[path], path:match("^(.*/)[^/]*$") or "", texts, list, seen)
      end
    end
  end
  return list
end

-- The runtime pieces a unit takes along: all sources but the model's own, each with the key of its object.
local function runtime_sources(unit, folder, compiler, identity)
  local texts, sources = {}, {}
  for _, file in ipairs(unit.files) do texts[file.name] = file.text end
  for _, name in ipairs(unit.sources) do
    if name ~= unit.sources[1] then
      local text = "\n" .. texts[name]
      sources[#sources + 1] = { label = name:match("([^/]+)%.c$"), path = folder .. "/" .. name,
        key = fingerprint { compiler, identity, text, table.unpack(included(text, name:match("^(.*/)[^/]*$") or "", texts, {}, {})) } }
    end
  end
  return sources
end

local function main_text(unit)
  return ('#include "%s.h"\n#include <carom/driver.h>\n\nint main(int argc, char **argv)\n{\n'
    .. '    return carom_drive(%s_model(), argc, argv);\n}\n'):format(unit.name, unit.name)
end

-- The time of a compiler grows faster than the length of a function: gcc -O2 took 49 s for a chain of 100 links with a full M, -O1 16 s,
-- -O0 3 s. Beyond these lengths less is asked of it; the bits of the results are the same.
local LONG, VERY_LONG = 5000, 15000

local function optimisation(text)
  local longest, begin, line = 0, 0, 0
  for first in text:gmatch("([^\n]?)[^\n]*\n") do
    line = line + 1
    if first == "{" then begin = line elseif first == "}" then longest = math.max(longest, line - begin) end
  end
  return longest > VERY_LONG and " -O0" or longest > LONG and " -O1" or ""
end

-- Flags for vectors of this processor, and a name for it: what they make does not run on every other.
local function of_processor()
  if fs.capture("uname -m"):match "%S+" ~= "x86_64" then return " -O3", "" end
  return " -O3 -march=native", (fs.read "/proc/cpuinfo" or ""):match "\nflags[^\n]*" or ""
end

--- The executable of a unit with the driver, or with a main of its own. how: "vectors" for this processor, "threads" that share the work.
-- Returns what `cached` does.
function build.executable(unit, main, how)
  main = main or main_text(unit)
  local root = build.absolute(fs.root)
  local compiler, identity = build.compiler()
  local flags, processor = "", ""
  if how == "vectors" then flags, processor = of_processor() end
  if how == "threads" then flags = " -fopenmp" end
  local drivers = driver_sources(root, compiler, identity)
  local parts = { main, table.concat(unit.sources, "\n"), flags, processor }
  for _, source in ipairs(drivers) do parts[#parts + 1] = source.key end
  for _, file in ipairs(unit.files) do
    parts[#parts + 1], parts[#parts + 2] = file.name, file.text
  end
  return cached(unit.name, fingerprint(parts), function(folder, where)
    local files = table.move(unit.files, 1, #unit.files, 1, {})
    files[#files + 1] = { name = "carom_main.c", text = main }
    local written, why = fs.write_all(folder, files)
    if not written then errors.environment("%s", why) end
    local include = fs.quote(root .. "/runtime/include")
    local objects = build.kept_objects(folder, where, compiler .. " -I" .. include, drivers)
    local pieces = build.kept_objects(folder, where, compiler .. flags .. " -I.",
      runtime_sources(unit, folder, compiler .. flags, identity .. processor))
    table.move(pieces, 1, #pieces, #objects + 1, objects)
    local effort = ""
    for _, file in ipairs(files) do if file.name == unit.sources[1] then effort = optimisation(file.text) end end
    compile(folder, ("%s%s%s -I. -I%s -o %s carom_main.c %s %s -lm"):format(compiler, flags, effort, include, "carom_run",
      fs.quote(unit.sources[1]), fs.command(objects)))
  end)
end

return build
