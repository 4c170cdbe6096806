-- Friction, laws and interfaces: tangential restitution, space, constraints, energy, contacts without friction among others,
-- bad coefficients, solvers of one's choice, and the problems behind steps that fail. Known answers are in friction.lua.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local MJ = "moreau-jean:theta=0.5"
local ALL = { "D-:M=1", "D-:M=2", "D+:M=1", MJ, "capture" }

-- A model from its middle part; names are without units.
local function model(name, middle)
  return { text = ('local carom = require "carom"\nlocal m = carom.model "%s"\nlocal sin, cos = carom.sin, carom.cos\n'):format(name)
    .. middle .. "\nm:run { until_time = 1, step = 0.01 }\nreturn m\n" }
end

-- The same numbers from two runs, by names (of the second: by the function `image` of its result).
local function agree(a, b, tolerance, what)
  for name, value in pairs(b) do T.near(a[name], value, tolerance, what .. ": " .. name) end
end

-- ---- impacts --------------------------------------------------------------------------------------------------------

local ball = model("rubber_ball", [[
local friction = m:parameter("friction", 2)
local back = m:parameter("back", 0.25)
local x = m:coordinate("x", { velocity = 1 })
local y = m:coordinate("y", { initial = 1, velocity = -2 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:contact("floor", { gap = y, restitution = 0.5, friction = friction, slide = x, tangential_restitution = back })]])

for _, scheme in ipairs(ALL) do
  T.test("tangential restitution with " .. scheme, function()
    -- the impulse of the normal is 3; turning the slip round takes 1.25
    local r = S.run(ball, scheme, { step = 0.1037, until_time = 0.8 })
    T.near(r.v.y, 1, 1e-12, "y.dot after the impact")
    T.near(r.v.x, -0.25, 1e-12, "x.dot after an impact that sticks")
    r = S.run(ball, scheme, { step = 0.1037, until_time = 0.8, set = { "friction=0.1" } })
    T.near(r.v.x, 0.7, 1e-12, "x.dot after an impact that slides")
    r = S.run(ball, scheme, { step = 0.1037, until_time = 0.8, set = { "back=0" } })
    T.near(r.v.x, 0, 1e-12, "x.dot without it")
  end)
end

-- ---- space ----------------------------------------------------------------------------------------------------------

-- A block on a slope, pushed up along it: in the plane, and in space with the slope turned by `turn`.
local planar = model("slope_planar", [[
local s = m:coordinate("s", { velocity = 2 })
local z = m:coordinate("z", { velocity = 0 })
local t = m:time()
m:kinetic_energy((s.dot^2 + z.dot^2) / 2)
m:force(s, -3)
m:force(z, -9 - 2 * sin(5 * t))
m:contact("ground", { gap = z, friction = 0.25, slide = s })]])
local spatial = model("slope_spatial", [[
local turn = m:parameter("turn", 0.7)
local x = m:coordinate("x", { velocity = 2 * cos(turn) })
local y = m:coordinate("y", { velocity = 2 * sin(turn) })
local z = m:coordinate("z", { velocity = 0 })
local t = m:time()
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:force(x, -3 * cos(turn))
m:force(y, -3 * sin(turn))
m:force(z, -9 - 2 * sin(5 * t))
m:contact("ground", { gap = z, friction = 0.25, slide = { x, y } })]])

-- A block thrown across a slope, so that the direction of sliding turns; the tangents are turned by `frame`.
local thrown = model("slope_thrown", [[
local frame = m:parameter("frame", 0)
local x = m:coordinate("x", { velocity = 1 })
local y = m:coordinate("y", { velocity = 0.3 })
local z = m:coordinate("z", { initial = 0.2 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:force(y, -2)
m:force(z, -9)
m:contact("ground", { gap = z, friction = 0.4, restitution = 0.3,
  slide = { cos(frame) * x + sin(frame) * y, cos(frame) * y - sin(frame) * x } })]])

for _, scheme in ipairs(ALL) do
  T.test("space against the plane with " .. scheme, function()
    local a = S.run(planar, scheme, { step = 0.01, until_time = 1 })
    -- when it slides back from rest the direction of a slow slip is stiff: the stages of capture do not converge for all angles
    for _, turn in ipairs(scheme == "capture" and { 0, 0.7 } or { 0, 0.7, 2.5 }) do
      local b = S.run(spatial, scheme, { step = 0.01, until_time = 1, set = { "turn=" .. turn } })
      local function image(s) return { x = s * math.cos(turn), y = s * math.sin(turn) } end
      agree(b.q, image(a.q.s), 1e-11, "turned by " .. turn)
      agree(b.v, image(a.v.s), 1e-11, "velocities, turned by " .. turn)
    end
  end)
  T.test("friction has no preferred direction with " .. scheme, function()
    local a = S.run(thrown, scheme, { step = 0.01, until_time = 0.8 })
    for _, frame in ipairs { 0.4, 1.5707963267948966, 4 } do
      local b = S.run(thrown, scheme, { step = 0.01, until_time = 0.8, set = { "frame=" .. frame } })
      agree(b.q, a.q, 1e-10, "frame " .. frame)
      agree(b.v, a.v, 1e-10, "velocities, frame " .. frame)
    end
  end)
end

-- ---- with bilateral constraints -------------------------------------------------------------------------------------

-- A block that drives another mass over a wedge (z = 0.6 x), and may not tilt: by constraints, and in reduced coordinates.
local constrained = model("wedge_constrained", [[
local x = m:coordinate("x", { velocity = 2 })
local y = m:coordinate("y", { initial = 0.3 })
local z = m:coordinate("z", { velocity = 1.2 })
local phi = m:coordinate("phi")
m:kinetic_energy((x.dot^2 + y.dot^2) / 2 + z.dot^2 + phi.dot^2 / 8)
m:force(y, -9)
m:force(z, -1)
m:constraint("wedge", z - 0.6 * x)
m:constraint("upright", phi)
m:contact("floor", { gap = y + 0.2 * phi, restitution = 0.4, friction = 0.3, slide = x - 0.5 * phi })]])
local reduced = model("wedge_reduced", [[
local x = m:coordinate("x", { velocity = 2 })
local y = m:coordinate("y", { initial = 0.3 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2 + 0.36 * x.dot^2)
m:force(y, -9)
m:force(x, -0.6)
m:contact("floor", { gap = y, restitution = 0.4, friction = 0.3, slide = x })]])

for _, scheme in ipairs(ALL) do
  T.test("constraints and friction against reduced coordinates with " .. scheme, function()
    local same = scheme == "capture" and scheme or scheme .. ",projection=on" -- the default with constraints
    local a = S.run(constrained, same, { step = 0.01, until_time = 1.5 })
    local b = S.run(reduced, same, { step = 0.01, until_time = 1.5 })
    agree(a.q, b.q, 1e-10, "positions")
    agree(a.v, b.v, 1e-10, "velocities")
    T.near(a.q.z, 0.6 * a.q.x, 1e-12, "wedge")
    T.near(a.impulse.floor, b.impulse.floor, 1e-9, "impulse")
  end)
end

-- ---- contacts of different friction ---------------------------------------------------------------------------------

local feet = model("two_feet", [[
local left = m:parameter("left", 0.4)
local right = m:parameter("right", 0)
local x = m:coordinate("x", { velocity = 1 })
local y = m:coordinate("y")
local phi = m:coordinate("phi")
m:kinetic_energy((x.dot^2 + y.dot^2) / 2 + phi.dot^2 / 6)
m:force(y, -10)
m:contact("foot1", { gap = y - sin(phi), friction = left, slide = x })
m:contact("foot2", { gap = y + sin(phi), friction = right, slide = x })]])

for _, scheme in ipairs(ALL) do
  T.test("a foot without friction beside one with, " .. scheme, function()
    for _, case in ipairs { { 0.4, 0 }, { 0, 0.4 }, { 0.2, 0.2 } } do -- half the weight on each: the same deceleration, 2
      local set = { "left=" .. case[1], "right=" .. case[2] }
      local r = S.run(feet, scheme, { step = 0.01, until_time = 0.3, set = set })
      T.near(r.q.x, 0.3 - 0.3 ^ 2, 1e-10, "x")
      T.near(r.v.x, 1 - 0.6, 1e-10, "x.dot")
    end
  end)
end

-- ---- energy ---------------------------------------------------------------------------------------------------------

local function rigid(inertia)
  return function(r) return (r["x.dot"] ^ 2 + r["y.dot"] ^ 2 + inertia * (r["theta.dot"] or 0) ^ 2) / 2 + 9.81 * r.y end
end

-- What the energy gains in the steps in which it grows: all of it, and the most in one.
local function gains(name, scheme, case, h)
  local rows = S.run(name, scheme, { step = h, until_time = case.until_time, set = case.set, csv = true }).rows
  local before, sum, most = case.energy(rows[1]), 0, 0
  for i = 2, #rows do
    local now = case.energy(rows[i])
    sum, most = sum + math.max(now - before, 0), math.max(most, now - before)
    before = now
  end
  return sum, most
end

T.test("energy never grows with D- but by rounding", function()
  for name, case in pairs {
    oblique_bounce = { until_time = 2, energy = rigid(0) },
    stick_block = { until_time = 1, set = { "friction=0.1" }, energy = rigid(0) },
    box_in_bowl = { until_time = 2, energy = rigid(0.34 / 3) },
  } do
    local _, most = gains(name, "D-:M=1", case, 2 / 1480)
    T.ok(most <= 1e-13, ("%s gains %.3g in a step"):format(name, most))
  end
end)

-- Bodies that turn about a corner: the error of the scheme in smooth motion has either sign and falls with its order (D- 2). In
-- Moreau-Jean, restitution also acts on what the weight adds in the step of an impact, so that the sum is of order 1.
for _, case in ipairs { { "D-:M=1", 1.8, 5e-6 }, { MJ, 0.8, 1e-3 } } do
  T.test("energy grows by the error of " .. case[1] .. " only", function()
    local rocking = { until_time = 0.6, energy = rigid(0.1 / 3), set = { "restitution=0.5" } }
    local rod = { until_time = 0.3, energy = rigid(1 / 3) }
    for name, what in pairs { rocking_box = rocking, painleve_rod = rod } do
      local h, e = { 1e-3, 2e-4 }, {}
      for i = 1, 2 do e[i] = gains(name, case[1], what, h[i]) end
      T.ok(e[1] <= case[3], ("%s gains %.3g"):format(name, e[1]))
      T.ok(S.slope(h, e) >= case[2], ("%s: what it gains falls with order %.2f"):format(name, S.slope(h, e)))
    end
  end)
end

-- Newton's law of restitution and friction together can make energy (T. R. Kane, 1984): a rod whose tip slips a little against
-- the direction in which the impact pushes it sticks, with a normal velocity of e times that before. It is the law that was
-- asked for, and what it gains is known: half the impulse times the sum of the velocities before and after.
T.test("Newton's restitution with friction gains what the law says", function()
  local rod = model("kane_rod", [[
local x = m:coordinate("x", { velocity = 0.3 })
local y = m:coordinate("y", { initial = 1.1 * sin(1), velocity = -1 })
local theta = m:coordinate("theta", { initial = 1 })
m:kinetic_energy((x.dot^2 + y.dot^2 + theta.dot^2 / 3) / 2)
m:contact("tip", { gap = y - sin(theta), restitution = 0.95, friction = 2, slide = x - cos(theta) })]])
  local s, c = math.sin(1), math.cos(1)
  local nn, nt, tt = 1 + 3 * c * c, -3 * s * c, 1 + 3 * s * s
  local det, bn, bt = nn * tt - nt * nt, -1.95, 0.3
  local n, t = (nt * bt - tt * bn) / det, (nt * bn - nn * bt) / det
  T.ok(math.abs(t) < 2 * n, "the tip sticks")
  local gain = n * (0.95 - 1) / 2 + t * 0.3 / 2
  T.ok(gain > 0, "this law gains energy here")
  for _, scheme in ipairs { "D-:M=1", MJ, "capture" } do
    local r = S.run(rod, scheme, { step = 1e-3, until_time = 0.09 })
    T.near((r.v.x ^ 2 + r.v.y ^ 2 + r.v.theta ^ 2 / 3 - 1.09) / 2, gain, scheme == MJ and 2e-4 or 1e-9, scheme) -- MJ turns it first
  end
end)

-- ---- what is refused ------------------------------------------------------------------------------------------------

T.test("a negative friction coefficient is refused, and said to be one", function()
  for _, scheme in ipairs(ALL) do
    local r = S.run(ball, scheme, { step = 0.1, until_time = 0.1, set = { "friction=-0.1" }, may_fail = true })
    T.eq(r.code, 2, scheme)
    T.ok(r.message:find "friction coefficient of a contact is negative" and r.message:find "contact floor", r.message)
  end
end)

T.test("schemes that cannot do friction say which can", function()
  T.fails(function() S.unit("incline", "schatzman-paoli:theta=0.5") end, "moreau%-jean")
  T.fails(function() S.unit("incline", "D-:M=1,impact=literal") end, "impact=total")
end)

-- ---- solvers of one's choice ----------------------------------------------------------------------------------------

T.test("solver=... chooses, and all give the same motion", function()
  local auto = S.run("box_in_bowl", "D-:M=1", { step = 2 / 1480, until_time = 1 })
  for _, solver in ipairs { "tiny", "nsgs", "anderson", "newton", "prox", "apgd", "lemke" } do
    local r = S.run("box_in_bowl", "D-:M=1,solver=" .. solver, { step = 2 / 1480, until_time = 1 })
    T.eq(r.scheme, "D-:M=1,solver=" .. solver)
    agree(r.q, auto.q, 1e-8, solver)
  end
  for _, scheme in ipairs { "D+:M=1", MJ, "capture" } do
    local a = S.run(ball, scheme, { step = 0.1037, until_time = 0.8 })
    local join = scheme:find(":") and "," or ":"
    agree(S.run(ball, scheme .. join .. "solver=prox", { step = 0.1037, until_time = 0.8 }).v, a.v, 1e-10, scheme)
  end
end)

T.test("solvers that do not fit the model are refused", function()
  T.fails(function() S.unit("slider_crank", "D-:M=1,solver=tiny") end, "at most 3 contacts")
  T.fails(function() S.unit(spatial, "D-:M=1,solver=lemke") end, "in the plane")
  T.fails(function() S.unit("incline", "D-:M=1,solver=best") end, "auto or tiny or nsgs")
end)

-- ---- problems that were not solved ----------------------------------------------------------------------------------

local function carom(words) return fs.capture(fs.quote(S.here) .. "/carom --no-install " .. words .. " 2>&1 </dev/null") end

-- Runs a model that must fail, and returns the object it prints and the file of the problem.
local function failing(name, given, scheme)
  local place = S.place(name)
  local file, problem = place .. "/" .. name .. ".lua", place .. "/problem.txt"
  assert(fs.write(file, given.text))
  local said, code = carom(("run %s --scheme %s --json --out %s --dump-failure %s"):format(fs.quote(file), scheme,
    fs.quote(place .. "/out"), fs.quote(problem)))
  T.eq(code, 1, "exit code of a run that fails: " .. said)
  return json.read(said), problem
end

T.test("--dump-failure writes the problem that was not solved, and carom solve reads it", function()
  -- heavy on light: Gauss-Seidel alone needs millions of sweeps
  local tower = model("tower", [[
local below
for i, mass in ipairs { 1, 1e4, 1e8 } do
  local x = m:coordinate("x" .. i, { velocity = i })
  local y = m:coordinate("y" .. i)
  m:kinetic_energy(mass * (x.dot^2 + y.dot^2) / 2)
  m:force(y, -10 * mass)
  m:contact("level" .. i, { gap = below and y - below[2] or y, friction = 0.5, slide = below and x - below[1] or x })
  below = { x, y }
end]])
  local r, problem = failing("tower", tower, "D-:M=1,solver=nsgs")
  T.ok(r.message:find "contact problem was not solved", r.message)
  T.ok(r.message:find "masses of bodies that touch differ by a factor of about 1e%+08, which no step cures", r.message)
  T.ok(r.contact and r.contact:find "^level", "the contact is named")
  T.ok(r.residual > 1e-11, "residual")
  T.eq(r.files.failure, problem)
  T.ok(assert(fs.read(problem)):find "^dimension 2\ncontacts 3\nmu\n", "format")
  local answer, code = carom("solve --json " .. fs.quote(problem))
  T.eq(code, 0, answer)
  T.ok(json.read(answer).residual <= 1e-8, "auto solves it")
  answer, code = carom("solve --solver nsgs " .. fs.quote(problem))
  T.ok(code == 1 and answer:find "masses differ by a factor of about 1e%+08", answer)
end)

T.test("so it does where nothing solves it, with friction and without, and with constraints", function()
  -- walls that close in
  local press = [[
local x = m:coordinate("x", { initial = 0.5 })
local y = m:coordinate("y")
local t = m:time()
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
%s
m:contact("left", { gap = x - t %s })
m:contact("right", { gap = 1 - t - x %s })]]
  local rough = ", friction = 0.3, slide = y"
  for name, case in pairs {
    press_rough = { press:format("", rough, rough), "^dimension 2\ncontacts 2\n" },
    press_smooth = { press:format("", "", ""), "^n 2\nM\n" },
    press_held = { press:format('m:constraint("held", y)', "", ""), "^n 4\nM\n" },
  } do
    local r, problem = failing(name, model(name, case[1]), "D-:M=1")
    T.eq(r.files.failure, problem, name)
    T.ok(assert(fs.read(problem)):find(case[2]), name .. ": format")
    local said, code = carom("solve " .. fs.quote(problem))
    T.ok(code == 1 and said:find "NO SOLUTION", name .. ": " .. said)
  end
end)

S.finish()
