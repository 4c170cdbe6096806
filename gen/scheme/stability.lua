-- Is a step far too long? Schemes without a matrix of the forces explode when omega h is beyond a limit, and nothing in a single
-- step tells. omega is the highest frequency of the forces around the initial state, M w'' = dh/dq w, by differences and power iteration.
local E = require "gen.expr.node"
local blocks = require "gen.system.blocks"
local eval = require("gen.expr.eval").eval
local tableau = require "gen.scheme.tableau"

local S = {}

local LARGEST = 40 -- coordinates; more would take longer than they are worth here
local LIMIT = { 2, 2.828, 3.067, 3.135, 5.06 } -- README.md: of D- and D+ for M = 1, 2, ..., where one of them is stable
local LOBATTO = { 2, 2.828, 3.113, 3.141 }

--- The largest omega h with which an undamped oscillator does not grow; nil where there is no limit, or none is known.
function S.limit(spec)
  if spec.adaptive == "on" then return nil end
  if spec.family == "schatzman-paoli" then return spec.theta == 0 and 2 or nil end
  return spec.sign and (spec.quadrature == "lobatto" and LOBATTO or LIMIT)[spec.M] or nil
end

-- M^-1 times columns, in place, for a matrix near the identity: no pivots
local function solved(M, columns)
  local n = #M
  for i = 1, n do
    for k = 1, n do
      local factor = k ~= i and M[k][i] / M[i][i] or 0
      if factor ~= 0 then
        for j = i, n do M[k][j] = M[k][j] - factor * M[i][j] end
        for _, c in ipairs(columns) do c[k] = c[k] - factor * c[i] end
      end
    end
  end
  for _, c in ipairs(columns) do for i = 1, n do c[i] = c[i] / M[i][i] end end
end

-- the trace of a step of the oscillator u'' = -(z/h)^2 u, (I + z^2 Abar) a = -z^2 (u + c h v): the schemes are symmetric in time, so
-- its eigenvalues are on the unit circle while that is within [-2, 2]
local function trace(tab, M, z)
  local A, by_u, by_v, sum = {}, {}, {}, 2
  for i = 0, M do
    A[i + 1], by_u[i + 1], by_v[i + 1] = {}, -z * z, -z * z * tab.c[i]
    for j = 0, M do A[i + 1][j + 1] = (i == j and 1 or 0) + z * z * tab.Abar[i][j] end
  end
  solved(A, { by_u, by_v })
  for k = 0, M do sum = sum + tab.Abar[M][k] * by_u[k + 1] + tab.beta[k] * by_v[k + 1] end
  return sum
end

--- The largest omega h with which steps of an undamped oscillator neither grow nor, where stages are repeated until they are
--- stationary, fail to settle; 0 where there is no limit.
function S.phase(spec)
  local settle = 0.8 -- by how much repeats must shrink
  if spec.family == "schatzman-paoli" then
    local stable = spec.theta < 0.5 and 2 / math.sqrt(1 - 2 * spec.theta) or math.huge
    return math.min(stable, spec.theta > 0 and math.sqrt(settle / spec.theta) or math.huge)
  end
  if not spec.sign or spec.M == 0 then return 0 end
  local tab, rows = tableau.dg(spec.sign, spec.M, spec.quadrature), 0
  local first, last = spec.sign == "+" and 0 or 1, spec.sign == "+" and spec.M or spec.M - 1
  for l = first, last do
    local sum = 0
    for k = first, last do sum = sum + math.abs(tab.Abar[l][k]) end
    rows = math.max(rows, sum)
  end
  local most, z = rows > 0 and math.sqrt(settle / rows) or math.huge, 0
  while z + 0.01 < most and z < 10 and math.abs(trace(tab, spec.M, z + 0.01)) <= 2 + 1e-9 do z = z + 0.01 end
  return z
end

