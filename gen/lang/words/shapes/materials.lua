-- The word material_pair: friction and restitution of two materials that shapes name.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local laws = require "gen.lang.laws"
local shape = require "gen.lang.words.shapes.shape"
local word = require "gen.lang.core.word"

local M = {}

local material_pair = word { "material_pair", group = shape.in_plane, "m:material_pair(a, b, { restitution = ..., friction = ... })",
  summary = "What shapes of two materials have between them where they touch.",
  arguments = {
    { "a", "name", "A material, as shapes name it.", required = true },
    { "b", "name", "Another, or the same; the order does not matter.", required = true } },
  options = laws.options("material_pair", {}),
  notes = [[Written before the contacts that it is about. `contact_between` and `contacts_among` take it for shapes of these
    materials; what `contact_between` says itself goes before it. Pairs that are not listed have in `contacts_among` what it says of all
    contacts.]],
  example = [[
m:material_pair("steel", "ice", { friction = 0.03, restitution = 0.2 })
local puck = m:disk("puck", { radius = 0.1, at = { x, y }, material = "steel" })
m:contact_between(puck, m:plane("rink", { material = "ice" }))]] }

-- the same for both orders
local function key(a, b) return a < b and a .. " " .. b or b .. " " .. a end

function material_pair.means(model, _, given, where)
  local a = accept.arguments(material_pair, { given[1], given[2], n = given.n > 3 and given.n or math.min(given.n, 2) }, where)
  local subject = ("material_pair of '%s' and '%s'"):format(a.a, a.b)
  local o = accept.options(material_pair, given[3], subject, where)
  local known = model.material_pairs or {}
  local before = known[key(a.a, a.b)]
  if before then fail(where, "%s is already given in line %d; keep one of the two", subject, before.line) end
  if before == false then fail(where, "%s comes after contacts that it is about; write it before them", subject) end
  o.subject, o.file, o.line = subject, where.file, where.line
  known[key(a.a, a.b)] = o
  model.material_pairs = known
end

--- What is said of two materials, nil where nothing is; later is then too late.
function M.pair(model, a, b)
  if not a or not b then return nil end
  model.material_pairs = model.material_pairs or {}
  local known = model.material_pairs[key(a, b)]
  if not known then model.material_pairs[key(a, b)] = false end
  return known or nil
end

M.words = { material_pair }
return M
