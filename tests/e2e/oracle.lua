-- Every scheme as a plan of seventeen operations, executed by the interpreter of tests/oracle, against the C that is emitted: the
-- same numbers to rounding, the same events. A difference is a fault in one of them.
package.path = "./?.lua;" .. package.path
local O = require "tests.oracle.oracle"
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local models = require "tests.oracle.models"
local parts = require "tests.oracle.parts"

local rigid = { "D-:M=1", "D-:M=2", "D+:M=1", "moreau-jean:theta=0.5", "moreau-jean:theta=1", "schatzman-paoli", "alpha:rho=0.5" }
local rough = { "D-:M=1", "D-:M=1,level=velocity", "D-:M=1,impact=split", "D-:M=2", "D-:M=2,projection=on", "D+:M=1",
  "moreau-jean:theta=0.5", "moreau-jean:theta=0.5,projection=on" }
local keys = { "D-:M=3", "D-:M=3,quadrature=lobatto", "D-:M=2,stages=fixed-point", "D-:M=1,impact=literal", "D-:M=1,projection=on",
  "D-:M=2,projection=impacts", "D+:M=2,projection=on", "moreau-jean:theta=0", "moreau-jean:theta=0.7,stages=fixed-point",
  "moreau-jean:theta=0.5,mass=end", "moreau-jean:theta=0.5,projection=on", "moreau-jean:theta=0.5,projection=joints",
  "moreau-jean:theta=1,contact=position", "schatzman-paoli:theta=0", "D-:M=1,impact=split", "D-:M=3,quadrature=lobatto,impact=split" }

-- model, step, steps, schemes for every day, more with --long, parameters
local table_of = {
  { "zeno_ball", 4 / 407, 407, { "D-:M=1", "moreau-jean:theta=0.5", "schatzman-paoli", "D-:M=1,impact=split" }, { rigid, keys } },
  { "impacting_oscillator", 0.01, 300, { "D-:M=3,quadrature=lobatto,impact=split" }, { rigid, keys },
    { c = 0.5, k = 10, f0 = 0, restitution = 0.8 } },
  { "bowl", 0.02, 100, { keys, "alpha:rho=0.8,level=all" }, rigid },
  { "constrained_pendulum", 0.01, 100, rigid, keys },
  { "slider_crank", 5e-5, 200, { "D-:M=2,projection=impacts", "moreau-jean:theta=0.5,projection=on", "schatzman-paoli",
    "alpha:rho=0.8,projection=on" }, { rigid, keys } },
  { "slider_crank", 5e-5, 200, { "D-:M=2", "D-:M=1,impact=split", "moreau-jean:theta=0.5,mass=end" }, rough,
    { restitution = 0.4, friction = 0.01 } },
  { "puck", 0.005, 200, { "D-:M=1", "D-:M=1,level=velocity", "D-:M=2,projection=on", "D+:M=1", "moreau-jean:theta=0.5" }, rough },
  { "corner", 0.005, 100, { "D-:M=2", "D-:M=2,impact=split", "D+:M=1", "moreau-jean:theta=0.5,projection=on" }, rough },
  { "bead", 0.01, 100, { "schatzman-paoli", "D-:M=1,projection=on" }, { rigid, keys } },
  { "stone", 0.01, 100, { "D-:M=1", "D+:M=1", "moreau-jean:theta=0.5,projection=on" }, rough },
  { "driven", 0.01, 100, { "D-:M=2", "moreau-jean:theta=0.5", "schatzman-paoli" }, { rigid, keys } },
  { "scissors", 0.01, 100, { "moreau-jean:theta=0.5" }, { rigid, keys } },
  { "painleve_rod", 1e-3, 100, { "D-:M=1", "moreau-jean:theta=0.5" }, { "D-:M=2" } },
  { "rod", 1e-3, 500, { "D-:M=1" }, { "D-:M=2", "moreau-jean:theta=0.5" } },
  { "rods", 5e-3, 200, { "D-:M=1", "moreau-jean:theta=0.5" }, { "D-:M=2,projection=on", "D+:M=1", "alpha:rho=0.8" } },
  { "marble", 0.01, 100, { "D-:M=1", "moreau-jean:theta=0.5" }, { "D-:M=2,projection=on", "D+:M=1", "D-:M=1,impact=split" } },
  { "spun", 0.005, 60, { "moreau-jean:theta=0.5" }, { "D-:M=1", "D-:M=2", "D+:M=1" } },
  { "lifted", 0.1, 5, { "D-:M=2" }, { "D-:M=3" } },
  { "cradle", 1e-3, 500, {}, { "schatzman-paoli", "D-:M=1", "D+:M=1", "moreau-jean" } },
  { "rocking_box", 1e-3, 500, {}, { "D-:M=1", "D-:M=2", "D+:M=2,projection=on", "moreau-jean" } },
  { "free_flight", 0.01, 100, {}, { "D-:M=1", "moreau-jean:theta=0.5" } },
  { "painleve_rod", 1e-3, 100, {}, { "D-:M=1", "D-:M=2", "moreau-jean:theta=0.5" }, { spin = 4 } },
}

-- positions of Schatzman-Paoli are iterated to a tolerance of the positions, not of what they move by; several contacts in space to ctol
local function tolerance(scheme, model) return (model == "spun" or scheme:find "schatzman") and 1e-11 or 5e-13 end

