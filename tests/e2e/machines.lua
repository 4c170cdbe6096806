-- Machines with springs, impacts and friction: what is known about circuit_breaker, woodpecker, cam_follower_friction and thrown_rod.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

local MJ = "moreau-jean:theta=0.5"

T.test("circuit_breaker: the trip torque that lets go, and that it ends open", function()
  local function run(set) return S.run("circuit_breaker", MJ, { step = 1e-5, until_time = 0.04, set = set }) end
  local held = run { "trip=0.19" }
  for _, name in ipairs { "phi", "chi", "theta", "psi" } do T.near(held.q[name], 0, 1e-12, name) end
  T.near(run({ "trip=0.21" }).q.psi, 0.0183, 2e-4)
  local open = run {}
  for name, x in next, { phi = 1.2, chi = 1.2, theta = 0, psi = 0.3 } do T.near(open.q[name], x, 1e-9, name) end
end)

T.test("circuit_breaker: once let go, the linkage is one body that the spring drives", function()
  local r = S.run("circuit_breaker", MJ, { step = 1e-5, until_time = 0.04, set = { "damping=0" }, csv = true })
  local first, last
  for i = 2, #r.rows do
    local row, before = r.rows[i], r.rows[i - 1]
    if row["hook.impulse"] > before["hook.impulse"] and not last then first = row end
    if row["opened.impulse"] > 0 and not last then last = before end
    T.near(row.phi, row.chi, 1e-9)
  end
  local J = 4e-5 + 4e-5 + 0.005 * 0.06 ^ 2
  local function total(row) return J * row["chi.dot"] ^ 2 / 2 - (2 * row.chi - row.chi ^ 2 / 2) end
  -- the coupler has weight nowhere: the model has no gravity
  T.ok(last["chi.dot"] > 100, "it does not fly")
  T.near(total(last), total(first), 2e-5 * 2 * 1.2)
end)

-- time between hits of the beak more than 0.05 s apart, and how far it falls
local function pecks(r)
  local at, y, last = {}, {}, 0
  for i = 2, #r.rows do
    local row, before = r.rows[i], r.rows[i - 1]
    if row["beak.impulse"] > before["beak.impulse"] + 1e-9 then
      if row.t - last > 0.05 then at[#at + 1], y[#y + 1] = row.t, row.y end
      last = row.t
    end
  end
  local n = #at
  return (at[n] - at[n - 6]) / 6, (y[n] - y[n - 6]) / 6, n
end

T.test("woodpecker: the same periodic motion with three schemes", function()
  for _, case in ipairs { { MJ, 2e-5 }, { "D-:M=1", 2e-5 }, { "capture:dg=D-,M=2", 2e-4 } } do
    local r = S.run("woodpecker", case[1], { step = case[2], until_time = 2, csv = true })
    local period, fall, n = pecks(r)
    T.eq(n, 14, case[1])
    T.near(period, 0.1460, 1e-4, case[1])
    T.near(fall, -0.01944, 1e-4, case[1])
    for i = 2, #r.rows do
      T.ok(r.rows[i].energy < r.rows[i - 1].energy + 1e-7, ("%s: energy grows at t = %g"):format(case[1], r.rows[i].t))
    end
  end
end)

T.test("kane_rod at 45 degrees: impulses and energy of three laws of restitution", function()
  local r = S.run("kane_rod", "capture:rk=dopri5", { step = 1e-4, until_time = 0.002,
    set = { ("angle=%.17g"):format(math.pi / 4), "friction=0.5", "restitution=0.5", "slip=-1" } })
  for law, x in next, { newton = { 0.5625, 0.0625, -0.171875 }, poisson = { 6 / 13, 8 / 65, -0.214201183432 },
    energetic = { 0.480959777216, 0.123156475028, -0.207154005255 } } do
    T.near(r.impulse["tip_" .. law], x[1], 1e-9, law .. ", normal")
    T.near(r.friction["tip_" .. law .. ".friction"], x[2], 1e-9, law .. ", tangent")
    T.near(r.outputs["energy_" .. law] - 1, x[3], 1e-9, law .. ", energy")
  end
end)

T.test("cam_follower_friction: forces at the cam and in the guide", function()
  local h = 1e-4
  local r, seen = S.run("cam_follower_friction", "D-:M=1", { step = h, until_time = 0.5, csv = true }), 0
  for i = 2, #r.rows do
    local t = r.rows[i].t - h / 2
    local w, s = 30 * t, 0.02 * (1 - math.cos(30 * t)) / 2
    local rate, acceleration = 0.3 * math.sin(w), 9 * math.cos(w)
    if math.abs(rate) > 0.3 * 30 * h then -- not where the lift turns round
      local N = (0.2 * acceleration + 2 * rate + 2000 * (s + 0.01)) / (1 - 0.15 * 0.3 * (rate > 0 and 1 or -1))
      T.near((r.rows[i]["cam.impulse"] - r.rows[i - 1]["cam.impulse"]) / h, N, 0.02, "t = " .. t)
      T.near((r.rows[i]["right.impulse"] - r.rows[i - 1]["right.impulse"]) / h, 0.15 * N, 0.003, "guide, t = " .. t)
      seen = seen + 1
    end
  end
  T.ok(seen > 4800, seen)
  T.eq(r.impulse.left, 0)
end)

T.test("thrown_rod: flight, first hit, energy, rest", function()
  local r, first = S.run("thrown_rod", "capture:dg=D-,M=2", { step = 1e-3, until_time = 1.5, csv = true }), nil
  for i = 2, #r.rows do
    local row, before = r.rows[i], r.rows[i - 1]
    if not first and row["end1.impulse"] > 0 then first = row.t end
    if not first then
      T.near(row.y, 1 - 4.905 * row.t ^ 2, 1e-12)
      T.near(row.theta, 0.4 + 4 * row.t, 1e-12)
    end
    T.ok(row.energy <= before.energy + 1e-9, "energy grows at t = " .. row.t)
    T.ok(math.min(row["end1.gap"], row["end2.gap"]) > -1e-9, "penetration at t = " .. row.t)
  end
  T.near(first, 0.382954641, 1e-3)
  for name, x in next, { y = 0, theta = math.pi } do T.near(r.q[name], x, 1e-12, name) end
  for _, name in ipairs { "x", "y", "theta" } do T.near(r.v[name], 0, 1e-12, name) end
  local rough = S.run("thrown_rod", "D-:M=1", { step = 1e-4, until_time = 4 })
  T.near(rough.q.theta, math.pi, 1e-6)
  T.near(rough.q.x, r.q.x, 2e-3)
end)

S.finish()
