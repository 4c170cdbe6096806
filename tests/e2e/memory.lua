-- Memory that is short, and memory that is dirty. Programs are built with a malloc that fails at the n-th call, for every n they reach:
-- a message, an exit code, no leak and no step on foreign ground (address sanitizer). Integrators start from states and work arrays full
-- of NaN and give the same bits.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local SANITIZE = "-g -O0 -fsanitize=address"
local WRAP = "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc"
local dir = S.place "memory"
local include = "-I" .. fs.quote(S.here .. "/runtime/include") .. " -I" .. fs.quote(S.here .. "/runtime")

assert(fs.write(dir .. "/try.c", "int main(void) { return 0; }\n"))
local usable = fs.run(("cd %s && gcc %s try.c -o try >/dev/null 2>&1 && ./try"):format(fs.quote(dir), SANITIZE)) == 0

local function paths(folder, pattern)
  local list = {}
  for _, name in ipairs(fs.list(S.here .. "/" .. folder)) do
    if name:find(pattern) then list[#list + 1] = S.here .. "/" .. folder .. "/" .. name end
  end
  return list
end

-- The object of sources and of more flags, kept: gcc takes most of the time of this suite.
local function program(name, sources, flags)
  local path = dir .. "/" .. name
  local list = { S.here .. "/tests/faults/allocations.c", table.unpack(sources) }
  S.command(("gcc %s -std=c11 %s %s %s %s -o %s -lm"):format(SANITIZE, include, flags or "", WRAP, fs.command(list), fs.quote(path)))
  return path
end

local function run(path, words, variables)
  local out, err = dir .. "/stdout", dir .. "/stderr"
  local code = fs.run(("cd %s && env ASAN_OPTIONS=detect_leaks=1:exitcode=99 CAROM_FAIL_COUNT=%s %s %s %s >%s 2>%s </dev/null"):format(
    fs.quote(dir), fs.quote(dir .. "/count"), variables or "", fs.quote(path), words, fs.quote(out), fs.quote(err)))
  return code, assert(fs.read(out)), assert(fs.read(err)), tonumber(fs.read(dir .. "/count") or "")
end

-- Every allocation of a run fails once; then it and all that follow. `files`: what must not be there half made.
local function starve(path, words, expected, files)
  local code, out, err, count = run(path, words)
  T.eq(code, expected or 0, err)
  T.ok(count and count > 0, "nothing is allocated")
  local said, whole = out, {}
  for _, file in ipairs(files or {}) do whole[file] = assert(fs.read(dir .. "/" .. file)) end
  for n = 1, count do
    for _, more in ipairs { "", " CAROM_FAIL_ON=1" } do
      for _, file in ipairs(files or {}) do os.remove(dir .. "/" .. file) end
      local name = ("%s %s: allocation %d of %d%s: "):format(path:match("[^/]*$"), words, n, count, more)
      code, out, err = run(path, words, ("CAROM_FAIL=%d%s"):format(n, more))
      T.ok(code ~= 99 and code < 126, name .. code .. " " .. err)
      if code ~= (expected or 0) then -- else it did without
        T.ok(code >= 1 and code <= 3, name .. code)
        T.ok((err .. out):lower():find("memory", 1, true), name .. "code " .. code .. ", " .. err .. out)
        for _, file in ipairs(files or {}) do
          local text = fs.read(dir .. "/" .. file)
          T.ok(not text or text == whole[file], name .. file .. " is half made")
        end
      end
    end
  end
  return said
end

local FRICTION = "dimension 3\ncontacts 2\nmu 0.5 0.3\nq -1 0.2 0 -1 0 0.3\nW 12\n"
for i = 1, 6 do FRICTION = FRICTION .. ("%d %d 2\n"):format(i - 1, i - 1) end
for i = 1, 3 do FRICTION = FRICTION .. ("%d %d 0.5\n%d %d 0.5\n"):format(i - 1, i + 2, i + 2, i - 1) end

local function test(name, body)
  if usable then T.test(name, body) else T.skip(name, "gcc has no address sanitizer here") end
end

test("carom solve: every allocation fails once", function()
  assert(fs.write(dir .. "/friction.dat", FRICTION))
  assert(fs.write(dir .. "/lcp.dat", "n 2\nM\n2 1\n1 2\nq\n-5 -6\n"))
  local sources = { S.here .. "/runtime/solve.c" }
  for _, list in ipairs { paths("runtime", "^lcp_.*%.c$"), paths("runtime/friction", "%.c$"), paths("runtime/driver", "^digits%.c$"),
    paths("runtime/driver", "^text%.c$") } do
    table.move(list, 1, #list, #sources + 1, sources)
  end
  local solve = program("solve", sources)
  starve(solve, "friction.dat")
  starve(solve, "lcp.dat --json")
  starve(solve, "friction.dat lcp.dat --solver all")
end)

-- A model with the driver, as carom run builds it.
local function integrator(name, scheme, set)
  local unit = S.unit(name, scheme, { set = set })
  local folder = S.write(unit, dir .. "/" .. unit.name .. "_c")
  assert(fs.write(folder .. "/main.c", ('#include "%s.h"\n#include <carom/driver.h>\nint main(int argc, char **argv)\n{\n'
    .. '    return carom_drive(%s_model(), argc, argv);\n}\n'):format(unit.name, unit.name)))
  local sources = paths("runtime/driver", "%.c$")
  sources[#sources + 1] = S.here .. "/runtime/mesh/shape.c" -- which pictures of meshes ask
  sources[#sources + 1] = folder .. "/main.c"
  for _, source in ipairs(unit.sources) do sources[#sources + 1] = folder .. "/" .. source end
  return program(unit.name, sources, "-I" .. fs.quote(folder))
end

test("the driver: every allocation fails once", function()
  local ball = integrator("zeno_ball", "D-:M=1")
  starve(ball, "--step 0.01 --until 1 --result r.csv --report r.txt --record r.json", 0, { "r.csv" })
  starve(ball, "--step 0.01 --until 1 --json --set q=2")
  starve(ball, "--step 0.01 --until 1 --result -")
  starve(ball, "--step 0.01 --until 1 --set q=-3 --dump-failure f.dat", 2)
end)

test("a pile: every allocation fails once", function()
  local pile = integrator("sphere_pile", "moreau-jean:theta=1,gamma=1", { N = 3 })
  starve(pile, "--step 0.01 --until 0.05 --result r.csv --bodies b.csv", 0, { "r.csv", "b.csv" })
end)

test("mesh files: every allocation fails once", function()
  assert(fs.write(dir .. "/two.msh", [[
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
2
2 1 "body"
1 2 "bottom"
$EndPhysicalNames
$Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
3
1 1 2 2 1 1 2
2 2 2 1 1 1 2 3
3 2 2 1 1 1 3 4
$EndElements
]]))
  local sources = paths("runtime/mesh", "%.c$")
  sources[#sources + 1] = S.here .. "/tests/faults/read_mesh.c"
  local said = starve(program("mesh", sources), "tri3 two.msh")
  T.eq(said, "4 nodes, 2 cells, 1 faces\n")
end)

-- Two states, one of zeros and one of bytes that are NaN as numbers and no truth value as bool; work space is poisoned before each step.
local POISON = [[
#include "X.h"
#include <stdio.h>
#include <string.h>
static X clean, dirty;
int main(void)
{
    memset(&clean, 0, sizeof clean);
    memset(&dirty, 0xff, sizeof dirty);
    carom_status one = X_init(&clean, NULL), two = X_init(&dirty, NULL);
    for (int k = 0; k < COUNT && one == CAROM_OK && two == CAROM_OK; ++k) {
        WORK
        one = X_step(&clean, STEP);
        two = X_step(&dirty, STEP);
        if (one != two || memcmp(clean.q, dirty.q, sizeof clean.q) != 0 || memcmp(clean.v, dirty.v, sizeof clean.v) != 0) {
            printf("step %d differs: %d %d, %.17g %.17g\n", k, (int)one, (int)two, clean.q[0], dirty.q[0]);
            return 1;
        }
    }
    printf("%d %d\n", (int)one, (int)two);
    return 0;
}
]]
T.test("states and work arrays full of NaN give the same bits", function()
  local cases = { { "slider_crank", "D-:M=2", 1e-5 }, { "incline", "capture", 0.01 }, { "zeno_ball", "schatzman-paoli", 0.01 },
    { "zeno_ball", "D-:M=1,adaptive=on,dense=on", 0.01 }, { "bead_column", "moreau-jean", 1e-3, "looped" },
    { "sphere_pile", "moreau-jean:theta=1,gamma=1", 5e-3, nil, { N = 4 } }, -- the rest for long tests
    { "slider_crank", "moreau-jean", 1e-5 }, { "bead_column", "D-:M=1", 1e-3, "looped" }, { "four_bar", "D+:M=1", 1e-3 },
    { "gyro_top", "moreau-jean", 1e-3 }, { "domino", "moreau-jean", 1e-3 }, { "gripper", "moreau-jean", 1e-3 },
    { "arm7", "D-:M=1", 1e-3 }, { "incline", "capture:rk=radau5,adaptive=on", 0.01 } }
  for i = 1, T.long and #cases or 6 do
    local case = cases[i]
    local unit = S.unit(case[1], case[2], { form = case[4], set = case[5] })
    local header = ""
    for _, file in ipairs(unit.files) do header = file.name == unit.name .. ".h" and file.text or header end
    local work = header:find("nothing in it survives a step", 1, true) and "memset(&dirty.work, 0xff, sizeof dirty.work);" or ""
    local main = POISON:gsub("WORK", work):gsub("COUNT", "60"):gsub("STEP", ("%.17g"):format(case[3])):gsub("%f[%w_]X%f[^%w]", unit.name)
      :gsub("X_(%w+)%(", unit.name .. "_%1(")
    local made = S.compile(unit, { flags = "-O0 -fsanitize=undefined -fno-sanitize-recover=all", main = main })
    local said, code = fs.capture(fs.quote(made.program) .. " 2>&1")
    T.eq(code .. " " .. said, "0 0 0\n", case[1] .. " " .. case[2])
  end
end)

-- With one iteration a step is good or it says that it is not: what is accepted is what more iterations would give, or it is counted
-- among those whose contacts were taken at the velocity level.
T.test("iterations=1: solved, or CAROM_STAGES", function()
  local cases = { { "double_pendulum", "moreau-jean:theta=0.5", 0.01, 0.3 }, { "double_pendulum", "D+:M=1", 0.01, 0.3 },
    { "zeno_ball", "D-:M=2", 0.01, 2 }, { "zeno_ball", "capture:rk=radau5", 0.01, 2 }, -- the rest for long tests
    { "double_pendulum", "D-:M=2", 0.01, 0.3 }, { "double_pendulum", "capture:rk=radau5", 0.01, 0.3 },
    { "slider_crank", "moreau-jean:theta=0.5,stages=fixed-point", 1e-5, 1e-3 }, { "gyro_top", "moreau-jean:theta=0.5", 1e-3, 0.05 },
    { "constrained_pendulum", "D-:M=1", 1e-3, 0.2 }, { "bead_column", "moreau-jean", 1e-3, 0.05 },
    { "four_bar", "moreau-jean", 1e-3, 0.2 }, { "rocking_box", "D-:M=2", 1e-3, 0.5 }, { "domino", "moreau-jean", 1e-3, 0.1 } }
  for i = 1, T.long and #cases or 4 do
    local case = cases[i]
    local join = case[2]:find(":") and "," or ":"
    local one = S.run(case[1], case[2] .. join .. "iterations=1", { step = case[3], until_time = case[4], may_fail = true, flags = "-O0" })
    if one.code ~= 0 then
      T.ok(one.message:find("did not converge", 1, true), case[1] .. " " .. case[2] .. ": " .. one.message)
    elseif not one.counts.frozen then
      local many = S.run(case[1], case[2], { step = case[3], until_time = case[4], flags = "-O0" })
      for name, x in next, many.q do
        T.near(one.q[name], x, 1e-8 * math.max(1, math.abs(x)), case[1] .. " " .. case[2] .. " " .. name)
      end
    end
  end
end)

S.finish()
