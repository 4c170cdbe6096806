-- Alike terms, found and rolled. Two pieces are alike when they are the same expression up to the names of blocks (coordinates,
-- rotations) and parameters and the values of numbers. A kernel is such an expression on local blocks x0, r1, ...; its instances say
-- which blocks, parameters and numbers each copy uses. Work grows with kernels, only tables grow with instances.
local E = require "gen.expr.node"
local D = require "gen.expr.diff"
local blocks = require "gen.system.blocks"
local collect = require("gen.expr.collect").collect
local has_steps = require "gen.expr.steps"
local pieces = require "gen.mech.pieces"
local print_c = require "gen.expr.print"

local K = {}

local LETTER = { scalar = "x", rotation = "r" }

-- Shape of a list of expressions: a key, and the slots (blocks, parameters, numbers) in order of first appearance.
-- data: numbers that stand for symbols of the kind "data" (a place of a mesh): each has a slot of its own.
local function shape_of(kind, args, symbols, data)
  local shape = { blocks = {}, parameters = {}, numbers = {}, stands_for = {} }
  local slot, parts, count = {}, { kind }, 0
  local function take(list, letter, item)
    if not slot[item] then
      list[#list + 1] = item
      slot[item] = letter .. #list
    end
    return slot[item]
  end
  local local_number = {}
  -- Numbers of a call come in groups; a row uses those of one group, and which one is data of the instance.
  local function part_of(node)
    local first = (node.k - 1) // node[1].of.group * node[1].of.group
    shape.part = shape.part or { call = node[1], first = first }
    return node.k - first .. (shape.part.first ~= first and "of another" or "")
  end
  local function go(node, exponent)
    if local_number[node] and not exponent then return local_number[node] end
    local text
    if node.op == "num" then
      -- exponents, 0 and 1 shape the expression; other numbers are data
      text = (exponent or node.value == 0 or node.value == 1) and ("=%.17g"):format(node.value)
        or take(shape.numbers, "c", node)
      if exponent then return text end
    elseif node.op == "sym" then
      local place = symbols.places[node]
      if place then
        text = take(shape.blocks, LETTER[place.block.kind], place.block) .. place.part .. place.k
      elseif node.kind == "param" then
        text = take(shape.parameters, "p", node)
      elseif node.kind == "data" then
        if not slot[node] then
          shape.numbers[#shape.numbers + 1] = E.num(data[node])
          slot[node] = "c" .. #shape.numbers
          shape.stands_for[#shape.numbers] = node
        end
        text = slot[node]
      else
        text = node.kind .. ":" .. node.name
      end
    else
      local children = {}
      for i = 1, #node do children[i] = go(node[i], node.op == "pow" and i == 2) end
      local what = node.op == "part" and "part" .. part_of(node) or node.of and node.of.name or node.op
      text = what .. "(" .. table.concat(children, ",") .. ")"
    end
    count = count + 1
    parts[#parts + 1] = text
    local_number[node] = "#" .. count
    return local_number[node]
  end
  for i, arg in ipairs(args) do
    local root = go(arg) -- appends the parts of arg: only then is the next place known
    parts[#parts + 1] = "arg" .. i .. "=" .. root
  end
  shape.key = table.concat(parts, ";")
  return shape
end

-- replaces slots by local symbols; exponents keep their numbers
local function localise(node, map, memo)
  local known = map[node] or memo[node]
  if known then return known end
  local result = E.map(node, function(child, i)
    if i == 2 and node.op == "pow" and child.op == "num" then return child end
    return localise(child, map, memo)
  end)
  memo[node] = result
  return result
end

-- One kernel from its instances: what varies becomes a local symbol, what does not stays burnt in.
local function close_kernel(kernel, symbols)
  local first = kernel.instances[1]
  local map = {}
  kernel.blocks, kernel.data, kernel.parameters = {}, {}, {}
  for i, block in ipairs(first.shape.blocks) do
    local mine = blocks.stand_in(block, i - 1)
    kernel.blocks[i] = mine
    for _, part in ipairs { "q", "v" } do
      for k, symbol in ipairs(block[part]) do map[symbol] = mine[part][k] end
    end
  end
  local function varying(field, target, letter)
    for i, item in ipairs(first.shape[field]) do
      local stands_for = field == "numbers" and first.shape.stands_for[i]
      if stands_for then map[stands_for] = item end
      for _, instance in ipairs(kernel.instances) do
        if instance.shape[field][i] ~= item then
          local symbol = E.sym(letter .. #target, "data")
          target[#target + 1] = { symbol = symbol, slot = i }
          map[stands_for or item] = symbol
          break
        end
      end
    end
  end
  varying("parameters", kernel.parameters, "p")
  varying("numbers", kernel.data, "c")
  local memo = {}
  kernel.args = {}
  for i, arg in ipairs(first.args) do kernel.args[i] = localise(arg, map, memo) end
  kernel.ctx = pieces.along(blocks.directions(kernel.blocks))
  kernel.v = kernel.ctx.v
  kernel.ctx.rate[symbols.time] = E.one
end

local function as_it_is(x) return x end

local function derive_piece(kernel)
  local cheapest = pieces.shared[kernel.kind] and as_it_is or collect
  kernel.M, kernel.h = {}, {}
  pieces.derive(kernel, kernel.ctx, {
    M = function(i, j, x) kernel.M[#kernel.M + 1] = { i = i, j = j, expr = cheapest(x) } end,
    h = function(i, x)
      x = cheapest(x)
      if x ~= E.zero then kernel.h[#kernel.h + 1] = { i = i, expr = x } end
    end,
  })
end

local function derive_row(kernel, time)
  local slide, slip = kernel.kind == "slide" and kernel.args[1], kernel.kind == "slip" and kernel.args[1]
  local row = (slide or slip) and pieces.tangent(slide, slip, kernel.ctx, time)
    or pieces.row(kernel.args[1], kernel.ctx, time, kernel.args[11])
  kernel.gap, kernel.gt, kernel.bias, kernel.restitution = row.g, collect(row.gt), collect(row.bias), kernel.args[2]
  kernel.friction = kernel.kind == "row" and kernel.args[3] or nil
  kernel.rebound = kernel.kind == "row" and kernel.args[4] or nil
  kernel.cohesion = kernel.kind == "row" and kernel.args[5] or nil
  kernel.adhesion = kernel.kind == "row" and kernel.args[6] and { kernel.args[6], kernel.args[7], kernel.args[8] } or nil
  kernel.stiffness = kernel.kind == "row" and kernel.args[9] or nil
  kernel.exponent = kernel.kind == "row" and kernel.args[10] or nil
  kernel.along = kernel.kind ~= "row" and kernel.args[3] or nil
  kernel.G = {}
  for k = 1, #kernel.v do kernel.G[k] = collect(row.G[k]) end
end

--- Rows of G: constraints and gaps ("row"), tangential displacements and velocities ("slide", "slip").
function K.is_row(kernel) return kernel.kind == "row" or kernel.kind == "slide" or kernel.kind == "slip" end

-- Derivations along each direction of motion of a kernel, and by each velocity: functions of a node.
local function slopes(kernel)
  local by = { q = {}, v = {} }
  for i, v in ipairs(kernel.v) do
    by.q[i], by.v[i] = D.derivation(kernel.ctx.seed[i]), D.derivation { [v] = E.one }
  end
  return by
end

-- Are the forces of a kernel affine in the state, with constant symmetric stiffness and damping? (The looped form keeps the symmetric
-- parts only; an implicit step with them ends on the solution only when there is nothing else.)
local function is_linear(kernel)
  local function constant(node)
    for _, s in ipairs(E.symbols(node)) do if s.kind ~= "param" and s.kind ~= "data" and s.kind ~= "const" then return false end end
    return true
  end
  for _, m in ipairs(kernel.M) do if not constant(m.expr) then return false end end
  local h, by = {}, slopes(kernel)
  local function moves(node)
    for _, s in ipairs(E.symbols(node)) do if s.kind == "q" or s.kind == "v" then return true end end
  end
  for i = 1, #kernel.v do h[i] = E.zero end
  for _, entry in ipairs(kernel.h) do
    h[entry.i] = h[entry.i] + entry.expr
    if has_steps(entry.expr, moves) then return false end
  end
  for i = 1, #kernel.v do
    for j = 1, i do
      for _, part in ipairs { "q", "v" } do
        local upper, lower = collect(by[part][j](h[i])), collect(by[part][i](h[j]))
        if upper ~= lower or not constant(upper) then return false end
      end
    end
  end
  return true
end

-- A tree of more joints gives nothing to the matrix of implicit schemes: its slopes are full and their text grows with the square
-- of the joints (30 joints: 43 752 lines of C, without them 5036), while what it feels of its own motion is not stiff. Springs on
-- it are terms of their own and stay in the matrix.
local TREE = 16

--- Symmetric parts of d(M a - h) along each direction and by each velocity, for implicit schemes; a are local symbols.
function K.jacobian(kernel)
  if kernel.kind == "tree" and #kernel.v > TREE then return {} end
  local a, rho = {}, {}
  for i = 1, #kernel.v do
    a[i] = E.sym("a" .. i - 1, "a")
    rho[i] = E.zero
  end
  for _, m in ipairs(kernel.M) do
    rho[m.i] = rho[m.i] + m.expr * a[m.j]
    if m.i ~= m.j then rho[m.j] = rho[m.j] + m.expr * a[m.i] end
  end
  for _, h in ipairs(kernel.h) do rho[h.i] = rho[h.i] - h.expr end
  local entries, by = {}, slopes(kernel)
  for i = 1, #kernel.v do
    for j = 1, i do
      local function symmetric(part) return collect(0.5 * (by[part][j](rho[i]) + by[part][i](rho[j]))) end
      local k, c = symmetric "q", symmetric "v"
      if k ~= E.zero or c ~= E.zero then entries[#entries + 1] = { i = i, j = j, K = k, C = c } end
    end
  end
  return entries
end

--- All kernels of a model: list of { kind, args, blocks, v (all velocities of the blocks), data, parameters,
-- instances = { { shape = { blocks, parameters, numbers }, row } } }.
-- Terms come first, then constraints, then contacts, each in order of first appearance; rows keep their global number.
function K.find(model, symbols)
  local kernels, by_key, places = {}, {}, {}
  local function add(kind, piece, row)
    local shape = shape_of(kind .. (piece.layout or ""), piece.args, symbols, piece.data)
    local kernel = by_key[shape.key]
    if not kernel then
      kernel = { kind = kind, layout = piece.layout, key = shape.key, instances = {}, line = piece.line }
      by_key[shape.key] = kernel
      kernels[#kernels + 1] = kernel
    end
    kernel.instances[#kernel.instances + 1] = { shape = shape, args = piece.args, row = row, line = piece.line, boundary = piece.boundary,
      part = kind == "call" and row or shape.part and places[shape.part.call] + shape.part.first or nil }
  end
  local calls = 0 -- numbers of all calls so far: each is made once, for all rows that use it
  for _, c in ipairs(model.contacts) do
    local call = c.gap.op == "part" and c.gap[1]
    if call and not places[call] then
      places[call] = calls
      calls = calls + call.of.count
      add("call", { args = { call }, line = c.line }, places[call])
    end
  end
  for _, piece in ipairs(pieces.split(model)) do add(piece.kind, piece) end
  local rows = 0
  for _, c in ipairs(model.constraints) do
    add("row", { args = { c.expr, E.zero }, line = c.line, data = c.data }, rows)
    rows = rows + 1
  end
  for _, c in ipairs(model.contacts) do
    local friction = c.frictional and E.lift(c.friction) or E.zero
    local a = c.adhesion or { E.zero, E.zero, E.zero }
    local rebound, cohesion = E.lift(c.rebound or 0), E.lift(c.cohesion or 0)
    local stiffness, exponent = E.lift(c.impact_stiffness or 0), E.lift(c.impact_exponent or 0) -- of chains
    add("row", { args = { c.gap, E.lift(c.restitution), friction, rebound, cohesion, a[1], a[2], a[3], stiffness, exponent, c.rate },
      line = c.line, data = c.data, boundary = c.boundary }, rows)
    rows = rows + 1
  end
  for _, c in ipairs(model.contacts) do
    for i, expr in ipairs(c.frictional and (c.slide or c.slip) or {}) do
      add(c.slide and "slide" or "slip", { args = { expr, E.lift(c.tangential_restitution or 0), c.factors and c.factors[i] or E.one },
        line = c.line, data = c.data, boundary = c.boundary }, rows)
      rows = rows + 1
    end
  end
  for _, kernel in ipairs(kernels) do
    close_kernel(kernel, symbols)
    if K.is_row(kernel) then
      derive_row(kernel, symbols.time)
    elseif kernel.kind == "call" then
      kernel.call, kernel.rates = kernel.args[1], D.total(kernel.args[1], kernel.ctx.rate)
      kernel.M, kernel.h = {}, {}
    else
      derive_piece(kernel)
    end
  end
  return kernels
end

--- How many numbers the calls of all kernels give.
function K.calls(kernels)
  local count = 0
  for _, kernel in ipairs(kernels) do
    if kernel.kind == "call" then count = count + #kernel.instances * kernel.call.of.count end
  end
  return count
end

--- The kernels as text, for people: x0, r1 ... are the blocks of an instance, c0 ... its numbers, p0 ... its parameters; rows and columns
-- are named by velocities.
function K.text(kernels)
  local lines = {}
  local function say(format, ...) lines[#lines + 1] = format:format(...) end
  for _, kernel in ipairs(kernels) do
    local function name(i) return (kernel.v[i].name:gsub("_dot$", "")) end
    local row = K.is_row(kernel)
    say("%s, %d instances, the first from line %d: %s", row and kernel.kind ~= "row" and "tangent" or kernel.kind, #kernel.instances,
      kernel.line or 0, print_c.text(kernel.args[1]))
    for _, m in ipairs(kernel.M or {}) do say("  M[%s][%s] += %s", name(m.i), name(m.j), print_c.text(m.expr)) end
    for _, h in ipairs(kernel.h or {}) do say("  h[%s] += %s", name(h.i), print_c.text(h.expr)) end
    for i, g in ipairs(kernel.G or {}) do say("  G[%s] = %s", name(i), print_c.text(g)) end
    if row and kernel.gt ~= E.zero then say("  g_t = %s", print_c.text(kernel.gt)) end
    if row then say("  gam = %s", print_c.text(kernel.bias)) end
  end
  return table.concat(lines, "\n") .. "\n"
end

--- What the schemes want to know (see equations.features), without summing the model up; turning: some blocks are rotations.
function K.features(kernels, turning)
  local f = { rotations = turning, constant_mass = true, affine_gaps = true, constant_rows = true, force = "time", linear = true,
    steady = true }
  -- what entries share is looked at once
  local function finder(kinds)
    local known = {}
    local function go(node)
      local found = known[node]
      if found == nil then
        found = node.op == "sym" and kinds[node.kind] or false
        for i = 1, #node do found = go(node[i]) or found end
        known[node] = found
      end
      return found
    end
    return go
  end
  local of_state, of_time = finder { q = true, v = true }, finder { time = true }
  local changes = finder { q = true, v = true, time = true, input = true }
  for _, kernel in ipairs(kernels) do
    if K.is_row(kernel) then
      if of_state(kernel.bias) then f.affine_gaps = false end
      f.steady = f.steady and not changes(kernel.bias)
      for _, g in ipairs(kernel.G) do
        if of_state(g) then f.affine_gaps = false end
        if of_state(g) or of_time(g) then f.constant_rows = false end
        f.steady = f.steady and not changes(g)
      end
    else
      for _, m in ipairs(kernel.M) do
        if of_state(m.expr) then f.constant_mass = false end
        f.steady = f.steady and not changes(m.expr)
      end
      for _, h in ipairs(kernel.h) do
        if of_state(h.expr) then f.force = "state" end
        f.steady = f.steady and not changes(h.expr)
      end
      f.linear = f.linear and is_linear(kernel)
    end
  end
  f.linear = f.linear and f.constant_mass and f.affine_gaps and f.constant_rows
  f.time_only = f.constant_mass and f.affine_gaps and f.force == "time"
  f.steady = f.steady and f.time_only
  return f
end

return K
