-- Dense output: the state between the grid points. Measured against a fine run from the same start of the step, so that what is
-- seen is the interpolant: v has order M + 1 (degree M), q one more, in the step's own error measure.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

-- Largest difference of q and of v between NAME_between and a fine run, at three places inside every step of h up to t = 2. With
-- adaptive=on and tolerances that accept all, the first step of h is made of several and the others of two halves.
local main = [[
#include "forced_pendulum.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const double h = argc > 1 ? atof(argv[1]) : 0.1;
    double worst_q = 0.0, worst_v = 0.0, end = 0.0;
    forced_pendulum s, start, fine;
    if (forced_pendulum_init(&s, NULL) != CAROM_OK) {
        return 1;
    }
    while (s.t < 2.0 - 1e-9) {
        double q[1], v[1];
        start = s;
        if (forced_pendulum_step(&s, h) != CAROM_OK) {
            return 2;
        }
        const double from = s.span[0].t;
        for (int j = 0; j <= 16; ++j) {
            if (forced_pendulum_between(&s, from + j / 16.0 * (s.t - from), q, v) != CAROM_OK) {
                return 4;
            }
        }
        if (forced_pendulum_between(&s, from - 1e-6 * h, q, v) != CAROM_ARGUMENT
            || forced_pendulum_between(&s, s.t + 1e-6 * h, q, v) != CAROM_ARGUMENT) {
            return 5; /* outside the last step */
        }
        if (fabs(from - start.t) > 1e-9 * h) {
            if (start.t > 0.0) {
                return 6; /* not all of the step is kept */
            }
            continue;
        }
        fine = start;
        for (int j = 1; j < 4; ++j) {
            for (int k = 0; k < 10; ++k) {
                if (forced_pendulum_step(&fine, h / 40.0) != CAROM_OK) {
                    return 3;
                }
            }
            /* a little later: halves meet in the middle, and either may be asked for it */
            if (forced_pendulum_between(&s, start.t + (0.25 * j + 1e-9) * h, q, v) != CAROM_OK) {
                return 7;
            }
            worst_q = fmax(worst_q, fabs(q[0] - fine.q[0]));
            worst_v = fmax(worst_v, fabs(v[0] - fine.v[0]));
        }
        (void)forced_pendulum_between(&s, s.t, q, v);
        end = fmax(end, fmax(fabs(q[0] - s.q[0]), fabs(v[0] - s.v[0])));
    }
    printf("%.17g %.17g %.17g\n", worst_q, worst_v, end);
    return 0;
}
]]

-- declared: degree + 1 for v; q gains one power of h inside the step
for _, case in ipairs { { "D-:M=1", 2, 3 }, { "D-:M=2", 3, 4 }, { "D-:M=3", 4, 5 }, { "D+:M=2", 3, 4 }, { "moreau-jean:theta=0.5", 1, 2 },
  { "schatzman-paoli:theta=0", 1, 2 }, { "D-:M=2,adaptive=on,rtol=1,atol=1e6", 3, 4 },
  { "moreau-jean:theta=0.5,adaptive=on,rtol=1,atol=1e6", 1, 2 } } do
  T.test(("%s: order of q and v inside a step"):format(case[1]), function()
    local program = S.compile(S.unit("forced_pendulum", case[1] .. ",dense=on"), { main = main })
    local steps, q, v = { 0.2, 0.1, 0.05, 0.025 }, {}, {}
    for i, h in ipairs(steps) do
      local said = S.command(("%s %.17g"):format(program.program, h))
      local a, b, e = said:match("(%S+) (%S+) (%S+)")
      q[i], v[i] = tonumber(a), tonumber(b)
      T.ok(tonumber(e) <= 1e-14, "at the end of the step it is the state itself; off by " .. e)
    end
    T.ok(S.slope(steps, v) > case[2] - 0.3, ("order of v %.2f, expected %d"):format(S.slope(steps, v), case[2]))
    T.ok(S.slope(steps, q) > case[3] - 0.3, ("order of q %.2f, expected %d"):format(S.slope(steps, q), case[3]))
  end)
