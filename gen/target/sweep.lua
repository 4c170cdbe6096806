-- The main of many runs side by side (carom sweep): templates/target/sweep.c.in.
local template = require "gen.emit.template"

local M = {}

local TEMPLATE = "templates/target/sweep.c.in"

--- Its text for a unit with instances side by side, and whether these have sines of their own.
function M.text(unit)
  local sines = false
  for _, file in ipairs(unit.files) do
    if file.name == unit.name .. "_batch.c" then sines = file.text:find "CAROM_SIN%(" or file.text:find "CAROM_COS%(" end
  end
  return (template.render(unit.read(TEMPLATE), TEMPLATE, { X = unit.name, NAME = unit.name:upper() })), sines and true or false
end

return M
