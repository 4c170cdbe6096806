-- impact=split (THEORY 4.9): impacts at their own times. Numbers of the study of the scheme, measured orders against exact motions and
-- against those of event capturing, with friction and several contacts; what it costs.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local oscillator = dofile "models/exact_oscillator.lua"

local M1, M2, M3 = "D-:M=1,impact=split", "D-:M=2,impact=split", "D-:M=3,quadrature=lobatto,impact=split"
local OSC = { "c=0.5", "k=10", "f0=0", "restitution=0.8" }
local PRE = { "c=0.5", "k=10", "f0=-4", "restitution=0.5" }
local FORCED = { "c=0.5", "k=10", "f0=-4", "amplitude=8", "omega=2", "restitution=0.5" }
local function motion(f0, a, e)
  return oscillator.solve { m = 1, c = 0.5, k = 10, f0 = f0, a = a, omega = 2, restitution = e, q0 = 1, v0 = 0 }
end

local function compare(actual, expected, tolerance, what)
  for i, x in ipairs(expected) do T.near(actual[i], x, tolerance, ("%s, number %d"):format(what, i)) end
end

-- ---- numbers ----------------------------------------------------------------------------------------------------------------------------
for _, form in ipairs { "unrolled", "looped" } do
  T.test("ball, oscillator, slider-crank: the numbers of the study, " .. form, function()
    local r = S.run("zeno_ball", M1, { step = 4 / 407, until_time = 4, csv = true, form = form })
    compare({ r.rows[205].q, r.rows[205]["q.dot"], r.q.q, r.v.q, r.impulse.ground },
      { 2.4328550127075e-03, .49017199017199, 0, 0, 8 }, 1e-12, "ball")
    r = S.run("impacting_oscillator", M1, { step = 0.1, until_time = 5, csv = true, set = OSC, form = form })
    compare({ r.rows[23].q, r.rows[23]["q.dot"], r.q.q, r.v.q, r.impulse.wall },
      { 3.015613055947e-01, -7.132777536245e-01, 9.107724684456e-02, -3.212661121872e-02, 1.175146347464e+01 }, 1e-11, "oscillator")
    r = S.run("slider_crank", M1 .. ",projection=on", { step = 0.02 / 148, until_time = 0.02, csv = true, form = form })
    compare({ r.q.theta1, r.q.theta2, r.q.theta3, r.v.theta1, r.v.theta2, r.v.theta3 },
      { 1.614640690591e+00, -5.198804932979e-01, 0, 7.181299381704e+01, 1.437244114409e+00, 0 }, 1e-10, "slider-crank")
    for _, corner in ipairs { "corner1.impulse", "corner2.impulse" } do -- but for what pressed in the step in which the corners let go
      local last = #r.rows
      while r.rows[last - 1][corner] == r.rows[last][corner] do last = last - 1 end
      T.near(r.rows[last - 1][corner], 8.758515288970e-02, 1e-12, corner)
      T.ok(r.rows[last][corner] - r.rows[last - 1][corner] < 5e-7 and r.rows[last]["corner1.gap"] > 1e-9, "it lets go")
    end
  end)
end

local DISC = { text = [[
local carom = require "carom"
local m = carom.model "disc"
local r = 0.2
local x, y = m:coordinate("x", { velocity = 1 }), m:coordinate("y", { initial = 1.2 })
local turn = m:coordinate("turn", { velocity = 3 })
m:kinetic_energy(x.dot^2 / 2 + y.dot^2 / 2 + 0.4 * r^2 * turn.dot^2 / 2)
m:force(x, -0.3 * x.dot - 2 * x)
m:force(y, -9.81 - 0.3 * y.dot)
m:contact("floor", { gap = y - r, slide = x + r * turn, restitution = 0.5, friction = 0.05 })
m:run { until_time = 1.027027027027027, step = 0.01 }
return m]] }

