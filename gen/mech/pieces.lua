-- From terms to the equations of motion, piece by piece. A piece is a term whose sums have been taken apart, so that alike
-- pieces can be found; each contributes a few entries to M(q) v' = h(t,q,v) and knows which coordinates it touches.
--
--   kinetic energy T     M_ij = d2T/dv_i dv_j,  h_i = dT/dq_i - d/dt(dT/dv_i) at v' = 0
--   potential energy V   h_i = -dV/dq_i              dissipation R   h_i = -dR/dv_i
--   body                 M_ij = m J_i.J_j + I th_i th_j,  h_i = J_i.(m g - m (dJ/dt v)) - I th_i (...)   by recursion through
--                        the body's own position, never through one big Lagrangian
local E = require "gen.expr.node"
local D = require "gen.expr.diff"

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
  local force = D.gradient(args[1], ctx.q)
  for i = 1, #ctx.v do
    for j = 1, i do out.M(i, j, D.by(momentum[i], ctx.v[j])) end
    out.h(i, force[i] - rate(momentum[i], ctx))
  end
end

function derive.potential(args, ctx, out)
  for i, g in ipairs(D.gradient(args[1], ctx.q)) do out.h(i, -g) end
end

function derive.dissipation(args, ctx, out)
  for i, g in ipairs(D.gradient(args[1], ctx.v)) do out.h(i, -g) end
end

function derive.force(args, ctx, out)
  for i, q in ipairs(ctx.q) do
    if q == args[1] then out.h(i, args[2]) end
  end
end

function derive.point_force(args, ctx, out)
  local x, y, fx, fy, angle, torque = table.unpack(args)
  local jx, jy, jt = D.gradient(x, ctx.q), D.gradient(y, ctx.q), D.gradient(angle, ctx.q)
  for i = 1, #ctx.q do out.h(i, jx[i] * fx + jy[i] * fy + jt[i] * torque) end
end

function derive.body(args, ctx, out)
  local mass, inertia, x, y, angle, gx, gy = table.unpack(args)
  local jx, jy, jt = D.gradient(x, ctx.q), D.gradient(y, ctx.q), D.gradient(angle, ctx.q)
  local bx, by, bt = rate(rate(x, ctx), ctx), rate(rate(y, ctx), ctx), rate(rate(angle, ctx), ctx)
  for i = 1, #ctx.q do
    for j = 1, i do out.M(i, j, mass * (jx[i] * jx[j] + jy[i] * jy[j]) + inertia * jt[i] * jt[j]) end
    out.h(i, mass * (jx[i] * (gx - bx) + jy[i] * (gy - by)) - inertia * jt[i] * bt)
  end
end

--- The coordinates a list of expressions touches: positions `q`, velocities `v` and the derivation d/dt.
-- velocity_of and position_of map symbols to each other; both are found in `symbols`.
function M.context(args, symbols)
  local ctx = { q = {}, v = {}, rate = { [symbols.time] = E.one } }
  local seen = {}
  for _, arg in ipairs(args) do
    for _, s in ipairs(E.symbols(arg)) do
      local q = s.kind == "q" and s or s.kind == "v" and symbols.position_of[s]
      if q and not seen[q] then
        seen[q] = true
        ctx.q[#ctx.q + 1] = q
        ctx.v[#ctx.v + 1] = symbols.velocity_of[q]
        ctx.rate[q] = symbols.velocity_of[q]
      end
    end
  end
  return ctx
end

--- What a piece adds: calls out.M(i, j, expr) with j <= i and out.h(i, expr) on the local numbering of ctx.
function M.derive(piece, ctx, out)
  derive[piece.kind](piece.args, ctx, {
    M = function(i, j, x) if x ~= E.zero then out.M(i, j, x) end end,
    h = function(i, x) if x ~= E.zero then out.h(i, x) end end,
  })
end

--- A row (contact gap or bilateral constraint) g(q,t): G = dg/dq, g_t, and the bias d/dt(G) v + d/dt(g_t) of its second derivative.
function M.row(gap, ctx, time)
  local G = D.gradient(gap, ctx.q)
  local gt = D.by(gap, time)
  return { g = gap, G = G, gt = gt, bias = rate(rate(gap, ctx), ctx) }
end

--- A tangential row of a contact: the slip rate T v + s_t and the bias of its derivative. Given as a displacement `slide`
-- (its rate is the slip) or directly as a velocity `slip`, which must be affine in the velocities.
function M.tangent(slide, slip, ctx, time)
  if slide then
    local row = M.row(slide, ctx, time)
    return row
  end
  local G, rest = {}, slip
  for i, v in ipairs(ctx.v) do
    G[i] = D.by(slip, v)
    rest = E.substitute(rest, { [v] = E.zero })
  end
  return { g = E.zero, G = G, gt = rest, bias = rate(slip, ctx) }
end

return M
