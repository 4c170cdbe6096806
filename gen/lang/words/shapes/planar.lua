-- Shapes of the plane alone: disk, segment, arc.
local body = require "gen.lang.words.bodies.body"
local fail = require "gen.lang.core.fail"
local geometry = require "gen.lang.words.shapes.geometry"
local shape = require "gen.lang.words.shapes.shape"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local zero = value.lift(0)

local disk = word { "disk", group = shape.in_plane,
  "m:disk(name, { radius = ..., body = ... })\nm:disk(name, { radius = ..., at = { x, y }, angle = ... })",
  summary = "A disk, or with radius 0 a point.",
  gives = "a shape for `contact_between`",
  arguments = { shape.name },
  options = {
    { "radius", "expression", "Its radius.", dim = "m", least = 0, required = true },
    shape.body,
    { "at", "point", "Its centre: in the frame of the body, or in the plane.", dim = "m",
      default = "the centre of mass of the body" },
    { "angle", "expression", [[Its rotation, where there is no body: its rate is what a rolling disk slips by. Without
      it the disk does not turn.]], dim = "rad", default = "none (that of the body)" }, shape.material },
  example = [[
local ball = m:disk("ball", { radius = 0.1, at = { x, y } })
m:contact_between(ball, m:plane "ground", { restitution = 0.5 })]] }

function disk.means(_, state, given, where)
  local name, o, subject = shape.named(disk, state, given, where)
  if o.body and o.angle then
    fail(where, "%s turns with its body; leave out angle", subject)
  end
  local frame, centre = shape.placed(o, subject, where)
  return shape.new { kind = "disk", name = name, frame = frame, given = o,
    ball = { centre = centre, radius = o.radius, spin = geometry.spin(frame) } }
end

local segment = word { "segment", group = shape.in_plane, "m:segment(name, { between = { p1, p2 }, body = ... })",
  summary = "A straight edge between two points, thin, touched from both sides and at its ends.",
  gives = "a shape for `contact_between`",
  arguments = { shape.name },
  options = {
    { "between", "points", "Its ends: in the frame of the body, or in the plane.", dim = "m", required = true }, shape.body,
    shape.material },
  notes = [[The distance of a disk is to the nearest point, so a disk rolls round the ends. A disk whose centre crosses
    the edge is on its other side: keep the step short enough for a disk not to move by its radius.]],
  example = [[
local shelf = m:segment("shelf", { between = { { 0, 1 }, { 2, 1 } } })
m:contact_between(m:disk("ball", { radius = 0.2, at = { x, y } }), shelf, { friction = 0.3 })]] }

function segment.means(_, state, given, where)
  local name, o = shape.named(segment, state, given, where)
  local ends, frame = o.between, o.body and body.frame(o.body)
  if frame then
    ends = { body.place(frame.at, frame.angle, ends[1][1], ends[1][2]),
      body.place(frame.at, frame.angle, ends[2][1], ends[2][2]) }
  end
  return shape.new { kind = "segment", name = name, frame = frame, given = o, ends = ends }
end

local arc = word { "arc", group = shape.in_plane,
  "m:arc(name, { radius = ..., at = { x, y }, from = ..., to = ..., side = ..., body = ... })",
  summary = "An arc of a circle, or a whole one, touched from one side: a bowl, a bushing, a cam.",
  gives = "a shape for `contact_between`",
  arguments = { shape.name },
  options = {
    { "radius", "expression", "Radius of the circle.", dim = "m", least = 0, required = true },
    shape.body,
    { "at", "point", "Centre of the circle: in the frame of the body, or in the plane.", dim = "m",
      default = "the origin, or the centre of mass of the body" },
    { "from", "expression", "Angle at which the arc begins, anticlockwise from the x axis.", dim = "rad",
      default = "none (a whole circle)" },
    { "to", "expression", "Angle at which it ends, above `from` by at most 2 pi.", dim = "rad",
      default = "none (a whole circle)" },
    { "side", "choice", "`\"inside\"`: touched from within (a bowl); `\"outside\"`: from around it (a cam).",
      choices = { "inside", "outside" }, default = '"inside"' }, shape.material },
  notes = [[Beyond its ends an arc is touched at its end points. Inside a whole circle the gap is (R^2 - d^2)/(2 R),
    with R the play of the disk's centre and d its distance from the middle: near the wall that is the distance to it,
    and in the middle it is smooth. An arc with ends has the plain distance, which has no direction in the middle:
    start elsewhere.]],
  example = [[
local bowl = m:arc("bowl", { radius = 4, from = -3, to = -0.1 })
m:contact_between(m:disk("ball", { radius = 0.2, at = { x, y } }), bowl, { restitution = 0.4, friction = 0.2 })]] }

function arc.means(_, state, given, where)
  local name, o, subject = shape.named(arc, state, given, where)
  if (o.from == nil) ~= (o.to == nil) then
    fail(where, "%s has one end only; write from = ... and to = ..., or neither for a whole circle", subject)
  end
  local extent = o.from and value.number(o.to - o.from)
  if extent and (extent <= 0 or extent > 2 * math.pi + 1e-9) then
    fail(where, "%s spans an angle of %g; write to above from by at most 2 pi", subject, extent)
  end
  if not o.body and not o.at then o.at = { zero, zero } end
  local frame, centre = shape.placed(o, subject, where)
  return shape.new { kind = "arc", name = name, frame = frame, given = o, centre = centre, radius = o.radius, from = o.from,
    to = o.to, side = o.side or "inside" }
end

return { words = { disk, segment, arc } }
