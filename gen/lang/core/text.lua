-- Expressions and lists of them as text, for people.
local E = require "gen.expr.node"
local print_c = require "gen.expr.print"

local function text(x)
  if type(x) == "table" and not E.is(x) then
    local parts = {}
    for i = 1, #x do parts[i] = text(x[i]) end
    return "(" .. table.concat(parts, ", ") .. ")"
  end
  return x == nil and "0" or print_c.text(E.lift(x))
end

return text
