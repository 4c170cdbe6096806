-- Is a step far too long? Schemes without a matrix of the forces explode when omega h is beyond a limit, and nothing in a single
-- step tells. omega is the highest frequency of the forces around the initial state, M w'' = dh/dq w, by differences and power iteration.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval

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

-- The values of all symbols at the start; given: values by name that replace those of parameters, inputs, coordinates.
local function start(unit, given)
  local model, env = unit.model, { [unit.model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = given[p.name] or p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = given[u.name] or u.value or 0.0 end
  for _, f in ipairs(model.felt or {}) do env[f.sym] = 0.0 end
  for _, c in ipairs(model.coordinates) do
    env[c.q] = given[c.name] or eval(E.lift(c.initial), env)
    env[c.v] = given[c.name .. ".dot"] or eval(E.lift(c.velocity), env)
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

-- the eigenvalue of A with the largest modulus
local function dominant(A)
  local n, x, value = #A, {}, 0.0
  for i = 1, n do x[i] = 1 + i / (3 * n) end
  for _ = 1, 200 do
    local y, xx, xy, yy = {}, 0.0, 0.0, 0.0
    for i = 1, n do
      y[i] = 0.0
      for j = 1, n do y[i] = y[i] + A[i][j] * x[j] end
      xx, xy, yy = xx + x[i] * x[i], xy + x[i] * y[i], yy + y[i] * y[i]
    end
    if yy == 0 or yy ~= yy then return 0.0 end
    local size = math.sqrt(yy)
    for i = 1, n do x[i] = y[i] / size end
    value = xy / xx
  end
  return value
end

--- The highest frequency at the start; nil where it is not looked for: free bodies, joints, models in loops over tables, or many
--- coordinates.
function S.frequency(unit, given)
  local eq, model = unit.eq, unit.model
  if unit.form ~= "unrolled" or not eq or eq.n == 0 or eq.n > LARGEST or eq.n ~= #model.coordinates or #model.constraints > 0 then
    return nil
  end
  local env = start(unit, given or {})
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
  for j, c in ipairs(model.coordinates) do
    local q = env[c.q]
    local d = 1e-7 * math.max(1e-3, math.abs(q))
    env[c.q] = q + d
    for i, h in ipairs(forces()) do K[i][j] = (rest[i] - h) / d end
    env[c.q] = q
  end
  S.solve(M, K)
  local square = dominant(K)
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
