-- What must hold for every model and every scheme. Each law is { name, function(case) -> nil | what is wrong }. A case is
-- { parts, scheme, run = { step, steps }, seed }; case:base() is its model written plainly, compiled and run once.
local B = require "tests.random.probe"
local N = require "tests.random.nature"
local O = require "tests.random.operators"
local P = require "tests.random.plan"
local R = require "tests.random.prng"
local S = require "tests.random.scheme"
local W = require "tests.random.writer"

local Case = {}
Case.__index = Case

function Case.new(fields) return setmetatable(fields, Case) end

--- The model in a style (and these parts), compiled: { unit, program, writer, text }. Errors of the pipeline pass through.
function Case:make(style, options)
  options = options or {}
  local text, writer = W.model(options.parts or self.parts, style, { step = self.run.step, steps = self.run.steps,
    scheme = S.text(self.scheme, style) })
  local unit = B.unit(text, S.text(self.scheme, style), { form = options.form })
  return { unit = unit, writer = writer, text = text, style = style, program = B.program(unit, options.cc) }
end

function Case:start(made, steps, h)
  local f = made.writer:factor(0, 0, 1)
  return B.run(made.program, steps or self.run.steps, (h or self.run.step) * f, made.style.shift and made.style.shift * f)
end

function Case:base()
  if not self.known then
    self.known = self:make {}
    local state = O.state(self.known.unit, R.new(self.seed + 77))
    self.known.state = state
    if self.known.unit.eq and not self.known.unit.model.elements then
      self.known.values = O.evaluate(self.known.unit, state)
      self.known.differences = O.differences(self.known.unit, state)
    end
    self.known.result = self:start(self.known)
  end
  return self.known
end

-- names of positions, velocities and contacts in the order of the C
local function names(unit)
  local q, v, c = {}, {}, {}
  for i, x in ipairs(unit.eq and unit.eq.q or {}) do q[i] = x.name end
  for i, name in ipairs(unit.eq and unit.eq.names or {}) do v[i] = name end
  for i, contact in ipairs(unit.model.contacts) do c[i] = contact.name end
  return q, v, c
end

local function index(list)
  local t = {}
  for i, name in ipairs(list) do t[name] = i end
  return t
end

-- Impulses are unique where the rows are independent: by elimination, at the state of the operators.
local function unique(base)
  local G = {}
  for k, row in ipairs(base.values and base.values.G or {}) do G[k] = { table.unpack(row) } end
  if not base.values then return false end
  for k = 1, #G do
    local best = 0
    for i = 1, base.values.n do if math.abs(G[k][i]) > math.abs(G[k][best] or 0) then best = i end end
    if best == 0 or math.abs(G[k][best]) < 1e-6 then return false end
    for l = k + 1, #G do
      local factor = G[l][best] / G[k][best]
      for i = 1, base.values.n do G[l][i] = G[l][i] - factor * G[k][i] end
    end
  end
  return true
end

-- The greatest in steps without a change of impulse.
local function acceleration(case)
  local rows, most = case:base().result.rows, 1
  for k = 2, #rows do
    local quiet = true
    for j, p in ipairs(rows[k].p or {}) do quiet = quiet and p == rows[k - 1].p[j] end
    for i, v in ipairs(quiet and rows[k].v or {}) do most = math.max(most, math.abs(v - rows[k - 1].v[i]) / case.run.step) end
  end
  return most
end

-- How closely two ways to the same numbers must agree. Schatzman-Paoli divides rounding by h; where the steps are chosen
-- by a tolerance or events are located to one, results agree to that.
local function tolerance(case)
  local family = case.scheme.family
  local rtol = S.value(case.scheme, "adaptive") == "on" and S.value(case.scheme, "rtol") or 0
  if family == "schatzman-paoli" then return 1e-8 / case.run.step end
  if family == "capture" then -- events are located to some time (h/time)^(p+1), by the rows in turn; what velocities change in it
    local once = 100 * acceleration(case) * case.run.step ^ (case:base().unit.plan.order + 1)
    return math.max(1e-7, (1 + case:base().result.events) * once, 1000 * rtol)
  end
  -- projection closes the contacts that carry an impulse: where these are not unique, places differ by what it moves
  if case:base().unit.spec.projection == "on" and #case:base().unit.model.contacts > 0 and not unique(case:base()) then
    return math.max(10 * case.run.step ^ 2, 1000 * rtol)
  end
  return math.max(1e-8, 1000 * rtol)
