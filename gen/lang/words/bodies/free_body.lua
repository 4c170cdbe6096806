-- The word free_body: a rigid body with three coordinates for its place and a rotation of its own. What it gives is in frame.lua.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local frame = require "gen.lang.words.bodies.frame"
local look = require "gen.lang.core.look"
local names = require "gen.lang.core.names"
local rates = require "gen.lang.core.rate"
local space = require "gen.lang.core.space"
local text = require "gen.lang.core.text"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local sqrt, sin, cos = value.functions.sqrt, value.functions.sin, value.functions.cos
local nodes = value.nodes
local ROUNDING = 1e-12

accept.types.free_body = { shown = "free body", read = function(x, what, where)
  if not frame.is(x) then accept.expected(what, "a free body", x, where, "give what m:free_body returned") end
  return x
end }

accept.types.any_body = { shown = "body or free body", read = function(x, what, where) -- planar or spatial
  if frame.is(x) then return x end
  return accept.types.body.read(x, what, where)
end }

-- a symmetric tensor as three rows: from one number (the same in all directions), three (principal) or rows
accept.types.tensor = { shown = "`{ Ixx, Iyy, Izz }`, rows or expression", read = function(x, what, where, dim)
  local zero = value.lift(0)
  if not accept.plain_table(x) then
    local a = accept.types.expression.read(x, what, where, dim)
    return { { a, zero, zero }, { zero, a, zero }, { zero, zero, a } }
  end
  if #x ~= 3 then
    accept.expected(what, "three numbers or three rows", x, where, "write { Ixx, Iyy, Izz } or { { Ixx, Ixy, Ixz }, ... }")
  end
  if accept.plain_table(x[1]) then
    local rows = {}
    for i = 1, 3 do rows[i] = accept.types.vector.read(x[i], "row " .. i .. " of " .. what, where, dim) end
    return rows
  end
  local d = accept.components(x, 3, what, where, dim)
  return { { d[1], zero, zero }, { zero, d[2], zero }, { zero, zero, d[3] } }
end }

-- a quaternion { w, x, y, z }, or { axis = { x, y, z }, angle = ... }
accept.types.orientation = { shown = "`{ w, x, y, z }` or `{ axis =, angle = }`", read = function(x, what, where)
  local write = "write { w, x, y, z } or { axis = { x, y, z }, angle = ... }"
  if not accept.plain_table(x) then accept.expected(what, "a quaternion or an axis and an angle", x, where, write) end
  if #x == 4 then
    local q = {}
    for i = 1, 4 do q[i] = accept.types.expression.read(x[i], "entry " .. i .. " of " .. what, where, "1") end
    return q
  end
  if #x > 0 or x.axis == nil or x.angle == nil then fail(where, "%s is incomplete; %s", what, write) end
  return { axis = accept.types.vector.read(x.axis, "axis of " .. what, where),
    angle = accept.types.expression.read(x.angle, "angle of " .. what, where, "rad") }
end }

