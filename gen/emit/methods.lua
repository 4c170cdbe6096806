-- Texts and numbers that particular methods put into the templates: sums of stages, event capturing, step-size control, dense output.
local print_c = require "gen.expr.print"

local M = {}

-- h * (A10 * a0[i] + ...) as text
function M.sum(terms, index)
  local parts = {}
  for k, term in ipairs(terms) do
    local element = term.vector .. "[" .. (index or "i") .. "]"
    parts[k] = term.coefficient and term.coefficient .. " * " .. element or element
  end
  return #parts > 0 and table.concat(parts, " + ") or "0.0"
end

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

--- The same in one row.
function M.flat(rows) return "{" .. M.matrix(rows):gsub("}, {", ", "):gsub("[{}]+", "") .. "}" end

-- Bounds of step-size control: attempts in one step, and in one part of it, after which a host may look at its signals.
function M.control(values)
  values.max_steps, values.part = 1000000, 500
  values.toward_text = "Advances towards t_end with at most so many attempts as a host may wait for, of steps that the tolerances choose:\n"
    .. " * CAROM_UNFINISHED when it is not there yet, with the state at the time reached. On failure s is unchanged."
end

-- What event capturing is told: the method as tables, scales and tolerances of the user.
function M.capture(values, unit)
  local spec, capture = unit.spec, unit.plan.capture
  for _, key in ipairs { "stages", "solved", "after", "order", "adaptive", "newton", "coupled", "estimate_order" } do
    values[key] = capture[key]
  end
  values.method = capture
  for _, key in ipairs { "C", "kappa", "rtol", "atol", "hmin", "time" } do values[key] = print_c.number(spec[key]) end
  for _, key in ipairs { "length", "speed", "force" } do values[key .. "_0"] = print_c.number(spec[key]) end
  values.given = spec.given
  M.control(values)
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

--- Turns b of the contacts without restitution from a bound on rates into one on places: see gen/scheme/moreau.lua. Before it b is
-- G x + g_t for some x, after it g / (theta h) + G (x - v*).
function M.bound_by_place(op, X, NE, NG)
  if not op.place then return {} end
  return {
    ("%s_rates(s, c1, %s, y);"):format(X, op.place),
    ("for (int j = %d; j < %d; ++j) {"):format(NE, NG),
    "    b[j] = s->derived.e[j] == 0.0 ? b[j] - y[j] + c1->g[j] / (THETA * h) : b[j];",
    "}",
  }
end

--- e U of the start of the step, added to b; under combined projection only where a contact closes.
function M.restitution(op, X, NG, NR)
  if not op.combined then
    return { ("for (int j = 0; j < %d; ++j) {"):format(NR), "    b[j] += s->derived.e[j] * U[j];", "}" }
  end
  local lines = { ("for (int j = 0; j < %d; ++j) {"):format(NG), "    b[j] += s->derived.e[j] * fmin(U[j], 0.0);", "}" }
  if NR > NG then
    lines[#lines + 1] = ("for (int k = 0; k < %d; ++k) {"):format(NR - NG)
    lines[#lines + 1] = ("    b[%d + k] += U[%s_contact_of[k]] < 0.0 ? s->derived.e[%d + k] * U[%d + k] : 0.0;"):format(NG, X, NG, NG)
    lines[#lines + 1] = "}"
  end
  return lines
end

-- What step-size control by doubling needs: order, tolerances, bounds.
function M.doubling(values, unit)
  local spec, order = unit.spec, unit.plan.order
  values.doubling, values.order = print_c.number(2.0 ^ order - 1), order
  for _, key in ipairs { "rtol", "atol", "hmin" } do values[key] = print_c.number(spec[key]) end
  values.atolv = print_c.number(spec.atolv or spec.atol)
  values.guard = print_c.number(math.max(spec.theta or 0.5, 1 - (spec.theta or 0.5)))
  values.by_events = spec.family ~= "moreau-jean" and spec.M ~= 0 and 1 or 0
  values.step_name = "step_once"
  M.control(values)
end

-- How often a step of D- or D+ is tried again with less in its equations, first without projection of contacts and without the jump in
-- the stages, then with contacts at the velocity level only: not where the equations are always solved (one contact, nothing implicit,
-- no projection), nor where step-size control takes a shorter step instead.
function M.freezing(values, uses)
  local times = (values.plus or values.needs.projection) and 2 or 1
  local freezes = uses.active_dg and values.NC > 0 and not values.doubling
    and (values.iterates or values.NG > 1 or values.needs.projection)
  values.freezes = freezes and times or false
  values.unfrozen = freezes and ("frozen < %d && "):format(times) or ""
  values.projected = freezes and "frozen < 1 && " or ""
  function values.within(op) return freezes and ("frozen < 1 ? %s : hold"):format(op.within) or op.within end
  values.frozen_text = times == 1 and ", " or values.plus and ": without projection of contacts and without the jump in the stages, then "
    or ": without projection of contacts, then "
  values.once = freezes and values.plus and " || frozen > 0" or ""
end

return M
