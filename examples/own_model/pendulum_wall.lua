-- A pendulum that hits a wall.
local carom = require "carom"
local m = carom.model "pendulum_wall"

local mass        = m:parameter("mass", 1.0, "kg")
local length      = m:parameter("length", 0.5, "m")
local distance    = m:parameter("distance", 0.1, "m")   -- of the wall, to the left of the pivot
local restitution = m:parameter("restitution", 0.8, "1")

local phi = m:coordinate("phi", { unit = "rad", initial = 1.0, velocity = 0.0 })
local x, y = length * carom.sin(phi), -length * carom.cos(phi)

m:gravity(0, -9.81)
m:body("bob", { mass = mass, at = { x, y } })
m:contact("wall", { gap = x + distance, restitution = restitution })
m:output("height", y, { unit = "m" })

m:run { until_time = 5, step = 1e-3, scheme = "D-:M=1" }
return m
