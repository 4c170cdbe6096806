-- Bodies in space: rotations and their rates, gaps and slips of all pairs of shapes, joints. (What is refused: test_spatial_mistakes.lua.)
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local describe = require "gen.lang.core.describe"
local energy = require "gen.mech.energy"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval
local load = require("gen.lang.core.load").load

-- A and B are free bodies; A starts where `at` says
local HEAD = [[
local carom = require "carom"
local m = carom.model "test"
local A = m:free_body("A", { mass = 2, inertia = { 1, 2, 3 }, at = { %g, %g, %g } })
local B = m:free_body("B", { mass = 1, inertia = 1 })
]] -- four lines

local function read(body, at)
  at = at or { 50, 60, 70 }
  return load("test.lua", { text = HEAD:format(at[1], at[2], at[3]) .. body .. "\nreturn m\n" })
end

-- ---- plain arithmetic of rotations ----

local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
local function plus(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end

local function product(p, q)
  return { p[1] * q[1] - p[2] * q[2] - p[3] * q[3] - p[4] * q[4], p[1] * q[2] + p[2] * q[1] + p[3] * q[4] - p[4] * q[3],
    p[1] * q[3] - p[2] * q[4] + p[3] * q[1] + p[4] * q[2], p[1] * q[4] + p[2] * q[3] - p[3] * q[2] + p[4] * q[1] }
end

local function turned(q, x)
  local r = product(product(q, { 0, x[1], x[2], x[3] }), { q[1], -q[2], -q[3], -q[4] })
  return { r[2], r[3], r[4] }
end

local function turned_back(q, x) return turned({ q[1], -q[2], -q[3], -q[4] }, x) end

local function about(axis, angle)
  local size, s = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2), math.sin(angle / 2)
  return { math.cos(angle / 2), s * axis[1] / size, s * axis[2] / size, s * axis[3] / size }
end

-- numbers for the symbols: states[i] = { at, q, velocity, w (in the frame of the body) } of the i-th body
local function numbers(m, states)
  local env = { [m.time] = 0 }
  for _, p in ipairs(m.parameters) do env[p.sym] = p.value end
  for i, r in ipairs(m.rotations) do
    local s = states[i] or {}
    for k = 1, 3 do
      local c = m.coordinates[3 * i - 3 + k]
      env[c.q], env[c.v] = (s.at or { 0, 0, 0 })[k], (s.velocity or { 0, 0, 0 })[k]
      env[r.v[k]] = (s.w or { 0, 0, 0 })[k]
    end
    for k = 1, 4 do env[r.q[k]] = (s.q or { 1, 0, 0, 0 })[k] end
  end
  return env
end

-- d/dt of an expression by the contract: coordinates to velocities, quaternions to their rates
local function rate(m, node)
  local map = { [m.time] = E.one }
  for _, c in ipairs(m.coordinates) do map[c.q] = c.v end
  for _, r in ipairs(m.rotations) do for k = 1, 4 do map[r.q[k]] = r.rate[k] end end
  return D.total(node, map)
end

local state = { at = { 1, 2, 3 }, q = about({ 1, -2, 0.5 }, 0.8), velocity = { 0.3, -0.1, 0.7 }, w = { 0.4, 1.1, -0.6 } }

