-- The convex hull of points, the furthest first (quickhull), so that it can stop at a number of corners with little left outside; its
-- faces as polygons; its table for the runtime (carom/collide.h); volume, centre of mass and inertia.
local P = {}

local FLAT = 1e-6 -- of the size: what is nearer to a plane lies in it; the runtime's points and faces are as coarse

local function minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
local function dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
local function length(a) return math.sqrt(dot(a, a)) end
local function unit(a)
  local l = length(a)
  return { a[1] / l, a[2] / l, a[3] / l }
end

-- ---- triangles -------------------------------------------------------------------------------------------------------------------------

-- A triangle of points i, j, k, anticlockwise from outside, and what is above it.
local function triangle(x, i, j, k)
  local n = cross(minus(x[j], x[i]), minus(x[k], x[i]))
  if length(n) == 0 then return nil end
  return { i, j, k, n = unit(n), above = {}, far = 0 }
end

local function height(x, t, p) return dot(t.n, minus(x[p], x[t[1]])) end

-- The point of `list` with the greatest f.
local function furthest(list, f)
  local best, far = nil, -math.huge
  for _, p in ipairs(list) do
    local d = f(p)
    if d > far then best, far = p, d end
  end
  return best, far
end

-- Four points that span most of a volume; or nil where all lie in a plane.
local function tetrahedron(x, all, size)
  local a = furthest(all, function(p) return -x[p][1] end)
  local b = furthest(all, function(p) return length(minus(x[p], x[a])) end)
  local along = unit(minus(x[b], x[a]))
  local c, width = furthest(all, function(p) return length(cross(along, minus(x[p], x[a]))) end)
  if width <= FLAT * size then return nil end
  local n = unit(cross(minus(x[b], x[a]), minus(x[c], x[a])))
  local d, thick = furthest(all, function(p) return math.abs(dot(n, minus(x[p], x[a]))) end)
  if thick <= FLAT * size then return nil end
  if dot(n, minus(x[d], x[a])) > 0 then b, c = c, b end
  return a, b, c, d
end