end

-- An impact in the first half jumps there, not before and not with the second: a ball, falling freely, then thrown back.
T.test("adaptive: what is between follows the ball through its impact", function()
  local program = S.compile(S.unit("bouncing_ball", "D-:M=2,adaptive=on,rtol=1e-4,atol=1e-4,dense=on"), { main = [[
#include "bouncing_ball.h"
#include <math.h>
#include <stdio.h>

int main(void)
{
    double apart = 0.0, jumped = 0.0;
    int impacts = 0;
    bouncing_ball s;
    if (bouncing_ball_init(&s, NULL) != CAROM_OK) {
        return 1;
    }
    for (int n = 0; n < 200; ++n) {
        double q[1], v[1], q1[1], v1[1];
        const double impulse = s.impulse[0];
        if (bouncing_ball_step(&s, 5e-3) != CAROM_OK) {
            return 2;
        }
        const double from = s.span[0].t, middle = s.span[1].t;
        impacts += s.impulse[0] > impulse ? 1 : 0;
        if (!(from < middle && middle < s.t) || bouncing_ball_between(&s, middle, q, v) != CAROM_OK
            || bouncing_ball_between(&s, middle - 1e-9 * (s.t - from), q1, v1) != CAROM_OK) {
            return 3;
        }
        apart = fmax(apart, fabs(q[0] - q1[0]));
        jumped = fmax(jumped, fabs(q[0] - s.span[1].q[0]) + fabs(v[0] - s.span[1].V[0][0]));
    }
    printf("%.17g %.17g %d\n", apart, jumped, impacts);
    return 0;
}
]] })
  local apart, jumped, impacts = S.command(program.program):match("(%S+) (%S+) (%d+)")
  T.ok(tonumber(apart) < 1e-9, "the halves meet; off by " .. apart)
  T.ok(tonumber(jumped) < 1e-12, "the second half begins with its start; off by " .. jumped)
  T.ok(tonumber(impacts) > 0, "the ball hits the floor")
end)

-- A ball whose flights are parabolas: what is between is exact, also between the impacts of one step.
T.test("impact=split: all pieces of a step are known", function()
  for _, scheme in ipairs { "D-:M=1,impact=split,dense=on", "D-:M=2,impact=split,dense=on,adaptive=on,rtol=1,atol=1e6" } do
    local unit = S.unit("zeno_ball", scheme)
    local program = S.compile(unit, { flags = "-O0", main = [[
#include "zeno_ball.h"
#include <stdio.h>

int main(void)
{
    zeno_ball s;
    if (zeno_ball_init(&s, NULL) != CAROM_OK) {
        return 1;
    }
    for (int n = 0; n < 6; ++n) {
        const double h = 0.41, start = s.t;
        double q[1], v[1];
        if (zeno_ball_step(&s, h) != CAROM_OK) {
            return 2;
        }
        const double from = s.span[0].t > start ? s.span[0].t : start; /* adaptive: of the last accepted step */
        for (int j = 0; j <= 40; ++j) {
            const double t = from + j / 40.0 * (s.t - from);
            if (zeno_ball_between(&s, t, q, v) != CAROM_OK) {
                return 3;
            }
            printf("%.17g %.17g %.17g\n", t, q[0], v[0]);
        }
    }
    return 0;
}
]] })
    local impacts, before = 0, nil
    for t, q, v in S.command(program.program):gmatch "(%S+) (%S+) (%S+)" do
      local exact = unit.model.exact(tonumber(t))
      T.near(tonumber(q), exact.q, 1e-12, "q at " .. t)
      if before and before < 0 and tonumber(v) > 0 then impacts = impacts + 1 end
      before = tonumber(v)
    end
    T.ok(impacts >= 2, scheme .. ": there were impacts")
  end
end)

S.finish()
