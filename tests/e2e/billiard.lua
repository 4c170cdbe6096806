-- The carom shot: from slipping to rolling at the exact time, and the mirrored shot is the mirror image, bit for bit.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"

local V0, MU, G = 2, 0.2, 9.81
local ROLLS = 2 * V0 / (7 * MU * G)
local SCHEMES = { "moreau-jean:theta=0.5", "D-:M=1" }

for _, scheme in ipairs(SCHEMES) do
  local alone = { set = { balls = "1" } }
  T.test(("the cue ball rolls from 2 v0/(7 mu g) on with 5/7 v0: %s"):format(scheme), function()
    local ball = S.integrator("billiard", scheme, alone)
    local function at(t) return ball:run { step = 1e-6, until_time = t, every = 1000000 } end
    local before, after = at(ROLLS - 1e-6), at(ROLLS + 1e-6)
    T.ok(before.outputs.slip > 1e-6, ("1e-6 s before it slips by %g"):format(before.outputs.slip))
    T.near(after.outputs.slip, 0, 1e-12, "1e-6 s after it rolls")
    T.near(after.v.cue_x, 5 / 7 * V0, 1e-9, "speed")
    T.near(after.q.cue_x + 1, 12 * V0 ^ 2 / (49 * MU * G), 3e-6, "distance")
  end)
  T.test(("the slip falls on a line that ends there: %s"):format(scheme), function()
    local rows = S.integrator("billiard", scheme, alone):run({ step = 1e-3, until_time = 0.35, csv = true }).rows
    local a, b = rows[2], rows[250]
    T.near(a.t + a.slip * (b.t - a.t) / (a.slip - b.slip), ROLLS, 1e-12)
    T.near(rows[#rows]["cue_x.dot"], 5 / 7 * V0, 1e-12)
  end)
end

-- the name and the sign of a column in the mirror y -> -y
local function mirrored(name)
  local body, what = name:match("^(%a+)_(.+)$")
  local quantity = what and what:gsub("%.dot$", "")
  local flips = quantity == "y" or quantity == "qx" or quantity == "qz" or quantity == "wx" or quantity == "wz"
  if what and what:find "^near" then return body .. "_" .. what:gsub("near", "far"), 1 end
  if what and what:find "^far" then return body .. "_" .. what:gsub("far", "near"), 1 end
  return name, flips and -1 or 1
end

for _, scheme in ipairs(SCHEMES) do
  T.test(("the mirrored shot is the mirror image through all impacts, bit for bit: %s"):format(scheme), function()
    local shot = S.integrator("billiard", scheme)
    local run = { step = 1e-4, until_time = 3, every = 50, csv = true }
    local one = shot:run(run)
    run.set = { "side=-1" }
    local other = shot:run(run)
    for _, name in ipairs { "cue_red", "cue_yellow", "cue_near", "red_far", "red_right" } do
      T.ok(one.impulse[name] > 0, name .. " was not hit")
    end
    for k, row in ipairs(one.rows) do
      for _, name in ipairs(one.names) do
        local image, sign = mirrored(name)
        local x, y = row[name], sign * other.rows[k][image]
        if name:find "%.friction" then x, y = math.abs(x), math.abs(y) end -- along tangents of the contact's own
        if x ~= y then T.eq(y, x, ("%s at t = %g"):format(name, row.t)) end
      end
    end
  end)
end

S.finish()
