-- A rotating blade whose tip rubs against an oval casing.
--
-- A slender blade of titanium, held at its root on a disk that speeds up to omega, in the plane of rotation. The casing is
-- nearly circular but `ovality` metres nearer on one side, so the tip meets it once per turn and is bent back by friction
-- and pressed inwards. Large rotations need a material of large strains: St. Venant and Kirchhoff. No published answer;
-- known: without contact the tip grows by the strain of the centrifugal force, rho omega^2 (r2 - r1)^2 (2 r2 + r1)/(6 E) to
-- first order, and the gap at the tip never falls below the penetration of one step.
local carom = require "carom"
local m = carom.model "blade_rub"
local sin, cos = carom.sin, carom.cos

local n         = m:constant("n", 12)
local inner     = m:constant("inner", 0.2)
local outer     = m:constant("outer", 0.4)
local width     = m:constant("width", 0.01)
local clearance = m:parameter("clearance", 2e-4, "m")
local ovality   = m:parameter("ovality", 4e-4, "m")
local omega     = m:parameter("omega", 300, "rad/s")
local rise      = m:parameter("rise", 0.02, "s")
local mu        = m:parameter("mu", 0, "1")
local E, nu     = 110e9, 0.3

local blade = m:mesh("blade", { cells = { n, 2 }, size = { outer - inner, width }, origin = { inner, -width / 2 }, cell = "quad4",
  plane = "strain", thickness = 0.03 })
local lambda, G = E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))
m:hyperelastic(blade, { rho = 4400, energy = function(F)
  local C = carom.matmul(carom.transpose(F), F)
  local trace, square = 0, 0
  for i = 1, 3 do
    trace = trace + (C[i][i] - 1) / 2
    for j = 1, 3 do square = square + ((C[i][j] - (i == j and 1 or 0)) / 2)^2 end
  end
  return lambda / 2 * trace^2 + G * square
end })

-- the root turns: angular speed rises to omega within `rise`, then stays
local function angle(t)
  local s = carom.min(t / rise, 1)
  return omega * (rise * (s^3 - s^4 / 2) + carom.max(t - rise, 0))
end
m:fix(blade, "left", { motion = function(X, Y, t)
  local a = angle(t)
  return { X * (cos(a) - 1) - Y * sin(a), X * sin(a) + Y * (cos(a) - 1) }
end })
m:contact_surface("casing", { mesh = blade, boundary = "right", friction = mu, gap = function(x, y)
  local r2 = x^2 + y^2
  local r = carom.sqrt(r2)
  return outer + clearance + width^2 / (8 * outer) - ovality * (x^2 / r2)^8 * carom.select(carom.lt(x, 0), 1, 0) - r
end })
m:probe("tip", { mesh = blade, at = { outer, 0 } })

m:run { until_time = 0.06, step = 5e-6, scheme = "moreau-jean:theta=0.52,gamma=0" }   -- damps what steps cannot resolve
return m
