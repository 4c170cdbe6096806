-- --real float: no hidden doubles, the same motion as in double precision to what seven digits allow, no step that fails for rounding.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local STRICT = S.strict .. " -Wdouble-promotion -Wfloat-conversion"

-- steps of h, printing time, positions and velocities ten times
local MAIN = [[
#include "NAME.h"
#include <stdio.h>
#define COUNT(x) ((int)(sizeof(x) / sizeof(x)[0]))
int main(void)
{
    static NAME s;
    NAME_params p;
    NAME_defaults(&p);
    SET
    carom_status status = NAME_init(&s, &p);
    for (int k = 1; k <= STEPS && status == CAROM_OK; ++k) {
        status = NAME_step(&s, (REAL)H);
        if (k % (STEPS / 10) == 0) {
            printf("%.17g %.17g", (double)s.t, (double)s.t_low);
            for (int i = 0; i < COUNT(s.q); ++i) {
                printf(" %.17g", (double)s.q[i]);
            }
            for (int i = 0; i < COUNT(s.v); ++i) {
                printf(" %.17g", (double)s.v[i]);
            }
            printf("\n");
        }
    }
    if (status != CAROM_OK) {
        printf("%s at %.9g\n", carom_status_text(status), (double)s.t);
    }
    return status != CAROM_OK;
}
]]

-- The runtime is compiled once for each type; its text does not depend on the model.
local objects = { float = {}, double = {} }
local function object(real, name, text, dir)
  local kept = objects[real][name]
  if not kept then
    kept = { file = ("%s/%s.o"):format(dir, name:gsub("/", "_")), text = text }
    S.command(("cd %s && gcc %s -O1 %s -I. -c %s -o %s"):format(dir, S.base, STRICT, name, kept.file))
    objects[real][name] = kept
  end
  T.eq(kept.text, text, name .. " does not depend on the model")
  return kept.file
end

local function run(real, sample)
  local unit = S.unit(sample[1], sample[2], { real = real, form = sample.form })
  local dir, link, texts = S.write(unit), {}, {}
  for _, file in ipairs(unit.files) do texts[file.name] = file.text end
  for _, name in ipairs(unit.sources) do if name ~= unit.name .. ".c" then link[#link + 1] = object(real, name, texts[name], dir) end end
  local put = { NAME = unit.name,
    SET = (sample.set or ""):format(real == "float" and "(float)" or ""), STEPS = ("%d"):format(sample.steps),
    H = ("%.17g"):format(sample.h), REAL = real }
  assert(fs.write(dir .. "/main.c", (MAIN:gsub("%u+", put))))
  S.command(("cd %s && gcc %s -O1 %s -I. main.c %s.c %s -lm -o run && gcc %s %s -fsyntax-only -I. example_main.c"):format(dir, S.base,
    STRICT, unit.name, table.concat(link, " "), S.base, STRICT))
  local rows = {}
  for line in S.command(dir .. "/run"):gmatch "[^\n]+" do
    local row = {}
    for number in line:gmatch "%S+" do row[#row + 1] = tonumber(number) end
    rows[#rows + 1] = row
  end
  T.eq(#rows, 10)
  return rows
end

-- what is there of h in single precision
local function rounded(h) return (string.unpack("f", string.pack("f", h))) end

-- worst difference of the two, of each number beside the largest that it has been
local function difference(a, b)
  local most, worst = {}, 0
  for _, row in ipairs(a) do for i = 3, #row do most[i] = math.max(most[i] or 0, math.abs(row[i])) end end
  for k, row in ipairs(a) do
    for i = 3, #row do worst = math.max(worst, math.abs(row[i] - b[k][i]) / math.max(1, most[i])) end
  end
  return worst
end

local function same_motion(sample)
  return function()
    local wide, narrow = run("double", sample), run("float", sample)
    local worst = difference(wide, narrow)
    T.ok(worst < sample.bound, ("they differ by %g"):format(worst))
    T.ok(worst > 1e-12, "they are the same: is it in float at all?")
    local last = narrow[10]
    local drift = math.abs(last[1] + last[2] - sample.steps * rounded(sample.h)) / last[1]
    T.ok(drift < 1e-9, ("time drifts: %g"):format(drift))
  end
end

-- bounds: three to ten times what was seen
for _, sample in ipairs {
  { "bouncing_ball", "D-:M=1", h = 1e-3, steps = 5000, bound = 5e-5 },
  { "slider_crank", "D-:M=1", h = 1e-5, steps = 2000, bound = 1e-4, set = "p.friction = %s0.1;" },
  { "slider_crank", "D-:M=2", h = 1e-5, steps = 2000, bound = 1e-4 },
  { "slider_crank", "moreau-jean:theta=0.5", h = 1e-5, steps = 2000, bound = 1e-4 },
  { "arm7", "D-:M=1", h = 1e-3, steps = 2000, bound = 3e-4 },
  { "cradle", "D-:M=1", h = 1e-4, steps = 5000, bound = 1e-3, form = "looped" },
} do
  T.test(("float beside double: %s, %s"):format(sample[1], sample[2]), same_motion(sample))
end

-- steps that converge in double must converge in float, and stay where they are at rest
local LONG = {
  { "zeno_ball", "D-:M=1", h = 1e-3, steps = 100000 }, { "rest", "D-:M=2", h = 1e-3, steps = 100000 },
  { "four_bar", "D-:M=1", h = 1e-5, steps = T.many(20000, 500000) },
  { "rocking_box", "moreau-jean:theta=1", h = 1e-4, steps = T.many(20000, 500000) },
}
for _, sample in ipairs(LONG) do
  T.test(("a long run in float: %s, %s, %d steps"):format(sample[1], sample[2], sample.steps), function() run("float", sample) end)
end

T.test("another digest, and refusals", function()
  T.ok(S.unit("zeno_ball", nil, { real = "float" }).digest ~= S.unit("zeno_ball").digest)
  for words, expected in pairs { ["sphere_pile --real float"] = "double precision", ["zeno_ball --real half"] = "write float or double",
    ["zeno_ball --real float --scheme schatzman-paoli"] = "differences of positions",
    ["zeno_ball --real float --scheme D-:M=1,adaptive=on"] = "differences, of which rounding",
    ["zeno_ball --real float --target lib"] = "hands over doubles",
    ["zeno_ball --real float --scheme D-:M=2,tol=1e-12"] = "single precision does not reach" } do
    local said, code = fs.capture("./carom gen " .. words .. " -o nowhere 2>&1")
    T.eq(code, 2, said)
    T.ok(said:find(expected, 1, true), said)
  end
end)

S.finish()
