-- A model as operators for the interpreter of plans: M, f, g, G, g_t, bias, derivatives, all by the evaluator on the derived equations.
local E = require "gen.expr.node"
local L = require "tests.oracle.algebra"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval

local Model = {}
Model.__index = Model

--- unit: a compiled model, the last that was loaded; values: parameters by name that differ from their defaults.
function Model.new(unit, values)
  local model, eq = unit.model, unit.eq.M and unit.eq or equations.derive(unit.model)
  local env = {}
  for _, p in ipairs(model.parameters) do env[p.sym] = values and values[p.name] or p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = u.value or 0.0 end
  local m = setmetatable({ eq = eq, env = env, time = model.time, n = eq.n, simple = eq.simple, bilateral = eq.constraints, gaps = eq.gaps,
    rows = #eq.rows, e = {}, mu = {}, rebound = {}, tangents = {}, rides = {}, contact_of = {}, q0 = {}, v0 = {},
    contacts = model.contacts }, Model)
  local function value(x) return eval(E.lift(x or 0), env) end
  for k, row in ipairs(eq.rows) do
    m.mu[k] = row.kind == "contact" and value(row.item.friction) or 0.0
    m.e[k] = row.kind == "contact" and value(row.item.restitution) or 0.0
    m.rebound[k] = row.kind == "contact" and value(row.item.rebound) or 0.0
    if row.kind == "tangent" then
      local contact = row.contact + 1
      m.e[k] = value(eq.rows[contact].item.tangential_restitution)
      m.contact_of[k] = contact
      m.tangents[contact] = m.tangents[contact] or {}
      table.insert(m.tangents[contact], k)
    end
  end
  local at = {}
  for k, c in ipairs(model.contacts) do -- the row of the contact that each one rides on
    at[c] = m.bilateral + k
    m.rides[at[c]] = c.rides and at[c.rides]
  end
  for i, c in ipairs(model.coordinates) do m.q0[i], m.v0[i] = value(c.initial), value(c.velocity) end
  for _, r in ipairs(model.rotations or {}) do
    for k = 1, 4 do m.q0[#m.q0 + 1] = value(r.initial[k]) end
    for k = 1, 3 do m.v0[#m.v0 + 1] = value(r.spin[k]) end
  end
  local a, r = {}, {}
  for i = 1, m.n do a[i] = E.sym(("a[%d]"):format(i), "local") end
  for k = 1, m.rows do r[k] = E.sym(("r[%d]"):format(k), "local") end
  m.a, m.r = a, r
  m.jacobians = equations.jacobians(eq, a, r)
  return m
end

local function surroundings(m, t, q)
  local env = setmetatable({ [m.time] = t }, { __index = m.env })
  for i, symbol in ipairs(m.eq.q) do env[symbol] = q[i] end
  return env
end

local function evaluator(env, memo) return function(x) return x and eval(x, env, memo) + 0.0 or 0.0 end end

local function rows_at(m, c, k, value)
  local row = m.eq.rows[k]
  c.G[k] = {}
  for i = 1, m.n do c.G[k][i] = value(row.G[i]) end
  c.gt[k] = value(row.gt)
  c.g[k], c.slide[k] = k <= m.gaps and value(row.g) or 0.0, k > m.gaps and value(row.g) or 0.0
end

--- The configuration at (t, q). points (row -> q): every row at its own point, without mass.
function Model:kinematics(t, q, points)
  local c = { t = t, q = q, g = {}, slide = {}, G = {}, gt = {}, M = {}, env = surroundings(self, t, q), memo = {} }
  if points then
    for k = 1, self.rows do rows_at(self, c, k, evaluator(surroundings(self, t, points[k]), {})) end
    return c
  end
  local value = evaluator(c.env, c.memo)
  for k = 1, self.rows do rows_at(self, c, k, value) end
  for i = 1, self.n do
    c.M[i] = {}
    for j = 1, self.n do c.M[i][j] = value(self.eq.M[math.max(i, j)][math.min(i, j)]) end
  end
  return c
end

-- with velocities too; what depends on (t, q) only is not computed again
local function moving(m, c, v)
  local env = setmetatable({}, { __index = c.env })
  for i, symbol in ipairs(m.eq.v) do env[symbol] = v[i] end
  return env, setmetatable({}, { __index = c.memo })
end

function Model:forces(c, v)
  local value, f = evaluator(moving(self, c, v)), {}
  for i = 1, self.n do f[i] = value(self.eq.h[i]) end
  return f
end

function Model:bias(c, v)
  local value, gam = evaluator(moving(self, c, v)), {}
  for k = 1, self.rows do gam[k] = value(self.eq.rows[k].bias) end
  return gam
end

--- K = d(M a - f - G^T r)/dq, C = -df/dv, and the same of the rows G a + bias: Kc, Cc.
function Model:derivatives(c, v, a, r)
  local env, memo = moving(self, c, v)
  for i = 1, self.n do env[self.a[i]] = a and a[i] or 0.0 end
  for k = 1, self.rows do env[self.r[k]] = r and r[k] or 0.0 end
  local value, J = evaluator(env, memo), {}
  for _, name in ipairs { "K", "C", "Kc", "Cc" } do
    J[name] = {}
    for i = 1, #self.jacobians[name] do
      J[name][i] = {}
      for j = 1, self.n do J[name][i][j] = value(self.jacobians[name][i][j]) end
    end
  end
  return J
end

-- ---- positions ----------------------------------------------------------------------------------------------------------------------

local function multiply(a, b)
  return { a[1] * b[1] - a[2] * b[2] - a[3] * b[3] - a[4] * b[4], a[1] * b[2] + a[2] * b[1] + a[3] * b[4] - a[4] * b[3],
    a[1] * b[3] - a[2] * b[4] + a[3] * b[1] + a[4] * b[2], a[1] * b[4] + a[2] * b[3] - a[3] * b[2] + a[4] * b[1] }
end

local function put_unit(q, first, x)
  local size = math.sqrt(x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2 + x[4] ^ 2)
  for i = 1, 4 do q[first + i] = x[i] / size end
end

-- calls f(first index of a quaternion, first index of its angular velocity) for every rotation
local function each_rotation(m, f)
  for k = 0, (#m.q0 - m.simple) // 4 - 1 do f(m.simple + 4 * k, m.simple + 3 * k) end
end

--- q + x, rotations turned by the rotation vector x (body frame).
function Model:retract(q, x)
  local y = {}
  for i = 1, self.simple do y[i] = q[i] + x[i] end
  each_rotation(self, function(iq, iv)
    local r = { x[iv + 1], x[iv + 2], x[iv + 3] }
    local angle = math.sqrt(r[1] ^ 2 + r[2] ^ 2 + r[3] ^ 2)
    local f = angle > 1e-4 and math.sin(0.5 * angle) / angle or 0.5 - angle * angle / 48
    put_unit(y, iq, multiply({ q[iq + 1], q[iq + 2], q[iq + 3], q[iq + 4] }, { math.cos(0.5 * angle), f * r[1], f * r[2], f * r[3] }))
  end)
  return y
end

--- q + sum_k w_k V_k for each row w of weights; rotations by collocation Q_l = q + sum_k B_lk Q_k o (0, V_k)/2 of the stages.
function Model:retract_stages(q, V, B, weights)
  local points = {}
  for l, w in ipairs(weights) do
    points[l] = {}
    for i = 1, self.simple do
      points[l][i] = q[i]
      for k = 1, #V do points[l][i] = points[l][i] + w[k] * V[k][i] end
    end
  end
  each_rotation(self, function(iq, iv)
    local start, Q = { q[iq + 1], q[iq + 2], q[iq + 3], q[iq + 4] }, {}
    for k = 1, #V do Q[k] = start end
    local function sum(row)
      local x = { table.unpack(start) }
      for k = 1, #V do
        local rate = multiply(Q[k], { 0, V[k][iv + 1], V[k][iv + 2], V[k][iv + 3] })
        for i = 1, 4 do x[i] = x[i] + 0.5 * row[k] * rate[i] end
      end
      return x
    end
    for _ = 1, 60 do
      local new, change = {}, 0.0
      for l = 1, #V do
        new[l] = sum(B[l])
        for i = 1, 4 do change = math.max(change, math.abs(new[l][i] - Q[l][i])) end
      end
      Q = new
      if change <= 1e-16 then break end
    end
    for l = 1, #V do -- unit quaternions
      local unit = {}
      put_unit(unit, 0, Q[l])
      Q[l] = unit
    end
    for l, w in ipairs(weights) do
      local stage
      for k = 1, #V do
        local same = true
        for i = 1, #V do same = same and B[k][i] == w[i] end
        if same then stage = Q[k] end
      end
      put_unit(points[l], iq, stage or sum(w))
    end
  end)
  return points
end

--- Solutions of M x = b at a configuration, for a list of b.
function Model.solve_mass(_, c, list) return L.solve(c.M, list) end

return Model
