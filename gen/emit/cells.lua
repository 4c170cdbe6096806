-- The kernels of meshes, cell by cell, for templates/cells.c.in: mass, forces, tangent, energy, loads, tractions, and functions of one
-- place (start, motion, damping ...). Every form has them; loops over cells are the runtime's.
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local kernels = require "gen.emit.kernels"
local statements = require "gen.emit.statements"

local C = {}

local function join(...)
  local all = {}
  for _, lines in ipairs { ... } do table.move(lines, 1, #lines, #all + 1, all) end
  return all
end

-- (void) for arguments that the lines do not use
local function unused(lines, arguments)
  local text, top = table.concat(lines, "\n"), {}
  for _, name in ipairs(arguments) do
    if not text:find("%f[%w_]" .. name .. "%f[^%w_]") then top[#top + 1] = ("(void)%s;"):format(name) end
  end
  return top
end

--- A single value as lines.
function C.value(name, node, arguments)
  local lines = statements.plain({ { "const double " .. name, node } }, {})
  return join(unused(lines, arguments), lines)
end

--- What stands at the top of a kernel: unused arguments, constants of the parameters.
function C.head(part, arguments)
  return join(unused(join(part.constants, table.unpack(part)), arguments), part.constants)
end

--- A kernel whose first part fills the inside of its loops.
function C.kernel(part, ...)
  return { head = C.head(part, { ... }), lines = part[1], operations = part.operations }
end

--- A function that only assigns; arguments are { type and name, ... }.
function C.plain(name, arguments, assignments, names, comment)
  local lines, words = statements.plain(assignments, names), {}
  for i, a in ipairs(arguments) do words[i] = a:match("[%w_]+$") end
  return { name = name, arguments = table.concat(arguments, ", "), lines = join(unused(lines, words), lines), comment = comment }
end

local P, X = "const double *p", "const double *X"

local function zeros(d)
  local list = {}
  for k = 1, d do list[k] = E.zero end
  return list
end

--- All that the template needs; meshes and tractions are added to it.
function C.new(model)
  local self = { parameter_names = {}, cells = {}, bodies = {}, faces = {}, tractions = {}, functions = {}, known = {} }
  for i, p in ipairs(model.parameters) do self.parameter_names[i] = "P_" .. p.name end
  self.parameter_names = table.concat(self.parameter_names, ", ")
  return setmetatable(self, { __index = C })
end

function C:add(...) table.insert(self.functions, C.plain(...)) end

-- tables of a cell or face, once each
function C:tables(name, list)
  local tables = kernels.cell(name)
  if not self.known[list] then self.known[list] = {} end
  if not self.known[list][name] then table.insert(list, tables) end
  self.known[list][name] = true
  return tables
end

--- The kernels of a mesh under a name in C; `damped`: with forces of rates. Returns them, and the material as kernels.lua gives it.
function C:mesh(mesh, id, damped)
  local cell, at, d = self:tables(mesh.cell, self.cells), kernels.material(mesh), mesh.dimension
  local b = { id = id, name = mesh.name, cell = mesh.cell, n = cell.n, d = d, nd = cell.nd, points = cell.points, mass = cell.mass,
    mass_points = cell.mass_points, linear = at.linear, density = C.value("rho", at.density, { "p" }), forces = {},
    title = ("%s, %s%s"):format(mesh.cell, mesh.material.kind, mesh.plane and ", plane " .. mesh.plane or ""),
    tangent = C.kernel(at.tangent, "p"), energy = C.kernel(at.energy, "p"), stress = C.kernel(at.stress, "p"),
    load = false, start = "NULL", damping = "NULL" }
  local function force(name, part, comment)
    local s = C.kernel(part, "p")
    s.name, s.comment, s.turns = name, comment, not at.linear and name == "force"
    table.insert(b.forces, s)
  end
  force("force", at.force, ("P = dW/dF; %d operations for P."):format(at.force.operations))
  b.rate = damped and not at.linear and id .. "_rate" or "NULL"
  if b.rate ~= "NULL" then force("rate", at.rate, "P that of the rate u in the undeformed material.") end
  if mesh.load then
    b.load = C.kernel(statements.hoisted({ kernels.vector("g", mesh.load.value, at.density) }, kernels.names(mesh.load.X, "place")),
      "p", "t")
  end
  if mesh.start then
    b.start = id .. "_start"
    local list = kernels.vector("u", mesh.start.displacement or zeros(d))
    table.move(kernels.vector("v", mesh.start.velocity or zeros(d)), 1, d, #list + 1, list)
    self:add(b.start, { P, X, "double *u", "double *v" }, list, kernels.names(mesh.start.X, "X"), "start of a node of " .. mesh.name)
  end
  local damping = mesh.material.damping
  if damping then
    b.damping = id .. "_damping"
    self:add(b.damping, { P, "double *mass", "double *stiffness" },
      { { "*mass", E.lift(damping.mass or 0) }, { "*stiffness", E.lift(damping.stiffness or 0) } }, {}, "damping of " .. mesh.name)
  end
  table.insert(self.bodies, b)
  return b, at, cell
end

--- Force per area on a boundary of a mesh; value, X: as the user said it.
function C:traction(mesh, value, places, id)
  local face = cells[mesh.cell].face
  local tables = self:tables(face, self.faces)
  local part = statements.hoisted({ kernels.vector("g", value, E.lift(mesh.thickness or 1)) }, kernels.names(places, "place"))
  table.insert(self.tractions, { id = id, face = face, n = tables.n, d = mesh.dimension, nd = tables.n * mesh.dimension,
    points = tables.mass_points, value = C.kernel(part, "p", "t"),
    dN = mesh.dimension > 1 and ("%s_face_dN + %d * q"):format(face, tables.nd) or "NULL" })
  return self.tractions[#self.tractions]
end

return C
