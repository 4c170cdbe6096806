-- The C that is emitted: clean under strict warnings for every model and scheme, no heap and no mutable data, usable from
-- C++, complete in its folder, and the same results whether it is unrolled or loops over tables.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local lang = require "gen.lang.load"

local models = lang.known(".")

-- every family, every key with each of its choices, lowest and highest degree
local schemes = {
  "moreau-jean", "moreau-jean:theta=0", "moreau-jean:theta=1,gamma=1", "moreau-jean:mass=end,projection=on",
  "moreau-jean:stages=fixed-point", "schatzman-paoli", "schatzman-paoli:theta=0,stages=fixed-point", "D-:M=0", "D+:M=0",
  "D-:M=1", "D-:M=2,projection=on", "D-:M=3,impact=literal", "D-:M=4,stages=fixed-point", "D-:M=8,quadrature=lobatto",
  "D+:M=1", "D+:M=2,stages=fixed-point", "D+:M=3,quadrature=lobatto,projection=on",
}
-- the looped form has no Newton iteration for coupled stages; fixed point is its default
local looped_schemes = {
  "moreau-jean", "moreau-jean:theta=0,projection=on", "moreau-jean:mass=end,stages=newton", "schatzman-paoli",
  "schatzman-paoli:theta=0,stages=newton", "D-:M=0", "D-:M=1", "D-:M=2,projection=on", "D-:M=3,impact=literal", "D+:M=2",
}

local function refused_for_friction(scheme)
  return scheme:find("^schatzman") or scheme:find("impact=literal")
end

-- header and source of a unit alone; the carom headers are those of the runtime, which every folder gets as copies
local function write_own(unit, dir)
  for _, file in ipairs(unit.files) do
    if file.name == unit.name .. ".c" or file.name == unit.name .. ".h" then
      local out = assert(io.open(dir .. "/" .. unit.name .. file.name:sub(-2), "wb"))
      out:write(file.text)
      out:close()
    end
  end
end

