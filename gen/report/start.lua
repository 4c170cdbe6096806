-- The state in which a model starts, as a result of one row; nil where there is nothing that moves.
local E = require "gen.expr.node"
local blocks = require "gen.system.blocks"
local eval = require("gen.expr.eval").eval

return function(model)
  local env, names, numbers = { [model.time] = 0 }, { "t" }, { "0" }
  for _, list in ipairs { model.parameters, model.inputs } do
    for _, p in ipairs(list) do if p.sym then env[p.sym] = p.value or 0 end end
  end
  local function add(symbol, node)
    names[#names + 1], numbers[#numbers + 1] = symbol.name, ("%.17g"):format(eval(E.lift(node), env))
  end
  for _, part in ipairs { { "q", "start" }, { "v", "speed" } } do
    for _, block in ipairs(blocks.of(model)) do for k, s in ipairs(block[part[1]]) do add(s, block[part[2]][k]) end end
  end
  return names[2] and table.concat(names, ",") .. "\n" .. table.concat(numbers, ",") .. "\n" or nil
end
