-- Tests of the launcher in a world with few programs: a PATH that holds only what the test put there.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"

local here = fs.capture("pwd -P"):gsub("\n$", "")
local folder = assert(fs.temporary_dir())
local TOOLS = { "sh", "dirname", "readlink", "id", "mktemp", "rm", "tail", "cat", "printf", "env" }

-- A folder of links to the tools every system has, plus small scripts.
local function world(name, scripts)
  local path = folder .. "/" .. name
  fs.mkdir(path)
  for _, tool in ipairs(TOOLS) do
    fs.run(("ln -sf \"$(command -v %s)\" %s 2>/dev/null"):format(tool, fs.quote(path .. "/" .. tool)))
  end
  for _, script in ipairs(scripts or {}) do
    fs.write(path .. "/" .. script[1], "#!/bin/sh\n" .. script[2] .. "\n")
    fs.run("chmod +x " .. fs.quote(path .. "/" .. script[1]))
  end
  return path
end

-- Standard output, standard error and exit code of the launcher in that world; `setting` adds to the environment.
local function launch(path, words, launcher, setting)
  local err = folder .. "/stderr"
  local out, code = fs.capture(("cd / && env -u CC -u CAROM_NO_INSTALL %s PATH=%s /bin/sh %s %s 2>%s"):format(setting or "",
    fs.quote(path), fs.quote(launcher or here .. "/carom"), words, fs.quote(err)))
  return out, fs.read(err), code
end

local real_lua = fs.capture("command -v lua5.4 || command -v lua54 || command -v lua"):match("[^\n]*")
local LUA = { "lua5.4", ('exec %s "$@"'):format(fs.quote(real_lua)) }
local empty = world "empty"

T.test("without lua and with --no-install: what to install, code 3", function()
  local out, err, code = launch(empty, "--no-install models")
  T.eq(code, 3)
  T.eq(out, "")
  T.eq(err, "carom: error: install what is missing with: apt-get install lua5.4\n")
  out, err, code = launch(empty, "run zeno_ball --no-install")
  T.eq(code, 3)
  T.eq(out, "")
  T.ok(err:find("apt-get install lua5.4 gcc", 1, true), err)
  out, err, code = launch(empty, "test --no-install")
  T.eq(out, "")
  T.eq(code, 3)
  T.ok(err:find("meson ninja-build pkg-config check\n", 1, true), err)
end)

T.test("CAROM_NO_INSTALL is the same, and --json gets an object", function()
  local err = folder .. "/stderr"
  local out, code = fs.capture(("CAROM_NO_INSTALL=1 PATH=%s /bin/sh ./carom run x --json 2>%s"):format(fs.quote(empty),
    fs.quote(err)))
  T.eq(code, 3)
  T.ok(out:find('^{"status":"error","message":"install what is missing with: apt%-get install lua5.4[^"\n]*"}\n$'),
    out)
end)

T.test("without apt-get nothing is tried", function()
  local _, err, code = launch(empty, "models")
  T.eq(code, 3)
  T.ok(err:find("apt-get install lua5.4", 1, true), err)
end)

T.test("apt-get is called for what is missing, after an update when the first try fails", function()
  local log, made = folder .. "/apt.log", folder .. "/apt"
  local path = world("apt", {
    { "id", "echo 0" },
    { "apt-get", ('echo "$DEBIAN_FRONTEND $*" >> %s\necho noise; echo noise >&2\n'
      .. 'case $1 in update) : > %s/updated ;; esac\n[ -e %s/updated ] || exit 100\n'
      .. '[ "$1" = update ] || { printf "#!/bin/sh\\nexec %s \\"\\$@\\"\\n" > %s/lua5.4; /bin/chmod +x %s/lua5.4; }')
      :format(fs.quote(log), made, made, real_lua, made, made) },
  })
  local out, err, code = launch(path, "help gen")
  T.eq(code, 0)
  T.ok(out:find("^carom gen MODEL"), out)
  T.eq(err, "carom: installing lua5.4 with apt-get (--no-install forbids it)\n")
  T.eq(fs.read(log), "noninteractive install -y --no-install-recommends lua5.4\nnoninteractive update\n"
    .. "noninteractive install -y --no-install-recommends lua5.4\n")
end)

T.test("an apt-get that fails: the end of what it said, code 3", function()
  local path = world("broken", { { "id", "echo 0" }, { "apt-get", "echo 'E: no such thing'; exit 100" } })
  local out, err, code = launch(path, "models")
  T.eq(code, 3)
  T.eq(out, "")
  T.ok(err:find("E: no such thing\ncarom: error: apt-get could not install: lua5.4\n", 1, true), err)
end)

T.test("another lua is not taken for 5.4", function()
  local path = world("old", { { "lua", "echo 'Lua 5.1.5  Copyright (C)'" } })
  local _, err, code = launch(path, "--no-install help")
  T.eq(code, 3)
  T.ok(err:find("lua5.4", 1, true), err)
  path = world("plain", { { "lua", LUA[2] } })
  local out
  out, _, code = launch(path, "--no-install help")
  T.eq(code, 0)
  T.ok(out:find("carom run", 1, true), out)
end)

T.test("run needs a compiler, CC names it", function()
  local path = world("lua_only", { LUA })
  local _, err, code = launch(path, "run --no-install x")
  T.eq(code, 3)
  T.ok(err:find("apt-get install gcc", 1, true), err)
end)

