-- Scales of a model for event capturing, where the user gave none: length, speed, time, force. From the initial state at the default
-- parameters: size of the gaps, speed after falling through them, time of that fall, force that stops it. Without contacts, of the
-- coordinates.
local E = require "gen.expr.node"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval
local factor = require "gen.mech.factor"

--- given: those of the user by name, which win.
return function(model, eq, given)
  local env = { [model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = u.value or 0.0 end
  for _, f in ipairs(model.felt or {}) do env[f.sym] = 0.0 end
  for _, block in ipairs(eq.symbols.blocks) do
    for k, q in ipairs(block.q) do env[q] = eval(E.lift(block.start[k]), env) end
    for k, v in ipairs(block.v) do env[v] = eval(E.lift(block.speed[k]), env) end
  end
  local memo = {}
  local F = factor.factor(eq)
  local accelerations = factor.solve(F, eq.n, eq.h)
  local length, speed, fall, mass = 0.0, 0.0, 0.0, 0.0
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
    local gap = math.abs(eval(row.g, env, memo))
    length, fall, mass = math.max(length, gap), math.max(fall, math.abs(a)), math.max(mass, w > 0 and 1 / w or 0)
    speed = math.max(speed, math.abs(u), math.sqrt(2 * math.abs(a) * gap))
  end
  -- what is zero, infinite or no number at the start is no scale; a run that meets it says where
  local function scale(x) return x > 0 and x < math.huge and tonumber(("%.1g"):format(x)) or 1 end
  speed = given.speed or scale(speed)
  return given.length or scale(length), speed, given.time or scale(fall > 0 and speed / fall or 1), given.force or scale(fall * mass)
end
