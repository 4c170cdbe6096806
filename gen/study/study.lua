-- A study: schemes times steps on one model, each run compared with a reference. Compilers and programs come in from
-- outside as `tools`:
--   load()                    the model, and the assignments (--set) for its runs
--   compile(model, scheme)    the unit of gen/pipeline
--   executable(unit)          path of the compiled integrator, and (third) a function that removes what is not kept
--   compare                   path of the program that measures errors
--   catalogue                 gen/scheme/catalogue
--   tick(text)                progress; may be absent

local fit = require "gen.study.fit"
local fs = require "gen.util.fs"
local ladder = require "gen.study.ladder"
local phase = require "gen.study.phase"
local reference = require "gen.study.reference"
local runs = require "gen.study.runs"

local study = {}

study.norms = { "l1", "l2", "sup", "hausdorff", "dense" }

-- The default ladder begins at the model's own number of steps /32. Through impacts errors are erratic in h, since the
-- offset of an impact in its step is: a slope needs many rungs, which are cheap where the solution is known.
local FIRST_PART, RUNGS, RUNGS_OWN = 32, 9, 7
local ROUNDING = 3e-13 -- of the size of the solution: below it errors are not fitted
local LOST = 0.3       -- of the size of the solution: above it a run has lost the solution

local function refuse(format, ...)
  error({ usage = true, message = format:format(...) }, 0)
end

