-- The equations of a whole model as expressions: M(q) v' = h(t,q,v) + G(q,t)^T r, rows g(q,t) with G = dg/dq,
-- rates U = G v + g_t and bias gam, so that g'' = G v' + gam. Constraints come first among the rows, then contacts.
local E = require "gen.expr.node"
local D = require "gen.expr.diff"
local L = require "gen.expr.level"
local collect = require("gen.expr.collect").collect
local blocks = require "gen.system.blocks"
local pieces = require "gen.mech.pieces"

local Q = {}

--- Symbols and what they belong to: blocks, all directions of motion, the symbols q and v of positions and velocities in the order of the
-- system's vectors, names of the latter; entries[symbol]: the directions that a symbol brings along, places[symbol]: where it stands.
function Q.symbols(model)
  local list = blocks.of(model)
  local s = { time = model.time, blocks = list, places = blocks.places(list), all = blocks.directions(list), entries = {}, q = {}, v = {},
    names = {} }
  local at = 0
  for _, block in ipairs(list) do
    local directions = table.move(s.all, at + 1, at + #block.v, 1, {})
    at = at + #block.v
    for _, q in ipairs(block.q) do
      s.q[#s.q + 1], s.entries[q] = q, directions
    end
    for _, v in ipairs(block.v) do
      s.v[#s.v + 1], s.entries[v] = v, directions
      s.names[#s.names + 1] = block.kind == "scalar" and block.name or v.name
    end
  end
  return s
end

--- Tangential rows come last; each knows its contact. add(contact, name, expression) appends one.
function Q.tangents(eq, add)
  eq.dimension = 1
  for k, c in ipairs(eq.model.contacts) do
    c.tangents = {}
    for i, expr in ipairs(c.frictional and (c.slide or c.slip) or {}) do
      add(c, c.name .. "_t" .. i, expr)
      local row = eq.rows[#eq.rows]
      row.contact, row.displacement = eq.constraints + k - 1, c.slide ~= nil
      c.tangents[i] = #eq.rows - 1
      eq.dimension = math.max(eq.dimension, i + 1)
    end
  end
end

--- What is constant during a step: list of { sym =, from = C text of its value in the state s } for inputs and for forces of the last
-- step; a row that a form leaves out (friction that is 0) carries none.
function Q.inputs(eq)
  local list, row_of = {}, {}
  for i, u in ipairs(eq.model.inputs) do list[i] = { sym = u.sym, from = ("s->input[%d]"):format(i - 1) } end
  for k, c in ipairs(eq.model.constraints) do row_of[c] = k - 1 end
  for k, c in ipairs(eq.model.contacts) do row_of[c] = #eq.model.constraints + k - 1 end
  for _, f in ipairs(eq.model.felt or {}) do
    local row = row_of[f.of]
    if f.part > 0 then row = f.of.tangents[f.part] end
    list[#list + 1] = { sym = f.sym, from = row and ("(s->last[%d] / s->last_step)"):format(row) or "0.0" }
  end
  return list
end

--- Sizes and names only, for models that are not summed up (looped form).
function Q.outline(model)
  local symbols = Q.symbols(model)
  local eq = { model = model, n = #symbols.v, simple = symbols.blocks.scalars, q = symbols.q, v = symbols.v, names = symbols.names,
    rows = {}, constraints = #model.constraints, symbols = symbols }
  for _, c in ipairs(model.constraints) do eq.rows[#eq.rows + 1] = { kind = "constraint", item = c } end
  for _, c in ipairs(model.contacts) do eq.rows[#eq.rows + 1] = { kind = "contact", item = c } end
  eq.gaps = #eq.rows
  Q.tangents(eq, function(c, name) eq.rows[#eq.rows + 1] = { kind = "tangent", item = { name = name, line = c.line } } end)
  return eq
end

local function as_it_is(x) return x end

--- All equations summed up, each entry in its cheapest form: alone, or together with the others where they share a recursion.
function Q.derive(model)
  local symbols = Q.symbols(model)
  local n = #symbols.all
  local along = pieces.along(symbols.all)
  local eq = { model = model, n = n, simple = symbols.blocks.scalars, q = symbols.q, v = symbols.v, names = symbols.names, M = {}, h = {},
    rows = {}, symbols = symbols, slope = along.slope, seed = along.seed, shared = false }
  local alone, shared = { M = {}, h = {}, cheapest = collect }, { M = {}, h = {}, cheapest = as_it_is }
  for i = 1, n do
    eq.M[i], eq.h[i] = {}, E.zero
    for _, sum in ipairs { alone, shared } do sum.M[i], sum.h[i] = {}, E.zero end
  end
  for _, piece in ipairs(pieces.split(model)) do
    local sum = pieces.shared[piece.kind] and shared or alone
    eq.shared = eq.shared or sum == shared
    local ctx = pieces.context(piece.args, symbols)
    local at = ctx.list
    pieces.derive(piece, ctx, {
      M = function(i, j, x)
        local a, b = math.max(at[i], at[j]), math.min(at[i], at[j])
        sum.M[a][b] = (sum.M[a][b] or E.zero) + x
      end,
      h = function(i, x) sum.h[at[i]] = sum.h[at[i]] + x end,
    })
  end
  for i = 1, n do
    for _, sum in ipairs { alone, shared } do
      eq.h[i] = eq.h[i] + sum.cheapest(sum.h[i])
      for j = 1, i do
        if sum.M[i][j] then eq.M[i][j] = (eq.M[i][j] or E.zero) + sum.cheapest(sum.M[i][j]) end
        if eq.M[i][j] == E.zero then eq.M[i][j] = nil end
      end
    end
  end
  local function add_row(kind, item, row, ctx)
    local full = { kind = kind, item = item, g = collect(row.g), G = {}, gt = collect(row.gt), bias = collect(row.bias) }
    for k, index in ipairs(ctx.list) do
      local x = collect(row.G[k])
      if x ~= E.zero then full.G[index] = x end
    end
    eq.rows[#eq.rows + 1] = full
    return full
  end
  local function add_gap(kind, item, gap)
    local ctx = pieces.context({ gap }, symbols)
    add_row(kind, item, pieces.row(gap, ctx, model.time, item.rate), ctx)
  end
  for _, c in ipairs(model.constraints) do add_gap("constraint", c, c.expr) end
  eq.constraints = #eq.rows
  for _, c in ipairs(model.contacts) do add_gap("contact", c, c.gap) end
  eq.gaps = #eq.rows
  Q.tangents(eq, function(c, name, expr)
    local ctx = pieces.context({ expr }, symbols)
    add_row("tangent", { name = name, line = c.line }, pieces.tangent(c.slide and expr, c.slip and expr, ctx, model.time), ctx)
  end)
  return eq
end

--- Columns of a sparse row in increasing order.
function Q.columns(row_G, n)
  local list = {}
  for i = 1, n do if row_G[i] then list[#list + 1] = i end end
  return list
end

--- What the schemes want to know: does the (constrained) acceleration depend on the state at all?
-- "time only" means constant M, affine gaps and h(t): then one pass over the stages is exact.
local STEPS = { floor = true, ceil = true, sign = true, fmod = true, lt = true, le = true, select = true, min = true, max = true,
  abs = true }

-- Does an expression hold a function with steps or kinks of these kinds of symbols? Their derivatives do not tell.
local function has_steps(node, has)
  local seen = {}
  local function go(n)
    if seen[n] == nil then
      seen[n] = false
      local found = STEPS[n.op] and has(n) or false
      for i = 1, #n do found = found or E.is(n[i]) and go(n[i]) end
      seen[n] = found
    end
    return seen[n]
  end
  return go(node)
end

-- Are the forces affine in positions and velocities (whatever they do in time)? Then one Newton step ends on the solution.
local function affine_forces(eq, has)
  local moving = { q = true, v = true }
  local function moves(node) return has(node, moving) end
  for i = 1, eq.n do
    if has_steps(eq.h[i], moves) then return false end
    for _, symbols in ipairs { eq.q, eq.v } do
      for _, slope in ipairs(D.gradient(eq.h[i], symbols)) do
        if moves(collect(slope)) then return false end
      end
    end
  end
  return true
end

function Q.features(eq)
  local f = { constant_mass = true, affine_gaps = true, force = "time" }
  local function has(node, kinds)
    for _, s in ipairs(E.symbols(node)) do if kinds[s.kind] then return true end end
  end
  for i = 1, eq.n do
    for j = 1, i do
      if eq.M[i][j] and L.of(eq.M[i][j]) > 0 then f.constant_mass = false end
    end
    if has(eq.h[i], { q = true, v = true }) then f.force = "state" end
  end
  for _, row in ipairs(eq.rows) do
    if has(row.bias, { q = true, v = true }) then f.affine_gaps = false end
    for _, i in ipairs(Q.columns(row.G, eq.n)) do
      if has(row.G[i], { q = true }) then f.affine_gaps = false end
    end
  end
  -- in space friction depends on the direction of sliding, so on the velocities
  f.time_only = f.constant_mass and f.affine_gaps and f.force == "time" and eq.dimension < 3
  f.rotations = eq.n > eq.simple
  f.affine = f.constant_mass and f.affine_gaps and f.force == "state" and not f.rotations and affine_forces(eq, has)
  return f
end

local function put(row, j, x) if x ~= E.zero then row[j] = x end end

-- Derivatives of a list of expressions by positions and velocities, expression by expression, each entry for itself ...
local function rows_of(eq, list, into_q, into_v)
  for i, expr in ipairs(list) do
    into_q[i], into_v[i] = {}, {}
    local dq, dv = eq.slope(expr), D.gradient(expr, eq.v)
    for j = 1, eq.n do
      put(into_q[i], j, collect(dq[j]))
      put(into_v[i], j, collect(dv[j]))
    end
  end
end

-- ... or variable by variable, where the expressions share a recursion: its derivative is shared as well.
local function columns_of(eq, list, into_q, into_v)
  for i = 1, #list do into_q[i], into_v[i] = {}, {} end
  for j = 1, eq.n do
    for i, x in ipairs(D.totals(list, eq.seed[j])) do put(into_q[i], j, x) end
    for i, x in ipairs(D.totals(list, { [eq.v[j]] = E.one })) do put(into_v[i], j, x) end
  end
end

-- The same where expressions hold what calls give: it counts as constant. (Normals and arms of touches: the matrix of an iteration does
-- without their derivatives.)
local function slopes_of(eq, list, into_q, into_v)
  local there, back, count = {}, {}, 0
  E.walk(list, function(n)
    if n.op == "part" then
      count = count + 1
      there[n] = E.sym("held" .. count, "local")
      back[there[n]] = n
    end
  end)
  local held, memo = {}, {}
  for i, node in ipairs(list) do held[i] = count > 0 and E.substitute(node, there, memo) or node end
  local sparse = eq.shared and columns_of or rows_of
  sparse(eq, held, into_q, into_v)
  memo = {}
  for _, into in ipairs { into_q, into_v } do
    for i = 1, count > 0 and #list or 0 do
      for j = 1, eq.n do into[i][j] = into[i][j] and E.substitute(into[i][j], back, memo) end
    end
  end
end

--- Jacobians for implicit schemes: of rho = M a - h - G^T r and of the rows G a + bias, by q and by v; a, r given as symbols.
-- Entries are sparse: result.K[i][j] = d rho_i / d q_j and so on.
function Q.jacobians(eq, a, r)
  local J = { K = {}, C = {}, Kc = {}, Cc = {} }
  local rhos, accelerations = {}, {}
  for i = 1, eq.n do
    local rho = -eq.h[i]
    for j = 1, eq.n do
      local m = eq.M[math.max(i, j)][math.min(i, j)]
      if m and L.of(m) > 0 then rho = rho + m * a[j] end
    end
    if r then
      for k, row in ipairs(eq.rows) do
        if row.G[i] and L.of(row.G[i]) > 0 then rho = rho - row.G[i] * r[k] end
      end
    end
    rhos[i] = rho
  end
  for k, row in ipairs(eq.rows) do
    local accel = row.bias
    for _, i in ipairs(Q.columns(row.G, eq.n)) do
      if L.of(row.G[i]) > 0 then accel = accel + row.G[i] * a[i] end
    end
    accelerations[k] = accel
  end
  slopes_of(eq, rhos, J.K, J.C)
  slopes_of(eq, accelerations, J.Kc, J.Cc)
  return J
end

--- Operations of M and h together, with sharing: the length of the dynamics without contacts.
function Q.operations(eq)
  local roots = {}
  for i = 1, eq.n do
    roots[#roots + 1] = eq.h[i]
    for j = 1, i do roots[#roots + 1] = eq.M[i][j] end -- nothing where it is 0
  end
  return L.operations(roots)
end

--- M = L D L^T symbolically: unit lower L (sparse), and the reciprocals of D.
function Q.factor(eq)
  local n = eq.n
  local F = { L = {}, dinv = {}, d = {} }
  for i = 1, n do
    F.L[i] = {}
    for j = 1, i - 1 do
      local sum = eq.M[i][j]
      for k = 1, j - 1 do
        if F.L[i][k] and F.L[j][k] then
          sum = (sum or E.zero) - F.L[i][k] * F.L[j][k] * F.d[k]
        end
      end
      if sum and sum ~= E.zero then F.L[i][j] = sum * F.dinv[j] end
    end
    local d = eq.M[i][i] or E.zero
    for k = 1, i - 1 do
      if F.L[i][k] then d = d - F.L[i][k] ^ 2 * F.d[k] end
    end
    F.d[i] = d
    F.dinv[i] = d == E.zero and E.zero or 1 / d
  end
  return F
end

--- The solution of M x = b, b a list of expressions (missing entries are zero); L and dinv may be replaced by stand-ins.
function Q.solve(F, n, b)
  local x = {}
  for i = 1, n do
    local sum = b[i] or E.zero
    for j = 1, i - 1 do
      if F.L[i][j] and x[j] ~= E.zero then sum = sum - F.L[i][j] * x[j] end
    end
    x[i] = sum
  end
  for i = 1, n do x[i] = x[i] * F.dinv[i] end
  for i = n, 1, -1 do
    for j = i + 1, n do
      if F.L[j][i] and x[j] ~= E.zero then x[i] = x[i] - F.L[j][i] * x[j] end
    end
  end
  return x
end

return Q
