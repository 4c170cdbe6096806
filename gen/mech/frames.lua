-- Vectors, rotations and inertias on expression nodes, written so that zeros and ones vanish and nothing is computed twice.
-- A rotation takes vectors of the turned frame to vectors of the frame it is turned in. Two forms: a matrix of nodes
-- { rows = }, and { k =, c =, s = } about the coordinate axis k, which is cheaper.
local E = require "gen.expr.node"

local F = {}

function F.zero() return { E.zero, E.zero, E.zero } end

function F.plus(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end

function F.times(s, a) return { s * a[1], s * a[2], s * a[3] } end

function F.dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

function F.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

--- Matrix times vector.
function F.product(A, x) return { F.dot(A[1], x), F.dot(A[2], x), F.dot(A[3], x) } end

local function transposed(A)
  return { { A[1][1], A[2][1], A[3][1] }, { A[1][2], A[2][2], A[3][2] }, { A[1][3], A[2][3], A[3][3] } }
end

--- The product of two matrices.
function F.chain(A, B)
  local columns, C = transposed(B), {}
  for i = 1, 3 do C[i] = F.product(columns, A[i]) end
  return C
end

function F.sum(A, B) return { F.plus(A[1], B[1]), F.plus(A[2], B[2]), F.plus(A[3], B[3]) } end

-- the two axes after k, in right-handed order
local function others(k) return k % 3 + 1, (k + 1) % 3 + 1 end

local function sharp(x) return x.op == "num" and (x.value == 0 or math.abs(x.value) == 1) end

--- A rotation from its matrix; one about a coordinate axis by no right angle is recognised.
function F.rotation(rows)
  for k = 1, 3 do
    local i, j = others(k)
    if rows[k][k] == E.one and rows[k][i] == E.zero and rows[i][k] == E.zero and rows[j][k] == E.zero
      and not sharp(rows[i][i]) and not sharp(rows[j][i]) then
      return { k = k, c = rows[i][i], s = rows[j][i] }
    end
  end
  return { rows = rows }
end

--- The rotation by an angle about a unit axis: c 1 + s [a]x + (1 - c) a a^T.
function F.about(axis, angle)
  local c, s = E.cos(angle), E.sin(angle)
  for k = 1, 3 do
    local i, j = others(k)
    if axis[i] == E.zero and axis[j] == E.zero then return { k = k, c = c, s = s * axis[k] } end
  end
  local rows, rest = {}, 1 - c
  for i = 1, 3 do
    local j, k = others(i)
    rows[i] = rows[i] or {}
    rows[i][i] = c + rest * axis[i] ^ 2
    rows[i][j] = rest * (axis[i] * axis[j]) - s * axis[k]
    rows[i][k] = rest * (axis[i] * axis[k]) + s * axis[j]
  end
  return { rows = rows }
end

--- A vector of the turned frame, in the frame it is turned in.
function F.turn(R, x)
  if R.rows then return F.product(R.rows, x) end
  local i, j = others(R.k)
  local y = { [R.k] = x[R.k] }
  y[i], y[j] = R.c * x[i] - R.s * x[j], R.s * x[i] + R.c * x[j]
  return y
end

--- The way back.
function F.turn_back(R, x)
  if R.rows then return F.product(transposed(R.rows), x) end
  local i, j = others(R.k)
  local y = { [R.k] = x[R.k] }
  y[i], y[j] = R.c * x[i] + R.s * x[j], R.c * x[j] - R.s * x[i]
  return y
end

--- R A R^T of a symmetric A. About an axis, with d = A_ii - A_jj and y = c d - 2 s A_ij:
--   A_ii -> A_jj + c y,  A_jj -> A_ii - c y,  A_ij -> A_ij + s y
function F.turn_tensor(R, A)
  local B = { {}, {}, {} }
  local function put(i, j, x) B[i][j], B[j][i] = x, x end
  if R.rows then
    local RA = F.chain(R.rows, A)
    for i = 1, 3 do for j = 1, i do put(i, j, F.dot(RA[i], R.rows[j])) end end
    return B
  end
  local k, i, j = R.k, others(R.k)
  local y = R.c * (A[i][i] - A[j][j]) - 2 * R.s * A[i][j]
  local x = R.c * y
  put(i, i, A[j][j] + x)
  put(j, j, A[i][i] - x)
  put(i, j, A[i][j] + R.s * y)
  put(k, i, R.c * A[k][i] - R.s * A[k][j])
  put(k, j, R.s * A[k][i] + R.c * A[k][j])
  put(k, k, A[k][k])
  return B
end

--- 2 (r.t) 1 - r t^T - t r^T: what an inertia gains when its point of reference moves by -r, with t = the first moment about
-- the old point + m r / 2.
function F.shift(r, t)
  local A = { {}, {}, {} }
  local d = { r[1] * t[1], r[2] * t[2], r[3] * t[3] }
  for i = 1, 3 do
    local j, k = others(i)
    A[i][i] = 2 * (d[j] + d[k])
    local x = -(r[i] * t[j] + r[j] * t[i])
    A[i][j], A[j][i] = x, x
  end
  return A
end

return F
