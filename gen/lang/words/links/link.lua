-- The word link: a rigid body on a joint of its own, in joint coordinates. Links that hang on each other are one term, the
-- tree; joints with several coordinates are chains of links without mass.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local contacts = require "gen.lang.words.contacts"
local fail = require "gen.lang.core.fail"
local kinematics = require "gen.lang.words.links.frame"
local free_body = require "gen.lang.words.bodies.frame"
local look = require "gen.lang.core.look"
local names = require "gen.lang.core.names"
local space = require "gen.lang.core.space"
local spatial = require "gen.lang.words.bodies.free_body"
local text = require "gen.lang.core.text"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local nodes, static = value.nodes, look.still
local zero, one = value.lift(0), value.lift(1)
local SHARP = 1e-15 -- cos(pi/2) is meant to be 0

local function rows(matrix) return { nodes(matrix[1]), nodes(matrix[2]), nodes(matrix[3]) } end

accept.types.link = { shown = "link", read = function(x, what, where)
  if not free_body.is(x) then
    accept.expected(what, "a link or a free body", x, where, "give what m:link or m:free_body returned, or nothing for the ground")
  end
  return x
end }

-- three rows of a rotation matrix, or { axis = { x, y, z }, angle = ... }
accept.types.rotation = { shown = "`{ axis =, angle = }` or three rows", read = function(x, what, where)
  local write = "write { axis = { x, y, z }, angle = ... } or three rows"
  if not accept.plain_table(x) then accept.expected(what, "an axis and an angle", x, where, write) end
  if #x == 3 then
    local list = {}
    for i = 1, 3 do list[i] = accept.types.vector.read(x[i], "row " .. i .. " of " .. what, where, "1") end
    return list
  end
  if #x > 0 or x.axis == nil or x.angle == nil then accept.expected(what, "an axis and an angle", x, where, write) end
  return { axis = accept.types.vector.read(x.axis, "axis of " .. what, where),
    angle = accept.types.expression.read(x.angle, "angle of " .. what, where, "rad") }
end }

-- one expression for each coordinate of a joint; a joint with one coordinate needs no list
accept.types.joint_values = { shown = "expression or `{ e1, e2 }`", read = function(x, what, where)
  if not accept.plain_table(x) then return { value.lift(x, what) } end
  if #x < 1 or #x > 3 then accept.expected(what, "one expression for each coordinate", x, where, "write { e1, e2 }") end
  local list = {}
  for i = 1, #x do list[i] = value.lift(x[i], "entry " .. i .. " of " .. what) end
  return list
end }

accept.types.limits = { shown = "`{ low, high }`", read = function(x, what, where)
  if not accept.plain_table(x) or #x ~= 2 then accept.expected(what, "two expressions", x, where, "write { low, high }") end
  return { value.lift(x[1], "the first of " .. what), value.lift(x[2], "the second of " .. what) }
end }

local ex, ey, ez = { one, zero, zero }, { zero, one, zero }, { zero, zero, one }
local identity = { ex, ey, ez }

-- the joints that each type is made of: { kind, axis }, from the parent outwards
local types = {
  fixed = function() return {} end,
  revolute = function(a) return { { "revolute", a } } end,
  prismatic = function(a) return { { "prismatic", a } } end,
  cylindrical = function(a) return { { "prismatic", a }, { "revolute", a } } end,
  universal = function(a, b) return { { "revolute", a }, { "revolute", b } } end,
  spherical = function() return { { "revolute", ex }, { "revolute", ey }, { "revolute", ez } } end,
  planar = function(a)
    local t1, t2 = space.tangents(a)
    return { { "prismatic", t1 }, { "prismatic", t2 }, { "revolute", a } }
  end,
}

-- A rotation given as rows or as axis and angle; entries that are 0 or 1 up to rounding are made so.
local function mounting(o, subject, where)
  if not o then return nil end
  local R = o
  if o.axis then R = kinematics.about(spatial.unit(o.axis, "axis of rotation of " .. subject, where), o.angle) end
  local result = {}
  for i = 1, 3 do
    result[i] = {}
    for j = 1, 3 do
      local n = value.node(R[i][j])
      if n.op == "num" then
        local whole = math.floor(n.value + 0.5)
        if math.abs(n.value - whole) < SHARP then n = E.num(whole) end
      end
      result[i][j] = value.wrap(n, units.any)
    end
  end
  return result
