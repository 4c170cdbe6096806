-- What is emitted beyond its text: no heap and no mutable data, usable from C++, complete in its folder, its size.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

-- ---- the object file ---------------------------------------------------------------------------------------------------------
local allowed = {}
for name in ("sin cos tan asin acos atan atan2 exp hypot log sqrt fabs pow fmax fmin ceil floor sincos frexp ldexp sqrtl fmaxl fminl "
  .. "memcmp memcpy memset memmove strcmp"):gmatch("%a+") do
  allowed[name] = true
end
for _, sample in ipairs { { "slider_crank", "D-:M=1" }, { "slider_crank", "D+:M=3,projection=on" }, { "bowl", "moreau-jean" },
  { "impacting_oscillator", "schatzman-paoli" }, { "bead_column", "D-:M=2", "looped" }, { "slider_crank", "moreau-jean", "looped" } } do
  T.test(("no heap, no output, no data in the object of %s, %s"):format(sample[1], table.concat(sample, " ", 2)), function()
    local unit = S.unit(sample[1], sample[2], { form = sample[3] })
    local dir = S.write(unit)
    for _, source in ipairs(unit.sources) do
      S.command(("cd %s && gcc %s -O2 -I. -c %s -o x.o"):format(dir, S.base, source))
      for line in S.command(("cd %s && nm -u x.o"):format(dir)):gmatch("[^\n]+") do
        local name = line:match("U ([%w_]+)")
        T.ok(not name or allowed[name] or name:find("^carom_") or name == "_GLOBAL_OFFSET_TABLE_", source .. " needs " .. tostring(name))
      end
      local defined = S.command(("cd %s && nm -g --defined-only x.o"):format(dir))
      for name in defined:gmatch("%x+ %a ([%w_]+)") do
        T.ok(name:find("^" .. unit.name .. "_") or name:find("^carom_"), source .. " defines " .. name)
      end
      local data, bss = S.command(("cd %s && size x.o"):format(dir)):match("\n%s*%d+%s+(%d+)%s+(%d+)")
      -- the table of function pointers needs relocation, so a position-independent build keeps it in .data.rel.ro
      T.eq(bss, "0", source .. " .bss")
      if data ~= "0" then
        local sections = S.command(("cd %s && objdump -h x.o"):format(dir))
        T.ok(not sections:find("%s%.data%s+0*[1-9a-f]%x*%s"), source .. " has .data:\n" .. sections)
        T.ok(sections:find("%.data%.rel%.ro"), sections)
      end
    end
  end)
end

T.test("the header is usable from C++", function()
  if not S.has "g++" then return end
  for _, form in ipairs { "unrolled", "looped" } do
    local dir = S.write(S.unit("bead_column", "D-:M=1", { form = form }))
    assert(fs.write(dir .. "/use.cpp", '#include "bead_column.h"\n'
      .. 'int main() { static bead_column s; return bead_column_init(&s, nullptr) == CAROM_OK ? 0 : 1; }\n'))
    S.command(("cd %s && g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only use.cpp"):format(dir))
  end
end)

-- ---- the folder by itself ------------------------------------------------------------------------------------------------------
for _, sample in ipairs { { "slider_crank", "D-:M=1" }, { "slider_crank", "moreau-jean" }, { "bead_column", "moreau-jean", "looped" } } do
  T.test(("the folder of %s, copied elsewhere, builds by the line of its README and runs"):format(table.concat(sample, " ")), function()
    local dir = S.write(S.unit(sample[1], sample[2], { form = sample[3] }))
    local copy = S.place "elsewhere"
    S.command(("cp -r %s/. %s && mv %s %s.gone"):format(dir, copy, dir, dir))
    local line = assert(fs.read(copy .. "/README.md"):match("\n    (cc [^\n]+)"), "no cc line in the README")
    local said = S.command(("cd %s && %s"):format(copy, line))
    local count = select(2, said:gsub("\n", ""))
    T.eq(count, 10, said)
    T.ok(said:find("t = 0.2 ", 1, true) or said:find("t = 5 ", 1, true), said)
    T.ok(not said:lower():find("nan"), said)
  end)
end

T.test("folders of loops over tables with friction, of capture and of piles compile without another", function()
  for _, case in ipairs { { "stick_block", "D-:M=1", "looped" }, { "stick_block", "capture" }, { "sphere_pile", "moreau-jean" } } do
    local dir = S.write(S.unit(case[1], case[2], { form = case[3] }))
    S.command(("cd %s && gcc %s -fsyntax-only -I. $(find . -name '*.c')"):format(dir, S.base))
  end
end)

T.test("a prefix renames files and every symbol", function()
  local unit = S.unit("slider_crank", "D-:M=1", { prefix = "sc2" })
  local dir = S.write(unit)
  S.command(("cd %s && gcc %s -O1 %s -c sc2.c"):format(dir, S.base, S.strict))
  for name in S.command(("cd %s && nm -g --defined-only sc2.o"):format(dir)):gmatch("%x+ %a ([%w_]+)") do
    T.ok(name:find("^sc2_"), name)
  end
end)

-- ---- size --------------------------------------------------------------------------------------------------------------------------
T.test("1000 beads need as many lines as 100 outside tables, and run", function()
  local count = {}
  for _, N in ipairs { 100, 1000 } do
    local unit = S.unit("bead_column", "moreau-jean:theta=0.5", { set = { N = N } })
    T.eq(unit.form, "looped")
    local tables, total = 0, 0
    for _, file in ipairs(unit.files) do
      if file.name:find("^bead_column%.[ch]$") then
        local lines = S.lines_outside_tables(file.text)
        total = total + lines
        tables = tables + select(2, file.text:gsub("\n", "")) - lines
      end
    end
    count[N] = total
    T.ok(tables > N / 10, "the tables grow: " .. tables)
    if N == 1000 then
      local r = S.compile(unit):run { until_time = 0.45, step = 5e-3 } -- until bead 1 has hit the ground
      T.eq(r.status, "ok")
      T.near(r.q.q1000, 1 + 0.25 * 999 - 9.81 * 0.45 ^ 2 / 2, 1e-9)
      T.ok(r.impulse.ground > 8, "bead 1 has bounced")
    end
  end
  T.eq(count[1000], count[100])
end)

S.finish()
