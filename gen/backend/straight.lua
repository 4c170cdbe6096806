-- The back end `straight`: the step of a model whose operators are unrolled (templates/unrolled.c.in, contact.c.in), from its plan.
local step = require "gen.backend.step"

local S = {}

--- Puts the step into the values of the templates; returns the template of the operators that it needs besides. What a plan says of
--- steps whose equations are not solved is not written yet: they fail.
function S.values(values, unit)
  local size = { rows = values.rows, tol = values.tol, stagnation = values.NT > 0 and "1e-7" or "1e-9",
    tolerances = { tg = values.tg, tv = values.tv, ts = values.tv, eps = "1e-15" }, forgotten = { force = not values.keeps_force } }
  for _, key in ipairs { "X", "NQ", "NV", "NS", "NB", "NE", "NG", "NR", "NT", "NC" } do size[key] = values[key] end
  local made = step.lines(unit:steps(), size)
  values.plan_lines, values.plan_declarations, values.plan_accept = made.step, made.declarations, made.accept
  values.plan_total, values.coefficients = made.total or "", made.constants
  values.stage_count = made.stages
  if unit.spec.adaptive == "on" then values.step_name = "step_once" end
  return "contact.c.in"
end

return S