end

-- the k-th of the values given for the coordinates of a joint
local function nth(list, k, count, what, where, default)
  if not list then return default end
  if #list ~= count then
    fail(where, "%s has %d value%s but the joint has %d coordinate%s; write one for each", what, #list, #list == 1 and "" or "s",
      count, count == 1 and "" or "s")
  end
  return list[k]
end

-- Declares the k-th coordinate of a link.
local function coordinate(model, state, name, o, subject, where, part, k, count)
  local full = count > 1 and name .. "_" .. k or name
  local why, instead = names.refusal(full)
  if why then fail(where, "the name '%s' of a coordinate of %s %s; %s", full, subject, why, instead) end
  state.declare(state.taken, full, "link", where)
  local unit = part[1] == "revolute" and "rad" or "m"
  local dim = units.parse(unit)
  local initial = nth(o.initial, k, count, "initial of " .. subject, where, zero)
  local velocity = nth(o.velocity, k, count, "velocity of " .. subject, where, zero)
  value.expect(initial, dim, "initial of " .. subject, where)
  value.expect(velocity, units.div(dim, units.second), "velocity of " .. subject, where)
  static({ initial, velocity }, "the start of " .. subject, where)
  local c = { name = full, unit = unit, q = E.sym(full, "q"), v = E.sym(full .. ".dot", "v"), initial = value.node(initial),
    velocity = value.node(velocity), file = where.file, line = where.line }
  table.insert(model.coordinates, c)
  local motor = nth(o.motor, k, count, "motor of " .. subject, where)
  if motor then
    value.expect(motor, units.div(units.energy, dim), "motor of " .. subject, where)
    table.insert(model.terms, { kind = "force", on = c, value = value.node(motor), file = where.file, line = where.line })
  end
  return value.wrap(c.q, dim), value.wrap(c.v, units.div(dim, units.second)), initial
end

-- Joint limits are contacts.
local function limits(model, state, name, o, subject, where, q)
  if not o.limits then
    if o.restitution then fail(where, "%s has restitution but no limits; write limits = { low, high }", subject) end
    return
  end
  if #q ~= 1 then
    fail(where, "limits of %s are for joints of one coordinate; write m:contact with a gap of its .q", subject)
  end
  static(o.limits, "limits of " .. subject, where)
  contacts.limits(model, state, name, o, subject, where, q[1])
end

-- Appends a link to its tree.
local function append(term, name, link, where, mass, center, inertia)
  table.insert(term.links, { name = name, joint = link.joint, parent = link.parent and link.parent.index or 0,
    q = link.q and value.node(link.q), axis = nodes(link.axis), at = nodes(link.at), rotation = rows(link.mounting or identity),
    mass = value.node(mass), center = nodes(center), inertia = rows(inertia), file = where.file, line = where.line })
  link.index, link.term = #term.links, term
end

local massless = { space.origin, space.origin, space.origin }

