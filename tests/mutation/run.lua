-- Mutation: breaks carom in one place at a time and looks whether the short tests notice.
--
--   lua5.4 tests/mutation/run.lua --seed 1 --count 100 [--only PATTERN] [--minutes N] [--list]
--
-- Works on a copy of the tree in a temporary folder. Every mutant is one line of one file: + and - swapped, < and <=, a constant
-- changed, a statement dropped. The suites that concern the file are run in turn (SUITES below) until one fails; what no suite
-- notices is a survivor and is listed with its line, to be given a test or a reason.
package.path = "./?.lua;" .. package.path
local R = require "tests.random.prng"
local fs = require "gen.util.fs"

local function random(options) return "lua5.4 tests/random/run.lua --stop --some 1 " .. options end
local function e2e(name) return ("lua5.4 tests/e2e/%s.lua"):format(name) end
local function lua(name) return ("lua5.4 tests/lua/test_%s.lua"):format(name) end
local function c(name, extra)
  return ("gcc -std=c11 -D_POSIX_C_SOURCE=200809L -O1 -Iruntime/include tests/test_%s.c %s runtime/bulk/*.c runtime/driver/*.c "
    .. "runtime/friction/*.c runtime/lcp.c runtime/lcp_lemke.c runtime/kkt.c runtime/measure.c "
    .. "-o mutant_test $(pkg-config --cflags --libs check) -lm "
    .. "&& ./mutant_test"):format(name, extra or "")
end

-- what concerns a file: the first pattern that fits its path
local SUITES = {
  { "^templates/capture", { e2e "capture", e2e "capture_contacts" } },
  { "^gen/scheme/capture", { e2e "capture", e2e "capture_contacts" } },
  { "^templates/adaptive", { e2e "adaptive", random "--count 20" } },
  { "^templates/dense", { e2e "dense" } },
  { "^templates/elements", { e2e "fem_kernels", e2e "fem_small" } },
  { "^templates/bulk", { e2e "piles" } },
  { "^gen/scheme/[cet]", { lua "tableau", lua "exact", e2e "catalogue", e2e "test_vectors" } },
  { "^gen/scheme/", { e2e "test_vectors", random "--count 40", e2e "forms", e2e "orders", e2e "coulomb" } },
  { "^gen/plan/", { lua "symbolic", e2e "forms", random "--count 40" } },
  { "^gen/mech/tree", { lua "tree", e2e "trees", random "--count 20" } },
  { "^gen/mech/", { random "--count 40", e2e "forms", lua "tree", e2e "space" } },
  { "^gen/emit/bulk", { e2e "piles" } },
  { "^gen/emit/elements", { e2e "fem_kernels", e2e "fem_small" } },
  { "^gen/emit/", { random "--count 40", e2e "forms", e2e "emitted", e2e "coulomb", e2e "space" } },
  { "^gen/expr/", { lua "expr", random "--count 40" } },
  { "^templates/looped", { random "--count 60", e2e "forms", e2e "friction" } },
  { "^templates/", { random "--count 60", e2e "test_vectors", e2e "coulomb", e2e "friction", e2e "orders" } },
  { "^runtime/lcp", { c "lcp" } },
  { "^runtime/kkt", { c "kkt" } },
  { "^runtime/friction/tiny", { random "--count 60", c("friction", "tests/hyperstatic.c"), e2e "coulomb" } },
  { "^runtime/friction/", { c("friction", "tests/hyperstatic.c") } },
  { "^runtime/bulk/collide", { c "collide", c "bulk" } },
  { "^runtime/bulk/", { c "bulk", e2e "piles" } },
  { "^runtime/driver/", { c("driver", "tests/fake_model.c") } },
}

local FOLDERS = { "^gen/scheme/%w+%.lua$", "^gen/emit/%w+%.lua$", "^gen/mech/%w+%.lua$", "^gen/plan/%w+%.lua$", "^templates/[%w_]+%.c%.in$",
  "^runtime/[%w_]+%.c$", "^runtime/friction/[%w_]+%.c$", "^runtime/bulk/[%w_]+%.c$", "^runtime/driver/[%w_]+%.c$" }
local NOT = { "^gen/emit/large", "^templates/large", "^templates/example", "reference%.lua$", "^runtime/solve", "^runtime/compare" }

local SWAPS = {
  { " %+ ", " - " }, { " %- ", " + " }, { " %* ", " / " }, { " < ", " <= " }, { " <= ", " < " }, { " > ", " >= " }, { " >= ", " > " },
  { " == ", " ~= ", lua = true }, { " ~= ", " == ", lua = true }, { " == ", " != " }, { " != ", " == " }, { " && ", " || " },
  { " || ", " && " }, { " and ", " or ", lua = true }, { "%f[%w]0%.5%f[^%w]", "0.25" }, { "%f[%w]1%.0%f[^%w.]", "2.0" },
  { "%f[%w]0%.0%f[^%w.]", "1e-3" }, { " true%f[^%w]", " false" }, { " false%f[^%w]", " true" },
  { "fmax%(", "fmin(" }, { "fmin%(", "fmax(" },
}

