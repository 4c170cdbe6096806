-- M^-1 of a tree of links by recursion: articulated bodies. The work grows with the number of links, where that of L D L^T grows with its
-- cube. Inwards each link gets the inertia that it shows to its joint when all joints behind it are free to move; a force on the joints
-- then gives their accelerations by one pass inwards and one outwards.
--
--   [ n ]   [ I   H ] [ alpha ]        U = inertia times the axis,  D = axis . U,  K = U / D
--   [ f ] = [ H^T A ] [ a     ]        what the parent feels: inertia - U K^T, turned and shifted into its frame
--
-- (R. Featherstone, "Rigid Body Dynamics Algorithms", 2008, ch. 7.) Frames, turns and places of links are those of tree.lua.
local E = require "gen.expr.node"
local F = require "gen.mech.frames"

local A = {}

-- the coordinate axis that a joint has, if it has one: entries that are known there need not be computed
local function coordinate_axis(axis)
  for k = 1, 3 do
    local x = axis[k]
    if x.op == "num" and math.abs(x.value) == 1 and axis[k % 3 + 1] == E.zero and axis[(k + 1) % 3 + 1] == E.zero then return k end
  end
end

local function skew(s)
  return { { E.zero, -s[3], s[2] }, { s[3], E.zero, -s[1] }, { -s[2], s[1], E.zero } }
end

local function transposed(B)
  local C = { {}, {}, {} }
  for i = 1, 3 do for j = 1, 3 do C[i][j] = B[j][i] end end
  return C
end

-- R B R^T of a matrix that need not be symmetric: columns, then rows
local function turned(R, B)
  local columns = transposed(B)
  for j = 1, 3 do columns[j] = F.turn(R, columns[j]) end
  local rows = transposed(columns)
  for i = 1, 3 do rows[i] = F.turn(R, rows[i]) end
  return rows
end

-- B - u k^T
local function less(B, u, k)
  local C = { {}, {}, {} }
  for i = 1, 3 do for j = 1, 3 do C[i][j] = B[i][j] - u[i] * k[j] end end
  return C
end

-- The same of a symmetric one, where k is u times a number: half of it is computed.
local function less_symmetric(B, u, k)
  local C = { {}, {}, {} }
  for i = 1, 3 do
    for j = 1, i do
      C[i][j] = B[i][j] - u[i] * k[j]
      C[j][i] = C[i][j]
    end
  end
  return C
end

local function clear_row(B, k) for j = 1, 3 do B[k][j] = E.zero end end
local function clear_column(B, k) for i = 1, 3 do B[i][k] = E.zero end end

-- What a link shows to its parent: its joint gives way along the axis. rotor: inertia that the joint itself has (then nothing vanishes).
local function give_way(link, body, dinv, rotor)
  local k = not rotor and coordinate_axis(link.axis)
  local n, f = link.U.n, link.U.f
  local K = { n = F.times(dinv, n), f = F.times(dinv, f) }
  if k then K[link.joint == "revolute" and "n" or "f"][k] = link.axis[k] end
  link.K = K
  local I, H, M = less_symmetric(body.I, n, K.n), less(body.H, n, K.f), less_symmetric(body.A, f, K.f)
  if k and link.joint == "revolute" then
    clear_row(I, k)
    clear_column(I, k)
    clear_row(H, k)
  elseif k then
    clear_row(M, k)
    clear_column(M, k)
    clear_column(H, k)
  end
  return { I = I, H = H, A = M }
end

