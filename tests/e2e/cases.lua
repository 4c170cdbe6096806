-- Small models that went wrong once: what does not know of another thing must not feel it, and the order and the form in which
-- something is written must not matter.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local function model(body) return { text = 'local carom = require "carom"\nlocal m = carom.model "small"\n' .. body .. "\nreturn m\n" } end

-- ---- contacts that are not coupled ------------------------------------------------------------------------------------------

local rods = model [[
local n, first = m:constant("n", 3), m:constant("first", 1)
m:gravity(0, -10)
for i = 1, n do
  local a0 = 0.5 + 0.15 * (i - 2 + first)
  local x, y = m:coordinate("x" .. i), m:coordinate("y" .. i, { initial = 0.5 * math.cos(a0) })
  local th = m:coordinate("th" .. i, { initial = a0 })
  m:body("rod" .. i, { mass = 1, inertia = 1 / 12, at = { x, y }, angle = th })
  m:contact("tip" .. i, { gap = y - 0.5 * carom.cos(th), friction = 0.3, slide = x - 0.5 * carom.sin(th) })
end]]

for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1", "moreau-jean:theta=0.5", "capture:rk=radau5" } do
  T.test("rods that slide on their tips move as each alone: " .. scheme, function()
    for _, n in ipairs { 2, 3, 4 } do
      local all = S.run(rods, scheme, { set = { n = n }, flags = "-O0", step = 2e-3, until_time = 0.6 })
      for i = 1, n do
        local one = S.run(rods, scheme, { set = { n = 1, first = i }, flags = "-O0", step = 2e-3, until_time = 0.6 })
        T.near(all.q["th" .. i], one.q.th1, 1e-7, ("angle of rod %d of %d"):format(i, n))
        T.near(all.q["x" .. i], one.q.x1, 1e-7, ("place of rod %d of %d"):format(i, n))
      end
    end
  end)
end

