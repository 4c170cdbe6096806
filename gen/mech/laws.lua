-- What the laws of a model's contacts ask of its contact problems, beside the data of rows.
local E = require "gen.expr.node"

local L = {}

--- What coefficients may depend on of their own contact: speed of slip, normal force of the last step, closing speed (as
--- gen/lang/laws/own.lua has them).
L.symbols = { slip = E.sym("slip", "law"), push = E.sym("push", "law"), speed = E.sym("speed", "law") }

-- Is there a contact with something, written or of a pair of materials whose contacts are found?
local function any(model, has)
  for _, c in ipairs(model.contacts) do if has(c) then return true end end
  for _, of in ipairs(model.among and model.among.materials.laws or {}) do if has(of) then return true end end
  return false
end

--- Has a contact that is written this law, has a pair of materials whose contacts are found?
function L.written(model, key) return any({ contacts = model.contacts }, function(c) return c[key] end) end
function L.among(model, key) return any({ contacts = {}, among = model.among }, function(c) return c[key] end) end

--- Do coefficients of contacts change from step to step?
function L.own(model) return any(model, function(c) return c.sliding and c.frictional or c.bounces end) end

--- Is anything bonded (cohesion)?
function L.bonds(model) return any(model, function(c) return c.cohesion end) end

--- Do interfaces wear (carom/adhesion.h)?
function L.adheres(model) return L.written(model, "adhesion") end

--- Is there static friction above that of sliding, so that a contact may break away within a step?
function L.breaks(model) return any(model, function(c) return c.sliding and c.frictional and c.sliding.sticking end) end

--- Is there restitution of impulses (carom/rebound.h)?
function L.rebounds(model) return any(model, function(c) return c.rebound end) end

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
function L.rides(model) return any(model, function(c) return c.rides or c.frictional and (c.rolling or c.pivoting) end) end

--- What models derive for their laws, beside restitution and friction: members of a struct in C. count: contacts and tangents.
function L.data(model, count)
  local list = {}
  if L.scaled(model) then list[#list + 1] = ("double along[%d]; /* by which each tangent is measured */"):format(count.tangents) end
  local n = count.contacts
  if L.written(model, "rebound") then list[#list + 1] = ("double rebound[%d]; /* of impulses, of each contact */"):format(n) end
  if L.chains(model) then
    list[#list + 1] = ("double stiffness[%d], exponent[%d]; /* of each contact in an impact */"):format(n, n)
  end
  if L.written(model, "cohesion") then list[#list + 1] = ("double cohesion[%d]; /* of each contact */"):format(n) end
  if L.adheres(model) then list[#list + 1] = ("double adhesion[%d][3]; /* stiffness, energy, viscosity of each */"):format(n) end
  if L.breaks(model) and not model.among then
    list[#list + 1] = ("double kinetic[%d]; /* friction of what begins to slide, in this step */"):format(n)
  end
  return list
end

return L
