-- A gripper: two fingers on slides press a box between them and hold it against its weight by friction alone.
-- (A standard test of contact that must stick: eight corners, more forces than equations, and nothing to lean on. The data
-- are this model's own.)
--
-- Known answer: the box hangs still where 2 friction force >= mass gravity, that is force >= 4.905 N with the data below, and
-- must not creep: place and orientation stay those of the start, to rounding. With a smaller force it falls with the
-- acceleration g - 2 friction force / mass. (How the corners of a side share the force is not determined. Even shares are
-- meant: uneven ones would turn a box that slides, and let go above the limit.)
local carom = require "carom"
local m = carom.model "gripper"

local mass = m:parameter("mass", 0.5, "kg")
local a = m:parameter("a", 0.06, "m")                      -- width of the box, between the fingers
local b = m:parameter("b", 0.04, "m")
local c = m:parameter("c", 0.08, "m")                      -- height
local finger = m:parameter("finger", 0.2, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local friction = m:parameter("friction", 0.5, "1")
local force = m:input("force", 10, "N")                    -- of each finger

m:gravity(0, 0, -gravity)
local box = m:free_body("box", { mass = mass,
  inertia = { mass * (b^2 + c^2) / 12, mass * (a^2 + c^2) / 12, mass * (a^2 + b^2) / 12 } })

-- corners with x = -a/2 are 1, 4, 5 and 8, the others 2, 3, 6 and 7
for _, side in ipairs { { "left", -1, { 1, 4, 5, 8 } }, { "right", 1, { 2, 3, 6, 7 } } } do
  local name, sign, corners = table.unpack(side)
  local slide = m:link(name, { joint = "prismatic", axis = { -sign, 0, 0 }, at = { sign * a / 2, 0, 0 }, mass = finger,
    motor = force })
  m:contact_between(m:box(name, { size = { a, b, c }, body = box, corners = corners }),
    m:plane(name .. "_pad", { normal = { -sign, 0, 0 }, body = slide }), { name = name, friction = friction })
end

local w = box.spin
m:output("speed", carom.sqrt(box.at[1].dot^2 + box.at[2].dot^2 + box.at[3].dot^2), { unit = "m/s" })
m:output("turning", carom.sqrt(w[1]^2 + w[2]^2 + w[3]^2), { unit = "rad/s" })

m:run { until_time = 10, step = 1e-3, scheme = "moreau-jean:theta=0.5" }
return m
