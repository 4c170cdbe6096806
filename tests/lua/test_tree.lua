-- Trees in joint coordinates: mass matrix and forces by recursion against the same tree by differentiating its energies,
-- and against the planar and the free-body model of the same thing; the words link; the cost of the recursion.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local Q = require "gen.mech.equations"
local factor = require "gen.mech.factor"
local describe = require "gen.lang.core.describe"
local eval = require("gen.expr.eval").eval
local load = require("gen.lang.core.load").load

-- ---- random numbers, the same in every run -------------------------------------------------------------------------------
local seed = 1
local function random(low, high)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return low + (high - low) * seed / 2147483648
end

local function vector(low, high) return { random(low, high), random(low, high), random(low, high) } end

local function unit(a)
  local size = math.sqrt(a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2)
  return { a[1] / size, a[2] / size, a[3] / size }
end

local function product(A, B)
  local C = {}
  for i = 1, 3 do
    C[i] = {}
    for j = 1, 3 do C[i][j] = A[i][1] * B[1][j] + A[i][2] * B[2][j] + A[i][3] * B[3][j] end
  end
  return C
end

local function apply(A, x)
  local y = {}
  for i = 1, 3 do y[i] = A[i][1] * x[1] + A[i][2] * x[2] + A[i][3] * x[3] end
  return y
end

-- rotation by an angle (a number or a node) about a unit axis
local function about(a, angle)
  local c, s = E.cos(angle), E.sin(angle)
  local R = {}
  local skew = { { 0, -a[3], a[2] }, { a[3], 0, -a[1] }, { -a[2], a[1], 0 } }
  for i = 1, 3 do
    R[i] = {}
    for j = 1, 3 do R[i][j] = (1 - c) * (a[i] * a[j]) + s * skew[i][j] + (i == j and c or 0) end
  end
  return R
end

local function number_matrix(A)
  local B = {}
  for i = 1, 3 do B[i] = { A[i][1].value, A[i][2].value, A[i][3].value } end
  return B
end

local axes = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, -1, 0 } }

-- A random tree: joints a list of kinds, parents a list of numbers.
local function random_tree(joints, parents, aligned)
  local model = { name = "tree", time = E.sym("t", "time"), coordinates = {}, rotations = {}, contacts = {}, constraints = {},
    gravity = { E.num(0.3), E.num(-0.2), E.num(-9.81) } }
  local links = {}
  for k, joint in ipairs(joints) do
    local link = { name = "link" .. k, joint = joint, parent = parents[k], at = vector(-1, 1), mass = random(0.5, 2),
      center = vector(-0.3, 0.3), axis = aligned and axes[k % 4 + 1] or unit(vector(-1, 1)),
      rotation = aligned and number_matrix(about(axes[k % 3 + 1], math.pi / 2 * (k % 4))) or number_matrix(about(unit(vector(-1, 1)), k)) }
    local a, b, c, d, e, f = random(1, 2), random(1, 2), random(1, 2), random(-0.2, 0.2), random(-0.2, 0.2), random(-0.2, 0.2)
    link.inertia = { { a, d, e }, { d, b, f }, { e, f, c } }
    if joint ~= "fixed" then
      link.q, link.v = E.sym("q" .. k, "q"), E.sym("q" .. k .. ".dot", "v")
      table.insert(model.coordinates, { name = "q" .. k, q = link.q, v = link.v })
    end
    links[k] = link
  end
  model.terms = { { kind = "tree", links = links } }
  return model, links
end

