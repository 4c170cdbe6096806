-- The words for planar shapes, and contact_between, which makes contacts of two shapes (geometry.lua in the plane,
-- solid.lua in space). Shapes in space are made in solids.lua.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local body = require "gen.lang.words.bodies.body"
local contacts = require "gen.lang.words.contacts"
local fail = require "gen.lang.core.fail"
local geometry = require "gen.lang.words.shapes.geometry"
local heightfield = require "gen.lang.words.shapes.heightfield"
local names = require "gen.lang.core.names"
local pile_pairs = require "gen.lang.words.piles.pairs"
local shape = require "gen.lang.words.shapes.shape"
local solid = require "gen.lang.words.shapes.solid"
local solids = require "gen.lang.words.shapes.spatial"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local W = {}
local zero, one = value.lift(0), value.lift(1)

-- A length written as a plain number is a quantity whose unit was not given, not a factor. (Points are taken apart.)
local function quantity(v)
  if not value.is(v) then
    local list = {}
    for i, x in ipairs(v) do list[i] = quantity(x) end
    return list
  end
  if value.dim(v) == units.any and value.node(v) ~= E.zero then return value.wrap(value.node(v)) end
  return v
end

local function named(kind, state, given, where)
  local name, o, subject = accept.named(words[kind], given, where)
  for _, spec in ipairs(words[kind].options) do
    if spec.dim == "m" and o[spec.name] then o[spec.name] = quantity(o[spec.name]) end
  end
  state.declare(state.shapes, name, kind, where)
  return name, o, subject
end

-- Frame and middle of a shape with body, at and angle; without a body the shape is its own frame.
local function placed(o, subject, where)
  if o.body then
    local frame = body.frame(o.body)
    return frame, o.at and body.place(frame.at, frame.angle, o.at[1], o.at[2]) or frame.at
  end
  if not o.at then
    fail(where, "%s has no place; write body = what m:body returned, or at = { x, y }", subject)
  end
  return { at = o.at, angle = o.angle }, o.at
end

function W.disk(_, state, given, where)
  local name, o, subject = named("disk", state, given, where)
  if o.body and o.angle then
    fail(where, "%s turns with its body; leave out angle", subject)
  end
  local frame, centre = placed(o, subject, where)
  return shape.new { kind = "disk", name = name, frame = frame,
    ball = { centre = centre, radius = o.radius, spin = geometry.spin(frame) } }
end

function W.segment(_, state, given, where)
  local name, o = named("segment", state, given, where)
  local ends, frame = o.between, o.body and body.frame(o.body)
  if frame then
    ends = { body.place(frame.at, frame.angle, ends[1][1], ends[1][2]),
      body.place(frame.at, frame.angle, ends[2][1], ends[2][2]) }
  end
  return shape.new { kind = "segment", name = name, frame = frame, ends = ends }
end

local function number(v) return value.node(v).op == "num" and value.node(v).value end

function W.arc(_, state, given, where)
  local name, o, subject = named("arc", state, given, where)
  if (o.from == nil) ~= (o.to == nil) then
    fail(where, "%s has one end only; write from = ... and to = ..., or neither for a whole circle", subject)
  end
  local extent = o.from and number(o.to - o.from)
  if extent and (extent <= 0 or extent > 2 * math.pi + 1e-9) then
    fail(where, "%s spans an angle of %g; write to above from by at most 2 pi", subject, extent)
  end
  if not o.body and not o.at then o.at = { zero, zero } end
  local frame, centre = placed(o, subject, where)
  return shape.new { kind = "arc", name = name, frame = frame, centre = centre, radius = o.radius, from = o.from,
    to = o.to, side = o.side or "inside" }
end

for _, kind in ipairs { "sphere", "capsule", "cylinder" } do
  W[kind] = function(_, state, given, where)
    local name, o, subject = named(kind, state, given, where)
    return solids[kind](name, o, subject, where)
  end
end

function W.heightfield(_, state, given, where)
  local name, o, subject = named("heightfield", state, given, where)
  return heightfield.new(name, o, subject, where)
end

function W.box(_, state, given, where)
  local name, o, subject = named("box", state, given, where)
  if solids.is_spatial(o) then return solids.box(name, o, subject, where) end
  for _, field in ipairs { "width", "height" } do
    if not o[field] then
      fail(where, "%s of %s is missing (or nil: a misspelt name?); write %s = ... (in space size = { a, b, c })", field,
        subject, field)
    end
  end
  local frame, middle = placed(o, subject, where)
  local angle = frame.angle
  if o.body and o.angle then angle = angle and angle + o.angle or o.angle end
  local a, b = o.width / 2, o.height / 2
  local corner = { { -a, -b }, { a, -b }, { a, b }, { -a, b } }
  local balls = {}
  for i, k in ipairs(o.corners or { 1, 2, 3, 4 }) do
    balls[i] = { centre = body.place(middle, angle, corner[k][1], corner[k][2]), radius = zero, spin = zero, corner = k }
  end
  return shape.new { kind = "box", name = name, frame = frame, balls = balls }
