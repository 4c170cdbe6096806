-- A steel arch dropped on a floor: its feet slide apart, stick and come back.
--
-- A grid of quadrilaterals bent to half a ring, plane strain, friction at both feet (the left and right edge of the grid).
local carom = require "carom"
local m = carom.model "arch"

local n  = m:constant("n", 16)                    -- cells through the thickness
local E  = m:parameter("E", 210e9, "Pa")
local mu = m:parameter("mu", 0.2, "1")
local v  = m:parameter("v", 5, "m/s")             -- speed of the drop

local inner, thickness, lift = 1.0, 0.1, 1e-3     -- m
local arch = m:mesh("arch", { cell = "quad4", cells = { 16 * n, n }, size = { 1, 1 },
  map = function(X, Y)
    local angle = carom.pi * (1 - X)              -- the left edge becomes the left foot
    local r = inner + thickness * Y
    return { r * carom.cos(angle), lift + r * carom.sin(angle) }
  end })

m:elastic(arch, { E = E, nu = 0.3, rho = 7800, damping = { stiffness = 1e-7 } })
m:start(arch, { velocity = function() return { 0, -v } end })
for _, foot in ipairs { "left", "right" } do
  m:contact_surface(foot .. "_foot", { mesh = arch, boundary = foot, gap = function(_, y) return y end, friction = mu })
end
m:probe("crown", { mesh = arch, at = { 0, 1.1 + lift } })
m:probe("foot", { mesh = arch, at = { 1, lift } })

m:run { until_time = 4e-3, cfl = 10, frames = 20, scheme = "moreau-jean:theta=0.5,gamma=0" }
return m
