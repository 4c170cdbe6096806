-- Frames of links in which a tree is short. A joint may stand in its link as it likes; what is computed depends on it, the
-- result does not. Here each link gets a frame of its own, turned by a constant C against the one it was written in, so that
-- the z axis is that of a revolute joint, and a joint is turned against the one before about the x axis only (as J. Denavit
-- and R. S. Hartenberg 1955 do): rotations by full matrices are gone. A slide gets the directions of its parent.
--
--   mounting B^T R0 C = Rz(alpha) Rx(beta),   alpha goes into the angle of the parent where it can
--
-- Only numbers are turned: axes or rotations with parameters stay as they are.
local E = require "gen.expr.node"
local F = require "gen.mech.frames"

local R = {}

local SHARP = 4e-16 -- what should be 0 or 1

local function sharpened(x)
  local whole = math.floor(x + 0.5)
  return math.abs(x - whole) < SHARP and whole or x
end

-- numbers of a list or matrix of nodes; nil where one is none
local function numbers(list)
  local result = {}
  for i = 1, 3 do
    local x = list[i]
    if x.op then x = x.op == "num" and x.value or nil else x = numbers(x) end
    if not x then return nil end
    result[i] = x
  end
  return result
end

local function nodes(A)
  local result = {}
  for i = 1, 3 do
    result[i] = {}
    for j = 1, 3 do result[i][j] = E.num(sharpened(A[i][j])) end
  end
  return result
end

local function product(A, B)
  local C = {}
  for i = 1, 3 do
    C[i] = {}
    for j = 1, 3 do C[i][j] = A[i][1] * B[1][j] + A[i][2] * B[2][j] + A[i][3] * B[3][j] end
  end
  return C
end

local function transposed(A)
  return { { A[1][1], A[2][1], A[3][1] }, { A[1][2], A[2][2], A[3][2] }, { A[1][3], A[2][3], A[3][3] } }
end

local function about_z(c, s) return { { c, -s, 0 }, { s, c, 0 }, { 0, 0, 1 } } end
local function about_x(c, s) return { { 1, 0, 0 }, { 0, c, -s }, { 0, s, c } } end

local identity = about_z(1, 0)

-- Turns the frame of a revolute link about its axis; its joint then has to turn that much further.
local function turn_on(link, c, s)
  local by = about_z(c, s)
  link.C = product(link.C, by)
  link.ahead = product(link.ahead or identity, by)
end

-- a revolute joint with the axis d in the frame of the parent: alpha, then beta
local function revolute(link, mounting, axis)
  local parent, d = link.parent, {}
  for i = 1, 3 do d[i] = mounting[i][1] * axis[1] + mounting[i][2] * axis[2] + mounting[i][3] * axis[3] end
  local across = math.sqrt(d[1] ^ 2 + d[2] ^ 2)
  if across < SHARP then across = 0 end
  local c, s = 1, 0 -- of alpha
  if across > 0 then c, s = -d[2] / across, d[1] / across end
  local first, second = about_z(c, s), about_x(d[3], across)
  link.C = product(transposed(mounting), product(first, second))
  if parent and parent.C and parent.joint == "revolute" and not parent.carries then
    turn_on(parent, c, s)
    first = identity
  end
  link.turned = { nodes(first), nodes(second) }
end

--- Could other frames help: is a joint neither turned nor mounted along coordinate axes?
function R.helps(links)
  for _, link in ipairs(links) do
    local zeros = 0
    for i = 1, 3 do if link.axis[i] == E.zero then zeros = zeros + 1 end end
    if zeros < 2 or F.rotation(link.rows).rows and numbers(link.rows) then return true end
  end
  return false
end

--- New frames for all links (parents first), in place.
function R.apply(links)
  for _, link in ipairs(links) do
    local B = link.parent and link.parent.C
    local rows, axis = numbers(link.rows), numbers(link.axis)
    if rows and axis then
      local mounting = B and product(transposed(B), rows) or rows
      if link.joint == "revolute" then revolute(link, mounting, axis) else link.C = transposed(mounting) end
    end
    if link.parent then link.parent.carries = true end -- its frame is settled
  end
  for _, link in ipairs(links) do
    local B, C = link.parent and link.parent.C, link.C
    if B then link.at = F.product(nodes(transposed(B)), link.at) end
    if C then
      local back = nodes(transposed(C))
      local turned = { rows = back }
      if link.joint == "revolute" then
        link.axis = { E.zero, E.zero, E.one }
      else
        link.axis, link.turned = F.product(back, link.axis), {}
      end
      link.body = { m = link.body.m, s = F.product(back, link.body.s), I = F.turn_tensor(turned, link.body.I) }
      if link.center then link.center, link.inertia = F.product(back, link.center), F.turn_tensor(turned, link.inertia) end
    elseif B then
      link.rows = F.chain(nodes(transposed(B)), link.rows)
    end
  end
end

--- The rotation of a revolute joint, whose frame may be ahead of its coordinate.
function R.joint(link)
  local turn = F.about(link.axis, link.q)
  if not link.ahead then return turn end
  local c, s = link.ahead[1][1], link.ahead[2][1]
  return { k = 3, c = c * turn.c - s * turn.s, s = s * turn.c + c * turn.s }
end

return R
