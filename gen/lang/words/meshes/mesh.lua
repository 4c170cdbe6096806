-- The word mesh: a grid or a file of gmsh. These words fill model.meshes, fixes, tractions, surfaces, pairs and probes, in declared
-- order; what depends on the nodes is checked where they are made.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local gmsh = require "gen.fem.gmsh"
local grid = require "gen.fem.grid"
local kinds = require "gen.fem.cells"
local handle = require "gen.lang.words.meshes.handle"
local look = require "gen.lang.core.look"
local part = require "gen.lang.words.meshes.part"
local sandbox = require "gen.lang.core.sandbox"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local usual_cell = { "bar2", "quad4", "hex8" }
local metre = units.parse "m"
local axes, allow, subject, numbers, STATIC = part.axes, part.allow, part.subject, part.numbers, part.STATIC

-- numbers of cells in each direction
accept.types.counts = { shown = "`{ nx, ny, nz }`", read = function(x, what, where)
  local list = type(x) == "number" and { x } or x
  if not accept.plain_table(list) or #list < 1 or #list > 3 then
    accept.expected(what, "one to three whole numbers", x, where, "write { nx, ny, nz }")
  end
  local counts, unknowns = {}, #list
  for i = 1, #list do
    local n = type(list[i]) == "number" and math.tointeger(list[i])
    if not n or n < 1 then fail(where, "entry %d of %s is no whole number from 1 on; write { nx, ny, nz }", i, what) end
    counts[i], unknowns = n, unknowns * (n + 1.0)
  end
  if unknowns >= 2^31 then fail(where, "%s make %.3g unknowns; numbers of 32 bits count them, so write fewer", what, unknowns) end
  return counts
end }

local function known(x, what, where, dim)
  local v = value.lift(x, what)
  if dim then value.expect(v, units.parse(dim), what, where) end
  if value.node(v).op ~= "num" then
    fail(where, "%s depends on '%s'; a mesh is made before a run, so write a number or an m:constant", what,
      (value.moving(v) or E.symbols(value.node(v))[1]).name)
  end
  return v
end

-- one to three numbers, or constants with a unit; kept as values, so that their dimension is known
accept.types.lengths = { shown = "`{ x, y, z }`, numbers", read = function(x, what, where, dim)
  local list = accept.plain_table(x) and x or { x }
  if #list < 1 or #list > 3 then accept.expected(what, "one to three numbers", x, where, "write { x, y, z }") end
  local result = {}
  for i = 1, #list do result[i] = known(list[i], "entry " .. i .. " of " .. what, where, dim) end
  return result
end }

-- a file beside the model: no folders, so that a model cannot look around
accept.types.file = { shown = "text", read = function(x, what, where)
  if type(x) ~= "string" then accept.expected(what, "a file name in quotes", x, where, "write file = \"block.msh\"") end
  if not string.match(x, "^[%w_][%w_.%-]*$") then
    fail(where, "%s is '%s'; give the name of a file beside the model, of letters, digits, _ . and -", what, x)
  end
  return x
end }

