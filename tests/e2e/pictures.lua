-- Pictures of meshes on PETSc, as VTU files: readers take them, stresses at nodes are those of the strain.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"
local vtu = require "tests.e2e.vtu"
local run = large.run

large.need "pictures of meshes"

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
      T.ok(said:find("^%d+ 125 %['contact pressure', 'contact status', 'contact traction', 'displacement', 'principal stresses', "
        .. "'velocity', 'von Mises stress'%] %['stress'%] 3"), said)
    else
      print "# meshio absent: pictures are read by the test itself only"
    end
  end
end)

T.test("pictures: stresses of a uniform strain, their order, von Mises' and the principal ones; on two ranks alike", function()
  local G = { { 1e-4, 3e-4, -2e-4 }, { 1e-4, -2e-4, 5e-4 }, { 4e-4, 0, 3e-4 } } -- du/dx
  local path = S.folder .. "/strained.lua"
  assert(fs.write(path, ([[
local carom = require "carom"
local m = carom.model "strained"
local b = m:mesh("b", { cells = { 3, 2, 2 }, cell = "hex8" })
m:elastic(b, { E = 1e9, nu = 0.25, rho = 1000 })
m:start(b, { displacement = function(x, y, z) return { %g*x + %g*y + %g*z, %g*x + %g*y + %g*z, %g*x + %g*y + %g*z } end })
m:run { until_time = 1e-6, step = 1e-6, scheme = "moreau-jean:theta=0.5" }
return m
]]):format(G[1][1], G[1][2], G[1][3], G[2][1], G[2][2], G[2][3], G[3][1], G[3][2], G[3][3])))
  local s, lambda, mu = { {}, {}, {} }, 0.4e9, 0.4e9 -- E nu/((1+nu)(1-2nu)), E/(2(1+nu))
  for i = 1, 3 do
    for j = 1, 3 do s[i][j] = mu * (G[i][j] + G[j][i]) + (i == j and lambda * (G[1][1] + G[2][2] + G[3][3]) or 0) end
  end
  local function det(x)
    local a, b, c = s[1][1] - x, s[2][2] - x, s[3][3] - x
    return a * (b * c - s[2][3] ^ 2) - s[1][2] * (s[1][2] * c - s[2][3] * s[1][3]) + s[1][3] * (s[1][2] * s[2][3] - b * s[1][3])
  end
  local equivalent = math.sqrt(((s[1][1] - s[2][2]) ^ 2 + (s[2][2] - s[3][3]) ^ 2 + (s[3][3] - s[1][1]) ^ 2) / 2
    + 3 * (s[1][2] ^ 2 + s[2][3] ^ 2 + s[1][3] ^ 2))
  for ranks = 1, 2 do
    local _, _, dir = run(("%s --ranks %d --frames 1"):format(path, ranks))
    local picture = dir .. "/frames/strained_0000.vtu"
    for k, x in ipairs(vtu.array(picture, "stress")) do
      local at = ({ { 1, 1 }, { 2, 2 }, { 3, 3 }, { 1, 2 }, { 2, 3 }, { 1, 3 } })[(k - 1) % 6 + 1]
      T.near(x, s[at[1] ][at[2] ], 2e-3 * equivalent, "stress " .. k) -- Cauchy, of small strain
    end
    for _, x in ipairs(vtu.array(picture, "von Mises stress")) do T.near(x, equivalent, 2e-3 * equivalent) end
    local list = vtu.array(picture, "principal stresses")
    for k = 1, #list, 3 do
      T.ok(list[k] >= list[k + 1] and list[k + 1] >= list[k + 2], "in order")
      T.near(list[k] + list[k + 1] + list[k + 2], s[1][1] + s[2][2] + s[3][3], 2e-3 * equivalent)
      for i = 0, 2 do T.near(det(list[k + i]) / equivalent ^ 3, 0, 2e-3) end
    end
  end
end)

S.finish()
