-- A picture of a model as it starts, as SVG: the scene of its report (gen/report/scene.lua), evaluated once. Space is seen from the side
-- and above, without perspective.
local blocks = require "gen.system.blocks"
local eval = require "gen.expr.eval"
local figure = require "gen.util.figure"
local made = require "gen.fem.made"
local scene_of = require "gen.report.scene"
local script = require "gen.report.script"
local start = require "gen.report.start"

local WIDTH, HEIGHT = 400, 300
local BODY, EDGE, GROUND, LINE = "#b9cede", "#44627d", "#e3ded7", "#8d8478"

-- numbers of all symbols at the start: parameters, inputs, and the row of the start
local function numbers(model)
  local env, by = { [model.time] = 0 }, {}
  for _, list in ipairs { model.parameters, model.inputs } do
    for _, p in ipairs(list) do if p.sym then env[p.sym] = p.value or 0 end end
  end
  local head, row = (start(model) or "t\n0\n"):match "^([^\n]*)\n([^\n]*)"
  local values = {}
  for x in row:gmatch "[^,]+" do values[#values + 1] = tonumber(x) end
  local k = 0
  for name in head:gmatch "[^,]+" do
    k = k + 1
    by[name] = values[k]
  end
  for _, block in ipairs(blocks.of(model)) do blocks.each(block, function(symbol) env[symbol] = by[symbol.name] end) end
  return env
end

-- outline of a disk
local function round(x, y, r)
  local list = {}
  for i = 0, 31 do list[i + 1] = { x + r * math.cos(i * math.pi / 16), y + r * math.sin(i * math.pi / 16) } end
  return list
end

local function box_corners(x, y, angle, width, height)
  local c, s, list = math.cos(angle), math.sin(angle), {}
  for _, k in ipairs { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
    local a, b = k[1] * width / 2, k[2] * height / 2
    list[#list + 1] = { x + c * a - s * b, y + s * a + c * b }
  end
  return list
end

-- Strokes of items in the plane: { points, closed, fixed, depth }.
local PLANE = {}
function PLANE.disk(i, p) return { { round(p[1], p[2], i.radius or 0.03), true } } end
function PLANE.box(i, p) return { { box_corners(p[1], p[2], p[3], i.width, i.height), true } } end
function PLANE.hull(i, p)
  local list = {}
  for k = 1, i.points do list[k] = { p[2 * k - 1], p[2 * k] } end
  return { { list, i.points > 2 } }
end
function PLANE.line(i, p) return { { PLANE.hull(i, p)[1][1], i.closed, thick = not i.fixed } } end
PLANE.spring = PLANE.line
function PLANE.arc(i, p)
  local list = {}
  local from, to = i.from or 0, i.to or 2 * math.pi
  for k = 0, 32 do
    local a = p[3] + from + (to - from) * k / 32
    list[k + 1] = { p[1] + i.radius * math.cos(a), p[2] + i.radius * math.sin(a) }
  end
  return { { list } }
end
function PLANE.mass(_, p) return { { { { p[1], p[2] } }, dot = true } } end

-- Space: x to the right and back, y to the back, z up.
local A, B = 0.5, 0.42
local function seen(x, y, z)
  local c, s = math.cos(A), math.sin(A)
  local right, back = c * x + s * y, -s * x + c * y
  return { right, math.sin(B) * back + math.cos(B) * z }, math.cos(B) * back - math.sin(B) * z
end

local function turned(p, v)
  return p[1] + p[4] * v[1] + p[5] * v[2] + p[6] * v[3], p[2] + p[7] * v[1] + p[8] * v[2] + p[9] * v[3],
    p[3] + p[10] * v[1] + p[11] * v[2] + p[12] * v[3]
end

local SPACE = {}
function SPACE.sphere(i, p)
  local at, depth = seen(p[1], p[2], p[3])
  return { { round(at[1], at[2], i.radius), true, depth = depth } }
end
function SPACE.box(i, p)
  local faces, h = {}, { i.size[1] / 2, i.size[2] / 2, i.size[3] / 2 }
  for k = 1, 3 do
    for s = -1, 1, 2 do
      local a, b, list, sum = k % 3 + 1, (k + 1) % 3 + 1, {}, 0
      for n, c in ipairs { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
        local v = { 0, 0, 0 }
        v[k], v[a], v[b] = s * h[k], c[1] * h[a], c[2] * h[b]
        local depth
        list[n], depth = seen(turned(p, v))
        sum = sum + depth / 4
      end
      faces[#faces + 1] = { list, true, depth = sum }
    end
  end
  return faces
end
local function rod(i, p)
  local n = math.sqrt(i.axis[1] ^ 2 + i.axis[2] ^ 2 + i.axis[3] ^ 2)
  local l = i.length / 2 / n
  local a, d1 = seen(turned(p, { l * i.axis[1], l * i.axis[2], l * i.axis[3] }))
  local b, d2 = seen(turned(p, { -l * i.axis[1], -l * i.axis[2], -l * i.axis[3] }))
  local dx, dy = b[1] - a[1], b[2] - a[2]
  local m = math.max(math.sqrt(dx * dx + dy * dy), 1e-12)
  local ux, uy, list = dx / m, dy / m, {}
  for k = 0, 16 do
    local t = math.pi / 2 + k * math.pi / 16
    list[#list + 1] = { a[1] + i.radius * (ux * math.cos(t) - uy * math.sin(t)), a[2] + i.radius * (uy * math.cos(t) + ux * math.sin(t)) }
  end
  for k = 0, 16 do
    local t = -math.pi / 2 + k * math.pi / 16
    list[#list + 1] = { b[1] + i.radius * (ux * math.cos(t) - uy * math.sin(t)), b[2] + i.radius * (uy * math.cos(t) + ux * math.sin(t)) }
  end
  return { { list, true, depth = (d1 + d2) / 2 } }
end
SPACE.capsule, SPACE.cylinder = rod, rod
function SPACE.line(i, p)
  local list, sum = {}, 0
  for k = 1, i.points do
    local depth
    list[k], depth = seen(p[3 * k - 2], p[3 * k - 1], p[3 * k])
    sum = sum + depth / i.points
  end
  return { { list, i.closed, thick = not i.fixed, depth = sum } }
end
SPACE.bones = SPACE.line

-- Triangles of its corners.
function SPACE.polyhedron(i, p)
  local faces = {}
  for k = 1, #i.triangles, 3 do
    local list, sum = {}, 0
    for n = 0, 2 do
      local c = 3 * i.triangles[k + n]
      local depth
      list[n + 1], depth = seen(turned(p, { i.corners[c + 1], i.corners[c + 2], i.corners[c + 3] }))
      sum = sum + depth / 3
    end
    faces[#faces + 1] = { list, true, depth = sum }
  end
  return faces
end

-- Strokes of the meshes of a model, undeformed; places go to each(x, y).
local function meshed(model, each)
  local strokes = {}
  for _, mesh in ipairs(model.meshes or {}) do
    local m = made.of(mesh)
    for _, nodes in ipairs(made.outside(mesh)) do
      local list, sum = {}, 0
      for k, n in ipairs(nodes) do
        local X, depth = m.nodes[n], 0
        each(X[1], X[2] or 0)
        if mesh.dimension == 3 then list[k], depth = seen(X[1], X[2], X[3]) else list[k] = { X[1], X[2] or 0 } end
        sum = sum + depth / #nodes
      end
      strokes[#strokes + 1] = { list, mesh.dimension > 1, thick = mesh.dimension == 1, depth = sum, thin = true }
    end
  end
  return strokes
end

-- A level plane in space, as wide as what stands on it.
local function floor(p, extent)
  local n = math.sqrt(p[4] ^ 2 + p[5] ^ 2 + p[6] ^ 2)
  if p[6] / n <= 0.8 or extent[1] > extent[2] then return nil end
  local pad, list = 0.25 * math.max(extent[2] - extent[1], extent[4] - extent[3], 0.3), {}
  for k, c in ipairs { { 1, 3 }, { 2, 3 }, { 2, 4 }, { 1, 4 } } do
    local x, y = extent[c[1]] + (c[1] == 1 and -pad or pad), extent[c[2]] + (c[2] == 3 and -pad or pad)
    list[k] = seen(x, y, p[3] - (p[4] * (x - p[1]) + p[5] * (y - p[2])) / p[6])
  end
  return { list, true, depth = math.huge, fixed = true }
end

local function strokes(scene, numbers_of, model)
  local extent = { math.huge, -math.huge, math.huge, -math.huge }
  local function reach(x, y)
    extent = { math.min(extent[1], x), math.max(extent[2], x), math.min(extent[3], y), math.max(extent[4], y) }
  end
  local list = meshed(model, reach)
  if scene.dimension == 3 then
    for _, item in ipairs(scene.items) do
      local p = item.kind ~= "plane" and SPACE[item.kind] and numbers_of(item)
      if p then reach(p[1], p[2]) end
    end
    for _, item in ipairs(scene.items) do
      local p = item.kind == "plane" and numbers_of(item)
      list[#list + 1] = p and floor(p, extent) or nil
    end
  end
  for _, item in ipairs(scene.items) do
    local draw = (scene.dimension == 3 and SPACE or PLANE)[item.kind]
    local p = draw and numbers_of(item)
    for _, s in ipairs(p and draw(item, p) or {}) do
      s.fixed = item.fixed
      list[#list + 1] = s
    end
  end
  if scene.dimension == 3 then table.sort(list, function(a, b) return a.depth > b.depth end) end
  return list
end

-- Planes are drawn as far as the rest reaches.
local function grounds(scene, numbers_of, fig, limits, to)
  for _, item in ipairs(scene.items) do
    local p = item.kind == "plane" and numbers_of(item)
    if p and scene.dimension == 2 then
      local cx, cy = (limits[1] + limits[2]) / 2, (limits[3] + limits[4]) / 2
      local n, far = math.sqrt(p[3] ^ 2 + p[4] ^ 2), 2 * (limits[2] - limits[1] + limits[4] - limits[3])
      local nx, ny = p[3] / n, p[4] / n
      local d = (cx - p[1]) * nx + (cy - p[2]) * ny
      local x, y = cx - d * nx, cy - d * ny
      fig:path({ to(x - far * ny, y + far * nx), to(x + far * ny, y - far * nx), to(x + far * ny - far * nx, y - far * nx - far * ny),
        to(x - far * ny - far * nx, y + far * nx - far * ny) }, { fill = GROUND, stroke = LINE, closed = true })
    end
  end
end

--- The SVG text; nil where there is nothing to draw.
return function(model)
  local env = numbers(model)
  local scene = scene_of(model, env, script.size, false, model.meshes and model.meshes[1] and model.meshes[1].dimension)
  local cached = {}
  local function numbers_of(item)
    local count = item.points and item.points * scene.dimension or scene.dimension == 3 and (item.kind == "plane" and 6 or 12)
      or (item.kind == "plane" and 4 or 3)
    local list = {}
    for k = 1, count do
      local node = scene.nodes[item.o + k]
      local good, x = pcall(eval.eval, node, env, cached)
      if not node or not good or type(x) ~= "number" or x - x ~= 0 then return nil end
      list[k] = x
    end
    return list
  end
  local list = strokes(scene, numbers_of, model)
  local limits = { math.huge, -math.huge, math.huge, -math.huge }
  for _, s in ipairs(list) do
    for _, q in ipairs(s[1]) do
      limits[1], limits[2] = math.min(limits[1], q[1]), math.max(limits[2], q[1])
      limits[3], limits[4] = math.min(limits[3], q[2]), math.max(limits[4], q[2])
    end
  end
  if #list == 0 or limits[1] > limits[2] then return nil end
  local w, h = limits[2] - limits[1], limits[4] - limits[3]
  local size = math.max(w, h, 1e-9)
  local scale = math.min((WIDTH - 50) / math.max(w, 0.25 * size), (HEIGHT - 50) / math.max(h, 0.25 * size))
  local function to(x, y)
    return { WIDTH / 2 + scale * (x - (limits[1] + limits[2]) / 2), HEIGHT / 2 - scale * (y - (limits[3] + limits[4]) / 2) }
  end
  local fig = figure.new(WIDTH, HEIGHT)
  grounds(scene, numbers_of, fig, limits, to)
  for _, s in ipairs(list) do
    local points = {}
    for k, q in ipairs(s[1]) do points[k] = to(q[1], q[2]) end
    if s.dot then
      fig:path(round(points[1][1], points[1][2], 7), { fill = EDGE, closed = true })
    elseif s[2] then
      fig:path(points, { fill = s.fixed and GROUND or BODY, stroke = s.fixed and LINE or EDGE, width = s.thin and 0.5 or 1.2,
        closed = true })
    else
      fig:path(points, { stroke = s.fixed and LINE or EDGE, width = s.thick and 3.5 or 1.5 })
    end
  end
  return (fig:svg():gsub('" role="img"', '" role="img" style="overflow:hidden"', 1))
end
