-- The flow, from a model file to C (see README.md for the picture). Each stage is a function from its input to its output;
-- files are read by the first (and the templates by the last), and written by nobody here.
--
--   load      model file            -> model       coordinates, parameters, terms, contacts, outputs      gen/lang
--   derive    model                 -> equations   M, h, gaps, G, bias                                    gen/mech
--   parse     scheme text           -> spec        family and keys                                        gen/scheme/catalogue
--   plan      spec, equations       -> step plan   operations on vectors                                  gen/scheme/*, gen/plan
--   build     equations, plan       -> operators   straight-line C or loops over tables                   gen/emit
--   files     operators, plan       -> C           the folder                                             templates/
local E = require "gen.expr.node"
local Plan = require "gen.plan.plan"
local bulk = require "gen.emit.bulk"
local catalogue = require "gen.scheme.catalogue"
local describe = require "gen.lang.core.describe"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval
local integrator = require "gen.emit.integrator"
local forms = require "gen.form"
local kernels = require "gen.mech.kernels"
local lang = require "gen.lang.core.load"
local looped = require "gen.emit.looped"
local prefix = require "gen.emit.prefix"
local print_c = require "gen.expr.print"
local sha256 = require "gen.util.sha256"
local sandbox = require "gen.lang.core.sandbox"
local small = require "gen.fem.small"
local stability = require "gen.scheme.stability"
local steps = require "gen.scheme.steps"
local support = require "gen.support"
local straight = require "gen.backend.straight"
local tables = require "gen.backend.tables"
local steps_text = require "gen.plan.text"
local unrolled = require "gen.emit.unrolled"
local version = require "gen.version"

local P = { root = "." }

-- at most this many rows of frictional contacts are condensed to a full matrix in looped form
local CONDENSED = 1000

local function read(name)
  local file = assert(io.open(P.root .. "/" .. name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

--- Reads and checks a model; options.set overrides constants.
function P.load(path, options)
  E.reset()
  options = options or {}
  return lang.load(path, { set = options.set, text = options.text, root = P.root, assemble = options.assemble })
end

--- Where a run with other values (name -> number) starts so that it fits, and by how much that is elsewhere; see lang/check.lua.
P.assembled = lang.assembled

P.catalogue = catalogue.list

local function dump_equations(eq)
  local lines = {}
  local function say(format, ...) lines[#lines + 1] = format:format(...) end
  local coordinates = {}
  for i, name in ipairs(eq.names) do coordinates[i] = { name = name } end
  for i = 1, eq.n do
    for j = 1, i do
      if eq.M[i][j] then say("M[%s][%s] = %s", coordinates[i].name, coordinates[j].name, print_c.text(eq.M[i][j])) end
    end
  end
  for i = 1, eq.n do say("h[%s] = %s", coordinates[i].name, print_c.text(eq.h[i])) end
  for _, row in ipairs(eq.rows) do
    say("%s %s: g = %s", row.kind, row.item.name, print_c.text(row.g))
    for _, i in ipairs(equations.columns(row.G, eq.n)) do say("  G[%s] = %s", coordinates[i].name, print_c.text(row.G[i])) end
    if row.gt ~= E.zero then say("  g_t = %s", print_c.text(row.gt)) end
    say("  gam = %s", print_c.text(row.bias))
  end
  return table.concat(lines, "\n") .. "\n"
end

-- A scheme that cannot do friction refuses a model that has some. Where all of it is 0 at the default parameters the model
-- is generated without, and init refuses other values: never a silent change of the law. Returns the coefficients dropped.
local function drop_friction(model, why_not)
  local env, dropped = {}, {}
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, c in ipairs(model.contacts) do
    c.frictional = c.friction and not why_not
    if c.friction and why_not then
      if eval(E.lift(c.friction), env) > 0 then
        error({ carom = true, file = c.file, line = c.line, message = ("contact '%s' has friction: %s"):format(c.name, why_not) }, 0)
      end
      dropped[#dropped + 1] = E.lift(c.friction)
    end
  end
  return dropped
end

-- Scales for event capturing where the user gave none, from the initial state at the default parameters: speed of the gaps
-- after falling through them, time of that fall, size of the gaps, force that stops it. Without contacts, of the coordinates.
local function capture_scales(unit)
  local model, eq, spec = unit.model, unit.eq, unit.spec
  local env = { [model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = u.value or 0.0 end
  for _, f in ipairs(model.felt or {}) do env[f.sym] = 0.0 end
  for _, block in ipairs(eq.symbols.blocks) do
    for k, q in ipairs(block.q) do env[q] = eval(E.lift(block.start[k]), env) end
    for k, v in ipairs(block.v) do env[v] = eval(E.lift(block.speed[k]), env) end
  end
  local memo = {}
  local accelerations = equations.solve(equations.factor(eq), eq.n, eq.h)
  local length, speed, fall, mass = 0.0, 0.0, 0.0, 0.0
  local rows = table.move(eq.rows, eq.constraints + 1, eq.gaps, 1, {})
  for i = 1, #rows == 0 and #model.coordinates or 0 do
    rows[i] = { g = model.coordinates[i].q, gt = E.zero, bias = E.zero, G = { [i] = E.one } }
  end
  for _, row in ipairs(rows) do
    local a, u, w = eval(row.bias, env, memo), eval(row.gt, env, memo), 0.0
    local y = equations.solve(equations.factor(eq), eq.n, row.G)
    for _, i in ipairs(equations.columns(row.G, eq.n)) do
      local g = eval(row.G[i], env, memo)
      a, u, w = a + g * eval(accelerations[i], env, memo), u + g * env[eq.v[i]], w + g * eval(y[i], env, memo)
    end
    local gap = math.abs(eval(row.g, env, memo))
    length, fall, mass = math.max(length, gap), math.max(fall, math.abs(a)), math.max(mass, w > 0 and 1 / w or 0)
    speed = math.max(speed, math.abs(u), math.sqrt(2 * math.abs(a) * gap))
  end
  local function round(x) return tonumber(("%.1g"):format(x)) end
  spec.length = spec.length or round(length > 0 and length or 1)
  spec.speed = spec.speed or round(speed > 0 and speed or 1)
  spec.time = spec.time or round(fall > 0 and spec.speed / fall or 1)
  spec.force = spec.force or round(fall > 0 and mass > 0 and fall * mass or 1)
end

local Unit = {}
Unit.__index = Unit

--- The scheme as a plan of seventeen operations (gen/plan/operations.lua). The emitters still execute `plan`; an interpreter in the
--- tests holds the two against each other.
function Unit:steps()
  if not self.eq then error({ carom = true, message = "a pile has no plan in seventeen operations yet; write --dump plan" }, 0) end
  local features = { contacts = #self.model.contacts, joints = self.eq.constraints > 0, dimension = self.eq.dimension }
  for _, key in ipairs { "constant_mass", "affine_gaps", "time_only", "linear" } do features[key] = self.features[key] end
  features.symmetric = self.form == "looped" -- its contact problems are
  return steps.plan(self.spec, features)
end

--- The text of a stage: model, equations, plan, steps or c.
function Unit:dump(stage)
  if stage == "equations" and not self.eq then return "a pile: free bodies, contacts found at run time; no equations are derived\n" end
  if stage == "equations" then
    if not self.kernels then return dump_equations(self.eq) end
    local cells = {}
    for i, body in ipairs(self.model.elements and self.model.elements.bodies or {}) do
      cells[i] = ("mesh %s: %d cells %s, energy per volume %s\n"):format(body.mesh.name, #body.made.cells, body.mesh.cell,
        print_c.text(body.material.energy))
    end
    return table.concat(cells) .. kernels.text(self.kernels)
  end
  if stage == "plan" then return self.plan:dump() end
  if stage == "steps" then return steps_text(self:steps()) end
  if stage == "c" then
    for _, file in ipairs(self.files) do if file.name == self.name .. ".c" then return file.text end end
  end
  if stage == "model" then return describe(self.model) end
  error({ carom = true, message = ("there is no stage '%s'; write model, equations, plan, steps or c"):format(stage) }, 0)
end

--- Operations of the mass matrix and the forces, unrolled models only.
function Unit:dynamics() return equations.operations(self.eq) end

-- what `carom check` says without running
local function summary(unit)
  local eq, model = unit.eq, unit.model
  local nonzero_M, nonzero_G = 0, 0
  if unit.form == "looped" then
    nonzero_M, nonzero_G = 2 * unit.operators.na - eq.n, unit.operators.ng
  else
    for i = 1, eq.n do for j = 1, i do if eq.M[i][j] then nonzero_M = nonzero_M + (i == j and 1 or 2) end end end
    for _, row in ipairs(eq.rows) do nonzero_G = nonzero_G + #equations.columns(row.G, eq.n) end
  end
  local f = unit.features
  local lines = {
    { "model", ("%s: %d coordinates, %d contacts, %d constraints, %d parameters, %d inputs, %d outputs"):format(model.name, eq.n,
      #model.contacts, #model.constraints, #model.parameters, #model.inputs, #model.outputs) },
    { "scheme", ("%s, order %d in smooth motion"):format(unit.spec.canonical, unit.plan.order) },
    { "form", unit.form == "looped" and ("loops over tables, %d kernels"):format(unit.operators.kernels) or "unrolled" },
    { "mass matrix", ("%d of %d entries, %s"):format(nonzero_M, eq.n * eq.n, f.constant_mass and "constant" or "depends on q") },
    { "contact Jacobian", ("%d of %d entries, gaps %s"):format(nonzero_G, eq.n * #eq.rows, f.affine_gaps and "affine" or "curved") },
    { "operations", ("%d per evaluation of the model"):format(unit.operators.total_operations or 0) },
    { "C text", ("%d lines in %d files"):format(unit.lines, #unit.files) },
  }
  if unit.spec.family == "capture" then
    table.insert(lines, 3, { "scales", ("length %g, speed %g, time %g, force %g"):format(unit.spec.length, unit.spec.speed,
      unit.spec.time, unit.spec.force) })
  end
  for _, w in ipairs(model.notes or {}) do lines[#lines + 1] = { "note", w } end
  for _, w in ipairs(model.warnings or {}) do lines[#lines + 1] = { "warning", w } end
  local step = stability.warning(unit, model.run and model.run.step)
  if step then lines[#lines + 1] = { "warning", step } end
  local t = {}
  for i, line in ipairs(lines) do t[i] = { label = line[1], text = line[2] } end
  return t
end

local function digest(unit)
  return sha256(unit.model.name .. "\n" .. (unit.model.text or "") .. "\n" .. unit.spec.canonical .. "\n" .. version)
end

-- A look at the files of a unit.
local function count_lines(unit)
  prefix.check_files(unit.name, unit.model, unit.files)
  unit.lines = 0
  for _, file in ipairs(unit.files) do unit.lines = unit.lines + select(2, file.text:gsub("\n", "")) end
end

--- A finite-element model for the runtime of large systems. options: scheme, prefix.
function P.compile_large(model, options)
  return sandbox.bounded(model, require("gen.large").compile, model, options or {}, { read = read, version = version })
end

-- A pile: bodies and shapes in tables, contacts found at run time. Nothing is derived, the scheme is one.
local function compile_bulk(model, spec, options)
  local unfit = support.unfit("pile", spec)
  if unfit then
    error({ carom = true, file = model.among.file, line = model.among.line,
      message = ("scheme '%s': %s"):format(spec.canonical, unfit) }, 0)
  end
  catalogue.complete_bulk(spec, #model.among.shapes)
  prefix.check(options.prefix or model.name, model, "bulk", read)
  local unit = setmetatable({ model = model, form = "bulk", name = options.prefix or model.name, version = version, read = read,
    spec = spec, scheme = spec.canonical, plan = Plan.new(spec.canonical) }, Unit)
  require(spec.plan)(unit.plan, spec, { constant_mass = true, time_only = false })
  unit.digest = digest(unit)
  local made
  unit.files, unit.sources, made = bulk.files(unit)
  count_lines(unit)
  unit.summary = {
    { label = "model", text = ("%s: %d free bodies, %d shapes, %d parameters, %d inputs, %d outputs"):format(model.name, made.NB, made.NS,
      #model.parameters, #model.inputs, #bulk.outputs(model)) },
    { label = "scheme", text = ("%s, order %d in smooth motion"):format(unit.spec.canonical, unit.plan.order) },
    { label = "form", text = ("bulk: contacts found at run time, at most %d points; %d kinds of bodies, %d kinds of shapes"):format(
      model.among.maximum, made.NM, made.NF) },
    { label = "C text", text = ("%d lines in %d files"):format(unit.lines, #unit.files) },
  }
  for _, w in ipairs(model.warnings or {}) do table.insert(unit.summary, { label = "warning", text = w }) end
  return unit
end

--- Is a mesh small enough to run like any other model?
P.fits_small = small.fits

local function compile(model, options)
  local spec = catalogue.parse(options.scheme or model.run.scheme or (model.among and "moreau-jean:theta=1,gamma=1" or "D-:M=1"))
  if model.among then return compile_bulk(model, spec, options) end
  if #(model.meshes or {}) > 0 then model = small.lower(model, catalogue.complete_mesh(spec).lumped == "on") end
  prefix.check(options.prefix or model.name, model, "small", read)
  local form = forms.choose(model, spec, options.form)
  local unit = setmetatable({ model = model, form = form, name = options.prefix or model.name, version = version, read = read }, Unit)
  local way = model.elements and "mesh" or form == "looped" and "tables" or "straight"
  unit.frictionless = drop_friction(model, support.friction(way, spec))
  local eq, alike
  if form == "looped" then
    eq = equations.outline(model)
    alike = kernels.find(model, eq.symbols)
    unit.features, unit.kernels = kernels.features(alike, eq.n > eq.simple), alike
    if model.elements then
      local f = unit.features
      f.linear = f.linear and f.force == "time"
      for _, body in ipairs(model.elements.bodies) do f.linear = f.linear and body.material.linear end
      f.force, f.time_only = "state", false
      if not spec.canonical:find("tg=", 1, true) then spec.tg = 1e-9 * model.run.step end -- as small as rounding, as on PETSc
    end
  else
    eq = equations.derive(model)
    unit.features = equations.features(eq)
  end
  if form == "looped" and eq.dimension > 1 and #model.contacts * eq.dimension > CONDENSED then
    error({ carom = true, file = model.file, line = model.line, message = ("%d contacts with friction are too many for this form, whose "
      .. "contact problem is a full matrix of at most %d rows; %s"):format(#model.contacts, CONDENSED,
        model.elements and "write --path petsc" or "use fewer") }, 0)
  end
  catalogue.complete(spec, eq, form)
  local unfit = support.solver(way, spec, #model.contacts, eq.dimension) or support.not_in_force(spec, way)
  if unfit then error({ carom = true, message = ("scheme '%s': %s"):format(spec.canonical, unfit) }, 0) end
  unit.eq, unit.spec, unit.scheme = eq, spec, spec.canonical
  if spec.family == "capture" then capture_scales(unit) end
  unit.features.contacts = #model.contacts > 0
  unit.by_plan = options.by_plan and spec.family ~= "capture"
  if unit.by_plan then
    unit.plan = form == "looped" and tables.outline(unit:steps(), unit.features) or straight.outline(unit:steps())
  else
    unit.plan = Plan.new(spec.canonical)
    require(spec.plan)(unit.plan, spec, unit.features)
  end
  unit.operators = alike and looped.build(eq, alike, unit.plan.needs, unit.name) or unrolled.build(eq, unit.plan.needs, unit.name)
  unit.digest = digest(unit)
  unit.files, unit.sources = integrator.files(unit)
  count_lines(unit)
  unit.summary = summary(unit)
  return unit
end

--- From a model and a scheme to the C folder. options: scheme, form ("unrolled"|"looped"), prefix; by_plan: the step is written from the
--- plan of seventeen operations (gen/backend), as all will be; tests hold it against what users get today. Models with contacts_among
--- have a form of their own, "bulk".
function P.compile(model, options)
  options = options or {}
  local results = table.pack(pcall(sandbox.bounded, model, compile, model, options))
  if results[1] then return table.unpack(results, 2, results.n) end
  local e = results[2]
  if type(e) == "table" and e.carom and not e.file and not options.scheme and model.run_at then -- the scheme came from m:run
    e.file, e.line = model.run_at.file, model.run_at.line
  end
  error(e, 0)
end

return P
