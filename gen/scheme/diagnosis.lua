-- What may be said of a step that failed, found out afterwards from the state that it started from: the first quantity of the model that is
-- not finite on the way through the step, by name and line; a step that is too long for the forces there.
local E = require "gen.expr.node"
local diff = require "gen.expr.diff"
local eval = require("gen.expr.eval").eval
local stability = require "gen.scheme.stability"

local D = {}

local WAY = { 0, 0.25, 0.5, 0.75, 1, 1.5, 2, 4 } -- parts of the step; beyond 1, for the way is without contacts
local HUGE = 1e100 -- what has grown to this did not come from the model
local MOST = 200 -- coordinates for which accelerations are looked for

local function finite(x) return type(x) ~= "number" or x == x and x > -math.huge and x < math.huge end

local WORDS = { kinetic = "kinetic energy", potential = "potential energy", dissipation = "dissipation", force = "force" }

-- All expressions of one item of the model: list of { what, node }.
local function expressions(item, what, list)
  local names = {}
  for name in next, item do if type(name) == "string" then names[#names + 1] = name end end
  table.sort(names)
  for _, name in ipairs(names) do
    local x = item[name]
    local said = (name == "expr" or name == "value") and what or name .. " of " .. what
    if E.is(x) and x.op ~= "num" then
      list[#list + 1] = { said, x }
    elseif type(x) == "table" and not E.is(x) then
      for _, part in ipairs(x) do if E.is(part) and part.op ~= "num" then list[#list + 1] = { said, part } end end
    end
  end
end

local function place(item) return ("%s:%d"):format((item.file or "?"):match("[^/]+$"), item.line or 0) end

-- The named quantities of a model in the order of its text: { text, node }.
local function quantities(model)
  local items, list = {}, {}
  for _, t in ipairs(model.terms) do
    items[#items + 1] = { t, "the " .. (WORDS[t.kind] or t.kind:gsub("_", " ")) .. (t.name and " '" .. t.name .. "'" or "") }
  end
  for _, c in ipairs(model.contacts) do items[#items + 1] = { c, "contact '" .. c.name .. "'" } end
  for _, c in ipairs(model.constraints) do items[#items + 1] = { c, "constraint '" .. c.name .. "'" } end
  for _, entry in ipairs(items) do
    local found = {}
    expressions(entry[1], entry[2], found)
    for _, x in ipairs(found) do list[#list + 1] = { ("%s (%s)"):format(x[1], place(entry[1])), x[2] } end
  end
  return list
end

local function state(model, record, given)
  local env = { [model.time] = record.t }
  for _, p in ipairs(model.parameters) do env[p.sym] = given[p.name] or p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = given[u.name] or u.value or 0.0 end
  for _, f in ipairs(model.felt or {}) do env[f.sym] = 0.0 end
  for _, c in ipairs(model.coordinates) do
    env[c.q], env[c.v] = tonumber(record.q[c.name]), tonumber(record.v[c.name])
    if not (env[c.q] and env[c.v]) then return nil end
  end
  for _, r in ipairs(model.rotations or {}) do
    for k = 1, 4 do env[r.q[k]] = tonumber(record.q[r.q[k].name]) or (k == 1 and 1.0 or 0.0) end
    for k = 1, 3 do env[r.v[k]] = tonumber(record.v[r.v[k].name]) or 0.0 end
  end
  return env
end

-- Values of the coordinates on which a quantity depends, where it became infinite.
local function whereabouts(model, node, env)
  local inside, list = {}, {}
  for _, s in ipairs(E.symbols(node)) do inside[s] = true end
  for _, c in ipairs(model.coordinates) do
    if inside[c.q] then list[#list + 1] = ("%s = %.6g"):format(c.name, env[c.q]) end
    if inside[c.v] then list[#list + 1] = ("%s.dot = %.6g"):format(c.name, env[c.v]) end
  end
  return #list == 0 and "" or " at " .. table.concat(list, ", ", 1, math.min(#list, 4))
end

-- The first quantity that is not finite in this state, or a derivative of one: forces are derivatives.
local function look(model, list, env)
  local memo = {}
  for _, x in ipairs(list) do
    local value = eval(x[2], env, memo)
    if not finite(value) then
      return ("%s is %s%s"):format(x[1], value ~= value and "not a number" or "infinite", whereabouts(model, x[2], env))
    end
    local inside = {}
    for _, s in ipairs(E.symbols(x[2])) do inside[s] = true end
    for _, c in ipairs(model.coordinates) do
      for _, sym in ipairs { c.q, c.v } do
        if inside[sym] and not finite(eval(diff.by(x[2], sym), env, memo)) then
          return ("the derivative of %s by %s is not finite%s"):format(x[1], sym == c.q and c.name or c.name .. ".dot",
            whereabouts(model, x[2], env))
        end
      end
    end
  end
end

-- Accelerations without contacts, or zero where they are not to be had.
local function accelerations(unit, env)
  local eq, a = unit.eq, {}
  if not eq or eq.n > MOST or eq.n ~= #unit.model.coordinates then return a end
  local memo, M = {}, {}
  for i = 1, eq.n do
    M[i], a[i] = {}, { eval(eq.h[i], env, memo) }
    for j = 1, eq.n do
      local m = eq.M[math.max(i, j)][math.min(i, j)]
      M[i][j] = m and eval(m, env, memo) or 0.0
    end
  end
  stability.solve(M, a)
  for i = 1, eq.n do
    if not finite(a[i][1]) then return {} end
    a[i] = a[i][1]
  end
  return a
end

local function first_not_finite(unit, record, h, given)
  local model = unit.model
  local env = state(model, record, given)
  if not env or not unit.eq then return nil end
  for _, c in ipairs(model.coordinates) do
    local name, value = c.name, env[c.q]
    if math.abs(env[c.v]) > math.abs(value) then name, value = c.name .. ".dot", env[c.v] end
    if math.abs(value) > HUGE then
      return ("no quantity of the model is infinite by itself: the motion ran away, %s = %.3g"):format(name, value)
    end
  end
  local list, a = quantities(model), accelerations(unit, env)
  for _, part in ipairs(WAY) do
    local there, x = setmetatable({}, { __index = env }), part * h
    there[model.time] = record.t + x
    for i, c in ipairs(model.coordinates) do
      there[c.q], there[c.v] = env[c.q] + x * (env[c.v] + 0.5 * x * (a[i] or 0.0)), env[c.v] + x * (a[i] or 0.0)
    end
    local found = look(model, list, there)
    if found then return "the first quantity that is not finite: " .. found end
  end
end

--- What is to be said about a run that failed: list of sentences. record: the object of the driver; h: the step; given: values by name.
function D.sentences(unit, record, h, given)
  local list = {}
  if record.status ~= "error" or not record.q or not unit.model or not h then return list end
  -- a diagnosis that fails itself has nothing to say
  if record.message:find "not a number" or record.message:find "did not converge" then
    local good, found = pcall(first_not_finite, unit, record, h, given)
    list[1] = good and found or nil
  end
  local values = {}
  for name, value in next, given do values[name] = value end
  for _, c in ipairs(unit.model.coordinates) do
    values[c.name], values[c.name .. ".dot"] = tonumber(record.q[c.name]), tonumber(record.v[c.name])
  end
  local good, warning = pcall(stability.warning, unit, h, values, ("at t = %.6g"):format(record.t))
  if good and warning then list[#list + 1] = warning end
  return list
end

return D
