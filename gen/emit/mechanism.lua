-- What moves beside the meshes of a large model, as C for carom_mechanism (runtime/include/carom/large.h): start, mass and forces of its
-- coordinates and bodies, rows of its own, ties, outputs, and gaps of nodes to shapes that move with it.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local kernels = require "gen.emit.kernels"
local laws = require "gen.mech.laws"

local M = {}

local P, T, Q, V = "const double *p", "double t", "const double *q", "const double *v"

local function names_of(eq)
  return kernels.names(eq.v, "v", kernels.names(eq.q, "q"))
end

-- rates of all positions, and of time
local function rates(eq)
  local rate = { [eq.symbols.time] = E.one }
  for _, block in ipairs(eq.symbols.blocks) do for k, q in ipairs(block.q) do rate[q] = block.rate[k] end end
  return rate
end

-- where the rows of the equations stand among d numbers for each constraint and contact, from 0: normal, then tangents
local function places(eq, d)
  local list = {}
  for k, row in ipairs(eq.rows) do
    if row.kind == "tangent" then
      for i, at in ipairs(eq.rows[row.contact + 1].item.tangents) do
        if at == k - 1 then list[k] = row.contact * d + i end
      end
    else
      list[k] = (k - 1) * d
    end
  end
  return list
end

-- Coefficients that depend on what each contact did last: its slip, its mean force in the last step, its closing speed.
local function own(eq, d)
  local list, names = {}, {}
  for k = 1, eq.gaps do
    local c = eq.rows[k].kind == "contact" and eq.rows[k].item or {}
    local slides, mine = c.frictional and c.sliding, {}
    for _, field in ipairs { "slip", "push", "speed" } do
      mine[laws.symbols[field]] = E.sym(("%s_%d"):format(field, k), "law")
      names[mine[laws.symbols[field]]] = ("%s[%d]"):format(field, k - 1)
    end
    local function say(what, at, node) list[#list + 1] = { ("%s[%d]"):format(what, at), E.substitute(node, mine, {}) } end
    if c.bounces then
      local e = E.clamp(c.bounces.e, E.zero, E.one)
      say("restitution", (k - 1) * d, e)
    end
    if slides then
      local still = E.substitute(slides.sliding, { [laws.symbols.slip] = E.zero }, {})
      say("sliding", k - 1, slides.sliding)
      say("sticking", k - 1, slides.sticking or still)
      say("kinetic", k - 1, still)
    end
  end
  return list, names
end

local function rows(eq, d, names)
  local at, row, bias, law = places(eq, d), {}, {}, {}
  for i = 0, eq.gaps * d - 1 do
    local r
    for k, place in ipairs(at) do r = place == i and eq.rows[k] or r end
    if i % d == 0 then row[#row + 1] = { ("g[%d]"):format(i // d), r.g } end
    for j = 1, eq.n do row[#row + 1] = { ("G[%d]"):format(i * eq.n + j - 1), r and r.G[j] or E.zero } end
    row[#row + 1] = { ("rate[%d]"):format(i), r and r.gt or E.zero }
    bias[#bias + 1] = { ("gam[%d]"):format(i), r and r.bias or E.zero }
  end
  for k = 1, eq.gaps do
    local c = eq.rows[k].kind == "contact" and eq.rows[k].item or {}
    for i = 0, d - 1 do
      local e = i == 0 and c.restitution or i > 0 and c.tangential_restitution
      law[#law + 1] = { ("restitution[%d]"):format((k - 1) * d + i), E.lift(e or 0) }
    end
    law[#law + 1] = { ("friction[%d]"):format(k - 1), E.lift(c.frictional and c.friction or 0) }
  end
  local list = {
    { "mechanism_row", { P, T, Q, "double *g", "double *G", "double *rate" }, row, names, "its constraints and contacts" },
    { "mechanism_bias", { P, T, Q, V, "double *gam" }, bias, names, "their accelerations where v' = 0" },
    { "mechanism_law", { P, "double *restitution", "double *friction" }, law, {}, "restitution and friction of them" },
  }
  local changing, what = own(eq, d)
  if #changing > 0 then
    list[4] = { "mechanism_own", { P, "const double *slip", "const double *push", "const double *speed", "double *restitution",
      "double *sliding", "double *sticking", "double *kinetic" }, changing, what, "and what of them depends on what they did" }
  end
  return list
end

--- The functions of a mechanism. eq: its equations; d: dimension of the meshes; plain: how a function that only assigns is made.
function M.functions(model, eq, d, plain)
  local names, start, mass, outputs = names_of(eq), {}, {}, {}
  for _, block in ipairs(eq.symbols.blocks) do
    for k, x in ipairs(block.start) do start[#start + 1] = { ("q[%d]"):format(block.q_first + k - 1), E.lift(x) } end
    for k, x in ipairs(block.speed) do start[#start + 1] = { ("v[%d]"):format(block.v_first + k - 1), E.lift(x) } end
  end
  for i = 1, eq.n do
    for j = 1, eq.n do
      mass[#mass + 1] = { ("M[%d]"):format((i - 1) * eq.n + j - 1), eq.M[math.max(i, j)][math.min(i, j)] or E.zero }
    end
  end
  for i, o in ipairs(model.outputs) do outputs[i] = { ("y[%d]"):format(i - 1), E.lift(o.expr) } end
  local list = {
    { "mechanism_start", { P, "double *q", "double *v" }, start, {}, "where coordinates and bodies start" },
    { "mechanism_mass", { P, T, Q, "double *M" }, mass, names, "their mass matrix" },
    { "mechanism_force", { P, T, Q, V, "double *f" }, kernels.vector("f", eq.h), names, "forces on them" },
  }
  local more = eq.gaps > 0 and rows(eq, d, names) or {}
  table.move(more, 1, #more, #list + 1, list)
  if #outputs > 0 then list[#list + 1] = { "mechanism_outputs", { P, T, Q, V, "double *y" }, outputs, names, "outputs" } end
  for i, f in ipairs(list) do list[i] = plain(table.unpack(f)) end
  return list
end

-- a table of C, with its name where there is something in it
local function put(lines, type, name, entries)
  if #entries == 0 then return "NULL" end
  lines[#lines + 1] = ("static const %s %s[] = {"):format(type, name)
  for _, entry in ipairs(entries) do lines[#lines + 1] = "    " .. entry .. "," end
  lines[#lines + 1] = "};"
  return name
end

--- The tables that name it: lines of C. index: numbers of the meshes; where(item): its place in the model as C text.
function M.tables(model, eq, index, quoted, where)
  local lines, position, velocity, output, ties, points, with = {}, {}, {}, {}, {}, {}, { count = 0 }
  local borrowed = {}
  for _, p in ipairs(eq.points) do for _, q in ipairs(p.q) do borrowed[q] = true end end
  local function quantity(name, unit) return ("{ %s, %s, 0.0 }"):format(name and quoted(name) or "NULL", quoted(unit or "")) end
  for _, block in ipairs(eq.symbols.blocks) do
    local shown = not borrowed[block.q[1]]
    for _, q in ipairs(block.q) do position[#position + 1] = quantity(shown and q.name, block.q_unit) end
    for _, v in ipairs(block.v) do velocity[#velocity + 1] = quantity(shown and v.name, block.v_unit) end
  end
  for i, o in ipairs(model.outputs) do output[i] = quantity(o.name, o.unit) end
  for i, t in ipairs(model.ties) do
    if not with[t.body] then with.count, with[t.body] = with.count + 1, with.count + 1 end
    ties[i] = ("{ .name = %s, .body = %d, .boundary = %s, .with = %d, .place = %s_tie, .where = %s }"):format(quoted(t.name),
      index[t.mesh], quoted(t.boundary), with[t.body], t.name, where(t))
  end
  for i, p in ipairs(eq.points) do
    local at = {}
    for k, x in ipairs(p.at) do at[k] = ("%.17g"):format(x) end
    points[i] = ("{ .body = %d, .at = { %s }, .first = %d, .where = %s }"):format(index[p.mesh], table.concat(at, ", "), p.first, where(p))
  end
  local fields = { ".scalars = " .. eq.simple, ".rotations = " .. (eq.n - eq.simple) // 3,
    ".position = " .. put(lines, "carom_quantity", "mechanism_positions", position),
    ".velocity = " .. put(lines, "carom_quantity", "mechanism_velocities", velocity),
    ".start = mechanism_start", ".mass = mechanism_mass", ".force = mechanism_force" }
  local function more(list) table.move(list, 1, #list, #fields + 1, fields) end
  if eq.gaps > 0 then
    more { ".rows = " .. eq.gaps, ".constraints = " .. eq.constraints, ".row = mechanism_row", ".bias = mechanism_bias",
      ".law = mechanism_law", #own(eq, 1) > 0 and ".own = mechanism_own" or nil }
  end
  if #ties > 0 then more { ".ties = " .. #ties, ".tie = " .. put(lines, "carom_tie", "mechanism_ties", ties) } end
  if #points > 0 then more { ".points = " .. #points, ".point = " .. put(lines, "carom_point", "mechanism_points", points) } end
  if #output > 0 then
    more { ".outputs = " .. #output, ".output = " .. put(lines, "carom_quantity", "mechanism_output", output),
      ".output_values = mechanism_outputs" }
  end
  lines[#lines + 1] = "static const carom_mechanism mechanism = {"
  for _, field in ipairs(fields) do lines[#lines + 1] = "    " .. field .. "," end
  lines[#lines + 1] = "};"
  return lines
end

--- Where a node of a tie is: at + R r, r = R0^T (X - at0) with the body as it starts.
function M.tie(t, eq, start, plain)
  local d, X, x, list, rate = t.mesh.dimension, {}, {}, {}, rates(eq)
  for k = 1, d do X[k] = E.sym("X" .. k, "local") end
  for i = 1, d do
    x[i] = t.at[i]
    for l = 1, d do
      local arm = E.zero
      for k = 1, d do arm = arm + (t.R and start(t.R[k][l]) or k == l and E.one or E.zero) * (X[k] - start(t.at[k])) end
      x[i] = x[i] + (t.R and t.R[i][l] or i == l and E.one or E.zero) * arm
    end
  end
  for i = 1, d do
    local J, speed = eq.slope(x[i]), D.total(x[i], rate)
    list[#list + 1] = { ("x[%d]"):format(i - 1), x[i] }
    for j = 1, eq.n do list[#list + 1] = { ("J[%d]"):format((i - 1) * eq.n + j - 1), J[j] } end
    list[#list + 1] = { ("rate[%d]"):format(i - 1), D.by(x[i], eq.symbols.time) }
    list[#list + 1] = { ("bias[%d]"):format(i - 1), D.total(speed, rate) }
  end
  return plain(t.name .. "_tie", { P, T, "const double *X", Q, V, "double *x", "double *J", "double *rate", "double *bias" }, list,
    kernels.names(X, "X", names_of(eq)), ("where a node of tie '%s' is"):format(t.name))
end

-- J: the obstacle's point at x moves with J v. Along the normal as the gap says, across it as the slips say,
-- J = -n/|n|^2 (dg'/dv) - sum_i t_i (dU_i/dv), t_i = dU_i/dx'
local function carrier(surface, eq)
  local n, square, J = D.gradient(surface.gap, surface.x), E.zero, {}
  local normal = eq.slope(surface.gap)
  for _, x in ipairs(n) do square = square + x ^ 2 end
  for k = 1, #n do
    J[k] = {}
    for j = 1, eq.n do J[k][j] = -(n[k] / square) * normal[j] end
  end
  local across = {}
  for k, x in ipairs(surface.x) do across[k] = E.sym(x.name .. ".dot", "v") end
  for _, slip in ipairs(surface.slip or {}) do
    local t, along = D.gradient(slip, across), D.gradient(slip, eq.v)
    for k = 1, #n do for j = 1, eq.n do J[k][j] = J[k][j] - t[k] * along[j] end end
  end
  return J
end

--- Gap of a node to a surface of the mechanism, its gradient, its rate by time, and how its point moves.
function M.gap(surface, eq, time, plain, comment)
  local list = { { "*g", surface.gap } }
  for k, node in ipairs(D.gradient(surface.gap, surface.x)) do list[#list + 1] = { ("gradient[%d]"):format(k - 1), node } end
  list[#list + 1] = { "*rate", D.by(surface.gap, time) }
  for k, row in ipairs(carrier(surface, eq)) do
    for j, node in ipairs(row) do list[#list + 1] = { ("J[%d]"):format((k - 1) * eq.n + j - 1), node } end
  end
  return plain(surface.name .. "_gap", { P, T, "const double *x", Q, "double *g", "double *gradient", "double *rate", "double *J" }, list,
    kernels.names(surface.x, "x", names_of(eq)), comment)
end

return M
