-- Piles: contacts found at run time. Against the unrolled form, at rest, the same bits, what is refused.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

-- three unlike balls of three materials over an inclined floor; word: how their contacts are said
local function three(word)
  return { text = [[
local carom = require "carom"
local m = carom.model "three"
m:gravity(0, 0, -9.81)
local floor = m:plane("floor", { normal = { 0.02, 0, 1 }, material = "felt" })
local start = { { 0, 0, 0.05 }, { 0.021, 0.002, 0.055 }, { 0.009, 0.018, 0.083 } }
local shapes = { floor }
for i, at in ipairs(start) do
  local b = m:free_body("b" .. i, { mass = 0.01 * i, inertia = { 4e-7 * i, 5e-7 * i, 6e-7 * i }, at = at,
    velocity = { 0.3 - 0.2 * i, 0.1, 0 }, spin = { 5, i, 2 } })
  shapes[i + 1] = m:sphere("b" .. i, { radius = 0.01, body = b, material = ({ "ivory", "lead" })[i] })
  for k = 1, 3 do
    m:output("p" .. i .. k, b.at[k])
    m:output("w" .. i .. k, b.spin[k])
  end
  m:output("qw" .. i, b.orientation[1])
end
]] .. word .. [[
m:run { until_time = 0.3, step = 5e-4 }
return m]] }
end

local pairwise = three [[
local own = { { 2, 1, 0.3, 0.2 }, { 3, 1, 0.5, 0.1 }, { 3, 2, 0, 0.4 }, { 4, 1, 0.2, 0.3 }, { 4, 2, 0.2, 0.3 }, { 4, 3, 0.2, 0.3 } }
for _, c in ipairs(own) do
  local i, k, mu, e = table.unpack(c)
  m:contact_between(shapes[i], shapes[k], { friction = mu, restitution = e })
end
]]
local MATERIALS = [[
m:material_pair("felt", "ivory", { friction = 0.3, restitution = 0.2 })
m:material_pair("lead", "felt", { friction = m:parameter("rough", 0.5), restitution = 0.1 })
m:material_pair("lead", "ivory", { restitution = 0.4 })
]]
local among = three(MATERIALS .. "m:contacts_among(shapes, { friction = 0.2, restitution = 0.3 })\n")

for _, scheme in ipairs { "moreau-jean:theta=0.5", "moreau-jean:theta=1,gamma=1", "moreau-jean:theta=0" } do
  T.test("three balls as a pile and pair by pair agree: " .. scheme, function()
    local tight = scheme .. ",ctol=1e-13" .. (scheme:find "theta=0$" and "" or ",tol=1e-13")
    local one, other = S.run(pairwise, scheme .. ",ctol=1e-13", {}), S.run(among, tight, {})
    local count = 0
    for name, x in pairs(one.outputs) do
      count = count + 1
      T.near(other.outputs[name], x, 1e-10 * math.max(1, math.abs(x)), name)
    end
    T.ok(count == 21, "all outputs were compared")
    T.ok(other.counts.events >= 4, "there were impacts")
  end)
end

-- in loops over tables, with schemes that piles alone do not have: rows are found, and their rates are as exact as those of expressions
for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1", "moreau-jean:theta=0.5" } do
  local test = (scheme == "D-:M=2" or scheme == "moreau-jean:theta=0.5") and T.test or T.long_test -- C of straight code takes its time
  test("three balls whose rows are found and pair by pair agree: " .. scheme, function()
    local tight = scheme .. ",ctol=1e-13" .. (scheme == "D-:M=1" and "" or ",tol=1e-13")
    local one, other = S.run(pairwise, tight, {}), S.run(among, tight, { form = "looped" })
    for name, x in pairs(one.outputs) do T.near(other.outputs[name], x, 1e-8 * math.max(1, math.abs(x)), name) end
    T.eq(other.counts.events, one.counts.events)
    T.ok(other.counts.events >= 4, "there were impacts")
  end)
