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

-- Standard output, standard error and exit code of the launcher in that world.
local function launch(path, words, launcher)
  local err = folder .. "/stderr"
  local out, code = fs.capture(("cd / && env -u CC -u CAROM_NO_INSTALL PATH=%s /bin/sh %s %s 2>%s"):format(
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

fs.remove_tree(folder)
T.finish()
