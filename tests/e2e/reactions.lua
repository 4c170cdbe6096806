-- What a run tells about its contacts and constraints beside the motion: friction impulses, status, forces, deepest penetration.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local function model(body) return { text = 'local carom = require "carom"\nlocal m = carom.model "small"\n' .. body .. "\nreturn m\n" } end

-- ---- a block on an incline: friction carries m g sin a, or mu m g cos a -----------------------------------------------------

local g, angle, mass = 9.81, 0.4, 2.0
local OPEN, CLOSED, STICK, SLIP = 0, 1, 2, 3

local planar = model(([[
local mu = m:parameter("mu", 0.6)
m:gravity(%.17g, %.17g)
local x, y = m:coordinate("x"), m:coordinate("y")
m:body("block", { mass = %g, at = { x, y } })
m:contact("ground", { gap = y, friction = mu, slide = x })
m:contact("wall", { gap = x + 100 })]]):format(g * math.sin(angle), -g * math.cos(angle), mass))

local function incline(text, scheme, form, mu)
  return S.run(text, scheme, { form = form, flags = "-O0", step = 1e-3, until_time = 0.5, set = { "mu=" .. mu }, csv = true })
end

for _, case in ipairs { { "D-:M=1" }, { "D-:M=2" }, { "D+:M=1" }, { "moreau-jean:theta=0.5" }, { "capture:rk=radau5" },
  { "D-:M=1,adaptive=on" }, { "moreau-jean:theta=1", "looped" } } do
  T.test(("a block on an incline: friction and status, %s %s"):format(case[1], case[2] or ""), function()
    local N, W = mass * g * math.cos(angle), mass * g * math.sin(angle)
    local stick, slip = incline(planar, case[1], case[2], 0.6), incline(planar, case[1], case[2], 0.2)
    T.near(stick.friction["ground.friction"], -W * 0.5, 1e-6 * W)
    T.near(slip.friction["ground.friction"], -0.2 * N * 0.5, 1e-6 * W)
    T.eq(stick.contacts.ground .. " " .. slip.contacts.ground .. " " .. slip.contacts.wall, "stick slip open")
    T.near(stick.force.ground, N, 1e-6 * N)
    T.eq(stick.force.wall, 0)
    local names = table.concat(slip.names, " ")
    T.ok(names:find("wall.impulse ground.friction ground.status wall.status contacts.deepest", 1, true), names)
    local last, first = slip.rows[#slip.rows], slip.rows[1]
    T.near(last["ground.friction"], slip.friction["ground.friction"], 1e-14)
    T.eq(last["ground.status"], SLIP)
    T.eq(last["wall.status"], OPEN)
    T.eq(first["ground.status"], OPEN)
    T.eq(stick.rows[10]["ground.status"], STICK)
    for _, frictionless in ipairs { incline(planar, case[1], case[2], 0) } do
      T.eq(frictionless.contacts.ground, "closed")
      T.eq(frictionless.friction["ground.friction"], 0)
      T.eq(frictionless.rows[5]["ground.status"], CLOSED)
    end
  end)
end

T.test("in space friction has two components", function()
  local c, s = math.cos(0.7), math.sin(0.7)
  local text = model(([[
local mu = m:parameter("mu", 0.2)
m:gravity(%.17g, %.17g, %.17g)
local b = m:free_body("b", { mass = %g, inertia = 0.1 })
m:contact("ground", { gap = b.at[3], friction = mu, slide = { b.at[1], b.at[2] } })]]):format(
    g * math.sin(angle) * c, g * math.sin(angle) * s, -g * math.cos(angle), mass))
  for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0.5", "capture:rk=radau5" } do
    local r = incline(text, scheme, nil, 0.2)
    local f = 0.2 * mass * g * math.cos(angle) * 0.5
    T.near(r.friction["ground.friction_1"], -f * c, 1e-6 * f, scheme)
    T.near(r.friction["ground.friction_2"], -f * s, 1e-6 * f, scheme)
    T.eq(r.contacts.ground, "slip", scheme)
    T.eq(incline(text, scheme, nil, 0.6).contacts.ground, "stick", scheme)
  end
end)

-- ---- what strikes at the start, and the deepest penetration -----------------------------------------------------------------

T.test("an impact at the start is in the friction and in the force of its step", function()
  local text = model [[
local x, y = m:coordinate("x", { velocity = 1 }), m:coordinate("y", { velocity = -3 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:contact("ground", { gap = y, restitution = 0.5, friction = 0.1, slide = x })]]
  local r = S.run(text, "D-:M=1", { flags = "-O0", step = 1e-3, until_time = 2e-3, csv = true })
  T.near(r.impulse.ground, 4.5, 1e-12)
  T.near(r.friction["ground.friction"], -0.45, 1e-12)
  T.eq(r.rows[2]["ground.status"], SLIP)
  T.eq(r.rows[3]["ground.status"], OPEN)
  T.eq(r.force.ground, 0)
end)

T.test("the deepest penetration of a run, whose it was and when", function()
  local text = model [[
local y, z = m:coordinate("y", { initial = 1 }), m:coordinate("z", { initial = 1.3 })
m:kinetic_energy((y.dot^2 + z.dot^2) / 2)
m:potential_energy(10 * (y + z))
m:contact("lower", { gap = y })
m:contact("upper", { gap = z })]]
  for _, form in ipairs { "unrolled", "looped" } do
    local r = S.run(text, "moreau-jean:theta=0.5", { form = form, flags = "-O0", step = 0.01, until_time = 1, csv = true })
    local deepest, at, whose = 0, nil, nil
    for _, row in ipairs(r.rows) do
      for _, name in ipairs { "lower", "upper" } do
        if -row[name .. ".gap"] > deepest then deepest, at, whose = -row[name .. ".gap"], row.t, name end
      end
      T.eq(row["contacts.deepest"], deepest)
    end
    T.ok(deepest > 1e-3)
    T.eq(r.deepest.depth, deepest)
    T.eq(r.deepest.t, at)
    T.eq(r.deepest.contact, whose)
  end
end)

-- ---- forces of constraints --------------------------------------------------------------------------------------------------

for _, case in ipairs { { "D-:M=2", 2e-2 }, { "D+:M=2", 2e-2 }, { "moreau-jean:theta=0.5", 2e-2 }, { "schatzman-paoli", 2e-2 },
  { "capture:rk=radau5", 2e-2 }, { "D-:M=2,adaptive=on", 5e-2 } } do
  T.test("the tension of a pendulum: " .. case[1], function()
    local r = S.run("constrained_pendulum", case[1], { flags = "-O0", step = 1e-3, until_time = 1, csv = true })
    for k = 100, #r.rows, 100 do -- the mean over the step before: at its middle, by the energy
      local a, b = r.rows[k - 1], r.rows[k]
      local y = (a.y + b.y) / 2
      local tension = 9.81 * (-y) + 2 * 9.81 * (math.cos(1) * -1 - y)
      T.near(b["rod.force"], -tension, case[2], "t = " .. b.t)
    end
    T.eq(r.force.rod, r.rows[#r.rows]["rod.force"])
  end)
end

-- ---- a checkpoint carries all of it -----------------------------------------------------------------------------------------

T.test("a copy of the state goes on with the same bits", function()
  for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0.5", "capture:rk=radau5", "D-:M=1,adaptive=on" } do
    local unit = S.unit(planar, scheme)
    local built = S.compile(unit, { flags = "-O0", main = [[
#include "small.h"
#include <stdio.h>
#include <string.h>
int main(void)
{
    static small a, b;
    if (small_init(&a, NULL)) return 1;
    a.params.mu = 0.3;
    if (small_init(&a, &a.params)) return 1;
    for (int k = 0; k < 20; ++k) if (small_step(&a, 1e-3)) return 1;
    b = a;
    for (int k = 0; k < 20; ++k) if (small_step(&a, 1e-3) || small_step(&b, 1e-3)) return 1;
    carom_contact_status status[2];
    small_status(&b, status);
    puts(memcmp(a.last, b.last, sizeof a.last) == 0 && memcmp(a.friction, b.friction, sizeof a.friction) == 0
         && memcmp(&a.deepest, &b.deepest, sizeof a.deepest) == 0 && a.friction[0] < 0.0 && a.last_step > 0.0
         && status[0] == CAROM_CONTACT_SLIP && status[1] == CAROM_CONTACT_OPEN ? "same" : "other");
    return 0;
}
]] })
    T.eq(S.command(built.program), "same\n", scheme)
  end
end)

S.finish()
