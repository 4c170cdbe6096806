-- The models of the repository and the examples of the reference page: all are read without complaint, and the names
-- people type are there.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local lang = require "gen.lang.load"
local reference = require "gen.lang.reference"
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
  { "bead_column", "q1 q2 q3 q4 q5 q6 q7 q8 q9 q10", "ground bead1 bead2 bead3 bead4 bead5 bead6 bead7 bead8 bead9",
    "mass gravity radius restitution" },
  { "bouncing_ball", "q", "ground", "mass gravity restitution" },
  { "bowl", "x y", "bowl" },
  { "cam_follower", "q", "cam" },
  { "constrained_pendulum", "x y", "" },
  { "cradle", "q1 q2 q3", "pair1 pair2" },
  { "double_pendulum", "q1 q2", "floor" },
  { "forced_pendulum", "q", "" },
  { "free_flight", "q", "ground" },
  { "impacting_oscillator", "q", "wall", "m c k f0 amplitude omega restitution" },
  { "rest", "q", "ground" },
  { "slider_crank", "theta1 theta2 theta3", "corner1 corner2 corner3 corner4",
    "l1 l2 a b c m1 m2 m3 J1 J2 J3 gravity restitution friction" },
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
  T.ok(page == reference.text(), "gen/lang/README.md differs from gen/lang/reference.lua; renew it as that file says")
end)

for _, w in ipairs(words) do
  T.test("example of " .. w.name, function()
    lang.load("example.lua", { text = reference.preamble .. w.example .. "\nreturn m\n" })
  end)
end

T.finish()
