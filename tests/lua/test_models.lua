-- The models of the repository and the examples of the reference page: all are read without complaint, and the names
-- people type are there.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local lang = require "gen.lang.core.load"
local reference = require "gen.lang.core.reference"
local words = require "gen.lang.words"

local function load(name, options)
  options = options or {}
  options.root = "."
  return lang.load(name, options)
end

local function names(list)
  local t = {}
  for i, e in ipairs(list) do t[i] = e.name end
  return table.concat(t, " ")
end

-- model, coordinates, contacts, parameters
local required = {
  { "arm7", "joint1 joint2 joint3 joint4 joint5 joint6 joint7", "joint1_low joint1_high joint2_low joint2_high joint3_low "
    .. "joint3_high joint4_low joint4_high joint5_low joint5_high joint6_low joint6_high joint7_low joint7_high table",
    "gravity damping restitution friction" },
  { "bead_column", "q1 q2 q3 q4 q5 q6 q7 q8 q9 q10", "ground bead1 bead2 bead3 bead4 bead5 bead6 bead7 bead8 bead9",
    "mass gravity radius restitution" },
  { "belt", "q0 y", "belt", "m k c v_b friction gravity" },
  { "billiard_english", "ball_x ball_y ball_z", "table table_rolling table_pivoting rail" },
  { "bouncing_ball", "q", "ground", "mass gravity restitution" },
  { "bowl", "x y", "bowl" },
  { "box_in_bowl", "x y theta", "corner1 corner2", "mass a b gravity curvature restitution friction" },
  { "cam_follower", "q", "cam" },
  { "cam_follower_friction", "x y", "cam right left" },
  { "circuit_breaker", "phi theta chi psi", "hook rest_stop raised fixed opened" },
  { "constrained_pendulum", "x y", "" },
  { "cradle", "q1 q2 q3", "pair1 pair2" },
  { "double_pendulum", "q1 q2", "floor" },
  { "forced_pendulum", "q", "" },
  { "four_bar", "theta1 theta2 theta3", "joint",
    "l1 l2 l3 l4 m1 m2 m3 J1 r c gravity omega restitution friction" },
  { "free_flight", "q", "ground" },
  { "glued_lid", "phi", "spot1 spot2 spot3 spot4 spot5 spot6 spot7 spot8 spot9 spot10", "mass stiffness energy viscosity omega" },
  { "grooved_plate", "x y z", "plate", "mass gravity along across speed" },
  { "hertz_ball", "elastic flores hunt_crossley lankarani_nikravesh", "", "mass stiffness speed distance" },
  { "impacting_beam", "w1 s1 w2 s2 w3 s3 w4 s4 w5 s5 w6 s6 w7 s7 w8 s8", "stop", "EI rhoA below restitution" },
  { "impacting_oscillator", "q", "wall", "m c k f0 amplitude omega restitution" },
  { "incline", "x y", "surface", "mass gravity angle load omega friction speed" },
  { "kane_rod", "x_newton y_newton phi_newton x_poisson y_poisson phi_poisson x_energetic y_energetic phi_energetic",
    "tip_newton tip_poisson tip_energetic", "friction restitution angle closing slip" },
  { "latch", "phi psi", "latch rest raised closed opened" },
  { "newton_cradle_lzb", "q1 q2 q3 q4 q5", "pair1 pair2 pair3 pair4", "mass run_up speed restitution eta" },
  { "oblique_bounce", "x y", "floor", "mass gravity restitution friction height speed" },
  { "painleve_rod", "x y theta", "tip", "mass l gravity friction restitution angle slip spin" },
  { "rest", "q", "ground" },
  { "rocking_box", "x y theta", "corner_1 corner_2", "mass a b gravity restitution friction tilt" },
  { "slider_crank", "theta1 theta2 theta3", "corner1 corner2 corner3 corner4",
    "l1 l2 a b c m1 m2 m3 J1 J2 J3 gravity restitution friction" },
  { "stick_slip_static", "q0 y", "belt", "m k c v_b friction static_friction gravity" },
  { "stick_block", "x y", "surface", "mass gravity angle friction" },
  { "stribeck_belt", "q0 y", "belt", "m k c v_b friction static_friction stribeck gravity" },
  { "superball", "x y phi", "floor", "mass radius gravity height speed spin restitution tangential friction" },
  { "thrown_rod", "x y theta", "end1 end2", "mass l gravity restitution friction height spin" },
  { "woodpecker", "y phi_M phi_S", "beak lower upper" },
  { "zeno_ball", "q", "ground", "mass gravity restitution" },
}

T.test("every model of the folder is read without complaint", function()
  for _, name in ipairs(lang.known(".")) do load(name) end
end)

