-- Small models that only the tests of capture and of adaptive steps need, as texts for S.unit { text = ... }.
local M = {}

-- th'' = -9.81 sin th - 0.1 th' + 4 sin 1.3 t, a wall at sin th = 0.3, restitution 0.6
M.pendulum = { text = [[
local carom = require "carom"
local m = carom.model "wall_pendulum"
local e = m:parameter("restitution", 0.6)
local t = m:time()
local th = m:coordinate("theta", { initial = 1 })
m:kinetic_energy(th.dot^2 / 2)
m:force(th, -9.81 * carom.sin(th) - 0.1 * th.dot + 4 * carom.sin(1.3 * t))
m:contact("wall", { gap = carom.sin(th) - 0.3, restitution = e })
return m
]] }

-- the same in the plane, with the rod as a bilateral constraint: theta is the angle of (x, y) from below
M.rod_pendulum = { text = [[
local carom = require "carom"
local m = carom.model "rod_pendulum"
local e = m:parameter("restitution", 0.6)
local t = m:time()
local x = m:coordinate("x", { initial = carom.sin(1) })
local y = m:coordinate("y", { initial = -carom.cos(1) })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
local torque = -0.1 * (x * y.dot - y * x.dot) + 4 * carom.sin(1.3 * t)
m:force(x, -y * torque)
m:force(y, x * torque - 9.81)
m:constraint("rod", (x^2 + y^2 - 1) / 2)
m:contact("wall", { gap = x - 0.3, restitution = e })
m:output("theta", carom.atan2(x, -y))
return m
]] }

-- a disc that falls with spin on a floor, bounces, slides and rolls
M.disc = { text = [[
local carom = require "carom"
local m = carom.model "disc"
local mu = m:parameter("friction", 0.05)
local x = m:coordinate("x", { initial = 0, velocity = 1 })
local y = m:coordinate("y", { initial = 1.2 })
local phi = m:coordinate("phi", { initial = 0, velocity = 3 })
m:kinetic_energy((x.dot^2 + y.dot^2 + 0.4 * 0.2^2 * phi.dot^2) / 2)
m:force(x, -0.3 * x.dot - 2 * x)
m:force(y, -9.81 - 0.3 * y.dot)
m:contact("floor", { gap = y - 0.2, restitution = 0.5, friction = mu, slip = x.dot + 0.2 * phi.dot })
return m
]] }

-- three beads on springs to the ground: three coupled contacts that come to rest at 0.1 0.3 0.5
M.beads = { text = [[
local carom = require "carom"
local m = carom.model "beads"
local q, start = {}, { 0.5, 0.75, 1.05 }
for i = 1, 3 do
  q[i] = m:coordinate("q" .. i, { initial = start[i] })
  m:kinetic_energy(q[i].dot^2 / 2)
  m:force(q[i], -9.81 - 3 * q[i])
end
m:contact("ground", { gap = q[1] - 0.1, restitution = 0.5 })
for i = 1, 2 do m:contact("pair" .. i, { gap = q[i + 1] - q[i] - 0.2, restitution = 0.5 }) end
return m
]] }

-- a hardening oscillator whose swing a wall cuts by `depth`
M.graze = { text = [[
local carom = require "carom"
local m = carom.model "graze"
local depth = m:parameter("depth", 1e-3)
local q = m:coordinate("q", { initial = 1 })
m:kinetic_energy(q.dot^2 / 2)
m:force(q, -4 * q - 0.3 * q^3)
m:contact("wall", { gap = q + 1 - depth, restitution = 0.5 })
return m
]] }

-- a block on a floor with feet at both ends and in the middle: one contact more than motion can tell apart
M.feet = { text = [[
local carom = require "carom"
local m = carom.model "feet"
local mu = m:parameter("friction", 0)
local e = m:parameter("restitution", 0.5)
local push = m:parameter("push", 0)
local x = m:coordinate("x", { initial = 0 })
local y = m:coordinate("y", { initial = 0.5 })
local th = m:coordinate("theta", { initial = 0.1 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2 + 0.1 * th.dot^2 / 2)
m:force(x, push)
m:force(y, -9.81)
for i, side in ipairs { -0.5, 0, 0.5 } do
  local X = x + side * carom.cos(th) + 0.2 * carom.sin(th)
  local Y = y + side * carom.sin(th) - 0.2 * carom.cos(th)
  m:contact("foot" .. i, { gap = Y, restitution = e, friction = mu, slide = X })
end
return m
]] }

-- a point mass on a rough plane under a load (ax, ay, swing)
M.plane = { text = [[
local carom = require "carom"
local m = carom.model "plane"
local mu = m:parameter("friction", 0.3)
local ax, ay, swing = m:parameter("ax", 0), m:parameter("ay", 0), m:parameter("swing", 0)
local t = m:time()
local x = m:coordinate("x", { initial = 0, velocity = 2 })
local y = m:coordinate("y", { initial = 0, velocity = 1 })
local z = m:coordinate("z", { initial = 0 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:force(x, ax)
m:force(y, ay + swing * carom.sin(3 * t))
m:force(z, -9.81)
m:contact("floor", { gap = z, friction = mu, slide = { x, y } })
return m
]] }

-- a block that sticks on an incline of 0.3 rad, under a load along it that changes but never suffices
M.creep = { text = [[
local carom = require "carom"
local m = carom.model "creep"
local t = m:time()
local x = m:coordinate("x", { initial = 0.2 })
local y = m:coordinate("y", { initial = 0 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:force(x, -9.81 * carom.sin(0.3) + carom.sin(7 * t))
m:force(y, -9.81 * carom.cos(0.3) + 2 * carom.sin(11 * t))
m:contact("surface", { gap = y, friction = 0.8, slide = x })
return m
]] }

return M
