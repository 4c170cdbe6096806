-- The interpreter of step plans: executes every operation of gen/plan/operations.lua on numbers, slow and obvious. What any back end makes
-- of the same plan must agree with it to rounding.
local L = require "tests.oracle.algebra"
local contact = require "tests.oracle.contact"
local operators = require "tests.oracle.operators"
local rebound = require "tests.oracle.rebound"
local told = require "tests.oracle.told"

local I = setmetatable({}, { __index = told }) -- what operations are told
I.__index = I

local function copied(x) return table.move(x, 1, #x, 1, {}) end
--- model, plan: of tests/oracle/model.lua, gen/plan/step.lua; tolerances: tg, tv, tol.
function I.new(model, plan, tolerances)
  local s = setmetatable({ model = model, plan = plan, tol = tolerances.tol or 1e-13, inputs = {} }, I)
  s.tolerances = { tg = tolerances.tg or 1e-10, tv = tolerances.tv or 1e-8, ts = tolerances.ts or tolerances.tv or 1e-8,
    eps = tolerances.eps or 1e-15, zero = 0.0 }
  s.data = { e = model.e, mu = model.mu, ["1+e"] = {}, ["1/(1+e)"] = {}, ["e/(1+e)"] = {} }
  for k, e in ipairs(model.e) do s.data["1+e"][k], s.data["1/(1+e)"][k], s.data["e/(1+e)"][k] = 1 + e, 1 / (1 + e), e / (1 + e) end
  s.impulse = L.zeros(model.rows)
  s.counts = { steps = 0, forces = 0, contacts = 0, iterations = 0, events = 0, painleve = 0, frozen = 0 }
  s:set(0.0, model.q0, model.v0)
  return s
end

local function all_of(n, x)
  local set = {}
  for j = 1, n do set[j] = x end
  return set
end

--- A state given from outside: it is fresh.
function I:set(t, q, v)
  self.t, self.q, self.v, self.fresh, self.memory = t, copied(q), copied(v), true, {}
  for _, m in ipairs(self.plan.memory) do
    self.memory[m.name] = m.kind == "set" and all_of(self.model.gaps, m.full or false)
      or L.zeros(m.kind == "rows" and self.model.rows or self.model.n)
  end
end

local function any(set)
  for _, x in ipairs(set) do if x then return true end end
  return false
end

-- ---- operations ---------------------------------------------------------------------------------------------------------------

local run = { apply = operators.apply, solve = operators.solve, operator = operators.operator }

function run.kinematics(s, op)
  local t, q = s.t + op.node * s.h, s.env[op.q]
  if op.c == s.frozen then
    s.skipped = op
    return
  end
  if not op.by then
    s.at[op.c] = s.model:kinematics(t, q)
    return
  end
  local points = {}
  for k = 1, s.model.rows do
    local x = L.zeros(s.model.n)
    for _, term in ipairs(op.by) do
      local c, vector = s:coefficient(term.c, term.k), s.env[term.x]
      for _, name in ipairs(term.by or {}) do c = c * s:value(name)[k] end
      for i = 1, s.model.n do x[i] = x[i] + c * vector[i] end
    end
    points[k] = s.model:retract(q, x)
  end
  s.at[op.c] = s.model:kinematics(t, q, points)
end

function run.forces(s, op)
  s.counts.forces = s.counts.forces + 1
  s.env[op.f] = s.model:forces(s.at[op.c], s.env[op.v])
end

function run.rates(s, op)
  local c = s.at[op.c]
  local U = L.product(c.G, s.env[op.v])
  for k = 1, #U do U[k] = U[k] + (op.homogeneous and 0.0 or c.gt[k]) end
  s.env[op.U] = U
end

function run.bias(s, op) s.env[op.gam] = s.model:bias(s.at[op.c], s.env[op.v]) end

function run.combine(s, op) s.env[op.y] = s:sum(op.terms, op.kind == "rows" and s.model.rows or s.model.n) end

function run.ratio(s, op)
  local a, b, y = s:value(op.a), s:value(op.b), {}
  for j = 1, s.model.gaps do y[j] = b[j] == 0 and 1.0 or math.max(0.0, math.min(1.0, a[j] / b[j])) end
  for k = s.model.gaps + 1, s.model.rows do y[k] = y[s.model.contact_of[k]] end
  s.env[op.y] = y
end

function run.retract(s, op)
  if op.x then
    s.env[op.q1[1]] = s.model:retract(s.env[op.q], s.env[op.x])
    return
  end
  local V = {}
  for k, name in ipairs(op.V) do V[k] = s.env[name] end
  local points = s.model:retract_stages(s.env[op.q], V, operators.matrix(s, op.B), operators.matrix(s, op.weights))
  for l, name in ipairs(op.q1) do s.env[name] = points[l] end
end

function run.spread(s, op)
  local on, r = s:rows_of(s.env[op.on]), copied(s.env[op.r])
  for k = 1, #r do r[k] = on[k] and r[k] or 0.0 end
  s.env[op.f] = L.transposed_product(s.at[op.c].G, r, s.model.n)
end

run["set"] = function(s, op) s.env[op.S] = s:predicate(op.where) end

function run.direction(s, op)
  local m, d, x = s.model, L.zeros(s.model.rows), s.env[op.U or op.from]
  local where, frozen, before = op.where and s.env[op.where], op.frozen and s.env[op.frozen], s.ways[op.s]
  for j = m.bilateral + 1, m.gaps do
    local size = 0.0
    for _, t in ipairs(m.tangents[j] or {}) do size = size + x[t] ^ 2 end
    size = math.sqrt(size)
    for _, t in ipairs(m.tangents[j] or {}) do
      if op.from then
        d[t] = s.env[op.on][j] and -x[t] / (m.mu[j] * x[j]) or 0.0
      else
        d[t] = size > s.tolerances.ts and x[t] / size or 0.0
        if frozen and op.turns and s.iteration >= op.turns and before and math.abs(d[t] - before[t]) > 1e-9 then frozen[j] = true end
      end
    end
  end
  s.env[op.s], s.ways[op.s] = d, copied(d)
  for j = m.bilateral + 1, where and m.gaps or 0 do
    local slides = false
    for _, t in ipairs(m.tangents[j] or {}) do slides = slides or where[t] ~= 0 end
    local along = 0.0
    for _, t in ipairs(m.tangents[j] or {}) do along = along + x[t] * where[t] end
    local stays = frozen and frozen[j] or op.forward and along <= s.tolerances.ts
    for _, t in ipairs(m.tangents[j] or {}) do d[t] = stays and where[t] or slides and d[t] or 0.0 end
  end
end

-- A x = rhs + F^T (r - carried), u = G x + b, law(u, r) on the set
function run.contact(s, op)
  local m, c = s.model, s.at[op.at]
  local A, G, b = operators.named(s, op.A), c.G, s:value(op.b)
  local along, on = op.along and s.at[op.along], op.along_on and s.env[op.along_on]
  local F = {}
  for k = 1, m.rows do F[k] = along and (not on or on[m.contact_of[k] or k]) and along.G[k] or G[k] end
  if op.mean then -- m G^T + (1-m) M M(along)^-1 G(along)^T
    local mean = s:coefficient(op.mean[1], op.mean[2])
    for k = 1, m.rows do
      if F[k] ~= G[k] then
        local y, row = L.product(c.M, L.solve(along.M, { F[k] })[1]), {}
        for i = 1, m.n do row[i] = mean * G[k][i] + (1 - mean) * y[i] end
        F[k] = row
      end
    end
  end
  while true do
    local set = s:rows_of(s.env[op.set])
    for k = m.gaps + 1, m.rows do
      local contact_row, slides = m.contact_of[k], false
      for _, t in ipairs(m.tangents[contact_row]) do slides = slides or op.slide ~= nil and s.env[op.slide][t] ~= 0 end
      set[k] = set[k] and op.rows ~= "normal" and (not op.grip or s.env[op.grip][contact_row] or slides)
    end
    local rhs = op.rhs and copied(s.env[op.rhs]) or L.zeros(m.n)
    local columns, index = {}, {}
    for k = 1, m.rows do
      if set[k] then
        columns[#columns + 1], index[#index + 1] = F[k], k
        if op.carried then for i = 1, m.n do rhs[i] = rhs[i] - F[k][i] * s.env[op.carried][k] end end
      end
    end
    columns[#columns + 1] = rhs
    local Y, rank = L.solve(A, columns)
    if rank < m.n then error("a singular operator " .. op.A, 0) end
    local x, r = Y[#Y], L.zeros(m.rows)
    if #index > 0 then
      s.counts.contacts = s.counts.contacts + 1
      local W, u = {}, L.product(G, x)
      for k = 1, m.rows do
        W[k], u[k] = L.zeros(m.rows), u[k] + b[k]
        if set[k] then for l, j in ipairs(index) do W[k][j] = L.product({ G[k] }, Y[l])[1] end end
      end
      local given = { W = W, b = u, set = set, bilateral = m.bilateral, gaps = m.gaps, tangents = m.tangents, mu = m.mu, rides = m.rides,
        equal = op.laws == "equal", slide = op.slide and s.env[op.slide], guess = op.guess and s.env[op.guess] }
      local forces, why, where = contact.solve(given)
      if not forces and op.fallback then
        given.slide = nil
        forces, why, where = contact.solve(given)
      end
      if not forces and why == "painleve" and op.drop then
        s.counts.painleve = s.counts.painleve + 1
        s.env[op.drop][where] = false
        goto again
      end
      if not forces then error(why, 0) end
      r = op.rebound and rebound(given, forces, s.env[op.rebound], m.rebound) or forces
      for l, j in ipairs(index) do for i = 1, m.n do x[i] = x[i] + Y[l][i] * r[j] end end
    end
    for k = 1, op.carried and m.rows or 0 do if not set[k] then r[k] = s.env[op.carried][k] end end
    s.env[op.x], s.env[op.r] = x, r
    do return end
    ::again::
  end
end

function run.when(s, op)
  local yes = op.any == "fresh" and s.fresh
  if op.any ~= "fresh" then yes = any(s.env[op.any]) end
  s:list(yes and op.body or op.other or {})
end

local function largest(s, names)
  local size = 0.0
  for _, name in ipairs(names) do size = math.max(size, L.largest(s.env[name])) end
  return size
end

local function copy_set(s, op)
  local same = true
  for j, x in ipairs(s.env[op.same[1]]) do same = same and s.env[op.same[2]][j] == x end
  s.env[op.same[2]] = copied(s.env[op.same[1]])
  return same
end

run["repeat"] = function(s, op)
  local before, outer, first, part = math.huge, s.iteration, nil, 1.0
  local stagnation = s.model.rows > s.model.gaps and 1e-7 or 1e-9
  local rounds = op.rounds and (op.rounds.freeze and 3 or 2) or 1
  local start, left, met, i = nil, nil, {}, -1
  while i < rounds * op.max - (op.falls and 0 or 1) do
    i = i + 1
    local where = op.holds and s:predicate(op.holds)
    if where and not any(where) then break end
    if op.falls then
      local worst, old = 0.0, 0.0 -- of all rows, of those that were there before
      for j, x in ipairs(where) do
        local size = x and math.abs(s:value(op.falls)[j]) or 0.0
        worst, old, met[j] = math.max(worst, size), met[j] and math.max(old, size) or old, met[j] or x
      end
      start = start or worst
      if i == op.max or i > 1 and old > 0.5 * left then -- rounding, or not to be had
        if worst <= math.max(1e-3 * start, s.tolerances.tg) then break end
        if old >= worst then error(("%s leads away: %g"):format(op.falls, worst), 0) end
        i, start = 0, worst -- a row has joined, which it does once: from the start with it
      end
      left = worst
    end
    if i > 0 and i % op.max == 0 and not op.falls then -- contacts alternate: halve what does not shrink, then freeze the kinematics
      local presses = false
      for j = s.model.bilateral + 1, s.model.gaps do presses = presses or s.env[op.rounds.press][j] > 0 end
      if not presses then error(("no convergence: %g"):format(before), 0) end
      s.env[op.rounds.x], before, part = copied(s.env[op.rounds.from]), math.huge, 1.0
    end
    s.iteration = i
    s:list(op.body)
    s.counts.iterations = s.counts.iterations + 1
    s.frozen = op.rounds and op.rounds.freeze and i >= 2 * op.max and op.rounds.freeze or nil
    if op.same and copy_set(s, op) then break end
    if op.small then
      local change, size = largest(s, op.small), math.max(largest(s, op.of), 1e-290)
      first = first or size
      size = op.rounds and math.min(size, 1e3 * first) or size
      part = i >= op.max and change > 0.9 * before and 0.5 * part or part
      local done = change <= s.tol * size or change >= 0.5 * before and change <= stagnation * size
      done = done and largest(s, op.defect or {}) <= 1e-6 * size
        or op.speeds and change >= 0.5 * before and s.h * change <= 1e-14 * largest(s, op.speeds)
      before = change
      if done then break end
      if i == rounds * op.max - 1 then error(("no convergence: %g beside %g"):format(change, size), 0) end
      if part < 1 then
        local x, dx = s.env[op.rounds.x], s.env[op.rounds.dx]
        for k = 1, #x do x[k] = x[k] - (1 - part) * dx[k] end
      end
    elseif op.same and i == op.max - 1 then
      error("the sets do not settle", 0)
    end
  end
  if s.frozen then
    s.counts.frozen, s.frozen = s.counts.frozen + 1, nil
    if s.skipped then run.kinematics(s, s.skipped) end
  end
  s.iteration = outer
end

function run.accept(s, op)
  if op.halt then error({ halt = s:shown(op.keep) }, 0) end -- the step is not made
  local new = { q = s.env[op.q], v = s.env[op.v] }
  if L.largest(new.q) == math.huge or L.largest(new.v) == math.huge then error("not finite", 0) end
  s.accepted = { q = copied(new.q), v = copied(new.v), memory = {}, impulse = copied(s.impulse), events = 0 }
  for _, name in ipairs(op.impulse) do
    for k, x in ipairs(s.env[name]) do s.accepted.impulse[k] = s.accepted.impulse[k] + x end
  end
  for _, name in ipairs(op.events) do
    for _, x in ipairs(s.env[name]) do s.accepted.events = s.accepted.events + (x and 1 or 0) end
  end
  for _, pair in ipairs(op.keep) do s.accepted.memory[pair[1]] = copied(s.env[pair[2]]) end
end

function I:list(ops)
  for _, op in ipairs(ops) do (run[op.op] or error("no operation " .. op.op))(self, op) end
end

local function attempt(s, plan, h, inputs)
  s.plan, s.ways, s.h, s.at, s.operators, s.iteration, s.frozen, s.skipped, s.accepted = plan, {}, h, {}, {}, 0, nil, nil, nil
  s.env = { q = s.q, v = s.v, fresh = all_of(s.model.gaps, s.fresh) }
  for _, m in ipairs(plan.memory) do s.env[m.name] = copied(s.memory[m.name]) end
  for _, input in ipairs(plan.inputs) do
    local x = inputs[input.name]
    if input.kind == "configuration" then s.at[input.name] = x else s.env[input.name] = x end
  end
  s:list(plan.ops)
end

--- What a part of the plan gives, from (t, q, v) over h: tables by name; nothing is accepted.
function I:part(name, t, q, v, h, inputs)
  local plan, state = self.plan, { self.t, self.q, self.v }
  local part
  for _, other in ipairs(plan.parts) do if other.title == name then part = other end end
  self.t, self.q, self.v = t, q, v
  local good, why = pcall(attempt, self, part, h, inputs)
  self.plan, self.t, self.q, self.v = plan, table.unpack(state)
  if not good then error(why, 0) end
  local given = {}
  for _, what in ipairs(part.gives) do given[what] = self.env[what] or self.at[what] end
  return given
end

--- One step of length h: all or nothing. inputs: what the plan is handed. A plan that halts gives what its program sees.
function I:step(h, inputs)
  local plan = self.plan
  if plan.uniform and self.h and math.abs(self.h - h) > 1e-9 * h then self.fresh = true end
  local good, why = pcall(attempt, self, plan, h, inputs)
  local other, first = plan.otherwise, why
  if type(why) == "table" and why.halt then return why.halt end
  while not good and other and not tostring(first):find "^[^ ]+%.lua:" do -- not what is wrong with the interpreter itself
    good, why = pcall(attempt, self, other, h, inputs)
    self.counts.frozen = self.counts.frozen + (good and 1 or 0)
    other = other.otherwise
  end
  self.plan = plan
  if not good then error(first or why, 0) end
  local a = self.accepted
  self.q, self.v, self.memory, self.impulse, self.t, self.fresh = a.q, a.v, a.memory, a.impulse, self.t + h, false
  self.counts.steps, self.counts.events = self.counts.steps + 1, self.counts.events + a.events
end

return I
