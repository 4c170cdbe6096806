-- carom sweep: the runs are those of carom run, bit for bit; samples are what they say.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local sample = require "gen.study.sample"

T.test("grids and Latin hypercubes", function()
  local grid = sample.grid { { low = 0, high = 1, count = 3 }, { low = 5, high = 5, count = 1 }, { low = 1, high = 2, count = 2 } }
  T.eq(#grid, 6)
  T.ok(grid[4][1] == 0.5 and grid[4][2] == 5 and grid[4][3] == 2)
  local rows = sample.latin({ { low = 2, high = 4 }, { mean = 1, sd = 0.1 } }, 200, 7)
  local met, normal = {}, {}
  for i, row in ipairs(rows) do
    met[1 + math.floor((row[1] - 2) / 2 * 200)] = true
    normal[i] = row[2]
  end
  for k = 1, 200 do T.ok(met[k], "part " .. k .. " is not met") end
  local s = sample.statistics(normal)
  T.near(s.mean, 1, 1e-3)
  T.near(s.sd, 0.1, 3e-3)
  T.near(s.median, 1, 2e-3)
  T.near(sample.normal(0.975), 1.959963985, 1e-8)
  T.near(sample.normal(0.001), -3.090232306, 1e-8)
  local again = sample.latin({ { low = 2, high = 4 }, { mean = 1, sd = 0.1 } }, 200, 7)
  T.eq(again[17][2], rows[17][2], "the same seed")
  T.ok(sample.latin({ { low = 2, high = 4 } }, 200, 8)[17][1] ~= rows[17][1], "another seed")
end)

T.test("a thousand balls: the table, its statistics, and the bits of carom run", function()
  local dir = S.place "sweep"
  local said = S.command(("./carom sweep zeno_ball --vary restitution=0.1:0.9:1000 -o %s"):format(dir))
  T.ok(said:find("1000 runs, 1000 good", 1, true) and said:find "ground.impulse", said)
  local rows = S.csv(fs.read(dir .. "/sweep.csv"))
  T.eq(#rows, 1000)
  for _, k in ipairs { 1, 500, 1000 } do
    local r = json.read(S.command(("./carom run zeno_ball --set restitution=%.17g --json --no-report --out %s"):format(
      rows[k].restitution, dir)))
    T.eq(rows[k].q, r.q.q)
    T.eq(rows[k]["q.dot"], r.v.q)
    T.eq(rows[k]["ground.impulse"], r.impulse.ground)
  end
end)

T.test("samples of initial values beside fixed ones; runs that cannot start are told", function()
  local dir = S.place "samples"
  local said = S.command(("./carom sweep bouncing_ball --sample 40 --vary q=1~0.6 --set gravity=5 --until 0.3 --seed 3 -o %s"):format(dir))
  local rows = S.csv(fs.read(dir .. "/sweep.csv"))
  local bad = 0
  for _, row in ipairs(rows) do
    T.eq(row.gravity, 5)
    bad = bad + (row.status == 0 and 0 or 1) -- started below the ground
  end
  T.ok(bad > 0 and bad < 10, bad .. " bad")
  T.ok(said:find(("40 runs, %d good"):format(40 - bad), 1, true), said)
end)

T.test("side by side: the table of one after another, byte for byte; runs that cannot start and a shorter last step among them", function()
  local text = {}
  for i, lanes in ipairs { "off", "on" } do
    local dir = S.place("lanes_" .. lanes)
    local said = S.command(("./carom sweep bouncing_ball --sample 600 --vary restitution=0.2:0.9 --vary q=1~0.6 --until 1.0007 --step 2e-3 "
      .. "--lanes %s -o %s"):format(lanes, dir))
    T.ok(said:find(i == 2 and "side by side, the bits of carom run" or "one after another", 1, true), said)
    text[i] = fs.read(dir .. "/sweep.csv")
  end
  T.eq(text[2], text[1])
  local column = {} -- one, two and more of ten contacts at once
  for i, lanes in ipairs { "off", "on" } do
    local dir = S.place("column_" .. lanes)
    S.command(("./carom sweep bead_column --sample 40 --vary restitution=0:0.9 --until 2 --scheme D-:M=1 --lanes %s -o %s")
      :format(lanes, dir))
    column[i] = fs.read(dir .. "/sweep.csv")
  end
  T.eq(column[2], column[1])
  local said = S.command(("./carom sweep bouncing_ball --sample 40 --vary q=1:2 --until 0.1 -o %s"):format(S.place "few"))
  T.ok(said:find("one after another", 1, true), "a few runs are not worth their compiler")
  local text_of, code = fs.capture "./carom sweep four_bar --sample 40 --vary gravity=1:2 --lanes on -o nowhere 2>&1"
  T.eq(code, 2, text_of)
  T.ok(text_of:find("%-%-lanes on: .*not for instances side by side"), text_of)
  if fs.run "command -v tcc >/dev/null" == 0 then -- which has no vectors
    text_of, code = fs.capture "CC=tcc ./carom sweep bouncing_ball --sample 40 --vary q=1:2 --lanes on -o nowhere 2>&1"
    T.ok(code == 2 and text_of:find("set CC to GCC or Clang", 1, true), text_of)
  end
end)

T.test("what is not understood is refused", function()
  for _, case in ipairs { { "", "needs %-%-vary" }, { "--vary mass=1:2", "LO:HI:N" }, { "--vary mass=1~2", "is for %-%-sample" },
    { "--vary masse=1:2:3", "did you mean" }, { "--vary mass=1:2:0", "whole number" }, { "--sample 10 --vary mass=1:2:3", "write LO:HI" },
    { "--vary mass=1:2:3 --vary mass=1:2:3", "twice" }, { "--vary mass=a:2:3", "not a finite number" } } do
    local said, code = fs.capture("./carom sweep bouncing_ball " .. case[1] .. " 2>&1 </dev/null")
    T.eq(code, 2, said)
    T.ok(said:find(case[2]), said)
  end
end)

S.finish()
