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
    options = { { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true }, body, at },
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
      { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true },
      { "length", "expression", "Length of its axis, between the middles of the half spheres.", dim = "m", least = 0, required = true },
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
      { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true },
      { "length", "expression", "Its whole length.", dim = "m", least = 0, required = true }, axis, body, at },
    notes = [[Standing upright, with its axis along the normal of the plane, no point of the rim is the deepest: that position
      is not covered, and a model that starts there is refused.]],
    example = [[
m:gravity(0, 0, -9.81)
local drum = m:free_body("drum", { mass = 0.1, inertia = { 1e-4, 1e-4, 2e-5 }, at = { 0, 0, 0.02 } })
m:contact_between(m:cylinder("drum", { radius = 0.02, length = 0.1, axis = { 1, 0, 0 }, body = drum }),
  m:plane("floor", { normal = { 0, 0, 1 } }), { friction = 0.3 })]] }

  word { "heightfield", "m:heightfield(name, { height = function(x, y) ... end, cells = { nx, ny }, size = { lx, ly } })\n"
    .. "m:heightfield(name, { heights = { { z11, z12, ... }, ... }, size = { lx, ly } })",
    summary = "Ground that does not move: its height over a rectangle, solid below.",
    gives = "a shape for `contacts_among`, and with a sphere for `contact_between`",
    arguments = { shape_name },
    options = {
      { "height", "function", [[The height at x and y, counted from the lowest corner: a function of two numbers that returns a
        number. For `contact_between` it must also work with expressions, that is without `if`.]],
        default = "none (heights)" },
      { "cells", "counts", "With `height`: the numbers of cells along x and y.", default = "none (heights)" },
      { "heights", "rows", [[Rows of heights along x, the rows following each other along y; at least two rows of two.]],
        default = "none (height)" },
      { "size", "lengths", "Lengths of the rectangle along x and y.", dim = "m", required = true },
      { "at", "vector", "Its lowest corner in x and y, and the level that heights are counted from.", dim = "m",
        default = "{ 0, 0, 0 }" } },
    notes = [[In `contacts_among` the ground is triangles, two for each cell, split from its lowest to its highest corner; a ball
      rolls over a field of constant slope as over a plane. Beyond the rectangle there is nothing. Boxes touch it with their
      corners only: a peak in the middle of a face is not seen, so let the ground be gentle against boxes. In
      `contact_between` the ground is the smooth function without border, and the nearest point is found by three steps of
      Newton's method: good while the ball is smaller than the radius of curvature.]],
    example = [[
m:gravity(0, 0, -9.81)
local ball = m:free_body("ball", { mass = 0.1, inertia = 1e-4, at = { 0.5, 0.6, 0.3 } })
local dunes = m:heightfield("dunes", { size = { 2, 2 }, cells = { 20, 20 },
  height = function(u, w) return 0.1 * carom.sin(3 * u) * carom.cos(2 * w) end })
m:contact_between(m:sphere("ball", { radius = 0.05, body = ball }), dunes, { friction = 0.3 })]] }
end
