-- Theta schemes with joints: forces of bilateral rows along G at both ends of the step (Moreau-Jean) and at its start
-- (Schatzman-Paoli, SHAKE) keep the order of smooth motion; and rows of Schatzman-Paoli that do not share one configuration.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local models = require "tests.oracle.models"

-- three links as points on rods; with a mass that depends on q if the first link is an angle
local function chain(angle)
  return { text = ([[
local carom = require "carom"
local m = carom.model "chain"
local x, y = 0, 0
for i = 1, 3 do
  local x1, y1
  if %s and i == 1 then
    local phi = m:coordinate("phi", { initial = 0.5 })
    x1, y1 = carom.cos(phi), carom.sin(phi)
    m:kinetic_energy(phi.dot^2 / 2)
  else
    x1, y1 = m:coordinate("x" .. i, { initial = (%s and math.cos(0.5) - 1 or 0) + i }),
      m:coordinate("y" .. i, { initial = %s and math.sin(0.5) or 0 })
    m:constraint("rod" .. i, { zero = ((x1 - x)^2 + (y1 - y)^2 - 1) / 2 })
  end
  m:body("bob" .. i, { mass = 1, at = { x1, y1 } })
  x, y = x1, y1
end
m:gravity(0, -9.81)
m:run { until_time = 0.5, step = 1e-3 }
return m
]]):gsub("%%s", tostring(angle)) }
end

local function last(model, scheme, N, form)
  local r = S.run(model, scheme, { step = 0.5 / N, until_time = 0.5, form = form, flags = "-O0" })
  return { r.q.x3, r.q.y3 }, r
end
local function distance(a, b) return math.sqrt((a[1] - b[1]) ^ 2 + (a[2] - b[2]) ^ 2) end

for _, angle in ipairs { false, true } do
  local model = chain(angle)
  local reference = last(model, "D-:M=3,quadrature=lobatto", 400)
  for _, form in ipairs { "unrolled", "looped" } do
    for _, scheme in ipairs(angle and { "moreau-jean:theta=0.5", "schatzman-paoli:theta=0" } or { "moreau-jean:theta=0.5",
      "moreau-jean:theta=0.5,projection=off", "moreau-jean:theta=0.5,stages=fixed-point", "schatzman-paoli:theta=0" }) do
      T.test(("three links%s: %s, %s"):format(angle and ", M(q)" or "", scheme, form), function()
        local h, e = {}, {}
        for i, N in ipairs { 125, 250, 500 } do
          h[i], e[i] = 0.5 / N, distance(last(model, scheme, N, form), reference)
        end
        T.near(S.slope(h, e), 2, 0.15, ("order, errors %.2g %.2g %.2g"):format(e[1], e[2], e[3]))
        -- of the size of D-:M=1; with forces along G(q+) alone the schemes were of order 1 and thousands of times off
        T.ok(e[3] < 40 * distance(last(model, "D-:M=1", 500), reference), "error " .. e[3])
      end)
    end
  end
end

-- ---- Schatzman-Paoli: a contact that is never touched changes nothing, wherever it is declared --------------------------------
local function bead(contacts, turning)
  return { text = ([[
local carom = require "carom"
local m = carom.model "bead"
local x, y
if %s then
  local r, phi = m:coordinate("r", { initial = 0.9 }), m:coordinate("phi", { initial = -1 })
  x, y = r * carom.cos(phi), r * carom.sin(phi)
else
  x, y = m:coordinate("x", { initial = 0.8 }), m:coordinate("y", { initial = -0.4 })
end
m:body("bead", { mass = 1, at = { x, y } })
m:gravity(0, -9.81)
local bowl = function() m:contact("bowl", { gap = 1 - x^2 - y^2, restitution = 0.5 }) end
local wall = function() m:contact("wall", { gap = x + 3 + 0.1 * y^2, restitution = 0 }) end
local roof = function() m:contact("roof", { gap = 4 - y - 0.2 * x^2, restitution = 0.9 }) end
%s
m:run { until_time = 1, step = 0.01 }
return m
]]):format(turning, contacts) }
end
for _, turning in ipairs { false, true } do
  T.test("Schatzman-Paoli: rows of other restitutions do not move the bead" .. (turning and ", M(q)" or ""), function()
    for _, scheme in ipairs { "schatzman-paoli:theta=0", "schatzman-paoli:theta=0.5" } do
      local function first(contacts, form)
        return S.run(bead(contacts, turning), scheme, { step = 0.01, until_time = 1, form = form, flags = "-O0" }).q[turning and "r" or "x"]
      end
      local alone = first("bowl()", "unrolled")
      for _, contacts in ipairs { "bowl() wall()", "wall() bowl()", "wall() bowl() roof()" } do
        for _, form in ipairs { "unrolled", "looped" } do
          T.near(first(contacts, form), alone, 1e-10, ("%s, %s, %s"):format(scheme, contacts, form))
        end
      end
    end
  end)
end

