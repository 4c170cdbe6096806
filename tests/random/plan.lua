-- The law of the plan: the interpreter of a scheme's step plan (tests/oracle) moves a model as its C does.
local B = require "tests.random.probe"
local I = require "tests.oracle.interpret"
local Model = require "tests.oracle.model"
local S = require "tests.random.scheme"

local P = {}

-- combinations of modes that the oracle tries are 4 for a rough contact
local MOST = 6

function P.when(case)
  local unit = case:base().unit
  return case.kind ~= "mesh" and case.kind ~= "pile" and case.scheme.family ~= "capture" and S.value(case.scheme, "adaptive") ~= "on"
    and unit.form == "unrolled" and (#unit.model.contacts <= MOST or unit.eq.dimension == 1 and #unit.model.contacts <= 2 * MOST)
end

--- Says where positions or velocities differ by more than the limit.
function P.check(case, limit)
  local base = case:base()
  local unit = B.unit(base.text, S.text(case.scheme, {}), {}) -- derivatives are taken of the model that was loaded last
  local s = I.new(Model.new(unit), unit:steps(), { tg = unit.spec.tg, tv = unit.spec.tv, tol = unit.spec.tol })
  local rows = base.result.rows
  for k = 2, #rows do
    local good, why = pcall(s.step, s, case.run.step, {})
    if not good then
      if type(why) == "string" and (why:find "no convergence" or why:find "not solved" or why:find "do not settle") then
        case.gave_up = case.gave_up or {}
        table.insert(case.gave_up, ("the interpreter at step %d: %s"):format(k - 1, why))
        return nil
      end
      error(why, 0)
    end
    for _, part in ipairs { "q", "v" } do
      for i, x in ipairs(s[part]) do
        local y = rows[k][part][i]
        if math.abs(y) > 1e6 then return nil end
        local off = math.abs(x - y)
        if off > limit * (1 + math.abs(y)) or off ~= off then
          return ("step %d, %s[%d]: the C has %.15g, the plan %.15g"):format(k - 1, part, i, y, x)
        end
      end
    end
  end
end

return P