local link = word { "link", group = "Bodies in space",
  "m:link(name, { parent = ..., joint = ..., axis = { x, y, z }, at = { x, y, z }, mass = ..., "
  .. "inertia = ..., center = { x, y, z } })",
  summary = [[A rigid body on a joint: to its parent, a link or a free body, or to the ground. It adds one coordinate `NAME` for each
    direction the joint leaves free (`NAME_1 NAME_2` ... where there are several) and, with `gravity`, its weight. The
    equations of a tree of links are made by recursion through the links, which is much shorter than the same bodies
    written as energies or as free bodies with constraints. Where the coordinates are 0, the frame of the link stands at
    `at` in the frame of the parent, turned by `rotation`.]],
  gives = [[a link `l` with `l.q` (the coordinate, or a list of them), `l.at` (its origin in space), `l:point(dx, dy, dz)`
    and `l:direction(dx, dy, dz)` (a point or a vector of its frame, in space) and `l.spin` (along its own axes). It can
    stand wherever a free body can: in shapes, in `force` and, to close a loop, in `joint`]],
  arguments = { word.name },
  options = {
    { "parent", "link", [[The link it hangs on, or a free body: the base of the tree, which moves and turns freely and feels
      what hangs on it.]], default = "none (the ground)" },
    { "joint", "choice", [[`"revolute"` turns about the axis (rad), `"prismatic"` slides along it (m), `"fixed"` does
      neither; `"cylindrical"` slides, then turns (2 coordinates), `"universal"` turns about `axis`, then `axis2` (2),
      `"spherical"` turns about x, y and z one after the other (3; singular where the second angle is a right one),
      `"planar"` slides twice in the plane across the axis, then turns about it (3).]],
      choices = { "revolute", "prismatic", "fixed", "cylindrical", "universal", "spherical", "planar" }, required = true },
    { "axis", "vector", [[Axis of the joint, in its own frame (the frame of the parent, turned by `rotation`). Coordinate
      axes give the shortest code.]], default = "{ 0, 0, 1 }" },
    { "axis2", "vector", "Second axis of a universal joint, in the frame that the first has turned.", default = "none" },
    { "at", "vector", "The origin of the joint in the frame of the parent.", dim = "m", default = "{ 0, 0, 0 }" },
    { "rotation", "rotation", "How the frame of the joint is turned against that of the parent.", default = "not turned" },
    { "mass", "expression", "Mass, a number or an expression of parameters.", dim = "kg", default = "0" },
    { "inertia", "tensor", "Inertia about the centre of mass, along the axes of the link.", dim = "kg m^2", default = "0" },
    { "center", "vector", "Centre of mass in the frame of the link.", dim = "m", default = "{ 0, 0, 0 }" },
    { "initial", "joint_values", "The coordinate at the start; a list where there are several.", default = "0" },
    { "velocity", "joint_values", "Its velocity at the start; likewise.", default = "0" },
    { "limits", "limits", "The coordinate stays between these two, by contacts `NAME_low` and `NAME_high`.", default = "none" },
    { "restitution", "expression", "Restitution of both limits.", dim = "1", default = "0" },
    { "motor", "joint_values", [[Torque (N m) or force (N) on the coordinate: an input, or any expression; a list where there
      are several coordinates.]], default = "none" } },
  notes = [[A link without mass is a frame, or an axis more. Vectors, masses and inertias are numbers or expressions of
    parameters. A loop is closed with `joint` or `constraint`.]],
  example = [[
m:gravity(0, 0, -9.81)
local drive = m:input("drive", 0, "N m")
local upper = m:link("upper", { joint = "revolute", axis = { 0, 1, 0 }, mass = 2, inertia = { 0.02, 0.02, 0.002 },
  center = { 0, 0, -0.2 }, initial = 0.5, limits = { -2, 2 }, restitution = 0.3, motor = drive })
local lower = m:link("lower", { parent = upper, joint = "revolute", axis = { 0, 1, 0 }, at = { 0, 0, -0.4 }, mass = 1,
  inertia = { 0.01, 0.01, 0.001 }, center = { 0, 0, -0.2 } })
local tip = lower:point(0, 0, -0.4)
m:contact("floor", { gap = tip[3] + 0.79, restitution = 0.2, friction = 0.3, slide = tip[1] })]] }

