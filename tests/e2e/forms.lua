-- The unrolled and the looped form of a model are the same integrator.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local models = require "tests.oracle.models"

-- Sums are formed in another order and contact problems solved by another method, so rounding differs; it grows at impacts
-- (1e-12 here). Schatzman-Paoli divides positions by h, so rounding in v is 1/h times larger.
local same = {
  { "bead_column", until_time = 1, step = 1e-3, set = { N = 4 } }, { "cradle" }, { "double_pendulum", until_time = 2.5, step = 2.5 / 740 },
  { "slider_crank", until_time = 0.02, step = 2e-5, every = "theta3.dot=-0.01" }, { "constrained_pendulum", until_time = 1 },
  { "bowl" }, { "cam_follower", until_time = 0.7, step = 1e-3 }, { "impacting_oscillator" },
}
local schemes = { "D-:M=1", "D-:M=1,projection=on", "D+:M=2", "moreau-jean", "schatzman-paoli" }
for i, m in ipairs(same) do
  for k, scheme in ipairs(schemes) do -- every second one, the others with the next model
    local test = (T.long or (i + k) % 2 == 0) and T.test or function() end
    test(("looped equals unrolled: %s, %s"):format(m[1], scheme), function()
      local results = {}
      for _, form in ipairs { "unrolled", "looped" } do
        results[form] = S.compile(S.unit(m[1], scheme, { form = form, set = m.set }), { flags = "-O0" }):run {
          until_time = m.until_time, step = m.step }
      end
      local a, b = results.unrolled, results.looped
      local tolerance = scheme:find("^schatzman") and 2e-9 or 5e-12
      for _, part in ipairs { "q", "v", "impulse" } do
        for name, x in pairs(a[part]) do T.near(b[part][name], x, tolerance * math.max(1, math.abs(x)), part .. " " .. name) end
      end
      T.eq(b.counts.events, a.counts.events, "events")
    end)
  end
end

-- the looped form solves implicit steps with the sparse matrix M + h theta C + (h theta)^2 K
for _, m in ipairs { { "bead_column", until_time = 1, step = 1e-3, set = { N = 4 } },
  { "double_pendulum", until_time = 2.5, step = 2.5 / 740 }, { "slider_crank", until_time = 0.02, step = 2e-5 },
  { "impacting_oscillator" } } do
  T.test(("implicit steps, looped equals unrolled: %s"):format(m[1]), function()
    local results = {}
    for _, form in ipairs { "unrolled", "looped" } do
      local unit = S.unit(m[1], "moreau-jean:theta=0.6,stages=newton", { form = form, set = m.set })
      results[form] = S.compile(unit, { flags = "-O0" }):run { until_time = m.until_time, step = m.step }
    end
    for _, part in ipairs { "q", "v", "impulse" } do
      for name, x in pairs(results.unrolled[part]) do
        T.near(results.looped[part][name], x, 1e-9 * math.max(1, math.abs(x)), part .. " " .. name)
      end
    end
  end)
end

-- A ball with tangential restitution, thrown without weight against the floor: an impact that sticks turns the given fraction of the
-- slip round, whatever the form.
for _, form in ipairs { "unrolled", "looped" } do
  for _, scheme in ipairs { "moreau-jean", "D-:M=1", "D+:M=1" } do
    T.test(("tangential restitution, %s, %s"):format(form, scheme), function()
      local text = [[
local carom = require "carom"
local m = carom.model "rubber"
local x = m:coordinate("x", { velocity = 1 })
local y = m:coordinate("y", { initial = 0.11, velocity = -2 })
local phi = m:coordinate("phi", {})
m:kinetic_energy((x.dot^2 + y.dot^2) / 2 + 0.002 * phi.dot^2)
m:contact("floor", { gap = y - 0.1, restitution = 0.5, friction = 2, tangential_restitution = 0.6, slip = x.dot + 0.1 * phi.dot })
return m
]]
      local r = S.compile(S.unit({ text = text }, scheme, { form = form }), { flags = "-O0" }):run { until_time = 0.02, step = 1e-3 }
      T.near(r.v.y, 1, 1e-9, "half of the speed")
      T.near(r.v.x + 0.1 * r.v.phi, -0.6, 1e-9, "slip turned round")
      T.near(r.v.x, 1 - 1.6 / (1 + 0.01 / 0.004), 1e-9, "by the impulse of friction")
    end)
  end
