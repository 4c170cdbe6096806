-- The mass matrix at the start as the checks of a model compute it, against the derived equations; and what reading and deriving
-- a long chain costs.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local P = require "gen.pipeline"
local Q = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval
local load = require("gen.lang.core.load").load
local mass = require "gen.lang.core.mass"
local quadratic = require "gen.lang.core.quadratic"
local tree_mass = require "gen.lang.core.tree_mass"

local function read(text) return load("test.lua", { text = 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. text }) end

local function start(model)
  local env = { [model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, c in ipairs(model.coordinates) do env[c.q], env[c.v] = eval(E.lift(c.initial), env), eval(E.lift(c.velocity), env) end
  for _, r in ipairs(model.rotations) do
    for k = 1, 4 do env[r.q[k]] = eval(E.lift(r.initial[k]), env) end
    for k = 1, 3 do env[r.v[k]] = 0.0 end
  end
  return env
end

T.test("composite bodies in numbers agree with the derived mass matrix", function()
  local model = read [[
local mass = m:parameter("mass", 1.3)
local b = m:free_body("b", { mass = 2, inertia = { 1, 2, 3 }, at = { 1, 2, 3 }, orientation = { axis = { 1, 2, -1 }, angle = 0.7 } })
local l1 = m:link("l1", { parent = b, joint = "revolute", axis = { 1, 1, 0 }, at = { 0.1, 0.2, 0.3 }, mass = mass,
  inertia = { 0.1, 0.2, 0.3 }, center = { 0.5, 0, 0.1 }, initial = 0.4 })
local l2 = m:link("l2", { parent = l1, joint = "prismatic", axis = { 0, 0.6, 0.8 }, at = { 0, 0.3, 0 },
  rotation = { axis = { 1, 0, 1 }, angle = 0.3 }, mass = 0.7, center = { 0.2, 0.1, 0 }, inertia = { 0.1, 0.1, 0.2 }, initial = -0.2 })
local l3 = m:link("l3", { parent = l2, joint = "universal", axis = { 1, 0, 0 }, axis2 = { 0, 0, 1 }, at = { 0.3, 0, 0 }, mass = 0.5,
  inertia = 0.1, center = { 0.4, 0, 0 }, initial = { 0.2, 0.5 } })
m:link("l4", { parent = l1, joint = "revolute", axis = { 0, 1, 0 }, at = { -0.2, 0, 0 }, mass = 0.9, inertia = 0.2, initial = 1.1 })
m:link("l5", { parent = l3, joint = "fixed", at = { 0, 0.5, 0 }, mass = 0.4, inertia = 0.05 })
return m]]
  local env, index, M, tree = start(model), {}, {}, nil
  for i, c in ipairs(model.coordinates) do index[c.v], M[i] = i, {} end
  for _, term in ipairs(model.terms) do if term.kind == "tree" then tree = term end end
  tree_mass(M, tree, env, index)
  local eq, compared = Q.derive(model), 0
  for i, vi in ipairs(eq.v) do
    for j, vj in ipairs(eq.v) do
      if j <= i and index[vi] and index[vj] then
        local a, b = math.max(index[vi], index[vj]), math.min(index[vi], index[vj])
        local body = vi == vj and index[vi] <= 3 and 2 or 0 -- the free body itself is another term
        T.near((M[a][b] or 0) + body, eq.M[i][j] and eval(eq.M[i][j], env) or 0, 1e-13, vi.name .. " " .. vj.name)
        compared = compared + 1
      end
    end
  end
  T.eq(compared, 36) -- three of the place, five joints
end)

T.test("an energy as a quadratic form of the velocities", function()
  local q, x, v, w = E.sym("q", "q"), E.sym("x", "q"), E.sym("q.dot", "v"), E.sym("x.dot", "v")
  local forms = quadratic.forms { [q] = 0.3, [x] = 2.0 }
  local T2 = (E.cos(q) * v + 2 * w - 1) ^ 2 / x - (v * w - 3 * v) * E.sin(q) + E.select(E.lt(q, x), v ^ 2, w)
  local f = forms(T2)
  local c, s = math.cos(0.3), math.sin(0.3)
  T.near(f.A[v][v], c * c / 2 + 1, 1e-15)
  T.near(f.A[w][w], 2, 1e-15)
  T.near(f.A[w][v], 2 * c - s, 1e-15)
  T.near(f.b[v], -c + 3 * s, 1e-15)
  T.near(f.c, 0.5, 1e-15)
  T.eq(forms(v ^ 3), nil)
  T.eq(forms(v ^ 2 * w), nil)
  T.eq(forms(E.sin(v)), nil)
  T.eq(forms(1 / v), nil)
end)

local LINKS = [[
m:gravity(0, 0, -9.81)
local p
for i = 1, %d do
  p = m:link("j" .. i, { parent = p, joint = "revolute", axis = { 0, 1, 0 }, at = { i > 1 and 0.1 or 0, 0, 0 }, mass = 0.1,
    inertia = { 1e-6, 1e-4, 1e-4 }, center = { 0.05, 0, 0 } })
end
m:contact("wall", { gap = p:point(0.1, 0, 0)[1] + 0.3 })
return m]]

local BODIES = [[
local x, y = 0, 0
for i = 1, %d do
  local a = m:coordinate("a" .. i, { initial = 0.1 })
  m:body("b" .. i, { mass = 0.1, inertia = 1e-4, angle = a, at = { x + 0.05 * carom.sin(a), y - 0.05 * carom.cos(a) } })
  x, y = x + 0.1 * carom.sin(a), y - 0.1 * carom.cos(a)
end
return m]]

-- instructions of the Lua machine, in thousands: no clock
local function cost(f)
  local count = 0
  debug.sethook(function() count = count + 1 end, "", 1000)
  f()
  debug.sethook()
  return count
end

-- When twice as many: links four times as long; bodies whose places hold all angles before them a little more (sums of J^T J);
-- not sixteen times.
T.test("checking a chain costs about the square of its length", function()
  for _, case in ipairs { { LINKS, 5 }, { BODIES, 7 } } do
    local function of(n)
      local model = read(case[1]:format(n))
      return cost(function() mass(model, start(model)) end)
    end
    local ratio = of(60) / of(30)
    T.ok(ratio < case[2], "ratio " .. ratio)
  end
end)

T.test("the text of a chain of links grows with the square of its length at most, with implicit schemes too", function()
  for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0.5" } do
    local function lines(n) return P.compile(read(LINKS:format(n)), { scheme = scheme }).lines end
    local one, two = lines(40), lines(80)
    T.ok(two < 4 * one, ("%d and %d lines"):format(one, two))
  end
end)

T.finish()
