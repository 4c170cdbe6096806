-- Finite elements on PETSc: mesh files of gmsh, pictures, checkpoints, Ctrl-C, and mistakes with their exit codes.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"
local vtu = require "tests.e2e.vtu"
local carom, run, model = large.carom, large.run, large.model

-- ---- what is wrong is said, without PETSc as well ------------------------------------------------------------------------------

T.test("without PETSc: exit code 3 and the package", function()
  local _, err, code = carom("run dropped_block --path petsc", "PKG_CONFIG_LIBDIR=/nowhere PKG_CONFIG_PATH=")
  T.eq(code, 3, err)
  T.ok(err:find("libpetsc-real-dev", 1, true), err)
end)

local GRID = [[
local b = m:mesh("b", { cells = { 2, 2 } })
m:elastic(b, { E = 1e9, nu = 0.3, rho = 1000 })
]]

T.test("a boundary that is not there: exit code 2 and those that are", function()
  local path = model("nowhere", GRID .. 'm:fix(b, "floor")\nm:run { until_time = 1, step = 0.1 }')
  local _, err, code = carom("run " .. path .. " --path petsc")
  T.eq(code, 2, err)
  T.ok(err:find("floor", 1, true) and err:find("bottom", 1, true) and err:find("left", 1, true), err)
end)

if not large.here then
  T.skip("runs of finite elements on PETSc", "PETSc absent")
  S.finish()
end

-- ---- meshes of gmsh ------------------------------------------------------------------------------------------------------------

-- the square [0,2] x [0,1] with an inner point that is off the middle
local MSH2 = [[
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
5
1 1 "bottom"
1 2 "left"
1 3 "right"
1 4 "top"
2 9 "plate"
$EndPhysicalNames
$Nodes
9
1 0 0 0
2 1 0 0
3 2 0 0
4 0 0.5 0
5 1.2 0.6 0
6 2 0.5 0
7 0 1 0
8 1 1 0
9 2 1 0
$EndNodes
$Elements
12
1 1 2 1 1 1 2
2 1 2 1 1 2 3
3 1 2 2 2 1 4
4 1 2 2 2 4 7
5 1 2 3 3 3 6
6 1 2 3 3 6 9
7 1 2 4 4 7 8
8 1 2 4 4 8 9
9 3 2 9 1 1 2 5 4
10 3 2 9 1 2 3 6 5
11 3 2 9 1 4 5 8 7
12 3 2 9 1 5 6 9 8
$EndElements
]]

local MSH4 = [[
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
3
1 1 "bottom"
1 2 "left"
1 3 "right"
$EndPhysicalNames
$Entities
0 4 1 0
1 0 0 0 2 0 0 1 1 0
2 0 0 0 0 1 0 1 2 0
3 2 0 0 2 1 0 1 3 0
4 0 1 0 2 1 0 0 0
1 0 0 0 2 1 0 0 4 1 2 3 4
$EndEntities
$Nodes
1 5 1 5
2 1 0 5
1
2
3
4
5
0 0 0
2 0 0
2 1 0
0 1 0
1.2 0.6 0
$EndNodes
$Elements
5 8 1 8
1 1 1 1
1 1 2
1 2 1 1
2 4 1
1 3 1 1
3 2 3
1 4 1 1
4 3 4
2 1 2 4
5 1 2 5
6 2 3 5
7 3 4 5
8 4 1 5
$EndElements
]]

local PLATE = [[
local s = m:mesh("s", { file = "%s", plane = "stress", thickness = 0.1 })
m:elastic(s, { E = 1e9, nu = 0.3, rho = 1000 })
m:fix(s, "left", { x = 0 })
m:fix(s, "bottom", { y = 0 })
m:traction(s, "%s", { 1e6, 0 })
m:probe("corner", { mesh = s, at = { 2, 1 } })
m:run { until_time = 0.4, step = 0.02, scheme = "moreau-jean:theta=1" }]]

for name, text in next, { two = MSH2, four = MSH4 } do
  assert(fs.write(("%s/%s.msh"):format(S.folder, name), text))
