-- Small models that went wrong once: what does not know of another thing must not feel it, and the order and the form in which
-- something is written must not matter.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local function model(body) return { text = 'local carom = require "carom"\nlocal m = carom.model "small"\n' .. body .. "\nreturn m\n" } end

-- ---- contacts that are not coupled ------------------------------------------------------------------------------------------

local rods = model [[
local n, first = m:constant("n", 3), m:constant("first", 1)
m:gravity(0, -10)
for i = 1, n do
  local a0 = 0.5 + 0.15 * (i - 2 + first)
  local x, y = m:coordinate("x" .. i), m:coordinate("y" .. i, { initial = 0.5 * math.cos(a0) })
  local th = m:coordinate("th" .. i, { initial = a0 })
  m:body("rod" .. i, { mass = 1, inertia = 1 / 12, at = { x, y }, angle = th })
  m:contact("tip" .. i, { gap = y - 0.5 * carom.cos(th), friction = 0.3, slide = x - 0.5 * carom.sin(th) })
end]]

for _, scheme in ipairs { "D-:M=1", "D-:M=2", "D+:M=1", "moreau-jean:theta=0.5", "capture:rk=radau5" } do
  T.test("rods that slide on their tips move as each alone: " .. scheme, function()
    for _, n in ipairs { 2, 3, 4 } do
      local all = S.run(rods, scheme, { set = { n = n }, flags = "-O0", step = 2e-3, until_time = 0.6 })
      for i = 1, n do
        local one = S.run(rods, scheme, { set = { n = 1, first = i }, flags = "-O0", step = 2e-3, until_time = 0.6 })
        T.near(all.q["th" .. i], one.q.th1, 1e-7, ("angle of rod %d of %d"):format(i, n))
        T.near(all.q["x" .. i], one.q.x1, 1e-7, ("place of rod %d of %d"):format(i, n))
      end
    end
  end)
end

T.test("an impact with friction beside a contact at rest, in either order", function()
  local floor, wall = 'm:contact("a", { gap = z, restitution = 0 })\n',
    'm:contact("b", { gap = y + 0.5 * x, restitution = 0.9, friction = 0.8, slide = x })\n'
  for _, contacts in ipairs { floor .. wall, wall .. floor } do
    local text = model([[
local z = m:coordinate("z")
local x = m:coordinate("x", { velocity = 1 })
local y = m:coordinate("y", { initial = 0.0501, velocity = -1 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:potential_energy(9.81 * z)
]] .. contacts)
    for _, scheme in ipairs { "D-:M=1", "moreau-jean" } do
      local r = S.run(text, scheme, { flags = "-O0", step = 1e-3, until_time = 0.2 })
      T.near(r.impulse.b, 0.95 / 0.85, 1e-9, scheme .. ": sliding impact, rate -0.5 to 0.45")
      T.near(r.v.z, 0, 1e-12, scheme)
    end
  end
end)

-- ---- unlike terms are not rolled into one kernel ----------------------------------------------------------------------------

local function with_idle(count, body)
  return model(([[
for i = 1, %d do m:kinetic_energy(m:coordinate("w" .. i, { initial = 1 }).dot^2 / 2) end
]]):format(count) .. body)
end

T.test("a wall with restitution and a floor with friction keep their own laws in tables", function()
  local r = S.run(with_idle(27, [[
local x, y = m:coordinate("x", { velocity = 1 }), m:coordinate("y", { velocity = -1 })
local z = m:coordinate("z", { velocity = -1 })
m:kinetic_energy((x.dot^2 + y.dot^2 + z.dot^2) / 2)
m:contact("wall", { gap = z, restitution = 0.5 })
m:contact("floor", { gap = y, friction = 0.3, slide = x })]]), "moreau-jean", { flags = "-O0", step = 2e-3, until_time = 2e-3 })
  T.near(r.v.x, 0.7, 1e-12, "friction 0.3 of the impulse 1")
  T.near(r.v.y, 0, 1e-12, "no restitution")
  T.near(r.v.z, 0.5, 1e-12, "restitution without friction")
end)

T.test("energies that differ in a function, a parameter or a number are different kernels", function()
  local energies = [[
local k = m:parameter("k", 7)
local x, y = m:coordinate("x", { initial = 1 }), m:coordinate("y", { initial = 1 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:potential_energy(carom.sin(x) * x^2)
m:potential_energy(carom.cos(y) * y^2)
m:potential_energy(k * x)
m:potential_energy(2 * y)
m:potential_energy(carom.exp(k / 7) * x)
m:potential_energy(carom.exp(x) * y)]]
  for _, scheme in ipairs { "D-:M=0", "D-:M=1", "moreau-jean" } do
    local few = S.run(with_idle(1, energies), scheme, { flags = "-O0", step = 1e-2, until_time = 0.1, form = "unrolled" })
    local many = S.run(with_idle(27, energies), scheme, { flags = "-O0", step = 1e-2, until_time = 0.1, form = "looped" })
    for _, name in ipairs { "x", "y" } do T.near(many.q[name], few.q[name], 1e-12, scheme .. ": " .. name) end
  end
end)

S.finish()
