-- Kinetic and potential energy of a model as one expression. Forces that are no gradient (written ones, dampers, friction) have none.
local E = require "gen.expr.node"
local D = require "gen.expr.diff"
local pieces = require "gen.mech.pieces"
local tree = require "gen.mech.tree"

local N = {}

local energy = {}

function energy.kinetic(args) return args[1] end

function energy.potential(args) return args[1] end

function energy.body(args, ctx)
  local mass, inertia, x, y, angle, gx, gy = table.unpack(args)
  local function squared(z) return D.total(z, ctx.rate) ^ 2 end
  return 0.5 * mass * (squared(x) + squared(y)) + 0.5 * inertia * squared(angle) - mass * (gx * x + gy * y)
end

function energy.free_body(args, ctx)
  local mass, sum = args[1], E.zero
  for i = 1, 3 do
    sum = sum + 0.5 * mass * ctx.v[ctx.direction[args[1 + i]]] ^ 2 - mass * args[7 + i] * args[1 + i]
    for j = 1, 3 do sum = sum + 0.5 * args[10 + 3 * (i - 1) + j] * args[4 + i] * args[4 + j] end
  end
  return sum
end

function energy.tree(args, ctx, piece)
  return tree.energy(args, piece.layout, setmetatable({}, { __index = function(_, q) return ctx.v[ctx.direction[q]] end }))
end

--- The energy at (t, q, v).
function N.of(eq)
  local sum = E.zero
  for _, piece in ipairs(pieces.split(eq.model)) do
    local of = energy[piece.kind]
    if of then sum = sum + of(piece.args, pieces.context(piece.args, eq.symbols), piece) end
  end
  return sum
end

return N
