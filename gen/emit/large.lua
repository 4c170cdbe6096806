-- A finite-element model as one C file for the runtime of large systems: kernels, tables, main (templates/large.c.in).
local C = require "gen.emit.cells"
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local grid = require "gen.fem.grid"
local indent = require "gen.emit.indent"
local kernels = require "gen.emit.kernels"
local mechanism = require "gen.emit.mechanism"
local methods = require "gen.emit.methods"
local pairing = require "gen.fem.pairing"
local petsc = require "gen.backend.petsc"
local print_c = require "gen.expr.print"
local tables_of = require "gen.emit.tables"
local template = require "gen.emit.template"

local M = {}

local function quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("%?%?", "?\\?"):gsub("[%c]", " ") .. '"'
end

-- user text inside a comment
local function safe(text)
  return (text:gsub("%*/", "* /"):gsub("/%*", "/ *"):gsub("[%c]", " "))
end

local function numbers(list, count)
  local texts = {}
  for i = 1, count do texts[i] = print_c.number((list[i] or 0) + 0.0) end
  return "{ " .. table.concat(texts, ", ") .. " }"
end

local plain = C.plain
local P, T, X = "const double *p", "double t", "const double *X"

-- standalone: the file lies beside the program
local function source_text(mesh, map, standalone)
  local file = mesh.source.file
  if file then return ("{ .file = %s }"):format(quoted(standalone and file:match("[^/]*$") or file)) end
  local counts = {}
  for k = 1, 3 do counts[k] = tostring(math.tointeger(mesh.source.cells[k] or 1)) end
  local cuts, sides = cells[mesh.cell].cuts or {}, grid.boundaries(mesh.dimension)
  local pieces = {}
  for i, cut in ipairs(cuts) do
    local corners = {}
    for k, corner in ipairs(cut) do corners[k] = tostring(corner - 1) end
    pieces[i] = "{ " .. table.concat(corners, ", ") .. " }"
  end
  for i, name in ipairs(sides) do sides[i] = quoted(name) end
  local cut = #cuts > 0 and (", .pieces = %d, .piece = { %s }"):format(#cuts, table.concat(pieces, ", ")) or ""
  return ("{ .cells = { %s }, .size = %s, .origin = %s, .map = %s%s, .side = { %s } }"):format(table.concat(counts, ", "),
    numbers(mesh.source.size, 3), numbers(mesh.source.origin or {}, 3), map, cut, table.concat(sides, ", "))
end

-- 1 when none of the values depends on time
local function steady(values)
  for _, node in ipairs(values) do
    for _, symbol in ipairs(E.symbols(E.lift(node))) do if symbol.kind == "time" then return 0 end end
  end
  return 1
end

