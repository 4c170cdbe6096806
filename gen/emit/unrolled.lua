-- The unrolled form: every operator of the model as straight-line C with the model's own names. For a few coordinates and rows.
--   derived    what depends on parameters only, computed in init              d->k1 ...
--   config     what depends on (t, q): gaps, G, L D L^T of M, shared nodes     c->sin_theta1, c->G_corner1_theta1 ...
--   forces, rates, bias, solve, ...   what depends on velocities, read from both
local Builder = require "gen.emit.builder"
local E = require "gen.expr.node"
local Energy = require "gen.mech.energy"
local L = require "gen.expr.level"
local laws = require "gen.mech.laws"
local Q = require "gen.mech.equations"
local factor = require "gen.mech.factor"
local newton = require "gen.emit.newton"
local print_c = require "gen.expr.print"
local texts = require "gen.emit.texts"

local U = {}

-- symbols that are C text: array elements and the like
local function symbols(format, n)
  local list = {}
  for i = 1, n do list[i] = E.sym(format:format(i - 1), "local") end
  return list
end

local function dot_row(row, x, n)
  local sum = E.zero
  for _, i in ipairs(Q.columns(row.G, n)) do sum = sum + row.G[i] * x[i] end
  return sum
end

local function assignments_of(format, list)
  local t = {}
  for i, node in ipairs(list) do t[i] = { format:format(i - 1), node } end
  return t
end

local function roots_of(assignments)
  local t = {}
  for i, a in ipairs(assignments) do t[i] = a[2] end
  return t
end

-- Names by role for what is kept in config: 1/D and L of the mass matrix, entries of G.
local function name_by_role(build, eq, F)
  local function coordinate(i) return Builder.local_name(eq.names[i]) end
  for i = 1, eq.n do
    build:hint(F.dinv[i], "dinv_" .. coordinate(i))
    for j = 1, i - 1 do
      if F.L[i][j] then build:hint(F.L[i][j], ("L_%s_%s"):format(coordinate(i), coordinate(j))) end
    end
    for _, row in ipairs(eq.rows) do
      if row.G[i] then build:hint(row.G[i], ("G_%s_%s"):format(row.item.name, coordinate(i))) end
    end
  end
end

-- The entries of each row of G, and Y = M^-1 G^T by columns and W = G Y where all of it is constant: assignments for init.
local function delassus_of(build, eq, F, optional)
  local n, rows, constant = eq.n, {}, true
  local stand_ins = { L = {}, dinv = {}, trees = F.trees }
  for i = 1, n do
    stand_ins.L[i], stand_ins.dinv[i] = {}, build:stand_in(F.dinv[i])
    for j = 1, i - 1 do if F.L[i][j] then stand_ins.L[i][j] = build:stand_in(F.L[i][j]) end end
  end
  local result = { rows = rows, assignments = {} }
  for k, row in ipairs(eq.rows) do
    build:tangents(optional and k > eq.gaps)
    local g, entries = {}, {}
    local columns = Q.columns(row.G, n)
    for l, i in ipairs(columns) do
      g[i] = build:stand_in(row.G[i])
      entries[l] = { ("g[%d]"):format(l - 1), g[i] }
    end
    rows[k] = { G = g, Y = factor.solve(stand_ins, n, g), columns = columns, entries = entries }
    for i = 1, n do constant = constant and L.of(rows[k].Y[i]) == 0 and (not g[i] or L.of(g[i]) == 0) end
  end
  build:tangents(false)
  result.constant = constant
  -- W_kl = 0 beyond the band; M^-1 G^T of a row is 0 outside of its reach
  result.band, result.reach = 0, {}
  for k, row in ipairs(rows) do
    local from, to = n, 0
    for i = 1, n do
      if row.Y[i] ~= E.zero then from, to = math.min(from, i - 1), i end
    end
    result.reach[k] = { math.min(from, to), to }
    for l = 1, k <= eq.gaps and k - 1 or 0 do
      local coupled = false
      for _, i in ipairs(rows[l].columns) do coupled = coupled or row.Y[i] ~= E.zero end
      if coupled then result.band = math.max(result.band, k - l) end
    end
  end
  for k, row in ipairs(rows) do
    if constant then
      local function put(format, l, node) table.insert(result.assignments, { format:format(k - 1, l - 1), node }) end
      for i = 1, n do put("d->Y[%d][%d]", i, row.Y[i]) end
      for l, other in ipairs(rows) do
        local w = E.zero
        for _, i in ipairs(other.columns) do
          if row.Y[i] ~= E.zero then w = w + other.G[i] * row.Y[i] end
        end
        put("d->W[%d][%d]", l, w)
      end
    else
      build:frontier(roots_of(row.entries), 0)
    end
  end
  return result
