-- Wheels that skid: light along, heavy across. Their slip turns fast while it vanishes, and several stop together; redundant tangents
-- share the load. Every method of event capturing must come to rest at the same place, with fixed and with chosen steps.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local wheel = { text = [[
local carom = require "carom"
local m = carom.model "skid"
local x, y, z = m:coordinate("x", { velocity = 5 }), m:coordinate("y", { velocity = 1 }), m:coordinate("z")
local phi = m:coordinate("phi", { velocity = 17 })
m:kinetic_energy(100 * (x.dot^2 + y.dot^2 + z.dot^2) + 0.35 * phi.dot^2)
m:force(z, -200 * 9.81)
m:contact("tyre", { gap = z, friction = 0.8, slip = { x.dot - 0.3 * phi.dot, y.dot } })
return m
]] }

-- two wheels under a body that turns: the slips are in its frame
local pair = { text = [[
local carom = require "carom"
local m = carom.model "two_wheels"
local x, y, z = m:coordinate("x", { velocity = 5 }), m:coordinate("y", { velocity = 1 }), m:coordinate("z")
local psi, pitch = m:coordinate("psi", { velocity = m:parameter("spin", 0.3) }), m:coordinate("pitch")
local p1, p2 = m:coordinate("phi1", { velocity = 17 }), m:coordinate("phi2", { velocity = 17 })
m:kinetic_energy(200 * (x.dot^2 + y.dot^2 + z.dot^2) + 150 * (psi.dot^2 + pitch.dot^2) + 0.35 * (p1.dot^2 + p2.dot^2))
m:force(z, -400 * 9.81)
local c, s = carom.cos(psi), carom.sin(psi)
local along, across = x.dot * c + y.dot * s, y.dot * c - x.dot * s
m:contact("front", { gap = z + 1.2 * pitch, friction = 0.8, slip = { along - 0.3 * p1.dot, across + 1.2 * psi.dot } })
m:contact("rear", { gap = z - 1.2 * pitch, friction = 0.8, slip = { along - 0.3 * p2.dot, across - 1.2 * psi.dot } })
return m
]] }

-- four wheels: those of an axle have the same slip across
local car = { text = [[
local carom = require "carom"
local m = carom.model "car"
local x, y, psi = m:coordinate("x", { velocity = 10 }), m:coordinate("y", { velocity = 2 }), m:coordinate("psi", { velocity = 1 })
local c, s = carom.cos(psi), carom.sin(psi)
local along, across = x.dot * c + y.dot * s, y.dot * c - x.dot * s
local T, k = 500 * (x.dot^2 + y.dot^2) + 400 * psi.dot^2, 0
for _, a in ipairs { 1.2, -1.3 } do
  for _, b in ipairs { 0.7, -0.7 } do
    k = k + 1
    local z, phi = m:coordinate("z" .. k), m:coordinate("phi" .. k, { velocity = 33 })
    T = T + 10 * z.dot^2 + 0.45 * phi.dot^2
    m:force(z, -250 * 9.81)
    m:contact("w" .. k, { gap = z, friction = 0.8, slip = { along - b * psi.dot - 0.3 * phi.dot, across + a * psi.dot } })
  end
end
m:kinetic_energy(T)
return m
]] }

-- places that dopri5, radau5 and lobatto6 with chosen steps of rtol 1e-9 agree on
local cases = {
  { model = wheel, name = "a wheel", time = 0.5, x = 2.50185442, y = 0.06372240877, speed = "y", far = 3e-6 },
  { model = pair, name = "two wheels", time = 0.5, x = 2.507424, y = 0.1248326, speed = "psi", far = 1e-4 },
  { model = car, name = "four wheels", time = 1, x = 10.044929, y = 1.1817647, speed = "psi", far = 3e-4 },
}
local methods = { "rk=radau3", "rk=radau5", "rk=lobatto4", "rk=lobatto6", "rk=heun2", "rk=dopri5", "dg=D-,M=2", "dg=D+,M=2" }

for _, case in ipairs(cases) do
  T.test(case.name .. ": every method of capture comes to rest at the same place", function()
    for i, method in ipairs(methods) do
      for _, control in ipairs { "", ",adaptive=on" } do
        if (case.model == pair and control == "") or i % 4 == 2 then
          local r = S.run(case.model, "capture:" .. method .. control, { step = 1e-3, until_time = case.time, flags = "-O0" })
          local name = ("%s of %s%s"):format(case.name, method, control)
          T.near(r.q.x, case.x, 2e-6, name)
          T.near(r.q.y, case.y, 5e-6, name)
          T.near(r.v[case.speed], 0, 1e-9, name)
          T.ok(r.counts.events <= 8, name .. ": events " .. r.counts.events)
          T.ok(r.counts.evaluations < 30000, name .. ": evaluations " .. r.counts.evaluations)
        end
      end
    end
  end)
  T.test(case.name .. ": the other schemes too, to their order", function()
    for _, scheme in ipairs { "D-:M=2", "D+:M=1", "moreau-jean", "D-:M=2,adaptive=on" } do
      local r = S.run(case.model, scheme, { step = 1e-3, until_time = case.time, flags = "-O0" })
      T.near(r.q.x, case.x, case.far, case.name .. " of " .. scheme)
      T.near(r.q.y, case.y, case.far, case.name .. " of " .. scheme)
      T.near(r.v[case.speed], 0, 1e-9, case.name .. " of " .. scheme)
      T.ok(r.counts.evaluations < 30000, scheme .. ": evaluations " .. r.counts.evaluations)
    end
  end)
end

-- A slip that turns faster than the stages is frozen for the step; what settles by itself is not, whoever else iterates beside it.
T.test("a wheel among others moves as alone, and as with one degree more", function()
  local function wheels(n)
    local text = { 'local carom = require "carom"\nlocal m = carom.model "wheels"\n' }
    for i = 1, n do
      table.insert(text, (([[
local x, y, z = m:coordinate("x@", { velocity = 5 + @ / 7 }), m:coordinate("y@", { velocity = 1 }), m:coordinate("z@")
local phi = m:coordinate("phi@", { velocity = 17 - @ })
m:kinetic_energy(100 * (x.dot^2 + y.dot^2 + z.dot^2) + 0.35 * phi.dot^2)
m:force(z, -200 * 9.81)
m:contact("tyre@", { gap = z, friction = 0.8, slip = { x.dot - 0.3 * phi.dot, y.dot } })
]]):gsub("@", i)))
    end
    return { text = table.concat(text) .. "return m" }
  end
  local function place(n, scheme) return S.run(wheels(n), scheme, { step = 1e-3, until_time = 0.2, flags = "-O0" }).q.x1 end
  local alone = place(1, "D-:M=2")
  for n = 2, 3 do T.near(place(n, "D-:M=2"), alone, 1e-10, n .. " wheels") end
  T.near(place(1, "D-:M=3"), alone, 1e-9, "M = 3")
end)

S.finish()
