-- What m:free_body gives: place, spin and points of a rigid body in space, readable but not changeable.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local sandbox = require "gen.lang.core.sandbox"
local space = require "gen.lang.core.space"
local value = require "gen.lang.core.value"

local B = {}
local Body = {}

Body[accept.called] = function(body) return "a " .. B.kind(body) end

function B.is(x) return type(x) == "table" and getmetatable(x) == Body end

--- A frame: at = { x, y, z }, R = its rotation matrix (nil: not turned), omega = its angular velocity in space (nil: none).
-- initial = { at =, R = } is where it is at the start.
function B.frame(body) return rawget(body, Body).frame end

--- What to call it in messages: "free body" or "link".
function B.kind(body) return rawget(body, Body).kind end

--- Name of a body and its angular velocity in its own frame.
function B.name(body) return rawget(body, Body).name end
function B.spin(body) return rawget(body, Body).spin end

--- The place in space of a point of a frame.
function B.place(frame, d) return space.plus(frame.at, space.turned(frame.R, d)) end

--- The velocity of the point of a frame that is now at frame.at + arm.
function B.velocity(frame, arm)
  local v = space.rate(frame.at)
  if not frame.omega then return v end
  return space.plus(v, space.cross(frame.omega, arm))
end

--- Spin of frame p relative to frame q about two perpendicular directions and the one across them.
function B.spin_between(p, q, t1, t2)
  local omega = space.minus(p.omega or space.origin, q.omega or space.origin)
  return { space.dot(t1, omega), space.dot(t2, omega), space.dot(space.cross(t1, t2), omega) }
end

local function copy(list) return { table.unpack(list) } end

-- the three arguments of point and direction
local function components(self, name, method, dx, dy, dz)
  if not B.is(self) then
    fail(sandbox.where(), "%s is written with a colon; write %s:%s(dx, dy, dz)", method, name, method)
  end
  return { value.lift(dx, "dx of " .. method), value.lift(dy, "dy of " .. method), value.lift(dz, "dz of " .. method) }
end

--- Something with a frame in space. f: kind (what to call it), fields and `has` (their names, for messages), frame, spin.
function B.object(name, f)
  return setmetatable({ [Body] = { name = name, kind = f.kind, fields = f.fields, has = f.has, frame = f.frame, spin = f.spin } }, Body)
end

-- Computed when it is asked for: in a pile of thousands of bodies nobody asks.
local function lazy(fields, rules)
  return setmetatable(fields, { __index = function(t, key)
    local rule = rules[key]
    if not rule then return nil end
    local x = rule()
    rawset(t, key, x)
    return x
  end })
end
B.lazy = lazy

--- A free body. f: at, orientation, spin (lists of values), start = { at =, orientation = }.
function B.new(name, f)
  local initial = lazy({ at = f.start.at }, { R = function() return space.rotation(f.start.orientation) end })
  local frame
  frame = lazy({ at = f.at, initial = initial }, {
    R = function() return space.rotation(f.orientation) end,
    omega = function() return space.turned(frame.R, f.spin) end })
  local fields = { at = copy(f.at), orientation = copy(f.orientation), spin = copy(f.spin) }
  function fields.point(self, dx, dy, dz)
    return B.place(frame, components(self, name, "point", dx, dy, dz))
  end
  function fields.direction(self, dx, dy, dz)
    return space.turned(frame.R, components(self, name, "direction", dx, dy, dz))
  end
  return B.object(name, { kind = "free body", fields = fields, frame = frame, spin = f.spin,
    has = "at, orientation, spin, point(dx, dy, dz) and direction(dx, dy, dz)" })
end

Body.__index = function(body, key)
  local inside = rawget(body, Body)
  local found = inside.fields[key]
  if found ~= nil then return found end
  fail(sandbox.where(), "a %s has no field '%s'; it has %s", inside.kind, tostring(key), inside.has)
end
Body.__newindex = function(body)
  fail(sandbox.where(), "a %s has no fields to set; declare another body", rawget(body, Body).kind)
end

return B