for _, r in ipairs(required) do
  T.test("model " .. r[1], function()
    local m = load(r[1])
    T.eq(m.name, r[1])
    T.eq(names(m.coordinates), r[2])
    T.eq(names(m.contacts), r[3])
    if r[4] then T.eq(names(m.parameters), r[4]) end
    T.ok(m.run.until_time and m.run.step and m.run.scheme, "run is incomplete")
    T.eq(m.files[1], "./models/" .. r[1] .. ".lua")
  end)
end

T.test("model brick_wall", function() -- six bricks and a ball: 8 points of each brick with what may be below, the ball with all
  local m = load "brick_wall"
  T.eq(names(m.parameters), "mortar friction speed distance")
  T.eq(#m.coordinates, 21) T.eq(#m.contacts, 8 * (6 + 15) + 7)
end)

local function initial(m)
  local env = { [m.time] = 0 }
  for _, p in ipairs(m.parameters) do env[p.sym] = p.value end
  for _, c in ipairs(m.coordinates) do env[c.q], env[c.v] = eval(c.initial, env), eval(c.velocity, env) end
  return env
end

T.test("slider_crank: gaps and start as the reference describes them", function()
  local m = load "slider_crank"
  local env = initial(m)
  T.eq(env[m.coordinates[1].v], 150) T.eq(env[m.coordinates[2].v], -75) T.eq(env[m.coordinates[3].v], 0)
  local th = { 0.3, -0.2, 0.01 }
  for i = 1, 3 do env[m.coordinates[i].q] = th[i] end
  local s, a, b, d = math.sin, 0.05, 0.025, 2 * (0.025 + 0.001)
  local y = 0.153 * s(th[1]) + 0.306 * s(th[2])
  local expected = { d / 2 - (y - a * s(th[3]) + b * math.cos(th[3])), d / 2 - (y + a * s(th[3]) + b * math.cos(th[3])),
    d / 2 + (y - a * s(th[3]) - b * math.cos(th[3])), d / 2 + (y + a * s(th[3]) - b * math.cos(th[3])) }
  for i, g in ipairs(expected) do T.near(eval(m.contacts[i].gap, env), g, 1e-16, "corner " .. i) end
  local x, c = 0.153 * math.cos(th[1]) + 0.306 * math.cos(th[2]), math.cos(th[3])
  local slides = { x - a * c - b * s(th[3]), x + a * c - b * s(th[3]), x - a * c + b * s(th[3]), x + a * c + b * s(th[3]) }
  for i, e in ipairs(slides) do T.near(eval(m.contacts[i].slide[1], env), e, 1e-15, "corner " .. i) end
  T.eq(eval(m.contacts[1].friction, env), 0)
end)

-- the values of an expression for given coordinates and velocities
local function at(m, node, q, v)
  local env = initial(m)
  for i, c in ipairs(m.coordinates) do env[c.q], env[c.v] = q[i], v and v[i] or 0 end
  return eval(node, env)
end

T.test("box_in_bowl: gap and slip as the reference describes them", function()
  local m = load "box_in_bowl"
  local q, v = { 0.2, 0.5, 0.1 }, { 0.3, -0.4, 0.7 }
  local c, s = math.cos(0.1), math.sin(0.1)
  for i, side in ipairs { -1, 1 } do
    local dx, dy = side * 0.5 * c + 0.3 * s, side * 0.5 * s - 0.3 * c
    local X, Y = 0.2 + dx, 0.5 + dy
    T.near(at(m, m.contacts[i].gap, q), Y - 0.15 * X^2, 1e-15)
    T.near(at(m, m.contacts[i].slip[1], q, v), (0.3 - 0.7 * dy) + 0.3 * X * (-0.4 + 0.7 * dx), 1e-15)
    T.eq(eval(m.contacts[i].friction, initial(m)), 0.2)
  end
end)

T.test("painleve_rod starts where no force is consistent, and can be moved out of it", function()
  local m = load "painleve_rod"
  local env = initial(m)
  T.near(eval(m.contacts[1].gap, env), 0, 1e-15)
  T.near(eval(m.outputs[1].expr, env), -0.32, 1e-14)
  env[E.sym("friction", "param")] = 1.3
  T.ok(eval(m.outputs[1].expr, env) > 0)
end)

T.test("models stand on what they touch", function()
  for _, name in ipairs { "rocking_box", "stick_block", "incline", "belt", "latch" } do
    local m = load(name)
    T.near(eval(m.contacts[1].gap, initial(m)), 0, 1e-15, name)
  end
  local m = load "four_bar" -- the pin starts in the middle of the bushing, at rest in it
  local env = initial(m)
  for i = 1, 2 do
    T.near(eval(m.outputs[i].expr, env), 0, 1e-15)
    local node, rate, h = m.outputs[i].expr, 0, 1e-6
    for _, c in ipairs(m.coordinates) do
      local q = env[c.q]
      env[c.q] = q + h
      local plus = eval(node, env)
      env[c.q] = q - h
      rate = rate + (plus - eval(node, env)) / (2 * h) * env[c.v]
      env[c.q] = q
    end
    T.near(rate, 0, 1e-9)
  end
end)

T.test("exact solutions with friction", function()
  local incline = load "incline"
  T.near(incline.exact(1).x, 0.239992009602, 1e-12)
  T.eq(incline.exact(1)["x.dot"], 0)
  local back = incline.exact(1, { friction = 0.25 })
  T.near(back.x, 0.138271011935, 1e-12) T.near(back["x.dot"], -0.738009531350, 1e-12)
  local bounce = load("oblique_bounce").exact
  T.near(bounce(2).x, math.sqrt(2 / 9.81), 1e-15) T.eq(bounce(2)["x.dot"], 0) T.near(bounce(2).y, 0, 1e-15)
  T.near(bounce(0.3).x, 0.3, 1e-15) T.near(bounce(0.3).y, 1 - 9.81 * 0.045, 1e-15)
  local low = bounce(1.7, { friction = 0.02 }) -- impacts and sliding: all in all mu times the whole normal impulse
  T.near(low["x.dot"], 1 - 0.02 * 9.81 * 1.7, 1e-12)
end)

T.test("exact solutions start at the initial values and keep the equations", function()
  for _, name in ipairs { "free_flight", "rest", "zeno_ball", "impacting_oscillator" } do
    local m = load(name)
    local env = initial(m)
    local at0 = m.exact(0)
    T.near(at0.q, env[m.coordinates[1].q], 1e-15, name)
    T.near(at0["q.dot"], env[m.coordinates[1].v], 1e-14, name)
    for _, t in ipairs { 0.3, 0.7, 1.3, 2.6, 2.97, 3.5 } do -- q.dot is the derivative of q away from impacts
      local h = 1e-6
      T.near((m.exact(t + h).q - m.exact(t - h).q) / (2 * h), m.exact(t)["q.dot"], 1e-8, name .. " at " .. t)
    end
  end
  local zeno = load("zeno_ball").exact
  T.near(zeno(1.5).q, -(1.5 - 3)^2 - 3 * 0.5 + (3 - 1) * 2, 1e-15)
  T.near(zeno(2.9)["q.dot"], -2 * (2.9 - 3) - 3 / 2^4, 1e-14)
  T.eq(zeno(3.2).q, 0)
  local wall = load("impacting_oscillator").exact
  for _, t in ipairs { .523393697427740, 1.519971711671683, 4.509705754403512 } do T.near(wall(t).q, 0, 1e-14) end
end)

T.test("a column of 1000 beads is read in well under a second", function()
  local t0 = os.clock()
  local m, consumed = load("bead_column", { set = { N = 1000 } })
  T.eq(#m.contacts, 1000) T.eq(consumed[1], "N")
  T.ok(os.clock() - t0 < 1, "took " .. os.clock() - t0 .. " s")
end)

T.test("reading is deterministic", function()
  local function summary()
    local m = load "slider_crank"
    local t = {}
    for _, c in ipairs(m.contacts) do t[#t + 1] = tostring(c.gap) .. "#" .. c.gap.id end
    for _, term in ipairs(m.terms) do t[#t + 1] = tostring(term.at and term.at[1]) end
    return table.concat(t, "\n")
  end
  local first = summary()
  E.sym("other", "q")
  T.eq(summary(), first)
end)

T.test("the reference page is up to date", function()
  local f = assert(io.open("gen/lang/README.md", "rb"))
  local page = f:read("a")
  f:close()
  T.ok(page == reference.text(), "gen/lang/README.md differs from gen/lang/core/reference.lua; renew it as that file says")
  T.ok(not page:find("| nil |", 1, true), "a type of the page has no name")
end)

T.test("every word has its meaning beside its page", function()
  for _, w in ipairs(words) do
    T.ok(w.name == "model" or type(w.means) == "function", w.name .. " means nothing")
    T.ok(w.group and w.summary and w.example, w.name .. " has no whole page")
  end
end)

for _, w in ipairs(words) do
  T.test("example of " .. w.name, function()
    lang.load("example.lua", { text = (w.preamble or reference.preamble) .. w.example .. "\nreturn m\n" })
  end)
end

T.finish()
