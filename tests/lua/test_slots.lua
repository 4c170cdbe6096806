-- One geometry: where a pair of shapes has a formula (solid.lua) its contacts are those that the runtime finds (touch.lua), on free bodies,
-- on links and on the ground; their rates are derivatives of their gaps, and the bias is that of their second derivative.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval
local load = require("gen.lang.core.load").load
local rate = require "gen.lang.core.rate"
local pairs_of = require "gen.lang.words.shapes.pairs"
local solid = require "gen.lang.words.shapes.solid"
local touch = require "gen.lang.words.shapes.touch"

local HEAD = [[
local carom = require "carom"
local m = carom.model "test"
local length = m:parameter("length", 0.8, "m")
local A = m:free_body("A", { mass = 2, inertia = 1, at = { 0.3, -0.2, 2.5 } })
local B = m:free_body("B", { mass = 2, inertia = 1, at = { 0, 0, -0.5 } })
local arm = m:link("arm", { joint = "revolute", axis = { 0, 1, 1 }, at = { 0.2, 0, 1.6 }, mass = 1, inertia = 1 })
local L = m:link("hand", { parent = arm, joint = "cylindrical", axis = { 1, 0, 0 }, at = { 0.1, 0.2, 0 }, mass = 1, inertia = 1 })
]]

-- how each kind is made, on a body or without one
local kinds = {
  sphere = 'radius = 0.3, at = { 0.1, 0, 0.05 }', box = 'size = { 0.6, length, 0.5 }, at = { 0.1, 0, 0.05 }',
  capsule = 'radius = 0.2, length = length, axis = { 1, 2, 0.3 }, at = { 0.1, 0, 0.05 }',
  cylinder = 'radius = 0.2, length = length, axis = { 1, 2, 0.3 }, at = { 0.1, 0, 0.05 }',
  plane = 'normal = { 0.1, 0.2, 1 }, at = { 0.1, 0, 0.05 }',
  polyhedron = 'points = { { -0.3, -0.2, -0.3 }, { 0.4, -0.3, -0.2 }, { 0.1, 0.4, -0.3 }, { 0, 0, 0.4 }, { 0.3, 0.3, 0.2 } }, '
    .. 'at = { 0.1, 0, 0.05 }',
  heightfield = 'size = { 6, 6 }, at = { -3, -3, -0.2 }, cells = { 7, 9 }, height = function(x, y) return 0.1 * x * math.sin(3 * y) end',
}

local function shape(kind, name, body)
  return ('m:%s("%s", { %s%s })'):format(kind, name, kinds[kind], body and ", body = " .. body or "")
end

-- a model with one pair, by the rule of the runtime or by formula
local function read(a, b, on_a, on_b, rule)
  local formulas = solid.pairs
  if rule == "runtime" then solid.pairs = {} end
  local good, model = pcall(load, "test.lua", { text = HEAD .. ("m:contact_between(%s, %s, { friction = 0.2 })\nreturn m\n"):format(
    shape(a, "a", on_a), shape(b, "b", on_b)) })
  solid.pairs = formulas
  if not good then error(tostring(model), 0) end
  return model
end

local state = 12345
local function random()
  state = (1103515245 * state + 12345) % 2147483648
  return state / 2147483648
end

-- A, turned anyhow, somewhere above B, with velocities
local function environment(model)
  local env, blocks = { [model.time] = 0 }, equations.symbols(model)
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, c in ipairs(model.coordinates) do env[c.q], env[c.v] = eval(c.initial, env) + 0.3 * (random() - 0.5), random() - 0.5 end
  for _, r in ipairs(model.rotations) do
    local size = 0
    for k = 1, 4 do
      env[r.q[k]] = (k == 1 and 1 or 0) + 0.5 * (random() - 0.5)
      size = size + env[r.q[k]] ^ 2
    end
    for k = 1, 4 do env[r.q[k]] = env[r.q[k]] / math.sqrt(size) end
    for k = 1, 3 do env[r.v[k]] = random() - 0.5 end
  end
  return env, blocks
end

-- gap, rate of the gap and speed of slipping of each contact
local function measured(model, env)
  local list = {}
  for i, c in ipairs(model.contacts) do
    local u = { eval(c.slip[1], env), eval(c.slip[2], env) }
    list[i] = { gap = eval(c.gap, env), rate = eval(c.rate or rate.of(c.gap), env), slip = math.sqrt(u[1] ^ 2 + u[2] ^ 2) }
  end
  table.sort(list, function(x, y) return x.gap < y.gap end)
  return list
end

