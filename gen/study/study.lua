-- A study: schemes times numbers of steps on one model, each run compared with a reference. Compilers and programs come in
-- from outside as `tools`:
--   load()                    the model, and the assignments (--set) for its runs
--   compile(model, scheme)    the unit of gen/pipeline
--   executable(unit)          path of the compiled integrator, and a function that removes what is not kept
--   compare                   path of the program that measures errors
--   catalogue                 gen/scheme/catalogue
--   tick(text)                progress; may be absent

local fit = require "gen.study.fit"
local fs = require "gen.util.fs"
local jobs = require "gen.study.jobs"
local json = require "gen.util.json"
local ladder = require "gen.study.ladder"
local reference = require "gen.study.reference"

local study = {}

study.norms = { "l1", "l2", "sup", "hausdorff", "dense" }

-- The default ladder begins at the model's own number of steps /32. Through impacts errors are erratic in h, since the
-- offset of an impact in its step is: a slope needs many rungs, which are cheap where the solution is known.
local FIRST_PART, RUNGS, RUNGS_OWN = 32, 9, 7
local ROUNDING = 3e-13          -- of the size of the solution: below it errors are not fitted
local LOST = 0.3                -- of the size of the solution: above it a run has lost the solution

local function refuse(format, ...)
  error({ usage = true, message = format:format(...) }, 0)
end

