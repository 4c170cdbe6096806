-- Mutation: breaks carom in one place at a time and looks whether the short tests notice.
--
--   lua5.4 tests/mutation/run.lua --folder DIR [--seed 1] [--each 25] [--part NAME] [--match PATH:LINE] [--since COMMIT]
--     [--minutes N] [--more] [--list]
--
-- DIR keeps a copy of the tree with its build folder, the time of every suite on the unbroken tree, and the log. From every part of
-- places.lua EACH places (of some a share of it) are drawn, the same for a seed, and tried in turn: one of each part, then the next.
-- A mutant is one line of one file; --since draws from lines that were added since COMMIT alone. The suites that can notice it
-- (suites.lua) are run, the quickest first, until one fails; a suite one of whose processes takes three times its time (and 15 seconds)
-- of the processor counts as failed. What does not compile is not counted. What no suite notices survives; --more tries the survivors
-- of the log on the slower suites. A run that was ended is taken up where it was: what stands in the log is not tried again.
--
-- Emitted C is compiled by tcc where it can (nothing depends on the compiler: -ffp-contract=off), the runtime by meson as always.
package.path = "./?.lua;" .. package.path
local P = require "tests.mutation.places"
local R = require "tests.random.prng"
local S = require "tests.mutation.suites"
local fs = require "gen.util.fs"

local options = { seed = 1, each = 25, minutes = 1e9 }
do
  local i = 1
  while i <= #arg do
    local key = arg[i]:match("^%-%-(%w+)$")
    if not key then error("what is " .. arg[i] .. "?") end
    if key == "list" or key == "more" then
      options[key], i = true, i + 1
    else
      options[key], i = tonumber(arg[i + 1]) or arg[i + 1], i + 2
    end
  end
end

-- ---- the copy ---------------------------------------------------------------------------------------------------------------

local folder = assert(options.folder, "write --folder DIR: where the copy and the log are")
local tree, log, timings = folder .. "/tree", folder .. "/log", folder .. "/times"
local here = fs.capture("pwd -P"):gsub("\n$", "")

local GCC = [[
#!/bin/sh
# gcc by tcc, which takes milliseconds, where nothing is asked that only gcc can
case " $* " in
*-fsanitize* | *-fanalyzer* | *-fsyntax-only* | *-Werror* | *--version* | *-dump* | *" -M"*) exec /usr/bin/gcc "$@" ;;
esac
tcc -w "$@" 2> /dev/null && exit 0
exec /usr/bin/gcc "$@"
]]

if not fs.exists(tree) then
  fs.mkdir(tree)
  assert(fs.run(("git archive HEAD | tar -x -C %s"):format(fs.quote(tree))) == 0)
  fs.run(("ln -s %s/../shared %s/shared"):format(fs.quote(here), fs.quote(folder)))
  fs.mkdir(folder .. "/bin")
  if fs.run("command -v tcc >/dev/null 2>&1") == 0 then assert(fs.write(folder .. "/bin/gcc", GCC)) end
  fs.run(("chmod +x %s/bin/*"):format(fs.quote(folder)))
  assert(fs.run(("cd %s && meson setup build >/dev/null"):format(fs.quote(tree))) == 0, "meson setup")
  fs.mkdir(folder .. "/tmp")
end

-- ---- the sample --------------------------------------------------------------------------------------------------------------

-- lines of files that were added since a commit
local function added(commit)
  local lines, path = {}, nil
  for line in fs.capture(("git diff -U0 --no-color %s HEAD"):format(fs.quote(commit))):gmatch("[^\n]+") do
    path = line:match "^%+%+%+ b/(.*)" or path
    local first, count = line:match "^@@ %-%S+ %+(%d+),?(%d*) @@"
    for k = 0, first and (tonumber(count) or 1) - 1 or -1 do lines[path .. ":" .. first + k] = true end
  end
  return lines
end

