-- carom bench --peers: steps of generated code beside those of other programs that compute the same, by instructions and time.

local build = require "gen.cli.build"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local hand = require "gen.cli.bench_hand"

local B = {}

-- A chain of links that swings without contacts, for both sides.
local MASS, HALF, INERTIA, GRAVITY = 0.1, 0.05, { 2e-5, 1.2e-4, 1e-4 }, { 1, 2, -9.81 }

local CHAIN = ([[
local m = require("carom").model "chain"
m:gravity(%g, %g, %g)
local link
for i = 1, m:constant("n", 10) do
  link = m:link("j" .. i, { parent = link, joint = "revolute", axis = i %% 2 == 1 and { 0, 1, 0 } or { 0, 0, 1 },
    at = { i > 1 and %g or 0, 0, 0 }, mass = %g, center = { %g, 0, 0 }, inertia = { %g, %g, %g } })
end
return m
]]):format(GRAVITY[1], GRAVITY[2], GRAVITY[3], 2 * HALF, MASS, HALF, table.unpack(INERTIA))

-- The same as URDF, which MuJoCo reads at any length: its own files are nested, and not deeper than 100.
local function urdf(n, h, integrator)
  local text = { ([[<robot name="chain"><mujoco><compiler angle="radian" fusestatic="false"/><option integrator="%s" timestep="%g"
gravity="%g %g %g"><flag contact="disable" constraint="disable"/></option></mujoco><link name="link0"/>]]):format(integrator, h,
    table.unpack(GRAVITY)) }
  for i = 1, n do
    text[#text + 1] = ([[<link name="link%d"><inertial><origin xyz="%g 0 0"/><mass value="%g"/><inertia ixx="%g" iyy="%g" izz="%g" ixy="0"
ixz="0" iyz="0"/></inertial></link><joint name="j%d" type="continuous"><parent link="link%d"/><child link="link%d"/><origin xyz="%g 0 0"/>
<axis xyz="%s"/></joint>]]):format(i, HALF, MASS, INERTIA[1], INERTIA[2], INERTIA[3], i, i - 1, i, i > 1 and 2 * HALF or 0,
      i % 2 == 1 and "0 1 0" or "0 0 1")
  end
  return table.concat(text, "\n") .. "</robot>\n"
end

-- how a peer's programs are compiled: compiler, flags, the package that brings it
local PEERS = {
  Siconos = { compiler = os.getenv "CXX" or "c++", header = "siconos/SiconosConfig.h", parts = { "", "/kernel", "/numerics" },
    libraries = "-lsiconos_kernel -lsiconos_numerics", package = "libsiconos-kernel-dev" },
  MuJoCo = { compiler = os.getenv "CC" or "cc", header = "mujoco/mujoco.h", parts = {}, libraries = "-lmujoco", package = "libmujoco-dev" },
}

