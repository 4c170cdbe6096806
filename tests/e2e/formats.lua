-- Results as arrays of NumPy (--format npy): the numbers of the csv, read by NumPy, by carom view and plot, gone on with.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"
local rows = require "gen.report.rows"

local carom = large.carom

local function run(words, format)
  local dir = large.out()
  local out, err, code = carom(("run %s --out %s%s"):format(words, dir, format and " --format " .. format or ""))
  T.eq(code, 0, out .. err)
  return dir, out
end

-- head and rows by the definition of the format: names, list of rows
local function parsed(path)
  local text = fs.read(path)
  T.eq(text:sub(1, 8), "\x93NUMPY\1\0")
  local size = ("<I2"):unpack(text, 9)
  T.eq((10 + size) % 64, 0, "rows are aligned")
  local head, names, list = text:sub(11, 10 + size), {}, {}
  T.ok(head:find "^{'descr': %[.*%], 'fortran_order': False, 'shape': %( *%d+,%), } *\n$", head)
  for name in head:gmatch "%('([^']+)', '<f8'%)" do names[#names + 1] = name end
  local count = tonumber(head:match "%( *(%d+),%)")
  T.eq(#text, 10 + size + 8 * #names * count, "as many rows as it says")
  for i = 1, count do list[i] = { ("<" .. ("d"):rep(#names)):unpack(text, 11 + size + 8 * #names * (i - 1)) } end
  return names, list
end

local WORDS = "slider_crank --until 0.01"

T.test("result.npy has the numbers of result.csv, to the last bit", function()
  local dir, said = run(WORDS, "npy")
  T.ok(said:find("result.npy", 1, true), said)
  local names, list = parsed(dir .. "/result.npy")
  local csv, columns = S.csv(fs.read(run(WORDS) .. "/result.csv"))
  T.eq(table.concat(names, ","), table.concat(columns, ","))
  T.eq(#list, #csv)
  for i, row in ipairs(csv) do
    for k, name in ipairs(names) do T.eq(list[i][k], row[name] + 0.0, name) end
  end
  T.eq(rows.last(dir .. "/result.npy")[1], 0.01)
end)

T.test("the other format of an earlier run in the same folder is removed; carom view and plot read what is there", function()
  local dir = run("bouncing_ball --until 1 --no-report")
  local out, err, code = carom(("run bouncing_ball --until 2 --format npy --out %s"):format(dir))
  T.eq(code, 0, out .. err)
  T.ok(not fs.exists(dir .. "/result.csv") and fs.exists(dir .. "/report.html"), "result.csv is gone")
  local page = fs.read(dir .. "/report.html")
  out, err, code = carom("view --no-open " .. dir)
  T.eq(code, 0, out .. err)
  T.eq(#fs.read(dir .. "/report.html"), #page)
  for _, from in ipairs { dir, dir .. "/result.npy" } do
    out, err, code = carom(("plot %s q --from 1.5 --out %s/q.svg"):format(from, dir))
    T.eq(code, 0, out .. err)
    T.ok(fs.read(dir .. "/q.svg"):find "<svg", "a figure")
  end
  T.eq(select(3, carom(("run bouncing_ball --until 1 --no-report --out %s"):format(dir))), 0)
  T.ok(not fs.exists(dir .. "/result.npy") and fs.exists(dir .. "/result.csv"), "result.npy is gone")
end)

T.test("gone on with from a checkpoint: the same bytes", function()
  local words, state = "slider_crank --scheme moreau-jean:theta=0.5 --step 1e-4 --until ", S.folder .. "/state"
  local whole, half = run(words .. "0.04", "npy"), run(words .. "0.0203 --checkpoint " .. state, "npy")
  local out, err, code = carom(("run %s0.04 --format npy --resume %s --out %s"):format(words, state, half))
  T.eq(code, 0, out .. err)
  T.eq(fs.read(half .. "/result.npy"), fs.read(whole .. "/result.npy"))
end)

T.test("events.csv: times within steps with capture, the ends of steps where --events asks for it; the report has them", function()
  local function events(dir)
    local list = {}
    for line in fs.read(dir .. "/events.csv"):gmatch "[^\n]+" do
      local t, what, impulse = line:match "^([%d.]+),ground,(%a+),([^,]+),"
      list[#list + 1] = t and { tonumber(t), what, tonumber(impulse) } or nil
    end
    return list
  end
  local first = math.sqrt(2 / 9.81)
  local dir = run "bouncing_ball --scheme capture:rk=dopri5 --step 0.01 --until 1.5"
  local list = events(dir)
  T.eq(#list, 4)
  T.near(list[1][1], first, 1e-12)
  T.near(list[3][1], 2.8 * first, 1e-12)
  T.near(list[1][3], 1.9 * 9.81 * first, 1e-12)
  T.eq(list[1][2] .. list[2][2], "closesopens")
  T.ok(fs.read(dir .. "/report.html"):find('"events":[[' .. ("%.17g"):format(list[1][1]), 1, true), "the report has it")
  T.eq(select(3, carom("run bouncing_ball --step 0.01 --until 1.5 --out " .. dir)), 0)
  T.ok(not fs.exists(dir .. "/events.csv"), "of another run")
  list = events(run "bouncing_ball --step 0.01 --until 1.5 --events")
  T.eq(#list, 4)
  T.eq(list[1][1], 0.46)
end)

T.test("mistakes", function()
  for words, said in pairs { ["--format numpy"] = "--format numpy: write csv or npy", ["--format npy --out -"] = "--out - prints csv" } do
    local _, err, code = carom("run bouncing_ball " .. words)
    T.eq(code, 2)
    T.ok(err:find(said, 1, true), err)
  end
end)

local python
for _, name in ipairs { "python3", "/usr/bin/python3" } do
  if not python and fs.run(name .. " -c 'import numpy' >/dev/null 2>&1") == 0 then python = name end
end
if python then
  T.test("NumPy reads it: names, rows, numbers, also with a head longer than format 1.0 has room for", function()
    local dir = run("bouncing_ball --until 2 --no-report", "npy")
    local many = run("cradle --set N=1500 --until 0.002 --step 1e-3 --no-report", "npy")
    local said = S.command(([[%s -c '
import numpy
a = numpy.load("%s/result.npy")
assert a.shape == (4001,) and a.dtype.names[:3] == ("t", "q", "q.dot"), a.dtype
assert a["t"][0] == 0 and a["t"][-1] == 2 and abs(a["q.dot"].min() + 4.43) < 0.01
b = numpy.load("%s/result.npy", max_header_size=10**7)
assert b.shape == (3,) and len(b.dtype.names) > 7000 and b["t"][2] == 0.002
print("good")']]):format(python, dir, many))
    T.eq(said, "good\n")
  end)
else
  T.skip("NumPy reads it", "NumPy is not installed")
end

S.finish()