-- what the runtime of large systems has beside the kernels that every form has
local function body(made, mesh, standalone)
  local b, at, cell = made:mesh(mesh, mesh.name)
  local map = "NULL"
  if mesh.source.map then
    map = mesh.name .. "_map"
    made:add(map, { P, X, "double *moved" }, kernels.vector("moved", mesh.source.map.value), kernels.names(mesh.source.map.inputs, "X"),
      "places of " .. mesh.name)
  end
  b.quoted, b.kind, b.source = quoted(mesh.name), "CAROM_" .. mesh.cell:upper(), source_text(mesh, map, standalone)
  b.wave_speed, b.force = C.value("c", at.wave_speed, { "p" }), b.forces[1]
  b.lanes = { head = C.head(at.lanes, { "p" }), arrays = at.lanes.arrays, before = {}, last = at.lanes[#at.lanes] }
  b.lane_operations = cell.points * at.lanes.operations + mesh.dimension * (2 * cell.forward_operations + cell.backward_operations)
  b.load_steady = mesh.load and steady(mesh.load.value) or 0
  table.move(at.lanes, 1, #at.lanes - 1, 1, b.lanes.before)
end

local function law(item)
  return plain(item.name .. "_law", { P, "double *restitution", "double *friction" },
    { { "*restitution", E.lift(item.restitution or 0) }, { "*friction", E.lift(item.friction or 0) } }, {},
    ("contact '%s'"):format(item.name))
end

-- Returns its name, NULL where there is none.
local function adhesion(item, functions)
  if not item.adhesion then return "NULL" end
  local list = {}
  for i, x in ipairs(item.adhesion) do list[i] = { ("a[%d]"):format(i - 1), x * E.lift(item.mesh.thickness or 1) } end
  functions[#functions + 1] = plain(item.name .. "_adhesion", { P, "double *a" }, list, {},
    ("adhesion of '%s': stiffness, energy, viscosity"):format(item.name))
  return item.name .. "_adhesion"
end

local function gap(surface, time, eq)
  local comment = ("gap of '%s': %s"):format(surface.name, safe(print_c.comment(surface.gap, 90)))
  if surface.moves and eq then return mechanism.gap(surface, eq, time, plain, comment) end
  local list = { { "*g", surface.gap } }
  for k, node in ipairs(D.gradient(surface.gap, surface.x)) do list[#list + 1] = { ("gradient[%d]"):format(k - 1), node } end
  list[#list + 1] = { "*rate", D.by(surface.gap, time) }
  return plain(surface.name .. "_gap", { P, T, "const double *x", "double *g", "double *gradient", "double *rate" }, list,
    kernels.names(surface.x, "x"), comment)
end

local function motion(fix, name, time)
  local list = {}
  for k, held in ipairs(fix.components) do if held then list[#list + 1] = { ("u[%d]"):format(k - 1), E.lift(fix.motion[k]) } end end
  for k, held in ipairs(fix.components) do
    if held then list[#list + 1] = { ("v[%d]"):format(k - 1), D.by(E.lift(fix.motion[k]), time) } end
  end
  return plain(name, { P, T, X, "double *u", "double *v" }, list, kernels.names(fix.X, "X"),
    ("motion of '%s' of '%s'"):format(safe(fix.boundary), fix.mesh.name))
end

local function scheme_values(unit)
  local spec = unit.spec
  local values = { scheme_quoted = quoted(spec.canonical), lumped = spec.lumped == "on" and 1 or 0, solver = quoted(spec.solver or "auto"),
    iterations = spec.iterations, adaptive = spec.adaptive == "on" and methods.doubling({}, unit) }
  for _, key in ipairs { "tg", "tv", "tol", "ctol" } do values[key] = print_c.number((spec[key] or 0) + 0.0) end
  return values
end

--- The C file of a unit { model, spec, plan and phase (or nil), name, version, digest, read, standalone }; also its bodies, for those who
--- count.
function M.file(unit)
  local model = unit.model
  local index, made = {}, C.new { parameters = unit.given }
  for i, mesh in ipairs(model.meshes) do
    index[mesh] = i - 1
    body(made, mesh, unit.standalone)
  end
  local function where(item) return quoted(("%s:%d"):format((item.file or "?"):match("[^/]*$"), item.line or 0)) end
  local values = scheme_values(unit)
  values.plan = unit.plan and petsc.tables(unit.plan, "step_plan", { phase = unit.phase,
    turns = unit.eq and unit.eq.n > unit.eq.simple }) or {}
  local functions, parameters, fixes, surfaces, couples, probes = made.functions, {}, {}, {}, {}, {}
  for i, p in ipairs(unit.given) do
    parameters[i] = { quoted = quoted(p.name), unit = quoted(p.unit or ""), value = print_c.number(p.value + 0.0) }
  end
  for i, fix in ipairs(model.fixes) do
    local mask = 0
    for k, held in ipairs(fix.components) do if held then mask = mask | 1 << (k - 1) end end
    fixes[i] = { body = index[fix.mesh], boundary = quoted(fix.boundary), mask = mask, motion = "NULL", where = where(fix) }
    if fix.motion then
      fixes[i].motion = ("%s_fix%d"):format(fix.mesh.name, i)
      functions[#functions + 1] = motion(fix, fixes[i].motion, model.time)
    end
  end
  for i, t in ipairs(model.tractions) do
    local made_of = made:traction(t.mesh, t.value, t.X, ("%s_traction%d"):format(t.mesh.name, i))
    made_of.body, made_of.boundary, made_of.where, made_of.steady = index[t.mesh], quoted(t.boundary), where(t), steady(t.value)
  end
  for i, s in ipairs(model.surfaces) do
    surfaces[i] = { name = s.name, quoted = quoted(s.name), body = index[s.mesh], boundary = quoted(s.boundary), where = where(s),
      kind = s.moves and unit.eq and "moving" or "gap" }
    functions[#functions + 1] = gap(s, model.time, unit.eq)
    functions[#functions + 1] = law(s)
    surfaces[i].adhesion = adhesion(s, functions)
  end
  for i, s in ipairs(model.pairs) do
    couples[i] = { name = s.name, quoted = quoted(s.name), body = index[s.mesh], master = index[s.master], boundary = quoted(s.boundary),
      master_boundary = quoted(s.master_boundary), beside = print_c.number(pairing.BESIDE), release = s.release and 1 or 0,
      where = where(s) }
    functions[#functions + 1] = law(s)
    couples[i].adhesion = adhesion(s, functions)
  end
  for i, s in ipairs(model.probes) do
    probes[i] = { quoted = quoted(s.name), body = index[s.mesh], at = numbers(s.at, 3) }
  end
  values.mechanism, values.shape_tables = unit.eq and "&mechanism" or "NULL", {}
  if unit.eq then
    for _, f in ipairs(mechanism.functions(model, unit.eq, model.meshes[1].dimension, plain)) do functions[#functions + 1] = f end
    for _, t in ipairs(model.ties) do functions[#functions + 1] = mechanism.tie(t, unit.eq, unit.start, plain) end
    local tables = mechanism.tables(model, unit.eq, index, quoted, where)
    local shape_tables, touching = tables_of.shapes(model)
    values.shape_tables = touching and table.move(shape_tables, 1, #shape_tables, 2, { "#include <carom/geometry.h>" }) or shape_tables
    values.plan = table.move(values.plan, 1, #values.plan, #tables + 1, tables)
  end
  values.X, values.quoted, values.scheme, values.version = unit.name, quoted(model.name), unit.spec.canonical, unit.version
  values.digest, values.dimension = quoted(unit.digest), model.meshes[1].dimension
  values.cells, values.bodies, values.tractions = made.cells, made.bodies, made.tractions
  values.parameters, values.fixes, values.surfaces, values.pairs_, values.probes = parameters, fixes, surfaces, couples, probes
  values.kernels = select(2, template.render(unit.read("templates/cells.c.in"), "templates/cells.c.in", made))
  local run = model.run
  values.until_time, values.step = print_c.number(run.until_time or 0.0), print_c.number(run.step or 0.0)
  values.cfl, values.frames = print_c.number(run.cfl or 0.0), math.tointeger(run.frames or 0)
  local text = template.render(unit.read("templates/large.c.in"), "templates/large.c.in", values)
  return indent.c(text), made.bodies
end

--- A folder that can be built without carom: the C file, the runtime (files relative to runtime/), README and build files.
function M.folder(unit, runtime)
  local files, sources, objects = { unit.files[1] }, { unit.files[1].name }, {}
  for _, name in ipairs(runtime) do
    local to = name:gsub("^include/", "")
    files[#files + 1] = { name = to, text = unit.read("runtime/" .. name) }
    if to:find("%.c$") then sources[#sources + 1] = to end
  end
  for i, name in ipairs(sources) do objects[i] = name:gsub("%.c$", ".o") end
  local values = { X = unit.name, version = unit.version, scheme = unit.spec.canonical, bodies = unit.bodies,
    digest = "`" .. unit.digest .. "`", source = safe((unit.model.file or "?"):match("[^/]*$")), objects = table.concat(objects, " "),
    meson_sources = "'" .. table.concat(sources, "', '") .. "'" }
  for _, name in ipairs { "README.md", "Makefile", "meson.build" } do
    local from = "templates/large_" .. name .. ".in"
    files[#files + 1] = { name = name, text = (template.render(unit.read(from), from, values)) }
  end
  return files, sources
end

return M
