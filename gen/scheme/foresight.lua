-- What can be foreseen of a model without running it, from its state at the start: contacts that are closed, rows of constraints that say
-- the same, quantities without a unit.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local stability = require "gen.scheme.stability"

local F = {}

local MOST = 60 -- names in a sentence, and coordinates for which ranks are looked at

local function listed(list)
  return table.concat(list, ", ", 1, math.min(#list, 8)) .. (#list > 8 and (" and %d more"):format(#list - 8) or "")
end

local function number(node, env)
  local good, x = pcall(eval, E.lift(node), env)
  return good and x == x and x or nil
end

-- Gaps that are 0 at the start: an impact or a force in the first step.
local function closed(model, env)
  local list, scale = {}, 0
  for _, c in ipairs(model.coordinates) do scale = math.max(scale, math.abs(env[c.q] or 0)) end
  for _, c in ipairs(model.contacts) do
    local gap = not c.rides and number(c.gap, env)
    if gap and gap <= 1e-9 * math.max(scale, 1e-3) then list[#list + 1] = c.name end
  end
  if #list == 0 then return nil end
  return ("contact%s %s start%s closed; a velocity into them is an impact in the first step"):format(#list > 1 and "s" or "", listed(list),
    #list > 1 and "" or "s")
end

-- Rows of the constraints that depend on those before them: their forces are not unique.
local function redundant(eq, env)
  local kept, list = {}, {}
  for _, row in ipairs(eq.rows) do
    if row.G and row.item and row.kind ~= "contact" and row.kind ~= "tangent" and not row.contact then
      local x, size = {}, 0
      for i = 1, eq.n do
        x[i] = row.G[i] and number(row.G[i], env) or 0
        size = math.max(size, math.abs(x[i]))
      end
      for _, k in ipairs(kept) do
        local factor = x[k.pivot] / k.row[k.pivot]
        if factor ~= 0 then for i = 1, eq.n do x[i] = x[i] - factor * k.row[i] end end
      end
      local pivot, most = nil, 1e-10 * size
      for i = 1, eq.n do if math.abs(x[i]) > most then pivot, most = i, math.abs(x[i]) end end
      if pivot then kept[#kept + 1] = { row = x, pivot = pivot } else list[#list + 1] = row.item.name end
    end
  end
  if #list == 0 then return nil end
  return ("constraint%s %s %s said already by others (at the start): the motion is the same, "
    .. "how the force is shared is not known"):format(
    #list > 1 and "s" or "", listed(list), #list > 1 and "are" or "is")
end

local function unitless(model)
  local list = {}
  for _, group in ipairs { model.parameters, model.coordinates } do
    for _, x in ipairs(group) do if not x.unit or x.unit == "" then list[#list + 1] = x.name end end
  end
  if #list == 0 then return nil end
  return ("no unit is given for %s; with units (\"m\", \"kg\", \"1\" for a mere number) mistakes in formulas are found")
    :format(listed(list))
end

--- Sentences about an ordinary unit (not a pile, not a mesh on PETSc).
function F.sentences(unit)
  local model, list = unit.model, {}
  local good, env = pcall(stability.start, unit, {})
  if good then
    list[#list + 1] = #model.contacts <= 5000 and closed(model, env) or nil
    list[#list + 1] = not model.notes and unit.eq.rows and unit.eq.n <= MOST and redundant(unit.eq, env) or nil
  end
  list[#list + 1] = unitless(model)
  list[#list + 1] = unit.warning
  return list
end

return F
