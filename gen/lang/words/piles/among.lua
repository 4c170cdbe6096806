-- The word contacts_among: shapes whose contacts are found at run time. The model remembers what each shape is in the frame of
-- its body; gen/emit/bulk.lua makes tables of it.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local free_body = require "gen.lang.words.bodies.frame"
local pile_pairs = require "gen.lang.words.piles.pairs"
local shape = require "gen.lang.words.shapes.shape"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local W = {}

local function nodes(list)
  return { value.node(list[1]), value.node(list[2]), value.node(list[3]) }
end

local half = 0.5
local nothing = { E.zero, E.zero, E.zero }
local upwards = { E.zero, E.zero, E.one }

-- three numbers that make the size of a shape, as runtime/include/carom/collide.h has them
local sizes = {
  sphere = function(o) return { value.node(o.radius), E.zero, E.zero } end,
  box = function(o) return nodes { half * o.size[1], half * o.size[2], half * o.size[3] } end,
  capsule = function(o) return { value.node(o.radius), value.node(half * o.length), E.zero } end,
  cylinder = function(o) return { value.node(o.radius), value.node(half * o.length), E.zero } end,
  plane = function() return nothing end,
  heightfield = function(_, s) return { E.num(s.spacing[1]), E.num(s.spacing[2]), E.zero } end,
}

-- body of a shape by name, size, place and axis in its frame
local function described(s, where)
  local o = s.given
  if not s.spatial or not sizes[s.kind] then
    fail(where, "%s '%s' cannot be part of a pile; list spheres, boxes, capsules, cylinders, planes in space "
      .. "and heightfields", s.kind, s.name)
  end
  if s.kind == "plane" and o.body then
    fail(where, "plane '%s' is on a body, but planes of a pile are fixed; write at and normal, or take a box", s.name)
  end
  if s.kind == "box" and o.corners then
    fail(where, "box '%s' has chosen corners, but in a pile all of it touches; leave out corners", s.name)
  end
  return { kind = s.kind, name = s.name, body = o.body and free_body.name(o.body), size = sizes[s.kind](o, s),
    columns = s.columns, rows = s.rows, heights = s.heights,
    at = o.at and nodes(o.at) or nothing, axis = s.kind == "plane" and o.normal and nodes(o.normal) or o.axis and nodes(o.axis) or upwards }
end

-- Every pair of kinds that can meet needs a rule.
local function check_pairs(list, where)
  local first, second, kinds = {}, {}, {} -- of each kind: a shape on a body if there is one, and another shape
  for _, s in ipairs(list) do
    local known = first[s.kind]
    if not known then
      kinds[#kinds + 1] = s.kind
      first[s.kind] = s
    elseif s.body and not known.body then
      first[s.kind], second[s.kind] = s, known
    elseif not second[s.kind] then
      second[s.kind] = s
    end
  end
  for i, a in ipairs(kinds) do
    for j = i, #kinds do
      local one, other = first[a], j == i and second[a] or first[kinds[j]]
      if (i ~= j or second[a]) and (one.body or other.body) and not pile_pairs.covers(one.kind, other.kind) then
        fail(where, "%s '%s' and %s '%s' can meet, but that pair is not covered; covered are %s", one.kind, one.name, other.kind,
          other.name, pile_pairs.text)
      end
    end
  end
end

function W.contacts_among(model, _, given, where)
  local word = words.contacts_among
  local a = accept.arguments(word, { given[1], n = given.n > 2 and given.n or math.min(given.n, 1) }, where)
  local o = accept.options(word, given[2], "contacts_among", where)
  if model.among then fail(where, "contacts_among is already given in line %d; list all shapes there", model.among.line) end
  local list, seen, points, free = {}, {}, 64, 0
  for i = 1, #a.shapes do
    local fields = shape.fields(a.shapes[i])
    if seen[fields] then fail(where, "%s '%s' is listed twice; list it once", fields.kind, fields.name) end
    seen[fields] = true
    list[i] = described(fields, where)
    if list[i].body then
      free = free + 1
      points = points + (list[i].kind == "sphere" and 7 or 16)
    end
  end
  check_pairs(list, where)
  if free == 0 then fail(where, "no shape of contacts_among is on a free body; write body = what m:free_body returned") end
  local maximum = o.maximum and math.tointeger(o.maximum)
  if o.maximum and (not maximum or maximum < 1 or maximum > 2^26) then
    fail(where, "maximum of contacts_among is %g; write a whole number of contact points, such as %d", o.maximum, points)
  end
  model.among = { shapes = list, maximum = maximum or points, name = o.name or "contacts",
    restitution = o.restitution and value.node(o.restitution) or E.zero, friction = o.friction and value.node(o.friction) or E.zero,
    file = where.file, line = where.line }
end

return { words = W }
