-- What meshes may touch: rigid obstacles (contact_surface), each other (contact_pair).
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local geometry = require "gen.lang.words.shapes.geometry"
local laws = require "gen.lang.laws"
local part = require "gen.lang.words.meshes.part"
local shape = require "gen.lang.words.shapes.shape"
local solid = require "gen.lang.words.shapes.solid"
local space = require "gen.lang.core.space"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local allow, places = part.allow, part.places
local metre = units.parse "m"

-- Does m:fix hold all nodes of a boundary in every direction?
local function is_held(model, mesh, boundary)
  local held, count = {}, 0
  for _, fix in ipairs(model.fixes) do
    for k = 1, mesh.dimension do
      if fix.mesh == mesh and fix.boundary == boundary and fix.components[k] and not held[k] then held[k], count = true, count + 1 end
    end
  end
  return count == mesh.dimension
end

local function refuse_held(c, title, boundary)
  fail(c, "%s cannot touch anything: m:fix holds all of '%s'; leave one of the two out", title, boundary)
end

-- the coefficients, which are known at the start
local function check(list, kind, env)
  for _, c in ipairs(list) do
    laws.check(c, env, ("%s '%s'"):format(kind, c.name))
    if c.friction and c.mesh.dimension == 1 then
      fail(c, "%s '%s' has friction, but in one dimension there is nothing to slide along; leave it out", kind, c.name)
    end
  end
end

local contact_surface = part.word { "contact_surface", group = "@@",
  "m:contact_surface(name, { mesh = ..., boundary = ..., gap = function(x, y, z, t) ... end, restitution = ..., friction = ... })\n"
  .. "m:contact_surface(name, { mesh = ..., boundary = ..., against = shape, restitution = ..., friction = ... })",
  summary = "Each node of a boundary is kept out of a rigid obstacle of any shape, or out of a shape of a rigid body that moves.",
  arguments = { word.name },
  options = laws.options("contact_surface", {
    { "mesh", "mesh", "What `mesh` returned.", required = true },
    { "boundary", "boundary", "The nodes that may touch.", required = true },
    { "gap", "function", [[Distance of a place in space from the obstacle at a time: positive outside. It need
      not be a true distance: it is divided by its slope. With coordinates in it what it pushes moves; friction then needs
      `against`.]], default = "none (against)" },
    { "against", "shape", [[A shape that nodes may touch: in the plane a disk, plane, segment or arc, in space a sphere, plane, box,
      capsule or surface. Forces on the nodes act on the body it is fixed to.]], default = "none (gap)" } }),
  example = [[
local mu = m:parameter("mu", 0.3, "1")
m:contact_surface("floor", { mesh = block, boundary = "bottom", gap = function(x, y, z, t) return z end, friction = mu })
local ball = m:free_body("ball", { mass = 5, inertia = 0.1, at = { 0.5, 0.5, 1.3 } })
m:contact_surface("hit", { mesh = block, boundary = "top", against = m:sphere("ball", { body = ball, radius = 0.2 }), friction = mu })]] }

local GAP = { param = true, time = true, q = true }

