-- The state in which a model starts, as a result of one row; nil where there is nothing that moves.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval

return function(model)
  local env, names, numbers = { [model.time] = 0 }, { "t" }, { "0" }
  for _, list in ipairs { model.parameters, model.inputs } do
    for _, p in ipairs(list) do if p.sym then env[p.sym] = p.value or 0 end end
  end
  local function add(symbol, node)
    names[#names + 1], numbers[#numbers + 1] = symbol.name, ("%.17g"):format(eval(E.lift(node), env))
  end
  for _, c in ipairs(model.coordinates) do add(c.q, c.initial) end
  for _, r in ipairs(model.rotations or {}) do for i, s in ipairs(r.q) do add(s, r.initial[i]) end end
  for _, c in ipairs(model.coordinates) do add(c.v, c.velocity) end
  for _, r in ipairs(model.rotations or {}) do for i, s in ipairs(r.v) do add(s, r.spin[i]) end end
  return names[2] and table.concat(names, ",") .. "\n" .. table.concat(numbers, ",") .. "\n" or nil
end
