-- A steel cube dropped on a rigid floor: the standard problem for contact solvers of large meshes.
--
-- Side 1 m, hexahedra, the lower face curved a little (radius 2000 m) so that contact spreads over it. Nothing is published
-- about the motion; known are balances: without friction the impulse of the floor is the change of momentum, the energy stays
-- below that of the start, and all contact solvers must agree. With `mu`, `v_t` and a body force
-- `pull` = 5000 m/s^2 contact persists and parts of the face stick, slide and lift off. n = 32 makes 1e5 coordinates, 68 a million.
local carom = require "carom"
local m = carom.model "dropped_block"

local n    = m:constant("n", 16)
local cfl  = m:constant("cfl", 10)
local E    = m:parameter("E", 210e9, "Pa")
local nu   = m:parameter("nu", 0.3, "1")
local rho  = m:parameter("rho", 7800, "kg/m^3")
local mu   = m:parameter("mu", 0, "1")
local v_n  = m:parameter("v_n", 1, "m/s")      -- towards the floor
local v_t  = m:parameter("v_t", 0, "m/s")      -- along it
local pull = m:parameter("pull", 0, "m/s^2")   -- towards the floor

local R = 2000
local block = m:mesh("block", { cells = { n, n, n }, cell = "hex8", origin = { -0.5, -0.5, 0 },
  map = function(X, Y, Z) return { X, Y, Z + (1 - Z) * (X^2 + Y^2) / (2 * R) } end })
m:elastic(block, { E = E, nu = nu, rho = rho })
m:body_force(block, function() return { 0, 0, -pull } end)
m:start(block, { velocity = function() return { v_t, 0, -v_n } end })
m:contact_surface("floor", { mesh = block, boundary = "bottom", gap = function(_, _, z) return z end, friction = mu })
m:probe("corner", { mesh = block, at = { 0.5, 0.5, 1 } })
m:probe("middle", { mesh = block, at = { 0, 0, 0 } })

m:run { until_time = 20 * cfl / (6021 * n), cfl = cfl, scheme = "moreau-jean:theta=0.5,gamma=0" }   -- 20 steps; waves run 6020.3 m/s
return m
