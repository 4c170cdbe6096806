-- Contacts of shapes are one geometry: written by contact_between, in straight code and in loops over tables, and found in a pile.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local SCHEME = "moreau-jean:theta=1,gamma=1"

-- ball, crate and rod on hills, far from each other, and a crate on a fixed block
local function on_hills(contacts)
  return { text = [[
local carom = require "carom"
local m = carom.model "hills"
m:gravity(0.2, 0.3, -9.81)
local function body(name, x, z)
  local b = m:free_body(name, { mass = 0.1, inertia = { 1e-4, 1.1e-4, 0.9e-4 }, at = { x, 1.02, z }, velocity = { 0.3, 0.1, 0 },
    spin = { 0.5, 0, 1 } })
  for k = 1, 3 do m:output(name .. k, b.at[k]) end
  return b
end
local hills = m:heightfield("hills", { size = { 4, 2 }, cells = { 20, 10 },
  height = function(x, y) return 0.05 * math.sin(3 * x) * math.cos(2 * y) end })
local block = m:box("block", { size = { 0.5, 0.5, 0.5 }, at = { 3.3, 1, 0.3 } })
local shapes = { m:sphere("ball", { radius = 0.05, body = body("ball", 0.5, 0.12) }),
  m:box("crate", { size = { 0.1, 0.12, 0.08 }, body = body("crate", 1.5, 0.15) }),
  m:capsule("rod", { radius = 0.03, length = 0.1, axis = { 0, 1, 0.1 }, body = body("rod", 2.4, 0.1) }) }
local top = m:box("top", { size = { 0.12, 0.1, 0.1 }, body = body("top", 3.3, 0.6005) })
]] .. contacts .. [[
m:run { until_time = 0.25, step = 1e-3 }
return m
]] }
end

local written = on_hills [[
for _, s in ipairs(shapes) do m:contact_between(s, hills, { friction = 0.3 }) end
m:contact_between(top, block, { friction = 0.3 })
]]
local found = on_hills [[
shapes[4], shapes[5], shapes[6] = top, hills, block
m:contacts_among(shapes, { friction = 0.3 })
]]

