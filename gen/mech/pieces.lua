-- From terms to the equations of motion, piece by piece. A piece is a term whose sums have been taken apart, so that alike
-- pieces can be found; each contributes a few entries to M(q) v' = h(t,q,v) and knows which coordinates it touches.
--
--   kinetic energy T     M_ij = d2T/dv_i dv_j,  h_i = dT/dq_i - d/dt(dT/dv_i) at v' = 0
--   potential energy V   h_i = -dV/dq_i              dissipation R   h_i = -dR/dv_i
--   body                 M_ij = m J_i.J_j + I th_i th_j,  h_i = J_i.(m g - m (dJ/dt v)) - I th_i (...)   by recursion through
--                        the body's own position, never through one big Lagrangian
--   tree                 by recursion through the links (tree.lua)
local E = require "gen.expr.node"
local D = require "gen.expr.diff"
local tree = require "gen.mech.tree"

local M = {}

-- a sum as the list of its summands; a factor common to the whole sum is spread over them
local function summands(node, factor, list)
  if node.op == "add" then
    summands(node[1], factor, list)
    summands(node[2], factor, list)
  elseif node.op == "sub" then
    summands(node[1], factor, list)
    summands(node[2], -factor, list)
  elseif node.op == "neg" then
    summands(node[1], -factor, list)
  elseif node.op == "mul" and node[1].op == "num" and (node[2].op == "add" or node[2].op == "sub") then
    summands(node[2], factor * node[1], list)
  else
    list[#list + 1] = factor * node
  end
  return list
end

local splittable = { kinetic = true, potential = true, dissipation = true }

--- The pieces of a model, in declared order.
function M.split(model)
  local pieces = {}
  for _, term in ipairs(model.terms) do
    if splittable[term.kind] then
      for _, part in ipairs(summands(term.expr, E.one, {})) do
        pieces[#pieces + 1] = { kind = term.kind, line = term.line, file = term.file, args = { part } }
      end
    elseif term.kind == "body" then
      local g = model.gravity or { E.zero, E.zero }
      pieces[#pieces + 1] = { kind = "body", line = term.line, file = term.file, name = term.name, args = {
        E.lift(term.mass), E.lift(term.inertia or 0), E.lift(term.at[1]), E.lift(term.at[2]), E.lift(term.angle or 0),
        E.lift(g[1]), E.lift(g[2]) } }
    elseif term.kind == "free_body" then
      local g = model.gravity or {}
      local p, w = term.position, term.w
      local args = { E.lift(term.mass), p[1].q, p[2].q, p[3].q, w[1], w[2], w[3], E.lift(g[1] or 0), E.lift(g[2] or 0), E.lift(g[3] or 0) }
      for i = 1, 3 do for j = 1, 3 do args[#args + 1] = E.lift(term.inertia[i][j]) end end
      pieces[#pieces + 1] = { kind = "free_body", line = term.line, file = term.file, name = term.name, args = args }
    elseif term.kind == "tree" then
      local args, layout = tree.arguments(term.links, model.gravity or {}, term.base)
      pieces[#pieces + 1] = { kind = "tree", line = term.line, file = term.file, name = term.name, args = args, layout = layout }
    elseif term.kind == "spatial_force" then
      pieces[#pieces + 1] = { kind = "spatial_force", line = term.line, file = term.file, args = {
        E.lift(term.at[1]), E.lift(term.at[2]), E.lift(term.at[3]), E.lift(term.value[1]), E.lift(term.value[2]), E.lift(term.value[3]) } }
    elseif term.kind == "body_torque" then
      pieces[#pieces + 1] = { kind = "body_torque", line = term.line, file = term.file, args = {
        term.w[1], term.w[2], term.w[3], E.lift(term.value[1]), E.lift(term.value[2]), E.lift(term.value[3]) } }
    elseif term.kind == "force" then
      pieces[#pieces + 1] = { kind = "force", line = term.line, file = term.file, args = { term.on.q, E.lift(term.value) } }
    else
      local at, value = term.at or { 0, 0 }, term.value or { 0, 0 }
      pieces[#pieces + 1] = { kind = "point_force", line = term.line, file = term.file, args = {
        E.lift(at[1]), E.lift(at[2]), E.lift(value[1]), E.lift(value[2]), E.lift(term.angle or 0), E.lift(term.torque or 0) } }
    end
  end
  return pieces
end

-- d/dt with v' = 0
local function rate(node, ctx) return D.total(node, ctx.rate) end

local derive = {}

function derive.kinetic(args, ctx, out)
  local momentum = D.gradient(args[1], ctx.v)
  local force = ctx.slope(args[1])
  for i = 1, #ctx.v do
    for j = 1, i do out.M(i, j, D.by(momentum[i], ctx.v[j])) end
    out.h(i, force[i] - rate(momentum[i], ctx))
  end
end

function derive.potential(args, ctx, out)
  for i, g in ipairs(ctx.slope(args[1])) do out.h(i, -g) end
end

function derive.dissipation(args, ctx, out)
  for i, g in ipairs(D.gradient(args[1], ctx.v)) do out.h(i, -g) end
end

function derive.force(args, ctx, out)
  out.h(ctx.direction[args[1]], args[2])
end

function derive.point_force(args, ctx, out)
  local x, y, fx, fy, angle, torque = table.unpack(args)
  local jx, jy, jt = ctx.slope(x), ctx.slope(y), ctx.slope(angle)
  for i = 1, #ctx.v do out.h(i, jx[i] * fx + jy[i] * fy + jt[i] * torque) end
end

function derive.spatial_force(args, ctx, out)
  for k = 1, 3 do
    local j = ctx.slope(args[k])
    for i = 1, #ctx.v do out.h(i, j[i] * args[3 + k]) end
  end
end

-- args[1..3]: the spin, linear in the velocities; the torque does work on it
function derive.body_torque(args, ctx, out)
  for k = 1, 3 do
    local j = D.gradient(args[k], ctx.v)
    for i = 1, #ctx.v do out.h(i, j[i] * args[3 + k]) end
  end
end

derive.tree = tree.derive

-- position x, y, z and body-frame angular velocity w: m x'' = m g, I w' = -w x I w
function derive.free_body(args, ctx, out)
  local mass, x, w, g = args[1], { args[2], args[3], args[4] }, { args[5], args[6], args[7] }, { args[8], args[9], args[10] }
  local momentum = {}
  for i = 1, 3 do
    local at = ctx.direction[x[i]]
    out.M(at, at, mass)
    out.h(at, mass * g[i])
    momentum[i] = E.zero
    for j = 1, 3 do
      local inertia = args[10 + 3 * (i - 1) + j]
      momentum[i] = momentum[i] + inertia * w[j]
      local a, b = ctx.direction[w[i]], ctx.direction[w[j]]
      if j <= i then out.M(math.max(a, b), math.min(a, b), inertia) end
    end
  end
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    out.h(ctx.direction[w[i]], w[k] * momentum[j] - w[j] * momentum[k])
  end
end

function derive.body(args, ctx, out)
  local mass, inertia, x, y, angle, gx, gy = table.unpack(args)
  local jx, jy, jt = ctx.slope(x), ctx.slope(y), ctx.slope(angle)
  local bx, by, bt = rate(rate(x, ctx), ctx), rate(rate(y, ctx), ctx), rate(rate(angle, ctx), ctx)
  for i = 1, #ctx.v do
    for j = 1, i do out.M(i, j, mass * (jx[i] * jx[j] + jy[i] * jy[j]) + inertia * jt[i] * jt[j]) end
    out.h(i, mass * (jx[i] * (gx - bx) + jy[i] * (gy - by)) - inertia * jt[i] * bt)
  end
end

--- A context from directions of motion (system/blocks.lua): slope(x) = d x / d (displacement along each velocity), seed[i] the
-- displacement of all positions along the i-th, for D.total: the columns of H in q' = H(q) v.
-- direction[symbol] is the number of a velocity, or of a position that has a velocity of its own.
function M.along(list)
  local ctx = { v = {}, rate = {}, direction = {}, list = {}, seed = {} }
  local positions, column = {}, {}
  for i, item in ipairs(list) do
    local block = item.block
    ctx.v[i], ctx.list[i], ctx.seed[i] = item.v, item.index, {}
    ctx.direction[item.v] = i
    if #block.q == 1 then ctx.direction[block.q[1]] = i end
    for k, q in ipairs(block.q) do
      if not column[q] then
        positions[#positions + 1] = q
        column[q] = #positions
        ctx.rate[q] = block.rate[k]
      end
      ctx.seed[i][q] = D.by(block.rate[k], item.v)
    end
  end
  function ctx.slope(x)
    local gradient, result = D.gradient(x, positions), {}
    for i, item in ipairs(list) do
      result[i] = E.zero
      for _, q in ipairs(item.block.q) do result[i] = result[i] + gradient[column[q]] * ctx.seed[i][q] end
    end
    return result
  end
  return ctx
end

--- The context of what a list of expressions touches; symbols.entries maps every position and velocity to its directions.
function M.context(args, symbols)
  local list, seen = {}, {}
  for _, arg in ipairs(args) do
    for _, s in ipairs(E.symbols(arg)) do
      for _, item in ipairs(symbols.entries[s] or {}) do
        if not seen[item] then
          seen[item] = true
          list[#list + 1] = item
        end
      end
    end
  end
  local ctx = M.along(list)
  ctx.rate[symbols.time] = E.one
  return ctx
end

--- What a piece adds: calls out.M(i, j, expr) with j <= i and out.h(i, expr) on the local numbering of ctx. out.tree(links, inertias),
-- where it is there, is called with the links of a tree on the ground (each has its `number`) and what calls back with its entries of M.
function M.derive(piece, ctx, out)
  local function entry(put) return function(i, j, x) if x ~= E.zero then put(i, j, x) end end end
  derive[piece.kind](piece.args, ctx, {
    M = entry(out.M),
    h = function(i, x) if x ~= E.zero then out.h(i, x) end end,
    tree = out.tree and function(links, inertias)
      out.tree(links, function(put) inertias(entry(put)) end)
    end,
  }, piece.layout)
end

--- Kinds whose entries share what a recursion computes: written out one by one (collect.lua) they would lose it.
M.shared = { tree = true }

-- A velocity that is affine in v: its row T of factors, the rest s_t, and the bias of its derivative.
local function velocity_row(velocity, ctx)
  local G, rest = {}, velocity
  for i, v in ipairs(ctx.v) do
    G[i] = D.by(velocity, v)
    rest = E.substitute(rest, { [v] = E.zero })
  end
  return { g = E.zero, G = G, gt = rest, bias = rate(velocity, ctx) }
end

--- A row (contact gap or bilateral constraint) g(q,t): G = dg/dq, g_t, and the bias d/dt(G) v + d/dt(g_t) of its second derivative.
-- velocity: the rate of the gap where it is known in a shorter form than by derivatives.
function M.row(gap, ctx, time, velocity)
  if velocity then
    local row = velocity_row(velocity, ctx)
    row.g = gap
    return row
  end
  local G = ctx.slope(gap)
  local gt = D.by(gap, time)
  return { g = gap, G = G, gt = gt, bias = rate(rate(gap, ctx), ctx) }
end

--- A tangential row of a contact: the slip rate T v + s_t and the bias of its derivative. Given as a displacement `slide`
-- (its rate is the slip) or directly as a velocity `slip`, which must be affine in the velocities.
function M.tangent(slide, slip, ctx, time)
  if slide then return M.row(slide, ctx, time) end
  return velocity_row(slip, ctx)
end

return M
