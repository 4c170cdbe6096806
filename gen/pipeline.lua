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
local Unit = require "gen.unit"
local catalogue = require "gen.scheme.catalogue"
local equations = require "gen.mech.equations"
local forms = require "gen.form"
local found = require "gen.emit.found"
local friction = require "gen.mech.friction"
local integrator = require "gen.emit.integrator"
local kernels = require "gen.mech.kernels"
local lang = require "gen.lang.core.load"
local laws = require "gen.mech.laws"
local looped = require "gen.emit.looped"
local pieces = require "gen.mech.pieces"
local prefix = require "gen.emit.prefix"
local sandbox = require "gen.lang.core.sandbox"
local scales = require "gen.mech.scales"
local single = require "gen.emit.single"
local single_keys = require "gen.scheme.single"
local sha256 = require "gen.util.sha256"
local small = require "gen.fem.small"
local support = require "gen.support"
local straight = require "gen.backend.straight"
local tables = require "gen.backend.tables"
local switches = require "gen.mech.switches"
local unrolled = require "gen.emit.unrolled"
local version = require "gen.version"

local P = { root = "." }

local function read(name)
  local file = assert(io.open(P.root .. "/" .. name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

--- Reads and checks a model; options.set overrides constants, options.burn makes parameters such.
function P.load(path, options)
  E.reset()
  options = options or {}
  return lang.load(path, { set = options.set, burn = options.burn, text = options.text, root = P.root, assemble = options.assemble })
end

--- Where a run with other values (name -> number) starts so that it fits, and by how much that is elsewhere; see lang/check.lua.
P.assembled = lang.assembled

--- Where a model starts, and on which parameters that depends; see lang/check.lua.
P.start = lang.start

P.catalogue = catalogue.list

-- What a unit is made from, for the head of its files and for saved states: constants are burnt in, --form changes the state.
local function digest(unit)
  local parts = { unit.model.name, unit.model.text or "", unit.spec.canonical, version, unit.form }
  if unit.real == "float" then parts[#parts + 1] = "float" end
  for _, c in ipairs(unit.model.constants or {}) do parts[#parts + 1] = ("%s=%.17g"):format(c.name, c.value) end
  for _, p in ipairs(unit.model.burnt or {}) do parts[#parts + 1] = ("%s=%.17g"):format(p.name, p.value) end
  return sha256(table.concat(parts, "\n"))
end

-- A look at the files of a unit.
local function count_lines(unit)
  prefix.check_files(unit.name, unit.model, unit.files)
  unit.lines = 0
  for _, file in ipairs(unit.files) do unit.lines = unit.lines + select(2, file.text:gsub("\n", "")) end
end

--- A finite-element model for the runtime of large systems. options: scheme, prefix.
function P.compile_large(model, options)
  return sandbox.bounded(model, require("gen.large").compile, model, options or {}, { read = read, version = version, digest = digest })
end

-- A pile alone: the outputs that every pile has.
local function telling(model)
  local copy = {}
  for key, x in next, model do copy[key] = x end -- order does not matter
  copy.outputs = found.outputs(model.outputs)
  return copy
end

--- Is a mesh small enough to run like any other model?
function P.fits_small(model) return small.fits(model, support.sizes.mesh) end

-- A small mesh as an ordinary model.
local function lowered(model, spec)
  support.take("mesh", model)
  local limits, most = support.sizes.mesh, {}
  for d, n in ipairs(limits.coordinates) do most[d] = limits.refused * n end
  return small.lower(model, catalogue.complete_mesh(spec).lumped == "on", most)
end

local function compile(model, options)
  local spec = catalogue.parse(options.scheme or model.run.scheme or (model.among and "moreau-jean:theta=1,gamma=1" or "D-:M=1"))
  if #(model.meshes or {}) > 0 then model = lowered(model, spec) end
  if options.real == "float" then
    support.take("single", model)
    local why = support.scheme("single", spec)
    if why then error({ carom = true, message = ("scheme '%s': %s"):format(spec.canonical, why) }, 0) end
  end
  local pile = support.is_pile(model)
  if pile then model = telling(model) end
  local form = forms.choose(model, spec, options.form)
  local unit = setmetatable({ model = model, form = form, name = options.prefix or model.name, version = version, read = read,
    real = options.real or "double", with = options.with or {}, pile = pile, lanes = support.batch }, Unit)
  local way = model.elements and "mesh" or model.among and "pile" or form == "looped" and "tables" or "straight"
  support.take(way, model)
  support.obey(way, spec, model)
  if model.among and way ~= "pile" then support.obey("pile", spec, model) end
  unit.frictionless = friction(model, support.friction(way, spec))
  local eq, alike
  if form == "looped" then
    eq = equations.outline(model)
    if model.among then eq.dimension = 3 end
    alike = kernels.find(model, eq.symbols)
    unit.features, unit.kernels = kernels.features(alike, eq.n > eq.simple), alike
    if model.elements then
      local f = unit.features
      for _, body in ipairs(model.elements.bodies) do f.linear = f.linear and body.material.linear end
      f.force, f.time_only, f.steady = "state", false, false
      if not spec.given.tg then spec.tg = 1e-9 * model.run.step end -- as small as rounding, as on PETSc
    end
    if model.among then
      local f = unit.features
      f.affine_gaps, f.constant_rows, f.linear, f.time_only, f.steady = false, false, false, false, false
    end
  else
    eq = equations.derive(model)
    unit.features = equations.features(eq)
  end
  if laws.adheres(model) then -- forces that matrices do not know
    local f = unit.features
    f.force, f.linear, f.affine, f.time_only, f.steady = "state", false, false, false, false
  end
  catalogue.complete(spec, eq, form)
  if model.among then catalogue.complete_found(spec, #model.among.shapes, pile) end
  if options.real == "float" then single_keys(spec) end
  local unfit = support.solver(way, spec, #model.contacts, eq.dimension) or support.not_in_force(spec, way)
  if unfit then error({ carom = true, message = ("scheme '%s': %s"):format(spec.canonical, unfit) }, 0) end
  unit.eq, unit.spec, unit.scheme = eq, spec, spec.canonical
  if spec.family == "capture" then
    spec.length, spec.speed, spec.time, spec.force = scales(model, eq, spec, alike)
  end
  if form ~= "looped" and (spec.family == "capture" or spec.adaptive == "on") then switches.find(eq, spec.family == "capture") end
  local switch = form == "looped" and spec.family == "capture" and switches.first(pieces.split(model))
  if switch then
    unit.warning = ("%s:%d: a force switches here; loops over tables do not locate that, and capture is of order 1 across it: write "
      .. "--form unrolled where the model is small enough"):format(switch.file or model.file, switch.line or 0)
  end
  unit.features.contacts = #model.contacts > 0 or model.among ~= nil
  unit.plan = form == "looped" and tables.outline(unit:steps(), unit.features) or straight.outline(unit:steps())
  unit.operators = alike and looped.build(eq, alike, unit.plan.needs, unit.name) or unrolled.build(eq, unit.plan.needs, unit.name)
  unit.digest = digest(unit)
  unit.files, unit.sources = integrator.files(unit)
  if unit.real == "float" then unit.files = single.files(unit) end
  count_lines(unit)
  return unit
end

-- With a name that the C uses for something of its own: is it in the C of this model? It is made with another one and looked at.
local function named(model, options)
  local name = options.prefix or model.name
  prefix.reserved(name, model)
  local unit = compile(model, options)
  if prefix.meets(name, unit.files) then
    local others = {}
    for key, x in next, options do others[key] = x end
    others.prefix = prefix.other(name)
    prefix.look(name, model, compile(model, others).files)
  end
  return unit
end

--- From a model and a scheme to the C folder. options: scheme, form ("unrolled"|"looped"), prefix, real ("double"|"float").
function P.compile(model, options)
  options = options or {}
  local results = table.pack(pcall(sandbox.bounded, model, named, model, options))
  if results[1] then return table.unpack(results, 2, results.n) end
  local e = results[2]
  if type(e) == "table" and e.internal and e.message:find("not a number (NaN) in an expression", 1, true) then -- that nobody wrote
    e = { carom = true, file = model.file, line = 1, message = "numbers of this model are so large that their products are no numbers; "
      .. "write masses, lengths and forces in units that fit" }
  end
  if type(e) == "table" and e.carom and not e.file and not options.scheme and model.run_at then -- the scheme came from m:run
    e.file, e.line = model.run_at.file, model.run_at.line
  end
  error(e, 0)
end

return P
