-- D-:M=1 at the velocity level (THEORY 4.10) and alpha at all three (THEORY 4.11): the numbers of the study of these schemes, orders,
-- constraints, energy.
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

-- mean error of q over the grid, its slope
local function mean(model, scheme, until_time, counts, exact, set)
  local h, e = {}, {}
  for i, N in ipairs(counts) do
    local r = S.run(model, scheme, { step = until_time / N, until_time = until_time, csv = true, set = set })
    h[i], e[i] = 1 / N, 0
    for _, row in ipairs(r.rows) do e[i] = e[i] + math.abs(row.q - exact(row.t)) / N end
  end
  return S.slope(h, e), e[#e]
end
local function ball(t) return S.integrator("zeno_ball", V).unit.model.exact(t).q end
local solution = (dofile "models/exact_oscillator.lua").solve { m = 1, c = 0.5, k = 10, f0 = 0, a = 0, omega = 2, restitution = 0.8, q0 = 1,
  v0 = 0 }
local function oscillator(t) return (solution:at(t)) end

T.test("level=velocity: order 1 through impacts, at rest with and without projection; 2 in sliding on an incline", function()
  for _, scheme in ipairs { V, V .. ",projection=on" } do
    T.near(mean("zeno_ball", scheme, 4, { 101, 203, 407, 811, 1623 }, ball), 1, 0.35, scheme)
    local r = S.run("zeno_ball", scheme, { step = 4 / 407, until_time = 4 })
    T.eq(r.v.q, 0, scheme)
    T.near(r.impulse.ground, 8, 1e-12, scheme)
  end
  local h, x = {}, {}
  for i, N in ipairs { 20, 40, 80, 160, 1280 } do
    h[i], x[i] = 1 / N, S.run("incline", V, { step = 0.2 / N, until_time = 0.2, set = { "friction=0.25" } }).q.x
  end
  local e = {}
  for i = 1, 4 do e[i] = math.abs(x[i] - x[5]) end
  h[5] = nil
  T.ok(e[1] < 1e-14 or math.abs(S.slope(h, e) - 2) < 0.15, ("sliding: errors %.2g %.2g"):format(e[1], e[4]))
end)

T.test("through impacts and at rest: combined projection of moreau-jean, alpha:level=all are of order 1", function()
  for _, scheme in ipairs { "moreau-jean:theta=0.5,projection=on", "alpha:rho=0.8,level=all" } do
    T.near(mean("zeno_ball", scheme, 4, { 101, 203, 407, 811, 1623 }, ball), 1, 0.5, scheme)
    local slope = mean("impacting_oscillator", scheme, 5, { 173, 346, 692, 1384 }, oscillator, OSC)
    T.ok(slope > 0.7 and slope < 2, ("%s, oscillator: %.2f"):format(scheme, slope)) -- measured 1.2 to 1.8 from one halving to the next
  end
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

-- ---- alpha:level=all ----------------------------------------------------------------------------------------------------------
local P = "alpha:rho=0.8,level=all"
local BAR = { text = [[
local carom = require "carom"
local m = carom.model "bar"
local n, before, energy = 20, nil, 0
for i = 0, n do
  local u = m:coordinate("u" .. i, { initial = 0.25, velocity = -1 })
  local half = (i == 0 or i == n) and 1 / (4 * n) or 1 / (2 * n)
  m:kinetic_energy(half * u.dot^2)
  energy = energy + half * u.dot^2
  if before then
    m:potential_energy(n / 2 * (u - before)^2)
    energy = energy + n / 2 * (u - before)^2
  else
    m:contact("wall", { gap = u })
  end
  before = u
end
m:output("energy", energy)
m:run { until_time = 3, step = 0.05 }
return m]] }

for _, form in ipairs { "unrolled", "looped" } do
  T.test("level=all: ball, oscillator, bowl, bar, " .. form, function()
    local r = S.run("zeno_ball", P, { step = 4 / 407, until_time = 4, csv = true, form = form })
    compare({ r.rows[205].q, r.rows[205]["q.dot"], r.q.q, r.v.q, r.impulse.ground },
      { 4.684604193204e-03, 4.668304668305e-01, 0, 0, 8 }, 1e-12, "ball")
    T.ok(not r.deepest or r.deepest.depth < 1e-16, "the ball penetrates")
    r = S.run("impacting_oscillator", P, { step = 0.1, until_time = 5, csv = true, set = OSC, form = form })
    compare({ r.rows[23].q, r.rows[23]["q.dot"], r.q.q, r.v.q, r.impulse.wall },
      { 3.965318445980e-01, -8.907038363674e-02, 0, 3.497292803089e-01, 1.228748187028e+01 }, 1e-10, "oscillator")
    for _, case in ipairs {
      { "0.8", { 7.678699719482e-01, -6.406057338022e-01, 6.678872802704e-01, 8.005713344493e-01, 2.423024597624e+01 } },
      { "1", { 7.679222930741e-01, -6.405430132316e-01, 6.674793509234e-01, 8.002152285679e-01 } },
      { "0.5", { 7.674153505277e-01, -6.411502786199e-01, 6.710875386827e-01, 8.032483115215e-01 } } } do
      r = S.run("bowl", ("alpha:rho=%s,level=all"):format(case[1]), { step = 0.02, until_time = 2, form = form })
      compare({ r.q.x, r.q.y, r.v.x, r.v.y, r.impulse.bowl }, case[2], 1e-10, "bowl, rho = " .. case[1])
      T.ok(r.deepest.depth < 1e-15, "penetration " .. r.deepest.depth)
    end
    r = S.run(BAR, P, { step = 3 / 61, until_time = 3, form = form })
    compare({ r.q.u0, r.q.u20, r.v.u0, r.v.u20, r.outputs.energy, r.impulse.wall },
      { 6.954571025500e-01, 7.455441756748e-01, 1.284954812260e+00, 8.311212878077e-01, 4.846896917238e-01, 1.941116469097e+00 }, 1e-9,
      "bar")
  end)
end

T.test("level=all: order 2 in smooth motion, in contact that lasts, with joints that turn", function()
  local function slope(model, until_time, counts, off)
    local h, e = {}, {}
    for i, N in ipairs(counts) do h[i], e[i] = 1 / N, off(S.run(model, P, { step = until_time / N, until_time = until_time })) end
    return S.slope(h, e)
  end
  T.near(slope("forced_pendulum", 2, { 20, 40, 80 }, function(r) return math.abs(r.q.q + 8.267831524226e-01) end), 2, 0.05)
  T.near(slope("bowl", 2, { 100, 200, 400 }, function(r)
    return math.sqrt((r.v.x - 0.66044661) ^ 2 + (r.v.y - 0.79390212) ^ 2)
  end), 2, 0.05)
  local reference = S.run("spatial_pendulum", "D-:M=4,quadrature=lobatto", { step = 1 / 200, until_time = 1 })
  T.near(slope("spatial_pendulum", 1, { 50, 100, 200 }, function(r)
    local worst = 0
    for name, x in pairs(reference.q) do worst = math.max(worst, math.abs(r.q[name] - x)) end
    return worst
  end), 2, 0.1)
end)

T.test("level=all: the energy of a bar that hits a wall never grows, whatever the step", function()
  for _, case in ipairs { { "1", 61, 0.972 }, { "0.8", 61, 0.969 }, { "0.5", 61, 0.949 }, { "1", 31, 0.946 }, { "0.8", 31, 0.941 },
    { "0.5", 31, 0.909 } } do
    local r = S.run(BAR, ("alpha:rho=%s,level=all"):format(case[1]), { step = 3 / case[2], until_time = 3, csv = true })
    local most = 0
    for _, row in ipairs(r.rows) do most = math.max(most, row.energy) end
    T.near(2 * r.outputs.energy, case[3], 6e-4, ("rho = %s, %d steps"):format(case[1], case[2]))
    T.ok(most <= 0.5 + 1e-9, ("rho = %s: energy up to %.6f"):format(case[1], most))
  end
end)

T.test("impacting_beam: alpha against theta", function()
  local function run(scheme, h, until_time)
    local r, most, first = S.run("impacting_beam", scheme, { step = h, until_time = until_time, csv = true }), 0, nil
    for _, row in ipairs(r.rows) do
      most = math.max(most, row.energy)
      if not first and row["stop.impulse"] > 0 then first = row.t end
    end
    T.near(r.rows[1].energy, 1.5, 1e-12)
    return r.outputs.energy, most, first
  end
  for _, scheme in ipairs { P, "moreau-jean:theta=0.5" } do
    local _, _, first = run(scheme, 1e-3, 0.6)
    T.near(first, 0.4717, 2e-3, scheme)
  end
  local left, most = run(P, 0.005, 3)
  T.near(left, 0.80, 0.01)
  T.ok(most <= 1.5 + 1e-9, "level=all: energy up to " .. most)
  T.near(run("moreau-jean:theta=1", 0.005, 3), 0.115, 0.002)
  T.ok(select(2, run("alpha:rho=0.8", 0.005, 3)) > 5, "the impulse at the end no longer adds energy: say so in the pages")
end)

T.test("level=all: steps that change their length, long runs with impacts and releases", function()
  local program = S.compile(S.unit("bowl", P), { main = [[
#include "bowl.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 100;
    bowl s;
    if (bowl_init(&s, NULL) != CAROM_OK) {
        return 1;
    }
    for (int i = 0; i < n; ++i) { /* a third and two thirds of a step, one after the other */
        if (bowl_step(&s, 2.0 / n / 3.0) != CAROM_OK || bowl_step(&s, 4.0 / n / 3.0) != CAROM_OK) {
            return 2;
        }
    }
    printf("%.17g %.17g\n", s.v[0], s.v[1]);
    return 0;
}
]] })
  local h, e = {}, {}
  for i, N in ipairs { 50, 100, 200 } do
    local x, y = S.command(("%s %d"):format(program.program, N)):match("(%S+) (%S+)")
    h[i], e[i] = 1 / N, math.sqrt((tonumber(x) - 0.66044661) ^ 2 + (tonumber(y) - 0.79390212) ^ 2)
  end
  T.ok(S.slope(h, e) > 1.8, ("order %.2f, errors %.2g %.2g"):format(S.slope(h, e), e[1], e[3]))
  for _, case in ipairs { { "slider_crank", 1e-4, 0.2 }, { "cam_follower", 0.01, 3 }, { "two_mass_one", 0.01, 3 },
    { "bead_column", 1e-3, 1.5 } } do
    local r = S.run(case[1], P, { step = case[2], until_time = case[3] })
    T.ok(not r.deepest or r.deepest.depth < 1e-14, case[1])
  end
end)

S.finish()
