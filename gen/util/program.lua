-- Programs made of C text, once: they are kept in a cache under the sha256 of every text that went into them, the compiler and
-- its flags. Builds happen in a folder of their own and the finished file is renamed, so concurrent runs do not meet. Beside each
-- lies its checksum (NAME.sum): what a full disk, a crash or a bad sector left is found and made again.

local fs = require "gen.util.fs"
local sha256 = require "gen.util.sha256"

local P = {}

--- Something is missing on this machine: see gen/cli/errors.lua.
function P.missing(format, ...) error({ environment = true, message = format:format(...) }, 0) end

-- -ffp-contract=off: the same bits with every compiler and optimisation level. Vectors made of two scalars just stored cost
-- small models a quarter of their speed (the load waits for the stores), hence no straight-line vectorisation.
local FLAGS = "-std=c11 -O2 -ffp-contract=off -fno-tree-slp-vectorize"

local LONG = 20000 -- a text of which another program makes the digest sooner than Lua does

-- $CC may carry arguments ("ccache gcc"), so it is handed to the shell as it is.
local function find_compiler()
  local cc = os.getenv("CC")
  if cc == "" then cc = nil end
  for _, name in ipairs(cc and { cc } or { "cc", "gcc", "clang" }) do
    local identity, code = fs.capture(name .. " --version 2>/dev/null")
    if code == 0 then return name, identity:match("[^\n]*") end
  end
  if cc then P.missing("the compiler CC=%s does not answer to --version; set CC to a C11 compiler", cc) end
  return P.missing("no C compiler found; install gcc and libc6-dev (apt-get install gcc libc6-dev) or set CC")
end

--- The compiler with the flags of every build, and how it calls itself.
function P.compiler()
  local cc, identity = find_compiler()
  local own = os.getenv("CAROM_CFLAGS") or ""
  return cc .. " " .. FLAGS .. (own == "" and "" or " " .. own), identity
end

--- A path that does not depend on the working folder.
function P.absolute(path)
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
  return folder and P.absolute(folder)
end

-- The digest of a long text by the program sha256sum, which takes a hundredth of the time; nil where there is none. (A shell that
-- does not read what is written to it would end us by a signal: hence cat.)
local function by_program(text)
  local file = os.tmpname()
  local pipe = io.popen(("{ sha256sum 2>/dev/null || cat >/dev/null; } >%s"):format(fs.quote(file)), "w")
  if pipe then
    pipe:write(text)
    pipe:close()
  end
  local said = fs.read(file) or ""
  os.remove(file)
  local digest = said:match("^%x+")
  return digest and #digest == 64 and digest or nil
end

--- The digests of files, in one go where there is sha256sum; nil and a message when one cannot be read.
function P.digests(paths)
  local list, said = {}, {}
  for digest, path in fs.capture("sha256sum -- " .. fs.command(paths) .. " 2>/dev/null </dev/null"):gmatch("(%x+)  ([^\n]*)\n") do
    said[path] = digest
  end
  for i, path in ipairs(paths) do
    list[i] = said[path]
    if not list[i] then
      local text, why = fs.read(path)
      if not text then return nil, why end
      list[i] = sha256(text)
    end
  end
  return list
end

-- One text that names all that was read: every part with its length, so that no two lists give the same text.
function P.fingerprint(parts)
  local lines = {}
  for i, part in ipairs(parts) do lines[i] = #part .. ":" .. part end
  local text = table.concat(lines, "\n")
  return #text > LONG and by_program(text) or sha256(text)
end

--- Runs one compiler command inside `folder`; its words on failure are passed on.
function P.compile(folder, command)
  local said, code = fs.capture(("cd %s && { %s ; } 2>&1 </dev/null"):format(fs.quote(folder), command))
  if code ~= 0 then P.missing("the C compiler failed:\n  %s\n%s", command, (said:gsub("%s+$", ""))) end
end

local function work_folder(cache)
  if cache and fs.mkdir(cache) then
    local folder = fs.temporary_dir(cache)
    if folder then return folder, true end
  end
  local folder, why = fs.temporary_dir()
  if not folder then P.missing("%s", why) end
  return folder, false
end

-- Which of the files of the cache are what was put there: a list of true and false.
function P.intact(paths)
  local list, said = {}, fs.capture("cksum " .. fs.command(paths) .. " 2>/dev/null </dev/null")
  local sums = {}
  for sum, path in said:gmatch("(%d+ %d+) ([^\n]*)\n") do sums[path] = sum end
  for i, path in ipairs(paths) do list[i] = sums[path] ~= nil and sums[path] .. "\n" == fs.read(path .. ".sum") end
  return list
end

-- Shell words that put file $1 of a build into the cache as $2. The checksum goes first: alone, or beside an older file, it
-- only means that the file is made again. (POSIX knows no other fsync; where sync takes no names it writes everything.)
P.KEEP = 'cksum < "$1" > "$1.sum" && { sync "$1" "$1.sum" 2> /dev/null || :; } && mv -f "$1.sum" "$2.sum" && mv -f "$1" "$2"'

function P.keep(file, kept)
  return fs.run(("sh -c %s carom %s 2>/dev/null"):format(fs.quote(P.KEEP), fs.command { file, kept })) == 0
end

-- Adds the texts of files of the runtime to `parts`.
function P.add_texts(parts, root, folder, names)
  for _, name in ipairs(names) do
    local content, why = fs.read(root .. "/runtime/" .. folder .. name)
    if not content then P.missing("carom is not complete: %s", why) end
    parts[#parts + 1] = content
  end
end

--- The executable NAME-KEY of the cache. When it is not there, make(folder, cache) compiles it as carom_run in a folder
-- of its own (cache is nil when there is none). Returns its path, whether it had to be compiled, a function that
-- removes it again when it could not be put into the cache, and whether it is there to stay.
function P.cached(name, key, make)
  local cache = cache_folder()
  local kept = cache and ("%s/%s-%s"):format(cache, name, key:sub(1, 32))
  local function nothing() end
  if kept and P.intact { kept }[1] and fs.run("test -x " .. fs.quote(kept)) == 0 then return kept, false, nothing, true end

  local folder, in_cache = work_folder(cache)
  local function clean() fs.remove_tree(folder) end
  local good, result = xpcall(function()
    make(folder, in_cache and cache or nil)
    if in_cache and P.keep(folder .. "/carom_run", kept) then return kept end
    return folder .. "/carom_run"
  end, function(e) return type(e) == "table" and e or { internal = true, message = tostring(e), trace = debug.traceback("", 2) } end)
  if not good then
    clean()
    error(result, 0)
  end
  if result == kept then
    clean()
    clean = nothing
  end
  return result, true, clean, result == kept
end

--- A program of the runtime from its sources and the headers they include, relative to runtime/; returns what `cached`
--- does.
function P.program(name, sources, headers)
  local root = P.absolute(fs.root)
  local compiler, identity = P.compiler()
  local parts, paths = { compiler, identity }, {}
  P.add_texts(parts, root, "", sources)
  P.add_texts(parts, root, "", headers)
  for i, source in ipairs(sources) do paths[i] = root .. "/runtime/" .. source end
  return P.cached(name, P.fingerprint(parts), function(folder)
    P.compile(folder, ("%s -I%s -o carom_run %s -lm"):format(compiler, fs.quote(root .. "/runtime/include"),
      fs.command(paths)))
  end)
end

return P
