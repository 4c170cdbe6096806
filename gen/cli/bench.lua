-- carom bench: how fast generated code and the generator are. Numbers are for people: nothing here passes or fails.
-- Steps are compared with hand-written C inside one process (tests/bench/bench_step.c), because only such ratios repeat
-- between machines and from day to day; instruction counts repeat exactly.

local args = require "gen.util.args"
local build = require "gen.cli.build"
local embed = require "gen.cli.bench_embed"
local errors = require "gen.cli.errors"
local friction = require "gen.cli.bench_friction"
local fs = require "gen.util.fs"
local growth = require "gen.cli.bench_growth"
local hand = require "gen.cli.bench_hand"
local json = require "gen.util.json"
local large = require "gen.cli.bench_large"
local peers = require "gen.cli.bench_peers"
local pile = require "gen.cli.bench_pile"
local tree = require "gen.cli.bench_tree"

local bench = {
  name = "bench",
  usage = "carom bench [--table | --peers | --embed | --large [--dof N]] [--json]",
  summary = "measure generated code against hand-written C, the friction solvers, and the generator",
  text = [[
Builds tests/bench with the compiler and flags of carom run and prints one row per measurement: the value, the target
beside it, and what was measured. Times of steps are ratios taken in one process, the best of 25 alternating runs;
times of commands are the best of several runs of a new process. Instructions per step are counted when valgrind is
installed; --table prints these alone, of all cases, and how chains and columns grow, as tests/bench/README.md has them. Hand-written
steppers (tests/bench/hand*.c) must have computed the same motion first.

The length of the equations of arms of seven joints is counted in operations. Piles at rest tell what a contact costs that is
found at run time, from 100 to 28000 contacts.

What a frictional contact costs is the difference of two such times, of a model with and without friction. The friction
solvers are timed on the problems in $CAROM_REFERENCE/friction, the portfolio against its best rival, and beside Siconos'
NSGS with sparse blocks (tolerance 1e-8, at most 10 s per problem) where libsiconos-numerics-dev is installed.

With --large: contact problems of elastic blocks of 12288 and 98304 unknowns, against the contact-free solve of the same
step with the same Krylov method (CPU seconds in one process, with and without friction, at three CFL numbers). Then whole
runs of dropped_block: explicit steps beside the bandwidth of the memory, two ranks against one (by the clock if nothing
else runs, otherwise by processor time without waiting), time per unknown from 1e4 to 1e6 of them, memory for 1e6.
Last the bar of impacting_bar with 100, 1000 and 3000 nodes on both paths, beside Siconos where libsiconos-kernel-dev is
installed, and how far the two motions differ.

With --peers: instructions and times of steps beside those of other programs on the same problem with the same scheme, whose results are
compared first: a ball, the slider-crank and columns of beads beside Siconos (libsiconos-kernel-dev), chains of links beside MuJoCo
(libmujoco-dev). What is not installed is said.

With --embed: 4096 instances side by side (--target batch) beside one after another, with AVX2 and AVX-512 where they are; steps of units of
FMI 3.0 and steps from Python beside a loop of C.

Nothing passes or fails here: times depend on the machine and on what else it does. Part of the source tree only.]],
  options = {
    { "--table", text = "instructions of generated and hand-written steps, and how they grow, as the tables of tests/bench/README.md" },
    { "--peers", text = "instructions and times of steps beside other programs that compute the same, as in tests/bench/README.md" },
    { "--embed", text = "steps side by side, in units of FMI and from Python, beside steps in a loop" },
    { "--json", text = "print one JSON object and nothing else on standard output" },
    large.options[1], large.options[2],
  },
}

local REPEAT = 5

-- Measurements in the order they are made; each is told at once, since the whole takes some seconds.
local Table = {}
Table.__index = Table

local FORMAT = { ratio = "%.2f", s = "%.3f", ms = "%.4f", GB = "%.2f", ["GB/s"] = "%.1f", ["M/s"] = "%.1f" }

