-- A point mass that slides inside a circular bowl of radius 1: a curved contact that stays closed.
--
--   x'' = -0.05 x' - x r,  y'' = -9.81 - 0.05 y' - y r,  0 <= g = (1 - x^2 - y^2)/2 _|_ r >= 0
--   starts at the angle 1 from below, at rest
--
-- Known answer: equal to the damped pendulum phi'' = -9.81 sin phi - 0.05 phi' while the contact presses. With 100
-- steps until t = 2 (x y x' y'):
--   D- M=1 7.685296342345e-01 -6.402020572677e-01 6.625345075139e-01 7.953385918509e-01, largest gap error 9.358e-04
--   D- M=2 7.687631193112e-01 -6.395336464543e-01 6.604468969058e-01 7.939022746022e-01, largest gap error 1.714e-08
--   D- M=1,projection=on 7.688794909197e-01 -6.393937194273e-01 6.584450426805e-01 7.917889616874e-01
local carom = require "carom"
local m = carom.model "bowl"

local mass = m:parameter("mass", 1, "kg")
local gravity = m:parameter("gravity", 9.81, "m/s^2")
local damping = m:parameter("damping", 0.05, "N s/m")
local radius = m:parameter("radius", 1, "m")
local restitution = m:parameter("restitution", 0, "1")
local x = m:coordinate("x", { unit = "m", initial = radius * carom.sin(1) })
local y = m:coordinate("y", { unit = "m", initial = -radius * carom.cos(1) })

m:gravity(0, -gravity)
m:body("bead", { mass = mass, at = { x, y } })
m:force { at = { x, y }, value = { -damping * x.dot, -damping * y.dot } }
-- the gap is the distance to the wall near it, and smooth in the middle of the bowl
m:contact("bowl", { gap = (radius^2 - x^2 - y^2) / (2 * radius), restitution = restitution, at = { x, y } })

local wall = {}
for i = 0, 40 do wall[i + 1] = { radius * carom.sin(carom.pi * (i / 20 - 1)), -radius * carom.cos(carom.pi * (i / 20 - 1)) } end
m:draw("wall", { line = wall, fixed = true })

m:run { until_time = 2, step = 0.02, scheme = "D-:M=2" }
return m
