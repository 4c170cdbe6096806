-- Forces of what holds a mesh (`fix`), and the deepest penetration: on the small path, and the same on PETSc.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local large = require "tests.e2e.large"

local run, model = large.run, large.model
local paths = { "--path small" }
if large.here then
  paths[2] = "--path petsc"
else
  print "# PETSc is not here: the small path only"
end

-- ---- at rest: the supports carry the weight -----------------------------------------------------------------------------------

local weight = model("plate_weight", [[
local plate = m:mesh("plate", carom.box { size = { 1, 0.2 }, cells = { 6, 2 }, cell = "quad4" })
m:elastic(plate, { E = 1e6, nu = 0.3, rho = 1000, damping = { mass = 40 } })
m:gravity(0, -9.81)
m:fix(plate, "left", { y = 0 })
m:fix(plate, "left", { x = 0 }) -- the same boundary: one support
m:fix(plate, "right", { y = 0 })
m:run { until_time = 1.5, step = 2e-3, scheme = "moreau-jean:theta=1" }]])

T.test("supports of a plate carry its weight", function()
  for _, path in ipairs(paths) do
    local rows, record = run(weight .. " " .. path)
    local last = rows[#rows]
    T.near(last["plate.left.reaction.y"] + last["plate.right.reaction.y"], 1962, 1e-2, path)
    T.near(last["plate.left.reaction.y"] / 1962, 5 / 8, 0.01, path) -- a beam, clamped on the left
    T.near(last["plate.left.reaction.x"], 0, 1e-6, path)
    T.eq(last["plate.right.reaction.x"], 0, path) -- not held
    T.eq(rows[1]["plate.left.reaction.y"], 0)
    T.eq(record.outputs["plate.left.reaction.y"], last["plate.left.reaction.y"])
  end
end)

-- ---- in motion: m a, with masses coupled and lumped ---------------------------------------------------------------------------

local pulled = model("pulled", [[
local a = m:parameter("a", 3)
local bar = m:mesh("bar", carom.box { size = { 2 }, cells = { 10 }, cell = "bar2" })
m:elastic(bar, { E = 1e4, rho = 5, damping = { stiffness = 0.02 } })
m:fix(bar, "left", { x = a * m:time()^2 / 2 })
m:run { until_time = 2, step = 1e-3, scheme = "moreau-jean:theta=0.5" }]])

T.test("a support that pulls a bar feels its inertia", function()
  for _, path in ipairs(paths) do
    for _, scheme in ipairs { "moreau-jean:theta=0.5", "D-:M=1 --step 1e-4", "alpha:rho=0.8" } do
      local rows = run(("%s %s --scheme %s"):format(pulled, path, scheme))
      T.near(rows[#rows]["bar.left.reaction.x"], 5 * 2 * 3, 0.02, path .. scheme)
    end
  end
end)

-- ---- transients with contact: step by step the same on both paths -------------------------------------------------------------

local swing = model("swing", [[
local mu = m:constant("mu", 0.0)
local plate = m:mesh("plate", carom.box { size = { 1, 0.2 }, cells = { 10, 2 }, cell = "quad4" })
m:elastic(plate, { E = 1e6, nu = 0.3, rho = 1000, damping = { stiffness = 1e-4 } })
m:start(plate, { velocity = function(X) return { 0, -X } end })
m:fix(plate, "left", { x = 0, y = 0.001 * carom.sin(300 * m:time()) })
m:contact_surface("post", { mesh = plate, boundary = "bottom", friction = mu > 0 and mu or nil,
  gap = function(x, y) return carom.sqrt((x - 0.7)^2 + (y + 0.1)^2) - 0.099 end })
m:run { until_time = 2e-2, step = 1e-4, scheme = "moreau-jean:theta=0.5,gamma=0" }]])

if large.here then
  T.test("a plate that swings against a post: reactions and penetration on both paths", function()
    for _, case in ipairs { { "moreau-jean:theta=0.5,gamma=0 --set mu=0.3", 5e-4 }, T.long and { "D-:M=1", 5e-3 } or nil } do
      local words = swing .. " --scheme " .. case[1]
      local small, record = run(words .. " --path small")
      local petsc, other = run(words .. " --path petsc")
      local most = 0
      for _, row in ipairs(small) do most = math.max(most, math.abs(row["plate.left.reaction.y"])) end
      T.ok(most > 500, case[1])
      for k = 1, #small, 9 do
        T.near(petsc[k]["plate.left.reaction.x"], small[k]["plate.left.reaction.x"], case[2] * most, case[1] .. " row " .. k)
        T.near(petsc[k]["plate.left.reaction.y"], small[k]["plate.left.reaction.y"], case[2] * most, case[1] .. " row " .. k)
      end
      T.ok(record.deepest.depth > 1e-6)
      T.near(other.deepest.depth / record.deepest.depth, 1, 1e-3, case[1])
      T.near(other.deepest.t, record.deepest.t, 1e-12)
      T.eq(other.deepest.contact, "post")
      T.eq(petsc[#petsc]["contacts.deepest"], other.deepest.depth)
    end
  end)

  T.test("a resumed run goes on with its deepest penetration", function()
    local half, dir = large.out(), large.out()
    local words = swing .. " --path petsc --quiet --set mu=0.3 "
    local _, err, code = large.carom("run " .. words .. "--until 0.012 --out " .. half)
    T.eq(code, 0, err)
    _, err, code = large.carom(("run %s --resume %s/checkpoint --out %s"):format(words, half, dir))
    T.eq(code, 0, err)
    local fs = require "gen.util.fs"
    local whole, resumed = run(words), S.csv(fs.read(dir .. "/result.csv"))
    T.eq(resumed[#resumed]["contacts.deepest"], whole[#whole]["contacts.deepest"])
    T.eq(resumed[#resumed]["plate.left.reaction.y"], whole[#whole]["plate.left.reaction.y"])
  end)
end

S.finish()
