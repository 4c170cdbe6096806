-- What can be said about a whole model before anything is generated: everything is finite at the start, contacts are
-- open, constraints hold, every coordinate has inertia, and expressions depend only on what they may depend on. What is special to a
-- word is said by the word (gen/lang/words).
local E = require "gen.expr.node"
local assemble = require "gen.lang.core.assemble"
local blocks = require "gen.system.blocks"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local free_bodies = require "gen.lang.words.bodies.free_body"
local loads = require "gen.lang.words.meshes.loads"
local look = require "gen.lang.core.look"
local mass = require "gen.lang.core.mass"
local nodes = require("gen.lang.words.meshes.mechanism").node
local quantities = require "gen.lang.words.quantities"
local words = require "gen.lang.words"

-- The symbols a model has declared; anything else came from elsewhere.
local function declared(model)
  local set = free_bodies.symbols(model)
  set[model.time] = true
  for _, list in ipairs { model.parameters, model.inputs, model.felt } do
    for _, e in ipairs(list) do set[e.sym] = true end
  end
  for _, c in ipairs(model.coordinates) do set[c.q], set[c.v] = true, true end
  for s in pairs(nodes.symbols(model)) do set[s] = true end -- a set: order does not matter
  return set
end

--- Numbers for all symbols at the start; fails where one is not finite.
local function initial_values(model)
  local env = { [model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, p in ipairs(model.inputs) do env[p.sym] = p.value end
  for _, f in ipairs(model.felt) do env[f.sym] = 0.0 end
  quantities.start(model, env)
  free_bodies.start(model, env)
  nodes.start(model, env)
  return env
end

-- Where the model starts: given values win over its own (name -> number).
local function overridden(model, env, given)
  for _, p in ipairs(model.parameters) do env[p.sym] = given[p.name] or env[p.sym] end
  for _, u in ipairs(model.inputs) do env[u.sym] = given[u.name] or env[u.sym] end
  for _, block in ipairs(blocks.of(model)) do
    blocks.each(block, function(symbol, value) env[symbol] = given[symbol.name] or eval(E.lift(value), env) end)
  end
end

local C = {}

--- Where a model starts: name of each coordinate and velocity -> { value, of = set of the parameters that it depends on }.
function C.start(model)
  local env, list = initial_values(model), {}
  local function add(symbol, expression)
    local of = {}
    for _, s in ipairs(E.symbols(E.lift(expression))) do of[s.name] = true end
    list[symbol.name] = { value = env[symbol], of = of }
  end
  for _, c in ipairs(model.coordinates) do
    add(c.q, c.initial)
    add(c.v, c.velocity)
  end
  return list
end

--- What a run with other values (name -> number) must start from so that it fits: a list of { name =, value = } of what is moved and
-- the report of assemble.lua; nil where nothing is wrong. Fails where the defect is not small and not asked for.
function C.assembled(model, given, asked)
  if #model.coordinates == 0 or model.among then return nil end
  local env = initial_values(model)
  overridden(model, env, given)
  local solve, index = mass(model, env)
  local report = assemble.project(model, env, solve, index, asked)
  if not report then return nil end
  local list = {}
  for _, symbols in ipairs { report.symbols.q, report.symbols.v } do
    for _, s in ipairs(symbols) do
      if env[s] ~= report.before[s] then list[#list + 1] = { name = s.name, value = env[s] } end
    end
  end
  return list, report
end

-- what terms are made of belongs to this model
local function own(model)
  local known = declared(model)
  for _, t in ipairs(model.terms) do
    for _, node in ipairs(E.is(t.value) and { t.value } or t.value or { t.expr }) do
      if E.is(node) then
        for _, s in ipairs(E.symbols(node)) do
          if not known[s] then fail(t, "'%s' does not belong to this model; use what its own words return", s.name) end
        end
      end
    end
  end
end

--- Refuses a model that cannot be meant; silent when all is well. Small defects of the start are mended (larger ones when asked
-- to) and told in model.warnings and model.assembled.
function C.model(model, assembling)
  if #model.coordinates == 0 and #model.meshes == 0 then
    fail(model, "the model '%s' has no coordinate; write m:coordinate(\"q\", { initial = ... })", model.name)
  end
  local env = initial_values(model)
  own(model)
  for _, b in ipairs(model.bounds or {}) do
    local x = look.at_start(b.expr, env, b, b.what)
    if x < b.least then fail(b, "%s is %g at the start; write a number that is %g or more", b.what, x, b.least) end
  end
  local rotating = free_bodies.symbols(model)
  for _, t in ipairs(model.terms) do words.terms[t.kind].check(t, env, rotating) end
  for _, w in ipairs(words) do if w.check then w.check(model, env) end end
  loads.weigh(model)
  if #model.coordinates == 0 then return end
  local solve, index = mass(model, env)
  local asked = assembling or model.run.assemble
  local report = assemble.project(model, env, solve, index, asked)
  if report then
    assemble.keep(model, env, report)
    model.assembled, model.warnings = report, model.warnings or {}
    if not asked then table.insert(model.warnings, report.text) end
  end
  local redundant = assemble.redundant(model, env, solve, index)
  if redundant and redundant[1] then
    local shown = table.concat(redundant, ", ", 1, math.min(#redundant, 6)) .. (#redundant > 6 and ", ..." or "")
    model.notes = { ("%d constraint%s said already by others at the start: %s; motion is not affected, but their forces are not unique")
      :format(#redundant, #redundant == 1 and " is" or "s are", shown) }
  end
end

return C