end

-- lines of a function that declares p and d once, at its top
local function without_names(lines)
  local plain = {}
  for _, line in ipairs(lines) do if not line:find("%*const [pd] =") then plain[#plain + 1] = line end end
  return plain
end

-- K = d(M a - h - G^T r)/dq and so on, entry by entry
local function jacobian_assignments(eq, needs)
  local n, m = eq.n, #eq.rows
  local J = Q.jacobians(eq, symbols("a[%d]", n), needs.sensitivity and m > 0 and symbols("r[%d]", m) or nil)
  local list = {}
  local function entries(format, matrix, count)
    for i = 1, count do
      for j = 1, n do if matrix[i][j] then list[#list + 1] = { format:format(i - 1, j - 1), matrix[i][j] } end end
    end
  end
  entries("K[%d][%d]", J.K, n)
  entries("C[%d][%d]", J.C, n)
  if needs.sensitivity then
    entries("Kc[%d][%d]", J.Kc, m)
    entries("Cc[%d][%d]", J.Cc, m)
  end
  return list
end

-- the data of laws of contact, in `derived`: restitution of each row, friction and restitution of impulses of each contact
local function law_assignments(eq)
  local list = {}
  for k, row in ipairs(eq.rows) do
    local e = row.kind == "contact" and row.item.restitution
      or row.kind == "tangent" and eq.rows[row.contact + 1].item.tangential_restitution or 0
    list[#list + 1] = { ("d->e[%d]"):format(k - 1), E.lift(e), comment = row.item.name }
  end
  if #eq.rows > eq.gaps then
    for k, c in ipairs(eq.model.contacts) do
      list[#list + 1] = { ("d->mu[%d]"):format(k - 1), E.lift(c.friction or 0), comment = c.name }
    end
  end
  for k, row in ipairs(laws.scaled(eq.model) and eq.rows or {}) do
    local c = row.kind == "tangent" and eq.rows[row.contact + 1].item
    local i = c and k - c.tangents[1]
    if c then list[#list + 1] = { ("d->along[%d]"):format(k - eq.gaps - 1), c.factors and c.factors[i] or E.one } end
  end
  for k, c in ipairs(laws.bonds(eq.model) and eq.model.contacts or {}) do
    list[#list + 1] = { ("d->cohesion[%d]"):format(k - 1), E.lift(c.cohesion or 0), comment = c.name }
  end
  for k, c in ipairs(laws.adheres(eq.model) and eq.model.contacts or {}) do
    for i = 1, 3 do list[#list + 1] = { ("d->adhesion[%d][%d]"):format(k - 1, i - 1), E.lift(c.adhesion and c.adhesion[i] or 0) } end
  end
  for k, c in ipairs(laws.chains(eq.model) and eq.model.contacts or {}) do
    list[#list + 1] = { ("d->stiffness[%d]"):format(k - 1), c.impact_stiffness, comment = c.name }
    list[#list + 1] = { ("d->exponent[%d]"):format(k - 1), c.impact_exponent, comment = c.name }
  end
  for k, c in ipairs(laws.rebounds(eq.model) and eq.model.contacts or {}) do
    list[#list + 1] = { ("d->rebound[%d]"):format(k - 1), E.lift(c.rebound or 0), comment = c.name }
  end
  return list
end

local DEAR = 20 -- what it costs to compute a value once more (gen/expr/level.lua), which then is kept
local FEW = 4 -- operations that cost no more than to ask whether they are needed

-- arithmetic in emitted lines: operators between spaces, and calls
local function count_operations(lists)
  local n = 0
  for _, lines in ipairs(lists) do
    for _, line in ipairs(lines) do
      local right = line:match("=%s*(.*)$") or ""
      n = n + select(2, right:gsub(" [%+%-%*/] ", "")) + select(2, right:gsub("%a%(", ""))
    end
  end
  return n
end

-- Lines of a function that go through the rows: what tangents alone need is asked for only where a contact has friction.
local function where_friction(lines, eq, name)
  local last = ("%s[%d] ="):format(name, eq.gaps - 1)
  local at
  for i, line in ipairs(lines) do if line:sub(1, #last) == last then at = i end end
  local tail = table.move(lines, at + 1, #lines, 1, {})
  if count_operations { tail } < FEW then return lines end
  local out = {}
  for i = 1, at do if lines[i] ~= "(void)s;" then out[#out + 1] = lines[i] end end
  out[#out + 1] = "if (s->derived.frictional) {"
  table.move(tail, 1, #tail, #out + 1, out)
  out[#out + 1] = "} else {"
  for k = eq.gaps + 1, #eq.rows do out[#out + 1] = ("%s[%d] = 0.0;"):format(name, k - 1) end
  out[#out + 1] = "}"
  return out
end

--- The whole unrolled form of a model, as lists of lines for templates/unrolled.c.in.
function U.build(eq, needs, name)
  local n, m = eq.n, #eq.rows
  local model = eq.model
  local build = Builder.new(eq, name)
  local F = factor.factor(eq, needs.matrix)
  name_by_role(build, eq, F)
  -- what each function computes
  local x, b = symbols("x[%d]", n), symbols("b%d", n)
  local rates, bias, products, outputs, q0, v0 = {}, {}, {}, {}, {}, {}
  for k, row in ipairs(eq.rows) do
    rates[k], bias[k], products[k] = dot_row(row, eq.v, n) + row.gt, row.bias, dot_row(row, x, n)
  end
  for i, o in ipairs(model.outputs) do outputs[i] = E.lift(o.expr) end
  for _, block in ipairs(eq.symbols.blocks) do
    for _, value in ipairs(block.start) do q0[#q0 + 1] = E.lift(value) end
    for _, value in ipairs(block.speed) do v0[#v0 + 1] = E.lift(value) end
  end
  local solution = factor.solve(F, n, b)
  local mass = {} -- what steps that assemble a matrix of their own need
  if needs.matrix then
    for i = 1, n do
      for j = 1, n do
        local entry = eq.M[math.max(i, j)][math.min(i, j)]
        if entry then mass[#mass + 1] = { ("A[%d]"):format((i - 1) * n + j - 1), entry } end
      end
    end
  end
  -- what they build on is kept: first all that look back on the configuration, then the configuration itself
  local forces, switches = eq.sided or eq.h, eq.switches or {}
  local optional = m > eq.gaps and not (needs.capture or needs.sensitivity) -- tangents: where a contact has friction
  local function normals(list) return optional and table.move(list, 1, eq.gaps, 1, {}) or list end
  for _, roots in ipairs { forces, switches, normals(rates), needs.bias and normals(bias) or {}, solution, normals(products),
    roots_of(mass) } do
    build:frontier(roots, 1)
  end
  local energy = Energy.of(eq)
  build:frontier(outputs, 0)
  build:frontier({ energy }, 0)
  local jacobian = (needs.sensitivity or needs.free_sensitivity) and jacobian_assignments(eq, needs)
  if jacobian then build:frontier(roots_of(jacobian), 0) end
  local entries, pattern
  if needs.free_sensitivity then entries, pattern = newton.entries(eq, symbols("a[%d]", n)) end
  if entries then -- sines are kept for it, the rest is made with it: once in a step
    local roots = {}
    for k, entry in ipairs(entries) do roots[k] = entry[3] end
    build:frontier(roots, 1, DEAR)
    build:frontier(roots_of(mass), 1)
  end
  local delassus = m > 0 and delassus_of(build, eq, F, optional)
  if optional then
    build:tangents(true)
    for _, roots in ipairs { rates, needs.bias and bias or {}, products } do build:frontier(roots, 1) end
    build:tangents(false)
  end
  local config = {}
  local function fields(tangent)
    for _, field in ipairs(build.fields) do
      if field.tangent == tangent then config[#config + 1] = { "c->" .. field.name, field.node } end
    end
  end
  fields(nil)
  for k = 1, eq.gaps do config[#config + 1] = { ("c->g[%d]"):format(k - 1), eq.rows[k].g, comment = eq.rows[k].item.name } end
  if needs.capture then -- tangential displacements, for the anchors of sticking contacts
    for k = eq.gaps + 1, #eq.rows do
      config[#config + 1] = { ("c->slide[%d]"):format(k - eq.gaps - 1), eq.rows[k].g, comment = eq.rows[k].item.name }
    end
  end
  local always = #config
  fields(true)
  build:frontier(roots_of(config), 0)
  local derive = {}
  for _, d in ipairs(build.derived) do derive[#derive + 1] = { "d->" .. d.name, d.node } end
  for _, list in ipairs { law_assignments(eq), delassus and delassus.constant and delassus.assignments or {} } do
    table.move(list, 1, #list, #derive + 1, derive)
  end
  -- their text
  local prologue = {}
  for i = 1, n do prologue[i] = ("const double b%d = x[%d];"):format(i - 1, i - 1) end
  local initial = assignments_of("q[%d]", q0)
  table.move(assignments_of("v[%d]", v0), 1, n, #initial + 1, initial)
  local with_tangents = {} -- the same functions where it is not asked whether tangents are needed (gen/emit/batch.lua)
  local function through_rows(scope, target, list, arguments)
    local lines = build:body(scope, assignments_of(target .. "[%d]", list), arguments)
    with_tangents[scope] = lines
    return optional and where_friction(lines, eq, target) or lines
  end
  local configure = build:body("config", config, { "s", "t", "q", "c" })
  with_tangents.config = table.move(configure, 1, #configure, 1, {})
  if #config > always then -- what follows the last of what is always there
    for i = #configure, 1, -1 do
      if always == 0 or configure[i]:sub(1, #config[always][1] + 2) == config[always][1] .. " =" then
        table.insert(configure, i + 1, "if (s->derived.frictional) { /* of tangents */")
        configure[#configure + 1] = "}"
        break
      end
    end
  end
  local out = {
    derive = build:body("derived", derive, { "p", "d" }),
    configure = configure,
    forces = build:body("forces", assignments_of("f[%d]", forces), { "s", "c", "v" }),
    switches = #switches > 0 and build:body("forces", assignments_of("phi[%d]", switches), { "s", "c", "v" }) or nil,
    rates = through_rows("rates", "U", rates, { "s", "c", "v" }),
    bias = needs.bias and through_rows("bias", "gam", bias, { "s", "c", "v" }) or {},
    solve = build:body("solve", assignments_of("x[%d]", solution), { "s", "c" }, prologue),
    rows_product = through_rows("product", "y", products, { "s", "c", "x" }),
    outputs = build:body("config", assignments_of("y[%d]", outputs), { "s" }),
    energy = build:body("config", { { "energy", energy } }, { "s" }),
    initial = build:body("derived", initial, {}),
    jacobian = jacobian and build:body("jacobian", jacobian, { "c", "t", "q", "v", "a", "r" }) or {},
    mass = build:body("mass", mass, { "s", "c" }), rows = {}, starts = { 0 }, columns = {},
    newton = entries and newton.bodies(build, eq, entries, pattern) or false,
    with_tangents = with_tangents,
    delassus_constant = delassus and delassus.constant, band = delassus and delassus.band, reach = delassus and delassus.reach,
    derived = {}, fields = {}, pivots = {}, constant_pivots = {},
  }
  for k, row in ipairs(delassus and delassus.rows or {}) do
    out.rows[k] = { name = eq.rows[k].item.name, lines = texts.packed(without_names(build:body("row", row.entries, {}))) }
    for _, i in ipairs(row.columns) do out.columns[#out.columns + 1] = i - 1 end
    out.starts[k + 1] = #out.columns
  end
  for _, d in ipairs(build.derived) do
    out.derived[#out.derived + 1] = ("double %s; /* %s */"):format(d.name, print_c.comment(d.node, 84))
  end
  for _, field in ipairs(build.fields) do
    out.fields[#out.fields + 1] = ("double %s; /* %s */"):format(field.name, print_c.comment(field.node, 76))
  end
  for i = 1, n do
    local list = L.of(F.dinv[i]) == 0 and out.constant_pivots or out.pivots
    list[#list + 1] = (print_c.c(F.dinv[i], build:namer("pivots", {})))
  end
  -- forces, masses and rows that never change: accelerations under the law of contact neither
  out.steady = m > 0 and delassus.constant and #out.pivots == 0
  for i = 1, n do out.steady = out.steady and L.of(eq.h[i]) == 0 end
  for k = 1, m do out.steady = out.steady and bias[k] == E.zero end
  local counted = { out.configure, out.forces, out.rates, out.bias, out.solve }
  out.total_operations = count_operations(counted)
  return out
end

return U
