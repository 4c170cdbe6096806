-- What checks of words look with: expressions depend only on what they may depend on, and have sensible numbers at the start.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local rate = require("gen.lang.core.rate").of
local value = require "gen.lang.core.value"

local L = {}

--- Kinds of symbols that may occur: in what is fixed before a run, in geometry, in anything.
L.static = { param = true }
L.geometric = { param = true, q = true, time = true }
L.any = { param = true, q = true, v = true, time = true, input = true }
L.positions = { param = true, q = true, time = true, input = true }

L.write_static = "write a number or an expression of parameters"
L.write_geometric = "write it with coordinates, time and parameters"

local kinds = { q = "a coordinate", v = "a velocity", time = "time", input = "an input", param = "a parameter" }

function L.finite(x) return type(x) == "number" and x == x and x ~= math.huge and x ~= -math.huge end

--- How a number that is not finite is called.
function L.not_finite(x) return x ~= x and "not a number (NaN)" or "infinite" end

--- The symbols of an expression must be of the allowed kinds.
function L.only(node, allowed, where, what, instead)
  for _, s in ipairs(E.symbols(node)) do
    if not allowed[s.kind] then
      local kind = s.kind == "input" and string.find(s.name, ".", 1, true) and "a force of the last step" or kinds[s.kind] or s.kind
      fail(where, "%s depends on %s ('%s'); %s", what, kind, s.name, instead)
    end
  end
end

--- Values that must not move: numbers or expressions of parameters.
function L.still(values, what, where)
  for _, v in ipairs(values or {}) do
    local symbol = value.moving(v)
    if symbol then fail(where, "%s depends on '%s'; write numbers or expressions of parameters", what, symbol.name) end
  end
end

--- A term whose energy is written by hand, or a planar body, knows nothing of rotations in space; set: the symbols of those.
function L.no_rotation(t, set, nodes, what)
  for _, node in ipairs(nodes) do
    for _, s in ipairs(E.symbols(node)) do
      if set[s] then
        fail(t, "%s depends on '%s', the rotation of a free body; a free body brings its own kinetic energy: leave it out",
          what, s.name)
      end
    end
  end
end

function L.depends_on(node, kind)
  for _, s in ipairs(E.symbols(node)) do if s.kind == kind then return true end end
  return false
end

--- The number that an expression is at the start.
function L.at_start(node, env, where, what)
  local x = eval(node, env)
  if not L.finite(x) then
    fail(where, "%s is %s at the start; change the initial values or the expression", what, L.not_finite(x))
  end
  return x
end

--- Geometry: of coordinates, time and parameters, and finite at the start.
function L.place(node, env, where, what)
  L.only(node, L.geometric, where, what, L.write_geometric)
  L.at_start(node, env, where, what)
end

--- An expression that makes a row, a gap or a constraint: geometry that depends on a coordinate, whose rate is finite at the start too
--- (a distance of 0 between two middles has no direction). whose: what its rate is called.
function L.row(node, env, where, what, whose, instead)
  L.only(node, L.geometric, where, what, L.write_geometric)
  if not L.depends_on(node, "q") then fail(where, "%s does not depend on any coordinate; %s", what, instead) end
  L.at_start(node, env, where, what)
  L.at_start(rate(node), env, where, "rate of " .. whose)
end

-- What is known of expressions in an environment: thousands of bodies share one mass.
local known = setmetatable({}, { __mode = "k" })

--- The number of an expression of parameters.
function L.number(node, env, where, what)
  local plain = node.op == "num" and node.value
  if plain and plain - plain == 0 then return plain end
  local memo = known[env] or {}
  known[env] = memo
  if memo[node] then return memo[node] end
  for _, s in ipairs(E.symbols(node)) do
    if s.kind ~= "param" then
      fail(where, "%s depends on '%s'; write a number or an expression of parameters", what, s.name)
    end
  end
  local x = eval(node, env)
  if not L.finite(x) then fail(where, "%s is %s; write a finite number", what, L.not_finite(x)) end
  memo[node] = x
  return x
end

--- A number from 0 to `most`.
function L.within(x, where, what, most)
  if x < 0 or x > most then
    fail(where, "%s is %g; write a number %s", what, x, most < math.huge and "from 0 to " .. most or "that is 0 or more")
  end
end

--- A length, mass, modulus ...
function L.positive(node, env, where, what)
  local x = L.number(node, env, where, what)
  if x <= 0 then fail(where, "%s is %g; write a positive number", what, x) end
  return x
end

--- Is a matrix of numbers symmetric to rounding? scale: its largest entry.
function L.symmetric(I, scale, where, what)
  for i = 1, 3 do
    for j = 1, i - 1 do
      if math.abs(I[i][j] - I[j][i]) > 1e-12 * scale then
        fail(where, "%s is not symmetric: entry %d,%d is %g and entry %d,%d is %g; write the same number twice", what, i, j, I[i][j],
          j, i, I[j][i])
      end
    end
  end
end

--- Three rows of expressions of parameters in numbers, and the largest of them.
function L.matrix(rows, env, where, what)
  local A, scale = {}, 0
  for i = 1, 3 do
    A[i] = {}
    for j = 1, 3 do
      A[i][j] = L.number(rows[i][j], env, where, what)
      scale = math.max(scale, math.abs(A[i][j]))
    end
  end
  return A, scale
end

return L
