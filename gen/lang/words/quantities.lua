-- The words for quantities: numbers that stay, that may change, that are looked at, and coordinates.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local function dimension(unit) return unit and units.parse(unit) end

local function entry(where, fields)
  fields.file, fields.line = where.file, where.line
  return fields
end

local parameter = word { "parameter", group = "Quantities", "m:parameter(name, value, unit)",
  summary = [[A number that can be changed from run to run without generating again (`--set`, the params struct in
    C).]],
  gives = "an expression",
  arguments = { word.name, { "value", "number", "The default.", required = true }, word.unit },
  example = [[
local stiffness = m:parameter("stiffness", 40, "N/m")
m:potential_energy(stiffness * x^2 / 2)]] }

-- parameters and inputs: a symbol with a default
local function quantity(w, list)
  return function(model, state, given, where)
    local a = accept.arguments(w, given, where)
    state.declare(state.taken, a.name, w.name, where)
    local burnt = list == "parameters" and state.burn[a.name]
    if burnt then -- carom gen --burn: a constant
      table.insert(model.constants, entry(where, { name = a.name, value = burnt, unit = a.unit, burnt = true }))
      return value.wrap(E.num(burnt), dimension(a.unit))
    end
    local symbol = E.sym(a.name, list == "parameters" and "param" or "input")
    table.insert(model[list], entry(where, { name = a.name, value = (a.value or 0) + 0.0, unit = a.unit,
      sym = symbol }))
    return value.wrap(symbol, dimension(a.unit))
  end
end
parameter.means = quantity(parameter, "parameters")

local constant = word { "constant", group = "Quantities", "m:constant(name, value, unit)",
  summary = [[A number burnt into the generated code; `--set` on it generates again. Use it for counts and for numbers
    that never change.]],
  gives = "a plain Lua number, fit for loops; with a unit, an expression that carries it",
  arguments = { word.name,
    { "value", "number", "The value. A whole number must stay whole under `--set`.", required = true }, word.unit },
  example = [[
local N = m:constant("N", 3)
local z = {}
for i = 1, N do
  z[i] = m:coordinate("z" .. i, { unit = "m", initial = i })
  m:kinetic_energy(mass * z[i].dot^2 / 2)
end]] }

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

function constant.means(model, state, given, where)
  local a = accept.arguments(constant, given, where)
  state.declare(state.taken, a.name, "constant", where)
  local x, set = overridden(a, state.set, where)
  if set then table.insert(state.consumed, a.name) end
  table.insert(model.constants, entry(where, { name = a.name, value = x, unit = a.unit }))
  if a.unit then return value.wrap(E.num(x), dimension(a.unit)) end
  return x
end

local input = word { "input", group = "Quantities", "m:input(name, value, unit)",
  summary = "A number the host program may set between two steps: an actuator, a measured load.",
  gives = "an expression",
  arguments = { word.name, { "value", "number", "The value until the host sets another.", default = "0" },
    word.unit },
  notes = [[Constant during a step. Gaps and constraints cannot depend on an input, because its rate is not known.]],
  example = [[
local thrust = m:input("thrust", 0, "N")
m:force(x, thrust)]] }

input.means = quantity(input, "inputs")

local time = word { "time", group = "Quantities", "m:time(unit)",
  summary = "The time, which starts at 0.",
  gives = "an expression",
  arguments = { { "unit", "unit", "`\"s\"` if dimensions of expressions with time shall be checked." } },
  example = [[
local t = m:time()
m:force(x, 0.1 * carom.cos(2 * t))]] }

function time.means(model, _, given, where)
  local a = accept.arguments(time, given, where)
  if a.unit and dimension(a.unit) ~= units.second then
    fail(where, "the unit of time is s, not %s; write m:time(\"s\")", a.unit)
  end
  return value.wrap(model.time, dimension(a.unit))
end

local output = word { "output", group = "Quantities", "m:output(name, expression, { unit = ... })",
  summary = "A quantity of interest: a column of the result and an entry of the outputs function in C.",
  arguments = { word.name,
    { "expression", "expression", "Of coordinates, velocities, time, inputs and parameters.", required = true } },
  options = { { "unit", "unit", "Its unit; the dimension of the expression is checked against it." } },
  example = [[
m:output("speed", carom.sqrt(x.dot^2 + y.dot^2), { unit = "m/s" })]] }

function output.means(model, state, given, where)
  local options = given[3]
  given[3], given.n = nil, math.min(given.n, 2)
  local a = accept.arguments(output, given, where)
  local subject = "output '" .. a.name .. "'"
  local o = accept.options(output, options, subject, where)
  state.declare(state.taken, a.name, "output", where)
  if o.unit then value.expect(a.expression, dimension(o.unit), subject, where) end
  table.insert(model.outputs, entry(where, { name = a.name, expr = value.node(a.expression), unit = o.unit }))
end

function output.check(model)
  for _, o in ipairs(model.outputs) do
    look.only(o.expr, look.any, o, "output '" .. o.name .. "'", "write it with what the model declares")
  end
end

local coordinate = word { "coordinate", group = "Motion", "m:coordinate(name, { unit = ..., initial = ..., velocity = ... })",
  summary = [[A generalised coordinate: a length, an angle, anything that fixes the configuration together with the
    others.]],
  gives = "an expression; its field `.dot` is the velocity",
  arguments = { word.name },
  options = {
    { "unit", "unit", "Unit of the coordinate; the velocity has it divided by s." },
    { "initial", "expression", [[Value at the start: a number or an expression of parameters. Contacts must not be
      penetrated there and constraints must hold.]], default = "0" },
    { "velocity", "expression", "Velocity at the start, likewise.", default = "0" } },
  notes = [[Any expression of coordinates and time has a `.dot`, its time derivative: `(l*sin(q)).dot` is
    `l*cos(q)*q.dot`. `t` is not available as a name (it is the time column of results).]],
  example = [[
local phi = m:coordinate("phi", { unit = "rad", initial = carom.pi / 6 })
local J = m:parameter("J", 0.1, "kg m^2")
m:kinetic_energy(J * phi.dot^2 / 2)]] }

function coordinate.means(model, state, given, where)
  local name, o, subject = accept.named(coordinate, given, where)
  state.declare(state.taken, name, "coordinate", where)
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

--- Adds where the coordinates start to the numbers of parameters in env.
local function start(model, env)
  local starts = {}
  for _, c in ipairs(model.coordinates) do
    for _, field in ipairs { "initial", "velocity" } do
      local what = field .. " of coordinate '" .. c.name .. "'"
      look.only(c[field], look.static, c, what, look.write_static)
      local x = eval(c[field], env)
      if not look.finite(x) then fail(c, "%s is %s; write a finite number", what, look.not_finite(x)) end
      starts[#starts + 1] = x
    end
  end
  for i, c in ipairs(model.coordinates) do env[c.q], env[c.v] = starts[2 * i - 1], starts[2 * i] end
end

return { words = { parameter, constant, input, time, output, coordinate }, start = start }
