-- Cohesion after Mohr and Coulomb: r_N >= -c, |r_T| <= mu (r_N + c). With r' = r_N + c it is the standard problem and a constant pull
-- c along the normal, so the bond is a force beside the others and no solver knows of it.
local fail = require "gen.lang.core.fail"

local law = { name = "cohesion",
  options = {
    { "cohesion", "expression", [[Force (J per unit of the gap) that the contact can pull with while it is bonded, which adds to what
      friction is bounded by: |f_T| <= mu (f_N + cohesion). Contacts that are closed at the start are bonded; one that opens has lost
      its bond. An impact breaks it where its impulse is more than the cohesion times the length of the step: bodies are rigid. The force
      of the contact (`force`) is what presses beyond the bond; its impulse in the results is that of both. A number or an expression of
      parameters.]], default = "0",
      taken = { contact_between = "0", material_pair = "0", contacts_among = "0" },
      page = { contacts_among = [[As for `contact`, of each point where shapes touch; a box on a box has four or more. Those that are closed
        at the start are bonded, and stay so as long as they press: also where the geometry gives them another number.]] } },
    { "bond", "choice", [[`"brittle"`: a bond that broke is lost for good. `"lasting"`: a contact that presses bonds (again), as what is
      sticky does.]], choices = { "brittle", "lasting" }, default = '"brittle"',
      taken = { contact_between = '"brittle"', material_pair = '"brittle"', contacts_among = '"brittle"' } },
  } }

function law.complete(o, subject, where)
  if o.bond and not o.cohesion then fail(where, "%s has bond but no cohesion; write cohesion = ...", subject) end
end

law.found = law.complete

function law.make(c, o) if o.cohesion then c.lasting = o.bond == "lasting" end end

law.where = { { "cohesion, bond", used = function(c) return c.cohesion end,
  petsc = "contacts of meshes do not stick; leave it out",
  schemes = { { function(spec) return spec.family == "capture" or spec.family == "schatzman-paoli" end,
    "capture lets a contact go when it pulls, schatzman-paoli knows places alone: bonds are for others; write D-:M=1 or moreau-jean" } } } }

return law
