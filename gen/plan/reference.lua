-- Writes the table of operations in gen/plan/README.md from operations.lua. A test compares; to renew:
--   LUA_PATH="./?.lua" lua5.4 -e 'require("gen.plan.reference").renew("gen/plan/README.md")'
local O = require "gen.plan.operations"
local page = require "gen.util.page"

local R = {}

--- The operations in Markdown.
function R.operations()
  local lines = { "| operation | takes and gives | |", "|---|---|---|" }
  for _, line in ipairs(O.list) do
    local fields, meaning = line[2]:gsub("[%*_]", "\\%0"), line[3]:gsub("[|%*]", "\\%0")
    lines[#lines + 1] = ("| `%s` | %s | %s |"):format(line[1], fields, meaning)
  end
  return table.concat(lines, "\n")
end

--- The page with its table written anew.
function R.text(text) return page.put(text, "operations", R.operations()) end

--- Renews the page in place.
function R.renew(path) page.renew(path, R.text) end

return R
