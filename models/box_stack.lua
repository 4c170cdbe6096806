-- N equal boxes on top of each other on a floor: bodies at rest with four contact points per face, one more than needed, and
-- friction. (A standard test of contact in bulk; the data are this model's own.)
--
-- Known answer: the stack stands still, box i with its middle at (i - 1/2) height, whatever N. Pushed off at the speed v it
-- slides as one body over v^2 / (2 mu g); it tips when mu > width / (N height).
local carom = require "carom"
local m = carom.model "box_stack"

local N        = m:constant("N", 5)
local mass     = m:parameter("mass", 1, "kg")
local width    = m:parameter("width", 0.2, "m")
local height   = m:parameter("height", 0.1, "m")
local friction = m:parameter("friction", 0.5, "1")
local push     = m:parameter("push", 0, "m/s")        -- velocity of all boxes at the start, along x
local gravity  = m:parameter("gravity", 9.81, "m/s^2")

m:gravity(0, 0, -gravity)
local flat, upright = mass * (width^2 + height^2) / 12, mass * width^2 / 6
local shapes, boxes = { m:plane("floor", { normal = { 0, 0, 1 } }) }, {}
for i = 1, N do
  boxes[i] = m:free_body("box" .. i, { mass = mass, inertia = { flat, flat, upright }, at = { 0, 0, (i - 0.5) * height },
    velocity = { push, 0, 0 } })
  shapes[i + 1] = m:box("box" .. i, { size = { width, width, height }, body = boxes[i] })
end
m:contacts_among(shapes, { friction = friction })

m:output("top_x", boxes[N].at[1], { unit = "m" })
m:output("top_z", boxes[N].at[3], { unit = "m" })
m:output("bottom_x", boxes[1].at[1], { unit = "m" })
m:output("bottom_z", boxes[1].at[3], { unit = "m" })

m:run { until_time = 10, step = 1e-3, scheme = "moreau-jean:theta=1,gamma=1,tol=1e-8,ctol=1e-8" }
return m
