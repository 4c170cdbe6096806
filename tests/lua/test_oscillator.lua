-- The exact solutions of models/impacting_oscillator.lua and models/zeno_ball.lua: events and states to the digits that two
-- independent computations agree on, and against formulas where there are some.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local lang = require "gen.lang.core.load"

local model = lang.load("impacting_oscillator", { root = "." })

local osc = {}
local oscU = { c = 0 }
local pre = { f0 = -4, restitution = 0.5 }
local forced = { f0 = -4, amplitude = 8, omega = 2, restitution = 0.5 }
local ball = { c = 0, k = 0, f0 = -2, restitution = 0.5 }

for _, case in ipairs {
  { "osc", osc, { { .8, 5.030284107311e-01, 1.206717033455e+00 }, { 1.7, 2.256198942639e-01, 1.059314397705e+00 },
    { 2.2, 3.112629570843e-01, -7.107841141342e-01 }, { 4.3, 8.609886048562e-02, -3.704676375976e-01 },
    { 5, .0941467477867393, -.0160553374902209 } } },
  { "oscU", oscU, { { .8, 6.549059658041e-01, 1.452921800904e+00 }, { 1.7, 3.941534101885e-01, 1.594500201432e+00 },
    { 2.2, 5.001218087622e-01, -1.262846690618e+00 }, { 4.3, 2.103697855977e-01, -1.111380732727e+00 } } },
  { "pre", pre, { { .8, 2.812414917970e-01, -5.540081964219e-01 }, { 1.7, 6.549150422439e-04, 6.316121458637e-02 }, { 2.2, 0, 0 } } },
  { "forced", forced, { { .8, 1.357565252499e-01, 6.032731327192e-01 }, { 2.2, 0, 0 }, { 4.3, 7.886870455711e-02, -7.585939273369e-01 },
    { 5, 0, 0 } } },
} do
  T.test("states of " .. case[1], function()
    for _, x in ipairs(case[3]) do
      local y = model.exact(x[1], case[2])
      T.near(y.q, x[2], 1e-12, "q at " .. x[1])
      T.near(y["q.dot"], x[3], 1.001e-12, "v at " .. x[1])
    end
  end)
end

