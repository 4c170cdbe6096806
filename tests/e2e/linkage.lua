-- A four-bar linkage whose pins have clearance, driven by a torque: contacts turn fast, stick and slide in turns, and go through dead
-- centres where forces grow without bound. No scheme may end the run, and what it had to give up is told.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

-- A model from its middle part.
local function model(name, middle)
  return { text = ('local carom = require "carom"\nlocal m = carom.model "%s"\nlocal sin, cos = carom.sin, carom.cos\n'):format(name)
    .. middle .. "\nm:run { until_time = 1, step = 0.01 }\nreturn m\n" }
end

-- A four-bar linkage whose pins have 5 mm of clearance, driven by a torque: contacts turn fast, and stick and slide in turns.
local linkage = model("linkage", [[
local torque, clearance = m:parameter("torque", 500), m:parameter("clearance", 0.005)
local q = {}
for i, n in ipairs { "th", "al", "ph", "x2", "y2", "x3", "y3" } do
  q[i] = m:coordinate(n, { initial = ({ 1.570823772407980, 0.3532842020624460, 1.264872058968431, 1.876454585097650,
    1.691962091335582, 0.3764686197082958, 1.191962183453451 })[i] })
end
m:gravity(0, -9.81)
m:force(q[1], torque)
local crank = m:body("crank", { mass = 1, inertia = 1 / 12, at = { cos(q[1]) / 2, sin(q[1]) / 2 }, angle = q[1] })
local coupler = m:body("coupler", { mass = 1, inertia = 4 / 3, at = { q[4], q[5] }, angle = q[2] })
local follower = m:body("follower", { mass = 1, inertia = 6.25 / 12, at = { 3 + q[6], q[7] }, angle = q[3] })
for i, pin in ipairs { { coupler, -2, crank, 0.5 }, { follower, 1.25, coupler, 2 }, { nil, 3, follower, -1.25 } } do
  local bush = m:arc("bush" .. i, { radius = 0.06, body = pin[1], at = { pin[2], 0 } })
  m:contact_between(m:disk("pin" .. i, { radius = 0.06 - clearance, body = pin[3], at = { pin[4], 0 } }), bush, { friction = 0.1 })
end
m:output("energy", (q[1].dot^2 / 3 + 4 / 3 * q[2].dot^2 + 6.25 / 12 * q[3].dot^2 + q[4].dot^2 + q[5].dot^2 + q[6].dot^2
  + q[7].dot^2) / 2 + 9.81 * (sin(q[1]) / 2 + q[5] + q[7]) - torque * q[1])]])

T.test("contacts that alternate between modes do not end a run, and are reported where they had to be frozen", function()
  for _, case in ipairs { { "1", 50, 0.6 }, { "1", 500, 0.5, "frozen" }, { "0.5", 500, 0.5, "frozen" } } do
    local what = ("theta = %s, torque = %g"):format(case[1], case[2])
    local r = S.run(linkage, "moreau-jean:theta=" .. case[1], { step = 1e-4, until_time = case[3], csv = true, every = 10,
      set = { "torque=" .. case[2] } })
    T.eq((r.counts.frozen or 0) > 0, case[4] ~= nil, what .. ": frozen " .. tostring(r.counts.frozen))
    T.ok(r.counts.law < 1e-9, what .. ": the law of contact")
    local least, most = r.rows[1].energy, 0
    for _, row in ipairs(r.rows) do
      most = math.max(most, row.energy - least)
      least = math.min(least, row.energy)
    end
    T.ok(most <= 1e-10 * math.abs(least), ("%s: energy grows by %g"):format(what, most))
  end
end)

T.test("nothing is frozen where the contacts are not what alternates", function()
  -- v+ = 10 + v+^2 / 10 has no real solution
  local far = model("far", [[
local x = m:coordinate("x")
m:kinetic_energy(x.dot^2 / 2)
m:force(x, 100 * (1 + x^2))
m:contact("far", { gap = 100 + sin(x) })]])
  local r = S.run(far, "moreau-jean:theta=1", { step = 0.1, until_time = 1, may_fail = true })
  T.ok(r.status == "error" and r.message:find "did not converge", r.text)
end)


T.test("step-size control goes on where a contact that presses has drifted to the tolerance", function()
  -- a drift beyond atol is no impact that nobody has seen: that guard asked for ever shorter steps
  local at = {}
  for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1" } do
    local r = S.run(linkage, scheme .. ",adaptive=on", { step = 1e-3, until_time = 0.6, set = { "torque=50" } })
    at[#at + 1] = r.q.th
    T.near(r.q.th, at[1], 1e-4, scheme)
  end
end)

T.test("D-, D+ and alpha go through dead centres with contacts at the velocity level, and say so", function()
  for _, case in ipairs { { "D+:M=1", 50, 0.9 }, { "D-:M=2", 500, 0.45 }, { "D-:M=1,projection=on", 1000, 0.2 },
    { "alpha:rho=0.8", 800, 0.3 } } do
    local set = { "torque=" .. case[2], case[1]:find "projection" and "clearance=0.0005" or nil }
    local r = S.run(linkage, case[1], { step = 1e-4, until_time = case[3], csv = true, every = 10, set = set })
    T.ok((r.counts.frozen or 0) > 0, case[1] .. ": nothing is frozen")
    T.ok(r.counts.law < 1e-9, case[1] .. ": the law of contact")
    for _, row in ipairs(r.rows) do
      T.ok(math.abs(row["th.dot"]) < 500, ("%s: th.dot = %g at t = %g"):format(case[1], row["th.dot"], row.t))
    end
  end
end)

T.test("event capturing cuts steps within which contacts turn too fast, and ends impacts that throw each other off in turns", function()
  for _, scheme in ipairs { "capture:rk=dopri5", "capture:rk=dopri5,adaptive=on,rtol=1e-9,atol=1e-12" } do
    local r = S.run(linkage, scheme, { step = 1e-4, until_time = 0.4, set = { "torque=1000" } })
    T.near(r.q.th, 45.57, 0.05, scheme) -- radau5 with rtol = 1e-9: 45.5718
    T.ok(r.counts.events < 700, scheme .. ": " .. r.counts.events .. " events")
  end
end)

T.test("methods of event capturing agree", function()
  for _, scheme in ipairs { "capture:rk=dopri5,adaptive=on,rtol=1e-9,atol=1e-12", "capture:rk=radau5,adaptive=on,rtol=1e-9,atol=1e-12" } do
    local r = S.run(linkage, scheme, { step = 1e-3, until_time = 1, set = { "torque=50" } })
    T.near(r.q.th, 17.672206, 1e-6, scheme)
  end
end)

S.finish()
