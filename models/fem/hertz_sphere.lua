-- An elastic half ball pressed on a rigid plane, in the limit of rest: Hertz' contact.
--
-- A block of steel, bent at its lower face to a ball of radius R, is pressed down at its upper face by a rising, then
-- constant motion, with strong damping, until nothing moves. Hertz (1881): under the force F a ball of modulus E touches a
-- rigid plane within the radius a, with the greatest pressure p0 in the middle,
--   a^3 = 3 F R / (4 E*),  p0 = 3 F / (2 pi a^2),  E* = E/(1 - nu^2)
-- F is four times `plane.force`: a quarter of the ball, held by symmetry. The mesh is graded towards the contact: cells there
-- are `focus` times smaller than even ones; with n = 24 nine nodes lie within a = 1.4 mm. Nothing is said about the approach:
-- the block ends 14 a away, which is felt (8 % more force than on a half space).
local carom = require "carom"
local m = carom.model "hertz_sphere"

local n     = m:constant("n", 24)
local R     = m:constant("R", 0.1)
local side  = m:constant("side", 0.02)      -- of the block: large against the contact, small against R
local focus = m:constant("focus", 16)
local E     = m:parameter("E", 210e9, "Pa")
local nu    = m:parameter("nu", 0.3, "1")
local push  = m:parameter("push", 2e-5, "m")
local rise  = m:parameter("rise", 2e-4, "s")

-- from 0 to 1, slope 1/focus at 0
local function graded(s) return s / focus + (1 - 1 / focus) * s^3 end

local ball = m:mesh("ball", { cells = { n, n, n }, cell = "hex8", map = function(X, Y, Z)
  local x, y, z = side * graded(X), side * graded(Y), side * graded(Z)
  return { x, y, z + (1 - z / side) * (R - carom.sqrt(R^2 - x^2 - y^2)) }
end })
m:elastic(ball, { E = E, nu = nu, rho = 7800, damping = { mass = 5e4, stiffness = 2e-7 } })
m:fix(ball, "left", { x = 0 })
m:fix(ball, "near", { y = 0 })
m:fix(ball, "top", { motion = function(_, _, _, t)
  local s = carom.min(t / rise, 1)
  return { false, false, -push * s^2 * (3 - 2 * s) }
end })
m:contact_surface("plane", { mesh = ball, boundary = "bottom", gap = function(_, _, z) return z end })
m:probe("pole", { mesh = ball, at = { 0, 0, 0 } })

m:run { until_time = 6e-4, step = 4e-6, scheme = "moreau-jean:theta=1,gamma=0" }
return m
