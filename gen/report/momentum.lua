-- The balance of momentum, for the audit of a page: along an axis in which the whole model can be shifted, the change of its momentum is
-- what weight and contacts give it. Told where both act in directions that do not change (gravity, contacts with planes), so that the
-- impulses of a result, which are sums, say all.
local E = require "gen.expr.node"
local diff = require "gen.expr.diff"
local eval = require "gen.expr.eval"

-- what may stand in such a model: all else could pull at the whole
local TERMS = { body = true, free_body = true }

-- The bodies as { mass, places, angle }, and the coordinates that are places along an axis.
local function bodies(model, axis)
  local list, shift, dimension = {}, {}, 0
  for _, t in ipairs(model.terms) do
    if not TERMS[t.kind] then return nil end
    local at = {}
    for k, x in ipairs(t.position or t.at) do at[k] = t.position and x.q or E.lift(x) end
    list[#list + 1] = { mass = E.lift(t.mass), at = at, angle = t.angle and E.lift(t.angle) }
    dimension = math.max(dimension, #at)
    if at[axis] and at[axis].op == "sym" and at[axis].kind == "q" then shift[at[axis]] = true end
  end
  local q, v = {}, {}
  for _, c in ipairs(model.coordinates) do
    if shift[c.q] then q[#q + 1], v[#v + 1] = c.q, c.v end
  end
  return list, q, v, dimension
end

-- The sum of the derivatives of a node by these symbols.
local function along(node, symbols)
  local sum = E.zero
  for _, d in ipairs(diff.gradient(node, symbols)) do sum = sum + d end
  return sum
end

-- Its number; nil where it changes.
local function constant(node, env)
  for _, s in ipairs(E.symbols(node)) do if s.kind ~= "param" then return nil end end
  local good, x = pcall(eval.eval, node, env)
  return good and x == x and x or nil
end

-- Does moving these coordinates together move every body along the axis, and nothing else?
local function shifts(list, q, axis, env)
  for _, b in ipairs(list) do
    for k, x in ipairs(b.at) do if constant(along(x, q), env) ~= (k == axis and 1 or 0) then return false end end
    if b.angle and constant(along(b.angle, q), env) ~= 0 then return false end
  end
  return #q > 0
end

-- What a contact gives along the axis for each unit of its impulses, by column; nil where that changes.
local function rows_of(c, q, v, env)
  local rows = {}
  local function take(column, node)
    local weight = constant(node, env)
    if weight and weight ~= 0 then rows[#rows + 1] = { column, weight } end
    return weight
  end
  if c.rate or c.along or c.cohesion or not take(c.name .. ".impulse", along(c.gap, q)) then return nil end
  local tangents = c.friction and (c.slide or c.slip) or {}
  for i, s in ipairs(tangents) do
    if not take(c.name .. ".friction" .. (#tangents > 1 and "_" .. i or ""), along(s, c.slide and q or v)) then return nil end
  end
  return rows
end

--- For each axis with a balance { name, momentum (an expression), force (a number), rows = { { column, weight } } }.
return function(model, env)
  local made = {}
  if #model.constraints > 0 or model.among or #(model.meshes or {}) > 0 then return made end
  for axis, name in ipairs { "x", "y", "z" } do
    local list, q, v, dimension = bodies(model, axis)
    if list and axis <= dimension and shifts(list, q, axis, env) then
      local mass = E.zero
      for _, b in ipairs(list) do mass = mass + b.mass end
      local momentum = E.zero -- the velocity of a place is linear in all velocities
      for _, b in ipairs(list) do
        for _, c in ipairs(model.coordinates) do momentum = momentum + b.mass * diff.by(b.at[axis], c.q) * c.v end
      end
      local force, rows = constant(mass * E.lift(model.gravity and model.gravity[axis] or 0), env), {}
      for _, c in ipairs(model.contacts) do
        local more = force and rows_of(c, q, v, env)
        force = more and force
        if more then table.move(more, 1, #more, #rows + 1, rows) end
      end
      if force then made[#made + 1] = { name = name, momentum = momentum, force = force, rows = rows } end
    end
  end
  return made
end
