-- Round shapes in space: sphere, capsule, cylinder. Their geometry is in solid.lua.
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local word = require "gen.lang.core.word"

local solid_name = { "name", "name", "An identifier; contacts are named after the two shapes.", required = true }
local body = { "body", "free_body", [[The free body the shape is fixed to; places and directions are then those of the
  body's own frame, and its motion is that of the body.]], default = "none (fixed, or moved by its own expressions)" }
local at = { "at", "vector", "Its middle: in the frame of the body, or in space.", dim = "m",
  default = "the centre of mass of the body" }
local along = { "axis", "vector", "Direction of its axis, of any length: in the frame of the body, or in space.",
  default = "{ 0, 0, 1 }" }

local sphere = word { "sphere", group = shape.in_space,
  "m:sphere(name, { radius = ..., body = ... })\nm:sphere(name, { radius = ..., at = { x, y, z } })",
  summary = "A sphere, or with radius 0 a point.",
  gives = "a shape for `contact_between`",
  arguments = { solid_name },
  options = { { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true }, body, at,
    shape.material },
  example = [[
m:gravity(0, 0, -9.81)
local radius = m:parameter("radius", 0.03, "m")
local ball = m:free_body("ball", { mass = mass, inertia = 2 / 5 * mass * radius^2, at = { 0, 0, radius },
  velocity = { 2, 0, 0 } })
m:contact_between(m:sphere("ball", { radius = radius, body = ball }), m:plane("floor", { normal = { 0, 0, 1 } }),
  { friction = 0.2 })]] }

function sphere.means(_, state, given, where)
  local name, o, subject = shape.named(sphere, state, given, where)
  local frame, centre, arm = shape.placed_in_space(o, subject, where)
  return shape.new { kind = "sphere", spatial = true, name = name, frame = frame, given = o, sizes = { o.radius },
    balls = { { centre = centre, arm = arm, radius = o.radius } } }
end

-- capsules and cylinders: a middle, an axis and half the length along it
local function rod(w)
  return function(_, state, given, where)
    local name, o, subject = shape.named(w, state, given, where)
    local frame, centre, arm = shape.placed_in_space(o, subject, where)
    local axis = shape.direction(o.axis, frame, "axis of " .. subject, where)
    local half = o.length / 2
    local balls = {}
    for i, sign in ipairs { -1, 1 } do
      balls[i] = { centre = space.along(centre, sign * half, axis), arm = space.along(arm, sign * half, axis),
        radius = o.radius, number = i }
    end
    return shape.new { kind = w.name, spatial = true, name = name, frame = frame, given = o, centre = centre, arm = arm, axis = axis,
      half = half, radius = o.radius, balls = balls, sizes = { o.radius, half } }
  end
end

local capsule = word { "capsule", group = shape.in_space,
  "m:capsule(name, { radius = ..., length = ..., axis = { x, y, z }, body = ... })",
  summary = "A cylinder with half spheres at its ends. Against a plane it is its two ends, `_1` and `_2`.",
  gives = "a shape for `contact_between`",
  arguments = { solid_name },
  options = {
    { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true },
    { "length", "expression", "Length of its axis, between the middles of the half spheres.", dim = "m", least = 0, required = true },
    along, body, at, shape.material },
  example = [[
m:gravity(0, 0, -9.81)
local pill = m:free_body("pill", { mass = 0.1, inertia = { 1e-4, 1e-4, 2e-5 }, at = { 0, 0, 0.5 } })
m:contact_between(m:capsule("pill", { radius = 0.02, length = 0.1, body = pill }),
  m:plane("floor", { normal = { 0, 0, 1 } }), { friction = 0.3 })]] }

capsule.means = rod(capsule)

local cylinder = word { "cylinder", group = shape.in_space,
  "m:cylinder(name, { radius = ..., length = ..., axis = { x, y, z }, body = ... })",
  summary = [[A cylinder with flat ends. Against a plane it is the deepest points of its two rims, `_1` and `_2`: it rolls on
    its side or on one rim.]],
  gives = "a shape for `contact_between`",
  arguments = { solid_name },
  options = {
    { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true },
    { "length", "expression", "Its whole length.", dim = "m", least = 0, required = true }, along, body, at,
    shape.material },
  notes = [[Standing upright, with its axis along the normal of the plane, no point of the rim is the deepest: that position
    is not covered, and a model that starts there is refused.]],
  example = [[
m:gravity(0, 0, -9.81)
local drum = m:free_body("drum", { mass = 0.1, inertia = { 1e-4, 1e-4, 2e-5 }, at = { 0, 0, 0.02 } })
m:contact_between(m:cylinder("drum", { radius = 0.02, length = 0.1, axis = { 1, 0, 0 }, body = drum }),
  m:plane("floor", { normal = { 0, 0, 1 } }), { friction = 0.3 })]] }

cylinder.means = rod(cylinder)

return { words = { sphere, capsule, cylinder } }
