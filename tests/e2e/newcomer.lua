-- What a newcomer gets wrong on the command line and around a model file: one message that says what and where, the exit code that
-- the README promises, nothing written. (Mistakes inside a model are in tests/lua/test_mistakes.lua.)
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local P = require "gen.pipeline"
local fs = require "gen.util.fs"

local interpreter = arg[-1] or "lua5.4"
local cache = S.place "cache"

local BALL = [[
local carom = require "carom"
local m = carom.model "NAME"
local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local q = m:coordinate("z", { unit = "m", initial = 1, velocity = 0 })
m:kinetic_energy(mass * q.dot^2 / 2)
m:potential_energy(mass * gravity * q)
m:contact("ground", { gap = q, restitution = 0.5 })
m:run { until_time = 1, step = 0.01 }
return m
]]
local ball = BALL:gsub("NAME", "ball")
local files = { ["ball.lua"] = ball, ["empty.lua"] = "", ["bytes.lua"] = "\1\2\255\254\0\3", ["note.txt"] = "mine",
  ["circle.lua"] = 'require "circle_too"', ["circle_too.lua"] = 'require "circle"', ["marked.lua"] = "\239\187\191" .. ball,
  ["windows.lua"] = ball:gsub("\n", "\r\n"), ["other.py"] = "import numpy as np\n",
  ["until.lua"] = ball:gsub("until_time = 1", "until = 1") }
local place = S.place "files"
for _, name in ipairs { "ball.lua", "empty.lua", "bytes.lua", "note.txt", "circle.lua", "circle_too.lua", "marked.lua", "windows.lua",
  "other.py", "until.lua" } do
  assert(fs.write(place .. "/" .. name, files[name]))
end
local before = table.concat(fs.list(place), " ")

local function carom(words)
  local err = S.folder .. "/stderr"
  local out, code = fs.capture(("cd %s && CAROM_CACHE=%s %s %s/gen/cli/main.lua %s 2>%s </dev/null"):format(fs.quote(place),
    fs.quote(cache), interpreter, fs.quote(S.here), words, err))
  return out, assert(fs.read(err)), code
end