T.test("--version needs nothing", function()
  local out, err, code = launch(empty, "--no-install --version")
  T.eq(out, "carom " .. require "gen.version" .. "\n")
  T.eq(err, "")
  T.eq(code, 0)
end)

T.test("through links and folders with spaces", function()
  local odd = folder .. "/a folder"
  fs.mkdir(odd .. "/bin")
  fs.run(("ln -s %s %s && ln -s ../tree/carom %s && ln -s 'bin/one link' %s"):format(fs.quote(here),
    fs.quote(odd .. "/tree"), fs.quote(odd .. "/bin/one link"), fs.quote(odd .. "/two links")))
  local path = world("linked", { LUA })
  local out, err, code = launch(path, "help gen", odd .. "/two links")
  T.eq(err, "")
  T.eq(code, 0)
  T.ok(out:find("^carom gen MODEL"), out)
end)

T.test("arguments arrive as they were given", function()
  local path = world("echo", {
    { "lua5.4", 'if [ "$1" = -v ]; then echo "Lua 5.4.4"; else shift; printf "[%s]" "$@"; fi' },
  })
  T.eq((launch(path, "gen 'a  b' '*' --no-install '' -- --no-install")), "[gen][a  b][*][][--][--no-install]")
end)

T.test("the generator runs under limits of memory and time, what it starts does not", function()
  local path = world("limits", { { "lua5.4", [[
if [ "$1" = -v ]; then
    echo "Lua 5.4.4"
else
    ulimit -S -v
    ulimit -S -t
    CLONE=]] .. fs.quote(here) .. [[ exec ]] .. fs.quote(real_lua) .. [[ -e 'package.path = os.getenv("CLONE") .. "/?.lua"
        io.write((require("gen.util.fs").capture "ulimit -S -v; ulimit -S -t"))'
fi]] } })
  local outer = fs.capture "ulimit -S -v; ulimit -S -t"
  local function limits(setting) return (launch(path, "models", nil, setting)) end
  local there = tonumber(((fs.read "/proc/meminfo" or ""):match "MemTotal:%s*(%d+)")) or 0
  T.eq(limits "", ("%d\n3600\n"):format((math.max(2048, there // 2048) + 256) * 1024) .. outer)
  T.eq(limits "CAROM_LIMIT_MIB=100 CAROM_LIMIT_SECONDS=5", "364544\n60\n" .. outer)
  T.eq(limits "CAROM_LIMIT_MIB=0 CAROM_LIMIT_SECONDS=0", outer .. outer)
  T.eq((fs.capture(("ulimit -S -v 900000; ulimit -S -t 77; PATH=%s /bin/sh ./carom models"):format(fs.quote(path)))),
    ("900000\n77\n"):rep(2), "lower limits of the user stay")
  for _, setting in ipairs { "CAROM_LIMIT_MIB=many", "CAROM_LIMIT_SECONDS=-1" } do
    local out, err, code = launch(path, "models", nil, setting)
    T.eq(code .. out, "2")
    T.ok(err:find("^carom: error: CAROM_LIMIT_%u+ is not a whole number; write one, or 0 for no limit\n$"), err)
  end
end)

-- Texts that outgrow the limits are refused in one line: by the watchman, or where that cannot look by the limit of the process.
T.test("a model that takes too much is refused with code 2", function()
  local function refused(name, text, setting, pattern)
    local file = folder .. "/" .. name .. ".lua"
    assert(fs.write(file, text))
    local out, err, code = launch(world("heavy", { LUA }), ("gen %s -o %s"):format(fs.quote(file), fs.quote(folder .. "/out")), nil,
      setting)
    T.eq(code, 2, err)
    T.eq(out, "")
    T.ok(err:find(pattern), err)
    T.eq(select(2, err:gsub("\n", "")), 1, err)
    T.ok(not fs.is_dir(folder .. "/out"))
  end
  local nested = [[
local carom = require "carom"
local m = carom.model "nested"
local q = m:coordinate("q")
local x = q
for i = 1, 1000 do x = carom.sin(x) end
m:kinetic_energy(q.dot^2)
m:potential_energy(x)
return m]]
  refused("nested", nested, "CAROM_LIMIT_SECONDS=1", "nested.lua:2: error: generating this model takes more than 1 seconds; write")
  refused("nested", nested, "CAROM_LIMIT_MIB=40", "nested.lua:2: error: generating this model needs more than 40 MiB of memory; write")
  refused("joined", "local s = ('x'):rep(1e6)\nfor i = 1, 3 do s = s" .. (" .. s"):rep(18) .. " end", "CAROM_LIMIT_MIB=100",
    "joined.lua:%d: error: the model needs more than 384 MiB of memory; look for")
  -- bodies of a pile may be many: memory goes with them, up to the limit of the generator, beyond which they are told
  refused("endless", [[
local m = require "carom".model "pile"
for i = 1, 1e9 do
  m:free_body("a" .. i, { mass = 1, inertia = 1 })
end
return m]], "CAROM_LIMIT_MIB=450", "endless.lua:3: error: the model needs more than 450 MiB of memory, with %d+ words so far; look for a "
    .. "table or text that grows without end, or write a smaller model")
end)

fs.remove_tree(folder)
T.finish()
