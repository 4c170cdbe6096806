-- Compiles a generated unit with the driver into an executable, once: executables are kept in a cache under the sha256
-- of every text that went into them, the compiler and its flags. Builds happen in a folder of their own and the
-- finished file is renamed, so concurrent runs do not meet. Beside each lies its checksum (NAME.sum): what a full disk, a
-- crash or a bad sector left is found and made again.

local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local sha256 = require "gen.util.sha256"

local build = {}

-- -ffp-contract=off: the same bits with every compiler and optimisation level. Vectors made of two scalars just stored cost
-- small models a quarter of their speed (the load waits for the stores), hence no straight-line vectorisation.
local FLAGS = "-std=c11 -O2 -ffp-contract=off -fno-tree-slp-vectorize"

local DRIVER_SOURCES = { "bodies.c", "checkpoint.c", "deform.c", "digits.c", "driver.c", "failure.c", "file.c", "options.c",
  "progress.c", "result.c", "stop.c", "summary.c", "text.c" }
local DRIVER_HEADERS = { "bodies.h", "checkpoint.h", "deform.h", "digits.h", "failure.h", "file.h", "options.h", "progress.h", "result.h",
  "stop.h", "summary.h", "text.h" }
local PUBLIC_HEADERS = { "driver.h", "model.h", "status.h" }

-- $CC may carry arguments ("ccache gcc"), so it is handed to the shell as it is.
local function find_compiler()
  local cc = os.getenv("CC")
  if cc == "" then cc = nil end
  for _, name in ipairs(cc and { cc } or { "cc", "gcc", "clang" }) do
    local identity, code = fs.capture(name .. " --version 2>/dev/null")
    if code == 0 then return name, identity:match("[^\n]*") end
  end
  if cc then errors.environment("the compiler CC=%s does not answer to --version; set CC to a C11 compiler", cc) end
  return errors.environment("no C compiler found; install gcc and libc6-dev (apt-get install gcc libc6-dev) or set CC")
end

--- The compiler with the flags of every build, and how it calls itself.
function build.compiler()
  local cc, identity = find_compiler()
  local own = os.getenv("CAROM_CFLAGS") or ""
  return cc .. " " .. FLAGS .. (own == "" and "" or " " .. own), identity
end

--- A path that does not depend on the working folder.
function build.absolute(path)
  if path:sub(1, 1) == "/" then return path end
  return fs.capture("pwd -P"):gsub("\n$", "") .. "/" .. path
end

-- $CAROM_CACHE, or carom in the user's cache folder; nil when there is no home.
local function cache_folder()
  local function variable(name)
    local value = os.getenv(name)
    return value ~= "" and value or nil
  end
  local own, shared, home = variable "CAROM_CACHE", variable "XDG_CACHE_HOME", variable "HOME"
  local folder = own or shared and shared .. "/carom" or home and home .. "/.cache/carom"
  return folder and build.absolute(folder)
end

-- One text that names all that was read: every part with its length, so that no two lists give the same text.
local function fingerprint(parts)
  local lines = {}
  for i, part in ipairs(parts) do lines[i] = #part .. ":" .. part end
  return sha256(table.concat(lines, "\n"))
end

--- Runs one compiler command inside `folder`; its words on failure are passed on.
local function compile(folder, command)
  local said, code = fs.capture(("cd %s && { %s ; } 2>&1 </dev/null"):format(fs.quote(folder), command))
  if code ~= 0 then errors.environment("the C compiler failed:\n  %s\n%s", command, (said:gsub("%s+$", ""))) end
end

local function work_folder(cache)
  if cache and fs.mkdir(cache) then
    local folder = fs.temporary_dir(cache)
    if folder then return folder, true end
  end
  local folder, why = fs.temporary_dir()
  if not folder then errors.environment("%s", why) end
  return folder, false
end

-- Which of the files of the cache are what was put there: a list of true and false.
local function intact(paths)
  local list, said = {}, fs.capture("cksum " .. fs.command(paths) .. " 2>/dev/null </dev/null")
  local sums = {}
  for sum, path in said:gmatch("(%d+ %d+) ([^\n]*)\n") do sums[path] = sum end
  for i, path in ipairs(paths) do list[i] = sums[path] ~= nil and sums[path] .. "\n" == fs.read(path .. ".sum") end
  return list
end

-- Shell words that put file $1 of a build into the cache as $2. The checksum goes first: alone, or beside an older file, it
-- only means that the file is made again. (POSIX knows no other fsync; where sync takes no names it writes everything.)
local KEEP = 'cksum < "$1" > "$1.sum" && { sync "$1" "$1.sum" 2> /dev/null || :; } && mv -f "$1.sum" "$2.sum" && mv -f "$1" "$2"'

local function keep(file, kept)
  return fs.run(("sh -c %s carom %s 2>/dev/null"):format(fs.quote(KEEP), fs.command { file, kept })) == 0
end

-- Names as xargs reads them, one per line.
local function xargs_words(words)
  local list = {}
  for i, word in ipairs(words) do list[i] = fs.quote((word:gsub("[%s\"'\\]", "\\%0"))) end
  return ("printf '%%s\\n' %s | xargs -P \"$(getconf _NPROCESSORS_ONLN)\""):format(table.concat(list, " "))
end

-- Adds the texts of files of the runtime to `parts`.
local function add_texts(parts, root, folder, names)
  for _, name in ipairs(names) do
    local content, why = fs.read(root .. "/runtime/" .. folder .. name)
    if not content then errors.environment("carom is not complete: %s", why) end
    parts[#parts + 1] = content
  end
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
    compile(folder, ("%s -n 3 sh -c %s"):format(xargs_words(missing), fs.quote(compiler .. ' -c "$0" -o "$1" && ' .. KEEP)))
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

--- The executable NAME-KEY of the cache. When it is not there, make(folder, cache) compiles it as carom_run in a folder
-- of its own (cache is nil when there is none). Returns its path, whether it had to be compiled, and a function that
-- removes it again when it could not be put into the cache.
local function cached(name, key, make)
  local cache = cache_folder()
  local kept = cache and ("%s/%s-%s"):format(cache, name, key:sub(1, 32))
  local function nothing() end
  if kept and intact { kept }[1] then return kept, false, nothing end

  local folder, in_cache = work_folder(cache)
  local function clean() fs.remove_tree(folder) end
  local good, result = xpcall(function()
    make(folder, in_cache and cache or nil)
    if in_cache and keep(folder .. "/carom_run", kept) then return kept end
    return folder .. "/carom_run"
  end, errors.with_trace)
  if not good then
    clean()
    error(result, 0)
  end
  if result == kept then
    clean()
    clean = nothing
  end
  return result, true, clean
end

build.fingerprint, build.compile, build.cached = fingerprint, compile, cached

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

--- A program of the runtime from its sources and the headers they include, relative to runtime/; returns what `cached`
--- does.
function build.program(name, sources, headers)
  local root = build.absolute(fs.root)
  local compiler, identity = build.compiler()
  local parts, paths = { compiler, identity }, {}
  add_texts(parts, root, "", sources)
  add_texts(parts, root, "", headers)
  for i, source in ipairs(sources) do paths[i] = root .. "/runtime/" .. source end
  return cached(name, fingerprint(parts), function(folder)
    compile(folder, ("%s -I%s -o carom_run %s -lm"):format(compiler, fs.quote(root .. "/runtime/include"),
      fs.command(paths)))
  end)
end

return build
