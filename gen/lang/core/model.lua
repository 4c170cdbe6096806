-- The model object: what `carom.model` gives. Its words fill the tables that the rest of the generator reads (name,
-- parameters, constants, inputs, coordinates, rotations, terms, gravity, contacts, constraints, felt (forces of the last step that
-- are looked at), outputs, run, exact, time,
-- names, in declared order; of finite elements meshes, fixes, tractions, surfaces, pairs, probes). This file holds
-- quantities, constraints and running; mechanics.lua holds bodies, energies and forces, spatial.lua free bodies, links.lua
-- trees, mesh.lua finite elements, contacts.lua, joints.lua and shapes.lua what their names say.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local bulk = require "gen.lang.words.piles.among"
local contacts = require "gen.lang.words.contacts"
local fail = require "gen.lang.core.fail"
local handle = require "gen.lang.core.handle"
local joints = require "gen.lang.words.joints"
local links = require "gen.lang.words.links.link"
local mechanics = require "gen.lang.words.forces"
local mesh = require "gen.lang.words.meshes.mesh"
local meant = require "gen.lang.core.meant"
local names = require "gen.lang.core.names"
local sandbox = require "gen.lang.core.sandbox"
local shapes = require "gen.lang.words.shapes.planar"
local spatial = require "gen.lang.words.bodies.free_body"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

local M = {}

--- A name must be new among the quantities, contacts and constraints; bodies and springs have a list of their own, and
-- so have shapes.
local function declare(list, name, kind, where)
  local before = list[name]
  if before then fail(where, "the name '%s' is already used for the %s; choose another", name, before) end
  list[name] = kind .. " in line " .. where.line
end

local function dimension(unit) return unit and units.parse(unit) end

local function entry(where, fields)
  fields.file, fields.line = where.file, where.line
  return fields
end

local word = {}
for _, part in ipairs { mechanics, spatial, links, joints, contacts, shapes, bulk, mesh } do
  for name, implementation in pairs(part.words) do word[name] = implementation end
end

-- parameters and inputs: a symbol with a default
local function quantity(kind, list)
  return function(model, state, given, where)
    local a = accept.arguments(words[kind], given, where)
    declare(state.taken, a.name, kind, where)
    local symbol = E.sym(a.name, kind == "parameter" and "param" or "input")
    table.insert(model[list], entry(where, { name = a.name, value = (a.value or 0) + 0.0, unit = a.unit,
      sym = symbol }))
    return value.wrap(symbol, dimension(a.unit))
  end
end
word.parameter = quantity("parameter", "parameters")
word.input = quantity("input", "inputs")

-- What --set gives instead of a constant's value; a count stays a whole number.
local function overridden(a, set, where)
  local x = set[a.name]
  if x == nil then return a.value, false end
  local number = tonumber(x)
  if not number or number ~= number or number == math.huge or number == -math.huge then
    fail(where, "--set %s=%s is not a finite number; write --set %s=%s", a.name, tostring(x), a.name, tostring(a.value))
  end
  if math.type(a.value) == "integer" then
    number = math.tointeger(number)
    if not number then
      fail(where, "the constant '%s' is declared as a whole number, %d: give one, or write %d.0 in the model so that any may be set",
        a.name, a.value, a.value)
    end
  end
  return number, true
end

function word.constant(model, state, given, where)
  local a = accept.arguments(words.constant, given, where)
  declare(state.taken, a.name, "constant", where)
  local x, set = overridden(a, state.set, where)
  if set then table.insert(state.consumed, a.name) end
  table.insert(model.constants, entry(where, { name = a.name, value = x, unit = a.unit }))
  if a.unit then return value.wrap(E.num(x), dimension(a.unit)) end
  return x
end

function word.time(model, _, given, where)
  local a = accept.arguments(words.time, given, where)
  if a.unit and dimension(a.unit) ~= units.second then
    fail(where, "the unit of time is s, not %s; write m:time(\"s\")", a.unit)
  end
  return value.wrap(model.time, dimension(a.unit))
end

function word.output(model, state, given, where)
  local options = given[3]
  given[3], given.n = nil, math.min(given.n, 2)
  local a = accept.arguments(words.output, given, where)
  local subject = "output '" .. a.name .. "'"
  local o = accept.options(words.output, options, subject, where)
  declare(state.taken, a.name, "output", where)
  if o.unit then value.expect(a.expression, dimension(o.unit), subject, where) end
  table.insert(model.outputs, entry(where, { name = a.name, expr = value.node(a.expression), unit = o.unit }))
end

local function named(w, given, where, state)
  local name, o, subject = accept.named(w, given, where)
  declare(state.taken, name, w.name, where)
  return name, o, subject
end

