-- The words for finite elements: meshes, what they are made of, how they are held, loaded and started, what they may touch.
-- Functions of place are called once, with symbols X_1 X_2 X_3 (undeformed place), x_1 x_2 x_3 (place in space) or F_11 ...
-- (deformation gradient), and become expressions like all others.
--
-- They fill model.meshes, fixes, tractions, surfaces, pairs and probes, in declared order (check_mesh.lua looks at the whole).
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local gmsh = require "gen.fem.gmsh"
local grid = require "gen.fem.grid"
local handle = require "gen.lang.words.meshes.handle"
local sandbox = require "gen.lang.core.sandbox"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local M = { words = {} }
local W = M.words

--- The lists a model has for finite elements.
M.lists = { "meshes", "fixes", "tractions", "surfaces", "pairs", "probes" }

local axes = { "x", "y", "z" }
local dimension_of = { bar2 = 1, tri3 = 2, quad4 = 2, tet4 = 3, hex8 = 3 }
local usual_cell = { "bar2", "quad4", "hex8" }
local metre = units.parse "m"

local function add(model, list, where, fields)
  fields.file, fields.line = where.file, where.line
  table.insert(model[list], fields)
  return fields
end

local function subject(mesh) return ("mesh '%s'"):format(mesh.name) end

-- word(mesh, options): the mesh and the options; word(mesh, boundary, ...) likewise
local function about(word, given, where)
  local count = #word.arguments
  local positional = { name = word.name, form = word.form, arguments = word.arguments }
  local allowed = count + (word.options and 1 or 0)
  if given.n > allowed then return accept.arguments(word, given, where) end -- says what is too much
  local a = accept.arguments(positional, table.pack(table.unpack(given, 1, math.min(given.n, count))), where)
  local title = ("%s of %s"):format(word.name, subject(a.mesh))
  return a, word.options and accept.options(word, given[count + 1], title, where), title
end

local function boundary(mesh, name, where)
  local known = mesh.boundaries
  for _, b in ipairs(known) do if b == name then return end end
  if #known == 0 then
    fail(where, "%s has no boundary '%s': its file names none; add a Physical group of dimension %d there", subject(mesh), name,
      mesh.dimension - 1)
  end
  fail(where, "%s has no boundary '%s'; it has: %s", subject(mesh), name, table.concat(known, ", "))
end

-- The places that functions get: one symbol for each direction. prefix X: undeformed, x: in space.
local function places(mesh, prefix)
  local symbols, values = {}, {}
  for i = 1, mesh.dimension do
    symbols[i] = E.sym(prefix .. "_" .. i, "local")
    values[i] = value.wrap(symbols[i], mesh.unit)
  end
  return symbols, values
end

local function allow(node, symbols, kinds, what, where, instead)
  for _, s in ipairs(E.symbols(node)) do
    local good = kinds[s.kind]
    for _, own in ipairs(symbols) do good = good or s == own end
    if not good then fail(where, "%s depends on '%s'; %s", what, s.name, instead) end
  end
end

local STATIC, MOVING = { param = true }, { param = true, time = true }
local instead_of = { [STATIC] = "write it with the arguments of the function, numbers and parameters",
  [MOVING] = "write it with the arguments of the function, numbers, parameters and time" }

