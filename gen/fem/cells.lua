-- First-order cells: nodes, shape functions, quadrature, faces. Node order is that of VTK; faces list their nodes so that
-- their normal points outward (right-handed in space; in the plane outward is right of the way from first to second node).
-- Shape functions take local coordinates xi as numbers or as expressions: they are sums and products only.
local C = {}

-- Multilinear shape functions on [-1,1]^d: N_a = prod (1 + s_ak xi_k) / 2 with the node's own place s_a.
local function multilinear(places)
  local d = #places[1]
  local function factor(a, k, xi) return (1 + places[a][k] * xi[k]) / 2 end
  local function shape(a, xi, except)
    local product = 1.0
    for k = 1, d do
      if k ~= except then product = product * factor(a, k, xi) end
    end
    return product
  end
  return {
    shape = function(xi)
      local N = {}
      for a = 1, #places do N[a] = shape(a, xi) end
      return N
    end,
    gradient = function(xi)
      local G = {}
      for a = 1, #places do
        G[a] = {}
        for k = 1, d do G[a][k] = places[a][k] / 2 * shape(a, xi, k) end
      end
      return G
    end,
  }
end

-- Linear shape functions on the simplex of the origin and the unit vectors.
local function linear(places)
  local d = #places[1]
  return {
    shape = function(xi)
      local N = { 1 }
      for k = 1, d do N[1], N[k + 1] = N[1] - xi[k], xi[k] end
      return N
    end,
    gradient = function()
      local G = {}
      for a = 1, d + 1 do
        G[a] = {}
        for k = 1, d do G[a][k] = a == 1 and -1.0 or a == k + 1 and 1.0 or 0.0 end
      end
      return G
    end,
  }
end

-- Two points of Gauss per direction, first coordinate fastest: exact to degree 3 in each.
local function gauss2(d)
  local points, g = { { w = 1.0 } }, 1 / math.sqrt(3)
  for _ = 1, d do
    local finer = {}
    for _, s in ipairs { -g, g } do
      for _, p in ipairs(points) do
        local q = table.move(p, 1, #p, 1, { w = p.w })
        q[#q + 1] = s
        finer[#finer + 1] = q
      end
    end
    points = finer
  end
  return points
end

-- The points of a simplex that lie a part `near` of the way to each corner: degree 2, equal weights.
local function corners(d, near, volume)
  local points = {}
  for a = 0, d do
    local p = { w = volume / (d + 1) }
    for k = 1, d do p[k] = a == k and near or (1 - near) / d end
    points[a + 1] = p
  end
  return points
end

-- `points` integrate forces and stiffness, `mass_points` products of two shape functions.
-- cuts: how a box of a grid is cut into such cells, face_cuts the same of its faces, by corners of the box; nil: the cell is the box.
-- neighbours: nodes that share a cell with a node inside a mesh, itself included.
local function cell(t)
  local functions = t.family(t.places)
  t.shape, t.gradient = functions.shape, functions.gradient
  t.nodes, t.dimension = #t.places, #t.places[1]
  t.mass_points = t.mass_points or t.points
  C[t.name] = t
end

C.point1 = { name = "point1", nodes = 1, dimension = 0, points = { { w = 1.0 } }, places = { {} },
  shape = function() return { 1.0 } end, gradient = function() return { {} } end }

cell { name = "bar2", neighbours = 3, family = multilinear, places = { { -1 }, { 1 } }, centre = { 0.0 },
  points = { { 0.0, w = 2.0 } }, mass_points = gauss2(1), face = "point1", faces = { { 1 }, { 2 } } }

cell { name = "tri3", neighbours = 7,
  family = linear, places = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, centre = { 1 / 3, 1 / 3 },
  points = { { 1 / 3, 1 / 3, w = 0.5 } }, mass_points = corners(2, 2 / 3, 1 / 2),
  face = "bar2", faces = { { 1, 2 }, { 2, 3 }, { 3, 1 } }, cuts = { { 1, 2, 3 }, { 1, 3, 4 } } }

cell { name = "quad4", neighbours = 9,
  family = multilinear, places = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } }, centre = { 0.0, 0.0 },
  points = gauss2(2), face = "bar2", faces = { { 1, 2 }, { 2, 3 }, { 3, 4 }, { 4, 1 } } }

-- Six tetrahedra around the diagonal 1-7 of a hexahedron: one for each order in which a path along the edges can lead from
-- one end to the other. Alike in all boxes, so neighbours meet in the same triangles.
cell { name = "tet4", neighbours = 15,
  family = linear, places = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, centre = { 0.25, 0.25, 0.25 },
  points = { { 0.25, 0.25, 0.25, w = 1 / 6 } }, mass_points = corners(3, (5 + 3 * math.sqrt(5)) / 20, 1 / 6),
  face = "tri3", faces = { { 1, 3, 2 }, { 1, 2, 4 }, { 1, 4, 3 }, { 2, 3, 4 } },
  cuts = { { 1, 2, 3, 7 }, { 1, 3, 4, 7 }, { 1, 4, 8, 7 }, { 1, 8, 5, 7 }, { 1, 5, 6, 7 }, { 1, 6, 2, 7 } },
  face_cuts = { { 1, 2, 3 }, { 1, 3, 4 } } }

cell { name = "hex8", neighbours = 27, family = multilinear, centre = { 0.0, 0.0, 0.0 },
  places = { { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 }, { -1, -1, 1 }, { 1, -1, 1 }, { 1, 1, 1 }, { -1, 1, 1 } },
  points = gauss2(3), face = "quad4",
  faces = { { 1, 5, 8, 4 }, { 2, 3, 7, 6 }, { 1, 2, 6, 5 }, { 3, 4, 8, 7 }, { 1, 4, 3, 2 }, { 5, 6, 7, 8 } } }

--- The kinds of cells a mesh may have, in the order of carom_cell.
C.names = { "bar2", "tri3", "quad4", "tet4", "hex8" }

return C