local free_body = word { "free_body", group = "Bodies in space",
  "m:free_body(name, { mass = ..., inertia = { Ixx, Iyy, Izz }, at = { x, y, z }, orientation = ...,\n"
  .. "  velocity = { vx, vy, vz }, spin = { wx, wy, wz } })",
  summary = [[A rigid body in space, free to move and turn until joints and contacts hold it. It adds three coordinates
    `NAME_x NAME_y NAME_z` (m), a unit quaternion `NAME_qw NAME_qx NAME_qy NAME_qz`, the spin `NAME_wx NAME_wy NAME_wz`
    (rad/s, along the axes of the body), its kinetic energy with all gyroscopic terms and, with `gravity`, its
    weight.]],
  gives = [[a body `b` with `b.at`, `b:point(dx, dy, dz)` (the place of a point fixed on it), `b:direction(dx, dy, dz)` (a
    vector of the body, in space), `b.spin` and `b.orientation` (the quaternion)]],
  arguments = { word.name },
  options = {
    { "mass", "expression", "Mass, a number or an expression of parameters.", dim = "kg", required = true },
    { "inertia", "tensor", [[Inertia about the centre of mass, along the axes of the body: the three principal moments, or
      three rows of a symmetric matrix, or one number for all directions alike. Positive definite.]], dim = "kg m^2",
      required = true },
    { "at", "vector", "Place of the centre of mass at the start: numbers or expressions of parameters.", dim = "m",
      default = "{ 0, 0, 0 }" },
    { "orientation", "orientation", [[How it is turned at the start: a quaternion, made to unit length, or an axis in space
      and an angle about it.]], default = "{ 1, 0, 0, 0 } (not turned)" },
    { "velocity", "vector", "Velocity of the centre of mass at the start.", dim = "m/s", default = "{ 0, 0, 0 }" },
    { "spin", "vector", "Angular velocity at the start, along the axes of the body.", dim = "rad/s",
      default = "{ 0, 0, 0 }" } },
  notes = [[The rate of the quaternion q is 1/2 q o (0, spin): `.dot` of a point of the body is its velocity. Energies
    written by hand with `kinetic_energy` must not depend on orientation or spin.]],
  example = [[
m:gravity(0, 0, -9.81)
local top = m:free_body("top", { mass = 0.5, inertia = { 1e-3, 1e-3, 2e-3 }, at = { 0, 0, 1 },
  orientation = { axis = { 1, 0, 0 }, angle = carom.pi / 6 }, spin = { 0, 0, 100 } })
local tip = top:point(0, 0, -0.1)
m:output("tip_height", tip[3], { unit = "m" })
m:output("tip_speed", carom.sqrt(tip[1].dot^2 + tip[2].dot^2 + tip[3].dot^2), { unit = "m/s" })]] }

--- Values made to unit length: numbers at once, anything else as an expression.
local function unit(list, what, where)
  local squares, known, result = 0, 0, {}
  for _, v in ipairs(list) do
    local n = value.node(v)
    known = known and n.op == "num" and known + n.value ^ 2
    squares = squares + v ^ 2
  end
  if known == 0 then fail(where, "%s has the length 0; write a direction", what) end
  local length = known and math.sqrt(known) or sqrt(squares)
  for i, v in ipairs(list) do
    result[i] = known and value.wrap(E.num(value.node(v).value / length), units.any)
      or value.wrap(value.node(v / length), units.any)
  end
  return result
end

local function quaternion(o, what, where)
  if not o then return { value.lift(1), value.lift(0), value.lift(0), value.lift(0) } end
  if not o.axis then return unit(o, what, where) end
  local axis = unit(o.axis, "axis of " .. what, where)
  local half = o.angle / 2
  local s = sin(half)
  local q = { cos(half), s * axis[1], s * axis[2], s * axis[3] }
  for i = 1, 4 do q[i] = value.wrap(value.node(q[i]), units.any) end
  return q
end

-- Declares NAME_suffix among the quantities.
local function component(state, name, suffix, where)
  local full = name .. suffix
  local why, instead = names.refusal(full)
  if why then fail(where, "the name '%s' of a coordinate of free body '%s' %s; %s", full, name, why, instead) end
  state.declare(state.taken, full, "free body", where)
  return full
end

local function symbols(state, name, suffixes, kind, where)
  local list = {}
  for i, suffix in ipairs(suffixes) do list[i] = E.sym(component(state, name, suffix, where), kind) end
  return list
end

local function wrapped(list, dim)
  local result = {}
  for i, n in ipairs(list) do result[i] = value.wrap(n, dim) end
  return result
end

local metre = units.parse "m"
local per_second = units.parse "rad/s"

