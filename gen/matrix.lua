-- The matrix of gen/support.lua as tables in Markdown: in full for gen/SUPPORT.md, in short for README.md; a test compares. To renew both:
--   LUA_PATH="./?.lua" lua5.4 -e 'require("gen.matrix").renew()'
local S = require "gen.support"
local catalogue = require "gen.scheme.catalogue"
local laws = require "gen.lang.laws"
local page = require "gen.util.page"

local M = {}

-- a table in Markdown: a head, then rows of { title, cell(way) }
local function grid(title, rows)
  local head, rule = "| " .. title .. " |", "|---|"
  for _, way in ipairs(S.ways) do head, rule = head .. " " .. S.titles[way] .. " |", rule .. "---|" end
  local lines = { head, rule }
  for _, row in ipairs(rows) do
    local line = "| " .. row[1] .. " |"
    for _, way in ipairs(S.ways) do line = line .. " " .. row[2](way) .. " |" end
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n")
end

--- The matrices in Markdown: yes, yes without friction, or the number of a reason below.
function M.full()
  local reasons, number = {}, {}
  local function mark(format, why)
    why = why:gsub("; keys that are:.*$", "")
    if not number[why] then
      reasons[#reasons + 1] = why
      number[why] = #reasons
    end
    return format:format(number[why])
  end
  local schemes_of, words_of = {}, {}
  for i, text in ipairs(S.rows) do
    schemes_of[i] = { "`" .. text .. "`", function(way)
      local why, rough = S.cell(way, text), S.cell(way, text, true)
      return why and mark("no (%d)", why) or rough and mark("without friction (%d)", rough) or "yes"
    end }
  end
  for i, row in ipairs(S.words) do
    words_of[i] = { "`" .. table.concat(row, "` `") .. "`", function(way)
      local note = row.notes and row.notes[way]
      return row[way] and mark("no (%d)", row[way]) or note and mark("yes (%d)", note) or "yes"
    end }
  end
  local laws_of = {}
  for i, where in ipairs(laws.where) do
    laws_of[i] = { "`" .. where[1] .. "`", function(way)
      local why = S.law(way, nil, where)
      if why then return mark("no (%d)", why) end
      local note = where.notes and where.notes[way] or where.schemes and where.schemes[1][2]
      return note and mark("yes (%d)", note) or "yes"
    end }
  end
  local lines = { grid("scheme", schemes_of), "", grid("words", words_of), "", grid("law of contact", laws_of), "" }
  for i, why in ipairs(reasons) do lines[#lines + 1] = ("(%d) %s  "):format(i, why) end
  return table.concat(lines, "\n")
end

-- some of all, in a word
local function share(yes, all)
  return yes == all and "yes" or yes == 0 and "no" or 2 * yes > all and "mostly" or "in part"
end

--- The same in a line for each family of schemes, for each word (the first of its row) that some way does not take, and for all laws.
function M.short()
  local lines = {}
  for _, family in ipairs(catalogue.families) do
    lines[#lines + 1] = { "`" .. family.name .. "`", function(way)
      local yes, rough, all = 0, 0, 0
      for _, text in ipairs(S.rows) do
        if catalogue.parse(text).family == family.name then
          all = all + 1
          yes = yes + (S.cell(way, text) and 0 or 1)
          rough = rough + (S.cell(way, text, true) and 0 or 1)
        end
      end
      return yes > 0 and rough == 0 and "without friction" or share(yes, all)
    end }
  end
  for _, row in ipairs(S.words) do
    local partial = false
    for _, way in ipairs(S.ways) do partial = partial or row[way] ~= nil end
    if partial then lines[#lines + 1] = { "`" .. row[1] .. "`", function(way) return row[way] and "no" or "yes" end } end
  end
  lines[#lines + 1] = { "laws of contact", function(way)
    local yes = 0
    for _, where in ipairs(laws.where) do yes = yes + (S.law(way, nil, where) and 0 or 1) end
    return share(yes, #laws.where)
  end }
  return grid("", lines)
end

local PLACES = { { "gen/SUPPORT.md", "matrix", M.full }, { "README.md", "short matrix", M.short } }

--- The pages that are old.
function M.old()
  local list = {}
  for _, place in ipairs(PLACES) do
    local file = assert(io.open(place[1], "rb"))
    local text = file:read "a"
    file:close()
    if page.put(text, place[2], place[3]()) ~= text then list[#list + 1] = place[1] end
  end
  return list
end

--- Renews the pages in place.
function M.renew()
  for _, place in ipairs(PLACES) do page.renew(place[1], function(text) return page.put(text, place[2], place[3]()) end) end
end

return M
