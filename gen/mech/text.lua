-- Equations as text, for people: what `carom gen --dump equations` prints of a model in straight code.
local E = require "gen.expr.node"
local equations = require "gen.mech.equations"
local print_c = require "gen.expr.print"

return function(eq)
  local lines, names = {}, eq.names
  local function say(format, ...) lines[#lines + 1] = format:format(...) end
  for i = 1, eq.n do
    for j = 1, i do
      if eq.M[i][j] then say("M[%s][%s] = %s", names[i], names[j], print_c.text(eq.M[i][j])) end
    end
  end
  for i = 1, eq.n do say("h[%s] = %s", names[i], print_c.text(eq.h[i])) end
  for _, row in ipairs(eq.rows) do
    say("%s %s: g = %s", row.kind, row.item.name, print_c.text(row.g))
    for _, i in ipairs(equations.columns(row.G, eq.n)) do say("  G[%s] = %s", names[i], print_c.text(row.G[i])) end
    if row.gt ~= E.zero then say("  g_t = %s", print_c.text(row.gt)) end
    say("  gam = %s", print_c.text(row.bias))
  end
  return table.concat(lines, "\n") .. "\n"
end
