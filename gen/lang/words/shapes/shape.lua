-- What m:disk, m:sphere and the other words for shapes give: a name and a kind to hand to m:contact_between, opaque to the
-- model; and what the words for shapes share.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local body = require "gen.lang.words.bodies.body"
local fail = require "gen.lang.core.fail"
local sandbox = require "gen.lang.core.sandbox"
local space = require "gen.lang.core.space"
local spatial = require "gen.lang.words.bodies.free_body"
local frames = require "gen.lang.words.bodies.frame"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"

local S = {}
local Shape = {}

function S.is(x) return type(x) == "table" and getmetatable(x) == Shape end

--- fields: kind, name, frame (words/bodies/body.lua), given (the options) and what the kind needs.
function S.new(fields) return setmetatable({ [Shape] = fields }, Shape) end

--- The fields of a shape.
function S.fields(x) return rawget(x, Shape) end

Shape.__index = function(_, key)
  fail(sandbox.where(), "a shape has no field '%s'; it is only for m:contact_between(a, b, { ... })", tostring(key))
end
Shape.__newindex = function() fail(sandbox.where(), "a shape has no fields to set; declare another shape") end
Shape.__tostring = function(x) return S.fields(x).kind .. " '" .. S.fields(x).name .. "'" end

accept.types.shape = { shown = "shape", read = function(x, what, where)
  if not S.is(x) then
    accept.expected(what, "a shape", x, where, "give what m:disk, m:sphere, m:box, m:plane or another word for shapes returned")
  end
  return x
end }

--- Chapters of the reference page, and options that several words have.
S.in_plane, S.in_space = "Planar shapes, and contacts between shapes", "Shapes in space"
S.name = { "name", "name", [[An identifier; contacts are named after the two shapes. Shapes have a list of
  names of their own, so a disk may have the name of its body.]], required = true }
S.body = { "body", "body", [[The body the shape is fixed to; places, directions and angles are then those of the
  body's own frame, and its motion is that of the body.]], default = "none (fixed, or moved by its own expressions)" }
S.material = { "material", "name", "What it is made of: a name that `material_pair` speaks of.", default = "none" }
S.any_body = { "body", "any_body", S.body[3], default = S.body.default }

-- A length written as a plain number is a quantity whose unit was not given, not a factor. (Points are taken apart.)
local function quantity(v)
  if not value.is(v) then
    local list = {}
    for i, x in ipairs(v) do list[i] = quantity(x) end
    return list
  end
  if value.dim(v) == units.any and value.node(v) ~= E.zero then return value.wrap(value.node(v)) end
  return v
end

--- Name and options of a word for shapes, and what to call it in messages.
function S.named(w, state, given, where)
  local name, o, subject = accept.named(w, given, where)
  for _, spec in ipairs(w.options) do
    if spec.dim == "m" and o[spec.name] then o[spec.name] = quantity(o[spec.name]) end
  end
  state.declare(state.shapes, name, w.name, where)
  return name, o, subject
end

--- Frame and middle of a planar shape with body, at and angle; without a body the shape is its own frame.
function S.placed(o, subject, where)
  if o.body then
    local frame = body.frame(o.body)
    return frame, o.at and body.place(frame.at, frame.angle, o.at[1], o.at[2]) or frame.at
  end
  if not o.at then
    fail(where, "%s has no place; write body = what m:body returned, or at = { x, y }", subject)
  end
  return { at = o.at, angle = o.angle }, o.at
end

--- Frame and middle of a shape in space: on a free body, or where its own expressions say (not turned); then the way from the origin
--- of the frame to the middle.
function S.placed_in_space(o, subject, where)
  if o.body then
    local frame = frames.frame(o.body)
    local arm = o.at and space.turned(frame.R, o.at) or space.origin
    return frame, o.at and space.plus(frame.at, arm) or frame.at, arm
  end
  if not o.at then
    fail(where, "%s has no place; write body = what m:free_body returned, or at = { x, y, z }", subject)
  end
  return { at = o.at }, o.at, space.origin
end

--- The place of ground, which does not move.
function S.still(at, subject, where)
  for _, v in ipairs(at) do
    local symbol = value.moving(v)
    if symbol then fail(where, "at of %s depends on '%s', but it does not move; write numbers or parameters", subject, symbol.name) end
  end
end

--- A direction of a shape, of unit length and in space, and in its own frame.
function S.direction(vector, frame, what, where)
  for _, v in ipairs(vector or {}) do
    local symbol = value.moving(v)
    if symbol then
      fail(where, "%s depends on '%s'; write numbers or expressions of parameters, and body = ... for a shape that turns",
        what, symbol.name)
    end
  end
  local n = vector and spatial.unit(vector, what, where) or { value.lift(0), value.lift(0), value.lift(1) }
  return space.turned(frame.R, n), n
end

local nothing, upwards = { E.zero, E.zero, E.zero }, { E.zero, E.zero, E.one }

--- What the runtime is told of a shape in space (carom/collide.h): size, place and axis in the frame of its body, three nodes each. Every
-- word for such shapes gives sizes, a list of up to three values that are lengths.
function S.described(s)
  local o, size = s.given, value.nodes(s.sizes)
  for i = #size + 1, 3 do size[i] = E.zero end
  local axis = s.kind == "plane" and o.normal or o.axis
  return { size = size, at = o.at and value.nodes(o.at) or nothing, axis = axis and value.nodes(axis) or upwards }
end

--- Is a plane or box with these options one in space?
function S.is_spatial(o)
  return o.size ~= nil or o.at ~= nil and #o.at == 3 or o.normal ~= nil and #o.normal == 3 or frames.is(o.body)
end

return S
