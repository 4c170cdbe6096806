-- Meshes beside mechanisms: a node as a point for springs, forces, constraints and outputs; a boundary that is fixed to a rigid body.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local body = require "gen.lang.words.bodies.body"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local frames = require "gen.lang.words.bodies.frame"
local made = require "gen.fem.made"
local materials = require "gen.fem.material"
local part = require "gen.lang.words.meshes.part"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local subject, metre = part.subject, units.parse "m"

local node = part.word { "node", "m:node(mesh, { x, y, z })",
  summary = [[A node of a mesh as a point of the mechanism around it: an end of `spring` and `damper`, what `force` acts on, in
    `constraint`, `contact` and `output`.]],
  gives = "its place, a list of as many expressions as the mesh has dimensions; `p[1].dot` is its velocity along x",
  arguments = { part.mesh, { "at", "lengths", "A place in the undeformed body; the nearest node is taken.", dim = "m", required = true } },
  notes = "Not for a node that `fix` holds: its place is known.",
  example = [[
local corner = m:node(block, { 1, 1, 1 })
local k = m:parameter("k", 1e6, "N/m")
m:spring("rope", { between = { corner, { 1, 1, 3 } }, stiffness = k, rest = 1.5 })
m:output("speed", corner[3].dot)]] }

function node.means(model, _, given, where)
  local a = part.about(node, given, where)
  local mesh, d = a.mesh, a.mesh.dimension
  if #a.at ~= d then fail(where, "at of node has %d numbers, but %s has %d dimensions", #a.at, subject(mesh), d) end
  local m = made.of(mesh)
  local n = made.nearest(m, part.numbers(a.at, d))
  local entry, place = part.add(model, "nodes", where, { mesh = mesh, node = n, q = {}, v = {} }), {}
  function entry.mass(env) -- that of a mean cell, for checks of what is added to it
    return m.edge ^ d * eval(E.lift(mesh.thickness), env) * eval(E.lift(materials.of(mesh).rho), env)
  end
  for k = 1, d do
    local name = made.name(mesh, n, k)
    entry.q[k], entry.v[k] = E.sym(name, "q"), E.sym(name .. ".dot", "v")
    place[k] = value.wrap(E.num(m.nodes[n][k]) + entry.q[k], metre)
  end
  return place
end

--- Displacements and velocities of nodes at the start, for checks.
function node.start(model, env)
  for _, entry in ipairs(model.nodes) do
    local start, at = entry.mesh.start or { X = {} }, setmetatable({}, { __index = env })
    for k, s in ipairs(start.X) do at[s] = made.of(entry.mesh).nodes[entry.node][k] end
    for k, q in ipairs(entry.q) do
      env[q] = start.displacement and eval(E.lift(start.displacement[k]), at) or 0.0
      env[entry.v[k]] = start.velocity and eval(E.lift(start.velocity[k]), at) or 0.0
    end
  end
end

--- The set of the symbols of nodes.
function node.symbols(model)
  local set = {}
  for _, entry in ipairs(model.nodes) do
    for k, q in ipairs(entry.q) do set[q], set[entry.v[k]] = true, true end
  end
  return set
end

local tie = part.word { "tie", "m:tie(name, { mesh = ..., boundary = ..., body = ... })",
  summary = [[Fixes the nodes of a boundary to a rigid body: they stay at the places of the body at which they are in the undeformed
    mesh when the body is where it starts.]],
  arguments = { word.name },
  options = {
    { "mesh", "mesh", "What `mesh` returned.", required = true },
    { "boundary", "boundary", "The nodes that are fixed.", required = true },
    { "body", "any_body", "What `body`, `free_body` or `link` returned.", required = true } },
  notes = "One constraint for each node and direction, `NAME_<node>_x` and so on. A node of two ties to the same body is tied once.",
  preamble = part.bare,
  example = [[
local plate = m:mesh("plate", { cells = { 4, 2 }, size = { 2, 1 } })
m:elastic(plate, { E = 1e6, nu = 0.3, rho = 1000 })
local x = m:coordinate("x", { unit = "m", initial = 2 })
local y = m:coordinate("y", { unit = "m", initial = 0.5 })
local a = m:coordinate("a", { unit = "rad" })
local head = m:body("head", { mass = 50, inertia = 2, at = { x, y }, angle = a })
m:tie("weld", { mesh = plate, boundary = "right", body = head })]] }

function tie.means(model, state, given, where)
  local name, o, title = accept.named(tie, given, where)
  state.declare(state.taken, name, "tie", where)
  part.check_boundary(o.mesh, o.boundary, where)
  local d, spatial = o.mesh.dimension, frames.is(o.body)
  if d ~= (spatial and 3 or 2) then
    fail(where, "%s is of %s, which has %d dimension%s, but its body has %d; give both as many", title, subject(o.mesh), d,
      d == 1 and "" or "s", spatial and 3 or 2)
  end
  local frame, R = spatial and frames.frame(o.body) or body.frame(o.body), nil
  if spatial and frame.R then
    R = {}
    for i = 1, 3 do R[i] = value.nodes(frame.R[i]) end
  elseif not spatial and frame.angle then
    local angle = value.node(frame.angle)
    R = { { E.cos(angle), -E.sin(angle) }, { E.sin(angle), E.cos(angle) } }
  end
  part.add(model, "ties", where, { name = name, mesh = o.mesh, boundary = o.boundary, at = value.nodes(frame.at), R = R, body = o.body })
end

return { words = { node, tie }, node = node }
