-- An elastic block that slides on a rough floor until friction stops it.
--
-- A rubbery block under gravity, pressed flat on the floor and thrown along it. For a rigid block the known answer is
-- constant deceleration mu g: it stops after v0/(mu g) = 0.102 s and a way of v0^2/(2 mu g) = 0.051 m. The elastic one first
-- settles under its weight (which takes a quarter of a percent off the way); then friction is mu times the weight and the
-- velocity v0 - mu g t to 1e-7, until it stops within a step of the known time.
local carom = require "carom"
local m = carom.model "sliding_block_fem"

local n  = m:constant("n", 4)
local g  = m:parameter("g", 9.81, "m/s^2")
local mu = m:parameter("mu", 1.0, "1")
local v0 = m:parameter("v0", 1.0, "m/s")

local block = m:mesh("block", { cells = { 4 * n, n }, size = { 0.4, 0.1 }, cell = "quad4", thickness = 0.1 })
m:elastic(block, { E = 5e6, nu = 0.3, rho = 1000, damping = { mass = 0, stiffness = 1e-3 } })
m:body_force(block, function() return { 0, -g } end)
m:start(block, { velocity = function() return { v0, 0 } end })
m:contact_surface("floor", { mesh = block, boundary = "bottom", gap = function(_, y) return y end, friction = mu })
m:probe("front", { mesh = block, at = { 0.4, 0 } })
m:probe("back", { mesh = block, at = { 0, 0 } })

m:run { until_time = 0.15, step = 2e-4, scheme = "moreau-jean:theta=1,gamma=0" }
return m
