-- Compiles a generated unit with the driver into an executable of the cache (gen/util/program.lua).

local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local program = require "gen.util.program"

local build = { absolute = program.absolute, cached = program.cached, compile = program.compile, compiler = program.compiler,
  fingerprint = program.fingerprint, program = program.program }
local add_texts, cached, compile, fingerprint = program.add_texts, program.cached, program.compile, program.fingerprint
local intact, keep = program.intact, program.keep

local DRIVER_SOURCES = { "bodies.c", "checkpoint.c", "deform.c", "digits.c", "driver.c", "failure.c", "file.c", "options.c",
  "progress.c", "result.c", "stop.c", "summary.c", "text.c" }
local DRIVER_HEADERS = { "bodies.h", "checkpoint.h", "deform.h", "digits.h", "failure.h", "file.h", "options.h", "progress.h", "result.h",
  "stop.h", "summary.h", "text.h" }
local PUBLIC_HEADERS = { "driver.h", "model.h", "status.h" }

-- Names as xargs reads them, one per line.
local function xargs_words(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = fs.quote((word:gsub("[%s\"'\\]", "\\%0"))) end
  return ("printf '%%s\\n' %s | xargs -P \"$(getconf _NPROCESSORS_ONLN)\""):format(table.concat(list, " "))
end

-- The driver's text, and the key of its object file.
local function driver_parts(root)
  local parts = {}
  add_texts(parts, root, "driver/", DRIVER_SOURCES)
  add_texts(parts, root, "driver/", DRIVER_HEADERS)
  add_texts(parts, root, "include/carom/", PUBLIC_HEADERS)
  return parts
end

-- What is the same for every model (the driver, the runtime pieces) is compiled once: one object per set of sources is kept.
local function kept_object(label, folder, cache, compiler, key, sources, include)
  local kept = cache and ("%s/%s-%s.o"):format(cache, label, key:sub(1, 32))
  if kept and intact { kept }[1] then return kept end
  local objects = {}
  for i, name in ipairs(sources) do objects[i] = name:match("([^/]+)%.c$") .. ".o" end
  local output = label .. "_all.o"
  -- the sources are independent of each other: as many compilers as there are cores
  compile(folder, ("%s -n %d %s -I%s -c"):format(xargs_words(sources), #sources > 8 and 4 or 2, compiler, fs.quote(include)))
  compile(folder, ("%s -r -nostdlib -o %s %s"):format(compiler, output, table.concat(objects, " ")))
  if kept and keep(folder .. "/" .. output, kept) then return kept end
  return folder .. "/" .. output
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

-- The runtime pieces a unit takes along: all sources but the model's own, and the texts they depend on.
local function runtime_parts(unit)
  local own, sources, texts = unit.sources[1], {}, {}
  for _, name in ipairs(unit.sources) do if name ~= own then sources[#sources + 1] = name end end
  for _, file in ipairs(unit.files) do
    if file.name:find("/") or (file.name:find("%.c$") and file.name ~= own and file.name ~= "example_main.c") then
      texts[#texts + 1], texts[#texts + 2] = file.name, file.text
    end
  end
  return sources, texts
end

local function main_text(unit)
  return ('#include "%s.h"\n#include <carom/driver.h>\n\nint main(int argc, char **argv)\n{\n'
    .. '    return carom_drive(%s_model(), argc, argv);\n}\n'):format(unit.name, unit.name)
end

-- The time of a compiler grows faster than the length of a function: gcc -O2 took 49 s for a chain of 100 links, -O1 16 s,
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

--- The executable of a unit; returns what `cached` does.
function build.executable(unit)
  local root = build.absolute(fs.root)
  local compiler, identity = build.compiler()
  local driver_key = fingerprint { compiler, identity, table.unpack(driver_parts(root)) }
  local parts = { driver_key, main_text(unit), table.concat(unit.sources, "\n") }
  for _, file in ipairs(unit.files) do
    parts[#parts + 1], parts[#parts + 2] = file.name, file.text
  end
  return cached(unit.name, fingerprint(parts), function(folder, where)
    local files = table.move(unit.files, 1, #unit.files, 1, {})
    files[#files + 1] = { name = "carom_main.c", text = main_text(unit) }
    local written, why = fs.write_all(folder, files)
    if not written then errors.environment("%s", why) end
    local drivers = {}
    for i, name in ipairs(DRIVER_SOURCES) do drivers[i] = root .. "/runtime/driver/" .. name end
    local objects = fs.quote(kept_object("driver", folder, where, compiler, driver_key, drivers, root .. "/runtime/include"))
    local sources, texts = runtime_parts(unit)
    if #sources > 0 then
      local runtime_key = fingerprint { compiler, identity, table.unpack(texts) }
      objects = objects .. " " .. fs.quote(kept_object("runtime", folder, where, compiler, runtime_key, sources, "."))
    end
    local effort = ""
    for _, file in ipairs(files) do if file.name == unit.sources[1] then effort = optimisation(file.text) end end
    compile(folder, ("%s%s -I. -I%s -o %s carom_main.c %s %s -lm"):format(compiler, effort, fs.quote(root .. "/runtime/include"),
      "carom_run", fs.quote(unit.sources[1]), objects))
  end)
end

return build
