-- What a rigid body does against a mesh, a stiff meshed body does, too: a flat punch, a disk and a sphere on a spring are dropped on an
-- elastic block, rigid and as meshes. A punch tends to the rigid one as it stiffens. A meshed disk is a polygon inside the circle: its
-- faces are off by r (1 - cos), so it tends to the rigid one with the square of their length as both its faces and its modulus grow.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local large = require "tests.e2e.large"

local function whole(text) return 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. text .. "\nreturn m\n" end

local function run(text, scheme, step, until_time)
  local unit = S.unit({ text = whole(text) }, scheme)
  return S.compile(unit, { flags = "-O1 " .. S.strict }):run { step = step, until_time = until_time, csv = true }
end

local dropped = [[
m:gravity(0, -9.81)
local block = m:mesh("block", { cells = { 8, 3 }, size = { 0.6, 0.3 }, unit = "m" })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
m:fix(block, "bottom")
]]

T.long_test("a meshed punch moves as the rigid one when it stiffens", function()
  local scheme = "moreau-jean:theta=1,lumped=on"
  local rigid = run(dropped .. [[
local y = m:coordinate("y", { unit = "m", initial = 0.402, velocity = -1 })
m:kinetic_energy(60 * y.dot^2 / 2)
m:potential_energy(60 * 9.81 * y)
m:spring("rope", { length = 0.9 - y, stiffness = 2000, rest = 0.4 })
m:contact_surface("hit", { mesh = block, boundary = "top", against = m:plane("face", { normal = { 0, -1 }, at = { 0, y - 0.1 } }) })
]], scheme, 5e-5, 0.05).rows
  local function off(modulus)
    local rows, most = run(dropped .. ([[
local punch = m:mesh("punch", { cells = { 8, 2 }, size = { 0.6, 0.1 }, origin = { 0, 0.302 }, unit = "m" })
m:elastic(punch, { E = %g, nu = 0.3, rho = 1000 })
m:start(punch, { velocity = { 0, -1 } })
local c = m:node(punch, { 0.3, 0.402 })
m:spring("rope", { length = 0.9 - c[2], stiffness = 2000, rest = 0.4 })
m:output("y", c[2])
m:contact_pair("hit", { mesh = block, boundary = "top", master = punch, master_boundary = "bottom" })
]]):format(modulus), scheme, 5e-5, 0.05).rows, 0.0
    for i, row in ipairs(rows) do most = math.max(most, math.abs(row.y - rigid[i].y)) end
    return most
  end
  local soft, stiff, stiffest = off(1e8), off(1e9), off(1e10)
  T.ok(soft < 3e-4 and stiff < 0.2 * soft and stiffest < 0.2 * stiff, ("%g %g %g"):format(soft, stiff, stiffest)) -- 2.1e-4 2.5e-5 1.2e-6
end)

-- The disk: its centre as a coordinate, or n x n cells with the place of their middle node as output; then the run.
local RUN = '\nm:output("height", y)\nm:run { until_time = %g, step = %g, scheme = "%s" }'
local start = [[
m:gravity(0, -9.81)
local block = m:mesh("block", { cells = { 12, 6 }, size = { 0.6, 0.3 }, unit = "m" })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
m:fix(block, "bottom")
local R, y0 = 0.1, 0.402
]]
local function rigid(mass, ...)
  return start .. ([[
local x = m:coordinate("x", { unit = "m", initial = 0.3 })
local y = m:coordinate("y", { unit = "m", initial = y0, velocity = -1 })
local ball = m:body("ball", { mass = %.17g, at = { x, y } })
m:spring("rope", { between = { { 0.3, 0.9 }, ball.at }, stiffness = 2000, rest = 0.4 })
m:contact_surface("hit", { mesh = block, boundary = "top", against = m:disk("face", { body = ball, radius = R }) })
]]):format(mass) .. RUN:format(...)
end
local function meshed(n, modulus, ...)
  return start .. ([[
local ball = m:mesh("ball", { cells = { %d, %d }, size = { 2, 2 }, origin = { -1, -1 }, unit = "m",
  map = function(a, b) return { 0.3 + R * a * carom.sqrt(1 - b^2/2), y0 + R * b * carom.sqrt(1 - a^2/2) } end })
m:elastic(ball, { E = %g, nu = 0.3, rho = 1000 })
m:start(ball, { velocity = { 0, -1 } })
local c = m:node(ball, { 0.3, y0 })
local y = c[2]
m:spring("rope", { between = { { 0.3, 0.9 }, c }, stiffness = 2000, rest = 0.4 })
m:contact_pair("hit", { mesh = block, boundary = "top", master = ball, master_boundary = "bottom", off_face = "release" })
]]):format(n, n, modulus) .. RUN:format(...)
end