-- The same disc as a page of its own: x, y, turn and their rates at t after N steps, where the cubic that tells when it hits has at the
-- end of the step the rates of v_f (as the study has them in this case) or of the parabola that q is (in all of its others).
local function page(t, N, of_end)
  local r, mu, e, q, v = 0.2, 0.05, 0.5, { 0, 1.2, 0 }, { 1, 0, 3 }
  local function f(at, rate) return { -0.3 * rate[1] - 2 * at[1], -9.81 - 0.3 * rate[2], 0 } end
  local function plus(a, s, b) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end
  for _ = 1, N do
    local x = t / N
    repeat
      local a, hits = f(q, v), false
      local function go(y)
        local Q = plus(plus(q, y, v), y * y / 2, a)
        return Q, plus(plus(v, y / 2, a), y / 2, f(Q, plus(v, y, a)))
      end
      local Q, vf = go(x)
      if Q[2] < r and q[2] > r then
        local g0, U0, g1, U1 = q[2] - r, x * v[2], Q[2] - r, x * (of_end and vf[2] or v[2] + x * a[2])
        local c, d, low, high = -3 * g0 - 2 * U0 + 3 * g1 - U1, 2 * g0 + U0 - 2 * g1 + U1, 0, 1
        for _ = 1, 60 do
          local y = (low + high) / 2
          if g0 + y * (U0 + y * (c + y * d)) > 0 then low = y else high = y end
        end
        Q, vf = go(x * high)
        local P = -(1 + e) * vf[2] -- W is 1 along the normal, 7/2 along the floor
        local PT = math.max(-mu * P, math.min(mu * P, -(vf[1] + r * vf[3]) / 3.5))
        vf, Q[2], hits, x = { vf[1] + PT, vf[2] + P, vf[3] + PT / (0.4 * r) }, r, true, x - x * high
      end
      q, v = Q, vf
    until not hits
  end
  return { q[1], q[2], q[3], v[1], v[2], v[3] }
end

T.test("a disc with spin and friction: the numbers of the study, order 2 through two oblique impacts", function()
  compare(page(1.027027027027027, 76, true),
    { .465857435193, .243186953503, .956241842304, -.103047673421, -.398371715472, -.147384964524 }, 1e-12, "the study")
  local t, exact = 1.027027027027027, { 0.46584188782, 0.24322729303, 0.95622595273, -0.10303118486, -0.39794525534, -0.14730553872 }
  local h, e = {}, {}
  for i, N in ipairs { 19, 38, 76, 152, 304 } do
    local r = S.run(DISC, M1, { step = t / N, until_time = t })
    local x = { r.q.x, r.q.y, r.q.turn, r.v.x, r.v.y, r.v.turn }
    if N == 76 then compare(x, page(t, N, false), 1e-11, "N = 76") end
    h[i], e[i] = 1 / N, 0
    for k = 1, 3 do e[i] = e[i] + (x[k] - exact[k]) ^ 2 end
    e[i] = math.sqrt(e[i])
  end
  T.near(S.slope(h, e), 2, 0.1)
end)

