-- What may be said of a step that failed, found out afterwards from the state that it started from: the first quantity of the model that is
-- not finite on the way through the step, by name and line; a step that is too long for the forces there.
local E = require "gen.expr.node"
local blocks = require "gen.system.blocks"
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

-- The driver names velocities of coordinates by these, and those of free bodies as they are.
local function of_record(record, symbol, part)
  if part == "q" then return tonumber(record.q[symbol.name]) end
  return tonumber(record.v[symbol.name] or record.v[symbol.name:gsub("%.dot$", "")])
end

local function state(model, record, given)
  local env = { [model.time] = record.t }
  for _, p in ipairs(model.parameters) do env[p.sym] = given[p.name] or p.value end
  for _, u in ipairs(model.inputs) do env[u.sym] = given[u.name] or u.value or 0.0 end
  for _, f in ipairs(model.felt or {}) do env[f.sym] = 0.0 end
  local good = true
  for _, block in ipairs(blocks.of(model)) do
    blocks.each(block, function(symbol, _, _, part)
      env[symbol] = of_record(record, symbol, part)
      good = good and env[symbol] ~= nil
    end)
  end
  return good and env or nil
end

-- Values of the coordinates on which a quantity depends, where it became infinite.
local function whereabouts(model, node, env)
  local inside, list = {}, {}
  for _, s in ipairs(E.symbols(node)) do inside[s] = true end
  for _, block in ipairs(blocks.of(model)) do
    blocks.each(block, function(symbol)
      if inside[symbol] then list[#list + 1] = ("%s = %.6g"):format(symbol.name, env[symbol]) end
    end)
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
    local steep
    for _, block in ipairs(blocks.of(model)) do
      blocks.each(block, function(symbol)
        steep = steep or inside[symbol] and not finite(eval(diff.by(x[2], symbol), env, memo)) and symbol
      end)
    end
    if steep then return ("the derivative of %s by %s is not finite%s"):format(x[1], steep.name, whereabouts(model, x[2], env)) end
  end
end

-- Accelerations without contacts, or zero where they are not to be had.
local function accelerations(unit, env)
  local eq, a = unit.eq, {}
  if not eq or eq.n > MOST then return a end
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
  local all, largest = blocks.of(model), nil
  for _, block in ipairs(all) do
    blocks.each(block, function(symbol)
      if math.abs(env[symbol]) > HUGE and not (largest and math.abs(env[largest]) >= math.abs(env[symbol])) then largest = symbol end
    end)
  end
  if largest then
    return ("no quantity of the model is infinite by itself: the motion ran away, %s = %.3g"):format(largest.name, env[largest])
  end
  local list, a = quantities(model), accelerations(unit, env)
  for _, part in ipairs(WAY) do
    local there, x = setmetatable({}, { __index = env }), part * h
    there[model.time] = record.t + x
    for _, block in ipairs(all) do
      local way = {}
      for k, v in ipairs(block.v) do
        local rate = x * (a[block.v_first + k] or 0.0)
        way[k], there[v] = x * (env[v] + 0.5 * rate), env[v] + rate
      end
      blocks.retract(block, there, way)
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
  for _, block in ipairs(blocks.of(unit.model)) do
    blocks.each(block, function(symbol, _, _, part) values[symbol.name] = of_record(record, symbol, part) end)
  end
  local good, warning = pcall(stability.warning, unit, h, values, ("at t = %.6g"):format(record.t))
  if good and warning then list[#list + 1] = warning end
  return list
end

return D