-- how far the heights of two runs are apart
local function apart(rows, known)
  local most = 0.0
  T.eq(#rows, #known)
  for i, row in ipairs(rows) do most = math.max(most, math.abs(row.height - known[i].height)) end
  return most
end

-- of a disk of n x n cells: runs(text) gives rows; its mass is told by the energy at the start
local function off(runs, n, modulus, ...)
  local rows = runs(meshed(n, modulus, ...))
  return apart(rows, runs(rigid(2 * (rows[1].kinetic), ...))), rows
end

if large.here then
  local function on(words) return function(text) return (large.run(large.model("drop", text) .. words)) end end
  T.test("on PETSc a stiff meshed disk moves as the rigid one, as its faces grow; on two ranks and in tables alike", function()
    local coarse, rows = off(on " --path petsc", 4, 1e8, 0.03, 1e-5, "D-:M=1")
    local fine = off(on " --path petsc", 8, 1e8, 0.03, 1e-5, "D-:M=1")
    T.ok(coarse < 3e-3 and fine < 0.35 * coarse, ("%g %g"):format(coarse, fine))
    local text = meshed(4, 1e8, 0.03, 1e-5, "D-:M=1,projection=joints")
    for _, words in ipairs { " --ranks 2", " --path small" } do T.ok(apart(on(words)(text), rows) < 1e-9, words) end
  end)
  -- in space: a free body, and n x n x n cells
  T.long_test("on PETSc a stiff meshed sphere moves as the rigid one, as its faces grow, on one rank and on two", function()
    local more = { 0.01, 4e-6, "D-:M=1" }
    local block = [[
m:gravity(0, 0, -9.81)
local block = m:mesh("block", { cells = { 8, 8, 4 }, size = { 0.4, 0.4, 0.2 } })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
m:fix(block, "bottom")
local R, z0 = 0.1, 0.3005
]]
    local function sphere(words, n, modulus)
      local rows = on(words)(block .. ([[
local function side(a, b, c) return R * a * carom.sqrt((1 - b^2/2) * (1 - c^2/2) + b^2 * c^2/12) end
local ball = m:mesh("ball", { cells = { %d, %d, %d }, size = { 2, 2, 2 }, origin = { -1, -1, -1 },
  map = function(a, b, c) return { 0.2 + side(a, b, c), 0.2 + side(b, c, a), z0 + side(c, a, b) } end })
m:elastic(ball, { E = %g, nu = 0.3, rho = 1000 })
m:start(ball, { velocity = { 0, 0, -1 } })
local c = m:node(ball, { 0.2, 0.2, z0 })
local y = c[3]
m:spring("rope", { between = { { 0.2, 0.2, 0.9 }, c }, stiffness = 500, rest = 0.4 })
m:contact_pair("hit", { mesh = block, boundary = "top", master = ball, master_boundary = "bottom", off_face = "release" })
]]):format(n, n, n, modulus) .. RUN:format(table.unpack(more)))
      return apart(rows, on(words)(block .. ([[
local ball = m:free_body("ball", { mass = %.17g, inertia = 0.01, at = { 0.2, 0.2, z0 }, velocity = { 0, 0, -1 } })
local y = ball.at[3]
m:spring("rope", { between = { { 0.2, 0.2, 0.9 }, ball.at }, stiffness = 500, rest = 0.4 })
m:contact_surface("hit", { mesh = block, boundary = "top", against = m:sphere("face", { body = ball, radius = R }) })
]]):format(2 * rows[1].kinetic) .. RUN:format(table.unpack(more))))
    end
    local coarse, fine = sphere(" --path petsc", 4, 1e8), sphere(" --path petsc", 8, 3e8)
    T.ok(coarse < 1.2e-4 and fine < 0.5 * coarse, ("%g %g"):format(coarse, fine)) -- 8.6e-5 3.3e-5
    T.near(sphere(" --ranks 2", 4, 1e8), coarse, 1e-12)
  end)
else
  T.skip("stiff meshed bodies on PETSc", "PETSc absent")
end

T.long_test("in tables a meshed disk tends to the rigid one with the square of its faces' length, as it stiffens", function()
  local function runs(text) return run(text, "moreau-jean:theta=1,lumped=on", 1e-4, 0.03).rows end
  local list = {}
  for i, case in ipairs { { 4, 1e8 }, { 8, 1e9 }, { 16, 1e10 } } do
    list[i] = off(runs, case[1], case[2], 0.03, 1e-4, "moreau-jean:theta=1,lumped=on")
  end
  T.ok(list[1] < 2.5e-3 and list[2] < 0.3 * list[1] and list[3] < 0.3 * list[2], table.concat(list, " ")) -- 2.2e-3 5.6e-4 1.4e-4
end)

S.finish()
