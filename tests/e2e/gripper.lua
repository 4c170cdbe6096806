-- A box held between two fingers by friction does not creep, and falls when they press too little.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

-- How far a corner of the box moved at most, in m: by its place and, half a diagonal away, by its turning
local HALF_DIAGONAL = math.sqrt(0.06 ^ 2 + 0.04 ^ 2 + 0.08 ^ 2) / 2
local function moved(result)
  local q = result.q
  local function length(prefix) return math.sqrt(q[prefix .. "x"] ^ 2 + q[prefix .. "y"] ^ 2 + q[prefix .. "z"] ^ 2) end
  return length "box_" + 2 * HALF_DIAGONAL * length "box_q"
end

-- The contact problems are solved to ctol = 1e-11 of their size: such errors add up like a random walk.
for _, scheme in ipairs { "moreau-jean:theta=0.5", "D-:M=1" } do
  T.test(("a box held for 1e5 steps moves by rounding: %s"):format(scheme), function()
    local held = S.run("gripper", scheme, { step = 1e-3, until_time = 100, every = 100000, flags = "-O1" })
    T.eq(held.steps, 100000)
    T.ok(moved(held) < 1e-11, ("moved by %g"):format(moved(held)))
    T.ok(math.abs(held.q.box_z) < 1e-13, ("fell by %g"):format(-held.q.box_z))
  end)
end

-- the limit is mass gravity/(2 friction) = 4.905 N; D- may turn the sliding box a little
for _, case in ipairs { { "moreau-jean:theta=0.5", 1e-9 }, { "D-:M=1", 1e-2 } } do
  T.test(("2 %% below the limit the box falls as it should, 0.1 %% above it does not: %s"):format(case[1]), function()
    local run = { step = 1e-3, until_time = 0.5, set = { "force=4.8" } }
    T.near(S.run("gripper", case[1], run).q.box_z / (-(9.81 - 2 * 0.5 * 4.8 / 0.5) / 2 * 0.5 ^ 2), 1, case[2])
    run.set = { "force=4.91" }
    T.ok(moved(S.run("gripper", case[1], run)) < 1e-12, "it moved at 4.91 N")
  end)
end

T.test("the corners of a finger share its force", function()
  local impulse = S.run("gripper", "moreau-jean:theta=0.5", { step = 1e-3, until_time = 1 }).impulse
  for _, name in ipairs { "left_1", "left_4", "left_5", "left_8", "right_2", "right_3", "right_6", "right_7" } do
    T.near(impulse[name], 2.5, 0.25, name)
  end
end)

S.finish()
