-- How several contacts that touch share an impact. "together": one problem for all, with restitution of speeds. "lzb" (Liu, Zhao,
-- Brogliato): every contact is a spring that is loaded and gives back a part of its work, and impulses spread along chains in the order
-- in which these springs are wound up (carom/chain.h).
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"

local law = { name = "impact",
  options = {
    { "impact_law", "choice", [[How contacts that touch share an impact. `"together"`: at once, in one problem. `"lzb"` (Liu, Zhao and
      Brogliato, with `capture`, without friction): as springs of a chain, so that Newton's cradle behaves like one; restitution then is
      energetic, its square the fraction of the work of loading that a contact gives back. All contacts of a model or none.]],
      choices = { "together", "lzb" }, default = '"together"', taken = { contact_between = '"together"' } },
    { "impact_exponent", "expression", [[Of `impact_law = "lzb"`: the exponent of force by indentation, 1.5 for round bodies (Hertz), 1 for
      linear springs. A number or an expression of parameters.]], dim = "1", default = "1.5", most = 10,
      taken = { contact_between = "1.5" } },
    { "impact_stiffness", "expression", [[Of `impact_law = "lzb"`: the stiffness of this contact relative to that of others: only ratios
      count. A number or an expression of parameters.]], default = "1", taken = { contact_between = "1" } },
  } }

function law.complete(o, subject, where)
  local lzb = o.impact_law == "lzb"
  for _, name in ipairs { "impact_exponent", "impact_stiffness" } do
    if o[name] and not lzb then fail(where, "%s has %s but no impact_law; write impact_law = \"lzb\"", subject, name) end
  end
  if lzb and o.restitution_law then
    fail(where, "%s has impact_law = \"lzb\", whose restitution is energetic of itself; leave out restitution_law", subject)
  end
  if lzb and o.friction then
    fail(where, "%s has impact_law = \"lzb\" and friction, which that law does not have; leave one of them out", subject)
  end
  if lzb and type(o.restitution) == "function" then
    fail(where, "%s has impact_law = \"lzb\", which knows one coefficient; write restitution = a number", subject)
  end
end

function law.make(c, o)
  if o.impact_law ~= "lzb" then return end
  c.chain = true
  c.impact_exponent, c.impact_stiffness = c.impact_exponent or E.num(1.5), c.impact_stiffness or E.one
end

law.where = { { "impact_law", used = function(c) return c.chain end,
  petsc = "contacts of meshes hit together; leave it out", mesh = "contacts of meshes hit together; leave it out",
  pile = "contacts that are found hit together; leave it out",
  schemes = { { function(spec) return spec.family ~= "capture" end,
    "chains of impacts are for capture, which has each impact at its own time; write --scheme capture:dg=D-,M=2" } } } }

return law