for _, case in ipairs {
  { "osc", osc, { .523393697427740, 1.519971711671683, 2.516549725915626, 3.513127740159569, 4.509705754403512 }, 5, 1e-14 },
  { "oscU", oscU, { .496729413289805, 1.490188239869415, 2.483647066449025, 3.477105893028635, 4.470564719608245 }, 5, 1e-14 },
  { "pre", pre, { .4212528896003, 1.0330126540476, 1.4025079957520 }, nil, 1e-12 },
  { "forced", forced, { .657305690371, 1.095536682674, 1.262577130487 }, nil, 1e-12 },
} do
  T.test("events of " .. case[1], function()
    local events = model.events(5, case[2])
    for i, t in ipairs(case[3]) do T.near(events[i], t, case[5], "event " .. i) end
    if case[4] then T.eq(#events, case[4]) end
  end)
end

local function has(events, t, tolerance)
  for _, e in ipairs(events) do
    if math.abs(e - t) <= tolerance then return true end
  end
  return false
end

T.test("accumulations end in rest, a rest in release", function()
  T.near(model.events(5, pre)[#model.events(5, pre)], 1.787282978516, 1e-12)
  local events = model.events(5, forced)
  T.ok(has(events, 1.413849849489, 1e-12) and has(events, 5 * math.pi / 6, 1e-14))
  T.near(events[#events], 4.629937531048, 1e-12)
  T.eq(model.exact(2.6, forced).q, 0)
  T.ok(model.exact(2.7, forced).q > 0)
end)

T.test("the ball, by its own formula", function()
  local zeno = lang.load("zeno_ball", { root = "." })
  for i = 0, 400 do
    local t = 4 * i / 400 + 1e-4
    local a, b = zeno.exact(t), model.exact(t, ball)
    T.near(a.q, b.q, 1e-14, "q at " .. t)
    T.near(a["q.dot"], b["q.dot"], 1e-14, "v at " .. t)
  end
  local events = zeno.events(4)
  for n = 0, 20 do T.near(events[n + 1], 3 - 2.0 ^ (1 - n), 1e-15) end
end)

-- Between impacts, free motion in closed form: R exp(-d t) sin(w t + phase).
T.test("damped and undamped, by their own formulas", function()
  for _, p in ipairs { osc, oscU, { c = 3, k = 40, restitution = 0.6 } } do
    local c, k, e = p.c or 0.5, p.k or 10, p.restitution or 0.8
    local d = c / 2
    local w = math.sqrt(k - d ^ 2)
    local R, phase = math.sqrt(1 + (d / w) ^ 2), math.atan(1, d / w)
    local first = (math.pi - phase) / w
    local speed = e * R * w * math.exp(-d * first)
    for i = 1, 300 do
      local t = 5 * i / 301
      local q = R * math.exp(-d * t) * math.sin(w * t + phase)
      if t > first then
        local n = math.floor((t - first) * w / math.pi)
        local u = t - first - n * math.pi / w
        q = speed * (e * math.exp(-d * math.pi / w)) ^ n / w * math.exp(-d * u) * math.sin(w * u)
      end
      T.near(model.exact(t, p).q, q, 1e-14, "t = " .. t)
    end
  end
end)

T.test("overdamped: one impact, no second", function()
  local events = model.events(50, { c = 20, k = 10, f0 = -1, restitution = 0.5 })
  T.ok(#events > 1, "pressed against the wall it bounces to rest")
  T.eq(#model.events(50, { c = 20, k = 10, restitution = 0.5 }), 0)
end)

T.test("resonance grows as it must", function()
  -- q'' + 4 q = cos 2t + 10 from q(0) = 1, far from the wall at first: 2.5 - 1.5 cos 2t + t/4 sin 2t
  local p = { c = 0, k = 4, f0 = 10, amplitude = 1, omega = 2 }
  for _, t in ipairs { 0.5, 1, 2, 3 } do
    T.near(model.exact(t, p).q, 2.5 - 1.5 * math.cos(2 * t) + t / 4 * math.sin(2 * t), 1e-14)
  end
end)

T.test("mistakes in events", function()
  local text = [[
local m = require("carom").model "a"
local x = m:coordinate("x", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2)
m:exact(function() return { x = 1 } end, %s)
return m]]
  for _, case in ipairs {
    { "5", "the events of exact must be a function" },
    { "function() return 5 end", "events of exact must give a list of times" },
    { "function() return { 2, 1 } end", "entry 2 of the events of exact is no number, or less than the one before" },
  } do
    local e = T.fails(function() lang.load("a.lua", { text = text:format(case[1]) }) end, case[2])
    T.eq(e.line, 4)
  end
end)

-- two masses between three springs: omega = sqrt(k/m) and sqrt(3 k/m), in a frame that mixes them
local function chain(k)
  return ([[
local carom = require "carom"
local m = carom.model "chain"
local k, f = m:parameter("k", %g), m:parameter("f", 3)
local x, y = m:coordinate("x", { initial = 0.3 }), m:coordinate("y")
m:kinetic_energy(2 * (x.dot + y.dot)^2 / 2 + 2 * y.dot^2 / 2)
m:potential_energy(k * (x + y)^2 / 2 + k * x^2 / 2 + k * y^2 / 2 + f * x)
m:run { until_time = 1, step = 0.01 }
return m
]]):format(k)
end

T.test("the highest frequency of a body that turns in space: springs k at six points, omega^2 = 4 k/J", function()
  local pipeline, stability = require "gen.pipeline", require "gen.scheme.stability"
  local unit = pipeline.compile(pipeline.load("inline.lua", { text = [[
local m = require("carom").model "held"
local b = m:free_body("b", { mass = 2, inertia = { 0.1, 0.2, 0.3 }, at = { 0, 0, 0 }, orientation = { 0.8, 0, 0.6, 0 } })
for k = 1, 6 do
  local p = { 0, 0, 0 }
  p[(k + 1) // 2] = (-1)^k
  local x, y = b:point(p[1], p[2], p[3]), { 0.28 * p[1] + 0.96 * p[3], p[2], -0.96 * p[1] + 0.28 * p[3] }
  m:potential_energy(50 * ((x[1] - y[1])^2 + (x[2] - y[2])^2 + (x[3] - y[3])^2))
end
m:run { until_time = 1, step = 1e-3, scheme = "D-:M=1" }
return m]] }), {})
  T.near(stability.frequency(unit), math.sqrt(4 * 100 / 0.1), 1e-3)
end)

T.test("a step beyond the limit of stability is questioned, one below it is not", function()
  local pipeline, stability = require "gen.pipeline", require "gen.scheme.stability"
  local chained = pipeline.load("chain.lua", { text = chain(600) })
  local unit = pipeline.compile(chained, { scheme = "D-:M=1" })
  T.near(stability.frequency(unit), 30, 1e-4)
  T.near(stability.frequency(unit, { k = 2400 }), 60, 1e-4)
  for scheme, limit in pairs { ["D-:M=1"] = 2, ["D-:M=2"] = 2.828, ["D+:M=1"] = 2, ["schatzman-paoli:theta=0"] = 2 } do
    unit = pipeline.compile(chained, { scheme = scheme })
    T.ok(not stability.warning(unit, 0.99 * limit / 30), scheme)
    T.ok(stability.warning(unit, 1.01 * limit / 30):find("write a step below", 1, true), scheme)
  end
  for _, scheme in ipairs { "moreau-jean", "D-:M=1,adaptive=on", "schatzman-paoli" } do
    T.ok(not stability.warning(pipeline.compile(chained, { scheme = scheme }), 100), scheme)
  end
  local summary = require "gen.cli.summary"
  local function told(k)
    local lines = summary(pipeline.compile(pipeline.load("chain.lua", { text = chain(k) }), { scheme = "D-:M=1" }))
    for _, line in ipairs(lines) do if line.label == "warning" and line.text:find("the step", 1, true) then return line.text end end
  end
  T.ok(not told(600))
  T.ok(told(6e6):find("the step 0.01 is too long: the stiffest forces at the start swing with omega = 3e+03", 1, true))
end)

T.finish()
