-- Switches of forces are events of capture (THEORY 7.7): forces that jump or have a kink leave it its order, fixed steps and adaptive.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

local function model(force, q, v, more)
  return { text = ([[
local carom = require "carom"
local m = carom.model "switching"
local q = m:coordinate("q", { initial = %s, velocity = %s })
m:kinetic_energy(q.dot^2 / 2)
m:force(q, %s)
%s
m:run { until_time = 3, step = 0.1 }
return m]]):format(q, v, force, more or "") }
end

-- arcs of q'' = -w^2 (q - c) one after another: next(q, v) gives w, c and whether the arc ends at q = 0 or at v = 0
local function arcs(q, v, until_time, next)
  local t = 0
  while true do
    local w, c, at = next(q, v)
    local A, B = q - c, v / w
    local function place(x) return c + A * math.cos(w * x) + B * math.sin(w * x), w * (B * math.cos(w * x) - A * math.sin(w * x)) end
    local low, x = 1e-9, 1e-9 -- the first zero behind the start
    local function f(y) return (select(at == "q" and 1 or 2, place(y))) end
    local sign = f(low) > 0
    while (f(x) > 0) == sign do
      low = x
      x = x + 0.01 / w
    end
    local high = x
    for _ = 1, 80 do
      local mid = 0.5 * (low + high)
      if (f(mid) > 0) == sign then low = mid else high = mid end
    end
    if t + high >= until_time then return place(until_time - t) end
    t, q, v = t + high, place(high)
    if at == "q" then q = 0 else v = 0 end
  end
end

-- q'' = -sign(q): parabolas of duration 2 sqrt 2 from crest to trough
local function parabolas(t)
  local quarter = math.sqrt(2)
  local n = math.floor((t + quarter) / (2 * quarter))
  local x = t - 2 * quarter * n
  return (n % 2 == 0 and 1 or -1) * (1 - x * x / 2), (n % 2 == 0 and -1 or 1) * x
end

local CASES = {
  { "q'' = -sign(q)", model("-carom.sign(q)", 1, 0), 7, { parabolas(7) }, parabola = true },
  { "the same by select", model("carom.select(carom.gt(q, 0), -1, 1)", 1, 0), 7, { parabolas(7) }, parabola = true },
  { "a bilinear spring", model("-q - 8 * carom.max(q, 0)", 1, 0), 7,
    { arcs(1, 0, 7, function(q, v) return (q > 0 or q == 0 and v > 0) and 3 or 1, 0, "q" end) } },
  { "its kink by abs", model("-5 * q - 4 * carom.abs(q)", 1, 0), 7,
    { arcs(1, 0, 7, function(q, v) return (q > 0 or q == 0 and v > 0) and 3 or 1, 0, "q" end) } },
  { "dry friction by sign(v)", model("-4 * q - 0.3 * carom.sign(q.dot)", 1, 0), 7,
    { arcs(1, 0, 7, function(q) return 2, q > 0 and 0.075 or -0.075, "v" end) } },
}

local METHODS = { { "capture:dg=D-,M=1", 2 }, { "capture:dg=D-,M=2", 4 }, { "capture:rk=radau5", 5 }, { "capture:rk=rk4", 4 } }

for _, case in ipairs(CASES) do
  for _, method in ipairs(METHODS) do
    T.test(("%s: %s keeps its order"):format(case[1], method[1]), function()
      local h, e = {}, {}
      for i, n in ipairs { 29, 58, 116, 232 } do
        local r = S.run(case[2], method[1], { step = case[3] / n, until_time = case[3] })
        h[i], e[i] = 1 / n, math.max(math.abs(r.q.q - case[4][1]), math.abs(r.v.q - case[4][2]), 1e-14)
        T.ok(r.counts.events > 1 and r.counts.events < 8, r.counts.events .. " events")
      end
      local slope = S.slope(h, e)
      T.ok(slope > method[2] - 0.25 or e[4] < 1e-11, ("order %.2f, errors %.2g %.2g %.2g %.2g"):format(slope, table.unpack(e)))
    end)
  end
end
T.test("tolerances hold across a switch, with events and without", function()
  for _, scheme in ipairs { "capture:rk=radau5", "capture:dg=D-,M=2", "D-:M=2", "D-:M=4,quadrature=lobatto" } do
    for _, n in ipairs { 7, 10, 29, 31 } do
      local r = S.run(CASES[1][2], scheme .. ",adaptive=on,rtol=1e-8,atol=1e-11", { step = 3 / n, until_time = 3 })
      T.near(r.q.q, -.9852813742, scheme:find "^capture" and 2e-7 or 1e-6, scheme .. " in intervals of 3/" .. n)
    end
  end
end)

T.test("dry friction at rest: no side is kept, and it stays", function()
  for _, scheme in ipairs { "capture:dg=D-,M=2", "capture:rk=rk4" } do
    local r = S.run(CASES[5][2], scheme, { step = 0.05, until_time = 20 })
    T.ok(math.abs(r.v.q) < 0.02 and math.abs(r.q.q) <= 0.075 + 0.01, ("%s: %g, %g"):format(scheme, r.q.q, r.v.q))
  end
end)

T.test("beside contacts: a ball with a drag that changes with its direction and speed, order 4 through impacts and switches", function()
  local ball = model("-9.81 - 0.2 * carom.abs(q.dot) * q.dot - carom.select(carom.gt(q, 0.5), 2, 0) * carom.sign(q.dot)", 1, 0,
    'm:contact("floor", { gap = q, restitution = 0.8 })')
  local exact = S.run(ball, "capture:rk=radau5", { step = 1 / 3000, until_time = 1.5 })
  local h, e = {}, {}
  for i, n in ipairs { 37, 74, 148, 296 } do
    local r = S.run(ball, "capture:dg=D-,M=2", { step = 1.5 / n, until_time = 1.5 })
    h[i], e[i] = 1 / n, math.abs(r.q.q - exact.q.q) + math.abs(r.v.q - exact.v.q)
  end
  T.ok(S.slope(h, e) > 3.5, ("order %.2f, errors %.2g %.2g %.2g %.2g"):format(S.slope(h, e), table.unpack(e)))
end)

T.test("a power that ends at the switch is not continued beyond it: a Hertzian spring gives the speed back", function()
  local ball = model("1e4 * carom.max(-q, 0)^1.5", 0.1, -1)
  local r = S.run(ball, "capture:dg=D-,M=2", { step = 2e-4, until_time = 0.4 })
  T.near(r.v.q, 1, 1e-8)
end)

T.test("loops over tables, which do not locate switches, say so", function()
  T.ok(S.unit(CASES[1][2], "capture:rk=radau5", { form = "looped" }).warning:find("a force switches here", 1, true))
  T.eq(S.unit(CASES[1][2], "capture:rk=radau5", { form = "unrolled" }).warning, nil)
  T.eq(S.unit("bouncing_ball", "capture:rk=radau5", { form = "looped" }).warning, nil)
end)

S.finish()