-- words, exit code, what is said first (a plain text)
local CASES = {
  { "run ball.lua -o out --set mass=nan", 2, "carom: error: --set mass: 'nan' is not a finite number" },
  { "run ball.lua -o out --set mass=1e400", 2, "carom: error: --set mass: '1e400' is not a finite number" },
  { "run ball.lua -o out --set mass=1,5", 2, "carom: error: --set mass: '1,5' is not a finite number" },
  { "run ball.lua -o out --set mass=", 2, "carom: error: --set mass: '' is not a finite number" },
  { "run ball.lua -o out --set mass", 2, "carom: error: --set mass: write --set name=value" },
  { "run ball.lua -o out --set =3", 2, "carom: error: --set =3: write --set name=value" },
  { "run ball.lua -o out --set mas=2", 2, "carom: error: --set mas: ball has no such name; did you mean 'mass'?" },
  { "run ball.lua -o out --set ground.friction=1", 2, "carom: error: --set ground.friction: ball has no such name; known: mass" },
  { "run ball.lua -o out --step 0", 2, "carom: error: --step 0 is not positive" },
  { "run ball.lua -o out --step -1", 2, "carom: error: --step -1 is not positive" },
  { "run ball.lua -o out --step nan", 2, "carom: error: --step 'nan' is not a finite number" },
  { "run ball.lua -o out --step 1e-30", 2, "carom: error: 1e+30 steps take longer than anybody lives" },
  { "run ball.lua -o out --step 1e-9", 2, "carom: error: 1e+09 steps would make a result of as many rows; write --every 10000 " },
  { "run ball.lua -o out --until 1e300", 2, "carom: error: 1e+302 steps take longer than anybody lives" },
  { "run ball.lua -o out --until soon", 2, "carom: error: --until 'soon' is not a finite number" },
  { "run ball.lua -o out --every 0", 2, "carom: error: --every 0 is not a whole number from 1 to 1e+15" },
  { "run ball.lua -o out --every 1.5", 2, "carom: error: --every 1.5 is not a whole number" },
  { "run ball.lua -o out --every 1e99", 2, "carom: error: --every 1e99 is not a whole number" },
  { "run ball.lua -o ''", 2, "carom: error: -o needs a value, and an empty text is none" },
  { "run ball.lua -o", 2, "carom: error: -o needs a value" },
  { "run ball.lua ball.lua", 2, "carom: error: carom run takes one MODEL" },
  { "run", 2, "carom: error: carom run needs a MODEL" },
  { "runn ball.lua", 2, "carom: error: unknown command runn; did you mean 'run'?" },
  { "run ball.lua --stepp 3", 2, "carom: error: unknown option --stepp; did you mean '--step'?" },
  { "run ball.lua --scheme rk4", 2, "carom: error: scheme 'rk4': unknown family 'rk4'" },
  { "run ball.lua --scheme ''", 2, "carom: error: --scheme needs a value" },
  { "run ball.lua --scheme D-:M=99", 2, "carom: error: scheme 'D-:M=99': M=99 is out of range" },
  { "run ball.lua --scheme D-:M=1,M=2", 2, "carom: error: scheme 'D-:M=1,M=2': key 'M' given twice" },
  { "run ball.lua --scheme D-:steps=3", 2, "carom: error: scheme 'D-:steps=3': D- has no key 'steps'" },
  { "gen ball.lua -o out --form wrong", 2, "carom: error: there is no form 'wrong'; write unrolled or looped" },
  { "gen ball.lua -o out --prefix int", 2, "carom: error: --prefix int: this is a name that the generated C uses itself" },
  { "gen ball.lua -o out --prefix 3x", 2, "carom: error: --prefix 3x is not a C identifier" },
  { "gen ball.lua -o out --prefix sin", 2, "carom: error: --prefix sin: this is a name that the C library uses itself" },
  { "gen slider_crank -o out --prefix lcp", 2, "carom: error: --prefix lcp: this is a name that a file of the runtime has as well" },
  { "gen sphere_pile -o out --prefix printf --set N=8", 2, "carom: error: --prefix printf: this is a name that the C library uses" },
  { "gen punch --target petsc -o out --prefix main", 2, "carom: error: --prefix main: this is a name that the C library uses itself" },
  { "gen ball.lua -o note.txt", 3, "carom: error: nothing written: " },
  { "gen ball.lua -o note.txt/x", 3, "carom: error: nothing written: " },
  { "gen ball.lua -o /proc/x", 3, "carom: error: nothing written: " },
  { "run empty.lua", 2, "empty.lua:1: error: the file declares no model; begin with: local m = require(\"carom\").model" },
  { "run bytes.lua", 2, "bytes.lua:1: error: " },
  { "run other.py", 2, "other.py:1: error: syntax error near 'numpy'; correct the Lua syntax here or just above" },
  { "run circle.lua", 2, "circle.lua:1: error: 'circle_too' requires itself; break the circle" },
  { "run until.lua", 2, "until.lua:9: error: unexpected symbol near 'until'; correct the Lua syntax here or just above (until is a word "
    .. "of Lua; the option of run is until_time)" },
  { "run .", 2, ".: error: the model cannot be read: it is not a file; give a model file" },
  { "run nosuch.lua", 2, "nosuch.lua: error: there is no such model; " },
  { "run -", 2, "-:1: error: the file declares no model" },
  { "study ball.lua -o out --counts 0,1", 2, "carom: error: --counts 0 is not positive" },
  { "study ball.lua -o out --counts abc", 2, "carom: error: --counts 'abc' is not a finite number" },
  { "run ball.lua -o out --frames 3", 2, "carom: error: --frames is for models with a mesh; ball has none" },
  { "run punch -o out --ranks 0", 2, "carom: error: --ranks 0 is not a whole number of at least 1" },
  { "run punch -o out --ranks 100000", 2, "carom: error: --ranks 100000, but this machine has " },
  { "run punch -o out --cfl 0", 2, "carom: error: --cfl 0 is not positive" },
  { "run punch -o out --checkpoint-minutes nan", 2, "carom: error: --checkpoint-minutes 'nan' is not a finite number" },
  { "run punch -o out --path petsc --until -1", 2, "carom: error: --until -1 lies before the start, t = 0" },
  { "run punch -o out --path wrong", 2, "carom: error: --path wrong: write small or petsc" },
  { "run punch -o out --set n=-4", 2, S.here .. "/models/fem/punch.lua:17: error: entry 1 of cells of mesh 'block' is no whole number" },
  { "run punch -o out --set n=1e9", 2, S.here .. "/models/fem/punch.lua:17: error: cells of mesh 'block' make 1.6e+19 unknowns" },
  { "help nosuch", 2, "carom: error: nothing is known about 'nosuch'" },
}
T.test(("%d mistakes on the command line"):format(#CASES), function()
  for _, case in ipairs(CASES) do
    local out, err, code = carom(case[1])
    T.ok(code == case[2] and err:sub(1, #case[3]) == case[3], ("carom %s: code %d, %s%s"):format(case[1], code, out, err))
    T.eq(out, "", case[1])
    T.ok(not err:find("traceback", 1, true) and select(2, err:gsub("error:", "")) == 1, case[1] .. ": " .. err)
    T.eq(table.concat(fs.list(place), " "), before, case[1] .. " left something")
  end
  T.eq(fs.read(place .. "/note.txt"), "mine")
end)

T.test("mistakes that show when the program runs", function()
  for _, case in ipairs {
    { "--set mass=0", 2, "carom: error: ball cannot start: the mass matrix is not positive definite" },
    { "--set z=-5", 2, "carom: error: ball cannot start: a contact penetrates in the initial configuration (contact ground, gap -5)" },
    { "--until -1", 2, "carom: error: --until -1 lies before the start, t = 0" },
    { "-o note.txt", 3, "carom: error: cannot make the output folder: " },
    { "-o note.txt/x", 3, "carom: error: cannot make the output folder: " },
  } do
    local _, err, code = carom("run ball.lua -q -o out " .. case[1])
    T.ok(code == case[2] and err:sub(1, #case[3]) == case[3], ("%s: code %d, %s"):format(case[1], code, err))
    T.eq(table.concat(fs.list(place), " "), before, case[1] .. " left something")
  end
  local _, err, code = carom("run ball.lua -o out --step 1e30")
  T.eq(code, 0, err)
  T.ok(err:find("carom: warning: --step 1e+30 is longer than the run, which is one step of 1", 1, true), err)
end)

T.test("texts from other editors", function()
  for _, name in ipairs { "marked", "windows" } do
    local _, err, code = carom(("gen %s.lua -q -o %s"):format(name, name))
    T.eq(code .. err, "0")
  end
end)

-- A model's name is a type, a file and a prefix in C, together with those of the C library and of the runtime.
T.test("names of models", function()
  local function emitted(name)
    return pcall(function() return P.compile(P.load("inline.lua", { text = (BALL:gsub("NAME", name)) }), {}) end)
  end
  for name in ([[main sin expf hypotl printf FILE size_t time exit y1 double_t stdio math string stddef carom carom_model Carom example_main
    status model q t s fabs int class NULL a0 V1 Cl struck b0 BQ_10 CAROM_NV]]):gmatch("%S+") do
    local good, e = emitted(name)
    T.ok(not good and type(e) == "table" and e.carom and e.file == "inline.lua" and e.line == 2, name .. " was taken")
  end
  local strict = S.base .. " -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
  -- with the example, as a user builds it; spin, tiny and mass stand in templates, but not in the C of this model
  for name in ([[driver README inf NaN lcp spin tiny mass]]):gmatch("%S+") do
    local good, unit = emitted(name)
    T.ok(good, unit)
    local dir = S.write(unit)
    S.command(("cd %s && gcc %s -I. -c %s.c -o one.o && gcc %s -I. -c example_main.c -o two.o"):format(fs.quote(dir), strict, name, strict))
  end
end)

-- Quantities may have any name that C allows, whatever the emitted code calls its own.
T.test("names of quantities", function()
  local text = { 'local carom = require "carom"', 'local m = carom.model "names"', "local T, V = 0, 0" }
  for name in ([[s h p d c x1 k1 w1 W G Y J A U q1 v1 counts params info derived failure now at status model rows have sin pow fmax
    memcpy main impulse pressing force stage remaining scale a0 V1 r0 Cl BETA_0 BQ_10 THETA count known slide]]):gmatch("%S+") do
    text[#text + 1] = ('do local x = m:coordinate("%s", { initial = 1 }); T = T + x.dot^2 / 2; V = V + carom.cos(x)'):format(name)
    text[#text + 1] = "m:force(x, -x * x.dot) end"
  end
  for name in ([[state step init set advance outputs t0 n e mu g]]):gmatch("%S+") do
    text[#text + 1] = ('do local k = m:parameter("%s", 1); V = V * k end'):format(name)
  end
  text[#text + 1] = 'm:kinetic_energy(T); m:potential_energy(V)'
  text[#text + 1] = 'local z = m:coordinate("z", { initial = 1 }); m:kinetic_energy(z.dot^2 / 2)'
  for name in ([[contact gap row b r v]]):gmatch("%S+") do text[#text + 1] = ('m:contact("%s", { gap = z^3 })'):format(name) end
  text[#text + 1] = "m:run { until_time = 0.1, step = 0.01 }\nreturn m"
  local model = { text = table.concat(text, "\n") }
  for _, case in ipairs { { "D-:M=1", "unrolled" }, { "moreau-jean", "unrolled" }, { "moreau-jean", "looped" } } do
    local unit = S.unit(model, case[1], { form = case[2] })
    S.command(("cd %s && gcc %s %s -I. -I%s/runtime/include -c names.c -o names.o"):format(fs.quote(S.write(unit)), S.base, S.strict,
      fs.quote(S.here)))
  end
end)

S.finish()
