-- From a finite-element model and a scheme to the C of a program for the runtime of large systems: the unit that
-- gen/pipeline.lua hands on, with what `carom check` can say about it.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local beside = require "gen.fem.beside"
local catalogue = require "gen.scheme.catalogue"
local describe = require "gen.lang.core.describe"
local distance = require "gen.fem.distance"
local emit = require "gen.emit.large"
local equations = require "gen.mech.equations"
local friction = require "gen.mech.friction"
local made = require "gen.fem.made"
local prefix = require "gen.emit.prefix"
local materials = require "gen.fem.material"
local sha256 = require "gen.util.sha256"
local size = require "gen.fem.size"
local text_of = require "gen.plan.text"
local support = require "gen.support"
local stability = require "gen.scheme.stability"
local steps = require "gen.scheme.steps"

local M = {}

local Unit = {}
local summary
-- counting a mesh from a file takes its time: the summary is made when it is asked for
Unit.__index = function(unit, key)
  if key == "summary" then
    rawset(unit, key, summary(unit))
    return rawget(unit, key)
  end
  return Unit[key]
end

--- The text of a stage: model or c. (A mesh has neither equations nor a plan to print: its kernels are in the C.)
function Unit:dump(stage)
  if stage == "steps" and self.plan then return text_of(self.plan) end
  if stage == "c" then return self.files[1].text end
  if stage == "model" then return describe(self.model) end
  error({ carom = true, message = ("there is no stage '%s' of a mesh model; write model or c"):format(stage) }, 0)
end