end

-- event capturing: the same program over the same parts, on operators of either form
local rod = models.rod
for _, case in ipairs { { "slider_crank", "dg=D-,M=2", 1e-4, 0.02 }, { "slider_crank", "rk=rk4", 1e-4, 0.02, { "friction=0.01" } },
  { "constrained_pendulum", "rk=radau5", 0.01, 1 }, { rod, "dg=D+,M=1", 0.005, 0.3 },
  { models.corner, "rk=heun2,adaptive=on", 0.005, 0.3 } } do
  T.test(("capture:%s, looped equals unrolled: %s"):format(case[2], type(case[1]) == "table" and "rod or corner" or case[1]), function()
    local results = {}
    for _, form in ipairs { "unrolled", "looped" } do
      results[form] = S.run(case[1], "capture:" .. case[2], { form = form, step = case[3], until_time = case[4], set = case[5] })
    end
    for _, part in ipairs { "q", "v" } do
      for name, x in next, results.unrolled[part] do T.near(results.looped[part][name], x, 1e-9 * math.max(1, math.abs(x)), name) end
    end
  end)
end

local PLATE = [[
local carom = require "carom"
local m = carom.model "plate"
local plate = m:mesh("plate", carom.box { size = { 1, 0.2 }, cells = { 5 * %d, 2 * %d }, cell = "quad4" })
m:elastic(plate, { E = 1e6, nu = 0.33, rho = 1000 })
m:start(plate, { velocity = function() return { 0.2, -1 } end })
m:contact_surface("floor", { mesh = plate, boundary = "bottom", friction = 0.3, gap = function(x, y) return y + 0.01 end })
m:probe("end", { mesh = plate, at = { 1, 0.1 } })
m:run { until_time = 0.03, step = 2e-4 }
return m
]]
T.test("capture on a small mesh with friction: three methods, one motion", function()
  local found = {}
  for i, method in ipairs { "dg=D-,M=2", "rk=rk4", "rk=radau5" } do
    found[i] = S.run({ text = PLATE:format(1, 1) }, "capture:" .. method, { step = 2e-4, until_time = 0.03 })
    T.ok(found[i].counts.events > 6, "few events")
    T.near(found[i].outputs["end.y"], found[1].outputs["end.y"], 2e-8) -- rk4: 1.2e-8, at half the step 8e-10
    T.near(found[i].outputs["end.x"], found[1].outputs["end.x"], 1e-7)
  end
end)
for _, scheme in ipairs { "D-:M=1,projection=on", "D-:M=2,stages=fixed-point", "D+:M=1,stages=fixed-point", "D-:M=1,adaptive=on" } do
  T.test("friction and a joint, looped equals unrolled: " .. scheme, function()
    local results = {}
    for _, form in ipairs { "unrolled", "looped" } do
      results[form] = S.compile(S.unit(rod, scheme, { form = form }), { flags = "-O0" }):run { until_time = 0.4, step = 1e-3 }
    end
    for _, part in ipairs { "q", "v", "impulse" } do
      for name, x in pairs(results.unrolled[part]) do
        T.near(results.looped[part][name], x, 1e-10 * math.max(1, math.abs(x)), part .. " " .. name)
      end
    end
    T.eq(results.looped.counts.events, results.unrolled.counts.events, "events")
  end)
end

-- blocks on a floor with friction, joined by springs
local function blocks(n)
  return { text = ([[
local carom = require "carom"
local m = carom.model "blocks"
local before
for i = 1, %d do
  local x, y = m:coordinate("x" .. i, { initial = i, velocity = i %% 3 }), m:coordinate("y" .. i, { initial = i %% 3 == 0 and 0.001 or 0 })
  m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
  m:potential_energy(9.81 * y)
  if before then m:spring { length = x - before, stiffness = 200, rest = 1 } end
  m:contact("c" .. i, { gap = y, slide = x, friction = 0.3, restitution = 0.2 })
  before = x
end
return m
]]):format(n) }
end

