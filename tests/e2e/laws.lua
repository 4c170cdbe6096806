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

T.finish()