-- the gap as a function of the place: with the symbols of that place
local function written(model, o, title, where)
  local symbols, arguments = places(o.mesh, "x")
  arguments[#arguments + 1] = value.wrap(model.time)
  local what = "gap of " .. title
  local gap = o.gap(table.unpack(arguments))
  if not value.is(gap) then
    fail(where, "%s gives %s; return one expression of the place", what, value.describe(gap))
  end
  value.expect(value.lift(gap, what), metre, what, where)
  local node = value.node(gap)
  allow(node, symbols, GAP, what, where, "write it with the arguments of the function, numbers, parameters, coordinates and time")
  local touches, moves = false, false
  for _, s in ipairs(E.symbols(node)) do touches, moves = touches or s.kind == "local", moves or s.kind == "q" end
  if not touches then fail(where, "%s does not depend on the place; write the distance from the obstacle", what) end
  if moves and o.friction then
    fail(where, "%s has coordinates in it, so %s does not know how fast the obstacle slides by; write against = a shape of the body", what,
      title)
  end
  return { x = symbols, gap = node, moves = moves }
end

-- which shapes a node touches, as what has no extent
local touched = { [2] = geometry.pairs, [3] = solid.pairs }
local point = { [2] = "disk", [3] = "sphere" }

-- gap and slip of a node at a place that is a symbol, with a velocity of its own
local function shaped(o, title, where)
  local d, fields = o.mesh.dimension, shape.fields(o.against)
  local found, covered = false, {}
  for _, pair in ipairs(touched[d] or {}) do
    if pair[1] == point[d] then
      found = found or pair[2] == fields.kind
      covered[#covered + 1] = pair[2]
    end
  end
  if not found or (fields.spatial and 3 or 2) ~= d then
    fail(where, "%s: a node of a mesh of %d dimension%s against %s '%s' is not covered; %s", title, d, d == 1 and "" or "s", fields.kind,
      fields.name, d == 1 and "write gap = function(x, t) ... end" or "covered are " .. table.concat(covered, ", ")
        .. (d == 2 and " in the plane" or " in space"))
  end
  local x, place, zero = {}, {}, value.lift(0)
  for k = 1, d do
    x[k] = E.sym("node." .. part.axes[k], "q")
    place[k] = value.wrap(x[k], metre)
  end
  local node = d == 2 and { kind = "disk", ball = { centre = place, radius = zero, spin = zero } }
    or { kind = "sphere", frame = { at = place }, balls = { { centre = place, arm = space.origin, radius = zero } } }
  local c = (d == 2 and geometry or solid).contacts(node, fields)[1]
  return { x = x, gap = value.node(c.gap), slip = value.nodes(c.slip), moves = true }
end

function contact_surface.means(model, state, given, where)
  local name, o, title = accept.named(contact_surface, given, where)
  state.declare(state.taken, name, "contact surface", where)
  part.check_boundary(o.mesh, o.boundary, where)
  if (o.gap == nil) == (o.against == nil) then
    fail(where, "%s needs either gap or against; write gap = function(x, y, z, t) ... end or against = a shape", title)
  end
  local made = o.gap and written(model, o, title, where) or shaped(o, title, where)
  made.name, made.mesh, made.boundary = name, o.mesh, o.boundary
  laws.take(made, o, title, where)
  part.add(model, "surfaces", where, made)
end

function contact_surface.check(model, env)
  check(model.surfaces, "contact surface", env)
  for _, c in ipairs(model.surfaces) do
    if not c.moves and is_held(model, c.mesh, c.boundary) then refuse_held(c, ("contact surface '%s'"):format(c.name), c.boundary) end
  end
end

local contact_pair = part.word { "contact_pair", group = "@@",
  "m:contact_pair(name, { mesh = ..., boundary = ..., master = ..., master_boundary = ..., "
  .. "restitution = ..., friction = ..., off_face = ... })",
  summary = [[Each node of one boundary is kept out of the surface that the faces of another make. Which face a node meets
    is found once, in the undeformed bodies: for sliding that is small against a face.]],
  arguments = { word.name },
  options = laws.options("contact_pair", {
    { "mesh", "mesh", "The body with the nodes: the finer or softer one.", required = true },
    { "boundary", "boundary", "Its nodes that may touch.", required = true },
    { "master", "mesh", "The body with the faces.", required = true },
    { "master_boundary", "boundary", "Its faces that may be touched.", required = true } }, {
    { "off_face", "choice", [[What happens when a node presses more than a tenth of its face's width beyond the face's edge:
      `"stop"` ends the run and names it; `"release"` ends its contact for as long as it is there, as at the end of a body.]],
      choices = { "stop", "release" }, default = '"stop"' } }),
  notes = [[The gap of a node is its distance from the nearest point of the nearest face along that face's normal; point and
    normal stay with the face, so sliding beyond a face, turning of the bodies and new neighbours are not followed; `off_face` says what
    becomes of a node that has left its face. Forces on a
    node act on the nodes of its face with the weights of that point: momentum is kept exactly. Constant pressure goes through
    exactly where nodes meet nodes or the master's faces are cut evenly, nearly elsewhere: make the mesh with the nodes the
    finer one. Only nodes are kept out: nodes of the master may pass between them. On PETSc a node of the master's faces must
    not be a contact node itself, and a node that is fixed must not meet a face that can move.]],
  example = [[
local upper = m:mesh("upper", { cells = { 2, 2, 2 }, size = { 0.5, 0.5, 0.5 }, origin = { 0.25, 0.25, 1 } })
m:elastic(upper, { E = 70e9, nu = 0.3, rho = 2700 })
m:contact_pair("between", { mesh = upper, boundary = "bottom", master = block, master_boundary = "top", friction = 0.2,
  adhesion = { stiffness = 1e14, energy = 500, viscosity = 1e-3 } }) -- glued, and off for good where that gives way]] }

function contact_pair.means(model, state, given, where)
  local name, o, title = accept.named(contact_pair, given, where)
  state.declare(state.taken, name, "contact pair", where)
  part.check_boundary(o.mesh, o.boundary, where)
  part.check_boundary(o.master, o.master_boundary, where)
  if o.mesh == o.master and o.boundary == o.master_boundary then
    fail(where, "%s is between '%s' and itself; give two boundaries", title, o.boundary)
  end
  part.add(model, "pairs", where, laws.take({ name = name, mesh = o.mesh, boundary = o.boundary, master = o.master,
    master_boundary = o.master_boundary, release = o.off_face == "release" }, o, title, where))
end

function contact_pair.check(model, env)
  check(model.pairs, "contact pair", env)
  for _, c in ipairs(model.pairs) do
    if is_held(model, c.mesh, c.boundary) and is_held(model, c.master, c.master_boundary) then
      refuse_held(c, ("contact pair '%s'"):format(c.name), ("%s' and '%s"):format(c.boundary, c.master_boundary))
    end
  end
end

return { words = { contact_surface, contact_pair } }
