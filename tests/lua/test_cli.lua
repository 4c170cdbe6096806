-- Tests of the command line with a stand-in for the generator: words, exit codes, json, the cache of builds, files.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local here = fs.capture("pwd -P"):gsub("\n$", "")
local folder = assert(fs.temporary_dir())
local cache = folder .. "/cache"
local interpreter = arg[-1] or "lua5.4"

-- Standard output, standard error and exit code of a command line; `before` sets variables.
local function carom(words, before, other_cache)
  local err = folder .. "/stderr"
  local out, code = fs.capture(("%s CAROM_CACHE=%s %s -l tests.lua.fake_pipeline gen/cli/main.lua %s 2>%s"):format(
    before or "", fs.quote(other_cache or cache), interpreter, words, fs.quote(err)))
  return out, fs.read(err), code
end

-- The same for a run whose results go to the folder.
local function run(words, before)
  return carom("run fake --out " .. fs.quote(folder .. "/out") .. " " .. words, before)
end

local function executables()
  local found = {}
  for _, name in ipairs(fs.list(cache)) do
    if name:find("^fake%-%x+$") then found[#found + 1] = name end
  end
  return #found
end

T.test("--version, --help and help, everywhere", function()
  local version = "carom " .. require "gen.version" .. "\n"
  for _, words in ipairs { "--version", "run --version", "schemes --version", "gen fake --version" } do
    local out, err, code = carom(words)
    T.eq(out, version, words)
    T.eq(err, "")
    T.eq(code, 0)
  end
  for _, name in ipairs { "run", "gen", "check", "schemes", "models", "test", "help" } do
    local asked, _, code = carom(name .. " --help")
    T.eq(code, 0)
    T.eq((carom("help " .. name)), asked)
    T.ok(asked:find("carom " .. name, 1, true) == 1, asked)
    T.ok((carom("--help")):find("carom " .. name, 1, true))
  end
  local out, _, code = carom ""
  T.eq(code, 2)
  T.eq(out, (carom "help"))
end)

T.test("help about words of the language and schemes", function()
  T.ok((carom "help contact"):find("m:contact(", 1, true))
  T.ok((carom "help m:run"):find("m:run", 1, true))
  T.ok((carom "help moreau-jean"):find("theta", 1, true))
  local _, err, code = carom "help contcat"
  T.eq(code, 2)
  T.ok(err:find("did you mean 'contact'", 1, true), err)
end)

T.test("man page and completion come from the same tables", function()
  local page = carom "help --man"
  T.ok(page:find("^%.TH CAROM 1"), page)
  T.ok(page:find("\\-\\-every N", 1, true))
  local script = carom "help --completion bash"
  T.ok(script:find("--every", 1, true))
  T.eq(fs.run("printf %s " .. fs.quote(script) .. " | bash -n 2>/dev/null || ! command -v bash >/dev/null"), 0)
  for _, shell in ipairs { "zsh", "fish" } do T.ok(carom("help --completion " .. shell):find("every", 1, true), shell) end
  T.eq(select(3, carom "help --completion tcsh"), 2)
end)

T.test("usage errors: a message, the way to help, code 2", function()
  for _, case in ipairs {
    { "rnu fake", "unknown command rnu; did you mean 'run'" },
    { "--jsn", "unknown option --jsn" },
    { "run fake --stpe 1", "unknown option --stpe; did you mean '--step'" },
    { "run", "needs a MODEL" },
    { "run fake more", "'more' is too much" },
    { "run fake --step 0", "--step 0 is not positive" },
    { "run fake --step 1x", "--step '1x' is not a finite number" },
    { "run fake --until", "--until needs a value" },
    { "run fake --every 0", "--every 0 is not a whole number" },
    { "run fake --set limti=1", "--set limti: fake has no such name; did you mean 'limit'?; known: limit delay N" },
    { "run fake --set x", "write --set name=value" },
    { "run timeless --until 1", "fake does not say its step; write --step H" },
    { "run timeless --step 1", "fake does not say how long to run; write --until T" },
    { "run fake --json --out -", "standard output" },
    { "gen fake --dump soup", "the stages are model, system, equations, plan, steps, c" },
    { "gen fake --prefix 1a", "not a C identifier" },
    { "gen fake --set limti=1", "fake has no such name" },
    { "gen fake --burn limti=1", "--burn limti: fake has no parameter of that name; did you mean 'limit'?; known: limit delay" },
  } do
    local out, err, code = carom(case[1])
    if case[1]:find("--json", 1, true) then err, out = out .. "try: carom help", err end
    T.eq(code, 2, case[1])
    T.eq(out, "", case[1])
    T.ok(err:find(case[2], 1, true), case[1] .. ": " .. err)
    T.ok(err:find("try: carom help", 1, true), err)
  end
  T.ok(not fs.exists("out/fake"))
end)

T.test("model errors: file and line, code 2, also as json", function()
  local out, err, code = carom "run broken"
  T.eq(out, "")
  T.eq(err, "broken.lua:7: error: no mass; write one\n")
  T.eq(code, 2)
  out, err, code = carom "run broken --json"
  T.eq(out, '{"status":"error","message":"no mass; write one","file":"broken.lua","line":7}\n')
  T.eq(err, "")
  T.eq(code, 2)
  out, err, code = carom "check buggy"
  T.eq(out, "")
  T.ok(err:find("internal error", 1, true) and err:find("a fault of carom", 1, true), err)
  T.eq(code, 3)
end)

T.test("run: summary, result and report, error against the exact solution", function()
  local out, err, code = run ""
  T.eq(err, "")
  T.eq(code, 0)
  T.ok(out:find("fake with none: t = 1 after 4 steps of 0.25", 1, true), out)
  T.ok(out:find("error against the exact solution: x 0.000e+00, x.dot 0.000e+00\n", 1, true), out)
  T.eq(fs.read(folder .. "/out/report.txt") .. "  to look at: " .. folder .. "/out/report.html\n", out)
  T.ok(fs.read(folder .. "/out/result.csv"):find("^t,x,x.dot,ground.gap,ground.impulse,third,nothing,[^\n]*\n0,1,"))
  T.ok(not (run "--set x=2"):find("exact", 1, true), "another start has another solution")
  T.ok((run "--set delay=1e-9"):find("solution: x -1.000e+00", 1, true), "it knows the parameters")
  T.eq((run "--quiet"), "")
end)

T.test("run: other parameters and initial values do not compile again, constants do", function()
  local before = executables()
  T.eq(before, 1)
  T.ok((run("--json --set x=2 --set x.dot=1 --set push=0")):find('"q":{"x":3.0}', 1, true))
  T.eq(executables(), before)
  T.eq(select(3, run "--set N=4 --quiet"), 0)
  T.eq(executables(), before + 1)
  T.eq(select(3, run("--quiet", "CAROM_CFLAGS=-O1")), 0)
  T.eq(executables(), before + 2)
  for _, name in ipairs(fs.list(cache)) do T.ok(not name:find("^carom%."), "left over: " .. name) end
end)

T.test("run --json: one object on standard output", function()
  local out, err, code = run "--json"
  T.eq(err, "")
  T.eq(code, 0)
  T.eq(select(2, out:gsub("\n", "")), 1)
  local record = assert(json.read(out))
  T.eq(record.status, "ok")
  T.eq(record.t, 1.0)
  T.eq(record.q.x, 1.5)
  T.eq(record.outputs.nothing, json.null)
  T.eq(record.files.result, folder .. "/out/result.csv")
  T.ok(fs.exists(folder .. "/out/report.txt"))
end)

T.test("run --out -: the csv on standard output", function()
  local out, err, code = carom "run fake --out - --every 2"
  T.eq(code, 0)
  T.eq(select(2, out:gsub("\n", "")), 4)
  T.ok(err:find("4 steps", 1, true))
end)

T.test("run: a failed step is code 1, an impossible start code 2 and leaves nothing", function()
  local _, err, code = run "--set limit=1.25"
  T.eq(code, 1)
  T.ok(err:find("carom: error: step 3 from t = 0.5", 1, true), err)
  local out
  out, err, code = run "--set limit=1.25 --json"
  T.eq(code, 1)
  T.eq(err, "")
  T.eq(json.read(out).contact, "ground")
  out, err, code = carom("run fake --set x=-1 --out " .. folder .. "/none")
  T.eq(code, 2)
  T.eq(out, "")
  T.ok(err:find("penetrates", 1, true), err)
  T.ok(not fs.exists(folder .. "/none"))
end)

T.test("run: environment errors are code 3", function()
  local out, err, code = run("", "CC=/no/such/cc")
  T.eq(out, "")
  T.ok(err:find("CC=/no/such/cc does not answer", 1, true), err)
  T.eq(code, 3)
  out, err, code = run("--scheme badc")
  T.eq(out, "")
  T.ok(err:find("the C compiler failed", 1, true) and err:find("on purpose", 1, true), err)
  T.eq(code, 3)
  out, err, code = run("--scheme badc --json")
  T.eq(err, "")
  T.ok(json.read(out).message:find("the C compiler failed", 1, true), out)
  T.eq(code, 3)
  out, err, code = carom("run fake --out /dev/null/x")
  T.eq(out, "")
  T.ok(err:find("output folder", 1, true), err)
  T.eq(code, 3)
end)

T.test("run: without a cache that can be written it works from a temporary folder", function()
  local words = ("run fake --quiet --out %s"):format(fs.quote(folder .. "/out"))
  local _, err, code = carom(words, "TMPDIR=" .. fs.quote(folder), "/dev/null/x")
  T.eq(err, "")
  T.eq(code, 0)
  for _, name in ipairs(fs.list(folder)) do T.ok(not name:find("^carom%."), "left over: " .. name) end
end)

T.test("run: concurrent first runs", function()
  local one = ("CAROM_CACHE=%s %s -l tests.lua.fake_pipeline gen/cli/main.lua run fake --json"):format(
    fs.quote(folder .. "/cache two"), interpreter)
  local out = fs.capture(("{ %s --out %s/o1 & %s --out %s/o2 & wait; }"):format(one, folder, one, folder))
  T.eq(select(2, out:gsub('"status":"ok"', "")), 2, out)
end)

-- Starts a slow run in a session of its own, signals it after a while and returns its exit code.
local SIGNALLER = [[
import os, signal, subprocess, sys, time
p = subprocess.Popen(sys.argv[2:], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(0.7)
if sys.argv[1] == "group":
    os.killpg(p.pid, signal.SIGINT)
else:
    p.terminate()
sys.exit(p.wait() % 256)]]

local function signalled(how, out)
  return fs.run(("CAROM_CACHE=%s python3 -c %s %s %s -l tests.lua.fake_pipeline gen/cli/main.lua %s --out %s"):format(
    fs.quote(cache), fs.quote(SIGNALLER), how, interpreter, "run fake --until 1e6 --set delay=0.005", fs.quote(out)))
end

if fs.run("command -v python3 >/dev/null") == 0 then
  T.test("run: Ctrl-C keeps the results, code 130", function()
    local out = folder .. "/stopped"
    T.eq(signalled("group", out), 130)
    T.ok(#fs.read(out .. "/result.csv") > 100)
    T.eq(table.concat(fs.list(out), " "), "checkpoint report.html report.txt result.csv run.json")
  end)

  T.test("run: the integrator does not outlive a killed carom", function()
    local out = folder .. "/killed"
    T.eq(signalled("alone", out), 256 - 15)
    for _ = 1, 20 do
      if fs.exists(out .. "/result.csv") then break end
      fs.run("sleep 0.1")
    end
    T.ok(#(fs.read(out .. "/result.csv") or "") > 100)
  end)
else
  T.skip("run: signals", "python3 is not here")
end

T.test("gen: writes the folder, all of it or nothing, and touches only what changed", function()
  local dir = folder .. "/gen dir"
  local out, err, code = carom("gen fake -o " .. fs.quote(dir))
  T.eq(err, "")
  T.eq(code, 0)
  T.ok(out:find("4 files in", 1, true) and out:find("(4 changed)", 1, true), out)
  T.eq(table.concat(fs.list(dir), " "), "carom fake.c fake.h fake_model.h")
  T.ok((carom("gen fake --set N=5 -o " .. fs.quote(dir))):find("(1 changed)", 1, true))
  T.ok(fs.read(dir .. "/fake.c"):find("N = 5", 1, true))
  out, err, code = carom("gen fake -o /dev/null/x")
  T.eq(out, "")
  T.ok(err:find("nothing written", 1, true), err)
  T.eq(code, 3)
end)

T.test("gen: --dump and --list-outputs write nothing, --depfile names what was read", function()
  local dir = folder .. "/nothing"
  T.eq((carom("gen fake --dump plan -o " .. dir)), "stage plan\n")
  T.eq((carom("gen fake --list-outputs -o " .. dir)),
    ("%s/fake.h\n%s/fake_model.h\n%s/fake.c\n%s/carom/status.h\n"):gsub("%%s", dir))
  T.ok(not fs.exists(dir))
  T.eq(select(3, carom(("gen fake -q -o %s --depfile %s/d"):format(dir, dir))), 0)
  local rule = fs.read(dir .. "/d")
  T.ok(rule:find(dir .. "/fake.c", 1, true) and rule:find("models/fake\\ model.lua", 1, true), rule)
  T.ok(rule:find("gen/cli/gen.lua", 1, true) and rule:find("runtime/include/carom/model.h", 1, true), rule)
end)

T.test("check, schemes, models", function()
  T.eq((carom "check fake"), "coordinates          1\nwarning              none\n")
  T.eq((carom "check fake --json"),
    '{"model":"fake","scheme":"none","status":"ok","summary":[{"label":"coordinates","text":"1"},'
    .. '{"label":"warning","text":"none"}]}\n')
  T.eq((carom "schemes"), "D-\n  first line\n  second line\n\nmoreau-jean\n  theta\n")
  local out, _, code = carom "models"
  T.eq(code, 0)
  for _, shelf in ipairs { "models/", "models/fem/" } do
    for _, name in ipairs(fs.list(shelf)) do -- what declares no model is there for others to require
      if name:find("%.lua$") then
        local listed = ("\n" .. out):find("\n" .. name:gsub("%.lua$", "") .. " ", 1, true) ~= nil
        T.eq(listed, assert(fs.read(shelf .. name)):find("carom.model", 1, true) ~= nil, name)
      end
    end
  end
end)

T.test("run: what is broken in the cache is made again, and a run without a record is an error", function()
  local place = folder .. "/broken cache"
  local words = "run fake --out " .. fs.quote(folder .. "/out")
  local function execute(before) return carom(words, before, place) end
  local good, _, code = execute()
  T.eq(code, 0)
  local function each(kind, change)
    for _, name in ipairs(fs.list(place)) do
      if name:find(kind) then change(place .. "/" .. name) end
    end
  end
  local function empty(path) assert(io.open(path, "wb")):close() end
  local function flip(path) -- one bit in the middle
    local text = assert(fs.read(path))
    local k = #text // 2
    local file = assert(io.open(path, "r+b"))
    file:seek("set", k - 1)
    file:write(string.char(text:byte(k) ~ 4))
    file:close()
  end
  local function cut(path)
    local text = assert(fs.read(path))
    assert(fs.write(path, text:sub(1, -5)))
  end
  local cpu, program = "; [^\n]*cpu[^\n]*", "^fake%-%x+$"
  for i, case in ipairs { { empty, program }, { flip, program }, { cut, program }, { cut, "%.sum$" }, { flip, "" },
    { function(path) fs.run("chmod a-x " .. fs.quote(path)) end, program } } do
    each(case[2], case[1])
    local out, err
    out, err, code = execute()
    T.eq(code, 0, i .. ": " .. err)
    T.eq((out:gsub(cpu, "")), (good:gsub(cpu, "")))
  end
  -- a program that does nothing, with the right checksum
  each("^fake%-%x+$", function(path)
    fs.run(("rm %s && printf '#!/bin/sh\\n' >%s && chmod +x %s && cksum <%s >%s"):format(fs.quote(path), fs.quote(path), fs.quote(path),
      fs.quote(path), fs.quote(path .. ".sum")))
  end)
  local _, err
  _, err, code = execute()
  T.eq(code, 3)
  T.ok(err:find("did not say how the run went", 1, true), err)
end)

T.test("an empty name of a folder is refused, not taken for the root", function()
  for _, words in ipairs { "gen fake -o ''", "gen fake --out=", "run fake --out=", "study fake -o ''" } do
    local _, err, code = carom(words)
    T.eq(code, 2, words)
    T.ok(err:find("an empty text is none", 1, true), err)
  end
end)

T.test("from another folder, the project's path may hold spaces", function()
  local link = folder .. "/pro ject"
  fs.run(("ln -s %s %s"):format(fs.quote(here), fs.quote(link)))
  local out, code = fs.capture(("cd / && %s %s models"):format(interpreter, fs.quote(link .. "/gen/cli/main.lua")))
  T.eq(code, 0)
  T.eq(out, (carom "models"))
end)

T.test("test: counting what the tests report", function()
  local test = require "gen.cli.test"
  local count, told = { passed = 0, failed = 0, skipped = 0 }, {}
  local function tell(line) told[#told + 1] = line end
  test.count({ name = "a", result = "OK", stdout = "ok 1 - x\nok 2 - y # SKIP no\n1..2\n# ok\n" }, count, tell)
  test.count({ name = "b", result = "FAIL", stdout = "ok 1 - x\nnot ok 2 - y\n# why\n1..2\n# end\n" }, count, tell)
  T.eq(count.passed .. " " .. count.failed .. " " .. count.skipped, "2 1 1")
  T.eq(table.concat(told, "|"), "b:|  not ok 2 - y|  # why")
  test.count({ name = "c", result = "TIMEOUT", stdout = "ok 1 - x\n" }, count, tell)
  test.count({ name = "d", result = "ERROR", stdout = "" }, count, tell)
  T.eq(count.passed .. " " .. count.failed .. " " .. count.skipped, "3 3 1")
  T.eq(told[#told], "d: ERROR")
end)

T.test("test: --long reaches the tests, without a time limit", function()
  local stub, place = folder .. "/stub", folder .. "/a build"
  assert(fs.write(stub .. "/meson", [[#!/bin/sh
case $1 in
    setup) mkdir -p "$2/meson-logs" && touch "$2/build.ninja" ;;
    introspect) echo '[]' ;;
    test) printf '{"name":"n","result":"OK","stdout":"ok 1\\nok 2 # SKIP long=%s %s\\n"}\n' "${CAROM_TEST_LONG:-}" "$*" \
            > "$3/meson-logs/testlog.json" ;;
esac
]]))
  fs.run("chmod +x " .. fs.quote(stub .. "/meson"))
  local function log(words)
    local out, err, code = carom("test --build " .. fs.quote(place) .. words, "PATH=" .. fs.quote(stub) .. ":$PATH CAROM_TEST_LONG=")
    T.eq(code, 0, err)
    T.ok(out:find("1 passed, 0 failed, 1 skipped", 1, true), out)
    return assert(fs.read(place .. "/meson-logs/testlog.json"))
  end
  T.ok(log(""):find("long= ", 1, true))
  local long = log " --long"
  T.ok(long:find("long=1 ", 1, true) and long:find("--timeout-multiplier 0", 1, true), long)
  T.ok(log(" --long --share 0.01"):find("long=0.01 ", 1, true))
  for _, words in ipairs { "--share 0.5", "--long --share 0", "--long --share 2", "--long --share much", "--long --share nan" } do
    local _, err, code = carom("test " .. words)
    T.ok(code == 2 and err:find("--share", 1, true), words .. ": " .. err)
  end
end)

fs.remove_tree(folder)
T.finish()
