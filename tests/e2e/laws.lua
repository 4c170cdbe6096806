-- Laws of contact beside Newton's and Coulomb's: closed forms, in straight code and in loops over tables.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"

-- ---- restitution of impulses and of work ------------------------------------------------------------------------------------------------

T.test("Kane's rod: three laws, the first of which gains energy", function()
  local known = { newton = { 1.226320275486, -0.331900256446, 0.124462596167 }, poisson = { 0.960173375823, -0.121063729937,
    -0.083623635687 }, energetic = { 0.969259326643, -0.096387507519, -0.069173800856 } }
  for _, way in ipairs { { "D-:M=1", "unrolled" }, { "D-:M=1", "looped" }, { "capture:rk=dopri5", "unrolled" } } do
    local r = S.compile(S.unit("kane_rod", way[1], { form = way[2] })):run { step = 1e-4, until_time = 0.002 }
    for law, x in next, known do
      T.near(r.impulse["tip_" .. law], x[1], 1e-9, law .. ", normal")
      T.near(r.friction["tip_" .. law .. ".friction"], x[2], 1e-9, law .. ", tangent")
      T.near(r.outputs["energy_" .. law] - 0.78125, x[3], 1e-9, law .. ", energy")
    end
  end
end)

-- a model by its text, run in a form
local function run(text, scheme, form, options)
  return S.compile(S.unit({ text = 'local carom = require "carom"\n' .. text .. "\nreturn m\n" }, scheme, { form = form })):run(options)
end

-- ---- friction that differs with the direction ---------------------------------------------------------------------------------------------

T.test("friction along an ellipse: r_T = -D^2 u / |D u| r_N", function()
  local text = [[
local m = carom.model "plank"
local x, y, z = m:coordinate("x", { velocity = 1 }), m:coordinate("y", { velocity = 1 }), m:coordinate("z")
m:kinetic_energy(x.dot^2 + y.dot^2 + z.dot^2)
m:potential_energy(20 * z)
local c = m:contact("floor", { gap = z, slide = { x, y }, friction = { 0.2, 0.4 } })
m:output("f1", c.friction[1])
m:output("f2", c.friction[2])]]
  for _, way in ipairs { { "D-:M=1", "unrolled" }, { "moreau-jean:theta=0.5", "unrolled" }, { "capture", "unrolled" },
    { "D-:M=1", "looped" } } do
    local r = run(text, way[1], way[2], { step = 1e-8, until_time = 1e-8 })
    T.near(r.outputs.f1 / 20, -0.0894427191, 2e-8, way[1])
    T.near(r.outputs.f2 / 20, -0.3577708764, 2e-8, way[1])
    T.near(r.friction["floor.friction_2"] / 20e-8, -0.3577708764, 2e-8, way[1])
  end
end)

-- ---- compliant contact ------------------------------------------------------------------------------------------------------------------

T.test("compliance: Hertz gives all back, and dampings what is known of them", function()
  local text = [[
local m = carom.model "hertz"
for i, damping in ipairs { false, "flores", "hunt_crossley", "lankarani_nikravesh" } do
  local q = m:coordinate("q" .. i, { velocity = -1 })
  m:kinetic_energy(q.dot^2 / 2)
  m:contact("c" .. i, { gap = q, restitution = damping and 0.5 or nil,
    compliance = { stiffness = 1e6, damping = damping or nil, speed = damping and 1 or nil } })
end]]
  for _, form in ipairs { "unrolled", "looped" } do
    local r = run(text, "D-:M=2", form, { step = 1e-5, until_time = 0.02 })
    T.near(r.v.q1, 1, 2e-9, "elastic")
    T.near(r.v.q2, 0.470444779, 1e-9, "flores")
    T.near(r.v.q3, 0.66296, 1e-5, "hunt_crossley")
    T.near(r.v.q4, 0.72524, 1e-5, "lankarani_nikravesh")
    -- duration 2 sqrt(pi) Gamma(1.4)/Gamma(0.9) d/v = 1.281134935e-2 and the way back since
    T.near(r.q.q1, 0.02 - 1.281134935e-2, 1e-8, "duration")
  end
end)

T.finish()
