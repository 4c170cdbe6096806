-- Initial values that do not quite fit: small defects are projected with a warning, larger ones when asked for, contradictions refused.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local blocks = require "gen.system.blocks"
local check = require "gen.lang.core.check"
local eval = require("gen.expr.eval").eval
local load = require("gen.lang.core.load").load
local rate = require("gen.lang.core.rate").of

local function read(text, assemble)
  return load("test.lua", { text = 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. text .. "\nreturn m",
    assemble = assemble })
end

local function start(model)
  local env = { [model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, c in ipairs(model.coordinates) do env[c.q], env[c.v] = eval(E.lift(c.initial), env), eval(E.lift(c.velocity), env) end
  for _, r in ipairs(model.rotations) do
    for k = 1, 4 do env[r.q[k]] = eval(E.lift(r.initial[k]), env) end
    for k = 1, 3 do env[r.v[k]] = eval(E.lift(r.spin[k]), env) end
  end
  return env
end

-- constraints and their rates vanish, contacts are open
local function fits(model)
  local env = start(model)
  for _, c in ipairs(model.constraints) do
    T.near(eval(c.expr, env), 0, 1e-13, c.name)
    T.near(eval(rate(c.expr), env), 0, 1e-13, "rate of " .. c.name)
  end
  for _, c in ipairs(model.contacts) do T.ok(eval(c.gap, env) > -1e-13, c.name) end
  return env
end

local ROD = [[
local x = m:coordinate("x", { initial = %s, velocity = %s })
local y = m:coordinate("y", { initial = %s, velocity = %s })
m:body("p", { mass = 1, at = { x, y } })
m:constraint("rod", { zero = (x^2 + y^2)^0.5 - 1 })]]

T.test("six printed digits are enough", function()
  local model = read(ROD:format("0.955336", "0.295520", "-0.295520", "0.955335"))
  local env = fits(model)
  T.near(env[model.coordinates[1].q], 0.955336, 1e-6)
  T.ok(model.assembled.position > 1e-8 and model.assembled.position < 1e-6, "moved by " .. model.assembled.position)
  T.ok(#model.warnings == 1 and model.warnings[1]:find("projected onto constraints", 1, true), "no warning")
  model = read(ROD:format("1", "0", "0", "2"))
  T.eq(model.assembled, nil)
  T.eq(model.warnings, nil)
end)

T.test("a large defect is refused, and projected when asked for", function()
  T.fails(function() read(ROD:format("0.9", "0", "0", "0")) end, "constraint 'rod' is violated at the start: its expression is %-0.1")
  T.fails(function() read(ROD:format("1", "0.5", "0", "0")) end, "violated by the initial velocities: its rate is 0.5")
  local model = read(ROD:format("0.8", "0.3", "0.3", "2"), true)
  local env = fits(model)
  local r = math.sqrt(0.73) -- the shortest way of one mass point is along the radius
  T.near(env[model.coordinates[1].q], 0.8 / r, 1e-13)
  T.near(env[model.coordinates[2].q], 0.3 / r, 1e-13)
  T.eq(model.warnings and #model.warnings, 0)
  fits(read(ROD:format("0.8", "0", "0.3", "0") .. "\nm:run { assemble = true }"))
end)

T.test("the metric is the mass: the heavy one moves less", function()
  local model = read([[
local a = m:coordinate("a", { initial = 0 })
local b = m:coordinate("b", { initial = 1.4 })
m:kinetic_energy(3 * a.dot^2 / 2 + b.dot^2 / 2)
m:constraint("rod", { zero = b - a - 1 })]], true)
  local env = fits(model)
  T.near(env[model.coordinates[1].q], 0.1, 1e-14)
  T.near(env[model.coordinates[2].q], 1.1, 1e-14)
end)

T.test("a gap that is a little below zero", function()
  local model = read [[
local x = m:coordinate("x", { initial = 0.9999991 })
m:kinetic_energy(x.dot^2 / 2)
m:contact("floor", { gap = x - 1 })
m:contact("roof", { gap = 2 - x })]]
  T.near(fits(model)[model.coordinates[1].q], 1, 1e-14)
end)

T.test("initial values stay expressions of parameters, other values of a run are projected anew", function()
  local model = read([[
local l = m:parameter("l", 1)
local x = m:coordinate("x", { initial = 1.0000007 * l })
local y = m:coordinate("y", { initial = 0 })
m:body("p", { mass = 1, at = { x, y } })
m:constraint("rod", { zero = (x^2 + y^2)^0.5 - l })]])
  fits(model)
  T.eq(E.symbols(model.coordinates[1].initial)[1].name, "l")
  local moved, report = check.assembled(model, { x = 0.9, y = 0.3 }, true)
  T.eq(#moved, 2)
  T.near(moved[1].value, 0.9 / math.sqrt(0.9), 1e-13)
  T.ok(report.position > 0.01)
  T.fails(function() check.assembled(model, { x = 0.9 }) end, "violated at the start")
  T.eq(check.assembled(model, { x = 0.6, y = 0.8 }), nil)
end)

T.test("turned bodies, joints that say things twice, many rods", function()
  local model = read([[
local a = m:free_body("a", { mass = 1, inertia = { 1, 2, 3 }, at = { 0.5, 0, 0.01 }, orientation = { axis = { 1, 2, 3 }, angle = 0.02 },
  velocity = { 0.1, 0, 0.2 }, spin = { 0, 0.4, 0.1 } })
local b = m:free_body("b", { mass = 2, inertia = 1, at = { 1.51, 0.02, 0 }, spin = { 0, 0, 1 } })
m:joint("j", { type = "revolute", body = a, at = { -0.5, 0, 0 }, axis = { 0, 0, 1 }, to = { 0, 0, 0 }, to_axis = { 0, 0, 1 } })
m:joint("k", { type = "spherical", body = b, on = a, at = { -0.5, 0, 0 }, to = { 0.5, 0, 0 } })
m:constraint("again", { zero = 2 * a:point(-0.5, 0, 0)[1] })]], true)
  local env = fits(model)
  T.ok(env[model.rotations[1].q[4]] ~= 0, "turned about its hinge")
  T.ok(model.notes[1]:find("1 constraint is said already by others at the start: again;", 1, true), model.notes[1])
  model = read([[
local x, y = 0, 0
for i = 1, 30 do
  local a = 0.1 * i
  local X = m:coordinate("x" .. i, { initial = (i - 1) * 0.5 + 0.500001 })
  local Y = m:coordinate("y" .. i, { initial = 0.001 * (i % 3) })
  m:body("p" .. i, { mass = a, at = { X, Y } })
  m:constraint("rod" .. i, { zero = ((X - x)^2 + (Y - y)^2)^0.5 - 0.5 })
  x, y = X, Y
end]], true)
  fits(model)
end)

T.test("what contradicts itself is refused", function()
  T.fails(function()
    read([[
local x = m:coordinate("x", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2)
m:constraint("one", { zero = x - 1 })
m:constraint("two", { zero = x - 2 })]], true)
  end, "cannot be assembled")
end)

T.test("a rotation is moved by a turn in its own frame, on the right of it", function()
  local function turned(q, x) -- R(q) x
    local s, u = q[1], { q[2], q[3], q[4] }
    local function cross(a, b) return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] } end
    local once, y = cross(u, x), {}
    local twice = cross(u, once)
    for k = 1, 3 do y[k] = x[k] + 2 * (s * once[k] + twice[k]) end
    return y
  end
  local q, way = { 0.8, 0.36, -0.288, 0.384 }, { 0.3, -0.5, 0.7 }
  local size = math.sqrt(way[1] ^ 2 + way[2] ^ 2 + way[3] ^ 2)
  local small = { math.cos(size / 2) }
  for k = 1, 3 do small[k + 1] = math.sin(size / 2) * way[k] / size end
  local env = { table.unpack(q) }
  blocks.retract({ kind = "rotation", q = { 1, 2, 3, 4 } }, env, way)
  for i = 1, 3 do
    local axis = { 0, 0, 0 }
    axis[i] = 1
    local seen, expected = turned(env, axis), turned(q, turned(small, axis))
    for k = 1, 3 do T.near(seen[k], expected[k], 1e-14) end
  end
end)

T.finish()
