-- Texts and numbers that particular methods put into the templates: event capturing, step-size control, dense output.
local print_c = require "gen.expr.print"

local M = {}

--- Integers, and numbers, as a C initialiser.
function M.list(integers) return "{" .. table.concat(integers, ", ") .. "}" end

function M.vector(numbers)
  return M.matrix({ numbers }):sub(2, -2)
end

--- Rows of numbers.
function M.matrix(rows)
  local lines = {}
  for i, row in ipairs(rows) do
    local entries = {}
    for j, x in ipairs(row) do entries[j] = print_c.number(x) end
    lines[i] = "{" .. table.concat(entries, ", ") .. "}"
  end
  return "{" .. table.concat(lines, ", ") .. "}"
end

-- Bounds of step-size control: attempts in one step, and in one part of it, after which a host may look at its signals.
function M.control(values)
  values.max_steps, values.part = 1000000, 500
  values.toward_text = "Advances towards t_end with at most so many attempts as a host may wait for, of steps that the tolerances choose:\n"
    .. " * CAROM_UNFINISHED when it is not there yet, with the state at the time reached. On failure s is unchanged."
end

-- What event capturing is told: its order, scales and tolerances of the user.
function M.capture(values, unit)
  local spec, capture = unit.spec, unit.plan.capture
  for _, key in ipairs { "order", "adaptive", "coupled", "estimates" } do values[key] = capture[key] end
  for _, key in ipairs { "order", "power", "share" } do values["estimate_" .. key] = print_c.number(capture["estimate_" .. key] or 0.0) end
  for _, key in ipairs { "C", "kappa", "rtol", "atol", "hmin", "time" } do values[key] = print_c.number(spec[key]) end
  for _, key in ipairs { "length", "speed", "force" } do values[key .. "_0"] = print_c.number(spec[key]) end
  values.given = spec.given
  local elements = unit.operators.elements
  values.supported = elements and elements.supported or false -- forces of supports ask where the step started
  M.control(values)
end

-- What a step with impacts at their own times is told. The cubic of gaps and rates has an error of order 4.
function M.split(values, unit)
  values.split, values.split_name, values.split_static = true, values.step_name, values.step_static
  values.step_name, values.step_static = "piece", "static "
  values.kmax, values.polish = unit.spec.kmax, unit.plan.order > 4 and 1 or 0
  if values.doubling then
    values.untimed_member = { "double late, bounce; /* of the last step: length of what ended with an impact without a time of its own; "
      .. "height of ends of bouncing */" }
  end
end

-- coefficients of the Lagrange polynomials on the nodes of the stages, one row per node
function M.lagrange(dense)
  local rows = {}
  for l = 0, dense.stages - 1 do
    local poly = { 1.0 }
    for k = 0, dense.stages - 1 do
      if k ~= l then
        local longer = {}
        for i = 1, #poly + 1 do
          longer[i] = ((poly[i - 1] or 0) - dense.nodes[k] * (poly[i] or 0)) / (dense.nodes[l] - dense.nodes[k])
        end
        poly = longer
      end
    end
    rows[l + 1] = poly
  end
  return rows
end

-- What step-size control by doubling needs: order, tolerances, bounds.
function M.doubling(values, unit)
  local spec, order = unit.spec, unit.plan.order
  values.doubling, values.order = print_c.number(2.0 ^ order - 1), order
  for _, key in ipairs { "rtol", "atol", "hmin" } do values[key] = print_c.number(spec[key]) end
  values.atolv = print_c.number(spec.atolv or spec.atol)
  values.guard = print_c.number(math.max(spec.theta or 0.5, 1 - (spec.theta or 0.5)))
  values.timed = unit.plan.split and 1 or 0
  values.by_events = spec.family ~= "moreau-jean" and spec.M ~= 0 and 1 or 0
  values.step_name, values.step_static = "step_once", "static "
  -- dense output is of the halves, and contacts that are found have no rows to compare
  values.extrapolate = spec.dense ~= "on" and not values.found and 1 or 0
  values.put_back = values.needs and values.needs.projection and values.NR > 0 and 1 or 0
  values.back = spec.projection == "on" and values.NG or values.NE
  M.control(values)
  return values
end

return M