-- the inertia of a link in the frame of its parent, about the parent's origin: a there is a + alpha x r here
local function handed_on(link, body)
  local I, H, M = body.I, body.H, body.A
  for k = #link.turns, 1, -1 do
    local R = link.turns[k]
    I, H, M = F.turn_tensor(R, I), turned(R, H), F.turn_tensor(R, M)
  end
  local r = link.r
  local columns = transposed(M)
  for j = 1, 3 do columns[j] = F.cross(r, columns[j]) end
  local rows = transposed(columns) -- [r]x M
  local moved = { {}, {}, {} }
  for i = 1, 3 do -- I - H [r]x + [r]x H^T - [r]x M [r]x; row x [r]x = row cross r
    local first, second = F.cross(H[i], r), F.cross(rows[i], r)
    for j = 1, 3 do moved[i][j] = { first[j], second[j] } end
  end
  local S = { {}, {}, {} }
  for i = 1, 3 do
    for j = 1, i do
      S[i][j] = I[i][j] - moved[i][j][1] - moved[j][i][1] - moved[i][j][2]
      S[j][i] = S[i][j]
    end
  end
  return { I = S, H = F.sum(H, rows), A = M }
end

local function together(a, b) return { I = F.sum(a.I, b.I), H = F.sum(a.H, b.H), A = F.sum(a.A, b.A) } end

-- the component of a force and torque that a joint feels
local function along(link, f, n) return F.dot(link.axis, link.joint == "revolute" and n or f) end

--- Articulated inertias of a tree on the ground. links: parents first, with turns, r, axis, joint, body as tree.lua places them;
-- rotor[link] is what else stands on the diagonal of M there. Gives 1/D of each link, and keeps K for A.solve.
function A.factor(links, rotor)
  local inertia, dinv = {}, {}
  for _, link in ipairs(links) do
    local m, body = link.body.m, link.body
    inertia[link] = { I = body.I, H = skew(body.s), A = { { m, E.zero, E.zero }, { E.zero, m, E.zero }, { E.zero, E.zero, m } } }
  end
  for k = #links, 1, -1 do
    local link = links[k]
    local body = inertia[link]
    if link.joint == "revolute" then
      link.U = { n = F.product(body.I, link.axis), f = F.product(transposed(body.H), link.axis) }
    else
      link.U = { n = F.product(body.H, link.axis), f = F.product(body.A, link.axis) }
    end
    local D = along(link, link.U.f, link.U.n)
    if rotor[link] then D = D + rotor[link] end
    dinv[link] = D == E.zero and E.zero or 1 / D -- found singular when the model starts
    local freed = give_way(link, body, dinv[link], rotor[link])
    if link.parent then inertia[link.parent] = together(inertia[link.parent], handed_on(link, freed)) end
  end
  return dinv
end

--- Accelerations of the joints under forces on them: M x = b. b, x: by link; missing forces are zero.
function A.solve(links, dinv, b)
  local n, f, u, x = {}, {}, {}, {}
  for _, link in ipairs(links) do n[link], f[link] = F.zero(), F.zero() end
  for k = #links, 1, -1 do
    local link, parent = links[k], links[k].parent
    u[link] = (b[link] or E.zero) - along(link, f[link], n[link])
    if parent then
      local fp, np = F.plus(f[link], F.times(u[link], link.K.f)), F.plus(n[link], F.times(u[link], link.K.n))
      for i = #link.turns, 1, -1 do fp, np = F.turn(link.turns[i], fp), F.turn(link.turns[i], np) end
      f[parent] = F.plus(f[parent], fp)
      n[parent] = F.plus(n[parent], F.plus(np, F.cross(link.r, fp)))
    end
  end
  local alpha, a = {}, {}
  for _, link in ipairs(links) do
    local parent = link.parent
    local turn, move = F.zero(), F.zero()
    if parent then
      turn, move = alpha[parent], F.plus(a[parent], F.cross(alpha[parent], link.r))
      for _, R in ipairs(link.turns) do turn, move = F.turn_back(R, turn), F.turn_back(R, move) end
    end
    x[link] = u[link] * dinv[link] - (F.dot(link.K.n, turn) + F.dot(link.K.f, move))
    if link.joint == "revolute" then
      alpha[link], a[link] = F.plus(turn, F.times(x[link], link.axis)), move
    else
      alpha[link], a[link] = turn, F.plus(move, F.times(x[link], link.axis))
    end
  end
  return x
end

return A
