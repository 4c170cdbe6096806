-- carom bench --embed: steps side by side in vectors, in units of FMI and from Python, beside the same steps in a loop of C.

local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"

local E = {}

local function quietly(command)
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  if code ~= 0 then errors.environment("%s failed:\n%s", command, (said:gsub("%s+$", ""))) end
  return said
end

-- A folder that a target was written to.
local function made(folder, model, target)
  local dir = ("%s/%s_%s"):format(folder, model, target)
  quietly(fs.command { fs.root .. "/carom", "--no-install", "gen", model, "--target", target, "-q", "-o", dir })
  return dir
end

local function macros(model, header, list)
  local words = { "-DMODEL=" .. model, ("-DHEADER='\"%s\"'"):format(header) }
  for _, pair in ipairs(list) do words[#words + 1] = "-D" .. pair end
  return table.concat(words, " ")
end

-- models, how long, what is asked of 4 and of 8 lanes
local BATCHES = {
  { "bouncing_ball", "1.0", "5e-4", "for 1 s" }, { "bouncing_ball", "10.0", "5e-4", "for 10 s, with the rest that follows" },
  { "slider_crank", "0.02", "1e-5", "for 0.02 s" },
}
local ASKED = { [4] = 4, [8] = 7 }

local function batches(results, folder)
  local flags = quietly "grep -m1 -o avx512dq /proc/cpuinfo || true" ~= "" and { "-mavx2", "-march=native" } or { "-march=native" }
  for _, b in ipairs(BATCHES) do
    local dir = made(folder, b[1], "batch")
    local plain = fs.capture(("cd %s && find . -name '*.c' ! -name '*_batch.c' ! -name example_main.c | sort"):format(fs.quote(dir)))
      :gsub("%s+", " ")
    for _, flag in ipairs(flags) do
      local program = dir .. "/timed"
      quietly(("cd %s && %s -O2 -c %s -I. && %s -O3 %s %s -I. %s %s_batch.c -c && %s *.o -o timed -lm"):format(fs.quote(dir),
        (build.compiler()), plain, (build.compiler()), flag,
        macros(b[1], b[1] .. "_batch.h", { "COUNT=4096", "END=" .. b[2], "STEP=" .. b[3] }),
        fs.quote(fs.root .. "/tests/bench/bench_batch.c"), b[1], (build.compiler())))
      local lanes, together, apart, left = quietly(fs.quote(program)):match "(%d+) (%S+) (%S+) (%S+)"
      results:add(("%s in %s lanes %s"):format(b[1], lanes, b[4]), apart / together, "ratio", ASKED[tonumber(lanes)],
        ("%s ns a step, alone %s; %s of them left alone"):format(together, apart, left), ">")
    end
  end
end

local function units(results, folder)
  for _, b in ipairs { { "bouncing_ball", "5e-4" }, { "slider_crank", "1e-5" } } do
    local dir = made(folder, b[1], "fmu3")
    quietly(("cd %s && unzip -q -o %s.fmu"):format(fs.quote(dir), b[1]))
    local token = fs.read(dir .. "/modelDescription.xml"):match 'instantiationToken="(%x+)"'
    quietly(("cd %s/sources && %s -DCAROM_FMU_STATIC -I. %s -DTOKEN='\"%s\"' $(find . -name '*.c') %s -o ../timed -lm"):format(
      fs.quote(dir), (build.compiler()), macros(b[1], b[1] .. ".h", { "STEP=" .. b[2] }), token,
      fs.quote(fs.root .. "/tests/bench/bench_unit.c")))
    local bare, unit = quietly(fs.quote(dir .. "/timed")):match "(%S+) (%S+)"
    results:add("fmi3DoStep of one step of " .. b[1], tonumber(unit), "ns", 1.5 * bare + 100, ("a bare step takes %s"):format(bare))
    E.bare = tonumber(bare)
  end
end

local PYTHON = [[
import time
from slider_crank import Model, COLUMNS
for columns in (COLUMNS, ["t", "theta1"]):
    best = 1e9
    for k in range(9):
        m = Model()
        start = time.process_time()
        m.run(until=0.2, step=1e-5, columns=columns)
        best = min(best, time.process_time() - start)
    print(len(columns), best / 20000 * 1e9)
]]

local function python(results, folder)
  local dir = made(folder, "slider_crank", "python")
  assert(fs.write(dir .. "/timed.py", PYTHON))
  local with = fs.run "python3 -c 'import numpy' 2>/dev/null" == 0 and "with NumPy" or "without NumPy"
  for columns, ns in quietly(("cd %s && python3 timed.py"):format(fs.quote(dir))):gmatch "(%d+) (%S+)" do
    results:add(("Model.run of slider_crank, a step, %s columns"):format(columns), tonumber(ns), "ns", 1.5 * E.bare, with)
  end
end

--- Adds the rows.
function E.run(results, folder)
  batches(results, folder)
  if fs.run "command -v unzip >/dev/null" == 0 then units(results, folder) end
  if E.bare and fs.run "command -v python3 >/dev/null" == 0 then python(results, folder) end
end

return E