-- relation: "<" (the default) when the value should be below the target, ">" above
function Table:add(name, value, unit, target, note, relation)
  relation = target and (relation or "<")
  self[#self + 1] = { name = name, value = value, unit = unit, target = target, relation = relation, note = note }
  if self.quiet then return end
  local number = value and (FORMAT[unit] or "%.0f"):format(value) or "-"
  local goal = target and relation .. " " .. target or ""
  print((("%-52s %9s %-6s %-8s %s"):format(name, number, unit, goal, note or ""):gsub("%s+$", "")))
end

local function wall_clock()
  return tonumber((fs.capture "date +%s%N")) or errors.environment("date +%%s%%N gives no nanoseconds here")
end

-- Best wall time of several runs of a shell command, in seconds; `before` is run ahead of each, outside the time.
local function best_time(command, before)
  local best = math.huge
  for _ = 1, REPEAT do
    if before then fs.run(before) end
    local start = wall_clock()
    local said, code = fs.capture(command .. " 2>&1 </dev/null")
    local seconds = (wall_clock() - start) * 1e-9
    if code ~= 0 then errors.environment("%s ended with code %d:\n%s", command, code, said) end
    best = math.min(best, seconds)
  end
  return best
end

local function carom(words)
  return fs.command { fs.root .. "/carom", "--no-install", table.unpack(words) }
end

local function time_generator(results, folder)
  local function gen(model, ...)
    return best_time(carom { "gen", model, "-q", "-o", folder .. "/timed", ... }, "rm -rf " .. fs.quote(folder .. "/timed"))
  end
  results:add("carom gen slider_crank", gen "slider_crank", "s", 0.3)
  local cache = fs.quote(folder .. "/cache")
  results:add("carom run slider_crank, nothing in the cache",
    best_time("CAROM_CACHE=" .. cache .. " " .. carom { "run", "slider_crank", "--scheme", "D-:M=1", "--until", "0.2", "--step",
      "1e-5", "--out", folder .. "/result" }, "rm -rf " .. cache),
    "s", 3, "generate, compile, 20000 steps")
  local hundred, thousand = gen("bead_column", "--set", "N=100"), gen("bead_column", "--set", "N=1000")
  results:add("carom gen bead_column --set N=100", hundred, "s")
  results:add("carom gen bead_column --set N=1000", thousand, "s")
  results:add("the second over the first", thousand / hundred, "ratio", 10)
end

local function measure(results, folder, options)
  if options.table then
    hand.table(folder, select(2, build.compiler()), (build.compiler()))
    return growth.table(folder)
  end
  if options.peers then return peers.table(folder, select(2, build.compiler()), (build.compiler())) end
  if options.embed then return embed.run(results, folder) end
  if options.large then return large.run(results, folder, options.dof) end
  hand.run(results, folder)
  friction.steps(results, folder)
  friction.solvers(results, folder)
  tree.run(results, folder, best_time)
  pile.run(results, folder)
  time_generator(results, folder)
end

function bench.run(options)
  if options[1] then args.fail("carom bench takes no operand; '%s' is too much", options[1]) end
  if not fs.exists(fs.root .. "/tests/bench/bench_step.c") then
    errors.environment("the benchmarks are part of the source tree; this is an installed carom")
  end
  local folder, why = fs.temporary_dir()
  if not folder then errors.environment("%s", why) end
  local compiler, identity = build.compiler()
  local results = setmetatable({ quiet = options.json }, Table)
  if not (options.json or options.table or options.peers) then print(("%s\n%s\n"):format(identity, compiler)) end
  local good, failure = xpcall(measure, errors.with_trace, results, folder, options)
  fs.remove_tree(folder)
  if not good then error(failure, 0) end
  if options.json then
    local list = {}
    for i, r in ipairs(results) do
      list[i] = json.object {
        { "name", r.name }, { "value", r.value }, { "unit", r.unit }, { "target", r.target },
        { "relation", r.relation }, { "note", r.note },
      }
    end
    print(json.write(json.object {
      { "status", "ok" }, { "compiler", identity }, { "command", compiler }, { "benchmarks", list },
    }))
  end
  return 0
end

return bench
