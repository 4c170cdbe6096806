-- Static checks: shellcheck, cppcheck, gcc's analyzer, clang-tidy and clang-format over the launcher, the runtime and a sample of
-- emitted C (luacheck is in tests/lua/test_house.lua). A tool that is not here is skipped with a word; `carom test --long` takes all of
-- the runtime, and clang's analyzer with it.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local function check(name, tool, body)
  if S.has(tool) then T.test(name, body) else T.skip(name, tool .. " is not installed") end
end

local function sources(folders)
  local list = {}
  for _, folder in ipairs(folders) do
    for _, name in ipairs(fs.list(folder)) do
      if name:find("%.c$") then list[#list + 1] = S.here .. "/" .. folder .. "/" .. name end
    end
  end
  return list
end

local everything = { "runtime", "runtime/driver", "runtime/friction", "runtime/bulk", "runtime/contact", "runtime/mesh" }
local runtime = T.long and sources (everything)
  or sources { "runtime", "runtime/driver" }
local emitted = {}
for _, case in ipairs { { "slider_crank", "D-:M=2" }, { "bouncing_ball", "moreau-jean:theta=0.5" } } do
  local unit = S.unit(case[1], case[2])
  emitted[#emitted + 1] = S.write(unit) .. "/" .. unit.name .. ".c"
end

-- what a tool says about each file; nothing is what it must say
local function silent(command, files)
  for _, file in ipairs(files) do
    local said = fs.capture(("cd %s && %s -I%s -I%s %s 2>&1 </dev/null"):format(fs.quote(S.folder), command,
      fs.quote(S.here .. "/runtime/include"), fs.quote(fs.parent(file)), fs.quote(file)))
    T.eq(said, "", file)
  end
end

check("shellcheck: the launcher", "shellcheck", function() S.command("shellcheck carom") end)

local CPPCHECK = "cppcheck -q --std=c11 --enable=warning,portability --inline-suppr"
check("cppcheck: the runtime", "cppcheck", function() silent(CPPCHECK, runtime) end)
check("cppcheck: emitted C", "cppcheck", function() silent(CPPCHECK, emitted) end)

local ANALYZER = "gcc -std=c11 -fanalyzer -o analyzed.o -c"
check("gcc -fanalyzer: the runtime", "gcc", function() silent(ANALYZER, runtime) end)
-- gcc 12 believes that loops with constant bounds end early and leave vectors unwritten; valgrind looks instead
local emitted_small = emitted -- it takes the slider-crank with two stages 12 s
if not T.long then
  local unit = S.unit("bowl", "D-:M=1")
  emitted_small = { emitted[2], S.write(unit) .. "/bowl.c" }
end
check("gcc -fanalyzer: emitted C", "gcc", function() silent(ANALYZER .. " -Wno-analyzer-use-of-uninitialized-value", emitted_small) end)
check("valgrind: emitted C reads nothing that was not written", "valgrind", function()
  for _, file in ipairs(emitted) do
    local name = file:match("([^/]+)%.c$")
    S.command(([[cd %s && printf '#include "%s.h"\n#include <stdio.h>\nint main(void) { static %s s; int bad = 0; %s_init(&s, NULL); ]]
      .. [[for (int k = 0; k < 800; ++k) bad += %s_step(&s, 1e-5) != 0; ]]
      .. [[printf("%%%%g %%%%d\\n", s.v[0] > 0.0 ? 1.0 : 0.0, bad); return bad; }\n' ]]
      .. [[> look.c && gcc -std=c11 -g -O1 -I. look.c $(ls *.c */*.c | grep -v "example_main.c\|look.c") -lm -o look && ]]
      .. [[valgrind -q --error-exitcode=7 ./look > look.out 2>&1]]):format(fs.quote(fs.parent(file)), name, name, name, name))
  end
end)

-- The analyzer takes a minute for the runtime. PETSc's part needs PETSc's headers.
local function tidy(files, more, checks)
  local said = fs.capture(("clang-tidy --quiet --config-file=.clang-tidy %s %s -- -std=c11 -Iruntime/include %s 2>/dev/null </dev/null")
    :format(checks, fs.command(files), more or ""))
  T.eq(said, "")
end
local QUICK = "--checks=-clang-analyzer-*"
check("clang-tidy: the runtime", "clang-tidy", function() tidy(sources(everything), nil, T.long and "" or QUICK) end)
check("clang-tidy: emitted C", "clang-tidy", function() tidy(emitted, nil, "") end)
if T.long and S.has "mpicc" and S.has "pkg-config" then
  check("clang-tidy: PETSc's part", "clang-tidy", function()
    local headers = fs.capture("{ pkg-config --cflags-only-I PETSc || pkg-config --cflags-only-I petsc; } 2>/dev/null; mpicc -show")
    local more = {}
    for folder in headers:gmatch("%-I(%S+)") do more[#more + 1] = "-isystem " .. fs.quote(folder) end
    tidy(sources { "runtime/petsc" }, table.concat(more, " "), QUICK)
  end)
end

-- Layout. The columns of comments are looked at by tests/lua/test_house.lua. Emitted C is not held against clang-format, which lines up
-- remarks and packs tables by the length of names that a template cannot know; it is laid out by gen/emit/indent.lua.
local COLUMNS = 120
local function too_wide(name, text)
  local n = 0
  for line in (text .. "\n"):gmatch("([^\n]*)\n") do
    n = n + 1
    if utf8.len(line) > COLUMNS then error(("%s:%d has more than %d columns: %s"):format(name, n, COLUMNS, line), 0) end
  end
end

local laid_out = {}
for _, folder in ipairs { "runtime/include/carom", "runtime", "runtime/driver", "runtime/friction", "runtime/bulk", "runtime/contact",
  "runtime/shapes", "runtime/mesh",
  "runtime/petsc" } do
  for _, name in ipairs(fs.list(folder)) do
    if name:find("%.[ch]$") then laid_out[#laid_out + 1] = folder .. "/" .. name end
  end
end
check("clang-format: the runtime", "clang-format", function()
  S.command("clang-format --dry-run --Werror " .. fs.command(laid_out))
end)
T.test("emitted C keeps to its columns, whatever the names are", function()
  local long = { text = [[
local carom = require "carom"
local m = carom.model "a_mass_with_a_name_that_is_long_enough"
local k = m:parameter("stiffness_of_the_spring_between_the_mass_and_the_wall", 4, "N/m")
local x = m:coordinate("displacement_from_the_place_where_the_spring_is_at_rest", { unit = "m", initial = 1, velocity = 0 })
local y = m:coordinate("height_over_the_floor_on_which_the_mass_slides", { unit = "m", initial = 0, velocity = 0 })
local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9, "m/s^2")
m:kinetic_energy(mass * (x.dot^2 + y.dot^2) / 2)
m:potential_energy(k / 2 * x^2 + mass * gravity * y)
m:contact("contact_of_the_mass_with_the_floor", { gap = y, restitution = 0.5, friction = 0.1, slide = x })
m:run { until_time = 1, step = 0.01 }
return m
]] }
  for _, case in ipairs { { "slider_crank", "D-:M=2" }, { "slider_crank", "D-:M=1,adaptive=on,dense=on" }, { "four_bar", "D+" },
    { "rocking_box", "capture" }, { "bead_column", "moreau-jean", "looped" }, { "zeno_ball", "schatzman-paoli" },
    { "sphere_pile", "moreau-jean" }, { long, "D-" }, { long, "moreau-jean" } } do
    for _, file in ipairs(S.unit(case[1], case[2], { form = case[3] }).files) do
      if file.name:find("%.[ch]$") then too_wide(file.name, file.text) end
    end
  end
end)

S.finish()
