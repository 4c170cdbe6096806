-- Reads what only the words for meshes take: meshes, counts, lengths and places known in advance, names of boundaries,
-- fields (a function of place, or its constant components).
local handle = require "gen.lang.words.meshes.handle"
local fail = require "gen.lang.core.fail"
local names = require "gen.lang.core.names"
local value = require "gen.lang.core.value"
local units = require "gen.lang.core.units"

--- Adds the readers; read and expected as in accept.lua.
return function(read, expected, plain_table)
  function read.mesh(x, what, where)
    if not handle.is(x) then expected(what, "a mesh", x, where, "give what m:mesh returned") end
    return handle.mesh(x)
  end

  -- numbers of cells in each direction
  function read.counts(x, what, where)
    local list = type(x) == "number" and { x } or x
    if not plain_table(list) or #list < 1 or #list > 3 then
      expected(what, "one to three whole numbers", x, where, "write { nx, ny, nz }")
    end
    local counts, unknowns = {}, #list
    for i = 1, #list do
      local n = type(list[i]) == "number" and math.tointeger(list[i])
      if not n or n < 1 then fail(where, "entry %d of %s is no whole number from 1 on; write { nx, ny, nz }", i, what) end
      counts[i], unknowns = n, unknowns * (n + 1.0)
    end
    if unknowns >= 2^31 then fail(where, "%s make %.3g unknowns; numbers of 32 bits count them, so write fewer", what, unknowns) end
    return counts
  end

  local function known(x, what, where, dim)
    local v = value.lift(x, what)
    if dim then value.expect(v, units.parse(dim), what, where) end
    if value.node(v).op ~= "num" then
      fail(where, "%s depends on '%s'; a mesh is made before a run, so write a number or an m:constant", what,
        (value.moving(v) or require("gen.expr.node").symbols(value.node(v))[1]).name)
    end
    return v
  end

  -- one to three numbers, or constants with a unit; kept as values, so that their dimension is known
  function read.lengths(x, what, where, dim)
    local list = plain_table(x) and x or { x }
    if #list < 1 or #list > 3 then expected(what, "one to three numbers", x, where, "write { x, y, z }") end
    local result = {}
    for i = 1, #list do result[i] = known(list[i], "entry " .. i .. " of " .. what, where, dim) end
    return result
  end

  -- a file beside the model: no folders, so that a model cannot look around
  function read.file(x, what, where)
    if type(x) ~= "string" then expected(what, "a file name in quotes", x, where, "write file = \"block.msh\"") end
    if not string.match(x, "^[%w_][%w_.%-]*$") then
      fail(where, "%s is '%s'; give the name of a file beside the model, of letters, digits, _ . and -", what, x)
    end
    return x
  end

  -- the name of a boundary; whether it exists is a matter of its mesh
  function read.boundary(x, what, where)
    if type(x) ~= "string" then expected(what, "a name in quotes", x, where, "write for example \"bottom\"") end
    if not string.match(x, "^[%w_][%w_ .+%-]*$") then
      fail(where, "%s is '%s'; a boundary has a name of letters, digits, _ . + - and spaces", what, x)
    end
    return x
  end

  -- a function of place (and time), or its components where they do not depend on place
  function read.field(x, what, where)
    if type(x) == "function" then return x end
    if not plain_table(x) then
      expected(what, "a function or a list of components", x, where, "write function(X, Y, Z, t) return { ... } end")
    end
    local copy = {}
    for i = 1, #x do copy[i] = x[i] end
    return function() return copy end
  end

  -- { mass = a, stiffness = b }: C = a M + b K
  function read.damping(x, what, where)
    if not plain_table(x) then expected(what, "a table", x, where, "write damping = { mass = ..., stiffness = ... }") end
    local keys = {}
    for key in next, x do keys[#keys + 1] = tostring(key) end
    table.sort(keys)
    for _, key in ipairs(keys) do
      if key ~= "mass" and key ~= "stiffness" then
        fail(where, "%s has no '%s'; %s", what, key, names.suggest(key, { "mass", "stiffness" }, "it has"))
      end
    end
    return { mass = read.expression(x.mass or 0, "mass of " .. what, where, "1/s"),
      stiffness = read.expression(x.stiffness or 0, "stiffness of " .. what, where, "s") }
  end
end