local function test(line, scheme, form)
  local model, h, steps = line[1], line[2], line[3]
  T.test(("%s%s %s%s"):format(model, line[6] and " with other parameters" or "", scheme, form and ", " .. form or ""), function()
    local worst, r, s = O.compare(models[model] or model, scheme, h, steps, { set = line[6], form = form })
    for _, part in ipairs { "q", "v", "impulse" } do T.near(worst[part], 0, tolerance(scheme, model), part) end
    T.eq(s.counts.events, r.counts.events, "events")
  end)
end

local function each(list, f)
  for _, x in ipairs(list) do if type(x) == "table" then each(x, f) else f(x) end end
end

for _, line in ipairs(table_of) do
  each(line[4], function(scheme) test(line, scheme) end)
  if T.long then each(line[5], function(scheme) test(line, scheme) end) end
end

-- loops over tables execute the same plans
for _, line in ipairs(table_of) do
  local few = { slider_crank = { "alpha:rho=0.8,level=all", "D-:M=3,projection=on,stages=newton", "D-:M=1,projection=on,impact=split",
    "D+:M=1,stages=newton",
    "alpha:rho=0.8,projection=on" }, driven = { "moreau-jean:theta=0.5" },
    bead = { "schatzman-paoli" }, puck = { "D-:M=2,stages=newton", "alpha:rho=0.8" }, corner = { "alpha:rho=0.8,projection=on" },
    rods = { "D-:M=1", "moreau-jean:theta=0.5" } }
  local schemes = T.long and { "D-:M=1", "D-:M=2,projection=on", "D+:M=1", "moreau-jean:theta=0.5", "moreau-jean:theta=0.5,projection=on",
    "schatzman-paoli", "alpha:rho=0.8,projection=on" } or few[line[1]] or {}
  local by_places = false -- Schatzman-Paoli has no friction
  each({ line[4], line[5] }, function(scheme) by_places = by_places or scheme:find "^schatzman" end)
  each(line[6] and {} or schemes, function(scheme)
    if by_places or not scheme:find "^schatzman" then test(line, scheme, "looped") end
  end)
end

-- A four-bar linkage whose pins have clearance, driven too hard for its step: equations that are not solved are made with less in them
-- (THEORY 4.8), the same steps in both. Rounding grows fast here.
T.test("linkage D-:M=1,projection=on: steps that are tried again", function()
  local linkage = { text = [[
local carom = require "carom"
local m = carom.model "linkage"
local sin, cos = carom.sin, carom.cos
local q = {}
for i, n in ipairs { "th", "al", "ph", "x2", "y2", "x3", "y3" } do
  q[i] = m:coordinate(n, { initial = ({ 1.570823772407980, 0.3532842020624460, 1.264872058968431, 1.876454585097650,
    1.691962091335582, 0.3764686197082958, 1.191962183453451 })[i] })
end
m:gravity(0, -9.81)
m:force(q[1], 5000)
local crank = m:body("crank", { mass = 1, inertia = 1 / 12, at = { cos(q[1]) / 2, sin(q[1]) / 2 }, angle = q[1] })
local coupler = m:body("coupler", { mass = 1, inertia = 4 / 3, at = { q[4], q[5] }, angle = q[2] })
local follower = m:body("follower", { mass = 1, inertia = 6.25 / 12, at = { 3 + q[6], q[7] }, angle = q[3] })
for i, pin in ipairs { { coupler, -2, crank, 0.5 }, { follower, 1.25, coupler, 2 }, { nil, 3, follower, -1.25 } } do
  local bush = m:arc("bush" .. i, { radius = 0.06, body = pin[1], at = { pin[2], 0 } })
  m:contact_between(m:disk("pin" .. i, { radius = 0.055, body = pin[3], at = { pin[4], 0 } }), bush, { friction = 0.1 })
end
m:run { until_time = 1, step = 0.001 }
return m
]] }
  local worst, r, s = O.compare(linkage, "D-:M=1,projection=on", 1e-3, 45)
  for _, part in ipairs { "q", "v", "impulse" } do T.near(worst[part], 0, 2e-6, part) end
  T.ok(s.counts.frozen > 0, "nothing was tried again")
  T.eq(r.counts.frozen, s.counts.frozen)
end)

-- the parts that event capturing runs, in drawn modes: trial steps, what impacts and new modes are made of
local ROLLING = { text = [[
local carom = require "carom"
local m = carom.model "rolling"
m:gravity(0, 0, -9.81)
local ball = m:free_body("ball", { mass = 1, inertia = { 0.004, 0.005, 0.006 }, at = { 0, 0, 0.1 }, velocity = { 1, 0.5, 0 } })
m:contact_between(m:sphere("ball", { radius = 0.1, body = ball }), m:plane("floor", { normal = { 0, 0, 1 } }),
  { name = "touch", friction = 0.3, restitution = 0.5 })
m:run { until_time = 1, step = 0.01 }
return m
]] }
for _, case in ipairs { { "slider_crank", "dg=D-,M=2", 1 }, { "bowl", "rk=radau5" }, { "constrained_pendulum", "rk=dopri5" },
  { "incline", "dg=D+,M=2" }, { "incline", "rk=rk4" }, { ROLLING, "rk=rk4" }, { ROLLING, "rk=radau3,adaptive=on" },
  { "bowl", "rk=radau5,adaptive=on" }, { "constrained_pendulum", "rk=dop853,adaptive=on" } } do
  T.test(("parts of capture:%s, %s"):format(case[2], type(case[1]) == "table" and "a ball that rolls" or case[1]), function()
    local worst, compared, where = parts.compare(case[1], "capture:" .. case[2], 6, { most = case[3] })
    T.ok(compared > 25, "too few were compared: " .. compared)
    T.near(worst, 0, 1e-9, where)
  end)
end

S.finish()
