-- Checks of piles: nothing but free bodies and gravity moves, and everything about the shapes is known before the run.
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local number = require("gen.lang.words.bodies.check").number

local function within(node, env, where, what, most)
  local x = number(node, env, where, what)
  if x < 0 or x > most then
    fail(where, "%s is %g; write a number %s", what, x, most < math.huge and "from 0 to " .. most or "that is 0 or more")
  end
end

-- sizes a kind needs to be positive
local lengths = { sphere = 1, box = 3, capsule = 2, cylinder = 2, plane = 0, heightfield = 2 }

local function shape(s, env, where)
  local what = s.kind .. " '" .. s.name .. "' in contacts_among"
  for i = 1, lengths[s.kind] do
    local x = number(s.size[i], env, where, "a size of " .. what)
    if x <= 0 then fail(where, "a size of %s is %g; write a positive number", what, x) end
  end
  for i = 1, 3 do
    number(s.at[i], env, where, "the place of " .. what)
    number(s.axis[i], env, where, "the direction of " .. what)
  end
end

return function(model, env)
  local pile, bodies = model.among, #model.rotations
  local function refuse(item, what)
    fail(item, "%s, but a model with contacts_among has free bodies and gravity only; leave it out, or write contact_between "
      .. "for a few pairs", what)
  end
  if #model.coordinates ~= 3 * bodies then
    local known = {}
    for _, t in ipairs(model.terms) do
      for _, c in ipairs(t.kind == "free_body" and t.position or {}) do known[c] = true end
    end
    for _, c in ipairs(model.coordinates) do if not known[c] then refuse(c, "'" .. c.name .. "' is a coordinate") end end
  end
  for _, t in ipairs(model.terms) do
    if t.kind ~= "free_body" then refuse(t, "this is a force, an energy or another body (" .. t.kind .. ")") end
  end
  for _, c in ipairs(model.contacts) do refuse(c, "'" .. c.name .. "' is a contact of its own") end
  for _, c in ipairs(model.constraints) do refuse(c, "'" .. c.name .. "' is a constraint") end
  within(pile.friction, env, pile, "friction of contacts_among", math.huge)
  within(pile.restitution, env, pile, "restitution of contacts_among", 1)
  for _, s in ipairs(pile.shapes) do shape(s, env, pile) end
  for _, c in ipairs(model.gravity or {}) do
    for _, s in ipairs(E.symbols(c)) do
      if s.kind == "q" or s.kind == "v" then fail(model, "gravity depends on '%s'; write numbers, parameters or time", s.name) end
    end
  end
end
