-- Geometry of contacts between nodes and surfaces: which face a node meets, the directions across it, the velocity along it.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"

local P = {}

local function dot(a, b)
  local sum = 0.0
  for k = 1, #a do sum = sum + a[k] * b[k] end
  return sum
end

local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end

local function scaled(a, factor)
  local b = {}
  for k = 1, #a do b[k] = a[k] * factor end
  return b
end

-- place and directions dx/dxi of a face at xi
local function on_face(cell, X, xi)
  local N, dN = cell.shape(xi), cell.gradient(xi)
  local x, along = {}, {}
  for k = 1, #X[1] do
    x[k] = 0.0
    for a = 1, #X do x[k] = x[k] + N[a] * X[a][k] end
  end
  for l = 1, cell.dimension do
    along[l] = {}
    for k = 1, #X[1] do
      along[l][k] = 0.0
      for a = 1, #X do along[l][k] = along[l][k] + dN[a][l] * X[a][k] end
    end
  end
  return x, along, N
end

-- local coordinates back into the face
local function inside(cell, xi)
  if cell.name == "tri3" then
    local a, b = math.max(0.0, xi[1]), math.max(0.0, xi[2])
    if a + b > 1 then
      local excess = (a + b - 1) / 2
      a, b = math.min(1.0, math.max(0.0, a - excess)), math.min(1.0, math.max(0.0, b - excess))
    end
    return { a, b }
  end
  local result = {}
  for l = 1, #xi do result[l] = math.max(-1.0, math.min(1.0, xi[l])) end
  return result
end

-- the point of a face nearest to x: Gauss-Newton on the surface, kept inside the face
local function project(cell, X, x)
  local xi = {}
  for l = 1, cell.dimension do xi[l] = cell.centre[l] end
  for _ = 1, 30 do
    local y, along = on_face(cell, X, xi)
    local r, step = {}, {}
    for k = 1, #x do r[k] = x[k] - y[k] end
    if cell.dimension == 1 then
      step = { dot(along[1], r) / dot(along[1], along[1]) }
    elseif cell.dimension == 2 then
      local a, b, c = dot(along[1], along[1]), dot(along[1], along[2]), dot(along[2], along[2])
      local f, g = dot(along[1], r), dot(along[2], r)
      local det = a * c - b * b
      step = { (c * f - b * g) / det, (a * g - b * f) / det }
    end
    local size, moved = 0.0, {}
    for l = 1, #step do moved[l] = xi[l] + step[l] end
    moved = inside(cell, moved)
    for l = 1, #step do
      size = math.max(size, math.abs(moved[l] - xi[l]))
      xi[l] = moved[l]
    end
    if size < 1e-13 then break end
  end
  return xi
end

--- The face nearest to x: its nodes, the weights N of the nearest point, its outward normal and tangents; nil without faces.
function P.nearest(cell, nodes, faces, x)
  local best, least
  for _, face in ipairs(faces) do
    local X = {}
    for a, n in ipairs(face) do X[a] = nodes[n] end
    local xi = project(cell, X, x)
    local y, along, N = on_face(cell, X, xi)
    local r = {}
    for k = 1, #x do r[k] = x[k] - y[k] end
    local square = dot(r, r)
    if not least or square < least - 1e-18 then
      best, least = { face = face, N = N, along = along }, square
    end
  end
  if not best then return nil end
  if #x == 2 then
    local t = scaled(best.along[1], 1 / math.sqrt(dot(best.along[1], best.along[1])))
    best.normal, best.tangents = { t[2], -t[1] }, { t }
  elseif #x == 3 then
    local n = cross(best.along[1], best.along[2])
    best.normal = scaled(n, 1 / math.sqrt(dot(n, n)))
    local t = scaled(best.along[1], 1 / math.sqrt(dot(best.along[1], best.along[1])))
    best.tangents = { t, cross(best.normal, t) }
  else
    local from = 0.0
    for _, place in ipairs(nodes) do from = from + place[1] / #nodes end
    best.normal, best.tangents = { nodes[best.face[1]][1] >= from and 1.0 or -1.0 }, {}
  end
  return best
