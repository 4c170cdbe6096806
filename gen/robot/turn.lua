-- Rotations as three rows, vectors as lists of three: numbers, where a robot is read.
local R = {}

R.identity = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }

function R.times(A, B)
  local C = {}
  for i = 1, 3 do
    C[i] = {}
    for j = 1, 3 do C[i][j] = A[i][1] * B[1][j] + A[i][2] * B[2][j] + A[i][3] * B[3][j] end
  end
  return C
end

function R.transposed(A)
  return { { A[1][1], A[2][1], A[3][1] }, { A[1][2], A[2][2], A[3][2] }, { A[1][3], A[2][3], A[3][3] } }
end

function R.turned(A, v)
  local w = {}
  for i = 1, 3 do w[i] = A[i][1] * v[1] + A[i][2] * v[2] + A[i][3] * v[3] end
  return w
end

function R.plus(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end
function R.minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end

--- About fixed x, then y, then z: the angles of URDF and SDF.
function R.rpy(r, p, y)
  local cr, sr, cp, sp, cy, sy = math.cos(r), math.sin(r), math.cos(p), math.sin(p), math.cos(y), math.sin(y)
  return { { cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr }, { sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr },
    { -sp, cp * sr, cp * cr } }
end

--- About an axis of any length.
function R.about(axis, angle)
  local n = math.sqrt(axis[1] ^ 2 + axis[2] ^ 2 + axis[3] ^ 2)
  local a = { axis[1] / n, axis[2] / n, axis[3] / n }
  local c, s, rows = math.cos(angle), math.sin(angle), {}
  for i = 1, 3 do
    rows[i] = {}
    for j = 1, 3 do rows[i][j] = (1 - c) * a[i] * a[j] + (i == j and c or 0) end
  end
  for i = 1, 3 do
    local j, k = i % 3 + 1, (i + 1) % 3 + 1
    rows[k][j], rows[j][k] = rows[k][j] + s * a[i], rows[j][k] - s * a[i]
  end
  return rows
end

--- Of a quaternion w, x, y, z.
function R.quaternion(w, x, y, z)
  local n = math.sqrt(w * w + x * x + y * y + z * z)
  local size = math.sqrt(x * x + y * y + z * z)
  if size < 1e-15 * n then return R.identity end
  return R.about({ x, y, z }, 2 * math.atan(size, w))
end

function R.is_identity(A)
  for i = 1, 3 do for j = 1, 3 do if math.abs(A[i][j] - (i == j and 1 or 0)) > 1e-12 then return false end end end
  return true
end

return R
