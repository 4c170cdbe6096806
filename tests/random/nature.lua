-- Laws of nature: what a motion must obey whatever its model. Each is a function of a run (or of runs with smaller steps)
-- that says what is wrong, or nothing.
local S = require "tests.random.scheme"
local E = require "gen.expr.node"
local catalogue = require "gen.scheme.catalogue"
local eval = require("gen.expr.eval").eval

local N = {}

local MESH = { the_kinetic = "kinetic", the_potential = "elastic" } -- the names that meshes give to their energies

-- outputs of the model by name, as functions of a row
local function outputs(made)
  local index = {}
  for i, y in ipairs(made.unit.model.outputs) do index[y.name] = i end
  return function(row, name)
    local i = index[name] or made.unit.model.elements and index[MESH[name]]
    return i and row.y[i] or made.unit.model.elements and name == "the_power" and 0 or nil
  end
end

local function adaptive(case) return S.value(case.scheme, "adaptive") == "on" end

-- The same motion in n steps, n of the list; nil when one of them gives up.
local function refined(case, made, list)
  local runs, duration = {}, case.run.step * case.run.steps
  made.refined = made.refined or { [case.run.steps] = made.result }
  for i, n in ipairs(list) do
    made.refined[n] = made.refined[n] or case:start(made, n, duration / n)
    runs[i] = made.refined[n]
    if runs[i].status ~= 0 then return nil end
  end
  return runs
end

