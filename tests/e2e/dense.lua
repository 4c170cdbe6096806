-- Dense output: the state between the grid points. Measured against a fine run from the same start of the step, so that what is
-- seen is the interpolant: v has order M + 1 (degree M), q one more, in the step's own error measure.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

-- largest difference of q and of v between NAME_between and a fine run, at three places inside every step of h up to t = 2
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
        fine = start;
        for (int j = 1; j < 4; ++j) {
            for (int k = 0; k < 10; ++k) {
                if (forced_pendulum_step(&fine, h / 40.0) != CAROM_OK) {
                    return 3;
                }
            }
            if (forced_pendulum_between(&s, start.t + 0.25 * j * h, q, v) != CAROM_OK) {
                return 4;
            }
            worst_q = fmax(worst_q, fabs(q[0] - fine.q[0]));
            worst_v = fmax(worst_v, fabs(v[0] - fine.v[0]));
        }
        (void)forced_pendulum_between(&s, s.t, q, v);
        end = fmax(end, fmax(fabs(q[0] - s.q[0]), fabs(v[0] - s.v[0])));
        if (forced_pendulum_between(&s, s.t + h, q, v) != CAROM_ARGUMENT) {
            return 5; /* outside the last step */
        }
    }
    printf("%.17g %.17g %.17g\n", worst_q, worst_v, end);
    return 0;
}
]]

-- declared: degree + 1 for v; q gains one power of h inside the step
for _, case in ipairs { { "D-:M=1", 2, 3 }, { "D-:M=2", 3, 4 }, { "D-:M=3", 4, 5 }, { "D+:M=2", 3, 4 }, { "moreau-jean:theta=0.5", 1, 2 },
  { "schatzman-paoli:theta=0", 1, 2 } } do
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

S.finish()
