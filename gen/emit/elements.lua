-- Finite elements in the looped form: tables of places, cells and coordinates, and what the material does at one quadrature
-- point, for templates/elements.c.in. The loops over cells and points stand there.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local code = require "gen.emit.code"
local pairing = require "gen.fem.pairing"
local print_c = require "gen.expr.print"

local M = {}

local function parameter_name(names)
  return function(node)
    if node.op ~= "sym" then return nil end
    return names[node] or node.kind == "param" and "p->" .. node.name or node.kind == "time" and "t" or nil
  end
end

local function lines_of(assignments, names)
  return code.block(assignments, { indent = "", name = parameter_name(names) })
end

-- "(void)x;" for the arguments that the lines do not mention
local function complete(lines, arguments)
  local text, out = table.concat(lines, "\n"), {}
  for _, a in ipairs(arguments) do
    if not text:find("%f[%w_]" .. a .. "%f[^%w_]") then out[#out + 1] = ("(void)%s;"):format(a) end
  end
  table.move(lines, 1, #lines, #out + 1, out)
  return out
end

local function vector_names(symbols, array)
  local names = {}
  for k, s in ipairs(symbols or {}) do names[s] = ("%s[%d]"):format(array, k - 1) end
  return names
end

local function vector(array, nodes)
  local list = {}
  for k, node in ipairs(nodes) do list[k] = { ("%s[%d]"):format(array, k - 1), E.lift(node) } end
  return list
end

-- what the material does at a point, from the displacement gradient H: stress, tangent, energy, all times the thickness
local function material_lines(body, out)
  local material, thickness, d = body.material, E.lift(body.mesh.thickness), body.mesh.dimension
  local names, rest = {}, {}
  for i = 1, d do
    for k = 1, d do
      names[material.H[i][k]] = ("H[%d][%d]"):format(i - 1, k - 1)
      rest[material.H[i][k]] = E.zero
    end
  end
  local stress, tangent, damping = {}, {}, {}
  for i = 1, d do
    for j = 1, d do
      stress[#stress + 1] = { ("P[%d][%d]"):format(i - 1, j - 1), thickness * material.P[i][j] }
      local rate = E.zero
      for k = 1, d do
        for l = 1, d do
          local c = material.tangent[i][j][k][l]
          tangent[#tangent + 1] = { ("C[%d][%d][%d][%d]"):format(i - 1, j - 1, k - 1, l - 1), thickness * c }
          rate = rate + E.substitute(c, rest) * material.H[k][l]
        end
      end
      damping[#damping + 1] = { ("P[%d][%d]"):format(i - 1, j - 1), thickness * rate }
    end
  end
  out.stress = complete(lines_of(stress, names), { "p", "H" })
  out.tangent = complete(lines_of(tangent, names), { "p", "H" })
  out.energy = complete(lines_of({ { "const double energy", thickness * material.energy } }, names), { "p", "H" })
  local given = body.mesh.material.damping
  local function factor(node) return given and E.lift(node) ~= E.zero and E.lift(node) or nil end
  local alpha, beta = factor(given and given.mass), factor(given and given.stiffness)
  out.linear = material.linear
  out.mass_damping, out.stiffness_damping = alpha ~= nil, beta ~= nil
  out.alpha = lines_of({ { "const double alpha", alpha or E.zero } }, {})
  out.beta = lines_of({ { "const double beta", beta or E.zero } }, {})
  out.rate_stress = complete(lines_of(damping, names), { "p", "H" })
  out.density = lines_of({ { "const double rho", material.rho * thickness } }, {})
end

local function flat(list)
  local out = {}
  for _, item in ipairs(list) do for _, x in ipairs(item) do out[#out + 1] = x end end
  return out
end

-- shape functions and their derivatives at the points of a cell or face
local function shape_tables(tables, id, cell, points)
  local N, dN, w = {}, {}, {}
  for _, point in ipairs(points) do
    for _, x in ipairs(cell.shape(point)) do N[#N + 1] = print_c.number(x) end
    for _, row in ipairs(cell.gradient(point)) do for _, x in ipairs(row) do dN[#dN + 1] = print_c.number(x) end end
    w[#w + 1] = print_c.number(point.w)
  end
  tables:fixed("double", id .. "_N", N)
  tables:fixed("double", id .. "_dN", #dN > 0 and dN or { "0.0" })
  tables:fixed("double", id .. "_w", w)
end

local function numbers(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = print_c.number(x) end
  return out
end

-- One mesh: its tables (places, cells, number of each displacement, where its parts of the matrices go).
local function body_of(self, body, number, elements, implicit)
  local mesh, cell, d = body.mesh, cells[body.mesh.cell], body.mesh.dimension
  local id, tables, free = "b" .. number, self.tables, elements.free
  local out = { id = id, name = mesh.name, cell = mesh.cell, N = cell.nodes, D = d, cells = #body.made.cells, nodes = #body.made.nodes,
    points = #cell.points, mass_points = #cell.mass_points, width = cell.nodes * d * (cell.nodes * d + 1) // 2,
    mass_width = elements.lumped and cell.nodes * d or cell.nodes * (cell.nodes + 1) // 2 * d }
  material_lines(body, out)
  local nodes, masses, matrix = {}, {}, {}
  local function entry(i, j) return i < free and j < free and self.entry(i, j) or -1 end
  for e, list in ipairs(body.made.cells) do
    nodes[e] = {}
    for a, n in ipairs(list) do nodes[e][a] = n - 1 end
    local function dof(a, k) return body.dof[(list[a] - 1) * d + k] end
    for a = 1, cell.nodes do
      for b = elements.lumped and a or 1, a do
        for k = 1, d do masses[#masses + 1] = entry(dof(a, k), dof(b, k)) end
      end
    end
    if implicit then
      for r = 0, cell.nodes * d - 1 do
        for c = 0, r do matrix[#matrix + 1] = entry(dof(r // d + 1, r % d + 1), dof(c // d + 1, c % d + 1)) end
      end
    end
  end
  tables:comment(("mesh %s: places of the nodes, nodes of the cells, number of each displacement (from %d on: prescribed)"):format(
    mesh.name, free))
  tables:fixed("double", id .. "_X", numbers(flat(body.made.nodes)))
  tables:fixed("int", id .. "_cell", flat(nodes))
  tables:fixed("int", id .. "_dof", body.dof)
  tables:fixed("int", id .. "_M", masses)
  if implicit then tables:fixed("int", id .. "_J", matrix) end
  shape_tables(tables, id .. "_force", cell, cell.points)
  shape_tables(tables, id .. "_mass", cell, cell.mass_points)
  out.loaded = mesh.load ~= nil
  out.load = complete(mesh.load and lines_of(vector("g", mesh.load.value), vector_names(mesh.load.X, "X")) or {}, { "p", "t", "X", "g" })
  local start, none = mesh.start or {}, {}
  for k = 1, d do none[k] = E.zero end
  local list = vector("u", start.displacement or none)
  table.move(vector("v", start.velocity or none), 1, d, #list + 1, list)
  out.start = complete(lines_of(list, vector_names(start.X, "X")), { "p", "X" })
  return out
end

local function traction_of(self, t, number)
  local cell, d, id = cells[cells[t.body.mesh.cell].face], t.body.mesh.dimension, "f" .. number
  local places, dofs = {}, {}
  for e, face in ipairs(t.faces) do
    places[e], dofs[e] = {}, {}
    for _, n in ipairs(face) do
      for k = 1, d do
        table.insert(places[e], t.body.made.nodes[n][k])
        table.insert(dofs[e], t.body.dof[(n - 1) * d + k])
      end
    end
  end
  self.tables:fixed("double", id .. "_X", numbers(flat(places)))
  self.tables:fixed("int", id .. "_dof", flat(dofs))
  local points = cell.mass_points or cell.points
  shape_tables(self.tables, id .. "_face", cell, points)
  local thickness = E.lift(t.body.mesh.thickness)
  local values = {}
  for k, node in ipairs(t.value) do values[k] = thickness * E.lift(node) end
  return { id = id, N = cell.nodes, D = d, faces = #t.faces, points = #points, dimension = cell.dimension,
    value = complete(lines_of(vector("g", values), vector_names(t.X, "X")), { "p", "t", "X" }) }
end

-- prescribed displacements: u, its rate and the rate of that
local function motion_of(self, motion, number, time)
  local rate = D.by(motion.value, time)
  local second = D.by(rate, time)
  local out = { id = "m" .. number, first = motion.first, count = #motion.entries, D = #motion.X, still = motion.value == E.zero,
    moving = second ~= E.zero }
  if not out.still then
    local places = {}
    for e, entry in ipairs(motion.entries) do places[e] = entry.place end
    self.tables:fixed("double", out.id .. "_X", numbers(flat(places)))
    out.lines = complete(lines_of({ { ("u[%d + i]"):format(motion.first), motion.value }, { ("w[%d + i]"):format(motion.first), rate },
      { ("a[%d + i]"):format(motion.first), second } }, vector_names(motion.X, "X")), { "X" })
  end
  return out
end

-- y[i] = ... for the outputs that gen/fem/small.lua declared
local function output_lines(model, elements, bodies, groups, X)
  local all = elements.free + elements.prescribed
  local lines = { ("double u[%d], w[%d], a[%d], kinetic = 0.0, elastic = 0.0;"):format(all, all, all),
    ("%s_prescribe(&s->params, t, q, v, u, w, a);"):format(X) }
  for _, b in ipairs(bodies) do lines[#lines + 1] = b.id .. "_energies(&s->params, u, w, &kinetic, &elastic);" end
  for i, g in ipairs(groups) do
    lines[#lines + 1] = ("const %s_total total%d = %s_total_of(s, %d, %d, %d, %d); /* %s */"):format(X, i, X, g.first, g.stop, g.low,
      g.high, g.name)
  end
  if #elements.supports > 0 then
    lines[#lines + 1] = ("double reaction[%d];"):format(math.max(1, elements.prescribed))
    lines[#lines + 1] = ("%s_reactions(s, reaction);"):format(X)
  end
  for i, o in ipairs(model.outputs) do
    local text
    if not o.of_mesh then goto continue end -- looped.lua has it
    if o.dof then text = ("%s + u[%d]"):format(print_c.number(o.place), o.dof)
    elseif o.velocity then text = ("w[%d]"):format(o.velocity)
    elseif o.energy then text = o.energy == "energy" and "kinetic + elastic" or o.energy
    elseif o.support then
      local parts = {}
      for part, motion in ipairs(o.support.axes[o.axis]) do
        parts[part] = ("%s_sum(reaction + %d, %d)"):format(X, motion.first - elements.free, #motion.entries)
      end
      text = #parts > 0 and table.concat(parts, " + ") or "0.0"
    else
      local at
      for g, group in ipairs(elements.groups) do if group == o.group then at = g end end
      text = o.axis and ("total%d.pull[%d]"):format(at, o.axis - 1) or ("total%d.%s"):format(at, o.total)
    end
    lines[#lines + 1] = ("y[%d] = %s;"):format(i - 1, text)
    ::continue::
  end
  return lines
end

-- Size of the bodies whose forces are computed from F, so from places; from displacements alone the others.
local function extent_of(bodies)
  local extent = 0.0
  for _, body in ipairs(bodies) do
    if not body.material.linear then
      for _, place in ipairs(body.made.nodes) do
        for k, x in ipairs(place) do extent = math.max(extent, math.abs(x - body.made.nodes[1][k])) end
      end
    end
  end
  return extent
end

-- Nodes of pairs by the faces that they meet, all faces with the most nodes and edges that one has (those without weight or far off).
local function faced_of(self, elements)
  local faced, d, N = elements.faced, elements.dimension, 0
  if #faced == 0 then return nil end
  for _, f in ipairs(faced) do N = math.max(N, #f.masters) end
  local rows, dofs, weights, edges = {}, {}, {}, {}
  for i, f in ipairs(faced) do
    rows[i] = f.row
    table.move(f.slave, 1, d, #dofs + 1, dofs)
    for a = 1, N do
      table.move(f.masters[a] or f.slave, 1, d, #dofs + 1, dofs)
      weights[#weights + 1] = f.weights[a] or 0.0
      local edge = f.edges[a]
      for k = 1, d + 1 do edges[#edges + 1] = edge and edge[k] or k > d and -1.0 or 0.0 end
    end
  end
  self.tables:comment("pairs: contact, displacements of the node and of its face, weights, directions across its edges, beyond them")
  self.tables:fixed("int", "face_row", rows)
  self.tables:fixed("int", "face_dof", dofs)
  self.tables:fixed("double", "face_N", numbers(weights))
  self.tables:fixed("double", "face_edge", numbers(edges))
  return { count = #faced, N = N, beside = print_c.number(pairing.BESIDE) }
end

--- What templates/elements.c.in needs; adds the parts of the cells to the matrix pattern and to the tables of `self`.
function M.add(self, model, implicit, X)
  local elements = model.elements
  local out = { bodies = {}, tractions = {}, motions = {}, groups = {}, D = elements.dimension, free = elements.free,
    lumped = elements.lumped, all = elements.free + elements.prescribed, moving = false, implicit = implicit,
    prescribed = elements.prescribed, supported = #elements.supports > 0 }
  for i, body in ipairs(elements.bodies) do out.bodies[i] = body_of(self, body, i, elements, implicit) end
  for i, t in ipairs(elements.tractions) do out.tractions[i] = traction_of(self, t, i) end
  for i, motion in ipairs(elements.motions) do
    out.motions[i] = motion_of(self, motion, i, model.time)
    out.moving = out.moving or out.motions[i].moving
  end
  local axis = {}
  for _, body in ipairs(elements.bodies) do
    for i, number in ipairs(body.dof) do
      if number < elements.free then axis[number + 1] = (i - 1) % elements.dimension end
    end
  end
  for i, g in ipairs(elements.groups) do
    out.groups[i] = { name = g.name, first = g.first, stop = g.first + g.count, low = g.body.first, high = g.body.last }
  end
  if #out.groups > 0 then self.tables:fixed("int", "axis", axis) end
  out.faced = faced_of(self, elements)
  out.far = elements.releases and print_c.number(0.5 * elements.size)
  out.extent = print_c.number(extent_of(elements.bodies))
  out.outputs = output_lines(model, elements, out.bodies, out.groups, X)
  for _, b in ipairs(out.bodies) do
    b.inertia = b.mass_damping or out.moving
    self.operations = self.operations + b.cells * b.points * (4 * b.N * b.D * b.D)
  end
  return out
end

return M