-- Gives each point of a list to the first triangle that it is above.
local function assign(x, list, triangles, tolerance)
  for _, p in ipairs(list) do
    for _, t in ipairs(triangles) do
      local h = height(x, t, p)
      if h > tolerance then
        t.above[#t.above + 1] = p
        if h > t.far then t.far, t.furthest = h, p end
        break
      end
    end
  end
end

local function key(i, j) return i .. " " .. j end

local function corners_of(triangles)
  local seen, count = {}, 0
  for _, t in ipairs(triangles) do
    for k = 1, 3 do
      if not seen[t[k]] then count = count + 1 end
      seen[t[k]] = true
    end
  end
  return count
end

-- One more corner: what is visible from it goes, what is left is closed with triangles to it. nil: not possible by rounding.
local function extend(x, triangles, seed, size)
  local p, owner = seed.furthest, {}
  for _, t in ipairs(triangles) do for k = 1, 3 do owner[key(t[k], t[k % 3 + 1])] = t end end
  local visible, stack, rim = { [seed] = true }, { seed }, {}
  while #stack > 0 do
    local t = table.remove(stack)
    for k = 1, 3 do
      local i, j = t[k], t[k % 3 + 1]
      local other = owner[key(j, i)]
      if not visible[other] then
        if height(x, other, p) > 1e-12 * size then
          visible[other] = true
          stack[#stack + 1] = other
        else
          rim[#rim + 1] = { i, j, other }
        end
      end
    end
  end
  local kept, new, orphans = {}, {}, {}
  for _, e in ipairs(rim) do
    if not visible[e[3]] then
      new[#new + 1] = triangle(x, e[1], e[2], p)
      if not new[#new] then return nil end
    end
  end
  for _, t in ipairs(triangles) do
    if visible[t] then
      for _, q in ipairs(t.above) do if q ~= p then orphans[#orphans + 1] = q end end
    else
      kept[#kept + 1] = t
    end
  end
  assign(x, orphans, new, FLAT * size)
  return table.move(new, 1, #new, #kept + 1, kept)
end

-- ---- faces -----------------------------------------------------------------------------------------------------------------------------

-- Triangles that lie in one plane belong together: a number for each.
local function planes(x, triangles, size)
  local owner, of = {}, {}
  for _, t in ipairs(triangles) do for k = 1, 3 do owner[key(t[k], t[k % 3 + 1])] = t end end
  local order = table.move(triangles, 1, #triangles, 1, {})
  local area = {}
  for _, t in ipairs(order) do area[t] = length(cross(minus(x[t[2]], x[t[1]]), minus(x[t[3]], x[t[1]]))) end
  local place = {}
  for i, t in ipairs(order) do place[t] = i end
  table.sort(order, function(s, t) return area[s] > area[t] or area[s] == area[t] and place[s] < place[t] end)
  local count = 0
  for _, first in ipairs(order) do -- the largest is the plane of those around it
    if not of[first] then
      count = count + 1
      of[first] = count
      local stack = { first }
      while #stack > 0 do
        local t = table.remove(stack)
        for k = 1, 3 do
          local other = owner[key(t[k % 3 + 1], t[k])]
          local flat = not of[other] and dot(first.n, other.n) > 0
          for c = 1, 3 do flat = flat and math.abs(height(x, first, other[c])) <= 2 * FLAT * size end
          if flat then
            of[other] = count
            stack[#stack + 1] = other
          end
        end
      end
    end
  end
  return of, count, owner
end

-- The corners around each plane, anticlockwise; nil where they are no single loop.
local function loops(triangles, of, count, owner)
  local follows, start = {}, {}
  for g = 1, count do follows[g] = {} end
  for _, t in ipairs(triangles) do
    for k = 1, 3 do
      local i, j, g = t[k], t[k % 3 + 1], of[t]
      if of[owner[key(j, i)]] ~= g then
        if follows[g][i] then return nil end
        follows[g][i], start[g] = j, start[g] or i
      end
    end
  end
  local list = {}
  for g = 1, count do
    local loop, at = {}, start[g]
    repeat
      loop[#loop + 1] = at
      follows[g][at], at = nil, follows[g][at]
    until at == start[g] or not at
    if not at or next(follows[g]) then return nil end
    list[g] = loop
  end
  return list
end

-- Corners between two faces only are no corners.
local function straighten(faces)
  local met = {}
  for _, loop in ipairs(faces) do for _, c in ipairs(loop) do met[c] = (met[c] or 0) + 1 end end
  for g, loop in ipairs(faces) do
    local left = {}
    for _, c in ipairs(loop) do if met[c] > 2 then left[#left + 1] = c end end
    faces[g] = left
  end
end

-- Newell's normal, which all corners have a part in.
local function normal_of(x, loop)
  local n = { 0, 0, 0 }
  for k, i in ipairs(loop) do
    local c = cross(minus(x[i], x[loop[1]]), minus(x[loop[k % #loop + 1]], x[loop[1]]))
    for a = 1, 3 do n[a] = n[a] + c[a] end
  end
  return unit(n)
end

-- Corners, faces and edges by their own numbers, from 0; nil where they do not close.
local function body(x, faces, size)
  local h, number, edge_of = { corners = {}, faces = {}, normals = {}, edges = {}, sides = {} }, {}, {}
  for g, loop in ipairs(faces) do
    if #loop < 3 then return nil end
    h.faces[g], h.normals[g], h.sides[g] = {}, normal_of(x, loop), {}
    for k, i in ipairs(loop) do
      if not number[i] then
        number[i] = #h.corners
        h.corners[#h.corners + 1] = { x[i][1], x[i][2], x[i][3] }
      end
      h.faces[g][k] = number[i]
    end
  end
  for g, loop in ipairs(h.faces) do
    for k, i in ipairs(loop) do
      local j = loop[k % #loop + 1]
      local twin = edge_of[key(j, i)]
      if edge_of[key(i, j)] then return nil end
      if twin then
        h.edges[twin + 1][4] = g - 1
        h.sides[g][k] = twin
      else
        h.edges[#h.edges + 1] = { i, j, g - 1 }
        h.sides[g][k] = #h.edges - 1
      end
      edge_of[key(i, j)] = h.sides[g][k]
    end
  end
  for _, e in ipairs(h.edges) do if not e[4] then return nil end end
  if #h.corners - #h.edges + #h.faces ~= 2 then return nil end
  for g, n in ipairs(h.normals) do
    for _, c in ipairs(h.corners) do
      if dot(n, minus(c, h.corners[h.faces[g][1] + 1])) > 10 * FLAT * size then return nil end
    end
  end
  return h
end

--- The hull of points as a body { corners, faces, normals, edges, sides } with at most `most` corners, and how far the furthest point is
--- outside of it; or nil and why.
function P.hull(points, most)
  local all, low, high = {}, { math.huge, math.huge, math.huge }, { -math.huge, -math.huge, -math.huge }
  for i, p in ipairs(points) do
    all[i] = i
    for k = 1, 3 do low[k], high[k] = math.min(low[k], p[k]), math.max(high[k], p[k]) end
  end
  local size = #points > 0 and length(minus(high, low)) or 0
  if #points < 4 or size <= 0 then return nil, "fewer than four points" end
  local a, b, c, d = tetrahedron(points, all, size)
  if not a then return nil, "all of its points lie in a plane" end
  local list = { triangle(points, a, b, c), triangle(points, a, d, b), triangle(points, b, d, c), triangle(points, c, d, a) }
  assign(points, all, list, FLAT * size)
  local left
  while true do
    local seed, far = furthest(list, function(t) return t.far end)
    left = far > 0 and far or 0
    if left == 0 then break end
    local more = extend(points, list, seed, size)
    if not more then return nil, "its points are too close to each other" end
    local over = corners_of(more) > most
    if over then break end
    list = more
  end
  local of, count, owner = planes(points, list, size)
  local faces = loops(list, of, count, owner)
  local h
  if faces then
    straighten(faces)
    h = body(points, faces, size)
  end
  if not h then return nil, "its points are too close to each other, or to planes through others" end
  return h, left
end

--- The numbers of a body as carom/collide.h has them.
function P.table(h)
  local list, first = {}, 0
  local function put(row) table.move(row, 1, #row, #list + 1, list) end
  for _, rows in ipairs { h.corners, h.normals, h.edges } do for _, row in ipairs(rows) do put(row) end end
  for _, loop in ipairs(h.faces) do
    put { #loop, first }
    first = first + #loop
  end
  for g, loop in ipairs(h.faces) do for k, c in ipairs(loop) do put { c, h.sides[g][k] } end end
  return list
end

--- The radius of the ball around the origin that holds it.
function P.radius(h)
  local r = 0
  for _, c in ipairs(h.corners) do r = math.max(r, length(c)) end
  return r
end

--- Volume, centre of mass and, of density 1, the inertia about that centre, as rows: tetrahedra from one corner to the faces.
function P.mass(h)
  local o = h.corners[1]
  local volume, first, second = 0, { 0, 0, 0 }, { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } } -- of x, of x x^T, from that corner
  for _, loop in ipairs(h.faces) do
    for k = 2, #loop - 1 do
      local v = { minus(h.corners[loop[1] + 1], o), minus(h.corners[loop[k] + 1], o), minus(h.corners[loop[k + 1] + 1], o) }
      local part = dot(v[1], cross(v[2], v[3])) / 6
      volume = volume + part
      local s = { v[1][1] + v[2][1] + v[3][1], v[1][2] + v[2][2] + v[3][2], v[1][3] + v[2][3] + v[3][3] }
      for i = 1, 3 do
        first[i] = first[i] + part * s[i] / 4
        for j = 1, 3 do
          local sum = s[i] * s[j]
          for _, p in ipairs(v) do sum = sum + p[i] * p[j] end
          second[i][j] = second[i][j] + part * sum / 20
        end
      end
    end
  end
  local centre, inertia = {}, {}
  for i = 1, 3 do centre[i] = first[i] / volume end
  for i = 1, 3 do for j = 1, 3 do second[i][j] = second[i][j] - volume * centre[i] * centre[j] end end
  local trace = second[1][1] + second[2][2] + second[3][3]
  for i = 1, 3 do
    inertia[i] = {}
    for j = 1, 3 do inertia[i][j] = (i == j and trace or 0) - second[i][j] end
    centre[i] = centre[i] + o[i]
  end
  return volume, centre, inertia
end

return P