end
for _, case in ipairs { { "two", "2.2, quadrilaterals" }, { "four", "4.1, triangles" } } do
  T.test("mesh file of gmsh " .. case[2], function()
    local path = model("plate_" .. case[1], PLATE:format(case[1] .. ".msh", "right"))
    for _, words in ipairs { " --path small", " --path petsc", " --ranks 2" } do
      local rows = run(path .. words)
      T.near(rows[#rows]["corner.x"], 2.002, 1e-9, words)
      T.near(rows[#rows]["corner.y"], 1 - 0.3e-3, 1e-9, words)
    end
  end)
end

T.test("a mesh file without the boundary: exit code 2 and the names it has", function()
  local _, err, code = carom("run " .. model("plate_no", PLATE:format("four.msh", "top")) .. " --path petsc")
  T.eq(code, 2, err)
  T.ok(err:find("top", 1, true) and err:find("bottom", 1, true) and err:find("right", 1, true), err)
end)

T.test("inverted cells: exit code 2 and where", function()
  assert(fs.write(S.folder .. "/bad.msh", (MSH2:gsub("5 1.2 0.6 0", "5 2.4 1.4 0"))))
  for _, path in ipairs { model("plate_bad", PLATE:format("bad.msh", "right")), model("folded", [[
local b = m:mesh("b", { cells = { 2, 2, 2 }, map = function(X, Y, Z) return { X * (1 - 1.5 * X), Y, Z } end })
m:elastic(b, { E = 1e9, nu = 0.3, rho = 1000 })
m:run { until_time = 1, step = 0.1, scheme = "moreau-jean:theta=1" }]]) } do
    local _, err, code = carom("run " .. path .. " --path petsc")
    T.eq(code, 2, err)
    T.ok(err:find "invert" or err:find "turned", err)
  end
end)

T.test("an explicit step beyond stability: exit code 2 and the limit", function()
  local _, err, code = carom "run dropped_block --set n=4 --path petsc --scheme D-:M=1 --cfl 5"
  T.eq(code, 2, err)
  local limit = tonumber(err:match "stability limit ([%d.e+-]+)")
  T.ok(limit, err)
  local words = "dropped_block --set n=4 --path petsc --scheme D-:M=1 --until 2e-3 --step %.9g"
  local rows = run(words:format(0.98 * limit)) -- just below it nothing grows, above it is refused
  T.ok(rows[#rows].energy <= rows[1].energy)
  _, err, code = carom("run " .. words:format(1.02 * limit))
  T.eq(code, 2, err)
end)

-- ---- files of a run ------------------------------------------------------------------------------------------------------------

local BLOCK = "dropped_block --set n=5 --set mu=0.3 --set v_t=2 --set pull=5000"

T.test("pictures: meshio reads them, also from several ranks", function()
  for ranks = 1, 2 do
    local rows, _, dir = run(("%s --ranks %d --frames 4"):format(BLOCK, ranks))
    local list = fs.read(dir .. "/frames/dropped_block.pvd")
    local count = 0
    for time, name in list:gmatch 'timestep="([^"]+)"[^>]*file="([^"]+)"' do
      count = count + 1
      local points = vtu.points(dir .. "/frames/" .. name, { "contact pressure", "contact status" })
      T.ok(#points >= 6 ^ 3)
      T.ok(tonumber(time) <= rows[#rows].t * (1 + 1e-12))
    end
    T.eq(count, 5)
    if fs.run "/usr/bin/python3 -c 'import meshio' 2>/dev/null" == 0 then
      local said = S.command(([[/usr/bin/python3 -c '
import meshio
mesh = meshio.read("%s/frames/dropped_block_0004.vtu")
print(len(mesh.points), sum(len(c.data) for c in mesh.cells), sorted(mesh.point_data), sorted(mesh.cell_data),
      mesh.point_data["displacement"].shape[1])']]):format(dir))
      T.ok(said:find("^%d+ 125 %['contact pressure', 'contact status', 'displacement', 'velocity'%] %['stress'%] 3"), said)
    else
      print "# meshio absent: pictures are read by the test itself only"
    end
  end
end)

T.test("checkpoint and --resume: the same bits", function()
  for _, words in ipairs { BLOCK .. " --path petsc --step 1e-4", BLOCK .. " --ranks 2 --step 1e-4",
    BLOCK .. " --path petsc --scheme D-:M=1 --step 2e-5" } do
    local after = words:find "ranks" and "-carom_contact_type tnn" or nil
    local whole, _, full = run(words .. " --until 1.2e-3", after)
    local _, _, half = run(words .. " --until 6e-4 --checkpoint " .. S.folder .. "/state", after)
    T.ok(fs.exists(S.folder .. "/state"), "a checkpoint")
    local rows, _, resumed = run(words .. " --until 1.2e-3 --resume " .. S.folder .. "/state", after)
    T.eq(rows[#rows].t, whole[#whole].t)
    local text, first = fs.read(full .. "/result.csv"), fs.read(resumed .. "/result.csv")
    T.eq(text:match "([^\n]+)\n$", first:match "([^\n]+)\n$", words .. ", last row")
    T.ok(fs.exists(half .. "/result.csv"))
  end
  -- the last step of the first run is short
  run(BLOCK .. " --path petsc --step 1e-4 --until 6.4e-4 --checkpoint " .. S.folder .. "/short")
  local rows = run(BLOCK .. " --path petsc --step 1e-4 --until 1.2e-3 --resume " .. S.folder .. "/short")
  T.near(rows[#rows].t, 1.2e-3, 1e-15)
  T.near(rows[#rows - 1].t, 1.14e-3, 1e-15)
end)

T.test("Ctrl-C: exit code 130, a checkpoint that goes on", function()
  for ranks = 1, 2 do
    local words = ("dropped_block --set n=8 --ranks %d --step 1e-6 --every 100 --until 1 -- -carom_contact_type mprgp"):format(ranks)
    local out, state = large.out(), S.folder .. "/stopped"
    S.command("rm -f " .. state)
    local said, err, code = large.interrupt(("run --progress --out %s --checkpoint %s %s"):format(out, state, words))
    T.eq(code, 130, said .. err)
    T.ok(fs.exists(state), "a checkpoint")
    said, err, code = large.interrupt(("run --progress --out %s --resume %s %s"):format(large.out(), state, words))
    T.eq(code, 130, said .. err)
  end
end)

S.finish()
