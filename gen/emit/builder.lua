-- Where values live in emitted C: what is known at init is hoisted into `derived`, what is known per configuration is stored
-- in `config`, and the rest is computed in the function that needs it. See gen/expr/level.lua for who knows what when.
local E = require "gen.expr.node"
local L = require "gen.expr.level"
local Q = require "gen.mech.equations"
local code = require "gen.emit.code"

-- identifiers that the templates use; a coordinate of that name gets an underscore in C
local reserved = {}
for word in ([[q v a r t h s c d p f u x y b i j k n e A C G J K U W Y g wq wv dq dv gam info status set c0 c1 cs v1 q1 vf
  sin cos tan asin acos atan atan2 exp log sqrt fabs pow hypot fmax fmin sinh cosh tanh
  floor ceil fmod]]):gmatch("%S+") do
  reserved[word] = true
end

local function local_name(name)
  name = name:gsub("%.dot$", "_dot"):gsub("[^%w_]", "_")
  return reserved[name] and name .. "_" or name
end

--- Local C names of the model's symbols: node -> { name, from } with from the array element they are read from.
local function locals_of(eq, inputs)
  local map, taken = {}, {}
  local function unique(name)
    name = local_name(name)
    while taken[name] do name = name .. "_" end
    taken[name] = true
    return name
  end
  for i, symbol in ipairs(eq.q) do map[symbol] = { unique(symbol.name), ("q[%d]"):format(i - 1) } end
  for i, symbol in ipairs(eq.v) do map[symbol] = { unique(symbol.name), ("v[%d]"):format(i - 1) } end
  for _, input in ipairs(inputs) do map[input.sym] = { unique(input.sym.name), input.from } end
  return map
end

local B = {}
B.__index = B

--- A builder for the equations eq; `name` is the prefix of everything emitted.
function B.new(eq, name)
  local inputs = Q.inputs(eq)
  local taken = {} -- what the templates keep there themselves
  for word in ("t g slide G W Y have count known"):gmatch("%a+") do taken[word] = true end
  return setmetatable({ eq = eq, name = name, inputs = inputs, hoisted = {}, derived = {}, stored = {}, fields = {}, taken = taken,
    numbers = {}, apart = {}, hints = {}, locals = locals_of(eq, inputs) }, B)
end

--- What a node should be called when it is stored; the first hint stays.
function B:hint(node, name)
  self.hints[node] = self.hints[node] or name
end

local function field_name(self, node)
  local hint = self.hints[node]
  if not hint and node[1] and not node[2] and node[1].op == "sym" then
    hint = node.op .. "_" .. local_name(node[1].name)
  end
  if not hint and node.op == "sym" then hint = local_name(node.name) end
  local name = hint
  if not name or self.taken[name] then
    local stem = hint and hint .. "_" or "w"
    local n = self.numbers[stem] or 0
    repeat
      n = n + 1
      name = stem .. n
    until not self.taken[name]
    self.numbers[stem] = n
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

--- What is stored from here on is that of tangents alone, which are there where a contact has friction: not all functions may look at it.
function B:tangents(on) self.of_tangents = on or nil end

function B:store(node)
  if self.stored[node] then return end
  local name = field_name(self, node)
  self.stored[node] = "c->" .. name
  self.fields[#self.fields + 1] = { name = name, node = node, tangent = self.of_tangents }
  self.apart[node] = self.of_tangents
end

-- everything known at `level` that these expressions build on is kept; dear: only where it costs so much to compute it once more
function B:frontier(roots, level, dear)
  local seen = {}
  local function go(node)
    if seen[node] then return end
    seen[node] = true
    local l = L.of(node)
    if l == 0 then
      self:hoist(node)
    elseif l == 1 and level == 1 and node.op ~= "num" and (not dear or node.op == "sym" or L.cost_of(node) >= dear) then
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
        if stored and not (scope == "jacobian" and self.apart[node]) then return stored end
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
  for _, input in ipairs(self.inputs) do
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

--- A stand-in for a node that is kept: of parameters alone in `derived`, else in `config`.
function B:kept(node)
  if L.of(node) == 0 then
    self:hoist(node)
    return self.hoisted[node] and E.sym(self.hoisted[node], "local") or node
  end
  return self:stand_in(node)
end

--- A stand-in for a stored node: its C text; numbers and parameters stand for themselves.
function B:stand_in(node)
  if L.of(node) == 0 then return node end
  self:store(node)
  return E.sym(self.stored[node], "local")
end

B.local_name = local_name

return B
