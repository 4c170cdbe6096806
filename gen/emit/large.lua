-- A finite-element model as one C file for the runtime of large systems: kernels, tables, main (templates/large.c.in).
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local indent = require "gen.emit.indent"
local kernels = require "gen.emit.kernels"
local pairing = require "gen.fem.pairing"
local petsc = require "gen.backend.petsc"
local print_c = require "gen.expr.print"
local statements = require "gen.emit.statements"
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

local function mentioned(lines, word)
  for _, line in ipairs(lines) do
    if line:find("%f[%w_]" .. word .. "%f[^%w_]") then return true end
  end
  return false
end

local function join(...)
  local all = {}
  for _, lines in ipairs { ... } do table.move(lines, 1, #lines, #all + 1, all) end
  return all
end

-- (void) for arguments that the lines do not use
local function unused(lines, arguments)
  local top = {}
  for _, name in ipairs(arguments) do
    if not mentioned(lines, name) then top[#top + 1] = ("(void)%s;"):format(name) end
  end
  return top
end

-- what stands at the top of a kernel: unused arguments, constants of the parameters
local function head(part, arguments)
  return join(unused(join(part.constants, table.unpack(part)), arguments), part.constants)
end

-- the same for a single value
local function value(name, node, arguments)
  local lines = statements.plain({ { "const double " .. name, node } }, {})
  return join(unused(lines, arguments), lines)
end

-- a kernel whose first part fills the inside of its loops
local function kernel(part, ...)
  return { head = head(part, { ... }), lines = part[1], operations = part.operations }
end

-- A function that only assigns; arguments are { type and name, ... }.
local function plain(name, arguments, assignments, names, comment)
  local lines, words = statements.plain(assignments, names), {}
  for i, a in ipairs(arguments) do words[i] = a:match("[%w_]+$") end
  return { name = name, arguments = table.concat(arguments, ", "), lines = join(unused(lines, words), lines), comment = comment }
end

local P, T, X = "const double *p", "double t", "const double *X"

local function zeros(d)
  local list = {}
  for k = 1, d do list[k] = E.zero end
  return list
end

-- start, map and damping of a mesh: the functions that it has, and their names in the table
local function extras(mesh, functions)
  local d, entry = mesh.dimension, { start = "NULL", map = "NULL", damping = "NULL" }
  local function add(kind, ...)
    entry[kind] = mesh.name .. "_" .. kind
    functions[#functions + 1] = plain(entry[kind], ...)
  end
  if mesh.start then
    local list = kernels.vector("u", mesh.start.displacement or zeros(d))
    for _, a in ipairs(kernels.vector("v", mesh.start.velocity or zeros(d))) do list[#list + 1] = a end
    add("start", { P, X, "double *u", "double *v" }, list, kernels.names(mesh.start.X, "X"))
  end
  if mesh.source.map then
    add("map", { P, X, "double *moved" }, kernels.vector("moved", mesh.source.map.value), kernels.names(mesh.source.map.inputs, "X"))
  end
  local damping = mesh.material.damping
  if damping then
    add("damping", { P, "double *mass", "double *stiffness" },
      { { "*mass", E.lift(damping.mass or 0) }, { "*stiffness", E.lift(damping.stiffness or 0) } }, {})
  end
  return entry
end

-- standalone: the file lies beside the program
local function source_text(mesh, map, standalone)
  local file = mesh.source.file
  if file then return ("{ .file = %s }"):format(quoted(standalone and file:match("[^/]*$") or file)) end
  local counts = {}
  for k = 1, 3 do counts[k] = tostring(math.tointeger(mesh.source.cells[k] or 1)) end
  return ("{ .cells = { %s }, .size = %s, .origin = %s, .map = %s }"):format(table.concat(counts, ", "),
    numbers(mesh.source.size, 3), numbers(mesh.source.origin or {}, 3), map)
end

-- 1 when none of the values depends on time
local function steady(values)
  for _, node in ipairs(values) do
    for _, symbol in ipairs(E.symbols(E.lift(node))) do if symbol.kind == "time" then return 0 end end
  end
  return 1
end

local function body(mesh, standalone)
  local cell, d = kernels.cell(mesh.cell), mesh.dimension
  local at = kernels.material(mesh)
  local b = {
    name = mesh.name, quoted = quoted(mesh.name), cell = mesh.cell, kind = "CAROM_" .. mesh.cell:upper(), n = cell.n, d = d,
    nd = cell.nd, nn = cell.n * cell.n, nd2 = cell.nd * cell.nd, points = cell.points, mass_points = cell.mass_points,
    linear = at.linear, title = ("%s, %s%s"):format(mesh.cell, mesh.material.kind, mesh.plane and ", plane " .. mesh.plane or ""),
    mass = cell.mass, wave_speed = value("c", at.wave_speed, { "p" }), density = value("rho", at.density, { "p" }),
    force = kernel(at.force, "p"), tangent = kernel(at.tangent, "p"), energy = kernel(at.energy, "p"), stress = kernel(at.stress, "p"),
    lanes = { head = head(at.lanes, { "p" }), arrays = at.lanes.arrays, before = {}, last = at.lanes[#at.lanes] },
    lane_operations = cell.points * at.lanes.operations + d * (2 * cell.forward_operations + cell.backward_operations),
    load = false, load_steady = 0, functions = {},
  }
  table.move(at.lanes, 1, #at.lanes - 1, 1, b.lanes.before)
  if mesh.load then
    local part = statements.hoisted({ kernels.vector("g", mesh.load.value, at.density) }, kernels.names(mesh.load.X, "place"))
    b.load = kernel(part, "p", "t")
    b.load_steady = steady(mesh.load.value)
  end
  local entry = extras(mesh, b.functions)
  b.damping, b.start, b.source = entry.damping, entry.start, source_text(mesh, entry.map, standalone)
  return b, cell
end

local function law(item)
  return plain(item.name .. "_law", { P, "double *restitution", "double *friction" },
    { { "*restitution", E.lift(item.restitution or 0) }, { "*friction", E.lift(item.friction or 0) } }, {},
    ("contact '%s'"):format(item.name))
end

local function gap(surface, time)
  local list = { { "*g", surface.gap } }
  for k, node in ipairs(D.gradient(surface.gap, surface.x)) do list[#list + 1] = { ("gradient[%d]"):format(k - 1), node } end
  list[#list + 1] = { "*rate", D.by(surface.gap, time) }
  return plain(surface.name .. "_gap", { P, T, "const double *x", "double *g", "double *gradient", "double *rate" }, list,
    kernels.names(surface.x, "x"), ("gap of '%s': %s"):format(surface.name, safe(print_c.comment(surface.gap, 90))))
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

local function scheme_values(spec)
  local values = { scheme_quoted = quoted(spec.canonical), lumped = spec.lumped == "on" and 1 or 0, solver = quoted(spec.solver or "auto"),
    iterations = spec.iterations }
  for _, key in ipairs { "tg", "tv", "tol", "ctol" } do values[key] = print_c.number((spec[key] or 0) + 0.0) end
  return values
end

--- The C file of a unit { model, spec, plan and phase (or nil), name, version, digest, read, standalone }; also its bodies, for those who
--- count.
function M.file(unit)
  local model = unit.model
  local index, bodies, kinds, known, faces, known_faces = {}, {}, {}, {}, {}, {}
  for i, mesh in ipairs(model.meshes) do
    index[mesh] = i - 1
    local b, cell = body(mesh, unit.standalone)
    bodies[i] = b
    if not known[mesh.cell] then
      known[mesh.cell] = true
      kinds[#kinds + 1] = cell
    end
  end
  local function where(item) return quoted(("%s:%d"):format((item.file or "?"):match("[^/]*$"), item.line or 0)) end
  local values = scheme_values(unit.spec)
  values.plan = unit.plan and petsc.tables(unit.plan, "step_plan", { phase = unit.phase }) or {}
  local functions, parameters, fixes, tractions, surfaces, couples, probes = {}, {}, {}, {}, {}, {}, {}
  local parameter_names = {}
  for i, p in ipairs(model.parameters) do
    parameters[i] = { quoted = quoted(p.name), unit = quoted(p.unit or ""), value = print_c.number(p.value + 0.0) }
    parameter_names[i] = "P_" .. p.name
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
    local face = cells[t.mesh.cell].face
    local tables = kernels.cell(face)
    if not known_faces[face] then
      known_faces[face] = true
      faces[#faces + 1] = tables
    end
    local part = statements.hoisted({ kernels.vector("g", t.value, E.lift(t.mesh.thickness or 1)) }, kernels.names(t.X, "place"))
    tractions[i] = { name = ("%s_traction%d"):format(t.mesh.name, i), body = index[t.mesh], boundary = quoted(t.boundary), where = where(t),
      n = tables.n, nd = tables.n * t.mesh.dimension, points = tables.mass_points, value = kernel(part, "p", "t"), face = face,
      steady = steady(t.value) }
  end
  for i, s in ipairs(model.surfaces) do
    surfaces[i] = { name = s.name, quoted = quoted(s.name), body = index[s.mesh], boundary = quoted(s.boundary), where = where(s) }
    functions[#functions + 1] = gap(s, model.time)
    functions[#functions + 1] = law(s)
  end
  for i, s in ipairs(model.pairs) do
    couples[i] = { name = s.name, quoted = quoted(s.name), body = index[s.mesh], master = index[s.master], boundary = quoted(s.boundary),
      master_boundary = quoted(s.master_boundary), beside = print_c.number(pairing.BESIDE), release = s.release and 1 or 0,
      where = where(s) }
    functions[#functions + 1] = law(s)
  end
  for i, s in ipairs(model.probes) do
    probes[i] = { quoted = quoted(s.name), body = index[s.mesh], at = numbers(s.at, 3) }
  end
  values.X, values.quoted, values.scheme, values.version = unit.name, quoted(model.name), unit.spec.canonical, unit.version
  values.digest, values.dimension = quoted(unit.digest), model.meshes[1].dimension
  values.cells, values.bodies, values.faces, values.functions = kinds, bodies, faces, functions
  values.parameters, values.fixes, values.tractions, values.surfaces = parameters, fixes, tractions, surfaces
  values.pairs_, values.probes, values.parameter_names = couples, probes, table.concat(parameter_names, ", ")
  local run = model.run
  values.until_time, values.step = print_c.number(run.until_time or 0.0), print_c.number(run.step or 0.0)
  values.cfl, values.frames = print_c.number(run.cfl or 0.0), math.tointeger(run.frames or 0)
  local text = template.render(unit.read("templates/large.c.in"), "templates/large.c.in", values)
  return indent.c(text), bodies
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
