-- What m:mesh gives: a handle for the words that speak about the mesh, opaque to the model.
local fail = require "gen.lang.core.fail"
local sandbox = require "gen.lang.core.sandbox"

local H = {}
local Handle = {}

function H.is(x) return type(x) == "table" and getmetatable(x) == Handle end

--- mesh: the entry of model.meshes.
function H.new(mesh) return setmetatable({ [Handle] = mesh }, Handle) end

--- The entry of model.meshes that a handle stands for.
function H.mesh(x) return rawget(x, Handle) end

Handle.__index = function(_, key)
  fail(sandbox.where(), "a mesh has no field '%s'; give it to m:elastic, m:fix, m:contact_surface and the like", tostring(key))
end
Handle.__newindex = function() fail(sandbox.where(), "a mesh has no fields to set; say it with m:elastic, m:fix and the like") end
Handle.__tostring = function(x) return "mesh '" .. H.mesh(x).name .. "'" end

return H