-- Newton's law takes energy for sure where all restitutions are alike and nothing slides, or where all are 0: with unlike ones, or
-- with friction, it can give some (Kane's pendulum).
local function passive(laws)
  for _, l in ipairs(laws) do
    if l.et ~= 0 or (l.mu ~= 0 or laws[1].mu ~= 0) and l.e ~= 0 or l.e ~= laws[1].e then return false end
  end
  return true
end

--- No energy comes from contact, joints or the scheme beyond what smaller steps take away again.
function N.energy(case)
  local base = case:base()
  local w = base.writer
  if base.result.status ~= 0 or w.driven or not passive(w.laws) then return end
  if w.heavy then return end -- the weight of a mesh has no energy of its own
  local y = outputs(base)
  -- the greatest gain over the start and the work of forces from outside; the power that flows between T and V; the scale
  local function gain(result)
    local most, work, power, scale = 0, 0, 0, 0
    local rows = result.rows
    local first = y(rows[1], "the_kinetic") + y(rows[1], "the_potential")
    for k = 2, #rows do
      local h = rows[k].t[1] - rows[k - 1].t[1]
      local p0, p1 = y(rows[k - 1], "the_power"), y(rows[k], "the_power")
      work = work + h * (p0 + p1) / 2
      local T, V = y(rows[k], "the_kinetic"), y(rows[k], "the_potential")
      most = math.max(most, T + V - first - work)
      power = math.max(power, math.abs(V - y(rows[k - 1], "the_potential")) / h, math.abs(p1), math.abs(p0))
      scale = math.max(scale, T, math.abs(V))
    end
    return most, power, scale
  end
  local runs = refined(case, base, { case.run.steps, 8 * case.run.steps })
  if not runs then return end
  local coarse = gain(runs[1])
  local fine, power, scale = gain(runs[2])
  -- an impact may be found a step late: what flows within some of them
  local step = case.run.step / 8
  if fine > 0.4 * coarse + 4 * step * power + 1e-8 * scale then
    return ("energy grows by %.6g with steps of %g and by %.6g with steps of %g (energies of %.3g)"):format(coarse, case.run.step, fine,
      step, scale)
  end
end

-- Friction of contacts that the model names, from the impulses of each step: within the cone, and against sliding. The rates are
-- those at the end of a step, where Moreau and Jean's scheme has its law; of curved contacts, to the order of the step.
local function named_cone(case, base)
  local env, unit = {}, base.unit
  for _, p in ipairs(unit.model.parameters) do env[p.sym] = p.value end
  local constraints = #unit.model.constraints
  local judged = case.scheme.family == "moreau-jean" and unit.spec.projection ~= "on" and not adaptive(case)
  for k = 2, #base.result.rows do
    local row = base.result.rows[k]
    for j, contact in ipairs(row.l and unit.model.contacts or {}) do
      local normal, along, power, speed = row.l[constraints + j], 0, 0, 1
      for _, i in ipairs(contact.tangents) do
        along = along + row.l[i + 1] ^ 2
        if row.u then power, speed = power + row.l[i + 1] * row.u[i + 1], speed + math.abs(row.u[i + 1]) end
      end
      along = math.sqrt(along)
      local mu = contact.friction and eval(E.lift(contact.friction), env) or 0
      if along > mu * normal * (1 + 1e-7) + 1e-9 then
        return ("step %d: %s has %.12g along and %.12g across, friction %g"):format(k - 1, contact.name, along, normal, mu)
      elseif judged and not contact.tangential_restitution and power > along * (3 * case.run.step * speed + 1e-7) + 1e-9 then
        return ("step %d: friction of %s drives it, %g"):format(k - 1, contact.name, power)
      end
    end
  end
end

--- Coulomb's law at every contact: impulses push, within the cone, and only where shapes meet.
function N.cone(case)
  local base = case:base()
  if not base.unit.pile then return named_cone(case, base) end
  local mu = base.writer.friction
  for k = 2, #base.result.rows do
    local row = base.result.rows[k]
    local speed = 1
    for _, v in ipairs(row.v) do speed = math.max(speed, math.abs(v)) end
    for i, c in ipairs(row.c or {}) do
      local normal, size = 0, 0
      for j = 1, 3 do normal, size = normal + c[j] * c[3 + j], size + c[3 + j] ^ 2 end
      local along = math.sqrt(math.max(0, size - normal ^ 2))
      if normal < -1e-9 then return ("step %d: contact %d pulls with %g"):format(k - 1, i, normal) end
      if along > mu * normal + 1e-7 * math.sqrt(size) + 1e-9 then
        return ("step %d: contact %d has %g along and %g across, friction %g"):format(k - 1, i, along, normal, mu)
      end
      if normal > 1e-9 and c[7] > 3 * case.run.step * speed then
        return ("step %d: contact %d pushes at a gap of %g"):format(k - 1, i, c[7])
      end
    end
  end
end

-- A mesh that nothing holds, over a flat floor with this normal (or over another mesh): momentum changes by weight and by the
-- impulses of its nodes; along the floor by friction, which the cone bounds.
local function mesh_momentum(base)
  local w, rows, p, d = base.writer, base.result.rows, {}, #base.writer.gravity
  local mass = 0
  local function momentum(row)
    local sum = {}
    for k = 1, d do sum[k] = 0 end
    for i, symbol in ipairs(base.unit.eq.q) do
      local of = w.masses[symbol.name]
      sum[of[1]] = sum[of[1]] + of[2] * row.v[i]
    end
    return sum
  end
  for _, of in pairs(w.masses) do if of[1] == 1 then mass = mass + of[2] end end
  local first = momentum(rows[1])
  local size, share = mass, 1e-8
  if base.unit.spec.adaptive == "on" then share = math.max(share, base.unit.spec.rtol) end -- velocities are extrapolated, impulses not
  for k = 2, #rows do
    local now, push = momentum(rows[k]), 0
    for _, x in ipairs(rows[k].p or {}) do push = push + x end
    local across, along = 0, 0
    for i = 1, d do
      p[i] = now[i] - first[i] - mass * w.gravity[i] * (rows[k].t[1] - rows[1].t[1])
      size = math.max(size, math.abs(now[i]))
      across = across + p[i] * (w.normal and w.normal[i] or 0)
    end
    for i = 1, d do along = along + (p[i] - across * (w.normal and w.normal[i] or 0)) ^ 2 end
    along = math.sqrt(along)
    local mu = w.normal and w.laws[1] and w.laws[1].mu or 0
    if math.abs(across - (w.normal and push or 0)) > share * size then
      return ("step %d: momentum changed by %.15g across the floor, impulses are %.15g"):format(k - 1, across, push)
    elseif along > mu * push * (1 + 1e-7) + share * size then
      return ("step %d: momentum changed by %.15g along the floor, impulses across are %.15g, friction %g"):format(k - 1, along, push, mu)
    end
  end
end

--- Nothing holds on to the ground: momentum changes by weight alone, to rounding; its moment to the order of the scheme.
function N.momentum(case)
  local base = case:base()
  local w = base.writer
  if base.unit.model.elements then
    local late = case.scheme.family == "schatzman-paoli"
    return not (late or w.driven or w.held or w.uneven) and mesh_momentum(base) or nil
  end
  local rows, y = base.result.rows, outputs(base)
  if #rows < 2 or not y(rows[1], "the_momentum_1") then return end
  local scale = math.sqrt(2 * (1 + y(rows[1], "the_kinetic")))
  for _, row in ipairs(rows) do scale = math.max(scale, 2 * math.sqrt(y(row, "the_kinetic"))) end
  local late = case.scheme.family == "schatzman-paoli" and 1 or 0 -- its velocities are central ones: of the place before
  for k = 1, 3 do
    local name, weight = "the_momentum_" .. k, y(rows[1], "the_weight_" .. k)
    if weight then
      for i = 2, #rows do
        local expected = y(rows[1], name) + weight * (rows[i - late].t[1] - rows[1].t[1])
        local seen = y(rows[i], name)
        if math.abs(seen - expected) > 1e-9 * (scale + math.abs(expected)) or seen ~= seen then
          return ("step %d: momentum %d is %.15g instead of %.15g"):format(i - 1, k, seen, expected)
        end
      end
    end
  end
  local function lost(result)
    local most, size = 0, 0
    for k = 1, 3 do
      local spin, torque, sum = "the_spin_" .. k, "the_torque_" .. k, 0
      for i = 2, y(result.rows[1], spin) and #result.rows or 1 do
        local now, before = result.rows[i], result.rows[i - 1]
        sum = sum + (y(now, torque) + y(before, torque)) / 2 * (now.t[1] - before.t[1])
        most = math.max(most, math.abs(y(now, spin) - y(result.rows[1], spin) - sum))
        size = math.max(size, math.abs(y(now, spin)))
      end
    end
    return most, size
  end
  if base.result.status ~= 0 or base.writer.guided then return end -- what is kept from turning takes moments from outside
  local runs = refined(case, base, { case.run.steps, 8 * case.run.steps })
  if not runs then return end
  local coarse = lost(runs[1])
  local fine, size = lost(runs[2])
  -- forces of a pair act a gap apart, which an impact that is found late leaves open
  if fine > 0.4 * coarse + case.run.step / 2 * scale ^ 2 + 1e-8 * size then
    return ("moment of momentum off by %.6g with steps of %g and by %.6g with steps of %g"):format(coarse, case.run.step, fine,
      case.run.step / 8)
  end
end

-- the largest difference of two last states, in parts of their size
local function distance(a, b, parts)
  local x, y, most, size = a.rows[#a.rows], b.rows[#b.rows], 0, 1
  for _, part in ipairs(parts) do
    for i = 1, #x[part] do
      most, size = math.max(most, math.abs(x[part][i] - y[part][i])), math.max(size, math.abs(x[part][i]))
    end
  end
  return most / size
end

-- what contacts do throughout a run: "smooth" (nothing), "closed" (they are pressed in every step), or neither
local function phase(result)
  local touched, throughout = false, true
  for k = 2, #result.rows do
    if result.rows[k].c then return nil end -- points of a pile come and go
    for j, p in ipairs(result.rows[k].p or {}) do
      if p ~= result.rows[k - 1].p[j] then touched = true else throughout = false end
    end
  end
  return not touched and "smooth" or throughout and "closed" or nil
end

--- Halved steps converge with the declared order.
function N.order(case)
  local base = case:base()
  if adaptive(case) or base.result.status ~= 0 then return end
  local of = phase(base.result)
  if not of then return end
  local declared = catalogue.orders(base.unit.spec, base.unit.plan.order)[of == "closed" and "contact" or "smooth"]
  if of == "closed" and #base.writer.laws > 0 then -- that it starts with no impact is not known: only what stands still on both sides
    local first, last = base.result.rows[1], base.result.rows[2]
    for j, u in ipairs(first.u or {}) do
      if math.abs(u) > 1e-12 or math.abs(last.u[j]) > 1e-6 then return end
    end
    if not first.u then return end
  end
  if base.writer.kinked then declared = math.min(declared, 2) end -- forces with a kink in their second derivative
  declared = math.min(declared, 5.6) -- steps are too long to see more
  local parts = case.scheme.family == "schatzman-paoli" and { "q" } or { "q", "v" }
  local before, off, seen = nil, {}, {}
  -- until it shows, or until rounding hides it; most are done with 2^7 steps, a damper whose ends pass each other at 5 mm needs 2^13
  for n = 3, 15 do
    local run = (refined(case, base, { 1 << n }) or {})[1]
    if not run or phase(run) ~= of then return end
    if before then
      local e = distance(before, run, parts)
      off[#off + 1], seen[#seen + 1] = e, ("%.3g"):format(e)
      if e < 1e-11 or #off > 1 and math.log(off[#off - 1] / e, 2) > declared - 0.6 then return end
    end
    before = run
  end
  return ("order below %g (%s): differences %s"):format(declared, of, table.concat(seen, ", "))
end

return N
