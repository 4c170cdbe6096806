-- A block that sticks on an incline: after any number of steps it must not have moved.
--
--   m x'' = -n sin a + t cos a,   m y'' = -m g + n cos a + t sin a,   gap y cos a - x sin a,   slide x cos a + y sin a
--
-- Horizontal and vertical coordinates, so that normal and tangent are no coordinate directions and rounding can show.
-- Known answer: for friction >= tan(angle) (0.363970234266 at the default 20 degrees) the block stays where it is, with
-- n = m g cos a and t = m g sin a; a million steps may move it by rounding only. With less friction it slides down with
-- the acceleration g (sin a - friction cos a).
local carom = require "carom"
local m = carom.model "stick_block"

local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local angle = m:parameter("angle", carom.pi / 9, "rad")
local friction = m:parameter("friction", 0.5, "1")
local x = m:coordinate("x", { unit = "m", initial = 0 })
local y = m:coordinate("y", { unit = "m", initial = 0 })
local s, c = carom.sin(angle), carom.cos(angle)

m:gravity(0, -gravity)
m:body("block", { mass = mass, at = { x, y } })
m:contact("surface", { gap = c * y - s * x, at = { x, y }, friction = friction, slide = c * x + s * y })
m:output("moved", c * x + s * y, { unit = "m" })

m:draw("slope", { line = { { -0.2 * c, -0.2 * s }, { 0.2 * c, 0.2 * s } }, fixed = true })
local function on_block(along, up) return { x + c * along - s * up, y + s * along + c * up } end
m:draw("block", { line = { on_block(-0.03, 0), on_block(0.03, 0), on_block(0.03, 0.04), on_block(-0.03, 0.04) }, closed = true })

m:run { until_time = 1000, step = 1e-3, scheme = "D-:M=1" }
return m
