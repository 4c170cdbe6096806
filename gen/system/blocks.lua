-- The unknowns of a system as one ordered list of blocks. A block is what moves as one: a coordinate, the rotation of a free body (and,
-- when they come, states of first order and the nodes of a mesh). It has positions q and velocities v, which need not be as many, and
-- knows how the ones follow from the others, q' = H(q) v:
--
--   scalar     1 position,  1 velocity:        q' = v                    q + x
--   rotation   4 of a unit quaternion, 3 body-frame angular velocities:  q' = 1/2 q o (0, w)      q o exp(x/2)
--
-- Equations, kernels and emitters go over blocks; scalars come first, since steps add to them in one loop.
local E = require "gen.expr.node"

local B = {}

-- A block: kind, item (what the model calls it), count (how many of its kind it holds), q_first and v_first (places in the vectors of the
-- system, from 0), q and v (its symbols), rate (H v: the rate of each position), start and speed (values of q and v at t = 0), names and
-- units of both.
local kinds = {}

function kinds.scalar(c)
  local unit = c.unit and c.unit .. "/s" or ""
  return { q = { c.q }, v = { c.v }, rate = { c.v }, start = { c.initial }, speed = { c.velocity }, q_unit = c.unit, v_unit = unit }
end

function kinds.rotation(r)
  return { q = r.q, v = r.v, rate = r.rate, start = r.initial, speed = r.spin, v_unit = "rad/s" }
end

--- The blocks of a model, a list with the fields nq, nv (all positions and velocities) and scalars (how many blocks are some).
function B.of(model)
  local blocks = { nq = 0, nv = 0, scalars = 0 }
  local function add(kind, item)
    local block = kinds[kind](item)
    block.kind, block.item, block.name, block.count = kind, item, item.name, 1
    block.q_first, block.v_first = blocks.nq, blocks.nv
    blocks[#blocks + 1] = block
    blocks.nq, blocks.nv = blocks.nq + #block.q, blocks.nv + #block.v
    if kind == "scalar" then blocks.scalars = blocks.scalars + 1 end
  end
  for _, c in ipairs(model.coordinates) do add("scalar", c) end
  for _, r in ipairs(model.rotations or {}) do add("rotation", r) end
  return blocks
end

-- q o exp(x/2), of unit length
local function turned(q, x)
  local a = math.sqrt(x[1] ^ 2 + x[2] ^ 2 + x[3] ^ 2)
  local c, s = math.cos(a / 2), a > 0 and math.sin(a / 2) / a or 0.5
  local e = { c, s * x[1], s * x[2], s * x[3] }
  local p = { q[1] * e[1] - q[2] * e[2] - q[3] * e[3] - q[4] * e[4], q[1] * e[2] + q[2] * e[1] + q[3] * e[4] - q[4] * e[3],
    q[1] * e[3] - q[2] * e[4] + q[3] * e[1] + q[4] * e[2], q[1] * e[4] + q[2] * e[3] - q[3] * e[2] + q[4] * e[1] }
  local size = math.sqrt(p[1] ^ 2 + p[2] ^ 2 + p[3] ^ 2 + p[4] ^ 2)
  for i = 1, 4 do p[i] = p[i] / size end
  return p
end

--- Numbers: moves the positions of a block in env (numbers by symbol) along the displacements x of its velocities.
function B.retract(block, env, x)
  local q = {}
  for k, symbol in ipairs(block.q) do q[k] = env[symbol] end
  q = block.kind == "rotation" and turned(q, x) or { q[1] + x[1] }
  for k, symbol in ipairs(block.q) do env[symbol] = q[k] end
end

--- Calls visit(symbol, value at t = 0, block, "q" or "v") for all positions and velocities of a block.
function B.each(block, visit)
  for k, symbol in ipairs(block.q) do visit(symbol, block.start[k], block, "q") end
  for k, symbol in ipairs(block.v) do visit(symbol, block.speed[k], block, "v") end
end

--- Where each symbol stands: symbol -> { block =, part = "q" or "v", k = its number in the block, from 1 }.
function B.places(blocks)
  local places = {}
  for _, block in ipairs(blocks) do
    for _, part in ipairs { "q", "v" } do
      for k, symbol in ipairs(block[part]) do places[symbol] = { block = block, part = part, k = k } end
    end
  end
  return places
end

--- A block of the same kind whose symbols are local to a kernel, where it has the number n.
function B.stand_in(block, n)
  local names = block.kind == "scalar" and { q = { "x%d" }, v = { "x%d_dot" } }
    or { q = { "r%d_qw", "r%d_qx", "r%d_qy", "r%d_qz" }, v = { "r%d_wx", "r%d_wy", "r%d_wz" } }
  local mine, map = { kind = block.kind, q = {}, v = {}, rate = {} }, {}
  for _, part in ipairs { "q", "v" } do
    for k, symbol in ipairs(block[part]) do
      mine[part][k] = E.sym(names[part][k]:format(n), part)
      map[symbol] = mine[part][k]
    end
  end
  for k, rate in ipairs(block.rate) do mine.rate[k] = E.substitute(rate, map) end
  return mine
end

--- The directions of motion of a list of blocks: { v =, block =, index = number in the list from 1 }.
function B.directions(blocks)
  local list = {}
  for _, block in ipairs(blocks) do
    for _, v in ipairs(block.v) do list[#list + 1] = { v = v, block = block, index = #list + 1 } end
  end
  return list
end

return B
