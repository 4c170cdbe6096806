-- Coulomb's law along the contact.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local own = require "gen.lang.laws.own"
local value = require "gen.lang.core.value"

local S = own.symbols

local law = { name = "friction",
  options = {
    { "friction", "coefficients", [[Coulomb's coefficient mu, 0 or more: the tangential force is at most mu times the
      normal force, keeps the contact from sliding as long as that suffices, and opposes the slip when it slides. A
      number or an expression of parameters; needs `slide` or `slip`. Even with the value 0 the tangential rows are
      computed: leave it out where there is none. `{ mu1, mu2 }`, both above 0, where the two directions of `slide` or `slip` differ: the
      force along them keeps to (f1/mu1)^2 + (f2/mu2)^2 <= f_N^2, and slip is associated with that ellipse.
      `function(slip, force) return ... end`: of the contact's own
      speed of slip and normal force, as they were in the last step (`capture`: of the slip at each moment, and of that alone).]],
      dim = "1", default = "none (no friction)", plain = true,
      taken = { contact_between = "that of the pair of materials, or none", material_pair = "0", contacts_among = "0",
        contact_surface = "none (no friction)", contact_pair = "none (no friction)" },
      page = { contact_between = [[As for `contact`; the slip is the velocity of the two bodies' points at the contact relative to each
        other, rotation included, in space along two directions.]], contacts_among = [[One coefficient or a function, as for `contact`:
        points that are found have no directions of their own.]] } },
    { "static_friction", "expression", [[Coefficient while the contact sticks, at least `friction`, which is that of sliding: a contact
      whose slip is zero where a step begins holds until this is exceeded, and slides with `friction` from that step on (`capture`: from
      that moment on).]], dim = "1",
      default = "friction", taken = { contact_between = "friction", material_pair = "friction", contacts_among = "friction" } },
    { "stribeck", "expression", [[Speed of slip by which friction falls from `static_friction` to `friction`: mu(s) = mu_k + (mu_s -
      mu_k) exp(-(s/stribeck)^2), with the slip where a step begins (`capture`: at each moment).]], default = "none (at once)",
      taken = { contact_between = "none (at once)", material_pair = "none (at once)", contacts_among = "none (at once)" } },
    { "tangential_restitution", "expression", [[From 0 to 1: the fraction of the slip velocity that an impact which
      sticks turns round (a rubber ball with spin). Needs `friction`.]], dim = "1", default = "0", most = 1,
      taken = { contact_between = "0", material_pair = "0", contacts_among = "0" } },
  } }

accept.types.coefficients = { shown = "expression or `{ mu1, mu2 }`", read = function(x, what, where, dim, spec)
  if type(x) == "function" then return x end
  if not accept.plain_table(x) then return accept.types.expression.read(x, what, where, dim, spec) end
  local list = accept.types.expressions.read(x, what, where, dim, spec)
  if #list ~= 2 then fail(where, "%s is a list of %d; write a number, or two in space: { mu1, mu2 }", what, #list) end
  return list
end }

-- Friction and its directions come together; what is missing is said.
function law.complete(o, subject, where)
  local given = o.slide and "slide" or o.slip and "slip" or o.tangential_restitution and "tangential_restitution"
    or o.static_friction and "static_friction"
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

-- Where contacts are found directions are nobody's choice.
function law.found(o, subject, where)
  local given = o.tangential_restitution and "tangential_restitution" or o.static_friction and "static_friction"
  if given and not o.friction then fail(where, "%s has %s but no friction; write friction = ...", subject, given) end
  if o.friction and type(o.friction) ~= "function" and not value.is(o.friction) then
    fail(where, "%s has two coefficients of friction, but contacts that are found while running have no directions of their own; write one",
      subject)
  end
end

-- Friction that changes from step to step: of sliding, and of what sticks.
local function varying(c, o, subject, where)
  local kinetic, sticking = o.friction, o.static_friction and value.node(o.static_friction)
  if type(kinetic) == "function" then
    kinetic = own.call(kinetic, "friction of " .. subject, where, S.slip, S.push)
  elseif not value.is(kinetic) then
    fail(where, "%s has static_friction and two coefficients of friction; write one of them", subject)
  else
    kinetic = value.node(kinetic)
  end
  local sliding, still = kinetic, { [S.slip] = E.zero, [S.push] = E.zero }
  if o.stribeck then
    local ratio = value.wrap(S.slip) / value.wrap(value.node(o.stribeck))
    sliding = kinetic + (sticking - kinetic) * value.node(value.functions.exp(-ratio ^ 2))
  end
  c.static_friction = nil
  c.friction = sticking or E.substitute(sliding, still, {})
  c.sliding = { sliding = sliding, sticking = sticking, kinetic = kinetic, id = sliding }
  if sticking then c.sliding.id = ("%p %p"):format(sliding, sticking) end
end

-- Two coefficients: the second direction is measured by mu2/mu1, and with mu1 the cone is round again. No solver knows of it; what
-- forces are told outside is turned back by the factor (c.along).
function law.make(c, o, subject, where)
  if o.stribeck and not o.static_friction then
    fail(where, "%s has stribeck but no static_friction; write static_friction = ...", subject)
  end
  if not o.friction then return end
  if type(o.friction) == "function" or o.static_friction then return varying(c, o, subject, where) end
  if value.is(o.friction) then return end
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
  c[field], c.factors = { c[field][1], c.along * c[field][2] }, { E.one, c.along }
end

function law.check(c, env, called)
  local s = c.sliding
  if s then
    for _, node in ipairs { s.sliding, s.sticking } do
      look.only(node, { param = true, law = true }, c, "friction of " .. called, "write it with its arguments, numbers and parameters")
    end
    local most, least = s.sticking, E.substitute(s.kinetic, { [S.slip] = E.zero, [S.push] = E.zero }, {})
    local low = look.at_start(least, env, c, "friction of " .. called)
    look.within(low, c, "friction of " .. called, math.huge)
    if most and look.at_start(most, env, c, "static_friction of " .. called) < low then
      fail(c, "static_friction of %s is below its friction; write at least as much", called)
    end
  end
  if not c.across then return end
  for i, node in ipairs { c.friction, c.across } do
    local what = ("entry %d of friction of %s"):format(i, called)
    look.only(node, look.static, c, what, look.write_static)
    if look.at_start(node, env, c, what) <= 0 then fail(c, "%s must be above 0; write one coefficient where there is none", what) end
  end
end

local function pushed(c)
  for _, s in ipairs(c.sliding and E.symbols(c.sliding.sliding) or {}) do if s == S.push then return true end end
  return false
end

local varies = { "static_friction, stribeck, friction = function", used = function(c) return c.sliding end,
  notes = { petsc = "of contacts that are written beside the meshes" } }

-- in capture it would be an unknown of every stage
local of_force = { "friction = function of the force", used = pushed,
  notes = { petsc = "of contacts that are written beside the meshes" },
  schemes = { { function(spec) return spec.family == "capture" end, "capture takes coefficients at the motion of each stage, and the "
    .. "force is what a stage is solved for; write friction of the slip alone, or D-:M=1" } } }

local ellipse = { "friction = { mu1, mu2 }", used = function(c) return c.along end,
  notes = { pile = "of contacts that are written: those that are found have no directions of their own",
    petsc = "of contacts that are written beside the meshes: nodes have no directions of their own" } }

law.where = { varies, of_force, ellipse }

return law
