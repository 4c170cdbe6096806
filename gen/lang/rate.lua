-- d/dt of an expression: a coordinate gives its velocity, time gives 1, and a symbol that carries a rate of its own (the
-- components of a quaternion, free_body.lua) gives that.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"

local R = {}

--- Lets a position symbol have another rate than a velocity of its own name; make() gives it when it is first asked for.
function R.set(symbol, make) rawset(symbol, "rate", make) end

--- The rate of a position symbol.
function R.of_symbol(symbol)
  local make = rawget(symbol, "rate")
  return make and make() or E.sym(symbol.name .. ".dot", "v")
end

--- The rate of a node; other symbols (velocities, inputs) count as constant.
function R.of(node)
  local map = {}
  for _, s in ipairs(E.symbols(node)) do
    if s.kind == "q" then
      map[s] = R.of_symbol(s)
    elseif s.kind == "time" then
      map[s] = E.one
    end
  end
  return D.total(node, map)
end

return R
