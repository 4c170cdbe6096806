-- Pictures of meshes as VTU files, of the small path and of PETSc: readers take them, stresses at nodes are those of the strain, forces of
-- supports and contacts those that the columns sum up.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"
local vtu = require "tests.e2e.vtu"
local run = large.run

local PATHS = large.here and { "small", "petsc" } or { "small" }
local WAYS = large.here and { "--path small", "--ranks 1", "--ranks 2" } or { "--path small" }
local NAMES = "contact pressure, contact status, contact traction, displacement, principal stresses, reaction, velocity, "
  .. "von Mises stress; stress"

-- A plate held on the left by two fixes that share a corner, pulled down onto a floor that rubs.
local HELD = large.model("plate", [[
local b = m:mesh("b", { size = { 1, 0.3 }, cells = { 8, 3 }, cell = "quad4", origin = { 0, 0.001 } })
m:elastic(b, { E = 1e7, nu = 0.3, rho = 1000 })
m:fix(b, "left", { x = 0 })
m:fix(b, "top", { y = -0.05 * m:time() })
m:start(b, { velocity = function() return { 0, -0.5 } end })
m:contact_surface("floor", { mesh = b, boundary = "bottom", gap = function(_, y) return y end, friction = 0.4 })
m:run { until_time = 0.02, step = 1e-4, frames = 4, scheme = "moreau-jean:theta=0.5,gamma=0" }]])

-- the last picture of a run, by path
local function last(words, path, rest)
  local rows, _, dir = run(("%s --path %s %s"):format(words, path, rest or ""))
  local list = {}
  for time, name in fs.read(dir .. "/frames/plate.pvd"):gmatch 'timestep="([^"]+)"[^>]*file="([^"]+)"' do
    list[#list + 1] = { time = tonumber(time), path = dir .. "/frames/" .. name }
  end
  T.eq(#list, 5)
  for k, frame in ipairs(list) do T.near(frame.time, (k - 1) * 0.005, 1e-12) end
  return vtu.read(list[5].path), rows[#rows], list[5].path
end

local function sums(of)
  local sum = { 0, 0, 0 }
  for i, x in ipairs(of) do sum[(i - 1) % 3 + 1] = sum[(i - 1) % 3 + 1] + x end
  return sum
end

-- numbers of nodes of one picture in the order of those of another
local function order(from, to)
  local at, list = {}, {}
  local function key(p, i) return ("%.6f %.6f %.6f"):format(p.points[3 * i - 2], p.points[3 * i - 1], p.points[3 * i]) end
  for i = 1, #from.points // 3 do at[key(from, i)] = i end
  for i = 1, #to.points // 3 do list[i] = assert(at[key(to, i)], "another mesh") end
  return list
end

for _, scheme in ipairs { "moreau-jean:theta=0.5,gamma=0", "D-:M=1" } do
  T.test("pictures: forces of nodes are those of the columns, and the same on both paths, " .. scheme, function()
    local of = {}
    for _, path in ipairs(PATHS) do
      local p, row, file = last(HELD .. " --scheme " .. scheme, path)
      of[path] = p
      T.eq(vtu.names(file), NAMES)
      local held, pressed = sums(p.point.reaction), { 0, 0, 0 }
      local scale = math.abs(row["floor.force.y"])
      T.ok(scale > 100, "it presses")
      T.near(held[1], row["b.left.reaction.x"], 1e-9 * scale)
      T.near(held[2], row["b.top.reaction.y"], 1e-9 * scale)
      T.eq(held[3], 0)
      local stuck = 0
      for i = 1, #p.points // 3 do -- eight edges of 1/8: what a node stands for
        local area = (p.points[3 * i - 2] < 1e-9 or p.points[3 * i - 2] > 1 - 1e-9) and 1 / 16 or 1 / 8
        local t = { table.unpack(p.point["contact traction"], 3 * i - 2, 3 * i) }
        for k = 1, 3 do pressed[k] = pressed[k] + area * t[k] end
        T.near(t[2], p.point["contact pressure"][i], 1e-9 * scale)
        T.ok(math.abs(t[1]) <= 0.4 * t[2] * (1 + 1e-6) + 1e-9, "Coulomb's cone")
        stuck = stuck + (p.point["contact status"][i] == 2 and 1 or 0)
      end
      T.near(pressed[2], row["floor.force.y"], 1e-9 * scale)
      T.near(pressed[1], row["floor.force.x"], 1e-9 * scale)
    end
    if not of.petsc then return end
    local to = order(of.small, of.petsc)
    for name, a in next, of.petsc.point do -- order does not matter
      local most = 0
      for _, x in ipairs(a) do most = math.max(most, math.abs(x)) end
      for i = 1, #a do
        local node, c = (i - 1) // a.components + 1, (i - 1) % a.components
        T.near(of.small.point[name][a.components * (to[node] - 1) + c + 1], a[i], 1e-5 * most, name)
      end
    end
  end)
end

T.test("pictures: stresses of a uniform strain, their order, von Mises' and the principal ones; both paths and two ranks alike", function()
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
  for _, way in ipairs(WAYS) do
    local _, _, dir = run(("%s %s --frames 1"):format(path, way))
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

if not large.here then
  T.skip("pictures of several ranks", "PETSc absent")
  S.finish()
end

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
        .. "'reaction', 'velocity', 'von Mises stress'%] %['stress'%] 3"), said)
    else
      print "# meshio absent: pictures are read by the test itself only"
    end
  end
end)

S.finish()