-- The steps of a study, the longest first: as asked, or the default ladder.
local function steps_of(spec, model, T, exact)
  if spec.steps then
    local steps = table.move(spec.steps, 1, #spec.steps, 1, {})
    table.sort(steps, function(a, b) return a > b end)
    return steps
  end
  local own = math.ceil(T / model.run.step - 1e-9)
  local counts = spec.counts or ladder.counts(math.max(5, own // FIRST_PART), exact and RUNGS or RUNGS_OWN, T,
    exact and exact.events or {}, not exact)
  return ladder.steps(counts, T)
end

local function driver_command(executable, run, T, assignments)
  local words = { executable, "--quiet", "--json", "--step", ("%.17g"):format(run.h), "--until", ("%.17g"):format(T),
    "--result", run.name .. ".csv" }
  if run.every then words[#words + 1], words[#words + 2] = "--every", ("%d"):format(run.every) end
  for _, a in ipairs(assignments) do
    words[#words + 1], words[#words + 2] = "--set", a.name .. "=" .. a.text
  end
  return fs.command(words) .. " >" .. run.name .. ".json 2>&1"
end

-- Compiles one integrator; its executable must outlive this function, so what removes it is kept.
local function make(tools, scheme, cleaners)
  local model = tools.load()
  local unit = tools.compile(model, scheme)
  local executable, _, clean = tools.executable(unit)
  cleaners[#cleaners + 1] = clean
  return unit, executable
end

-- A reference of our own: two runs, one with half as many steps as the other; their difference is what it can be trusted to.
local function own_reference(tools, model, steps, cleaners)
  local why
  for _, candidate in ipairs(reference.schemes(model, tools.catalogue)) do
    local good, unit, executable = pcall(make, tools, candidate.scheme, cleaners)
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

local function read_record(folder, run, code)
  local record = json.read(fs.read(folder .. "/" .. run.name .. ".json") or "")
  if code == 0 and record and record.status == "ok" then
    run.evaluations, run.cpu, run.steps = record.counts.evaluations, record.cpu_seconds, record.steps
    run.events = record.counts.events
  else
    run.failed = record and record.message or ("the integrator ended with code %d"):format(code)
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
  for _, column in ipairs(columns) do words[#words + 1], words[#words + 2] = "--of", column end
  if graph then words[#words + 1], words[#words + 2] = "--graph", graph end
  return fs.command(words) .. " >" .. run.name .. ".errors 2>&1"
end

-- Which rungs a slope is fitted to: those that ran, did not lose the solution and are above rounding and the reference.
local function fitted(rungs, label, norm, floor)
  local h, e = {}, {}
  for _, run in ipairs(rungs) do
    local errors = run.errors and run.errors[label]
    local x = errors and errors[norm]
    local lost = run.errors and run.errors.q and run.errors.q.sup > LOST * run.errors.q.size
    if x and x == x and x < math.huge and x > ROUNDING * errors.size and x > 4 * (floor[label] and floor[label][norm] or 0)
      and not (lost and errors.size > 0) then
      h[#h + 1], e[#e + 1] = run.h, x
    end
  end
  return fit.slope(h, e), #h
end

local function add_slopes(entry, labels, norms, floor)
  entry.fit, entry.fitted = {}, {}
  for _, label in ipairs(labels) do
    entry.fit[label], entry.fitted[label] = {}, {}
    for _, norm in ipairs(norms) do entry.fit[label][norm], entry.fitted[label][norm] = fitted(entry.rungs, label, norm, floor) end
  end
end

local function ticker(tools, what)
  return tools.tick and function(done, all) tools.tick(("%s %d of %d"):format(what, done, all)) end or nil
end

-- All runs of all schemes, long ones first.
local function run_all(tools, folder, queue, T, assignments)
  table.sort(queue, function(a, b) return a.h == b.h and a.number < b.number or a.h < b.h end)
  local commands = {}
  for i, run in ipairs(queue) do commands[i] = driver_command(run.executable, run, T, assignments) end
  for i, code in ipairs(jobs.run(folder, commands, ticker(tools, "run"))) do read_record(folder, queue[i], code) end
end

-- The reference files of every run that went well: exact values at its own times (shared by runs with the same times), or
-- the one reference.
local function write_references(tools, folder, queue, exact)
  local written, count = {}, 0
  for i, run in ipairs(queue) do
    if not run.failed then
      if exact then
        local result = assert(fs.read(folder .. "/" .. run.name .. ".csv"))
        local times = result:gsub(",[^\n]*", "")
        if not written[times] then
          count = count + 1
          written[times] = ("exact%d.csv"):format(count)
          assert(fs.write(folder .. "/" .. written[times], reference.at_times_of(exact, result)))
        end
        run.reference = written[times]
      else
        run.reference = "reference.csv"
      end
    end
    if tools.tick then tools.tick(("reference %d of %d"):format(i, #queue)) end
  end
end

local function compare_all(tools, folder, queue, columns, graph)
  local commands, compared = {}, {}
  for _, run in ipairs(queue) do
    if not run.failed and run.reference then
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

local function names_of(model)
  local q, v = {}, {}
  for i, c in ipairs(model.coordinates) do q[i], v[i] = c.name, c.name .. ".dot" end
  return q, v
end

local function orders(entry, unit, catalogue)
  local family = catalogue.family(unit.spec.family)
  entry.scheme, entry.order, entry.impacts, entry.rest = unit.scheme, unit.plan.order, family.impacts, family.rest
end

-- Comparison with the exact solution: columns, how far its events are from the grids, its curve.
local function against_exact(exact, spec, folder, result)
  result.reference, result.labels = "the exact solution", { "q" }
  result.columns = { "q=" .. table.concat(exact.positions, ",") }
  if #exact.velocities > 0 then
    result.labels[2], result.columns[2] = "v", "v=" .. table.concat(exact.velocities, ",")
  end
  result.events, result.distance = exact.events, 0.5
  for _, h in ipairs(result.steps) do
    local T = result.until_time
    result.distance = math.min(result.distance, ladder.distance(T / h, T, exact.events))
  end
  if spec.graphs then
    assert(fs.write(folder .. "/graph.csv", reference.graph(exact, result.until_time)))
    result.graph = "graph.csv"
  end
end

-- Comparison with a reference of our own; returns its two runs, the finer first.
local function against_own(tools, model, spec, result, why, cleaners)
  local own = own_reference(tools, model, result.steps, cleaners)
  local q, v = names_of(model)
  result.labels, result.columns = { "q", "v" }, { "q=" .. table.concat(q, ","), "v=" .. table.concat(v, ",") }
  result.reference = ("%s with h = %.4g, because %s"):format(own.scheme, own.runs[1].h, why)
  result.nested = ladder.nested(result.steps)
  result.graph = spec.graphs and "reference.csv" or nil
  return own
end

-- The body of study.measure, in a folder of its own.
local function measure(tools, spec, folder, cleaners)
  local model, assignments = tools.load()
  local T = spec.until_time or model.run.until_time
  if T <= 0 then refuse("--until %g is not positive", T) end
  local exact, why = reference.exact(model, assignments, T)
  local steps = steps_of(spec, model, T, exact)
  local result = { model = model.name, until_time = T, schemes = {}, steps = steps, assignments = assignments }
  local queue = {}
  local function enqueue(run, executable)
    run.executable, run.number = executable, #queue + 1
    run.name = run.name or ("run%d"):format(run.number)
    queue[#queue + 1] = run
    return run
  end
  for i, wanted in ipairs(spec.schemes) do
    if tools.tick then tools.tick(("compiling %d of %d"):format(i, #spec.schemes)) end
    local unit, executable = make(tools, wanted, cleaners)
    local entry = { rungs = {} }
    orders(entry, unit, tools.catalogue)
    for j, h in ipairs(steps) do entry.rungs[j] = enqueue({ h = h }, executable) end
    result.schemes[i] = entry
  end
  local own
  if exact then
    against_exact(exact, spec, folder, result)
  else
    own = against_own(tools, model, spec, result, why, cleaners)
    for _, run in ipairs(own.runs) do enqueue(run, own.executable) end
  end
  run_all(tools, folder, queue, T, assignments)
  for _, run in ipairs(own and own.runs or {}) do
    if run.failed then refuse("the reference run with %s failed: %s; take smaller steps", own.scheme, run.failed) end
  end
  write_references(tools, folder, queue, exact)
  compare_all(tools, folder, queue, result.columns, result.graph)
  result.trust = own and own.runs[2].errors
  for _, entry in ipairs(result.schemes) do add_slopes(entry, result.labels, study.norms, result.trust or {}) end
  return result
end

--- Runs a study. spec: schemes (list of texts); steps or counts (lists; a default ladder when both are missing);
--- until_time; graphs (true: also Hausdorff distances and dense L1). Returns
---   { model, until_time, reference (in words), steps, events, distance, trust, labels, assignments,
---     schemes = { { scheme, order, impacts, rest, rungs = { { h, steps, errors = { q = { l1, l2, sup, size, points, ... },
---     v = ... }, evaluations, cpu, events, failed } }, fit = { q = { l1 = slope } } } } }
function study.measure(tools, spec)
  local folder, why = fs.temporary_dir()
  if not folder then error({ environment = true, message = why }, 0) end
  local cleaners = {}
  local good, result = xpcall(measure, function(e)
    return type(e) == "table" and e or debug.traceback(tostring(e), 2)
  end, tools, spec, folder, cleaners)
  for _, clean in ipairs(cleaners) do clean() end
  fs.remove_tree(folder)
  if not good then error(result, 0) end
  return result
end

return study
