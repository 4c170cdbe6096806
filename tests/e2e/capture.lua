-- Event capturing through impacts, accumulations, releases, sliding and sticking: measured orders against the declared ones,
-- reference digits, Newton's cradle, short excursions. What contacts do otherwise is in capture_contacts.lua.
--
-- An order is the least-squares slope of log(error) over log(h). Events are located to O(h^(p+1)), so the slope lies between p,
-- where the smooth error dominates, and p + 1, where flights are integrated exactly; where an event falls inside its bracket is
-- pseudo-random, which moves a slope over four halvings by a few tenths. Hence
--   p - 0.3 .. p + 0.5   on the oscillator with time = 1, where the smooth error dominates (p + 0.8 for order 6: nearly rounding)
--   p - 0.3 .. p + 0.3   on the slider-crank, whose events are few and cheap to locate
--   p - 0.5 .. p + 2     where the error of the events dominates; closings are often located far better than to delta
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local M = require "tests.e2e.mechanisms"
local load = require("gen.lang.core.load").load

local UNIT = ",length=1,speed=1,time=1,force=1"
local BODY = ",length=1,speed=1,time=0.3,force=1"
local SLIDER = ",length=1e-3,speed=1,time=0.0066666666666666671,force=1"

local function scheme(method, scales) return "capture:" .. method .. scales end

local function texts(list)
  local t = {}
  for i, x in ipairs(list) do t[i] = ("%.2g"):format(x) end
  return table.concat(t, " ")
end

-- The slope of the errors over the counts must lie between the bounds.
local function slope(what, counts, errors, low, high)
  local h = {}
  for i, N in ipairs(counts) do h[i] = 1 / N end
  local found = S.slope(h, errors)
  T.ok(found >= low and found <= high, ("%s: slope %.2f not in %.2f .. %.2f, errors %s"):format(what, found, low, high, texts(errors)))
end

local function declared(model, name) return S.integrator(model, name).unit.plan.order end

-- ---- against exact solutions ------------------------------------------------------------------------------------------------