local mesh = part.word { "mesh", group = "@@",
  "m:mesh(name, { cells = { nx, ny, nz }, size = { lx, ly, lz } })\nm:mesh(name, { file = \"name.msh\" })\n"
  .. "m:mesh(name, carom.box { cells = { nx, ny, nz } })\nm:mesh(name, carom.bar { cells = n, length = l, section = a })",
  summary = [[A body divided into finite elements of first order: a grid, or a mesh file of gmsh. Each node moves freely in
    one, two or three directions, as many as there are numbers of cells. With few nodes it becomes ordinary coordinates `NAME_1_x`
    ...; with many it is run on PETSc.]],
  gives = "a mesh, for the words below",
  arguments = { word.name },
  options = {
    { "cells", "counts", "Numbers of cells in each direction: one for a bar, two in the plane, three in space.",
      default = "none (a file)" },
    { "size", "lengths", "Lengths of the grid.", dim = "m", default = "1 in each direction" },
    { "origin", "lengths", "Its lowest corner.", dim = "m", default = "0 in each direction" },
    { "map", "function", [[Moves the nodes of the grid: `function(X, Y, Z) return { x, y, z } end`, of as many arguments as
      there are directions. For graded and curved meshes.]], default = "none" },
    { "file", "file", [[A mesh file of gmsh (format 2.2 or 4.1) beside the model. Its cells of highest dimension make the
      body; named physical groups one dimension lower are the boundaries.]], default = "none (a grid)" },
    { "cell", "choice", "Kind of cell. A hexahedron of a grid is cut into six tetrahedra, a quadrilateral into two triangles.",
      choices = kinds.names, default = "bar2, quad4, hex8; of a file what it holds" },
    { "plane", "choice", "Plane strain or plane stress, in the plane.", choices = { "strain", "stress" },
      default = '"strain"' },
    { "thickness", "expression", "Thickness of a body in the plane, a number or an expression of parameters.", dim = "m",
      default = "1" },
    { "section", "expression", "Area of the section of a bar, likewise.", dim = "m^2", default = "1" },
    { "unit", "unit", [[`"m"` gives that dimension to the places that functions of place get; without it they have an
      unknown one.]], default = "that of size" } },
  notes = [[Functions of place, here and below, get one place for each direction, and the time last where it may occur:
    `function(X, t)` for a bar, `function(X, Y, t)` in the plane. A grid has n + 1 nodes in a direction of n cells, numbered
    along x first. `--set` on an `m:constant` used in
    `cells` makes another mesh.]],
  example = [[
local n = m:constant("n", 4)
local plate = m:mesh("plate", carom.box { cells = { 2 * n, n }, size = { 2, 1 }, cell = "tri3", plane = "stress", thickness = 0.01 })
m:elastic(plate, { E = 70e9, nu = 0.3, rho = 2700 })
local ring = m:mesh("ring", { cells = { n, 2 }, size = { 1.5, 0.1 }, cell = "quad4", thickness = 0.02,
  map = function(X, Y) return { (1 + Y) * carom.sin(X), (1 + Y) * carom.cos(X) } end })
m:elastic(ring, { E = 70e9, nu = 0.3, rho = 2700 })]],
  preamble = part.bare }

