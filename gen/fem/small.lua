-- A model of meshes as an ordinary model, for the forms that small mechanisms have: every free displacement of a node becomes
-- a coordinate NAME_<node>_x, every node of a contact surface a contact. Held displacements are no coordinates; prescribed
-- ones are functions of time. What the cells contribute to mass and forces stays a loop over cells: model.elements, which
-- gen/emit/elements.lua turns into C.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local beside = require "gen.fem.beside"
local cells = require "gen.fem.cells"
local distance = require "gen.fem.distance"
local eval = require("gen.expr.eval").eval
local made = require "gen.fem.made"
local materials = require "gen.fem.material"
local pairing = require "gen.fem.pairing"
local sizes = require "gen.fem.size"

local S = {}
local axes = { "x", "y", "z" }

local function refuse(where, format, ...)
  error({ carom = true, file = where.file, line = where.line, message = format:format(...) }, 0)
end

local function bytes(path)
  local file = io.open(path, "rb")
  if not file then return math.huge end
  local size = file:seek("end")
  file:close()
  return size
end

--- Is a model of meshes small enough for this form? limits: coordinates by dimension, bytes of a mesh file.
function S.fits(model, limits)
  local total, dimension = 0, model.meshes[1].dimension
  for _, mesh in ipairs(model.meshes) do
    if mesh.source.file then
      if bytes(mesh.source.file) > limits.bytes then return false end
    else
      local nodes = 1
      for _, n in ipairs(mesh.source.cells) do nodes = nodes * (n + 1) end
      total = total + nodes * dimension
    end
  end
  return total <= limits.coordinates[dimension]
end

-- held[node * d + k] = the fix that holds it; a later one wins
local function held_by(model, mesh, m)
  local held = {}
  for _, fix in ipairs(model.fixes) do
    if fix.mesh == mesh then
      for _, n in ipairs(made.nodes_of(m, fix.boundary)) do
        for k = 1, mesh.dimension do
          if fix.components[k] then held[(n - 1) * mesh.dimension + k] = fix end
        end
      end
    end
  end
  return held
end

local function at(nodes, symbols, place)
  local map, result = {}, {}
  for k, symbol in ipairs(symbols) do map[symbol] = E.num(place[k]) end
  for k, node in ipairs(nodes) do result[k] = E.substitute(E.lift(node), map) end
  return result
end