-- Calls a field and gives its components as nodes (false where one is `false` and free components are allowed).
local function components(mesh, field, arguments, symbols, o, what, where)
  local result = field(table.unpack(arguments))
  local d = mesh.dimension
  if value.is(result) and d == 1 or type(result) == "number" and d == 1 then result = { result } end
  if not accept.plain_table(result) then
    fail(where, "%s gives %s; return { %s }", what, value.is(result) and "one expression" or value.describe(result),
      table.concat({ "x", "y", "z" }, ", ", 1, d))
  end
  local last = 0
  for i = 1, math.max(3, #result) do if result[i] ~= nil then last = i end end
  if last ~= d then
    fail(where, "%s gives %d component%s, but %s has %d; return { %s }", what, last, last == 1 and "" or "s", subject(mesh), d,
      table.concat({ "x", "y", "z" }, ", ", 1, d))
  end
  local list = {}
  for i = 1, d do
    local title = axes[i] .. " of " .. what
    if result[i] == false and o.free then
      list[i] = false
    else
      local v = value.lift(result[i], title)
      if o.dim then value.expect(v, units.parse(o.dim), title, where) end
      allow(value.node(v), symbols, o.kinds, title, where, instead_of[o.kinds])
      list[i] = value.node(v)
    end
  end
  return list
end

-- a field of the undeformed place and, where time may occur, of time
local function field(model, mesh, f, o, what, where)
  local symbols, arguments = places(mesh, "X")
  if o.kinds == MOVING then arguments[#arguments + 1] = value.wrap(model.time) end
  return symbols, components(mesh, f, arguments, symbols, o, what, where)
end

local function numbers(values, d, default)
  local list = {}
  for i = 1, d do list[i] = values and value.node(values[i]).value or default end
  return list
end

-- a grid: cells, size, origin, map as numbers and expressions
local function from_grid(mesh, o, where)
  local d = #o.cells
  mesh.dimension, mesh.cell = d, o.cell or usual_cell[d]
  if dimension_of[mesh.cell] ~= d then
    fail(where, "%s has %d number%s of cells but %s are for %d; write cells = { %s }", subject(mesh), d, d == 1 and "" or "s",
      mesh.cell, dimension_of[mesh.cell], table.concat({ "nx", "ny", "nz" }, ", ", 1, dimension_of[mesh.cell]))
  end
  for _, field_name in ipairs { "size", "origin" } do
    if o[field_name] and #o[field_name] ~= d then
      fail(where, "%s of %s has %d number%s, cells %d; give as many", field_name, subject(mesh), #o[field_name],
        #o[field_name] == 1 and "" or "s", d)
    end
  end
  mesh.source = { cells = o.cells, size = numbers(o.size, d, 1.0), origin = numbers(o.origin, d, 0.0) }
  for i, l in ipairs(mesh.source.size) do
    if l <= 0 then fail(where, "entry %d of size of %s is %g; write a positive length", i, subject(mesh), l) end
  end
  mesh.unit = o.unit and units.parse(o.unit) or o.size and value.dim(o.size[1]) == metre and metre or nil
  mesh.boundaries = grid.boundaries(d)
  if o.map then
    local symbols, arguments = places(mesh, "X")
    local what = "map of " .. subject(mesh)
    local moved = components(mesh, o.map, arguments, symbols, { kinds = STATIC, dim = "m" }, what, where)
    for i = 1, d do
      allow(moved[i], symbols, {}, axes[i] .. " of " .. what, where, "a mesh is made before a run, so write a number or an m:constant")
    end
    mesh.source.map = { inputs = symbols, value = moved }
  end
end

-- a file of gmsh beside the model
local function from_file(mesh, o, where)
  for _, name in ipairs { "size", "origin", "map" } do
    if o[name] then fail(where, "%s of %s is for grids; a file has its own places", name, subject(mesh)) end
  end
  local guard = sandbox.current()
  if guard.from_input then
    fail(where, "a model from standard input has no folder, so '%s' cannot be found; save the model to a file", o.file)
  end
  local path = guard.directory .. o.file
  local outline, why = gmsh.outline(path, o.cell)
  if not outline then fail(where, "%s: %s", o.file, why) end
  mesh.source = { file = path }
  mesh.cell, mesh.boundaries = outline.cell, outline.boundaries
  mesh.dimension = dimension_of[mesh.cell]
  mesh.unit = o.unit and units.parse(o.unit) or nil
end

function W.mesh(model, state, given, where)
  local name, o, title = accept.named(words.mesh, given, where)
  state.declare(state.taken, name, "mesh", where)
  if (o.cells == nil) == (o.file == nil) then
    fail(where, "%s needs %s; write cells = { nx, ny, nz } or file = \"name.msh\"", title,
      o.cells and "either cells or a file, not both" or "cells or a file")
  end
  local mesh = add(model, "meshes", where, { name = name })
  if o.file then from_file(mesh, o, where) else from_grid(mesh, o, where) end
  local d = mesh.dimension
  if d ~= model.meshes[1].dimension then
    fail(where, "%s has dimension %d, %s has %d; all meshes of a model have the same", title, d, subject(model.meshes[1]),
      model.meshes[1].dimension)
  end
  if o.plane and d ~= 2 then fail(where, "%s has dimension %d; plane is for meshes in the plane", title, d) end
  if o.thickness and d ~= 2 then fail(where, "%s has dimension %d; thickness is for meshes in the plane", title, d) end
  if o.section and d ~= 1 then fail(where, "%s has dimension %d; section is for bars", title, d) end
  mesh.plane = d == 2 and (o.plane or "strain") or nil
  local thickness = o.thickness or o.section
  if thickness then
    allow(value.node(thickness), {}, STATIC, (d == 1 and "section" or "thickness") .. " of " .. title, where,
      "write a number or an expression of parameters")
  end
  mesh.thickness = thickness and value.node(thickness) or E.one
  return handle.new(mesh)
end

local function material(mesh, fields, o, title, where)
  if mesh.material then
    fail(where, "%s is already made of something, in line %d; keep one of the two", subject(mesh), mesh.material.line)
  end
  local function static(v, what)
    if not v then return nil end
    allow(value.node(v), {}, STATIC, what .. " of " .. title, where, "write a number or an expression of parameters")
    return value.node(v)
  end
  fields.rho, fields.file, fields.line = static(o.rho, "rho"), where.file, where.line
  fields.damping = o.damping and { mass = static(o.damping.mass, "mass damping"),
    stiffness = static(o.damping.stiffness, "stiffness damping") } or nil
  mesh.material = fields
  return static
end

function W.elastic(_, _, given, where)
  local a, o, title = about(words.elastic, given, where)
  local fields = { kind = "elastic" }
  local static = material(a.mesh, fields, o, title, where)
  fields.E, fields.nu = static(o.E, "E"), static(o.nu, "nu") or E.zero
end

-- F as the energy sees it; in plane strain F_33 is 1, but a symbol, so that the stress through the thickness can be had
local function deformation(d)
  local symbols, list, seen = {}, {}, {}
  local shown = d == 2 and 3 or d
  for i = 1, shown do
    symbols[i], seen[i] = {}, {}
    for j = 1, shown do
      local free = i <= d and j <= d or i == j
      symbols[i][j] = free and E.sym(("F_%d%d"):format(i, j), "local") or E.zero
      seen[i][j] = free and value.wrap(symbols[i][j], units.none) or 0
      if free then list[#list + 1] = symbols[i][j] end
    end
  end
  return symbols, list, seen
end

function W.hyperelastic(_, _, given, where)
  local a, o, title = about(words.hyperelastic, given, where)
  local mesh = a.mesh
  if mesh.plane == "stress" then
    fail(where, "%s is in plane stress, which hyperelastic does not know; write plane = \"strain\"", subject(mesh))
  end
  local F, list, seen = deformation(mesh.dimension)
  local result = o.energy(seen)
  local what = "energy of " .. title
  if not value.is(result) then
    fail(where, "%s gives %s; return the stored energy as an expression of F", what, value.describe(result))
  end
  value.expect(value.lift(result, what), units.parse "Pa", what, where)
  allow(value.node(result), list, STATIC, what, where, "write it with F, numbers and parameters")
  material(mesh, { kind = "hyperelastic", F = F, energy = value.node(result) }, o, title, where)
end

function W.fix(model, _, given, where)
  local a, o, title = about(words.fix, given, where)
  local mesh, d = a.mesh, a.mesh.dimension
  boundary(mesh, a.boundary, where)
  local symbols, motion
  if o.motion then
    if o.x or o.y or o.z then fail(where, "%s has motion and also x, y or z; keep one of the two", title) end
    symbols, motion = field(model, mesh, o.motion, { kinds = MOVING, dim = "m", free = true }, "motion of " .. title, where)
  else
    local given_any = o.x or o.y or o.z
    symbols, motion = places(mesh, "X"), {}
    for i, axis in ipairs(axes) do
      if i > d and o[axis] then fail(where, "%s has %s, but %s has dimension %d; leave it out", title, axis, subject(mesh), d) end
      if i <= d then
        motion[i] = o[axis] and value.node(o[axis]) or not given_any and E.zero
        if motion[i] then
          allow(motion[i], {}, MOVING, axis .. " of " .. title, where, "write a number or an expression of time and parameters")
        end
      end
    end
  end
  local held, still = {}, true
  for i = 1, d do
    held[i] = motion[i] and true or false
    motion[i] = motion[i] or E.zero
    still = still and motion[i] == E.zero
  end
  add(model, "fixes", where, { mesh = mesh, boundary = a.boundary, components = held, X = symbols, motion = not still and motion or nil })
end

function W.body_force(model, _, given, where)
  local a, _, title = about(words.body_force, given, where)
  if a.mesh.load then fail(where, "%s already has a body force; add the two in one function", subject(a.mesh)) end
  local symbols, list = field(model, a.mesh, a.field, { kinds = MOVING, dim = "m/s^2" }, title, where)
  a.mesh.load = { X = symbols, value = list }
end

function W.traction(model, _, given, where)
  local a, _, title = about(words.traction, given, where)
  boundary(a.mesh, a.boundary, where)
  local symbols, list = field(model, a.mesh, a.field, { kinds = MOVING, dim = "Pa" }, title, where)
  add(model, "tractions", where, { mesh = a.mesh, boundary = a.boundary, X = symbols, value = list })
end

function W.start(model, _, given, where)
  local a, o, title = about(words.start, given, where)
  if a.mesh.start then fail(where, "start of %s is already given; keep one of the two", subject(a.mesh)) end
  local start = { X = places(a.mesh, "X") }
  local dims = { displacement = "m", velocity = "m/s" }
  for _, what in ipairs { "displacement", "velocity" } do
    if o[what] then
      start[what] = select(2, field(model, a.mesh, o[what], { kinds = STATIC, dim = dims[what] }, what .. " of " .. title, where))
    end
  end
  a.mesh.start = start
end

-- restitution and friction, numbers or expressions of parameters
local function law(o, title, where)
  local function coefficient(name)
    if not o[name] then return nil end
    allow(value.node(o[name]), {}, STATIC, name .. " of " .. title, where, "write a number or an expression of parameters")
    return value.node(o[name])
  end
  return coefficient "restitution" or E.zero, coefficient "friction"
end

function W.contact_surface(model, state, given, where)
  local name, o, title = accept.named(words.contact_surface, given, where)
  state.declare(state.taken, name, "contact surface", where)
  boundary(o.mesh, o.boundary, where)
  local symbols, arguments = places(o.mesh, "x")
  arguments[#arguments + 1] = value.wrap(model.time)
  local what = "gap of " .. title
  local gap = o.gap(table.unpack(arguments))
  if not value.is(gap) then
    fail(where, "%s gives %s; return one expression of the place", what, value.describe(gap))
  end
  value.expect(value.lift(gap, what), metre, what, where)
  local node = value.node(gap)
  allow(node, symbols, MOVING, what, where, instead_of[MOVING])
  local touches = false
  for _, s in ipairs(E.symbols(node)) do touches = touches or s.kind == "local" end
  if not touches then fail(where, "%s does not depend on the place; write the distance from the obstacle", what) end
  local restitution, friction = law(o, title, where)
  add(model, "surfaces", where, { name = name, mesh = o.mesh, boundary = o.boundary, x = symbols, gap = node,
    restitution = restitution, friction = friction })
end

function W.contact_pair(model, state, given, where)
  local name, o, title = accept.named(words.contact_pair, given, where)
  state.declare(state.taken, name, "contact pair", where)
  boundary(o.mesh, o.boundary, where)
  boundary(o.master, o.master_boundary, where)
  if o.mesh == o.master and o.boundary == o.master_boundary then
    fail(where, "%s is between '%s' and itself; give two boundaries", title, o.boundary)
  end
  local restitution, friction = law(o, title, where)
  add(model, "pairs", where, { name = name, mesh = o.mesh, boundary = o.boundary, master = o.master,
    master_boundary = o.master_boundary, release = o.off_face == "release", restitution = restitution, friction = friction })
end

function W.probe(model, state, given, where)
  local name, o, title = accept.named(words.probe, given, where)
  state.declare(state.taken, name, "probe", where)
  local d = o.mesh.dimension
  if #o.at ~= d then fail(where, "at of %s has %d numbers, but %s has %d dimensions", title, #o.at, subject(o.mesh), d) end
  add(model, "probes", where, { name = name, mesh = o.mesh, at = numbers(o.at, d) })
end

return M
