-- carom sweep: many runs of one model with parameters that vary, one table of results with statistics.

local args = require "gen.util.args"
local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local large = require "gen.cli.large"
local model = require "gen.cli.model"
local sample = require "gen.study.sample"
local side = require "gen.target.sweep"

local MOST = 10000000
local MANY, STEPS = 32, 4e7 -- runs and steps of all of them from which on lanes save more than their compiler takes

local sweep = {
  name = "sweep",
  usage = "carom sweep MODEL --vary NAME=LO:HI:N... | --sample N --vary NAME=LO:HI|NAME=MEAN~SD... [--seed K] [--step H] [--until T]",
  summary = "many runs with values that vary, one table with statistics",
  text = [[
Runs the model once for each combination of the values that vary: of a grid (LO:HI:N, N values from LO to HI), or with --sample of a Latin
hypercube of N runs, uniform between LO and HI or normal with MEAN and SD. Parameters, inputs and initial values can vary. All runs are made
by one program; the same seed gives the same table. Where there are many steps to make and the model can (carom help gen, --target batch),
they are made side by side in vectors of this processor: the bits of carom run, or to rounding where there are angles, whose sines are then
other ones; --lanes off makes them one after another. out/MODEL/sweep.csv has a row for each run: what varied, its status (0: good), and the
end of the motion; statistics of the good runs are printed. The exit code is 1 when no run was good.]],
  options = {
    model.options.scheme,
    model.options.set,
    { "--vary", value = "NAME=...", many = true, text = "LO:HI:N of a grid; with --sample LO:HI (uniform) or MEAN~SD (normal)" },
    { "--sample", value = "N", text = "a Latin hypercube of N runs instead of a grid" },
    { "--seed", value = "K", text = "of --sample (default 1)" },
    { "--step", value = "H", text = "step size (default: the model's)" },
    { "--until", value = "T", text = "end time (default: the model's)" },
    { "--lanes", value = "X", text = "on: runs side by side, or say why not; off; auto (default): where it saves time" },
    { "--out", short = "-o", value = "DIR", text = "output folder (default: out/MODEL)" },
    { "--quiet", short = "-q", text = "print nothing when all is well" },
  },
}

local function whole(text, what)
  local n = args.number(text, what)
  if n < 1 or n ~= math.floor(n) or n > MOST then args.fail("%s '%s' is not a whole number from 1 to %d", what, text, MOST) end
  return math.floor(n)
end

-- NAME=LO:HI:N and so on
local function vary_of(text, sampled)
  local name, rest = text:match "^([%a_][%w_.]*)=(.*)$"
  local what = "--vary " .. (name or text) .. ":"
  if not name then args.fail("--vary %s: write NAME=LO:HI:N", text) end
  local mean, sd = rest:match "^([^~:]+)~([^~:]+)$"
  if mean then
    if not sampled then args.fail("%s a normal distribution is for --sample N", what) end
    local v = { name = name, mean = args.number(mean, what), sd = args.number(sd, what) }
    if v.sd < 0 then args.fail("%s the standard deviation is negative", what) end
    return v
  end
  local low, high, count = rest:match "^([^~:]+):([^~:]+):?([^~:]*)$"
  if not low then args.fail("%s write LO:HI:N, or with --sample LO:HI or MEAN~SD", what) end
  if sampled == (count ~= "") then
    args.fail(sampled and "%s with --sample write LO:HI" or "%s write LO:HI:N, N being how many values; or give --sample", what)
  end
  return { name = name, low = args.number(low, what), high = args.number(high, what), count = not sampled and whole(count, what) or nil }
end

