-- A model as text, for people: what `carom gen --dump model` prints.
local E = require "gen.expr.node"
local print_c = require "gen.expr.print"

local function text(x)
  return x == nil and "0" or print_c.text(E.lift(x))
end

local function pair(at)
  local parts = {}
  for i = 1, #at do parts[i] = text(at[i]) end
  return "(" .. table.concat(parts, ", ") .. ")"
end

local term = {
  kinetic = function(t) return "kinetic energy " .. text(t.expr) end,
  potential = function(t) return "potential energy " .. text(t.expr) end,
  dissipation = function(t) return "dissipation " .. text(t.expr) end,
  force = function(t) return ("force on %s = %s"):format(t.on.name, text(t.value)) end,
  point_force = function(t)
    local parts = {}
    if t.value then parts[#parts + 1] = ("force %s at %s"):format(pair(t.value), pair(t.at or { 0, 0 })) end
    if t.torque then parts[#parts + 1] = ("torque %s on the angle %s"):format(text(t.torque), text(t.angle)) end
    return table.concat(parts, ", ")
  end,
  spatial_force = function(t) return ("force %s at %s"):format(pair(t.value), pair(t.at)) end,
  body_torque = function(t) return ("torque %s along the axes of the body of %s"):format(pair(t.value), t.w[1].name) end,
  free_body = function(t)
    return ("free body %s: mass %s, inertia (%s, %s, %s)"):format(t.name, text(t.mass), pair(t.inertia[1]), pair(t.inertia[2]),
      pair(t.inertia[3]))
  end,
  tree = function(t)
    local parts, root = {}, t.base and t.base.name or "the ground"
    for i, l in ipairs(t.links) do
      parts[i] = ("\n  link %s: %s on %s, axis %s, at %s, mass %s, centre %s, inertia (%s, %s, %s)"):format(l.name, l.joint,
        l.parent > 0 and t.links[l.parent].name or root, pair(l.axis), pair(l.at), text(l.mass), pair(l.center),
        pair(l.inertia[1]), pair(l.inertia[2]), pair(l.inertia[3]))
    end
    return "tree" .. table.concat(parts)
  end,
  body = function(t)
    return ("body %s: mass %s, inertia %s, at %s, angle %s"):format(t.name, text(t.mass), text(t.inertia), pair(t.at), text(t.angle))
  end,
}

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
    say(r, "rotation of %s, initial %s, spin %s", r.name, pair(r.initial), pair(r.spin))
  end
  if model.gravity then lines[#lines + 1] = "gravity " .. pair(model.gravity) end
  for _, t in ipairs(model.terms) do say({ line = t.line }, "%s", term[t.kind](t)) end
  for _, c in ipairs(model.contacts) do say(c, "contact %s: gap %s, restitution %s", c.name, text(c.gap), text(c.restitution)) end
  for _, c in ipairs(model.constraints) do say(c, "constraint %s: 0 = %s", c.name, text(c.expr)) end
  for _, o in ipairs(model.outputs) do say(o, "output %s = %s", o.name, text(o.expr)) end
  return table.concat(lines, "\n") .. "\n"
end