-- M and h of the same tree from its energies: d2T/dv dv, dT/dq - d/dt dT/dv - dV/dq
local function from_energies(model, links)
  local kinetic, potential, place = E.zero, E.zero, {}
  local rates = {}
  for _, c in ipairs(model.coordinates) do rates[c.q] = c.v end
  for k, link in ipairs(links) do
    local up = place[link.parent] or { at = { E.zero, E.zero, E.zero }, R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }
    local R, at = product(up.R, link.rotation), apply(up.R, link.at)
    for i = 1, 3 do at[i] = at[i] + up.at[i] end
    local step = apply(R, link.axis)
    if link.joint == "prismatic" then
      for i = 1, 3 do at[i] = at[i] + step[i] * link.q end
    elseif link.joint == "revolute" then
      R = product(R, about(link.axis, link.q))
    end
    place[k] = { at = at, R = R }
    local centre, rate = apply(R, link.center), {}
    for i = 1, 3 do
      centre[i] = E.lift(centre[i] + at[i])
      kinetic = kinetic + 0.5 * link.mass * D.total(centre[i], rates) ^ 2
      potential = potential - link.mass * model.gravity[i] * centre[i]
      rate[i] = {}
      for j = 1, 3 do rate[i][j] = D.total(E.lift(R[i][j]), rates) end
    end
    -- w = vee of R^T R'
    local w, RtR = {}, product({ { R[1][1], R[2][1], R[3][1] }, { R[1][2], R[2][2], R[3][2] }, { R[1][3], R[2][3], R[3][3] } }, rate)
    w[1], w[2], w[3] = RtR[3][2], RtR[1][3], RtR[2][1]
    local momentum = apply(link.inertia, w)
    for i = 1, 3 do kinetic = kinetic + 0.5 * momentum[i] * w[i] end
  end
  local M, h, q, v = {}, {}, {}, {}
  for i, c in ipairs(model.coordinates) do q[i], v[i] = c.q, c.v end
  local p, slope, weight = D.gradient(kinetic, v), D.gradient(kinetic, q), D.gradient(potential, q)
  for i = 1, #q do
    M[i], h[i] = D.gradient(p[i], v), slope[i] - D.total(p[i], rates) - weight[i]
  end
  return M, h
end

local function compare(model, links)
  local eq = Q.derive(model)
  local M, h = from_energies(model, links)
  for _ = 1, 3 do
    local env, mine, other, scale = { [model.time] = 0 }, {}, {}, 1
    for _, c in ipairs(model.coordinates) do env[c.q], env[c.v] = random(-2, 2), random(-1, 1) end
    for i = 1, eq.n do scale = math.max(scale, math.abs(eval(h[i], env, other)), math.abs(eval(M[i][i], env, other))) end
    for i = 1, eq.n do
      T.near(eval(eq.h[i], env, mine), eval(h[i], env, other), 1e-13 * scale, "h " .. i)
      for j = 1, i do
        T.near(eq.M[i][j] and eval(eq.M[i][j], env, mine) or 0, eval(M[i][j], env, other), 1e-13 * scale, "M " .. i .. " " .. j)
      end
    end
  end
  return eq
end

local R, P, X = "revolute", "prismatic", "fixed"
for _, case in ipairs {
  { "an arm of seven joints", { R, R, R, R, R, R, R }, { 0, 1, 2, 3, 4, 5, 6 } },
  { "prismatic joints", { P, R, P, R, P }, { 0, 1, 2, 3, 4 } },
  { "branches", { R, R, P, R, R, R }, { 0, 1, 1, 2, 2, 3 } },
  { "two trees", { R, R, R, P }, { 0, 0, 1, 2 } },
  { "fixed links", { X, R, X, X, R, X }, { 0, 1, 2, 3, 4, 5 } },
} do
  T.test("recursion and energies agree: " .. case[1], function()
    for _, aligned in ipairs { true, false } do compare(random_tree(case[2], case[3], aligned)) end
  end)
end

for _, case in ipairs { { "along coordinate axes", true }, { "oblique", false } } do
  T.test("the recursion is short: seven joints " .. case[1] .. " within 1.2 times the 2351 operations of a plain one", function()
    local eq = compare(random_tree({ R, R, R, R, R, R, R }, { 0, 1, 2, 3, 4, 5, 6 }, case[2]))
    local count = Q.operations(eq)
    T.ok(count <= 1.2 * 2351, count .. " operations with full inertias")
  end)
end

-- ---- the word link ---------------------------------------------------------------------------------------------------------
local function read(body)
  E.reset()
  return load("test.lua", { text = 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. body .. "\nreturn m\n" })
end

