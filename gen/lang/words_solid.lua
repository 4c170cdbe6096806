-- The words for shapes in space (plane and box are in words_shape.lua); words.lua says how such a table reads.
return function(word)
  local shape_name = { "name", "name", "An identifier; contacts are named after the two shapes.", required = true }
  local body = { "body", "free_body", [[The free body the shape is fixed to; places and directions are then those of the
    body's own frame, and its motion is that of the body.]], default = "none (fixed, or moved by its own expressions)" }
  local at = { "at", "vector", "Its middle: in the frame of the body, or in space.", dim = "m",
    default = "the centre of mass of the body" }
  local axis = { "axis", "vector", "Direction of its axis, of any length: in the frame of the body, or in space.",
    default = "{ 0, 0, 1 }" }

  word { "sphere", "m:sphere(name, { radius = ..., body = ... })\nm:sphere(name, { radius = ..., at = { x, y, z } })",
    summary = "A sphere, or with radius 0 a point.",
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = { { "radius", "expression", "Its radius.", dim = "m", required = true }, body, at },
    example = [[
m:gravity(0, 0, -9.81)
local radius = m:parameter("radius", 0.03, "m")
local ball = m:free_body("ball", { mass = mass, inertia = 2 / 5 * mass * radius^2, at = { 0, 0, radius },
  velocity = { 2, 0, 0 } })
m:contact_between(m:sphere("ball", { radius = radius, body = ball }), m:plane("floor", { normal = { 0, 0, 1 } }),
  { friction = 0.2 })]] }

  word { "capsule", "m:capsule(name, { radius = ..., length = ..., axis = { x, y, z }, body = ... })",
    summary = "A cylinder with half spheres at its ends. Against a plane it is its two ends, `_1` and `_2`.",
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = {
      { "radius", "expression", "Its radius.", dim = "m", required = true },
      { "length", "expression", "Length of its axis, between the middles of the half spheres.", dim = "m", required = true },
      axis, body, at },
    example = [[
m:gravity(0, 0, -9.81)
local pill = m:free_body("pill", { mass = 0.1, inertia = { 1e-4, 1e-4, 2e-5 }, at = { 0, 0, 0.5 } })
m:contact_between(m:capsule("pill", { radius = 0.02, length = 0.1, body = pill }),
  m:plane("floor", { normal = { 0, 0, 1 } }), { friction = 0.3 })]] }

  word { "cylinder", "m:cylinder(name, { radius = ..., length = ..., axis = { x, y, z }, body = ... })",
    summary = [[A cylinder with flat ends. Against a plane it is the deepest points of its two rims, `_1` and `_2`: it rolls on
      its side or on one rim.]],
    gives = "a shape for `contact_between`",
    arguments = { shape_name },
    options = {
      { "radius", "expression", "Its radius.", dim = "m", required = true },
      { "length", "expression", "Its whole length.", dim = "m", required = true }, axis, body, at },
    notes = [[Standing upright, with its axis along the normal of the plane, no point of the rim is the deepest: that position
      is not covered, and a model that starts there is refused.]],
    example = [[
m:gravity(0, 0, -9.81)
local drum = m:free_body("drum", { mass = 0.1, inertia = { 1e-4, 1e-4, 2e-5 }, at = { 0, 0, 0.02 } })
m:contact_between(m:cylinder("drum", { radius = 0.02, length = 0.1, axis = { 1, 0, 0 }, body = drum }),
  m:plane("floor", { normal = { 0, 0, 1 } }), { friction = 0.3 })]] }
end
