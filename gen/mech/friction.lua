-- Which contacts of a model keep their friction.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval

--- A scheme that cannot do friction refuses a model that has some. Where all of it is 0 at the default parameters the model
--- is generated without, and init refuses other values: never a silent change of the law. Marks contacts as frictional or not;
--- gives the coefficients dropped.
return function(model, why_not)
  local env, dropped = {}, {}
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  local burnt = false -- a coefficient that carom gen --burn has made 0 is none
  for _, constant in ipairs(model.constants or {}) do burnt = burnt or constant.burnt or false end
  for _, c in ipairs(model.contacts) do
    local none = burnt and c.friction and E.lift(c.friction) == E.zero
    c.frictional = c.friction and not why_not and not none
    if c.friction and why_not then
      if eval(E.lift(c.friction), env) > 0 then
        error({ carom = true, file = c.file, line = c.line, message = ("contact '%s' has friction: %s"):format(c.name, why_not) }, 0)
      end
      dropped[#dropped + 1] = E.lift(c.friction)
    end
  end
  local among = model.among
  for _, of in ipairs(among and why_not and among.materials.laws or {}) do
    local mu = E.lift(of.friction or 0)
    if eval(mu, env) > 0 then
      error({ carom = true, file = of.file, line = of.line, message = ("%s has friction: %s"):format(of.name, why_not) }, 0)
    end
    dropped[#dropped + 1] = mu
  end
  return dropped
end
