-- Coulomb's law along the contact.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local value = require "gen.lang.core.value"

local law = { name = "friction",
  options = {
    { "friction", "coefficients", [[Coulomb's coefficient mu, 0 or more: the tangential force is at most mu times the
      normal force, keeps the contact from sliding as long as that suffices, and opposes the slip when it slides. A
      number or an expression of parameters; needs `slide` or `slip`. Even with the value 0 the tangential rows are
      computed: leave it out where there is none. `{ mu1, mu2 }`, both above 0, where the two directions of `slide` or `slip` differ: the
      force along them keeps to (f1/mu1)^2 + (f2/mu2)^2 <= f_N^2, and slip is associated with that ellipse.]], dim = "1", default = "none (no friction)",
      taken = { contact_between = "that of the pair of materials, or none", material_pair = "0", contacts_among = "0",
        contact_surface = "none (no friction)", contact_pair = "none (no friction)" },
      page = { contact_between = [[As for `contact`; the slip is the velocity of the two bodies' points at the contact relative to each
        other, rotation included, in space along two directions.]] } },
    { "tangential_restitution", "expression", [[From 0 to 1: the fraction of the slip velocity that an impact which
      sticks turns round (a rubber ball with spin). Needs `friction`.]], dim = "1", default = "0", most = 1,
      taken = { contact_between = "0" } },
  } }

accept.types.coefficients = { shown = "expression or `{ mu1, mu2 }`", read = function(x, what, where, dim, spec)
  if not accept.plain_table(x) then return accept.types.expression.read(x, what, where, dim, spec) end
  local list = accept.types.expressions.read(x, what, where, dim, spec)
  if #list ~= 2 then fail(where, "%s is a list of %d; write a number, or two in space: { mu1, mu2 }", what, #list) end
  return list
end }

-- Friction and its directions come together; what is missing is said.
function law.complete(o, subject, where)
  local given = o.slide and "slide" or o.slip and "slip" or o.tangential_restitution and "tangential_restitution"
  if o.slide and o.slip then fail(where, "%s has both slide and slip; keep one of the two", subject) end
  if given and not o.friction then
    fail(where, "%s has %s but no friction; write friction = ... (0 for a coefficient that is set later)", subject,
      given)
  end
  if o.friction and not (o.slide or o.slip) then
    fail(where, "%s has friction but no direction to act in; write slide = the tangential displacement, or slip = the "
      .. "tangential velocity", subject)
  end
end

-- Two coefficients: the second direction is measured by mu2/mu1, and with mu1 the cone is round again. No solver knows of it; what
-- forces are told outside is turned back by the factor (c.along).
function law.make(c, o, subject, where)
  if not o.friction or value.is(o.friction) then return end
  local first, second = value.node(o.friction[1]), value.node(o.friction[2])
  local field = c.slide and "slide" or "slip"
  if #(c[field] or {}) ~= 2 then
    fail(where, "%s has two coefficients of friction but %d direction of sliding; write one, or two directions", subject, #(c[field] or {}))
  end
  for i, v in ipairs(o.friction) do
    if (value.number(v) or 1) <= 0 then
      fail(where, "entry %d of friction of %s must be above 0; write one coefficient where there is none", i, subject)
    end
  end
  c.friction, c.along, c.across = first, second / first, second
  c[field] = { c[field][1], c.along * c[field][2] }
end

function law.check(c, env, called)
  if not c.across then return end
  for i, node in ipairs { c.friction, c.across } do
    local what = ("entry %d of friction of %s"):format(i, called)
    look.only(node, look.static, c, what, look.write_static)
    if look.at_start(node, env, c, what) <= 0 then fail(c, "%s must be above 0; write one coefficient where there is none", what) end
  end
end

law.where = { "friction = { mu1, mu2 }", used = function(c) return c.along end,
  petsc = "friction of meshes is the same in all directions; write one coefficient" }

return law
