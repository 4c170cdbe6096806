-- A damped oscillator that hits a wall at its rest position: Example 2 of Acary, RR-7151, with numbers of our own
-- because the report prints none.
--
--   m q'' + c q' + k q = f0 + amplitude cos(omega t) + r,   0 <= q _|_ r >= 0,   q(0) = 1, q'(0) = 0
--
-- Known answers, m = 1, k = 10, q(0) = 1, T = 5:
--   defaults    c 0.5, restitution 0.8: impacts at .523393697427740 1.519971711671683 2.516549725915626
--               3.513127740159569 4.509705754403512
--   undamped    c 0, restitution 0.8: .496729413289805 1.490188239869415 2.483647066449025 3.477105893028635
--               4.470564719608245
--   preloaded   c 0.5, f0 -4, restitution 0.5: .4212528896003 1.0330126540476 1.4025079957520 ..., at rest from
--               1.787282978516
--   forced      c 0.5, f0 -4, amplitude 8, omega 2, restitution 0.5: .657305690371 1.095536682674 1.262577130487 ...,
--               at rest from 1.413849849489, released at 2.617993877991 = 5 pi/6, at rest again from 4.629937531048
-- The whole motion, for all parameters, is in exact_oscillator.lua.
local carom = require "carom"
local oscillator = require "exact_oscillator"
local m = carom.model "impacting_oscillator"

local mass = m:parameter("m", 1, "kg")
local c = m:parameter("c", 0.5, "N s/m")
local k = m:parameter("k", 10, "N/m")
local f0 = m:parameter("f0", 0, "N")
local amplitude = m:parameter("amplitude", 0, "N")
local omega = m:parameter("omega", 2, "rad/s")
local restitution = m:parameter("restitution", 0.8, "1")
local t = m:time("s")
local q = m:coordinate("q", { unit = "m", initial = 1, velocity = 0 })

m:kinetic_energy(mass * q.dot^2 / 2)
m:spring { length = q, stiffness = k }
m:damper { length = q, damping = c }
m:force(q, f0 + amplitude * carom.cos(omega * t))
m:contact("wall", { gap = q, at = { 0, 0 }, restitution = restitution })

local function solution(p)
  return oscillator.solve { m = p.m, c = p.c, k = p.k, f0 = p.f0, a = p.amplitude, omega = p.omega,
    restitution = p.restitution, q0 = 1, v0 = 0 }
end

m:exact(function(time, p)
  local position, velocity = solution(p):at(time)
  return { q = position, ["q.dot"] = velocity }
end, function(p, T)
  local times = {}
  for i, event in ipairs(solution(p):events(T)) do times[i] = event.t end
  return times
end)

m:draw("mass", { line = { { q, -0.1 }, { q + 0.2, -0.1 }, { q + 0.2, 0.1 }, { q, 0.1 } }, closed = true })
m:draw("stop", { line = { { 0, -0.3 }, { 0, 0.3 } }, fixed = true })

m:run { until_time = 5, step = 5 / 1009, scheme = "D-:M=1" }
return m
