-- Adhesion after Raous, Cangemi and Cocou, a cohesive zone: an interface that is whole has the intensity 1; while its gap g opens it pulls
-- with intensity^2 stiffness g and wears, viscosity intensity' = min(0, energy - intensity stiffness g^2). It never heals. The pull is a
-- force, the intensity a number of the state (carom/adhesion.h); nothing of it reaches contact problems.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local FIELDS = { "stiffness", "energy", "viscosity" }

local inside = word { "adhesion", "adhesion = { stiffness = ..., energy = ..., viscosity = ... }", options = {
  { "stiffness", "expression", "", required = true }, { "energy", "expression", "", required = true },
  { "viscosity", "expression", "" } } }

accept.types.adhesion = { shown = "table", read = function(x, what, where) return accept.options(inside, x, what, where) end }

local law = { name = "adhesion",
  options = {
    { "adhesion", "adhesion", [[`{ stiffness = C, energy = w, viscosity = b }`: a cohesive zone (Raous, Cangemi and Cocou). Where the
      contact is closed at the start its intensity beta is 1; while the gap g opens it pulls with beta^2 C g along the normal and wears
      by b beta' = min(0, w - beta C g^2), for good. Without viscosity (b = 0) beta is at most w/(C g^2), so the pull at most (w C)^(1/2).
      The pull is a force, not part of the contact's impulse; steps must be short against C. `c.intensity` is beta.]],
      default = "none", taken = { contact_between = "none", contact_surface = "none", contact_pair = "none" },
      page = { contact_surface = [[As for `contact`, of an interface: stiffness, energy and viscosity are per unit of its area
        (in the plane of its length times the thickness).]], contact_pair = [[As for `contact_surface`, where nodes lie
        on the faces that they meet at the start: two parts glued together.]] } },
  } }

function law.make(c, o)
  if not o.adhesion then return end
  c.adhesion = {}
  for i, field in ipairs(FIELDS) do c.adhesion[i] = value.node(o.adhesion[field] or value.lift(0)) end
end

function law.check(c, env, called)
  for i, node in ipairs(c.adhesion or {}) do
    local what = ("%s of adhesion of %s"):format(FIELDS[i], called)
    look.only(node, look.static, c, what, look.write_static)
    local at = look.at_start(node, env, c, what)
    look.within(at, c, what, math.huge)
    if i == 1 and at == 0 then fail(c, "%s is 0; leave adhesion out", what) end
  end
end

law.where = { { "adhesion", used = function(c) return c.adhesion end,
  notes = { pile = "of contacts that are written: an interface is made of points that stay, those that are found come and go",
    petsc = "of contact_surface and contact_pair with obstacles that do not move" },
  schemes = { { function(spec) return not (spec.sign or spec.family == "moreau-jean") end,
    "an interface wears from step to step, of which neither trial steps nor derivatives of forces know; write D-:M=1 or "
      .. "moreau-jean:theta=0.5" } } } }

return law
