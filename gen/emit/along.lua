-- The model's operators differentiated along a direction: what their values change by when positions, velocities, time, parameters and
-- inputs change by dq (in directions of the velocities), dv, dt and those of a NAME_direction. Functions of C in straight code, for
-- the derivative of a step (gen/backend/tangent.lua).
local Builder = require "gen.emit.builder"
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local Q = require "gen.mech.equations"

local A = {}

local function symbol(format, ...) return E.sym(format:format(...), "local") end

-- what each symbol of the model changes by
local function changes(eq)
  local map = { [eq.model.time] = symbol "dt" }
  for j = 1, eq.n do
    for _, q in ipairs(eq.q) do -- not every direction moves it
      local share = eq.seed[j][q]
      if share then map[q] = (map[q] or E.zero) + share * symbol("dq[%d]", j - 1) end
    end
    map[eq.v[j]] = symbol("dv[%d]", j - 1)
  end
  for i, p in ipairs(eq.model.parameters) do map[p.sym] = symbol("along->params[%d]", i - 1) end
  for i, u in ipairs(eq.model.inputs) do map[u.sym] = symbol("along->input[%d]", i - 1) end
  return map
end

-- Who calls what a runtime computes: its second derivatives are not known.
local function calls(list)
  local found = false
  E.walk(list, function(n) found = found or n.op == "call" end)
  return found
end

--- Does every operator of these equations have a derivative?
function A.refusal(eq)
  local list = { table.unpack(eq.h) }
  for _, row in ipairs(eq.rows) do list[#list + 1] = row.g end
  return calls(list) and "contacts of shapes whose touching the runtime finds have no second derivatives; write their gaps as expressions"
    or nil
end

--- Functions by name: { text, arguments, lines, zero }. zero: nothing ever changes, so nobody need call it.
function A.operators(eq, name)
  local change = D.derivation(changes(eq))
  local n, m = eq.n, #eq.rows
  local out = {}
  local function add(key, text, argument, into, list)
    local assignments, zero = {}, true
    for i, node in ipairs(list) do
      assignments[i] = { ("%s[%d]"):format(into, i - 1), node }
      zero = zero and node == E.zero
    end
    local build = Builder.new(eq, name) -- nothing is kept from one function to the next
    local arguments = { "s", "t", "q", "dt", "dq", "along" }
    if argument ~= "" then table.insert(arguments, argument) end
    if argument == "v" then table.insert(arguments, "dv") end
    out[#out + 1] = { key = key, text = text, argument = argument, into = into, zero = zero,
      lines = build:body("config", assignments, arguments) }
    out[key] = out[#out]
  end
  local function each(list, f)
    local t = {}
    for i, x in ipairs(list) do t[i] = change(f(x, i)) end
    return t
  end
  local function product(row, x)
    local sum = E.zero
    for _, i in ipairs(Q.columns(row.G, n)) do sum = sum + row.G[i] * x(i) end
    return sum
  end
  local function given(i) return symbol("x[%d]", i - 1) end
  add("forces", "dh", "v", "f", each(eq.h, function(h) return h end))
  local mass = {}
  for i = 1, n do
    mass[i] = E.zero
    for j = 1, n do
      local entry = eq.M[math.max(i, j)][math.min(i, j)]
      if entry then mass[i] = mass[i] + change(entry) * given(j) end
    end
  end
  add("mass", "dM x", "x", "y", mass)
  if m == 0 then return out end
  add("gaps", "dg", "", "g", each(table.move(eq.rows, 1, eq.gaps, 1, {}), function(row) return row.g end))
  add("rates", "d(G v + g_t)", "v", "U", each(eq.rows, function(row) return product(row, function(i) return eq.v[i] end) + row.gt end))
  add("bias", "d(gam)", "v", "gam", each(eq.rows, function(row) return row.bias end))
  add("rows", "dG x", "x", "y", each(eq.rows, function(row) return product(row, given) end))
  local spread = {}
  for i = 1, n do
    spread[i] = E.zero
    for k, row in ipairs(eq.rows) do
      if row.G[i] then spread[i] = spread[i] + change(row.G[i]) * symbol("r[%d]", k - 1) end
    end
  end
  add("spread", "dG^T r", "r", "f", spread)
  add("restitution", "de", "", "e", each(eq.rows, function(row)
    return E.lift(row.kind == "contact" and row.item.restitution
      or row.kind == "tangent" and eq.rows[row.contact + 1].item.tangential_restitution or 0)
  end))
  if m > eq.gaps then
    add("friction", "dmu", "", "mu", each(eq.model.contacts, function(c) return E.lift(c.friction or 0) end))
  end
  return out
end

return A
