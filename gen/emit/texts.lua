-- Words of a model inside emitted C: quoted, in comments, in lists.
local print_c = require "gen.expr.print"

local T = {}

function T.quoted(text)
  return '"' .. text:gsub('[\\"]', "\\%0"):gsub("[%c]", " ") .. '"'
end

--- User text inside a comment.
function T.safe(text)
  return (text:gsub("%*/", "* /"):gsub("/%*", "/ *"):gsub("[%c]", " "))
end

function T.short_list(items, width)
  local text = ""
  for i, item in ipairs(items) do
    local more = (i > 1 and ", " or "") .. item
    if #text + #more > width then return text .. ", ..." end
    text = text .. more
  end
  return text == "" and "none" or text
end

--- An entry of the tables of carom_quantity.
function T.quantity(item, value)
  return { name = T.quoted(item.name), unit = T.quoted(item.unit or ""), value = print_c.number(value or 0.0) }
end

return T
