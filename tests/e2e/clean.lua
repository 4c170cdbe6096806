-- The package of a model as other people compile it: gcc and clang, C99 and C11, its headers in C++17, all with hard warnings. A few models
-- here, all of them in the long run; what goes along from the runtime is compiled once for each text.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local lang = require "gen.lang.core.load"

local HARD = S.strict .. " -Wdouble-promotion -ffp-contract=off"
-- -Wmaybe-uninitialized and its kin need the optimiser
local COMPILERS = { "gcc -std=c11 -O2 -c -o x.o", "gcc -std=c99 -fsyntax-only", "clang -std=c11 -fsyntax-only",
  "clang -std=c99 -fsyntax-only" }
local PLUS = { "g++ -std=c++17 -fsyntax-only", "clang++ -std=c++17 -fsyntax-only" }

-- texts that have been compiled
local seen = {}

local function clean(model, real)
  local unit = S.unit(model, nil, { real = real })
  local dir, texts, fresh = S.write(unit), {}, { "example_main.c" }
  for _, file in ipairs(unit.files) do texts[file.name] = file.text end
  for _, name in ipairs(unit.sources) do
    if not seen[texts[name]] then fresh[#fresh + 1] = name end
    seen[texts[name]] = true
  end
  for _, compiler in ipairs(COMPILERS) do
    if S.has(compiler:match "%S+") then
      for _, name in ipairs(fresh) do S.command(("cd %s && %s %s -I. %s"):format(dir, compiler, HARD, name)) end
    end
  end
  if texts[unit.name .. ".hpp"] then
    assert(fs.write(dir .. "/use.cpp", ('#include "%s.hpp"\n#include "%s.h"\nint main() { return 0; }\n'):format(unit.name, unit.name)))
    for _, compiler in ipairs(PLUS) do
      if S.has(compiler:match "%S+") then S.command(("cd %s && %s %s -I. use.cpp"):format(dir, compiler, HARD)) end
    end
  end
end

for _, name in ipairs { "zeno_ball", "kane_rod", "bead_column" } do
  T.test("clean under hard warnings everywhere: " .. name, function() clean(name) end)
end
T.test("clean under hard warnings everywhere: zeno_ball in float", function() clean("zeno_ball", "float") end)

-- meshes that are too large for a package are programs on PETSc
local function small(message) return message:find("--path", 1, true) or message:find("PETSc", 1, true) end
for _, name in ipairs(lang.known ".") do
  T.long_test("clean under hard warnings everywhere: " .. name, function()
    local good, e = pcall(clean, name)
    if not good then T.ok(type(e) == "table" and e.carom and small(e.message), type(e) == "table" and e.message or e) end
  end)
end

S.finish()
