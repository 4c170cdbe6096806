-- The looped form: one C loop per kernel over `static const` tables of its instances, sparse M and G on static patterns.
-- For tens to ten thousands of coordinates and rows; the text does not grow with their number, only the tables do.
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local code = require "gen.emit.code"
local kernels_of = require "gen.mech.kernels"
local print_c = require "gen.expr.print"
local symbolic = require "gen.plan.symbolic"

local Loop = {}

-- a table of integers or numbers as C, many to a line
local function table_lines(declaration, items)
  local lines, line = { "static const " .. declaration .. " = {" }, "   "
  for i, item in ipairs(items) do
    local text = " " .. item .. (i < #items and "," or "")
    if #line + #text > 118 then
      lines[#lines + 1] = line
      line = "   "
    end
    line = line .. text
  end
  lines[#lines + 1] = line
  lines[#lines + 1] = "};"
  return lines
end

-- element k of instance i in a table with `width` entries per instance
local function element(table_name, k, width)
  if width == 1 then return table_name .. "[i]" end
  return ("%s[%d * i%s]"):format(table_name, width, k > 1 and " + " .. k - 1 or "")
end

local B = {}
B.__index = B

function B:hoist(roots)
  local seen = {}
  local function go(node)
    if seen[node] then return end
    seen[node] = true
    if L.of(node) == 0 then
      if node[1] and not self.hoisted[node] then
        self.derived[#self.derived + 1] = node
        self.hoisted[node] = "d->k" .. #self.derived
      end
    else
      for i = 1, #node do go(node[i]) end
    end
  end
  for _, root in ipairs(roots) do go(root) end
end

local function input_names(model)
  local map = {}
  for i, u in ipairs(model.inputs) do map[u.sym] = ("s->input[%d]"):format(i - 1) end
  return map
end

-- The loop over a kernel's instances: reads what the assignments need, then assigns.
function B:loop(kernel, assignments)
  local roots = {}
  for i, a in ipairs(assignments) do roots[i] = a[2] end
  self:hoist(roots)
  local used = {}
  local function name(node)
    if self.hoisted[node] then return self.hoisted[node] end
    if node.op ~= "sym" then return nil end
    used[node] = true
    if node.kind == "param" then return "p->" .. node.name end
    if node.kind == "time" then return "t" end
    return self.inputs[node] or node.name
  end
  local taken = {}
  for i = 0, #kernel.x do taken["x" .. i] = true end
  local body = code.block(assignments, { name = name, taken = taken, indent = "    ", prefix = "y" })
  local lines = { ("for (int i = 0; i < %d; ++i) { /* %s, model line %d */"):format(#kernel.instances, kernel.title, kernel.line or 0) }
  local id = kernel.id
  for k, x in ipairs(kernel.x) do
    if used[x] then lines[#lines + 1] = ("    const double %s = q[%s];"):format(x.name, element(id .. "_x", k, #kernel.x)) end
    if used[kernel.xdot[k]] then lines[#lines + 1] = ("    const double %s = v[%s];"):format(kernel.xdot[k].name, element(id .. "_x", k, #kernel.x)) end
    local a = E.sym("a" .. k - 1, "a")
    if used[a] then lines[#lines + 1] = ("    const double %s = a[%s];"):format(a.name, element(id .. "_x", k, #kernel.x)) end
  end
  for k, d in ipairs(kernel.data) do
    if used[d.symbol] then lines[#lines + 1] = ("    const double %s = %s;"):format(d.symbol.name, element(id .. "_c", k, #kernel.data)) end
  end
  for k, d in ipairs(kernel.parameters) do
    if used[d.symbol] then lines[#lines + 1] = ("    const double %s = ((const double *)p)[%s];"):format(d.symbol.name, element(id .. "_p", k, #kernel.parameters)) end
  end
  for _, line in ipairs(body) do lines[#lines + 1] = line end
  lines[#lines + 1] = "}"
  return lines
end

local function append(into, lines)
  for _, line in ipairs(lines) do into[#into + 1] = line end
end

-- p, d declared when used; (void) for arguments that are not
local function function_body(lines, X, arguments)
  local text = table.concat(lines, "\n")
  local out = {}
  local function mentions(word) return text:find("%f[%w_]" .. word .. "%f[^%w_]") end
  if text:find("%f[%w_]p%->") or text:find("%)p%)%[") then out[#out + 1] = ("const %s_params *const p = &s->params;"):format(X) end
  if text:find("%f[%w_]d%->") then out[#out + 1] = ("const %s_derived *const d = &s->derived;"):format(X) end
  for _, argument in ipairs(arguments) do
    if not mentions(argument) and not (argument == "s" and #out > 0) then out[#out + 1] = ("(void)%s;"):format(argument) end
  end
  append(out, lines)
  return out
end

-- the pattern of A = M (and of the iteration matrix when a scheme is implicit): index of each entry
local function pattern(n)
  local a, index = {}, {}
  local function entry(i, j)
    if i > j then i, j = j, i end
    local key = i * n + j
    if not index[key] then
      a[#a + 1] = { i, j }
      index[key] = #a - 1
    end
    return index[key]
  end
  for i = 0, n - 1 do entry(i, i) end
  return a, entry
end

local function plain(values)
  local t = {}
  for i, x in ipairs(values) do t[i] = tostring(x) end
  return t
end

--- What is said about the model, without summing it up (see equations.features).
function Loop.features(kernels)
  local f = { constant_mass = true, affine_gaps = true, force = "time" }
  local function has(node, kinds)
    for _, s in ipairs(E.symbols(node)) do if kinds[s.kind] then return true end end
    return false
  end
  local state = { q = true, v = true }
  for _, kernel in ipairs(kernels) do
    if kernel.kind == "row" then
      if has(kernel.bias, state) then f.affine_gaps = false end
      for _, g in ipairs(kernel.G) do if has(g, state) then f.affine_gaps = false end end
    else
      for _, m in ipairs(kernel.M) do if has(m.expr, state) then f.constant_mass = false end end
      for _, h in ipairs(kernel.h) do if has(h.expr, state) then f.force = "state" end end
    end
  end
  f.time_only = f.constant_mass and f.affine_gaps and f.force == "time"
  return f
end

local function title_of(kernel)
  if kernel.kind == "row" then return "gap " .. print_c.comment(kernel.args[1], 70) end
  return kernel.kind .. " " .. print_c.comment(kernel.args[1], 70)
end

--- The whole looped form, as lists of lines for templates/looped.c.in.
function Loop.build(eq, kernels, needs, X)
  local model, n = eq.model, eq.n
  local self = setmetatable({ hoisted = {}, derived = {}, inputs = input_names(model) }, B)
  local index = eq.symbols.index
  local a, entry = pattern(n)
  local g = {}
  local parameter_index = {}
  for i, p in ipairs(model.parameters) do parameter_index[p.sym] = i - 1 end
  local tables, mass, gaps, forces, bias, time_rate, restitution, jacobian = {}, {}, {}, {}, {}, {}, {}, {}
  local operations = 0
  local implicit = needs.free_sensitivity
  local function append_table(name, lines) tables[#tables + 1] = { name = name, lines = lines } end
  for number, kernel in ipairs(kernels) do
    kernel.id, kernel.title = "k" .. number, title_of(kernel)
    local count, nx = #kernel.instances, #kernel.x
    local coordinates, data, params, rows, entries, jacobians = {}, {}, {}, {}, {}, {}
    local J = implicit and kernel.kind ~= "row" and kernels_of.jacobian(kernel) or {}
    for _, instance in ipairs(kernel.instances) do
      local at = {}
      for k, q in ipairs(instance.shape.coordinates) do
        at[k] = index[q] - 1
        coordinates[#coordinates + 1] = tostring(at[k])
      end
      for _, d in ipairs(kernel.data) do data[#data + 1] = print_c.number(instance.shape.numbers[d.slot].value) end
      for _, d in ipairs(kernel.parameters) do params[#params + 1] = tostring(parameter_index[instance.shape.parameters[d.slot]]) end
      if kernel.kind == "row" then
        rows[#rows + 1] = tostring(instance.row)
        g[instance.row + 1] = at
      else
        for _, m in ipairs(kernel.M) do entries[#entries + 1] = tostring(entry(at[m.i], at[m.j])) end
        for _, m in ipairs(J) do jacobians[#jacobians + 1] = tostring(entry(at[m.i], at[m.j])) end
      end
    end
    local function emit_table(type_name, suffix, width, items)
      if width > 0 then append_table(kernel.id .. "_" .. suffix, table_lines(("%s %s_%s[%d]"):format(type_name, kernel.id, suffix, count * width), items)) end
    end
    tables[#tables + 1] = { lines = { ("/* %s: %s; %d instances, the first from model line %d */"):format(kernel.id, kernel.title,
      count, kernel.line or 0) } }
    emit_table("int", "x", nx, coordinates)
    emit_table("double", "c", #kernel.data, data)
    emit_table("int", "p", #kernel.parameters, params)
    if kernel.kind == "row" then
      append_table(kernel.id .. "_row", table_lines(("int %s_row[%d]"):format(kernel.id, count), rows))
      local list = { { ("c->g[%s_row[i]]"):format(kernel.id), kernel.gap } }
      for k, x in ipairs(kernel.G) do list[#list + 1] = { ("c->G[${X}_Gp[%s_row[i]] + %d]"):gsub("%${X}", X):format(kernel.id, k - 1), x } end
      append(gaps, self:loop(kernel, list))
      if kernel.gt ~= E.zero then append(time_rate, self:loop(kernel, { { ("U[%s_row[i]]"):format(kernel.id), kernel.gt, op = "+=" } })) end
      if kernel.bias ~= E.zero then append(bias, self:loop(kernel, { { ("gam[%s_row[i]]"):format(kernel.id), kernel.bias } })) end
      append(restitution, self:loop(kernel, { { ("d->e[%s_row[i]]"):format(kernel.id), kernel.restitution } }))
      operations = operations + count * L.operations { kernel.gap, kernel.bias, table.unpack(kernel.G) }
    else
      emit_table("int", "M", #kernel.M, entries)
      emit_table("int", "J", #J, jacobians)
      local list, roots = {}, {}
      for k, m in ipairs(kernel.M) do
        list[k] = { ("c->A[%s]"):format(element(kernel.id .. "_M", k, #kernel.M)), m.expr, op = "+=" }
        roots[#roots + 1] = m.expr
      end
      if #list > 0 then append(mass, self:loop(kernel, list)) end
      list = {}
      for k, h in ipairs(kernel.h) do
        list[k] = { ("f[%s]"):format(element(kernel.id .. "_x", h.i, nx)), h.expr, op = "+=" }
        roots[#roots + 1] = h.expr
      end
      if #list > 0 then append(forces, self:loop(kernel, list)) end
      if #J > 0 then
        local wv, wq = E.sym("wv", "local"), E.sym("wq", "local")
        list = {}
        for k, m in ipairs(J) do
          list[k] = { ("B[%s]"):format(element(kernel.id .. "_J", k, #J)), wq * m.K + wv * m.C, op = "+=" }
        end
        append(jacobian, self:loop(kernel, list))
      end
      operations = operations + count * L.operations(roots)
    end
  end
  for i = 1, #eq.rows do g[i] = g[i] or {} end
  local t = symbolic.kkt(n, eq.constraints, a, g)
  for _, name in ipairs(symbolic.arrays) do
    local values = t[name]
    if #values == 0 then values = { 0 } end
    append_table(nil, table_lines(("int %s_%s[%d]"):format(X, name, #values), plain(values)))
  end
  local struct = {}
  for _, name in ipairs(symbolic.sizes) do struct[#struct + 1] = ("    .%s = %d,"):format(name, t[name]) end
  for _, name in ipairs(symbolic.arrays) do struct[#struct + 1] = ("    .%s = %s_%s,"):format(name, X, name) end
  table.insert(struct, 1, ("static const carom_kkt_tables %s_tables = {"):format(X))
  struct[#struct + 1] = "};"
  append_table(nil, struct)
  local diagonal = #a == n
  local initial = Loop.initial(model, append_table, X)
  local outputs = {}
  do
    local list, roots = {}, {}
    for i, o in ipairs(model.outputs) do
      list[i] = { ("y[%d]"):format(i - 1), E.lift(o.expr) }
      roots[i] = list[i][2]
    end
    local at = {}
    for i, c in ipairs(model.coordinates) do
      at[c.q], at[c.v] = ("q[%d]"):format(i - 1), ("v[%d]"):format(i - 1)
    end
    outputs = function_body(code.block(list, { indent = "", name = function(node)
      if node.op ~= "sym" then return nil end
      return at[node] or self.inputs[node] or (node.kind == "param" and "p->" .. node.name) or (node.kind == "time" and "t") or nil
    end }), X, {})
  end
  -- derived constants last: every loop has said by now what it hoists
  local derive = {}
  for i, node in ipairs(self.derived) do derive[i] = { "d->k" .. i, node } end
  local derive_lines = code.block(derive, { indent = "", name = function(node)
    if node.op == "sym" then return "p->" .. node.name end
  end })
  append(derive_lines, restitution)
  local derived_fields = {}
  for i, node in ipairs(self.derived) do derived_fields[i] = ("double k%d; /* %s */"):format(i, print_c.comment(node, 84)) end
  local void = {}
  for _, argument in ipairs { "p", "d" } do
    if not table.concat(derive_lines, "\n"):find("%f[%w_]" .. argument .. "%f[^%w_]") then void[#void + 1] = ("(void)%s;"):format(argument) end
  end
  append(void, derive_lines)
  local configure = {}
  append(configure, { ("for (int k = 0; k < %d; ++k) {"):format(#a), "    c->A[k] = 0.0;", "}" })
  append(configure, mass)
  append(configure, gaps)
  local zero_forces = { ("for (int i = 0; i < %d; ++i) {"):format(n), "    f[i] = 0.0;", "}" }
  append(zero_forces, forces)
  local c_args = { "s", "t", "q" }
  local rate_args = { "s", "t", "q", "v" }
  local bias_lines = { ("for (int j = 0; j < %d; ++j) {"):format(math.max(1, #eq.rows)), "    gam[j] = 0.0;", "}" }
  append(bias_lines, bias)
  -- only the tables that some loop reads
  local text = {}
  for _, list in ipairs { derive_lines, configure, zero_forces, bias_lines, time_rate, jacobian } do text[#text + 1] = table.concat(list, "\n") end
  text = table.concat(text, "\n")
  local kept = {}
  for _, t_ in ipairs(tables) do
    if not t_.name or text:find(t_.name .. "[", 1, true) then append(kept, t_.lines) end
  end
  return {
    tables = kept, derive = void, derived = derived_fields, constant_pivots = {}, pivots = {}, fields = {
      "double t;", ("double q[%d];"):format(n), ("double A[%d]; /* mass matrix, upper triangle */"):format(#a),
      ("double G[%d]; /* contact Jacobian, by rows */"):format(math.max(1, t.ng)) },
    configure = function_body(configure, X, c_args), forces = function_body(zero_forces, X, rate_args),
    bias = function_body(bias_lines, X, rate_args), time_rate = #time_rate > 0 and function_body(time_rate, X, {}) or {},
    rheonomic = #time_rate > 0, jacobian = function_body(jacobian, X, { "s", "t", "q", "v", "a", "wv", "wq" }),
    diagonal = diagonal, na = #a, nl = t.nl, ng = t.ng, initial = initial, outputs = outputs, delassus_constant = false,
    total_operations = operations, kernels = #kernels,
    work = {
      ("double kkt[CAROM_KKT_WORK(%d, %d, %d)];"):format(n, #eq.rows, t.nl),
      ("int ikkt[CAROM_KKT_IWORK(%d, %d)];"):format(n, #eq.rows),
      ("double dx[%d];"):format(n), ("double df[%d];"):format(n), ("double dm[%d];"):format(diagonal and 1 or n), ("double db[%d];"):format(math.max(1, #eq.rows)),
      ("double dr[%d];"):format(math.max(1, #eq.rows)), ("unsigned char active[%d];"):format(math.max(1, #eq.rows)),
      implicit and ("double B[%d];"):format(#a) or nil,
    },
  }
end

--- Initial values: numbers go to a table; expressions of parameters are assigned one by one.
function Loop.initial(model, append_table, X)
  local lines, q, v = {}, {}, {}
  local function name(node) if node.op == "sym" then return "p->" .. node.name end end
  for i, c in ipairs(model.coordinates) do
    for _, item in ipairs { { "q", E.lift(c.initial), q }, { "v", E.lift(c.velocity), v } } do
      item[3][i] = item[2].op == "num" and print_c.number(item[2].value) or "0.0"
      if item[2].op ~= "num" then
        append(lines, code.block({ { ("%s[%d]"):format(item[1], i - 1), item[2] } }, { indent = "", name = name }))
      end
    end
  end
  local n = #model.coordinates
  append_table(nil, table_lines(("double %s_q0[%d]"):format(X, n), q))
  append_table(nil, table_lines(("double %s_v0[%d]"):format(X, n), v))
  local all = { ("for (int i = 0; i < %d; ++i) {"):format(n), ("    q[i] = %s_q0[i];"):format(X), ("    v[i] = %s_v0[i];"):format(X), "}" }
  append(all, lines)
  return all
end

return Loop
