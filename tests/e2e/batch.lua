-- carom gen --target batch: instances side by side. The same bits as one after another, where the same sines are asked; the same bits at
-- each number of lanes; sines of lanes to about a unit in the last place.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local support = require "gen.support"

-- Instances with parameters of their own, one after another and side by side; what differs is printed, and the positions at the end.
local MAIN = [[
#include "NAME_batch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#undef sin
#undef cos
typedef struct { carom_mask odd; } sines;
double own_sin(double x) { sines at = {.odd = CAROM_NONE}, *const s = &at; return CAROM_SIN(x)[0]; }
double own_cos(double x) { sines at = {.odd = CAROM_NONE}, *const s = &at; return CAROM_COS(x)[0]; }
enum { COUNT = 19 };
int main(void)
{
    static NAME s[COUNT], one;
    NAME_pack *const pack = aligned_alloc(sizeof(carom_lanes), NAME_CAPITAL_PACKS(COUNT) * sizeof *pack);
    unsigned long long alone = 0, bad = 0;
    double worst = 0.0;
    (void)NAME_init(&one, NULL);
    NAME_batch_fill(pack, COUNT, &one);
    for (int i = 0; i < COUNT; ++i) {
        const double share = (double)i / COUNT;
        NAME_params p;
        NAME_defaults(&p);
        CHANGE
        (void)NAME_init(&s[i], &p);
        START
        NAME_batch_put(pack, (size_t)i, &s[i]);
    }
    for (int k = 1; k <= 3; ++k) {
        bad = NAME_batch_advance(pack, COUNT, k * END, STEP);
    }
    for (int i = 0; i < COUNT; ++i) {
        carom_status status = CAROM_OK;
        for (int k = 1; k <= 3; ++k) {
            status = NAME_advance(&s[i], k * END, STEP);
        }
        bad -= status != CAROM_OK;
        if (status != NAME_batch_status(pack, (size_t)i) || NAME_batch_get(pack, (size_t)i, &one) != CAROM_OK) {
            printf("%d status\n", i);
        }
        alone += s[i].counts.steps - (unsigned long long)pack[i / CAROM_LANES].steps[i % CAROM_LANES];
#define SAME(member) if (memcmp(&one.member, &s[i].member, sizeof one.member) != 0) { printf("%d %s\n", i, #member); }
        SAME(t) SAME(t_low) SAME(q) SAME(v) ROWS SAME(counts.steps) SAME(counts.evaluations) SAME(counts.contact_solves) SAME(counts.events)
        SAME(counts.law) SAME(counts.frozen) SAME(info.contact)
        for (size_t k = 0; k < sizeof one.q / sizeof one.q[0]; ++k) {
            const double away = fabs(one.q[k] - s[i].q[k]);
            worst = away > worst ? away : worst;
            fprintf(stderr, "%a ", one.q[k]);
        }
    }
    printf("alone %llu bad %lld worst %g\n", alone, (long long)bad, worst);
    free(pack);
    return 0;
}
]]

local ROWS = "SAME(impulse) SAME(last) SAME(last_step) SAME(pressing) SAME(deepest.depth) SAME(deepest.t) SAME(deepest.contact)"

local SINES = [[
#include <math.h>
double own_sin(double x);
double own_cos(double x);
#define sin own_sin
#define cos own_cos
]]

local header = S.place "sines" .. "/sines.h"
assert(fs.write(header, SINES))

