-- Vectors and rotations in space, for numbers, nodes and values alike: whatever has + - * /.
local value = require "gen.lang.core.value"

local S = {}
local sqrt, select, ge = value.functions.sqrt, value.functions.select, value.functions.ge
local zero = value.lift(0)

S.origin = { zero, zero, zero }

function S.plus(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end
function S.minus(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end
function S.times(s, a) return { s * a[1], s * a[2], s * a[3] } end
function S.along(a, s, b) return { a[1] + s * b[1], a[2] + s * b[2], a[3] + s * b[3] } end
function S.dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end
function S.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end
function S.length(a) return sqrt(a[1] ^ 2 + a[2] ^ 2 + a[3] ^ 2) end
function S.rate(a) return { value.rate(a[1]), value.rate(a[2]), value.rate(a[3]) } end

--- The rotation matrix of a unit quaternion { w, x, y, z }: it takes vectors of the body to vectors of space.
function S.rotation(q)
  local w, x, y, z = q[1], q[2], q[3], q[4]
  return {
    { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
    { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
    { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } }
end

--- q' = 1/2 q o (0, w), w the angular velocity in the frame of the body.
function S.quaternion_rate(q, w)
  return {
    (-q[2] * w[1] - q[3] * w[2] - q[4] * w[3]) / 2,
    (q[1] * w[1] + q[3] * w[3] - q[4] * w[2]) / 2,
    (q[1] * w[2] + q[4] * w[1] - q[2] * w[3]) / 2,
    (q[1] * w[3] + q[2] * w[2] - q[3] * w[1]) / 2 }
end

--- A vector of a frame in space (R nil: the frame is not turned), and back.
function S.turned(R, a)
  if not R then return a end
  return { S.dot(R[1], a), S.dot(R[2], a), S.dot(R[3], a) }
end
function S.turned_back(R, a)
  if not R then return a end
  local b = {}
  for i = 1, 3 do b[i] = R[1][i] * a[1] + R[2][i] * a[2] + R[3][i] * a[3] end
  return b
end

--- Two unit vectors perpendicular to the unit vector n and to each other, with n = (t1, t2)'s right-handed third: for n
-- along z they are x and y. No such pair is continuous in all of n; this one jumps on the cone n3 = -0.4, where the
-- directions of regular packings and of contacts in a horizontal plane are not.
function S.tangents(n)
  local s = select(ge(n[3], -0.4), 1, -1)
  local a = -1 / (s + n[3])
  local b = n[1] * n[2] * a
  return { 1 + s * n[1] ^ 2 * a, s * b, -s * n[1] }, { b, s + n[2] ^ 2 * a, -n[2] }
end

return S