end

-- An arm with a motor, an input, limits and a contact with friction of its own beside stones of two materials; at: how high they are.
-- heap: close together between walls, else in the open, beside a curb.
local function yard(stones, at, step, heap)
  local around = heap and [[
  m:plane("left", { at = { -0.5, 0, 0 }, normal = { 1, 0, 0 } }), m:plane("right", { at = { 0.5, 0, 0 }, normal = { -1, 0, 0 } }),
  m:plane("front", { at = { 0, -0.5, 0 }, normal = { 0, 1, 0 } }), m:plane("back", { at = { 0, 0.5, 0 }, normal = { 0, -1, 0 } }) }]]
    or 'm:box("curb", { size = { 0.2, 1, 0.2 }, at = { -0.4, 0, 0 } }) }'
  local velocity = heap and "-0.5, 0.1, 0" or "-0.5, 0.1 * i, 0"
  local place = heap and "-0.4 + 0.11 * (i % 8), -0.4 + 0.11 * (i // 8 % 8), 0.06 + 0.12 * (i // 64)"
    or "0.11 * (i % 3), 0.03 * i, 0.06 + 0.11 * (i // 3)"
  return { text = ([[
local carom = require "carom"
local m = carom.model "yard"
m:gravity(0, 0, -9.81)
local base = m:link("base", { joint = "revolute", at = { 2, 0, 0.42 }, mass = 0.2, inertia = 0.02, velocity = 1 })
local arm = m:link("arm", { parent = base, joint = "revolute", axis = { 0, 1, 0 }, mass = 0.5, inertia = 0.01,
  center = { 0, 0, -0.2 }, initial = 1.2, motor = m:input("drive", 0.3, "N m"), limits = { -1.1, 1.3 }, restitution = 0.3 })
m:contact_between(m:sphere("tip", { radius = 0.05, body = arm, at = { 0, 0, -0.4 } }), m:plane("ground", { normal = { 0, 0, 1 } }),
  { friction = 0.2, restitution = 0.5 })
m:material_pair("granite", "ice", { friction = 0.1, restitution = 0.3 })
m:material_pair("ice", "ice", { friction = 0.03 })
local shapes = { m:plane("floor", { normal = { 0, 0, 1 }, material = "granite" }),
%s
local fixed = #shapes
for i = 1, %d do
  local b = m:free_body("stone" .. i, { mass = 0.1, inertia = { 2e-5, 3e-5, 4e-5 }, velocity = { %s },
    at = { %s + %g } })
  shapes[#shapes + 1] = i %% 3 == 0 and m:box("stone" .. i, { size = { 0.1, 0.08, 0.06 }, body = b })
    or m:sphere("stone" .. i, { radius = 0.05, body = b, material = i %% 2 == 0 and "granite" or "ice" })
end
if #shapes > fixed then m:contacts_among(shapes, { friction = 0.4 }) end
m:output("angle", arm.q)
m:run { until_time = 0.4, step = %g }
return m]]):format(around, stones, velocity, place, at, step) }
end

for _, scheme in ipairs { "D-:M=1", "moreau-jean:theta=0.5,tol=1e-13" } do
  T.test("a mechanism beside stones that are found: far away it moves as if it were alone, " .. scheme, function()
    local alone = S.run(yard(0, 0, 1e-3), scheme, { form = "looped" })
    local beside = S.run(yard(9, 500, 1e-3), scheme, {})
    T.near(beside.outputs.angle, alone.outputs.angle, 1e-12)
    T.near(beside.impulse.tip_ground, alone.impulse.tip_ground, 1e-12)
    T.ok(alone.impulse.tip_ground > 0.01, "the tip hit")
    local near = S.run(yard(9, 0, 1e-3), scheme, {})
    T.near(near.outputs.angle, alone.outputs.angle, 1e-9, "and near as well: nothing joins them")
    for i = 1, 9 do T.ok(near.q["stone" .. i .. "_z"] > 0.02 and near.q["stone" .. i .. "_z"] < 0.3, "stone " .. i .. " lies") end
    T.ok(near.counts.events > 9, "stones hit")
  end)
end

local function dense(stones, until_time)
  local function run(scheme, count, at, form)
    return S.run(yard(count, at, 1e-3, true), scheme, { form = form, until_time = until_time })
  end
  local far, without = run("D-:M=1", stones, 500).outputs.angle, run("D-:M=1", 0, 0, "looped").outputs.angle
  T.near(far, without, 1e-14, "far away it moves as if it were alone")
  if until_time < 0.5 then T.eq(far, without, "with the same bits") end -- later the tolerance of the contacts, that of the heap, is seen
  local scheme = "moreau-jean:theta=0.5" -- of which the tolerance is that of the heap, so that there are none
  local alone, near = run(scheme, 0, 0, "looped"), run(scheme, stones, 0)
  T.near(near.outputs.angle, alone.outputs.angle, 1e-3, "nothing joins them but the tolerance of the solver")
  T.ok(near.counts.events > stones, "stones hit")
  for i = 1, stones do
    local x, y, z = near.q["stone" .. i .. "_x"], near.q["stone" .. i .. "_y"], near.q["stone" .. i .. "_z"]
    T.ok(math.abs(x) < 0.48 and math.abs(y) < 0.48 and z > 0.02 and z < 1.2, "stone " .. i .. " is between the walls")
  end
end

T.test("a heap of stones in two materials beside a mechanism with motor, limits and an input", function() dense(80, 0.3) end)
T.long_test("and 500 stones until they lie", function() dense(500, 1) end)

-- what has bounced off is farther away at the end of the step than it came near: its normal there is still that of the two balls
T.test("balls that glance off each other within one long step, as a pile and as a pair", function()
  local function two(word)
    return { text = ([[
local carom = require "carom"
local m = carom.model "two"
local a = m:free_body("a", { mass = 1, inertia = 0.1, velocity = { 1, 1.8, 0 }, spin = { -3, 2, 0 } })
local b = m:free_body("b", { mass = 0.3, inertia = 0.03, at = { 0.46, 0.02, 0.1 }, velocity = { -1.8, 1.8, 0 }, spin = { 3, 3, -3 } })
%s
for k = 1, 3 do
  m:output("a" .. k, a.at[k])
  m:output("b" .. k, b.at[k])
end
m:run { until_time = 0.2, step = 5e-3 }
return m]]):format(word) }
  end
  local balls = '{ m:sphere("a", { radius = 0.16, body = a }), m:sphere("b", { radius = 0.19, body = b }) }'
  local law, scheme = ", { friction = 0.2, restitution = 1 })", "moreau-jean:theta=1,gamma=1,ctol=1e-13"
  local pile = S.run(two("m:contacts_among(" .. balls .. law), scheme .. ",tol=1e-13", {})
  local pair = S.run(two("local s = " .. balls .. "\nm:contact_between(s[1], s[2]" .. law), scheme, {})
  T.eq(pile.counts.events, 1)
  for name, x in pairs(pair.outputs) do T.near(pile.outputs[name], x, 1e-10, name) end
end)

-- a pile of the catalogue, small enough to be quick
local pile = S.integrator("sphere_pile", "moreau-jean:theta=1,gamma=1", { set = { N = 50 } })
local RADIUS, SIDE = 0.01, math.ceil(0.9 * 50 ^ (1 / 3))

T.test("a pile of spheres comes to rest, none is lost", function()
  local result = pile:run { until_time = 1.5, csv = true }
  local peak = 0
  for _, row in ipairs(result.rows) do peak = math.max(peak, row.kinetic_energy) end
  T.ok(peak > 1e-4, "it fell")
  for _, row in ipairs(result.rows) do
    if row.t > 1.2 then T.ok(row.kinetic_energy < 1e-12 * peak, "rest at t = " .. row.t) end
    T.ok(row.penetration < 0.03 * RADIUS, "penetration")
  end
  T.ok(result.outputs.contacts >= 3 * 50 // 2, "contacts: " .. result.outputs.contacts)
  local weight, deepest = 50 * 2500 * 4 / 3 * math.pi * RADIUS ^ 3 * 9.81, 0
  T.near(result.outputs.support_z, weight, 1e-6 * weight, "floor and walls carry the pile")
  T.near(result.outputs.support_x, 0, 1e-6 * weight)
  T.near(result.outputs.support_y, 0, 1e-6 * weight)
  T.eq(result.outputs.sliding, 0)
  T.ok(result.outputs.sticking >= 3 * 50 // 2 and result.outputs.sticking <= result.outputs.contacts, result.outputs.sticking)
  for _, row in ipairs(result.rows) do
    deepest = math.max(deepest, row.penetration)
    T.eq(row.deepest, deepest)
  end
  T.eq(table.concat(result.names, " "), "t kinetic_energy contacts penetration sticking sliding support_x support_y support_z "
    .. "deepest worst_contact")
  for _, row in ipairs(result.rows) do T.ok(row.worst_contact < 0.1, "a tenth of g h at t = " .. row.t) end
  S.command(("%s --quiet --until 1.5 --bodies %s/bodies.csv"):format(pile.program, pile.dir))
  local bodies = S.csv(assert(fs.read(pile.dir .. "/bodies.csv")))
  T.eq(#bodies, 50)
  local width, slack = 2.2 * SIDE * RADIUS, 0.97 * RADIUS
  for _, b in ipairs(bodies) do
    T.ok(b.x > slack and b.x < width - slack and b.y > slack and b.y < width - slack, "inside the walls")
    T.ok((0.05 * b.x + 0.03 * b.y + b.z) / math.sqrt(1 + 0.05 ^ 2 + 0.03 ^ 2) > slack, "above the floor")
    T.near(b.qw ^ 2 + b.qx ^ 2 + b.qy ^ 2 + b.qz ^ 2, 1, 1e-14, "unit quaternion")
  end
end)

T.test("the same bits twice, with another optimisation, and from a copy of the state", function()
  local function bodies(program, name)
    S.command(("%s --quiet --until 0.3 --bodies %s/%s"):format(program.program, pile.dir, name))
    return assert(fs.read(pile.dir .. "/" .. name))
  end
  local first = bodies(pile, "a.csv")
  T.eq(bodies(pile, "b.csv"), first)
  T.eq(bodies(S.integrator("sphere_pile", "moreau-jean:theta=1,gamma=1", { set = { N = 50 }, flags = "-O3" }), "c.csv"), first)
  local unit = S.unit("sphere_pile", "moreau-jean:theta=1,gamma=1", { set = { N = 50 } })
  local copied = S.compile(unit, { main = [[
#include "sphere_pile.h"
#include <stdio.h>
#include <string.h>
static sphere_pile s, copy;
int main(void)
{
    carom_status status = sphere_pile_init(&s, NULL);
    for (int k = 0; k < 200 && status == CAROM_OK; ++k) {
        status = sphere_pile_step(&s, 5e-4);
    }
    copy = s;
    if (sphere_pile_step(&copy, -1.0) != CAROM_ARGUMENT || memcmp(copy.q, s.q, sizeof s.q) != 0 || copy.t != s.t) {
        return 2;
    }
    copy = s;
    for (int k = 0; k < 50 && status == CAROM_OK; ++k) {
        status = sphere_pile_step(&s, 5e-4) == CAROM_OK ? sphere_pile_step(&copy, 5e-4) : CAROM_CONTACT;
    }
    const int same = memcmp(s.q, copy.q, sizeof s.q) == 0 && memcmp(s.v, copy.v, sizeof s.v) == 0;
    puts(status == CAROM_OK && same ? "same" : "different");
    return 0;
}
]] })
  T.eq(S.command(copied.program), "same\n")
end)

-- columns of spheres that lean on each other: more than 1000 contacts, which two threads share
T.test("threads share a pile, with the same bits", function()
  local folder = S.place "threads"
  local text = assert(fs.read "tests/bench/packed_pile.lua"):gsub("friction = 0.5", "friction = 0.2")
    :gsub("gravity%(0, 0, %-9.81%)", "gravity(-3, -1, -9)")
  assert(fs.write(folder .. "/packed_pile.lua", text))
  local function bodies(words)
    S.command(("./carom run %s/packed_pile.lua --set N=450 --until 0.01 --no-report --quiet -o %s/out %s"):format(folder, folder, words))
    return assert(fs.read(folder .. "/out/bodies.csv")), assert(fs.read(folder .. "/out/result.csv"))
  end
  local one, told = bodies ""
  local rows = S.csv(told)
  T.ok(rows[#rows].contacts > 1000 and rows[#rows].kinetic_energy > 1e-9, "enough to be shared, and they move")
  for _, n in ipairs { 1, 2, 3 } do T.eq(bodies("--threads " .. n), one, n .. " threads") end
end)

local function changed(from, to)
  return { text = (among.text:gsub(from, to)) }
end

T.test("more contacts than declared are a status, and the state is as before", function()
  local few = S.run(changed("restitution = 0.3 }", "maximum = 2 }"), "moreau-jean:theta=1,gamma=1", { may_fail = true })
  T.eq(few.code, 1)
  T.ok(few.message:find("more contact points at once than the declared maximum; write a larger maximum", 1, true), few.message)
  T.ok(few.t > 0.03 and few.steps > 60, "the steps before were good")
end)

T.test("a box that slides: its corners slide, the floor holds back with mu times its weight", function()
  local r = S.run({ text = [[
local carom = require "carom"
local m = carom.model "sliding_box"
m:gravity(4, 0, -9.81)
local b = m:free_body("b", { mass = 2, inertia = 0.1, at = { 0, 0, 0.1 } })
local box, ground = m:box("box", { size = { 0.4, 0.4, 0.2 }, body = b }), m:plane("ground", { normal = { 0, 0, 1 } })
m:contacts_among({ ground, box }, { friction = 0.2 })
return m]] }, "moreau-jean:theta=1,gamma=1", { step = 1e-3, until_time = 0.1 })
  T.eq(r.outputs.sliding .. " " .. r.outputs.sticking, "4.0 0.0")
  T.near(r.outputs.support_x, -0.2 * 2 * 9.81, 1e-6)
  T.near(r.outputs.support_z, 2 * 9.81, 1e-6)
end)

T.test("a start in penetration names the two shapes", function()
  local result = S.run(changed("{ 0.021, 0.002, 0.055 }", "{ 0.011, 0.002, 0.055 }"), "moreau-jean", { may_fail = true })
  T.eq(result.code, 2)
  T.eq(result.contact, "b2 and b1")
  T.ok(result.residual < -0.007 and result.message:find("penetrates in the initial configuration", 1, true), result.message)
end)

T.test("what a pile cannot be is refused", function()
  local function refused(model, scheme, pattern)
    T.fails(function() S.unit(model, scheme) end, pattern)
  end
  refused(among, "schatzman-paoli", "rows of schatzman%-paoli have points of their own, which contacts_among does not do yet")
  refused(among, "moreau-jean:projection=on", "projection=on does not move bodies out of contacts that are found")
  refused(among, "moreau-jean:solver=lemke", "solver=lemke is for contacts in the plane")
  refused(among, "D-:M=1,adaptive=on", "adaptive=on keeps copies of the state on the stack")
  refused(among, "D-:M=1,impact=literal", "contacts_among has friction: impact=literal cannot do it")
  local function word(text) return three(text .. "\n") end
  local on_link = "local l = m:link('l', { joint = 'revolute', mass = 1 })\n"
    .. "m:contacts_among { floor, m:sphere('on', { radius = 1, body = l }) }"
  refused(word(on_link), nil,
     "sphere 'on' is on link 'l', but shapes of contacts_among are on free bodies or fixed")
  refused(word "m:contacts_among({ floor })", nil, "no shape of contacts_among is on a free body")
  refused(word "m:contacts_among({ floor, floor })", nil, "plane 'floor' is listed twice")
  refused(word "m:contacts_among(shapes, { maximum = 0 })", nil, "maximum of contacts_among is 0; write a whole number")
  refused(word "m:contacts_among(shapes, { friction = -1 })", nil, "friction of contacts_among is %-1")
  refused(word "m:contacts_among(shapes, { restitution = 2 })", nil, "restitution of contacts_among is 2")
  refused(word "m:contacts_among(shapes, { mu = 1 })", nil, "contacts_among has no option 'mu'")
  refused(word "m:contacts_among(shapes)\nm:contacts_among(shapes)", nil, "contacts_among is already given in line")
  refused(word "m:contacts_among({ m:disk('d', { radius = 1, at = { 0, 0 } }) })", nil, "disk 'd' cannot be part of a pile")
end)

T.test("--dump-failure writes the contact problem of a pile, and carom solve reads and solves it", function()
  -- heavy on light: Gauss-Seidel alone needs millions of sweeps
  local place = S.place "heavy_pile"
  local file, problem = place .. "/heavy.lua", place .. "/problem.txt"
  assert(fs.write(file, [[
local carom = require "carom"
local m = carom.model "heavy"
m:gravity(0, 0, -9.81)
local shapes = { m:plane("floor", { normal = { 0, 0, 1 } }) }
for i, mass in ipairs { 1, 1e2, 1e4, 1e6 } do
  local b = m:free_body("box" .. i, { mass = mass, inertia = { 0.004 * mass, 0.004 * mass, 0.006 * mass }, at = { 0, 0, 0.1 * i - 0.05 },
    velocity = { 0.1 * i, 0, 0 } })
  shapes[#shapes + 1] = m:box("box" .. i, { size = { 0.2, 0.2, 0.1 }, body = b })
end
m:contacts_among(shapes, { friction = 0.5 })
m:run { until_time = 0.1, step = 1e-3, scheme = "moreau-jean:theta=0.5,solver=nsgs,ctol=1e-9" }
return m]]))
  local function carom(words) return fs.capture(fs.quote(S.here) .. "/carom --no-install " .. words .. " 2>&1 </dev/null") end
  local said, code = carom(("run %s --json --out %s --dump-failure %s"):format(fs.quote(file), fs.quote(place .. "/out"),
    fs.quote(problem)))
  T.eq(code, 1, said)
  local json = require "gen.util.json"
  local run = json.read(said)
  T.ok(run.message:find "contact problem was not solved", run.message)
  T.eq(run.files.failure, problem)
  local n = tonumber(assert(fs.read(problem)):match "^dimension 3\ncontacts (%d+)\nmu\n0.5\n")
  T.ok(n and n >= 4, "format")
  local answer
  answer, code = carom("solve --json " .. fs.quote(problem))
  T.eq(code, 0, answer)
  local r = json.read(answer)
  T.ok(r.residual <= math.max(1e-8, r.rounding), "auto solves it")
  T.eq(#r.r, 3 * n)
  local sum = 0
  for c = 1, n do
    T.ok(r.r[3 * c - 2] >= 0 and r.u[3 * c - 2] > -1e-6, "the law of contact")
    sum = sum + r.r[3 * c - 2]
  end
  T.ok(sum > 1e-3 * 9.81 * 1e6, "the weight of the heavy one is in it")
end)

S.finish()
