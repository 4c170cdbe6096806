-- Every test vector of a published run that needs no friction: numbers computed by others with the same algorithms, so an
-- integrator either reproduces them to rounding or is a different scheme. TV1-TV5, TV7 are the problems of Schindler and
-- Acary (2013) and the slider-crank; the oscillators are those of the study of order through impacts.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

-- names of `result`'s values in order: coordinates, then velocities
local function state(result, names)
  local x = {}
  for i, name in ipairs(names) do x[i], x[#names + i] = result.q[name], result.v[name] end
  return x
end

local function compare(actual, expected, tolerance, what)
  for i, x in ipairs(expected) do T.near(actual[i], x, tolerance, ("%s, number %d"):format(what, i)) end
end

-- ---- TV1: damped forced pendulum, h = 0.1, t = 2 ------------------------------------------------------------------------
local pendulum = {
  { "D-:M=1", -8.244327835069e-01, 1.012579740789e-01 },
  { "D-:M=2", -8.267814103638e-01, 9.651609468023e-02 },
  { "D-:M=3", -8.267829677786e-01, 9.651653246857e-02 },
  { "D-:M=4", -8.267831522789e-01, 9.651600538035e-02 },
  { "D+:M=1", -8.246471770847e-01, 1.005664010934e-01 },
  { "D+:M=2", -8.267815378112e-01, 9.651588959552e-02 },
  { "D+:M=3", -8.267829583843e-01, 9.651647582626e-02 },
  { "D+:M=4", -8.267831523030e-01, 9.651600532392e-02 },
  { "D-:M=3,quadrature=lobatto", -8.267831518213e-01, 9.651600559494e-02 },
  { "D-:M=4,quadrature=lobatto", -8.267831524226e-01, 9.651600552188e-02 },
  { "D+:M=3,quadrature=lobatto", -8.267831519399e-01, 9.651600543982e-02 },
  { "D+:M=4,quadrature=lobatto", -8.267831524227e-01, 9.651600552176e-02 },
}
for _, line in ipairs(pendulum) do
  T.test("TV1 forced_pendulum " .. line[1], function()
    local r = S.run("forced_pendulum", line[1], { step = 0.1, until_time = 2 })
    compare(state(r, { "q" }), { line[2], line[3] }, 1e-10, line[1])
  end)
end
T.test("TV1 forced_pendulum, stages by fixed point give the same numbers", function()
  for _, i in ipairs { 3, 6, 9 } do
    local scheme = pendulum[i][1] .. ",stages=fixed-point"
    local r = S.run("forced_pendulum", scheme, { step = 0.1, until_time = 2 })
    compare(state(r, { "q" }), { pendulum[i][2], pendulum[i][3] }, 1e-10, scheme)
  end
end)

-- ---- TV2: rest under a growing load, h = 0.1, impulse until t = 1 ---------------------------------------------------------
for _, line in ipairs {
  { "moreau-jean:theta=1", 3.85 }, { "moreau-jean:theta=0.5", 3.35 }, { "D-:M=1", 3.35 }, { "D-:M=2", 3.333333333333 } } do
  T.test("TV2 rest " .. line[1], function()
    local r = S.run("rest", line[1], { step = 0.1, until_time = 1 })
    T.near(r.impulse.ground, line[2], 1e-9)
    T.near(r.q.q, 0, 1e-9)
    T.near(r.v.q, 0, 1e-9)
  end)
end

-- ---- TV3, TV7: the ball whose impacts accumulate, h = 4/407; the state at step 204 is just after the first impact ---------
local function ball(scheme, q, v, impulse, q204, v204, tolerance)
  T.test("TV3 zeno_ball " .. scheme, function()
    local r = S.run("zeno_ball", scheme, { step = 4 / 407, until_time = 4, csv = true })
    T.eq(r.steps, 407)
    T.eq(#r.rows, 408)
    compare({ r.q.q, r.v.q }, { q, v }, tolerance, "end")
    if impulse then T.near(r.impulse.ground, impulse, tolerance, "impulse") end
    local row = r.rows[205]
    T.near(row.q, q204, tolerance, "q at step 204")
    if v204 then T.near(row["q.dot"], v204, tolerance, "v at step 204") end
  end)
end
ball("moreau-jean:theta=1", -1.038843176447e-04, 0, 8, -5.016631552260e-03, -1.012285012285e+00, 1e-9)
ball("moreau-jean:theta=0.5", -1.549461008935e-04, 0, 8, -9.055291610789e-05, -9.828009828010e-01, 1e-9)
for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1" } do
  ball(scheme, -9.055291610449e-05, 0, 8, -4.920041775078e-03, 5.012285012285e-01, 1e-9)
end
-- TV7 was computed with explicit forces (theta = 0); for this constant force theta does not matter
ball("schatzman-paoli:theta=0", -3.523657060578e-19, -1.378969638130e-17, nil, 7.289509746667e-03, nil, 1e-9)
ball("schatzman-paoli", -3.523657060578e-19, -1.378969638130e-17, nil, 7.289509746667e-03, nil, 1e-9)

T.test("Schatzman-Paoli: free flight ends where it should, the ball penetrates by 1.8467e-3 once", function()
  -- grid N = 80: q(1) = 0.16679687500 and the grid L1 errors of the study
  local r = S.run("free_flight", "schatzman-paoli:theta=0", { step = 1 / 80, until_time = 1 })
  T.near(r.q.q, 1.667968750000e-01, 1e-9)
  local lowest = 0
  local N = 1623
  r = S.run("zeno_ball", "schatzman-paoli:theta=0", { step = 4 / N, until_time = 4, csv = true })
  for _, row in ipairs(r.rows) do lowest = math.min(lowest, row.q) end
  T.near(lowest, -0.0018467204898760352, 1e-9)
  T.near(r.q.q, 0, 1e-12)
end)

-- ---- TV4: particle in a bowl, 100 steps until t = 2: x y x' y' and the largest |gap| --------------------------------------
local bowl = {
  { "D-:M=1", { 7.685296342345e-01, -6.402020572677e-01, 6.625345075139e-01, 7.953385918509e-01 }, 9.358e-04 },
  { "D-:M=2", { 7.687631193112e-01, -6.395336464543e-01, 6.604468969058e-01, 7.939022746022e-01 }, 1.714e-08 },
  { "D-:M=3", { 7.687631805486e-01, -6.395335651241e-01, 6.604466334129e-01, 7.939021220671e-01 }, 4.440e-08 },
  { "D+:M=1", { 7.686283378302e-01, -6.392522470712e-01, 6.612579425023e-01, 7.950876912068e-01 }, 7.779e-04 },
  { "D+:M=2", { 7.687631431925e-01, -6.395334933983e-01, 6.604467071297e-01, 7.939022611408e-01 }, 7.404e-08 },
  { "D+:M=3", { 7.687631814475e-01, -6.395335533517e-01, 6.604466164176e-01, 7.939021171798e-01 }, 4.262e-08 },
  { "D-:M=1,projection=on", { 7.688794909197e-01, -6.393937194273e-01, 6.584450426805e-01, 7.917889616874e-01 }, 0 },
  { "D-:M=2,projection=on", { 7.687631196443e-01, -6.395336315432e-01, 6.604468657208e-01, 7.939022559700e-01 }, 0 },
  { "D-:M=3,projection=on", { 7.687631990990e-01, -6.395335360332e-01, 6.604464606730e-01, 7.939019696915e-01 }, 0 },
  { "D+:M=1,projection=on", { 7.691060689494e-01, -6.391211580797e-01, 6.586475233848e-01, 7.926037201706e-01 }, 0 },
  { "D+:M=2,projection=on", { 7.687631636181e-01, -6.395335786837e-01, 6.604469047622e-01, 7.939024139308e-01 }, 0 },
  { "D+:M=3,projection=on", { 7.687632010850e-01, -6.395335336458e-01, 6.604464621001e-01, 7.939019764216e-01 }, 0 },
}
for _, line in ipairs(bowl) do
  T.test("TV4 bowl " .. line[1], function()
    local r = S.run("bowl", line[1], { step = 0.02, until_time = 2, csv = true })
    compare(state(r, { "x", "y" }), line[2], 1e-9, line[1])
    local largest = 0
    for _, row in ipairs(r.rows) do largest = math.max(largest, math.abs(row["bowl.gap"])) end
    if line[3] == 0 then
      T.ok(largest <= 1e-15, "projected gap is " .. largest) -- the study has 1.1e-16
    else
      T.near(largest, line[3], 1e-3 * line[3], "largest gap") -- printed with four digits, of 1 - r instead of (1 - r^2)/2
    end
  end)
end

-- ---- Moreau-Jean with combined projection: the ball at step 204 and at the end, the oscillator at t = 2.2 and 5, the bowl ------
for _, form in ipairs { "unrolled", "looped" } do
  local scheme = "moreau-jean:theta=0.5,projection=on"
  T.test("combined projection, " .. form, function()
    local r = S.run("zeno_ball", scheme, { step = 4 / 407, until_time = 4, csv = true, form = form })
    compare({ r.rows[205].q, r.rows[205]["q.dot"], r.q.q, r.v.q, r.impulse.ground }, { 0, 4.963144963145e-01, 0, 0, 8 }, 1e-12, "ball")
    r = S.run("impacting_oscillator", scheme, { step = 0.1, until_time = 5, csv = true, form = form,
      set = { "c=0.5", "k=10", "f0=0", "restitution=0.8" } })
    compare({ r.rows[23].q, r.rows[23]["q.dot"], r.q.q, r.v.q, r.impulse.wall },
      { 3.957670950192e-01, -8.991713599107e-02, 0, 3.482178530313e-01, 1.227447782714e+01 }, 1e-11, "oscillator")
    r = S.run("bowl", scheme, { step = 0.02, until_time = 2, form = form })
    compare(state(r, { "x", "y" }), { 6.893805164080e-01, -7.243994088879e-01, 5.859429246281e-01, 5.576172909719e-01 }, 1e-11, "bowl")
  end)
end

-- restitution belongs to contacts that close: one that stays closed does not feel it, bit for bit
for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1", "D-:M=1,projection=on" } do
  T.test("a contact that stays closed has no restitution, " .. scheme, function()
    local soft = S.run("bowl", scheme, { step = 0.02, until_time = 2, set = { "restitution=0" } })
    local hard = S.run("bowl", scheme, { step = 0.02, until_time = 2, set = { "restitution=0.9" } })
    for _, part in ipairs { "q", "v" } do
      for _, name in ipairs { "x", "y" } do T.eq(hard[part][name], soft[part][name], part .. " " .. name) end
    end
    T.eq(hard.counts.events, 0, "events")
  end)
end

-- ---- TV5: slider-crank with clearance, e = 0.1, h = 2e-5 -------------------------------------------------------------------
-- With projection, e acts on the speed at the hit: those numbers are of an independent interpreter of step plans.
local slider = {
  { "D-:M=1", {
    { 0.005, 5.762479804905e-01, -2.725329421065e-01, 0, 8.546059461552e+01, -3.720298864777e+01, 0 },
    { 0.01, 9.482212142736e-01, -4.147057835871e-01, 0, 6.752454821904e+01, -2.151115855390e+01, 0 },
    { 0.02, 1.614258171908e+00, -5.198842349116e-01, 0, 7.177934551330e+01, 1.421648744926e+00, 0 } } },
  { "D-:M=1,projection=on", {
    { 0.005, 5.762488820046e-01, -2.725344799244e-01, 0, 8.546057844863e+01, -3.720297580553e+01, 0 },
    { 0.01, 9.482221859187e-01, -4.147073167403e-01, 0, 6.752458787587e+01, -2.151115658799e+01, 0 },
    { 0.02, 1.614260091255e+00, -5.198854696341e-01, 0, 7.177951763343e+01, 1.421725031787e+00, 0 } } },
}
for _, line in ipairs(slider) do
  for _, at in ipairs(line[2]) do
    T.test(("TV5 slider_crank %s at t = %g"):format(line[1], at[1]), function()
      local r = S.run("slider_crank", line[1], { step = 2e-5, until_time = at[1] })
      compare(state(r, { "theta1", "theta2", "theta3" }), { table.unpack(at, 2) }, 1e-7, line[1])
    end)
  end
end

-- ---- oscillators that hit a wall: (q, v) at t = 2.2 and t = 5; q only where the study gives only q -------------------------
-- Schatzman-Paoli: (q_{k+1} - q_{k-1})/2h is called v_k in the study and v_{k+1} in RR-7151 (22b) and here.
local osc = { "c=0.5", "k=10", "f0=0", "restitution=0.8" }
local osc_undamped = { "c=0", "k=10", "f0=0", "restitution=0.8" }
local preloaded = { "c=0.5", "k=10", "f0=-4", "restitution=0.5" }
local MJ_HALF, MJ_ONE, MJ_HALF_HALF = "moreau-jean:theta=0.5,gamma=1", "moreau-jean:theta=1,gamma=1", "moreau-jean:theta=0.5,gamma=0.5"
for _, line in ipairs {
  { "osc", osc, 50, MJ_HALF, { 3.496862878858e-01, -8.063190074885e-01 }, { 1.161178598118e-01, 1.028259862520e-01 } },
  { "osc", osc, 50, MJ_ONE, { 1.036929535623e-01, -6.628298114029e-01 }, { 9.077324568077e-03, -1.061488292564e-01 } },
  { "osc", osc, 50, MJ_HALF_HALF, { 3.925182924887e-01, 4.344901796593e-02 }, { -1.848633318988e-02, -4.162346640247e-01 } },
  { "osc", osc, 500, MJ_HALF, { 3.181820858376e-01, -6.964807239336e-01 }, { 9.586496031270e-02, 3.134716022212e-04 } },
  { "osc", osc, 500, MJ_ONE, { 2.771211288456e-01, -6.815498702263e-01 }, { 7.680176253361e-02, -4.014240090760e-02 } },
  { "oscU", osc_undamped, 50, MJ_HALF, { 6.398851102533e-01, -1.968213292311e-02 }, { 1.969378894961e-01, 8.414106473192e-01 } },
  { "oscU", osc_undamped, 500, MJ_HALF, { 4.914599450018e-01, -1.296572949096e+00 }, { 3.235082258786e-01, -1.657464634167e-01 } },
  { "pre", preloaded, 500, MJ_HALF, { -1.333929995683e-04 }, { -1.333929995684e-04 } },
  { "osc", osc, 50, "schatzman-paoli:theta=0.5", { 1.770512817752e-01, 5.348211732886e-01 }, { 5.084225575475e-02 } },
  { "osc", osc, 500, "schatzman-paoli:theta=0.5", { 3.218768836453e-01, -5.581552133738e-01 }, { 8.003756124558e-02 } },
} do
  T.test(("%s, N = %d, %s"):format(line[1], line[3], line[4]), function()
    local h = 5 / line[3]
    local r = S.run("impacting_oscillator", line[4], { step = h, until_time = 5, set = line[2], csv = true })
    local row = r.rows[math.floor(2.2 / h + 0.5) + 1]
    T.near(row.t, 2.2, 1e-9)
    local central = line[4]:find("^schatzman") and r.rows[math.floor(2.2 / h + 0.5) + 2] or row
    compare({ row.q, central["q.dot"] }, line[5], 1e-10, "t = 2.2")
    compare({ r.q.q, r.v.q }, line[6], 1e-10, "t = 5")
  end)
end

-- ---- alpha: what the study of the scheme gives, on both back ends -------------------------------------------------------------

-- the ends of runs of one program with these numbers of steps
local function ends(model, scheme, form, until_time, counts, set)
  local program, list = S.compile(S.unit(model, scheme, { form = form }), { flags = "-O0" }), {}
  for i, N in ipairs(counts) do list[i] = program:run { step = until_time / N, until_time = until_time, set = set } end
  return list
end

local bar = { text = [[
local carom = require "carom"
local m = carom.model "bar"
local n, before, energy = 20, nil, 0
for i = 0, n do
  local u = m:coordinate("u" .. i, { velocity = -1 })
  local half = (i == 0 or i == n) and 1 / (4 * n) or 1 / (2 * n)
  m:kinetic_energy(half * u.dot^2)
  energy = energy + 2 * half * u.dot^2
  if before then
    m:potential_energy(n / 2 * (u - before)^2)
    energy = energy + n * (u - before)^2
  else
    m:contact("wall", { gap = u + 0.25 })
  end
  before = u
end
m:output("energy", energy)
m:run { until_time = 3, step = 0.05 }
return m]] }

for _, form in ipairs { "unrolled", "looped" } do
  T.test("alpha: order 2 in smooth motion, in contact that lasts, on the slider-crank; 1 through impacts: " .. form, function()
    local function order(model, scheme, until_time, counts, name, exact, set)
      local h, errors = {}, {}
      for i, r in ipairs(ends(model, scheme, form, until_time, counts, set)) do
        h[i], errors[i] = until_time / counts[i], math.abs(r.q[name] - exact)
      end
      return S.slope(h, errors), errors
    end
    T.near(order("forced_pendulum", "alpha:rho=0.8", 2, { 20, 40, 80 }, "q", -8.267831524226e-01), 2, 0.05)
    T.near(order("bowl", "alpha:rho=0.8", 2, { 100, 200, 400 }, "x", 7.68763070e-01), 2, 0.1)
    local slope, errors = order("slider_crank", "alpha:rho=0.8,projection=on", 0.02, { 74, 148, 296 }, "theta1", 1.6142522052)
    T.near(slope, 2, 0.1)
    T.near(errors[2], 4.2e-4, 1e-5)
    slope = order("impacting_oscillator", "alpha:rho=0.8", 2.2, { 500, 1000, 2000, 4000, 8000 }, "q", 0.3112629572, osc)
    T.ok(slope > 0.65 and slope < 1.5, "through impacts: " .. slope)
  end)

  T.test("alpha: the ball, the bowl and the energies of a bar that hits a wall, " .. form, function()
    local r = ends("zeno_ball", "alpha:rho=0.8,projection=on", form, 4, { 407 })[1]
    compare({ r.q.q, r.v.q, r.impulse.ground, r.counts.events }, { 0, 0, 8, 8 }, 1e-12, "ball")
    r = ends("bowl", "alpha:rho=0.8,projection=on", form, 2, { 100 })[1] -- of the coupled form, which this equals to six digits
    compare(state(r, { "x", "y" }), { 7.678699719482e-01, -6.406057338022e-01, 6.678872802704e-01, 8.005713344493e-01 }, 2e-6, "bowl")
    for _, line in ipairs { { "alpha:rho=0.8", 150, 0.975 }, { "alpha:rho=0.8", 61, 0.972 }, { "alpha:rho=0.8", 31, 0.966 },
      { "alpha:rho=0.8,projection=on", 61, 1.000, 1.004 } } do
      r = S.compile(S.unit(bar, line[1], { form = form }), { flags = "-O0" }):run { step = 3 / line[2], until_time = 3, csv = true }
      local most = 0
      for _, row in ipairs(r.rows) do most = math.max(most, row.energy) end
      T.near(r.outputs.energy, line[3], 5e-4, line[1])
      T.ok(most <= (line[4] or 1) + 1e-9, ("%s: energy up to %.6f"):format(line[1], most)) -- the metric is S, not M
    end
  end)
end

S.finish()
