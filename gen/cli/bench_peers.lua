-- carom bench --peers: steps of generated code beside those of other programs that compute the same, by instructions.

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

-- how a peer's program is compiled: the file in tests/bench, compiler, flags, the package that brings it
local PEERS = {
  Siconos = { source = "siconos_column.cpp", compiler = os.getenv "CXX" or "c++", header = "siconos/SiconosConfig.h",
    parts = { "", "/kernel", "/numerics" }, libraries = "-lsiconos_kernel -lsiconos_numerics", package = "libsiconos-kernel-dev" },
  MuJoCo = { source = "mujoco_steps.c", compiler = os.getenv "CC" or "cc", header = "mujoco/mujoco.h", parts = {},
    libraries = "-lmujoco", package = "libmujoco-dev" },
}

-- set: of the model; instructions are counted between the steps from and to; same: relative difference of places and velocities that
-- stands for the same motion
local SAME = 1e-9
local CASES = {}
for _, n in ipairs { 1, 10, 100 } do
  CASES[#CASES + 1] = { peer = "Siconos", model = "bead_column", set = "N=" .. n, scheme = "moreau-jean:theta=0.5,gamma=0", h = 1e-3,
    from = n > 10 and 400 or 0, to = n > 10 and 500 or 1000, same = SAME }
end
for _, n in ipairs { 10, 40 } do
  CASES[#CASES + 1] = { peer = "MuJoCo", integrator = "RK4", model = "chain", set = "n=" .. n, scheme = "capture:rk=rk4", h = 1e-3,
    from = 100, to = 300, same = SAME }
end
for _, n in ipairs { 10, 25, 40, 100, 200 } do -- one evaluation on both sides; MuJoCo moves places with the new velocities: O(h) apart
  CASES[#CASES + 1] = { peer = "MuJoCo", integrator = "Euler", model = "chain", set = "n=" .. n, scheme = "moreau-jean:theta=0,mass=end",
    h = 1e-4, from = 10, to = 30, same = 1e-3 }
end

local function said_by(command)
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  if code ~= 0 then errors.environment("%s failed:\n%s", command, (said:gsub("%s+$", ""))) end
  return said
end

-- The program of a peer, or nil and why not.
local function program_of(name, folder)
  local p = PEERS[name]
  local said, code = fs.capture(("echo '#include <%s>' | %s -E -M -x %s - 2>/dev/null"):format(p.header, p.compiler,
    p.source:find "%.cpp$" and "c++" or "c"))
  local place = code == 0 and said:match("(%S*/[%w_]+)/[%w_]+%.h")
  if not place then return nil, ("not here (%s)"):format(p.package) end
  local flags, program = {}, folder .. "/" .. name
  for i, part in ipairs(p.parts) do flags[i] = "-I" .. said:match("(%S*/siconos)/SiconosConfig%.h") .. part end
  local why, failed = fs.capture(("%s -O2 %s %s -o %s %s 2>&1"):format(p.compiler, fs.command(flags),
    fs.quote(fs.root .. "/tests/bench/" .. p.source), fs.quote(program), p.libraries))
  if failed ~= 0 then return nil, "the comparison is written for another version: " .. (why:match "error:[^\n]*" or "") end
  return program
end

-- The program of a generated model.
local function generated(case, folder)
  local dir, operand = ("%s/%s_%s"):format(folder, case.model, (case.set .. case.scheme):gsub("%W", "")), case.model
  if case.model == "chain" then
    operand = folder .. "/chain.lua"
    fs.need(fs.write(operand, CHAIN))
  end
  said_by(fs.command { fs.root .. "/carom", "--no-install", "gen", operand, "--prefix", "peer", "--scheme", case.scheme, "--set", case.set,
    "-q", "-o", dir })
  local sources = {}
  for path in fs.capture("find " .. fs.quote(dir) .. " -name '*.c' ! -name example_main.c | sort"):gmatch "[^\n]+" do
    sources[#sources + 1] = path
  end
  said_by(("%s -I%s -include peer.h -DPEER_MODEL=peer_model %s %s -o %s/steps -lm"):format((build.compiler()), fs.quote(dir),
    fs.quote(fs.root .. "/tests/bench/peer_steps.c"), fs.command(sources), fs.quote(dir)))
  return dir .. "/steps"
end

-- what a program does up to a step: a command
local function commands(case, ours, theirs, folder)
  local size = case.set:match "%d+"
  local file = folder .. "/chain.urdf"
  if case.peer == "MuJoCo" then fs.need(fs.write(file, urdf(tonumber(size), case.h, case.integrator))) end
  return function(steps) return fs.command { ours, ("%d"):format(steps), ("%.17g"):format(case.h) } end, function(steps)
    if case.peer == "MuJoCo" then return fs.command { theirs, file, ("%d"):format(steps) } end
    return fs.command { theirs, size, ("%d"):format(steps), ("%.17g"):format(case.h) }
  end
end

-- largest difference of two lists of places and velocities, relative to the largest of them
local function apart(a, b)
  local x, y, most, off = {}, {}, 0, 0
  for word in a:gmatch "%S+" do x[#x + 1] = tonumber(word) end
  for word in b:gmatch "%S+" do y[#y + 1] = tonumber(word) end
  if #x ~= #y or #x == 0 then return math.huge end
  for k = 1, #x do most, off = math.max(most, math.abs(x[k])), math.max(off, math.abs(x[k] - y[k])) end
  return off / most
end

local function instructions(folder, command, case)
  local function count(steps)
    local said = fs.capture(("valgrind --tool=callgrind --callgrind-out-file=%s %s 2>&1 </dev/null"):format(
      fs.quote(folder .. "/callgrind.out"), command(steps)))
    return tonumber(said:match("Collected%s*:%s*(%d+)")) or errors.environment("valgrind counts nothing:\n%s", said)
  end
  return (count(case.to) - count(case.from)) / (case.to - case.from)
end

--- The table of tests/bench/README.md.
function B.table(folder, identity, compiler)
  if not hand.have_valgrind() then errors.environment "instructions are counted by valgrind, which is not installed" end
  print "| model, scheme | steps | carom | the other | ratio | results differ by |\n|---|---|---|---|---|---|"
  local programs, missing = {}, {}
  for name in next, PEERS do programs[name], missing[name] = program_of(name, folder) end
  for _, case in ipairs(CASES) do
    local label = ("`%s %s`, `%s` beside %s"):format(case.model, case.set, case.scheme, case.peer
      .. (case.integrator and ", " .. case.integrator or ""))
    if not programs[case.peer] then
      print(("| %s | | | %s | | |"):format(label, missing[case.peer]))
    else
      local ours, theirs = commands(case, generated(case, folder), programs[case.peer], folder)
      local difference = apart(said_by(ours(case.to)), said_by(theirs(case.to)))
      local same = difference <= case.same -- false for NaN too
      if not same then errors.environment("%s: results differ by %g", label, difference) end
      local a, b = instructions(folder, ours, case), instructions(folder, theirs, case)
      print(("| %s | %d to %d | %.0f | %.0f | %.1f | %.1e |"):format(label, case.from, case.to, a, b, b / a, difference))
    end
  end
  print(("\nInstructions of a step (callgrind) with %s, `%s`."):format(identity, compiler))
end

return B
