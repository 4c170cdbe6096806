-- The operators of a model, three times: the emitted C, the evaluator on the derived equations, and finite differences of
-- the energies and gaps as the model text states them (which know nothing of the derivation).
local E = require "gen.expr.node"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval

local O = {}

local function environment(model)
  local env = {}
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = u.value or 0.0 end
  return env
end

--- A state near the start of a model: t, q, v in the order of the C. r draws it.
function O.state(unit, r)
  local q, v, env = {}, {}, environment(unit.model)
  for i, c in ipairs(unit.model.coordinates) do
    local size = 1 + math.abs(eval(E.lift(c.initial), env))
    q[i], v[i] = eval(E.lift(c.initial), env) + 0.1 * size * (r:unit() - 0.5), 2 * (r:unit() - 0.5)
  end
  for _, rotation in ipairs(unit.model.rotations or {}) do
    local norm, base = 0, #q
    for k = 1, 4 do
      q[base + k] = eval(E.lift(rotation.initial[k]), env) + 0.2 * (r:unit() - 0.5)
      norm = norm + q[base + k] ^ 2
    end
    for k = 1, 4 do q[base + k] = q[base + k] / math.sqrt(norm) end
    for _ = 1, 3 do v[#v + 1] = 4 * (r:unit() - 0.5) end
  end
  return { t = r:unit(), q = q, v = v }
end

local function at(unit, eq, t, q, v)
  local env = environment(unit.model)
  env[unit.model.time] = t
  for i, symbol in ipairs(eq.q) do env[symbol] = q[i] end
  for i, symbol in ipairs(eq.v) do env[symbol] = v[i] end
  return env
end

--- M, h, g, G, gt, gam by the evaluator. unit must be the last model that was loaded.
function O.evaluate(unit, state)
  local eq = unit.eq.M and unit.eq or equations.derive(unit.model)
  local env, memo = at(unit, eq, state.t, state.q, state.v), {}
  local function value(x) return x and eval(x, env, memo) or 0 end
  local o = { M = {}, h = {}, g = {}, G = {}, gt = {}, gam = {}, n = eq.n }
  for i = 1, eq.n do
    o.M[i] = {}
    for j = 1, eq.n do o.M[i][j] = value(eq.M[math.max(i, j)][math.min(i, j)]) end
    o.h[i] = value(eq.h[i])
  end
  for k, row in ipairs(eq.rows) do
    o.G[k] = {}
    for i = 1, eq.n do o.G[k][i] = value(row.G[i]) end
    o.gt[k], o.gam[k] = value(row.gt), value(row.bias)
    if k <= eq.gaps then o.g[k] = value(row.g) end
  end
  o.gaps = eq.gaps
  return o
end

local function output(unit, name)
  for _, y in ipairs(unit.model.outputs) do if y.name == name then return y.expr end end
end

-- The quaternion at x[base + 1 ...] turned by a rotation vector in the frame of the body, in place.
local function turn(x, base, a, b, c)
  local angle = math.sqrt(a * a + b * b + c * c)
  local s, w = angle > 0 and math.sin(angle / 2) / angle or 0.5, math.cos(angle / 2)
  a, b, c = s * a, s * b, s * c
  local p, q, r, t = table.unpack(x, base + 1, base + 4)
  x[base + 1], x[base + 2] = p * w - q * a - r * b - t * c, p * a + q * w + r * c - t * b
  x[base + 3], x[base + 4] = p * b - q * c + r * w + t * a, p * c + q * b - r * a + t * w
end

--- The same by differences of the outputs the_kinetic, the_potential, the_rayleigh, the_power and of the gaps. Bodies that turn
-- are moved about their own axes, and Euler's term w x dT/dw is added.
function O.differences(unit, state)
  if unit.model.elements or not output(unit, "the_kinetic") then return nil end
  local simple = #unit.model.coordinates
  local eq = unit.eq.M and unit.eq or equations.derive(unit.model)
  local n, t, q, v = eq.n, state.t, state.q, state.v
  local function of(expr) return function(time, x, y) return eval(expr, at(unit, eq, time, x, y)) end end
  local T, V = of(output(unit, "the_kinetic")), of(output(unit, "the_potential"))
  local R, P = of(output(unit, "the_rayleigh")), of(output(unit, "the_power"))
  local function moved(list, i, by)
    local copy = { table.unpack(list) }
    if list == q and i > simple then
      local k = (i - simple - 1) % 3
      turn(copy, simple + 4 * ((i - simple - 1) // 3), k == 0 and by or 0, k == 1 and by or 0, k == 2 and by or 0)
    else
      copy[i] = copy[i] + by
    end
    return copy
  end
  local function along(by)
    local copy = { table.unpack(q) }
    for i = 1, simple do copy[i] = q[i] + by * v[i] end
    for k = 0, (n - simple) // 3 - 1 do
      local i = simple + 3 * k
      turn(copy, simple + 4 * k, by * v[i + 1], by * v[i + 2], by * v[i + 3])
    end
    return copy
  end
  local zero = {}
  for i = 1, n do zero[i] = 0.0 end
  local o, s = { M = {}, h = {}, g = {}, G = {}, gam = {}, n = n }, 2e-5
  for i = 1, n do
    o.M[i] = {}
    for j = 1, n do
      o.M[i][j] = T(t, q, moved(moved(zero, i, 1), j, 1)) - T(t, q, moved(zero, i, 1)) - T(t, q, moved(zero, j, 1)) + T(t, q, zero)
    end
    local function momentum(x, j) return (T(t, x, moved(v, j or i, 1)) - T(t, x, moved(v, j or i, -1))) / 2 end
    local function slope(f, by_v)
      local up, down = moved(by_v and v or q, i, s), moved(by_v and v or q, i, -s)
      if by_v then return (f(t, q, up) - f(t, q, down)) / (2 * s) end
      return (f(t, up, v) - f(t, down, v)) / (2 * s)
    end
    o.h[i] = slope(T) - (momentum(along(s)) - momentum(along(-s))) / (2 * s) - slope(V) - slope(R, true) + slope(P, true)
    if i > simple then
      local first = i - (i - simple - 1) % 3
      local a, b = first + (i - first + 1) % 3, first + (i - first + 2) % 3
      o.h[i] = o.h[i] - v[a] * momentum(q, b) + v[b] * momentum(q, a)
    end
  end
  local gaps = {}
  for _, c in ipairs(unit.model.constraints) do gaps[#gaps + 1] = of(c.expr) end
  for _, c in ipairs(unit.model.contacts) do gaps[#gaps + 1] = of(c.gap) end
  for k, g in ipairs(gaps) do
    o.g[k], o.G[k] = g(t, q, v), {}
    for i = 1, n do o.G[k][i] = (g(t, moved(q, i, s), v) - g(t, moved(q, i, -s), v)) / (2 * s) end
    local d = 1e-3
    o.gam[k] = (g(t + d, along(d), v) - 2 * o.g[k] + g(t - d, along(-d), v)) / (d * d)
  end
  return o
end

local function size(list)
  local x = 0
  for _, y in ipairs(list) do x = math.max(x, math.abs(y)) end
  return x
end

local function near(a, b, tolerance) return math.abs(a - b) <= tolerance end -- false for what is no number

--- Derivation against differences; says what is wrong.
function O.compare_differences(o, d)
  local function check(what, a, b, tolerance)
    if not near(a, b, tolerance) then return ("%s: derived %.17g, by differences %.17g"):format(what, a, b) end
  end
  for i = 1, o.n do
    for j = 1, o.n do
      local wrong = check(("M[%d][%d]"):format(i, j), o.M[i][j], d.M[i][j], 1e-8 * (1 + size(o.M[i])))
      if wrong then return wrong end
    end
    local wrong = check(("h[%d]"):format(i), o.h[i], d.h[i], 1e-5 * (1 + size(o.h)))
    if wrong then return wrong end
  end
  for k = 1, #d.g do
    local wrong = check(("g[%d]"):format(k), o.g[k], d.g[k], 1e-9 * (1 + math.abs(o.g[k])))
      or check(("gam[%d]"):format(k), o.gam[k], d.gam[k], 1e-3 * (1 + math.abs(o.gam[k])))
    for i = 1, o.n do
      wrong = wrong or check(("G[%d][%d]"):format(k, i), o.G[k][i], d.G[k][i], 1e-6 * (1 + size(o.G[k])))
    end
    if wrong then return wrong end
  end
end

--- The C against the evaluator; says what is wrong.
function O.compare_c(c, o)
  if c.configured ~= 0 then return "configure fails with status " .. tostring(c.configured) end
  local function check(what, a, b, tolerance)
    if a and not near(a, b, tolerance) then return ("%s: C %.17g, evaluator %.17g"):format(what, a, b) end
  end
  local wrong
  for k = 1, o.gaps do wrong = wrong or check(("g[%d]"):format(k), c.g and c.g[k], o.g[k], 1e-11 * (1 + math.abs(o.g[k]))) end
  for i = 1, o.n do
    wrong = wrong or check(("h[%d]"):format(i), c.h and c.h[i], o.h[i], 1e-10 * (1 + size(o.h)))
    for j = 1, o.n do
      local sum, scale = 0, 1
      for k = 1, o.n do
        if c.m[i] then
          sum = sum + o.M[j][k] * c.m[i][k]
          scale = scale + math.abs(o.M[j][k] * c.m[i][k])
        end
      end
      if c.m[i] then wrong = wrong or check(("M M^-1 [%d][%d]"):format(j, i), sum, i == j and 1 or 0, 1e-11 * scale) end
    end
  end
  for k = 1, #o.G do
    if c.u[1] then
      wrong = wrong or check(("g_t[%d]"):format(k), c.u[1][k], o.gt[k], 1e-10 * (1 + math.abs(o.gt[k])))
      for i = 1, o.n do
        wrong = wrong or check(("G[%d][%d]"):format(k, i), c.u[i + 1][k] - c.u[1][k], o.G[k][i],
          1e-10 * (1 + size(o.G[k]) + math.abs(o.gt[k])))
      end
    end
    wrong = wrong or check(("gam[%d]"):format(k), c.b and c.b[k], o.gam[k], 1e-9 * (1 + size(o.gam)))
  end
  return wrong
end

--- Meshes: the forces of the C against the slopes of the energy it reports (but what acts from outside), its mass against that of
-- the cells. masses: name -> { direction, mass }, or nil where nodes share cells unevenly.
function O.compare_mesh(c, names, masses)
  if c.configured ~= 0 or not c.d or not c.e then return end -- a random place may lie within an obstacle
  local scale = size(c.h) + size(c.k) + size(c.d)
  for i = 1, #c.h do
    local force, slope = c.h[i] - c.k[i], c.e[i] - c.d[i]
    if not near(force, slope, 1e-5 * scale + 1e-9) then
      return ("force on %s: C %.12g, slope of its energy %.12g"):format(names[i], force, slope)
    end
  end
  for i, mass in ipairs(masses and c.w or {}) do
    local known = masses[names[i]][2]
    if not near(mass, known, 1e-9 * known) then return ("mass of %s: C %.15g, cells %.15g"):format(names[i], mass, known) end
  end
end

return O
