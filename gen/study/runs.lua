-- The runs of a study: integrators started side by side, their results compared with references by the program `compare`.
-- A run is { h =, executable =, every =, name = } and gets steps, evaluations, events, cpu, or failed (in words), and errors.

local fs = require "gen.util.fs"
local jobs = require "gen.study.jobs"
local json = require "gen.util.json"
local reference = require "gen.study.reference"

local runs = {}

--- Compiles one integrator. It must outlive this function, so what removes it is put into `cleaners`.
function runs.make(tools, scheme, cleaners)
  local unit = tools.compile(tools.load(), scheme)
  local executable, _, clean = tools.executable(unit)
  cleaners[#cleaners + 1] = clean
  return unit, executable
end

--- A reference of our own: two runs, the second with twice the step; their difference is what it can be trusted to.
function runs.own_reference(tools, model, steps, cleaners)
  local why
  for _, candidate in ipairs(reference.schemes(model, tools.catalogue)) do
    local good, unit, executable = pcall(runs.make, tools, candidate.scheme, cleaners)
    if good then
      local finest = steps[#steps]
      return { scheme = unit.scheme, executable = executable, runs = {
        { name = "reference", h = finest / candidate.finer, every = candidate.finer },
        { name = "coarser", h = 2 * finest / candidate.finer, every = candidate.finer // 2 } } }
    end
    why = unit
  end
  error(why, 0)
end

local function driver_command(run, T, assignments)
  local words = { run.executable, "--quiet", "--json", "--step", ("%.17g"):format(run.h), "--until", ("%.17g"):format(T),
    "--result", run.name .. ".csv" }
  if run.every then words[#words + 1], words[#words + 2] = "--every", ("%d"):format(run.every) end
  for _, a in ipairs(assignments) do
    words[#words + 1], words[#words + 2] = "--set", a.name .. "=" .. a.text
  end
  return fs.command(words) .. " >" .. run.name .. ".json 2>&1"
end

local function read_record(folder, run, code)
  local good, record = pcall(json.read, fs.read(folder .. "/" .. run.name .. ".json") or "")
  record = good and record or nil
  if code == 0 and record and record.status == "ok" then
    run.evaluations, run.cpu, run.steps = record.counts.evaluations, record.cpu_seconds, record.steps
    run.events = record.counts.events
  else
    run.failed = record and record.message or ("the integrator ended with code %d"):format(code)
  end
end

local function ticker(tools, what)
  return tools.tick and function(done, all) tools.tick(("%s %d of %d"):format(what, done, all)) end or nil
end

--- Makes all runs in `folder`, long ones first.
function runs.all(tools, folder, queue, T, assignments)
  table.sort(queue, function(a, b) return a.h == b.h and a.number < b.number or a.h < b.h end)
  local commands = {}
  for i, run in ipairs(queue) do commands[i] = driver_command(run, T, assignments) end
  for i, code in ipairs(jobs.run(folder, commands, ticker(tools, "run"))) do read_record(folder, queue[i], code) end
end

--- The reference files of every run that went well: exact values at its own times (shared by runs with the same times),
--- or the one reference.
function runs.references(tools, folder, queue, exact)
  local written, count = {}, 0
  for i, run in ipairs(queue) do
    if not run.failed and exact then
      local result = fs.need(fs.read(folder .. "/" .. run.name .. ".csv"))
      local times = result:gsub(",[^\n]*", "")
      if not written[times] then
        count = count + 1
        written[times] = ("exact%d.csv"):format(count)
        fs.need(fs.write(folder .. "/" .. written[times], reference.at_times_of(exact, result)))
      end
      run.reference = written[times]
    elseif not run.failed then
      run.reference = "reference.csv"
    end
    if tools.tick then tools.tick(("reference %d of %d"):format(i, #queue)) end
  end
end

-- What the program `compare` printed: { q = { l1 = ... }, v = ... }
local function parse_errors(text)
  local errors = {}
  for label, norm, value in text:gmatch("(%w+) (%w+) (%S+)\n") do
    errors[label] = errors[label] or {}
    errors[label][norm] = tonumber(value) or (value:find("inf") and math.huge or 0 / 0)
  end
  return errors
end

local function compare_command(tools, run, columns, graph)
  local words = { tools.compare, run.name .. ".csv", run.reference }
  for _, column in ipairs(columns) do
    words[#words + 1], words[#words + 2] = "--of", column.label .. "=" .. table.concat(column.names, ",")
  end
  if graph then words[#words + 1], words[#words + 2] = "--graph", graph end
  return fs.command(words) .. " >" .. run.name .. ".errors 2>&1"
end

--- Measures the errors of every run that went well. columns: list of { label =, names = }.
function runs.compare(tools, folder, queue, columns, graph)
  local commands, compared = {}, {}
  for _, run in ipairs(queue) do
    if not run.failed then
      compared[#compared + 1] = run
      commands[#commands + 1] = compare_command(tools, run, columns, graph)
    end
  end
  for i, code in ipairs(jobs.run(folder, commands, ticker(tools, "comparison"))) do
    local said = fs.read(folder .. "/" .. compared[i].name .. ".errors") or ""
    if code ~= 0 then error("comparing results failed: " .. said, 0) end
    compared[i].errors = parse_errors(said)
  end
end

return runs