end

--- How far a node that presses may be beyond the edge of its face, in widths of the face, as a pair presses where it was first.
P.BESIDE = 0.1

--- The edges of a face that `nearest` found for x: { m_1 .. m_d, c } for each, m.(displacement of the node less that of its point) + c
-- is by how much the node is beyond it, in widths of the face. A face of one node has none.
function P.edges(nodes, found, x)
  local list, count, d = {}, #found.face, #x
  for e = 1, count > 1 and count or 0 do
    local A, B, m = nodes[found.face[e]], nodes[found.face[e % count + 1]], {}
    for k = 1, d do m[k] = d == 2 and A[k] - B[k] or B[k] - A[k] end
    if d == 3 then m = cross(m, found.normal) end
    local width = 0.0
    for _, n in ipairs(found.face) do
      local across = dot(m, A) - dot(m, nodes[n])
      if math.abs(across) > math.abs(width) then width = across end -- negative where the nodes go round the other way
    end
    m = scaled(m, 1 / width)
    local from = 0.0
    for k = 1, d do from = from + m[k] * (x[k] - A[k]) end
    m[d + 1] = from
    list[e] = m
  end
  return list
end

--- 1 where a node is off its face, else 0. distance: from its point of the face, as expressions; x: the node's place, undeformed.
function P.off(edges, distance, nodes, found, x, data)
  local off = E.zero
  for e, edge in ipairs(edges) do
    local c, beside = edge[#x + 1], E.zero
    for k = 1, #x do
      local m = E.sym(("m%d_%d"):format(e, k), "data")
      data[m] = edge[k]
      beside = beside + m * distance[k]
      c = c - edge[k] * x[k]
      for a, n in ipairs(found.face) do c = c + edge[k] * found.N[a] * nodes[n][k] end
    end
    local offset = E.sym("c" .. e, "data")
    data[offset] = c
    off = E.select(E.lt(E.num(P.BESIDE), beside + offset), E.one, off)
  end
  return off
end

--- d/dt of an expression of a model's coordinates and time.
function P.rate(node, model)
  local seed = { [model.time] = E.one }
  for _, s in ipairs(E.symbols(node)) do
    if s.kind == "q" then seed[s] = E.sym(s.name .. ".dot", "v") end
  end
  return D.total(node, seed)
end

--- Slip velocities: the velocity along directions across the normal (which need not have unit length). In space a frame that
-- turns smoothly with the normal, without a root or a branch but for its sign.
function P.slip(normal, velocity)
  if #normal == 1 then return {} end
  local square = E.zero
  for k = 1, #normal do square = square + normal[k] ^ 2 end
  local length, n = E.sqrt(square), {}
  for k = 1, #normal do n[k] = normal[k] / length end
  if #n == 2 then return { n[2] * velocity[1] - n[1] * velocity[2] } end
  local sign = n[3].op == "num" and E.num(n[3].value < 0 and -1 or 1) or E.select(E.lt(n[3], E.zero), E.num(-1), E.one)
  local a = -1 / (sign + n[3])
  local b = n[1] * n[2] * a
  local t = { { 1 + sign * n[1] ^ 2 * a, sign * b, -sign * n[1] }, { b, sign + n[2] ^ 2 * a, -n[2] } }
  local list = {}
  for i = 1, 2 do list[i] = t[i][1] * velocity[1] + t[i][2] * velocity[2] + t[i][3] * velocity[3] end
  return list
end

--- The same along given directions; their numbers go into `data`.
function P.slip_along(tangents, velocity, data)
  local list = {}
  for i, t in ipairs(tangents) do
    local sum = E.zero
    for k = 1, #t do
      local symbol = E.sym(("t%d_%d"):format(i, k), "data")
      data[symbol] = t[k]
      sum = sum + symbol * velocity[k]
    end
    list[i] = sum
  end
  return list
end

return P