function summary(unit)
  local model, bodies = unit.model, unit.bodies
  local lines = {}
  local function say(label, format, ...) lines[#lines + 1] = { label = label, text = format:format(...) } end
  say("model", "%s: %d mesh%s, %d contact surfaces, %d contact pairs, %d fixes, %d tractions, %d parameters", model.name, #model.meshes,
    #model.meshes == 1 and "" or "es", #model.surfaces, #model.pairs, #model.fixes, #model.tractions, #model.parameters)
  say("scheme", "%s, mass %s", unit.spec.canonical, unit.spec.lumped == "on" and "lumped" or "consistent")
  local total = size.of_model(model)
  for i, mesh in ipairs(model.meshes) do
    local s = total[i]
    if s.cells then
      say("mesh " .. mesh.name, "%d %s cells, %d nodes, %d degrees of freedom, mean edge %.3g, wave speed %.4g", s.cells, mesh.cell,
        s.nodes, s.dof, s.edge, s.wave_speed)
    else
      say("mesh " .. mesh.name, "%s cells of a binary file, counted when it runs; wave speed %.4g", mesh.cell, s.wave_speed)
    end
    say("  operations", "%d per cell for the batched force, %d per point for the stress alone", bodies[i].lane_operations,
      bodies[i].force.operations)
  end
  local run = model.run
  if total.unknown then
    say("step", "%s", run.step and ("%.4g"):format(run.step) or ("CFL %.3g"):format(run.cfl))
  elseif run.step then
    say("step", "%.4g, CFL %.3g", run.step, run.step / total.unit_step)
  elseif run.cfl then
    say("step", "%.4g from CFL %.3g", run.cfl * total.unit_step, run.cfl)
  end
  if not total.unknown then say("memory", "about %s", size.text(size.memory(total, unit.spec))) end
  say("C text", "%d lines", unit.lines)
  for _, w in ipairs(model.warnings or {}) do say("warning", "%s", w) end
  return lines
end

-- files of meshes come along in a folder that stands alone
local function take_meshes(unit)
  local taken = {}
  for _, mesh in ipairs(unit.model.meshes) do
    local path = mesh.source.file
    local name = path and path:match("[^/]*$")
    if name and not taken[name] then
      local file = assert(io.open(path, "rb"))
      unit.files[#unit.files + 1] = { name = name, text = file:read("a") }
      file:close()
      taken[name] = true
    end
  end
end

-- Interfaces that wear are those of nodes with what does not belong to the mechanism.
local function stick(model)
  local function refuse(c, called)
    error({ carom = true, file = c.file, line = c.line, message = called .. " has adhesion: on PETSc that is for contact_surface and "
      .. "contact_pair with obstacles that do not move; write --path small" }, 0)
  end
  for _, c in ipairs(model.contacts) do if c.adhesion then refuse(c, ("contact '%s'"):format(c.name)) end end
  for _, s in ipairs(model.surfaces) do if s.adhesion and s.moves then refuse(s, ("contact surface '%s'"):format(s.name)) end end
end

-- Do interfaces wear anywhere? Their pull is no part of any matrix.
local function sticks(model)
  for _, list in ipairs { model.surfaces, model.pairs } do for _, item in ipairs(list) do if item.adhesion then return true end end end
  return false
end

-- Is there friction anywhere?
local function rough(model)
  for _, list in ipairs { model.surfaces, model.pairs } do
    for _, item in ipairs(list) do if E.lift(item.friction or 0) ~= E.zero then return true end end
  end
  return false
end

-- Are all gaps affine in places, with rates that do not depend on them? (Normals of pairs stay as they are.)
local function affine(model)
  for _, surface in ipairs(model.surfaces) do
    local nodes = D.gradient(surface.gap, surface.x)
    nodes[#nodes + 1] = D.by(surface.gap, model.time)
    for _, node in ipairs(nodes) do
      for _, symbol in ipairs(E.symbols(node)) do
        for _, x in ipairs(surface.x) do if symbol == x then return false end end
      end
    end
  end
  return true
end

-- The step plan that the runtime executes. Coupled stages are solved by repeats, as long as they settle, implicit steps by Newton.
local function step_plan(model, spec, linear, eq)
  local nodal = catalogue.nodal(spec)
  local held = eq and eq.constraints + #model.ties + #eq.points > 0
  spec.stages = nodal and "fixed-point" or "newton"
  spec.projection = spec.projection or (not held and "off" or #model.pairs > 0 and "joints" or "on")
  if not spec.given.iterations then spec.iterations = nodal and 200 or 30 end
  local dimension = model.meshes[1].dimension
  local rubs = rough(model) or eq and eq.dimension > 1
  return steps.plan(spec, { contacts = #model.surfaces + #model.pairs + (eq and eq.gaps - eq.constraints or 0), joints = held,
    dimension = rubs and dimension or 1, constant_mass = not eq or equations.features(eq).constant_mass, affine_gaps = false,
    time_only = false, linear = linear and (nodal or affine(model) and not sticks(model)), mesh = true, driven = #model.fixes > 0 })
end

-- The model with gaps that are distances.
local function measured(model)
  local copy, env = {}, beside.numbers(model)
  for key, value in next, model do copy[key] = value end -- order does not matter
  copy.surfaces = {}
  for i, surface in ipairs(model.surfaces) do
    local s = {}
    for key, value in next, surface do s[key] = value end -- order does not matter
    s.gap = distance.of(surface, env)
    copy.surfaces[i] = s
  end
  return copy
end

-- Nodes of meshes that are points of the mechanism: their displacements are coordinates of it. Returns these, and the nodes.
local function borrowed(model)
  local coordinates, points, seen = table.move(model.coordinates, 1, #model.coordinates, 1, {}), {}, {}
  for _, entry in ipairs(model.nodes) do
    if not seen[entry.q[1]] then
      local at, map, start = made.of(entry.mesh).nodes[entry.node], {}, entry.mesh.start or { X = {} }
      for k, s in ipairs(start.X) do map[s] = E.num(at[k]) end
      local function value(list, k) return list and E.substitute(E.lift(list[k]), map) or E.zero end
      points[#points + 1] = { mesh = entry.mesh, at = at, q = entry.q, first = #coordinates, file = entry.file, line = entry.line }
      for k, q in ipairs(entry.q) do
        coordinates[#coordinates + 1] = { name = q.name, q = q, v = entry.v[k], initial = value(start.displacement, k),
          velocity = value(start.velocity, k), unit = "m" }
      end
      seen[entry.q[1]] = true
    end
  end
  return coordinates, points
end

-- Does anything stand beside the meshes?
local function has_mechanism(model) return #model.coordinates + #model.rotations + #model.nodes + #model.outputs > 0 end

-- The equations of what stands beside the meshes, nil where nothing does; what PETSc cannot do with it is refused.
local function mechanism(model, spec)
  support.obey("petsc", spec, model)
  stick(model)
  if not has_mechanism(model) then return nil end
  local unfit = support.mechanism("petsc", spec, #model.constraints + #model.ties + #model.nodes > 0)
    or #(model.felt or {}) > 0 and "on PETSc forces of contacts and constraints cannot stand in expressions; write --path small"
  if unfit then error({ carom = true, file = model.file, line = model.line, message = unfit }, 0) end
  local coordinates, points = borrowed(model)
  friction(model, support.friction("petsc", spec))
  local eq = equations.derive { name = model.name, time = model.time, parameters = model.parameters, inputs = model.inputs,
    coordinates = coordinates, rotations = model.rotations, terms = model.terms, gravity = model.gravity, contacts = model.contacts,
    constraints = model.constraints, outputs = {}, run = model.run }
  if eq.dimension > model.meshes[1].dimension then
    error({ carom = true, file = model.file, line = model.line, message = "on PETSc contacts beside meshes have no more directions of "
      .. "sliding than the meshes; write --path small" }, 0)
  end
  eq.points = points
  local varies = not equations.features(eq).constant_mass and support.varying("petsc", spec)
  if varies then error({ carom = true, file = model.file, line = model.line, message = varies }, 0) end
  return eq
end

-- What can be given to a run: parameters, and inputs, which keep their values.
local function given(model)
  local list = table.move(model.parameters, 1, #model.parameters, 1, {})
  for _, u in ipairs(model.inputs) do list[#list + 1] = { name = u.name or u.sym.name, unit = u.unit, value = u.value or 0.0 } end
  return list
end

--- The unit: name, files, sources, summary, dump. options: scheme, prefix, runtime (names of the runtime's files relative to its
--- folder: then the unit's files are a folder that can be built without carom). tools: read(file), version.
function M.compile(model, options, tools)
  support.take("petsc", model)
  model = measured(model)
  local spec = catalogue.parse(options.scheme or model.run.scheme or "moreau-jean:theta=0.5")
  local linear = true
  for _, mesh in ipairs(model.meshes) do linear = linear and materials.of(mesh).linear end
  local once = linear and not catalogue.nodal(spec) and affine(model) and not sticks(model) and spec.projection ~= "on"
    and not has_mechanism(model)
  local unfit = support.unfit("petsc", spec, once) or rough(model) and support.friction("petsc", spec)
    or #model.pairs > 0 and support.pairs("petsc", spec)
  if unfit then
    error({ carom = true, file = model.file, line = model.line, message = ("scheme '%s': %s"):format(spec.canonical, unfit) }, 0)
  end
  catalogue.complete_mesh(spec)
  local eq = mechanism(model, spec)
  local plan = step_plan(model, spec, linear and not eq, eq)
  catalogue.complete_large(spec)
  prefix.refuse_used(options.prefix or model.name, model, tools.read)
  local unit = setmetatable({ model = model, form = "large", name = options.prefix or model.name, version = tools.version,
    read = tools.read, spec = spec, eq = eq, plan = plan,
    given = given(model), start = beside.start_of(model), phase = stability.phase(spec),
    scheme = spec.canonical, standalone = options.runtime ~= nil }, Unit)
  unit.digest = sha256(tools.digest(unit)
    .. ("\n%.17g %.17g %.17g %.17g %d"):format(spec.tg, spec.tv, spec.tol, spec.ctol, spec.iterations)) -- given as others' defaults
  local text
  text, unit.bodies = emit.file(unit)
  unit.files, unit.sources = { { name = unit.name .. ".c", text = text } }, { unit.name .. ".c" }
  unit.lines = select(2, text:gsub("\n", ""))
  if unit.standalone then
    unit.files, unit.sources = emit.folder(unit, options.runtime)
    prefix.check_files(unit.name, model, unit.files)
    take_meshes(unit)
  end
  return unit
end

return M
