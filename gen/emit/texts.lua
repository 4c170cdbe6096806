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

--- Whole numbers as a C initialiser.
function T.numbers(list) return "{" .. (list and #list > 0 and table.concat(list, ", ") or "0") .. "}" end

--- Is what rows reach, { from, to before } each, at most half of n velocities on the average?
function T.local_rows(reach, n)
  local sum = 0
  for _, pair in ipairs(reach or {}) do sum = sum + pair[2] - pair[1] end
  return reach ~= nil and reach ~= false and 2 * sum <= n * #reach
end

--- Pairs of whole numbers as a C initialiser.
function T.pairs_of(list)
  local parts = {}
  for i, pair in ipairs(list or {}) do parts[i] = ("{%d, %d}"):format(pair[1], pair[2]) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

--- Short statements, several in a line.
function T.packed(lines)
  local out = {}
  for _, line in ipairs(lines) do
    local last = out[#out]
    local fits = last and not (last .. line):find("/*", 1, true) and #last + #line < 100
    out[fits and #out or #out + 1] = fits and last .. " " .. line or line
  end
  return out
end

--- Entries of the tables of carom_quantity, several in a line.
function T.entries(items)
  local lines = {}
  for i, x in ipairs(items) do lines[i] = ("{%s, %s, %s},"):format(x.name, x.unit, x.value) end
  return T.packed(lines)
end

--- A condition on each of a list of names.
function T.all(format, items)
  local parts = {}
  for i, item in ipairs(items) do parts[i] = format:format(item.name) end
  return table.concat(parts, " && ")
end

return T
