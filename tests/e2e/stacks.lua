-- Boxes on boxes: a stack that stands still, slides and topples; a row of dominoes; ground given by heights.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local SCHEME = "moreau-jean:theta=1,gamma=1,tol=1e-8,ctol=1e-8"

-- ---- stacks ----

for _, case in ipairs { { 5, 10000, 1e-10 }, { 20, 1000, 1e-8 } } do
  local N, steps, bound = table.unpack(case)
  T.test(("a stack of %d boxes stands still for %d steps"):format(N, steps), function()
    local r = S.run("box_stack", SCHEME, { set = { N = N }, step = 1e-3, until_time = steps * 1e-3, csv = true, every = steps // 100 })
    T.eq(r.outputs.contacts, 4 * N, "four points for each box")
    for _, row in ipairs(r.rows) do
      T.near(row.top_x, 0, bound, "top, across")
      T.near(row.bottom_x, 0, bound, "bottom, across")
      T.near(row.top_z, (N - 0.5) * 0.1, bound, "top, height")
      T.near(row.bottom_z, 0.05, bound, "bottom, height")
      T.ok(row.kinetic_energy < 1e-14, "kinetic energy " .. row.kinetic_energy)
    end
  end)
end

T.test("a pushed stack slides as one body over v^2 / (2 mu g), to first order", function()
  local exact, errors, steps = 0.5 ^ 2 / (2 * 0.2 * 9.81), {}, { 2e-3, 1e-3, 5e-4 }
  for i, h in ipairs(steps) do
    local r = S.run("box_stack", SCHEME, { set = { "push=0.5", "friction=0.2" }, step = h, until_time = 0.5 })
    T.near(r.outputs.top_x, r.outputs.bottom_x, 2e-3 * exact, "all boxes alike")
    T.ok(r.outputs.kinetic_energy < 1e-16, "at rest")
    errors[i] = math.abs(r.outputs.bottom_x - exact)
  end
  T.ok(errors[3] < 0.26 * 5e-4, ("error %g"):format(errors[3]))
  T.near(S.slope(steps, errors), 1, 0.2)
end)

T.test("a stack that is stopped hard topples, and all boxes come to lie on a face", function()
  local r = S.run("box_stack", SCHEME, { set = { "push=2", "friction=0.9" }, step = 5e-4, until_time = 2 })
  T.ok(r.outputs.kinetic_energy < 1e-16, "at rest")
  T.ok(r.outputs.top_x > 0.5, "the top was thrown: " .. r.outputs.top_x)
  T.near(r.outputs.top_z, 0.05, 1e-3, "the top lies flat on the floor")
  T.ok(math.abs(r.outputs.bottom_z - 0.05) < 1e-3 or math.abs(r.outputs.bottom_z - 0.1) < 1e-3, "the lowest box is flat or on its side")
end)

-- ---- dominoes ----

-- speed of the wave between neighbours: when each has tipped by 10 degrees
local function speeds(rows, N, spacing)
  local t, list = {}, {}
  for i = 1, N do
    for k, row in ipairs(rows) do
      local now, before = row["upright" .. i], k > 1 and rows[k - 1]["upright" .. i]
      if now < 0.985 then
        t[i] = rows[k - 1].t + (row.t - rows[k - 1].t) * (before - 0.985) / (before - now)
        break
      end
    end
    T.ok(t[i], "domino " .. i .. " falls")
    if i > 1 then list[i - 1] = spacing / (t[i] - t[i - 1]) end
  end
  return list
end

local rows
T.test("all dominoes fall, at a speed that becomes steady, and the energy never grows", function()
  local r = S.run("domino", SCHEME, { step = 1e-3, until_time = 1.2, csv = true })
  rows = r.rows
  T.eq(r.outputs.fallen, 12)
  T.ok(r.outputs.kinetic_energy < 1e-16, "at rest at the end")
  local v = speeds(rows, 12, 0.024)
  for i = 8, 11 do T.near(v[i] / v[11], 1, 0.04, "speed of the wave") end
  for i = 2, 6 do T.ok(v[i] > v[i - 1], "it gathers speed first") end
  for k = 2, #rows do
    -- what lies goes up by what ctol leaves: 6e-13 or 1e-12 of it, by how sums are rounded
    T.ok(rows[k].energy <= rows[k - 1].energy + 4e-12 * rows[1].energy, ("energy at t = %g"):format(rows[k].t))
  end
end)

T.test("the speed of the wave does not depend on the push", function()
  local hard = speeds(S.run("domino", SCHEME, { step = 1e-3, until_time = 0.7, csv = true, set = { "push=8" } }).rows, 12, 0.024)
  local soft = speeds(rows, 12, 0.024)
  T.ok(hard[1] > 2 * soft[1], "the start does")
  for i = 8, 11 do T.near(hard[i] / soft[i], 1, 0.02, "speed of the wave") end
end)

T.test("a row pushed to the left is the mirror image", function()
  local left = S.run("domino", SCHEME, { step = 1e-3, until_time = 0.7, csv = true, set = { "direction=-1" } }).rows
  for k = 1, #left, 50 do
    for i = 1, 12 do
      T.near(left[k]["x" .. i], -rows[k]["x" .. i], 1e-9)
      T.near(left[k]["upright" .. i], rows[k]["upright" .. i], 1e-7)
    end
  end
end)

-- ---- ground by heights ----

local function rolling(ground)
  return { text = [[
local carom = require "carom"
local m = carom.model "rolling"
m:gravity(1, 0.3, -9.81)
local ball = m:free_body("ball", { mass = 0.1, inertia = 1e-4, at = { 0.5, 0.6, 0.1 }, velocity = { 1, 0.5, 0 } })
local crate = m:free_body("crate", { mass = 0.1, inertia = 1e-4, at = { 1.5, 2.6, 0.06 }, velocity = { 2, 0.5, 0 }, spin = { 0, 0, 3 } })
local rod = m:free_body("rod", { mass = 0.1, inertia = { 1e-4, 1e-4, 2e-5 }, at = { 3.5, 1.6, 0.1 }, velocity = { 0.5, 0, 0 } })
m:contacts_among({ m:sphere("ball", { radius = 0.05, body = ball }), m:box("crate", { size = { 0.1, 0.1, 0.1 }, body = crate }),
  m:capsule("rod", { radius = 0.03, length = 0.1, axis = { 0, 1, 0 }, body = rod }), ]] .. ground .. [[ }, { friction = 0.3 })
m:output("x_ball", ball.at[1]) m:output("z_ball", ball.at[3]) m:output("x_crate", crate.at[1]) m:output("z_crate", crate.at[3])
m:output("x_rod", rod.at[1]) m:output("z_rod", rod.at[3])
m:run { until_time = 1.5, step = 1e-3 }
return m
]] }
end

T.test("on a flat field ball, crate and rod move as on a plane: no bumps at the edges of its triangles", function()
  local plane = S.run(rolling 'm:plane("floor", { normal = { 0, 0, 1 } })', SCHEME, { csv = true }).rows
  local field = S.run(rolling 'm:heightfield("floor", { size = { 8, 8 }, cells = { 37, 41 }, height = function() return 0 end })', SCHEME,
    { csv = true }).rows
  for k = 1, #plane, 10 do
    for _, name in ipairs { "x_ball", "z_ball", "x_crate", "z_crate", "x_rod", "z_rod" } do
      T.near(field[k][name], plane[k][name], 1e-7, name .. " at t = " .. plane[k].t)
    end
    T.near(field[k].x_ball, plane[k].x_ball, 1e-12, "the ball alone, to rounding")
  end
  T.ok(plane[#plane].x_ball > 2, "the ball crossed many cells: " .. plane[#plane].x_ball)
end)

T.test("two fields of heights; a state that is set with quaternions that are not of length one", function()
  local text = [[
local carom = require "carom"
local m = carom.model "terraces"
m:gravity(0, 0, -9.81)
local low = m:heightfield("low", { size = { 2, 2 }, cells = { 3, 4 }, at = { -2, -1, 0 }, height = function() return 0.1 end })
local high = m:heightfield("high", { size = { 2, 2 }, cells = { 5, 2 }, at = { 0.5, -1, 0 }, height = function() return 0.7 end })
local shapes = { low, high }
for i, x in ipairs { -1, 1.5 } do
  local b = m:free_body("b" .. i, { mass = 1, inertia = { 1e-2, 1e-2, 1e-2 }, at = { x, 0, 1.2 } })
  shapes[i + 2] = m:box("s" .. i, { size = { 0.2, 0.2, 0.2 }, body = b })
  m:output("z" .. i, b.at[3])
end
m:contacts_among(shapes, { friction = 0.5 })
m:run { until_time = 1, step = 1e-3 }
return m
]]
  local r = S.run({ text = text }, SCHEME, {})
  T.near(r.outputs.z1, 0.2, 1e-4, "below")
  T.near(r.outputs.z2, 0.8, 1e-4, "above")
  local built = S.compile(S.unit({ text = text }, SCHEME), { main = [[
#include "terraces.h"
#include <math.h>
int main(void)
{
    static terraces a, b;
    terraces_init(&a, NULL);
    terraces_init(&b, NULL);
    double q[14] = {-1.0, 0.0, 1.2, 1.5, 0.0, 1.2, 2.0, 0.0, 0.0, 2.0, 0.5, 0.0, 0.0, 0.5};
    int bad = terraces_set(&a, 0.0, q, a.v) != CAROM_OK || !(fabs(a.q[6] - sqrt(0.5)) < 1e-15);
    q[6] = q[9] = q[10] = q[13] = sqrt(0.5);
    bad += terraces_set(&b, 0.0, q, b.v) != CAROM_OK;
    for (int k = 0; k < 600; ++k) {
        bad += terraces_step(&a, 1e-3) != CAROM_OK || terraces_step(&b, 1e-3) != CAROM_OK;
    }
    for (int i = 0; i < 14; ++i) {
        bad += !(fabs(a.q[i] - b.q[i]) < 1e-9);
    }
    return bad;
}
]] })
  S.command(built.program)
end)

T.test("in a bowl of heights spheres, capsules and boxes come to rest, the same bits twice", function()
  local bowl = { text = [[
local carom = require "carom"
local m = carom.model "bowl_of_heights"
m:gravity(0, 0, -9.81)
local shapes = { m:heightfield("bowl", { size = { 2, 2 }, cells = { 20, 20 }, at = { -1, -1, 0 },
  height = function(x, y) return 0.3 * ((x - 1)^2 + (y - 1)^2) end }) }
for i = 1, 9 do
  local b = m:free_body("b" .. i, { mass = 0.1, inertia = { 1e-4, 1.2e-4, 0.8e-4 },
    at = { 0.25 * (i % 3 - 1), 0.25 * ((i - 1) // 3 - 1), 0.25 + 0.01 * i }, spin = { 1, 2, i } })
  shapes[i + 1] = i % 3 == 0 and m:sphere("s" .. i, { radius = 0.06, body = b })
    or i % 3 == 1 and m:box("s" .. i, { size = { 0.12, 0.1, 0.08 }, body = b })
    or m:capsule("s" .. i, { radius = 0.04, length = 0.1, axis = { 1, 0, 0 }, body = b })
  m:output("z" .. i, b.at[3])
end
m:contacts_among(shapes, { friction = 0.4 })
m:run { until_time = 4, step = 1e-3 }
return m
]] }
  local r = S.run(bowl, SCHEME, { csv = true, every = 100 })
  local again = S.run(bowl, SCHEME, { csv = true, every = 100 })
  local peak = 0
  for k, row in ipairs(r.rows) do
    peak = math.max(peak, row.kinetic_energy)
    for _, name in ipairs(r.names) do T.eq(row[name], again.rows[k][name], name) end
  end
  T.ok(r.outputs.kinetic_energy < 1e-10 * peak, ("kinetic energy %g of %g"):format(r.outputs.kinetic_energy, peak))
  for i = 1, 9 do T.ok(r.outputs["z" .. i] > 0.02 and r.outputs["z" .. i] < 0.4, "body " .. i .. " is in the bowl") end
end)

S.finish()
T.finish()