-- The steps of a study, the longest first: as asked, or the default ladder.
local function steps_of(spec, model, T, exact)
  local steps = spec.steps
  if not steps then
    local own = math.ceil(T / model.run.step - 1e-9)
    local wanted = spec.ladder or { first = math.max(5, own // FIRST_PART), rungs = exact and RUNGS or RUNGS_OWN }
    local counts = spec.counts or ladder.counts(wanted.first, wanted.rungs, T, exact and exact.events or {}, not exact)
    steps = ladder.steps(counts, T)
  end
  steps = table.move(steps, 1, #steps, 1, {})
  table.sort(steps, function(a, b) return a > b end)
  return steps
end

-- Which rungs a slope is fitted to: those that ran, did not lose the solution and are above rounding and the reference.
local function fitted(rungs, label, norm, floor)
  local x, e = {}, {}
  for _, run in ipairs(rungs) do
    local errors = run.errors and run.errors[label]
    local q, error_here = run.errors and run.errors.q, errors and errors[norm]
    local lost = q and q.size > 0 and q.sup > LOST * q.size
    if error_here and error_here == error_here and error_here < math.huge and not lost
      and error_here > ROUNDING * math.max(errors.size, q and q.size or 0)
      and error_here > 4 * (floor[label] and floor[label][norm] or 0) then
      x[#x + 1], e[#e + 1] = run.tolerance or run.h, error_here
    end
  end
  return fit.slope(x, e), #x
end

local function add_slopes(entry, columns, floor)
  entry.fit, entry.fitted = {}, {}
  for _, column in ipairs(columns) do
    local slopes, counts = {}, {}
    for _, norm in ipairs(study.norms) do slopes[norm], counts[norm] = fitted(entry.rungs, column.label, norm, floor) end
    entry.fit[column.label], entry.fitted[column.label] = slopes, counts
  end
end

-- Comparison with the exact solution: columns, how far its events are from the grids, its curve.
local function against_exact(exact, spec, folder, result)
  local T = result.until_time
  if spec.more then exact = reference.with(exact, spec.more) end
  result.reference, result.columns = "the exact solution", reference.columns(exact)
  result.events, result.distance = exact.events, 0.5
  for _, h in ipairs(result.steps) do
    result.distance = math.min(result.distance, ladder.distance(T / h, T, exact.events))
  end
  if spec.graphs then
    fs.need(fs.write(folder .. "/graph.csv", reference.graph(exact, T)))
    result.graph = "graph.csv"
  end
  return exact
end

-- Comparison with a reference of our own; returns its two runs, the finer first.
local function against_own(tools, model, spec, result, why, cleaners)
  local own = runs.own_reference(tools, model, result.steps, cleaners)
  local q, v = {}, {}
  for i, c in ipairs(model.coordinates) do q[i], v[i] = c.name, c.name .. ".dot" end
  result.columns = { { label = "q", names = q }, { label = "v", names = v } }
  result.reference = ("%s with h = %.4g, because %s"):format(own.scheme, own.runs[1].h, why)
  result.nested = ladder.nested(result.steps)
  result.graph = spec.graphs and "reference.csv" or nil
  return own
end

-- One scheme: a rung for every step; with adaptive=on and tolerances, a rung for every tolerance on the coarsest grid.
local function add_scheme(tools, wanted, spec, result, enqueue, cleaners)
  local entry = { rungs = {}, label = wanted }
  local adaptive = spec.tolerances and wanted:find("adaptive%s*=%s*on")
  local function describe(unit)
    entry.scheme, entry.order, entry.declared = unit.scheme, unit.plan.order, tools.catalogue.orders(unit.spec, unit.plan.order)
    entry.impacts = tools.catalogue.family(unit.spec.family).impacts
  end
  if adaptive then
    for i, tolerance in ipairs(spec.tolerances) do
      local scheme = ("%s,rtol=%g,atol=%g"):format(wanted, tolerance, tolerance / 1000)
      local unit, executable = runs.make(tools, scheme, cleaners)
      describe(unit)
      entry.rungs[i] = enqueue({ h = result.steps[1], tolerance = tolerance }, executable)
    end
    entry.scheme, entry.tolerances = wanted, true
  else
    local unit, executable = runs.make(tools, wanted, cleaners)
    describe(unit)
    for i, h in ipairs(result.steps) do entry.rungs[i] = enqueue({ h = h }, executable) end
  end
  result.schemes[#result.schemes + 1] = entry
end

-- The body of study.measure, in a folder of its own.
local function measure(tools, spec, folder, cleaners)
  local model, assignments = tools.load()
  if model.among then
    refuse("%s is a pile (contacts_among), whose results hold no coordinates to compare; run it with several --step", model.name)
  end
  local T = spec.until_time or model.run.until_time
  if T <= 0 then refuse("--until %g is not positive", T) end
  local exact, why = reference.exact(model, assignments, T)
  local result = { model = model.name, until_time = T, schemes = {}, wanted = spec.schemes, steps = steps_of(spec, model, T, exact),
    assignments = assignments }
  local queue = {}
  local function enqueue(run, executable)
    run.executable, run.number = executable, #queue + 1
    run.name = run.name or ("run%d"):format(run.number)
    queue[#queue + 1] = run
    return run
  end
  for i, wanted in ipairs(spec.schemes) do
    if tools.tick then tools.tick(("compiling %d of %d"):format(i, #spec.schemes)) end
    add_scheme(tools, wanted, spec, result, enqueue, cleaners)
  end
  local own
  if exact then
    exact = against_exact(exact, spec, folder, result)
  else
    own = against_own(tools, model, spec, result, why, cleaners)
    for _, run in ipairs(own.runs) do enqueue(run, own.executable) end
  end
  runs.all(tools, folder, queue, T, assignments)
  for _, run in ipairs(own and own.runs or {}) do
    if run.failed then refuse("the reference run with %s failed: %s; take smaller steps", own.scheme, run.failed) end
  end
  runs.references(tools, folder, queue, exact)
  runs.compare(tools, folder, queue, result.columns, result.graph)
  result.trust = own and own.runs[2].errors
  for _, entry in ipairs(result.schemes) do result.phase = result.phase or phase.of(model, folder, entry.rungs) end
  for _, entry in ipairs(result.schemes) do add_slopes(entry, result.columns, result.trust or {}) end
  return result
end

--- Runs a study. spec: schemes (list of texts); steps or counts (lists) or ladder = { first =, rungs = } (numbers of steps
--- kept away from events; a default when all are missing); until_time; tolerances (list, for schemes with adaptive=on);
--- graphs (true: also Hausdorff distances and dense L1);
--- more = { label =, name =, value = function(t, x) } (another column of the results and its exact value). Returns
---   { model, until_time, reference (in words), steps, events, distance, trust, columns, assignments,
---     phase (gen/study/phase.lua),
---     schemes = { { scheme, label (as asked for), order, impacts, declared = { smooth, contact, impacts }, fit = { q = { l1 = slope } },
---       rungs = { { h, steps, errors = { q = { l1, l2, sup, size, points, ... }, v = ... }, evaluations, cpu, events, failed } } } } }
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
