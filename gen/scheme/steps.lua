-- The plan of a scheme in the seventeen operations of gen/plan/operations.lua: one file for each family.
local catalogue = require "gen.scheme.catalogue"
local Step = require "gen.plan.step"

local S = {}

local function written(spec, features)
  local p = Step.new(spec.canonical)
  p.rebounds = features.rebounds -- restitution of impulses
  local plan = catalogue.family(spec.family).plan
  require("gen.scheme." .. (plan and plan(spec) or spec.family:gsub("%-", "_")))(p, spec, features)
  return p
end

--- spec: of the catalogue, completed for a model. features of that model: contacts (how many), joints (are there any), dimension (1, or
--- components of its contacts with friction), constant_mass, affine_gaps, time_only (accelerations depend on time alone),
--- steady (they never change), linear, bonds (cohesion), felt (coefficients of contacts depend on their own motion).
--- Of several degrees it is that of the last, with those of all in `degrees`.
function S.plan(spec, features)
  if not spec.degrees then return written(spec, features) end
  local plans = {}
  for i, M in ipairs(spec.degrees) do
    local one = setmetatable({ M = M, canonical = ("%s, M = %d"):format(spec.canonical, M) }, { __index = spec })
    plans[i] = written(one, features)
    plans[i].degree = M
  end
  plans[#plans].degrees = plans
  return plans[#plans]
end

return S
