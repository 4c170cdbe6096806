-- Event capturing beside its orders: bilateral constraints, redundant contacts, many contacts, friction in space, sticking without
-- creep, and the statuses with which a step gives up, which leave the state as it was.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local M = require "tests.e2e.mechanisms"

local BODY = ",length=1,speed=1,time=0.3,force=1"
local function scheme(method) return "capture:" .. method .. BODY end

T.test("a rod as a bilateral constraint: the same motion as with an angle, and no drift", function()
  for method, tolerance in pairs { ["dg=D-,M=2"] = 5e-8, ["rk=radau5"] = 1e-9 } do -- the errors of the two at this step
    local rod = S.run(M.rod_pendulum, scheme(method), { step = 5 / 592, until_time = 5, csv = true })
    local angle = S.run(M.pendulum, scheme(method), { step = 5 / 592, until_time = 5, csv = true })
    T.eq(#rod.rows, 593)
    for i, row in ipairs(rod.rows) do
      T.near(row.theta, angle.rows[i].theta, tolerance, ("%s at t = %g"):format(method, row.t))
      T.near(row.x ^ 2 + row.y ^ 2, 1, 1e-14)
    end
    T.eq(rod.counts.events, angle.counts.events)
    T.near(rod.q.x, 0.3, 1e-15)
  end
end)

-- Three feet in a line, of which two would do. What a contact that comes to rest takes along (the middle foot is brought to rest
-- by the ends) must close too: else the motion is wrong by sqrt(delta).
T.test("a block on three feet: rest exactly on the floor, order with friction", function()
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5" } do
    for _, set in ipairs { { "theta=0" }, { "theta=0.1" }, { "theta=0.1", "friction=0.3" }, { "theta=0", "friction=0.3", "x.dot=1" } } do
      local r = S.run(M.feet, scheme(method), { step = 0.03, until_time = 3, set = set })
      T.near(r.q.y, 0.2, 1e-15)
      T.near(r.q.theta, 0, 1e-15)
      T.near(r.v.y, 0, 1e-15)
    end
    -- pushed along it slides: v = (5 - 0.3 9.81) t whatever the bounces, since impulses are proportional to time on average
    local r = S.run(M.feet, scheme(method), { step = 3 / 400, until_time = 3, set = { "friction=0.3", "push=5", "theta=0" } })
    T.near(r.v.x, 3 * (5 - 0.3 * 9.81), 1e-10)
    local errors, h = {}, {}
    for i, N in ipairs { 100, 200, 400 } do
      r = S.run(M.feet, scheme(method), { step = 3 / N, until_time = 3, set = { "friction=0.3", "push=2", "x.dot=1" } })
      h[i], errors[i] = 3 / N, math.abs(r.q.x - 0.68571845714) -- two and three feet agree, both methods, 3200 steps
    end
    local order = S.slope(h, errors)
    T.ok(order > (method == "rk=radau5" and 4.6 or 3.6), ("%s: order %.2f, last error %.2g"):format(method, order, errors[3]))
  end
end)

T.test("eight beads with restitution 1/2 come to rest where they touch", function()
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5" } do
    local built = S.integrator("bead_column", scheme(method), { set = { N = 8 } })
    for _, N in ipairs { 50, 400 } do
      local r = built:run { step = 4 / N, until_time = 4, set = { "restitution=0.5" } }
      for i = 1, 8 do
        T.near(r.q["q" .. i], 0.1 + 0.2 * (i - 1), 1e-15)
        T.near(r.v["q" .. i], 0, 1e-15)
      end
    end
  end
end)

-- ---- friction in space -----------------------------------------------------------------------------------------------------
local function slide(method, N, set)
  return S.run(M.plane, scheme(method), { step = 1.5 / N, until_time = 1.5, set = set })
end

T.test("in space: a mass that slides straight on stops where it must", function()
  local path = 5 / (2 * 0.3 * 9.81) -- v^2/(2 mu g) along (2, 1)/sqrt 5
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5", "rk=dopri5" } do
    local r = slide(method, 46)
    T.near(r.q.x, 2 * path / math.sqrt(5), 1e-9, method) -- delta^2
    T.near(r.q.y, path / math.sqrt(5), 1e-9, method)
    T.eq(r.v.x, 0)
    T.eq(r.counts.events, 1)
  end
end)

T.test("in space: a path that turns is of the order of the method", function()
  for method, order in pairs { ["dg=D-,M=2"] = 4, ["rk=radau5"] = 5 } do
    local fine = slide("rk=dopri5", 1472, { "ax=-1", "ay=4" }).q
    local errors, h = {}, {}
    for i, N in ipairs { 15, 30, 60 } do
      local q = slide(method, N, { "ax=-1", "ay=4" }).q
      h[i], errors[i] = 1 / N, math.max(math.abs(q.x - fine.x), math.abs(q.y - fine.y))
    end
    T.near(S.slope(h, errors), order, 0.5, method)
  end
  -- another scheme, which keeps the direction through a step and so is of first order here: extrapolated from two steps
  local coarse = S.run(M.plane, "D-:M=1", { step = 1e-3, until_time = 1.5, set = { "ax=-1", "ay=4" } }).q
  local fine = S.run(M.plane, "D-:M=1", { step = 5e-4, until_time = 1.5, set = { "ax=-1", "ay=4" } }).q
  local q = slide("dg=D-,M=2", 60, { "ax=-1", "ay=4" }).q
  T.near(2 * fine.x - coarse.x, q.x, 1e-5)
  T.near(2 * fine.y - coarse.y, q.y, 1e-5)
end)

-- While it turns and stops at once, the direction has no limit of any smoothness (it goes like a power of the speed): the order is
-- 2 with a small constant, not that of the method.
T.test("in space: turning until it stops, then sticks", function()
  local plain = S.run(M.plane, "D-:M=1", { step = 1e-4, until_time = 1.5, set = { "ay=1", "swing=1" } })
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5", "rk=dopri5" } do
    local errors, h = {}, {}
    for i, N in ipairs { 23, 46, 92 } do
      local r = slide(method, N, { "ay=1", "swing=1" })
      T.eq(r.counts.events, 1)
      T.eq(r.v.x, 0)
      h[i], errors[i] = 1 / N, math.max(math.abs(r.q.x - 0.9245809636), math.abs(r.q.y - 0.9434229584))
    end
    T.ok(errors[1] < 3e-7 and errors[3] < 2e-9, ("%s: %.2g"):format(method, errors[1]))
    T.ok(S.slope(h, errors) > 2, method)
  end
  T.near(plain.q.x, 0.9245809636, 1e-4) -- of first order
  T.near(plain.q.y, 0.9434229584, 1e-4)
end)

T.test("a sticking block does not creep in 1e5 steps", function()
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5" } do
    local r = S.run(M.creep, scheme(method), { step = 1e-3, until_time = 100 })
    T.eq(r.steps, 100000)
    T.near(r.q.x, 0.2, 1e-15)
    T.near(r.q.y, 0, 1e-15)
    T.eq(r.counts.events, 0)
  end
end)

-- ---- statuses --------------------------------------------------------------------------------------------------------------
local function refuses(model, name, options, words)
  options.may_fail, options.csv = true, true
  local r = S.run(model, name, options)
  T.eq(r.code, 1)
  T.eq(r.status, "error")
  T.ok(r.message:find(words, 1, true), r.message)
  T.near(r.rows[#r.rows].t, r.t, 1e-12, "what was reached is kept")
  return r
end

T.test("Painleve's configuration is a status, and the regular ones run", function()
  for _, method in ipairs { "dg=D-,M=2", "rk=radau5" } do
    for _, set in ipairs { {}, { "spin=4" } } do
      refuses("painleve_rod", scheme(method), { step = 1e-3, until_time = 0.3, set = set }, "Painleve configuration")
    end
    for _, set in ipairs { { "friction=1.3" }, { "slip=1" } } do
      T.eq(S.run("painleve_rod", scheme(method), { step = 1e-3, until_time = 0.3, set = set }).status, "ok")
    end
  end
end)

-- 3500 bounces of an elastic ball in one step, where 3000 are allowed; in tenths of it they are all there
T.test("too many events in a step are a status, not a hang", function()
  local name = "capture:dg=D-,M=2,length=1,speed=1e4,time=1000,force=1e8"
  local set = { "gravity=1e8", "restitution=1" }
  local r = refuses("zeno_ball", name, { step = 1, until_time = 3, set = set }, "more events in one step")
  T.eq(r.t, 0)
  r = S.run("zeno_ball", name, { step = 0.1, until_time = 0.3, set = set })
  T.eq(r.counts.events, math.floor(0.3 / (2 * math.sqrt(2e-8)) + 0.5))
  T.near(r.v.q ^ 2 / 2 + 1e8 * r.q.q, 1e8, 1)
end)

local KEEPS = [[
#include "NAME.h"
#include <math.h>
#include <string.h>
/* A step that fails leaves time, positions, velocities and impulses as they were, and the next one goes on from there. */
int main(void)
{
    NAME s;
    NAME_params p;
    NAME_defaults(&p);
    CHANGE
    if (NAME_init(&s, &p) != CAROM_OK) {
        return 1;
    }
    for (int k = 0; k < BEFORE; ++k) {
        if (NAME_step(&s, H) != CAROM_OK) {
            return 2;
        }
    }
    const NAME old = s;
    if (NAME_step(&s, LARGE) != STATUS) {
        return 3;
    }
    if (s.t < old.t || s.t > old.t || memcmp(s.q, old.q, sizeof s.q) != 0 || memcmp(s.v, old.v, sizeof s.v) != 0
        || memcmp(s.impulse, old.impulse, sizeof s.impulse) != 0) {
        return 4;
    }
    return AFTER;
}
]]

T.test("a failed step leaves the state as it was", function()
  local cases = {
    { "zeno_ball", "capture:dg=D-,M=2,length=1,speed=1e4,time=1000,force=1e8", CHANGE = "p.gravity = 1e8; p.restitution = 1.0;",
      BEFORE = "3", H = "0.1", LARGE = "1.0", STATUS = "CAROM_EVENTS", AFTER = "NAME_step(&s, 0.1) == CAROM_OK ? 0 : 5" },
    -- smooth until the first impact at 0.52, whose location needs the small steps
    { "impacting_oscillator", "moreau-jean:theta=0.5,adaptive=on,rtol=0,atol=1e-9,hmin=1e-4", CHANGE = "", BEFORE = "5", H = "0.1",
      LARGE = "0.1", STATUS = "CAROM_STEP", AFTER = "NAME_step(&s, 0.01) == CAROM_OK ? 0 : 5" },
    { "impacting_oscillator", "D-:M=2,adaptive=on,rtol=0,atol=1e-9,hmin=1e-4", CHANGE = "", BEFORE = "5", H = "0.1",
      LARGE = "0.1", STATUS = "CAROM_STEP", AFTER = "NAME_step(&s, 0.01) == CAROM_OK ? 0 : 5" },
    { "impacting_oscillator", scheme "rk=radau5" .. ",adaptive=on,rtol=1e-10,atol=1e-10,hmin=0.02", CHANGE = "", BEFORE = "0", H = "0.1",
      LARGE = "0.1", STATUS = "CAROM_STEP", AFTER = "0" },
    { "painleve_rod", scheme "dg=D-,M=2", CHANGE = "", BEFORE = "0", H = "1e-3", LARGE = "1e-3", STATUS = "CAROM_PAINLEVE", AFTER = "0" },
  }
  for _, c in ipairs(cases) do
    local text = KEEPS:gsub("%u+", function(word) return c[word] end):gsub("NAME", c[1])
    local built = S.compile(S.unit(c[1], c[2]), { main = text })
    S.command(built.program)
  end
end)

T.test("hmin: the message names the key, a looser one runs", function()
  local name = scheme "rk=radau5" .. ",adaptive=on,rtol=1e-10,atol=1e-10,hmin="
  refuses("impacting_oscillator", name .. "0.02", { step = 0.1, until_time = 3 }, "below hmin")
  T.eq(S.run("impacting_oscillator", name .. "1e-9", { step = 0.1, until_time = 1 }).status, "ok")
end)

-- Without contacts there are no events, and capture is its method: the order of it, with joints too.
local function smooth(text) return { text = 'local carom = require "carom"\n' .. text .. "\nreturn m" } end

local oscillator = smooth [[
local m = carom.model "oscillator"
local q = m:coordinate("q", { initial = 1 })
m:kinetic_energy(q.dot^2 / 2)
m:potential_energy(q^2 / 2)]]

-- x, y of a mathematical pendulum; the rod is a bilateral constraint
local rod = smooth [[
local m = carom.model "rod"
local x, y = m:coordinate("x", { initial = carom.sin(1) }), m:coordinate("y", { initial = -carom.cos(1) })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:potential_energy(9.81 * y)
m:constraint("rod", (x^2 + y^2 - 1) / 2)]]

-- what turns a free body depends on its orientation
local magnet = smooth [[
local m = carom.model "magnet"
local b = m:free_body("b", { mass = 1, inertia = { 1, 2, 3 }, spin = { 0.4, 1, 0.2 } })
m:potential_energy(5 * b:direction(1, 0.5, 0)[3])]]

for _, method in ipairs { "radau5", "dopri5" } do
  T.test(method .. " without contacts: an oscillator, a rod as constraint, a free body", function()
    for name, model in pairs { oscillator = oscillator, rod = rod, magnet = magnet } do
      local function at(step) return S.run(model, "capture:rk=" .. method, { step = step, until_time = 2 }) end
      local exact = name == "oscillator" and { q = -math.sin(2) } or at(2 / 640).v
      local function error_of(r)
        local worst = 0
        for k, v in pairs(exact) do worst = math.max(worst, math.abs(r.v[k] - v)) end
        return worst
      end
      local steps, errors = {}, {}
      for i, N in ipairs { 20, 40, 80 } do
        local r = at(2 / N)
        steps[i], errors[i] = 2 / N, error_of(r)
        T.eq(r.counts.events, 0)
        if name == "rod" then T.near(r.q.x ^ 2 + r.q.y ^ 2, 1, 1e-14) end
      end
      local order = S.slope(steps, errors)
      T.ok(order > 4.6, ("%s with %s: order %.2f, last error %.2g"):format(name, method, order, errors[3]))
      -- by tolerance, in one step that is longer than all it is made of
      local r = S.run(model, "capture:rk=" .. method .. ",adaptive=on,rtol=1e-8,atol=1e-10", { step = 2, until_time = 2 })
      T.ok(error_of(r) < 1e-6, ("%s with %s, adaptive: off by %.2g"):format(name, method, error_of(r)))
    end
  end)
end

T.test("contacts whose forces vanish together are released together", function()
  -- lifted evenly: the second foot, released by another event a little later, would turn the body
  local lifted = { text = [[
local carom = require "carom"
local m = carom.model "lifted"
local y, th = m:coordinate("y"), m:coordinate("th")
m:kinetic_energy((y.dot^2 + 0.1 * th.dot^2) / 2)
m:potential_energy(9.81 * y)
m:force(y, 15 * m:time())
m:force(th, 1.5e-9 * (m:time() - 0.654))
m:contact("left", { gap = y - 0.5 * carom.sin(th), restitution = 0.5 })
m:contact("right", { gap = y + 0.7 * carom.sin(th), restitution = 0.5 })
m:run { until_time = 1, step = 0.03 }
return m
]] }
  local r = S.run(lifted, "capture:dg=D-,M=2", { step = 0.03, until_time = 1 })
  T.eq(r.counts.events, 1)
  T.near(r.q.th, 1.0355e-10, 1e-12, "th")
  T.near(r.q.y, 15 * (1 - 0.654) ^ 3 / 6, 1e-7, "y")
end)

-- ---- forces that are not determined ----------------------------------------------------------------------------------------

-- No contact pulls in any step, none holds on beyond its friction.
local function bears(r, contacts, mu, label)
  for k = 2, #r.rows do
    local before, after = r.rows[k - 1], r.rows[k]
    for _, c in ipairs(contacts) do
      local normal = after[c .. ".impulse"] - before[c .. ".impulse"]
      local tangent = mu and mu[c] and math.abs(after[c .. ".friction"] - before[c .. ".friction"]) or 0
      T.ok(normal > -1e-9 and tangent <= (mu and mu[c] or 0) * normal + 1e-9, -- what locating a release leaves
        ("%s, %s at t = %g: %g, %g"):format(label, c, after.t, normal, tangent))
    end
  end
end

-- Found by tests/random, seed 530535: three rows hold one coordinate.
T.test("a bead that jams between a wall and a rough slope: no contact pulls", function()
  for _, form in ipairs { "unrolled", "looped" } do
    local r = S.run({ text = [[
local carom = require "carom"
local m = carom.model "jammed"
m:gravity(0, -9.95)
local s = m:coordinate("s", { initial = 0.135, velocity = -1.31 })
local x, y = s, 0.168 * carom.cos(2.52 * s)
m:kinetic_energy(2.03 / 2 * (x.dot^2 + y.dot^2))
m:potential_energy(2.03 * 9.95 * y)
m:contact("slope", { gap = -0.8 * (x - 0.135) + 0.6 * (y - 0.15837157547488528), restitution = 0, friction = 0.1,
  slide = 0.6 * x + 0.8 * y })
m:contact("wall", { gap = s - 0.135, restitution = 1 })
m:run { until_time = 0.04, step = 0.001 }
return m
]] }, "capture:rk=radau5,length=1,speed=1,time=1,force=10,adaptive=on,rtol=0.0001,atol=1e-05", { csv = true, form = form })
    T.near(r.rows[#r.rows].s, 0.135, 1e-12, "it stays")
    T.eq(r.counts.events, 1) -- it was 81 where every step ended with another contact that pulled
    bears(r, { "slope", "wall" }, { slope = 0.1 }, form)
  end
end)

-- A table on three feet in a line or on four at the corners, under a weight that walks from its middle to the right: it stands on what is
-- undetermined until the weight passes the feet there (at walk = 1), then tips.
local function tabletop(feet, friction)
  local text = { [[
local carom = require "carom"
local m = carom.model "tabletop"
local z, roll, pitch = m:coordinate "z", m:coordinate "roll", m:coordinate "pitch"
local x = m:coordinate "x"
m:kinetic_energy((2 * z.dot^2 + 2 * x.dot^2 + 0.3 * roll.dot^2 + 0.5 * pitch.dot^2) / 2)
m:potential_energy(20 * z)
m:force(z, -30)
m:force(pitch, -30 * m:time())
m:force(roll, -1)
m:force(x, 4 * carom.sin(3 * m:time()))]] }
  for i, foot in ipairs(feet) do
    text[#text + 1] = ('m:contact("f%d", { gap = z + %g * pitch + %g * roll, restitution = 0.5%s })'):format(i, foot[1], foot[2],
      friction and (", friction = %g, slide = x + 0.3 * pitch"):format(friction) or "")
  end
  text[#text + 1] = "m:run { until_time = 2, step = 0.02 }\nreturn m"
  return { text = table.concat(text, "\n") }
end

for _, case in ipairs { { "four feet", { { -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 } } },
  { "five feet that grip", { { -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 }, { 0.2, 0 } }, 0.6 },
  { "three feet in a line that grip", { { -1, 0 }, { 0.3, 0 }, { 1, 0 } }, 0.6, "roll" } } do
  T.test(("a table on %s: no contact pulls, and it tips where it must"):format(case[1]), function()
    local names, mu = {}, {}
    for i = 1, #case[2] do
      names[i] = "f" .. i
      mu[names[i]] = case[3]
    end
    local model = tabletop(case[2], case[3])
    if case[4] then model.text = model.text:gsub("m:force%(roll, %-1%)\n", "") end
    for method, form in pairs { ["dg=D-,M=2"] = "unrolled", ["rk=radau5,adaptive=on,rtol=1e-8,atol=1e-8"] = "looped" } do
      local r = S.run(model, "capture:" .. method .. ",length=1,speed=1,time=1,force=50", { csv = true, form = form, step = 0.02,
        until_time = 2 })
      local sum, tipped = 0, nil
      bears(r, names, mu, method)
      for _, row in ipairs(r.rows) do
        if row.t < 1.6 then T.near(row.z, 0, 1e-13, method) end
        tipped = tipped or row.pitch < -1e-9 and row.t
      end
      for _, c in ipairs(names) do sum = sum + r.rows[math.floor(1.5 / 0.02 + 1.5)][c .. ".impulse"] end
      T.near(sum, 50 * 1.5, 1e-6, method .. ": the weight of 1.5 s")
      -- about the feet on the right: 30 t = 50 at t = 5/3; 1.704 with the moment of the friction
      T.ok(tipped and tipped > (case[3] and 1.70 or 5 / 3) and tipped < (case[3] and 1.74 or 5 / 3 + 0.02),
        method .. ": tips at " .. tostring(tipped))
      T.ok(r.counts.events <= 40, method .. ": events " .. r.counts.events)
    end
  end)
end

S.finish()