-- Coordinates of the free displacements, and the prescribed ones by fix and component.
local function unknowns(model, lowered, elements, body)
  local mesh, m, d = body.mesh, body.made, body.mesh.dimension
  local held = held_by(model, mesh, m)
  body.dof, body.first = {}, #lowered.coordinates
  local start = mesh.start or { X = {} }
  for n, place in ipairs(m.nodes) do
    local initial = start.displacement and at(start.displacement, start.X, place)
    local velocity = start.velocity and at(start.velocity, start.X, place)
    for k = 1, d do
      local i = (n - 1) * d + k
      if held[i] then
        local fix = held[i]
        fix.motions = fix.motions or {}
        local motion = fix.motions[k]
        if not motion then
          motion = { X = fix.X, value = fix.motion and E.lift(fix.motion[k]) or E.zero, entries = {} }
          fix.motions[k] = motion
          elements.motions[#elements.motions + 1] = motion
        end
        table.insert(motion.entries, { body = body, index = i, place = place })
      else
        local name = made.name(mesh, n, k)
        body.dof[i] = #lowered.coordinates
        table.insert(lowered.coordinates, { name = name, unit = "m", q = E.sym(name, "q"), v = E.sym(name .. ".dot", "v"),
          initial = initial and initial[k] or E.zero, velocity = velocity and velocity[k] or E.zero, file = mesh.file, line = mesh.line })
      end
    end
  end
  body.last = #lowered.coordinates
end

-- What holds a body, boundary by boundary: the prescribed displacements of each direction, whose forces are summed up.
local function supports(model)
  local list, known = {}, {}
  for _, fix in ipairs(model.fixes) do
    local name = fix.mesh.name .. "." .. fix.boundary
    local support = known[name] or { name = name, axes = {} }
    if not known[name] then
      known[name] = support
      list[#list + 1] = support
    end
    for k = 1, fix.mesh.dimension do
      support.axes[k] = support.axes[k] or {}
      table.insert(support.axes[k], fix.motions and fix.motions[k]) -- none where a later fix holds all its nodes
    end
  end
  return list
end

-- numbers for the prescribed displacements, after all free ones
local function number_prescribed(elements, free)
  local count = free
  for _, motion in ipairs(elements.motions) do
    motion.first = count
    for _, entry in ipairs(motion.entries) do
      entry.body.dof[entry.index] = count
      count = count + 1
    end
  end
  return count - free
end

-- Place in space of a node, as expressions: data symbols for the numbers, so that all nodes have the same shape.
local function place_of(lowered, body, n, tag, data)
  local d, x = body.mesh.dimension, {}
  local X = {}
  for k = 1, d do
    X[k] = E.sym(("%s_%d"):format(tag, k), "data")
    data[X[k]] = body.made.nodes[n][k]
  end
  for k = 1, d do
    local i = body.dof[(n - 1) * d + k]
    if i < lowered.elements.free then
      x[k] = X[k] + lowered.coordinates[i + 1].q
    else
      local value = E.zero
      for _, motion in ipairs(lowered.elements.motions) do
        if i >= motion.first and i < motion.first + #motion.entries then
          local map = {}
          for c, symbol in ipairs(motion.X) do map[symbol] = X[c] end
          value = E.substitute(motion.value, map)
        end
      end
      x[k] = X[k] + value
    end
  end
  return x
end

local function depends_on_motion(node)
  for _, s in ipairs(E.symbols(node)) do if s.kind == "q" then return true end end
  return false
end

-- what people hear about the node of a contact
local function told_place(body, n)
  local list = {}
  for k, x in ipairs(body.made.nodes[n]) do list[k] = ("%.6g"):format(x) end
  return ("node %d of %s at (%s)"):format(n, body.mesh.name, table.concat(list, ", "))
end

-- The part of a boundary that each of its nodes stands for, in the undeformed body: the integral of its shape function, so that an even
-- pressure gives even pressures of nodes.
local function areas_of(body, boundary)
  local area, face = {}, cells[cells[body.mesh.cell].face]
  for _, nodes in ipairs(body.made.boundaries[boundary] or {}) do
    local X = {}
    for a, n in ipairs(nodes) do X[a] = body.made.nodes[n] end
    for a, share in ipairs(sizes.shares(face, X)) do area[nodes[a]] = (area[nodes[a]] or 0.0) + share end
  end
  return area
end

local function add_contact(lowered, group, c, n, gap, slide, data)
  if not depends_on_motion(gap) then return end -- held in the direction of the gap: it cannot touch by itself
  local adhesion
  group.area = group.area or areas_of(group.body, c.boundary)
  table.insert(group.nodes, { contact = #lowered.contacts, node = n, area = group.area[n] })
  if c.adhesion then
    local area = E.sym("area", "data")
    data[area] = group.area[n]
    adhesion = {}
    for i, x in ipairs(c.adhesion) do adhesion[i] = area * E.lift(group.body.mesh.thickness or 1) * x end
  end
  table.insert(lowered.contacts, { name = ("%s_%d"):format(c.name, n), gap = gap, restitution = c.restitution,
    friction = c.friction, slip = c.friction and slide or nil, data = data, file = c.file, line = c.line,
    adhesion = adhesion, place = told_place(group.body, n), boundary = c.name })
  group.count = group.count + 1
end

local function surface(lowered, body, c)
  local group = { name = c.name, body = body, first = #lowered.contacts, count = 0, nodes = {} }
  local gap = distance.of(c, beside.numbers(lowered), body.made.nodes)
  for _, n in ipairs(made.nodes_of(body.made, c.boundary)) do
    local data, map, normal, velocity, slip = {}, {}, {}, {}, nil
    local x = place_of(lowered, body, n, "X", data)
    for k, symbol in ipairs(c.x) do
      map[symbol], velocity[k] = x[k], pairing.rate(x[k], lowered)
      map[E.sym(symbol.name .. ".dot", "v")] = velocity[k]
    end
    if c.friction and c.slip then
      slip = {}
      for i, node in ipairs(c.slip) do slip[i] = E.substitute(node, map) end
    elseif c.friction then
      for k, symbol in ipairs(c.x) do normal[k] = E.substitute(D.by(c.gap, symbol), map) end
      slip = pairing.slip(normal, velocity)
    end
    add_contact(lowered, group, c, n, E.substitute(gap, map), slip, data)
  end
  return group
end

local function dofs_of(body, n)
  local d = body.mesh.dimension
  return { table.unpack(body.dof, (n - 1) * d + 1, n * d) }
end

-- `faced`: contacts that must stay over their face, with what tells how far they are beyond its edges
local function pair(lowered, body, master, c)
  local group = { name = c.name, body = body, first = #lowered.contacts, count = 0, nodes = {} }
  local faces, far = master.made.boundaries[c.master_boundary], lowered.elements.size
  lowered.elements.releases = lowered.elements.releases or c.release
  local list, points = made.nodes_of(body.made, c.boundary), {}
  for i, n in ipairs(list) do points[i] = body.made.nodes[n] end
  local nearest = pairing.nearest(master.made.nodes, faces or {}, points)
  for i, n in ipairs(list) do
    local found = nearest[i]
    if found then
      local data, d = {}, body.mesh.dimension
      local apart, velocity, normal = place_of(lowered, body, n, "X", data), {}, {}
      for a, node in ipairs(found.face) do
        local y = place_of(lowered, master, node, "Y" .. a, data)
        local N = E.sym("N_" .. a, "data")
        data[N] = found.N[a]
        for k = 1, d do apart[k] = apart[k] - N * y[k] end
      end
      local gap = E.zero
      for k = 1, d do
        normal[k] = E.sym("n_" .. k, "data")
        data[normal[k]] = found.normal[k]
        velocity[k] = pairing.rate(apart[k], lowered)
        gap = gap + normal[k] * apart[k]
      end
      local edges = found.edges
      if c.release then
        gap = gap + far * pairing.off(edges, apart, master.made.nodes, found, body.made.nodes[n], data)
      end
      local row = group.first + group.count
      add_contact(lowered, group, c, n, gap, c.friction and pairing.slip_along(found.tangents, velocity, data), data)
      if group.first + group.count > row and #edges > 0 and not c.release then
        table.insert(lowered.elements.faced, { row = row, slave = dofs_of(body, n), masters = {}, weights = found.N, edges = edges })
        for a, node in ipairs(found.face) do lowered.elements.faced[#lowered.elements.faced].masters[a] = dofs_of(master, node) end
      end
    end
  end
  return group
end

-- outputs that both paths have, under the same names; gen/emit/elements.lua knows how to compute them
local function outputs(model, lowered, elements, body_of)
  local d = model.meshes[1].dimension
  local function add(name, unit, fields)
    fields.name, fields.unit, fields.expr, fields.of_mesh = name, unit, E.zero, true
    table.insert(lowered.outputs, fields)
  end
  for _, p in ipairs(model.probes) do
    local body = body_of[p.mesh]
    local best = made.nearest(body.made, p.at)
    for k = 1, d do
      add(("%s.%s"):format(p.name, axes[k]), "m",
        { place = body.made.nodes[best][k], dof = body.dof[(best - 1) * d + k], file = p.file, line = p.line })
    end
    for k = 1, d do add(("%s.%s.dot"):format(p.name, axes[k]), "m/s", { velocity = body.dof[(best - 1) * d + k] }) end
  end
  for _, name in ipairs { "kinetic", "elastic", "energy" } do add(name, "J", { energy = name }) end
  for _, group in ipairs(elements.groups) do
    add(group.name .. ".force", "N", { group = group, total = "force" })
    add(group.name .. ".impulse", "N s", { group = group, total = "impulse" })
    add(group.name .. ".closed", nil, { group = group, total = "closed" })
    for k = 1, d do add(("%s.force.%s"):format(group.name, axes[k]), "N", { group = group, axis = k }) end
  end
  for _, support in ipairs(elements.supports) do
    for k = 1, d do add(("%s.reaction.%s"):format(support.name, axes[k]), "N", { support = support, axis = k }) end
  end
end

-- step = cfl times the time in which the fastest wave crosses a cell of mean volume
local function step_of(model, bodies)
  local env, step = {}, math.huge
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, body in ipairs(bodies) do step = math.min(step, body.made.edge / eval(body.material.wave_speed, env)) end
  return step * model.run.cfl
end

-- Nodes inside obstacles at the start, at the default parameters: a little is told, more is refused when the model is run.
local function warn_of_penetration(lowered)
  local env, worst, depth, count = beside.numbers(lowered), nil, 1e-12 * lowered.elements.size, 0
  for _, c in ipairs(lowered.contacts) do
    local gap = c.data and eval(c.gap, setmetatable(c.data, { __index = env })) or 0.0
    if c.data then setmetatable(c.data, nil) end
    if gap < -1e-12 * lowered.elements.size then count = count + 1 end
    if -gap > depth then worst, depth = c, -gap end
  end
  if worst then
    lowered.warnings = { table.unpack(lowered.warnings or {}) }
    table.insert(lowered.warnings, ("%d node%s inside an obstacle at the start, deepest in contact '%s' %s by %.3g; beyond %.3g (1e-5 of "
      .. "the model's size) that is refused"):format(count, count == 1 and " is" or "s are", worst.name, worst.place, depth,
        1e-5 * lowered.elements.size))
  end
end

--- The ordinary model. lumped: masses on the diagonal; most: coordinates, by dimension, beyond which it is refused (nil: none).
function S.lower(model, lumped, most)
  local elements = { bodies = {}, motions = {}, groups = {}, faced = {}, tractions = {}, lumped = lumped,
    dimension = model.meshes[1].dimension }
  local lowered = { name = model.name, file = model.file, line = model.line, title = model.title, text = model.text, files = model.files,
    names = model.names, parameters = model.parameters, constants = model.constants, inputs = {}, coordinates = {}, rotations = {},
    terms = {}, contacts = {}, constraints = {}, outputs = {}, time = model.time, run = {}, warnings = model.warnings, used = model.used,
    meshes = {}, elements = elements, among = model.among }
  for key, x in next, model.run do lowered.run[key] = x end
  local body_of = {}
  for _, mesh in ipairs(model.meshes) do
    local body = { mesh = mesh, made = made.of(mesh), material = materials.of(mesh) }
    body_of[mesh] = body
    table.insert(elements.bodies, body)
  end
  local nodes = 0
  for _, body in ipairs(elements.bodies) do nodes = nodes + #body.made.nodes end
  most = most and most[elements.dimension] or math.huge
  if nodes * elements.dimension > most then
    refuse(model.meshes[1], "the meshes of '%s' have %d coordinates, but more than %d are for PETSc; write --path petsc, or fewer cells",
      model.name, nodes * elements.dimension, most)
  end
  for _, body in ipairs(elements.bodies) do unknowns(model, lowered, elements, body) end
  elements.supports = supports(model)
  for _, fix in ipairs(model.fixes) do fix.motions = nil end
  elements.size = sizes.extent(elements.bodies)
  elements.free = #lowered.coordinates
  if elements.free == 0 then refuse(model, "all nodes of '%s' are held; leave some free", model.name) end
  elements.prescribed = number_prescribed(elements, elements.free)
  beside.join(model, lowered)
  beside.check(model, elements, body_of)
  beside.ties(model, lowered, body_of, function(body, n, data) return place_of(lowered, body, n, "X", data) end)
  local function group(c, made_of)
    if made_of.count == 0 then
      refuse(c, "'%s' cannot touch anything: none of its nodes can move towards what it meets; leave it out", c.name)
    end
    table.insert(elements.groups, made_of)
  end
  for _, c in ipairs(model.surfaces) do group(c, surface(lowered, body_of[c.mesh], c)) end
  for _, c in ipairs(model.pairs) do group(c, pair(lowered, body_of[c.mesh], body_of[c.master], c)) end
  for _, t in ipairs(model.tractions) do
    local body = body_of[t.mesh]
    table.insert(elements.tractions, { body = body, faces = body.made.boundaries[t.boundary], X = t.X, value = t.value })
  end
  outputs(model, lowered, elements, body_of)
  table.move(model.outputs, 1, #model.outputs, #lowered.outputs + 1, lowered.outputs)
  warn_of_penetration(lowered)
  if #model.ties > 0 then beside.check_ties(lowered, elements.size, beside.numbers(lowered)) end
  if not lowered.run.step then lowered.run.step = step_of(model, elements.bodies) end
  return lowered
end

return S