-- ---- all or nothing: a failed step leaves no trace ---------------------------------------------------------------------------
-- a joint that is linear in the coordinates acts through M(q)^-1, which is another at either end of the step (THEORY 2.3)
for _, form in ipairs { "unrolled", "looped" } do
  T.test("two links whose angles add up: Moreau-Jean is of order 2, " .. form, function()
    local known = S.run(models.scissors, "D-:M=4", { step = 1 / 200, until_time = 1, form = "unrolled" }).q.a
    local h, errors = { 1 / 25, 1 / 50, 1 / 100 }, {}
    for i, x in ipairs(h) do
      errors[i] = math.abs(S.run(models.scissors, "moreau-jean:theta=0.5", { step = x, until_time = 1, form = form }).q.a - known)
    end
    T.ok(S.slope(h, errors) > 1.9, "order " .. S.slope(h, errors))
    T.ok(errors[3] < 1e-5, "error " .. errors[3])
  end)
end

-- The matrix of an implicit step with a spinning wheel is not symmetric, nor is what eliminating joints makes of it; the runners stand
-- on more points than they need.
T.test("a flywheel on a sled that slides and comes to rest: joints hold in implicit steps with friction", function()
  local text = [[
local carom = require "carom"
local m = carom.model "flywheel"
m:gravity(0, 0, -9.81)
local floor = m:plane("floor", { normal = { 0, 0, 1 } })
local sled = m:free_body("sled", { mass = 2, inertia = { 0.2, 0.3, 0.4 }, at = { 0, 0, 0.1 },
  velocity = { 0.5, 0, 0 }, spin = { 0, 0, 2 } })
local wheel = m:free_body("wheel", { mass = 1, inertia = { 0.1, 0.02, 0.06 }, at = { 0, 0, 0.5 },
  velocity = { 0.5, 0, 0 }, spin = { 0, 30, 2 } })
m:joint("axle", { type = "revolute", body = wheel, axis = { 0, 1, 0 }, on = sled })
m:contact_between(m:box("runner", { size = { 1, 0.6, 0.2 }, body = sled }), floor, { friction = 0.3 })
return m
]]
  local function run(scheme) return S.run({ text = text }, scheme, { step = 2e-3, until_time = 0.5, flags = "-O0" }) end
  local newton, iterated = run "moreau-jean", run "moreau-jean:stages=fixed-point"
  T.eq(newton.counts.frozen, nil)
  T.ok(newton.counts.law < 1e-9, "the law of contact is kept")
  for name, x in pairs(newton.v) do
    T.near(x, iterated.v[name], 1e-6, name)
    if name ~= "wheel_wy" then T.near(x, 0, 1e-9, name .. " has come to rest") end
  end
  T.near(newton.q.sled_x, iterated.q.sled_x, 1e-6)
end)

T.test("a failed step changes nothing of what follows, nor does what was in memory before init", function()
  local text = [[
local carom = require "carom"
local m = carom.model "pile"
local below, u = 0, m:input("u", 0)
for i = 1, 4 do
  local q = m:coordinate("q" .. i, { initial = i - 1, velocity = -0.1 * i })
  m:kinetic_energy(q.dot^2 / 2)
  m:potential_energy(9.81 * q + 5 * carom.sin(q))
  m:force(q, u)
  m:contact("c" .. i, { gap = q - below - (i > 1 and 1 or 0), restitution = 0.3 })
  below = q
end
m:run { until_time = 1, step = 1e-2 }
return m
]]
  local main = [[
#include "pile.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
static pile a, b;
int main(void)
{
    memset(&a, 0, sizeof a);
    memset(&b, 0xA5, sizeof b);
    int bad = pile_init(&a, NULL) != CAROM_OK || pile_init(&b, NULL) != CAROM_OK;
    for (int k = 0; k < 60; ++k) {
        bad |= pile_step(&a, 1e-2) != CAROM_OK ? 1 : 0;
        b.input[0] = k % 7 == 3 ? NAN : 0.0;
        bad |= k % 7 == 3 && pile_step(&b, 1e-2) == CAROM_OK ? 2 : 0;
        b.input[0] = 0.0;
        bad |= pile_step(&b, 1e-2) != CAROM_OK ? 4 : 0;
        bad |= memcmp(a.q, b.q, sizeof a.q) != 0 || memcmp(a.v, b.v, sizeof a.v) != 0 ? 8 : 0;
        bad |= memcmp(a.impulse, b.impulse, sizeof a.impulse) != 0 || memcmp(a.pressing, b.pressing, sizeof a.pressing) != 0 ? 16 : 0;
    }
    printf("%d\n", bad);
    return 0;
}
]]
  for _, scheme in ipairs { "schatzman-paoli", "schatzman-paoli:theta=0", "moreau-jean", "D-:M=1", "D+:M=1,projection=on" } do
    for _, form in ipairs { "unrolled", "looped" } do
      local program = S.compile(S.unit({ text = text }, scheme, { form = form }), { flags = "-O0", main = main })
      T.eq(tonumber(S.command(program.program)), 0, scheme .. ", " .. form)
    end
  end
end)

S.finish()
