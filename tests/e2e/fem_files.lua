-- Finite elements on PETSc: mesh files of gmsh, checkpoints, Ctrl-C, and mistakes with their exit codes.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"
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

large.need "runs of finite elements on PETSc"

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

-- The bytes of a mesh like MSH2 as binary, of either format and order of bytes ("<" or ">").
local function binary(text, version, order)
  local out = { ("$MeshFormat\n%s 1 8\n%s\n$EndMeshFormat\n"):format(version, string.pack(order .. "i4", 1)),
    text:match "%$PhysicalNames.*%$EndPhysicalNames\n" }
  local nodes, elements = {}, {}
  for line in text:match("%$Nodes\n%d+\n(.-)%$End"):gmatch "[^\n]+" do
    local n = {}
    for x in line:gmatch "%S+" do n[#n + 1] = tonumber(x) end
    nodes[#nodes + 1] = n
  end
  for line in text:match("%$Elements\n%d+\n(.-)%$End"):gmatch "[^\n]+" do
    local n = {}
    for x in line:gmatch "%S+" do n[#n + 1] = math.tointeger(tonumber(x)) end
    elements[#elements + 1] = n
  end
  local function put(format, ...) out[#out + 1] = string.pack(order .. format, ...) end
  if version == "2.2" then
    out[#out + 1] = ("$Nodes\n%d\n"):format(#nodes)
    for _, n in ipairs(nodes) do put("i4ddd", n[1], n[2], n[3], n[4]) end
    out[#out + 1] = ("\n$EndNodes\n$Elements\n%d\n"):format(#elements)
    for _, e in ipairs(elements) do
      put("i4i4i4i4", e[2], 1, 2, e[1])
      for i = 4, #e do put("i4", e[i]) end
    end
  else -- every element is a block and an entity of its own
    local faces = {}
    for _, e in ipairs(elements) do if e[2] == 1 then faces[#faces + 1] = e end end
    out[#out + 1] = "$Entities\n"
    put("i8i8i8i8", 0, #faces, 1, 0)
    for _, e in ipairs(faces) do put("i4ddddddi8i4i8", e[1], 0, 0, 0, 0, 0, 0, 1, e[4], 0) end
    put("i4ddddddi8i4i8i4", 1, 0, 0, 0, 0, 0, 0, 1, 9, 1, 1)
    out[#out + 1] = "\n$EndEntities\n$Nodes\n"
    put("i8i8i8i8i4i4i4i8", 1, #nodes, 1, #nodes, 2, 1, 0, #nodes)
    for _, n in ipairs(nodes) do put("i8", n[1]) end
    for _, n in ipairs(nodes) do put("ddd", n[2], n[3], n[4]) end
    out[#out + 1] = "\n$EndNodes\n$Elements\n"
    put("i8i8i8i8", #elements, #elements, 1, #elements)
    for _, e in ipairs(elements) do
      put("i4i4i4i8i8", e[2] == 1 and 1 or 2, e[2] == 1 and e[1] or 1, e[2], 1, e[1])
      for i = 6, #e do put("i8", e[i]) end
    end
  end
  out[#out + 1] = "\n$EndElements\n"
  return table.concat(out)
end

T.test("binary files of gmsh, both formats and orders of bytes: the bits of the text", function()
  local wanted
  for _, case in ipairs { { "text" }, { "b22", "2.2", "<" }, { "b22s", "2.2", ">" }, { "b41", "4.1", "<" }, { "b41s", "4.1", ">" } } do
    assert(fs.write(("%s/%s.msh"):format(S.folder, case[1]), case[2] and binary(MSH2, case[2], case[3]) or MSH2))
    local text = PLATE:format(case[1] .. ".msh", "right"):gsub("plane =", 'cell = "quad4", plane =')
    local rows, _, dir = run(model("plate", text) .. " --path petsc --until 0.1")
    T.near(rows[#rows]["corner.x"], 2.002, 1e-6)
    wanted = wanted or fs.read(dir .. "/result.csv")
    T.eq(fs.read(dir .. "/result.csv"), wanted, case[1])
  end
end)

-- A cube of n^3 x 6 tetrahedra whose nodes and cells are numbered without any order.
local function shuffled_cube(n)
  local seed, numbers, nodes, cells, faces = 7, {}, {}, {}, {}
  local function random(k)
    seed = (seed * 1103515245 + 12345) % 2 ^ 31 // 1 | 0
    return 1 + (seed >> 8) % k
  end
  local function shuffle(list)
    for i = #list, 2, -1 do
      local j = random(i)
      list[i], list[j] = list[j], list[i]
    end
    return list
  end
  for i = 1, (n + 1) ^ 3 // 1 | 0 do numbers[i] = 3 * i end
  shuffle(numbers)
  local function at(i, j, k) return numbers[1 + i + (n + 1) * (j + (n + 1) * k)] end
  for k = 0, n do
    for j = 0, n do
      for i = 0, n do
        nodes[#nodes + 1] = ("%d %.17g %.17g %.17g"):format(at(i, j, k), i / n, j / n, k / n)
        if i < n and j < n and k < n then
          local c = { [0] = at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k), at(i, j, k + 1), at(i + 1, j, k + 1),
            at(i + 1, j + 1, k + 1), at(i, j + 1, k + 1) }
          for _, t in ipairs { { 1, 2 }, { 2, 3 }, { 3, 7 }, { 7, 4 }, { 4, 5 }, { 5, 1 } } do
            cells[#cells + 1] = ("4 2 9 1 %d %d %d %d"):format(c[0], c[t[1]], c[t[2]], c[6])
          end
          if k == 0 then
            faces[#faces + 1] = ("2 2 1 1 %d %d %d"):format(c[0], c[2], c[1])
            faces[#faces + 1] = ("2 2 1 1 %d %d %d"):format(c[0], c[3], c[2])
          end
        end
      end
    end
  end
  shuffle(cells)
  table.move(cells, 1, #cells, #faces + 1, faces)
  for i, text in ipairs(faces) do faces[i] = i .. " " .. text end
  return ('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n2 1 "bottom"\n3 9 "cube"\n$EndPhysicalNames\n'
    .. "$Nodes\n%d\n%s\n$EndNodes\n$Elements\n%d\n%s\n$EndElements\n"):format(#nodes, table.concat(shuffle(nodes), "\n"), #faces,
    table.concat(faces, "\n"))
end

T.test("a mesh file on several ranks: the same bits in every run, and after a stop", function()
  assert(fs.write(S.folder .. "/cube.msh", shuffled_cube(6)))
  local path = model("cube", [[
local b = m:mesh("b", { file = "cube.msh" })
m:elastic(b, { E = 1e9, nu = 0.3, rho = 1000 })
m:start(b, { velocity = { 1, 0, -10 } })
m:contact_surface("floor", { mesh = b, boundary = "bottom", friction = 0.2,
  gap = function(x, y, z) return z + 0.02 * (x - 0.4)^2 + 0.02 * (y - 0.5)^2 end })
m:probe("corner", { mesh = b, at = { 1, 1, 1 } })
m:run { until_time = 6e-4, step = 1e-4, scheme = "moreau-jean:theta=0.5,gamma=0" }]])
  local one = run(path .. " --path petsc")
  -- the factor of nsgs lies on one rank; tnn sums over ranks: up to four of them meet at a node
  for _, case in ipairs { { 2, "nsgs" }, { 4, "tnn", 2 } } do
    local words, after = ("%s --ranks %d"):format(path, case[1]), "-carom_contact_type " .. case[2]
    local rows, _, dir = run(words, after)
    T.near(rows[#rows]["floor.impulse"] / one[#one]["floor.impulse"], 1, 1e-8, case[2])
    local whole = fs.read(dir .. "/result.csv")
    for _ = 1, case[3] or 1 do
      _, _, dir = run(words, after)
      T.eq(fs.read(dir .. "/result.csv"), whole, words .. " once more")
    end
    local state = S.folder .. "/cube_state"
    _, _, dir = run(words .. " --until 3e-4 --checkpoint " .. state, after)
    local _, err, code = carom(("run %s --resume %s --out %s -- %s"):format(words, state, dir, after))
    T.eq(code, 0, err)
    T.eq(fs.read(dir .. "/result.csv"), whole, words .. " resumed")
  end
end)

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

T.test("checkpoint and --resume: the same bits", function()
  for _, words in ipairs { BLOCK .. " --path petsc --step 1e-4", BLOCK .. " --ranks 2 --step 1e-4",
    BLOCK .. " --path petsc --scheme D-:M=1 --step 2e-5",
    "impacting_bar --path petsc --scheme schatzman-paoli:theta=0 --step 1e-6" } do
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
