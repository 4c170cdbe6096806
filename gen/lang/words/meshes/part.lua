-- What the words for finite elements share. Functions of place are called once, with symbols X_1 X_2 X_3 (undeformed place), x_1 x_2 x_3
-- (place in space) or F_11 ... (deformation gradient), and become expressions like all others.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local handle = require "gen.lang.words.meshes.handle"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local P = {}

local axes = { "x", "y", "z" }
P.axes = axes

accept.types.mesh = { shown = "mesh", read = function(x, what, where)
  if not handle.is(x) then accept.expected(what, "a mesh", x, where, "give what m:mesh returned") end
  return handle.mesh(x)
end }

-- the name of a boundary; whether it exists is a matter of its mesh
accept.types.boundary = { shown = "text", read = function(x, what, where)
  if type(x) ~= "string" then accept.expected(what, "a name in quotes", x, where, "write for example \"bottom\"") end
  if not string.match(x, "^[%w_][%w_ .+%-]*$") then
    fail(where, "%s is '%s'; a boundary has a name of letters, digits, _ . + - and spaces", what, x)
  end
  return x
end }

-- a function of place (and time), or its components where they do not depend on place
accept.types.field = { shown = "function or `{ x, y, z }`", read = function(x, what, where)
  if type(x) == "function" then return x end
  if not accept.plain_table(x) then
    accept.expected(what, "a function or a list of components", x, where, "write function(X, Y, Z, t) return { ... } end")
  end
  local copy = {}
  for i = 1, #x do copy[i] = x[i] end
  return function() return copy end
end }

--- Arguments and options that several of them have.
P.mesh = { "mesh", "mesh", "What `mesh` returned.", required = true }
P.boundary = { "boundary", "boundary", [[Name of a part of its surface. A grid has `"left"` and `"right"`
  (along x), `"bottom"` and `"top"` (along z, in the plane along y) and, in space, `"near"` and `"far"` (along y); a file
  has its physical names.]], required = true }

--- What stands before the examples.
P.bare = 'local carom = require "carom"\nlocal m = carom.model "example"\n'
local preamble = P.bare .. [[
local block = m:mesh("block", { cells = { 2, 2, 2 }, size = { 1, 1, 1 } })
m:elastic(block, { E = 210e9, nu = 0.3, rho = 7800 })
]]

--- A word of this chapter.
function P.word(w)
  w.group, w.preamble = "Finite elements", w.preamble or preamble
  return word(w)
end

--- Adds to a list of the model, with file and line.
function P.add(model, list, where, fields)
  fields.file, fields.line = where.file, where.line
  table.insert(model[list], fields)
  return fields
end

function P.subject(mesh) return ("mesh '%s'"):format(mesh.name) end
local subject = P.subject

--- word(mesh, options): the mesh and the options; word(mesh, boundary, ...) likewise.
function P.about(w, given, where)
  local count = #w.arguments
  local positional = { name = w.name, form = w.form, arguments = w.arguments }
  local allowed = count + (w.options and 1 or 0)
  if given.n > allowed then return accept.arguments(w, given, where) end -- says what is too much
  local a = accept.arguments(positional, table.pack(table.unpack(given, 1, math.min(given.n, count))), where)
  local title = ("%s of %s"):format(w.name, subject(a.mesh))
  return a, w.options and accept.options(w, given[count + 1], title, where), title
end

--- Refuses a boundary that a mesh does not have.
function P.check_boundary(mesh, name, where)
  local known = mesh.boundaries
  for _, b in ipairs(known) do if b == name then return end end
  if #known == 0 then
    fail(where, "%s has no boundary '%s': its file names none; add a Physical group of dimension %d there", subject(mesh), name,
      mesh.dimension - 1)
  end
  fail(where, "%s has no boundary '%s'; it has: %s", subject(mesh), name, table.concat(known, ", "))
end

--- The places that functions get: one symbol for each direction. prefix X: undeformed, x: in space.
local function places(mesh, prefix)
  local symbols, values = {}, {}
  for i = 1, mesh.dimension do
    symbols[i] = E.sym(prefix .. "_" .. i, "local")
    values[i] = value.wrap(symbols[i], mesh.unit)
  end
  return symbols, values
end

local function allow(node, symbols, kinds, what, where, instead)
  for _, s in ipairs(E.symbols(node)) do
    local good = kinds[s.kind]
    for _, own in ipairs(symbols) do good = good or s == own end
    if not good then fail(where, "%s depends on '%s'; %s", what, s.name, instead) end
  end
end

local STATIC, MOVING = { param = true }, { param = true, time = true }
local instead_of = { [STATIC] = "write it with the arguments of the function, numbers and parameters",
  [MOVING] = "write it with the arguments of the function, numbers, parameters and time" }

-- Calls a field and gives its components as nodes (false where one is `false` and free components are allowed).
local function components(mesh, field, arguments, symbols, o, what, where)
  local result = field(table.unpack(arguments))
  local d = mesh.dimension
  if value.is(result) and d == 1 or type(result) == "number" and d == 1 then result = { result } end
  if not accept.plain_table(result) then
    fail(where, "%s gives %s; return { %s }", what, value.is(result) and "one expression" or value.describe(result),
      table.concat({ "x", "y", "z" }, ", ", 1, d))
  end
  local last = 0
  for i = 1, math.max(3, #result) do if result[i] ~= nil then last = i end end
  if last ~= d then
    fail(where, "%s gives %d component%s, but %s has %d; return { %s }", what, last, last == 1 and "" or "s", subject(mesh), d,
      table.concat({ "x", "y", "z" }, ", ", 1, d))
  end
  local list = {}
  for i = 1, d do
    local title = axes[i] .. " of " .. what
    if result[i] == false and o.free then
      list[i] = false
    else
      local v = value.lift(result[i], title)
      if o.dim then value.expect(v, units.parse(o.dim), title, where) end
      allow(value.node(v), symbols, o.kinds, title, where, instead_of[o.kinds])
      list[i] = value.node(v)
    end
  end
  return list
end

-- a field of the undeformed place and, where time may occur, of time
local function field(model, mesh, f, o, what, where)
  local symbols, arguments = places(mesh, "X")
  if o.kinds == MOVING then arguments[#arguments + 1] = value.wrap(model.time) end
  return symbols, components(mesh, f, arguments, symbols, o, what, where)
end

local function numbers(values, d, default)
  local list = {}
  for i = 1, d do list[i] = values and value.node(values[i]).value or default end
  return list
end

P.places, P.allow, P.components, P.field, P.numbers = places, allow, components, field, numbers
P.STATIC, P.MOVING, P.instead_of = STATIC, MOVING, instead_of

return P
