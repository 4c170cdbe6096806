-- A start that fits: positions and velocities that break constraints or penetrate contacts a little are moved the shortest way, in
-- the metric of the mass matrix, until they do not. Values printed in a paper have five or six digits; integrators keep constraints
-- to rounding.
--   q   min |dq|_M  with  g(q + dq) = 0 on constraints and penetrated contacts: Newton, G at the current q
--   v   min |dv|_M  with  G (v + dv) + g_t = 0 on constraints
local E = require "gen.expr.node"
local blocks = require "gen.system.blocks"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local quadratic = require "gen.lang.core.quadratic"
local rate = require "gen.lang.core.rate"

local PENETRATION = 1e-9 -- a gap below minus this is penetrated
local VIOLATION = 1e-8   -- a constraint beyond this is violated; ten times that for its rate
local SMALL = 1e-5       -- of the size of the model: moved without being asked, with a warning
local ROWS, ROUNDS = 400, 30
local DEPENDENT = 1e-10  -- a pivot below this part of its diagonal: the row says what others have said

local A = {}

-- constraints, then contacts
local function rows_of(model)
  local rows = {}
  for _, c in ipairs(model.constraints) do rows[#rows + 1] = { item = c, g = c.expr, both = true } end
  for _, c in ipairs(model.contacts) do if not c.rides then rows[#rows + 1] = { item = c, g = c.gap, rate = c.rate } end end
  local rate_of = rate.shared()
  for _, row in ipairs(rows) do row.rate = row.rate or rate_of(row.g) end
  return rows
end

-- value, slopes by velocities, and rate of every row at env
local function linearise(rows, env)
  local values, forms = {}, quadratic.forms(env)
  for _, row in ipairs(rows) do
    local form = forms(row.rate)
    row.value, row.G, row.u = eval(row.g, env, values), form.b, form.c
    for v, slope in pairs(form.b) do row.u = row.u + slope * env[v] end -- a sum of few numbers, for a report
  end
end

-- Y = M^-1 G^T of the rows given, and L D L^T of W = G Y; used[k]: row k does not depend on those before
local function condensed(rows, solve, index, count)
  local Y, W = {}, {}
  for k, row in ipairs(rows) do
    local y = {}
    for i = 1, count do y[i] = 0.0 end
    for v, slope in pairs(row.G) do y[index[v]] = slope end
    Y[k] = solve(y)
  end
  for i, row in ipairs(rows) do
    W[i] = {}
    local list = {}
    for v in pairs(row.G) do list[#list + 1] = v end
    table.sort(list, function(v, w) return index[v] < index[w] end) -- sums in one order: the same bits in every run
    for j = 1, i do
      local sum = 0.0
      for _, v in ipairs(list) do sum = sum + row.G[v] * Y[j][index[v]] end
      W[i][j] = sum
    end
  end
  local d, used = {}, {}
  for i = 1, #rows do -- L D L^T of W
    local pivot = W[i][i]
    for j = 1, i - 1 do
      if used[j] then
        for k = 1, j - 1 do if used[k] then W[i][j] = W[i][j] - W[i][k] * d[k] * W[j][k] end end
        W[i][j] = W[i][j] / d[j]
        pivot = pivot - W[i][j] ^ 2 * d[j]
      end
    end
    d[i], used[i] = pivot, pivot > DEPENDENT * W[i][i]
  end
  return Y, W, d, used
end

-- x = M^-1 G^T r with G x = b on the rows given; rows that depend on others are left out
local function move(rows, b, solve, index, count)
  local Y, W, d, used = condensed(rows, solve, index, count)
  local r = {}
  for i = 1, #rows do
    r[i] = b[i]
    for j = 1, i - 1 do if used[j] then r[i] = r[i] - W[i][j] * r[j] end end
  end
  for i = #rows, 1, -1 do
    r[i] = used[i] and r[i] / d[i] or 0.0
    for j = i + 1, #rows do if used[i] and used[j] then r[i] = r[i] - W[j][i] * r[j] end end
  end
  local x = {}
  for i = 1, count do
    x[i] = 0.0
    for k = 1, #rows do x[i] = x[i] + Y[k][i] * r[k] end
  end
  return x
end

-- moves env along the velocities x
local function retract(model, env, x, index)
  for _, block in ipairs(blocks.of(model)) do
    local way = {}
    for k, v in ipairs(block.v) do way[k] = x[index[v]] end
    blocks.retract(block, env, way)
  end
end

-- sizes of the model and of its speeds: what the terms of the rows are made of
local function sizes(model, rows, env)
  local position, length, speed = {}, 0.0, 0.0
  for _, c in ipairs(model.coordinates) do position[c.v] = c.q end
  for _, row in ipairs(rows) do
    local l, u = 0.0, 0.0
    for v, slope in pairs(row.G) do
      if position[v] then l = l + math.abs(slope * env[position[v]]) end
      u = u + math.abs(slope * env[v])
    end
    length, speed = math.max(length, l, not row.both and math.abs(row.value) or 0), math.max(speed, u, math.abs(row.u))
  end
  return length > 0 and length or 1.0, speed
end

local function refuse_position(row, hint)
  local c = row.item
  if row.both then
    fail(c, "constraint '%s' is violated at the start: its expression is %.6g, not 0; change the initial values%s", c.name, row.value, hint)
  end
  fail(c, "contact '%s' is penetrated at the start: its gap is %.6g; change the initial values so that it is at least 0%s", c.name,
    row.value, hint)
end

local function refuse_velocity(row, hint)
  fail(row.item, "constraint '%s' is violated by the initial velocities: its rate is %.6g, not 0; change the velocity options%s",
    row.item.name, row.u, hint)
end

local HINT = ", or let them be projected: --assemble, or m:run { assemble = true }"

-- The rows whose positions are broken, and the constraints whose rates are; the worst of each
local function broken(rows)
  local position, velocity, g, u = false, false, 0.0, 0.0
  for _, row in ipairs(rows) do
    local defect = row.both and math.abs(row.value) or math.max(0.0, -row.value)
    if defect > (row.both and VIOLATION or PENETRATION) then position, g = position or row, math.max(g, defect) end
    if row.both and math.abs(row.u) > 10 * VIOLATION then velocity, u = velocity or row, math.max(u, math.abs(row.u)) end
  end
  return position, g, velocity, u
end

local function project_positions(model, rows, env, solve, index, count)
  local before, row
  for _ = 1, ROUNDS do
    local active, b, worst = {}, {}, 0.0
    for _, each in ipairs(rows) do
      if each.both or each.value < 0 then
        active[#active + 1], b[#b + 1] = each, -each.value
        if math.abs(each.value) > worst then worst, row = math.abs(each.value), each end
      end
    end
    if worst == 0.0 or (worst < VIOLATION and before and worst >= 0.5 * before) then return end -- rounding
    retract(model, env, move(active, b, solve, index, count), index)
    linearise(rows, env)
    before = worst
  end
  fail(row.item, "the initial values cannot be assembled: '%s' stays at %.6g; change them, or look for rows that contradict each other",
    row.item.name, row.value)
end

local function project_velocities(rows, env, solve, index, count)
  local constraints, b = {}, {}
  for _, row in ipairs(rows) do
    if row.both then constraints[#constraints + 1], b[#b + 1] = row, -row.u end
  end
  local x = move(constraints, b, solve, index, count)
  for v, i in pairs(index) do env[v] = env[v] + x[i] end -- each by itself
  linearise(rows, env)
  local _, _, wrong = broken(rows)
  if wrong then refuse_velocity(wrong, "; they contradict each other, so nothing can be assembled") end
end

-- name and amount of the greatest change among symbols
local function greatest(symbols, before, after)
  local name, most = nil, 0.0
  for _, s in ipairs(symbols) do
    local change = math.abs(after[s] - before[s])
    if change > most then name, most = s.name, change end
  end
  return name, most
end

-- The rows between coordinates. Those with nodes of meshes are looked at only: nodes start where their mesh says.
local function own_rows(all, env, index)
  local rows, others = {}, {}
  linearise(all, env)
  for _, row in ipairs(all) do
    local own = true
    for v in pairs(row.G) do own = own and index[v] ~= nil end -- a conjunction
    table.insert(own and rows or others, row)
  end
  local position, _, velocity = broken(others)
  if position then refuse_position(position, "") end
  if velocity then refuse_velocity(velocity, "") end
  return rows
end

--- Projects the numbers in env (symbol -> value, overwritten) where they break rows of the model. asked: also by much. solve and
-- index as mass.lua gives them. Returns nil where nothing was wrong, else a report { position =, velocity = (greatest change),
-- text = }; fails where the defect is not small and it was not asked for.
function A.project(model, env, solve, index, asked)
  local rows = own_rows(rows_of(model), env, index)
  if #rows == 0 then return nil end
  local position, g, velocity, u = broken(rows)
  if not position and not velocity then return nil end
  local length, speed = sizes(model, rows, env)
  local hint = #rows <= ROWS and not asked and HINT or ""
  if #rows > ROWS or not asked then
    if position and (#rows > ROWS or g > SMALL * length) then refuse_position(position, hint) end
    if velocity and (#rows > ROWS or u > SMALL * speed) then refuse_velocity(velocity, hint) end
  end
  local before, count, q, v = {}, 0, {}, {}
  for s, x in pairs(env) do before[s] = x end
  for _ in pairs(index) do count = count + 1 end
  for _, block in ipairs(blocks.of(model)) do
    table.move(block.q, 1, #block.q, #q + 1, q)
    table.move(block.v, 1, #block.v, #v + 1, v)
  end
  if position then project_positions(model, rows, env, solve, index, count) end
  local _, _, still = broken(rows)
  if still then project_velocities(rows, env, solve, index, count) end
  local name, most = greatest(q, before, env)
  local rate_name, rate_most = greatest(v, before, env)
  local text = "the initial values were projected onto constraints and contacts: positions moved by at most "
    .. ("%.3g"):format(most) .. (name and " (" .. name .. ")" or "") .. ", velocities by " .. ("%.3g"):format(rate_most)
    .. (rate_name and " (" .. rate_name .. ")" or "")
  return { position = most, velocity = rate_most, text = text, asked = asked and true or false, symbols = { q = q, v = v },
    before = before }
end

--- The names of constraints that say at env what those before them say; nil where there are too many to tell.
function A.redundant(model, env, solve, index)
  local rows, names, count = rows_of { constraints = model.constraints, contacts = {} }, {}, 0
  if #rows > ROWS / 2 then return nil end
  rows = own_rows(rows, env, index)
  for _ in pairs(index) do count = count + 1 end
  local _, _, _, used = condensed(rows, solve, index, count)
  for k, row in ipairs(rows) do if not used[k] then names[#names + 1] = row.item.name end end
  return names
end

--- Lets the model start where env says: what was moved is added to its initial values, which stay expressions of parameters.
function A.keep(model, env, report)
  local function moved(node, symbol)
    local change = env[symbol] - report.before[symbol]
    return change ~= 0 and E.lift(node) + change or node
  end
  for _, c in ipairs(model.coordinates) do c.initial, c.velocity = moved(c.initial, c.q), moved(c.velocity, c.v) end
  for _, r in ipairs(model.rotations) do
    for i = 1, 4 do r.initial[i] = moved(r.initial[i], r.q[i]) end
    for i = 1, 3 do r.spin[i] = moved(r.spin[i], r.v[i]) end
  end
end

return A
