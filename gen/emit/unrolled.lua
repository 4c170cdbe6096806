-- The unrolled form: every operator of the model as straight-line C with the model's own names. For a few coordinates and rows.
--   derived    what depends on parameters only, computed in init              d->k1 ...
--   config     what depends on (t, q): gaps, G, L D L^T of M, shared nodes     c->sin_theta1, c->G_corner1_theta1 ...
--   evaluate, bias, solve, ...   what depends on velocities, read from both
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local Q = require "gen.mech.equations"
local code = require "gen.emit.code"
local print_c = require "gen.expr.print"

local U = {}

-- identifiers that the templates use; a coordinate of that name gets an underscore in C
local reserved = {}
for word in ([[q v a r t h s c d p f u x y b i j k n e U G W Y J g dq dv gam info status set c0 c1 cs v1 q1 vf]]):gmatch("%S+") do
  reserved[word] = true
end

local function local_name(name)
  name = name:gsub("%.dot$", "_dot"):gsub("[^%w_]", "_")
  return reserved[name] and name .. "_" or name
end

--- Local C names of the model's symbols: node -> { name, from } with from the array element they are read from.
local function locals_of(eq)
  local map = {}
  for i, c in ipairs(eq.model.coordinates) do
    map[c.q] = { local_name(c.name), ("q[%d]"):format(i - 1) }
    map[c.v] = { local_name(c.name .. ".dot"), ("v[%d]"):format(i - 1) }
  end
  for i, input in ipairs(eq.model.inputs) do
    map[input.sym] = { local_name(input.name), ("s->input[%d]"):format(i - 1) }
  end
  return map
end

local B = {} -- builder
B.__index = B

function B.new(eq)
  local self = setmetatable({ eq = eq, hoisted = {}, derived = {}, stored = {}, fields = {}, taken = { t = true, g = true },
    hints = {}, locals = locals_of(eq), operations = {} }, B)
  return self
end

local function field_name(self, node)
  local hint = self.hints[node]
  if not hint and node[1] and not node[2] and node[1].op == "sym" then
    hint = node.op .. "_" .. local_name(node[1].name)
  end
  if not hint and node.op == "sym" then hint = local_name(node.name) end
  local name = hint
  if not name or self.taken[name] then
    local n = 0
    repeat
      n = n + 1
      name = (hint and hint .. "_" or "w") .. n
    until not self.taken[name]
  end
  self.taken[name] = true
  return name
end

