-- A model as text, for people: what `carom gen --dump model` prints.
local text = require "gen.lang.core.text"
local words = require "gen.lang.words"

return function(model)
  local lines = { "model " .. model.name }
  local function say(item, format, ...)
    lines[#lines + 1] = format:format(...) .. (item.unit and " [" .. item.unit .. "]" or "")
      .. (item.line and ("  (line %d)"):format(item.line) or "")
  end
  for _, p in ipairs(model.parameters) do say(p, "parameter %s = %.15g", p.name, p.value) end
  for _, c in ipairs(model.constants) do say(c, "constant %s = %.15g", c.name, c.value) end
  for _, u in ipairs(model.inputs) do say(u, "input %s = %.15g", u.name, u.value or 0) end
  for _, c in ipairs(model.coordinates) do
    say(c, "coordinate %s, initial %s, velocity %s", c.name, text(c.initial), text(c.velocity))
  end
  for _, r in ipairs(model.rotations) do
    say(r, "rotation of %s, initial %s, spin %s", r.name, text(r.initial), text(r.spin))
  end
  if model.gravity then lines[#lines + 1] = "gravity " .. text(model.gravity) end
  for _, t in ipairs(model.terms) do say({ line = t.line }, "%s", words.terms[t.kind].text(t)) end
  for _, c in ipairs(model.contacts) do say(c, "contact %s: gap %s, restitution %s", c.name, text(c.gap), text(c.restitution)) end
  for _, c in ipairs(model.constraints) do say(c, "constraint %s: 0 = %s", c.name, text(c.expr)) end
  for _, o in ipairs(model.outputs) do say(o, "output %s = %s", o.name, text(o.expr)) end
  return table.concat(lines, "\n") .. "\n"
end
