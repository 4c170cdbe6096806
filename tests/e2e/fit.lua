-- carom fit finds what a noisy record was made with.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local marquardt = require "gen.study.marquardt"

T.test("least squares: a curve through points, its errors, and no convergence without data", function()
  local t, y = {}, {}
  for i = 1, 30 do
    t[i] = i / 10
    y[i] = 3 * math.exp(-0.7 * t[i]) + 1e-3 * (-1) ^ i
  end
  local x, rms, errors, converged = marquardt.fit({ 1, 0.2 }, function(list)
    local all = {}
    for k, p in ipairs(list) do
      all[k] = {}
      for i = 1, 30 do all[k][i] = p[1] * math.exp(-p[2] * t[i]) - y[i] end
    end
    return all
  end, {})
  T.ok(converged)
  T.near(x[1], 3, 5e-3)
  T.near(x[2], 0.7, 2e-3)
  T.near(rms, 1e-3, 1e-4)
  T.ok(errors[1] > 1e-4 and errors[1] < 2e-3, errors[1])
  T.eq(marquardt.fit({ 1 }, function(list) return { list and false } end, {}), nil)
end)

local MODEL = [[
local carom = require "carom"
local m = carom.model "wall"
local ratio = m:parameter("ratio", 1.5)
local e = m:parameter("restitution", 0.6, "1")
local x = m:coordinate("x", { initial = 1, velocity = 0 })
local y = m:coordinate("y", { initial = 2, velocity = 0 })
m:kinetic_energy(x.dot ^ 2 / 2 + ratio * y.dot ^ 2 / 2)
m:potential_energy(5 * x ^ 2 + 8 * (y - x - 1) ^ 2)
m:contact("wall", { gap = x + 0.2, restitution = e })
m:run { until_time = 2, step = 2e-3 }
return m]]

T.test("mass ratio and restitution of a noisy record to 1 %", function()
  local dir = S.place "fit"
  assert(fs.write(dir .. "/wall.lua", MODEL))
  S.command(("./carom run %s/wall.lua --set ratio=2 --set restitution=0.7 -q --no-report --every 10 --out %s/run"):format(dir, dir))
  local lines, seed = { "t,x,y" }, 12345
  local function noise() -- 1 % of the motion, uniform
    seed = (1103515245 * seed + 12345) % 2147483648
    return 0.02 * (seed / 2147483648 - 0.5)
  end
  for _, row in ipairs(S.csv(fs.read(dir .. "/run/result.csv"))) do
    lines[#lines + 1] = ("%.17g,%.6f,%.6f"):format(row.t, row.x + noise(), row.y + noise())
  end
  assert(fs.write(dir .. "/data.csv", table.concat(lines, "\n") .. "\n"))
  local said = S.command(("./carom fit %s/wall.lua %s/data.csv --free ratio,restitution --scan 40 -q"):format(dir, dir))
  T.near(tonumber(said:match "ratio +(%S+)"), 2, 0.02, said)
  T.near(tonumber(said:match "restitution +(%S+)"), 0.7, 0.007, said)
  said = S.command(("./carom fit %s/wall.lua %s/data.csv --free ratio,restitution --scan 0"):format(dir, dir))
  T.ok(said:find("derivatives: by differences, for contacts hit", 1, true), said)
  local function refused(words, pattern)
    local text, code = fs.capture(("./carom fit %s 2>&1 </dev/null"):format(words))
    T.eq(code, 2, text)
    T.ok(text:find(pattern), text)
  end
  refused("bouncing_ball", "DATA.csv")
  refused(("%s/wall.lua %s/data.csv"):format(dir, dir), "needs %-%-free")
  refused(("%s/wall.lua %s/data.csv --free ration"):format(dir, dir), "did you mean")
  refused("bouncing_ball nowhere.csv --free mass", "nowhere.csv")
  refused(("bouncing_ball %s/data.csv --free mass --scan 0"):format(dir), "has no column 'x'")
end)

T.test("where no contact hits, derivatives are those of the step: parameters, initial values and an input", function()
  local dir = S.place "smooth"
  assert(fs.write(dir .. "/pendulum.lua", [[
local carom = require "carom"
local m = carom.model "driven"
local g = m:parameter("g", 9)
local u = m:input("u", 0)
local a = m:coordinate("a", { initial = 1, velocity = 0 })
m:kinetic_energy(a.dot ^ 2 / 2)
m:potential_energy(-g * carom.cos(a) - u * a)
m:force(a, -0.1 * a.dot)
m:contact("stop", { gap = a + 3, restitution = 0.5 })
m:run { until_time = 2, step = 1e-2 }
return m]]))
  S.command(("./carom run %s/pendulum.lua --set g=9.81 --set a=1.1 --set u=0.3 -q --no-report --every 4 --out %s/run"):format(dir, dir))
  local lines = { "t,a,a.dot" }
  for _, row in ipairs(S.csv(fs.read(dir .. "/run/result.csv"))) do
    lines[#lines + 1] = ("%.17g,%.17g,%.17g"):format(row.t, row.a, row["a.dot"])
  end
  assert(fs.write(dir .. "/data.csv", table.concat(lines, "\n") .. "\n"))
  local said = S.command(("./carom fit %s/pendulum.lua %s/data.csv --free g,a,u=0.1 --scan 0"):format(dir, dir))
  T.ok(said:find("derivatives: of the generated step", 1, true), said)
  for name, x in next, { g = 9.81, a = 1.1, u = 0.3 } do -- order does not matter; Newton's method: derivatives are exact
    T.near(tonumber(said:match("\n" .. name .. " +(%S+)")), x, 1e-8, said)
  end
  local _, steps = said:gsub("rms", "")
  T.ok(steps <= 7, said)
  said = S.command(("./carom fit %s/pendulum.lua %s/data.csv --free g,a,u=0.1 --scan 0 --scheme alpha:level=all"):format(dir, dir))
  T.ok(said:find("derivatives: by differences, for ", 1, true), said)
end)

S.finish()
