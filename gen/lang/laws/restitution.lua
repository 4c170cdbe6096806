-- How much of the speed it closed with a contact opens with. Newton's law is data of the contact problem (its right-hand side); laws of
-- impulses are a second problem after it, in which the normal impulse is at least a part of the first (carom/rebound.h).
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local own = require "gen.lang.laws.own"

local law = { name = "restitution",
  options = {
    { "restitution", "restitution", [[Newton's coefficient between 0 (no rebound) and 1 (no loss): the gap opens with
      this fraction of the speed it closed with. A number or an expression of parameters, or `function(speed) return ... end` of the closing
      speed
      where the step begins, kept between 0 and 1.]], dim = "1", default = "0", most = 1,
      plain = true, taken = { contact_between = "that of the pair of materials, or 0", material_pair = "0", contacts_among = "0",
        contact_surface = "0",
        contact_pair = "0" },
      page = { contacts_among = "As for `contact`, of all contacts but those of a `material_pair`." } },
    { "restitution_law", "choice", [[What the coefficient is a fraction of. `"newton"`: of the speed. `"poisson"`: of the impulse of
      compression, which comes back as the impulse of expansion. `"energetic"` (Stronge): its square is the fraction of the work of
      compression that the normal force gives back. The three are one without friction and while the slip keeps its direction;
      elsewhere Newton's can gain energy, the others cannot. Energetic restitution is exact for one contact in the plane (or without
      friction); where several take part in an impact Poisson's law is taken.]], choices = { "newton", "poisson", "energetic" },
      default = '"newton"',
      taken = { contact_between = '"newton"', material_pair = '"newton"', contacts_among = '"newton"' } },
  } }

accept.types.restitution = { shown = "expression or function", read = function(x, what, where, dim, spec)
  if type(x) == "function" then return x end
  return accept.types.expression.read(x, what, where, dim, spec)
end }

-- Contacts that are found are in space and have two tangents.
function law.found(o, subject, where)
  if o.restitution_law == "energetic" and o.friction then
    fail(where, "%s has energetic restitution and friction in space, where the slip turns during an impact; write restitution_law = "
      .. "\"poisson\"", subject)
  end
end

function law.make(c, o, subject, where)
  if type(o.restitution) == "function" then
    local e = own.call(o.restitution, "restitution of " .. subject, where, own.symbols.speed)
    c.restitution = E.substitute(e, { [own.symbols.speed] = E.zero }, {})
    c.bounces = { e = e, rebound = (o.restitution_law or "newton") ~= "newton" }
  end
  if not o.restitution_law or o.restitution_law == "newton" then return end
  if not o.restitution then fail(where, "%s has restitution_law but no restitution; write restitution = ...", subject) end
  if o.restitution_law == "energetic" and #(c.slide or c.slip or {}) > 1 then
    fail(where, "%s has energetic restitution and friction in space, where the slip turns during an impact; write restitution_law = "
      .. "\"poisson\"", subject)
  end
  c.rebound, c.restitution, c.energetic = c.restitution, E.zero, o.restitution_law == "energetic"
end

function law.check(c, _, called)
  if not c.bounces then return end
  look.only(c.bounces.e, { param = true, law = true }, c, "restitution of " .. called, "write it with its argument, numbers and parameters")
end

local varies = { "restitution = function", used = function(c) return c.bounces end,
  notes = { petsc = "of contacts that are written beside the meshes" },
  schemes = { { function(spec) return spec.family == "schatzman-paoli" end,
    "schatzman-paoli knows one coefficient; write D-:M=1 or moreau-jean" } } }

law.where = { varies, { "restitution_law", used = function(c) return c.rebound end,
  petsc = "contacts of meshes have Newton's law; leave it out",
  schemes = { { function(spec) return spec.family == "schatzman-paoli" end, "schatzman-paoli knows no impulses of compression; write "
    .. "moreau-jean:theta=0.5 or D-:M=1" } } } }

return law
