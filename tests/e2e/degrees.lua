-- degrees= (a degree for each step): bits of the schemes of one degree, orders of steps that mix them, contact, what is refused.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

-- steps of the degrees of a list, over and over; -1: NAME_step
local function program(model, scheme, form)
  return S.compile(S.unit(model, scheme, { form = form }), { main = ([[
#include "NAME.h"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    const double T = atof(argv[1]);
    const int n = atoi(argv[2]);
    NAME s;
    if (NAME_init(&s, NULL) != CAROM_OK) {
        return 1;
    }
    for (int i = 0; i < n; ++i) {
        const int M = atoi(argv[3 + i % (argc - 3)]);
        const carom_status status = M < 0 ? NAME_step(&s, T / n) : NAME_step_degree(&s, T / n, M);
        if (status != CAROM_OK) {
            printf("status %d t %.17g\n", (int)status, s.t);
            return 0;
        }
    }
    for (int i = 0; i < NAME_NV; ++i) {
        printf("%.17g %.17g\n", s.q[i], s.v[i]);
    }
    return 0;
}
]]):gsub("NAME_NV", model:upper() .. "_NV"):gsub("NAME", model) })
end

local function motion(made, ...)
  local x = {}
  for word in S.command(table.concat({ made.program, ... }, " ")):gmatch "%S+" do x[#x + 1] = tonumber(word) or word end
  return x
end

local ALL = "D-:degrees=1,2,4"

for _, form in ipairs { "unrolled", "looped" } do
  local made
  T.test("each degree is the scheme of that degree to the last bit, NAME_step the last of them, " .. form, function()
    made = program("bowl", ALL, form)
    for _, M in ipairs { 1, 2, 4 } do
      local r, x = S.run("bowl", "D-:M=" .. M, { step = 2 / 50, until_time = 2, form = form }), motion(made, 2, 50, M)
      T.eq(("%.17g %.17g"):format(x[1], x[4]), ("%.17g %.17g"):format(r.q.x, r.v.y), "M = " .. M)
    end
    T.eq(table.concat(motion(made, 2, 50, -1), " "), table.concat(motion(made, 2, 50, 4), " "))
  end)

  T.test("steps of mixed degrees on a curved contact have the order of the worst of them, " .. form, function()
    local exact = S.run("bowl", "D-:M=4,quadrature=lobatto", { step = 2 / 400, until_time = 2 })
    for _, case in ipairs { { { 1, 4 }, 2, 0.25 }, { { 4, 4, 2 }, 4, 0.3 }, { { 1, 2 }, 2, 0.25 }, { { 4 }, 6, 0.5 } } do
      local h, e = {}, {}
      for i, n in ipairs { 48, 96, 192 } do
        local x = motion(made, 2, n, table.unpack(case[1]))
        h[i], e[i] = 1 / n, math.sqrt((x[2] - exact.v.x) ^ 2 + (x[4] - exact.v.y) ^ 2)
      end
      T.near(S.slope(h, e), case[2], case[3], table.concat(case[1], ",") .. " errors " .. e[1] .. " " .. e[3])
    end
  end)

  T.test("a degree that is not there is refused and the state stays, " .. form, function()
    for _, M in ipairs { 0, 3, 5, 100 } do
      T.eq(table.concat(motion(made, 2, 50, 4, 4, M), " "), "status -4 t 0.08", "M = " .. M)
    end
  end)
end

T.test("free fall with accumulating impacts, degrees by turns: it rests with the impulse of its weight", function()
  local made = program("zeno_ball", "D-:degrees=1,2,3")
  local x = motion(made, 4, 407, 1, 2, 3)
  T.near(x[1], 0, 2e-4)
  T.eq(x[2], 0)
end)

T.test("D+ and Lobatto nodes have it as well", function()
  local made = program("forced_pendulum", "D+:degrees=2,3,quadrature=lobatto")
  local h, e = {}, {}
  for i, n in ipairs { 20, 40, 80 } do h[i], e[i] = 1 / n, math.abs(motion(made, 2, n, 3, 2)[1] + 8.267831524226e-01) end
  T.near(S.slope(h, e), 4, 0.2)
end)

T.test("what cannot be together is refused with what to write", function()
  for scheme, said in next, { ["D-:degrees=2,1"] = "each above the one before", ["D-:degrees=0,1"] = "whole numbers from 1 to 8",
    ["D-:degrees=1,2,M=2"] = "leave it out, or write M=2", ["D-:degrees=1,2,impact=split"] = "knows one degree only",
    ["D-:degrees=1,2,adaptive=on"] = "knows one degree only", ["D-:degrees=1,2,dense=on"] = "knows one degree only",
    ["D-:degrees=1,x"] = "cannot read 'x'" } do
    T.fails(function() S.unit("bowl", scheme) end, said)
  end
end)

S.finish()