T.test("an impact with friction beside a contact at rest, in either order", function()
  local floor, wall = 'm:contact("a", { gap = z, restitution = 0 })\n',
    'm:contact("b", { gap = y + 0.5 * x, restitution = 0.9, friction = 0.8, slide = x })\n'
  for _, contacts in ipairs { floor .. wall, wall .. floor } do
    local text = model([[
local z = m:coordinate("z")
local x = m:coordinate("x", { velocity = 1 })
local y = m:coordinate("y", { initial = 0.0501, velocity = -1 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:potential_energy(9.81 * z)
]] .. contacts)
    for _, scheme in ipairs { "D-:M=1", "moreau-jean" } do
      local r = S.run(text, scheme, { flags = "-O0", step = 1e-3, until_time = 0.2 })
      T.near(r.impulse.b, 0.95 / 0.85, 1e-9, scheme .. ": sliding impact, rate -0.5 to 0.45")
      T.near(r.v.z, 0, 1e-12, scheme)
    end
  end
end)

-- Where the rod hangs along the normal of a floor that it never reaches, rod and contact pull alike: found by random models.
T.test("a pendulum over a floor that it does not reach, with positions as unknowns", function()
  local text = model [[
m:gravity(0, -9.81)
local x, y = m:coordinate("x", { initial = 0.6 }), m:coordinate("y", { initial = -0.8 })
m:body("b", { mass = 1, at = { x, y } })
m:constraint("rod", { zero = (x^2 + y^2 - 1) / 2 })
m:contact("floor", { gap = y + 1.2 })]]
  for _, theta in ipairs { 0, 0.5 } do
    local r = S.run(text, "schatzman-paoli:theta=" .. theta, { flags = "-O0", step = 5e-3, until_time = 1 })
    T.eq(r.impulse.floor, 0)
    T.near(r.q.x ^ 2 + r.q.y ^ 2, 1, 1e-9)
  end
end)

-- ---- unlike terms are not rolled into one kernel ----------------------------------------------------------------------------

local function with_idle(count, body)
  return model(([[
for i = 1, %d do m:kinetic_energy(m:coordinate("w" .. i, { initial = 1 }).dot^2 / 2) end
]]):format(count) .. body)
end

T.test("a wall with restitution and a floor with friction keep their own laws in tables", function()
  local r = S.run(with_idle(27, [[
local x, y = m:coordinate("x", { velocity = 1 }), m:coordinate("y", { velocity = -1 })
local z = m:coordinate("z", { velocity = -1 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:contact("wall", { gap = z, restitution = 0.5 })
m:contact("floor", { gap = y, friction = 0.3, slide = x })]]), "moreau-jean", { flags = "-O0", step = 2e-3, until_time = 2e-3 })
  T.near(r.v.x, 0.7, 1e-12, "friction 0.3 of the impulse 1")
  T.near(r.v.y, 0, 1e-12, "no restitution")
  T.near(r.v.z, 0.5, 1e-12, "restitution without friction")
end)

T.test("energies that differ in a function, a parameter or a number are different kernels", function()
  local energies = [[
local k = m:parameter("k", 7)
local x, y = m:coordinate("x", { initial = 1 }), m:coordinate("y", { initial = 1 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:potential_energy(carom.sin(x) * x^2)
m:potential_energy(carom.cos(y) * y^2)
m:potential_energy(k * x)
m:potential_energy(2 * y)
m:potential_energy(carom.exp(k / 7) * x)
m:potential_energy(carom.exp(x) * y)]]
  for _, scheme in ipairs { "D-:M=0", "D-:M=1", "moreau-jean" } do
    local few = S.run(with_idle(1, energies), scheme, { flags = "-O0", step = 1e-2, until_time = 0.1, form = "unrolled" })
    local many = S.run(with_idle(27, energies), scheme, { flags = "-O0", step = 1e-2, until_time = 0.1, form = "looped" })
    for _, name in ipairs { "x", "y" } do T.near(many.q[name], few.q[name], 1e-12, scheme .. ": " .. name) end
  end
end)

-- ---- size changes nothing in kind -------------------------------------------------------------------------------------------

local rough = model [[
m:gravity(0, -9.81)
local px, py
for i = 1, 13 do
  local x, y = m:coordinate("x" .. i, { initial = 0.1 * i, velocity = 0.3 }), m:coordinate("y" .. i, { initial = 0.1 })
  m:body("b" .. i, { mass = 1, at = { x, y } })
  if px then m:constraint("rod" .. i, { zero = (x - px)^2 + (y - py)^2 - 0.01 }) end
  m:contact("c" .. i, { gap = y, slide = x, friction = 0.3, restitution = 0 })
  px, py = x, y
end]]

for _, sample in ipairs { { "moreau-jean:theta=0.5", "looped" }, { "D-:M=1", "unrolled" } } do
  T.test(("masses joined by rods fall on a rough floor, %s: clean, and at rest together"):format(table.concat(sample, ", ")), function()
    local run = S.compile(S.unit(rough, sample[1], { form = sample[2] }), { flags = "-O1 -g -fsanitize=address,undefined " .. S.strict })
    local r = run:run { step = 2e-3, until_time = 0.5 }
    for i = 1, 13 do
      T.near(r.v["x" .. i], 0, 1e-9, "at rest")
      T.near(r.q["x" .. i], 0.1 * i + r.q.x1 - 0.1, 1e-9, "as one")
      T.near(r.q["y" .. i], 0, 1e-3, "on the floor")
    end
    T.near(r.q.x1, 0.14305, 1e-3, "falls 0.1428 s, then is stopped by the impact")
  end)
end

local chain = model [[
local N = m:constant("N", 9)
local l = 1 / N
m:gravity(0, -9.81)
local prev
for i = 1, N do
  local x, y, a = m:coordinate("x" .. i, { initial = (i - 0.5) * l }), m:coordinate("y" .. i), m:coordinate("a" .. i)
  local b = m:body("b" .. i, { mass = l, inertia = l^3 / 12, at = { x, y }, angle = a })
  local p, q = b:point(-l / 2, 0), prev and prev:point(l / 2, 0) or { 0, 0 }
  m:constraint("jx" .. i, { zero = p[1] - q[1] })
  m:constraint("jy" .. i, { zero = p[2] - q[2] })
  prev = b
end
m:output("tip_y", prev:point(l / 2, 0)[2])]]
local links = model [[
local N = m:constant("N", 9)
local l = 1 / N
m:gravity(0, -9.81)
local x, y = 0, 0
for i = 1, N do
  local a = m:coordinate("a" .. i)
  m:body("b" .. i, { mass = l, inertia = l^3 / 12, at = { x + l / 2 * carom.cos(a), y + l / 2 * carom.sin(a) }, angle = a })
  x, y = x + l * carom.cos(a), y + l * carom.sin(a)
end
m:output("tip_y", y)]]

for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1", "moreau-jean", "schatzman-paoli" } do
  T.test("a chain of joined bodies without a contact falls as the same chain of angles: " .. scheme, function()
    local run = { step = 1e-3, until_time = 0.1, flags = "-O0 " .. S.strict, set = { N = 9 } }
    T.near(S.run(chain, scheme, run).outputs.tip_y, S.run(links, "D-:M=2", run).outputs.tip_y, 2e-4, "9 bodies")
    if scheme == "D-:M=1" then
      run.set.N = 40
      T.ok(S.run(chain, scheme, run).status == "ok", "40 bodies")
    end
  end)
end

T.test("a string of modes does not change in kind with their number", function()
  local text = model [[
local N = m:constant("N", 24)
local y = {}
for k = 1, N do
  local q = m:coordinate("q" .. k, { initial = 1e-3 / k^2 })
  m:kinetic_energy(q.dot^2 / 2)
  m:potential_energy((600 * k)^2 * q^2 / 2)
  m:dissipation(0.3 * k * q.dot^2)
  y[k] = q * math.sin(k)
end
m:contact("fret", { gap = carom.sum(y) + 5e-4, restitution = 0.5 })]]
  for _, N in ipairs { 24, 25, 60 } do
    local r = S.run(text, "moreau-jean:projection=off", { set = { N = N }, flags = "-O0", step = 1e-3, until_time = 0.02 })
    T.ok(math.abs(r.q.q1) < 2e-3 and r.impulse.fret > 0, "stays bounded and is touched")
    if N > 24 then T.eq(r.counts.evaluations, 40, "a linear model is not iterated") end
  end
end)

T.test("what is not linear, or pushes sideways, is not taken for linear in tables", function()
  for _, force in ipairs { "m:potential_energy(50 * x^4)", "m:force(x, 3 * y.dot)\nm:force(y, -3 * x.dot)", "m:force(x, 5 * y)" } do
    local text = model([[
local x, y = m:coordinate("x", { initial = 1 }), m:coordinate("y", { velocity = 2 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:potential_energy(20 * (x^2 + y^2))
m:contact("wall", { gap = x + 0.3, restitution = 0.5 })
]] .. force)
    local results = {}
    for i, form in ipairs { "unrolled", "looped" } do
      results[i] = S.run(text, "moreau-jean:theta=0.6", { form = form, flags = "-O0", step = 0.02, until_time = 1 })
    end
    for _, name in ipairs { "x", "y" } do T.near(results[2].q[name], results[1].q[name], 1e-9, force .. ": " .. name) end
  end
end)

T.test("linear models take one pass in straight code, and what only looks linear does not", function()
  local t = "m:force(x, sin(3 * m:time()) - 3 * y.dot)\nm:force(y, 3 * x.dot + 5 * x)" -- no symmetry is asked for here
  for _, case in ipairs { { t, true }, { "m:potential_energy(50 * x^4)", false }, { "m:force(x, -carom.floor(20 * x))", false },
    { "m:force(x, -abs(y.dot))", false }, { "m:potential_energy(50 * max(x - 0.5, 0)^2)", false } } do
    local text = model([[
local sin, abs, max = carom.sin, carom.abs, carom.max
local x, y = m:coordinate("x", { initial = 1 }), m:coordinate("y", { velocity = 2 })
m:kinetic_energy((x.dot^2 + y.dot^2 + 0.3 * x.dot * y.dot) / 2)
m:potential_energy(20 * (x^2 + y^2))
m:contact("wall", { gap = x + 0.3, restitution = 0.5 })
]] .. case[1])
    local results = {}
    for i, stages in ipairs { "newton", "fixed-point" } do
      results[i] = S.run(text, "moreau-jean:theta=0.6,stages=" .. stages, { flags = "-O0", step = 0.005, until_time = 1, may_fail = true })
    end
    if results[1].status == "ok" and results[2].status == "ok" then
      T.eq(results[1].counts.evaluations == 400, case[2], case[1] .. ": " .. results[1].counts.evaluations .. " evaluations")
      for _, name in ipairs { "x", "y" } do T.near(results[1].q[name], results[2].q[name], 1e-9, case[1] .. ": " .. name) end
    end
    T.ok(results[1].status == "ok" or not case[2], results[1].message)
  end
end)

T.test("a car of five free bodies, four joints and four wheels drives, and as links", function()
  local car = model [[
local links = m:constant("links", 0) == 1
m:gravity(0, 0, -9.81)
local r, w, h = 1.5, 0.5, 1.5
local body = m:free_body("body", { mass = 1, inertia = { 2.5, 3, 5.5 }, at = { 0, 0, h } })
local floor = m:plane("floor", { normal = { 0, 0, 1 } })
for i, p in ipairs { { -3, 3 }, { 3, 3 }, { -3, -3 }, { 3, -3 } } do
  local inertia, wheel = { 0.6, r^2 / 2, 0.6 }, nil
  if links then
    wheel = m:link("wheel" .. i, { parent = body, joint = "revolute", axis = { 0, 1, 0 }, at = { p[1], p[2], 0 }, mass = 1,
      inertia = inertia })
  else
    wheel = m:free_body("wheel" .. i, { mass = 1, inertia = inertia, at = { p[1], p[2], h } })
    m:joint("joint" .. i, { type = "revolute", body = wheel, axis = { 0, 1, 0 }, on = body })
  end
  m:force { body = wheel, torque = { 0, 6, 0 } }
  m:contact_between(m:cylinder("w" .. i, { radius = r, length = w, axis = { 0, 1, 0 }, body = wheel }), floor, { friction = 0.6 })
  m:output("turning" .. i, wheel.spin[2])
end]]
  local turned = {} -- the wheels at the end, as free bodies
  for _, case in ipairs { { "D-:M=1", "unrolled", 0 }, { "D-:M=1", "looped", 0 }, { "D-:M=2", "looped", 0 }, { "moreau-jean", "looped", 0 },
    { "D-:M=1", "looped", 1 }, { "D-:M=2", "looped", 1 }, { "moreau-jean", "looped", 1 } } do
    local r = S.run(car, case[1], { flags = "-O0", step = 1e-2, until_time = 1, form = case[2], set = { links = case[3] } })
    local way = table.concat(case, ", ") .. ": "
    for name, x in pairs(r.outputs) do T.near(turned[name] or x, x, 1e-9, way .. name) end
    turned = r.outputs
    T.near(r.q.body_x, 16 / 7 / 2, 1e-9, way .. "torques 4 x 6 over radius 1.5 move mass 5 and four wheels of half their mass")
    T.near(r.q.body_z, 1.5, 1e-9, way .. "on its wheels")
  end
end)

T.test("a lever that a rod already locks rests on a rough contact, in any order of declaration", function()
  local rod, contact = 'm:constraint("rod", { zero = (x - 2)^2 + y^2 - (x0 - 2)^2 - y0^2 })\n',
    'm:contact("c1", { gap = x - x0, friction = 0.3, slide = y, restitution = 1 })\n'
    .. 'm:contact("c2", { gap = x0 - x, friction = 0.3, slide = y, restitution = 1 })\n'
  for _, scheme in ipairs { "D-:M=2", "D+:M=1", "moreau-jean" } do
    for _, rows in ipairs { rod .. contact, contact .. rod } do
      local r = S.run(model([[
m:gravity(0, -9.81)
local f = m:coordinate("f", { initial = 0.8 })
local x, y, x0, y0 = 0.6 * carom.sin(f), 1 - 0.6 * carom.cos(f), 0.6 * math.sin(0.8), 1 - 0.6 * math.cos(0.8)
m:body("lever", { mass = 2, inertia = 0.1, at = { x, y }, angle = f })
]] .. rows), scheme,
        { flags = "-O0", step = 1e-3, until_time = 0.02 })
      T.near(r.q.f, 0.8, 1e-12, scheme .. " stays")
    end
  end
end)

T.test("rows of equal restitution need not stand side by side where positions are the unknowns", function()
  local at = {} -- a bead in a bowl, thrown against a bent wall, falls on a bent step; post is never reached
  for _, order in ipairs { { "bowl", "wall", "post", "step" }, { "bowl", "step", "wall", "post" } } do
    local text = { [[
m:gravity(0, -9.81)
local x, y = m:coordinate("x", { initial = 0.1, velocity = 1.5 }), m:coordinate("y", { initial = 0.3 })
m:body("bead", { mass = 1, at = { x, y } })
local gaps = { bowl = 1 - (x^2 + y^2)^0.5, wall = 0.5 - x - 0.3 * y^2, post = 4 + x + x^2 / 9, step = y + 0.5 + 0.4 * x^2 }
local bounces = { bowl = 0.5, wall = 0, post = 0, step = 0.5 }]] }
    for _, name in ipairs(order) do
      text[#text + 1] = ('m:contact("%s", { gap = gaps.%s, restitution = bounces.%s })'):format(name, name, name)
    end
    for _, form in ipairs { "unrolled", "looped" } do
      local r = S.run(model(table.concat(text, "\n")), "schatzman-paoli", { step = 2e-3, until_time = 1.2, form = form })
      local what = table.concat(order, " ") .. ", " .. form
      T.ok(r.impulse.step > 0 and r.impulse.wall > 0, what)
      for _, name in ipairs { "x", "y" } do
        at[name] = at[name] or r.q[name]
        T.near(r.q[name], at[name], 1e-9, what)
      end
    end
  end
end)

T.test("no accepted step has an impulse that pulls, however long it is", function()
  local unit = S.unit(model [[
local a, b, k = m:parameter("a", 1), m:parameter("b", 3), m:parameter("k", 3)
local q = m:coordinate("q", { initial = 0.5, velocity = -2 })
m:kinetic_energy((1 + a * q^2) * q.dot^2 / 2)
m:potential_energy(9.81 * q + k * carom.cos(b * q))
m:contact("floor", { gap = q, restitution = 0.3 })]], "moreau-jean")
  local said = S.command(S.compile(unit, { main = [[
#include "small.h"
#include <stdio.h>
static unsigned seed = 1;
static double random_number(void) { seed = seed * 1664525U + 1013904223U; return seed / 4294967296.0; }
int main(void)
{
    int good = 0, pulls = 0, refused = 0;
    for (int n = 0; n < 20000; n++) {
        small s;
        small_params p = {10.0 * random_number(), 10.0 * random_number() - 5.0, 40.0 * random_number() - 20.0};
        const double q = random_number(), v = -10.0 * random_number(), h = 4.0 * random_number();
        small_init(&s, &p);
        small_set(&s, 0.0, &q, &v);
        const carom_status status = small_step(&s, h);
        good += status == CAROM_OK;
        pulls += status == CAROM_OK && s.impulse[0] < 0.0;
        refused += status == CAROM_CONTACT;
    }
    printf("%d %d %d", good, pulls, refused);
    return 0;
}
]] }).program)
  local good, pulls, refused = said:match("(%d+) (%d+) (%d+)")
  T.ok(tonumber(good) > 5000, "most short steps are good")
  T.eq(tonumber(pulls), 0, "of " .. good)
  T.ok(tonumber(refused) > 0, "some would have pulled")
end)

T.test("hyperbolic functions, whole numbers and rests in C", function()
  local text = model [[
local x = m:coordinate("x", { velocity = 1 })
local tanh = m:coordinate("tanh", { initial = 0.3 })
m:kinetic_energy((x.dot^2 + tanh.dot^2) / 2)
m:output("a", carom.tanh(x)); m:output("b", carom.sinh(x)); m:output("c", carom.cosh(x))
m:output("d", carom.floor(-3 * x)); m:output("e", math.ceil(3 * x)); m:output("f", math.fmod(-5 * x, 0.7))
m:output("g", carom.clamp(x, -1, 0.25)); m:output("h", carom.hypot(x, 2 * tanh))]]
  local y = S.run(text, "D-:M=1", { flags = "-O0", step = 0.1, until_time = 0.5 }).outputs
  T.near(y.a, 0.46211715726000975, 1e-15)
  T.near(y.b, 0.52109530549374736, 1e-15)
  T.near(y.c, 1.1276259652063807, 1e-15)
  T.eq(y.d, -2.0)
  T.eq(y.e, 2.0)
  T.near(y.f, -0.4, 1e-14)
  T.eq(y.g, 0.25)
  T.near(y.h, math.sqrt(0.61), 1e-15)
end)

-- two contacts with friction on one coordinate: forces of 1e16 that cancel to rounding would satisfy any residual
T.test("no step is good whose forces cancel to rounding", function()
  local text = model [[
local s = m:coordinate("s", { initial = -0.117, velocity = 1.31 })
local x, y = s, 0.063 * carom.cos(1.82 * s)
m:gravity(0, -9.81)
m:kinetic_energy(1.34 * (x.dot^2 + y.dot^2))
m:potential_energy(2.68 * 9.81 * y)
local u, w = x - 0.783, y - 1.2615770704489844
local r = carom.sqrt(u^2 + w^2)
m:contact("c1", { gap = 1.5 - r, restitution = 1, friction = 0.416, slip = (u * y.dot - w * x.dot) / r })
m:contact("c2", { gap = -0.8 * (x + 0.117) + 0.6 * (y - 0.0615770704489841), restitution = 0.8, friction = 0.6,
  slide = 0.6 * x + 0.8 * y })]]
  for _, form in ipairs { "unrolled", "looped" } do
    local good, r = pcall(S.run, text, "moreau-jean:theta=0,gamma=0", { step = 1e-3, until_time = 0.04, form = form, flags = "-O0" })
    T.ok(not good or math.max(r.impulse.c1, r.impulse.c2) < 1e4, form .. ": " .. tostring(good and r.impulse.c1))
  end
end)

-- 36 rods and guides of 24 beads, as straight code: more rows than most models have
T.test("a ring of beads on rods and guides moves alike in both forms", function()
  local text = model [[
m:gravity(0, -9.81)
local last
for i = 1, 24 do
  local a = math.pi * i / 12
  local x, y = m:coordinate("x" .. i, { initial = math.cos(a) }), m:coordinate("y" .. i, { initial = math.sin(a) })
  m:body("b" .. i, { mass = 1 + i / 10, at = { x, y } })
  if last then m:constraint("r" .. i, { zero = (x - last[1])^2 + (y - last[2])^2 - 4 * math.sin(math.pi / 24)^2 }) end
  if i % 2 == 0 then m:constraint("s" .. i, { zero = x^2 + y^2 - 1 }) end
  last = { x, y }
end
m:constraint("last", { zero = last[2] })]]
  local r = {}
  for _, form in ipairs { "unrolled", "looped" } do
    r[form] = S.run(text, "D-:M=1", { step = 1e-3, until_time = 0.05, form = form, flags = "-O0" })
  end
  T.ok(math.abs(r.unrolled.q.y4 - math.sin(math.pi / 3)) > 1e-4, "it moves")
  for name, value in pairs(r.looped.q) do T.near(r.unrolled.q[name], value, 1e-10, name) end
end)

S.finish()