-- L1 norm on the grid of the error of the first coordinate, for assignments { name = number }
local function exact_error(model, name, N, until_time, values)
  local m = load(model, { root = "." })
  local p, set = {}, {}
  for _, parameter in ipairs(m.parameters) do
    p[parameter.name] = values[parameter.name] or parameter.value
    if values[parameter.name] then set[#set + 1] = ("%s=%.17g"):format(parameter.name, values[parameter.name]) end
  end
  local r = S.run(model, name, { step = until_time / N, until_time = until_time, csv = true, set = set })
  local q, sum = m.coordinates[1].name, 0
  for i = 2, #r.rows do
    sum = sum + (r.rows[i].t - r.rows[i - 1].t) * math.abs(r.rows[i][q] - m.exact(r.rows[i].t, p)[q])
  end
  return sum, r
end

local function exact_order(model, name, counts, until_time, values, below, above)
  local errors, order = {}, declared(model, name)
  for i, N in ipairs(counts) do errors[i] = exact_error(model, name, N, until_time, values) end
  slope(name, counts, errors, order - below, order + above)
end

local METHODS = { ["dg=D-,M=1"] = 2, ["dg=D-,M=2"] = 4, ["dg=D-,M=3"] = 4, ["dg=D-,M=4"] = 6, ["dg=D+,M=1"] = 2, ["dg=D+,M=2"] = 4,
  ["dg=D+,M=3"] = 4, ["rk=radau3"] = 3, ["rk=radau5"] = 5, ["rk=lobatto2"] = 2, ["rk=lobatto4"] = 4, ["rk=lobatto6"] = 6,
  ["rk=heun2"] = 2, ["rk=kutta3"] = 3, ["rk=rk4"] = 4, ["rk=dopri5"] = 5 }
local NAMES = {}
for method in pairs(METHODS) do NAMES[#NAMES + 1] = method end
table.sort(NAMES)

local FORCED = { f0 = -4, amplitude = 8, omega = 2, restitution = 0.5 }

-- N avoids impacts on grid points (events.md); they are incommensurable with the impacts of all three problems
for _, method in ipairs(NAMES) do
  T.test(method .. ": order through five impacts, and through accumulation, rest, release, accumulation", function()
    local name = scheme(method, UNIT)
    T.eq(declared("impacting_oscillator", name), METHODS[method])
    local above = METHODS[method] == 6 and 0.8 or 0.5
    exact_order("impacting_oscillator", name, { 47, 93, 187, 373 }, 5, {}, 0.3, above)
    exact_order("impacting_oscillator", name, { 47, 93, 187, 373 }, 5, FORCED, 0.3, above)
  end)
end

-- Errors scatter with where events fall in their brackets, and 8 is at rounding soon: the slope over some step lengths that are few.
T.test("rk=dop853: order 8 through five impacts, and through accumulation and release", function()
  local name = scheme("rk=dop853", UNIT)
  T.eq(declared("impacting_oscillator", name), 8)
  exact_order("impacting_oscillator", name, { 13, 17, 23, 29, 37, 47, 59 }, 5, {}, 1.0, 4.0)
  exact_order("impacting_oscillator", name, { 23, 29, 37, 47, 59, 73 }, 5, FORCED, 1.0, 4.0)
  local error = exact_error("impacting_oscillator", name, 93, 5, {})
  T.ok(error < 1e-11, ("%.2g"):format(error)) -- 3.9e-12
end)

T.test("impacts of zeno_ball are located to rounding: flights are parabolas, and the cubic through gaps and rates is exact", function()
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5", "rk=lobatto6" } do
    for _, N in ipairs { 47, 93, 187, 373 } do
      local error = exact_error("zeno_ball", scheme(method, UNIT), N, 4, {})
      T.ok(error < 1e-14, ("%s, N = %d: %.2g"):format(method, N, error))
    end
  end
end)

T.test("orders with the scales computed from the model", function()
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5" } do
    exact_order("impacting_oscillator", scheme(method, ""), { 93, 187, 373, 747 }, 5, FORCED, 0.4, 1.5)
  end
end)

for _, mu in ipairs { 0.5, 0.25 } do
  T.test(("incline, friction %g: order of x through the stop"):format(mu), function()
    for _, method in ipairs { "dg=D-,M=1", "dg=D-,M=2", "rk=radau3" } do
      exact_order("incline", scheme(method, BODY), { 40, 80, 160, 320 }, 1, { friction = mu }, 0.3, 0.5)
    end
    local name = scheme("rk=radau5", BODY)
    local error = exact_error("incline", name, 80, 1, { friction = mu })
    T.ok(error < 1e-10, ("radau5: %.2g"):format(error)) -- the slope ends in the rounding of the event
  end)
end

-- ---- against reference digits ------------------------------------------------------------------------------------------------

-- Two high-order runs of another program agree to the digits given: positions at t = T 19/37 and positions and velocities at T.
local CASES = {
  -- one coordinate, whose error happens to vanish at the middle: its orders are measured below
  { name = "pendulum on a wall", model = M.pendulum, until_time = 5, scales = BODY, middle = { 0.35882752955 },
    q = { 0.30469265402 }, v = { 0 } },
  { name = "double pendulum on a floor", model = "double_pendulum", until_time = 2.5, scales = BODY,
    middle = { -0.71651343833, 0.67703462425 }, q = { -0.29882270076, 0.87066744345 }, v = { 1.3999001211, 0.53889383907 },
    orders = { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } },
  { name = "slider-crank, symmetric", model = "slider_crank", until_time = 0.02, scales = SLIDER,
    middle = { 0.9664134247, -0.42043596333, 0 }, q = { 1.6142522052, -0.51988557053, 0 }, v = { 71.77882587, 1.4214031207, 0 },
    sharp = true },
  { name = "slider-crank, theta3.dot = -0.01", model = "slider_crank", until_time = 0.02, scales = SLIDER,
    set = { "theta3.dot=-0.01" }, middle = { 0.96641100747, -0.42043521101, 0 }, q = { 1.6142477928, -0.51988566029, 0 },
    v = { 71.778496683, 1.421222764, 0 }, sharp = true },
  { name = "slider-crank, theta3.dot = -0.01, e = 0.4", model = "slider_crank", until_time = 0.02, scales = SLIDER,
    set = { "theta3.dot=-0.01", "restitution=0.4" }, middle = { 0.96641100727, -0.42043521094, 0 }, q = { 1.6142477923, -0.5198856603, 0 },
    v = { 71.778496638, 1.4212227436, 0 }, sharp = true },
  { name = "slider-crank, theta3 = 1e-3", model = "slider_crank", until_time = 0.02, scales = SLIDER, set = { "theta3=0.001" },
    middle = { 0.9664110102, -0.42043521185, 0 }, q = { 1.6142477925, -0.5198856603, 0 }, v = { 71.778496343, 1.4212227442, 0 },
    sharp = true },
  { name = "slider-crank, e = 0.4, friction 0.01", model = "slider_crank", until_time = 0.02, scales = SLIDER,
    set = { "restitution=0.4", "friction=0.01" }, middle = { 0.9661418828, -0.42035143576, 0 }, q = { 1.6133165415, -0.51990471023, 0 },
    v = { 71.681765813, 1.3825267178, 0 }, sharp = true },
  { name = "slider-crank, e = 0.9, 416 impacts", model = "slider_crank", until_time = 0.02, scales = SLIDER,
    set = { "theta3.dot=-0.01", "restitution=0.9" }, q = { 1.61464826194, -0.519877461469, 0 }, v = { 71.809052596, 1.4376147526, 0 },
    sharp = true },
  { name = "box in a bowl", model = "box_in_bowl", until_time = 2.5, scales = BODY, set = { "friction=0" },
    middle = { -0.13365340194, 0.34037169926, -0.044028865675 }, q = { -0.079906251968, 0.3385264531, -0.026335726774 },
    v = { 0.37139032234, -0.0095415663643, 0.12233888874 }, orders = { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } },
  { name = "box in a bowl, friction 0.2", model = "box_in_bowl", until_time = 2, scales = BODY, set = { "friction=0.2" },
    middle = { 0.0061012124887, 0.33867751607, 0.004589570839 }, q = { 0.0019337781748, 0.33750060116, 0.00063750918921 }, v = { 0, 0, 0 },
    orders = { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } },
  { name = "box in a bowl, friction 0.5", model = "box_in_bowl", until_time = 2, scales = BODY, set = { "friction=0.5" },
    middle = { 0.1372727311, 0.34075587842, 0.045720377883 }, q = { 0.13696711198, 0.34051586309, 0.045118807509 }, v = { 0, 0, 0 },
    orders = { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } },
  { name = "tall box that tips over", model = "box_in_bowl", until_time = 2, scales = BODY,
    set = { "friction=0", "a=0.3", "b=0.5", "y=1.1" },
    middle = { 0.059706124612, -0.32626686427, -2.7896073766 }, q = { -0.25118980346, -0.46305470894, -3.1644972174 },
    v = { -0.091678399463, 0.15413990268, 0.375960991 }, orders = { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } },
  { name = "disc with spin", model = M.disc, until_time = 2, scales = BODY, middle = { 0.46584188782, 0.24322729303, 0.95622595273 },
    q = { 0.15606984613, 0.2, 2.4265880627 }, v = { -0.47551373052, 0, 2.3775686526 }, orders = { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } },
}
local SHARP = { ["dg=D-,M=1"] = 2, ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 }

local function coordinates(model, name)
  local list = {}
  for i, c in ipairs(S.integrator(model, name).unit.model.coordinates) do list[i] = c.name end
  return list
end

-- the largest error of a position at the two times; the end and its velocities too
local function digits(case, method, N)
  local name = scheme(method, case.scales)
  local r = S.run(case.model, name, { step = case.until_time / N, until_time = case.until_time, csv = true, set = case.set })
  local q, v, middle = 0, 0, r.rows[1 + N * 19 // 37]
  for i, c in ipairs(coordinates(case.model, name)) do
    if case.middle then q = math.max(q, math.abs(middle[c] - case.middle[i])) end
    q, v = math.max(q, math.abs(r.q[c] - case.q[i])), math.max(v, math.abs(r.v[c] - case.v[i]))
  end
  return q, v
end

for _, case in ipairs(CASES) do
  local orders = case.sharp and SHARP or case.orders
  if orders then T.test(case.name .. ": orders", function()
    for _, method in ipairs { "dg=D-,M=1", "dg=D-,M=2", "rk=radau5" } do
      local order = orders[method]
      -- the last digits of the references are reached by order 5 at 592 steps, of the slider-crank by orders 4 and 5 at 296 and 148
      local sharp = method == "rk=radau5"
      local counts = case.sharp and (sharp and { 37, 74, 148 } or { 74, 148, 296 }) or { 37, 74, 148, 296, not sharp and 592 or nil }
      local errors = {}
      for i, N in ipairs(counts) do errors[i] = order and digits(case, method, N) end
      if order then
        slope(method, counts, errors, order - (case.sharp and 0.3 or 0.5), order + (case.sharp and 0.3 or 2))
      end
    end
  end) end
  T.test(case.name .. ": reference digits", function()
    local q, v = digits(case, "rk=radau5", 592)
    T.ok(q < 1e-9, ("positions differ by %.2g"):format(q))
    T.ok(v < (case.sharp and 1e-7 or 2e-8), ("velocities differ by %.2g"):format(v)) -- the digits of 71.77882587
  end)
end

T.test("slider-crank to t = 0.2 with 55 to 94 events: 1e-8", function()
  local r = S.run("slider_crank", scheme("rk=radau5", SLIDER), { step = 0.2 / 1480, until_time = 0.2 })
  T.near(r.q.theta1, 18.1621247361, 1e-8)
  T.near(r.q.theta2, 0.3197197947, 1e-8)
  r = S.run("slider_crank", scheme("dg=D-,M=2", SLIDER), { step = 0.2 / 4440, until_time = 0.2 })
  T.near(r.q.theta1, 18.1621247361, 1e-8)
end)

T.test("belt: slip, stick, slip", function()
  local exact = { q0 = -5.131310201236, v = -0.637506131294 }
  for method, order in pairs { ["dg=D-,M=1"] = 2, ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } do
    local counts, errors = { 122, 244, 488, 976 }, {}
    for i, N in ipairs(counts) do
      local r = S.run("belt", scheme(method, BODY), { step = 12 / N, until_time = 12 })
      T.eq(r.counts.events, 2)
      errors[i] = math.max(math.abs(r.q.q0 - exact.q0), math.abs(r.v.q0 - exact.v))
    end
    slope(method, counts, errors, order - 0.3, order + 0.5)
  end
end)

-- Coarse and fine run on the same 38 points; the fine one is Lobatto IIIA 6 with 1184 steps (error below 1e-11).
local function against_fine(model, until_time, set, counts, method, order, scales)
  local function rows(name, N)
    return S.run(model, name, { step = until_time / N, until_time = until_time, every = N // 37, csv = true, set = set }).rows
  end
  local fine, errors = rows(scheme("rk=lobatto6", scales), 1184), {}
  for i, N in ipairs(counts) do
    errors[i] = 0
    for k, row in ipairs(rows(scheme(method, scales), N)) do
      for _, c in ipairs(coordinates(model, scheme(method, scales))) do
        errors[i] = math.max(errors[i], math.abs(row[c] - fine[k][c]))
      end
    end
  end
  slope(method, counts, errors, order - 0.5, order + 2)
end

T.test("pendulum on a wall: orders", function()
  for method, order in pairs(SHARP) do against_fine(M.pendulum, 5, nil, { 37, 74, 148, 296, 592 }, method, order, BODY) end
end)

T.test("pendulum to T = 8, with release and second accumulation; column of three beads", function()
  for method, order in pairs { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } do
    against_fine(M.pendulum, 8, nil, { 74, 148, 296, 592 }, method, order, BODY)
    against_fine(M.beads, 2, nil, { 37, 74, 148, 296 }, method, order, BODY)
    local r = S.run(M.beads, scheme(method, BODY), { step = 2 / 37, until_time = 2 })
    for i, rest in ipairs { 0.1, 0.3, 0.5 } do T.near(r.q["q" .. i], rest, 1e-15) end
  end
end)

-- ---- Newton's cradle: which impacts are simultaneous is a matter of the model, never of the step ------------------------------
local CRADLE = {
  [3] = { [1] = { { -1 / 3, 2 / 3, 2 / 3 }, { 0, 0, 1 } }, [0.5] = { { 0, 0.5, 0.5 }, { 0.203125, 0.234375, 0.5625 } } },
  [4] = { [1] = { { -0.5, 0.5, 0.5, 0.5 }, { 0, 0, 0, 1 } },
    [0.5] = { { -0.125, 0.375, 0.375, 0.375 }, { 0.173828, 0.193359, 0.210938, 0.421875 } } },
  [5] = { [1] = { { -0.6, 0.4, 0.4, 0.4, 0.4 }, { 0, 0, 0, 0, 1 } },
    [0.5] = { { -0.2, 0.3, 0.3, 0.3, 0.3 }, { 0.153870, 0.167175, 0.177979, 0.184570, 0.316406 } } },
}

for n = 3, 5 do
  T.test(("cradle of %d: touching balls and balls with gaps, whatever the step"):format(n), function()
    for _, method in ipairs { "dg=D-,M=1", "rk=radau5" } do
      local built = S.integrator("cradle", scheme(method, BODY), { set = { N = n } })
      for _, e in ipairs { 1, 0.5 } do
        for column, gap in ipairs { 0, 1e-3 } do
          for _, N in ipairs { 20, 200 } do -- delta of D- M = 1 with 20 steps is 1.4e-3, above the gap
            local r = built:run { step = 1 / N, until_time = 1, set = { "gap=" .. gap, "restitution=" .. e } }
            for i, v in ipairs(CRADLE[n][e][column]) do
              -- the numbers of restitution 0.5 with gaps are given to six decimals
              T.near(r.v["q" .. i], v, column == 2 and e == 0.5 and 6e-7 or 1e-12, ("%s gap %g e %g N %d"):format(method, gap, e, N))
            end
          end
        end
      end
    end
  end)
end

T.test("a swing that a wall cuts by 1e-3 or 1e-4 inside one step is not overlooked", function()
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5" } do
    for _, depth in ipairs { "1e-3", "1e-4" } do
      for i = 0, 39 do -- forty phases of the grid against the turning point at t = 1.55
        local h = 0.095 * (1 + 0.05 * (i - 20) / 20)
        local r = S.run(M.graze, scheme(method, BODY), { step = h, until_time = 21 * h, set = { "depth=" .. depth } })
        T.ok(r.counts.events >= 1, ("%s: none seen with h = %.5f, depth %s"):format(method, h, depth))
      end
    end
  end
end)

S.finish()
