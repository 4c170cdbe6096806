-- The derivative of a step in the folder of C (carom gen --with tangent): what the templates tangent.h.in and tangent.c.in are told.
local along = require "gen.emit.along"
local tangent = require "gen.backend.tangent"

local M = {}

local function refuse(unit, why)
  error({ carom = true, message = ("--with tangent, scheme '%s': there is no derivative of a step: %s"):format(unit.scheme, why) }, 0)
end

--- Makes the lines of a unit in straight code: values.tangent.
function M.prepare(values, unit)
  if values.looped then refuse(unit, "the model is loops over tables; write --form unrolled where it is not too large") end
  if unit.real ~= "double" then refuse(unit, "slopes want doubles; leave out --real") end
  if unit.spec.adaptive == "on" then refuse(unit, "steps chosen by tolerance have none; write adaptive=off") end
  local plan = unit:steps()
  local why = tangent.refusal(plan, values) or along.refusal(unit.eq)
  if why then refuse(unit, why) end
  local operators = along.operators(unit.eq, unit.name)
  local made = tangent.lines(plan, setmetatable({ matrix = values.needs.free_sensitivity }, { __index = values.size }), operators)
  local text = table.concat(made.directions, "\n")
  for _, f in ipairs(operators) do
    f.wanted = text:find(("%s_%s_along("):format(unit.name, f.key), 1, true) or f.key == "restitution" or f.key == "friction"
    f.more = f.argument == "v" and "const double *v, const double *dv, " or f.argument ~= "" and ("const double *%s, "):format(f.argument)
      or ""
  end
  made.operators = operators
  values.tangent = made
end

--- Adds the functions to its source and header. render(name): lines of a template.
function M.add(values, render)
  for into, name in next, { host = "tangent.c.in", host_functions = "tangent.h.in" } do -- order does not matter
    local lines = render(name)
    values[into] = table.move(lines, 1, #lines, #values[into] + 1, table.move(values[into], 1, #values[into], 1, {}))
  end
end

return M
