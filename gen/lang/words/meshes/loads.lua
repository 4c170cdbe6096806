-- How meshes are held, loaded and started, and where they are looked at.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local part = require "gen.lang.words.meshes.part"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local axes, allow, subject, places, field, MOVING = part.axes, part.allow, part.subject, part.places, part.field, part.MOVING

local fix = part.word { "fix", "m:fix(mesh, boundary)\nm:fix(mesh, boundary, { x = ..., y = ..., z = ... })\n"
  .. "m:fix(mesh, boundary, { motion = function(X, Y, Z, t) return { ux, uy, uz } end })",
  summary = "Holds the nodes of a boundary, or moves them as prescribed. Without options none of them moves.",
  arguments = { part.mesh, part.boundary },
  options = {
    { "x", "expression", "Displacement along x: a number, or an expression of time and parameters.", dim = "m",
      default = "free" },
    { "y", "expression", "Likewise along y.", dim = "m", default = "free" },
    { "z", "expression", "Likewise along z.", dim = "m", default = "free" },
    { "motion", "field", [[Displacement of every direction as a function of the undeformed place and time; `false` for a
      direction that stays free.]], default = "none" } },
  notes = [[A node on two such boundaries obeys the later one in the directions that both name. `result.csv` has the force of the
    support on the body as `MESH.BOUNDARY.reaction.x` and so on: the mean of the last step, inertia included (without PETSc, of what
    acts at its two ends); of contact forces that act on held nodes themselves it knows nothing.]],
  example = [[
m:fix(block, "left", { x = 0 })
m:fix(block, "bottom", { motion = function(X, Y, Z, t) return { 1e-6 * carom.sin(100 * t), false, 0 } end })]] }

function fix.means(model, _, given, where)
  local a, o, title = part.about(fix, given, where)
  local mesh, d = a.mesh, a.mesh.dimension
  part.check_boundary(mesh, a.boundary, where)
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
  part.add(model, "fixes", where, { mesh = mesh, boundary = a.boundary, components = held, X = symbols,
    motion = not still and motion or nil })
end

local body_force = part.word { "body_force", "m:body_force(mesh, function(X, Y, Z, t) return { bx, by, bz } end)",
  summary = "A force per mass on the whole body, such as weight. `gravity` acts on meshes as well.",
  arguments = { part.mesh, { "field", "field", "Of the undeformed place and time, or a list of constant components.",
    required = true } },
  example = 'm:body_force(block, { 0, 0, -9.81 })' }

function body_force.means(model, _, given, where)
  local a, _, title = part.about(body_force, given, where)
  if a.mesh.load then fail(where, "%s already has a body force; add the two in one function", subject(a.mesh)) end
  local symbols, list = field(model, a.mesh, a.field, { kinds = MOVING, dim = "m/s^2" }, title, where)
  a.mesh.load = { X = symbols, value = list }
end

--- Weight acts on every mesh, besides its own body force
local function weigh(model)
  if not model.gravity or #model.meshes == 0 then return end
  for _, mesh in ipairs(model.meshes) do
    local X, list = {}, {}
    for i = 1, mesh.dimension do
      X[i] = E.sym("X_" .. i, "local")
      list[i] = model.gravity[i] or E.zero
      if mesh.load then list[i] = list[i] + mesh.load.value[i] end
    end
    mesh.load = { X = X, value = list }
  end
end

local traction = part.word { "traction", "m:traction(mesh, boundary, function(X, Y, Z, t) return { px, py, pz } end)",
  summary = "A force per undeformed area on a boundary (per area also in the plane; on the end of a bar).",
  arguments = { part.mesh, part.boundary,
    { "field", "field", "Of the undeformed place and time, or a list of constant components.", required = true } },
  example = [[
local p = m:parameter("p", 1e6, "Pa")
m:traction(block, "top", function(X, Y, Z, t) return { 0, 0, -p * carom.min(t / 1e-3, 1) } end)]] }

function traction.means(model, _, given, where)
  local a, _, title = part.about(traction, given, where)
  part.check_boundary(a.mesh, a.boundary, where)
  local symbols, list = field(model, a.mesh, a.field, { kinds = MOVING, dim = "Pa" }, title, where)
  part.add(model, "tractions", where, { mesh = a.mesh, boundary = a.boundary, X = symbols, value = list })
end

local start = part.word { "start", group = "@@",
  "m:start(mesh, { displacement = function(X, Y, Z) ... end, velocity = function(X, Y, Z) ... end })",
  summary = "How a body starts; without it, undeformed and at rest.",
  arguments = { part.mesh },
  options = {
    { "displacement", "field", "Of the undeformed place and parameters, or constant components.", default = "0" },
    { "velocity", "field", "Likewise.", default = "0" } },
  example = 'm:start(block, { velocity = { 0, 0, -1 } })' }

function start.means(model, _, given, where)
  local a, o, title = part.about(start, given, where)
  if a.mesh.start then fail(where, "start of %s is already given; keep one of the two", subject(a.mesh)) end
  local given_start = { X = places(a.mesh, "X") }
  local dims = { displacement = "m", velocity = "m/s" }
  for _, what in ipairs { "displacement", "velocity" } do
    if o[what] then
      given_start[what] = select(2,
        field(model, a.mesh, o[what], { kinds = part.STATIC, dim = dims[what] }, what .. " of " .. title, where))
    end
  end
  a.mesh.start = given_start
end

local probe = part.word { "probe", "m:probe(name, { mesh = ..., at = { x, y, z } })",
  summary = "Place and velocity of a node in the result: columns `NAME.x NAME.x.dot` and so on.",
  arguments = { word.name },
  options = {
    { "mesh", "mesh", "What `mesh` returned.", required = true },
    { "at", "lengths", "A place in the undeformed body; the nearest node is taken.", dim = "m", required = true } },
  example = 'm:probe("corner", { mesh = block, at = { 0, 0, 0 } })' }

function probe.means(model, state, given, where)
  local name, o, title = accept.named(probe, given, where)
  state.declare(state.taken, name, "probe", where)
  local d = o.mesh.dimension
  if #o.at ~= d then fail(where, "at of %s has %d numbers, but %s has %d dimensions", title, #o.at, subject(o.mesh), d) end
  part.add(model, "probes", where, { name = name, mesh = o.mesh, at = part.numbers(o.at, d) })
end

return { words = { fix, body_force, traction, start, probe }, weigh = weigh }
