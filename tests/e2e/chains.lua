-- impact_law = "lzb": impacts of chains of contacts in capture; the numbers of the study, restitution against the law in impulses, joints,
-- what is refused.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

local MODEL, SCHEME = "newton_cradle_lzb", "capture:dg=D-,M=2"

local function speeds(count, set, form)
  local r = S.integrator(MODEL, SCHEME, { set = { N = count }, form = form }):run { step = 1e-2, until_time = 0.1, set = set }
  local v = {}
  for i = 1, count do v[i] = r.v["q" .. i] end
  return v, r
end

T.test("the cradle of three and of five balls", function()
  for _, case in ipairs { { 3, {}, { -.070952353645, .076403039068, .994549314578 }, 1e-9 },
    { 3, { "eta=1" }, { -.130262, .150230, .980032 }, 6e-7 }, { 5, {}, { -.071085, -.030274, -.014464, .127045, .988777 }, 6e-7 } } do
    for _, form in ipairs { "unrolled", "looped" } do
      local v, r = speeds(case[1], case[2], form)
      for i, x in ipairs(case[3]) do T.near(v[i], x, case[4], ("%d balls, ball %d, %s"):format(case[1], i, form)) end
      T.near(r.outputs.energy, 0.5, 1e-9)
      T.eq(r.counts.events, 1)
    end
  end
end)

-- The law as it is written, in steps of the impulse of the contact with the most energy: of first order in that step.
local function in_impulses(e, eta, step)
  local U, E, P = { -1, 0 }, { 0, 0 }, { 0, 0 }
  for _ = 1, 10000000 do
    local first = E[1] >= E[2] and 1 or 2
    if E[first] <= 0 then
      first = U[1] < -1e-9 and 1 or U[2] < -1e-9 and 2 or nil
      if not first then break end
    end
    local d = {}
    for j = 1, 2 do
      local share = E[first] > 0 and (math.max(E[j], 0) / E[first]) ^ (eta / (eta + 1)) or j == first and 1 or 0
      if E[j] <= 0 and U[j] < 0 and j ~= first then share = math.max(share, 1e-6) end
      d[j] = share * step
    end
    local U1, U2 = U[1] + 2 * d[1] - d[2], U[2] + 2 * d[2] - d[1]
    for j, new in ipairs { U1, U2 } do
      local mean = 0.5 * (U[j] + new)
      E[j] = math.max(E[j] - mean * d[j] / (mean > 0 and e * e or 1), 0)
      P[j] = P[j] + d[j]
    end
    U = { U1, U2 }
  end
  return { 1 - P[1], P[1] - P[2], P[2] }
end

T.test("restitution 0.5: the limit of the law in impulses", function()
  local v, off = speeds(3, { "restitution=0.5" }), {}
  for i, step in ipairs { 2e-3, 5e-4, 1.25e-4 } do
    local w = in_impulses(0.5, 1.5, step)
    off[i] = math.abs(v[1] - w[1]) + math.abs(v[2] - w[2]) + math.abs(v[3] - w[3])
  end
  T.ok(off[3] < 5e-4 and 4 * off[3] < off[1], ("%g %g %g"):format(table.unpack(off)))
  T.near(v[1], .20899, 3e-4) -- numbers of the study, with a step of 3/16000
  T.near(v[2], .21892, 3e-4)
  T.near(v[3], .57209, 3e-4)
end)

T.test("two balls on a rod are one of twice the mass; stiffness and exponent by parameters", function()
  local rod = { text = [[
local carom = require "carom"
local m = carom.model "rod"
local q = {}
for i = 1, 4 do
  q[i] = m:coordinate("q" .. i, { initial = i == 1 and -0.01 or (i - 1) * 0.1, velocity = i == 1 and 1 or 0 })
  m:kinetic_energy(q[i].dot^2 / 2)
end
local k = m:parameter("k", 3)
m:constraint("rod", q[3] - q[2] - 0.1)
m:contact("first", { gap = q[2] - q[1] - 0.1, restitution = 1, impact_law = "lzb", impact_stiffness = k })
m:contact("last", { gap = q[4] - q[3] - 0.1, restitution = 1, impact_law = "lzb" })
m:run { until_time = 0.1, step = 0.01, scheme = "capture:dg=D-,M=2" }
return m]] }
  local one = { text = [[
local carom = require "carom"
local m = carom.model "heavy"
local q, mass = {}, { 1, 2, 1 }
for i = 1, 3 do
  q[i] = m:coordinate("q" .. i, { initial = i == 1 and -0.01 or (i - 1) * 0.1, velocity = i == 1 and 1 or 0 })
  m:kinetic_energy(mass[i] * q[i].dot^2 / 2)
end
for i = 1, 2 do
  m:contact("pair" .. i, { gap = q[i + 1] - q[i] - 0.1, restitution = 1, impact_law = "lzb", impact_stiffness = i == 1 and 3 or 1 })
end
m:run { until_time = 0.1, step = 0.01, scheme = "capture:dg=D-,M=2" }
return m]] }
  local a, b = S.run(rod, SCHEME, { step = 0.01, until_time = 0.2 }), S.run(one, SCHEME, { step = 0.01, until_time = 0.2 })
  for _, pair in ipairs { { "q1", "q1" }, { "q2", "q2" }, { "q3", "q2" }, { "q4", "q3" } } do
    T.near(a.v[pair[1]], b.v[pair[2]], 1e-9, pair[1])
  end
  T.ok(math.abs(a.v.q1 - S.run(rod, SCHEME, { step = 0.01, until_time = 0.2, set = { "k=0.1" } }).v.q1) > 1e-3, "stiffness is not read")
end)

T.test("what is refused says what to write", function()
  local function model(first, second)
    return { text = ([[
local carom = require "carom"
local m = carom.model "pair"
local x, y = m:coordinate("x", { velocity = 1 }), m:coordinate("y", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2 + y.dot^2 / 2)
m:contact("a", { gap = y - x, %s })
m:contact("b", { gap = 2 - y, %s })
m:run { until_time = 1, step = 0.1 }
return m]]):format(first, second) }
  end
  local LZB = 'impact_law = "lzb"'
  for _, case in ipairs { { LZB, "restitution = 1", SCHEME, 'write impact_law = "lzb" for all contacts' },
    { LZB, LZB, "D-:M=1", "chains of impacts are for capture" }, { LZB .. ", slide = x, friction = 0.1", LZB, SCHEME, "and friction" },
    { "impact_exponent = 1", "", SCHEME, 'has impact_exponent but no impact_law; write impact_law = "lzb"' },
    { LZB .. ', restitution = 1, restitution_law = "poisson"', LZB, SCHEME, "leave out restitution_law" } } do
    T.fails(function() S.unit(model(case[1], case[2]), case[3]) end, case[4])
  end
end)

S.finish()
