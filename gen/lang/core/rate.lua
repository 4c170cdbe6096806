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

-- what each symbol is sent to, found when it is asked for
local seeds = { __index = function(map, s)
  local found = s.kind == "q" and R.of_symbol(s) or s.kind == "time" and E.one or nil
  map[s] = found
  return found
end }

--- The rates of many nodes, as a function of a node: what they share is differentiated once.
function R.shared() return D.derivation(setmetatable({}, seeds)) end

--- The rate of a node; other symbols (velocities, inputs) count as constant.
function R.of(node) return R.shared()(node) end

return R
