-- What adaptive steps go on from, z_2 + (z_2 - z_1)/(2^p - 1) (THEORY 9.1), in steps of one length: orders. And the amplitude
-- that alpha leaves of an oscillation in a step.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

-- n steps of T/n, each one attempt: tolerances refuse nothing
local function program(model, scheme)
  return S.compile(S.unit(model, scheme .. ",adaptive=on,rtol=1,atol=1e6"), { main = ([[
#include "NAME.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const double T = atof(argv[1]);
    const int n = argc > 2 ? atoi(argv[2]) : 1;
    NAME s;
    if (NAME_init(&s, NULL) != CAROM_OK) {
        return 1;
    }
    for (int i = 0; i < n; ++i) {
        s.next_step = T / n;
        if (NAME_toward(&s, (i + 1) * T / n, T / n) != CAROM_OK) {
            return 2;
        }
    }
    for (int i = 0; i < (int)(sizeof s.v / sizeof s.v[0]); ++i) {
        printf("%.17g %.17g\n", s.q[i], s.v[i]);
    }
    return 0;
}
]]):gsub("NAME", model) })
end

local function ends(made, until_time, n)
  local x = {}
  for word in S.command(("%s %.17g %d"):format(made.program, until_time, n)):gmatch "%S+" do x[#x + 1] = tonumber(word) end
  return x
end

T.test("D-:M=1 on a curved contact: the numbers of the study, order 3", function()
  local made, h, e = program("bowl", "D-:M=1"), {}, {}
  local given = { 7.687708351162e-01, 6.604042674413e-01, -6.394876716362e-01, 7.939160712358e-01 }
  for i, x in ipairs(ends(made, 2, 100)) do T.near(x, given[i], 1e-12, "number " .. i) end
  local exact = S.run("bowl", "D-:M=4,quadrature=lobatto", { step = 2 / 400, until_time = 2 })
  for i, n in ipairs { 50, 100, 200 } do
    local x = ends(made, 2, n)
    h[i], e[i] = 1 / n, math.abs(x[1] - exact.q.x) + math.abs(x[3] - exact.q.y)
  end
  T.near(S.slope(h, e), 3, 0.25, ("errors %.2g %.2g %.2g"):format(table.unpack(e)))
end)

T.test("in free motion: order 3 of D-:M=1, 4 of moreau-jean", function()
  for _, case in ipairs { { "D-:M=1", 3 }, { "moreau-jean:theta=0.5", 4 } } do
    local made, h, e = program("forced_pendulum", case[1]), {}, {}
    for i, n in ipairs { 20, 40, 80 } do h[i], e[i] = 1 / n, math.abs(ends(made, 2, n)[1] + 8.267831524226e-01) end
    T.near(S.slope(h, e), case[2], 0.2, case[1])
  end
end)

T.test("alpha: what a step leaves of the amplitude", function()
  local model = { text = [[
local carom = require "carom"
local m = carom.model "swing"
local w = m:parameter("w", 1)
local q = m:coordinate("q", { initial = 1 })
m:kinetic_energy(q.dot^2 / 2)
m:potential_energy(w^2 * q^2 / 2)
m:run { until_time = 1, step = 1 }
return m]] }
  for _, row in ipairs { { "1", 1, 1, 1 }, { "0.9", 1, .999942, .983763 }, { "0.8", 1, .999475, .929792 },
    { "0.5", .999998, .989313, .682528 }, { "0", .999952, .906563, .242536 } } do
    for k, w in ipairs { 0.1, 1, 10 } do
      local n = row[1] == "0" and 60 or row[1] == "0.5" and 30 or 150 -- until the third root is gone
      local r = S.run(model, "alpha:rho=" .. row[1], { step = 1, until_time = n, set = { "w=" .. w }, csv = true })
      -- q_{n+2} = S q_{n+1} - D q_n, the amplitude is sqrt D
      local a, b, c, d = r.rows[n - 2].q, r.rows[n - 1].q, r.rows[n].q, r.rows[n + 1].q
      T.near(math.sqrt((b * d - c * c) / (a * c - b * b)), row[k + 1], 2e-6, ("rho = %s, omega h = %g"):format(row[1], w))
    end
  end
end)

S.finish()
