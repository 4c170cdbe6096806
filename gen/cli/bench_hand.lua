-- carom bench: generated steps beside hand-written C (tests/bench/hand*.c), by time in one process and by instructions.

local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"

local B = {}

-- prefix: what tests/bench/bench_step.c calls it; from, to: instructions are counted between these steps, so what surrounds them falls
-- out; goal: the ratio that is aimed at; unit: whose C it is, of several cases of one; said: what else it is called
B.cases = {
  { prefix = "ball", model = "bouncing_ball", scheme = "D-:M=1", from = 1000, to = 20000, goal = 1.2 },
  { prefix = "ball_steps", unit = "ball", said = "NAME_steps", model = "bouncing_ball", scheme = "D-:M=1", from = 1000, to = 20000,
    goal = 1.2 },
  { prefix = "slider", model = "slider_crank", scheme = "D-:M=1", from = 1000, to = 2500, goal = 1.2 },
  { prefix = "slider_burnt", burn = "friction=0", said = "--burn friction=0", model = "slider_crank", scheme = "D-:M=1", from = 1000,
    to = 2500, goal = 1.1 },
  { prefix = "slider_mj", model = "slider_crank", scheme = "moreau-jean", from = 1000, to = 2500, goal = 1.2 },
  { prefix = "slider_end", model = "slider_crank", scheme = "moreau-jean:mass=end", from = 1000, to = 2500, goal = 1.2 },
  { prefix = "column10", model = "bead_column", set = "N=10", scheme = "D-:M=1", from = 0, to = 4000, goal = 1.2 },
  { prefix = "column10_mj", model = "bead_column", set = "N=10", scheme = "moreau-jean", from = 0, to = 4000, goal = 1.2 },
  { prefix = "column100", model = "bead_column", set = "N=100", scheme = "D-:M=1", from = 0, to = 3000, goal = 1.5 },
  { prefix = "column100_mj", model = "bead_column", set = "N=100", scheme = "moreau-jean", from = 0, to = 3000, goal = 1.5 },
}

-- relative difference of two results that have computed the same: implicit steps are solved to 1e-13 of the velocities each, and impacts
-- carry it on
local SAME = 1e-8

function B.label(case)
  return ("%s%s %s%s"):format(case.model, case.set and " " .. case.set or "", case.scheme, case.said and " " .. case.said or "")
end

local function carom(words)
  return fs.command { fs.root .. "/carom", "--no-install", table.unpack(words) }
end

local function quietly(command)
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  if code ~= 0 then errors.environment("%s failed:\n%s", command, (said:gsub("%s+$", ""))) end
  return said
end

--- The program of all cases, from freshly generated folders and the hand-written integrators.
function B.program(folder)
  local hand = fs.root .. "/tests/bench"
  local sources, includes, seen = {}, { "-I" .. hand }, { ["example_main.c"] = true }
  for _, name in ipairs { "bench_step", "hand_ball", "hand_slider", "hand_slider_mj", "hand_column" } do
    sources[#sources + 1] = ("%s/%s.c"):format(hand, name)
  end
  for _, case in ipairs(B.cases) do
    if case.unit then goto done end
    local dir = folder .. "/" .. case.prefix
    local words = { "gen", case.model, "--prefix", case.prefix, "--scheme", case.scheme, "-q", "-o", dir }
    if case.set then table.move({ "--set", case.set }, 1, 2, #words + 1, words) end
    if case.burn then table.move({ "--burn", case.burn }, 1, 2, #words + 1, words) end
    quietly(carom(words))
    includes[#includes + 1] = "-I" .. dir
    words[#words + 1] = "--list-outputs"
    for path in quietly(carom(words)):gmatch("[^\n]+%.c%f[\n]") do
      local file = path:sub(#dir + 2)
      if not seen[file] then -- pieces of the runtime may lie in several folders
        sources[#sources + 1], seen[file] = path, true
      end
    end
    ::done::
  end
  local program = folder .. "/bench"
  quietly(("%s %s %s -o %s -lm"):format((build.compiler()), fs.command(includes), fs.command(sources), fs.quote(program)))
  return program
end

--- Rows of what the program says: { name, steps, generated, hand (ns), ratio, difference }. Nothing else is of use where both have not
--- computed the same.
function B.compared(program, once)
  local rows = {}
  for name, steps, ours, hand, ratio, difference in quietly(fs.quote(program) .. (once and " compare" or "")):gmatch(
    "(%S+)%s+(%d+) steps%s+generated%s+(%S+) ns/step%s+hand%s+(%S+) ns/step%s+ratio (%S+)%s+largest difference (%S+)") do
    local same = tonumber(difference) <= SAME -- false for NaN too
    if not same then errors.environment("%s: generated and hand-written C differ by %s", name, difference) end
    rows[#rows + 1] = { name = name, steps = steps, ours = ours, hand = hand, ratio = tonumber(ratio), difference = difference }
  end
  return rows
end

function B.have_valgrind() return select(2, fs.capture "valgrind --version 2>/dev/null") == 0 end

--- Instructions of one step of a case, generated and by hand.
function B.instructions(folder, program, case)
  local function count(name, steps)
    local said = fs.capture(("valgrind --tool=callgrind --callgrind-out-file=%s %s %s %d 2>&1 </dev/null"):format(
      fs.quote(folder .. "/callgrind.out"), fs.quote(program), name, steps))
    return tonumber(said:match("Collected%s*:%s*(%d+)")) or errors.environment("valgrind counts nothing:\n%s", said)
  end
  local function each(name) return (count(name, case.to) - count(name, case.from)) / (case.to - case.from) end
  return each(case.prefix), each("hand_" .. case.prefix)
end

--- All cases as a table for tests/bench/README.md, by instructions.
function B.table(folder, identity, compiler)
  if not B.have_valgrind() then errors.environment "instructions are counted by valgrind, which is not installed" end
  local program = B.program(folder)
  local difference = {}
  for _, row in ipairs(B.compared(program, true)) do difference[row.name] = row.difference end
  print "| model, scheme | steps | generated | by hand | ratio | results differ by |\n|---|---|---|---|---|---|"
  for _, case in ipairs(B.cases) do
    local ours, hand = B.instructions(folder, program, case)
    print(("| `%s` | %d to %d | %.0f | %.0f | %.2f | %s |"):format(B.label(case), case.from, case.to, ours, hand, ours / hand,
      difference[case.prefix]))
  end
  print(("\nInstructions of a step (callgrind) with %s, `%s`."):format(identity, compiler))
end

--- Rows of `carom bench`.
function B.run(results, folder)
  local program = B.program(folder)
  for _, row in ipairs(B.compared(program)) do
    results:add(("time of a step, %s, %s steps"):format(row.name, row.steps), row.ratio, "ratio", 1.5,
      ("generated %s ns, hand %s ns, results differ by %s"):format(row.ours, row.hand, row.difference))
  end
  local counts = B.have_valgrind()
  for _, case in ipairs(B.cases) do
    local label = "instructions of a step, " .. B.label(case)
    if counts then
      local ours, hand = B.instructions(folder, program, case)
      results:add(label, ours / hand, "ratio", case.goal, ("generated %.0f, hand %.0f"):format(ours, hand))
    else
      results:add(label, nil, "ratio", case.goal, "not counted: install valgrind")
    end
  end
end

return B
