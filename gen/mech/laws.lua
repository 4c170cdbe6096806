-- What the laws of a model's contacts ask of its contact problems, beside the data of rows.
local L = {}

--- Is there restitution of impulses (carom/rebound.h)?
function L.rebounds(model)
  for _, c in ipairs(model.contacts) do if c.rebound then return true end end
  return false
end

--- Are there tangents that are measured by a factor (friction that differs with the direction)?
function L.scaled(model)
  for _, c in ipairs(model.contacts) do if c.along then return true end end
  return false
end

--- What models derive for their laws, beside restitution and friction: members of a struct in C. count: contacts and tangents.
function L.data(model, count)
  local list = {}
  if L.scaled(model) then list[#list + 1] = ("double along[%d]; /* by which each tangent is measured */"):format(count.tangents) end
  if L.rebounds(model) then list[#list + 1] = ("double rebound[%d]; /* restitution of impulses of each contact */"):format(count.contacts) end
  return list
end

return L