local function state(m, q, v)
  local env = { [m.time] = 0 }
  for _, p in ipairs(m.parameters) do env[p.sym] = p.value end
  for _, p in ipairs(m.inputs) do env[p.sym] = p.value end
  for i, c in ipairs(m.coordinates) do env[c.q], env[c.v] = q and q[i] or eval(c.initial, env), v and v[i] or eval(c.velocity, env) end
  return env
end

T.test("a double pendulum of links is the planar one", function()
  -- absolute angles a, b from below in the plane x-z; links turn about -y by a and b - a
  local m = read [[
m:gravity(0, 0, -9.81)
local one = m:link("one", { joint = "revolute", axis = { 0, -1, 0 }, mass = 1.5, inertia = { 0, 0.3, 0 }, center = { 0, 0, -0.5 } })
m:link("two", { parent = one, joint = "revolute", axis = { 0, -1, 0 }, at = { 0, 0, -1.2 }, mass = 0.7, inertia = { 0, 0.2, 0 },
  center = { 0, 0, -0.4 } })]]
  local eq = Q.derive(m)
  local a, b, va, vb = 0.7, -0.4, 1.3, 0.6
  local env = state(m, { a, b - a }, { va, vb - va })
  local function M(i, j) return eval(eq.M[i][j], env) end
  -- in absolute angles: T = 1/2 (A va^2 + B vb^2) + C cos(a - b) va vb
  local A, B, C = 1.5 * 0.25 + 0.3 + 0.7 * 1.44, 0.7 * 0.16 + 0.2, 0.7 * 1.2 * 0.4
  T.near(M(2, 2), B, 1e-14)
  T.near(M(2, 1), B + C * math.cos(a - b), 1e-14)
  T.near(M(1, 1), A + B + 2 * C * math.cos(a - b), 1e-14)
  local ha = -C * math.sin(a - b) * vb ^ 2 - 9.81 * (1.5 * 0.5 + 0.7 * 1.2) * math.sin(a)
  local hb = C * math.sin(a - b) * va ^ 2 - 9.81 * 0.7 * 0.4 * math.sin(b)
  T.near(eval(eq.h[2], env), hb, 1e-13)
  T.near(eval(eq.h[1], env), ha + hb, 1e-13)
end)

T.test("points, directions and spins of links move as their coordinates say", function()
  local m = read [[
local a = m:link("a", { joint = "universal", axis = { 0, 0, 1 }, axis2 = { 1, 1, 0 }, at = { 0.1, 0.2, 0.3 }, mass = 1, inertia = 1,
  rotation = { axis = { 1, 2, 3 }, angle = 0.4 } })
local b = m:link("b", { parent = a, joint = "planar", axis = { 0, 1, 0 }, at = { 1, 0, 0 }, mass = 1, inertia = 1 })
local c = m:link("c", { parent = b, joint = "cylindrical", mass = 1, inertia = 1, at = { 0, 0.5, 0 } })
local d = m:link("d", { parent = c, joint = "fixed", at = { 0, 0, 1 }, rotation = { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } } })
local p, e, w = d:point(0.3, 0.2, 0.1), d:direction(0.3, 0.2, 0.1), d:direction(d.spin[1], d.spin[2], d.spin[3])
for i = 1, 3 do
  m:output("p" .. i, p[i]) m:output("e" .. i, e[i]) m:output("w" .. i, w[i]) m:output("de" .. i, e[i].dot) m:output("at" .. i, d.at[i])
end]]
  local q, v = {}, {}
  for i = 1, #m.coordinates do q[i], v[i] = random(-1, 1), random(-1, 1) end
  T.eq(#m.coordinates, 7)
  local env, out = state(m, q, v), {}
  for _, o in ipairs(m.outputs) do out[o.name] = eval(o.expr, env) end
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    T.near(out["p" .. i], out["at" .. i] + out["e" .. i], 1e-15)
    T.near(out["de" .. i], out["w" .. j] * out["e" .. k] - out["w" .. k] * out["e" .. j], 1e-14)
  end
  T.near(out.e1 ^ 2 + out.e2 ^ 2 + out.e3 ^ 2, 0.14, 1e-15)
end)

