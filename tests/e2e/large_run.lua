-- Meshes on the command line: the path a run takes, the program built with PETSc, ranks, exit codes, the folder of
-- `carom gen --target petsc`. What needs PETSc is skipped where there is none.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local large = require "tests.e2e.large"

local carom, run = large.carom, large.run

local function agree(a, b, names, tolerance)
  T.eq(#a, #b, "rows")
  for _, name in ipairs(names) do
    local scale = 1e-300
    for i = 1, #a do scale = math.max(scale, math.abs(a[i][name])) end
    for i = 1, #a do
      local difference = math.abs(a[i][name] - (b[i][name] or 0 / 0))
      T.ok(difference <= tolerance * scale, ("%s in row %d differs by %g of %g"):format(name, i, difference, scale))
    end
  end
end

local BAR = { "t", "tip.x", "tip.x.dot", "tail.x", "tail.x.dot", "kinetic", "elastic", "energy", "wall.force", "wall.impulse" }
local BLOCK = { "t", "corner.x", "corner.z", "corner.z.dot", "middle.z.dot", "kinetic", "elastic", "floor.impulse" }

T.test("check: cells, degrees of freedom, memory, CFL, operations", function()
  local out, _, code = carom "check dropped_block --set n=20"
  T.eq(code, 0)
  for _, text in ipairs { "path                 PETSc", "8000 hex8 cells, 9261 nodes, 27783 degrees of freedom", "from CFL 10", "memory",
    "1650 per cell for the batched force" } do
    T.ok(out:find(text, 1, true), "no '" .. text .. "' in:\n" .. out)
  end
end)

T.test("what is asked for must fit the model", function()
  for _, case in ipairs {
    { "run bouncing_ball --ranks 2", "--ranks is for models with a mesh" },
    { "run bouncing_ball --path petsc", "--path is for models with a mesh" },
    { "run bouncing_ball -- -log_view", "takes one MODEL" },
    { "run impacting_bar --path large", "write small or petsc" },
    { "run impacting_bar --path small --ranks 2", "--ranks is not for the small path" },
    { "run impacting_bar --ranks 1.5", "not a whole number" },
    { "run impacting_bar --step 1e-6 --cfl 1", "keep one of the two" },
    { "run impacting_bar --path petsc --scheme capture:rk=rk4", "capture is not for meshes" },
    { "run impacting_bar --path petsc --scheme moreau-jean:theta=0.25", "theta below 1/2" },
    { "run impacting_bar --path petsc --scheme moreau-jean:tol=1e-6", "tol=1e-6 is not read for linear bodies and gaps on PETSc" },
    { "run impacting_bar --path petsc --scheme moreau-jean:iterations=5",
      "theta, gamma, contact, mass, projection, tg, ctol, solver, adaptive, dense, lumped" },
    { "run impacting_bar --path petsc --scheme moreau-jean:tv=1e-3", "tv=1e-3 is not read" },
    { "run impacting_bar --path petsc --scheme moreau-jean:rtol=1e-3", "rtol=1e-3 is not read without adaptive=on" },
    { "run impacting_bar --path petsc --scheme moreau-jean:hmin=1e-3", "hmin=1e-3 is not read" },
    { "run impacting_bar --path petsc --scheme moreau-jean:stages=fixed-point", "stages=fixed-point is not read" },
    { "run impacting_bar --path petsc --scheme moreau-jean:solver=apgd", "write solver=auto, mprgp" },
    { "run impacting_bar --path petsc --scheme D-:M=1,ctol=1e-3", "ctol=1e-3 is not read for D- on PETSc" },
    { "run impacting_bar --path petsc --scheme D-:M=1,iterations=3",
      "keys that are: M, degrees, quadrature, impact, level, projection, tg, tv, adaptive, dense, lumped" },
    { "run impacting_bar --path small --scheme moreau-jean:solver=tnn", "solver=tnn is for meshes on PETSc" },
    { "run bouncing_ball --scheme moreau-jean:lumped=on", "lumped=on is not read without a mesh" },
    { "gen bouncing_ball --target petsc", "--target petsc is for models with a mesh" },
  } do
    local _, err, code = carom(case[1])
    T.eq(code, 2, case[1] .. ": " .. err)
    T.ok(err:find(case[2], 1, true), case[1] .. ": " .. err)
  end
end)

T.test("keys that PETSc reads: ctol and solver, tol and iterations of Newton and of stages, tg", function()
  if not large.here then return end
  local function said(scheme, words)
    local out, err, code = carom(("run %s --path petsc --scheme %s -o %s --json --quiet"):format(words, scheme, S.place "keys"))
    return out .. err, code
  end
  local out, code = said("moreau-jean:solver=tnn,ctol=1e-4", "dropped_block --set n=3")
  T.ok(code == 0 and out:find('"solver":"tnn"', 1, true), out)
  out, code = said("moreau-jean:solver=mprgp", "sliding_block_fem --set n=1 --until 1e-3")
  T.ok(code == 2 and out:find("knows no friction", 1, true), out)
  out, code = said("moreau-jean:iterations=1,tol=1e-14", "rubber_ball --set n=2")
  T.ok(code == 1 and out:find("after 1 repeats", 1, true), out)
  out, code = said("D-:M=2,iterations=1", "impacting_bar")
  T.ok(code == 1 and out:find("after 1 repeats", 1, true), out)
  -- 5e-5 m away and not there yet: with a gap that counts from 1 m on it is closed from the first step
  out = said("moreau-jean:tg=1,gamma=0", "impacting_bar --until 1e-5")
  T.ok(tonumber(out:match '"wall.impulse":([^,}]*)') > 0, out)
end)

T.test("cfl is the same step in check, on the small path and on PETSc, for every kind of cell", function()
  for _, case in ipairs { { "tri3", "{ 6, 6 }", "{ 1, 1 }" }, { "quad4", "{ 6, 6 }", "{ 1, 1 }" },
    { "tet4", "{ 3, 3, 3 }", "{ 1, 1, 1 }" } } do
    local plane = case[1] ~= "tet4"
    local path = large.model("cfl_" .. case[1], ([[
local b = m:mesh("b", { cells = %s, size = %s, cell = "%s" })
m:elastic(b, { E = 210e9, nu = 0.3, rho = 7800 })
m:start(b, { velocity = { 0, %s-1 } })
m:contact_surface("floor", { mesh = b, boundary = "bottom", gap = function(%s) return %s end })
m:run { until_time = 1e-4, cfl = 1, scheme = "moreau-jean:theta=0.5,gamma=0" }]]):format(case[2], case[3], case[1], plane and "" or "0, ",
      plane and "_, y" or "_, _, z", plane and "y" or "z"))
    local out = carom("check " .. path)
    local checked = tonumber(out:match "step%s+(%S+) from CFL")
    local steps = {}
    for _, way in ipairs(large.here and { "small", "petsc" } or { "small" }) do
      local rows = run(path .. " --path " .. way)
      steps[#steps + 1] = rows[2].t
      T.near(rows[2].t / checked, 1, 1e-3, case[1] .. " on the path " .. way)
    end
    if steps[2] then T.near(steps[2] / steps[1], 1, 1e-12, case[1]) end
  end
end)

T.test("without PETSc: exit code 3 and the package's name; small meshes run all the same", function()
  local dir = S.place "without"
  assert(fs.write(dir .. "/mpicc", "#!/bin/sh\nexit 1\n"))
  S.command("chmod +x " .. dir .. "/mpicc")
  local _, err, code = carom("run dropped_block --path petsc", ("PATH=%s:$PATH"):format(dir))
  T.eq(code, 3, err)
  T.ok(err:find("libpetsc-real-dev", 1, true), err)
  _, err, code = carom(("run impacting_bar --until 1e-4 --out %s/out_without"):format(S.folder), ("PATH=%s:$PATH"):format(dir))
  T.eq(code, 0, err)
end)

T.test("gen --target petsc writes a folder that stands alone", function()
  local dir = S.folder .. "/folder"
  local _, err, code = carom(("gen dropped_block --set n=3 --target petsc -o %s"):format(dir))
  T.eq(code, 0, err)
  for _, name in ipairs { "dropped_block.c", "Makefile", "meson.build", "README.md", "petsc/main.c", "petsc/README.md", "carom/large.h" } do
    T.ok(fs.exists(dir .. "/" .. name), name)
  end
  T.ok(not fs.read(dir .. "/dropped_block.c"):find(S.here, 1, true), "a path of this machine")
end)

if large.here then
  local small
  T.test("a bar gives the same numbers on both paths", function()
    small = run "impacting_bar --path small --until 6e-4"
    agree(small, (run "impacting_bar --path petsc --until 6e-4"), BAR, 1e-9)
  end)

  T.test("a single rank makes no folder of MPI's, which those that run beside it would share and take away", function()
    local _, err, code = carom("run impacting_bar --path petsc --until 6e-4 --out " .. S.place "alone", "TMPDIR=/dev/null/none")
    T.eq(code, 0, err)
    T.eq(err, "")
  end)

  T.test("one and two ranks agree", function()
    local one, record = run "dropped_block --set n=5 --path petsc --until 1e-3"
    local two = run "dropped_block --set n=5 --ranks 2 --until 1e-3"
    T.eq(record.status, "ok")
    T.eq(record.model, "dropped_block")
    agree(one, two, BLOCK, 1e-6)
  end)

  T.test("restitution: both paths, and the node leaves at once", function()
    local bar = large.model("bouncing", [[
local b = m:mesh("b", carom.bar { length = 1, cells = 20 })
m:elastic(b, { E = 1e6, rho = 1000 })
m:start(b, { velocity = function() return { -1 } end })
m:contact_surface("wall", { mesh = b, boundary = "left", restitution = 0.5, gap = function(x) return x + 1e-4 end })
m:probe("tip", { mesh = b, at = { 0 } })
m:run { until_time = 0.02, step = 2e-4, scheme = "moreau-jean:theta=0.5,gamma=0" }]])
    local names = { "t", "tip.x", "tip.x.dot", "energy", "wall.impulse" }
    local rows = run(bar .. " --path small")
    agree(rows, (run(bar .. " --path petsc")), names, 1e-9)
    local left = 0
    for _, row in ipairs(rows) do left = math.max(left, row["tip.x.dot"]) end
    T.ok(left >= 0.5 - 1e-9, "the tip comes back with " .. left)
  end)

  T.test("explicit, lumped mass: both paths, --cfl", function()
    local scheme = "dropped_block --set n=3 --scheme D-:M=1 --cfl 0.4 --until 2e-4"
    agree((run(scheme .. " --path small")), (run(scheme .. " --path petsc")), BLOCK, 1e-9)
  end)

  T.test("what stands after -- goes to PETSc", function()
    local out, err, code = carom(("run dropped_block --set n=4 --until 2e-4 --out %s/view -- -carom_contact_type tnn"):format(S.folder))
    T.eq(code, 0, err)
    T.ok(out:find("contact solver: tnn", 1, true), out)
  end)
else
  T.skip("runs on PETSc", "no PETSc here")
end

S.finish()