-- source: the peer's program in tests/bench; words: its arguments before the steps; set: of the model; both measures are taken between
-- the steps from and to; same: relative difference of places and velocities that stands for the same motion
local ROUNDING = 1e-9
local CASES = {}
local function siconos(case)
  case.peer, case.same = "Siconos", case.same or ROUNDING
  case.words[#case.words + 1] = case.method
  CASES[#CASES + 1] = case
end

local DMINUS, MOREAU_JEAN = "accelerations", "moreau-jean" -- as tests/bench/siconos_steps.hpp calls them
siconos { source = "siconos_column.cpp", words = { "1", "0" }, method = DMINUS, model = "bouncing_ball", scheme = "D-:M=1", h = 5e-4,
  from = 0, to = 16000 }
-- Siconos applies restitution to contacts that stay closed, too: then the motions differ by the order of h
siconos { source = "siconos_slider.cpp", words = { "0.4" }, method = DMINUS, model = "slider_crank", set = "restitution=0.4",
  scheme = "D-:M=1", h = 1e-5, from = 0, to = 800 }
siconos { source = "siconos_slider.cpp", words = { "0.1" }, method = DMINUS, model = "slider_crank", scheme = "D-:M=1", h = 1e-5,
  from = 300, to = 1500, same = 1e-5 }
-- Siconos ends its Newton iteration at a residual of 1e-10, which adds up
siconos { source = "siconos_slider.cpp", words = { "0.1" }, method = MOREAU_JEAN, model = "slider_crank",
  scheme = "moreau-jean:theta=0.5,gamma=0,mass=end", h = 1e-5, from = 0, to = 1500, same = 1e-6 }
-- with D- columns part once contacts stay closed
for _, n in ipairs { 1, 10, 100 } do
  siconos { source = "siconos_column.cpp", words = { tostring(n), "0.1" }, method = MOREAU_JEAN, model = "bead_column", set = "N=" .. n,
    scheme = "moreau-jean:theta=0.5,gamma=0", h = 1e-3, from = n > 10 and 400 or 0, to = n > 10 and 500 or 1000 }
end

local function mujoco(n, integrator, case)
  case.peer, case.source, case.model, case.set, case.size, case.integrator = "MuJoCo", "mujoco_steps.c", "chain", "n=" .. n, n, integrator
  CASES[#CASES + 1] = case
end
for _, n in ipairs { 10, 40 } do
  mujoco(n, "RK4", { scheme = "capture:rk=rk4", h = 1e-3, from = 100, to = 300, same = ROUNDING })
end
for _, n in ipairs { 10, 25, 40, 100, 200 } do -- one evaluation on both sides; MuJoCo moves places with the new velocities: O(h) apart
  mujoco(n, "Euler", { scheme = "moreau-jean:theta=0,mass=end", h = 1e-4, from = 10, to = 30, same = 1e-3 })
end

local function said_by(command)
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  if code ~= 0 then errors.environment("%s failed:\n%s", command, (said:gsub("%s+$", ""))) end
  return said
end

-- A program of a peer, or nil and why not.
local function program_of(name, source, folder)
  local p = PEERS[name]
  local said, code = fs.capture(("echo '#include <%s>' | %s -E -M -x %s - 2>/dev/null"):format(p.header, p.compiler,
    source:find "%.cpp$" and "c++" or "c"))
  local place = code == 0 and said:match("(%S*/[%w_]+)/[%w_]+%.h")
  if not place then return nil, ("not here (%s)"):format(p.package) end
  local flags, program = {}, folder .. "/" .. source:match "^[^.]+"
  for i, part in ipairs(p.parts) do flags[i] = "-I" .. said:match("(%S*/siconos)/SiconosConfig%.h") .. part end
  local why, failed = fs.capture(("%s -O2 %s %s -o %s %s 2>&1"):format(p.compiler, fs.command(flags),
    fs.quote(fs.root .. "/tests/bench/" .. source), fs.quote(program), p.libraries))
  if failed ~= 0 then return nil, "the comparison is written for another version: " .. (why:match "error:[^\n]*" or "") end
  return program
end

local ALONE = "OPENBLAS_NUM_THREADS=1 " -- no threads, which wait and count

-- The program of a generated model.
local function generated(case, folder)
  local dir, operand = ("%s/%s_%s"):format(folder, case.model, ((case.set or "") .. case.scheme):gsub("%W", "")), case.model
  if case.model == "chain" then
    operand = folder .. "/chain.lua"
    fs.need(fs.write(operand, CHAIN))
  end
  local words = { fs.root .. "/carom", "--no-install", "gen", operand, "--prefix", "peer", "--scheme", case.scheme, "-q", "-o", dir }
  if case.set then table.move({ "--set", case.set }, 1, 2, #words + 1, words) end
  said_by(fs.command(words))
  local sources = {}
  for path in fs.capture("find " .. fs.quote(dir) .. " -name '*.c' ! -name example_main.c | sort"):gmatch "[^\n]+" do
    sources[#sources + 1] = path
  end
  said_by(("%s -I%s -D_POSIX_C_SOURCE=199309L -include peer.h -DPEER_MODEL=peer_model %s %s -o %s/steps -lm"):format((build.compiler()),
    fs.quote(dir), fs.quote(fs.root .. "/tests/bench/peer_steps.c"), fs.command(sources), fs.quote(dir)))
  return dir .. "/steps"
end

-- what both programs do up to a step, timed from another one on: two functions that give commands
local function commands(case, ours, theirs, folder)
  local words, h = { theirs, table.unpack(case.words or {}) }, ("%.17g"):format(case.h)
  if case.peer == "MuJoCo" then
    words[2] = folder .. "/chain.urdf"
    fs.need(fs.write(words[2], urdf(case.size, case.h, case.integrator)))
  end
  local function of_ours(from, steps, again)
    return fs.command { ours, ("%d"):format(from), ("%d"):format(steps), h, ("%d"):format(again or 1) }
  end
  local function of_theirs(from, steps)
    local all = table.move(words, 1, #words, 1, {})
    table.move({ ("%d"):format(from), ("%d"):format(steps), case.peer == "Siconos" and h or nil }, 1, 3, #all + 1, all)
    return fs.command(all)
  end
  return of_ours, of_theirs
end

-- largest difference of two lists of places and velocities, relative to the largest of them
local function apart(a, b)
  local x, y, most, off = {}, {}, 0, 0
  for word in a:gsub("#[^\n]*", ""):gmatch "%S+" do x[#x + 1] = tonumber(word) end
  for word in b:gsub("#[^\n]*", ""):gmatch "%S+" do y[#y + 1] = tonumber(word) end
  if #x ~= #y or #x == 0 then return math.huge end
  for k = 1, #x do most, off = math.max(most, math.abs(x[k])), math.max(off, math.abs(x[k] - y[k])) end
  return off / most
end

local function instructions(folder, command, case)
  local function count(steps)
    local said = said_by(ALONE .. ("valgrind --tool=callgrind --callgrind-out-file=%s %s"):format(fs.quote(folder .. "/callgrind.out"),
      command(0, steps)))
    return tonumber(said:match("Collected%s*:%s*(%d+)")) or errors.environment("valgrind counts nothing:\n%s", said)
  end
  return (count(case.to) - count(case.from)) / (case.to - case.from)
end

-- Processor time of a step of both in nanoseconds, medians of runs that alternate, and the median of the ratios.
local RUNS, LONG_ENOUGH = 7, 0.05 -- s
local function times(case, ours, theirs)
  local function one(command) return 1e9 * tonumber(said_by(ALONE .. command):match "# (%S+) s a step") end
  local function median(list)
    table.sort(list)
    return list[#list // 2 + 1]
  end
  local again = math.ceil(LONG_ENOUGH * 1e9 / (one(ours(case.from, case.to)) * (case.to - case.from)))
  local a, b, ratio = {}, {}, {}
  for i = 1, RUNS do
    a[i], b[i] = one(ours(case.from, case.to, again)), one(theirs(case.from, case.to))
    ratio[i] = b[i] / a[i]
  end
  return median(a), median(b), median(ratio)
end

--- The table of tests/bench/README.md.
function B.table(folder, identity, compiler)
  if not hand.have_valgrind() then errors.environment "instructions are counted by valgrind, which is not installed" end
  print "| model, scheme | steps | carom | the other | ratio | carom, ns | the other, ns | ratio of times | results differ by |"
  print "|---|---|---|---|---|---|---|---|---|"
  local programs = {}
  for _, case in ipairs(CASES) do
    local label = ("`%s`, `%s` beside %s"):format(table.concat({ case.model, case.set }, " "), case.scheme, case.peer
      .. (case.integrator and ", " .. case.integrator or ""))
    programs[case.source] = programs[case.source] or { program_of(case.peer, case.source, folder) }
    local program, missing = table.unpack(programs[case.source], 1, 2)
    if not program then
      print(("| %s | | | %s | | | | | |"):format(label, missing))
    else
      local ours, theirs = commands(case, generated(case, folder), program, folder)
      local difference = apart(said_by(ours(0, case.to)), said_by(ALONE .. theirs(0, case.to)))
      local same = difference <= case.same -- false for NaN too
      if not same then errors.environment("%s: results differ by %g", label, difference) end
      local a, b = instructions(folder, ours, case), instructions(folder, theirs, case)
      local t, u, slower = times(case, ours, theirs)
      print(("| %s | %d to %d | %.0f | %.0f | %.1f | %.0f | %.0f | %.0f | %.1e |"):format(label, case.from, case.to, a, b, b / a, t, u,
        slower, difference))
    end
  end
  print(("\nInstructions of a step (callgrind) and its processor time with %s, `%s`."):format(identity, compiler))
end

return B
