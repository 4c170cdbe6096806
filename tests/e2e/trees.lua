-- Trees in joint coordinates, run: against the same mechanisms in other coordinates, and the cost of an arm of seven joints.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local LOBATTO = "D-:M=3,quadrature=lobatto"

-- phi is measured in the plane x-z
local planar = { text = [[
local carom = require "carom"
local m = carom.model "planar_pendulum"
local phi = m:coordinate("phi", { initial = 1 })
m:gravity(0, -9.81)
m:body("rod", { mass = 1, inertia = 1 / 12, at = { 0.5 * carom.sin(phi), -0.5 * carom.cos(phi) }, angle = phi })
return m
]] }

T.test("a pendulum as a free body, as a link and in the plane", function()
  local run = { step = 1e-3, until_time = 5 }
  local free = S.run("spatial_pendulum", LOBATTO, run).outputs.phi
  local link = S.run("spatial_pendulum_link", LOBATTO, run).outputs.phi
  local flat = S.run(planar, LOBATTO, run).q.phi
  T.near(link, flat, 1e-8, "link and plane")
  T.near(free, flat, 1e-8, "free body and plane")
end)

T.test("a pendulum that turns, as a free body and as a link", function()
  local run = { step = 1e-3, until_time = 3, set = { "turn=1.5" } }
  T.near(S.run("spatial_pendulum_link", LOBATTO, run).outputs.phi, S.run("spatial_pendulum", LOBATTO, run).outputs.phi, 1e-8)
end)

-- models/double_pendulum.lua with the second angle measured from the first link
local double = { text = [[
local carom = require "carom"
local m = carom.model "double_links"
m:gravity(0, 0, -9.81)
local one = m:link("q1", { joint = "revolute", axis = { 0, -1, 0 }, mass = 1, center = { 0, 0, -1 }, initial = 1.2 })
local two = m:link("q2", { parent = one, joint = "revolute", axis = { 0, -1, 0 }, at = { 0, 0, -1 }, mass = 1, center = { 0, 0, -1 },
  initial = 0.7 })
m:dissipation(0.1 * (one.q.dot^2 + (one.q.dot + two.q.dot)^2))
m:contact("floor", { gap = 1.6 + two:point(0, 0, -1)[3], restitution = 0.5 })
return m
]] }

T.test("a double pendulum through its impacts, planar and of links", function()
  local run = { step = 2.5 / 1480, until_time = 1.6 }
  local flat, links = S.run("double_pendulum", "D-:M=2", run), S.run(double, "D-:M=2", run)
  T.near(links.q.q1, flat.q.q1, 1e-8)
  T.near(links.q.q1 + links.q.q2, flat.q.q2, 1e-8)
  T.near(links.impulse.floor, flat.impulse.floor, 1e-8)
end)

-- A rod on a rod, both on spherical joints: the lower one a free body joined to a link, and a link.
local HEAD = [[
local carom = require "carom"
local m = carom.model "two_rods"
m:gravity(0, 0, -9.81)
local upper = m:link("upper", { joint = "spherical", mass = 2, inertia = { 0.1, 0.1, 0.02 }, center = { 0, 0, -0.4 },
  initial = { 0.3, 0.2, 0 }, velocity = { 0, 0, 1 } })
]]
local TAIL = [[
local tip = lower:point(0, 0, %s)
for i, axis in ipairs { "x", "y", "z" } do m:output(axis, tip[i]) end
return m
]]
T.test("a free body joined to a link", function()
  local run = { step = 5e-4, until_time = 0.5 }
  local link = S.run({ text = HEAD .. [[
local lower = m:link("lower", { parent = upper, joint = "spherical", at = { 0, 0, -0.8 }, mass = 1, inertia = { 0.05, 0.05, 0.01 },
  center = { 0, 0, -0.3 } })
]] .. TAIL:format("-0.6") }, LOBATTO, run)
  -- as the link starts: its frame is Rx(0.3) Ry(0.2), with the spin of the upper one about their common axis
  local free = S.run({ text = HEAD .. [[
local hinge = upper:point(0, 0, -0.8)
local s1, c1, s2, c2 = carom.sin(0.3), carom.cos(0.3), carom.sin(0.2), carom.cos(0.2)
local a, b = { carom.sin(0.15), carom.cos(0.15) }, { carom.sin(0.1), carom.cos(0.1) }
local lower = m:free_body("lower", { mass = 1, inertia = { 0.05, 0.05, 0.01 }, at = { -1.1 * s2, 1.1 * s1 * c2, -1.1 * c1 * c2 },
  orientation = { a[2] * b[2], a[1] * b[2], a[2] * b[1], a[1] * b[1] }, spin = { 0, 0, 1 } })
m:joint("hinge", { type = "spherical", body = lower, at = { 0, 0, 0.3 }, on = upper, to = { 0, 0, -0.8 } })
]] .. TAIL:format("-0.3") }, LOBATTO, run)
  for _, axis in ipairs { "x", "y", "z" } do T.near(free.outputs[axis], link.outputs[axis], 1e-8, axis) end
end)