T.test("what a free body adds to the model", function()
  local m = read "m:gravity(0, 0, -9.81)"
  T.eq(#m.coordinates, 6) T.eq(m.coordinates[1].name, "A_x") T.eq(m.coordinates[6].name, "B_z")
  T.eq(#m.rotations, 2)
  local r = m.rotations[1]
  T.eq(r.name, "A") T.eq(r.line, 3) T.eq(r.q[1].name, "A_qw") T.eq(r.q[4].kind, "q") T.eq(r.v[3].name, "A_wz")
  T.eq(r.v[3].kind, "v") T.eq(r.initial[1].value, 1) T.eq(r.spin[1].value, 0)
  local t = m.terms[1]
  T.eq(t.kind, "free_body") T.eq(t.mass.value, 2) T.eq(t.inertia[2][2].value, 2) T.eq(t.inertia[1][2].value, 0)
  T.eq(t.position[3], m.coordinates[3]) T.eq(t.w[1], r.v[1])
  T.eq(m.terms[2].inertia[3][3].value, 1)
  T.eq(#m.gravity, 3)
  local names = {}
  for i, n in ipairs(m.names) do names[i] = n.name end
  T.eq(table.concat(names, " ", 13), "A_qw A_qx A_qy A_qz A_wx A_wy A_wz B_qw B_qx B_qy B_qz B_wx B_wy B_wz")
  T.ok(describe(m):find("free body A: mass 2", 1, true))
  T.eq(#load("x.lua", { text = 'local m = require("carom").model "x"\nlocal q = m:coordinate "q"\n'
    .. "m:kinetic_energy(q.dot^2)\nreturn m" }).rotations, 0)
end)

T.test("orientation: quaternions are made to unit length, an axis and an angle become one", function()
  local function initial(text)
    local m = load("x.lua", { text = 'local carom = require "carom"\nlocal m = carom.model "x"\nlocal p = m:parameter("p", 2)\n'
      .. 'm:free_body("A", { mass = 1, inertia = 1, orientation = ' .. text .. " })\nreturn m" })
    local q, env = {}, numbers(m, {})
    for i = 1, 4 do q[i] = eval(m.rotations[1].initial[i], env) end
    return q
  end
  local function same(q, expected) for i = 1, 4 do T.near(q[i], expected[i], 1e-15) end end
  same(initial "{ 2, 0, 0, 0 }", { 1, 0, 0, 0 })
  same(initial "{ 1, 1, -1, 1 }", { 0.5, 0.5, -0.5, 0.5 })
  same(initial "{ p, p, p, p }", { 0.5, 0.5, 0.5, 0.5 })
  same(initial "{ axis = { 0, 0, 5 }, angle = carom.pi / 2 }", about({ 0, 0, 1 }, math.pi / 2))
  same(initial "{ axis = { 1, p, 3 }, angle = p }", about({ 1, 2, 3 }, 2))
end)

T.test("points, directions and their rates", function()
  local m = read [[
local p, d = A:point(0.5, -0.4, 0.2), A:direction(0.5, -0.4, 0.2)
for i = 1, 3 do
  m:output("p" .. i, p[i]) m:output("d" .. i, d[i]) m:output("v" .. i, p[i].dot, { unit = "m/s" })
end
m:output("w", A.spin[2], { unit = "rad/s" })
m:output("n", A.orientation[1]^2 + A.orientation[2]^2 + A.orientation[3]^2 + A.orientation[4]^2)]]
  local env = numbers(m, { state })
  local arm = turned(state.q, { 0.5, -0.4, 0.2 })
  local velocity = plus(state.velocity, cross(turned(state.q, state.w), arm))
  for i = 1, 3 do
    T.near(eval(m.outputs[3 * i - 2].expr, env), state.at[i] + arm[i], 1e-14)
    T.near(eval(m.outputs[3 * i - 1].expr, env), arm[i], 1e-14)
    T.near(eval(m.outputs[3 * i].expr, env), velocity[i], 1e-14)
    T.near(eval(rate(m, m.outputs[3 * i - 2].expr), env), velocity[i], 1e-14)
  end
  T.eq(eval(m.outputs[10].expr, env), 1.1)
  T.near(eval(rate(m, m.outputs[11].expr), env), 0, 1e-15)
end)

T.test("forces, torques, springs and dampers in space", function()
  local m = read [[
m:force { at = A:point(0, 0, 1), value = { 1, 2, 3 } }
m:force { body = A, torque = { 1, 2, 3 } }
m:force { body = A, torque = { 1, 2, 3 }, frame = "body" }
m:spring("s", { between = { A:point(1, 0, 0), { 0, 0, 0 } }, stiffness = 3 })
m:spring("l", { between = { A.at, B.at }, stiffness = 3, rest = 0.5 })
m:damper("d", { between = { A:point(1, 0, 0), { 0, 0, 0 } }, damping = 2 })]]
  local env = numbers(m, { state, { at = { 1, 2, 5 } } })
  local force, space, own, spring, long, damper = table.unpack(m.terms, 3)
  T.eq(force.kind, "spatial_force")
  local arm = turned(state.q, { 0, 0, 1 })
  for i = 1, 3 do
    T.near(eval(force.at[i], env), state.at[i] + arm[i], 1e-14) T.eq(force.value[i].value, i)
    T.eq(space.kind, "body_torque") T.eq(space.w[i], m.rotations[1].v[i]) T.eq(own.value[i].value, i)
    T.near(eval(space.value[i], env), turned_back(state.q, { 1, 2, 3 })[i], 1e-14)
  end
  local p = plus(state.at, turned(state.q, { 1, 0, 0 }))
  local v = plus(state.velocity, cross(turned(state.q, state.w), turned(state.q, { 1, 0, 0 })))
  local squared = p[1] ^ 2 + p[2] ^ 2 + p[3] ^ 2
  T.near(eval(spring.expr, env), 1.5 * squared, 1e-13)
  T.near(eval(long.expr, env), 1.5 * 1.5 ^ 2, 1e-13)
  T.near(eval(damper.expr, env), (p[1] * v[1] + p[2] * v[2] + p[3] * v[3]) ^ 2 / squared, 1e-13)
end)

-- ---- shapes ----

-- what touches (on A), what is touched (on B), a place of A where they touch while neither is turned
local touching = {
  { 'm:sphere("a", { radius = 0.5, body = A })', 'm:sphere("b", { radius = 1.5, body = B })', { 1.2, 0, 1.6 } },
  { 'm:sphere("a", { radius = 0.5, body = A })', 'm:sphere("b", { radius = 1.5, body = B })', { 1.2, 0, -1.6 } },
  { 'm:sphere("a", { radius = 0.5, body = A, at = { 0.1, 0, 0 } })', 'm:sphere("b", { radius = 1.5, body = B })', { 1.9, 0, 0 } },
  { 'm:sphere("a", { radius = 0.5, body = A })', 'm:plane("b", { body = B, at = { 0, 0, 1 }, normal = { 0, 3, 4 } })',
    { 5, 2.3, -0.1 } },
  { 'm:sphere("a", { radius = 0.5, body = A })', 'm:box("b", { body = B, size = { 2, 2, 2 } })', { 0.3, 0.2, -1.5 } },
  { 'm:sphere("a", { radius = 0.5, body = A })', 'm:box("b", { body = B, size = { 2, 2, 2 } })', { 1.3, 0, 1.4 } },
  { 'm:sphere("a", { radius = 0.7, body = A })', 'm:box("b", { body = B, size = { 2, 2, 2 } })', { 1.2, -1.3, 1.6 } },
  { 'm:sphere("a", { radius = 0.5, body = A })', 'm:capsule("b", { body = B, radius = 1, length = 2, axis = { 1, 0, 0 } })',
    { 0.4, 1.2, 0.9 } },
  { 'm:sphere("a", { radius = 0.5, body = A })', 'm:capsule("b", { body = B, radius = 1, length = 2, axis = { 1, 0, 0 } })',
    { 1.9, 0, 1.2 } },
  { 'm:box("a", { size = { 2, 1, 3 }, body = A })', 'm:plane("b", { body = B, at = { 0, 0, 1 } })', { 4, 5, 2.5 } },
  { 'm:capsule("a", { radius = 0.5, length = 2, axis = { 3, 0, 4 }, body = A })', 'm:plane("b", { body = B, at = { 0, 0, 0 } })',
    { 4, 5, 1.3 } },
  { 'm:cylinder("a", { radius = 0.5, length = 2, axis = { 3, 0, 4 }, body = A })',
    'm:plane("b", { body = B, at = { 0, 0, 0 } })', { 4, 5, 1.1 } },
}

T.test("a common rigid motion has no slip and keeps the gap", function()
  for i, pair in ipairs(touching) do
    local m = read("m:contact_between(" .. pair[1] .. ", " .. pair[2] .. ", { friction = 1 })", pair[3])
    local B = { at = { 0.3, -0.7, 0.2 }, q = about({ 1, 2, -3 }, 1.3), velocity = { 1, 2, 3 }, w = { 0.5, -0.7, 0.3 } }
    local arm, omega = turned(B.q, pair[3]), turned(B.q, B.w)
    local A = { at = plus(B.at, arm), q = B.q, w = B.w, velocity = plus(B.velocity, cross(omega, arm)) }
    local env = numbers(m, { A, B })
    local c = m.contacts[1]
    T.near(eval(c.gap, env), 0, 1e-14, "gap of pair " .. i)
    T.near(eval(rate(m, c.gap), env), 0, 1e-14, "rate of the gap of pair " .. i)
    T.eq(#c.slip, 2)
    for k = 1, 2 do T.near(eval(c.slip[k], env), 0, 1e-14, "slip of pair " .. i) end
    -- normal speed and slip together are the whole relative velocity of the two points
    A.velocity = plus(A.velocity, { 0.3, 0.4, -1.2 })
    env = numbers(m, { A, B })
    local speed = eval(rate(m, c.gap), env) ^ 2 + eval(c.slip[1], env) ^ 2 + eval(c.slip[2], env) ^ 2
    T.near(speed, 0.09 + 0.16 + 1.44, 1e-13, "speed of pair " .. i)
  end
end)

T.test("a ball on a table: distance and rolling", function()
  local m = read [[m:contact_between(m:sphere("s", { radius = 0.2, body = A }), m:plane("g", { normal = { 0, 0, 2 } }),
  { friction = 0.1, restitution = 0.3 })]]
  local c = m.contacts[1]
  T.eq(c.name, "s_g") T.eq(c.friction.value, 0.1)
  local env = numbers(m, { state })
  local omega = turned(state.q, state.w)
  T.near(eval(c.gap, env), 2.8, 1e-15)
  T.near(eval(c.slip[1], env), 0.3 - 0.2 * omega[2], 1e-15)
  T.near(eval(c.slip[2], env), -0.1 + 0.2 * omega[1], 1e-15)
end)

T.test("corners of a brick, ends of a capsule, rims of a cylinder", function()
  local m = read [[
local floor = m:plane("f", { at = { 0, 0, -9 }, normal = { 0, 0, 1 } })
m:contact_between(m:box("box", { size = { 2, 1, 3 }, body = A }), floor, { friction = 1 })
m:contact_between(floor, m:box("low", { size = { 2, 1, 3 }, body = A, corners = { 8, 2 } }))
m:contact_between(m:capsule("pill", { radius = 0.2, length = 1, body = A, at = { 0.1, 0, 0 } }), floor)
m:contact_between(m:cylinder("drum", { radius = 0.2, length = 1, body = A, axis = { 0, 1, 0 } }), floor)]]
  local names = {}
  for i, c in ipairs(m.contacts) do names[i] = c.name end
  T.eq(table.concat(names, " "), "box_f_1 box_f_2 box_f_3 box_f_4 box_f_5 box_f_6 box_f_7 box_f_8 f_low_8 f_low_2 pill_f_1 "
    .. "pill_f_2 drum_f_1 drum_f_2")
  local env = numbers(m, { state })
  local function height(x, y, z) return state.at[3] + turned(state.q, { x, y, z })[3] + 9 end
  local function gap(i) return eval(m.contacts[i].gap, env) end
  T.near(gap(1), height(-1, -0.5, -1.5), 1e-14) T.near(gap(3), height(1, 0.5, -1.5), 1e-14)
  T.near(gap(8), height(-1, 0.5, 1.5), 1e-14) T.near(gap(9), gap(8), 0) T.near(gap(10), height(1, -0.5, -1.5), 1e-14)
  T.near(gap(11), height(0.1, 0, -0.5) - 0.2, 1e-14) T.near(gap(12), height(0.1, 0, 0.5) - 0.2, 1e-14)
  local lowest = { math.huge, math.huge }
  for k = 0, 3600 do
    local x, z = 0.2 * math.cos(k * math.pi / 1800), 0.2 * math.sin(k * math.pi / 1800)
    for side = 1, 2 do lowest[side] = math.min(lowest[side], height(x, side - 1.5, z)) end
  end
  T.near(gap(13), lowest[1], 1e-6) T.near(gap(14), lowest[2], 1e-6)
end)

T.test("tangents are unit vectors perpendicular to the normal, wherever it points", function()
  local space, value = require "gen.lang.core.space", require "gen.lang.core.value"
  for _, n in ipairs { { 0, 0, 1 }, { 0, 0, -1 }, { 0.6, 0, -0.8 }, { 0, 1, 0 }, { 2 / 3, -2 / 3, -1 / 3 } } do
    local t1, t2 = space.tangents { value.lift(n[1]), value.lift(n[2]), value.lift(n[3]) }
    local a, b = {}, {}
    for i = 1, 3 do a[i], b[i] = eval(value.node(value.lift(t1[i])), {}), eval(value.node(value.lift(t2[i])), {}) end
    local c = cross(a, b)
    for i = 1, 3 do T.near(c[i], n[i], 1e-15) end
    T.near(a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2, 1, 1e-15)
  end
end)

-- ---- joints ----

T.test("joints: number of constraints, and which motions they allow", function()
  -- type, constraints, allowed relative motions of A at the joint point: velocity, spin
  local all = {
    { 'type = "spherical"', 3, { { 0, 0, 0 }, { 1, 2, 3 } } },
    { 'type = "revolute", axis = { 0, 0, 2 }', 5, { { 0, 0, 0 }, { 0, 0, 3 } } },
    { 'type = "cylindrical", axis = { 0, 0, 2 }', 4, { { 0, 0, 1 }, { 0, 0, 3 } } },
    { 'type = "prismatic", axis = { 0, 0, 2 }', 5, { { 0, 0, 1 }, { 0, 0, 0 } } },
    { 'type = "planar", axis = { 0, 0, 2 }', 3, { { 1, 2, 0 }, { 0, 0, 3 } } },
    { 'type = "universal", axis = { 0, 0, 2 }, to_axis = { 1, 0, 0 }', 4, { { 0, 0, 0 }, { 1, 0, 3 } } },
    { 'type = "fixed"', 6, { { 0, 0, 0 }, { 0, 0, 0 } } },
  }
  for _, j in ipairs(all) do
    local m = read('m:joint("j", { ' .. j[1] .. ", body = A, at = { 0.5, 0.2, 0.1 }, on = B })", { 1, 2, 3 })
    T.eq(#m.constraints, j[2], j[1])
    T.eq(m.constraints[1].name, "j_1")
    local function rates(velocity, spin)
      local A = { at = { 1, 2, 3 }, w = spin, velocity = plus(velocity, cross(spin, { -0.5, -0.2, -0.1 })) }
      local env, size = numbers(m, { A, {} }), 0
      for _, c in ipairs(m.constraints) do
        T.near(eval(c.expr, env), 0, 1e-15)
        size = math.max(size, math.abs(eval(rate(m, c.expr), env)))
      end
      return size
    end
    T.near(rates(j[3][1], j[3][2]), 0, 1e-15, j[1])
    local free = 0
    for k = 1, 3 do
      local unit = { k == 1 and 1 or 0, k == 2 and 1 or 0, k == 3 and 1 or 0 }
      if rates(unit, { 0, 0, 0 }) < 1e-12 then free = free + 1 end
      if rates({ 0, 0, 0 }, unit) < 1e-12 then free = free + 1 end
    end
    T.eq(free, 6 - j[2], j[1])
  end
end)

T.test("a joint to space between turned frames", function()
  local m = load("x.lua", { text = [[
local carom = require "carom"
local m = carom.model "x"
local A = m:free_body("A", { mass = 1, inertia = 1, at = { 1, 0, 0 }, orientation = { axis = { 1, 2, 3 }, angle = 0.7 } })
local B = m:free_body("B", { mass = 1, inertia = 1, at = { 0, 1, 0 }, orientation = { axis = { 3, 2, 1 }, angle = 1.7 } })
m:joint("a", { type = "fixed", body = A })
m:joint("b", { type = "revolute", body = A, on = B, at = { 0, 0, 0.3 }, axis = { 1, 0, 1 } })
return m]] })
  T.eq(#m.constraints, 11)
end)

T.test("the energy of a free body: of its motion, its rotation with all products of inertia, its weight", function()
  local m = load("x.lua", { text = [[
local m = require("carom").model "x"
m:gravity(0, 0, -10)
m:free_body("A", { mass = 2, inertia = { { 3, 0.5, -0.25 }, { 0.5, 4, 0.75 }, { -0.25, 0.75, 5 } } })
return m]] })
  local v, w, z = { 1, -2, 3 }, { 2, -1, 0.5 }, 0.7
  local env = numbers(m, { { at = { 4, 5, z }, q = about({ 1, 2, 3 }, 0.4), velocity = v, w = w } })
  local rotation = 3 * w[1] ^ 2 + 4 * w[2] ^ 2 + 5 * w[3] ^ 2 + 2 * (0.5 * w[1] * w[2] - 0.25 * w[1] * w[3] + 0.75 * w[2] * w[3])
  local expected = 2 / 2 * (v[1] ^ 2 + v[2] ^ 2 + v[3] ^ 2) + rotation / 2 + 2 * 10 * z
  T.near(eval(energy.of { model = m, symbols = equations.symbols(m) }, env), expected, 1e-13)
end)

T.finish()
