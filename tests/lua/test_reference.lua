-- Pages that repeat what tables say are compared with those tables, and links between pages must lead somewhere.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local catalogue = require "gen.scheme.catalogue"
local commands = require "gen.cli.commands"
local fs = require "gen.util.fs"
local reference = require "gen.scheme.reference"

local function page(path) return assert(fs.read(path)) end

T.test("gen/scheme/README.md has the keys and orders of the catalogue", function()
  local text = page "gen/scheme/README.md"
  T.ok(reference.text(text) == text, "the page is old; renew it as gen/scheme/reference.lua says")
  for _, family in ipairs(catalogue.families) do
    local type_text = reference.keys(family):match("`" .. family.keys[1][1] .. "` | ([^|]+) |")
    T.ok(type_text and #type_text > 3, "types come from the checks")
  end
end)

T.test("runtime/README.md has every status of status.h", function()
  local rows = {}
  local list = page("runtime/include/carom/status.h"):gsub("%s*\\\n%s*", " "):gsub('" "', "") -- entries and sentences in pieces
  for name, number, sentence in list:gmatch('ENTRY%((CAROM_[%u_]+), (%-?%d+), "([^"]*)"%)') do
    rows[#rows + 1] = ("| `%s` | %s | %s |"):format(name, number, sentence)
  end
  T.ok(#rows >= 8, "the list of statuses was not found")
  local expected = "| status | number | sentence |\n|---|---|---|\n" .. table.concat(rows, "\n") .. "\n\n"
  T.ok(page("runtime/README.md"):find(expected, 1, true), "the table should be\n" .. expected)
end)

T.test("README.md shows the model of examples/own_model", function()
  local shown = page("README.md"):match("```lua pendulum_wall%.lua\n(.-)```")
  T.eq(shown, page "examples/own_model/pendulum_wall.lua")
end)

T.test("README.md names schemes that exist", function()
  local count = 0
  for scheme in page("README.md"):gmatch("\n| `([^` ]+:[^` ]+)` |") do
    catalogue.parse(scheme)
    count = count + 1
  end
  T.ok(count >= 5, "the table of schemes was not found")
end)

T.test("every command is in the help", function()
  for _, name in ipairs(commands.names) do
    local command = commands.get(name)
    T.ok(command.usage:find("carom " .. name, 1, true) == 1, command.usage)
    T.ok(#command.summary > 0 and #command.text > 0)
  end
end)

T.test("links lead somewhere", function()
  local broken, count = {}, 0
  local found = fs.capture("LC_ALL=C find . \\( -name out -o -name build -o -name .git \\) -prune -o -name '*.md' -print | LC_ALL=C sort")
  for path in found:gmatch("[^\n]+") do
    for target in page(path):gmatch("%]%(([^)%s]+)%)") do
      local file = target:gsub("#.*$", "")
      if file ~= "" and not file:find("^%a+:") then
        count = count + 1
        local at = fs.parent(path) .. "/" .. file
        if not fs.exists(at) then broken[#broken + 1] = path .. ": " .. target end
      end
    end
  end
  T.ok(count > 5, "no links found")
  T.ok(#broken == 0, table.concat(broken, "\n"))
end)

T.test("citations in emitted comments exist in gen/scheme/THEORY.md", function()
  local files = require "gen.util.fs"
  local theory, cited = assert(files.read("gen/scheme/THEORY.md")), 0
  local list = io.popen("ls gen/scheme/*.lua templates/*.in")
  for name in list:lines() do
    local text = assert(files.read(name))
    for number in text:gmatch("THEORY (%d+%.%d+)") do
      cited = cited + 1
      T.ok(theory:find("\n- " .. number:gsub("%.", "%%.") .. " "), ("%s cites THEORY %s, which does not exist"):format(name, number))
    end
    T.ok(not text:find("schemes%.md") and not text:find("1%.4 step"), name .. " cites a text that is not in the repository")
  end
  list:close()
  T.ok(cited >= 6, "nothing is cited")
end)

T.test("the statements of THEORY.md are numbered through, section by section", function()
  local theory, section, statement, sections = assert(fs.read("gen/scheme/THEORY.md")), 0, 0, {}
  for line in theory:gmatch("[^\n]+") do
    local head, title = line:match("^## (%d+) (.+)")
    local s, n = line:match("^%- (%d+)%.(%d+) ")
    if head then
      T.eq(tonumber(head), section + 1)
      T.ok(section == 0 or statement > 0, ("section %d states nothing"):format(section))
      section, statement, sections[title] = section + 1, 0, true
    elseif s then
      T.eq(s .. "." .. n, ("%d.%d"):format(section, statement + 1))
      statement = statement + 1
    end
  end
  for _, title in ipairs { "Quadrature and tableaux", "Friction", "Event capturing", "Tolerances", "Adaptive steps",
    "Tried and not built" } do
    T.ok(sections[title], "no section " .. title)
  end
end)

T.test("D- cites (72), (74) and (75) of the paper, D+ its own (67), (69), (71)", function()
  local pipeline = require "gen.pipeline"
  local loaded = pipeline.load "models/bowl.lua"
  local function cited(scheme, number)
    local unit, found = pipeline.compile(loaded, { scheme = scheme }), false
    for _, file in ipairs(unit.files) do found = found or (file.name:find("%.c$") and file.text:find(number, 1, true)) ~= nil end
    return found
  end
  for _, number in ipairs { "(72)", "(74)", "(75)" } do
    T.ok(cited("D-:M=2", number), "D- does not cite " .. number)
    T.ok(not cited("D+:M=2", number), "D+ cites " .. number .. ", which is of D-")
  end
  for _, number in ipairs { "(67)", "(69)", "(71)" } do
    T.ok(cited("D+:M=2", number) and not cited("D-:M=2", number), "the equations of D+: " .. number)
  end
end)

T.finish()