-- A satellite with a ballast, an arm and a slide on it: a free body that carries links, and four free bodies joined.
local SATELLITE = [[
local carom = require "carom"
local m = carom.model "satellite"
m:gravity(0, 0, -2)
local v, w = { 1, 0, 3 }, { 0.5, 1, -0.3 }
local base = m:free_body("base", { mass = 2, inertia = { 0.2, 0.3, 0.4 }, velocity = v, spin = w })
local function there(r) -- what moves with the base at the start
  return { v[1] + w[2] * r[3] - w[3] * r[2], v[2] + w[3] * r[1] - w[1] * r[3], v[3] + w[1] * r[2] - w[2] * r[1] }
end
]]
T.test("a free body that carries links, and the same joined by constraints", function()
  local run = { step = 1e-3, until_time = 1 }
  local links = S.run({ text = SATELLITE .. [[
m:link("ballast", { parent = base, joint = "fixed", at = { 0.2, 0.1, 0 }, mass = 0.5, inertia = { 0.01, 0.02, 0.03 } })
local arm = m:link("arm", { parent = base, joint = "revolute", axis = { 1, 2, 2 }, at = { 0.3, 0, 0.1 }, mass = 1,
  inertia = { 0.05, 0.06, 0.02 }, center = { 0, 0, 0.2 } })
local lower = m:link("slide", { parent = arm, joint = "prismatic", axis = { 0, 1, 1 }, at = { 0, 0, 0.4 }, mass = 0.7,
  inertia = { 0.03, 0.01, 0.02 } })
]] .. TAIL:format(0.3) }, LOBATTO, run)
  local free = S.run({ text = SATELLITE .. [[
local function body(name, mass, inertia, at)
  return m:free_body(name, { mass = mass, inertia = inertia, at = at, velocity = there(at), spin = w })
end
local ballast = body("ballast", 0.5, { 0.01, 0.02, 0.03 }, { 0.2, 0.1, 0 })
local arm = body("arm", 1, { 0.05, 0.06, 0.02 }, { 0.3, 0, 0.3 })
local lower = body("slide", 0.7, { 0.03, 0.01, 0.02 }, { 0.3, 0, 0.5 })
m:joint("weld", { type = "fixed", body = ballast, on = base })
m:joint("pivot", { type = "revolute", body = arm, at = { 0, 0, -0.2 }, axis = { 1, 2, 2 }, on = base })
m:joint("rail", { type = "prismatic", body = lower, axis = { 0, 1, 1 }, on = arm })
]] .. TAIL:format(0.3) }, "D-:M=1", { step = 5e-5, until_time = 1 })
  T.ok(math.abs(links.q.arm) > 0.1 and math.abs(links.q.slide) > 0.1, "the joints hardly moved")
  for _, axis in ipairs { "x", "y", "z" } do T.near(free.outputs[axis], links.outputs[axis], 1e-8, axis) end
end)

