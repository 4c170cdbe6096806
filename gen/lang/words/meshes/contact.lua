-- What meshes may touch: rigid obstacles (contact_surface), each other (contact_pair).
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local part = require "gen.lang.words.meshes.part"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local allow, places, STATIC, MOVING = part.allow, part.places, part.STATIC, part.MOVING
local metre = units.parse "m"

local restitution = { "restitution", "expression", "Newton's coefficient, a number or an expression of parameters.",
  dim = "1", default = "0" }
local friction = { "friction", "expression", "Coulomb's coefficient, a number or an expression of parameters.", dim = "1",
  default = "none (no friction)" }

-- restitution and friction, numbers or expressions of parameters
local function law(o, title, where)
  local function coefficient(name)
    if not o[name] then return nil end
    allow(value.node(o[name]), {}, STATIC, name .. " of " .. title, where, "write a number or an expression of parameters")
    return value.node(o[name])
  end
  return coefficient "restitution" or E.zero, coefficient "friction"
end

-- bounds of the coefficients, which are known at the start
local function check(list, kind, env)
  for _, c in ipairs(list) do
    for _, bound in ipairs { { "restitution", 1 }, { "friction", math.huge } } do
      local field, what = bound[1], ("%s of %s '%s'"):format(bound[1], kind, c.name)
      if c[field] then look.within(look.number(c[field], env, c, what), c, what, bound[2]) end
    end
    if c.friction and c.mesh.dimension == 1 then
      fail(c, "%s '%s' has friction, but in one dimension there is nothing to slide along; leave it out", kind, c.name)
    end
  end
end

local contact_surface = part.word { "contact_surface", group = "@@",
  "m:contact_surface(name, { mesh = ..., boundary = ..., gap = function(x, y, z, t) ... end, "
  .. "restitution = ..., friction = ... })",
  summary = "Each node of a boundary is kept out of a rigid obstacle of any shape.",
  arguments = { word.name },
  options = {
    { "mesh", "mesh", "What `mesh` returned.", required = true },
    { "boundary", "boundary", "The nodes that may touch.", required = true },
    { "gap", "function", [[Distance of a place in space from the obstacle at a time: positive outside. It need
      not be a true distance: it is divided by its slope.]], required = true },
    restitution, friction },
  example = [[
local mu = m:parameter("mu", 0.3, "1")
m:contact_surface("floor", { mesh = block, boundary = "bottom", gap = function(x, y, z, t) return z end, friction = mu })]] }

function contact_surface.means(model, state, given, where)
  local name, o, title = accept.named(contact_surface, given, where)
  state.declare(state.taken, name, "contact surface", where)
  part.check_boundary(o.mesh, o.boundary, where)
  local symbols, arguments = places(o.mesh, "x")
  arguments[#arguments + 1] = value.wrap(model.time)
  local what = "gap of " .. title
  local gap = o.gap(table.unpack(arguments))
  if not value.is(gap) then
    fail(where, "%s gives %s; return one expression of the place", what, value.describe(gap))
  end
  value.expect(value.lift(gap, what), metre, what, where)
  local node = value.node(gap)
  allow(node, symbols, MOVING, what, where, part.instead_of[MOVING])
  local touches = false
  for _, s in ipairs(E.symbols(node)) do touches = touches or s.kind == "local" end
  if not touches then fail(where, "%s does not depend on the place; write the distance from the obstacle", what) end
  local e, mu = law(o, title, where)
  part.add(model, "surfaces", where, { name = name, mesh = o.mesh, boundary = o.boundary, x = symbols, gap = node,
    restitution = e, friction = mu })
end

function contact_surface.check(model, env) check(model.surfaces, "contact surface", env) end

local contact_pair = part.word { "contact_pair", group = "@@",
  "m:contact_pair(name, { mesh = ..., boundary = ..., master = ..., master_boundary = ..., "
  .. "restitution = ..., friction = ..., off_face = ... })",
  summary = [[Each node of one boundary is kept out of the surface that the faces of another make. Which face a node meets
    is found once, in the undeformed bodies: for sliding that is small against a face.]],
  arguments = { word.name },
  options = {
    { "mesh", "mesh", "The body with the nodes: the finer or softer one.", required = true },
    { "boundary", "boundary", "Its nodes that may touch.", required = true },
    { "master", "mesh", "The body with the faces.", required = true },
    { "master_boundary", "boundary", "Its faces that may be touched.", required = true }, restitution, friction,
    { "off_face", "choice", [[What happens when a node presses more than a tenth of its face's width beyond the face's edge:
      `"stop"` ends the run and names it; `"release"` ends its contact for as long as it is there, as at the end of a body.]],
      choices = { "stop", "release" }, default = '"stop"' } },
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
m:contact_pair("between", { mesh = upper, boundary = "bottom", master = block, master_boundary = "top", friction = 0.2 })]] }

function contact_pair.means(model, state, given, where)
  local name, o, title = accept.named(contact_pair, given, where)
  state.declare(state.taken, name, "contact pair", where)
  part.check_boundary(o.mesh, o.boundary, where)
  part.check_boundary(o.master, o.master_boundary, where)
  if o.mesh == o.master and o.boundary == o.master_boundary then
    fail(where, "%s is between '%s' and itself; give two boundaries", title, o.boundary)
  end
  local e, mu = law(o, title, where)
  part.add(model, "pairs", where, { name = name, mesh = o.mesh, boundary = o.boundary, master = o.master,
    master_boundary = o.master_boundary, release = o.off_face == "release", restitution = e, friction = mu })
end

function contact_pair.check(model, env) check(model.pairs, "contact pair", env) end

return { words = { contact_surface, contact_pair } }
