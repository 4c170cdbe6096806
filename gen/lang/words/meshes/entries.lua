-- The words for finite elements; words.lua says how such a table reads. `preamble` stands before the examples.
local bare = 'local carom = require "carom"\nlocal m = carom.model "example"\n'
local preamble = bare .. [[
local block = m:mesh("block", { cells = { 2, 2, 2 }, size = { 1, 1, 1 } })
m:elastic(block, { E = 210e9, nu = 0.3, rho = 7800 })
]]

return function(word, name_argument)
  local mesh_argument = { "mesh", "mesh", "What `mesh` returned.", required = true }
  local boundary_argument = { "boundary", "boundary", [[Name of a part of its surface. A grid has `"left"` and `"right"`
    (along x), `"bottom"` and `"top"` (along z, in the plane along y) and, in space, `"near"` and `"far"` (along y); a file
    has its physical names.]], required = true }
  local restitution = { "restitution", "expression", "Newton's coefficient, a number or an expression of parameters.",
    dim = "1", default = "0" }
  local friction = { "friction", "expression", "Coulomb's coefficient, a number or an expression of parameters.", dim = "1",
    default = "none (no friction)" }
  local damping = { "damping", "damping", [[`{ mass = a, stiffness = b }`: Rayleigh's damping C = a M + b K, with K of the
    undeformed body: for bodies that turn little.]], default = "none" }

  local function finite_element(w)
    w.preamble = w.preamble or preamble
    word(w)
  end

  finite_element { "mesh", "m:mesh(name, { cells = { nx, ny, nz }, size = { lx, ly, lz } })\nm:mesh(name, { file = \"name.msh\" })\n"
    .. "m:mesh(name, carom.box { cells = { nx, ny, nz } })\nm:mesh(name, carom.bar { cells = n, length = l, section = a })",
    summary = [[A body divided into finite elements of first order: a grid, or a mesh file of gmsh. Each node moves freely in
      one, two or three directions, as many as there are numbers of cells. A model has either meshes or coordinates. With few
      nodes it becomes ordinary coordinates `NAME_1_x` ...; with many it is run on PETSc.]],
    gives = "a mesh, for the words below",
    arguments = { name_argument },
    options = {
      { "cells", "counts", "Numbers of cells in each direction: one for a bar, two in the plane, three in space.",
        default = "none (a file)" },
      { "size", "lengths", "Lengths of the grid.", dim = "m", default = "1 in each direction" },
      { "origin", "lengths", "Its lowest corner.", dim = "m", default = "0 in each direction" },
      { "map", "function", [[Moves the nodes of the grid: `function(X, Y, Z) return { x, y, z } end`, of as many arguments as
        there are directions. For graded and curved meshes.]], default = "none" },
      { "file", "file", [[A mesh file of gmsh (format 2.2 or 4.1) beside the model. Its cells of highest dimension make the
        body; named physical groups one dimension lower are the boundaries.]], default = "none (a grid)" },
      { "cell", "choice", "Kind of cell. A hexahedron of a grid is cut into six tetrahedra, a quadrilateral into two triangles.",
        choices = { "bar2", "tri3", "quad4", "tet4", "hex8" }, default = "bar2, quad4, hex8; of a file what it holds" },
      { "plane", "choice", "Plane strain or plane stress, in the plane.", choices = { "strain", "stress" },
        default = '"strain"' },
      { "thickness", "expression", "Thickness of a body in the plane, a number or an expression of parameters.", dim = "m",
        default = "1" },
      { "section", "expression", "Area of the section of a bar, likewise.", dim = "m^2", default = "1" },
      { "unit", "unit", [[`"m"` gives that dimension to the places that functions of place get; without it they have an
        unknown one.]], default = "that of size" } },
    notes = [[Functions of place, here and below, get one place for each direction, and the time last where it may occur:
      `function(X, t)` for a bar, `function(X, Y, t)` in the plane. A grid has n + 1 nodes in a direction of n cells, numbered
      along x first. `--set` on an `m:constant` used in
      `cells` makes another mesh.]],
    example = [[
local n = m:constant("n", 4)
local plate = m:mesh("plate", carom.box { cells = { 2 * n, n }, size = { 2, 1 }, cell = "tri3", plane = "stress", thickness = 0.01 })
m:elastic(plate, { E = 70e9, nu = 0.3, rho = 2700 })
local ring = m:mesh("ring", { cells = { n, 2 }, size = { 1.5, 0.1 }, cell = "quad4", thickness = 0.02,
  map = function(X, Y) return { (1 + Y) * carom.sin(X), (1 + Y) * carom.cos(X) } end })
m:elastic(ring, { E = 70e9, nu = 0.3, rho = 2700 })]],
    preamble = bare }

  finite_element { "elastic", "m:elastic(mesh, { E = ..., nu = ..., rho = ..., damping = { mass = ..., stiffness = ... } })",
    summary = "Makes a mesh linearly elastic and isotropic, for small strains and small rotations.",
    arguments = { mesh_argument },
    options = {
      { "E", "expression", "Young's modulus, a number or an expression of parameters.", dim = "Pa", required = true },
      { "nu", "expression", "Poisson's ratio, likewise, more than -1 and less than 0.5. A bar has none.", dim = "1",
        default = "0" },
      { "rho", "expression", "Density, likewise.", dim = "kg/m^3", required = true }, damping },
    example = [[
local steel = m:parameter("youngs_modulus", 210e9, "Pa")
local bar = m:mesh("bar", carom.bar { cells = 4, length = 1, section = 1e-4 })
m:elastic(bar, { E = steel, rho = 7800, damping = { mass = 0, stiffness = 1e-7 } })]],
    preamble = bare }

  finite_element { "hyperelastic", "m:hyperelastic(mesh, { rho = ..., energy = function(F) return W end, damping = ... })",
    summary = [[Makes a mesh elastic at large strains and rotations, by any stored energy. Stress and stiffness are derived
      from it.]],
    arguments = { mesh_argument },
    options = {
      { "rho", "expression", "Density of the undeformed body, a number or an expression of parameters.", dim = "kg/m^3",
        required = true },
      { "energy", "function", [[Gets the deformation gradient F, a list of rows (3 x 3 in space and in plane strain, where the
        third row and column are those of the unit matrix, and F[3][3] must be written out for the stress through the thickness to be
        right; 1 x 1 in a bar), and gives the stored energy per undeformed volume (Pa), 0 where
        F is the unit matrix. `carom.det`, `trace`, `transpose`, `matmul`, `inverse` help to write it.]], required = true },
      damping },
    example = [[
local ball = m:mesh("ball", { cells = { 2, 2, 2 } })
local G, K = m:parameter("G", 1e6, "Pa"), m:parameter("K", 2e7, "Pa")
m:hyperelastic(ball, { rho = 1100, energy = function(F)   -- neo-Hooke, nearly incompressible
  local J = carom.det(F)
  local I1 = carom.trace(carom.matmul(carom.transpose(F), F))
  return G / 2 * (I1 * J^(-2/3) - 3) + K / 2 * (J - 1)^2
end })]] }

  finite_element { "fix", "m:fix(mesh, boundary)\nm:fix(mesh, boundary, { x = ..., y = ..., z = ... })\n"
    .. "m:fix(mesh, boundary, { motion = function(X, Y, Z, t) return { ux, uy, uz } end })",
    summary = "Holds the nodes of a boundary, or moves them as prescribed. Without options none of them moves.",
    arguments = { mesh_argument, boundary_argument },
    options = {
      { "x", "expression", "Displacement along x: a number, or an expression of time and parameters.", dim = "m",
        default = "free" },
      { "y", "expression", "Likewise along y.", dim = "m", default = "free" },
      { "z", "expression", "Likewise along z.", dim = "m", default = "free" },
      { "motion", "field", [[Displacement of every direction as a function of the undeformed place and time; `false` for a
        direction that stays free.]], default = "none" } },
    notes = [[A node on two such boundaries obeys the later one in the directions that both name. `result.csv` has the force of the
      support on the body as `MESH.BOUNDARY.reaction.x` and so on: the mean of the last step, inertia included; of contact forces that
      act on held nodes themselves it knows nothing.]],
    example = [[
m:fix(block, "left", { x = 0 })
m:fix(block, "bottom", { motion = function(X, Y, Z, t) return { 1e-6 * carom.sin(100 * t), false, 0 } end })]] }

  finite_element { "body_force", "m:body_force(mesh, function(X, Y, Z, t) return { bx, by, bz } end)",
    summary = "A force per mass on the whole body, such as weight. `gravity` acts on meshes as well.",
    arguments = { mesh_argument, { "field", "field", "Of the undeformed place and time, or a list of constant components.",
      required = true } },
    example = 'm:body_force(block, { 0, 0, -9.81 })' }

  finite_element { "traction", "m:traction(mesh, boundary, function(X, Y, Z, t) return { px, py, pz } end)",
    summary = "A force per undeformed area on a boundary (per area also in the plane; on the end of a bar).",
    arguments = { mesh_argument, boundary_argument,
      { "field", "field", "Of the undeformed place and time, or a list of constant components.", required = true } },
    example = [[
local p = m:parameter("p", 1e6, "Pa")
m:traction(block, "top", function(X, Y, Z, t) return { 0, 0, -p * carom.min(t / 1e-3, 1) } end)]] }

  finite_element { "contact_surface", "m:contact_surface(name, { mesh = ..., boundary = ..., gap = function(x, y, z, t) ... end, "
    .. "restitution = ..., friction = ... })",
    summary = "Each node of a boundary is kept out of a rigid obstacle of any shape.",
    arguments = { name_argument },
    options = {
      { "mesh", "mesh", "What `mesh` returned.", required = true },
      { "boundary", "boundary", "The nodes that may touch.", required = true },
      { "gap", "function", [[Distance of a place in space from the obstacle at a time: positive outside. It need
        not be a true distance: it is divided by its slope.]], required = true },
      restitution, friction },
    example = [[
local mu = m:parameter("mu", 0.3, "1")
m:contact_surface("floor", { mesh = block, boundary = "bottom", gap = function(x, y, z, t) return z end, friction = mu })]] }

  finite_element { "contact_pair", "m:contact_pair(name, { mesh = ..., boundary = ..., master = ..., master_boundary = ..., "
    .. "restitution = ..., friction = ..., off_face = ... })",
    summary = [[Each node of one boundary is kept out of the surface that the faces of another make. Which face a node meets
      is found once, in the undeformed bodies: for sliding that is small against a face.]],
    arguments = { name_argument },
    options = {
      { "mesh", "mesh", "The body with the nodes: the finer or softer one.", required = true },
      { "boundary", "boundary", "Its nodes that may touch.", required = true },
      { "master", "mesh", "The body with the faces.", required = true },
      { "master_boundary", "boundary", "Its faces that may be touched.", required = true }, restitution, friction,
      { "off_face", "choice", [[What happens when a node presses more than a tenth of its face's width beyond the face's edge:
        `"stop"` ends the run and names it; `"release"` ends its contact for as long as it is there, as at the end of a body.]],
        choices = { "stop", "release" }, default = '"stop"' } },
    notes = [[The gap of a node is its distance from the nearest point of the nearest face along that face's normal; point and
      normal stay with the face, so sliding beyond a face, turning of the bodies and new neighbours are not followed; `off_face` says what
      becomes of a node that has left its face. Forces on a
      node act on the nodes of its face with the weights of that point: momentum is kept exactly. Constant pressure goes through
      exactly where nodes meet nodes or the master's faces are cut evenly, nearly elsewhere: make the mesh with the nodes the
      finer one. Only nodes are kept out: nodes of the master may pass between them. On PETSc a node of the master's faces must
      not be a contact node itself, and a node that is fixed must not meet a face that can move.]],
    example = [[
local upper = m:mesh("upper", { cells = { 2, 2, 2 }, size = { 0.5, 0.5, 0.5 }, origin = { 0.25, 0.25, 1 } })
m:elastic(upper, { E = 70e9, nu = 0.3, rho = 2700 })
m:contact_pair("between", { mesh = upper, boundary = "bottom", master = block, master_boundary = "top", friction = 0.2 })]] }

  finite_element { "start", "m:start(mesh, { displacement = function(X, Y, Z) ... end, velocity = function(X, Y, Z) ... end })",
    summary = "How a body starts; without it, undeformed and at rest.",
    arguments = { mesh_argument },
    options = {
      { "displacement", "field", "Of the undeformed place and parameters, or constant components.", default = "0" },
      { "velocity", "field", "Likewise.", default = "0" } },
    example = 'm:start(block, { velocity = { 0, 0, -1 } })' }

  finite_element { "probe", "m:probe(name, { mesh = ..., at = { x, y, z } })",
    summary = "Place and velocity of a node in the result: columns `NAME.x NAME.x.dot` and so on.",
    arguments = { name_argument },
    options = {
      { "mesh", "mesh", "What `mesh` returned.", required = true },
      { "at", "lengths", "A place in the undeformed body; the nearest node is taken.", dim = "m", required = true } },
    example = 'm:probe("corner", { mesh = block, at = { 0, 0, 0 } })' }
end
