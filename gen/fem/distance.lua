-- Gaps of contact surfaces, which need not be distances as they are written.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval

local M = {}

-- somewhere, in whatever unit
local ANYWHERE = {}
for _, scale in ipairs { 1e-3, 0.1, 1.0, 10.0 } do
  for i = 0, 7 do
    ANYWHERE[#ANYWHERE + 1] = { scale * (i & 1 == 0 and 0.37 or -0.71), scale * (i & 2 == 0 and 0.59 or -0.43),
      scale * (i & 4 == 0 and 0.83 or -0.29) }
  end
end

--- The gap of a contact surface as a distance to first order: forces and friction then mean what they say. One whose slope is 1
--- wherever it is looked at, with the numbers env of all other symbols, is one already, and so is that of a shape. places: to look at, too.
function M.of(c, env, places)
  if c.slip then return c.gap end
  local slope, one = E.zero, true
  for _, symbol in ipairs(c.x) do slope = slope + D.by(c.gap, symbol) ^ 2 end
  for _, list in ipairs { ANYWHERE, places } do
    for _, place in ipairs(list) do
      for k, symbol in ipairs(c.x) do env[symbol] = place[k] * (1.0 + 0.01 * k) end
      local square = eval(slope, env)
      one = one and (square ~= square or math.abs(square - 1.0) < 1e-12) -- a gap may have places where it is not
    end
  end
  return one and c.gap or c.gap / E.sqrt(E.max(slope, E.num(1e-12))) -- or a flat one far away
end

return M
