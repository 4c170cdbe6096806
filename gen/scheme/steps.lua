-- The plan of a scheme in the seventeen operations of gen/plan/operations.lua: one file for each family.
local Step = require "gen.plan.step"

local S = {}

local file_of = { ["moreau-jean"] = "moreau_jean", ["schatzman-paoli"] = "schatzman_paoli", ["D-"] = "galerkin", ["D+"] = "galerkin",
  capture = "capture", alpha = "alpha" }

--- spec: of the catalogue, completed for a model. features of that model: contacts (how many), joints (are there any), dimension (1, or
--- components of its contacts with friction), constant_mass, affine_gaps, time_only (accelerations depend on time alone), linear.
function S.plan(spec, features)
  local p = Step.new(spec.canonical)
  p.rebounds = features.rebounds -- restitution of impulses
  require("gen.scheme." .. (spec.M == 0 and "moreau_jean" or spec.level == "velocity" and "velocity"
    or spec.level == "all" and "coupled" or file_of[spec.family]))(p, spec, features)
  return p
end

return S
