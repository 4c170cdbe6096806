-- Coulomb's law along the contact.
local fail = require "gen.lang.core.fail"

local law = { name = "friction",
  options = {
    { "friction", "expression", [[Coulomb's coefficient mu, 0 or more: the tangential force is at most mu times the
      normal force, keeps the contact from sliding as long as that suffices, and opposes the slip when it slides. A
      number or an expression of parameters; needs `slide` or `slip`. Even with the value 0 the tangential rows are
      computed: leave it out where there is none.]], dim = "1", default = "none (no friction)",
      taken = { contact_between = "that of the pair of materials, or none", material_pair = "0", contacts_among = "0",
        contact_surface = "none (no friction)", contact_pair = "none (no friction)" },
      page = { contact_between = [[As for `contact`; the slip is the velocity of the two bodies' points at the contact relative to each
        other, rotation included, in space along two directions.]] } },
    { "tangential_restitution", "expression", [[From 0 to 1: the fraction of the slip velocity that an impact which
      sticks turns round (a rubber ball with spin). Needs `friction`.]], dim = "1", default = "0", most = 1,
      taken = { contact_between = "0" } },
  } }

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

return law
