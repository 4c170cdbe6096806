-- The same input gives the same bytes of C, the same C gives the same bits of results with every compiler and level, and a state
-- is all there is: copied, interleaved, placed on dirty memory or after a failed step it goes on with the same bits.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local interpreter = arg[-1] or "lua5.4"

-- ---- text ------------------------------------------------------------------------------------------------------------------
local function same_files(a, b)
  T.eq(#a, #b, "number of files")
  for i = 1, #a do
    T.eq(a[i].name, b[i].name)
    T.ok(a[i].text == b[i].text, a[i].name .. " differs")
  end
end

for _, sample in ipairs { { "slider_crank", "D+:M=3,projection=on" }, { "bowl", "moreau-jean" },
  { "bead_column", "D-:M=2", { N = 40 } } } do
  T.test(("generated twice, in one process and in another: %s %s"):format(sample[1], sample[2]), function()
    local first = S.unit(sample[1], sample[2], { set = sample[3] })
    S.unit("double_pendulum", "D+:M=4") -- something else in between must leave no trace
    same_files(first.files, S.unit(sample[1], sample[2], { set = sample[3] }).files)
    local dir = S.place "fresh"
    local words = { interpreter, "gen/cli/main.lua", "gen", sample[1], "--scheme", sample[2], "-o", dir, "-q" }
    if sample[3] then table.move({ "--set", "N=" .. sample[3].N }, 1, 2, #words + 1, words) end
    S.command(fs.command(words))
    local there = {}
    for i, file in ipairs(first.files) do there[i] = { name = file.name, text = fs.read(dir .. "/" .. file.name) } end
    same_files(first.files, there)
  end)
end

T.test("no date, no user, no folder of this machine in what is written", function()
  local user = os.getenv("USER") or os.getenv("LOGNAME")
  for _, file in ipairs(S.unit("slider_crank", "D-:M=1").files) do
    T.ok(not file.text:find(S.here, 1, true), file.name .. " names the project's folder")
    T.ok(not file.text:find(os.date "%Y-%m-%d", 1, true) and not file.text:find(os.date "%b %d %Y", 1, true), file.name .. " has a date")
    T.ok(not user or #user < 4 or not file.text:find(user, 1, true), file.name .. " names the user")
  end
end)

-- ---- bits ------------------------------------------------------------------------------------------------------------------
local samples = {
  { "slider_crank", "D-:M=1", until_time = 0.02, step = 1e-5 },
  { "slider_crank", "moreau-jean:theta=0.5", until_time = 0.01, step = 1e-5 },
  { "bowl", "D+:M=3", until_time = 2, step = 0.01 },
  { "constrained_pendulum", "D-:M=4", until_time = 2, step = 0.01 },
  { "impacting_oscillator", "schatzman-paoli", until_time = 5, step = 5 / 1009 },
  { "bead_column", "moreau-jean:theta=0.5", until_time = 1, step = 5e-4, form = "looped" },
  { "double_pendulum", "D-:M=2", until_time = 2.5, step = 2.5 / 740, form = "looped" },
}

-- everything but the time it took; numbers are printed so that they read back equal
local function bits(result)
  return (result.text:gsub('"[cw][pa][ul]l?_seconds":[^,]*,', ""))
end

-- without the optimiser and, in turn, with that of each compiler
local ways = { "gcc -O3", "clang -O2" }
for i, m in ipairs(samples) do
  local taken = { "gcc -O0", ways[1 + i % 2] }
  if T.long then taken = { "gcc -O0", "gcc -O1", "gcc -O2", "gcc -O3", "clang -O0", "clang -O2", "clang -O3" } end
  T.test(("same bits from every compiler and level: %s %s"):format(m[1], m[2]), function()
    local expected
    local unit = S.unit(m[1], m[2], { form = m.form })
    for _, case in ipairs(taken) do
      local cc, level = case:match "^(%S+) (%S+)$"
      if S.has(cc) then
        local got = bits(S.compile(unit, { cc = cc, flags = level }):run { until_time = m.until_time, step = m.step })
        expected = expected or got
        T.ok(got == expected, ("%s differs:\n%s\n%s"):format(case, got, expected))
      end
    end
  end)
end

T.test("bits of a model without transcendental functions, pinned", function()
  -- +, -, *, / are exact in IEEE 754, so these hold on every machine; a change here is a change of the algorithm
  local r = S.run("bouncing_ball", "D-:M=1", { step = 5e-4, until_time = 5 })
  T.eq(("%.17g %.17g %.17g"):format(r.q.q, r.v.q, r.impulse.ground), "0.12175674511043055 -1.1122680786237042 47.937731921375963")
  r = S.run("bead_column", "moreau-jean:theta=0.5", { step = 5e-4, until_time = 0.5, form = "looped" })
  T.eq(("%.17g %.17g %.17g"):format(r.q.q1, r.v.q1, r.impulse.ground), "0.10984602299910748 -3.0555426746400913 41.614498494369791")
end)

-- ---- the state ---------------------------------------------------------------------------------------------------------------
-- One program per model: prints a line per property that fails and ends with 1, or nothing and 0.
local main = [[
#include "X.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static X a, b, c;
static int failures;

static void expect(int good, const char *what)
{
    if (!good) {
        printf("%s\n", what);
        ++failures;
    }
}

static void begin(X *s, int byte)
{
    memset(s, byte, sizeof *s);
    expect(X_init(s, NULL) == CAROM_OK, "init");
}

static void steps(X *s, int n)
{
    for (int i = 0; i < n; ++i) {
        if (X_step(s, H) != CAROM_OK) {
            expect(0, "a step failed");
            break;
        }
    }
}

/* everything that is told about a state, bit for bit */
static int same(const X *p, const X *q)
{
    int good = memcmp(&p->t, &q->t, sizeof p->t) == 0 && memcmp(p->q, q->q, sizeof p->q) == 0 && memcmp(p->v, q->v, sizeof p->v) == 0;
    carom_view x, y;
    X_model()->view((void *)p, &x);
    X_model()->view((void *)q, &y);
    for (int i = 0; i < X_model()->contacts; ++i) {
        good = good && memcmp(&x.gap[i], &y.gap[i], sizeof(double)) == 0 && memcmp(&x.impulse[i], &y.impulse[i], sizeof(double)) == 0;
    }
    return good;
}

int main(void)
{
    const double bad[] = {NAN, -H, 0.0, INFINITY};
    begin(&a, 0);
    steps(&a, N); /* the plain run: what follows must give its bits */

    begin(&b, 0xAB);
    steps(&b, N);
    expect(same(&a, &b), "memory that was dirty before init changes the result");

    begin(&b, 0);
    steps(&b, N / 2);
    memcpy(&c, &b, sizeof b);
    steps(&b, 7);
    memset(&b, 0xFF, sizeof b);
    steps(&c, N - N / 2);
    expect(same(&a, &c), "a copied state does not go on like the original");

    begin(&b, 0);
    begin(&c, 0);
    steps(&c, 3);
    for (int i = 0; i < N; ++i) {
        steps(&b, 1);
        steps(&c, 1);
    }
    expect(same(&a, &b), "two states meet");

    begin(&b, 0);
    steps(&b, N / 2);
    for (int i = 0; i < 4; ++i) {
        memcpy(&c, &b, sizeof b);
        expect(X_step(&b, bad[i]) == CAROM_ARGUMENT, "a bad step length is taken");
        expect(memcmp(&b, &c, sizeof b) == 0, "a refused step length changes the state");
    }
    memcpy(&c, &b, sizeof b);
    const carom_status status = X_step(&b, HUGE);
    expect(status STATUS, "a huge step has an unexpected status");
    if (status != CAROM_OK) {
        expect(same(&b, &c), "a failed step changes the state");
        steps(&b, N - N / 2);
        expect(same(&a, &b), "a failed step leaves a trace");
    }

    begin(&b, 0);
    expect(X_advance(&b, N * H, H) == CAROM_OK && fabs(b.t - N * H) < 1e-9 * N * H, "advance");
    return failures != 0;
}
]]

local function program(X, values)
  local text = main:gsub("%f[%w_]X%f[^%w_]", X):gsub("%f[%w_]X_", X .. "_")
  for name, value in pairs(values) do text = text:gsub("%f[%w_]" .. name .. "%f[^%w_]", (value:gsub("%%", "%%%%"))) end
  return text
end

local RECOVERABLE = "> 0"
local states = {
  { "slider_crank", "D-:M=1", N = 600, H = "1e-5", HUGE = "1e200", STATUS = RECOVERABLE },
  { "slider_crank", "D+:M=1", N = 600, H = "1e-5", HUGE = "0.5", STATUS = RECOVERABLE },
  { "forced_pendulum", "D-:M=3,iterations=8", N = 40, H = "0.05", HUGE = "5.0", STATUS = "== CAROM_STAGES" },
  { "bowl", "D+:M=2", N = 100, H = "0.01", HUGE = "1e200", STATUS = RECOVERABLE },
  { "impacting_oscillator", "schatzman-paoli", N = 400, H = "0.005", HUGE = "1e200", STATUS = RECOVERABLE },
  { "double_pendulum", "moreau-jean:theta=0.5", N = 600, H = "0.002", HUGE = "40.0", STATUS = RECOVERABLE },
  { "bead_column", "D-:M=1", N = 1000, H = "1e-3", HUGE = "1e200", STATUS = RECOVERABLE, form = "looped" },
  { "bead_column", "moreau-jean:theta=0.5", N = 1000, H = "1e-3", HUGE = "1e200", STATUS = RECOVERABLE, form = "looped" },
  { "slider_crank", "D-:M=2", N = 600, H = "1e-5", HUGE = "0.5", STATUS = RECOVERABLE, form = "looped" },
}
for _, m in ipairs(T.half(states)) do
  T.test(("state: copied, interleaved, dirty, after failure: %s %s %s"):format(m[1], m[2], m.form or ""), function()
    local unit = S.unit(m[1], m[2], { form = m.form })
    local built = S.compile(unit, { main = program(m[1], { N = tostring(m.N), H = m.H, HUGE = m.HUGE, STATUS = m.STATUS }) })
    S.command(built.program)
  end)
end

local sanitize = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
local works = fs.run(("cd %s && echo 'int main(void) { return 0; }' > s.c && gcc %s s.c -o s 2>/dev/null && ./s"):format(
  S.place "sanitizer", sanitize)) == 0
for _, i in ipairs(T.half({ 1, 4, 7, 9 }, 1)) do
  local m = states[i]
  local name = ("clean under the address and undefined-behaviour sanitizers: %s %s %s"):format(m[1], m[2], m.form or "")
  if works then
    T.test(name, function()
      local unit = S.unit(m[1], m[2], { form = m.form })
      local built = S.compile(unit, { flags = sanitize,
        main = program(m[1], { N = tostring(m.N), H = m.H, HUGE = m.HUGE, STATUS = m.STATUS }) })
      S.command(built.program)
    end)
  else
    T.skip(name, "gcc has no sanitizers here")
  end
end

-- A heavy body on a light one, which Gauss-Seidel does not solve: the driver writes results, fails and writes the problem.
local tower = { text = [[
local m = require("carom").model "tower"
local below
for i, mass in ipairs { 1, 1e4, 1e8 } do
  local x, y = m:coordinate("x" .. i, { velocity = i }), m:coordinate("y" .. i)
  m:kinetic_energy(mass * (x.dot^2 + y.dot^2) / 2)
  m:force(y, -10 * mass)
  m:contact("level" .. i, { gap = below and y - below[2] or y, friction = 0.5, slide = below and x - below[1] or x })
  below = { x, y }
end
return m]] }
do
  local name = "the driver, clean under the sanitizers: results, a failure, its problem"
  if works then
    T.test(name, function()
      local flags = sanitize:gsub("%-O1 %-g", "-O0") -- quickly compiled; it makes a few steps only
      local built = S.compile(S.unit(tower, "D-:M=1,solver=nsgs"), { flags = flags, driver = flags })
      local said, code = fs.capture(("cd %s && ./run --json --step 0.01 --until 0.1 --set x1=1 --result r.csv "
        .. "--dump-failure p.txt 2>&1"):format(fs.quote(built.dir)))
      T.eq(code, 1, said)
      T.ok(said:find("not solved", 1, true) and not said:find("Sanitizer", 1, true), said)
      T.ok(assert(fs.read(built.dir .. "/p.txt")):find("^dimension 2\ncontacts 3\nmu\n"), said)
    end)
  else
    T.skip(name, "gcc has no sanitizers here")
  end
end

S.finish()
