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

--- Rows of numbers as a C initialiser.
function M.matrix(rows)
  local lines = {}
  for i, row in ipairs(rows) do
    local entries = {}
    for j, x in ipairs(row) do entries[j] = print_c.number(x) end
    lines[i] = "{" .. table.concat(entries, ", ") .. "}"
  end
  return "{" .. table.concat(lines, ", ") .. "}"
end

local sum, matrix = M.sum, M.matrix

-- Bounds of step-size control: attempts in one step, and in one part of it, after which a host may look at its signals.
function M.control(values)
  values.max_steps, values.part = 1000000, 500
  values.toward_text = "Advances towards t_end with at most so many attempts as a host may wait for, of steps that the tolerances choose:\n"
    .. " * CAROM_UNFINISHED when it is not there yet, with the state at the time reached. On failure s is unchanged."
end

-- What the capture templates need besides: the method's stages as text, scales and tolerances.
function M.capture(values, unit)
  local spec, capture = unit.spec, unit.plan.capture
  local function position(terms, tau)
    local inner = tau == nil and "v[i]" or tau == "" and "" or tau .. " * v[i]"
    if #terms > 0 then inner = inner .. (inner == "" and "" or " + ") .. "x * (" .. sum(terms) .. ")" end
    return inner == "" and "q[i]" or "q[i] + x * (" .. inner .. ")"
  end
  local function velocity(terms)
    return #terms > 0 and "v[i] + x * (" .. sum(terms) .. ")" or "v[i]"
  end
  local function stage_text(stage)
    local tau = stage.tau
    if stage.c == 0 then tau = "" end
    stage.c_text = stage.c == 0 and "the start" or stage.c == 1 and "the end" or stage.tau
    stage.time = stage.c == 0 and "t" or stage.c == 1 and "t + x" or ("t + %s * x"):format(stage.tau)
    stage.velocity, stage.position = velocity(stage.velocity), position(stage.position, tau)
  end
  for _, stage in ipairs(capture.stage_list) do stage_text(stage) end
  for _, stage in ipairs(capture.after_list) do stage_text(stage) end
  for _, key in ipairs { "stages", "stage_list", "after_list", "coupled", "order", "adaptive", "estimate_order" } do
    values[key] = capture[key]
  end
  values.position_matrix, values.weights = capture.position_matrix, capture.weights
  -- rotations at the stages and at the end, from the accelerations known so far: of an explicit method those before each stage
  local turn = { ("for (int k = 0; k < %d; ++k) {"):format(values.NB), "    for (int j = 0; j < 3; ++j) {",
    ("        const int i = %d + 3 * k + j;"):format(values.NS) }
  for l, terms in ipairs(capture.all) do turn[#turn + 1] = ("        spin[k][%d][j] = %s;"):format(l - 1, velocity(terms)) end
  table.move({ "    }", "}", ("%s_turn_bodies(q, (const double (*)[%d][3])spin, x, turned, end->q);"):format(values.X, capture.stages) },
    1, 3, #turn + 1, turn)
  values.turn_bodies = turn
  values.newton = capture.newton
  values.stage_A, values.stage_B = matrix(capture.stage_A), matrix(capture.stage_B)
  values.newton_argument = capture.newton and ("const %s_sensitivities *J, "):format(values.X) or ""
  values.newton_pass, values.newton_address = capture.newton and "J, " or "", capture.newton and "&J, " or ""
  values.end_velocity, values.end_position = velocity(capture.velocity), position(capture.position, nil)
  values.end_impulse = "x * (" .. sum(capture.impulse, "j") .. ")"
  values.estimate_velocity = "x * (" .. sum(capture.estimate_v) .. ")"
  values.estimate_position = "x * (x * (" .. sum(capture.estimate_q) .. "))"
  for _, key in ipairs { "C", "kappa", "rtol", "atol", "hmin", "time" } do values[key] = print_c.number(spec[key]) end
  -- scales that the user did not give grow with the motion
  local members = { length = "length", speed = "speed", force = "strength" }
  for _, key in ipairs { "length", "speed", "force" } do
    values[key .. "_0"] = print_c.number(spec[key])
    values[key] = spec.given[key] and values[key .. "_0"] or "s->" .. members[key]
  end
  values.atol_v = spec.given.speed and print_c.number(spec.atol * spec.speed / spec.length)
    or ("%s * s->speed"):format(print_c.number(spec.atol / spec.length))
  local function fraction(part, key)
    return spec.given[key] and print_c.number(part * spec[key]) or ("%s * %s"):format(print_c.number(part), values[key])
  end
  values.u_tol, values.g_sim = fraction(1e-11, "speed"), fraction(1e-9, "length")
  values.t_sim = print_c.number(1e-9 * spec.time)
  values.max_cascade, values.max_events = 5000, 3000
  M.control(values)
  values.turning_limit = capture.coupled and "" or ", or what an explicit method can follow"
  values.mu_zero = values.NT > 0 and " && !s->derived.frictional" or ""
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
