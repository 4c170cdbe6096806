-- The rules of the house (CONTRIBUTING.md), checked on the text of the source tree: who may know whom, lengths, templates,
-- order of output, no trace of the machine it was written on.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"

local here = (fs.capture("pwd -P"):gsub("\n$", ""))

-- Files under the folders whose name matches one of the patterns; what builds and runs leave behind is not looked at.
local function files(folders, ...)
  local found, patterns = {}, { ... }
  local said = fs.capture("LC_ALL=C find " .. fs.command(folders)
    .. " \\( -name out -o -name build -o -name .git \\) -prune -o -type f -print 2>/dev/null | LC_ALL=C sort")
  for path in said:gmatch("[^\n]+") do
    for _, pattern in ipairs(patterns) do
      if path:find(pattern) then
        found[#found + 1] = path
        break
      end
    end
  end
  return found
end

-- Calls look(line, path:number, path) for every line of the files.
local function each_line(list, look)
  for _, path in ipairs(list) do
    local number = 0
    for line in (assert(fs.read(path)) .. "\n"):gmatch("([^\n]*)\n") do
      number = number + 1
      look(line, path .. ":" .. number, path)
    end
  end
end

-- All complaints at once are of more use than the first.
local function none(complaints)
  T.ok(#complaints == 0, #complaints .. " found:\n" .. table.concat(complaints, "\n"))
end

-- A folder of gen may require these others, besides itself.
local MAY_REQUIRE = {
  expr = {},
  fem = { "expr", "util" },
  lang = { "expr", "fem", "system", "util" },
  system = { "expr" },
  mech = { "expr", "system" },
  scheme = { "expr", "plan", "system", "util" },
  plan = { "expr", "util" },
  emit = { "expr", "fem", "mech", "plan", "backend" },
  backend = { "expr", "plan" },
  util = {},
  study = { "util" },
  robot = { "util" },
  site = { "util" },
  report = { "expr", "fem", "lang", "system", "util", "version" },
  target = { "emit", "util" },
  cli = { "pipeline", "target", "lang", "report", "robot", "site", "scheme", "study", "util", "version" },
}

T.test("gen: the stages know only those before them", function()
  local complaints = {}
  each_line(files({ "gen" }, "%.lua$"), function(line, where, path)
    local room = path:match("^gen/(%w+)/")
    for wanted in line:gmatch('require%s*%(?%s*"gen%.([%w_]+)') do
      local good = not room or wanted == room
      for _, allowed in ipairs(MAY_REQUIRE[room] or {}) do good = good or wanted == allowed end
      if not good then complaints[#complaints + 1] = ("%s: gen/%s must not require gen.%s"):format(where, room, wanted) end
    end
  end)
  none(complaints)
end)

T.test("gen: only emit and cli know files of the runtime", function()
  local complaints = {}
  each_line(files({ "gen" }, "%.lua$"), function(line, where, path)
    local code = line:gsub("%-%-.*$", "")
    if not path:find("^gen/emit/") and not path:find("^gen/target/") and not path:find("^gen/cli/")
      and not path:find("^gen/site/") -- which shows them
      and path ~= "gen/util/program.lua" -- which compiles them
      and (code:find("runtime/", 1, true) or code:find("#include", 1, true)) then
      complaints[#complaints + 1] = where .. ": " .. line
    end
  end)
  none(complaints)
end)

T.test("templates include only carom/*.h, their own header and the C library", function()
  local complaints = {}
  each_line(files({ "templates" }, "%.in$"), function(line, where)
    local name = line:match('^%s*#%s*include%s*"([^"]*)"')
    if name and not name:find("^carom/[%w_]+%.hp?p?$") and not name:find("^%${[%w_]+}[%w_]*%.h$") and name ~= "${header}" then
      complaints[#complaints + 1] = where .. ": " .. line
    end
  end)
  none(complaints)
end)

T.test("the lines of Lua in templates are for, if, elseif, else, end", function()
  local complaints = {}
  each_line(files({ "templates" }, "%.in$"), function(line, where)
    local lua = line:match("^%s*//@%s*(.*)$")
    local word = lua and lua:match("^(%a+)")
    if lua and word ~= "for" and word ~= "if" and word ~= "elseif" and word ~= "else" and word ~= "end" then
      complaints[#complaints + 1] = where .. ": " .. line
    elseif lua and lua:find("[^i]pairs%s*%(") then
      complaints[#complaints + 1] = where .. ": pairs has no order: " .. line
    end
  end)
  none(complaints)
end)

T.test("the runtime knows itself and the C library, and no model", function()
  local complaints, models = {}, {}
  for _, name in ipairs(fs.list("models")) do models[#models + 1] = name:match("^(.*)%.lua$") end
  each_line(files({ "runtime" }, "%.[ch]$"), function(line, where, path)
    local name = line:match('^%s*#%s*include%s*"([^"]*)"') or line:match("^%s*#%s*include%s*<(carom/[^>]*)>")
    if name and not fs.exists(fs.parent(path) .. "/" .. name) and not fs.exists("runtime/include/" .. name) then
      complaints[#complaints + 1] = where .. ": " .. line
    end
    for _, model in ipairs(models) do
      if line:find(model .. "_step", 1, true) or line:find(model .. "_model", 1, true) or line:find(model .. ".h", 1, true) then
        complaints[#complaints + 1] = where .. ": knows the model " .. model
      end
    end
    if line:find("petsc", 1, true) and not path:find("^runtime/petsc/") then
      complaints[#complaints + 1] = where .. ": only runtime/petsc may know PETSc"
    end
  end)
  none(complaints)
end)

T.test("no pairs where text is made", function()
  local complaints = {}
  each_line(files({ "gen/emit", "gen/expr", "gen/mech", "gen/plan", "gen/scheme", "gen/pipeline.lua", "gen/unit.lua" }, "%.lua$"),
    function(line, where)
      local code = " " .. line:gsub("%-%-.*$", "")
      if code:find("[^%w_]pairs%s*%(") or code:find("[^%w_]next%s*%(") then complaints[#complaints + 1] = where .. ": " .. line end
    end)
  none(complaints)
end)

T.test("templates have at most 200 lines: algorithms are headers of the runtime, which tests can reach", function()
  local complaints = {}
  for _, path in ipairs(files({ "templates" }, "%.in$")) do
    local lines = select(2, assert(fs.read(path)):gsub("\n", ""))
    if lines > 200 then complaints[#complaints + 1] = ("%s has %d lines: algorithms go into runtime/include/carom"):format(path, lines) end
  end
  none(complaints)
end)

-- comments are not laid out by clang-format, which sees to the code (tests/e2e/static.lua, where emitted C is measured too)
T.test("C of the runtime keeps to 120 columns", function()
  local complaints = {}
  each_line(files({ "runtime" }, "%.[ch]$"), function(line, where)
    if (utf8.len(line) or #line) > 120 then complaints[#complaints + 1] = where .. ": " .. line end
  end)
  none(complaints)
end)

-- a clone may lie in a folder with blanks and quotes in its name
T.test("the place of the clone goes into a shell only in quotes", function()
  local complaints = {}
  each_line(files({ "tests/e2e" }, "%.lua$"), function(line, where)
    if line:find("[ ,]S%.here[,)]") or line:find("capture%(S%.here") or line:find("command%(S%.here") then
      if not line:find("find%(S%.here") then complaints[#complaints + 1] = where .. ": " .. line end
    end
  end)
  none(complaints)
end)

T.test("every suite of tests is run: meson.build names it", function()
  local build, missing = fs.read "meson.build", {}
  for _, path in ipairs(files({ "tests/lua", "tests/e2e" }, "%.lua$")) do
    local name = path:match("([^/]+)%.lua$"):gsub("^test_", "")
    local ends = ("\n" .. fs.read(path)):find "\n%s*[TS]%.finish%("
    if ends and not build:find("'" .. name .. "'", 1, true) and not build:find("'test_" .. name .. "'", 1, true) then
      missing[#missing + 1] = path
    end
  end
  none(missing)
end)

T.test("files stay short: Lua 400 lines, C 600", function()
  local complaints = {}
  local function limit(list, most)
    for _, path in ipairs(list) do
      local lines = select(2, assert(fs.read(path)):gsub("\n", ""))
      if lines > most then complaints[#complaints + 1] = ("%s has %d lines, %d are enough"):format(path, lines, most) end
    end
  end
  limit(files({ "gen", "models", "examples", "tests" }, "%.lua$"), 400)
  limit(files({ "runtime", "templates", "examples", "tests" }, "%.[ch]$", "%.[ch]%.in$"), 600)
  none(complaints)
end)

-- Tracked files where git can tell; otherwise everything but what builds leave behind.
local function tracked()
  local said, code = fs.capture "git ls-files --cached --others --exclude-standard 2>/dev/null"
  local list = {}
  if code == 0 and said ~= "" then
    for path in said:gmatch("[^\n]+") do
      if fs.exists(path) and not fs.is_dir(path) then list[#list + 1] = path end
    end
    return list
  end
  return files({ "." }, ".")
end

-- What stands at the top, and nothing else: a file that was left there by mistake is found here.
local TOP = {}
for name in ([[.ci .clang-format .clang-tidy .editorconfig .gitignore .luacheckrc CHANGELOG.md CITATION.cff CONTRIBUTING.md LICENSE
  README.md carom debian examples gen meson.build models runtime templates tests]]):gmatch("%S+") do
  TOP[name] = true
end

T.test("the top of the tree holds what it is known to hold", function()
  local complaints, seen = {}, {}
  for _, path in ipairs(tracked()) do
    local top = path:gsub("^%./", ""):match("^[^/]+")
    if not TOP[top] and not seen[top] then complaints[#complaints + 1] = top end
    seen[top] = true
  end
  none(complaints)
end)

T.test("changes and citation tell the version", function()
  local version = assert(fs.read("gen/VERSION")):match("%S+")
  local newest = assert(fs.read("CHANGELOG.md")):match("\n## %[([^%]]+)%]")
  T.eq(newest, version, "the newest version of CHANGELOG.md")
  T.eq(assert(fs.read("CITATION.cff")):match("\nversion: (%S+)"), version, "the version of CITATION.cff")
end)

T.test("files that CONTRIBUTING.md names are there", function()
  local complaints = {}
  for path in assert(fs.read("CONTRIBUTING.md")):gmatch("`([%w_%.]+/[%w_%./]+%.%l+)`") do
    local invented = path:find("name%.%l+$") or path:find("^carom/") and fs.exists("runtime/include/" .. path)
    if not invented and not fs.exists(path) then complaints[#complaints + 1] = path end
  end
  none(complaints)
end)

T.test("nothing tells where it was written", function()
  local complaints, places = {}, {}
  for _, place in ipairs { here .. "/", (os.getenv("HOME") or "") .. "/" } do
    if #place > 3 then places[#places + 1] = place end
  end
  each_line(tracked(), function(line, where)
    for _, place in ipairs(places) do
      local at = line:find(place, 1, true)
      if at and not line:sub(1, at - 1):find("[%w$%}%)._~-]$") then complaints[#complaints + 1] = where .. ": " .. place end
    end
    if line:find("/home/%w") or line:find("/Users/%w") then complaints[#complaints + 1] = where .. ": " .. line end
  end)
  none(complaints)
end)

if fs.run("command -v luacheck >/dev/null 2>&1") == 0 then
  T.test("luacheck has nothing to say", function()
    local list = files({ "gen", "models", "examples", "tests" }, "%.lua$")
    local said, code = fs.capture("luacheck --std lua54 --quiet --no-color " .. fs.command(list) .. " 2>&1")
    T.ok(code == 0, said)
  end)
else
  T.skip("luacheck has nothing to say", "luacheck is not installed")
end

T.finish()