for _, pair in ipairs(solid.pairs) do
  if pairs_of.covers(pair[1], pair[2]) then
    T.test(("%s and %s: the formula is what the runtime finds"):format(pair[1], pair[2]), function()
      for _, bodies in ipairs { { "A", "B" }, { "A" }, { "A", "L" } } do
        local seed = state
        local formula = read(pair[1], pair[2], bodies[1], bodies[2])
        local by_formula = measured(formula, (environment(formula)))
        state = seed
        local found = read(pair[1], pair[2], bodies[1], bodies[2], "runtime")
        local by_runtime = measured(found, (environment(found)))
        T.ok(#by_runtime >= #by_formula, "contacts")
        T.ok(found.contacts[1].rate, "asked the runtime")
        for i = 1, pair[1] == "cylinder" and 1 or #by_formula do -- of a cylinder the runtime also has points at quarter turns
          -- points of a plane that turns are those under the ball here, and those where they meet there: the same when they touch
          for _, what in ipairs { "gap", "rate", not (pair[2] == "plane" and bodies[2]) and "slip" or nil } do
            T.near(by_runtime[i][what], by_formula[i][what], 1e-12, ("%s of contact %d on %s"):format(what, i, bodies[2] or "the ground"))
          end
        end
      end
    end)
  end
end

T.test("every pair on links, free bodies and the ground: the rate is G v, and the bias its derivative along the motion", function()
  for i, pair in ipairs(touch.pairs) do
    local ground = pair[2] == "heightfield" or i % 3 == 0
    local model = read(pair[1], pair[2], i % 2 == 0 and "A" or "L", not ground and "B" or nil, "runtime")
    for _, c in ipairs(model.contacts) do c.frictional = true end
    local env, symbols = environment(model)
    local eq = equations.derive(model)
    local function moved(s) -- along q' = H v, to the first order
      local there = setmetatable({}, { __index = env })
      for _, block in ipairs(symbols.blocks) do
        local size = 0
        for k, q in ipairs(block.q) do
          there[q] = env[q] + s * eval(block.rate[k], env)
          size = size + there[q] ^ 2
        end
        for _, q in ipairs(#block.q == 4 and block.q or {}) do there[q] = there[q] / math.sqrt(size) end
      end
      return there
    end
    local function rate_of(row, at)
      local sum = eval(row.gt, at)
      for k, v in ipairs(eq.v) do sum = sum + (row.G[k] and eval(row.G[k], at) * env[v] or 0) end
      return sum
    end
    local low, high, h = moved(-1e-5), moved(1e-5), 2e-5
    local least = math.huge
    for _, row in ipairs(eq.rows) do if row.kind == "contact" then least = math.min(least, eval(row.g, env)) end end
    for _, row in ipairs(eq.rows) do
      local name = pair[1] .. " and " .. pair[2] .. ", " .. row.item.name
      local minimum = pair[1] ~= "cylinder" or row.item.name:find("_[15]$") -- points at quarter turns are none: they slide along the rim
      -- where edges cross over a face that is tilted only the nearest point is one: the others slide along the face
      if pair[2] == "polyhedron" and row.kind == "contact" then minimum = eval(row.g, env) <= least end
      if minimum and row.kind == "contact" and eval(row.g, env) < 100 and eval(row.g, low) < 100 and eval(row.g, high) < 100 then
        T.near(rate_of(row, env), (eval(row.g, high) - eval(row.g, low)) / h, 1e-7, "rate of " .. name)
        T.near(eval(row.bias, env), (rate_of(row, high) - rate_of(row, low)) / h, 1e-6, "bias of " .. name)
      end
    end
  end
end)

T.test("far apart two boxes are the balls around them, near they are boxes", function()
  for _, case in ipairs { { 100.05, 100 - 2 * math.sqrt(0.5 ^ 2 + 0.25 ^ 2 + 0.25 ^ 2) }, { 3.05, 2 } } do
    local model = load("test.lua", { text = ([[
local carom = require "carom"
local m = carom.model "test"
local A = m:free_body("A", { mass = 2, inertia = 1, at = { %g, 0, 0 } })
m:contact_between(m:box("a", { size = { 1, 0.5, 0.5 }, body = A, at = { -0.05, 0, 0 } }),
  m:box("b", { size = { 1, 0.5, 0.5 }, at = { 0, 0, 0 } }), { friction = 0.1 })
return m
]]):format(case[1]) })
    local env = { [model.time] = 0 }
    for _, c in ipairs(model.coordinates) do env[c.q], env[c.v] = eval(c.initial, env), 0 end
    for k, q in ipairs(model.rotations[1].q) do env[q] = k == 1 and 1 or 0 end
    for k, v in ipairs(model.rotations[1].v) do env[v] = k == 3 and 1 or 0 end
    env[model.coordinates[1].v] = -3
    local c = model.contacts[1]
    T.near(eval(c.gap, env), case[2], 1e-12, "gap")
    -- where the nearest points are several, turning matters: of balls it does not
    if case[2] > 50 then T.near(eval(c.rate, env), -3, 1e-12, "rate") end
    T.near(eval(model.contacts[8].gap, env), 1000 * math.sqrt(0.5 ^ 2 + 0.25 ^ 2 + 0.25 ^ 2), 1e-9, "nothing there")
  end
end)

T.test("what a call gives has no derivatives by each argument, and none of the third order", function()
  local model = read("box", "box", "A", "B")
  local gap = model.contacts[1].gap
  T.eq(gap.op, "part")
  T.eq(D.gradient(gap, { model.coordinates[1].q })[1], E.zero)
  local slope = D.by(gap, model.coordinates[1].q)
  T.ok(slope[1].of.is_rate)
  T.eq(D.by(gap, model.time), E.zero)
  T.ok(not pcall(D.by, slope, model.coordinates[1].q))
end)

T.finish()
