-- The word box: a rectangle in the plane, a brick in space; against planes and within arcs it is its corners.
local body = require "gen.lang.words.bodies.body"
local fail = require "gen.lang.core.fail"
local frames = require "gen.lang.words.bodies.frame"
local shape = require "gen.lang.words.shapes.shape"
local space = require "gen.lang.core.space"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local zero = value.lift(0)

local box = word { "box", group = shape.in_plane,
  "m:box(name, { width = ..., height = ..., body = ... })\nm:box(name, { size = { a, b, c }, body = ... })",
  summary = [[A rigid rectangle, or with `size` a brick in space. Against planes and the inside of arcs it is its corners: 1 lower left, 2
    lower right, 3 upper right, 4 upper left; in space these have the least z, and 5 to 8 are the same with the greatest.]],
  gives = "a shape for `contact_between`",
  arguments = { shape.name },
  options = {
    { "width", "expression", "Its whole width, along the x axis of the body.", dim = "m", least = 0, default = "needed in the plane" },
    { "height", "expression", "Its whole height.", dim = "m", least = 0, default = "needed in the plane" },
    { "size", "vector", "Its whole lengths along x, y and z, in space.", dim = "m", least = 0, default = "needed in space" },
    shape.any_body,
    { "at", "place", "Its middle: in the frame of the body, in the plane or in space.", dim = "m",
      default = "the centre of mass of the body" },
    { "angle", "expression", "Its rotation, in the plane or relative to a planar body.", dim = "rad", default = "0" },
    { "corners", "numbers", "The corners that count; each is a contact and costs accordingly.",
      most = function(given) return given.size and 8 or 4 end, default = "all" },
    shape.material },
  example = [[
local theta = m:coordinate("theta", { unit = "rad" })
local J = m:parameter("J", 0.03, "kg m^2")
local block = m:body("block", { mass = mass, inertia = J, at = { x, y }, angle = theta })
local brick = m:box("brick", { width = 0.4, height = 0.2, body = block })
m:contact_between(brick, m:plane "ground", { friction = 0.6 })

local die = m:free_body("die", { mass = 0.01, inertia = 1e-6, at = { 0, 0, 1 } })
m:contact_between(m:box("die", { size = { 0.02, 0.02, 0.02 }, body = die }), m:plane("table", { normal = { 0, 0, 1 } }),
  { friction = 0.3 })]] }

-- corners in the order of the plane box, lower face first
local corners = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 }, { -1, -1, 1 }, { 1, -1, 1 }, { 1, 1, 1 },
  { -1, 1, 1 } }

local function brick(name, o, subject, where)
  if not o.size then fail(where, "%s is on a free body and needs three lengths; write size = { a, b, c }", subject) end
  if o.width or o.height or o.angle then
    fail(where, "%s is in space: it has size = { a, b, c } and turns with its body; leave out width, height and angle",
      subject)
  end
  if o.at and #o.at ~= 3 or o.body and not frames.is(o.body) then
    fail(where, "%s is in space; write at = { x, y, z } or body = what m:free_body returned", subject)
  end
  local frame, centre, arm = shape.placed_in_space(o, subject, where)
  local half, balls = space.times(0.5, o.size), {}
  for i, k in ipairs(o.corners or { 1, 2, 3, 4, 5, 6, 7, 8 }) do
    local offset = space.turned(frame.R, { corners[k][1] * half[1], corners[k][2] * half[2], corners[k][3] * half[3] })
    balls[i] = { centre = space.plus(centre, offset), arm = space.plus(arm, offset), radius = zero, number = k }
  end
  return shape.new { kind = "box", spatial = true, name = name, frame = frame, given = o, centre = centre, arm = arm, half = half,
    balls = balls, sizes = half }
end

function box.means(_, state, given, where)
  local name, o, subject = shape.named(box, state, given, where)
  if shape.is_spatial(o) then return brick(name, o, subject, where) end
  for _, field in ipairs { "width", "height" } do
    if not o[field] then
      fail(where, "%s of %s is missing (or nil: a misspelt name?); write %s = ... (in space size = { a, b, c })", field,
        subject, field)
    end
  end
  local frame, middle = shape.placed(o, subject, where)
  local angle = frame.angle
  if o.body and o.angle then angle = angle and angle + o.angle or o.angle end
  local a, b = o.width / 2, o.height / 2
  local corner = { { -a, -b }, { a, -b }, { a, b }, { -a, b } }
  local balls = {}
  for i, k in ipairs(o.corners or { 1, 2, 3, 4 }) do
    balls[i] = { centre = body.place(middle, angle, corner[k][1], corner[k][2]), radius = zero, spin = zero, corner = k }
  end
  return shape.new { kind = "box", name = name, frame = frame, given = o, balls = balls, half = { a, b }, middle = middle, angle = angle }
end

return { words = { box } }
