-- Geometry of contacts between nodes and surfaces: which face a node meets, the directions across it, the velocity along it.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local lines = require "gen.util.lines"

local P = {}

local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end

-- a point on the inner side of a face; its nodes go round so that its normal points outward (cells.lua), an end of a bar has none
local function inside(nodes, face)
  local A, B, C = nodes[face[1]], nodes[face[2]], nodes[face[3]]
  if #A == 1 then
    local mean = 0.0
    for _, place in ipairs(nodes) do mean = mean + place[1] / #nodes end
    return { mean }
  end
  if #A == 2 then return { (A[1] + B[1]) / 2 - (B[2] - A[2]), (A[2] + B[2]) / 2 + (B[1] - A[1]) } end
  local n, centre = cross({ B[1] - A[1], B[2] - A[2], B[3] - A[3] }, { C[1] - A[1], C[2] - A[2], C[3] - A[3] }), { 0.0, 0.0, 0.0 }
  local size = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)
  for k = 1, 3 do
    for _, node in ipairs(face) do centre[k] = centre[k] + nodes[node][k] / #face end
    centre[k] = centre[k] - n[k] / math.sqrt(size) -- about as far as the face is wide
  end
  return centre
end

--- Of each point the nearest face: its nodes (face), the weights N of the nearest point, its outward normal and tangents, and its edges:
-- { m_1 .. m_d, c } for each, m.(displacement of the node less that of its point) + c is by how much the node is beyond it, in widths of
-- the face; a face of one node has none. The runtime's own search (runtime/mesh/closest.h), so that all paths pair alike.
function P.nearest(nodes, faces, points)
  local list = {}
  if #faces == 0 or #points == 0 then return list end
  local d, per = #points[1], #faces[1]
  local text = { ("%d %d %d %d"):format(d, per, #faces, #points) }
  local function put(numbers) for _, x in ipairs(numbers) do text[#text + 1] = ("%.17g"):format(x) end end
  for _, face in ipairs(faces) do
    put(inside(nodes, face))
    for _, node in ipairs(face) do
      text[#text + 1] = tostring(node)
      put(nodes[node])
    end
  end
  for _, point in ipairs(points) do put(point) end
  local next_line, why = lines.of("mesh_lines", { "nearest" }, table.concat(text, "\n") .. "\n")
  if not next_line then error({ environment = true, message = why }, 0) end
  for i = 1, #points do
    local row, at = lines.numbers(next_line()), 0
    local function take(count)
      at = at + count
      return table.move(row, at - count + 1, at, 1, {})
    end
    local found = { face = take(per), N = take(per), normal = take(d), tangents = {}, edges = {} }
    local t = take(d)
    take(d)
    local length = 0.0
    for k = 1, d do length = length + t[k] ^ 2 end
    for k = 1, d do t[k] = t[k] / math.sqrt(length) end
    if d > 1 then found.tangents[1] = t end
    if d == 3 then found.tangents[2] = cross(found.normal, t) end
    for e = 1, per > 1 and per or 0 do found.edges[e] = take(d + 1) end
    list[i] = found
  end
  return list
end

--- How far a node that presses may be beyond the edge of its face, in widths of the face, as a pair presses where it was first.
P.BESIDE = 0.1

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
