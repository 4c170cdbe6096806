-- The words for contacts and constraints; words.lua says how such a table reads.
return function(word, name_argument)
  word { "contact",
    "m:contact(name, { gap = ..., restitution = ..., friction = ..., slide = ... })",
    summary = [[A unilateral contact: the gap stays nonnegative, the contact force only pushes, and it is zero while
      the gap is open. With `friction` it also resists sliding, by Coulomb's law.]],
    gives = [[a contact `c` with `c.gap` and `c.rate` (of the gap), `c.force` (the force that pushed in the last step: its mean over the
      step, impacts included; 0 before the first) and, with friction, `c.slip` (velocity) and `c.friction` (force along it in the last
      step), in space lists of two]],
    arguments = { name_argument },
    options = {
      { "gap", "expression", [[Distance to penetration: positive apart, zero touching. Of coordinates, time and
        parameters. A true distance gives impulses in N s; any smooth function with the same sign is allowed.]],
        required = true },
      { "restitution", "expression", [[Newton's coefficient between 0 (no rebound) and 1 (no loss): the gap opens with
        this fraction of the speed it closed with. A number or an expression of parameters.]],
        dim = "1", default = "0" },
      { "friction", "expression", [[Coulomb's coefficient mu, 0 or more: the tangential force is at most mu times the
        normal force, keeps the contact from sliding as long as that suffices, and opposes the slip when it slides. A
        number or an expression of parameters; needs `slide` or `slip`. Even with the value 0 the tangential rows are
        computed: leave it out where there is none.]], dim = "1", default = "none (no friction)" },
      { "slide", "expressions", [[Tangential displacement, whose rate is the slip velocity: one expression of
        coordinates, time and parameters in the plane, two (along two perpendicular directions) in space. Measured like
        the gap: where the gap is a true distance this is one too, or mu loses its meaning.]], default = "none" },
      { "slip", "expressions", [[The slip velocity itself, instead of `slide`, where it is not the rate of anything, as
        in rolling: one expression or two, affine in the velocities.]], default = "none" },
      { "tangential_restitution", "expression", [[From 0 to 1: the fraction of the slip velocity that an impact which
        sticks turns round (a rubber ball with spin). Needs `friction`.]], dim = "1", default = "0" } },
    notes = [[With two directions the friction cone is the same in all of them. A step says which contacts stick and
      which slide; a configuration without a solution (Painleve's) is reported, never passed over. Forces may stand in outputs and in
      forces of the model, where they act one step late (a controller with a sensor): the step must be short against what it controls.]],
    example = [[
local floor = m:contact("floor", { gap = y, restitution = 0.5, friction = 0.3, slide = x })
m:output("load", floor.force)
m:force(x, carom.select(carom.lt(floor.force, 20), 5, 0)) -- pushes as long as the floor is not pressed harder

-- a disk that rolls or slides: the slip is no rate of a displacement
local phi = m:coordinate("phi", { unit = "rad" })
local radius = m:parameter("radius", 0.1, "m")
m:kinetic_energy(mass * radius^2 * phi.dot^2 / 4)
m:contact("rim", { gap = y - radius, friction = 0.2, slip = x.dot + radius * phi.dot })]] }

  word { "constraint", "m:constraint(name, { zero = expression })",
    summary = "A bilateral constraint: the expression stays zero, by a force of either sign.",
    gives = [[a constraint `k` with `k.zero` (the expression), `k.rate` and `k.force`: the force of the last step along the gradient of
      the expression, its mean over the step; 0 before the first]],
    arguments = { name_argument },
    options = { { "zero", "expression", [[Of coordinates, time and parameters. It and its rate must be zero at the
      start. `m:constraint(name, expression)` means the same.]], required = true } },
    notes = "With time in it the constraint is a drive: `theta - omega*t`.",
    example = [[
local wire = m:constraint("wire", { zero = y - 2 * x })
m:output("pull", wire.force)]] }
end