T.test("a motor, a torque and a force on a link do the same work", function()
  local m = read [[
local u = m:input("u", 0.7)
local a = m:link("a", { joint = "revolute", mass = 1, inertia = 1, motor = u })
local b = m:link("b", { joint = "revolute", mass = 1, inertia = 1 })
m:force { body = b, torque = { 0.1, 0.2, 0.7 } }
local c = m:link("c", { joint = "revolute", mass = 1, inertia = 1, initial = 0.3 })
m:force { at = c:point(2, 0, 0), value = c:direction(0, 0.35, 5) }]]
  local eq, env = Q.derive(m), state(m)
  for i = 1, 3 do T.near(eval(eq.h[i], env), 0.7, 1e-15) end
end)

T.test("a force on a point and a torque on an angle, planar: the work they do", function()
  local m = read [[
local x, th = m:coordinate("x", { initial = 0.4 }), m:coordinate("th", { initial = 0.3 })
m:kinetic_energy(x.dot ^ 2 / 2 + th.dot ^ 2 / 2)
m:force { at = { x + 2 * carom.cos(th), 2 * carom.sin(th) }, value = { 3, 5 }, torque = 7, angle = 2 * th - x }]]
  local eq, env = Q.derive(m), state(m)
  T.near(eval(eq.h[1], env), 3 - 7, 1e-15)
  T.near(eval(eq.h[2], env), -6 * math.sin(0.3) + 10 * math.cos(0.3) + 14, 1e-14)
end)

T.test("limits are contacts, shapes and springs take links", function()
  local m = read [[
m:gravity(0, 0, -9.81)
local a = m:link("a", { joint = "prismatic", axis = { 0, 0, 2 }, mass = 1, initial = 1, limits = { -1, 2 }, restitution = 0.5 })
local ball = m:sphere("ball", { body = a, radius = 0.1, at = { 0, 0, -0.5 } })
m:contact_between(ball, m:plane("floor", { normal = { 0, 0, 1 } }), { name = "touch" })
m:spring { between = { a:point(0, 1, 0), { 0, 0, 0 } }, stiffness = 3 }]]
  local env = state(m)
  local gaps = {}
  for _, c in ipairs(m.contacts) do gaps[c.name] = eval(c.gap, env) end
  T.eq(gaps.a_low, 2) T.eq(gaps.a_high, 1) T.near(gaps.touch, 0.4, 1e-15)
  T.eq(m.contacts[1].restitution.value, 0.5)
  T.ok(describe(m):find("link a: prismatic on the ground", 1, true), "description")
end)

for _, case in ipairs {
  { 'm:link("a", { mass = 1 })', "joint of link 'a' is missing" },
  { 'm:link("a", { joint = "revolute", parent = m })', "parent of link 'a' must be a link or a free body, not a table; give" },
  { 'm:link("a", { joint = "universal", mass = 1 })', "needs its second axis" },
  { 'm:link("a", { joint = "fixed", axis = { 0, 0, 1 } })', "is fixed and has no axis" },
  { 'm:link("a", { joint = "fixed", initial = 1 })', "is fixed and has no coordinate" },
  { 'm:link("a", { joint = "spherical", mass = 1, inertia = 1, initial = 1 })', "has 1 value but the joint has 3 coordinates" },
  { 'm:link("a", { joint = "revolute", mass = 1 })', "coordinate 'a' has no inertia" },
  { 'm:link("a", { joint = "prismatic", mass = -1 })', "mass of link 'a' is %-1" },
  { 'm:link("a", { joint = "revolute", inertia = { 1, -1, 1 } })', "inertia of link 'a' is negative about some axis" },
  { 'm:link("a", { joint = "revolute", inertia = 1, rotation = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 1, 1 } } })', "is no rotation" },
  { 'm:link("a", { joint = "revolute", inertia = 1, axis = { 0, 0, 0 } })', "has the length 0" },
  { 'm:link("a", { joint = "revolute", inertia = 1, restitution = 1 })', "restitution but no limits" },
  { 'local a = m:link("a", { joint = "revolute", inertia = 1 }) local b = a.angle', "a link has no field 'angle'; it has q, at" },
} do
  T.test("refused: " .. case[1], function() T.fails(function() read(case[1]) end, case[2]) end)
