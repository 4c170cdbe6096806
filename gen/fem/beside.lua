-- What stands beside the meshes of a model: coordinates, bodies, springs, joints, inputs and outputs join the lowered model (small.lua)
-- after the coordinates of the meshes; boundaries that are tied to bodies, and nodes against shapes of bodies.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local made = require "gen.fem.made"

local B = {}
local axes = { "x", "y", "z" }

local function refuse(where, format, ...)
  error({ carom = true, file = where.file, line = where.line, message = format:format(...) }, 0)
end

--- Adds what is no mesh to the lowered model, which has the coordinates of the meshes.
function B.join(model, lowered)
  for _, list in ipairs { "coordinates", "terms", "contacts", "constraints" } do
    table.move(model[list], 1, #model[list], #lowered[list] + 1, lowered[list])
  end
  local function shown(symbol, unit) -- results of meshes hold outputs only
    table.insert(lowered.outputs, { name = symbol.name, unit = unit, expr = symbol })
  end
  for _, c in ipairs(model.coordinates) do shown(c.q, c.unit) end
  for _, r in ipairs(model.rotations) do for _, q in ipairs(r.q) do shown(q) end end
  for _, c in ipairs(model.coordinates) do shown(c.v, c.unit and c.unit .. "/s") end
  for _, r in ipairs(model.rotations) do for _, v in ipairs(r.v) do shown(v, "rad/s") end end
  lowered.rotations, lowered.inputs, lowered.felt, lowered.gravity = model.rotations, model.inputs, model.felt, model.gravity
end

--- Nodes that are points of the mechanism must be free to move. body_of: of a mesh.
function B.check(model, elements, body_of)
  for _, entry in ipairs(model.nodes) do
    local body, d = body_of[entry.mesh], entry.mesh.dimension
    for k = 1, d do
      if body.dof[(entry.node - 1) * d + k] >= elements.free then
        refuse(entry, "node %d of mesh '%s' at (%s) is held along %s by m:fix, so it is no point that moves; write its place in numbers",
          entry.node, entry.mesh.name, table.concat(body.made.nodes[entry.node], ", "), axes[k])
      end
    end
  end
end

--- Expressions of the model at its start: of parameters and numbers.
function B.start_of(model)
  local map, memo = { [model.time] = E.zero }, {}
  for _, c in ipairs(model.coordinates) do map[c.q] = E.lift(c.initial) end
  for _, r in ipairs(model.rotations) do for i, q in ipairs(r.q) do map[q] = E.lift(r.initial[i]) end end
  return function(node) return E.substitute(node, map, memo) end
end

--- Numbers of all symbols at the start, with the default parameters.
function B.numbers(model)
  local env = { [model.time] = 0.0 }
  for _, list in ipairs { model.parameters, model.inputs } do
    for _, p in ipairs(list) do env[p.sym] = p.value end
  end
  for _, c in ipairs(model.coordinates) do env[c.q] = eval(E.lift(c.initial), env) end
  for _, r in ipairs(model.rotations) do
    for i, q in ipairs(r.q) do env[q] = eval(E.lift(r.initial[i]), env) end
  end
  return env
end

-- A vector of a body from one in space, R^T x; R nil: not turned.
local function turned_back(R, x)
  if not R then return x end
  local y = {}
  for i = 1, #x do
    y[i] = E.zero
    for k = 1, #x do y[i] = y[i] + R[k][i] * x[k] end
  end
  return y
end

-- Where a node is on its body: numbers become data, so that all nodes have the same shape.
local function arm_of(t, place, start, data)
  local R, d = nil, {}
  if t.R then
    R = {}
    for i, row in ipairs(t.R) do
      R[i] = {}
      for k, x in ipairs(row) do R[i][k] = start(x) end
    end
  end
  for k, x in ipairs(place) do d[k] = E.num(x) - start(t.at[k]) end
  local arm = turned_back(R, d)
  for k, x in ipairs(arm) do
    if x.op == "num" then
      arm[k] = E.sym("r_" .. k, "data")
      data[arm[k]] = x.value
    end
  end
  return arm
end

--- Constraints of the boundaries that are tied to bodies. place_of(body, n, data): the place of a node as expressions.
function B.ties(model, lowered, body_of, place_of)
  local start, tied = B.start_of(model), {}
  for _, t in ipairs(model.ties) do
    local body, d = body_of[t.mesh], t.mesh.dimension
    tied[body] = tied[body] or {}
    for _, n in ipairs(made.nodes_of(body.made, t.boundary)) do
      local before = tied[body][n]
      if before and before.body ~= t.body then
        refuse(t, "node %d of mesh '%s' is tied to two bodies, by '%s' and by '%s'; tie it to one, and join the bodies", n, t.mesh.name,
          before.name, t.name)
      end
      if not before then
        local data = {}
        local x, arm = place_of(body, n, data), arm_of(t, body.made.nodes[n], start, data)
        for k = 1, d do
          local at = t.at[k]
          for l = 1, d do at = at + (t.R and t.R[k][l] or k == l and E.one or E.zero) * arm[l] end
          if body.dof[(n - 1) * d + k] >= lowered.elements.free then
            refuse(t, "node %d of tie '%s' is held by m:fix and tied to a body; leave one of the two out", n, t.name)
          end
          table.insert(lowered.constraints, { name = ("%s_%d_%s"):format(t.name, n, axes[k]), expr = x[k] - at, data = data,
            tie = t, node = n, axis = axes[k], file = t.file, line = t.line })
        end
      end
      tied[body][n] = t
    end
  end
end

--- Ties must hold at the start, and so must their rates: nodes and body move together. env: numbers at the start, but for velocities.
function B.check_ties(lowered, size, env)
  local seed = { [lowered.time] = E.one }
  for _, c in ipairs(lowered.coordinates) do
    seed[c.q], env[c.v] = c.v, eval(E.lift(c.velocity), env)
  end
  for _, r in ipairs(lowered.rotations) do
    for i, q in ipairs(r.q) do seed[q] = r.rate[i] end
    for i, v in ipairs(r.v) do env[v] = eval(E.lift(r.spin[i]), env) end
  end
  for _, c in ipairs(lowered.constraints) do
    if c.tie then
      local at = setmetatable({}, { __index = function(_, s) return c.data[s] or env[s] end })
      local off, rate = eval(c.expr, at), eval(D.total(c.expr, seed), at)
      if math.abs(off) > 1e-8 * size then
        refuse(c.tie, "tie '%s' does not hold at the start: node %d is off by %.3g along %s; let displacement in m:start fit the body",
          c.tie.name, c.node, off, c.axis)
      end
      if math.abs(rate) > 1e-7 * size then
        refuse(c.tie, "tie '%s' does not hold at the start: node %d has another velocity than the body, by %.3g along %s; give both the "
          .. "same, with velocity in m:start", c.tie.name, c.node, rate, c.axis)
      end
    end
  end
end

return B
