-- The word for piles; words.lua says how such a table reads.
return function(word)
  word { "contacts_among", "m:contacts_among(shapes, { restitution = ..., friction = ..., maximum = ..., name = ... })",
    summary = [[A pile: every pair of the listed shapes that are not on the same body can touch, and which do is found at run
      time. The model then consists of free bodies and gravity, thousands of them if need be.]],
    arguments = { { "shapes", "shapes", "The shapes, on free bodies or fixed.", required = true } },
    options = {
      { "restitution", "expression", "Newton's coefficient of all contacts, from 0 to 1.", dim = "1", default = "0" },
      { "friction", "expression", "Coulomb's coefficient of all contacts.", dim = "1", default = "0" },
      { "maximum", "number", [[The largest number of contact points at one time; memory is set aside for so many. When there are
        more a step fails with a status that says so and the state is as before.]],
        default = "64 + 7 per sphere, 16 per other shape on a free body" },
      { "name", "name", "A name for messages.", default = "contacts" } },
    notes = [[Spheres touch everything; boxes touch boxes, capsules, planes and (with their corners) heightfields; capsules
      touch capsules, boxes, planes and heightfields; cylinders touch spheres and planes. Other pairs are refused.
      Planes are fixed and without end; shapes of other kinds may be fixed. Names of bodies are columns of no table: a run
      writes outputs to result.csv (beside those of the model the kinetic energy, the number of contact points, the deepest
      penetration, how many contacts stick and slide, the force of the fixed shapes on the bodies (support_x, support_y, support_z: mean of
      the last step) and the deepest penetration so far) and at its end all bodies to bodies.csv. The scheme is moreau-jean;
      theta=1,gamma=1 brings a pile to rest soonest.]],
    preamble = 'local carom = require "carom"\nlocal m = carom.model "example"\n',
    example = [[
m:gravity(0, 0, -9.81)
local shapes = { m:plane("floor", { normal = { 0, 0, 1 } }) }
for i = 1, 10 do
  local ball = m:free_body("ball" .. i, { mass = 0.1, inertia = 1e-5, at = { 0, 0, 0.05 * i } })
  shapes[#shapes + 1] = m:sphere("ball" .. i, { radius = 0.02, body = ball })
end
m:contacts_among(shapes, { friction = 0.3 })
m:run { until_time = 1, step = 1e-3, scheme = "moreau-jean:theta=1,gamma=1" }]] }
end
