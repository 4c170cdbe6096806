-- Finite elements in the looped form: tables of places, cells and coordinates for the sums of carom/elements.h, over kernels that every
-- form has (cells.lua).
local C = require "gen.emit.cells"
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local kernels = require "gen.emit.kernels"
local pairing = require "gen.fem.pairing"
local print_c = require "gen.expr.print"

local M = {}

local function flat(list)
  local out = {}
  for _, item in ipairs(list) do for _, x in ipairs(item) do out[#out + 1] = x end end
  return out
end

local function numbers(list)
  local out = {}
  for i, x in ipairs(list) do out[i] = print_c.number(x) end
  return out
end

-- One mesh: its tables (places, cells, number of each displacement, where its parts of the matrices go).
local function body_of(self, made, body, number, elements, implicit)
  local mesh, cell, d = body.mesh, cells[body.mesh.cell], body.mesh.dimension
  local id, tables, free = "b" .. number, self.tables, elements.free
  local kernel = made:mesh(mesh, id, true)
  local out = { id = id, name = mesh.name, N = cell.nodes, D = d, cells = #body.made.cells, nodes = #body.made.nodes, points = #cell.points,
    linear = kernel.linear, damping = kernel.damping, rate = kernel.rate, start = kernel.start,
    mass = id .. (elements.lumped and "_lumped" or "_mass"), tangent = implicit and id .. "_tangent" or "NULL",
    matrix = implicit and id .. "_J" or "NULL", load = kernel.load and id .. "_load" or "NULL" }
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
  return out
end

local function traction_of(self, made, t, number)
  local d, id = t.body.mesh.dimension, "f" .. number
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
  return { id = id, faces = #t.faces, nd = made:traction(t.body.mesh, t.value, t.X, id).nd }
end

-- prescribed displacements: u, its rate and the rate of that
local function motion_of(self, made, motion, number, time)
  local rate, id = D.by(motion.value, time), "m" .. number
  local second = D.by(rate, time)
  local out = { first = motion.first, count = #motion.entries, D = #motion.X, moving = second ~= E.zero, X = "NULL", value = "NULL" }
  if motion.value ~= E.zero then
    local places = {}
    for e, entry in ipairs(motion.entries) do places[e] = entry.place end
    out.X, out.value = id .. "_X", id
    self.tables:fixed("double", out.X, numbers(flat(places)))
    made:add(id, { "const double *p", "double t", "const double *X", "double *u", "double *v", "double *a" },
      { { "*u", motion.value }, { "*v", rate }, { "*a", second } }, kernels.names(motion.X, "X"), "a prescribed displacement")
  end
  return out
end

-- y[i] = ... for the outputs that gen/fem/small.lua declared
local function output_lines(model, elements, groups, X)
  local lines = { "double kinetic = 0.0, elastic = 0.0;", "const carom_element_state now = {t, q, v};",
    ("carom_elements_energies(&%s_elements, %s_list(&s->params), &now, &kinetic, &elastic);"):format(X, X) }
  local function value(rate, dof)
    return dof < elements.free and ("%s[%d]"):format(rate == 0 and "q" or "v", dof)
      or ("carom_elements_value(&%s_elements, %s_list(&s->params), &now, %d, %d)"):format(X, X, rate, dof)
  end
  if #groups > 0 then lines[#lines + 1] = ("const carom_element_rows rows = %s_element_rows(s);"):format(X) end
  for i, g in ipairs(groups) do
    lines[#lines + 1] = ("const carom_element_group group%d = {%d, %d, %d, %d}; /* %s */"):format(i, g.first, g.stop, g.low, g.high, g.name)
    lines[#lines + 1] = ("const carom_element_total total%d = carom_elements_total(&rows, &group%d, s->at[s->now].G, "
      .. "s->last, s->last_step, s->impulse);"):format(i, i)
  end
  if #elements.supports > 0 then
    lines[#lines + 1] = ("double reaction[%d];"):format(math.max(1, #elements.motions))
    lines[#lines + 1] = ("%s_reactions(s, 1, reaction);"):format(X)
  end
  for i, o in ipairs(model.outputs) do
    local text
    if not o.of_mesh then goto continue end -- looped.lua has it
    if o.dof then text = ("%s + %s"):format(print_c.number(o.place), value(0, o.dof))
    elseif o.velocity then text = value(1, o.velocity)
    elseif o.energy then text = o.energy == "energy" and "kinetic + elastic" or o.energy
    elseif o.support then
      local parts = {}
      for part, motion in ipairs(o.support.axes[o.axis]) do
        for k, other in ipairs(elements.motions) do if other == motion then parts[part] = ("reaction[%d]"):format(k - 1) end end
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
  local elements, made = model.elements, C.new(model)
  local out = { kernels = made, bodies = {}, tractions = {}, motions = {}, groups = {}, contacts = {}, D = elements.dimension,
    free = elements.free,
    lumped = elements.lumped, all = elements.free + elements.prescribed, moving = false,
    supported = #elements.supports > 0 }
  for i, body in ipairs(elements.bodies) do out.bodies[i] = body_of(self, made, body, i, elements, implicit) end
  for i, t in ipairs(elements.tractions) do out.tractions[i] = traction_of(self, made, t, i) end
  for i, motion in ipairs(elements.motions) do
    out.motions[i] = motion_of(self, made, motion, i, model.time)
    out.moving = out.moving or out.motions[i].moving
  end
  local axis, number_of = {}, {}
  for i, body in ipairs(elements.bodies) do number_of[body] = i - 1 end
  for _, body in ipairs(elements.bodies) do
    for i, number in ipairs(body.dof) do
      if number < elements.free then axis[number + 1] = (i - 1) % elements.dimension end
    end
  end
  for i, g in ipairs(elements.groups) do
    for _, c in ipairs(g.nodes) do
      out.contacts[#out.contacts + 1] = ("{%d, %d, %d, %s}"):format(c.contact, number_of[g.body], c.node - 1, print_c.number(c.area))
    end
    out.groups[i] = { name = g.name, first = g.first, stop = g.first + g.count, low = g.body.first, high = g.body.last }
  end
  if #out.groups > 0 then self.tables:fixed("int", "axis", axis) end
  out.faced = faced_of(self, elements)
  out.cell = 0 -- entries of the largest tangent of a cell
  for _, b in ipairs(out.bodies) do out.cell = math.max(out.cell, (b.N * b.D) * (b.N * b.D)) end
  out.far = elements.releases and print_c.number(0.5 * elements.size)
  out.extent = print_c.number(extent_of(elements.bodies))
  out.outputs = output_lines(model, elements, out.groups, X)
  for _, b in ipairs(out.bodies) do self.operations = self.operations + b.cells * b.points * (4 * b.N * b.D * b.D) end
  return out
end

return M
