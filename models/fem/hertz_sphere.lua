-- An elastic ball pressed on a rigid plane, at rest: Hertz' contact.
--
-- The lower part of a ball of steel, radius R, a quarter of it by symmetry, graded towards the contact. Its upper face comes
-- down by `push`. Hertz (1881): a ball of modulus E that comes nearer to a rigid plane by d touches it within the radius a,
--   a^2 = R d,  F = 4/3 E* a^3/R,  greatest pressure p0 = 3 F/(2 pi a^2),  E* = E/(1 - nu^2);
-- F is four times `plane.force`, the pressure is in the pictures.
--
-- How it is pressed in ten steps: a plane that is approached is hit by one node after the other, each a part of a step
-- too late, and these errors stay. So the plane begins as the ball's own face, everywhere in contact, and straightens while the
-- ball is pressed. Gap and load then grow in proportion, the contact is that of Hertz from the first step on, and what is
-- reached at the end is the rest on a plane (the steady motion needs no force), which without friction does not depend on the
-- way. Steps are long against the block's waves and theta = 1, so that nothing swings.
--
-- Seen, relative to Hertz at the same force, with 4.0, 5.4, 8.1 cells over a (n = 12, 16, 24): pressure of the middle node (force
-- by its share of the area) 1.0000, 0.998, 0.999; radius, from the second moment of the nodal forces (2/5 a^2 for Hertz), 1.008,
-- 1.0055, 1.0023; and the force of the approach 1.038, 1.028, 1.019, of which a percent and a half is the block's end 42 a away.
local carom = require "carom"
local m = carom.model "hertz_sphere"

local n    = m:constant("n", 24)
local R    = m:constant("R", 0.1)
local push = m:constant("push", 2e-5)
local side = m:constant("side", 0.06)      -- of the block: 42 contact radii
local rise = m:constant("rise", 1e-3)
local E    = m:parameter("E", 210e9, "Pa")
local nu   = m:parameter("nu", 0.3, "1")

-- places along an edge: half of the cells even within 1.5 a, the others growing to the end of the block
local fine = 1.5 * math.sqrt(R * push)
local function graded(s) return 2 * fine * s + 8 * (side - 2 * fine) * carom.max(s - 0.5, 0)^3 end
-- height of the ball's face
local function face(x, y) return R - carom.sqrt(R^2 - x^2 - y^2) end

local ball = m:mesh("ball", { cells = { n, n, n }, cell = "hex8", map = function(X, Y, Z)
  local x, y, z = graded(X), graded(Y), graded(Z)
  return { x, y, z + (1 - z / side) * face(x, y) }
end })
m:elastic(ball, { E = E, nu = nu, rho = 7800 })
m:fix(ball, "left", { x = 0 })
m:fix(ball, "near", { y = 0 })
m:fix(ball, "top", { motion = function(_, _, _, t) return { false, false, -push * t / rise } end })
m:contact_surface("plane", { mesh = ball, boundary = "bottom", gap = function(x, y, z, t)
  return z - face(x, y) * (1 - t / rise) - push / 500   -- closed it stays when nodes move aside on the bent plane
end })
m:probe("pole", { mesh = ball, at = { 0, 0, 0 } })

m:run { until_time = rise, step = rise / 10, scheme = "moreau-jean:theta=1,gamma=0" }
return m