end

-- ---- M^-1 ------------------------------------------------------------------------------------------------------------------
-- M x = b with x by recursion, M from the energies; a rotor on a joint stands on the diagonal only, what couples two joints does not.
for _, case in ipairs {
  { "a chain of thirty", 30 }, { "a bush of thirty", 30, branches = true }, { "slides among them", 26, slides = true },
  { "rotors on the joints", 26, rotor = true }, { "joints that are coupled", 26, coupled = true },
} do
  T.test("long trees are solved by recursion: " .. case[1], function()
    local joints, parents = {}, {}
    for k = 1, case[2] do
      joints[k] = case.slides and k % 5 == 0 and P or R
      parents[k] = case.branches and k // 3 or k - 1
    end
    for _, aligned in ipairs { true, false } do
      local model = random_tree(joints, parents, aligned)
      local v = {}
      for i, c in ipairs(model.coordinates) do v[i] = c.v end
      for i = 2, case.rotor and #v or 0, 3 do table.insert(model.terms, { kind = "kinetic", expr = 0.5 * i * v[i] ^ 2 }) end
      if case.coupled then table.insert(model.terms, { kind = "kinetic", expr = v[3] * v[7] }) end
      local eq = Q.derive(model)
      local F = factor.factor(eq)
      T.eq(F.trees ~= nil, not case.coupled, "by recursion")
      T.eq(rawget(eq, "M") == nil, not case.coupled, "without M")
      local env, memo, b = { [model.time] = 0 }, {}, {}
      for i, c in ipairs(model.coordinates) do env[c.q], env[c.v], b[i] = random(-2, 2), random(-1, 1), E.num(random(-1, 1)) end
      local x = factor.solve(F, eq.n, b)
      for i = 1, eq.n do
        local terms, size = 0, 1
        for j = 1, eq.n do
          local m = eq.M[math.max(i, j)][math.min(i, j)]
          local part = m and eval(m, env, memo) * eval(x[j], env, memo) or 0
          terms, size = terms + part, size + math.abs(part)
        end
        T.near(terms, b[i].value, 1e-11 * size, "row " .. i)
      end
    end
  end)
end

-- n links, each on the one before
local function equations_of_chain(n)
  local model = { name = "chain", time = E.sym("t", "time"), coordinates = {}, rotations = {}, contacts = {}, constraints = {} }
  local links = {}
  for k = 1, n do
    local q, v = E.sym("q" .. k, "q"), E.sym("q" .. k .. ".dot", "v")
    links[k] = { name = "link" .. k, joint = R, parent = k - 1, at = { 1, 0, 0 }, mass = 1, center = { 0.5, 0, 0 }, axis = { 0, 1, 0 },
      q = q, v = v, rotation = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, inertia = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } }
    model.coordinates[k] = { name = "q" .. k, q = q, v = v }
  end
  model.terms = { { kind = "tree", links = links } }
  return Q.derive(model)
end

T.test("the recursion of M^-1 grows with the number of links", function()
  local function operations(n)
    local eq = equations_of_chain(n)
    return L.operations(factor.solve(factor.factor(eq), n, eq.h))
  end
  local short, long = operations(30), operations(60)
  T.ok(long - short <= 30 * 200, ("%d operations of 30 links, %d of 60"):format(short, long))
end)

T.test("so does the search for features", function()
  local function nodes(n) -- that are looked at: each expression of a chain holds those of all links before it
    local eq, walk, count = equations_of_chain(n), E.walk, 0
    E.walk = function(roots, visit) return walk(roots, function(node)
      count = count + 1
      visit(node)
    end) end
    local f = Q.features(eq)
    E.walk = walk
    T.eq(f.force, "state")
    return count
  end
  local short, long = nodes(30), nodes(120)
  T.ok(long <= 5 * short, ("%d nodes of 30 links, %d of 120"):format(short, long))
end)

T.finish()
