-- The word contact: a gap, restitution and, where there is friction, its tangential direction or directions.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local handle = require "gen.lang.core.handle"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local C = { words = {} }

local function nodes(values)
  if not values then return nil end
  local list = {}
  for i, v in ipairs(values) do list[i] = value.node(v) end
  return list
end

local function optional(v) return v and value.node(v) end

-- Friction and its directions come together; what is missing is said.
local function complete(o, subject, where)
  local given = o.slide and "slide" or o.slip and "slip" or o.tangential_restitution and "tangential_restitution"
  if o.slide and o.slip then fail(where, "%s has both slide and slip; keep one of the two", subject) end
  if given and not o.friction then
    fail(where, "%s has %s but no friction; write friction = ... (0 for a coefficient that is set later)", subject,
      given)
  end
  if o.friction and not (o.slide or o.slip) then
    fail(where, "%s has friction but no direction to act in; write slide = the tangential displacement, or slip = the "
      .. "tangential velocity", subject)
  end
end

-- A slide is a length like the gap, a slip its rate; a gap that is a plain number says nothing.
local function expect(o, subject, where)
  local dim = value.dim(o.gap)
  if not dim or dim == units.any then return end
  for _, v in ipairs(o.slide or {}) do value.expect(v, dim, "slide of " .. subject, where) end
  for _, v in ipairs(o.slip or {}) do value.expect(v, units.div(dim, units.second), "slip of " .. subject, where) end
end

-- what a model may look at
local function object(model, entry, o)
  local function all(make)
    return function()
      local list = {}
      for i, v in ipairs(o.slide or o.slip) do list[i] = make(v, i) end
      return handle.one_or_list(list)
    end
  end
  local fields = {
    { "gap", function() return o.gap end },
    { "rate", function() return value.rate(o.gap) end },
    { "force", function() return handle.force(model, entry, 0, o.gap) end },
  }
  if o.friction then
    fields[4] = { "slip", all(function(v) return o.slide and value.rate(v) or v end) }
    fields[5] = { "friction", all(function(_, i) return handle.force(model, entry, i, o.gap) end) }
  end
  return handle.new("contact", entry.name, fields)
end

--- Gaps of a joint's coordinate q to its limits: the contacts NAME_low and NAME_high.
function C.limits(model, state, name, o, subject, where, q)
  for k, gap in ipairs { function(low) return q - low end, function(high) return high - q end } do
    value.expect(o.limits[k], value.dim(q), "limits of " .. subject, where)
    local contact = name .. (k == 1 and "_low" or "_high")
    C.add(model, state, contact, { gap = gap(o.limits[k]), restitution = o.restitution }, "contact '" .. contact .. "'", where)
  end
end

--- Adds a contact to the model and gives what the model may look at. o: gap, restitution, friction, slide or slip (lists),
-- tangential_restitution as values.
function C.add(model, state, name, o, subject, where)
  complete(o, subject, where)
  expect(o, subject, where)
  state.declare(state.taken, name, "contact", where)
  local entry = { name = name, file = where.file, line = where.line, gap = value.node(o.gap),
    restitution = o.restitution and value.node(o.restitution) or E.zero, friction = optional(o.friction),
    slide = nodes(o.slide), slip = nodes(o.slip), tangential_restitution = optional(o.tangential_restitution) }
  table.insert(model.contacts, entry)
  return object(model, entry, o)
end

function C.words.contact(model, state, given, where)
  local name, o, subject = accept.named(words.contact, given, where)
  return C.add(model, state, name, o, subject, where)
end

return C
