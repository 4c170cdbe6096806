-- Planar shapes: gap and slip of every pair against plain arithmetic, rigid motion without slip, and what is refused.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local load = require("gen.lang.core.load").load

local HEAD = [[
local carom = require "carom"
local m = carom.model "test"
local function planar(name, x0, y0)
  local x = m:coordinate(name .. "x", { unit = "m", initial = x0 })
  local y = m:coordinate(name .. "y", { unit = "m", initial = y0 })
  local a = m:coordinate(name .. "a", { unit = "rad" })
  return m:body(name, { mass = 1, inertia = 1, at = { x, y }, angle = a })
end
local A, B = planar("A", %g, %g), planar("B", 0, %g)
]] -- nine lines

-- A starts at (x, y), B at (0, b)
local function read(body, x, y, b)
  return load("test.lua", { text = string.format(HEAD, x or 5, y or 5, b or 0) .. body .. "\nreturn m\n" })
end

-- numbers for the coordinates and velocities, in declared order
local function numbers(m, q, v)
  local env = { [m.time] = 0 }
  for _, p in ipairs(m.parameters) do env[p.sym] = p.value end
  for i, c in ipairs(m.coordinates) do env[c.q], env[c.v] = q[i], v and v[i] or 0 end
  return env
end

local function gap(c, env) return eval(c.gap, env) end
local function slip(c, env) return eval(c.slip[1], env) end

