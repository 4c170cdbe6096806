-- Convex hulls: faces, what is left out, volume and inertia; files of surfaces; the word polyhedron.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local load = require("gen.lang.core.load").load
local eval = require("gen.expr.eval").eval
local points_of = require "gen.util.points"
local polyhedron = require "gen.util.polyhedron"

local state = 7
local function random()
  state = (1103515245 * state + 12345) % 2147483648
  return state / 2147483648
end

local function box(a, b, c)
  local points = {}
  for x = -1, 1, 2 do for y = -1, 1, 2 do for z = -1, 1, 2 do points[#points + 1] = { a * x, b * y, c * z } end end end
  return points
end

T.test("a box among points inside and on its faces and edges", function()
  local points = box(1, 2, 3)
  for k = 1, 200 do
    points[#points + 1] = { k % 3 == 0 and 1 or 2 * random() - 1, k % 5 == 0 and -2 or 4 * random() - 2, 6 * random() - 3 }
  end
  local h, left = polyhedron.hull(points, 32)
  T.eq(#h.corners .. " " .. #h.faces .. " " .. #h.edges, "8 6 12")
  T.eq(left, 0)
  local volume, centre, I = polyhedron.mass(h)
  T.near(volume, 48, 1e-12)
  T.near(I[1][1], 48 / 12 * (16 + 36), 1e-10)
  T.near(I[3][3], 48 / 12 * (4 + 16), 1e-10)
  T.near(I[1][2], 0, 1e-10)
  for k = 1, 3 do T.near(centre[k], 0, 1e-12) end
  T.eq(#polyhedron.table(h), 3 * 8 + 3 * 6 + 4 * 12 + 2 * 6 + 2 * 24)
end)

T.test("Platonic bodies have their faces", function()
  local g, points = (1 + math.sqrt(5)) / 2, box(1, 1, 1)
  for a = -1, 1, 2 do
    for b = -1, 1, 2 do
      points[#points + 1] = { 0, a / g, b * g }
      points[#points + 1] = { a / g, b * g, 0 }
      points[#points + 1] = { a * g, 0, b / g }
    end
  end
  local h = polyhedron.hull(points, 32)
  T.eq(#h.corners .. " " .. #h.faces .. " " .. #h.edges, "20 12 30")
  for _, loop in ipairs(h.faces) do T.eq(#loop, 5) end
  local edge = 2 / g
  T.near((polyhedron.mass(h)), (15 + 7 * math.sqrt(5)) / 4 * edge ^ 3, 1e-12)
end)

T.test("a tetrahedron away from the origin: centre and inertia in closed form", function()
  local h = polyhedron.hull({ { 3, 1, 2 }, { 4, 1, 2 }, { 3, 2, 2 }, { 3, 1, 3 } }, 32)
  local volume, centre, I = polyhedron.mass(h)
  T.near(volume, 1 / 6, 1e-15)
  T.near(centre[1], 3.25, 1e-14)
  T.near(I[1][1], 1 / 80, 1e-14) -- 2 (1/60 - 1/96)
  T.near(I[1][2], 1 / 480, 1e-14) -- 1/96 - 1/120
end)

T.test("every point is inside, on lattices where many lie in one plane", function()
  for k = 1, 400 do
    local points = {}
    for i = 1, 5 + k % 40 do points[i] = { math.floor(5 * random()), math.floor(5 * random()), math.floor(5 * random()) } end
    local h, why = polyhedron.hull(points, 32)
    if not h then
      T.ok(why:find "plane", why)
    else
      for g, n in ipairs(h.normals) do
        local o = h.corners[h.faces[g][1] + 1]
        for _, p in ipairs(points) do
          T.ok(n[1] * (p[1] - o[1]) + n[2] * (p[2] - o[2]) + n[3] * (p[3] - o[3]) < 1e-9, "a point is outside")
        end
      end
    end
  end
end)

T.test("with fewer corners than there are the furthest are kept, and what is left out is said", function()
  local points = {}
  for i = 1, 2000 do
    local z, phi = 2 * random() - 1, 2 * math.pi * random()
    points[i] = { math.sqrt(1 - z * z) * math.cos(phi), math.sqrt(1 - z * z) * math.sin(phi), z }
  end
  local h, left = polyhedron.hull(points, 32)
  T.eq(#h.corners, 32)
  T.ok(left > 0.05 and left < 0.2, "left " .. left)
  T.ok((polyhedron.mass(h)) > 0.75 * 4 / 3 * math.pi, "volume")
end)

local function written(name, text)
  local folder = fs.temporary_dir()
  fs.write(folder .. "/" .. name, text)
  return folder
end

local OBJ = "# a tetrahedron\nv 0 0 0\nv 1000 0 0\nv 0 1000 0\nv 0 0 1000\nf 1 2 3\n"

T.test("STL in text and binary, OBJ", function()
  local stl = { "solid a" }
  local triangles = { { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } } }
  local binary = { ("x"):rep(80), string.pack("<I4", 2) }
  for _, t in ipairs(triangles) do
    binary[#binary + 1] = string.pack("<fff", 0, 0, 1)
    for _, p in ipairs(t) do
      stl[#stl + 1] = ("vertex %g %g %g"):format(p[1], p[2], p[3])
      binary[#binary + 1] = string.pack("<fff", p[1], p[2], p[3])
    end
    binary[#binary + 1] = "\0\0"
  end
  for name, text in pairs { ["a.stl"] = table.concat(stl, "\n"), ["b.STL"] = table.concat(binary), ["c.obj"] = OBJ } do
    local folder = written(name, text)
    local points = points_of.read(folder .. "/" .. name, { 1, 1, 1 })
    T.eq(#points, 4, name)
    fs.remove_tree(folder)
  end
  local folder = written("d.stl", "solid but nothing else")
  T.eq((points_of.read(folder .. "/d.stl", { 1, 1, 1 })), nil)
  fs.remove_tree(folder)
end)

local HEAD = 'local carom = require "carom"\nlocal m = carom.model "test"\n'

T.test("carom.hull gives a body its mass, and a file beside the model is read", function()
  local folder = written("part.obj", OBJ)
  fs.write(folder .. "/test.lua", HEAD .. [[
local rho = m:parameter("rho", 600, "kg/m^3")
local part = carom.hull { file = "part.obj", scale = 0.001, density = rho }
local body = m:free_body("part", { mass = part.mass, inertia = part.inertia, at = { 0, 0, 1 } })
m:contact_between(m:polyhedron("part", { points = part.points, body = body }), m:plane("floor", { normal = { 0, 0, 1 } }))
return m
]])
  local model = load(folder .. "/test.lua")
  fs.remove_tree(folder)
  local env = { [model.parameters[1].sym] = 600 }
  for _, t in ipairs(model.terms) do
    if t.kind == "free_body" then
      T.near(eval(t.mass, env), 100, 1e-9)
      T.near(eval(t.inertia[1][1], env), 600 / 80, 1e-9)
    end
  end
  T.eq(#model.contacts, 8)
  T.near(eval(model.contacts[1].gap, (function()
    for _, c in ipairs(model.coordinates) do env[c.q] = eval(c.initial, env) end
    for _, r in ipairs(model.rotations) do for k = 1, 4 do env[r.q[k]] = k == 1 and 1 or 0 end end
    return env
  end)()), 0.75, 1e-12)
end)

for _, case in ipairs {
  { 'm:polyhedron("a", { at = { 0, 0, 0 } })', "needs points" },
  { 'm:polyhedron("a", { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, at = { 0, 0, 0 } })', "at least four points" },
  { 'm:polyhedron("a", { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }, at = { 0, 0, 0 } })', "lie in a plane" },
  { 'm:polyhedron("a", { points = { { 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }, at = { 0, 0, 0 } })', "point 1 of" },
  { 'm:polyhedron("a", { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, corners = 99, at = { 0, 0, 0 } })',
    "from 4 to 32" },
  { 'm:polyhedron("a", { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } })', "has no place" },
  { 'local p = {}; for i = 1, 50 do p[i] = { math.cos(i), math.sin(i), math.cos(3 * i) } end\n'
    .. 'm:polyhedron("a", { points = p, at = { 0, 0, 0 } })',
    "more than 32 corners; write corners = 32" },
  { 'm:polyhedron("a", { file = "nothing.stl", at = { 0, 0, 0 } })', "there is no such file" },
  { 'carom.hull { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, densty = 1 }', "density" },
} do
  T.test("refused: " .. case[2], function()
    local good, why = pcall(load, "test.lua", { text = HEAD .. case[1] .. "\nreturn m\n" })
    T.ok(not good, "not refused")
    local text = type(why) == "table" and why.message or tostring(why)
    T.ok(text:find(case[2], 1, true), text)
  end)
end

T.finish()
