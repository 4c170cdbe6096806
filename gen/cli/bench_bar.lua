-- The part of carom bench about the bar of models/fem/impacting_bar.lua: its two paths, and the same bar in Siconos.

local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local B = {}

-- Nodes, steps, speed: the faster bar touches the wall in its seventh step, so that few steps tell enough. Half of the slow one's
-- steps are before that.
local CASES = { { 100, 500, 0.1 }, { 1000, 40, 4 }, { 3000, 20, 4 } }
local STEP, REPEAT = 2e-6, 3

-- The program of the peer, or nil and why not.
local function siconos(folder)
  local compiler = os.getenv "CXX" or "c++"
  local said, code = fs.capture(("echo '#include <siconos/SiconosConfig.h>' | %s -x c++ -E -M - 2>/dev/null"):format(compiler))
  local place = code == 0 and said:match("(%S*/siconos)/SiconosConfig%.h")
  if not place then return nil, "install Siconos (libsiconos-kernel-dev) to compare with it" end
  local program, flags = folder .. "/siconos_bar", {}
  for i, part in ipairs { "", "/kernel", "/numerics" } do flags[i] = "-I" .. place .. part end
  local why, failed = fs.capture(("%s -O2 %s %s -o %s -lsiconos_kernel -lsiconos_numerics 2>&1"):format(compiler,
    fs.command(flags), fs.quote(fs.root .. "/tests/bench/siconos_bar.cpp"), fs.quote(program)))
  if failed ~= 0 then return nil, "the comparison is written for another Siconos: " .. (why:match("error:[^\n]*") or "") end
  return program
end

-- rows of numbers of a csv file, without its head
local function rows_of(path)
  local rows = {}
  for line in (fs.read(path) or ""):gmatch("[^\n]+") do
    local row = {}
    for word in line:gmatch("[^,]+") do row[#row + 1] = tonumber(word) end
    if row[1] then rows[#rows + 1] = row end
  end
  return rows
end

-- one run of the bar: processor milliseconds per step
local function run(folder, path, case, every)
  local command = fs.command { fs.root .. "/carom", "--no-install", "run", "impacting_bar", "--path", path, "--set", "n=" .. case[1],
    "--set", "v0=" .. case[3], "--step", ("%.17g"):format(STEP), "--until", ("%.17g"):format(case[2] * STEP), "--json", "--every", every,
    "--out", folder .. "/bar" }
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  local result = code == 0 and json.read(said)
  if not result then errors.environment("%s failed:\n%s", command, said) end
  return 1e3 * result.cpu_seconds / result.steps
end

-- the best of several, and where the tip was: rows t, x, v of every step
local function ours(folder, path, case)
  run(folder, path, case, "1")
  local rows, best = rows_of(folder .. "/bar/result.csv"), math.huge
  for _ = 1, REPEAT do best = math.min(best, run(folder, path, case, "1000000")) end
  table.remove(rows, 1) -- the start
  return best, rows
end

-- largest difference of two tips, relative to the distance at the start and to the speed
local function apart(a, b, speed)
  if #a ~= #b then return math.huge end
  local worst = 0
  for i, row in ipairs(a) do
    worst = math.max(worst, math.abs(row[2] - b[i][2]) / 5e-5, math.abs(row[3] - b[i][3]) / speed)
  end
  return worst
end

--- paths: those of carom that can run here
function B.run(results, folder, paths)
  local peer, why = siconos(folder)
  if not peer then results:add("bar in Siconos over carom", nil, "ratio", nil, "not measured: " .. why) end
  local first = {}
  for _, case in ipairs(CASES) do
    local theirs, their_rows
    if peer then
      local file = folder .. "/siconos.csv"
      local command = ("OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 %s 2>&1"):format(fs.command { peer, tostring(case[1]),
        tostring(case[2]), ("%.17g"):format(STEP), tostring(case[3]), file })
      local said, code = fs.capture(command)
      theirs = tonumber(said:match("ms/step (%S+)"))
      if code ~= 0 or not theirs then errors.environment("%s failed:\n%s", command, said) end
      their_rows = rows_of(file)
    end
    for _, path in ipairs(paths) do
      local ms, rows = ours(folder, path, case)
      local name = ("bar %d dof, %s path"):format(case[1], path)
      if theirs then
        results:add(name .. ": Siconos over carom", theirs / ms, "ratio", 1,
          ("Siconos %.3g ms/step, carom %.3g ms/step, tips differ by %.1e of distance and speed"):format(
            theirs, ms, apart(rows, their_rows, case[3])), ">")
      else
        results:add(name .. ": a step", ms, "ms")
      end
      first[path] = first[path] or ms / case[1]
      if case[1] == CASES[#CASES][1] then
        results:add(name .. ": time per dof over that of 100", ms / case[1] / first[path], "ratio", 1.5)
      end
    end
  end
end

return B
