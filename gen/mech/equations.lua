-- The equations of a whole model as expressions: M(q) v' = h(t,q,v) + G(q,t)^T r, rows g(q,t) with G = dg/dq,
-- rates U = G v + g_t and bias gam, so that g'' = G v' + gam. Constraints come first among the rows, then contacts.
local E = require "gen.expr.node"
local D = require "gen.expr.diff"
local L = require "gen.expr.level"
local collect = require("gen.expr.collect").collect
local has_steps = require "gen.expr.steps"
local blocks = require "gen.system.blocks"
local laws = require "gen.mech.laws"
local pieces = require "gen.mech.pieces"
local tree = require "gen.mech.tree"

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
  eq.dimension, eq.rides = 1, laws.rides(eq.model)
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

--- What is constant during a step: list of { sym =, from = C text of its value in the state s } for inputs, for forces of the last
-- step and for sides of switches; a row that a form leaves out (friction that is 0) carries none.
function Q.inputs(eq)
  local list, row_of = {}, {}
  for i, u in ipairs(eq.model.inputs) do list[i] = { sym = u.sym, from = ("s->input[%d]"):format(i - 1) } end
  for k, c in ipairs(eq.model.constraints) do row_of[c] = k - 1 end
  for k, c in ipairs(eq.model.contacts) do row_of[c] = #eq.model.constraints + k - 1 end
  for _, f in ipairs(eq.model.felt or {}) do
    local row = row_of[f.of]
    if f.intensity then list[#list + 1] = { sym = f.sym, from = ("s->intensity[%d]"):format(row - #eq.model.constraints) } end
    if f.part and f.part > 0 then row = f.of.tangents[f.part] end
    if f.part then list[#list + 1] = { sym = f.sym, from = row and ("(s->last[%d] / s->last_step)"):format(row) or "0.0" } end
  end
  for _, side in ipairs(eq.sides or {}) do list[#list + 1] = side end
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

-- The trees whose M is all theirs but for the diagonal, by what else there is in M: these may be solved by recursion.
local function free_trees(trees, M, n)
  local result = {}
  for _, own in ipairs(trees) do
    local free, inside = true, {}
    for _, link in ipairs(own.links) do inside[own.at[link]] = link end
    for i = 1, n do
      for j = 1, i do
        if M[i][j] and (inside[i] or inside[j]) then
          free = free and i == j
          own.rotor[inside[i] or inside[j]] = M[i][j]
        end
      end
    end
    if free then result[#result + 1] = own end
  end
  return result
end

-- A sum of matrices, entries of the lower triangle; what is zero is not there.
local function added(A, B, n)
  local C = {}
  for i = 1, n do
    C[i] = {}
    for j = 1, i do
      local x = (A[i][j] or E.zero) + (B[i][j] or E.zero)
      if x ~= E.zero then C[i][j] = x end
    end
  end
  return C
end

--- All equations summed up, each entry in its cheapest form: alone, or together with the others where they share a recursion.
-- M of trees is summed up when eq.M is first asked for: who solves them by recursion never does.
function Q.derive(model)
  local symbols = Q.symbols(model)
  local n = #symbols.all
  local along = pieces.along(symbols.all)
  local alone, shared, trees = { M = {}, h = {} }, { M = {}, h = {} }, {}
  for i = 1, n do
    for _, sum in ipairs { alone, shared } do sum.M[i], sum.h[i] = {}, E.zero end
  end
  local function all_of_M()
    for _, own in ipairs(trees) do
      own.inertias(function(i, j, x) shared.M[i][j] = (shared.M[i][j] or E.zero) + x end)
    end
    return added(alone.M, shared.M, n)
  end
  local eq = setmetatable({ model = model, n = n, simple = symbols.blocks.scalars, q = symbols.q, v = symbols.v, names = symbols.names,
    h = {}, rows = {}, symbols = symbols, slope = along.slope, seed = along.seed, shared = false }, {
    __index = function(self, key)
      if key ~= "M" then return nil end
      self.M = all_of_M()
      return self.M
    end,
  })
  for _, piece in ipairs(pieces.split(model)) do
    local sum = pieces.shared[piece.kind] and shared or alone
    eq.shared = eq.shared or sum == shared
    local ctx = pieces.context(piece.args, symbols)
    local at = ctx.list
    local function entry(put) return function(i, j, x) put(math.max(at[i], at[j]), math.min(at[i], at[j]), x) end end
    pieces.derive(piece, ctx, {
      M = entry(function(a, b, x) sum.M[a][b] = (sum.M[a][b] or E.zero) + x end),
      h = function(i, x) sum.h[at[i]] = sum.h[at[i]] + x end,
      tree = function(links, inertias)
        local own = { links = links, at = {}, rotor = {}, inertias = function(put) inertias(entry(put)) end }
        for _, link in ipairs(links) do own.at[link] = at[link.number] end
        trees[#trees + 1] = own
      end,
    })
  end
  for i = 1, n do
    eq.h[i] = collect(alone.h[i]) + shared.h[i]
    for j = 1, i do
      local x = alone.M[i][j] and collect(alone.M[i][j])
      alone.M[i][j] = x ~= E.zero and x or nil
    end
  end
  eq.trees = free_trees(trees, alone.M, n)
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

--- What the schemes want to know: does the (constrained) acceleration depend on the state at all?
-- "time only" means constant M, affine gaps and h(t): then one pass over the stages is exact.
function Q.features(eq)
  local f = { constant_mass = true, affine_gaps = true, force = "time", steady = true }
  local function has(node, kinds)
    for _, s in ipairs(E.symbols(node)) do if kinds[s.kind] then return true end end
  end
  local long = eq.n > tree.long and #eq.trees > 0 -- that is taken to turn, without a look at M
  for i = 1, eq.n do
    for j = 1, long and 0 or i do
      if eq.M[i][j] and L.of(eq.M[i][j]) > 0 then f.constant_mass = false end
    end
    if f.force == "time" and has(eq.h[i], { q = true, v = true }) then f.force = "state" end -- each is walked through: ask one, not all
    f.steady = f.steady and L.of(eq.h[i]) == 0
  end
  for _, row in ipairs(eq.rows) do
    f.affine_gaps = f.affine_gaps and not has(row.bias, { q = true, v = true })
    f.steady = f.steady and L.of(row.bias) == 0
    for _, i in ipairs((f.affine_gaps or f.steady) and Q.columns(row.G, eq.n) or {}) do
      f.affine_gaps = f.affine_gaps and not has(row.G[i], { q = true })
      f.steady = f.steady and L.of(row.G[i]) == 0
    end
  end
  f.constant_mass = f.constant_mass and not long
  -- in space friction depends on the direction of sliding, so on the velocities
  f.time_only = f.constant_mass and f.affine_gaps and f.force == "time" and eq.dimension < 3
  f.steady = f.steady and f.time_only
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

return Q
