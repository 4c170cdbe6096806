-- A flat rigid punch with rounded edges pressed into an elastic block, in plane strain, with friction.
--
-- The block stands on its fixed base; the punch, half-width a, comes down by `depth` within `rise` and stays. Known for a
-- half plane without friction (Sadowsky 1928): under a flat punch that touches within c the pressure is P/(pi sqrt(c^2 - x^2)),
-- least in the middle, P/(pi c), and large at the edges. Here the middle has 1.001 times that with n = 16, 0.995 with n = 32, c being
-- the last node that touches; the force settles and the reactions at the base balance it. With mu = 0.3 all of it sticks in the end.
local carom = require "carom"
local m = carom.model "punch"

local n     = m:constant("n", 8)
local mu    = m:parameter("mu", 0, "1")
local a     = m:parameter("a", 0.1, "m")
local round = m:parameter("round", 0.02, "m")
local depth = m:parameter("depth", 1e-4, "m")
local rise  = m:parameter("rise", 2e-3, "s")

local block = m:mesh("block", { cells = { 4 * n, 2 * n }, size = { 1, 0.5 }, origin = { -0.5, -0.5 }, cell = "quad4" })
m:elastic(block, { E = 10e9, nu = 0.3, rho = 2000, damping = { mass = 2000, stiffness = 1e-6 } })
m:fix(block, "bottom")
m:contact_surface("punch_face", { mesh = block, boundary = "top", friction = mu, gap = function(x, y, t)
  local s = carom.min(t / rise, 1)
  local beyond = carom.max(carom.sqrt(x^2 + 1e-18) - (a - round), 0)   -- past the flat part
  return -depth * s^2 * (3 - 2 * s) + beyond^2 / (2 * round) - y
end })
m:probe("centre", { mesh = block, at = { 0, 0 } })

m:run { until_time = 6e-3, step = 4e-5, scheme = "moreau-jean:theta=1,gamma=0" }
return m