--- The values of all symbols at the start; given: values by name that replace those of parameters, inputs, coordinates.
function S.start(unit, given)
  local model, env = unit.model, { [unit.model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = given[p.name] or p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = given[u.name] or u.value or 0.0 end
  for _, f in ipairs(model.felt or {}) do env[f.sym] = 0.0 end
  for _, block in ipairs(blocks.of(model)) do
    blocks.each(block, function(symbol, value) env[symbol] = given[symbol.name] or eval(E.lift(value), env) end)
  end
  return env
end

--- Solves M x = b by Gauss without pivots (M is positive definite); both are overwritten.
function S.solve(M, b)
  local n = #b
  for k = 1, n do
    for i = k + 1, n do
      local factor = M[i][k] / M[k][k]
      for j = k, n do M[i][j] = M[i][j] - factor * M[k][j] end
      for j = 1, #b[1] do b[i][j] = b[i][j] - factor * b[k][j] end
    end
  end
  for i = n, 1, -1 do
    for j = 1, #b[1] do
      for k = i + 1, n do b[i][j] = b[i][j] - M[i][k] * b[k][j] end
      b[i][j] = b[i][j] / M[i][i]
    end
  end
end

-- Takes out of velocities what constraints forbid: x - M^-1 G^T (G M^-1 G^T)^-1 G x, by rows that are made orthonormal in M^-1 one by
-- one; rows that say what others say fall away. G: lists of n numbers; M as given to solve.
local function projection(M, G)
  local n, kept = #M, {}
  local function dot(a, b)
    local sum = 0.0
    for i = 1, n do sum = sum + a[i] * b[i] end
    return sum
  end
  for _, g in ipairs(G) do
    local copy, w = {}, {}
    for i = 1, n do copy[i], w[i] = table.move(M[i], 1, n, 1, {}), { g[i] } end
    S.solve(copy, w)
    for i = 1, n do w[i] = w[i][1] end
    local size = dot(g, w)
    for _, k in ipairs(kept) do
      local part = dot(k.g, w)
      for i = 1, n do g[i], w[i] = g[i] - part * k.g[i], w[i] - part * k.w[i] end
    end
    local left = dot(g, w)
    if left > 1e-10 * size then
      for i = 1, n do g[i], w[i] = g[i] / math.sqrt(left), w[i] / math.sqrt(left) end
      kept[#kept + 1] = { g = g, w = w }
    end
  end
  return function(x)
    for _, k in ipairs(kept) do
      local part = dot(k.g, x)
      for i = 1, n do x[i] = x[i] - part * k.w[i] end
    end
  end
end

-- the eigenvalue of A with the largest modulus, among vectors that `free` leaves alone
local function dominant(A, free)
  local n, x, value = #A, {}, 0.0
  for i = 1, n do x[i] = 1 + i / (3 * n) end
  free(x)
  for _ = 1, 200 do
    local y, xx, xy, yy = {}, 0.0, 0.0, 0.0
    for i = 1, n do
      y[i] = 0.0
      for j = 1, n do y[i] = y[i] + A[i][j] * x[j] end
    end
    free(y)
    for i = 1, n do
      xx, xy, yy = xx + x[i] * x[i], xy + x[i] * y[i], yy + y[i] * y[i]
    end
    if yy == 0 or yy ~= yy then return 0.0 end
    local size = math.sqrt(yy)
    for i = 1, n do x[i] = y[i] / size end
    value = xy / xx
  end
  return value
end

--- The highest frequency at the start; nil where it is not looked for: models in loops over tables, or many velocities. Of constraints
--- it knows where they leave the mechanism free, not how their forces turn with it.
function S.frequency(unit, given)
  local eq, model = unit.eq, unit.model
  if unit.form ~= "unrolled" or not eq or eq.n == 0 or eq.n > LARGEST then return nil end
  local env = S.start(unit, given or {})
  local function forces()
    local memo, h = {}, {}
    for i = 1, eq.n do h[i] = eval(eq.h[i], env, memo) end
    return h
  end
  local M, K, memo, rest = {}, {}, {}, forces()
  for i = 1, eq.n do
    M[i], K[i] = {}, {}
    for j = 1, eq.n do
      local m = eq.M[math.max(i, j)][math.min(i, j)]
      M[i][j] = m and eval(m, env, memo) or 0.0
    end
  end
  for j, direction in ipairs(blocks.directions(blocks.of(model))) do
    local block, x, kept = direction.block, {}, {}
    for k, symbol in ipairs(block.q) do kept[k] = env[symbol] end
    local d = 1e-7 * math.max(1e-3, math.abs(kept[1]))
    for k, v in ipairs(block.v) do x[k] = v == direction.v and d or 0.0 end
    blocks.retract(block, env, x)
    for i, h in ipairs(forces()) do K[i][j] = (rest[i] - h) / d end
    for k, symbol in ipairs(block.q) do env[symbol] = kept[k] end
  end
  local G = {}
  for _, row in ipairs(eq.rows) do
    if row.kind == "constraint" then
      local g = {}
      for i = 1, eq.n do g[i] = row.G[i] and eval(row.G[i], env, memo) or 0.0 end
      G[#G + 1] = g
    end
  end
  local free = projection(M, G)
  S.solve(M, K)
  local square = dominant(K, free)
  return square > 0 and square < math.huge and math.sqrt(square) or nil
end

--- What is to be said about a step of length h, or nil. given: values by name; place: where they are, the start if nothing is said.
function S.warning(unit, h, given, place)
  local limit = h and unit.spec and S.limit(unit.spec)
  local omega = limit and S.frequency(unit, given)
  if not omega or omega * h <= limit then return nil end
  return ("the step %.3g is too long: the stiffest forces %s swing with omega = %.3g, and undamped swings explode under %s "
    .. "beyond omega h = %.4g; write a step below %.2g, or moreau-jean"):format(h, place or "at the start", omega, unit.scheme, limit,
      limit / omega)
end

return S
