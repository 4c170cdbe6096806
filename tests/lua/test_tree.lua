-- Trees in joint coordinates: mass matrix and forces by recursion against the same tree by differentiating its energies,
-- and against the planar and the free-body model of the same thing; the words link; the cost of the recursion.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local Q = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval

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

local function operations(eq)
  local roots = {}
  for i = 1, eq.n do
    roots[#roots + 1] = eq.h[i]
    for j = 1, i do roots[#roots + 1] = eq.M[i][j] end
  end
  return L.operations(roots)
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
T.finish()
