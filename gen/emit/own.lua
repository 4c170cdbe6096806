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

-- contacts with the same law together: { law = .., of = { numbers } }; of a list of contacts, or of pairs of materials
local function groups(contacts, key)
  local list, known = {}, {}
  for k, c in ipairs(contacts) do
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

-- the same over the points that were found between some pairs of materials
local function loop_found(lines, v, of, body)
  local here = {}
  for n, pair in ipairs(of) do here[n] = ("s->found.contact[i].pair == %d"):format(pair) end
  table.insert(lines, "    for (int i = 0; i < s->found.count; ++i) {")
  table.insert(lines, ("        const int k = %d + %d * i;"):format(v.WC, v.FP))
  if #of < v.found.materials ^ 2 then
    local other = { ("        if (!(%s)) {"):format(table.concat(here, " || ")), "            continue;", "        }" }
    table.move(other, 1, #other, #lines + 1, lines)
  end
  for _, line in ipairs(body) do table.insert(lines, "        " .. line) end
  table.insert(lines, "    }")
end

local S = laws.symbols
local locals = { [S.slip] = "slip", [S.push] = "push", [S.speed] = "speed" }

local function felt(node, what)
  for _, x in ipairs(node) do for _, s in ipairs(E.symbols(x)) do if s == what then return true end end end
  return false
end

-- The friction of contact k. along: tangents may be measured by factors; impulse: where that of the last step is.
local function slides(v, law, along, impulse)
  local body = {}
  local function say(...) body[#body + 1] = (...):format(select(2, ...)) end
  say "double slip = 0.0;"
  say("for (int l = 0; l < %d; ++l) {", v.D - 1)
  say("    const int row = %s[k][l];", v.tangent_at)
  say("    slip = row >= 0 ? hypot(slip, U[row]%s) : slip;",
    along and v.scaled and (" / s->derived.along[row - %s]"):format(v.gaps_at) or "")
  say "}"
  if felt({ law.sliding, law.sticking }, S.push) then say("const double push = %s / s->last_step;", impulse) end
  local still = E.substitute(law.sliding, { [S.slip] = E.zero }, {})
  if v.breaks then say("%s[k] = %s;", v.kinetic_at, printed(still, locals)) end
  local moves = ("slip > %s"):format(v.ts)
  if v.needs.capture then
    say "bool slides = slip > CAROM_RATE_ZERO * s->speed;"
    say("for (int l = 0; l < %d && slide != NULL; ++l) { /* in modes that are given */", v.D - 1)
    say("    const int row = %s[k][l];", v.tangent_at)
    say("    slides = (l > 0 && slides) || (row >= 0 && slide[row - %s] != 0.0);", v.gaps_at)
    say "}"
    moves = "slides"
  end
  say("%s[k] = %s ? %s : %s;", v.mu_at, moves, printed(law.sliding, locals), printed(law.sticking or still, locals))
  if v.needs.capture then say("s->work.capture.most[k] = fmax(s->work.capture.most[k], %s[k]);", v.mu_at) end
  return body
end

-- and its restitution
local function bounces(v, law)
  local target = law.rebound and v.rebound_at .. "[k]" or ("%s[%d + k]"):format(v.e_at, v.NE)
  return { ("const double speed = fmax(-U[%d + k], 0.0);"):format(v.NE),
    ("%s = fmin(fmax(%s, 0.0), 1.0);"):format(target, printed(law.e, locals)) }
end

--- Lines of the function X_own(s, c) of a model; none where no contact has such a law. v: values of the templates.
function O.lines(model, v)
  if not laws.own(model) then return {} end
  local given = v.needs.capture
  local lines = { given and "/* Coefficients of contacts at velocities v; slide: which of them slide, NULL: their velocities tell. */"
      or "/* Coefficients of this step, by what each contact did last: its slip, its closing speed, its force. */",
    ("static void %s_own(%s *s, const %s_config *c%s)"):format(v.X, v.X, v.X, given and ", const double *v, const double *slide" or ""),
    "{",
    ("    double U[%d];"):format(v.NR), ("    const %s_params *const p = &s->params;"):format(v.X), "    (void)p;",
    ("    %s_rates(s, c, %s, U);"):format(v.X, given and "v" or "s->v") }
  if given then lines[#lines + 1] = "    (void)slide;" end
  if v.breaks then -- contacts with one coefficient have nothing to fall to
    table.move({ ("    for (int k = 0; k < %s; ++k) {"):format(v.contacts_at), ("        %s[k] = %s[k];"):format(v.kinetic_at, v.mu_at),
      "    }" }, 1, 3, #lines + 1, lines)
  end
  for number, group in ipairs(groups(model.contacts, "sliding")) do
    loop(lines, "slides_" .. number, group.of, slides(v, group.law, true, ("s->last[%d + k]"):format(v.NE)))
  end
  for number, group in ipairs(groups(model.contacts, "bounces")) do loop(lines, "bounces_" .. number, group.of, bounces(v, group.law)) end
  local among = model.among and model.among.materials.laws or {}
  for _, group in ipairs(groups(among, "sliding")) do loop_found(lines, v, group.of, slides(v, group.law, false, "s->found.pressed[i]")) end
  for _, group in ipairs(groups(among, "bounces")) do loop_found(lines, v, group.of, bounces(v, group.law)) end
  lines[#lines + 1] = "}"
  return lines
end

return O
