-- Coefficients of contacts that depend on what the contact itself did last: its slip, its closing speed, its force. They are data of
-- the rows of one step, evaluated where it begins.
local E = require "gen.expr.node"
local laws = require "gen.mech.laws"
local print_c = require "gen.expr.print"

local O = {}

local function printed(node, locals)
  return (print_c.c(node, function(n)
    if n.op ~= "sym" then return nil end
    return n.kind == "param" and "p->" .. n.name or locals[n]
  end))
end

-- contacts with the same law together: { law = .., of = { numbers } }
local function groups(model, key)
  local list, known = {}, {}
  for k, c in ipairs(model.contacts) do
    local law = c[key] and (key ~= "sliding" or c.frictional) and c[key]
    if law then
      local id = law.id or law
      local group = known[id]
      if not group then
        group = { law = law, of = {} }
        known[id], list[#list + 1] = group, group
      end
      table.insert(group.of, k - 1)
    end
  end
  return list
end

-- a loop over some contacts, k being each of them
local function loop(lines, name, of, body)
  table.insert(lines, ("    static const int %s[%d] = {%s};"):format(name, #of, table.concat(of, ", ")))
  table.insert(lines, ("    for (int i = 0; i < %d; ++i) {"):format(#of))
  table.insert(lines, ("        const int k = %s[i];"):format(name))
  for _, line in ipairs(body) do table.insert(lines, "        " .. line) end
  table.insert(lines, "    }")
end

--- Lines of the function X_own(s, c) of a model; none where no contact has such a law. v: values of the templates.
function O.lines(model, v)
  if not laws.own(model) then return {} end
  local S = laws.symbols
  local locals = { [S.slip] = "slip", [S.push] = "push", [S.speed] = "speed" }
  local lines = { "/* Coefficients of this step, by what each contact did last: its slip, its closing speed, its force. */",
    ("static void %s_own(%s *s, const %s_config *c)"):format(v.X, v.X, v.X), "{", ("    double U[%d];"):format(v.NR),
    ("    const %s_params *const p = &s->params;"):format(v.X), "    (void)p;", ("    %s_rates(s, c, s->v, U);"):format(v.X) }
  if v.breaks then -- contacts with one coefficient have nothing to fall to
    table.move({ ("    for (int k = 0; k < %d; ++k) {"):format(v.WC), "        s->derived.kinetic[k] = s->derived.mu[k];", "    }" }, 1, 3,
      #lines + 1, lines)
  end
  local function felt(node, what)
    local found = false
    for _, x in ipairs(node) do for _, s in ipairs(E.symbols(x)) do found = found or s == what end end
    return found
  end
  for number, group in ipairs(groups(model, "sliding")) do
    local law, body = group.law, {}
    local function say(...) body[#body + 1] = (...):format(select(2, ...)) end
    say "double slip = 0.0;"
    say("for (int l = 0; l < %d; ++l) {", v.D - 1)
    say("    const int row = %s_tangents[k][l];", v.X)
    say("    slip = row >= 0 ? hypot(slip, U[row]%s) : slip;", v.scaled and (" / s->derived.along[row - %d]"):format(v.WG) or "")
    say "}"
    if felt({ law.sliding, law.sticking }, S.push) then say("const double push = s->last[%d + k] / s->last_step;", v.NE) end
    local still = E.substitute(law.sliding, { [S.slip] = E.zero }, {})
    say("s->derived.kinetic[k] = %s;", printed(still, locals))
    say("s->derived.mu[k] = slip > %s ? %s : %s;", v.ts, printed(law.sliding, locals), printed(law.sticking or still, locals))
    loop(lines, "slides_" .. number, group.of, body)
  end
  for number, group in ipairs(groups(model, "bounces")) do
    local body = { ("const double speed = fmax(-U[%d + k], 0.0);"):format(v.NE) }
    local target = group.law.rebound and "s->derived.rebound[k]" or ("s->derived.e[%d + k]"):format(v.NE)
    body[2] = ("%s = fmin(fmax(%s, 0.0), 1.0);"):format(target, printed(group.law.e, locals))
    loop(lines, "bounces_" .. number, group.of, body)
  end
  lines[#lines + 1] = "}"
  return lines
end

return O
