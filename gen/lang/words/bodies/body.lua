-- What m:body gives: the place, the angle and points fixed on the body, readable but not changeable.
local fail = require "gen.lang.core.fail"
local sandbox = require "gen.lang.core.sandbox"
local value = require "gen.lang.core.value"

local B = {}
local Body = {}
local sin, cos = value.functions.sin, value.functions.cos

function B.is(x) return type(x) == "table" and getmetatable(x) == Body end

--- The place in the plane of the point (dx, dy) of a frame at `at`, turned by `angle` (nil: not turned).
function B.place(at, angle, dx, dy)
  if not angle then return { at[1] + dx, at[2] + dy } end
  local s, c = sin(angle), cos(angle)
  return { at[1] + (c * dx - s * dy), at[2] + (s * dx + c * dy) }
end

--- A body that stands at `at` and is turned by `angle` (nil: it does not turn).
function B.new(name, at, angle)
  local fields = { at = { at[1], at[2] }, angle = angle }
  function fields.point(self, dx, dy)
    if not B.is(self) then
      fail(sandbox.where(), "point is written with a colon; write %s:point(dx, dy)", name)
    end
    return B.place(at, angle, value.lift(dx, "dx of point"), value.lift(dy, "dy of point"))
  end
  return setmetatable({ [Body] = { name = name, fields = fields, frame = { at = { at[1], at[2] }, angle = angle } } },
    Body)
end

--- Place and angle of a body: { at = { x, y }, angle = value or nil }, out of reach of the model.
function B.frame(body) return rawget(body, Body).frame end

Body.__index = function(body, key)
  local inside = rawget(body, Body)
  local found = inside.fields[key]
  if found ~= nil then return found end
  if key == "angle" then fail(sandbox.where(), "body '%s' has no angle; give it one with angle = ...", inside.name) end
  fail(sandbox.where(), "a body has no field '%s'; it has at, angle and point(dx, dy)", tostring(key))
end
Body.__newindex = function() fail(sandbox.where(), "a body has no fields to set; declare another body") end

return B