-- the sample: EACH of every part, in turn
local function draw()
  local all, lists, chosen, total, turns = P.all(tree), {}, {}, 0, 0
  local since = options.since and added(options.since)
  for _, places in next, since and all or {} do -- order does not matter
    for i = #places, 1, -1 do
      if not since[places[i].path .. ":" .. places[i].number] then table.remove(places, i) end
    end
  end
  for k, part in ipairs(P.parts) do
    local places, r = all[part[1]], R.new(1000 * options.seed + k)
    total = total + #places
    lists[k] = {}
    for _ = 1, math.min(math.ceil(options.each * (part[3] or 1)), #places) do
      table.insert(lists[k], table.remove(places, r:integer(1, #places)))
    end
    turns = math.max(turns, #lists[k])
  end
  for turn = 1, turns do
    for k, part in ipairs(P.parts) do
      local m = lists[k][turn]
      local wanted = m and (not options.part or options.part == part[1])
        and (not options.match or (m.path .. ":" .. m.number):find(options.match, 1, true))
      if wanted then chosen[#chosen + 1] = m end
    end
  end
  return chosen, total
end

local function name_of(m) return ("%s:%d: %s  -->  %s"):format(m.path, m.number, m.line:gsub("^%s+", ""), (m.change:gsub("^%s+", ""))) end

local chosen, total = draw()
print(("%d places, %d chosen"):format(total, #chosen))
if options.list then
  for _, m in ipairs(chosen) do print(name_of(m)) end
  os.exit(0)
end

-- ---- the suites --------------------------------------------------------------------------------------------------------------

-- runs a command in the copy; returns whether it was well and the time it took
local function try(command, quick, limit)
  local environment = ("TMPDIR=%s CAROM_CACHE=%s CAROM_TEST_STOP=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    .. "OMPI_MCA_ess_singleton_isolated=1 OPENBLAS_NUM_THREADS=1 CK_TIMEOUT_MULTIPLIER=20 "
    .. "OMPI_CC='ccache gcc' CCACHE_DIR=%s %s"):format(fs.quote(folder .. "/tmp"),
      fs.quote(folder .. "/cache"), fs.quote(folder .. "/ccache"), quick and ("PATH=%s:$PATH"):format(fs.quote(folder .. "/bin")) or "")
  local begin = os.time()
  local code = fs.run(("cd %s && ulimit -t %d && %s timeout -k 5 %d %s >../said 2>&1"):format(fs.quote(tree),
    math.max(15, math.ceil(limit)), environment, math.max(300, math.ceil(5 * limit)), command))
  return code == 0, os.time() - begin
end

-- builds what the given suites need
local function build(names)
  local targets = {}
  for _, name in ipairs(names) do
    local program = name:match("^c:(.*)")
    if program then targets[#targets + 1] = "test_" .. program end
  end
  return #targets == 0 or (try("ninja -C build " .. table.concat(targets, " "), false, 600))
end

-- every suite once on the unbroken tree: it must pass, and its time gives the order
local times = {}
for line in (fs.read(timings) or ""):gmatch("[^\n]+") do
  local name, t = line:match("^(%S+) (%d+)$")
  times[name] = tonumber(t)
end
local function baseline(name)
  if times[name] then return end
  assert(build { name }, "the copy does not build: see " .. folder .. "/said")
  local good, t = try(S.command(name), not S.gcc[name], 600)
  assert(good, name .. " fails on the unbroken tree: see " .. folder .. "/said")
  times[name] = t
  local file = assert(io.open(timings, "a"))
  file:write(("%s %d\n"):format(name, t))
  file:close()
end
local function ordered(path)
  local list = {}
  for _, name in ipairs(S.for_path(path, options.more and "more" or "quick")) do
    baseline(name)
    list[#list + 1] = name
  end
  table.sort(list, function(a, b) if times[a] ~= times[b] then return times[a] < times[b] end return a < b end)
  return list
end

-- ---- the mutants --------------------------------------------------------------------------------------------------------------

local done = {}
local tally = {}
for _, part in ipairs(P.parts) do tally[part[1]] = { killed = 0, survives = 0, stillborn = 0 } end
for line in (fs.read(log) or ""):gmatch("[^\n]+") do
  local what, rest = line:match("^(%a+)%s+(.*)$")
  done[rest:gsub("   %[.-%]$", "")] = what
end

-- What is broken just now stands in `now`, its text in `before`: a run that was killed leaves the copy to be mended.
local function mend()
  local path = fs.read(folder .. "/now")
  if not path then return end
  assert(fs.write(path, assert(fs.read(folder .. "/before"))))
  os.remove(folder .. "/now")
end

local function write_mutant(m, path)
  local text, number, lines = assert(fs.read(path)), 0, {}
  for line in text:gmatch("(.-)\n") do
    number = number + 1
    lines[number] = number == m.number and m.change or line
  end
  assert(fs.write(folder .. "/before", text) and fs.write(folder .. "/now", path))
  assert(lines[m.number] and fs.write(path, table.concat(lines, "\n") .. "\n"))
end

local function judge(m)
  local path = tree .. "/" .. m.path
  local suites = ordered(m.path)
  write_mutant(m, path)
  local result, by = "survives", nil
  if not build(suites) or m.path:find("%.lua$") and not loadfile(path) then
    result = "stillborn"
  else
    for _, suite in ipairs(suites) do
      if not try(S.command(suite), not S.gcc[suite], 3 * times[suite]) then
        result, by = "killed", suite
        break
      end
    end
  end
  mend()
  fs.run(("rm -rf %s/*"):format(fs.quote(folder .. "/tmp")))
  return result, by
end

mend()
local begin = os.time()
local out = assert(io.open(log, "a"))
for _, m in ipairs(chosen) do
  local name, late = name_of(m), os.time() - begin > 60 * options.minutes
  if not late and (options.more and done[name] == "survives" or not options.more and not done[name]) then
    local result, by = judge(m)
    done[name] = result
    if result ~= "survives" or not options.more then
      out:write(("%-9s %s%s\n"):format(result, name, by and ("   [%s]"):format(by) or ""))
      out:flush()
    end
  end
  local t = tally[m.part]
  if done[name] then t[done[name]] = t[done[name]] + 1 end
end
out:close()

-- ---- the score ------------------------------------------------------------------------------------------------------------------

local killed, survive = 0, 0
for _, part in ipairs(P.parts) do
  local t = tally[part[1]]
  killed, survive = killed + t.killed, survive + t.survives
  if t.killed + t.survives > 0 then
    print(("%-10s %3d killed, %3d survive, %3d do not compile"):format(part[1], t.killed, t.survives, t.stillborn))
  end
end
print(("%d killed, %d survive: score %.0f %%"):format(killed, survive, 100 * killed / math.max(1, killed + survive)))
