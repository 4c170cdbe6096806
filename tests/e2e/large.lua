-- What tests of finite elements on PETSc share: runs of `carom` with their results, models and meshes of their own.
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local large = {}

--- Is PETSc here?
large.here = S.has "mpicc" and S.has "mpiexec" and fs.run "pkg-config --exists PETSc 2>/dev/null" == 0

--- Ends a suite that is all about PETSc where it is not here. Returns large.run and large.model.
function large.need(title)
  if not large.here then
    T.skip(title, "PETSc absent")
    S.finish()
  end
  return large.run, large.model
end

local interpreter = arg[-1] or "lua5.4"
local variables = "CAROM_NO_INSTALL=1 CAROM_CFLAGS=-O1"
local outs = 0

--- A folder for results that is not there yet.
function large.out()
  outs = outs + 1
  return ("%s/out%d"):format(S.folder, outs)
end

--- `carom` with these words; `before` stands in front of the command. Returns standard output, standard error, exit code.
function large.carom(words, before)
  local err = S.folder .. "/stderr"
  local command = ("%s env %s %s gen/cli/main.lua %s 2>%s </dev/null"):format(before or "", variables, interpreter, words, err)
  local out, code = fs.capture(command)
  return out, fs.read(err), code
end

--- `carom` with these words, which show progress: Ctrl-C as soon as they do. A group of its own keeps the test out of it.
function large.interrupt(words)
  local err = S.folder .. "/stderr"
  S.command("rm -f " .. err)
  local script = ("echo $$; exec env %s %s gen/cli/main.lua %s 2>%s </dev/null"):format(variables, interpreter, words, err)
  local pipe = assert(io.popen("setsid sh -c " .. fs.quote(script)))
  local group = assert(math.tointeger(pipe:read("n")))
  for _ = 1, 1200 do
    if (fs.read(err) or ""):find("step %d") then break end
    fs.run "sleep 0.05"
  end
  S.command("kill -s INT -- -" .. group)
  local out = pipe:read("a")
  local _, _, code = pipe:close()
  return out, fs.read(err), code
end

-- A process and everything below it; mpiexec stands in a session of its own.
local function tree_of(pid)
  local children, list = {}, { pid }
  for child, parent in fs.capture("ps -e -o pid= -o ppid="):gmatch "(%d+)%s+(%d+)" do
    children[parent] = children[parent] or {}
    table.insert(children[parent], child)
  end
  for _, one in ipairs(list) do -- grows as it is walked
    table.move(children[one] or {}, 1, #(children[one] or {}), #list + 1, list)
  end
  return list
end

--- `carom` with these words, killed without notice, with all it started, `seconds` after ready() is true. Returns whether it still ran.
function large.murder(words, ready, seconds)
  local script = ("echo $$; exec env %s %s gen/cli/main.lua %s >/dev/null 2>&1 </dev/null"):format(variables, interpreter, words)
  local pipe = assert(io.popen("exec sh -c " .. fs.quote(script)))
  local pid = pipe:read("l")
  local function lives() -- one that has ended stays a zombie until its pipe is closed
    local stat = fs.read("/proc/" .. pid .. "/stat")
    return stat and not stat:find "%) Z" and fs.run("kill -s 0 " .. pid .. " 2>/dev/null") == 0
  end
  for _ = 1, 6000 do
    if ready() or not lives() then break end
    fs.run "sleep 0.01"
  end
  fs.run(("sleep %.3f"):format(seconds))
  local tree = tree_of(pid)
  fs.run("kill -s KILL " .. table.concat(tree, " ") .. " 2>/dev/null")
  pipe:close()
  return #tree > 1 -- one that has ended is alone, waiting to be taken notice of
end

--- A run into a folder of its own: the rows of result.csv, the JSON record, the folder. `after`: options of PETSc.
function large.run(words, after)
  local dir = large.out()
  local out, err, code = large.carom(("run %s --json --out %s%s"):format(words, dir, after and " -- " .. after or ""))
  T.eq(code, 0, words .. ": " .. out .. err)
  return S.csv(fs.read(dir .. "/result.csv")), json.read(out), dir
end

--- A model of the test's own: the text between the two usual lines, in a file. Returns its path.
function large.model(name, text)
  local path = ("%s/%s.lua"):format(S.folder, name)
  assert(fs.write(path, ('local carom = require "carom"\nlocal m = carom.model "%s"\n%s\nreturn m\n'):format(name, text)))
  return path
end

return large
