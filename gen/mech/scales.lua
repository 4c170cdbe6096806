-- Scales of a model for event capturing, where the user gave none: length, speed, time, force. From the initial state at the default
-- parameters: size of the gaps, speed after falling through them, time of that fall, force that stops it. Without contacts, of the
-- coordinates.
local E = require "gen.expr.node"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval
local factor = require "gen.mech.factor"
local kernels_of = require "gen.mech.kernels"

-- the state at the start, by symbols
local function start(model, eq)
  local env = { [model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = u.value or 0.0 end
  for _, f in ipairs(model.felt or {}) do env[f.sym] = 0.0 end
  for _, block in ipairs(eq.symbols.blocks) do
    for k, q in ipairs(block.q) do env[q] = eval(E.lift(block.start[k]), env) end
    for k, v in ipairs(block.v) do env[v] = eval(E.lift(block.speed[k]), env) end
  end
  return env
end

-- Gaps, their rates, accelerations and masses at the start: look(gap, rate, acceleration, W) for each contact, or each coordinate where
-- there is none.
local function from_equations(model, eq, env, look)
  local memo = {}
  local F = factor.factor(eq)
  local accelerations = factor.solve(F, eq.n, eq.h)
  local rows = table.move(eq.rows, eq.constraints + 1, eq.gaps, 1, {})
  for i = 1, #rows == 0 and #model.coordinates or 0 do
    rows[i] = { g = model.coordinates[i].q, gt = E.zero, bias = E.zero, G = { [i] = E.one } }
  end
  for _, row in ipairs(rows) do
    local a, u, w = eval(row.bias, env, memo), eval(row.gt, env, memo), 0.0
    local y = factor.solve(F, eq.n, row.G)
    for _, i in ipairs(equations.columns(row.G, eq.n)) do
      local g = eval(row.G[i], env, memo)
      a, u, w = a + g * eval(accelerations[i], env, memo), u + g * env[eq.v[i]], w + g * eval(y[i], env, memo)
    end
    look(eval(row.g, env, memo), u, a, w)
  end
end

-- The same from kernels, instance by instance, with the diagonal of the mass for M: a scale is a power of ten. What is no formula
-- (elements of meshes, touches of shapes) is left out.
local function from_kernels(eq, alike, env, look)
  local mass, force, rows = {}, {}, {}
  for i = 1, eq.n do mass[i], force[i] = 0.0, 0.0 end
  local function instances(kernel, visit)
    for _, instance in ipairs(kernel.instances) do
      local here, at = setmetatable({}, { __index = env }), {}
      for b, block in ipairs(instance.shape.blocks) do
        local own = kernel.blocks[b]
        for k, q in ipairs(own.q) do here[q] = env[block.q[k]] end
        for k, v in ipairs(own.v) do
          here[v] = env[block.v[k]]
          at[#at + 1] = block.v_first + k
        end
      end
      for _, d in ipairs(kernel.data) do here[d.symbol] = instance.shape.numbers[d.slot].value end
      for _, d in ipairs(kernel.parameters) do here[d.symbol] = env[instance.shape.parameters[d.slot]] end
      pcall(visit, instance, at, function(node) return eval(node, here) end)
    end
  end
  for _, kernel in ipairs(alike) do
    if kernel.kind == "row" then
      instances(kernel, function(instance, at, value)
        local row = { g = value(kernel.gap), u = value(kernel.gt), a = value(kernel.bias), G = {} }
        for k, x in ipairs(kernel.G) do row.G[k] = { at[k], value(x) } end
        if instance.row >= eq.constraints then rows[#rows + 1] = row end
      end)
    elseif not kernels_of.is_row(kernel) and kernel.kind ~= "call" then
      instances(kernel, function(_, at, value)
        for _, m in ipairs(kernel.M) do if m.i == m.j then mass[at[m.i]] = mass[at[m.i]] + value(m.expr) end end
        for _, h in ipairs(kernel.h) do force[at[h.i]] = force[at[h.i]] + value(h.expr) end
      end)
    end
  end
  for i = 1, #rows == 0 and eq.simple or 0 do rows[i] = { g = env[eq.q[i]], u = 0.0, a = 0.0, G = { { i, 1.0 } } } end
  for _, row in ipairs(rows) do
    local w = 0.0
    for _, entry in ipairs(row.G) do
      local i, g = entry[1], entry[2]
      row.u = row.u + g * env[eq.v[i]]
      if mass[i] > 0 then row.a, w = row.a + g * force[i] / mass[i], w + g * g / mass[i] end
    end
    look(row.g, row.u, row.a, w)
  end
end

--- given: those of the user by name, which win; alike: kernels of a model in tables.
return function(model, eq, given, alike)
  local length, speed, fall, mass = 0.0, 0.0, 0.0, 0.0
  local function look(gap, rate, a, w)
    gap = math.abs(gap)
    length, fall, mass = math.max(length, gap), math.max(fall, math.abs(a)), math.max(mass, w > 0 and 1 / w or 0)
    speed = math.max(speed, math.abs(rate), math.sqrt(2 * math.abs(a) * gap))
  end
  local env = start(model, eq)
  if alike then from_kernels(eq, alike, env, look) else from_equations(model, eq, env, look) end
  -- what is zero, infinite or no number at the start is no scale; a run that meets it says where
  local function scale(x) return x > 0 and x < math.huge and tonumber(("%.1g"):format(x)) or 1 end
  speed = given.speed or scale(speed)
  local time = fall > 0 and speed / fall or alike and length > 0 and length / speed or 1
  return given.length or scale(length), speed, given.time or scale(time), given.force or scale(fall * mass)
end