T.test("disk and ground: distance and rolling", function()
  local m = read [[m:contact_between(m:disk("d", { radius = 0.2, body = A }), m:plane "g", { friction = 0.1,
  restitution = 0.3, tangential_restitution = 0.4 })]]
  T.eq(#m.contacts, 1)
  local c = m.contacts[1]
  T.eq(c.name, "d_g") T.eq(c.line, 10) T.eq(c.friction.value, 0.1) T.eq(c.restitution.value, 0.3)
  T.eq(c.tangential_restitution.value, 0.4)
  local env = numbers(m, { 3, 0.7, 0.4, 0, 0, 0 }, { 2, -1, 5, 0, 0, 0 })
  T.near(gap(c, env), 0.5, 1e-15)
  T.near(slip(c, env), 2 + 0.2 * 5, 1e-15)
end)

T.test("without friction there is no slip, and the name can be chosen", function()
  local m = read 'm:contact_between(m:plane "g", m:disk("d", { radius = 0.2, body = A }), { name = "floor" })'
  T.eq(m.contacts[1].name, "floor") T.eq(m.contacts[1].slip, nil) T.eq(m.contacts[1].friction, nil)
  T.eq(#read('m:contact_between(m:plane "g", m:disk("d", { radius = 0.2, body = A }))').contacts, 1)
end)

T.test("materials give friction and restitution unless the contact says its own", function()
  local words = [[
m:material_pair("ice", "steel", { friction = 0.03, restitution = 0.2 })
local disk, rink = m:disk("d", { radius = 0.2, body = A, material = "steel" }), m:plane("g", { material = "ice" })
]]
  local m = read(words .. "m:contact_between(disk, rink)")
  T.eq(m.contacts[1].friction.value, 0.03) T.eq(m.contacts[1].restitution.value, 0.2) T.eq(#m.contacts[1].slip, 1)
  m = read(words .. "m:contact_between(rink, disk, { restitution = 0.5 })")
  T.eq(m.contacts[1].friction.value, 0.03) T.eq(m.contacts[1].restitution.value, 0.5)
  m = read(words .. 'm:contact_between(disk, m:plane("h", { material = "mud" }))')
  T.eq(m.contacts[1].friction, nil)
end)

T.test("planes by normal, by angle and on a body", function()
  local m = read([[
local d = m:disk("d", { radius = 0.5, body = A, at = { 0.1, 0.2 } })
m:contact_between(d, m:plane("p", { at = { 1, 0 }, normal = { 3, 4 } }), { friction = 1 })
m:contact_between(d, m:plane("q", { at = { 1, 0 }, angle = carom.atan(-3 / 4) }), { friction = 1 })
m:contact_between(d, m:plane("r", { body = B, at = { 0, 0.3 }, angle = carom.pi }), { friction = 1 })
m:contact_between(d, m:plane("s", { body = B, at = { 0, 0.3 }, normal = { 0, -2 } }), { friction = 1 })
m:contact_between(d, m:plane("w", { at = { 9, 0 }, angle = carom.pi / 2, }), {})]], 5, 4, 9)
  local q, v = { 5, 4, 0.6, 1, 9, -0.3 }, { 2, -1, 3, 0.5, 0.25, -2 }
  local env = numbers(m, q, v)
  local cx = 5 + 0.1 * math.cos(0.6) - 0.2 * math.sin(0.6)
  local cy = 4 + 0.1 * math.sin(0.6) + 0.2 * math.cos(0.6)
  T.near(gap(m.contacts[1], env), 0.6 * (cx - 1) + 0.8 * cy - 0.5, 1e-14)
  local px, py = cx - 0.5 * 0.6 - 5, cy - 0.5 * 0.8 - 4 -- the disk's lowest point, from the middle of its body
  T.near(slip(m.contacts[1], env), 0.8 * (2 - 3 * py) - 0.6 * (-1 + 3 * px), 1e-13)
  T.near(gap(m.contacts[2], env), gap(m.contacts[1], env), 1e-14)
  T.near(slip(m.contacts[2], env), slip(m.contacts[1], env), 1e-13)
  local nx, ny = math.sin(-0.3), -math.cos(-0.3)
  local ox, oy = 1 - 0.3 * math.sin(-0.3), 9 + 0.3 * math.cos(-0.3)
  T.near(gap(m.contacts[3], env), nx * (cx - ox) + ny * (cy - oy) - 0.5, 1e-14)
  local tx, ty = cx - 0.5 * nx, cy - 0.5 * ny
  local ux = (2 - 3 * (ty - 4)) - (0.5 + 2 * (ty - 9))
  local uy = (-1 + 3 * (tx - 5)) - (0.25 - 2 * (tx - 1))
  T.near(slip(m.contacts[3], env), ny * ux - nx * uy, 1e-13)
  T.near(gap(m.contacts[4], env), gap(m.contacts[3], env), 1e-14)
  T.near(slip(m.contacts[4], env), slip(m.contacts[3], env), 1e-13)
  T.near(gap(m.contacts[5], numbers(m, { 0, 0, 0, 0, 0, 0 })), 9 - 0.1 - 0.5, 1e-14)
end)

T.test("disk and disk", function()
  local m = read [[m:contact_between(m:disk("a", { radius = 0.5, body = A }), m:disk("b", { radius = 1, body = B }),
  { friction = 1 })]]
  local env = numbers(m, { 3, 4, 0, 0, 0, 0 }, { 1, 2, 3, 4, 5, 6 })
  T.near(gap(m.contacts[1], env), 5 - 1.5, 1e-15)
  T.near(slip(m.contacts[1], env), 0.8 * (1 - 4) - 0.6 * (2 - 5) + 0.5 * 3 + 1 * 6, 1e-14)
end)

T.test("disk and segment: both sides and both ends", function()
  local m = read [[
local d = m:disk("d", { radius = 0.5, body = A })
m:contact_between(d, m:segment("s", { between = { { 0, 1 }, { 2, 1 } } }), { friction = 1 })
m:contact_between(d, m:segment("t", { body = B, between = { { -1, 0 }, { 1, 0 } } }), { friction = 1 })]]
  local function at(k, x, y, v) return gap(m.contacts[k], numbers(m, { x, y, 0, 0, 0, 0 }, v)) end
  T.near(at(1, 1, 3, nil), 1.5, 1e-15) T.near(at(1, 1, -1, nil), 1.5, 1e-15)
  T.near(at(1, -3, 5, nil), 4.5, 1e-15) T.near(at(1, 5, -3, nil), 4.5, 1e-15)
  local function s(k, x, y, v) return slip(m.contacts[k], numbers(m, { x, y, 0, 0, 0, 0 }, v)) end
  T.near(s(1, 1, 1.5, { 2, 7, 3, 0, 0, 0 }), 2 + 0.5 * 3, 1e-14)  -- from above
  T.near(s(1, 1, 0.5, { 2, 7, 3, 0, 0, 0 }), -2 + 0.5 * 3, 1e-14) -- from below
  T.near(s(1, 2.5, 1, { 2, 7, 3, 0, 0, 0 }), -7 + 0.5 * 3, 1e-14) -- at the right end
  T.near(s(2, 0.5, 0.5, { 2, 7, 3, 4, 5, 6 }), 2 - 4 + 0.5 * 3, 1e-14)
  T.near(s(2, 0, 0.5, { 2, 7, 3, 4, 5, 6 }), 2 - 4 + 0.5 * 3, 1e-14)
end)

T.test("disk and arc: a whole circle", function()
  local m = read([[
local d = m:disk("d", { radius = 0.5, body = A })
m:contact_between(d, m:arc("b", { radius = 5.5, body = B }), { friction = 1 })
m:contact_between(d, m:arc("c", { radius = 1, body = B, side = "outside" }), { friction = 1 })]], 3, 4)
  local env = numbers(m, { 3, 4, 0, 0, 0, 0 }, { 1, 2, 3, 4, 5, 6 })
  T.near(gap(m.contacts[1], env), 0, 1e-15)
  T.near(gap(m.contacts[1], numbers(m, { 3 * 0.99, 4 * 0.99, 0, 0, 0, 0 })), 0.05, 3e-4)
  T.near(gap(m.contacts[1], numbers(m, { 0, 0, 0, 0, 0, 0 })), 2.5, 1e-15)
  -- n = (-0.6, -0.8), t = (-0.8, 0.6): the disk's point is 0.5 further out, the wall's is 5.5 from its middle
  T.near(slip(m.contacts[1], env), -0.8 * (1 - 4) + 0.6 * (2 - 5) + 0.5 * 3 - 5.5 * 6, 1e-13)
  T.near(slip(m.contacts[1], numbers(m, { 0, 0, 0, 0, 0, 0 }, { 1, 2, 3, 4, 5, 6 })), 0, 1e-15)
  T.near(gap(m.contacts[2], env), 3.5, 1e-15)
end)

T.test("disk and arc with ends", function()
  local m = read [[
local d = m:disk("d", { radius = 0.25, body = A, at = { 0, 0 } })
m:contact_between(d, m:arc("b", { radius = 2, from = -carom.pi, to = 0 }), { friction = 1 })
m:contact_between(d, m:arc("c", { radius = 2, from = -carom.pi, to = 0, side = "outside" }), { friction = 1 })]]
  local function at(k, x, y) return gap(m.contacts[k], numbers(m, { x, y, 0, 0, 0, 0 })) end
  T.near(at(1, 0, -1), 0.75, 1e-15)
  T.near(at(1, 1.75, -1e-9), 0, 1e-8) T.near(at(1, 1.75, 1e-9), 0, 1e-8)
  T.near(at(1, 5, 4), 4.75, 1e-14) T.near(at(1, -5, 4), 4.75, 1e-14)
  T.near(at(2, 0, -3), 0.75, 1e-15) T.near(at(2, -5, 4), 4.75, 1e-14)
  local c = m.contacts[1]
  T.near(slip(c, numbers(m, { 0, -1.75, 0, 0, 0, 0 }, { 2, 9, 3, 0, 0, 0 })), 2 + 0.25 * 3, 1e-14)
end)

T.test("a box is its corners", function()
  local m = read [[
local box = m:box("box", { width = 2, height = 1, body = A })
m:contact_between(box, m:plane "g", { friction = 1 })
m:contact_between(m:box("low", { width = 2, height = 1, body = A, corners = { 1, 2 } }),
  m:arc("bowl", { radius = 20 }), { friction = 1, name = "b" })]]
  local list = {}
  for i, c in ipairs(m.contacts) do list[i] = c.name end
  T.eq(table.concat(list, " "), "box_g_1 box_g_2 box_g_3 box_g_4 b_1 b_2")
  local a = 0.3
  local env = numbers(m, { 1, 2, a, 0, 0, 0 }, { 3, 4, 5, 0, 0, 0 })
  for i, p in ipairs { { -1, -0.5 }, { 1, -0.5 }, { 1, 0.5 }, { -1, 0.5 } } do
    T.near(gap(m.contacts[i], env), 2 + p[1] * math.sin(a) + p[2] * math.cos(a), 1e-14)
    T.near(slip(m.contacts[i], env), 3 - 5 * (p[1] * math.sin(a) + p[2] * math.cos(a)), 1e-14)
  end
  local x, y = 1 - math.cos(a) + 0.5 * math.sin(a), 2 - math.sin(a) - 0.5 * math.cos(a)
  T.near(gap(m.contacts[5], env), (400 - x^2 - y^2) / 40, 1e-13)
end)

T.test("a polygon is its corners on planes, as a box is, whichever way they go round", function()
  local m = read [[
local clock = m:polygon("clock", { points = { { -1, -0.5 }, { -1, 0.5 }, { 1, 0.5 }, { 1, -0.5 } }, body = A })
m:contact_between(clock, m:plane "g", { friction = 1 })
m:contact_between(m:box("box", { width = 2, height = 1, body = A }), m:plane "h", { friction = 1 })
m:contact_between(m:polygon("two", { points = { { -1, -0.5 }, { -1, 0.5 }, { 1, 0.5 } }, body = A, corners = { 2 } }), m:plane "i")
m:contact_between(clock, m:arc("bowl", { radius = 20 }), { name = "b" })]]
  local env = numbers(m, { 1, 2, 0.3, 0, 0, 0 }, { 3, 4, 5, 0, 0, 0 })
  T.eq(#m.contacts, 13)
  for i, k in ipairs { 1, 4, 3, 2 } do
    T.near(gap(m.contacts[i], env), gap(m.contacts[4 + k], env), 1e-15)
    T.near(slip(m.contacts[i], env), slip(m.contacts[4 + k], env), 1e-14)
  end
  T.eq(m.contacts[9].name, "two_i_2")
  T.near(gap(m.contacts[9], env), gap(m.contacts[2], env), 1e-15)
end)

-- what touches a wide box, segment or polygon touches a plane
T.test("on a wide block boxes, polygons and disks are what they are on a plane, and roll on it", function()
  for _, block in ipairs { 'm:box("b", { width = 200, height = 2, body = B, at = { 0, -1 } })',
    'm:segment("b", { between = { { -100, 0 }, { 100, 0 } }, body = B })',
    'm:polygon("b", { points = { { -100, 0 }, { 100, 0 }, { 0, -3 } }, body = B })' } do
    local m = read([[
m:contact_between(m:disk("d", { radius = 0.2, body = A }), m:plane("p", { body = B, at = { 0, 0 } }), { friction = 1, rolling = 0.1 })
m:contact_between(m:box("c", { width = 1, height = 2, body = A, angle = 0.2, corners = { 1 } }), m:plane("q", { body = B,
  at = { 0, 0 } }), { friction = 1 })
local block = ]] .. block .. "\n" .. (block:find "segment" and "" or [[
m:contact_between(m:disk("e", { radius = 0.2, body = A }), block, { friction = 1, rolling = 0.1 })
]]) .. 'm:contact_between(block, m:box("f", { width = 1, height = 2, body = A, angle = 0.2 }), { friction = 1 })')
    local env = numbers(m, { 1, 1.3, 0.1, 0.2, 0.1, -0.05 }, { 3, -2, 5, 0.3, 0.1, -0.4 })
    local byname = {}
    for _, c in ipairs(m.contacts) do byname[c.name] = c end
    for name, formula in next, { d_p = byname.e_b or false, c_q_1 = gap(byname.b_f_1, env) < gap(byname.b_f_2, env) and byname.b_f_1
      or byname.b_f_2 } do
      local other = byname[name]
      if formula then
        T.near(gap(formula, env), gap(other, env), 1e-13, block)
        T.near(eval(formula.rate, env), eval(require("gen.lang.core.rate").of(other.gap), env), 1e-12, block)
        -- the points that meet are a gap apart
        T.near(math.abs(slip(formula, env) - slip(other, env)), 0.4 * gap(other, env), 1e-12, block)
      end
    end
  end
end)

T.test("shapes without a body move by their own expressions", function()
  local m = read [[
local d = m:disk("d", { radius = 0.5, at = { A.at[1], A.at[2] }, angle = A.angle })
m:contact_between(d, m:plane("p", { at = { 0, carom.sin(m:time()) } }), { friction = 1 })
m:contact_between(m:box("x", { width = 1, height = 1, at = { A.at[1], A.at[2] }, angle = A.angle, corners = { 1 } }),
  m:plane "g", { friction = 1 })
m:contact_between(m:disk("e", { radius = 0.5, at = { A.at[1], A.at[2] } }), m:plane "h", { friction = 1 })]]
  local env = numbers(m, { 3, 2, 0.1, 0, 0, 0 }, { 3, 4, 5, 0, 0, 0 })
  T.near(gap(m.contacts[1], env), 1.5, 1e-15) T.near(slip(m.contacts[1], env), 3 + 0.5 * 5, 1e-15)
  T.near(slip(m.contacts[3], env), 3, 1e-15)
end)

-- Whatever the pair: if both bodies move as one, nothing slips and the gap stays (where it is closed).
T.test("a box that is turned on a body which turns: the angles add", function()
  local m = read [[m:contact_between(m:box("x", { width = 2, height = 1, body = A, angle = 0.3, corners = { 3 } }), m:plane "g")]]
  local env = numbers(m, { 3, 0.7, 0.4, 0, 0, 0 })
  T.near(gap(m.contacts[1], env), 0.7 + math.sin(0.7) + math.cos(0.7) / 2, 1e-15)
end)

T.test("a common rigid motion has no slip", function()
  local touching = {
    { 'm:disk("a", { radius = 0.5, body = A })', 'm:disk("b", { radius = 1.5, body = B })', 2, 0 },
    { 'm:disk("a", { radius = 0.5, body = A, at = { 0, 0 } })', 'm:plane("b", { body = B, at = { 0, 1 } })', 7, 1.5 },
    { 'm:disk("a", { radius = 0.5, body = A })', 'm:segment("b", { body = B, between = { { -1, 1 }, { 1, 1 } } })', 0.3,
      1.5 },
    { 'm:disk("a", { radius = 0.5, body = A })', 'm:arc("b", { body = B, radius = 3 })', 0, -2.5 },
    { 'm:disk("a", { radius = 0.5, body = A })', 'm:arc("b", { body = B, radius = 3, from = -3, to = -0.1 })', 0, -2.5 },
    { 'm:disk("a", { radius = 0.5, body = A })', 'm:arc("b", { body = B, radius = 3, side = "outside" })', 0, -3.5 },
    { 'm:box("a", { width = 2, height = 1, body = A })', 'm:plane("b", { body = B, at = { 0, 1 } })', 7, 1.5 },
    { 'm:box("a", { width = 2, height = 1, body = A })', 'm:box("b", { body = B, width = 20, height = 2 })', 7, 1.5 },
    { 'm:box("a", { width = 2, height = 1, body = A })', 'm:segment("b", { body = B, between = { { -1, 1 }, { 1, 1 } } })', 0.3, 1.5 },
    { 'm:disk("a", { radius = 0.5, body = A })', 'm:polygon("b", { body = B, points = { { -1, 1 }, { 1, 1 }, { 0, 0 } } })', 0.3, 1.5 },
    { 'm:arc("a", { radius = 0.5, body = A, side = "outside" })', 'm:box("b", { body = B, width = 2, height = 2 })', 0.3, 1.5 },
    { 'm:polygon("a", { body = A, points = { { 0, 0 }, { 1, 1 }, { -1, 1 } } })', 'm:polygon("b", { body = B, points = { { -1, 1 }, '
      .. '{ 1, 1 }, { 0, 0 } } })', 0.3, 1 },
  }
  for i, pair in ipairs(touching) do
    local m = read("m:contact_between(" .. pair[1] .. ", " .. pair[2] .. ", { friction = 1 })", pair[3], pair[4])
    local function moved(t) -- both bodies carried by one motion, B at the origin of the moving frame
      local ox, oy, w = 0.3 * t, -0.7 * t, 0.4 + 1.3 * t
      local x, y = pair[3], pair[4]
      return { ox + x * math.cos(w) - y * math.sin(w), oy + x * math.sin(w) + y * math.cos(w), w, ox, oy, w }
    end
    local q, later = moved(0.2), moved(0.2 + 1e-6)
    local before, v = moved(0.2 - 1e-6), {}
    for k = 1, 6 do v[k] = (later[k] - before[k]) / 2e-6 end
    local env = numbers(m, q, v)
    T.near(gap(m.contacts[1], env), 0, 1e-14, "gap of pair " .. i)
    T.near(slip(m.contacts[1], env), 0, 1e-8, "slip of pair " .. i)
  end
end)

local function refused(name, body, expected)
  T.test(name, function()
    local good, e = pcall(read, body)
    T.ok(not good, "the model was accepted")
    T.ok(fail.is(e), "not a located error: " .. tostring(e))
    T.eq(tostring(e), "test.lua:10: error: " .. expected)
  end)
end

local covered = "covered are disk-disk, disk-plane, disk-segment, disk-arc, box-plane, box-arc, polygon-plane, polygon-arc, disk-box, "
  .. "disk-polygon, box-box, box-polygon, polygon-polygon, box-segment, polygon-segment; for others write m:contact with a gap"
refused("segment and plane", 'm:contact_between(m:segment("a", { between = { { 0, 0 }, { 1, 0 } }, body = A }), '
  .. 'm:plane "b")', "a contact between segment 'a' and plane 'b' is not covered; " .. covered)
refused("box on a part of a cam", 'm:contact_between(m:arc("b", { radius = 1, from = 0, to = 1, side = "outside" }), m:box("a", { '
  .. 'width = 1, height = 1, body = A }))', "box 'a' touches the outside of arc 'b' with its edges, which an arc with ends does not "
  .. "have yet; leave out from and to")
refused("box with chosen corners on a box", 'm:contact_between(m:box("a", { width = 1, height = 1, body = A, corners = { 1, 2 } }), '
  .. 'm:box("b", { width = 1, height = 1, body = B }))', "box 'a' has chosen corners, but against box 'b' all of it touches; leave out "
  .. "corners")
refused("a segment that grows", 'm:contact_between(m:box("a", { width = 1, height = 1, body = A }), m:segment("b", { between = { '
  .. '{ 0, 0 }, { 1 + B.at[1], 0 } } }))', "segment 'b' changes its length with 'Bx', which polygons and boxes do not touch; give it a "
  .. "body")
refused("a polygon of two corners", 'm:polygon("a", { points = { { 0, 0 }, { 1, 0 } } })', "points of polygon 'a' must be a list of "
  .. "at least three corners, not a table; write { { x1, y1 }, { x2, y2 }, { x3, y3 }, ... }")
refused("a corner in space", 'm:polygon("a", { points = { { 0, 0 }, { 1, 0, 0 }, { 0, 1 } } })', "corner 2 of points of polygon 'a' "
  .. "is no list of two numbers; write { { x1, y1 }, { x2, y2 }, { x3, y3 }, ... }")
refused("a corner that moves", 'm:polygon("a", { points = { { 0, 0 }, { A.at[1], 0 }, { 0, 1 } } })', "entry 1 of corner 2 of points "
  .. "of polygon 'a' must be a number, not an expression; write the number itself")
for name, points in next, { ["not convex"] = "{ 0, 0 }, { 2, 0 }, { 0.1, 0.1 }, { 0, 2 }", star = "{ 0, 1 }, { -0.6, -0.8 }, { 1, 0.3 }, "
  .. "{ -1, 0.3 }, { 0.6, -0.8 }", ["a corner twice"] = "{ 0, 0 }, { 1, 0 }, { 1, 0 }, { 0, 1 }", ["on a side"] = "{ 0, 0 }, { 1, 0 }, "
  .. "{ 2, 0 }, { 0, 1 }" } do
  T.test("a polygon: " .. name, function()
    local good, e = pcall(read, ('m:polygon("a", { points = { %s } })'):format(points))
    T.ok(not good and tostring(e):find "polygon 'a' is not convex with its corners in order around it", tostring(e))
  end)
end
refused("a corner that a polygon does not have", 'm:polygon("a", { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, corners = { 4 } })',
  "entry 1 of corners of polygon 'a' is no new whole number from 1 to 3; write { 1, 2 }")
refused("one body", 'm:contact_between(m:disk("a", { radius = 1, body = A }), m:plane("b", { body = A }))',
  "disk 'a' and plane 'b' are on the same body; give shapes that move against each other")
refused("itself", 'local d = m:disk("a", { radius = 1, body = A }) m:contact_between(d, d)',
  "disk 'a' cannot touch itself; give two shapes")
refused("nothing that moves", 'm:contact_between(m:disk("a", { radius = 1, at = { 0, 3 } }), m:plane "b")',
  "gap of contact 'a_b' does not depend on any coordinate; write a distance that changes with the motion")
refused("not a shape", 'm:contact_between(A, m:plane "b")', "the a of contact_between must be a shape, not a planar body; "
  .. "give what m:disk, m:sphere, m:box, m:plane or another word for shapes returned")
refused("a disk nowhere", 'm:disk("a", { radius = 1 })', "disk 'a' has no place; write body = what m:body returned, or "
  .. "at = { x, y }")
refused("not a body", 'm:disk("a", { radius = 1, body = { 0, 0 } })', "body of disk 'a' must be a body, not a table; "
  .. "give what m:body returned")
refused("side", 'm:arc("a", { radius = 1, side = "left" })', "side of arc 'a' is 'left'; write \"inside\" or \"outside\"")
refused("half an arc", 'm:arc("a", { radius = 1, from = 0 })', "arc 'a' has one end only; write from = ... and to = "
  .. "..., or neither for a whole circle")
refused("arc backwards", 'm:arc("a", { radius = 1, from = 1, to = 0 })', "arc 'a' spans an angle of -1; write to above "
  .. "from by at most 2 pi")
refused("no normal", 'm:plane("a", { normal = { 0, 0 } })', "normal of plane 'a' is { 0, 0 }; write a direction such as "
  .. "{ 0, 1 }")
refused("normal that turns", 'm:plane("a", { normal = { carom.sin(A.angle), 1 } })', "normal of plane 'a' depends on "
  .. "'Aa'; write angle = the inclination of the line instead")
refused("normal and angle", 'm:plane("a", { normal = { 0, 1 }, angle = 0 })', "plane 'a' has both normal and angle; keep "
  .. "one of the two")
refused("a corner twice", 'm:box("a", { width = 1, height = 1, body = A, corners = { 1, 1 } })', "entry 2 of corners of "
  .. "box 'a' is no new whole number from 1 to 4; write { 1, 2 }")
refused("shape twice", 'm:plane "a" m:plane "a"', "the name 'a' is already used for the plane in line 10; choose another")
refused("field of a shape", 'local r = (m:plane "a").radius', "a shape has no field 'radius'; it is only for "
  .. "m:contact_between(a, b, { ... })")

refused("a pair of materials twice", 'm:material_pair("a", "b", { friction = 1 }) m:material_pair("b", "a", { friction = 1 })',
  "material_pair of 'b' and 'a' is already given in line 10; keep one of the two")
refused("a pair of materials too late", 'm:contact_between(m:disk("d", { radius = 1, body = A, material = "a" }), '
  .. 'm:plane("p", { material = "b" })) m:material_pair("b", "a", { friction = 1 })',
  "material_pair of 'b' and 'a' comes after contacts that it is about; write it before them")

T.finish()
