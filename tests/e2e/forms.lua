-- The unrolled and the looped form of a model are the same integrator.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

-- Sums are formed in another order and contact problems solved by another method, so rounding differs; it grows at impacts
-- (1e-12 here). Schatzman-Paoli divides positions by h, so rounding in v is 1/h times larger.
local same = {
  { "bead_column", until_time = 1, step = 1e-3, set = { N = 4 } }, { "cradle" }, { "double_pendulum", until_time = 2.5, step = 2.5 / 740 },
  { "slider_crank", until_time = 0.02, step = 2e-5, every = "theta3.dot=-0.01" }, { "constrained_pendulum", until_time = 1 },
  { "bowl" }, { "cam_follower", until_time = 0.7, step = 1e-3 }, { "impacting_oscillator" },
}
for _, m in ipairs(same) do
  for _, scheme in ipairs { "D-:M=1", "D-:M=1,projection=on", "D+:M=2", "moreau-jean", "schatzman-paoli" } do
    T.test(("looped equals unrolled: %s, %s"):format(m[1], scheme), function()
      local results = {}
      for _, form in ipairs { "unrolled", "looped" } do
        results[form] = S.compile(S.unit(m[1], scheme, { form = form, set = m.set }), { flags = "-O0" }):run {
          until_time = m.until_time, step = m.step }
      end
      local a, b = results.unrolled, results.looped
      local tolerance = scheme:find("^schatzman") and 2e-9 or 5e-12
      for _, part in ipairs { "q", "v", "impulse" } do
        for name, x in pairs(a[part]) do T.near(b[part][name], x, tolerance * math.max(1, math.abs(x)), part .. " " .. name) end
      end
      T.eq(b.counts.events, a.counts.events, "events")
    end)
  end
end

S.finish()
