-- Steps that choose themselves: over sweeps of tolerances the error stays within a stated factor of the tolerance, with fewer
-- evaluations than constant steps.
--
-- Moreau-Jean and D-: the L1 norm of the error of q on the output grid, rtol = 0, atol = tolerance.
--   zeno_ball          3 for all: between impacts nothing is wrong, so this is the error of the impacts alone
--                      With impact=split: 2 with M = 1 on the oscillator (measured 1.3), else 0.5 (0.4)
--   the oscillators    D-: 8, most of it impacts (measured 3.3 with M = 1, 6.3 with M = 2; forced needs the guard G4 against a release
--                      inside a step of rest). Without extrapolation M = 1 had 127 at 1e-7, since it controls the error of a step, of which
--                      there are as many as tolerance^(-1/3) asks for, and Moreau-Jean (now 1.9: 8) 243
-- capture: the largest error of q on the output grid or at the end, rtol = atol = tolerance; measured at most 1.5: 3 for all.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local load = require("gen.lang.core.load").load
local print_c = require "gen.expr.print"

-- Tolerances are constants of the generated C. One integrator per sweep is made with an odd value of its own, which is then
-- replaced by a function that reads the tolerance from a file; TOL in a scheme stands for it.
local ODD = 1.2345e-3
local place = S.folder .. "/tolerance"
local READER = ([[
#include <stdio.h>
static double tolerance(void)
{
    static double value = 0.0;
    if (!(value > 0.0)) {
        FILE *const file = fopen("%s", "r");
        if (file == NULL || fscanf(file, "%%lf", &value) != 1) {
            value = 1.0;
        }
        if (file != NULL) {
            fclose(file);
        }
    }
    return value;
}
]]):format(place)
-- the tolerance itself, that of the implicit equations of capture, that of the velocities of the slider-crank
local PLACES = { { ODD, "tolerance()" }, { 1e-3 * ODD, "fmax(1e-13, 1e-3 * tolerance())" }, { ODD / 1e-3, "(1e3 * tolerance())" } }

local built = {}
local function integrator(model, scheme)
  local key = model .. "\n" .. scheme
  if not built[key] then
    local unit = S.unit(model, (scheme:gsub("TOL", ("%.17g"):format(ODD))))
    local replaced = 0
    for _, file in ipairs(unit.files) do
      if file.name == unit.name .. ".c" then
        for _, pair in ipairs(PLACES) do
          local n
          file.text, n = file.text:gsub((print_c.number(pair[1]):gsub("%p", "%%%0")), pair[2])
          replaced = replaced + n
        end
        file.text = READER .. file.text
      end
    end
    T.ok(replaced > 0, "the tolerance is not in the C of " .. scheme)
    built[key] = S.compile(unit)
  end
  return built[key]
end

local function run(model, scheme, tolerance, options)
  assert(fs.write(place, ("%.17g\n"):format(tolerance)))
  options.csv = true
  return integrator(model, scheme):run(options)
end

-- from 1e-3 down to 1e-7 (or `last`)
local function tolerances(n, last)
  local list = {}
  for i = 0, n - 1 do list[i + 1] = 10 ^ (-3 + (math.log(last or 1e-7, 10) + 3) * i / (n - 1)) end
  return list
end

-- L1 and largest error of q on the grid of a run
local function errors(case, r)
  local m = load(case.model, { root = "." })
  local p, sum, sup = {}, 0, 0
  for _, parameter in ipairs(m.parameters) do p[parameter.name] = (case.values or {})[parameter.name] or parameter.value end
  for i = 2, #r.rows do
    local e = math.abs(r.rows[i].q - m.exact(r.rows[i].t, p).q)
    sum, sup = sum + (r.rows[i].t - r.rows[i - 1].t) * e, math.max(sup, e)
  end
  return sum, sup
end