T.test("contact problems in loops over tables: solvers by name agree, check says which is taken", function()
  local first
  for _, case in ipairs { { "", "sparse, blocks" }, { ",solver=sparse", "sparse, blocks" }, { ",solver=full", "full matrix" },
    { ",solver=products", "products" } } do
    local unit = S.unit(blocks(5), "D-:M=1" .. case[1], { form = "looped" })
    local said
    for _, line in ipairs(require "gen.cli.summary"(unit)) do said = line.label == "contact solver" and line.text or said end
    T.ok(said:find("^" .. case[2]), said)
    local r = S.compile(unit, { flags = "-O0" }):run { until_time = 0.1, step = 1e-3 }
    first = first or r
    for name, x in pairs(first.v) do T.near(r.v[name], x, 1e-8, case[1] .. " " .. name) end
  end
  T.fails(function() S.unit(rod, "D-:M=1,solver=sparse", { form = "looped" }) end, "couple no more than 12 velocities")
  T.fails(function() S.unit(blocks(5), "D-:M=1,solver=full", { form = "unrolled" }) end, "solver=full is for loops over tables")
end)

T.test("more than a thousand rows with friction", function()
  local r = S.compile(S.unit(blocks(501), "D-:M=1"), { flags = "-O1" }):run { until_time = 0.03, step = 1e-3 }
  T.ok(r.counts.law < 1e-9, "the law holds")
  T.eq(r.counts.events, 167, "a third of the blocks was above the floor")
end)