-- A four-bar in space: crank about z, rocker about x, and a coupler between their tips P and Q on spherical joints. The loop is
-- cut at Q or at P and closed by a joint; both are the same mechanism.
local FOUR_BAR = [[
local carom = require "carom"
local m = carom.model "four_bar_in_space"
m:gravity(0, -9.81, -2)
local P, Q, tip = { 0.2, 0.25, 0 }, { 1, 0.4, 0.5 }, { 0, 0.4, 0.8 }
local d = { Q[1] - P[1], Q[2] - P[2], Q[3] - P[3] }
local crank = m:link("crank", { joint = "revolute", mass = 1, inertia = 0.01, center = { 0.1, 0.125, 0 } })
local rocker = m:link("rocker", { joint = "revolute", axis = { 1, 0, 0 }, at = { 1, 0, -0.3 }, mass = 1, inertia = 0.02,
  center = { 0, 0.2, 0.4 } })
local function coupler(on, at, sign)
  return m:link("coupler", { parent = on, joint = "spherical", at = at, mass = 0.5, inertia = 0.03,
    center = { sign * d[1] / 2, sign * d[2] / 2, sign * d[3] / 2 } })
end
]]
T.test("a loop in space, cut at either end", function()
  local run = { step = 2.5e-4, until_time = 0.6 }
  local at_Q = S.run({ text = FOUR_BAR .. [[
local rod = coupler(crank, P, 1)
m:joint("closed", { type = "spherical", body = rod, at = d, on = rocker, to = tip })
m:output("open", carom.abs(rod:point(d[1], d[2], d[3])[2] - rocker:point(0, 0.4, 0.8)[2]))
return m]] }, "D-:M=2", run)
  local at_P = S.run({ text = FOUR_BAR .. [[
local rod = coupler(rocker, tip, -1)
m:joint("closed", { type = "spherical", body = rod, at = { -d[1], -d[2], -d[3] }, on = crank, to = P })
return m]] }, "D-:M=2", run)
  T.ok(math.abs(at_Q.q.crank) > 0.3 and math.abs(at_Q.q.rocker) > 0.1, "it hardly moved")
  T.near(at_P.q.crank, at_Q.q.crank, 1e-8, "crank")
  T.near(at_P.q.rocker, at_Q.q.rocker, 1e-8, "rocker")
  T.near(at_Q.outputs.open, 0, 1e-10, "closed")
end)

local three = { text = [[
local carom = require "carom"
local m = carom.model "three_trees"
m:gravity(0, 0, -9.81)
for i = 1, 3 do
  local one = m:link("a" .. i, { joint = "revolute", axis = { 0, 1, 0 }, mass = 1.3 * i, inertia = 0.11 * i, center = { 0, 0, -0.4 },
    at = { 0, 0.7 * i, 0 }, initial = 0.2 * i })
  local two = m:link("b" .. i, { parent = one, joint = "revolute", axis = { 1, 0, 0 }, at = { 0, 0, -1 }, mass = 1, inertia = 0.2,
    center = { 0, 0.1, -0.5 }, initial = 0.1 * i, limits = { -1, 1 }, restitution = 0.5 })
  m:contact("floor" .. i, { gap = two:point(0, 0, -1)[3] + 1.985, restitution = 0.5 })
end
return m
]] }

T.test("alike trees are one kernel of the looped form, and both forms agree", function()
  local run = { step = 1e-3, until_time = 2 }
  local looped = S.unit(three, "D-:M=1", { form = "looped" })
  T.eq(looped.operators.kernels, 4, "one tree, two limits and one floor")
  local a, b = S.compile(looped):run(run), S.run(three, "D-:M=1", run)
  local hits = 0
  for i = 1, 3 do
    for _, name in ipairs { "a" .. i, "b" .. i } do T.near(a.q[name], b.q[name], 1e-9, name) end
    hits = hits + b.impulse["floor" .. i] + b.impulse["b" .. i .. "_low"] + b.impulse["b" .. i .. "_high"]
  end
  T.ok(hits > 0, "nothing was hit")
end)

