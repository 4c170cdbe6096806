-- Files and processes, with what Lua has: io, os and the shell. Functions return nil and a message when they fail.

local fs = {}

--- The project's folder: the one that holds gen/, taken from where this very file was loaded.
fs.root = (debug.getinfo(1, "S").source:match("^@(.*)gen/util/fs%.lua$") or "./"):gsub("/$", "")
if fs.root == "" then fs.root = "." end

--- The word as the shell must see it.
function fs.quote(word)
  if word:find("^[%w%-_./=:,+@]+$") then return word end
  return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- A shell command from a list of words.
function fs.command(words)
  local quoted = {}
  for i, word in ipairs(words) do quoted[i] = fs.quote(word) end
  return table.concat(quoted, " ")
end

--- What cannot be done without: gives `good`, or ends the command with the reason (an error of kind environment).
function fs.need(good, why)
  if not good then error({ environment = true, message = why }, 0) end
  return good
end

-- The launcher limits memory and time of the generator, not of the compilers and integrators it starts: those get the soft
-- limits back that were there before ("memory time" as `ulimit -S` wrote them).
local memory, seconds = (os.getenv "CAROM_OUTER_LIMITS" or ""):match("^(%w+) (%w+)$")
local FREED = memory and ("{ ulimit -S -v %s; ulimit -S -t %s; } 2>/dev/null; "):format(memory, seconds) or ""

--- A shell command as it must be started so that it has the limits of the user's shell.
function fs.freed(command) return FREED .. command end

--- Runs a shell command; returns its exit code (128 + the number for a signal).
function fs.run(command)
  local _, how, code = os.execute(fs.freed(command))
  return how == "signal" and 128 + code or code
end

--- Standard output of a shell command, and its exit code.
function fs.capture(command)
  local pipe = fs.need(io.popen(fs.freed(command), "r"))
  local text = pipe:read("a")
  local _, how, code = pipe:close()
  return text, how == "signal" and 128 + code or code
end

function fs.read(path)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local text
  text, why = file:read("a")
  file:close()
  if not text then return nil, path .. ": " .. tostring(why) end
  return text
end

function fs.exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

function fs.is_dir(path)
  return fs.exists(path .. "/.")
end

function fs.parent(path)
  local parent = path:match("^(.*)/[^/]*$")
  if parent == "" then return "/" end
  return parent or "."
end

--- Makes a folder and those above it.
function fs.mkdir(path)
  if fs.is_dir(path) then return true end
  local said, code = fs.capture("mkdir -p -- " .. fs.quote(path) .. " 2>&1")
  if code ~= 0 then return nil, (said:gsub("%s+$", "")) end
  return true
end

--- Names in a folder, sorted; an empty list when there is no such folder.
function fs.list(path)
  local names = {}
  for name in fs.capture("LC_ALL=C ls -1 -- " .. fs.quote(path) .. " 2>/dev/null"):gmatch("[^\n]+") do
    names[#names + 1] = name
  end
  table.sort(names)
  return names
end

--- A new folder of our own for temporary files, removed by fs.remove_tree.
function fs.temporary_dir(beside)
  local template = (beside or os.getenv("TMPDIR") or "/tmp") .. "/carom.XXXXXX"
  local path, code = fs.capture("mktemp -d -- " .. fs.quote(template) .. " 2>/dev/null")
  if code ~= 0 then return nil, "cannot make a folder in " .. fs.parent(template) end
  return (path:gsub("\n$", ""))
end

function fs.remove_tree(path)
  assert(path:find("carom%.[%w]+$"), "only folders made by temporary_dir are removed")
  return fs.run("rm -rf -- " .. fs.quote(path)) == 0
end

-- Temporary names need a number that two processes do not share; the address of a fresh table serves.
local function temporary_name(path)
  return path .. "." .. tostring({}):match("0x(%x+)") .. os.time() % 100000 .. ".part"
end

-- Devices and pipes cannot be replaced, and must not: a rename would put a file in the place of /dev/null.
local function stays(path)
  if path:find("^/dev/") or path:find("^/proc/") then return true end
  return fs.run(("test -e %s && ! test -f %s && ! test -d %s"):format(fs.quote(path), fs.quote(path), fs.quote(path))) == 0
end

local function write_plain(path, content)
  local file, why = io.open(path, "wb")
  if not file then return nil, why end
  local good
  good, why = file:write(content)
  local closed, why_closed = file:close()
  if good and closed then return true end
  if not stays(path) then os.remove(path) end
  return nil, path .. ": " .. tostring(why or why_closed)
end

--- Writes files {name=, text=} under `dir`, all or nothing: every changed file is first written under a temporary
--- name, then all get their names. A file that already has this text is not touched. Returns how many changed.
function fs.write_all(dir, files)
  local waiting = {}
  local function give_up(why)
    for _, w in ipairs(waiting) do os.remove(w.temporary) end
    return nil, why
  end
  for _, file in ipairs(files) do
    local path = dir == "" and file.name or dir .. "/" .. file.name
    local before = path:find("^/dev/") and "" or fs.read(path)
    if before ~= file.text then
      local made, why = fs.mkdir(fs.parent(path))
      if not made then return give_up(why) end
      local temporary = before == "" and stays(path) and path or temporary_name(path)
      made, why = write_plain(temporary, file.text)
      if not made then return give_up(why) end
      if temporary ~= path then waiting[#waiting + 1] = { temporary = temporary, path = path } end
    end
  end
  for _, w in ipairs(waiting) do
    if fs.is_dir(w.path) then return give_up(w.path .. ": is a folder") end
  end
  for _, w in ipairs(waiting) do
    local renamed, why = os.rename(w.temporary, w.path)
    if not renamed then return give_up(why) end
  end
  return #waiting
end

--- Writes one file in the same way.
function fs.write(path, content)
  return fs.write_all("", { { name = path, text = content } })
end

return fs