-- a grid: cells, size, origin, map as numbers and expressions
local function from_grid(made, o, where)
  local d = #o.cells
  made.dimension, made.cell = d, o.cell or usual_cell[d]
  if kinds[made.cell].dimension ~= d then
    fail(where, "%s has %d number%s of cells but %s are for %d; write cells = { %s }", subject(made), d, d == 1 and "" or "s",
      made.cell, kinds[made.cell].dimension, table.concat({ "nx", "ny", "nz" }, ", ", 1, kinds[made.cell].dimension))
  end
  for _, field_name in ipairs { "size", "origin" } do
    if o[field_name] and #o[field_name] ~= d then
      fail(where, "%s of %s has %d number%s, cells %d; give as many", field_name, subject(made), #o[field_name],
        #o[field_name] == 1 and "" or "s", d)
    end
  end
  made.source = { cells = o.cells, size = numbers(o.size, d, 1.0), origin = numbers(o.origin, d, 0.0) }
  for i, l in ipairs(made.source.size) do
    if l <= 0 then fail(where, "entry %d of size of %s is %g; write a positive length", i, subject(made), l) end
  end
  made.unit = o.unit and units.parse(o.unit) or o.size and value.dim(o.size[1]) == metre and metre or nil
  made.boundaries = grid.boundaries(d)
  if o.map then
    local symbols, arguments = part.places(made, "X")
    local what = "map of " .. subject(made)
    local moved = part.components(made, o.map, arguments, symbols, { kinds = STATIC, dim = "m" }, what, where)
    for i = 1, d do
      allow(moved[i], symbols, {}, axes[i] .. " of " .. what, where, "a mesh is made before a run, so write a number or an m:constant")
    end
    made.source.map = { inputs = symbols, value = moved }
  end
end

-- a file of gmsh beside the model
local function from_file(made, o, where)
  for _, name in ipairs { "size", "origin", "map" } do
    if o[name] then fail(where, "%s of %s is for grids; a file has its own places", name, subject(made)) end
  end
  local guard = sandbox.current()
  if guard.from_input then
    fail(where, "a model from standard input has no folder, so '%s' cannot be found; save the model to a file", o.file)
  end
  local path = guard.directory .. o.file
  local outline, why, missing = gmsh.outline(path, o.cell)
  if missing then fail.missing(why) end
  if not outline then fail(where, "%s: %s", o.file, why) end
  made.source = { file = path }
  made.cell, made.boundaries = outline.cell, outline.boundaries
  made.dimension = kinds[made.cell].dimension
  made.unit = o.unit and units.parse(o.unit) or nil
end

function mesh.means(model, state, given, where)
  local name, o, title = accept.named(mesh, given, where)
  state.declare(state.taken, name, "mesh", where)
  if (o.cells == nil) == (o.file == nil) then
    fail(where, "%s needs %s; write cells = { nx, ny, nz } or file = \"name.msh\"", title,
      o.cells and "either cells or a file, not both" or "cells or a file")
  end
  local made = part.add(model, "meshes", where, { name = name })
  if o.file then from_file(made, o, where) else from_grid(made, o, where) end
  local d = made.dimension
  if d ~= model.meshes[1].dimension then
    fail(where, "%s has dimension %d, %s has %d; all meshes of a model have the same", title, d, subject(model.meshes[1]),
      model.meshes[1].dimension)
  end
  if o.plane and d ~= 2 then fail(where, "%s has dimension %d; plane is for meshes in the plane", title, d) end
  if o.thickness and d ~= 2 then fail(where, "%s has dimension %d; thickness is for meshes in the plane", title, d) end
  if o.section and d ~= 1 then fail(where, "%s has dimension %d; section is for bars", title, d) end
  made.plane = d == 2 and (o.plane or "strain") or nil
  local thickness = o.thickness or o.section
  if thickness then
    allow(value.node(thickness), {}, STATIC, (d == 1 and "section" or "thickness") .. " of " .. title, where,
      "write a number or an expression of parameters")
  end
  made.thickness = thickness and value.node(thickness) or E.one
  return handle.new(made)
end

-- Linear cells that lock: volume where nu is near 1/2 (in plane stress the thickness gives way), bending where one cell makes up a thin
-- side. Figures: a cantilever of 20 x 1 cells, and one of nu = 0.4999 on 40 x 10.
local function warn_of_locking(model, one, nu)
  local function warn(...) table.insert(model.warnings, ("mesh '%s': "):format(one.name) .. string.format(...)) end
  if nu and nu > 0.45 and one.dimension > 1 and one.plane ~= "stress" then
    warn("nu is %g; cells of first order lock above 0.45 (a beam of nu = 0.4999 bent by 0.12 of theory), so it is too stiff", nu)
  end
  local source = one.source
  for k, n in ipairs(source.cells or {}) do
    local long = 0.0
    for l, length in ipairs(source.size) do if l ~= k and source.cells[l] > 1 then long = math.max(long, length / source.size[k]) end end
    if n == 1 and long >= 4 and not source.map then
      warn("one cell of first order through its thickness, %g times shorter than its length, locks where it is bent (tip of a cantilever "
        .. "at 0.07 of theory); write 4 or more cells along %s", long, ({ "x", "y", "z" })[k])
      return
    end
  end
end

function mesh.check(model, env)
  for _, one in ipairs(model.meshes) do
    local m = one.material
    if not m then
      fail(one, "mesh '%s' is made of nothing; write m:elastic(%s, { E = ..., nu = ..., rho = ... }) or m:hyperelastic", one.name,
        one.name)
    end
    look.positive(one.thickness, env, one, ("thickness of mesh '%s'"):format(one.name))
    model.warnings = model.warnings or {}
    warn_of_locking(model, one, m.kind == "elastic" and look.number(m.nu, env, m, "nu"))
  end
end

--- The lists a model has for finite elements.
local lists = { "meshes", "fixes", "tractions", "surfaces", "pairs", "probes", "nodes", "ties" }

return { words = { mesh }, lists = lists }
