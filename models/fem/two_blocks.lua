-- Two elastic blocks: a small one falls on a large one that stands on a fixed base.
--
-- Deformable on deformable, nodes of the upper lower face against faces of the lower upper face. Known: there is no gravity,
-- so the impulse between the blocks is the change of momentum of the upper one; the energy stays below that of the start; both
-- paths and all contact solvers agree. (Two equal blocks that move freely exchange their momentum within 2 L/c: see
-- tests/e2e/fem_large.lua.) Meshes that do not match carry a constant pressure only to the order of the mesh.
local carom = require "carom"
local m = carom.model "two_blocks"

local n  = m:constant("n", 2)
local mu = m:parameter("mu", 0, "1")
local v0 = m:parameter("v0", 1, "m/s")

local lower = m:mesh("lower", { cells = { 2 * n, 2 * n, n }, size = { 1, 1, 0.5 } })
m:elastic(lower, { E = 70e9, nu = 0.3, rho = 2700 })
local upper = m:mesh("upper", { cells = { 2 * n, 2 * n, 2 * n }, size = { 0.5, 0.5, 0.5 }, origin = { 0.23, 0.27, 0.50001 } })
m:elastic(upper, { E = 110e9, nu = 0.33, rho = 8900 })
m:start(upper, { velocity = function() return { 0, 0, -v0 } end })
m:fix(lower, "bottom")
m:contact_pair("interface", { mesh = upper, boundary = "bottom", master = lower, master_boundary = "top", friction = mu })
m:probe("top", { mesh = upper, at = { 0.5, 0.5, 1 } })
m:probe("under", { mesh = lower, at = { 0.5, 0.5, 0.5 } })

m:run { until_time = 4e-4, step = 5e-6, scheme = "moreau-jean:theta=0.5,gamma=0" }
return m
