-- What m:contact, m:constraint and m:joint give: expressions to look at, readable but not changeable, made when they are asked for.
-- Forces are those of the last step: symbols of the kind "input", since nothing in a step changes them; model.felt lists those that a
-- model has asked for.
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local sandbox = require "gen.lang.core.sandbox"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"

local H = {}
local Handle = {}

--- An object with the given fields: a list of { name, function() return value or list of values end }.
function H.new(kind, name, fields)
  local rules, has = {}, {}
  for i, field in ipairs(fields) do rules[field[1]], has[i] = field[2], field[1] end
  return setmetatable({ [Handle] = { kind = kind, name = name, rules = rules, has = table.concat(has, ", ", 1, #has - 1) .. " and "
    .. has[#has], made = {} } }, Handle)
end

function H.is(x) return type(x) == "table" and getmetatable(x) == Handle end

Handle.__index = function(handle, key)
  local inside = rawget(handle, Handle)
  local rule = inside.rules[key]
  if not rule then
    fail(sandbox.where(), "%s '%s' has no field '%s'; it has %s", inside.kind, inside.name, type(key) == "string" and key or type(key),
      inside.has)
  end
  local made = inside.made[key] or rule()
  inside.made[key] = made
  return value.is(made) and made or { table.unpack(made) }
end
Handle.__newindex = function(handle)
  fail(sandbox.where(), "a %s has no fields to set; give its options where it is declared", rawget(handle, Handle).kind)
end

--- The mean force in the last step of a row: of a constraint or the normal of a contact (part 0), or of its tangents (1, 2). `of` is
-- the entry in model.constraints or model.contacts, `length` the value whose change the force does work on.
function H.force(model, of, part, length)
  local suffix = part == 0 and ".force" or #(of.slide or of.slip) == 1 and ".friction" or ".friction_" .. part
  local dim, symbol = value.dim(length), E.sym(of.name .. suffix, "input")
  local known = false
  for _, f in ipairs(model.felt) do known = known or f.sym == symbol end
  if not known then table.insert(model.felt, { sym = symbol, of = of, part = part }) end
  return value.wrap(symbol, dim and dim ~= units.any and units.div(units.energy, dim) or false)
end

--- The intensity of adhesion of a contact.
function H.intensity(model, of)
  local symbol = E.sym(of.name .. ".intensity", "input")
  table.insert(model.felt, { sym = symbol, of = of, intensity = true })
  return value.wrap(symbol, units.none)
end

--- One value by itself, two as a list.
function H.one_or_list(list) return #list == 1 and list[1] or list end

return H