local function assignments(values)
  local list = {}
  for name, x in pairs(values or {}) do list[#list + 1] = ("%s=%.17g"):format(name, x) end
  table.sort(list)
  return list
end

local BALL = { name = "zeno_ball", model = "zeno_ball", until_time = 4, step = 4 / 81 }
local OSC = { name = "osc", model = "impacting_oscillator", until_time = 5, step = 5 / 101 }
local PRE = { name = "pre", model = "impacting_oscillator", until_time = 5, step = 5 / 101, values = { f0 = -4, restitution = 0.5 } }
local FORCED = { name = "forced", model = "impacting_oscillator", until_time = 5, step = 5 / 101,
  values = { f0 = -4, amplitude = 8, omega = 2, restitution = 0.5 } }

local function sweep(case, scheme, list, allowed, step)
  for _, tolerance in ipairs(list) do
    local r = run(case.model, scheme, tolerance, { step = step or case.step, until_time = case.until_time, set = assignments(case.values) })
    local factor = errors(case, r) / tolerance
    T.ok(factor <= allowed(tolerance), ("%s, %s: %.3g times the tolerance %.3g"):format(scheme, case.name, factor, tolerance))
  end
end

local function constant(factor) return function() return factor end end

local MOREAU = "moreau-jean:theta=0.5,gamma=1,adaptive=on,rtol=0,atol=TOL"

T.test("zeno_ball: Moreau-Jean with 33 tolerances, D- M = 1 and 2", function()
  sweep(BALL, MOREAU, tolerances(33), constant(3))
  sweep(BALL, "D-:M=1,adaptive=on,rtol=0,atol=TOL", tolerances(9), constant(3))
  sweep(BALL, "D-:M=2,adaptive=on,rtol=0,atol=TOL", tolerances(9), constant(3))
end)

T.test("oscillators: Moreau-Jean and D- M = 1, 2 over tolerances, with rest and release", function()
  for _, case in ipairs { OSC, PRE, FORCED } do
    sweep(case, MOREAU, tolerances(9), constant(8))
    sweep(case, "D-:M=1,adaptive=on,rtol=0,atol=TOL", tolerances(9), constant(8))
    sweep(case, "D-:M=2,adaptive=on,rtol=0,atol=TOL", tolerances(9), constant(8))
  end
end)

T.test("impacts at their own times: closer to the tolerance, with fewer evaluations", function()
  for _, case in ipairs { BALL, OSC, PRE, FORCED } do
    for _, M in ipairs { "D-:M=1", "D-:M=2" } do
      local scheme = M .. ",impact=split,adaptive=on,rtol=0,atol=TOL"
      sweep(case, scheme, tolerances(T.many(3, 9)), constant(case == OSC and M == "D-:M=1" and 2 or 0.5)) -- measured 1.3, 0.4
      local function work(of)
        local options = { step = case.step, until_time = case.until_time, set = assignments(case.values) }
        return run(case.model, of, 1e-6, options).counts.evaluations
      end
      local with, without = work(scheme), work(M .. ",adaptive=on,rtol=0,atol=TOL")
      -- nothing changes on the ball's flight: a step with several stages evaluates it once
      local share = M == "D-:M=1" and 0.85 or case == BALL and 1 or 0.45
      T.ok(with < share * without, ("%s, %s: %d evaluations, %d without"):format(scheme, case.name, with, without))
    end
  end
end)

T.test("copies of a state of many megabytes have room on the stack", function()
  local r = S.run("brick_wall", "D-:M=1,adaptive=on", { step = 1e-3, until_time = 2e-3 })
  T.near(r.outputs.top, 3.5 * 0.075, 1e-9)
end)

T.test("forced: a release inside a large step of rest is noticed, whatever the output grid", function()
  for _, step in ipairs { 5 / 23, 5 / 47 } do
    sweep(FORCED, MOREAU, tolerances(7), constant(8), step)
    sweep(FORCED, "D-:M=2,adaptive=on,rtol=0,atol=TOL", tolerances(7), constant(8), step)
  end
end)

-- impacts between resting beads are no releases: the guard must not drive the step to zero
T.test("a column with many touching contacts runs", function()
  for _, N in ipairs { 8, 30 } do -- straight-line and looped form
    local r = S.integrator("bead_column", "moreau-jean:theta=0.5,adaptive=on", { set = { N = N } })
      :run { step = 0.02, until_time = 1.5, set = { "restitution=0.5" } }
    T.ok(r.counts.evaluations < 40000, r.counts.evaluations)
    T.near(r.q.q1, 0.1, 1e-5)
  end
end)

-- ---- capture -----------------------------------------------------------------------------------------------------------------
local BODY = ",length=1,speed=1,time=0.3,force=1"
local SLIDER = ",length=1e-3,speed=1,time=0.0066666666666666671,force=1"
local ON = ",adaptive=on,rtol=TOL,atol=TOL"
local MECHANISMS = {
  { name = "slider-crank", model = "slider_crank", until_time = 0.02, scales = SLIDER,
    q = { theta1 = 1.6142522052, theta2 = -0.51988557053 } },
  { name = "box in a bowl", model = "box_in_bowl", until_time = 2.5, scales = BODY, values = { friction = 0 },
    q = { x = -0.079906251968, y = 0.3385264531, theta = -0.026335726774 } },
  { name = "box in a bowl, friction 0.2", model = "box_in_bowl", until_time = 2, scales = BODY, values = { friction = 0.2 },
    q = { x = 0.0019337781748, y = 0.33750060116, theta = 0.00063750918921 } },
}

for _, method in ipairs { "dg=D-,M=1", "dg=D-,M=2", "dg=D-,M=3", "rk=radau5", "rk=dopri5", "rk=dop853" } do
  T.test(method .. ": the error stays within 3 tolerances", function()
    local list = tolerances((method == "dg=D-,M=1" or method == "rk=dop853") and 5 or 9, 1e-8)
    for _, case in ipairs { OSC, PRE, FORCED } do
      for _, tolerance in ipairs(list) do
        local r = run(case.model, "capture:" .. method .. BODY .. ON, tolerance,
          { step = 5 / 37, until_time = 5, set = assignments(case.values) })
        local _, sup = errors(case, r)
        T.ok(sup <= 3 * tolerance, ("%s: %.3g times %.3g"):format(case.name, sup / tolerance, tolerance))
      end
    end
    for _, case in ipairs(MECHANISMS) do
      for _, N in ipairs { 1, 37 } do -- one step for all, or an output grid
        for _, tolerance in ipairs(list) do
          local r = run(case.model, "capture:" .. method .. case.scales .. ON, tolerance,
            { step = case.until_time / N, until_time = case.until_time, set = assignments(case.values) })
          for name, x in pairs(case.q) do
            local factor = math.abs(r.q[name] - x) / tolerance
            T.ok(factor <= 3, ("%s, %s: %.3g times %.3g"):format(case.name, name, factor, tolerance))
          end
        end
      end
    end
  end)
end

-- The estimate of radau5 (two quadratures) is of the order of its error: evaluations grow by 10^(2/5) in two decades of the tolerance, with
-- a part that the five impacts cost at any. E of the two alone was of h^4, with an error of 2e-4 tolerances at 1e-10.
T.test("radau5: evaluations and errors over tolerances; dop853 against dopri5 at 1e-9", function()
  local function at(method, tolerance)
    local r = run(OSC.model, "capture:" .. method .. ",length=1,speed=1,time=1,force=1" .. ON, tolerance,
      { step = 0.5, until_time = 5, set = assignments(OSC.values) })
    local _, sup = errors(OSC, r)
    return r.counts.evaluations, sup / tolerance
  end
  local before
  for _, tolerance in ipairs { 1e-4, 1e-6, 1e-8, 1e-10 } do
    local n, factor = at("rk=radau5", tolerance)
    T.ok(factor > 0.02 and factor < 3, ("%.2g: %.3g tolerances"):format(tolerance, factor))
    T.ok(not before or n < 2.6 * before, ("%.2g: %d after %d"):format(tolerance, n, before or 0))
    before = n
  end
  local high, low = at("rk=dop853", 1e-9), at("rk=dopri5", 1e-9)
  T.ok(high < 0.75 * low, ("%d against %d"):format(high, low))
end)

T.test("slider-crank to t = 0.02: 3e-6 with fewer than 600 evaluations", function()
  local name = "capture:dg=D-,M=2" .. SLIDER .. ON
  for _, N in ipairs { 1, 37 } do
    local r = run("slider_crank", name, 5e-6, { step = 0.02 / N, until_time = 0.02 })
    T.near(r.q.theta1, 1.6142522052, 3e-6)
    T.near(r.q.theta2, -0.51988557053, 3e-6)
    T.ok(r.counts.evaluations < 600, r.counts.evaluations)
  end
end)

-- ---- work at equal error -------------------------------------------------------------------------------------------------------
-- log(evaluations) as a line in log(error), taken at the error asked for
local function evaluations_at(error, list)
  local x, y = {}, {}
  for i, pair in ipairs(list) do x[i], y[i] = pair[1], pair[2] end
  local k = S.slope(x, y)
  local sum = 0
  for i in ipairs(x) do sum = sum + math.log(y[i]) - k * math.log(x[i]) end
  return math.exp(sum / #x + k * math.log(error))
end

T.test("pre at an error of 1e-6: capture needs a hundredth of the evaluations of Moreau-Jean", function()
  local function ladder(scheme, counts)
    local list = {}
    for i, N in ipairs(counts) do
      local r = S.run(PRE.model, scheme, { step = 5 / N, until_time = 5, csv = true, set = assignments(PRE.values) })
      list[i] = { errors(PRE, r), r.counts.evaluations }
    end
    return list
  end
  local moreau = evaluations_at(1e-6, ladder("moreau-jean:theta=0.5", { 173, 346, 692, 1384, 2768, 5536 }))
  local capture = evaluations_at(1e-6, ladder("capture:dg=D-,M=2", { 47, 93, 187, 373 }))
  T.ok(moreau >= 100 * capture, ("%.3g against %.3g"):format(moreau, capture))
  T.ok(capture < 1500, ("%.3g"):format(capture))
end)

-- q'' = -sign(q) from q = 1: the force switches inside a step, before the first stage of a Radau method as often as after it
T.test("capture: a force that switches is noticed wherever it does so", function()
  local model = { text = [[
local carom = require "carom"
local m = carom.model "switching"
local q, z = m:coordinate("q", { initial = 1 }), m:coordinate("z", { initial = 1 })
m:kinetic_energy((q.dot^2 + z.dot^2) / 2)
m:force(q, -carom.sign(q))
m:contact("idle", { gap = z })
return m
]] }
  for _, rk in ipairs { "radau3", "radau5", "lobatto4" } do
    for _, N in ipairs { 7, 10, 29, 31, 50 } do
      local r = S.run(model, "capture:rk=" .. rk .. ",adaptive=on,rtol=1e-9,atol=1e-12", { step = 3 / N, until_time = 3, flags = "-O0" })
      T.near(r.q.q, -0.9852813742385702, 2e-8, ("%s, N = %d"):format(rk, N))
      T.ok(r.counts.evaluations < 3000, ("%s, N = %d: evaluations %d"):format(rk, N, r.counts.evaluations))
    end
  end
  for _, rk in ipairs { "radau3", "radau5", "lobatto4", "dop853" } do -- tables do not locate it: the estimate alone sees it
    for _, N in ipairs { 1, 7, 29, 50 } do
      local r = S.run(model, "capture:rk=" .. rk .. ",adaptive=on,rtol=1e-9,atol=1e-12", { step = 3 / N, until_time = 3, form = "looped" })
      T.near(r.q.q, -0.9852813742385702, 6e-8, ("tables, %s, N = %d"):format(rk, N))
    end
  end
end)

S.finish()