end

-- a direction as a unit vector
local function unit_vector(v, subject, where)
  for i = 1, 2 do
    for _, s in ipairs(E.symbols(value.node(v[i]))) do
      if s.kind ~= "param" then
        fail(where, "normal of %s depends on '%s'; write angle = the inclination of the line instead", subject, s.name)
      end
    end
  end
  local x, y = number(v[1]), number(v[2])
  if x and y then
    local size = math.sqrt(x * x + y * y)
    if size == 0 then fail(where, "normal of %s is { 0, 0 }; write a direction such as { 0, 1 }", subject) end
    return { value.wrap(E.num(x / size), units.any), value.wrap(E.num(y / size), units.any) }
  end
  local size = value.functions.sqrt(v[1] ^ 2 + v[2] ^ 2)
  return { v[1] / size, v[2] / size }
end

function W.plane(_, state, given, where)
  local name, o, subject = named("plane", state, given, where)
  if solids.is_spatial(o) then return solids.plane(name, o, subject, where) end
  if o.normal and o.angle then fail(where, "%s has both normal and angle; keep one of the two", subject) end
  local frame, point
  if o.body then
    frame, point = placed(o, subject, where)
  else
    point = o.at or { zero, zero }
    frame = { at = point, angle = o.angle }
  end
  local normal = o.normal and unit_vector(o.normal, subject, where) or { zero, one }
  if o.body and o.angle then normal = geometry.turned({ angle = o.angle }, normal) end
  return shape.new { kind = "plane", name = name, frame = frame, point = point, normal = geometry.turned(frame, normal) }
end

-- What touches what: the first shape gives the balls. Refused pairs are told which ones there are.
local function ordered(a, b, where)
  local list = {}
  if a.spatial ~= b.spatial then
    local flat, deep = a.spatial and b or a, a.spatial and a or b
    fail(where, "%s '%s' is in the plane and %s '%s' in space; give both three components%s", flat.kind, flat.name, deep.kind,
      deep.name, flat.kind == "plane" and ", as in normal = { 0, 0, 1 }" or "")
  end
  for i, pair in ipairs(a.spatial and solid.pairs or geometry.pairs) do
    if a.kind == pair[1] and b.kind == pair[2] then return a, b end
    if b.kind == pair[1] and a.kind == pair[2] then return b, a end
    list[i] = pair[1] .. "-" .. pair[2]
  end
  fail(where, "a contact between %s '%s' and %s '%s' is not covered; covered are %s; for others write m:contact with a gap%s",
    a.kind, a.name, b.kind, b.name, table.concat(list, ", "),
    pile_pairs.covers(a.kind, b.kind) and a.spatial and ", or list the shapes in m:contacts_among, which has this pair" or "")
end

local function check_pair(a, b, where)
  if rawequal(a, b) then fail(where, "%s '%s' cannot touch itself; give two shapes", a.kind, a.name) end
  if a.frame and rawequal(a.frame, b.frame) then
    fail(where, "%s '%s' and %s '%s' are on the same body; give shapes that move against each other", a.kind, a.name,
      b.kind, b.name)
  end
end

local function contact_name(name, where)
  local why, instead = names.refusal(name)
  if why then fail(where, "the name of the contact '%s' %s; %s, with name = ...", name, why, instead) end
  return name
end

local function planar(touching, touched)
  local list = {}
  for i, ball in ipairs(touching.balls or { touching.ball }) do
    local gap, slip = geometry.touch(ball, touched)
    list[i] = { gap = gap, slip = { slip }, number = ball.corner }
  end
  return list
end

function W.contact_between(model, state, given, where)
  local word = words.contact_between
  local a = accept.arguments(word, { given[1], given[2], n = given.n > 3 and given.n or math.min(given.n, 2) }, where)
  local first, second = shape.fields(a.a), shape.fields(a.b)
  local subject = ("contact between '%s' and '%s'"):format(first.name, second.name)
  local o = accept.options(word, given[3], subject, where)
  check_pair(first, second, where)
  local touching, touched = ordered(first, second, where)
  if touching.kind == "box" and touched.kind == "arc" and touched.side == "outside" then
    fail(where, "box '%s' against the outside of arc '%s' is not covered: its edges would touch, not its corners; write "
      .. "m:contact with a gap", touching.name, touched.name)
  end
  local name = o.name or contact_name(first.name .. "_" .. second.name, where)
  local made = {}
  for i, c in ipairs(touching.spatial and solid.contacts(touching, touched) or planar(touching, touched)) do
    made[i] = contacts.add(model, state, c.number and contact_name(name .. "_" .. c.number, where) or name,
      { gap = c.gap, slip = o.friction and c.slip, restitution = o.restitution, friction = o.friction,
        tangential_restitution = o.tangential_restitution }, subject, where)
  end
  return #made == 1 and made[1] or made
end

return { words = W }
