-- The word contacts_among: shapes whose contacts are found at run time. The model remembers what each shape is in the frame of
-- its body; gen/emit/found.lua makes tables of it.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local free_body = require "gen.lang.words.bodies.frame"
local laws = require "gen.lang.laws"
local look = require "gen.lang.core.look"
local materials = require "gen.lang.words.shapes.materials"
local pairs_of = require "gen.lang.words.shapes.pairs"
local shape = require "gen.lang.words.shapes.shape"
local word = require "gen.lang.core.word"

accept.types.shapes = { shown = "list of shapes", read = function(x, what, where)
  if not accept.plain_table(x) or #x == 0 then accept.expected(what, "a list of shapes", x, where, "write { a, b, ... }") end
  for i = 1, #x do accept.types.shape.read(x[i], "entry " .. i .. " of " .. what, where) end
  return x
end }

local contacts_among = word { "contacts_among", group = "Piles",
  "m:contacts_among(shapes, { restitution = ..., friction = ..., maximum = ..., name = ... })",
  summary = [[A pile: every pair of the listed shapes that are not on the same body can touch, and which do is found at run
    time. Free bodies by the thousand if need be, and beside them whatever a model can have: links, joints, meshes, springs, inputs,
    contacts of its own.]],
  arguments = { { "shapes", "shapes", "The shapes, on free bodies or fixed.", required = true } },
  options = laws.options("contacts_among", {}, {
    { "maximum", "number", [[The largest number of contact points at one time; memory is set aside for so many. When there are
      more a step fails with a status that says so and the state is as before.]],
      default = "64 + 7 per sphere, 16 per other shape on a free body" },
    { "name", "name", "A name for messages.", default = "contacts" } }),
  notes = [[Spheres touch everything; boxes and polyhedra touch each other, capsules, planes and (with their corners) heightfields;
    capsules touch capsules, boxes, polyhedra, planes and heightfields; cylinders touch spheres and planes. Other pairs are refused.
    Planes are fixed and without end; shapes of other kinds may be fixed. Found contacts are rows of loops over tables beside those that are
    written. Of a model that has nothing but free bodies, gravity and one contacts_among, names of bodies are columns of no table: a run
    writes outputs to result.csv (beside those of the model the kinetic energy, the number of contact points, the deepest
    penetration, how many contacts stick and slide, the force of the fixed shapes on the bodies (support_x, support_y, support_z: mean of
    the last step), the deepest penetration so far, and what the contact that obeys its law least leaves of it (worst_contact, in units
    of g h, the speed that weight gives in a step)) and at its end all bodies to bodies.csv. A contact problem that is not solved to
    ctol is counted, the summary says how far it was off and the run goes on, up to the root of ctol; strict=on stops.
    moreau-jean:theta=1,gamma=1 brings a pile to rest soonest.]],
  preamble = 'local carom = require "carom"\nlocal m = carom.model "example"\n',
  example = [[
m:gravity(0, 0, -9.81)
local shapes = { m:plane("floor", { normal = { 0, 0, 1 } }) }
for i = 1, 10 do
  local ball = m:free_body("ball" .. i, { mass = 0.1, inertia = 1e-5, at = { 0, 0, 0.05 * i } })
  shapes[#shapes + 1] = m:sphere("ball" .. i, { radius = 0.02, body = ball })
end
m:contacts_among(shapes, { friction = 0.3 })
m:run { until_time = 1, step = 1e-3, scheme = "moreau-jean:theta=1,gamma=1" }]] }

-- body of a shape by name, size, place and axis in its frame
local function described(s, where)
  local o = s.given
  if not s.spatial or not pairs_of.number(s.kind) then
    fail(where, "%s '%s' cannot be part of a pile; list spheres, boxes, capsules, cylinders, polyhedra, planes in space "
      .. "and heightfields", s.kind, s.name)
  end
  if o.body and free_body.kind(o.body) ~= "free body" then
    fail(where, "%s '%s' is on %s '%s', but shapes of contacts_among are on free bodies or fixed; write contact_between for it", s.kind,
      s.name, free_body.kind(o.body), free_body.name(o.body))
  end
  if s.kind == "plane" and o.body then
    fail(where, "plane '%s' is on a body, but planes of a pile are fixed; write at and normal, or take a box", s.name)
  end
  if s.kind == "box" and o.corners then
    fail(where, "box '%s' has chosen corners, but in a pile all of it touches; leave out corners", s.name)
  end
  local d = shape.described(s)
  return { kind = s.kind, name = s.name, material = o.material, body = o.body and free_body.name(o.body), size = d.size, at = d.at,
    axis = d.axis, lengths = #s.sizes, table = s.table }
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
      if (i ~= j or second[a]) and (one.body or other.body) and not pairs_of.covers(one.kind, other.kind) then
        fail(where, "%s '%s' and %s '%s' can meet, but that pair is not covered; covered are %s", one.kind, one.name, other.kind,
          other.name, pairs_of.text)
      end
    end
  end
end

local MATERIALS = 255 -- of one pile: their numbers are bytes

-- The materials of the shapes: a number for each shape, and of each pair of them the laws of contact. Shapes without a material
-- are of one of their own.
local function material_table(model, list, o, where)
  local number, names, of = {}, {}, {}
  for i, s in ipairs(list) do
    local name = s.material or false
    if not number[name] then
      names[#names + 1] = name
      number[name] = #names
    end
    of[i] = number[name] - 1
  end
  if #names > MATERIALS then fail(where, "contacts_among has shapes of %d materials; at most %d are covered", #names, MATERIALS) end
  local own, made = laws.choose(o, {}), {}
  own.subject, own.file, own.line = "contacts_among", where.file, where.line
  local function taken(pair) -- once: both orders have the same
    made[pair] = made[pair] or laws.found({ name = pair.subject, file = pair.file, line = pair.line }, pair, pair.subject, pair)
    return made[pair]
  end
  local found, plain = { of = of, count = #names, laws = {} }, true
  for _, a in ipairs(names) do
    for _, b in ipairs(names) do
      local pair = materials.pair(model, a, b)
      plain = plain and not pair
      table.insert(found.laws, taken(pair or own))
    end
  end
  return plain and { count = 1, laws = { taken(own) } } or found
end

function contacts_among.means(model, _, given, where)
  local a = accept.arguments(contacts_among, { given[1], n = given.n > 2 and given.n or math.min(given.n, 1) }, where)
  local o = accept.options(contacts_among, given[2], "contacts_among", where)
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
    materials = material_table(model, list, o, where), file = where.file, line = where.line }
end

-- Everything about the shapes is known before the run. (What may stand beside a pile: gen/support.lua.)

local function check_shape(s, env, where)
  local what = s.kind .. " '" .. s.name .. "' in contacts_among"
  for i = 1, s.lengths do
    look.positive(s.size[i], env, where, "a size of " .. what)
  end
  for i = 1, 3 do
    look.number(s.at[i], env, where, "the place of " .. what)
    look.number(s.axis[i], env, where, "the direction of " .. what)
  end
end

function contacts_among.check(model, env)
  local pile = model.among
  if not pile then return end
  for _, of in ipairs(pile.materials.laws) do laws.check(of, env, of.name) end
  for _, s in ipairs(pile.shapes) do check_shape(s, env, pile) end
  for _, c in ipairs(model.gravity or {}) do
    for _, s in ipairs(E.symbols(c)) do
      if s.kind == "q" or s.kind == "v" then fail(model, "gravity depends on '%s'; write numbers, parameters or time", s.name) end
    end
  end
end

return { words = { contacts_among } }
