-- The main of a run with its derivatives (carom fit): templates/target/slopes.c.in.
local template = require "gen.emit.template"

local M = {}

local TEMPLATE = "templates/target/slopes.c.in"

-- where the numbers of a state are: name -> { kind = member of states and directions, index }
local function places_of(unit)
  local places = {}
  for i, p in ipairs(unit.model.parameters) do places[p.name] = { kind = "params", name = p.name, index = i - 1 } end
  for i, p in ipairs(unit.model.inputs) do places[p.name] = { kind = "input", index = i - 1 } end
  for i, q in ipairs(unit.eq.q) do
    places[q.name], places[q.name .. ".dot"] = { kind = "q", index = i - 1 }, { kind = "v", index = i - 1 }
  end
  return places
end

--- Its text for what is looked for (free), all values that are given (these first) and columns; or nil and why there is none.
-- start: see gen/pipeline.lua.
function M.text(unit, start, free, given, columns)
  local places, list, wanted, placed = places_of(unit), {}, {}, false
  for _, name in ipairs(free) do
    for _, at in next, start do -- order does not matter
      if at.of[name] then return nil, "the motion starts elsewhere with another " .. name end
    end
  end
  for _, name in ipairs(given) do
    list[#list + 1] = places[name]
    placed = placed or places[name].kind == "q" or places[name].kind == "v"
  end
  for _, name in ipairs(columns) do
    local place = places[name]
    if not place or place.kind ~= "q" and place.kind ~= "v" then return nil, name .. " is neither a coordinate nor a velocity" end
    wanted[#wanted + 1] = place
  end
  return (template.render(unit.read(TEMPLATE), TEMPLATE,
    { X = unit.name, NAME = unit.name:upper(), given = list, free = #free, columns = wanted, placed = placed }))
end

return M