function link.means(model, state, given, where)
  local name, o, subject = accept.named(link, given, where)
  state.declare(state.bodies, name, "link", where)
  for _, field in ipairs { "axis", "axis2", "at", "center" } do static(o[field], field .. " of " .. subject, where) end
  if o.joint == "universal" and not o.axis2 then
    fail(where, "%s is universal and needs its second axis; write axis2 = { x, y, z }", subject)
  end
  if o.axis2 and o.joint ~= "universal" then
    fail(where, "%s is %s and has no second axis; leave axis2 out", subject, o.joint)
  end
  if o.axis and (o.joint == "fixed" or o.joint == "spherical") then
    fail(where, "%s is %s and has no axis; leave it out", subject, o.joint)
  end
  local axis = o.axis and spatial.unit(o.axis, "axis of " .. subject, where) or ez
  local parts = types[o.joint](axis, o.axis2 and spatial.unit(o.axis2, "axis2 of " .. subject, where))
  local parent = o.parent and kinematics.carrier(o.parent)
  local term = parent and parent.term
  if not term then
    term = { kind = "tree", name = name, links = {}, file = where.file, line = where.line }
    table.insert(model.terms, term)
    if parent then -- a free body: all that hangs on it is one tree
      term.base, parent.term = { name = parent.name, at = nodes(parent.at), R = rows(parent.mounting), w = nodes(parent.spin) }, term
    end
  end
  if #parts == 0 then
    if o.initial or o.velocity or o.motor or o.limits then
      fail(where, "%s is fixed and has no coordinate; leave initial, velocity, motor and limits out", subject)
    end
    parts = { { "fixed", ez } }
  end
  local count = parts[1][1] == "fixed" and 0 or #parts
  local at, turned, q, last = o.at or space.origin, mounting(o.rotation, subject, where), {}, parent
  for k, part in ipairs(parts) do
    local f = { parent = last, at = k == 1 and at or space.origin, mounting = k == 1 and turned or nil, joint = part[1], axis = part[2] }
    if count > 0 then f.q, f.rate, f.start = coordinate(model, state, name, o, subject, where, part, k, count) end
    q[k] = f.q
    last = kinematics.new(f)
    if k == #parts then
      append(term, name, last, where, o.mass or zero, o.center or space.origin, o.inertia or massless)
    else
      append(term, name, last, where, zero, space.origin, massless)
    end
  end
  limits(model, state, name, o, subject, where, q)
  return kinematics.object(name, last, count > 1 and q or q[1])
end

-- are the rows those of a rotation?
local function rotation(A, where, what)
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    for l = 1, 3 do
      -- each row is the cross product of the other two
      local m, n = l % 3 + 1, (l + 1) % 3 + 1
      if math.abs(A[i][l] - (A[j][m] * A[k][n] - A[j][n] * A[k][m])) > 1e-9 then
        fail(where, "%s is no rotation: its rows must be perpendicular unit vectors in right-handed order; check them, or write "
          .. "{ axis = { x, y, z }, angle = ... }", what)
      end
    end
  end
end

-- moments of some body: none negative, and no principal minor either
local function inertia(I, scale, where, what)
  look.symmetric(I, scale, where, what)
  local det = 0
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    det = det + I[1][i] * (I[2][j] * I[3][k] - I[2][k] * I[3][j])
    if I[i][i] < 0 or I[i][i] * I[j][j] - I[i][j] ^ 2 < -1e-12 * scale ^ 2 then det = -math.huge break end
  end
  if det < -1e-12 * scale ^ 3 then
    fail(where, "%s is negative about some axis; write moments of inertia { Ixx, Iyy, Izz } that are 0 or more", what)
  end
end

link.terms = { tree = {
  text = function(t)
    local parts, root = {}, t.base and t.base.name or "the ground"
    for i, l in ipairs(t.links) do
      parts[i] = ("\n  link %s: %s on %s, axis %s, at %s, mass %s, centre %s, inertia (%s, %s, %s)"):format(l.name, l.joint,
        l.parent > 0 and t.links[l.parent].name or root, text(l.axis), text(l.at), text(l.mass), text(l.center),
        text(l.inertia[1]), text(l.inertia[2]), text(l.inertia[3]))
    end
    return "tree" .. table.concat(parts)
  end,
  check = function(t, env)
    for _, l in ipairs(t.links) do
      local what = "link '" .. l.name .. "'"
      local mass = look.number(l.mass, env, l, "mass of " .. what)
      if mass < 0 then fail(l, "mass of %s is %g; write a number that is 0 or more", what, mass) end
      local I, scale = look.matrix(l.inertia, env, l, "inertia of " .. what)
      inertia(I, scale, l, "inertia of " .. what)
      rotation(look.matrix(l.rotation, env, l, "rotation of " .. what), l, "rotation of " .. what)
    end
  end } }

return { words = { link } }
