-- A brick thrown on a floor: eight corners, impacts and friction. (A standard test of rigid body contact; the data are this
-- model's own.)
--
-- Known answer: until the first impact the centre flies on a parabola and the angular momentum in space is constant; the
-- energy never grows; at the end the brick lies still on one of its faces, its centre at half an edge: z = a/2, b/2 or c/2.
local carom = require "carom"
local m = carom.model "box_tumble"

local mass = m:parameter("mass", 1, "kg")
local a = m:parameter("a", 0.3, "m")
local b = m:parameter("b", 0.2, "m")
local c = m:parameter("c", 0.1, "m")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local restitution = m:parameter("restitution", 0.3, "1")
local friction = m:parameter("friction", 0.4, "1")
local height = m:parameter("height", 0.5, "m")

m:gravity(0, 0, -gravity)
local Ia, Ib, Ic = mass * (b^2 + c^2) / 12, mass * (a^2 + c^2) / 12, mass * (a^2 + b^2) / 12
local brick = m:free_body("brick", { mass = mass, inertia = { Ia, Ib, Ic }, at = { 0, 0, height },
  orientation = { axis = { 1, 2, 0.5 }, angle = 0.7 }, velocity = { 1, 0.3, 0 }, spin = { 2, 5, 1 } })
m:contact_between(m:box("brick", { size = { a, b, c }, body = brick }), m:plane("floor", { normal = { 0, 0, 1 } }),
  { restitution = restitution, friction = friction })

local w, v = brick.spin, { brick.at[1].dot, brick.at[2].dot, brick.at[3].dot }
m:output("energy", (mass * (v[1]^2 + v[2]^2 + v[3]^2) + Ia * w[1]^2 + Ib * w[2]^2 + Ic * w[3]^2) / 2
  + mass * gravity * brick.at[3], { unit = "J" })

m:run { until_time = 3, step = 1e-4, scheme = "D-:M=1" }
return m