T.test("a chain with friction, more rows than are unrolled", function()
  local text = [[
local carom = require "carom"
local m = carom.model "chain"
local mu = m:parameter("mu", 0.4)
local before
for i = 1, 30 do
  local x = m:coordinate("x" .. i, { initial = i, velocity = i == 1 and 5 or 0 })
  local y = m:coordinate("y" .. i, {})
  m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
  m:potential_energy(9.81 * y)
  if before then m:spring { length = x - before, stiffness = 100, rest = 1 } end
  m:contact("floor" .. i, { gap = y, friction = mu, slide = x })
  before = x
end
return m
]]
  local r = S.compile(S.unit({ text = text }, "moreau-jean:theta=0.5"), { flags = "-O1" })
    :run { until_time = 2, step = 1e-3, csv = true, every = 100 }
  local last = r.rows[#r.rows]
  for i = 1, 30 do
    T.near(last["floor" .. i .. ".impulse"], 9.81 * 2, 1e-6, "weight")
    T.near(last["x" .. i .. ".dot"], 0, 1e-9, "all have come to rest")
  end
  -- at rest no spring pulls harder than friction can hold
  for i = 2, 29 do
    local pull = 100 * (last["x" .. i + 1] - 2 * last["x" .. i] + last["x" .. i - 1])
    T.ok(math.abs(pull) <= 0.4 * 9.81 * (1 + 1e-6), "held")
  end
end)

-- Beads that fill the way between two walls exactly and are shaken, the walls written twice, a crank with the same rod three times: rows
-- that repeat and oppose each other in both forms. Only what is determined is compared.
T.test("duplicate and opposing contacts, redundant constraints: looped equals unrolled", function()
  local text = [[
local carom = require "carom"
local m = carom.model "squeezed"
local d, w, t = m:parameter("d", 1, "m"), m:parameter("w", 7, "rad/s"), m:time()
local q = {}
for i = 1, 5 do
  q[i] = m:coordinate("q" .. i, { unit = "m", initial = i })
  m:kinetic_energy(m:parameter("mass" .. i, 1 + i % 3, "kg") * q[i].dot^2 / 2)
  m:force(q[i], m:parameter("f" .. i, 4, "N") * carom.sin(w * t + i))
end
for k = 1, 2 do
  m:contact("left" .. k, { gap = k * (q[1] - d), restitution = 0.3 })
  m:contact("right" .. k, { gap = 5 * d - q[5], restitution = 0.3 })
end
for i = 2, 5 do m:contact("between" .. i, { gap = q[i] - q[i - 1] - d, restitution = 0.3 }) end
local x = m:coordinate("x", { unit = "m", initial = 1 })
local y = m:coordinate("y", { unit = "m", initial = 0 })
m:kinetic_energy(m:parameter("bob", 1, "kg") * (x.dot^2 + y.dot^2) / 2)
m:force(y, m:parameter("weight", -9.81, "N"))
for k = 1, 3 do m:constraint("rod" .. k, k * (x^2 + y^2 - d^2)) end
return m
]]
  for _, scheme in ipairs { "moreau-jean", "D-:M=1", "schatzman-paoli" } do
    local results = {}
    for _, form in ipairs { "unrolled", "looped" } do
      results[form] = S.compile(S.unit({ text = text }, scheme, { form = form }), { flags = "-O0" }):run { until_time = 1, step = 1e-2 }
    end
    local a, b = results.unrolled, results.looped
    for _, part in ipairs { "q", "v" } do
      for name, value in pairs(a[part]) do T.near(b[part][name], value, 1e-9, ("%s: %s of %s"):format(scheme, part, name)) end
    end
    for _, r in ipairs { a, b } do
      for i = 1, 5 do T.near(r.v["q" .. i], 0, 1e-9, "there is no room to move") end
      for name, impulse in pairs(r.impulse) do T.ok(impulse >= 0 or name:find "^rod", name) end
    end
    -- how hard the walls press against each other is not determined, the difference is
    local function push(r) return r.impulse.left1 + 2 * r.impulse.left2 - r.impulse.right1 - r.impulse.right2 end
    T.near(push(b), push(a), 1e-9, scheme .. ": the walls together")
  end
end)

-- Two points that rod and guide lock to each other stand on two floors: the rows depend on each other, and with forces across the velocity
-- no matrix of an implicit step is symmetric. Only what both floors carry together is determined.
T.test("contacts with friction that joints make redundant, gyroscopic forces: looped equals unrolled", function()
  local text = [[
local carom = require "carom"
local m = carom.model "magnet"
local function point(n, x0)
  local x, y = m:coordinate("x" .. n, { initial = x0, velocity = 1 }), m:coordinate("y" .. n, { velocity = -0.3 })
  m:kinetic_energy(0.5 * (x.dot^2 + 2 * y.dot^2))
  m:force(x, 40 * y.dot)
  m:force(y, -40 * x.dot - 10)
  m:contact("floor" .. n, { gap = y + 0.3 * x - 0.3 * x0, friction = 0.2, slide = x })
  return x, y
end
local x, y = point(1, 0)
local X, Y = point(2, 1)
m:constraint("rod", { zero = (X - x)^2 + (Y - y)^2 - 1 })
m:constraint("guide", { zero = X - x + 0.2 * (Y - y) - 1 })
return m
]]
  local results = {}
  for _, form in ipairs { "unrolled", "looped" } do
    results[form] = S.run({ text = text }, "moreau-jean", { form = form, step = 2e-3, until_time = 0.2, flags = "-O0" })
  end
  local a, b = results.unrolled, results.looped
  for name, v in pairs(a.v) do T.near(b.v[name], v, 1e-9, name) end
  T.near(b.impulse.floor1 + b.impulse.floor2, a.impulse.floor1 + a.impulse.floor2, 1e-8)
end)

-- one Newton step ends on the solution where forces are linear: not where their slopes are constant on either side of a step or kink
T.test("forces with steps and kinks are not taken for linear ones", function()
  local function affine(force, form)
    local f = S.unit({ text = ([[
local carom = require "carom"
local m = carom.model "small"
local x, y = m:coordinate("x"), m:coordinate("y")
m:kinetic_energy(x.dot^2 + y.dot^2)
m:force(x, %s)
return m]]):format(force) }, "moreau-jean", { form = form }).features
    return (f.affine or f.linear) and true or false
  end
  for _, form in ipairs { "unrolled", "looped" } do
    T.ok(affine("-3 * x", form), "linear, " .. form)
    for _, force in ipairs { "select(carom.gt(x, 0), x, 2)", "sign(y)", "abs(x)", "max(x, y)", "min(x, 1)", "floor(x)", "ceil(x)",
      "fmod(x, 2)", "select(carom.lt(x, y), 5, 7)", "clamp(x.dot, 0, 1)" } do
      T.ok(not affine("carom." .. force, form), force .. ", " .. form)
    end
  end
end)

S.finish()
