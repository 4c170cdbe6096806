-- Agreement with trajectories that another program (Siconos 4.4) computed. They are comparisons, not the truth: each test says
-- until when results agree and why they part. The files are not part of this repository: $CAROM_REFERENCE names their folder
-- (default: reference in the folder `shared` beside the project); without them the tests are skipped.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local folder = (os.getenv("CAROM_REFERENCE") or "../shared/reference") .. "/trajectories/"

-- case: file, model, scheme, step, set, columns (default all), skip (rows at the start that are not compared)
-- good: list of { until time, tolerance }; the last tolerance must be exceeded later when `parts` is set, so that a comparison
-- that has become better is noticed too.
local function compare(case)
  local name = ("%s: %s %s"):format(case.file, case.model, case.scheme)
  local text = fs.read(folder .. case.file)
  if not text then
    T.skip(name, "reference absent: " .. folder .. case.file)
    return
  end
  T.test(name, function()
    local rows, names = S.csv(text)
    local every = math.floor((rows[2].t - rows[1].t) / case.step + 0.5)
    local r = S.run(case.model, case.scheme, { step = case.step, until_time = rows[#rows].t, every = every, csv = true, set = case.set })
    T.eq(#r.rows, #rows, "rows")
    local later = 0
    for i = 1 + (case.skip or 0), #rows do
      T.near(r.rows[i].t, rows[i].t, 1e-9, "time of row " .. i)
      for _, column in ipairs(case.columns or names) do
        local difference = column == "t" and 0 or math.abs(r.rows[i][column] - rows[i][column])
        local inside = false
        for _, bound in ipairs(case.good) do
          if rows[i].t <= bound[1] + 1e-9 and not inside then
            inside = true
            T.ok(difference <= bound[2], ("%s at t = %g differs by %.3g"):format(column, rows[i].t, difference))
          end
        end
        if not inside then later = math.max(later, difference) end
      end
    end
    if case.parts then T.ok(later >= case.parts, ("agrees better than expected: %.3g"):format(later)) end
  end)
end

-- the same algorithm on both sides: rounding only, through all impacts and the accumulation at t = 8.58
compare { file = "bouncing_ball_moreau_jean_h5e-3.csv", model = "bouncing_ball", scheme = "moreau-jean:theta=0.5", step = 5e-3,
  good = { { 1, 1e-12 }, { 10, 1e-9 } } }

-- the same algorithm: rounding only, through all impacts in the column
compare { file = "bead_column_10_moreau_jean_h5e-4.csv", model = "bead_column", scheme = "moreau-jean:theta=0.5", step = 5e-4,
  good = { { 1, 1e-12 }, { 2, 1e-9 } } }

-- combined projection, the same algorithm: rounding only, until impacts come closer than a step. From then on Siconos lets e act on
-- separating speeds too, and what is left of the bouncing decays by e a step; here it is gone at once.
compare { file = "bouncing_ball_moreau_jean_projection_h5e-3.csv", model = "bouncing_ball",
  scheme = "moreau-jean:theta=0.5,projection=on", step = 5e-3, good = { { 7.5, 1e-11 }, { 10, 6e-3 } } }

-- the same until the impacts come closer than a step (they accumulate at t = 8.58); from then on Siconos applies restitution to a
-- contact that stays closed, and its ball sinks by h^2 in every step
compare { file = "bouncing_ball_dminus_h5e-4.csv", model = "bouncing_ball", scheme = "D-:M=1", step = 5e-4,
  good = { { 8.5, 1e-12 }, { 10, 2e-3 } } }

-- Siconos starts with q_1 = q_0 + h v_0 + h^2 a_0 (RR-7151 and carom: h^2/2 a_0), which is the same as another v_0. The
-- rounding of both grows with every impact as they accumulate (t = 8.58): v is a difference of positions over 2h.
compare { file = "bouncing_ball_schatzman_paoli_h5e-3.csv", model = "bouncing_ball", scheme = "schatzman-paoli:theta=0.5", step = 5e-3,
  set = { ("q.dot=%.17g"):format(-9.81 * 5e-3 / 2) }, skip = 1, good = { { 6.4, 1e-11 }, { 7, 1e-9 }, { 10, 1e-3 } } }

-- the same until the second impact (t = 0.0033): from then on restitution on closed contacts and other index sets
compare { file = "slider_crank_dminus_h1e-5.csv", model = "slider_crank", scheme = "D-:M=1", step = 1e-5,
  good = { { 0.003, 1e-11 } }, parts = 1e-3 }
-- its half-explicit variant at the velocity level, restitution 0.4: the same through the first impacts
compare { file = "slider_crank_dminus_velocity_level_h1e-5.csv", model = "slider_crank", scheme = "D-:M=1", step = 1e-5,
  set = { "restitution=0.4" }, good = { { 0.008, 1e-11 }, { 0.2, 0.05 } } }
-- its Newton iteration was stopped at 1e-10, which accumulates; after the first contact (t = 0.0027) friction 0.01 acts there
compare { file = "slider_crank_moreau_jean_h1e-5.csv", model = "slider_crank", scheme = "moreau-jean:theta=0.5,mass=end", step = 1e-5,
  set = { "restitution=0.4", "theta3.dot=-0.01" }, good = { { 0.002, 3e-6 } }, parts = 1e-3 }

S.finish()