-- the crates as polyhedra with the same corners, the block as well
local function faceted(model)
  local text = model.text:gsub('m:box%("(%w+)", { size = { ([%d.]+), ([%d.]+), ([%d.]+) }, ', function(name, a, b, c)
    return ('m:polyhedron("%s", { points = brick(%s, %s, %s), '):format(name, a, b, c)
  end)
  return { text = ([[
local function brick(a, b, c)
  local points = {}
  for x = -1, 1, 2 do for y = -1, 1, 2 do for z = -1, 1, 2 do points[#points + 1] = { x * a / 2, y * b / 2, z * c / 2 } end end end
  return points
end
]]) .. text }
end

T.test("ball, crate and rod on hills, a crate on a block: written contacts, a pile, and polyhedra instead of boxes agree", function()
  local results = {}
  local models = { written, found, faceted(written), faceted(found) }
  for i, model in ipairs(models) do results[i] = S.run(model, SCHEME, { flags = "-O0", csv = true }) end
  T.ok(results[1].counts.events >= 8, "only " .. results[1].counts.events .. " events")
  for k, row in ipairs(results[1].rows) do
    for _, name in ipairs { "ball", "crate", "rod", "top" } do
      for axis = 1, 3 do
        for i = 2, 4 do
          T.near(results[i].rows[k][name .. axis], row[name .. axis], 1e-5, name .. axis .. " " .. i) -- as exact as the solver of piles
        end
      end
    end
  end
end)

-- a capsule on two links, a pendulum, hits a crate on a heightfield
local pendulum = { text = [[
local carom = require "carom"
local m = carom.model "pendulum"
m:gravity(0, 0, -9.81)
local arm = m:link("arm", { joint = "revolute", axis = { 0, 1, 0 }, at = { 0, 0, 1 }, mass = 0.3, inertia = 0.01, center = { 0, 0, -0.25 },
  initial = 1 })
local hand = m:link("hand", { parent = arm, joint = "revolute", axis = { 0, 1, 0.2 }, at = { 0, 0, -0.5 }, mass = 0.2, inertia = 0.002,
  center = { 0, 0, -0.2 } })
local stick = m:capsule("stick", { radius = 0.03, length = 0.4, at = { 0, 0, -0.2 }, body = hand })
local box = m:free_body("box", { mass = 0.1, inertia = 1e-4, at = { -0.1, 0.02, 0.1005 } })
local crate = m:box("crate", { size = { 0.1, 0.1, 0.2 }, body = box })
m:contact_between(stick, crate, { friction = 0.3, restitution = 0.5 })
m:contact_between(m:sphere("heel", { radius = 0.1, body = box, at = { 0, 0, 0 } }),
  m:heightfield("field", { heights = { { 0, 0, 0 }, { 0, 0, 0.1 } }, size = { 2, 2 }, at = { -1, -1, 0 } }))
m:run { until_time = 0.5, step = 2e-3 }
return m
]] }

T.test("a stick on links hits a crate: straight code and loops over tables agree, with D- and with Moreau-Jean's scheme", function()
  for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0.5" } do
    local results = {}
    for i, form in ipairs { "unrolled", "looped" } do results[i] = S.run(pendulum, scheme, { form = form, flags = "-O0" }) end
    T.ok(results[1].counts.events >= 2, "only " .. results[1].counts.events .. " events")
    T.ok(results[1].q.box_x > 0, "the crate is pushed away: " .. results[1].q.box_x)
    for _, part in ipairs { "q", "v", "impulse" } do
      for name, x in pairs(results[1][part]) do
        T.near(results[2][part][name], x, 1e-7 * math.max(1, math.abs(x)), scheme .. ", " .. part .. " " .. name)
      end
    end
  end
end)

-- planar bodies: name, place, angle, mass and inertia; and what they touch with
local PLANE = [[
local carom = require "carom"
local m = carom.model "plane"
m:gravity(0, -9.81)
local function body(name, x, y, angle)
  local q = { m:coordinate(name .. "_x", { initial = x }), m:coordinate(name .. "_y", { initial = y }),
    m:coordinate(name .. "_a", { initial = angle or 0 }) }
  return m:body(name, { mass = 1, inertia = 0.02, at = { q[1], q[2] }, angle = q[3] }), q
end
]]

T.test("in the plane: a box slides down a polygon with friction as it should, and flies over its end", function()
  local slope = { text = PLANE .. [[
local b, q = body("b", -0.3, 0.3 + 0.1 * math.sqrt(2), -carom.pi / 4)
m:contact_between(m:polygon("slope", { points = { { -1, 1 }, { 1, -1 }, { -1, -1 } } }),
  m:box("box", { width = 0.3, height = 0.2, body = b }), { friction = 0.4 })
m:run { until_time = 0.5, step = 1e-3 }
return m
]] }
  local a = 9.81 * math.sqrt(0.5) * (1 - 0.4) -- along the slope
  for _, case in ipairs { { "D-:M=1", 2e-6 }, { "moreau-jean:theta=0.5", 5e-3 } } do
    local r = S.run(slope, case[1], { flags = "-O0" })
    local way = a * 0.5 ^ 2 / 2 * math.sqrt(0.5)
    T.near(r.q.b_x, -0.3 + way, case[2], case[1])
    T.near(r.q.b_y, 0.3 + 0.1 * math.sqrt(2) - way, case[2], case[1])
    T.near(r.q.b_a, -math.pi / 4, 1e-9, case[1])
  end
  local off = S.run(slope, "D-:M=1", { flags = "-O0", until_time = 1.2 })
  T.ok(off.q.b_a < -math.pi / 4 - 0.1 and off.q.b_y < -1, "it has tipped over the end")
end)

T.test("in the plane: boxes, wedges, disks and a shelf come to rest on each other, in straight code and in tables alike", function()
  local stack = { text = PLANE .. [[
local ground = m:plane "ground"
local low = m:box("low", { width = 0.6, height = 0.2, body = (body("low", 0, 0.1)) })
local top = m:polygon("top", { points = { { -0.2, -0.1 }, { 0.25, -0.1 }, { -0.1, 0.2 } }, body = (body("top", 0.1, 0.5, 0.3)) })
local ball = m:disk("ball", { radius = 0.1, body = (body("ball", -0.05, 1.2)) })
local plank = m:box("plank", { width = 0.3, height = 0.05, body = (body("plank", 0.9, 0.62, -0.4)) })
local shelf = m:segment("shelf", { between = { { 0.7, 0.4 }, { 1.1, 0.4 } } })
m:contact_between(low, ground, { friction = 0.5 })
for i, pair in ipairs { { top, low }, { ball, top }, { ball, low }, { plank, shelf }, { plank, ball } } do
  m:contact_between(pair[1], pair[2], { friction = 0.5, restitution = 0.2 })
end
m:contact_between(ball, ground, { friction = 0.5 })
m:run { until_time = 0.8, step = 1e-3 }
return m
]] }
  local results = {}
  for i, form in ipairs { "unrolled", "looped" } do results[i] = S.run(stack, "D-:M=1", { form = form, flags = "-O0" }) end
  T.near(results[1].q.plank_y, 0.425, 1e-3) -- lies on the shelf
  T.near(results[1].q.top_y, 0.3, 1e-3)
  T.ok(results[1].counts.events >= 6, "only " .. results[1].counts.events .. " events")
  for _, part in ipairs { "q", "v", "impulse" } do
    for name, x in pairs(results[1][part]) do
      T.near(results[2][part][name], x, 1e-7 * math.max(1, math.abs(x)), part .. " " .. name)
    end
  end
end)

T.test("stones of random shape come to rest in a heap, not in each other, and are drawn", function()
  local large = require "tests.e2e.large"
  local json = require "gen.util.json"
  local dir = large.out()
  local out, err, code = large.carom("run stones --set count=6 --until 1.5 --json --out " .. dir)
  T.eq(code, 0, err)
  T.eq(json.read(out).status, "ok")
  local stones = S.csv(assert(fs.read(dir .. "/bodies.csv")))
  T.eq(#stones, 6)
  for i, stone in ipairs(stones) do
    T.ok(stone.z > 0.02, "above the ground")
    for j = 1, i - 1 do
      local way = 0
      for _, k in ipairs { "x", "y", "z" } do way = way + (stone[k] - stones[j][k]) ^ 2 end
      T.ok(way > 0.05 ^ 2, ("stones %d and %d are %g apart"):format(i, j, math.sqrt(way)))
    end
    for _, k in ipairs { "vx", "vy", "vz" } do T.near(stone[k], 0, 1e-3) end
  end
  T.ok(fs.read(dir .. "/report.html"):find('"kind":"polyhedron"', 1, true), "drawn")
end)

S.finish()
