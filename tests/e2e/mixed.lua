-- Models of mechanisms beside meshes, as texts: what stands on a page of a model between its two usual lines.
local M = {}

local NX, NY, LX, LY, E, nu, rho = 3, 2, 0.6, 0.3, 1e6, 0.3, 1000

-- the mechanism: a disk on a spring, a carriage that a motor drives
M.mechanism = [[
m:gravity(0, -9.81)
local push = m:input("push", 3000)
local x = m:coordinate("x", { unit = "m", initial = 0.37 })
local y = m:coordinate("y", { unit = "m", initial = 0.405, velocity = -1.5 })
local a = m:coordinate("a", { unit = "rad", velocity = 6 })
local ball = m:body("ball", { mass = 4, inertia = 0.02, at = { x, y }, angle = a })
local s = m:coordinate("s", { unit = "m" })
local tilt = m:coordinate("tilt", { unit = "rad", initial = 0.1 })
local carriage = m:body("carriage", { mass = 30, inertia = 3, at = { s - 0.1, 0.1 }, angle = tilt })
m:spring("base", { length = tilt, stiffness = 4000, rest = 0.1 })
m:force(s, push)
m:spring("rope", { between = { { 0.3, 0.9 }, ball.at }, stiffness = 500, rest = 0.3 })
m:contact("stop", { gap = 0.012 - s, restitution = 0.3 })
]]

M.meshed = M.mechanism .. ([[
local block = m:mesh("block", { cells = { %d, %d }, size = { %g, %g }, cell = "tri3", unit = "m" })
m:elastic(block, { E = %g, nu = %g, rho = %g })
m:tie("weld", { mesh = block, boundary = "left", body = carriage })
local hit = { mesh = block, boundary = "top", against = m:disk("ball", { body = ball, radius = 0.1 }), friction = 0.3 }
m:contact_surface("hit", hit)
local corner = m:node(block, { 0.6, 0 })
m:spring("leg", { between = { corner, { 0.6, -0.2 } }, stiffness = 3000, rest = 0.2 })
m:damper("dash", { length = corner[2] - y, damping = 20 })
m:output("corner", corner[2])
m:output("corner_speed", corner[2].dot)
]]):format(NX, NY, LX, LY, E, nu, rho)

M.plate = { NX = NX, NY = NY, LX = LX, LY = LY, E = E, nu = nu, rho = rho }

-- in space: a shape and a tie against the same rows, written node by node
M.spatial = [[
m:gravity(0, 0, -9.81)
local block = m:mesh("block", { cells = { 2, 2, 1 }, size = { 0.4, 0.4, 0.2 }, unit = "m" })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
m:fix(block, "left")
local ball = m:free_body("ball", { mass = 2, inertia = 0.01, at = { 0.23, 0.19, 0.305 }, velocity = { 0.3, 0.1, -1 }, spin = { 2, 5, 1 } })
local head = m:free_body("head", { mass = 3, inertia = { 0.05, 0.06, 0.07 }, at = { 0.5, 0.2, 0.1 }, orientation = { 0.8, 0, 0.6, 0 } })
m:spring("rope", { between = { { 0.2, 0.2, 0.9 }, ball:point(0, 0, 0.1) }, stiffness = 20, rest = 0.3 })
]]

M.space = [[
m:contact_surface("hit", { mesh = block, boundary = "top", against = m:sphere("ball", { body = ball, radius = 0.1 }), friction = 0.4 })
m:tie("weld", { mesh = block, boundary = "right", body = head })]]


return M
