-- Coefficients as functions of what their own contact does: they are called once, with symbols, and give an expression of these.
local E = require "gen.expr.node"
local fail = require "gen.lang.core.fail"
local value = require "gen.lang.core.value"

local O = {}

--- What a coefficient may depend on: speed of slip, normal force of the last step, closing speed.
O.symbols = { slip = E.sym("slip", "law"), push = E.sym("push", "law"), speed = E.sym("speed", "law") }

--- The expression that a function gives for some of the symbols.
function O.call(f, what, where, ...)
  local list = {}
  for i, symbol in ipairs { ... } do list[i] = value.wrap(symbol) end
  local result = f(table.unpack(list))
  if type(result) ~= "number" and not value.is(result) then
    fail(where, "%s gives %s; return a number or an expression", what, value.describe(result))
  end
  return value.node(value.lift(result, what))
end

return O
