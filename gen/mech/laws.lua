-- What the laws of a model's contacts ask of its contact problems, beside the data of rows.
local E = require "gen.expr.node"

local L = {}

--- What coefficients may depend on of their own contact: speed of slip, normal force of the last step, closing speed (as
--- gen/lang/laws/own.lua has them).
L.symbols = { slip = E.sym("slip", "law"), push = E.sym("push", "law"), speed = E.sym("speed", "law") }

--- Do coefficients of contacts change from step to step?
function L.own(model)
  for _, c in ipairs(model.contacts) do if c.sliding and c.frictional or c.bounces then return true end end
  return false
end

--- Is anything bonded (cohesion)?
function L.bonds(model)
  for _, c in ipairs(model.contacts) do if c.cohesion then return true end end
  return false
end

--- Is there static friction above that of sliding, so that a contact may break away within a step?
function L.breaks(model)
  for _, c in ipairs(model.contacts) do if c.sliding and c.frictional and c.sliding.sticking then return true end end
  return false
end

--- Is there restitution of impulses (carom/rebound.h)?
function L.rebounds(model)
  for _, c in ipairs(model.contacts) do if c.rebound then return true end end
  return false
end

--- Are impacts those of chains (carom/chain.h)? Of all contacts or of none.
function L.chains(model)
  local one, other
  for _, c in ipairs(model.contacts) do if c.chain then one = c else other = c end end
  if one and other then
    error({ carom = true, file = other.file, line = other.line, message = ("contact '%s' has no impact_law and contact '%s' has: an impact "
      .. "is shared by one law; write impact_law = \"lzb\" for all contacts"):format(other.name, one.name) }, 0)
  end
  return one ~= nil
end

--- Are there tangents that are measured by a factor (friction that differs with the direction, spins)?
function L.scaled(model)
  for _, c in ipairs(model.contacts) do if c.factors then return true end end
  return false
end

--- Do contacts ride on others (rolling, pivoting: carom/rides.h)?
function L.rides(model)
  for _, c in ipairs(model.contacts) do if c.rides then return true end end
  return false
end

--- What models derive for their laws, beside restitution and friction: members of a struct in C. count: contacts and tangents.
function L.data(model, count)
  local list = {}
  if L.scaled(model) then list[#list + 1] = ("double along[%d]; /* by which each tangent is measured */"):format(count.tangents) end
  if L.rebounds(model) then list[#list + 1] = ("double rebound[%d]; /* of impulses, of each contact */"):format(count.contacts) end
  if L.chains(model) then
    list[#list + 1] = ("double stiffness[%d], exponent[%d]; /* of each contact in an impact */"):format(count.contacts, count.contacts)
  end
  if L.bonds(model) then list[#list + 1] = ("double cohesion[%d]; /* of each contact */"):format(count.contacts) end
  for _, c in ipairs(model.contacts) do
    if c.sliding and c.frictional then
      list[#list + 1] = ("double kinetic[%d]; /* friction of what begins to slide, in this step */"):format(count.contacts)
      break
    end
  end
  return list
end

return L
