-- Small models that steps are tried on, as the text of a model file: { text = }.
local models = {}

-- a disc that slides, turns and stops on a bowl-shaped floor under a force that goes round
models.puck = { text = [[
local carom = require "carom"
local m = carom.model "puck"
local x = m:coordinate("x", { initial = 0.3, velocity = 1 })
local y = m:coordinate("y", { initial = 0, velocity = 0.4 })
local z = m:coordinate("z", { initial = 0.009, velocity = 0.12 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:potential_energy(9.81 * z)
m:force(x, 0.8 * carom.cos(3 * m:time()))
m:force(y, 0.8 * carom.sin(3 * m:time()))
m:contact("floor", { gap = z - 0.1 * (x^2 + y^2), slide = { x, y }, friction = 0.3, restitution = 0.2 })
m:run { until_time = 1, step = 0.005 }
return m
]] }
-- a brick in space that falls on one corner
models.corner = { text = [[
local carom = require "carom"
local m = carom.model "corner"
m:gravity(0, 0, -9.81)
local b = m:free_body("brick", { mass = 2, inertia = { 0.02, 0.03, 0.04 }, at = { 0, 0, 0.3 }, velocity = { 0.5, 0, -0.2 },
  spin = { 1, 2, 3 } })
local p = b:point(0.1, 0.15, -0.2)
m:contact("tip", { gap = p[3], slide = { p[1], p[2] }, friction = 0.4, restitution = 0.3 })
m:run { until_time = 0.5, step = 0.005 }
return m
]] }
-- a bead between a curved bowl (e = 0.5) and a wall (e = 0): rows of several restitutions
models.bead = { text = [[
local carom = require "carom"
local m = carom.model "bead"
local x = m:coordinate("x", { initial = 0.5, velocity = -1 })
local y = m:coordinate("y", { initial = -0.5 })
m:gravity(0, -9.81)
m:body("bead", { mass = 1, at = { x, y } })
m:contact("bowl", { gap = (1 - x^2 - y^2) / 2, restitution = 0.5 })
m:contact("wall", { gap = x + 0.4, restitution = 0 })
m:run { until_time = 1, step = 0.01 }
return m
]] }
-- starts closed and closing, with friction and restitution in the tangent
models.stone = { text = [[
local carom = require "carom"
local m = carom.model "stone"
local x = m:coordinate("x", { velocity = 2 })
local y = m:coordinate("y", { velocity = -3 })
m:gravity(0, -9.81)
m:body("stone", { mass = 1, at = { x, y } })
m:contact("floor", { gap = y, slide = x, restitution = 0.8, friction = 0.3, tangential_restitution = 0.1 })
m:run { until_time = 1, step = 0.01 }
return m
]] }
-- a joint that is driven, and a mass that depends on where it is
models.driven = { text = [[
local carom = require "carom"
local m = carom.model "driven"
local a = m:coordinate("a", { initial = 0, velocity = 0.5 })
local b = m:coordinate("b", { initial = 0, velocity = 1 })
m:gravity(0, -9.81)
m:body("one", { mass = 1, at = { carom.sin(a), -carom.cos(a) } })
m:body("two", { mass = 1, at = { carom.sin(a) + carom.sin(b), -carom.cos(a) - carom.cos(b) } })
m:constraint("drive", { zero = carom.sin(a) - carom.sin(2 * m:time()) / 4 })
m:contact("stop", { gap = 0.25 - carom.sin(a) - carom.sin(b), restitution = 0.5 })
m:run { until_time = 1, step = 0.01 }
return m
]] }
-- a joint that is linear, and a mass that is not constant
models.scissors = { text = [[
local carom = require "carom"
local m = carom.model "scissors"
local a = m:coordinate("a", { initial = 1 })
local b = m:coordinate("b", { initial = 1.5 })
m:gravity(0, -9.81)
m:body("one", { mass = 1, at = { carom.sin(a), -carom.cos(a) } })
m:body("two", { mass = 1, at = { carom.sin(a) + carom.sin(b), -carom.cos(a) - carom.cos(b) } })
m:constraint("sum", { zero = a + b - 2.5 })
m:run { until_time = 1, step = 0.01 }
return m
]] }
-- two masses on a rod, dropped on a floor with friction: bilateral rows, contacts that hit, slide and stick
models.rod = { text = [[
local carom = require "carom"
local m = carom.model "rod"
local x1, y1 = m:coordinate("x1", { velocity = 1 }), m:coordinate("y1", { initial = 0.1 })
local x2, y2 = m:coordinate("x2", { initial = 1, velocity = 1 }), m:coordinate("y2", { initial = 0.1 })
m:kinetic_energy((x1.dot^2 + y1.dot^2) / 2 + x2.dot^2 + y2.dot^2)
m:potential_energy(9.81 * (y1 + 2 * y2))
m:constraint("length", (x2 - x1)^2 + (y2 - y1)^2 - 1)
m:contact("left", { gap = y1, slide = x1, restitution = 0.5, friction = 0.2 })
m:contact("right", { gap = y2, slide = x2, restitution = 0.3, friction = 0.4 })
return m
]] }

-- one rod with Poisson's law at both ends (friction at one: what two tips of a rigid rod share is not unique), and a stone on it with
-- Newton's
models.rods = { text = [[
local carom = require "carom"
local m = carom.model "rods"
local x, y = m:coordinate("x", { velocity = 1 }), m:coordinate("y", { initial = 0.2 })
local phi, z = m:coordinate("phi", { initial = 0.1, velocity = -0.5 }), m:coordinate("z", { initial = 0.5 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2 + phi.dot^2 / 24 + z.dot^2 / 2)
m:potential_energy(9.81 * (y + z))
local dx, dy = carom.cos(phi) / 2, carom.sin(phi) / 2
m:contact("left", { gap = y - dy, slide = x - dx, restitution = 0.6, friction = 0.3, restitution_law = "poisson" })
m:contact("right", { gap = y + dy, restitution = 0.8, restitution_law = "poisson" })
m:contact("top", { gap = z - y - 0.05, restitution = 0.5 })
return m
]] }

-- a disc that hits a slope which resists rolling, rolls up, and comes to rest; Poisson's law in its impacts
models.marble = { text = [[
local carom = require "carom"
local m = carom.model "marble"
local x, y = m:coordinate("x", { velocity = 1.5 }), m:coordinate("y", { initial = 0.15 })
local phi = m:coordinate("phi", { velocity = 3 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2 + 0.005 * phi.dot^2 / 2)
m:potential_energy(9.81 * y + 2 * x)
m:contact("floor", { gap = y - 0.1, friction = 0.3, slip = x.dot + 0.1 * phi.dot, rolling = 0.03, turn = phi.dot, restitution = 0.4,
  restitution_law = "poisson" })
return m
]] }
-- a ball in space that falls with spin, and resists rolling and pivoting
models.spun = { text = [[
local carom = require "carom"
local m = carom.model "spun"
m:gravity(0, 0, -9.81)
local b = m:free_body("ball", { mass = 1, inertia = 0.004, at = { 0, 0, 0.102 }, velocity = { 1, 0.3, -0.2 }, spin = { 2, 3, 5 } })
m:contact_between(m:sphere("ball", { radius = 0.1, body = b }), m:plane("floor", { normal = { 0, 0, 1 } }), { friction = 0.2,
  rolling = 0.01, pivoting = 0.02, restitution = 0.3 })
return m
]] }

-- one of two stones is lifted off within a step: what it pressed until then is part of its impulse
models.lifted = { text = [[
local carom = require "carom"
local m = carom.model "lifted"
local y1, y2 = m:coordinate("y1"), m:coordinate("y2")
m:kinetic_energy((y1.dot^2 + y2.dot^2) / 2)
m:potential_energy(9.81 * (y1 + y2))
m:force(y1, 40 * m:time() - 3 * y1.dot)
m:contact("one", { gap = y1 })
m:contact("two", { gap = y2 })
return m
]] }

return models
