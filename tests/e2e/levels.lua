-- D-:M=1 at the velocity level (THEORY 4.10): the numbers of the study of the scheme, orders, constraints, energy.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

local V = "D-:M=1,level=velocity"
local OSC = { "c=0.5", "k=10", "f0=0", "restitution=0.8" }

local function compare(actual, expected, tolerance, what)
  for i, x in ipairs(expected) do T.near(actual[i], x, tolerance, ("%s, number %d"):format(what, i)) end
end

T.test("level=velocity: ball, oscillator, bowl, slider-crank", function()
  local r = S.run("zeno_ball", V, { step = 4 / 407, until_time = 4, csv = true })
  compare({ r.rows[205].q, r.rows[205]["q.dot"], r.q.q, r.v.q, r.impulse.ground },
    { -2.354375818769e-04, 4.668304668305e-01, -8.451605503335e-05, 0, 8 }, 1e-12, "ball")
  r = S.run("impacting_oscillator", V, { step = 0.1, until_time = 5, csv = true, set = OSC })
  compare({ r.rows[23].q, r.rows[23]["q.dot"], r.q.q, r.v.q, r.impulse.wall },
    { 3.861307817536e-01, -4.652185929199e-02, 4.648379366109e-02, -4.116521363361e-01, 1.074347349644e+01 }, 1e-11, "oscillator")
  for _, case in ipairs { { V, { 7.692170151261e-01, -6.391836782923e-01, 6.563906012176e-01, 7.899244554780e-01 } },
    { V .. ",projection=on", { 7.691811591738e-01, -6.390307851520e-01, 6.560049133662e-01, 7.896123808288e-01 } } } do
    r = S.run("bowl", case[1], { step = 0.02, until_time = 2 })
    compare({ r.q.x, r.q.y, r.v.x, r.v.y }, case[2], 1e-11, "bowl " .. case[1])
  end
  r = S.run("slider_crank", V, { step = 0.02 / 148, until_time = 0.02 })
  compare({ r.q.theta1, r.q.theta2, r.q.theta3, r.v.theta1, r.v.theta2, r.v.theta3 },
    { 1.614641966329e+00, -5.198556747864e-01, 0, 7.181227291330e+01, 1.437367898922e+00, 0 }, 1e-10, "slider-crank")
end)

T.test("level=velocity: friction on an incline, stop and reversal", function()
  for _, case in ipairs { { 0.5, 2.407771072854e-01, 0 }, { 0.25, 1.447152213725e-01, -7.290346089464e-01 } } do
    local r = S.run("incline", V, { step = 1 / 40, until_time = 1, set = { "friction=" .. case[1] } })
    compare({ r.q.x, r.v.x }, { case[2], case[3] }, 1e-12, "friction " .. case[1])
  end
end)

T.test("level=velocity: order 2 in contact that lasts and on the slider-crank, with less drift than the acceleration level", function()
  local h, e, drift = {}, {}, {}
  for i, N in ipairs { 100, 200, 400, 800 } do
    local r = S.run("bowl", V, { step = 2 / N, until_time = 2, csv = true })
    h[i], e[i], drift[i] = 1 / N, math.sqrt((r.v.x - 0.66044661) ^ 2 + (r.v.y - 0.79390212) ^ 2), 0
    for _, row in ipairs(r.rows) do drift[i] = math.max(drift[i], math.abs(row["bowl.gap"])) end
  end
  T.near(S.slope(h, e), 2, 0.15)
  T.ok(drift[3] < 1e-5, "drift " .. drift[3]) -- 5e-5 with forces at the stages
  for i, N in ipairs { 148, 296, 592 } do
    h[i], e[i] = 1 / N, math.abs(S.run("slider_crank", V, { step = 0.02 / N, until_time = 0.02 }).q.theta1 - 1.6142522052)
  end
  h[4], e[4] = nil, nil
  T.near(S.slope(h, e), 2, 0.15)
end)

T.test("level=velocity: a pendulum on a rod for 100 s loses little energy", function()
  for _, case in ipairs { { ",projection=off", 1.2e-2, 1e-3 }, { "", 5e-3, 1e-3 } } do
    local r = S.run("constrained_pendulum", V .. case[1], { step = 0.01, until_time = 100, csv = true, every = 10000 })
    T.near(r.rows[1].energy - r.rows[#r.rows].energy, case[2], case[3], case[1])
  end
end)

T.test("level=velocity is for D-:M=1 alone, and says so", function()
  for _, scheme in ipairs { "D+:M=1,level=velocity", "D-:M=2,level=velocity", "D-:M=1,level=velocity,impact=split" } do
    T.fails(function() S.unit("bowl", scheme) end, "level=velocity is not read but with D%-:M=1")
  end
  T.fails(function() S.unit("bowl", V, { form = "looped" }) end, "level=velocity")
end)

S.finish()
