-- The word contact_between: contacts of two shapes (geometry.lua and outline.lua in the plane, solid.lua and touch.lua in space).
local accept = require "gen.lang.core.accept"
local contacts = require "gen.lang.words.contacts"
local fail = require "gen.lang.core.fail"
local geometry = require "gen.lang.words.shapes.geometry"
local laws = require "gen.lang.laws"
local materials = require "gen.lang.words.shapes.materials"
local names = require "gen.lang.core.names"
local outline = require "gen.lang.words.shapes.outline"
local shape = require "gen.lang.words.shapes.shape"
local solid = require "gen.lang.words.shapes.solid"
local touch = require "gen.lang.words.shapes.touch"
local word = require "gen.lang.core.word"

local contact_between = word { "contact_between", group = shape.in_plane,
  "m:contact_between(a, b, { restitution = ..., friction = ..., name = ... })",
  summary = "The contact or contacts of two shapes: gap, normal and slip are made for you.",
  gives = "what `contact` gives; a list of it where there are several (a box)",
  arguments = {
    { "a", "shape", "One shape.", required = true }, { "b", "shape", "The other; the order does not matter.",
      required = true } },
  options = laws.options("contact_between", {}, {
    { "name", "name", [[Name of the contact. Where there are several `_1`, `_2` ... are added: one per corner of a box on a plane.]],
      default = "the names of a and b joined by _" } }),
  notes = [[Covered in the plane are disks with everything; boxes and polygons with each other, planes, segments and arcs (of the
    outside of an arc only whole circles). In space: spheres with everything; boxes and polyhedra with each other, capsules, planes and (by
    their corners) heightfields; capsules with capsules, boxes, polyhedra, planes and heightfields; cylinders with spheres and planes
    (not upright). Other pairs are refused. Disks with disks, planes, segments and arcs, spheres, and what
    touches a plane or the inside of an arc, have gaps that are formulas, but with polyhedra (a sphere whose centre enters a box or
    reaches the axis of a capsule has no direction to be pushed in: keep the step short enough). The other pairs have the geometry of
    `contacts_among`: as many contacts as the pair can have touches at once (in the plane two; two boxes or polyhedra 8, a capsule on a
    box or capsule 3, on a heightfield 6, a sphere there 4), of which those that do not touch now are 1000 radii away; farther apart
    than 10 radii of the smaller one shapes count as the balls around them. They serve free bodies, links and fixed shapes alike, with
    every scheme; but gaps of touches that come and go leap, which event capturing (`capture`) does not get over where a pair has
    several at once.]],
  example = [[
local post = m:disk("post", { radius = 0.5, at = { 0, 0 } })
local ball = m:disk("ball", { radius = 0.1, at = { x, y } })
m:contact_between(ball, post, { restitution = 0.7, friction = 0.1, name = "hit" })]] }

-- What touches what: the first shape gives the balls; third: the rule. Refused pairs are told which ones there are.
local function ordered(a, b, where)
  local list, known = {}, {}
  if a.spatial ~= b.spatial then
    local flat, deep = a.spatial and b or a, a.spatial and a or b
    fail(where, "%s '%s' is in the plane and %s '%s' in space; give both three components%s", flat.kind, flat.name, deep.kind,
      deep.name, flat.kind == "plane" and ", as in normal = { 0, 0, 1 }" or "")
  end
  for _, rule in ipairs(a.spatial and { solid, touch } or { geometry, outline }) do
    local function fits(x, y, pair) return x.kind == pair[1] and y.kind == pair[2] and (not rule.takes or rule.takes(x, y)) end
    for _, pair in ipairs(rule.pairs) do
      if fits(a, b, pair) then return a, b, rule end
      if fits(b, a, pair) then return b, a, rule end
      local text = pair[1] .. "-" .. pair[2]
      if not known[text] then list[#list + 1] = text end
      known[text], known[pair[2] .. "-" .. pair[1]] = true, true
    end
  end
  local arc = a.kind == "arc" and a or b
  if arc.from and arc.side == "outside" and (a.kind == "box" or b.kind == "box" or a.kind == "polygon" or b.kind == "polygon") then
    fail(where, "%s '%s' touches the outside of arc '%s' with its edges, which an arc with ends does not have yet; leave out from and to",
      arc == a and b.kind or a.kind, arc == a and b.name or a.name, arc.name)
  end
  fail(where, "a contact between %s '%s' and %s '%s' is not covered; covered are %s; for others write m:contact with a gap", a.kind,
    a.name, b.kind, b.name, table.concat(list, ", "))
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

-- The spins that are resisted: along the contact, and about its normal.
local function turning(all, c, subject, where)
  if not (all.rolling or all.pivoting) then return end
  local spin = c.spin()
  if all.pivoting and #spin == 1 then
    fail(where, "%s has pivoting, but in the plane nothing turns about the normal; leave it out", subject)
  end
  all.turn = all.rolling and (#spin == 1 and spin or { spin[1], spin[2] })
  all.twist = all.pivoting and spin[3]
end

function contact_between.means(model, state, given, where)
  local a = accept.arguments(contact_between, { given[1], given[2], n = given.n > 3 and given.n or math.min(given.n, 2) }, where)
  local first, second = shape.fields(a.a), shape.fields(a.b)
  local subject = ("contact between '%s' and '%s'"):format(first.name, second.name)
  local o = accept.options(contact_between, given[3], subject, where)
  check_pair(first, second, where)
  local touching, touched, rule = ordered(first, second, where)
  local name = o.name or contact_name(first.name .. "_" .. second.name, where)
  local pair = materials.pair(model, first.given.material, second.given.material) or {}
  local made, said = {}, laws.choose(o, pair)
  for i, c in ipairs(rule.contacts(touching, touched, where)) do
    local all = { gap = c.gap, rate = c.rate, tables = c.tables, slip = said.friction and c.slip, place = c.place }
    for key, x in next, said do all[key] = x end -- order does not matter
    turning(all, c, subject, where)
    made[i] = contacts.add(model, state, c.number and contact_name(name .. "_" .. c.number, where) or name, all, subject, where)
  end
  return #made == 1 and made[1] or made
end

return { words = { contact_between } }
