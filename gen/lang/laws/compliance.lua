-- Compliant contact: an ordinary force along the gap instead of a law between two numbers. Nothing of it reaches contact problems.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local handle = require "gen.lang.core.handle"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

-- D/k v of a wanted restitution e at the closing speed v; what comes out is nearest to e with Flores' below 0.8
local damping = {
  flores = function(e) return 8 / 5 * (1 - e) / e end,
  hunt_crossley = function(e) return 3 / 2 * (1 - e) end,
  lankarani_nikravesh = function(e) return 3 / 4 * (1 - e ^ 2) end,
}

local inside = word { "compliance", "compliance = { stiffness = ..., exponent = ..., damping = ..., speed = ... }", options = {
  { "stiffness", "expression", "", required = true }, { "exponent", "number", "" },
  { "damping", "choice", "", choices = { "flores", "hunt_crossley", "lankarani_nikravesh" } },
  { "speed", "expression", "" } } }

accept.types.compliance = { shown = "table", read = function(x, what, where)
  local o = accept.options(inside, x, what, where)
  if o.exponent and o.exponent < 1 then fail(where, "exponent of %s is %g; write 1 or more (1.5 for spheres)", what, o.exponent) end
  if (o.damping == nil) ~= (o.speed == nil) then
    fail(where, "%s has damping or speed without the other; write damping = \"flores\", speed = the closing speed it is made for", what)
  end
  return o
end }

local law = { name = "compliance",
  options = {
    { "compliance", "compliance", [[`{ stiffness = k, exponent = n, damping = "flores", speed = v }`: the contact gives way, with the force
      k d^n (1 - c g'/v) of the depth d = -gap, never pulling. n is 1.5 (Hertz: spheres) where it is not said. Without `damping` and
      `speed` nothing is lost; with them c is such that a hit with the speed v has about the `restitution` of the contact: c = 8/5
      (1-e)/e (`"flores"`; 0.5 becomes 0.470), 3/2 (1-e) (`"hunt_crossley"`; 0.663) or 3/4 (1-e^2) (`"lankarani_nikravesh"`; 0.725).
      Steps must be short against the contact's duration, for Hertz 2.94 (5 m/4 k)^0.4 v^-0.2. Such a contact is a force: it has no
      impulse in the results, and no friction.]], default = "none (rigid)", taken = { contact_between = "none (rigid)" } },
  } }

--- The force of a compliant contact; gives what the model may look at. o: options of the contact.
function law.act(model, name, o, subject, where)
  local spec = o.compliance
  for _, other in ipairs { "friction", "restitution_law", "tangential_restitution", "rolling", "pivoting", "cohesion", "adhesion" } do
    if o[other] then
      fail(where, "%s has compliance and %s; a compliant contact is a force along the gap: leave %s out, or write m:force for it", subject,
        other, other)
    end
  end
  if value.node(o.gap).op == "part" then
    fail(where, "%s has compliance, but the gap of these shapes is no formula; write m:contact with a gap", subject)
  end
  local f, rate = value.functions, o.rate or value.rate(o.gap)
  local force, dim = spec.stiffness * f.max(-o.gap, 0) ^ (spec.exponent or 1.5), value.dim(o.gap)
  local plain = value.dim(spec.stiffness) == units.any -- a number without a unit
  if plain then force = value.wrap(value.node(force), dim and dim ~= units.any and units.div(units.energy, dim)) end
  if not plain and dim and dim ~= units.any then
    value.expect(force, units.div(units.energy, dim), "stiffness times depth^exponent of " .. subject, where)
  end
  if spec.damping then
    local e = value.number(o.restitution or value.lift(0))
    if not e or e <= 0 or e > 1 then
      fail(where, "%s has damping, which is made for a restitution; write restitution = a number above 0 and up to 1", subject)
    end
    force = f.max(force * (1 - damping[spec.damping](e) * rate / spec.speed), 0)
  end
  word.term(model, where, { kind = "point_force", at = { E.zero, E.zero }, value = { E.zero, E.zero }, torque = value.node(force),
    angle = value.node(o.gap) })
  return handle.new("contact", name, { { "gap", function() return o.gap end }, { "rate", function() return rate end },
    { "force", function() return force end } })
end

law.where = { { "compliance", used = function() return false end } }

return law