T.test("explicit methods of capture go through long trees link by link, as D- does: no matrix, and both forms agree", function()
  local chain = [[
local carom = require "carom"
local m = carom.model "long_chain"
m:gravity(0, 0, -9.81)
local last
for i = 1, %d do
  last = m:link("joint" .. i, { parent = last, joint = "revolute", axis = { 0, 1, 0 }, at = { last and 0.1 or 0, 0, 0 }, mass = 0.1,
    center = { 0.05, 0, 0 }, inertia = { 1e-5, 8e-5, 8e-5 } })
end
m:contact("floor", { gap = last:point(0.1, 0, 0)[3] + 0.3, restitution = 0.5 })
return m]]
  local sizes = {}
  for i, n in ipairs { 30, 60 } do
    local unit = S.unit({ text = chain:format(n) }, "capture:rk=rk4")
    T.eq(unit.form, "unrolled")
    sizes[i] = 0
    for _, file in ipairs(unit.files) do if file.name:find "^long_chain" then sizes[i] = sizes[i] + #file.text end end
  end
  T.ok(sizes[2] < 2.1 * sizes[1], ("%d, %d: text that grows with the number of links"):format(sizes[1], sizes[2]))
  local run, model = { step = 2e-3, until_time = 0.5 }, { text = chain:format(27) }
  local a, b = S.run(model, "capture:rk=rk4", run), S.run(model, "capture:rk=rk4", { step = 2e-3, until_time = 0.5, form = "looped" })
  T.ok(a.impulse.floor > 0.01, "it fell on the floor")
  for name, q in pairs(a.q) do T.near(b.q[name], q, 1e-6, name) end -- an impact of many links: rounding grows
end)

-- Explicit schemes take long chains by recursion; loops over tables factor the whole mass matrix.
local chain = { text = [[
local m = require("carom").model "chain"
m:gravity(1, 0, -9.81)
local link
for i = 1, 30 do
  link = m:link("q" .. i, { parent = link, joint = "revolute", axis = i % 2 == 1 and { 0, 1, 0 } or { 0, 0, 1 }, mass = 0.1,
    at = { i > 1 and 0.1 or 0, 0, 0 }, center = { 0.05, 0, 0 }, inertia = { 2e-5, 1.2e-4, 1e-4 } })
end
return m
]] }

for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0,mass=end" } do
  T.test("a chain of 30 links is straight and agrees with loops over tables: " .. scheme, function()
    local run = { step = 1e-3, until_time = 0.02 }
    T.eq(S.unit(chain, scheme, {}).form, "unrolled")
    local a, b = S.run(chain, scheme, run), S.compile(S.unit(chain, scheme, { form = "looped" })):run(run)
    for i = 1, 30 do T.near(a.v["q" .. i], b.v["q" .. i], 1e-8, "rate of q" .. i) end
    T.ok(math.abs(a.v.q1) > 1e-2, "it moves")
  end)
end

T.test("a motor as an input drives a joint against its limit", function()
  local driven = S.run({ text = [[
local carom = require "carom"
local m = carom.model "driven"
local torque = m:input("torque", 0, "N m")
m:link("joint", { joint = "revolute", inertia = 1, motor = torque, limits = { -1, 1 }, restitution = 0.5 })
return m]] }, "capture:rk=radau5", { step = 0.01, until_time = 1.5, set = { "torque=2" } })
  T.near(driven.q.joint, 1 - 0.5 + 0.25, 1e-9, "it comes with 2 rad/s at t = 1 and leaves with half of it")
  T.near(driven.impulse.joint_high, 3, 1e-9)
end)

T.test("arm7 falls: joints stay within their limits, the tip above the table", function()
  local result = S.run("arm7", "D-:M=1", { step = 1e-3, until_time = 2, csv = true })
  local lowest, limit = 0, { 2.97, 2.09, 2.97, 2.09, 2.97, 2.09, 3.05 }
  for _, row in ipairs(result.rows) do
    lowest = math.min(lowest, row.tip_z)
    for i = 1, 7 do T.ok(math.abs(row["joint" .. i]) < limit[i] + 0.02, "joint " .. i) end
  end
  T.ok(lowest > -0.01, "the tip was at " .. lowest)
  T.ok(result.impulse.table > 0, "the tip did not reach the table")
end)

T.test("arm7: generated in 2 s, compiled without a warning by gcc -O2 in 5 s", function()
  local start = os.clock()
  local unit = S.unit("arm7", "D-:M=1")
  T.ok(os.clock() - start < 2, ("%.2f s"):format(os.clock() - start))
  local dir = S.write(unit)
  local said = S.command(("cd %s && HERE=%s bash -c 'TIMEFORMAT=%%U; time gcc %s -O2 %s -I. -I\"$HERE/runtime/include\" -c arm7.c "
    .. "-o arm7.o'"):format(dir, fs.quote(S.here), S.base, S.strict))
  local seconds = tonumber(said:match("([%d.]+)%s*$"))
  T.ok(seconds and seconds < 5, said)
end)

S.finish()