-- All models with one scheme, checked by one call of the compiler.
local function check_all(cc, flags, scheme, form)
  local dir, sources = S.place "strict", {}
  for _, model in ipairs(models) do
    local good, unit = pcall(S.unit, model, scheme, { form = form })
    if good then
      write_own(unit, dir)
      sources[#sources + 1] = model .. ".c"
    else -- friction is refused by some schemes and by the looped form, in a sentence
      T.ok(type(unit) == "table" and unit.carom and unit.message:find("has friction"), model .. ": " .. tostring(unit.message or unit))
      T.ok(form == "looped" or refused_for_friction(scheme), unit.message)
    end
  end
  T.ok(#sources >= 13, "only " .. #sources .. " models were generated")
  S.command(("cd %s && %s -std=c11 %s %s -I. -I%s/runtime/include -c %s"):format(dir, cc, S.strict, flags, S.here,
    table.concat(sources, " ")))
end

for _, scheme in ipairs(schemes) do
  T.test("strict warnings, unrolled, every model, " .. scheme, function() check_all("gcc", "-fsyntax-only", scheme, "unrolled") end)
end
for _, scheme in ipairs(looped_schemes) do
  T.test("strict warnings, looped, every model, " .. scheme, function() check_all("gcc", "-fsyntax-only", scheme, "looped") end)
end
-- -Wmaybe-uninitialized and its kin need the optimiser, and differ from level to level
for _, sample in ipairs { { "D+:M=2", "-O1", "unrolled" }, { "D-:M=2,projection=on", "-O2", "unrolled" },
  { "moreau-jean:projection=on", "-O3", "unrolled" }, { "D-:M=2", "-O2", "looped" } } do
  T.test(("strict warnings with %s, %s, every model, %s"):format(sample[2], sample[3], sample[1]), function()
    check_all("gcc", sample[2], sample[1], sample[3])
  end)
end
for _, sample in ipairs { { "D+:M=2", "unrolled" }, { "moreau-jean:mass=end,projection=on", "unrolled" },
  { "schatzman-paoli", "unrolled" }, { "D-:M=2,projection=on", "looped" } } do
  local name = ("strict warnings of clang, %s, every model, %s"):format(sample[2], sample[1])
  if S.has "clang" then
    T.test(name, function() check_all("clang", "-fsyntax-only", sample[1], sample[2]) end)
  else
    T.skip(name, "no clang")
  end
end

T.test("newton stages are refused in looped form, not emitted wrongly", function()
  T.fails(function() S.unit("bowl", "D-:M=2,stages=newton", { form = "looped" }) end, "write stages=fixed%-point")
end)

-- ---- the object file ---------------------------------------------------------------------------------------------------------
local allowed = {}
for name in ("sin cos tan asin acos atan atan2 exp log sqrt fabs pow fmax fmin ceil floor memcpy memset sincos frexp ldexp"):gmatch("%a+") do
  allowed[name] = true
end
for _, sample in ipairs { { "slider_crank", "D-:M=1" }, { "slider_crank", "D+:M=3,projection=on" }, { "bowl", "moreau-jean" },
  { "impacting_oscillator", "schatzman-paoli" }, { "bead_column", "D-:M=2", "looped" }, { "slider_crank", "moreau-jean", "looped" } } do
  T.test(("no heap, no output, no data in the object of %s, %s"):format(sample[1], table.concat(sample, " ", 2)), function()
    local unit = S.unit(sample[1], sample[2], { form = sample[3] })
    local dir = S.write(unit)
    for _, source in ipairs(unit.sources) do
      S.command(("cd %s && gcc %s -O2 -c %s -o x.o"):format(dir, S.base, source))
      for line in S.command(("cd %s && nm -u x.o"):format(dir)):gmatch("[^\n]+") do
        local name = line:match("U ([%w_]+)")
        T.ok(not name or allowed[name] or name:find("^carom_"), source .. " needs " .. tostring(name))
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

T.test("a prefix renames files and every symbol", function()
  local unit = S.unit("slider_crank", "D-:M=1", { prefix = "sc2" })
  local dir = S.write(unit)
  S.command(("cd %s && gcc %s -O1 %s -c sc2.c"):format(dir, S.base, S.strict))
  for name in S.command(("cd %s && nm -g --defined-only sc2.o"):format(dir)):gmatch("%x+ %a ([%w_]+)") do
    T.ok(name:find("^sc2_"), name)
  end
end)

-- ---- unrolled and looped are the same integrator --------------------------------------------------------------------------------
-- Sums are formed in another order and contact problems solved by another method, so rounding differs; it grows at impacts
-- (1e-12 here). Schatzman-Paoli divides positions by h, so rounding in v is 1/h times larger.
local same = {
  { "bead_column", until_time = 1, step = 1e-3, set = { N = 4 } }, { "cradle" }, { "double_pendulum", until_time = 2.5, step = 2.5 / 740 },
  { "slider_crank", until_time = 0.02, step = 2e-5, every = "theta3.dot=-0.01" }, { "constrained_pendulum", until_time = 1 },
  { "bowl" }, { "cam_follower", until_time = 0.7, step = 1e-3 }, { "impacting_oscillator" },
}
for _, m in ipairs(same) do
  for _, scheme in ipairs { "D-:M=1", "D-:M=1,projection=on", "D+:M=2", "moreau-jean", "schatzman-paoli" } do
    T.test(("looped equals unrolled: %s, %s"):format(m[1], scheme), function()
      local results = {}
      for _, form in ipairs { "unrolled", "looped" } do
        results[form] = S.compile(S.unit(m[1], scheme, { form = form, set = m.set }), { flags = "-O0" }):run {
          until_time = m.until_time, step = m.step }
      end
      local a, b = results.unrolled, results.looped
      local tolerance = scheme:find("^schatzman") and 2e-9 or 5e-12
      for _, part in ipairs { "q", "v", "impulse" } do
        for name, x in pairs(a[part]) do T.near(b[part][name], x, tolerance * math.max(1, math.abs(x)), part .. " " .. name) end
      end
      T.eq(b.counts.events, a.counts.events, "events")
    end)
  end
end

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
