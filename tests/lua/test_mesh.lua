-- Words for finite elements: what they become, what mistakes say, grids, mesh files, small matrices.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local cells = require "gen.fem.cells"
local element = require "tests.oracle.element"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local fs = require "gen.util.fs"
local gmsh = require "gen.fem.gmsh"
local grid = require "gen.fem.grid"
local load = require("gen.lang.core.load").load
local pairing = require "gen.fem.pairing"
local small = require "gen.fem.small"

local HEAD = 'local carom = require "carom"\nlocal m = carom.model "test"\n'
local BLOCK = HEAD .. 'local b = m:mesh("b", { cells = { 2, 3, 4 }, size = { 1, 2, 3 } })\n'
local STEEL = BLOCK .. "m:elastic(b, { E = 2e11, nu = 0.3, rho = 7800 })\n" -- four lines

local function read(text) return load("test.lua", { text = text .. "\nreturn m\n" }) end

T.test("a model of meshes becomes the tables that the generator reads", function()
  local m = read(STEEL .. [[
local mu, p = m:parameter("mu", 0.2, "1"), m:parameter("p", 1e6, "Pa")
m:fix(b, "left", { x = 0, z = 0.5 })
m:fix(b, "near")
m:fix(b, "top", { motion = function(X, Y, Z, t) return { X * t, false, 0 } end })
m:body_force(b, { 0, 0, -9.81 })
m:traction(b, "far", function(X, Y, Z, t) return { 0, p * carom.sin(t), X } end)
m:contact_surface("floor", { mesh = b, boundary = "bottom", gap = function(x, y, z, t) return z - 0.1 * t end, friction = mu })
m:start(b, { velocity = function(X, Y, Z) return { Y, 0, -1 } end })
m:probe("corner", { mesh = b, at = { 0, 0, 3 } })
m:gravity(0, 0, -1)
m:run { until_time = 1, cfl = 2, frames = 3, scheme = "moreau-jean" }]])
  local b = m.meshes[1]
  T.eq(b.name, "b") T.eq(b.cell, "hex8") T.eq(b.dimension, 3) T.eq(b.line, 3) T.eq(b.plane, nil) T.eq(b.thickness, E.one)
  T.eq(b.source.cells[3], 4) T.eq(b.source.size[2], 2.0) T.eq(b.source.origin[1], 0.0) T.eq(b.source.map, nil)
  T.eq(b.material.kind, "elastic") T.eq(b.material.E.value, 2e11) T.eq(b.material.nu.value, 0.3)
  T.eq(#m.fixes, 3)
  T.eq(m.fixes[1].components[2], false) T.eq(m.fixes[1].motion[3].value, 0.5) T.eq(m.fixes[1].motion[2], E.zero)
  T.eq(m.fixes[2].motion, nil) T.eq(m.fixes[2].components[3], true)
  T.eq(tostring(m.fixes[3].motion[1]), "X_1*t") T.eq(m.fixes[3].components[2], false)
  T.near(b.load.value[3].value, -10.81, 1e-15, "weight adds to the body force")
  T.eq(m.tractions[1].boundary, "far") T.eq(m.tractions[1].value[3], E.sym("X_1", "local"))
  T.eq(m.surfaces[1].x[3], E.sym("x_3", "local")) T.eq(m.surfaces[1].friction, E.sym("mu", "param"))
  T.eq(m.surfaces[1].restitution, E.zero)
  T.eq(b.start.velocity[1], E.sym("X_2", "local")) T.eq(b.start.displacement, nil)
  T.eq(m.probes[1].at[3], 3.0)
  T.eq(m.run.cfl, 2) T.eq(m.run.step, nil) T.eq(m.run.frames, 3)
end)

T.test("an energy of F becomes an expression of its entries", function()
  local m = read(BLOCK .. [[
local G = m:parameter("G", 2, "Pa")
m:hyperelastic(b, { rho = 1, energy = function(F) return G * (carom.trace(carom.matmul(carom.transpose(F), F)) - 3) end })]])
  local material, env = m.meshes[1].material, { [E.sym("G", "param")] = 2.0 }
  for i = 1, 3 do for j = 1, 3 do env[material.F[i][j]] = i + 0.5 * j end end
  local expected = -3.0
  for i = 1, 3 do for j = 1, 3 do expected = expected + (i + 0.5 * j) ^ 2 end end
  T.near(eval(material.energy, env), 2 * expected, 1e-12)
  local plane = read(HEAD .. 'local b = m:mesh("b", { cells = { 2, 2 } })\n'
    .. "m:hyperelastic(b, { rho = 1, energy = function(F) return carom.det(F) - 1 + 0 * F[3][1] end })").meshes[1]
  T.eq(#plane.material.F, 3)
  T.eq(plane.plane, "strain")
end)

T.test("small matrices", function()
  local m = read(HEAD .. [[
local A = { { 2, 1, 0 }, { 1, 3, 1 }, { 0, 1, 4 } }
local I = carom.matmul(A, carom.inverse(A))
for i = 1, 3 do for j = 1, 3 do assert(math.abs(I[i][j] - (i == j and 1 or 0)) < 1e-14) end end
local B = { { 2, 1 }, { 5, 3 } }
assert(carom.det(B) == 1 and carom.det(A) == 18 and carom.trace(A) == 9 and carom.inverse(B)[1][2] == -1)
assert(carom.matmul(B, { 1, 2 })[2] == 11 and carom.transpose(B)[1][2] == 5 and carom.identity(2)[2][2] == 1)
local b = m:mesh("b", carom.bar { cells = 2, length = 3, section = 0.5 })
m:elastic(b, { E = 1, rho = 1 })]])
  T.eq(m.meshes[1].source.size[1], 3.0) T.eq(m.meshes[1].thickness.value, 0.5) T.eq(m.meshes[1].cell, "bar2")
end)

local function refused(name, text, expected, line)
  T.test("refused: " .. name, function()
    local good, e = pcall(read, text)
    T.ok(not good, "the model was accepted")
    T.ok(fail.is(e), "not a located error: " .. tostring(e))
    T.eq(tostring(e), "test.lua:" .. line .. ": error: " .. expected)
  end)
end

refused("a boundary that is not there", STEEL .. 'm:fix(b, "buttom")',
  "mesh 'b' has no boundary 'buttom'; it has: left, right, near, far, bottom, top", 5)
refused("no material", BLOCK, "mesh 'b' is made of nothing; write m:elastic(b, { E = ..., nu = ..., rho = ... }) or m:hyperelastic", 3)
refused("two materials", STEEL .. "m:elastic(b, { E = 1, rho = 1 })",
  "mesh 'b' is already made of something, in line 4; keep one of the two", 5)
refused("Poisson's ratio", BLOCK .. "m:elastic(b, { E = 1, nu = 0.5, rho = 1 })",
  "nu of mesh 'b' is 0.5; Poisson's ratio is more than -1 and less than 0.5", 4)
refused("wrong number of components", STEEL .. "m:body_force(b, function(X, Y, Z, t) return { 0, -9.81 } end)",
  "body_force of mesh 'b' gives 2 components, but mesh 'b' has 3; return { x, y, z }", 5)
refused("a gap without place", STEEL .. 'm:contact_surface("f", { mesh = b, boundary = "top", gap = function(x, y, z, t) return t end })',
  "gap of contact_surface 'f' does not depend on the place; write the distance from the obstacle", 5)
refused("wrong unit", BLOCK .. 'm:elastic(b, { E = m:parameter("E", 1, "N m"), rho = 1 })',
  "E of elastic of mesh 'b' has the dimension kg m^2/s^2 (J) but must have kg/(m s^2) (Pa); check its factors (plain numbers have no "
    .. "unit: give them one as parameter or constant)", 4)
refused("a parameter in a map", HEAD .. 'local p = m:parameter("p", 1)\n'
  .. 'm:mesh("b", { cells = { 2 }, map = function(X) return { p * X } end })',
  "x of map of mesh 'b' depends on 'p'; a mesh is made before a run, so write a number or an m:constant", 4)
refused("a folder", HEAD .. 'm:mesh("b", { file = "../x.msh" })',
  "file of mesh 'b' is '../x.msh'; give the name of a file beside the model, of letters, digits, _ . and -", 3)
refused("energy of the undeformed body", BLOCK .. "m:hyperelastic(b, { rho = 1, energy = function(F) return carom.det(F) end })",
  "energy of mesh 'b' is 1 in the undeformed body (F = 1), not 0; subtract that value", 4)
refused("friction on a bar", HEAD .. 'local b = m:mesh("b", carom.bar { cells = 2 })\nm:elastic(b, { E = 1, rho = 1 })\n'
  .. 'm:contact_surface("w", { mesh = b, boundary = "left", gap = function(x) return x end, friction = 0.1 })',
  "contact surface 'w' has friction, but in one dimension there is nothing to slide along; leave it out", 5)
refused("a contact of nodes that are held", STEEL .. 'm:fix(b, "top", { x = 0 })\nm:fix(b, "top", { y = 0, z = -1 })\n'
  .. 'm:contact_surface("f", { mesh = b, boundary = "top", gap = function(x, y, z) return z end })',
  "contact surface 'f' cannot touch anything: m:fix holds all of 'top'; leave one of the two out", 7)
refused("step and cfl", STEEL .. "m:run { until_time = 1, step = 0.1, cfl = 1 }", "run has both step and cfl; keep one of the two", 5)
refused("pictures of what has no mesh", HEAD
  .. 'local x = m:coordinate("x")\nm:kinetic_energy(x.dot^2)\nm:run { until_time = 1, frames = 2 }',
  "frames of run is for models with a mesh, whose pictures they are; leave it out", 5)
refused("cells of another dimension", HEAD .. 'm:mesh("b", { cells = { 2, 2 }, cell = "tet4" })',
  "mesh 'b' has 2 numbers of cells but tet4 are for 3; write cells = { nx, ny, nz }", 3)
refused("a field of the mesh", STEEL .. "print(b.nodes)",
  "a mesh has no field 'nodes'; give it to m:elastic, m:fix, m:contact_surface and the like", 5)

-- volume of a mesh and area of its boundaries, whose normals must point outward
local outward = { left = { 1, -1 }, right = { 1, 1 }, near = { 2, -1 }, far = { 2, 1 }, bottom = { 3, -1 }, top = { 3, 1 } }
local function measure(m, cell)
  local volume, area = 0.0, 0.0
  for _, nodes in ipairs(m.cells) do
    local X = {}
    for a, n in ipairs(nodes) do X[a] = m.nodes[n] end
    for _, point in ipairs(cells[cell].mass_points) do
      local _, w = element.geometry(cells[cell], X, point)
      T.ok(w > 0, "a cell is inside out")
      volume = volume + w
    end
  end
  local face = cells[cells[cell].face]
  for _, name in ipairs { "left", "right", "near", "far", "bottom", "top" } do
    for _, nodes in ipairs(m.boundaries[name] or {}) do
      local X = {}
      for a, n in ipairs(nodes) do X[a] = m.nodes[n] end
      for _, point in ipairs(face.mass_points or face.points) do area = area + element.area(face, X, point) end
      if #X[1] == 3 then
        local found = pairing.nearest(m.nodes, { nodes }, X)[1]
        T.near(found.normal[outward[name][1]], outward[name][2], 1e-12, "outward normal of " .. name)
      end
    end
  end
  return volume, area
end

T.test("grids: counts, volumes, boundaries with outward normals", function()
  local source = { cells = { 2, 3, 4 }, size = { 1, 2, 3 }, origin = { 5, 0, -1 } }
  for cell, parts in pairs { hex8 = 1, tet4 = 6 } do
    local m = grid.make(source, cell)
    T.eq(#m.nodes, 60) T.eq(#m.cells, 24 * parts)
    local volume, area = measure(m, cell)
    T.near(volume, 6, 1e-12) T.near(area, 22, 1e-12)
    T.eq(#m.boundaries.top, 6 * (parts == 1 and 1 or 2))
  end
  for cell, parts in pairs { quad4 = 1, tri3 = 2 } do
    local m = grid.make({ cells = { 4, 3 }, size = { 2, 1 }, origin = { 0, 0 } }, cell)
    T.eq(#m.nodes, 20) T.eq(#m.cells, 12 * parts)
    local volume, length = measure(m, cell)
    T.near(volume, 2, 1e-13) T.near(length, 6, 1e-13)
  end
  local bar = grid.make({ cells = { 3 }, size = { 6 }, origin = { 1 } }, "bar2")
  T.eq(#bar.cells, 3) T.eq(bar.nodes[3][1], 5.0) T.eq(bar.boundaries.right[1][1], 4)
end)

T.test("tetrahedra of neighbouring boxes meet in whole faces", function()
  local m, count = grid.make({ cells = { 3, 2, 2 }, size = { 1, 1, 1 }, origin = { 0, 0, 0 } }, "tet4"), {}
  for _, nodes in ipairs(m.cells) do
    for _, corners in ipairs(cells.tet4.faces) do
      local face = { nodes[corners[1]], nodes[corners[2]], nodes[corners[3]] }
      table.sort(face)
      local key = table.concat(face, " ")
      count[key] = (count[key] or 0) + 1
    end
  end
  local free, boundary = 0, 0
  for _, n in pairs(count) do
    T.ok(n <= 2)
    if n == 1 then free = free + 1 end
  end
  for _, name in ipairs(grid.boundaries(3)) do boundary = boundary + #m.boundaries[name] end
  T.eq(free, boundary)
end)

-- two triangles on the unit square, the lower edge and the right edge named, the right one written backwards
local MSH22 = [[
$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
3
1 7 "floor"
1 8 "right side"
2 9 "body"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
9 5 5 5
$EndNodes
$Elements
4
1 1 2 7 1 1 2
2 1 2 8 2 3 2
3 2 2 9 1 1 2 3
4 2 2 9 1 1 3 4
$EndElements
]]
local MSH41 = [[
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "floor"
2 9 "body"
$EndPhysicalNames
$Entities
0 2 1 0
1 0 0 0 1 0 0 1 7 0
2 1 0 0 1 1 0 0 0
1 0 0 0 1 1 0 1 9 0
$EndEntities
$Nodes
2 4 1 4
1 1 0 2
1
2
0 0 0
1 0 0
2 1 0 2
3
4
1 1 0
0 1 0
$EndNodes
$Elements
2 2 1 2
1 1 1 1
1 1 2
2 1 3 1
2 1 2 3 4
$EndElements
]]

T.test("mesh files of gmsh, 2.2 and 4.1", function()
  local folder = assert(fs.temporary_dir())
  local function write(name, text)
    assert(fs.write(folder .. "/" .. name, text))
    return folder .. "/" .. name
  end
  local old, new = write("a.msh", MSH22), write("b.msh", MSH41)
  local outline = gmsh.outline(old)
  T.eq(outline.cell, "tri3") T.eq(table.concat(outline.boundaries, ","), "floor,right side")
  local m = gmsh.read(old)
  T.eq(#m.nodes, 4, "a node of no cell is left out") T.eq(#m.cells, 2) T.eq(#m.nodes[1], 2)
  T.eq(table.concat(m.boundaries["right side"][1], ","), "2,3", "turned so that its normal points outward")
  m = gmsh.read(new)
  T.eq(gmsh.outline(new).cell, "quad4") T.eq(#m.cells, 1) T.eq(#m.boundaries.floor, 1)
  local loaded = load(write("model.lua", 'local m = require("carom").model "test"\nlocal b = m:mesh("b", { file = "a.msh" })\n'
    .. 'm:elastic(b, { E = 1, rho = 1 })\nm:fix(b, "right side")\nreturn m\n'))
  T.eq(loaded.meshes[1].source.file, old) T.eq(loaded.meshes[1].cell, "tri3")
  local lowered = small.lower(loaded)
  T.eq(#lowered.coordinates, 4)
  T.fails(function()
    load(write("model.lua", 'local m = require("carom").model "test"\nlocal b = m:mesh("b", { file = "a.msh" })\n'
      .. 'm:fix(b, "left")\nreturn m\n'))
  end, "mesh 'b' has no boundary 'left'; it has: floor, right side")
  local function why(name, text) return select(2, gmsh.read(write(name, text))) end
  T.eq(why("c.msh", (MSH22:gsub("2%.2 0 8", "2.2 1 8"))), "it should hold the number 1 at byte 20") -- said to be binary, and is not
  T.ok(why("c.msh", (MSH22:gsub("2%.2 0", "3.0 0"))):find("it has the format 3.0; save it as 2.2 or 4.1", 1, true))
  T.ok(why("c.msh", "solid\n"):find("it is no mesh of gmsh", 1, true))
  T.eq(why("c.msh", MSH22:match("^.-1 0 0 0\n")), "it should hold a count of nodes in line 12") -- as many as there are
  T.eq(why("c.msh", (MSH22:gsub("\n3 2 2 9 1 ", "\n3 3 2 9 1 1 "))), "it mixes quad4 and tri3; make cells of one kind")
  T.eq(why("c.msh", (MSH22:gsub("%$Elements.*", ""))), "it holds no cells")
  local curved = MSH41:gsub("\n1 1 1 1\n1 1 2\n", "\n1 1 8 1\n1 1 2 3\n")
  for _, cell in ipairs { false, "quad4" } do -- corners alone would be another body
    local said = select(2, gmsh.outline(write("d.msh", curved), cell or nil))
    T.ok(said:find("elements of second order .*kind 8.*Mesh.ElementOrder = 1"), said)
  end
  T.ok(why("d.msh", curved):find("second order", 1, true))
  local function binary(kind, nodes)
    return "$MeshFormat\n4.1 1 8\n" .. string.pack("<i4", 1) .. "\n$EndMeshFormat\n$Nodes\n" .. string.pack("<i8i8i8i8", 1, 3, 1, 3)
      .. string.pack("<i4i4i4i8i8i8i8", 2, 1, 0, 3, 1, 2, 3) .. string.pack("<ddddddddd", 0, 0, 0, 1, 0, 0, 0, 0.3, 0)
      .. "\n$EndNodes\n$Elements\n" .. string.pack("<i8i8i8i8", 2, 2, 1, 2)
      .. string.pack("<i4i4i4i8i8i8", 0, 1, 15, 1, 1, 1) .. string.pack("<i4i4i4i8", 2, 1, kind, 1)
      .. string.pack("<" .. ("i8"):rep(1 + nodes), 2, 3, 2, 1, table.unpack({ 4, 5, 6 }, 1, nodes - 3)) .. "\n$EndElements\n"
  end
  m = gmsh.read(write("e.msh", binary(2, 3)))
  T.eq(m.nodes[1][2], 0.3, "to the last bit") T.eq(table.concat(m.cells[1], ","), "1,3,2", "turned to go anticlockwise")
  T.eq(gmsh.outline(write("e.msh", binary(2, 3)), "tri3").cell, "tri3")
  T.ok(select(2, gmsh.outline(write("e.msh", binary(9, 6)), "tri3")):find("second order", 1, true))
  T.ok(select(2, gmsh.outline(old, "quad4")):find("it holds tri3, not quad4", 1, true))
  T.ok(select(2, gmsh.read(folder .. "/none.msh")):find("it cannot be read: No such file", 1, true))
  fs.run("rm -r " .. fs.quote(folder))
end)

T.test("bodies that lock are told", function()
  local function warnings(mesh, nu)
    return table.concat(read(HEAD .. ('local b = m:mesh("b", %s)\nm:elastic(b, { E = 1, nu = %g, rho = 1 })'):format(mesh,
      nu)).warnings, "\n")
  end
  T.ok(warnings("{ cells = { 20, 1 }, size = { 1, 0.01 } }", 0):find("one cell of first order through its thickness, 100 times", 1, true))
  T.ok(warnings("{ cells = { 40, 10 }, size = { 1, 0.25 } }", 0.4999):find("nu is 0.4999; cells of first order lock", 1, true))
  T.eq(warnings("{ cells = { 40, 10 }, size = { 1, 0.25 }, plane = \"stress\" }", 0.4999), "")
  T.eq(warnings("{ cells = { 20, 4 }, size = { 1, 0.01 } }", 0.3), "")
  T.eq(warnings("{ cells = { 20 } }", 0), "", "a bar is not bent")
end)

T.test("the nearest face of a surface", function()
  local m = grid.make({ cells = { 2, 2, 1 }, size = { 2, 2, 1 }, origin = { 0, 0, 0 } }, "hex8")
  local found, outside = table.unpack(pairing.nearest(m.nodes, m.boundaries.top, { { 0.25, 1.5, 1.2 }, { -1, 0.5, 1 } }))
  T.near(found.normal[3], 1, 1e-14)
  local x, y = 0.0, 0.0
  for a, n in ipairs(found.face) do x, y = x + found.N[a] * m.nodes[n][1], y + found.N[a] * m.nodes[n][2] end
  T.near(x, 0.25, 1e-12) T.near(y, 1.5, 1e-12)
  x = 0.0 -- the nearest point is on the edge
  for a, n in ipairs(outside.face) do x = x + outside.N[a] * m.nodes[n][1] end
  T.near(x, 0, 1e-12)
  local beyond = -math.huge
  for _, edge in ipairs(outside.edges) do beyond = math.max(beyond, edge[4]) end
  T.near(beyond, 1, 1e-12, "by its own width")
  for _, edge in ipairs(found.edges) do T.ok(edge[4] < 0, "inside") end
  local bar = grid.make({ cells = { 3 }, size = { 3 }, origin = { 1 } }, "bar2")
  T.eq(pairing.nearest(bar.nodes, bar.boundaries.left, { { 0.5 } })[1].normal[1], -1.0)
  T.eq(pairing.nearest(bar.nodes, bar.boundaries.right, { { 0.5 } })[1].normal[1], 1.0)
  local plate = grid.make({ cells = { 2, 2 }, size = { 1, 1 }, origin = { 0, 0 } }, "tri3")
  found = pairing.nearest(plate.nodes, plate.boundaries.right, { { 1.2, 0.3 } })[1]
  T.near(found.normal[1], 1, 1e-14) T.near(math.abs(found.tangents[1][2]), 1, 1e-14)
end)

T.test("a mesh as ordinary coordinates: held nodes have none, later fixes win, contacts by node", function()
  local m = small.lower(read(HEAD .. [[
local b = m:mesh("b", { cells = { 2, 1 } })
m:elastic(b, { E = 4, rho = 1 })
m:fix(b, "left")
m:fix(b, "bottom", { y = m:time() })
m:contact_surface("roof", { mesh = b, boundary = "top", gap = function(x, y) return 2 - y end })
m:probe("p", { mesh = b, at = { 1, 1 } })
m:run { until_time = 1, cfl = 0.5 }]]))
  local names = {}
  for i, c in ipairs(m.coordinates) do names[i] = c.name end
  T.eq(table.concat(names, " "), "b_2_x b_3_x b_5_x b_5_y b_6_x b_6_y")
  T.eq(m.elements.prescribed, 6)
  T.eq(#m.contacts, 2, "the held node of the roof cannot move")
  T.eq(m.contacts[1].name, "roof_5")
  T.near(m.run.step, 0.5 * math.sqrt(0.5) / 2, 1e-12) -- edge sqrt(1/2), wave speed sqrt(E/rho) with nu = 0
  T.eq(m.outputs[1].name, "p.x") T.eq(m.outputs[4].name, "p.y.dot")
  T.fails(function()
    small.lower(read(HEAD .. 'local b = m:mesh("b", { cells = { 2 }, map = function(X) return { -X } end })\n'
      .. "m:elastic(b, { E = 1, rho = 1 })"))
  end, "mesh 'b': cell 1, with the node 1 at %(%-?0.0%), is turned inside out; check the map or the file")
end)

T.finish()
