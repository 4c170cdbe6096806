-- The words for planar shapes, those that are planar or spatial, and contacts between them; words.lua says how such a table reads.
return function(word)
  local shape_name = { "name", "name", [[An identifier; contacts are named after the two shapes. Shapes have a list of
    names of their own, so a disk may have the name of its body.]], required = true }
  local body = { "body", "body", [[The body the shape is fixed to; places, directions and angles are then those of the
    body's own frame, and its motion is that of the body.]], default = "none (fixed, or moved by its own expressions)" }
  local any_body = { "body", "any_body", body[3], default = body.default }

  word { "disk", "m:disk(name, { radius = ..., body = ... })\nm:disk(name, { radius = ..., at = { x, y }, angle = ... })",
    summary = "A disk, or with radius 0 a point.",
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = {
      { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true },
      body,
      { "at", "point", "Its centre: in the frame of the body, or in the plane.", dim = "m",
        default = "the centre of mass of the body" },
      { "angle", "expression", [[Its rotation, where there is no body: its rate is what a rolling disk slips by. Without
        it the disk does not turn.]], dim = "rad", default = "none (that of the body)" } },
    example = [[
local ball = m:disk("ball", { radius = 0.1, at = { x, y } })
m:contact_between(ball, m:plane "ground", { restitution = 0.5 })]] }

  word { "segment", "m:segment(name, { between = { p1, p2 }, body = ... })",
    summary = "A straight edge between two points, thin, touched from both sides and at its ends.",
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = {
      { "between", "points", "Its ends: in the frame of the body, or in the plane.", dim = "m", required = true }, body },
    notes = [[The distance of a disk is to the nearest point, so a disk rolls round the ends. A disk whose centre crosses
      the edge is on its other side: keep the step short enough for a disk not to move by its radius.]],
    example = [[
local shelf = m:segment("shelf", { between = { { 0, 1 }, { 2, 1 } } })
m:contact_between(m:disk("ball", { radius = 0.2, at = { x, y } }), shelf, { friction = 0.3 })]] }

  word { "arc", "m:arc(name, { radius = ..., at = { x, y }, from = ..., to = ..., side = ..., body = ... })",
    summary = "An arc of a circle, or a whole one, touched from one side: a bowl, a bushing, a cam.",
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = {
      { "radius", "expression", "Radius of the circle.", dim = "m", least = 0, required = true },
      body,
      { "at", "point", "Centre of the circle: in the frame of the body, or in the plane.", dim = "m",
        default = "the origin, or the centre of mass of the body" },
      { "from", "expression", "Angle at which the arc begins, anticlockwise from the x axis.", dim = "rad",
        default = "none (a whole circle)" },
      { "to", "expression", "Angle at which it ends, above `from` by at most 2 pi.", dim = "rad",
        default = "none (a whole circle)" },
      { "side", "choice", "`\"inside\"`: touched from within (a bowl); `\"outside\"`: from around it (a cam).",
        choices = { "inside", "outside" }, default = '"inside"' } },
    notes = [[Beyond its ends an arc is touched at its end points. Inside a whole circle the gap is (R^2 - d^2)/(2 R),
      with R the play of the disk's centre and d its distance from the middle: near the wall that is the distance to it,
      and in the middle it is smooth. An arc with ends has the plain distance, which has no direction in the middle:
      start elsewhere.]],
    example = [[
local bowl = m:arc("bowl", { radius = 4, from = -3, to = -0.1 })
m:contact_between(m:disk("ball", { radius = 0.2, at = { x, y } }), bowl, { restitution = 0.4, friction = 0.2 })]] }

  word { "box", "m:box(name, { width = ..., height = ..., body = ... })\nm:box(name, { size = { a, b, c }, body = ... })",
    summary = [[A rigid rectangle, or with `size` a brick in space. Against planes and arcs it is its corners: 1 lower left, 2
      lower right, 3 upper right, 4 upper left; in space these have the least z, and 5 to 8 are the same with the greatest.]],
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = {
      { "width", "expression", "Its whole width, along the x axis of the body.", dim = "m", least = 0, default = "needed in the plane" },
      { "height", "expression", "Its whole height.", dim = "m", least = 0, default = "needed in the plane" },
      { "size", "vector", "Its whole lengths along x, y and z, in space.", dim = "m", least = 0, default = "needed in space" },
      any_body,
      { "at", "place", "Its middle: in the frame of the body, in the plane or in space.", dim = "m",
        default = "the centre of mass of the body" },
      { "angle", "expression", "Its rotation, in the plane or relative to a planar body.", dim = "rad", default = "0" },
      { "corners", "numbers", "The corners that count; each is a contact and costs accordingly.",
        most = function(given) return given.size and 8 or 4 end, default = "all" } },
    example = [[
local theta = m:coordinate("theta", { unit = "rad" })
local J = m:parameter("J", 0.03, "kg m^2")
local block = m:body("block", { mass = mass, inertia = J, at = { x, y }, angle = theta })
local brick = m:box("brick", { width = 0.4, height = 0.2, body = block })
m:contact_between(brick, m:plane "ground", { friction = 0.6 })

local die = m:free_body("die", { mass = 0.01, inertia = 1e-6, at = { 0, 0, 1 } })
m:contact_between(m:box("die", { size = { 0.02, 0.02, 0.02 }, body = die }), m:plane("table", { normal = { 0, 0, 1 } }),
  { friction = 0.3 })]] }

  word { "plane", "m:plane(name, { at = { x, y }, normal = { nx, ny }, body = ... })\n"
    .. "m:plane(name, { at = { x, y }, angle = ..., body = ... })\n"
    .. "m:plane(name, { at = { x, y, z }, normal = { nx, ny, nz }, body = ... })",
    summary = [[A straight line without end, solid on one side; with three components a plane in space. Without options, the
      ground: y = 0, solid below.]],
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = {
      { "at", "place", "A point on it: in the frame of the body, in the plane or in space.", dim = "m",
        default = "{ 0, 0 } or { 0, 0, 0 }" },
      { "normal", "place", [[Direction away from the solid side, of any length; numbers or expressions of parameters.
        Either this or `angle`.]], default = "{ 0, 1 } or { 0, 0, 1 }" },
      { "angle", "expression", [[In the plane: inclination of the line, anticlockwise; at 0 the solid side is below, at pi/2 on the
        right. May depend on coordinates or time: a plane that tips.]], dim = "rad", default = "0" },
      any_body },
    example = [[
local slope = m:plane("slope", { at = { 0, -1 }, angle = -carom.pi / 6 })
local wall = m:plane("wall", { at = { 3, 0 }, normal = { -1, 0 } })
local ball = m:disk("ball", { radius = 0.1, at = { x, y } })
m:contact_between(ball, slope, { friction = 0.2 })
m:contact_between(ball, wall, { restitution = 0.8 })]] }

  word { "contact_between", "m:contact_between(a, b, { restitution = ..., friction = ..., name = ... })",
    summary = "The contact or contacts of two shapes: gap, normal and slip are made for you.",
    gives = "what `contact` gives; a list of it where there are several (a box)",
    arguments = {
      { "a", "shape", "One shape.", required = true }, { "b", "shape", "The other; the order does not matter.",
        required = true } },
    options = {
      { "restitution", "expression", "As for `contact`.", dim = "1", default = "0" },
      { "friction", "expression", [[As for `contact`; the slip is the velocity of the two bodies' points at the contact
        relative to each other, rotation included, in space along two directions.]], dim = "1", default = "none (no friction)" },
      { "tangential_restitution", "expression", "As for `contact`.", dim = "1", default = "0" },
      { "name", "name", [[Name of the contact. A box gives one contact per corner, with `_1`, `_2` ... added.]],
        default = "the names of a and b joined by _" } },
    notes = [[Covered in the plane are disk and disk, disk and plane, disk and segment, disk and arc (either side), box and
      plane, box and arc (inside); in space sphere and sphere, sphere and plane, sphere and box, sphere and
      capsule, sphere and heightfield, box and plane, capsule and plane, cylinder and plane (not upright). Other pairs are
      refused: edges of a box are not touched by corners of others, so two boxes (see `contacts_among`), or a planar box and a
      disk, are not covered. A sphere whose centre enters a box or
      reaches the axis of a capsule has no direction to be pushed in: keep the step short enough.]],
    example = [[
local post = m:disk("post", { radius = 0.5, at = { 0, 0 } })
local ball = m:disk("ball", { radius = 0.1, at = { x, y } })
m:contact_between(ball, post, { restitution = 0.7, friction = 0.1, name = "hit" })]] }
end
