-- The C package in other people's builds: CMake, other defaults, what it costs as compiled.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

if S.has "cmake" and S.has "g++" then
  T.test("CMake builds it, installs it, and another project finds it", function()
    local dir, there = S.place "package", S.place "installed"
    S.command(("./carom gen zeno_ball -o %s -q"):format(dir))
    S.command(("cd %s && cmake -S . -B b -DCMAKE_INSTALL_PREFIX=%s && cmake --build b && cmake --install b && b/zeno_ball_example")
      :format(dir, there))
    local user = S.place "user"
    assert(fs.write(user .. "/CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(user C CXX)\n"
      .. "find_package(zeno_ball REQUIRED)\nadd_executable(user main.cpp)\ntarget_link_libraries(user PRIVATE zeno_ball::zeno_ball)\n"))
    assert(fs.write(user .. "/main.cpp", '#include <zeno_ball.hpp>\nint main() { carom::zeno_ball b; b.advance(1.0, 1e-3); '
      .. 'return b.t() == 1.0 ? 0 : 1; }\n'))
    S.command(("cd %s && cmake -S . -B b -DCMAKE_PREFIX_PATH=%s -DCMAKE_CXX_STANDARD=17 && cmake --build b && b/user"):format(user, there))
  end)
else
  T.skip("CMake builds it, installs it, and another project finds it", "cmake or g++ is not here")
end

T.test("--set of a parameter is another default; of an initial value it is refused", function()
  local dir = S.place "set"
  S.command(("./carom gen bouncing_ball --set gravity=1.62 -o %s -q"):format(dir))
  T.ok(fs.read(dir .. "/bouncing_ball.c"):find("p->gravity = 1.62;", 1, true))
  local other = S.place "plain"
  S.command(("./carom gen bouncing_ball -o %s -q"):format(other))
  local function digest(folder) return fs.read(folder .. "/bouncing_ball.h"):match "generator: (%x+)" end
  T.ok(digest(dir) ~= digest(other), "states of the two are not the same")
  local said, code = fs.capture "./carom gen bouncing_ball --set q=2 -o nowhere 2>&1"
  T.eq(code, 2)
  T.ok(said:find "constants and parameters only", said)
end)

-- a model in several files: clean, and the same bits
for _, sample in ipairs { { "slider_crank", 2 }, { "belt", 3, "looped" } } do
  local name, least, form = table.unpack(sample)
  T.test("--split: several files, the same bits: " .. name, function()
    local main = ('#include "%s.h"\n#include <stdio.h>\nstatic %s s;\nint main(void)\n{\n    int bad = %s_init(&s, NULL) != CAROM_OK;\n'
      .. '    for (int k = 0; k < 300 && !bad; ++k) { bad = %s_step(&s, 1e-4) != CAROM_OK; }\n'
      .. '    for (int i = 0; i < %s_NQ; ++i) { (void)printf("%%a %%a\\n", s.q[i], s.v[i]); }\n    return bad;\n}\n')
      :format(name, name, name, name, name:upper())
    local said = {}
    for _, split in ipairs { false, true } do
      local unit = S.unit(name, nil, { form = form, with = { split = split } })
      local own = 0
      for _, source in ipairs(unit.sources) do own = own + (source:find("^" .. name) and 1 or 0) end
      T.ok(split and own >= least or own == 1, table.concat(unit.sources, " "))
      said[#said + 1] = S.command(S.compile(unit, { main = main, own = S.strict .. " -Wmissing-prototypes" }).program)
    end
    T.eq(said[2], said[1])
    T.ok(#said[1] > 20)
  end)
end

if S.has "gcc" and S.has "cppcheck" then
  T.test("carom check --bounds tells code, state and stack", function()
    local said = S.command "./carom check bouncing_ball --bounds"
    T.ok(tonumber(said:match "a state +(%d+) bytes") > 200, said)
    T.ok(tonumber(said:match "stack at most +(%d+) bytes") < 2048, said)
    T.ok(tonumber(said:match "code and constants +(%d+) bytes") > 1000, said)
  end)
  T.long_test("--measure puts flash, state, stack and the count of MISRA's rules into the README", function()
    local dir = S.place "measured"
    S.command(("./carom gen zeno_ball --measure -o %s -q"):format(dir))
    local readme = fs.read(dir .. "/README.md")
    for _, pattern in ipairs { "code and constants | %d+ bytes", "stack at most | %d+ bytes", "MISRA C:2012 | %d+ by" } do
      T.ok(readme:find(pattern), readme)
    end
  end)
end

S.finish()