end

--- Does a variant move as the base does? options: tolerance, impulses (compare them too), only (a function of names), may_stop (it need not
-- end in the same way), apart (its parts do not know of each other: only up to the first step that is made with less in its equations for
-- all of them because one asked for it, THEORY 4.8).
local function same(case, base, other, result, options)
  options = options or {}
  local bq, bv, bc = names(base.unit)
  local oq, ov, oc = names(other.unit)
  local iq, iv, ic = index(bq), index(bv), index(bc)
  local limit = options.tolerance or tolerance(case)
  local a, b, blown = base.result, result, false
  local function compare(k, what, list, by, x, y, rate)
    for i, name in ipairs(list) do
      local known = other.writer.quantities[name]
      local j = known and by[known.original] or by[name]
      if options.only and not options.only(name) then j = nil end
      if j then
        local factor = known and known.sign * known.factor * (rate and known.rate or 1) or 1
        local expected, seen = x[j], y[i] / factor
        local off = math.abs(seen - expected)
        if math.abs(expected) > 1e6 then blown = true end -- unstable, or near a singularity of three angles: nothing left to compare
        if not blown and (off > limit * (1 + math.abs(expected)) or off ~= off) then
          return ("step %d, %s of %s: %.15g instead of %.15g"):format(k - 1, what, name, seen, expected)
        end
      end
    end
  end
  local steps = math.min(#a.rows, #b.rows)
  for k = 1, steps do
    local x, y = a.rows[k], b.rows[k]
    if x.f[1] ~= y.f[1] then -- one of them made a step with less in its equations: rounding decided, as where steps give up
      if not options.apart then
        case.gave_up = case.gave_up or {}
        table.insert(case.gave_up, ("step %d is frozen for one of them only"):format(k - 1))
      end
      return
    end
    local wrong = compare(k, "position", oq, iq, x.q, y.q) or compare(k, "velocity", ov, iv, x.v, y.v, true)
    if not wrong and options.impulses and x.p and #x.p > 0 then wrong = compare(k, "impulse", oc, ic, x.p, y.p) end
    if wrong or blown then return wrong end
  end
  if not options.may_stop and a.status ~= b.status then
    local what = ("status %d after %d steps instead of %d after %d"):format(b.status, #b.rows - 1, a.status, #a.rows - 1)
    -- a step that gives up says so: how soon it does is a matter of rounding where modes alternate; counted, not a fault
    local gave_up = a.status == 1 or a.status == 2 or b.status == 1 or b.status == 2
    if not gave_up then return what end
    case.gave_up = case.gave_up or {}
    table.insert(case.gave_up, what)
  end
end

local function refused(why) return type(why) == "table" and why.carom end

-- a variant that the language or a scheme refuses says nothing
local function variant(case, style, options)
  local good, made = pcall(case.make, case, style, options)
  if good then return made end
  if refused(made) then return nil end
  error(made, 0)
end

local L = { Case = Case, list = {}, refused = refused }
local function law(name, check, when) L.list[#L.list + 1] = { name = name, check = check, when = when } end

local function mechanism(case) return case.kind ~= "mesh" and case.kind ~= "pile" end

law("operators", function(case)
  local base = case:base()
  if base.unit.model.elements then
    local q = names(base.unit)
    local at, undeformed, r = {}, {}, R.new(case.seed + 99)
    for i, name in ipairs(q) do -- lifted off what is below
      undeformed[i] = not base.writer.held and name:find("^s") and base.writer.masses[name][1] == #base.writer.gravity and 0.05 or 0
      at[i] = undeformed[i] + 0.01 * (r:unit() - 0.5)
    end
    local seen = B.operators(base.program, 0, at, undeformed)
    return O.compare_mesh(seen, q, not base.writer.uneven and not base.writer.held and base.writer.masses or nil)
  end
  if not base.values then return end
  local wrong = O.compare_c(B.operators(base.program, base.state.t, base.state.q, base.state.v), base.values)
  if not wrong and base.differences then wrong = O.compare_differences(base.values, base.differences) end
  return wrong
end)

law("impulses", function(case)
  local base = case:base()
  local rows = base.result.rows
  if base.result.changed then return "a failing step changed the state" end
  local constraints, family = #base.unit.model.constraints, case.scheme.family
  local projected, fastest = base.unit.spec.projection == "on", 0
  for k = 2, #rows do
    local before, now = rows[k - 1], rows[k]
    for _, u in ipairs(before.u or {}) do fastest = math.max(fastest, math.abs(u)) end
    for i, x in ipairs(now.q) do if x ~= x or math.abs(x) == math.huge then return ("step %d: q[%d] is %g"):format(k - 1, i, x) end end
    for i, x in ipairs(now.v) do if x ~= x or math.abs(x) == math.huge then return ("step %d: v[%d] is %g"):format(k - 1, i, x) end end
    for j = 1, #(now.p or {}) do
      local p, scale = now.p[j] - before.p[j], 1 + math.abs(now.p[j])
      local name = base.unit.model.contacts[j] and base.unit.model.contacts[j].name or tostring(j)
      if p < -1e-9 * scale or p ~= p then return ("step %d: impulse of %s is %g"):format(k - 1, name, p) end
      if now.u and p > 1e-7 * scale then
        local U0, U1 = before.u[constraints + j], now.u[constraints + j]
        local speed = 1 + math.abs(U0) + math.abs(U1)
        -- closed at the end: no longer closing, beyond what Newton's law makes of an opening one (projection moves the place
        -- where the rate is taken; adaptive steps begin elsewhere)
        local judged = family ~= "schatzman-paoli" and family ~= "capture" and not projected and base.unit.spec.adaptive ~= "on"
        if judged and now.g[j] <= 0 and U1 < -1e-6 * speed - math.max(U0, 0) then
          return ("step %d: %s was pushed with %g and still closes with %g"):format(k - 1, name, p, U1)
        end
        -- Moreau and Jean: what was pushed goes on with e times the speed of before, where the gap is not curved
        local e = base.writer.laws[1] and base.writer.laws[1].e
        for _, l in ipairs(base.writer.laws) do if l.e ~= e then e = nil end end
        if e and judged and family == "moreau-jean" and U0 <= 0 and base.unit.features and base.unit.features.affine_gaps
          and math.abs(U1 + e * U0) > 1e-6 * speed then
          return ("step %d: %s came with %g and goes with %g, restitution %g"):format(k - 1, name, U0, U1, e)
        end
        -- nothing far away is pushed; without projection D+ and D- let a contact that presses keep the place to which the jump of
        -- another one has taken it within a step, some steps ago
        local reach = 3 * case.run.step * ((projected or not family:find "^D") and speed or 1 + fastest) + 1e-6
        if math.min(now.g[j], before.g[j]) > reach then
          return ("step %d: %s was pushed with %g at a gap of %g"):format(k - 1, name, p, math.min(now.g[j], before.g[j]))
        end
      end
    end
  end
end)

law("form", function(case)
  local base = case:base()
  local form = base.unit.form == "looped" and "unrolled" or "looped"
  local other = variant(case, {}, { form = form })
  if not other or other.unit.form ~= form then return end
  local wrong = O.compare_c(B.operators(other.program, base.state.t, base.state.q, base.state.v), base.values)
  if wrong then return form .. ": " .. wrong end
  wrong = same(case, base, other, case:start(other), { impulses = unique(base), tolerance = 10 * tolerance(case) })
  return wrong and form .. ": " .. wrong
end, mechanism)

-- A corner that passes a face within one step: a written pair has the normal of where the step would end, a pile that of where the two
-- came near. With shorter steps they must agree.
local function pair_by_pair(case)
  local base = case:base()
  local other = variant(case, { pairwise = true })
  return other and same(case, base, other, case:start(other), { tolerance = 100 * tolerance(case) })
end
law("pair by pair", function(case) -- a pile with its contacts written down
  local wrong = pair_by_pair(case)
  for _, parts in ipairs(wrong and { 4, 16 } or {}) do
    local still = pair_by_pair(L.Case.new { seed = case.seed, kind = case.kind, scheme = case.scheme, parts = case.parts,
      run = { step = case.run.step / parts, steps = parts * case.run.steps } })
    case.gave_up = case.gave_up or {}
    if not still then return table.insert(case.gave_up, ("%s, not with steps of 1/%d"):format(wrong, parts)) end
    wrong = ("%s; with steps of 1/%d: %s"):format(wrong, parts, still)
  end
  return wrong
end, function(case) return case.kind == "pile" end)

law("order of declaration", function(case)
  local base = case:base()
  local other = variant(case, {}, { parts = W.shuffle(case.parts, R.new(case.seed + 5)) })
  return other and same(case, base, other, case:start(other), { impulses = unique(base) })
end)

law("mirror image", function(case)
  local base = case:base()
  local other = variant(case, { mirror = true })
  return other and not other.writer.no_mirror and same(case, base, other, case:start(other), { impulses = unique(base) }) or nil
end)

law("other units", function(case)
  local base = case:base()
  local other = variant(case, { length = 1e3, time = 1e3, mass = 1e-3 }) -- mm, ms, t
  if other and other.writer.mixed and case.scheme.family == "capture" then return end -- one scale for lengths and angles
  if other and other.writer.angles and S.value(case.scheme, "adaptive") == "on" then return end -- and one tolerance
  return other and same(case, base, other, case:start(other), { impulses = unique(base) })
end)

law("time shift", function(case)
  local base = case:base()
  if not base.writer.has_time then -- the same text, started later
    return same(case, base, base, B.run(base.program, case.run.steps, case.run.step, 3.25), { impulses = unique(base) })
  end
  local other = variant(case, { shift = 3.25 })
  return other and same(case, base, other, case:start(other), { impulses = unique(base) })
end)

-- Copies in one model, each with other velocities, against one alone that starts as each of them.
law("copies", function(case)
  local base = case:base()
  if base.unit.spec.family == "capture" or S.value(case.scheme, "adaptive") == "on" then return end -- steps are shared there
  if base.writer.driven then return end -- a drive prescribes a velocity
  local n = #(base.unit.eq and base.unit.eq.v or {}) > 5 and 2 or 3
  local all = variant(case, { copies = n })
  if not all then return end
  local together = case:start(all)
  if #together.rows == 0 then return end
  local bq, bv = names(base.unit)
  local aq, av = names(all.unit)
  local iq, iv = index(bq), index(bv)
  -- bit for bit where nothing is shared: no contact problem, no iteration until all have settled
  local f = base.unit.features
  local apart = f and base.unit.eq and #base.unit.eq.rows == 0 and (f.time_only or f.linear and base.unit.form == "looped")
    and all.unit.form == base.unit.form
  for i = 1, n do
    local suffix = "_" .. i
    local function own(name) return all.writer.quantities[name] and all.writer.quantities[name].copy == suffix end
    local start = { q = {}, v = {} }
    for k, name in ipairs(aq) do if own(name) then start.q[iq[all.writer.quantities[name].original]] = together.rows[1].q[k] end end
    for k, name in ipairs(av) do if own(name) then start.v[iv[all.writer.quantities[name].original]] = together.rows[1].v[k] end end
    local alone = B.run(base.program, case.run.steps, case.run.step, 0, start)
    local wrong = same(case, { unit = base.unit, result = alone }, all, together, { impulses = unique(base), only = own, apart = true,
      tolerance = apart and 0 or nil, may_stop = together.status ~= 0 })
    if wrong then return ("copy %d of %d: %s"):format(i, n, wrong) end
  end
end)

law("plan", function(case) return P.check(case, tolerance(case)) end, P.when)
law("cone", N.cone)
law("energy", N.energy)
law("momentum", N.momentum)
law("order", N.order)

--- A mesh on PETSc: the same outputs to the tolerance of its solvers.
function L.petsc(case)
  local base = case:base()
  -- Prescribed places are exact on both paths. With theta=1 the velocities there follow from these places on PETSc, from the rate of the
  -- motion on the small path (gen/scheme/README.md), and with them inertia and damping: other velocities there, reactions and kinetic
  -- energies by the order of the step, the same for all that is free when masses are lumped and nothing is damped.
  -- Where mass is not lumped, what is prescribed pushes by the mean of its accelerations there, by the change of its velocities here.
  local driven = base.writer.has_time and base.writer.held
  local by_place = driven and S.value(case.scheme, "theta") == 1
  if by_place and base.text:find("damping", 1, true) then return end
  local keys = {}
  for _, k in ipairs(case.scheme.keys) do
    if k[1] == "theta" or k[1] == "gamma" or k[1] == "M" or k[1] == "lumped" and not driven then keys[#keys + 1] = k end
  end
  if driven then keys[#keys + 1] = { "lumped", "on" } end
  local scheme = S.text({ family = case.scheme.family, keys = keys }, {})
  local plain = Case.new { seed = case.seed, kind = case.kind, parts = case.parts, run = case.run,
    scheme = { family = case.scheme.family, keys = keys } }
  local good, small = pcall(plain.base, plain)
  if not good then return end
  local rows, said = B.petsc(base.text, scheme)
  if not rows then
    if said:find("PETSc", 1, true) or said:find("scheme", 1, true) then return end -- what that path does not do, it says
    return "on PETSc: " .. said:sub(-600)
  end
  local outputs, size = small.unit.model.outputs, {}
  local stages = tonumber(S.value(case.scheme, "M") or 1) > 1 -- reactions: means of both ends of a step here, of all stages there
  local close = 1e-6 -- Newton's method stops there where the material is not linear
  for _, b in ipairs(small.unit.model.elements.bodies) do if not b.material.linear then close = 1e-4 end end
  if #rows ~= #small.result.rows then
    case.gave_up = case.gave_up or {}
    table.insert(case.gave_up, ("%d steps on PETSc instead of %d"):format(#rows - 1, #small.result.rows - 1))
  end
  for _, row in ipairs(small.result.rows) do
    for i, x in ipairs(row.y) do size[i] = math.max(size[i] or 1e-6, math.abs(x)) end
  end
  case.compared = true
  for k = 1, math.min(#rows, #small.result.rows) do
    for i, y in ipairs(outputs) do
      local x, seen = small.result.rows[k].y[i], rows[k][y.name]
      local judged = seen and not y.name:find "%.closed$"
        and not (by_place and (y.name:find "%.reaction%." or y.name:find "_low%..%.dot$" or y.name == "kinetic" or y.name == "energy"))
      judged = judged and not (stages and y.name:find "%.reaction%.")
      if judged and (math.abs(seen - x) > close * size[i] or seen ~= seen) then
        return ("step %d, %s: %.15g on PETSc instead of %.15g (%s)"):format(k - 1, y.name, seen, x, scheme)
      end
    end
  end
end

--- Compilers and sanitizers: the same bits from all of them.
function L.compilers(case, list)
  local base = case:base()
  local expected = base.result.text
  for _, cc in ipairs(list) do
    local good, made = pcall(case.make, case, {}, { cc = cc })
    if not good then return tostring(made) end
    local result
    good, result = pcall(case.start, case, made)
    if not good then return cc .. ": " .. tostring(result) end
    if result.text ~= expected then
      local k = 1
      while k <= #result.rows and k <= #base.result.rows do
        for _, part in ipairs { "q", "v", "p" } do
          for i, x in ipairs(base.result.rows[k][part] or {}) do
            if result.rows[k][part][i] ~= x and x == x then
              return ("%s: step %d, %s[%d] is %.17g instead of %.17g"):format(cc, k - 1, part, i, result.rows[k][part][i], x)
            end
          end
        end
        k = k + 1
      end
    end
  end
end

return L