function word.coordinate(model, state, given, where)
  local name, o, subject = named(words.coordinate, given, where, state)
  local q, v = E.sym(name, "q"), E.sym(name .. ".dot", "v")
  local dim = dimension(o.unit)
  local initial, velocity = o.initial or value.lift(0), o.velocity or value.lift(0)
  value.expect(initial, dim, "initial of " .. subject, where)
  value.expect(velocity, units.div(dim, units.second), "velocity of " .. subject, where)
  table.insert(model.coordinates, entry(where, { name = name, unit = o.unit, q = q, v = v,
    initial = value.node(initial),
    velocity = value.node(velocity) }))
  return value.wrap(q, dim)
end

function word.constraint(model, state, given, where)
  if value.is(given[2]) then given[2] = { zero = given[2] } end
  local name, o = named(words.constraint, given, where, state)
  local row = entry(where, { name = name, expr = value.node(o.zero) })
  table.insert(model.constraints, row)
  return handle.new("constraint", name, {
    { "zero", function() return o.zero end },
    { "rate", function() return value.rate(o.zero) end },
    { "force", function() return handle.force(model, row, 0, o.zero) end },
  })
end

--- Fills in what `run` does not say, as words.lua promises.
function M.complete_run(run)
  for _, spec in ipairs(words.run.options) do
    if run[spec.name] == nil then run[spec.name] = spec.value end
  end
  run.step = run.step or not run.cfl and run.until_time / 10000 or nil
  return run
end

function word.run(model, state, given, where)
  if given.n > 1 then fail(where, "run takes one table; write %s", words.run.form) end
  if state.run_line then fail(where, "run is already given in line %d; keep one of the two", state.run_line) end
  local o = accept.options(words.run, given[1], "run", where)
  state.run_line, model.run_at = where.line, where
  for _, name in ipairs { "until_time", "step", "cfl" } do
    if o[name] and o[name] <= 0 then fail(where, "%s of run is %g; write a positive number", name, o[name]) end
  end
  if o.step and o.cfl then fail(where, "run has both step and cfl; keep one of the two") end
  if o.frames and (math.tointeger(o.frames) or -1) < 0 then
    fail(where, "frames of run is %g; write a whole number from 0 on", o.frames)
  end
  M.complete_run(o)
  if o.step and o.step > o.until_time then
    fail(where, "the step %g is longer than the run until %g; write a smaller step", o.step, o.until_time)
  end
  model.run = o
end

function word.exact(model, _, given, where)
  local a = accept.arguments(words.exact, given, where)
  if model.exact then fail(where, "exact is already given; keep one of the two") end
  model.exact, model.events, model.exact_at = a.solution, a.events, where
end

-- words that call functions of the model
local calls_back = {}
for _, w in ipairs(words) do
  for _, list in ipairs { w.arguments or {}, w.options or {} } do
    for _, spec in ipairs(list) do
      if spec.type == "function" or spec.type == "field" then calls_back[w.name] = true end
    end
  end
end

local word_names = {}
for _, w in ipairs(words) do if w.name ~= "model" then word_names[#word_names + 1] = w.name end end

local RAW = {} -- key of the tables behind the object

--- The tables behind what a model file returned, or nil if that is not a model.
function M.raw(object)
  return type(object) == "table" and rawget(object, RAW) or nil
end

--- A new model; state carries what only the reading needs: set (name -> value of --set), consumed, taken names.
function M.new(name, state, where)
  local model = {
    name = name, file = where.file, line = where.line, parameters = {}, constants = {}, inputs = {}, coordinates = {},
    rotations = {}, terms = {}, contacts = {}, constraints = {}, felt = {}, outputs = {}, run = M.complete_run {},
    time = E.sym("t", "time"),
  }
  for _, list in ipairs(mesh.lists) do model[list] = {} end
  state.taken, state.bodies, state.shapes = { t = "time in result files" }, {}, {}
  state.declare = declare
  local methods = {}
  local object = setmetatable({ [RAW] = model }, {
    __index = function(_, key)
      if methods[key] then return methods[key] end
      fail(sandbox.where(), "there is no word '%s'; %s", tostring(key), meant.word[key] or names.suggest(key, word_names, "the words are"))
    end,
    __newindex = function(_, key)
      fail(sandbox.where(), "a model has no field '%s' to set; use a local", tostring(key))
    end,
    __tostring = function() return "model " .. name end,
  })
  for _, w in ipairs(word_names) do
    local implementation = word[w]
    methods[w] = function(self, ...)
      local at = sandbox.where()
      local _ <close> = not calls_back[w] and sandbox.word() or nil
      if not rawequal(self, object) then fail(at, "%s is written with a colon; write m:%s(...)", w, w) end
      return implementation(model, state, table.pack(...), at)
    end
  end
  return object
end

return M
