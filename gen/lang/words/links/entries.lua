-- The word for trees of rigid bodies in joint coordinates; words.lua says how such a table reads.
return function(word, name_argument)
  word { "link", "m:link(name, { parent = ..., joint = ..., axis = { x, y, z }, at = { x, y, z }, mass = ..., "
    .. "inertia = ..., center = { x, y, z } })",
    summary = [[A rigid body on a joint: to its parent, a link or a free body, or to the ground. It adds one coordinate `NAME` for each
      direction the joint leaves free (`NAME_1 NAME_2` ... where there are several) and, with `gravity`, its weight. The
      equations of a tree of links are made by recursion through the links, which is much shorter than the same bodies
      written as energies or as free bodies with constraints. Where the coordinates are 0, the frame of the link stands at
      `at` in the frame of the parent, turned by `rotation`.]],
    gives = [[a link `l` with `l.q` (the coordinate, or a list of them), `l.at` (its origin in space), `l:point(dx, dy, dz)`
      and `l:direction(dx, dy, dz)` (a point or a vector of its frame, in space) and `l.spin` (along its own axes). It can
      stand wherever a free body can: in shapes, in `force` and, to close a loop, in `joint`]],
    arguments = { name_argument },
    options = {
      { "parent", "link", [[The link it hangs on, or a free body: the base of the tree, which moves and turns freely and feels
        what hangs on it.]], default = "none (the ground)" },
      { "joint", "choice", [[`"revolute"` turns about the axis (rad), `"prismatic"` slides along it (m), `"fixed"` does
        neither; `"cylindrical"` slides, then turns (2 coordinates), `"universal"` turns about `axis`, then `axis2` (2),
        `"spherical"` turns about x, y and z one after the other (3; singular where the second angle is a right one),
        `"planar"` slides twice in the plane across the axis, then turns about it (3).]],
        choices = { "revolute", "prismatic", "fixed", "cylindrical", "universal", "spherical", "planar" }, required = true },
      { "axis", "vector", [[Axis of the joint, in its own frame (the frame of the parent, turned by `rotation`). Coordinate
        axes give the shortest code.]], default = "{ 0, 0, 1 }" },
      { "axis2", "vector", "Second axis of a universal joint, in the frame that the first has turned.", default = "none" },
      { "at", "vector", "The origin of the joint in the frame of the parent.", dim = "m", default = "{ 0, 0, 0 }" },
      { "rotation", "rotation", "How the frame of the joint is turned against that of the parent.", default = "not turned" },
      { "mass", "expression", "Mass, a number or an expression of parameters.", dim = "kg", default = "0" },
      { "inertia", "tensor", "Inertia about the centre of mass, along the axes of the link.", dim = "kg m^2", default = "0" },
      { "center", "vector", "Centre of mass in the frame of the link.", dim = "m", default = "{ 0, 0, 0 }" },
      { "initial", "joint_values", "The coordinate at the start; a list where there are several.", default = "0" },
      { "velocity", "joint_values", "Its velocity at the start; likewise.", default = "0" },
      { "limits", "limits", "The coordinate stays between these two, by contacts `NAME_low` and `NAME_high`.", default = "none" },
      { "restitution", "expression", "Restitution of both limits.", dim = "1", default = "0" },
      { "motor", "joint_values", [[Torque (N m) or force (N) on the coordinate: an input, or any expression; a list where there
        are several coordinates.]], default = "none" } },
    notes = [[A link without mass is a frame, or an axis more. Vectors, masses and inertias are numbers or expressions of
      parameters. A loop is closed with `joint` or `constraint`.]],
    example = [[
m:gravity(0, 0, -9.81)
local drive = m:input("drive", 0, "N m")
local upper = m:link("upper", { joint = "revolute", axis = { 0, 1, 0 }, mass = 2, inertia = { 0.02, 0.02, 0.002 },
  center = { 0, 0, -0.2 }, initial = 0.5, limits = { -2, 2 }, restitution = 0.3, motor = drive })
local lower = m:link("lower", { parent = upper, joint = "revolute", axis = { 0, 1, 0 }, at = { 0, 0, -0.4 }, mass = 1,
  inertia = { 0.01, 0.01, 0.001 }, center = { 0, 0, -0.2 } })
local tip = lower:point(0, 0, -0.4)
m:contact("floor", { gap = tip[3] + 0.79, restitution = 0.2, friction = 0.3, slide = tip[1] })]] }
end
