-- What comes to rest, and what starts in contact: the end of bouncing with and without projection, impacts of the given state.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local FORMS = { "unrolled", "looped" }
local QUICK = "-O0"

-- ---- the ball of accumulating impacts: rest at q = v = 0 with impulse 8 from t = 3 on ----------------------------------------
-- beside it, where wanted, a pendulum on a rod that has nothing to do with it
local function ball(wire)
  return { text = ([[
local carom = require "carom"
local m = carom.model "ball"
local q = m:coordinate("q", { initial = 1 })
m:kinetic_energy(q.dot^2 / 2)
m:potential_energy(2 * q)
m:contact("ground", { gap = q, restitution = 0.5 })
if %s then
  local x, y = m:coordinate("x", { initial = 1 }), m:coordinate("y", {})
  m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
  m:potential_energy(9.81 * y)
  m:constraint("wire", { zero = (x^2 + y^2 - 1) / 2 })
end
m:run { until_time = 4, step = 4 / 407 }
return m
]]):format(wire) }
end
for _, wire in ipairs { false, true } do -- alone unrolled, beside the wire in both forms
  for _, form in ipairs(wire and FORMS or { "unrolled" }) do
    for _, scheme in ipairs { "D-:M=1,projection=on", "D-:M=2,projection=on", "D-:M=3,projection=on", "D+:M=1,projection=on",
      "D+:M=2,projection=on", "D-:M=1,projection=impacts", "D+:M=2,projection=impacts", "moreau-jean:projection=on",
      "moreau-jean:theta=1,projection=on", "D-:M=0,projection=on" } do
      T.test(("rest after infinitely many impacts: %s, %s%s"):format(scheme, form, wire and ", beside a wire" or ""), function()
        local r = S.run(ball(wire), scheme, { step = 4 / 407, until_time = 4, form = form, flags = QUICK })
        T.near(r.q.q, 0, 1e-15, "q")
        T.near(r.v.q, 0, 1e-15, "v")
        T.near(r.impulse.ground, 8, 1e-12, "impulse")
        T.ok(r.counts.events <= 10, r.counts.events .. " events")
      end)
    end
  end
end

-- ---- a state given with a closed contact that is closing: it hits at once ------------------------------------------------------
local function started(coordinates, rest)
  return { text = ([[
local carom = require "carom"
local m = carom.model "thrown"
%s
%s
m:run { until_time = 0.01, step = 1e-3 }
return m
]]):format(coordinates, rest) }
end
local falling = started([[local q = m:coordinate("q", { initial = 0, velocity = -3 })
m:kinetic_energy(q.dot^2 / 2)
m:potential_energy(9.81 * q)]], [[m:contact("ground", { gap = q, restitution = 0.8 })]])
local ALL = { "D-:M=1", "D-:M=2", "D-:M=3", "D-:M=4,quadrature=lobatto", "D+:M=1", "D+:M=2", "D+:M=3", "D-:M=1,projection=on",
  "D+:M=1,projection=on", "D-:M=1,impact=literal", "D-:M=0", "D+:M=0", "moreau-jean:theta=0.5", "moreau-jean:theta=1",
  "moreau-jean:theta=0", "moreau-jean:projection=on", "schatzman-paoli", "D-:M=1,adaptive=on", "D-:M=2,dense=on" }
for _, form in ipairs(FORMS) do
  T.test("starts closed with closing speed, " .. form, function()
    for _, scheme in ipairs(ALL) do
      local exact = scheme:find("^D[-+]:M=[1-9]") and not scheme:find("adaptive")
      local r = S.run(falling, scheme, { step = 1e-3, until_time = 0.01, form = form, flags = QUICK })
      T.near(r.v.q, 2.4 - 9.81 * 0.01, exact and 1e-12 or 0.022, scheme)
      T.near(r.q.q, 0.024 - 9.81e-4 / 2, exact and 1e-12 or 6e-3, scheme)
      T.ok(r.impulse.ground > 5.39 and r.impulse.ground < 5.42, scheme .. ": impulse " .. r.impulse.ground)
    end
  end)
end

T.test("starts closed: contacts that hit, rest and part in one state", function()
  -- a hits with e = 0.5, b rests on its ground, c parts; d hits a plate that a constraint carries with it
  local model = started([[local function mass(name, v)
  local q = m:coordinate(name, { initial = 0, velocity = v })
  m:kinetic_energy(q.dot^2 / 2)
  m:potential_energy(9.81 * q)
  return q
end
local a, b, c, d, e = mass("a", -2), mass("b", 0), mass("c", 1), mass("d", -4), mass("e", 0)]], [[
for i, q in ipairs { a, b, c } do m:contact("ground" .. i, { gap = q, restitution = 0.5 }) end
local f = mass("f", 0)
m:constraint("bar", { zero = e - f })
m:contact("plate", { gap = d - e, restitution = 1 })]])
  for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1", "D-:M=1,projection=on" } do
    for _, form in ipairs(FORMS) do
      local r = S.run(model, scheme, { step = 1e-3, until_time = 1e-3, form = form, flags = QUICK })
      local fall = 9.81e-3
      local expected = { a = 1 - fall, b = 0, c = 1 - fall, d = 4 / 3 - fall, e = -8 / 3 - fall, f = -8 / 3 - fall }
      for _, name in ipairs { "a", "b", "c", "d", "e", "f" } do
        T.near(r.v[name], expected[name], 1e-12, ("%s with %s, %s"):format(name, scheme, form))
      end
    end
  end
end)

T.test("starts closed, with friction: Coulomb's law in that impact", function()
  local model = started([[local x = m:coordinate("x", { velocity = 5 })
local y = m:coordinate("y", { velocity = -2 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:potential_energy(0 * y)]], [[m:contact("floor", { gap = y, slide = x, friction = 0.3, restitution = 0.5 })]])
  for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1", "moreau-jean" } do
    local r = S.run(model, scheme, { step = 1e-3, until_time = 1e-3, flags = QUICK })
    T.near(r.v.y, 1, 1e-12, scheme)
    T.near(r.v.x, 5 - 0.3 * 3, 1e-12, scheme)
  end
end)

T.test("starts closed after NAME_set in the middle of a run", function()
  for _, scheme in ipairs { "D-:M=1", "D+:M=2", "D-:M=1,projection=on", "moreau-jean", "schatzman-paoli" } do
    local main = [[
#include "thrown.h"
#include <stdio.h>
int main(void)
{
    thrown s;
    int bad = thrown_init(&s, NULL) != CAROM_OK;
    for (int k = 0; k < 20; ++k) {
        bad |= thrown_step(&s, 1e-3) != CAROM_OK;
    }
    const double q[1] = {0.0}, v[1] = {-3.0};
    bad |= thrown_set(&s, 1.0, q, v) != CAROM_OK;
    for (int k = 0; k < 10; ++k) {
        bad |= thrown_step(&s, 1e-3) != CAROM_OK;
    }
    printf("%d %.17g %.17g\n", bad, s.v[0], s.impulse[0]);
    return 0;
}
]]
    local program = S.compile(S.unit(falling, scheme), { flags = QUICK, main = main })
    local bad, v, impulse = S.command(program.program):match("(%S+) (%S+) (%S+)")
    T.eq(bad, "0")
    T.near(tonumber(v), 2.4 - 0.0981, 0.03, scheme)
    T.near(tonumber(impulse), 10.8, 0.03, scheme .. ", both impacts counted")
  end
end)

S.finish()