-- ---- orders -------------------------------------------------------------------------------------------------------------------
-- mean error of the positions of all rows; of the first coordinate
local function mean(model, scheme, until_time, counts, exact, set, only)
  local h, e, evaluations = {}, {}, {}
  for i, N in ipairs(counts) do
    local r = S.run(model, scheme, { step = until_time / N, until_time = until_time, csv = true, set = set })
    h[i], e[i], evaluations[i] = 1 / N, 0, r.counts.evaluations
    for k, row in ipairs(r.rows) do
      local x = (not only or k == #r.rows) and math.abs(row.q - exact(row.t)) or 0
      e[i] = e[i] + (only and x or x * until_time / N)
    end
  end
  return S.slope(h, e), e, evaluations
end
local function of(solution) return function(t) return (solution:at(t)) end end

for _, case in ipairs { { M1, { 43, 87, 173, 346, 692 }, 2, 0.1 }, { M2, { 23, 47, 93, 187 }, 4, 0.15 }, { M3, { 23, 47, 93 }, 6, 0.4 } } do
  T.test("through single impacts the order of smooth motion: oscillator, " .. case[1], function()
    local slope, e = mean("impacting_oscillator", case[1], 5, case[2], of(motion(0, 0, 0.8)), OSC)
    T.near(slope, case[3], case[4], "error at last " .. e[#e])
  end)
end

T.test("accumulation, rest and release: order 2 with M = 1", function()
  local slope, e = mean("zeno_ball", M1, 4, { 101, 203, 407, 811 }, function(t)
    return S.integrator("zeno_ball", M1).unit.model.exact(t).q
  end)
  T.ok(slope > 2.5 and e[1] < 1e-6, ("ball: %g, %g"):format(slope, e[1])) -- free flight is exact: the ends of bouncing are all that is left
  for _, t in ipairs { 0.8, 1.7 } do
    slope = mean("impacting_oscillator", M1, t, { 50, 100, 200, 400, 800 }, of(motion(-4, 0, 0.5)), PRE, true)
    T.near(slope, 2, 0.15, "preloaded at " .. t)
  end
  slope = mean("impacting_oscillator", M1, 4.3, { 50, 100, 200, 400, 800 }, of(motion(-4, 8, 0.5)), FORCED, true)
  T.near(slope, 2, 0.2, "forced")
end)

T.test("slider-crank whose corners hit together: order 2", function()
  local h, e = {}, {}
  for i, N in ipairs { 148, 296, 592, 1184 } do
    local r = S.run("slider_crank", M1 .. ",projection=on", { step = 0.02 / N, until_time = 0.02 })
    h[i], e[i] = 1 / N, math.abs(r.q.theta1 - 1.6142522052)
  end
  T.near(S.slope(h, e), 2, 0.1)
end)

-- ---- cost ---------------------------------------------------------------------------------------------------------------------
T.test("few more evaluations than without, never more than the bound", function()
  local function evaluations(scheme, N, set)
    return S.run("impacting_oscillator", scheme, { step = 5 / N, until_time = 5, set = set }).counts.evaluations
  end
  T.eq(evaluations("D-:M=1", 50, OSC), 100)
  T.eq(evaluations(M1, 50, OSC), 110) -- five impacts, two evaluations each
  for _, kmax in ipairs { 1, 3, 8 } do -- a step of the whole motion, with its accumulation
    local n = evaluations(("%s,kmax=%d"):format(M1, kmax), 2, PRE)
    T.ok(n <= 2 * (2 + 2 * kmax), ("kmax=%d: %d"):format(kmax, n))
  end
  local slope, e = mean("zeno_ball", M1 .. ",kmax=1", 4, { 101, 203, 407, 811, 1623 }, function(t)
    return S.integrator("zeno_ball", M1).unit.model.exact(t).q
  end)
  T.ok(slope > 1.6 and e[5] < 1e-6, ("kmax=1: %g, %g"):format(slope, e[5]))
end)

T.test("at most a fifth more evaluations than without, on every model of the table, at its coarsest steps", function()
  for _, case in ipairs { { "impacting_oscillator", 5, 50, OSC }, { "impacting_oscillator", 2.5, 51, PRE },
    { "impacting_oscillator", 5, 53, FORCED }, { "zeno_ball", 4, 51 }, { "slider_crank", 0.02, 74 },
    { "slider_crank", 0.02, 74, { "friction=0.01", "restitution=0.4" } }, { "double_pendulum", 2.5, 74 }, { "billiard", 1.5, 60 },
    { "box_tumble", 0.55, 80 } } do
    local function cost(scheme)
      return S.run(case[1], scheme, { step = case[2] / case[3], until_time = case[2], set = case[4] }).counts.evaluations
    end
    local with, without = cost(M1), cost "D-:M=1"
    T.ok(with <= 1.2 * without, ("%s: %d with, %d without"):format(case[1], with, without))
  end
end)

T.test("a column of beads that hits the floor and comes to rest: few impacts beyond kmax, no penetration that grows", function()
  local r = S.run("bead_column", M1, { step = 5e-4, until_time = 5 })
  T.ok(r.deepest.depth < 2e-4, "penetration " .. r.deepest.depth) -- 3e-3 without; what bounces in a column at rest must not sink in
  T.ok(r.counts.evaluations < 1.1 * 10000, r.counts.evaluations .. " evaluations in 10000 steps")
end)

T.test("a bar on a mesh that hits a wall: the place of its far end", function()
  local bar = { text = [[
local carom = require "carom"
local m = carom.model "bar"
local bar = m:mesh("bar", carom.box { size = { 1 }, cells = { 20 }, cell = "bar2" })
m:elastic(bar, { E = 1, nu = 0, rho = 1 })
m:start(bar, { velocity = function() return { -1 } end })
m:contact_surface("wall", { mesh = bar, boundary = "left", gap = function(x) return x + 0.25 end })
m:probe("tip", { mesh = bar, at = { 1 } })
m:run { until_time = 3, step = 0.02, scheme = "D-:M=1" }
return m]] }
  local function tip(scheme, n) return S.run(bar, scheme, { step = 3 / n, until_time = 3 }).outputs["tip.x"] end
  local exact = tip(M1, 9600)
  for _, n in ipairs { 151, 301, 603 } do
    local with, without = math.abs(tip(M1, n) - exact), math.abs(tip("D-:M=1", n) - exact)
    T.ok(with < 0.25 * without, ("%d steps: %.2g with, %.2g without"):format(n, with, without))
  end
end)

T.test("a state larger than the stack: a wall of bricks is hit by a ball", function()
  local r = S.run("brick_wall", M1, { step = 1e-3, until_time = 0.05 })
  T.eq(r.status, "ok")
  T.ok(r.outputs.top_y > 0.01, "it breaks")
end)

T.test("forces after an impact are those of the rest of its step", function()
  local r = S.run("impacting_oscillator", M1, { step = 5 / 50, until_time = 0.6, set = OSC })
  T.ok(r.impulse.wall > 1) -- it was in the last step
  T.eq(r.force.wall, 0)
  T.eq(r.contacts.wall, "open")
end)

S.finish()
