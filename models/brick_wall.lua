-- A wall of bricks with mortar: boxes in running bond on a plane, each glued to those it lies on, and a ball that is thrown at it.
--
-- The mortar is cohesion of the contacts between bricks and between the lowest bricks and the ground: each point of contact can pull with
-- `mortar` and adds mu times that to friction (Mohr and Coulomb); one that opens has lost it for good. Bricks of 25 x 12.5 x 7.5 cm and
-- 4 kg, four courses; the ball weighs 5 kg. Made for carom. Known answer: as long as the ball is away nothing moves but by rounding; a slow
-- ball (0.2 m/s) leaves the wall standing, a fast one (8 m/s) breaks it: at t = 1 its topmost brick lies flat on the ground, half its
-- height above it. (Bodies are rigid: an impact is an impulse, which a bond meets with its force times the length of the step.)
local carom = require "carom"
local m = carom.model "brick_wall"

local mortar = m:parameter("mortar", 300, "N")
local friction = m:parameter("friction", 0.6, "1")
local speed = m:parameter("speed", 8, "m/s")
local distance = m:parameter("distance", 0.3, "m")
local l, b, h = 0.25, 0.125, 0.075
local mass, courses = 4, 4

m:gravity(0, 0, -9.81)
local ground = m:plane("ground", { normal = { 0, 0, 1 } })
local inertia = { mass * (b^2 + h^2) / 12, mass * (l^2 + h^2) / 12, mass * (l^2 + b^2) / 12 }
local bricks = {}
for k = 1, courses do
  for i = 1, k % 2 == 1 and 2 or 1 do
    local name, x = ("brick%d_%d"):format(k, i), k % 2 == 1 and (i - 1.5) * l or 0
    local body = m:free_body(name, { mass = mass, inertia = inertia, at = { x, 0, (k - 0.5) * h } })
    bricks[#bricks + 1] = { course = k, body = body, box = m:box(name, { body = body, size = { l, b, h } }) }
  end
end
local glued = { friction = friction, cohesion = mortar }
for i, brick in ipairs(bricks) do
  m:contact_between(brick.box, ground, brick.course == 1 and glued or { friction = friction })
  for j = 1, i - 1 do
    m:contact_between(brick.box, bricks[j].box, brick.course == bricks[j].course + 1 and glued or { friction = friction })
  end
end

local ball = m:free_body("ball", { mass = 5, inertia = 0.01, at = { 0, -distance - b / 2 - 0.05, 2.5 * h }, velocity = { 0, speed, 0 } })
local sphere = m:sphere("ball", { radius = 0.05, body = ball })
m:contact_between(sphere, ground, { friction = friction })
for _, brick in ipairs(bricks) do m:contact_between(sphere, brick.box, { friction = friction }) end

m:output("top", bricks[#bricks].body.at[3], { unit = "m" })
m:output("bottom_y", bricks[1].body.at[2], { unit = "m" })
m:output("top_y", bricks[#bricks].body.at[2], { unit = "m" })

-- tg: of four points under a face some carry nothing, and drift by what the solver leaves; they must not count as open, or a brick tips for
-- one step before they stop it
m:run { until_time = 1, step = 1e-3, scheme = "moreau-jean:theta=1,gamma=1,tol=1e-8,ctol=1e-8,tg=1e-7" }
return m
