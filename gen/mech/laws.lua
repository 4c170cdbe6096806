-- What the laws of a model's contacts ask of its contact problems, beside the data of rows.
local L = {}

--- Is there restitution of impulses (carom/rebound.h)?
function L.rebounds(model)
  for _, c in ipairs(model.contacts) do if c.rebound then return true end end
  return false
end

return L
