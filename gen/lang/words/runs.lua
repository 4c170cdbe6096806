-- The words for running: run, exact, and model itself.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local names = require "gen.lang.core.names"
local word = require "gen.lang.core.word"

local R = {}

R.model = word { "model", group = "The model", "carom.model(name)",
  summary = "Starts a model. A file declares one model and returns it in its last line.",
  gives = "the model, `m` below",
  arguments = { { "name", "name", "The prefix of all emitted C names and the name of the output folder.",
    required = true } },
  example = [[
-- the three lines every model file has:
--   local carom = require "carom"
--   local m = carom.model "example"
--   return m]] }

local run = word { "run", group = "Running", "m:run { until_time = ..., step = ..., scheme = ... }",
  summary = "What `carom run` does when nothing is said on the command line.",
  options = {
    { "until_time", "number", "End of the run in s.", default = "10", value = 10.0 },
    { "step", "number", "Step in s. Smaller is more accurate and slower; the scheme says how.",
      default = "until_time/10000" },
    { "cfl", "number", [[Instead of step, for meshes: the step is this number times the time in which the fastest wave of
      the material crosses a cell, whose edge is that of a cube (square) of the cells' mean volume (area), of triangles and tetrahedra as
      well; the shortest such step over the bodies. `check`, the small path and PETSc take the same.]], default = "none" },
    { "frames", "number", "For meshes: pictures (VTU files) of a run.", default = "0" },
    { "scheme", "text", "A scheme as `carom schemes` lists them.", default = '"D-:M=1"', value = "D-:M=1" },
    { "assemble", "flag", [[true: initial positions that break constraints or penetrate contacts, and velocities that break
      constraints, are projected once (the shortest way in the metric of the mass matrix), and it is told by how much. Defects
      below 1e-5 of the model's size are projected anyway, with a warning.]], default = "false" } },
  example = [[
m:run { until_time = 2, step = 1e-3, scheme = "D-:M=1" }]] }

--- Fills in what `run` does not say, as its table promises.
function R.complete(given)
  for _, spec in ipairs(run.options) do
    if given[spec.name] == nil then given[spec.name] = spec.value end
  end
  given.step = given.step or not given.cfl and given.until_time / 10000 or nil
  return given
end

function run.means(model, state, given, where)
  if given.n > 1 then fail(where, "run takes one table; write %s", run.form) end
  if state.run_line then fail(where, "run is already given in line %d; keep one of the two", state.run_line) end
  local o = accept.options(run, given[1], "run", where)
  state.run_line, model.run_at = where.line, where
  for _, name in ipairs { "until_time", "step", "cfl" } do
    if o[name] and o[name] <= 0 then fail(where, "%s of run is %g; write a positive number", name, o[name]) end
  end
  if o.step and o.cfl then fail(where, "run has both step and cfl; keep one of the two") end
  if o.frames and (math.tointeger(o.frames) or -1) < 0 then
    fail(where, "frames of run is %g; write a whole number from 0 on", o.frames)
  end
  R.complete(o)
  if o.step and o.step > o.until_time then
    fail(where, "the step %g is longer than the run until %g; write a smaller step", o.step, o.until_time)
  end
  model.run = o
end

function run.check(model)
  if model.run.cfl and #model.meshes == 0 then fail(model, "cfl of run is for models with a mesh; write step = ...") end
  if (model.run.frames or 0) > 0 and #model.meshes == 0 then
    fail(model.run_at, "frames of run is for models with a mesh, whose pictures they are; leave it out")
  end
end

local exact = word { "exact", group = "Running", 'm:exact(function(t, p) return { q = ..., ["q.dot"] = ... } end, events)',
  summary = "A known solution, for convergence studies.",
  arguments = { { "solution", "function", [[Gets the time and a table of parameter values by name, plain numbers both;
    gives a table of coordinates and velocities by name. Some may be missing. At an impact it gives the velocities
    after it.]], required = true },
    { "events", "function", [[Gets the table of parameter values and the end of the run; gives the list of times at
      which velocities jump or forces change, in ascending order: `carom study` keeps them off its grids.]],
      default = "none" } },
  example = [[
m:exact(function(t) return { x = 1, ["x.dot"] = 0 * t } end)]] }

function exact.means(model, _, given, where)
  local a = accept.arguments(exact, given, where)
  if model.exact then fail(where, "exact is already given; keep one of the two") end
  model.exact, model.events, model.exact_at = a.solution, a.events, where
end

-- parameters and constants by name, those given before those declared
local function values(m, given)
  local p = {}
  for _, e in ipairs(m.parameters) do p[e.name] = given and given[e.name] or e.value end
  for _, e in ipairs(m.constants) do p[e.name] = e.value end
  return p
end

-- The known events, callable from outside in the same way.
local function guarded_events(m, guard)
  local events, where = m.events, m.exact_at
  return function(until_time, parameters)
    local list = guard:call(events, values(m, parameters), until_time)
    if type(list) ~= "table" or getmetatable(list) ~= nil then
      fail(where, "events of exact must give a list of times; write return { t1, t2 }")
    end
    for i, t in ipairs(list) do
      if type(t) ~= "number" or t ~= t or (i > 1 and t < list[i - 1]) then
        fail(where, "entry %d of the events of exact is no number, or less than the one before; give times in ascending order", i)
      end
    end
    return list
  end
end

-- The known solution, callable from outside with numbers: still under guard, its answer checked.
local function guarded_exact(m, guard)
  local solution, where = m.exact, m.exact_at
  local known = {}
  for _, c in ipairs(m.coordinates) do
    known[#known + 1] = c.name
    known[#known + 1] = c.name .. ".dot"
  end
  for _, r in ipairs(m.rotations) do
    for _, s in ipairs(r.q) do known[#known + 1] = s.name end
    for _, s in ipairs(r.v) do known[#known + 1] = s.name end
  end
  local is_known = {}
  for _, name in ipairs(known) do is_known[name] = true end
  return function(t, parameters)
    local answer = guard:call(solution, t, values(m, parameters))
    if type(answer) ~= "table" or getmetatable(answer) ~= nil then
      fail(where, "exact must give a table; write return { q = ..., [\"q.dot\"] = ... }")
    end
    local keys = {}
    for key in next, answer do keys[#keys + 1] = tostring(key) end
    table.sort(keys)
    for _, key in ipairs(keys) do
      local x = answer[key]
      if not is_known[key] then fail(where, "exact gives '%s'; %s", key, names.suggest(key, known, "the names are")) end
      if type(x) ~= "number" or x ~= x then
        fail(where, "exact gives %s for '%s' at t = %g; give a number (parameters come as the second argument)",
          type(x) == "number" and "NaN" or type(x) == "table" and "an expression" or "a " .. type(x), key, t)
      end
    end
    return answer
  end
end

--- Makes the known solution and its events callable from outside with numbers, and tries both.
function R.guard_exact(m, guard)
  if not m.exact then return end
  m.exact = guarded_exact(m, guard)
  m.exact(0)
  if m.events then
    m.events = guarded_events(m, guard)
    m.events(m.run.until_time)
  end
  m.exact_at = nil
end

R.words = { run, exact }
return R
