-- What m:link gives: a rigid body on a joint, whose place follows from the joint coordinates. To shapes, forces and
-- m:joint it is a free body like another: it has a frame (free_body.lua). A link in here is a table
--   parent (such a table or nil), at, mounting (rows or nil), joint, axis, q (values), index and term (where it is declared),
--   points (asked of it)
local E = require "gen.expr.node"
local free_body = require "gen.lang.words.bodies.frame"
local sandbox = require "gen.lang.core.sandbox"
local fail = require "gen.lang.core.fail"
local space = require "gen.lang.core.space"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"

local K = {}
local LINK, BASE = {}, {} -- keys in a frame, out of reach of the model
local sin, cos = value.functions.sin, value.functions.cos
local zero, one = value.lift(0), value.lift(1)
local POINTS = 40

--- The table behind what m:link gave, or nil.
function K.of(x) return free_body.is(x) and free_body.frame(x)[LINK] or nil end

--- What a link hangs on: a link, or a free body as the base of a tree. It looks like a link that nothing carries.
function K.carrier(x)
  local frame = free_body.frame(x)
  if not frame[LINK] and not frame[BASE] then
    frame[BASE] = { at = frame.at, mounting = frame.R, now = { at = frame.at, R = frame.R }, initial = frame.initial,
      spin = free_body.spin(x), omega = frame.omega, index = 0, name = free_body.name(x) }
  end
  return frame[LINK] or frame[BASE]
end

local function is_zero(x) return value.node(x) == E.zero end

--- Rows of the rotation by an angle about a unit axis.
function K.about(a, angle)
  local c, s = cos(angle), sin(angle)
  for k = 1, 3 do
    local i, j = k % 3 + 1, (k + 1) % 3 + 1
    if is_zero(a[i]) and is_zero(a[j]) then
      local rows = { { zero, zero, zero }, { zero, zero, zero }, { zero, zero, zero } }
      rows[k][k], rows[i][i], rows[j][j] = one, c, c
      rows[j][i], rows[i][j] = s * a[k], -(s * a[k])
      return rows
    end
  end
  local rows = { {}, {}, {} }
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    rows[i][i] = c + (1 - c) * a[i] ^ 2
    rows[i][j] = (1 - c) * (a[i] * a[j]) - s * a[k]
    rows[i][k] = (1 - c) * (a[i] * a[k]) + s * a[j]
  end
  return rows
end

local function chain(A, B)
  if not (A and B) then return A or B end
  local C = {}
  for i = 1, 3 do C[i] = space.turned_back(B, A[i]) end
  return C
end

-- rotation and displacement of a joint at the value q
local function motion(link, q)
  if link.joint == "revolute" then return K.about(link.axis, q), nil end
  if link.joint == "prismatic" then return nil, space.times(q, link.axis) end
end

-- A vector of a link in the frame of its parent: as a direction, or as a point.
local function inwards(link, d, as_point)
  if as_point and link.slide then d = space.plus(link.slide, d) end
  d = space.turned(link.mounting, space.turned(link.turn, d))
  return as_point and space.plus(link.at, d) or d
end

--- A direction or a point of a link in space, joint by joint: cheaper than through the matrix of the link.
function K.in_space(link, d, as_point)
  while link do
    d = inwards(link, d, as_point)
    link = link.parent
  end
  return d
end

-- Place and rotation matrix in space, with the joints at `q` or where they start.
local function frame(link, field)
  local up = link.parent and link.parent[field] or { at = space.origin }
  local turn, slide = motion(link, link.values[field])
  local mounting = chain(up.R, link.mounting)
  local at = space.plus(up.at, space.turned(up.R, link.at))
  if slide then at = space.plus(at, space.turned(mounting, slide)) end
  return { at = at, R = chain(mounting, turn), mounting = mounting }
end

local per_second = units.parse "rad/s"

--- Completes a link; f: parent, at, mounting, joint, axis, q, rate (its velocity), start (q at the start).
function K.new(f)
  f.turn, f.slide = motion(f, f.q)
  f.points = {} -- that were asked for, in its frame: what a picture can show of it
  f.values = { now = f.q, initial = f.start }
  f.now, f.initial = frame(f, "now"), frame(f, "initial")
  local up = f.parent or { spin = space.origin, omega = space.origin }
  local spin, omega = space.turned_back(f.turn, space.turned_back(f.mounting, up.spin)), up.omega
  if f.joint == "revolute" then
    spin = space.along(spin, f.rate, f.axis)
    omega = space.along(omega, f.rate, space.turned(f.now.mounting, f.axis))
  end
  f.spin, f.omega = {}, {}
  for i = 1, 3 do
    f.spin[i], f.omega[i] = value.wrap(value.node(spin[i]), per_second), value.wrap(value.node(omega[i]), per_second)
  end
  return f
end

--- The object a model gets: q is the coordinate, a list of them, or nil (fixed).
function K.object(name, link, q)
  local function at() return K.in_space(link, space.origin, true) end -- when it is asked for: its length grows with the depth
  local fields = free_body.lazy({ q = q, spin = { table.unpack(link.spin) } }, { at = at })
  local function components(self, method, ...)
    if K.of(self) == nil then
      fail(sandbox.where(), "%s is written with a colon; write %s:%s(dx, dy, dz)", method, name, method)
    end
    local d = {}
    for i, axis in ipairs { "dx", "dy", "dz" } do d[i] = value.lift((select(i, ...)), axis .. " of " .. method) end
    return d
  end
  function fields.point(self, ...)
    local d = components(self, "point", ...)
    if #link.points < POINTS then table.insert(link.points, d) end
    return K.in_space(link, d, true)
  end
  function fields.direction(self, ...) return K.in_space(link, components(self, "direction", ...)) end
  return free_body.object(name, { kind = "link", fields = fields, spin = link.spin,
    frame = free_body.lazy({ R = link.now.R, omega = link.omega, initial = link.initial, [LINK] = link }, { at = at }),
    has = (q and "q, " or "") .. "at, spin, point(dx, dy, dz) and direction(dx, dy, dz)" })
end

return K