function free_body.means(model, state, given, where)
  local name, o, subject = accept.named(free_body, given, where)
  state.declare(state.bodies, name, "free body", where)
  local start = { at = o.at or space.origin, velocity = o.velocity or space.origin, spin = o.spin or space.origin,
    orientation = quaternion(o.orientation, "orientation of " .. subject, where) }
  local position, at = {}, {}
  for i, suffix in ipairs { "_x", "_y", "_z" } do
    local full = component(state, name, suffix, where)
    position[i] = { name = full, unit = "m", q = E.sym(full, "q"), v = E.sym(full .. ".dot", "v"),
      initial = value.node(start.at[i]), velocity = value.node(start.velocity[i]), file = where.file, line = where.line }
    table.insert(model.coordinates, position[i])
    at[i] = value.wrap(position[i].q, metre)
  end
  local q = symbols(state, name, { "_qw", "_qx", "_qy", "_qz" }, "q", where)
  local w = symbols(state, name, { "_wx", "_wy", "_wz" }, "v", where)
  local rotation = frame.lazy({ name = name, q = q, v = w, initial = nodes(start.orientation), spin = nodes(start.spin),
    file = where.file, line = where.line }, { rate = function() return space.quaternion_rate(q, w) end })
  for i = 1, 4 do rates.set(q[i], function() return rotation.rate[i] end) end
  table.insert(model.rotations, rotation)
  word.term(model, where, { kind = "free_body", name = name, mass = value.node(o.mass),
    inertia = { nodes(o.inertia[1]), nodes(o.inertia[2]), nodes(o.inertia[3]) }, position = position, w = w })
  return frame.new(name, { at = at, orientation = wrapped(q, units.any), spin = wrapped(w, per_second),
    start = start })
end

-- are all leading minors positive?
local function definite(I)
  local d1, d2 = I[1][1], I[1][1] * I[2][2] - I[1][2] ^ 2
  local d3 = I[1][1] * (I[2][2] * I[3][3] - I[2][3] ^ 2) - I[1][2] * (I[1][2] * I[3][3] - I[2][3] * I[1][3])
    + I[1][3] * (I[1][2] * I[2][3] - I[2][2] * I[1][3])
  return d1 > 0 and d2 > ROUNDING * I[1][1] * I[2][2] and d3 > ROUNDING * I[1][1] * I[2][2] * I[3][3]
end

free_body.terms = { free_body = {
  text = function(t)
    return ("free body %s: mass %s, inertia (%s, %s, %s)"):format(t.name, text(t.mass), text(t.inertia[1]), text(t.inertia[2]),
      text(t.inertia[3]))
  end,
  check = function(t, env)
    local what = "free body '" .. t.name .. "'"
    look.positive(t.mass, env, t, "mass of " .. what)
    local I, scale = look.matrix(t.inertia, env, t, "inertia of " .. what)
    look.symmetric(I, scale, t, "inertia of " .. what)
    if not definite(I) then
      fail(t, "inertia of %s is not positive definite; write three positive moments { Ixx, Iyy, Izz } (a free body turns: it "
        .. "needs inertia about every axis)", what)
    end
  end } }

--- Adds the rotations at the start to the numbers of parameters in env.
local function start(model, env)
  local starts = {}
  for _, r in ipairs(model.rotations) do
    local what, size = "orientation of free body '" .. r.name .. "'", 0
    for i = 1, 4 do
      local x = look.number(r.initial[i], env, r, what)
      starts[#starts + 1], size = { r.q[i], x }, size + x * x
    end
    if math.abs(size - 1) > ROUNDING then
      fail(r, "%s has the length %g at the start, not 1; check the quaternion or the axis", what, math.sqrt(size))
    end
    for i = 1, 3 do
      starts[#starts + 1] = { r.v[i], look.number(r.spin[i], env, r, "spin of free body '" .. r.name .. "'") }
    end
  end
  for _, s in ipairs(starts) do env[s[1]] = s[2] end
end

--- The rotation symbols of a model: their set.
local function symbols_of(model)
  local set = {}
  for _, r in ipairs(model.rotations) do
    for i = 1, 4 do set[r.q[i]] = true end
    for i = 1, 3 do set[r.v[i]] = true end
  end
  return set
end

return { words = { free_body }, unit = unit, start = start, symbols = symbols_of }
