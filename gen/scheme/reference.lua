-- Writes the key tables of gen/scheme/README.md from the catalogue that checks what users write. The prose of the page
-- is written by hand; a table stands between `<!-- keys of FAMILY -->` and `<!-- end -->`. A test compares; to renew:
--   LUA_PATH="./?.lua" lua5.4 -e 'require("gen.scheme.reference").renew("gen/scheme/README.md")'
local catalogue = require "gen.scheme.catalogue"
local page = require "gen.util.page"

local R = {}

-- What a key accepts, in the words of its own error message.
local function type_of(key)
  local _, words = key[2]("")
  return words
end

local function shown(default)
  if default == nil then return "by model" end
  return "`" .. tostring(default) .. "`"
end

--- The table of the keys of a family, in Markdown.
function R.keys(family)
  local lines = { "| key | type | default | consequence |", "|---|---|---|---|" }
  for _, key in ipairs(family.keys) do
    lines[#lines + 1] = ("| `%s` | %s | %s | %s |"):format(key[1], type_of(key), shown(key[3]), key[4])
  end
  return table.concat(lines, "\n")
end

--- The orders of every family, in Markdown.
function R.orders()
  local lines = { "| family | smooth motion | persistent contact | through impacts | equations of a step |", "|---|---|---|---|---|" }
  for _, family in ipairs(catalogue.families) do
    lines[#lines + 1] = ("| `%s` | %s | %s | %s | %s |"):format(family.name, family.smooth, family.rest, family.impacts,
      family.implicit)
  end
  return table.concat(lines, "\n")
end

--- The page with its tables written anew.
function R.text(text)
  text = page.put(text, "orders", R.orders())
  for _, family in ipairs(catalogue.families) do text = page.put(text, "keys of " .. family.name, R.keys(family)) end
  return text
end

--- Renews the page in place.
function R.renew(path) page.renew(path, R.text) end

return R