-- What a program says of a model, and the positions at its end. sample: model, scheme, CHANGE, START, END, STEP.
local function run(sample, lanes, options)
  local unit = S.unit(sample.model, sample.scheme, { with = { batch = true } })
  local put = { CHANGE = sample.change, START = sample.start or "", END = sample.ends, STEP = sample.step,
    ROWS = #unit.model.contacts > 0 and ROWS or "" }
  local main = MAIN:gsub("%u+", put):gsub("NAME_CAPITAL", unit.name:upper()):gsub("NAME", unit.name)
  local program = S.compile(unit, { main = main, cc = options and options.cc,
    own = ("-DCAROM_LANES=%d %s"):format(lanes, options and options.sines and "" or "-include " .. header)
      .. (options and options.native and " -march=native" or "") })
  local said = S.command(program.program .. " 2>" .. program.dir .. "/places")
  return said, fs.read(program.dir .. "/places")
end

local WALLS = { text = [[
local carom = require "carom"
local m = carom.model "walls"
local sin, cos = carom.sin, carom.cos
local e = m:parameter("restitution", 0.5, "1")
local a = m:coordinate("a", { unit = "rad", initial = 0.3, velocity = 2 })
local b = m:coordinate("b", { unit = "rad", initial = -0.2, velocity = -1 })
local x, y = sin(a) + sin(b), -cos(a) - cos(b)
m:body("bob1", { mass = 1, at = { sin(a), -cos(a) } })
m:body("bob2", { mass = 2, at = { x, y } })
m:gravity(0, -9.81)
m:contact("left", { gap = x + 1.1, restitution = e })
m:contact("right", { gap = 0.9 - x, restitution = e })
m:contact("floor", { gap = y + 1.98, restitution = e })
m:run { until_time = 1, step = 1e-3 }
return m
]] }
local BALL = { model = "bouncing_ball", change = "p.restitution = 0.05 + 0.9 * share;", ends = "1.0005", step = "1e-3" }
-- some begin later than others, so that lanes of a pack end after different numbers of steps
local LATE = { model = "bouncing_ball", change = BALL.change, ends = "1.0005", step = "1e-3",
  start = "if (i % 3 == 1) { const double q = 1.0 + share, v = -1.0; (void)NAME_set(&s[i], 0.7 * share, &q, &v); }" }
local PENDULUM = { model = WALLS, change = "p.restitution = share;", ends = "0.7", step = "1e-3" }

if S.has "gcc" then
  T.test("bouncing_ball: the same bits as one after another, in 8 lanes and 1; no step alone but the first", function()
    local first
    for _, lanes in ipairs { 8, 1 } do
      local said, places = run(BALL, lanes)
      T.eq(said, "alone 19 bad 0 worst 0\n")
      first = first or places
      T.eq(places, first)
    end
  end)

  T.test("D-:M=2, moreau-jean, instances that begin later, and a ball that fails where it is alone", function()
    T.eq(run(LATE, 4), "alone 19 bad 0 worst 0\n")
    T.eq(run({ model = "bouncing_ball", scheme = "D-:M=2", change = BALL.change, ends = "1.0005", step = "1e-3" }, 4),
      "alone 19 bad 0 worst 0\n")
    T.eq(run({ model = "bouncing_ball", scheme = "moreau-jean", change = BALL.change, ends = "1.0005", step = "1e-3" }, 4),
      "alone 0 bad 0 worst 0\n")
    local said = run({ model = "bouncing_ball", change = BALL.change, ends = "1.0", step = "1e-3",
      start = "if (i == 5) { const double q = 1.0, v = 1.79e308; (void)NAME_set(&s[i], 0.0, &q, &v); }" }, 8)
    T.ok(said:find "^alone %d+ bad 0 worst 0\n$", said)
  end)

  T.test("two pendulums between walls: the same bits with the same sines, rounding with those of libm", function()
    local said, first = run(PENDULUM, 8)
    local alone = tonumber(said:match "^alone (%d+) bad 0 worst 0\n$")
    T.ok(alone and alone < 19 * 2100 / 20, said)
    local _, places = run(PENDULUM, 4, { native = true })
    T.eq(places, first)
    local other = run(PENDULUM, 8, { sines = true, native = true })
    T.ok(tonumber(other:match "worst (%S+)\n$") < 1e-8, other)
  end)

  T.long_test("slider_crank: the same bits with the same sines, with friction in some instances", function()
    for _, change in ipairs { "p.restitution = share;", "p.restitution = share; p.friction = i % 3 == 0 ? 0.1 : 0.0;" } do
      local said = run({ model = "slider_crank", change = change, ends = "0.01", step = "1e-5" }, 8)
      T.ok(said:find "^alone %d+ bad 0 worst 0\n$", said)
    end
  end)

  T.long_test("every model that lanes take: the same bits with the same sines", function()
    local taken = 0
    for _, file in ipairs(fs.list "models") do
      local name = file:match "^(.*)%.lua$"
      local ok, unit = pcall(S.unit, name, nil, { with = { batch = true } })
      if ok then
        local h = unit.model.run.step
        local said = run({ model = name, change = "(void)share;", ends = ("%.17g"):format(100 * h), step = ("%.17g"):format(h) }, 8)
        T.ok(said:find "^alone %d+ bad 0 worst 0\n$", name .. ": " .. said)
        taken = taken + 1
      end
    end
    T.ok(taken > 12, taken)
  end)

  T.test("sines and cosines to about one unit in the last place, far angles are told", function()
    local dir = S.place "sine"
    assert(fs.write(dir .. "/main.c", [[
#include "carom/lanes.h"
#include <stdio.h>
typedef struct { carom_mask odd; } sines;
static double off(double is, long double should)
{
    int e;
    (void)frexp((double)should, &e);
    return (double)(fabsl((long double)is - should) / ldexpl(1.0L, e - 53));
}
int main(void)
{
    sines at = {.odd = CAROM_NONE}, *const s = &at;
    double worst = 0.0;
    unsigned long long seed = 7;
    for (int i = 0; i < 40000; ++i) {
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        const double u = (double)(seed >> 11) * 0x1p-52 - 1.0;
        const double quarters = floor(6e5 * u) * 1.5707963267948966;
        const double x = i % 4 == 0 ? 1e6 * u : i % 4 == 1 ? 10.0 * u : i % 4 == 2 ? quarters : ldexp(u, -i % 60);
        worst = fmax(worst, fmax(off(CAROM_SIN(x)[0], sinl(x)), off(CAROM_COS(x)[0], cosl(x))));
    }
    printf("%g %d", worst, (int)carom_any(&s->odd));
    const double far[3] = {1.01e6, -HUGE_VAL, (double)NAN};
    for (int i = 0; i < 3; ++i) {
        s->odd = CAROM_NONE;
        (void)CAROM_SIN(far[i]);
        printf(" %d", (int)carom_any(&s->odd));
    }
    return 0;
}
]]))
    S.command(("cd %s && gcc %s %s -O1 -I%s main.c -o run -lm"):format(dir, S.base, S.strict, fs.quote(S.here .. "/runtime/include")))
    local worst, flags = S.command(dir .. "/run"):match "^(%S+) (.*)$"
    T.ok(tonumber(worst) < 1.1, worst)
    T.eq(flags, "0 1 1 1")
  end)
end

T.test("what lanes do not do is refused in one message", function()
  for _, pair in ipairs { { "slider_crank", "D-:M=2", "cases" }, { "constrained_pendulum", "D-:M=1", "constraints and joints" },
    { "gyro_top", nil, "turn in space" }, { "bouncing_ball", "capture", "more than one step" }, { "sphere_pile", nil, "straight code" } } do
    local ok, why = pcall(S.unit, pair[1], pair[2], { with = { batch = true } })
    T.ok(not ok and why.carom and why.message:find(pair[3], 1, true), pair[1] .. ": " .. tostring(not ok and why.message))
  end
  for _, law in ipairs { "cohesion = 1", "adhesion = { stiffness = 1, energy = 1 }" } do
    local ok, why = pcall(S.unit, { text = ([[
local m = require("carom").model "glued"
local q = m:coordinate("q")
m:kinetic_energy(q.dot^2 / 2)
m:contact("face", { gap = q, %s })
return m]]):format(law) }, "D-:M=1", { with = { batch = true } })
    T.ok(not ok and why.carom and why.message:find("this law of contact", 1, true), law)
  end
  T.eq(support.batch {}, nil)
end)

for _, compiler in ipairs { "gcc", "clang" } do
  if S.has(compiler) then
    T.test("clean under hard warnings with " .. compiler, function()
      for _, sample in ipairs { { "bouncing_ball", 1 }, { "slider_crank", 8 } } do
        local unit = S.unit(sample[1], nil, { with = { batch = true } })
        local flags = ("%s %s -Wdouble-promotion -O1 -DCAROM_LANES=%d"):format(S.base, S.strict, sample[2])
        T.eq(S.command(("cd %s && %s %s -I. -c %s_batch.c"):format(S.write(unit), compiler, flags, unit.name)), "")
      end
    end)
  end
end

S.finish()
T.finish()
