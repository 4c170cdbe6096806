-- What gen/pipeline.lua gives: a model made into C with one scheme, and every stage of it to look at.
--   model, spec, eq, features, plan, operators, files (name and text), sources (which of them are C), form, name, scheme, digest, lines;
--   lanes: says why steps of it cannot be made side by side (gen/support.lua)
local describe = require "gen.lang.core.describe"
local equations = require "gen.mech.equations"
local equations_text = require "gen.mech.text"
local kernels = require "gen.mech.kernels"
local laws = require "gen.mech.laws"
local print_c = require "gen.expr.print"
local steps = require "gen.scheme.steps"
local steps_text = require "gen.plan.text"
local system_text = require "gen.system.text"

local Unit = {}
Unit.__index = Unit

--- The scheme as a plan of seventeen operations (gen/plan/operations.lua), which is what gen/backend writes as C; an interpreter in the
--- tests holds the two against each other. Of capture it is the trial step in fixed modes.
function Unit:steps()
  local found = self.model.among and self.model.among.maximum or 0
  local features = { contacts = #self.model.contacts + found, joints = self.eq.constraints > 0, dimension = self.eq.dimension,
    rebounds = laws.rebounds(self.model), bonds = laws.bonds(self.model), chains = laws.chains(self.model),
    felt = laws.own(self.model) }
  for _, key in ipairs { "constant_mass", "affine_gaps", "time_only", "steady", "linear" } do features[key] = self.features[key] end
  features.linear = features.linear or self.features.affine or false
  features.symmetric = self.form == "looped" -- its contact problems are
  return steps.plan(self.spec, features)
end

-- The system as text: kernels also of what is not emitted as such.
local function dump_system(unit)
  local model = unit.model
  local terms, rows, cells = {}, {}, {}
  for _, kernel in ipairs(unit.kernels or kernels.find(model, unit.eq.symbols)) do
    table.insert(kernels.is_row(kernel) and rows or terms, kernel)
  end
  for i, body in ipairs(model.elements and model.elements.bodies or {}) do
    cells[i] = ("energy per volume %s; cells(%s): %d %s"):format(print_c.text(body.material.energy), body.mesh.name, #body.made.cells,
      body.mesh.cell)
  end
  local among = model.among
  return system_text { name = unit.name, blocks = unit.eq.symbols.blocks, terms = terms, rows = rows, equal = unit.eq.constraints,
    more_terms = cells, more_rows = among and { ("coulomb; among(%d shapes), found at run time, at most %d"):format(#among.shapes,
      among.maximum) } }
end

--- The text of a stage: model, system, equations, plan, steps or c.
function Unit:dump(stage)
  if stage == "system" then return dump_system(self) end
  if stage == "equations" then
    if not self.kernels then return equations_text(self.eq) end
    local cells = {}
    for i, body in ipairs(self.model.elements and self.model.elements.bodies or {}) do
      cells[i] = ("mesh %s: %d cells %s, energy per volume %s\n"):format(body.mesh.name, #body.made.cells, body.mesh.cell,
        print_c.text(body.material.energy))
    end
    return table.concat(cells) .. kernels.text(self.kernels)
  end
  if stage == "plan" or stage == "steps" then return steps_text(self:steps()) end
  if stage == "c" then
    for _, file in ipairs(self.files) do if file.name == self.name .. ".c" then return file.text end end
  end
  if stage == "model" then return describe(self.model) end
  error({ carom = true, message = ("there is no stage '%s'; write model, system, equations, plan, steps or c"):format(stage) }, 0)
end

--- Operations of the mass matrix and the forces, unrolled models only.
function Unit:dynamics() return equations.operations(self.eq) end

--- Entries of the mass matrix and of the Jacobian of all rows that are not 0 by their form.
function Unit:nonzeros()
  local eq, ops = self.eq, self.operators
  if self.form == "looped" then return 2 * ops.na - eq.n, ops.ng end
  local in_M, in_G = 0, 0
  for i = 1, eq.n do for j = 1, i do if eq.M[i][j] then in_M = in_M + (i == j and 1 or 2) end end end
  for _, row in ipairs(eq.rows) do in_G = in_G + #equations.columns(row.G, eq.n) end
  return in_M, in_G
end

return Unit
