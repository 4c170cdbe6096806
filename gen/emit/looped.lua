-- The looped form: one C loop per kernel over `static const` tables of its instances, sparse M and G on static patterns.
-- For tens to ten thousands of coordinates and rows; the text does not grow with their number, only the tables do.
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local Q = require "gen.mech.equations"
local banded = require "gen.plan.banded"
local code = require "gen.emit.code"
local elements_of = require "gen.emit.elements"
local found_of = require "gen.emit.found"
local kernels_of = require "gen.mech.kernels"
local laws = require "gen.mech.laws"
local print_c = require "gen.expr.print"
local steady = require "gen.emit.steady"
local symbolic = require "gen.plan.symbolic"
local tables_of = require "gen.emit.tables"

local Loop = {}

local function append(into, lines)
  for _, line in ipairs(lines) do into[#into + 1] = line end
end

local B = {} -- the text under construction: lists of lines per function, hoisted constants, tables
B.__index = B

-- what depends on parameters only is computed once, in init
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

-- Where the k-th position ("q") or velocity ("v") of a kernel's b-th block stands in the vectors of the system, for instance i. A kernel
-- all of whose blocks have the same place among positions and velocities has one table for both.
local function place(kernel, part, b, k)
  local at = kernel.tables:at(kernel.id .. (kernel.apart and "_" .. part or "_x"), b)
  return k > 1 and ("%s + %d"):format(at, k - 1) or at
end

-- Appends to `into` the loop over a kernel's instances: reads what the assignments need, then assigns.
function B:loop(into, kernel, assignments)
  local roots, used, taken = {}, {}, {}
  for i, a in ipairs(assignments) do roots[i] = a[2] end
  if #roots == 0 then return end
  self:hoist(roots)
  local function name(node)
    if self.hoisted[node] then return self.hoisted[node] end
    if node.op == "part" then -- calls are made once, before the rows
      local of = node[1].of
      return ("%s[%s_part[i] + %d]"):format(of.is_rate and "rate" or "c->call", kernel.id, (node.k - 1) % of.group)
    end
    if node.op ~= "sym" then return nil end
    used[node] = true
    if node.kind == "param" then return "p->" .. node.name end
    if node.kind == "time" then return "t" end
    return self.inputs[node] or node.name
  end
  for _, block in ipairs(kernel.blocks) do
    for _, part in ipairs { "q", "v" } do
      for _, symbol in ipairs(block[part]) do taken[symbol.name] = true end
    end
  end
  local body = code.block(assignments, { name = name, taken = taken, indent = "    ", prefix = "y" })
  local id = kernel.id
  into[#into + 1] = ("for (int i = 0; i < %d; ++i) { /* %s, model line %d */"):format(#kernel.instances, kernel.title, kernel.line or 0)
  local function read(symbol, from)
    if used[symbol] then into[#into + 1] = ("    const double %s = %s;"):format(symbol.name, from) end
  end
  local number = 0
  for b, block in ipairs(kernel.blocks) do
    for k, q in ipairs(block.q) do read(q, "q[" .. place(kernel, "q", b, k) .. "]") end
    for k, v in ipairs(block.v) do
      local at = place(kernel, "v", b, k)
      read(v, "v[" .. at .. "]")
      read(E.sym("a" .. number, "a"), "a[" .. at .. "]")
      number = number + 1
    end
  end
  for k, d in ipairs(kernel.data) do read(d.symbol, self.tables:at(id .. "_c", k)) end
  for k, d in ipairs(kernel.parameters) do
    read(d.symbol, ("((const double *)p)[%s]"):format(self.tables:at(id .. "_p", k)))
  end
  append(into, body)
  into[#into + 1] = "}"
end

-- The tables of one kernel: places of blocks, numbers, parameters, rows, places in the sparse matrices.
function B:kernel_tables(kernel, J)
  local q, v, data, params, rows, parts, entries, jacobians = {}, {}, {}, {}, {}, {}, {}, {}
  kernel.apart = false
  for _, instance in ipairs(kernel.instances) do
    local at = {} -- of all velocities
    for _, block in ipairs(instance.shape.blocks) do
      q[#q + 1], v[#v + 1] = block.q_first, block.v_first
      kernel.apart = kernel.apart or block.q_first ~= block.v_first
      for k = 1, #block.v do at[#at + 1] = block.v_first + k - 1 end
    end
    for _, d in ipairs(kernel.data) do data[#data + 1] = print_c.number(instance.shape.numbers[d.slot].value) end
    for _, d in ipairs(kernel.parameters) do params[#params + 1] = self.parameter[instance.shape.parameters[d.slot]] end
    parts[#parts + 1] = instance.part
    if kernels_of.is_row(kernel) then
      rows[#rows + 1] = instance.row
      self.G[instance.row + 1] = at
    else
      for _, m in ipairs(kernel.M) do entries[#entries + 1] = self.entry(at[m.i], at[m.j]) end
      for _, m in ipairs(J) do jacobians[#jacobians + 1] = self.entry(at[m.i], at[m.j]) end
    end
  end
  local tables, id = self.tables, kernel.id
  tables:comment(("%s: %s; %d instances, the first from model line %d"):format(id, kernel.title, #kernel.instances, kernel.line or 0))
  kernel.tables = tables
  tables:places(id .. (kernel.apart and "_q" or "_x"), q, #kernel.blocks)
  if kernel.apart then tables:places(id .. "_v", v, #kernel.blocks) end
  tables:places(id .. "_c", data, #kernel.data, "double")
  tables:places(id .. "_p", params, #kernel.parameters)
  tables:places(id .. "_row", rows, 1)
  tables:add("int", id .. "_part", parts)
  tables:places(id .. "_M", entries, #(kernel.M or {}))
  tables:places(id .. "_J", jacobians, #J)
end

-- gap, G, rates and bias of a kernel of rows
function B:row_kernel(kernel)
  self:kernel_tables(kernel, {})
  local row = self.tables:at(kernel.id .. "_row", 1)
  local written = row
  if self.found and kernel.kind ~= "row" then row = ("%s + %s"):format(row, self.found) end -- tangents stand behind normals that were found
  local list = kernel.kind == "row" and { { ("c->g[%s]"):format(row), kernel.gap } } or {}
  if self.anchored and kernel.kind ~= "row" then -- tangential displacements, for the anchors of sticking contacts
    list[1] = { ("c->slide[%s - %d]"):format(row, self.gaps), kernel.gap or E.zero }
  end
  local G = {}
  for k, x in ipairs(kernel.G) do G[k] = { ("%s->G[%s[%s] + %d]"):format(self.steady_rows and "d" or "c", self.Gp, row, k - 1), x } end
  self:loop(self.configure, kernel, self.steady_rows and list or table.move(G, 1, #G, #list + 1, list))
  if self.steady_rows then self:loop(self.restitution, kernel, G) end
  if kernel.gt ~= E.zero then self:loop(self.time_rate, kernel, { { ("U[%s]"):format(row), kernel.gt, op = "+=" } }) end
  if kernel.bias ~= E.zero then self:loop(self.bias, kernel, { { ("gam[%s]"):format(row), kernel.bias } }) end
  self:loop(self.restitution, kernel, { { ("d->e[%s]"):format(written), kernel.restitution } })
  local contact = self.constraints > 0 and ("%s - %d"):format(written, self.constraints) or written
  if self.frictional and kernel.friction then
    self:loop(self.restitution, kernel, { { ("d->mu[%s]"):format(contact), kernel.friction } })
  end
  if self.scaled and kernel.along then
    self:loop(self.restitution, kernel, { { ("d->along[%s - %d]"):format(written, self.gaps), kernel.along } })
  end
  for i, x in ipairs(self.adheres and kernel.adhesion or {}) do
    self:loop(self.restitution, kernel, { { ("d->adhesion[%s][%d]"):format(contact, i - 1), x } })
  end
  for _, name in ipairs { "cohesion", "stiffness", "exponent", "rebound" } do
    local x = self.of_laws[name] and kernel[name]
    if x then self:loop(self.restitution, kernel, { { ("d->%s[%s]"):format(name, contact), x } }) end
  end
  self.operations = self.operations + #kernel.instances * L.operations { kernel.gap, kernel.bias, table.unpack(kernel.G) }
end

-- Functions that are no formulas: their numbers are kept with the configuration, their rates for the bias alone.
function B:call_kernel(kernel)
  self:kernel_tables(kernel, {})
  self:loop(self.configure, kernel, { { ("c->call + %s_part[i]"):format(kernel.id), kernel.call } })
  self:loop(self.bias, kernel, { { ("rate + %s_part[i]"):format(kernel.id), kernel.rates } })
end

-- mass, forces and, for implicit schemes, the iteration matrix of a kernel of terms
function B:term_kernel(kernel, implicit)
  local J = implicit and kernels_of.jacobian(kernel) or {}
  self:kernel_tables(kernel, J)
  local mass, forces, matrix, roots = {}, {}, {}, {}
  for k, m in ipairs(kernel.M) do
    mass[k] = { (self.steady_mass and "d->mass[%s]" or "c->A[%s]"):format(self.tables:at(kernel.id .. "_M", k)), m.expr, op = "+=" }
    roots[#roots + 1] = m.expr
  end
  local places = {} -- of all velocities
  for b, block in ipairs(kernel.blocks) do
    for k = 1, #block.v do places[#places + 1] = place(kernel, "v", b, k) end
  end
  for k, h in ipairs(kernel.h) do
    forces[k] = { ("f[%s]"):format(places[h.i]), h.expr, op = "+=" }
    roots[#roots + 1] = h.expr
  end
  -- where the first kernel has a force for each velocity in turn, the sums begin with these
  if #forces == 1 and #self.forces == 0 and places[kernel.h[1].i] == "i" and #kernel.instances == self.velocities then
    forces[1].op, self.begun = nil, true
  end
  local wv, wq = E.sym("wv", "local"), E.sym("wq", "local")
  for k, m in ipairs(J) do
    matrix[k] = { ("B[%s]"):format(self.tables:at(kernel.id .. "_J", k)), wq * m.K + wv * m.C, op = "+=" }
  end
  self:loop(self.steady_mass and self.mass or self.configure, kernel, mass)
  self:loop(self.forces, kernel, forces)
  self:loop(self.jacobian, kernel, matrix)
  self.operations = self.operations + #kernel.instances * L.operations(roots)
end

-- p, d declared when used; (void) for arguments that are not
local function function_body(lines, X, arguments)
  local text, out = table.concat(lines, "\n"):gsub("/%*.-%*/", ""), {}
  if text:find("%f[%w_]p%->") or text:find("%)p%)%[") then out[#out + 1] = ("const %s_params *const p = &s->params;"):format(X) end
  if text:find("%f[%w_]d%->") then out[#out + 1] = ("const %s_derived *const d = &s->derived;"):format(X) end
  for _, argument in ipairs(arguments) do
    local mentioned = text:find("%f[%w_]" .. argument .. "%f[^%w_]") or (argument == "s" and #out > 0)
    if not mentioned then out[#out + 1] = ("(void)%s;"):format(argument) end
  end
  append(out, lines)
  return out
end

local function parameter_name(node) return node.op == "sym" and "p->" .. node.name or nil end

-- initial values: numbers go to a table; expressions of parameters are assigned one by one. elements: blocks of meshes come first, and
-- know by themselves where they start.
local function initial_lines(blocks, tables, X, elements)
  local exceptions, lines = {}, {}
  local of_mesh = ("carom_elements_start(&%s_elements, %s_list(&s->params), q, v);"):format(X, X)
  if elements and #blocks == elements.free then return { of_mesh } end
  for _, part in ipairs { { "q", "start" }, { "v", "speed" } } do
    local letter, values = part[1], {}
    for _, block in ipairs(blocks) do
      for _, x in ipairs(block[part[2]]) do
        local node = elements and #values < elements.free and E.zero or E.lift(x)
        if node.op ~= "num" then exceptions[#exceptions + 1] = { ("%s[%d]"):format(letter, #values), node } end
        values[#values + 1] = print_c.number(node.op == "num" and node.value or 0)
      end
    end
    tables:add("double", X .. "_" .. letter .. "0", values)
    append(lines, { ("for (int i = 0; i < %d; ++i) {"):format(#values), ("    %s[i] = %s_%s0[i];"):format(letter, X, letter), "}" })
  end
  append(lines, code.block(exceptions, { indent = "", name = parameter_name }))
  if elements then lines[#lines + 1] = of_mesh end
  return lines
end

local function output_lines(eq, inputs, X)
  local list, name_of, told = {}, {}, {}
  for i, o in ipairs(eq.model.outputs) do
    if o.c then
      told[#told + 1] = ("y[%d] = %s;"):format(i - 1, (o.c:gsub("%$", X)))
    elseif not o.of_mesh then
      list[#list + 1] = { ("y[%d]"):format(i - 1), E.lift(o.expr) }
    end
  end
  for _, letter in ipairs { "q", "v" } do
    for i, symbol in ipairs(eq[letter]) do name_of[symbol] = ("%s[%d]"):format(letter, i - 1) end
  end
  local lines = function_body(code.block(list, { indent = "", name = function(node)
    if node.op ~= "sym" then return nil end
    return name_of[node] or inputs[node] or (node.kind == "time" and "t") or parameter_name(node)
  end }), X, {})
  append(lines, told)
  return lines
end

local function title_of(kernel)
  if kernel.kind == "call" then return kernel.call.of.name end
  return (kernel.kind == "row" and "gap " or kernel.kind .. " ") .. print_c.comment(kernel.args[1], 70)
end

local function zeroed(name, count)
  return { ("for (int k = 0; k < %s; ++k) {"):format(count), ("    %s[k] = 0.0;"):format(name), "}" }
end

--- The whole looped form, as lists of lines for templates/looped.c.in.
function Loop.build(eq, kernels, needs, X)
  local calls = kernels_of.calls(kernels)
  local model, n, m = eq.model, eq.n, math.max(1, #eq.rows)
  local a, entry = symbolic.pattern(n)
  local implicit = needs.free_sensitivity or needs.sensitivity or false
  local self = setmetatable({ hoisted = {}, derived = {}, inputs = {}, parameter = {}, G = {}, entry = entry,
    tables = tables_of.new(), operations = 0, configure = {}, forces = {}, bias = {}, time_rate = {}, restitution = {}, jacobian = {},
    frictional = #eq.rows > eq.gaps, rebounds = laws.written(model, "rebound"), bonds = laws.written(model, "cohesion"),
    of_laws = { cohesion = laws.written(model, "cohesion"), rebound = laws.written(model, "rebound"),
      stiffness = laws.written(model, "chain"), exponent = laws.written(model, "chain") }, velocities = n,
    adheres = laws.adheres(model),
    scaled = laws.scaled(model), gaps = eq.gaps, constraints = eq.constraints, anchored = needs.capture,
    found = model.among and found_of.contacts(model), Gp = model.among and "s->found.Gp" or X .. "_Gp", mass = {} }, B)
  local M, G = {}, {}
  local unchanging = {} -- forces
  for _, kernel in ipairs(kernels) do
    for _, entry_of in ipairs(kernel.M or {}) do M[#M + 1] = entry_of.expr end
    for _, h in ipairs(kernel.h or {}) do unchanging[#unchanging + 1] = h.expr end
    append(G, kernel.G or {})
  end
  self.steady_mass, self.steady_rows = steady.fixed(M), not model.among and not model.elements and #G > 0 and steady.fixed(G)
  for _, u in ipairs(Q.inputs(eq)) do self.inputs[u.sym] = u.from end
  for i, p in ipairs(model.parameters) do self.parameter[p.sym] = i - 1 end
  local rows = {}
  for number, kernel in ipairs(kernels) do
    kernel.id, kernel.title = "k" .. number, title_of(kernel)
    if kernels_of.is_row(kernel) then
      self:row_kernel(kernel)
      rows[#rows + 1] = kernel
    elseif kernel.kind == "call" then
      self:call_kernel(kernel)
    else
      self:term_kernel(kernel, implicit)
    end
  end
  local elements = model.elements and elements_of.add(self, model, implicit, X)
  local structure = symbolic.kkt(n, eq.constraints, a, table.move(self.G, 1, eq.gaps, 1, {}))
  local ng = structure.ng
  if #a == n and #eq.rows == eq.gaps and not model.among then structure.Wo, structure.band = banded.of(self.G, structure.flops) end
  for row = eq.gaps + 1, #eq.rows do -- tangential rows are condensed: no part of the factor
    for _, column in ipairs(self.G[row]) do
      structure.Gj[#structure.Gj + 1] = column
      ng = ng + 1
    end
    structure.Gp[#structure.Gp + 1] = ng
  end
  self.tables:structure(structure, symbolic, X)
  local found = model.among and found_of.build(model, eq.symbols, self.tables, X)
  local initial, outputs = initial_lines(eq.symbols.blocks, self.tables, X, elements), output_lines(eq, self.inputs, X)
  if elements then outputs = table.move(outputs, 1, #outputs, #elements.outputs + 1, elements.outputs) end
  local derive = {}
  for i, node in ipairs(self.derived) do derive[i] = { "d->k" .. i, node } end
  derive = code.block(derive, { indent = "", name = parameter_name })
  append(derive, self.restitution)
  local derived = {}
  for i, node in ipairs(self.derived) do derived[i] = ("double k%d; /* %s */"):format(i, print_c.comment(node, 84)) end
  if found then
    append(derive, found.derive)
    append(derived, found.derived)
  end
  local function start_with(lines, rest)
    append(lines, rest)
    return lines
  end
  -- the mass of cells is constant, too
  local configure = (elements or self.steady_mass) and { "memcpy(c->A, d->mass, sizeof c->A);" } or zeroed("c->A", #a)
  if self.steady_rows then configure[#configure + 1] = "memcpy(c->G, d->G, sizeof c->G);" end
  append(configure, self.configure)
  local forces = self.begun and not elements and self.forces or start_with(zeroed("f", n), self.forces)
  if elements or self.steady_mass then
    append(derive, zeroed("d->mass", #a))
    if elements then derive[#derive + 1] = ("carom_elements_mass(&%s_elements, %s_list(p), d->mass);"):format(X, X) end
    append(derive, self.mass)
    derived[#derived + 1] = ("double mass[%d]; /* mass matrix%s, upper triangle */"):format(#a, self.steady_mass and "" or " of the cells")
  end
  if self.steady_rows then derived[#derived + 1] = ("double G[%d]; /* of rows, which do not change */"):format(ng) end
  if elements then
    forces[#forces + 1] = ("%s_element_forces(&s->params, t, q, v, f);"):format(X)
    table.insert(self.jacobian, ("%s_element_matrix(&s->params, t, q, v, wv, wq, B, s->work.cell);"):format(X))
  end
  local bias = start_with(zeroed("gam", found and "s->found.rows" or m), self.bias)
  if found then
    append(configure, { ("const carom_found among = %s_found(s);"):format(X), "carom_found_rows(&among, q, c->g, c->G);" })
    append(bias, { ("const carom_found among = %s_found(s);"):format(X), "carom_found_bias(&among, q, v, gam);" })
  end
  if calls > 0 then table.insert(bias, 1, ("double rate[%d];"):format(calls)) end
  local product = not found and not elements and steady.product(rows, place, X .. "_Gp", X .. "_Gj") or nil
  -- contacts in a row whose W never changes: it is made once
  local near = self.steady_mass and self.steady_rows and #a == n and eq.constraints == 0
    and not (self.frictional or self.rebounds or self.bonds or self.adheres) and steady.near(self.G)
  local columns_product = near and steady.columns(rows, place, X .. "_Gp") or {}
  if near then
    derived[#derived + 1] = ("double W[%d][%d]; /* of G M^-1 G^T, each row backwards from its diagonal */"):format(eq.gaps + near, near + 1)
  end
  local void = {}
  for _, argument in ipairs { "p", "d" } do
    if not table.concat(derive, "\n"):find("%f[%w_]" .. argument .. "%f[^%w_]") then void[#void + 1] = ("(void)%s;"):format(argument) end
  end
  return {
    tables = self.tables:lines { derive, configure, forces, bias, self.time_rate, self.jacobian, initial, product or {},
      columns_product },
    derive = start_with(void, derive), derived = derived, fields = {
      "double t;", ("double q[%d];"):format(#eq.q), ("double A[%d]; /* mass matrix, upper triangle */"):format(#a),
      ("double G[%d]; /* contact Jacobian, by rows */"):format(math.max(1, ng) + (found and found.columns or 0)),
      calls > 0 and ("double call[%d]; /* touches of shapes */"):format(calls) or nil },
    configure = function_body(configure, X, { "s", "t", "q" }), forces = function_body(forces, X, { "s", "t", "q", "v" }),
    bias = function_body(bias, X, { "s", "t", "q", "v" }), time_rate = function_body(self.time_rate, X, {}),
    rheonomic = #self.time_rate > 0,
    jacobian = function_body(self.jacobian, X, { "s", "t", "q", "v", "wv", "wq", not needs.linear and "a" or nil }),
    steady = self.steady_mass and self.steady_rows and #self.bias == 0 and steady.fixed(unchanging) and not elements,
    near = near, columns_product = columns_product,
    rows_product = product, steady_mass = self.steady_mass, diagonal = #a == n, na = #a, ng = ng, structure = structure, columns = self.G,
    initial = initial, outputs = outputs,
    elements = elements, found = found,
    delassus_constant = false, total_operations = self.operations, kernels = #kernels,
    work = {
      ("double kkt[CAROM_KKT_WORK(%d, %d, %d)];"):format(n, #eq.rows, structure.nl),
      ("int ikkt[CAROM_KKT_IWORK(%d, %d)];"):format(n, #eq.rows),
      ("double dx[%d];"):format(n), ("double df[%d];"):format(n), ("double dm[%d];"):format(n),
      ("double db[%d];"):format(m), ("double dr[%d];"):format(m), ("unsigned char active[%d];"):format(m),
      needs.free_sensitivity and ("double B[%d];"):format(#a) or nil,
      needs.linear and "double weight[2]; /* of damping and stiffness in B, which stays with its factor; 0: none yet */" or nil,
    },
  }
end

return Loop
