-- The word contact_between: contacts of two shapes (geometry.lua in the plane, solid.lua in space).
local accept = require "gen.lang.core.accept"
local contacts = require "gen.lang.words.contacts"
local fail = require "gen.lang.core.fail"
local geometry = require "gen.lang.words.shapes.geometry"
local materials = require "gen.lang.words.shapes.materials"
local names = require "gen.lang.core.names"
local pile_pairs = require "gen.lang.words.piles.pairs"
local shape = require "gen.lang.words.shapes.shape"
local solid = require "gen.lang.words.shapes.solid"
local word = require "gen.lang.core.word"

local contact_between = word { "contact_between", group = shape.in_plane,
  "m:contact_between(a, b, { restitution = ..., friction = ..., name = ... })",
  summary = "The contact or contacts of two shapes: gap, normal and slip are made for you.",
  gives = "what `contact` gives; a list of it where there are several (a box)",
  arguments = {
    { "a", "shape", "One shape.", required = true }, { "b", "shape", "The other; the order does not matter.",
      required = true } },
  options = {
    { "restitution", "expression", "As for `contact`.", dim = "1", default = "that of the pair of materials, or 0" },
    { "friction", "expression", [[As for `contact`; the slip is the velocity of the two bodies' points at the contact
      relative to each other, rotation included, in space along two directions.]], dim = "1",
      default = "that of the pair of materials, or none" },
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

function contact_between.means(model, state, given, where)
  local a = accept.arguments(contact_between, { given[1], given[2], n = given.n > 3 and given.n or math.min(given.n, 2) }, where)
  local first, second = shape.fields(a.a), shape.fields(a.b)
  local subject = ("contact between '%s' and '%s'"):format(first.name, second.name)
  local o = accept.options(contact_between, given[3], subject, where)
  check_pair(first, second, where)
  local touching, touched = ordered(first, second, where)
  if touching.kind == "box" and touched.kind == "arc" and touched.side == "outside" then
    fail(where, "box '%s' against the outside of arc '%s' is not covered: its edges would touch, not its corners; write "
      .. "m:contact with a gap", touching.name, touched.name)
  end
  local name = o.name or contact_name(first.name .. "_" .. second.name, where)
  local pair = materials.pair(model, first.given.material, second.given.material) or {}
  local restitution, friction = o.restitution or pair.restitution, o.friction or pair.friction
  local made = {}
  for i, c in ipairs(touching.spatial and solid.contacts(touching, touched) or planar(touching, touched)) do
    made[i] = contacts.add(model, state, c.number and contact_name(name .. "_" .. c.number, where) or name,
      { gap = c.gap, slip = friction and c.slip, restitution = restitution, friction = friction,
        tangential_restitution = o.tangential_restitution }, subject, where)
  end
  return #made == 1 and made[1] or made
end

return { words = { contact_between } }
