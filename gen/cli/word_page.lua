-- Help about one word of the modelling language, from the table that checks what users write.

local text = require "gen.util.text"
local words = require "gen.lang.words"

local word_page = {}

local WIDTH = 96

local function entry_lines(title, list, lines)
  if not list or #list == 0 then return end
  lines[#lines + 1] = "\n" .. title .. ":"
  for _, entry in ipairs(list) do
    local facts = { entry.type }
    if entry.dim then facts[#facts + 1] = "in " .. entry.dim end
    if entry.required then
      facts[#facts + 1] = "required"
    elseif entry.default then
      facts[#facts + 1] = "default " .. entry.default
    end
    lines[#lines + 1] = ("  %s (%s)"):format(entry.name, table.concat(facts, ", "))
    if entry.doc then lines[#lines + 1] = text.fill(entry.doc, "      ", WIDTH) end
  end
end

--- The names of all words.
function word_page.names()
  local names = {}
  for i, word in ipairs(words) do names[i] = word.name end
  return names
end

--- The page of `name` (also written m:name or carom.name) as a text; nil when there is no such word.
function word_page.page(name)
  local word = words[name:match("^m:(.+)$") or name:match("^carom%.(.+)$") or name]
  if type(word) ~= "table" or not word.form then return nil end
  local lines = { word.form, "", text.fill(word.summary, "", WIDTH) }
  if word.gives then lines[#lines + 1] = text.fill("Gives " .. word.gives .. ".", "", WIDTH) end
  entry_lines("Arguments", word.arguments, lines)
  entry_lines("Options", word.options, lines)
  if word.notes then lines[#lines + 1] = "\n" .. text.fill(word.notes, "", WIDTH) end
  if word.example then lines[#lines + 1] = "\nExample:\n  " .. word.example:gsub("\n", "\n  ") end
  return table.concat(lines, "\n")
end

return word_page