-- every change that could be made to a line: a list of texts
local function changes(line, is_lua)
  local code = line
  if code:find("^%s*%-%-") or code:find("^%s*/?%*") or code:find("^%s*//") or code:find("^%s*#") or code:find("^%s*$") then return {} end
  if code:find("error%(") or code:find("message") or code:find("refuse%(") or code:find("say%(") then return {} end
  local comment = code:find("%s/%*") or (is_lua and code:find("%s%-%-%s")) or #code + 1
  local body, tail = code:sub(1, comment - 1), code:sub(comment)
  local list = {}
  for _, swap in ipairs(SWAPS) do
    if (swap.lua == nil or swap.lua == is_lua) and not (not swap.lua and is_lua and swap[1]:find("[=&|]") and not swap[1]:find("[<>]")) then
      local at, stop = body:find(swap[1])
      -- inside a text of Lua nothing is changed: it is C or a message
      if at and not (is_lua and select(2, body:sub(1, at):gsub('"', "")) % 2 == 1) then
        list[#list + 1] = body:sub(1, at - 1) .. swap[2] .. body:sub(stop + 1) .. tail
      end
    end
  end
  local statement = is_lua and body:find("^%s+[%w_.%[%]]+ = ") and not body:find("[{(,]%s*$") and not body:find("^%s*local")
    or not is_lua and body:find("^%s+[%w_.%[%]>()*-]+ [-+*]?= .*;%s*$")
  if statement then list[#list + 1] = body:match("^%s*") .. (is_lua and "do end" or ";") .. tail end
  return list
end

local function all(only)
  local list = {}
  for path in fs.capture("git ls-files gen templates runtime"):gmatch("[^\n]+") do
    local wanted = false
    for _, pattern in ipairs(FOLDERS) do wanted = wanted or path:find(pattern) end
    for _, pattern in ipairs(NOT) do wanted = wanted and not path:find(pattern) end
    if wanted and (not only or path:find(only)) then
      local number = 0
      for line in (assert(fs.read(path))):gmatch("(.-)\n") do
        number = number + 1
        for _, change in ipairs(changes(line, path:find("%.lua$") ~= nil)) do
          list[#list + 1] = { path = path, number = number, line = line, change = change }
        end
      end
    end
  end
  return list
end

local function suites(path)
  for _, entry in ipairs(SUITES) do if path:find(entry[1]) then return entry[2] end end
  return {}
end

local options = { seed = 1, count = 50, minutes = 1e9 }
do
  local i = 1
  while i <= #arg do
    local key = arg[i]:match("^%-%-(%w+)$")
    if key == "list" then options.list, i = true, i + 1 else options[key], i = tonumber(arg[i + 1]) or arg[i + 1], i + 2 end
  end
end

local mutants = all(options.only)
local r, chosen = R.new(options.seed), {}
for _ = 1, math.min(options.count, #mutants) do chosen[#chosen + 1] = table.remove(mutants, r:integer(1, #mutants)) end
print(("%d places, %d tried"):format(#mutants + #chosen, #chosen))
if options.list then
  for _, m in ipairs(chosen) do print(("%s:%d: %s"):format(m.path, m.number, m.change:gsub("^%s+", ""))) end
  os.exit(0)
end

local copy = assert(fs.temporary_dir())
assert(fs.run(("git archive HEAD | tar -x -C %s"):format(fs.quote(copy))) == 0)
local killed, survivors, begin = 0, {}, os.time()
for k, m in ipairs(chosen) do
  if os.time() - begin > 60 * options.minutes then
    print(("stopped after %d"):format(k - 1))
    break
  end
  local path = copy .. "/" .. m.path
  local text, number, lines = assert(fs.read(path)), 0, {}
  for line in text:gmatch("(.-)\n") do
    number = number + 1
    lines[number] = number == m.number and m.change or line
  end
  assert(fs.write(path, table.concat(lines, "\n") .. "\n"))
  local noticed
  for _, suite in ipairs(suites(m.path)) do
    if fs.run(("cd %s && timeout 300 sh -c %s >mutant_said 2>&1"):format(fs.quote(copy), fs.quote(suite))) ~= 0 then
      noticed = suite
      break
    end
  end
  assert(fs.write(path, text))
  if noticed then killed = killed + 1 else survivors[#survivors + 1] = m end
  print(("%s %s:%d: %s  -->  %s%s"):format(noticed and "killed  " or "SURVIVES", m.path, m.number, (m.line:gsub("^%s+", "")),
    (m.change:gsub("^%s+", "")), noticed and "   [" .. (noticed:match("tests/(%S+)") or noticed) .. "]" or ""))
  io.stdout:flush()
end
print(("%d killed, %d survive: score %.0f %%"):format(killed, #survivors, 100 * killed / math.max(1, killed + #survivors)))
fs.remove_tree(copy)
