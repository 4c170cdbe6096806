-- Steps written from their plan of seventeen operations (gen/backend) against the older ones (by_plan = false): the same to rounding,
-- the same events; clean under hard flags.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local models = require "tests.oracle.models"

local closed = { text = [[
local carom = require "carom"
local m = carom.model "stone"
local y = m:coordinate("y", { velocity = -3 })
m:gravity(0, -9.81)
m:body("stone", { mass = 1, at = { 0, y } })
m:contact("floor", { gap = y, restitution = 0.8 })
return m
]] }

-- one of two stones is lifted off within a step: what it pressed until then is part of its impulse
local lifted = { text = [[
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

-- model, step, end, schemes, more with --long
local cases = {
  { "zeno_ball", 0.01, 4, { "D-:M=1", "D+:M=2", "moreau-jean:theta=0.5,projection=on", "schatzman-paoli" },
    { "D-:M=1,impact=literal", "moreau-jean:theta=0", "D-:M=2,projection=on" } },
  { closed, 0.01, 1, { "D-:M=1", "D+:M=2" }, {} },
  { "slider_crank", 1e-5, 0.02, { "D-:M=1", "D-:M=2,projection=on", "moreau-jean:theta=0.5" },
    { "D+:M=1", "D-:M=3,quadrature=lobatto", "moreau-jean:theta=1,mass=end", "moreau-jean:theta=0.5,stages=fixed-point", "schatzman-paoli",
      "schatzman-paoli:theta=0,stages=fixed-point" } },
  { "constrained_pendulum", 0.01, 2, { "D-:M=2" }, { "D+:M=2,projection=on", "moreau-jean:theta=0.5", "schatzman-paoli",
    "moreau-jean:theta=0.5,stages=fixed-point" } },
  { "four_bar", 1e-3, 0.5, {}, { "D-:M=1", "D-:M=2", "moreau-jean:theta=0.5", "moreau-jean:theta=0.5,projection=on" } },
  { "bowl", 0.01, 1, {}, { "schatzman-paoli", "schatzman-paoli:stages=fixed-point", "D-:M=1,adaptive=on" } },
  { "cradle", 1e-3, 1, {}, { "schatzman-paoli", "D-:M=1", "D+:M=1", "moreau-jean" } },
  { "rocking_box", 1e-3, 1, {}, { "D-:M=1", "D-:M=2", "D+:M=2,projection=on", "moreau-jean" } },
  { models.puck, 0.005, 1, { "D-:M=2" }, { "D-:M=1", "D+:M=1", "moreau-jean:theta=0.5" } },
  { models.corner, 0.005, 0.5, { "D-:M=2" }, { "D+:M=1", "moreau-jean:theta=0.5" } },
  { models.rod, 1e-3, 1, { "D-:M=1" }, { "D-:M=2", "moreau-jean:theta=0.5", "D-:M=1,adaptive=on" } },
  { lifted, 0.1, 0.5, { "D-:M=2" }, { "D-:M=3" } },
  { "painleve_rod", 1e-3, 1, { "D-:M=1" }, { "D-:M=2", "moreau-jean:theta=0.5" } },
  { "free_flight", 0.01, 1, {}, { "D-:M=1", "moreau-jean:theta=0.5" } },
}

local function test(case, scheme)
  local model, h, last = case[1], case[2], case[3]
  T.test(("%s %s"):format(type(model) == "table" and model.text:match('model "(%w+)"') or model, scheme), function()
    local options = { step = h, until_time = last, flags = "-O0 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror" }
    options.by_plan = false
    local today = S.run(model, scheme, options)
    options.by_plan = true
    local plan = S.run(model, scheme, options)
    local allowed = scheme:find "paoli" and 1e-9 or 1e-11 -- velocities are differences of positions that are found to tol
    for _, part in ipairs { "q", "v", "impulse" } do
      for name, x in next, today[part] do T.near(plan[part][name], x, allowed * (1 + math.abs(x)), part .. " of " .. name) end
    end
    T.eq(plan.counts.events, today.counts.events, "events")
  end)
end

for _, case in ipairs(cases) do
  for _, scheme in ipairs(case[4]) do test(case, scheme) end
  for _, scheme in ipairs(T.long and case[5] or {}) do test(case, scheme) end
end

S.finish()
