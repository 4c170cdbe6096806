-- What m:disk, m:sphere and the other words for shapes give: a name and a kind to hand to m:contact_between, opaque to the
-- model.
local fail = require "gen.lang.core.fail"
local sandbox = require "gen.lang.core.sandbox"

local S = {}
local Shape = {}

function S.is(x) return type(x) == "table" and getmetatable(x) == Shape end

--- fields: kind, name, frame (words/bodies/body.lua) and what the kind needs.
function S.new(fields) return setmetatable({ [Shape] = fields }, Shape) end

--- The fields of a shape.
function S.fields(x) return rawget(x, Shape) end

Shape.__index = function(_, key)
  fail(sandbox.where(), "a shape has no field '%s'; it is only for m:contact_between(a, b, { ... })", tostring(key))
end
Shape.__newindex = function() fail(sandbox.where(), "a shape has no fields to set; declare another shape") end
Shape.__tostring = function(x) return S.fields(x).kind .. " '" .. S.fields(x).name .. "'" end

return S