function B:hoist(node)
  if node.op == "num" or node.op == "sym" or self.hoisted[node] then return end
  local name = "k" .. (#self.derived + 1)
  self.hoisted[node] = "d->" .. name
  self.derived[#self.derived + 1] = { name = name, node = node }
end

function B:store(node)
  if self.stored[node] then return end
  local name = field_name(self, node)
  self.stored[node] = "c->" .. name
  self.fields[#self.fields + 1] = { name = name, node = node }
end

-- everything known at `level` that these expressions build on is kept
function B:frontier(roots, level)
  local seen = {}
  local function go(node)
    if seen[node] then return end
    seen[node] = true
    local l = L.of(node)
    if l == 0 then
      self:hoist(node)
    elseif l == 1 and level == 1 and node.op ~= "num" then
      self:store(node)
    else
      for i = 1, #node do go(node[i]) end
    end
  end
  for _, root in ipairs(roots) do go(root) end
end

-- the name of a node inside a block; own = symbols that are the block's arguments
function B:namer(scope, used)
  return function(node)
    if scope ~= "derived" then
      local hoisted = self.hoisted[node]
      if hoisted then return hoisted end
      if scope ~= "config" then
        local stored = self.stored[node]
        if stored then return stored end
      end
    end
    if node.op ~= "sym" then return nil end
    if node.kind == "param" then return "p->" .. node.name end
    if node.kind == "time" then return "t" end
    local l = self.locals[node]
    if l then
      used[node] = true
      return l[1]
    end
    return node.name -- argument of the block, or C text made by this file
  end
end

local function mentions(lines, word)
  for _, line in ipairs(lines) do
    if line:find("%f[%w_]" .. word .. "%f[^%w_]") then return true end
  end
  return false
end

--- The body of a function: prologue (what it reads), assignments, and (void) for arguments it happens not to need.
function B:body(scope, assignments, arguments, prologue, prefix)
  local used = {}
  local taken = {}
  for _, symbol in ipairs(self.eq.q) do taken[self.locals[symbol][1]] = true end
  for _, symbol in ipairs(self.eq.v) do taken[self.locals[symbol][1]] = true end
  for word in next, reserved do taken[word] = true end
  local lines = code.block(assignments, { name = self:namer(scope, used), taken = taken, indent = "", prefix = prefix })
  local head = {}
  for _, line in ipairs(prologue or {}) do head[#head + 1] = line end
  for _, symbols in ipairs { self.eq.q, self.eq.v } do
    for _, symbol in ipairs(symbols) do
      if used[symbol] then head[#head + 1] = ("const double %s = %s;"):format(self.locals[symbol][1], self.locals[symbol][2]) end
    end
  end
  for _, input in ipairs(self.eq.model.inputs) do
    local l = self.locals[input.sym]
    if used[input.sym] then head[#head + 1] = ("const double %s = %s;"):format(l[1], l[2]) end
  end
  local all = {}
  local function need(name, declaration)
    for _, line in ipairs(lines) do
      if line:find("%f[%w_]" .. name .. "%->") then
        all[#all + 1] = declaration
        return
      end
    end
  end
  if scope ~= "derived" then
    need("p", ("const %s_params *const p = &s->params;"):format(self.name))
    need("d", ("const %s_derived *const d = &s->derived;"):format(self.name))
  end
  for _, line in ipairs(head) do all[#all + 1] = line end
  for _, line in ipairs(lines) do all[#all + 1] = line end
  local voids = {}
  for _, argument in ipairs(arguments) do
    if not mentions(all, argument) then voids[#voids + 1] = ("(void)%s;"):format(argument) end
  end
  for i = #voids, 1, -1 do table.insert(all, 1, voids[i]) end
  return all
end

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

--- A stand-in for a stored node: its C text; numbers and parameters stand for themselves.
function B:stand_in(node)
  if L.of(node) == 0 then return node end
  self:store(node)
  return E.sym(self.stored[node], "local")
end

-- Y = M^-1 G^T by columns and W = G Y. All of it constant: computed once in init. Else when a row is first needed.
function B:delassus(F)
  local eq, n = self.eq, self.eq.n
  local Fs, rows, constant = { L = {}, dinv = {} }, {}, true
  for i = 1, n do
    Fs.L[i], Fs.dinv[i] = {}, self:stand_in(F.dinv[i])
    for j = 1, i - 1 do if F.L[i][j] then Fs.L[i][j] = self:stand_in(F.L[i][j]) end end
  end
  for k, row in ipairs(eq.rows) do
    local b = {}
    for _, i in ipairs(Q.columns(row.G, n)) do b[i] = self:stand_in(row.G[i]) end
    local x = Q.solve(Fs, n, b)
    rows[k] = { G = b, Y = x, couplings = {}, name = row.item.name }
    for i = 1, n do constant = constant and L.of(x[i]) == 0 and (not b[i] or L.of(b[i]) == 0) end
  end
  local result = { constant = constant, rows = {}, assignments = {} }
  for k, row in ipairs(rows) do
    local Y = symbols(("c->Y[%d][%%d]"):format(k - 1), n)
    local w = {}
    for l = 1, #rows do
      local sum = E.zero
      for _, i in ipairs(Q.columns(rows[l].G, n)) do
        if row.Y[i] ~= E.zero then sum = sum + rows[l].G[i] * (constant and row.Y[i] or Y[i]) end
      end
      w[l] = sum
    end
    if constant then
      for i = 1, n do result.assignments[#result.assignments + 1] = { ("d->Y[%d][%d]"):format(k - 1, i - 1), row.Y[i] } end
      for l = 1, #rows do result.assignments[#result.assignments + 1] = { ("d->W[%d][%d]"):format(k - 1, l - 1), w[l] } end
    else
      local assignments = {}
      for i = 1, n do assignments[i] = { ("c->Y[%d][%d]"):format(k - 1, i - 1), row.Y[i] } end
      assignments[#assignments + 1] = { ("c->W[%d][%d]"):format(k - 1, k - 1), w[k] }
      self:frontier(row.Y, 0)
      local couplings = {}
      for l = 1, #rows do
        if l ~= k then
          self:frontier({ w[l] }, 0)
          couplings[#couplings + 1] = { index = l - 1, w = w[l] }
        end
      end
      result.rows[k] = { name = row.name, index = k - 1, assignments = assignments, couplings = couplings }
    end
  end
  return result
end

local function assignments_of(format, list)
  local t = {}
  for i, node in ipairs(list) do t[i] = { format:format(i - 1), node } end
  return t
end

--- The whole unrolled form of a model, as lists of lines for templates/unrolled.c.in.
function U.build(eq, needs, name)
  local self = B.new(eq)
  self.name = name
  local n, m = eq.n, #eq.rows
  local F = Q.factor(eq)
  for i = 1, n do
    local coordinate = local_name(eq.model.coordinates[i].name)
    self.hints[F.dinv[i]] = "dinv_" .. coordinate
    for j = 1, i - 1 do
      if F.L[i][j] then self.hints[F.L[i][j]] = ("L_%s_%s"):format(coordinate, local_name(eq.model.coordinates[j].name)) end
    end
    for k, row in ipairs(eq.rows) do
      if row.G[i] and not self.hints[row.G[i]] then
        self.hints[row.G[i]] = ("G_%s_%s"):format(eq.rows[k].item.name, coordinate)
      end
    end
  end
  -- what each function computes
  local rates, gaps, bias = {}, {}, {}
  for k, row in ipairs(eq.rows) do
    rates[k], gaps[k], bias[k] = dot_row(row, eq.v, n) + row.gt, row.g, row.bias
  end
  local x, b, r = symbols("x[%d]", n), symbols("b%d", n), symbols("r[%d]", m)
  local solution, products = Q.solve(F, n, b), {}
  for k, row in ipairs(eq.rows) do products[k] = dot_row(row, x, n) + row.gt end
  local homogeneous = {}
  for k, row in ipairs(eq.rows) do homogeneous[k] = dot_row(row, x, n) end
  self:frontier(eq.h, 1)
  self:frontier(rates, 1)
  if needs.bias then self:frontier(bias, 1) end
  self:frontier(solution, 1)
  self:frontier(products, 1)
  local outputs = {}
  for i, o in ipairs(eq.model.outputs) do outputs[i] = E.lift(o.expr) end
  self:frontier(outputs, 0)
  local delassus = m > 0 and self:delassus(F)
  local jacobian
  if needs.sensitivity or needs.free_sensitivity then
    local a = symbols("a[%d]", n)
    jacobian = Q.jacobians(eq, a, needs.sensitivity and m > 0 and r or nil)
  end
  local out = { constant_mass = true, rows = {}, fields = {}, derived = {} }
  -- bodies that may still hoist or store come before the lists of fields are closed
  local jacobian_lines
  if jacobian then
    local list = {}
    local function entries(format, matrix, rows_n)
      for i = 1, rows_n do
        for j = 1, n do if matrix[i][j] then list[#list + 1] = { format:format(i - 1, j - 1), matrix[i][j] } end end
      end
    end
    entries("K[%d][%d]", jacobian.K, n)
    entries("C[%d][%d]", jacobian.C, n)
    if needs.sensitivity then
      entries("Kc[%d][%d]", jacobian.Kc, m)
      entries("Cc[%d][%d]", jacobian.Cc, m)
    end
    local roots = {}
    for i, item in ipairs(list) do roots[i] = item[2] end
    self:frontier(roots, 0)
    jacobian_lines = self:body("jacobian", list, { "c", "t", "q", "v", "a", "r" })
    out.jacobian = jacobian_lines
    self.operations.jacobian = L.operations(roots)
  end
  local config_roots = {}
  for _, field in ipairs(self.fields) do config_roots[#config_roots + 1] = field.node end
  for _, g in ipairs(gaps) do config_roots[#config_roots + 1] = g end
  self:frontier(config_roots, 0)
  local restitution = {}
  for k, row in ipairs(eq.rows) do
    if row.kind == "tangent" then
      restitution[k] = E.lift(eq.rows[row.contact + 1].item.tangential_restitution or 0)
    else
      restitution[k] = row.kind == "contact" and E.lift(row.item.restitution) or E.zero
    end
  end
  local config = {}
  for _, field in ipairs(self.fields) do config[#config + 1] = { "c->" .. field.name, field.node } end
  for k = 1, eq.gaps do config[#config + 1] = { ("c->g[%d]"):format(k - 1), gaps[k], comment = eq.rows[k].item.name } end
  out.configure = self:body("config", config, { "s", "t", "q" })
  out.pivots = {}
  for i = 1, n do
    if L.of(F.dinv[i]) > 0 then
      out.constant_mass = false
      out.pivots[#out.pivots + 1] = self.stored[F.dinv[i]]
    end
  end
  out.evaluate = self:body("evaluate", assignments_of("f[%d]", eq.h), { "s", "c", "v" })
  out.rates = self:body("evaluate", assignments_of("U[%d]", rates), { "s", "c", "v" })
  out.bias = needs.bias and m > 0 and self:body("bias", assignments_of("gam[%d]", bias), { "s", "c", "v" })
  local prologue = {}
  for i = 1, n do prologue[i] = ("const double b%d = x[%d];"):format(i - 1, i - 1) end
  out.solve = self:body("solve", assignments_of("x[%d]", solution), { "s", "c" }, prologue)
  out.product = self:body("product", assignments_of("y[%d]", products), { "s", "c", "x" })
  out.homogeneous = self:body("product", assignments_of("y[%d]", homogeneous), { "s", "c", "x" })
  out.outputs = self:body("config", assignments_of("y[%d]", outputs), { "s" }, {})
  out.delassus_constant = delassus and delassus.constant
  if delassus and not delassus.constant then
    local function lines_of(assignments, prefix) -- p and d are declared once at the top of the function
      local plain = {}
      for _, line in ipairs(self:body("delassus", assignments, {}, {}, prefix)) do
        if not line:find("%*const [pd] =") then plain[#plain + 1] = line end
      end
      return plain
    end
    for k, row in ipairs(delassus.rows) do
      local couplings = {}
      for i, c in ipairs(row.couplings) do
        couplings[i] = { index = c.index, lines = lines_of({ { ("c->W[%d][%d]"):format(row.index, c.index), c.w } }, "y") }
      end
      out.rows[k] = { name = row.name, index = row.index, lines = lines_of(row.assignments), couplings = couplings }
    end
    local everything = {}
    for _, row in ipairs(delassus.rows) do for _, a in ipairs(row.assignments) do everything[#everything + 1] = a[2] end end
    self.operations.delassus = L.operations(everything)
  end
  local initial_q, initial_v = {}, {}
  for i, c in ipairs(eq.model.coordinates) do initial_q[i], initial_v[i] = E.lift(c.initial), E.lift(c.velocity) end
  out.initial = self:body("derived", assignments_of("q[%d]", initial_q), {})
  for _, line in ipairs(self:body("derived", assignments_of("v[%d]", initial_v), {})) do out.initial[#out.initial + 1] = line end
  -- the derived constants, last: now all of them are known
  local derive = {}
  for _, d in ipairs(self.derived) do derive[#derive + 1] = { "d->" .. d.name, d.node } end
  for k, e in ipairs(restitution) do derive[#derive + 1] = { ("d->e[%d]"):format(k - 1), e, comment = eq.rows[k].item.name } end
  if #eq.rows > eq.gaps then
    for k, c in ipairs(eq.model.contacts) do derive[#derive + 1] = { ("d->mu[%d]"):format(k - 1), E.lift(c.friction or 0), comment = c.name } end
  end
  if delassus and delassus.constant then
    for _, a in ipairs(delassus.assignments) do derive[#derive + 1] = a end
  end
  out.derive = self:body("derived", derive, { "p", "d" })
  for _, d in ipairs(self.derived) do
    out.derived[#out.derived + 1] = ("double %s; /* %s */"):format(d.name, print_c.comment(d.node, 84))
  end
  for _, field in ipairs(self.fields) do
    out.fields[#out.fields + 1] = ("double %s; /* %s */"):format(field.name, print_c.comment(field.node, 76))
  end
  for i = 1, n do
    if L.of(F.dinv[i]) == 0 then out.pivots_constant = out.pivots_constant or {} end
  end
  out.constant_pivots = {}
  for i = 1, n do
    if L.of(F.dinv[i]) == 0 then
      local name_of = self:namer("evaluate", {})
      out.constant_pivots[#out.constant_pivots + 1] = print_c.c(F.dinv[i], name_of)
    end
  end
  self.operations.configure = L.operations(config_roots)
  self.operations.evaluate = L.operations(eq.h)
  out.operations = self.operations
  return out
end

return U
