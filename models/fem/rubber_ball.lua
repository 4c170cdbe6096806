-- A rubber ball that bounces: large strains, neo-Hooke.
--
-- A cube of hexahedra drawn to a ball falls on the floor at v0. Hertz' impact of a soft, slow ball (1881), with
--   E = G (3 K + 2 G)/(K + G), nu = K/(2 (K + G)), E* = E/(1 - nu^2), mass M:
--   greatest approach d = (15 M v0^2/(16 E* sqrt(R)))^(2/5), duration of contact 2.943 d/v0 (11 ms at 3 m/s)
-- holds for d << R and waves that are fast against the bounce; the coarse ball at 3 m/s (d = R/4) is within 15 percent of it.
-- Nothing is lost but the kinetic energy of the nodes that hit and what stays as vibration: the ball leaves nearly as fast as
-- it came, and the impulse is the change of momentum. Stress and stiffness are derived from the energy below.
local carom = require "carom"
local m = carom.model "rubber_ball"

local n   = m:constant("n", 6)
local R   = m:constant("R", 0.05)
local G   = m:parameter("G", 4e5, "Pa")
local K   = m:parameter("K", 4e6, "Pa")
local rho = m:parameter("rho", 1000, "kg/m^3")
local v0  = m:parameter("v0", 3, "m/s")
local g   = m:parameter("g", 9.81, "m/s^2")

-- the cube [-1,1]^3 to the unit ball: planes become shells, cells stay good
local function ball(x, y, z)
  local X, Y, Z = x^2, y^2, z^2
  return x * carom.sqrt(1 - Y / 2 - Z / 2 + Y * Z / 3), y * carom.sqrt(1 - Z / 2 - X / 2 + Z * X / 3),
    z * carom.sqrt(1 - X / 2 - Y / 2 + X * Y / 3)
end

local body = m:mesh("body", { cells = { n, n, n }, size = { 2, 2, 2 }, origin = { -1, -1, -1 }, map = function(X, Y, Z)
  local x, y, z = ball(X, Y, Z)
  return { R * x, R * y, R * (z + 1) }
end })
m:hyperelastic(body, { rho = rho, energy = function(F)
  local J = carom.det(F)
  local I1 = carom.trace(carom.matmul(carom.transpose(F), F))
  return G / 2 * (I1 - 3 - 2 * carom.log(J)) + K / 2 * carom.log(J)^2
end })
m:body_force(body, function() return { 0, 0, -g } end)
m:start(body, { velocity = function() return { 0, 0, -v0 } end })
m:contact_surface("floor", { mesh = body, boundary = "bottom", gap = function(_, _, z) return z end })
m:probe("top", { mesh = body, at = { 0, 0, 2 * R } })
m:probe("rim", { mesh = body, at = { R, 0, 0 } })   -- of the part that may touch: stays above the floor at this speed

m:run { until_time = 0.02, step = 5e-5, scheme = "moreau-jean:theta=0.5,gamma=0" }
return m
