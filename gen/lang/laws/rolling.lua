-- Resistance to rolling and pivoting: a moment against the relative spin of two bodies, bounded by a length times the normal force,
-- -m in rho r_N Sgn(omega). It is Coulomb's law once more, of a contact that rides on another: its slip is rho omega, its coefficient 1,
-- and its normal force is that of the contact it rides on. So its rows are those of a contact of its own, NAME_rolling or NAME_pivoting,
-- without a gap; carom/rides.h says what its normal row is in a contact problem.
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"

local law = { name = "rolling",
  options = {
    { "rolling", "expression", [[Resistance to rolling, a length rho: the moment about the axes along the contact is at most rho times the
      normal force, keeps it from rolling as long as that suffices, and opposes the spin when it rolls. A number or an expression of
      parameters; needs `turn`. Its moment is in the results as the friction of a contact NAME_rolling, which rides on this one: the
      impulse of that is the normal impulse again, its gap is always 0.]], default = "none",
      taken = { contact_between = "none", material_pair = "none", contacts_among = "none" },
      page = { contact_between = [[As for `contact`; the spin is that of the two bodies relative to each other.]] } },
    { "turn", "expressions", [[Relative spin of the two bodies, with `rolling`: in the plane one expression, in space two, about two
      perpendicular directions along the contact; affine in the velocities.]], default = "none", moves = true },
    { "pivoting", "expression", [[Resistance to pivoting, a length: the same about the normal of a contact in space; needs `twist`. In the
      results: the friction of a contact NAME_pivoting.]], default = "none",
      taken = { contact_between = "none", material_pair = "none", contacts_among = "none" },
      page = { contact_between = [[As for `contact`, of shapes in space.]] } },
    { "twist", "expression", [[Relative spin of the two bodies about the normal, with `pivoting`.]], default = "none", moves = true },
  } }

local kinds = { { "rolling", "turn" }, { "pivoting", "twist" } }

function law.complete(o, subject, where)
  for _, kind in ipairs(kinds) do
    local rho, spin = kind[1], kind[2]
    if o[rho] and not o[spin] then
      fail(where, "%s has %s but no spin that it resists; write %s = the relative angular velocity", subject, rho, spin)
    end
    if o[spin] and not o[rho] then
      fail(where, "%s has %s but no %s; write %s = a length (0 for one that is set later)", subject, spin, rho, rho)
    end
  end
end

-- what is measured by rho: rho omega is a rate of the gap, so its moment over rho is a force like that along the gap
local function rider(c, o, rho, spins, name, subject, where)
  local dim, length = value.dim(o.gap), value.node(rho)
  if dim and dim ~= units.any then
    value.expect(rho, dim, ("%s of %s"):format(name, subject), where)
  end
  local slip, factors = {}, {}
  for i, spin in ipairs(spins) do
    value.expect(spin, units.div(units.none, units.second), ("%s of %s"):format(name == "rolling" and "turn" or "twist", subject), where)
    slip[i], factors[i] = length * value.node(spin), length
  end
  return { name = c.name .. "_" .. name, file = c.file, line = c.line, gap = E.zero, restitution = E.zero, slip = slip, factors = factors,
    friction = value.node(value.functions.select(value.functions.lt(0, value.wrap(length)), 1, 0)), resistance = length, resists = name,
    rides = c }
end

function law.make(c, o, subject, where)
  c.riders = {}
  for _, kind in ipairs(kinds) do
    local rho, spin = o[kind[1]], o[kind[2]]
    if rho and spin and value.number(rho) ~= 0 then -- of contacts that are found carom/found.h makes these
      local spins = value.is(spin) and { spin } or spin
      table.insert(c.riders, rider(c, o, rho, spins, kind[1], subject, where))
    end
  end
end

law.where = { { "rolling, pivoting", used = function(c) return c.rides or c.rolling or c.pivoting end,
  petsc = "nodes of meshes do not turn; leave it out",
  schemes = { { function(spec) return spec.family == "capture" or spec.family == "schatzman-paoli" end,
    "modes of capture and points of schatzman-paoli are those of gaps, and a spin has none; write D-:M=1 or moreau-jean" },
    { function(spec) return spec.sign and spec.M > 0 and spec.given.stages and spec.stages == "newton" end,
      "stages=newton does not know its derivatives; write stages=fixed-point" } } } }

return law