-- Columns of the results that are numbers of good runs: list of { name, statistics }, and how many were good.
local function statistics(text, first)
  local names, columns, good, all = {}, {}, 0, 0
  for line in text:gmatch "[^\n]+" do
    local cells = {}
    for cell in (line .. ","):gmatch "([^,]*)," do cells[#cells + 1] = cell end
    if #names == 0 then
      names = cells
      for i in ipairs(names) do columns[i] = {} end
    else
      all = all + 1
      if cells[first] == "0" then
        good = good + 1
        for i, cell in ipairs(cells) do columns[i][good] = tonumber(cell) end
      end
    end
  end
  local list = {}
  for i, name in ipairs(names) do
    if i ~= first and good > 0 then list[#list + 1] = { name = name, statistics = sample.statistics(columns[i]) } end
  end
  return list, good, all
end

-- Does the compiler know vectors (carom/lanes.h)?
local function vectors()
  return select(2, fs.capture(("printf '#ifndef __GNUC__\\n#error\\n#endif\\n' | %s -E -xc - 2>&1"):format((build.compiler())))) == 0
end

-- The program that makes the runs: it, how to clear up, and how it makes them.
local function program_of(loaded, options, runs, steps)
  local lanes = options.lanes or "auto"
  local wanted = lanes == "on" or lanes == "auto" and runs >= MANY and steps >= STEPS
  if wanted and not vectors() then
    if lanes == "on" then args.fail("--lanes on: the compiler has no vectors; set CC to GCC or Clang") end
  elseif wanted then
    local good, unit = pcall(model.pipeline().compile, loaded, { scheme = options.scheme, with = { batch = true } })
    if good then
      local text, sines = side.text(unit)
      local program, _, clean = build.executable(unit, text, "vectors")
      return program, clean, unit, sines and "side by side, results to rounding: their sines are other ones"
        or "side by side, the bits of carom run"
    end
    local why = type(unit) == "table" and unit.message and unit.message:match "%-%-target batch, scheme '[^']*': (.*)$"
    if not why then error(unit, 0) end
    if lanes == "on" then args.fail("--lanes on: %s", why) end
  end
  local unit = model.pipeline().compile(loaded, { scheme = options.scheme })
  local program, _, clean = build.executable(unit)
  return program, clean, unit, "one after another"
end

function sweep.run(options)
  local operand = model.operand(options, "sweep")
  local lanes = options.lanes or "auto"
  if lanes ~= "auto" and lanes ~= "on" and lanes ~= "off" then args.fail("--lanes %s: write on, off or auto", lanes) end
  if not options.vary then args.fail("carom sweep needs --vary NAME=LO:HI:N") end
  local vary, names, columns = {}, {}, {}
  for i, text in ipairs(options.vary) do
    vary[i] = vary_of(text, options.sample ~= nil)
    if names[vary[i].name] then args.fail("--vary %s is there twice", vary[i].name) end
    names[vary[i].name], columns[i] = true, vary[i].name
    model.load(operand, { vary[i].name .. "=0" }) -- refuses names that are not there
  end
  local loaded, rest = model.load(operand, options.set)
  for _, c in ipairs(loaded.constants or {}) do
    if names[c.name] then args.fail("--vary %s: it is a constant; make it a parameter of the model", c.name) end
  end
  local count = 1
  for _, v in ipairs(vary) do count = count * (v.count or 1) end
  if count > MOST then args.fail("%d runs are too many; %d are the most", count, MOST) end
  local seed = math.floor(args.number(options.seed or "1", "--seed"))
  local rows = options.sample and sample.latin(vary, whole(options.sample, "--sample"), seed) or sample.grid(vary)
  for _, assignment in ipairs(rest) do
    if not names[assignment.name] then
      columns[#columns + 1] = assignment.name
      for _, row in ipairs(rows) do row[#row + 1] = assignment.value end
    end
  end
  local step = options.step and args.number(options.step, "--step") or loaded.run.step
  local until_time = options["until"] and args.number(options["until"], "--until") or loaded.run.until_time
  if not step or step <= 0 then args.fail("%s does not say its step; write --step H", loaded.name) end
  if not until_time then args.fail("%s does not say how long to run; write --until T", loaded.name) end
  if large.is(loaded) or loaded.among then args.fail("carom sweep is for models without meshes and piles") end
  local lines = { table.concat(columns, ",") }
  for i, row in ipairs(rows) do
    local cells = {}
    for k, x in ipairs(row) do cells[k] = ("%.17g"):format(x) end
    lines[i + 1] = table.concat(cells, ",")
  end
  local out = options.out or "out/" .. loaded.name
  fs.need(fs.mkdir(out))
  local program, clean, unit, how = program_of(loaded, options, #rows, #rows * until_time / step)
  local input, result = out .. "/sweep.in", out .. "/sweep.csv"
  fs.need(fs.write(input, table.concat(lines, "\n") .. "\n"))
  local code = fs.run(fs.command { program, "--sweep", input, result .. ".part", ("%.17g"):format(until_time), ("%.17g"):format(step) })
  clean()
  os.remove(input)
  if code ~= 0 then
    os.remove(result .. ".part")
    errors.environment("the sweep was not made (exit code %d)", code)
  end
  if not os.rename(result .. ".part", result) then errors.environment("cannot write %s", result) end
  local list, good, all = statistics(fs.need(fs.read(result)), #columns + 1)
  if not options.quiet then
    print(("%s with %s: %d runs, %d good, to t = %g with step %g; %s"):format(loaded.name, unit.scheme, all, good, until_time, step,
      how))
    print(("%-24s %13s %13s %13s %13s %13s"):format("", "mean", "sd", "least", "median", "greatest"))
    for _, item in ipairs(list) do
      local s = item.statistics
      print(("%-24s %13.6g %13.6g %13.6g %13.6g %13.6g"):format(item.name, s.mean, s.sd, s.least, s.median, s.greatest))
    end
    print("table                    " .. result)
  end
  return good > 0 and 0 or 1
end

return sweep
