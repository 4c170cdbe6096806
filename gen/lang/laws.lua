-- The laws of contact, one file each in gen/lang/laws:
--   name, options       what users say of it: a list as in core/word.lua; `most`: the largest value of a coefficient; `moves`: it is no
--                       coefficient, but a velocity; taken[WORD]: words beside `contact` that take it, with the default there, and
--                       page[WORD] what their page says instead of "As for ..."
--   complete(o, subject, where)     options that need each other
--   found(o, subject, where)        the same for contacts that are found while running
--   make(c, o, subject, where)      more than coefficients in the entry c of a contact
--   act(model, name, o, subject, where)    what stands instead of rows, where o has an option of the law's name
--   check(c, env, what)             a look at what it made, when the model is whole
--   where = list of { what, used(c), WAY = why not, schemes = { { function(spec), why not } } }: which ways to run (gen/support.lua) and
--                       which schemes do not take it, where a contact uses it; notes = { WAY = what holds of it there }
-- Every word that makes contacts takes its options, its checks and its coefficients from here.
local E = require "gen.expr.node"
local look = require "gen.lang.core.look"
local value = require "gen.lang.core.value"

local L = { list = {} }
for i, name in ipairs { "restitution", "friction", "rolling", "cohesion", "adhesion", "compliance", "impact" } do
  L.list[i] = require("gen.lang.laws." .. name)
end

local function each(run)
  for _, law in ipairs(L.list) do for _, option in ipairs(law.options) do run(option, law) end end
end

--- Which ways and schemes take which laws.
L.where = {}
for _, law in ipairs(L.list) do for _, where in ipairs(law.where) do table.insert(L.where, where) end end

--- Options of a word: `before`, those of all laws that it takes, `after`.
function L.options(word, before, after)
  local list = table.move(before, 1, #before, 1, {})
  each(function(option)
    local default = option.default
    if word ~= "contact" then default = option.taken and option.taken[word] end
    if not default then return end
    local own = {}
    for key, x in next, option do own[key] = x end -- order does not matter
    own.default = default
    if own.plain and (word == "contact_surface" or word == "contact_pair") then own[2] = "expression" end
    if word ~= "contact" then own[3] = option.page and option.page[word] or "As for `contact`." end
    list[#list + 1] = own
  end)
  return table.move(after or {}, 1, #(after or {}), #list + 1, list)
end

--- What is said of a contact, or else of the materials that touch there.
function L.choose(o, pair)
  local all = {}
  each(function(option)
    local name = option[1]
    all[name] = o[name]
    if all[name] == nil then all[name] = pair[name] end
  end)
  return all
end

--- Contacts that are forces, not rows: what the model may look at; nil where a contact is one of rows.
function L.act(model, name, o, subject, where)
  for _, law in ipairs(L.list) do if law.act and o[law.name] then return law.act(model, name, o, subject, where) end end
end

--- Puts the laws that options o ask for into the entry c of a contact that has its directions already.
function L.take(c, o, subject, where)
  for _, law in ipairs(L.list) do
    for _, option in ipairs(law.options) do
      if value.is(o[option[1]]) and not option.moves then c[option[1]] = value.node(o[option[1]]) end
    end
    if law.make then law.make(c, o, subject, where) end
  end
  c.restitution = c.restitution or E.zero
  return c
end

--- The same where directions are options, too.
function L.make(c, o, subject, where)
  for _, law in ipairs(L.list) do if law.complete then law.complete(o, subject, where) end end
  return L.take(c, o, subject, where)
end

--- The same of contacts that are found while running, whose directions are nobody's choice.
function L.found(c, o, subject, where)
  for _, law in ipairs(L.list) do if law.found then law.found(o, subject, where) end end
  c.frictional = true
  return L.take(c, o, subject, where)
end

--- A coefficient: a number or an expression of parameters, within bounds at the start.
function L.coefficient(node, option, env, where, what)
  look.only(node, look.static, where, what, look.write_static)
  look.within(look.at_start(node, env, where, what), where, what, option.most or math.huge)
end

--- The laws of a contact; called: "contact 'floor'".
function L.check(c, env, called)
  each(function(option)
    local node = c[option[1]]
    local own = option[1] == "friction" and c.sliding or option[1] == "restitution" and c.bounces
    if E.is(node) and not own then L.coefficient(node, option, env, c, option[1] .. " of " .. called) end
  end)
  for _, law in ipairs(L.list) do if law.check then law.check(c, env, called) end end
end

return L
