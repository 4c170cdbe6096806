-- What `carom check` says about a unit without running it: a list of { label =, text = }.
local foresight = require "gen.scheme.foresight"
local stability = require "gen.scheme.stability"

local function mechanism(unit)
  local eq, model = unit.eq, unit.model
  local nonzero_M, nonzero_G = unit:nonzeros()
  local f = unit.features
  local lines = {
    { "model", ("%s: %d coordinates, %d contacts, %d constraints, %d parameters, %d inputs, %d outputs"):format(model.name, eq.n,
      #model.contacts, #model.constraints, #model.parameters, #model.inputs, #model.outputs) },
    { "scheme", ("%s, order %d in smooth motion"):format(unit.spec.canonical, unit.plan.order) },
    { "form", unit.form == "looped" and ("loops over tables, %d kernels"):format(unit.operators.kernels) or "unrolled" },
    { "mass matrix", ("%d of %d entries, %s"):format(nonzero_M, eq.n * eq.n, f.constant_mass and "constant" or "depends on q") },
    { "contact Jacobian", ("%d of %d entries, gaps %s"):format(nonzero_G, eq.n * #eq.rows, f.affine_gaps and "affine" or "curved") },
    { "operations", ("%d per evaluation of the model"):format(unit.operators.total_operations or 0) },
    { "C text", ("%d lines in %d files"):format(unit.lines, #unit.files) },
  }
  if model.among then
    table.insert(lines, 4, { "found contacts", ("among %d shapes on %d free bodies, at most %d points at once"):format(#model.among.shapes,
      #model.rotations, model.among.maximum) })
  end
  if unit.contact_solver then table.insert(lines, 6, { "contact solver", unit.contact_solver }) end
  if unit.spec.family == "capture" then
    table.insert(lines, 3, { "scales", ("length %g, speed %g, time %g, force %g"):format(unit.spec.length, unit.spec.speed,
      unit.spec.time, unit.spec.force) })
  end
  return lines
end

return function(unit)
  if unit.summary then return unit.summary end -- a unit may know it itself
  local model = unit.model
  local lines = mechanism(unit)
  for _, w in ipairs(model.notes or {}) do lines[#lines + 1] = { "note", w } end
  for _, w in ipairs(model.warnings or {}) do lines[#lines + 1] = { "warning", w } end
  local step = stability.warning(unit, model.run and model.run.step)
  if step then lines[#lines + 1] = { "warning", step } end
  for _, w in ipairs(foresight.sentences(unit)) do lines[#lines + 1] = { "note", w } end
  local t = {}
  for i, line in ipairs(lines) do t[i] = { label = line[1], text = line[2] } end
  return t
end
