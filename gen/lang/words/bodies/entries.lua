-- The words for rigid bodies in space; words.lua says how such a table reads.
return function(word, name_argument)
  word { "free_body", "m:free_body(name, { mass = ..., inertia = { Ixx, Iyy, Izz }, at = { x, y, z }, orientation = ...,\n"
    .. "  velocity = { vx, vy, vz }, spin = { wx, wy, wz } })",
    summary = [[A rigid body in space, free to move and turn until joints and contacts hold it. It adds three coordinates
      `NAME_x NAME_y NAME_z` (m), a unit quaternion `NAME_qw NAME_qx NAME_qy NAME_qz`, the spin `NAME_wx NAME_wy NAME_wz`
      (rad/s, along the axes of the body), its kinetic energy with all gyroscopic terms and, with `gravity`, its
      weight.]],
    gives = [[a body `b` with `b.at`, `b:point(dx, dy, dz)` (the place of a point fixed on it), `b:direction(dx, dy, dz)` (a
      vector of the body, in space), `b.spin` and `b.orientation` (the quaternion)]],
    arguments = { name_argument },
    options = {
      { "mass", "expression", "Mass, a number or an expression of parameters.", dim = "kg", required = true },
      { "inertia", "tensor", [[Inertia about the centre of mass, along the axes of the body: the three principal moments, or
        three rows of a symmetric matrix, or one number for all directions alike. Positive definite.]], dim = "kg m^2",
        required = true },
      { "at", "vector", "Place of the centre of mass at the start: numbers or expressions of parameters.", dim = "m",
        default = "{ 0, 0, 0 }" },
      { "orientation", "orientation", [[How it is turned at the start: a quaternion, made to unit length, or an axis in space
        and an angle about it.]], default = "{ 1, 0, 0, 0 } (not turned)" },
      { "velocity", "vector", "Velocity of the centre of mass at the start.", dim = "m/s", default = "{ 0, 0, 0 }" },
      { "spin", "vector", "Angular velocity at the start, along the axes of the body.", dim = "rad/s",
        default = "{ 0, 0, 0 }" } },
    notes = [[The rate of the quaternion q is 1/2 q o (0, spin): `.dot` of a point of the body is its velocity. Energies
      written by hand with `kinetic_energy` must not depend on orientation or spin.]],
    example = [[
m:gravity(0, 0, -9.81)
local top = m:free_body("top", { mass = 0.5, inertia = { 1e-3, 1e-3, 2e-3 }, at = { 0, 0, 1 },
  orientation = { axis = { 1, 0, 0 }, angle = carom.pi / 6 }, spin = { 0, 0, 100 } })
local tip = top:point(0, 0, -0.1)
m:output("tip_height", tip[3], { unit = "m" })
m:output("tip_speed", carom.sqrt(tip[1].dot^2 + tip[2].dot^2 + tip[3].dot^2), { unit = "m/s" })]] }

  word { "joint", "m:joint(name, { type = ..., body = ..., at = { x, y, z }, axis = { x, y, z }, on = ..., to = { x, y, z } })",
    summary = [[Joins a free body to another one or to space, by constraints (`NAME_1`, `NAME_2` ...). What is not said about
      the other side is taken as it is at the start.]],
    gives = [[a joint `j` with `j.force` and `j.torque`: what it did to `body` in the last step, at the point of the joint, three
      components in space each (means over the step; 0 before the first); and, of what it leaves free, `j.angle` (revolute, cylindrical:
      turned against the other side since the start, between -pi and pi), `j.slide` (prismatic, cylindrical: the way along the axis) and
      `j.rate` (of the angle, or else of the slide)]],
    arguments = { name_argument },
    options = {
      { "type", "choice", [[`"spherical"` keeps a point (3 constraints), `"universal"` also the angle between two axes (4),
        `"revolute"` a point and an axis (5), `"cylindrical"` an axis along which it slides (4), `"prismatic"` the same
        without turning (5), `"planar"` a plane perpendicular to the axis (3), `"fixed"` everything (6).]],
        choices = { "spherical", "universal", "revolute", "cylindrical", "prismatic", "planar", "fixed" }, required = true },
      { "body", "free_body", "The body that is joined.", required = true },
      { "at", "vector", "The point of the joint, in the frame of `body`.", dim = "m", default = "{ 0, 0, 0 }" },
      { "axis", "vector", [[The axis of the joint (of a plane: its normal), in the frame of `body`. Spherical and fixed joints
        have none.]], default = "none" },
      { "on", "free_body", "The body it is joined to.", default = "none (space)" },
      { "to", "vector", "The same point in the frame of `on`, or in space.", dim = "m", default = "where it is at the start" },
      { "to_axis", "vector", [[The same axis in the frame of `on`, or in space; of a universal joint, the other axis,
        perpendicular to `axis` at the start.]], default = "where it is at the start" },
      { "limits", "limits", [[Of a revolute joint: its angle stays between these two, both between -pi and pi; of a prismatic one: its
        slide. By contacts `NAME_low` and `NAME_high`.]], default = "none" },
      { "restitution", "expression", "Restitution of both limits.", dim = "1", default = "0" },
      { "motor", "expression", [[Torque (N m) about the axis of a revolute joint, force (N) along that of a prismatic one, on `body`
        and the opposite on the other side: an input, or any expression.]], default = "none" } },
    notes = [[Points and axes are numbers or expressions of parameters. A given motion is one more `constraint`.
      Forces that are looked at act one step late where a controller uses them. Constraints that say the same twice
      (two fixed joints in a loop) have no unique forces.]],
    example = [[
m:gravity(0, 0, -9.81)
local upper = m:free_body("upper", { mass = 1, inertia = { 0.02, 0.02, 0.001 }, at = { 0, 0, -0.25 } })
local lower = m:free_body("lower", { mass = 1, inertia = { 0.02, 0.02, 0.001 }, at = { 0, 0, -0.75 }, velocity = { 0.1, 0, 0 },
  spin = { 0, -0.4, 0 } })
m:joint("shoulder", { type = "spherical", body = upper, at = { 0, 0, 0.25 }, to = { 0, 0, 0 } })
local elbow = m:joint("elbow", { type = "revolute", body = lower, at = { 0, 0, 0.25 }, axis = { 0, 1, 0 }, on = upper,
  limits = { -2, 2 }, motor = m:input("drive", 0, "N m") })
m:output("bend", elbow.angle, { unit = "rad" })
m:output("load", elbow.force[3], { unit = "N" })]] }
end
