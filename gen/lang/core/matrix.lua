-- Small matrices of expressions for energies and maps: lists of rows of numbers or expressions, of any size up to 3.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local sandbox = require "gen.lang.core.sandbox"
local value = require "gen.lang.core.value"

local X = { functions = {} }
local F = X.functions

--- For the reference page: name, what it is.
X.members = {
  { "det trace inverse transpose", "of a square matrix of at most 3 rows, written as a list of rows: `carom.det(F)`" },
  { "matmul", "`carom.matmul(A, B)`: the product of two matrices, or of a matrix and a list" },
  { "identity", "`carom.identity(n)`: the unit matrix of n rows" },
  { "box bar", "`carom.box { cells = { nx, ny, nz } }`, `carom.bar { cells = n, length = l }`: what `mesh` takes" },
}

local function is_matrix(A) return accept.plain_table(A) and accept.plain_table(A[1]) end

-- rows and columns; entries must be numbers or expressions
local function size(A, name)
  local where = sandbox.where()
  if not is_matrix(A) then
    fail(where, "%s needs a matrix, a list of rows; write carom.%s { { a, b }, { c, d } }", name, name)
  end
  local n, m = #A, #A[1]
  if n > 3 or m > 3 or m == 0 then fail(where, "%s takes matrices of at most 3 rows and columns, not %d x %d", name, n, m) end
  for i = 1, n do
    if not accept.plain_table(A[i]) or #A[i] ~= m then
      fail(where, "row %d of the matrix of %s has not %d entries like the first", i, name, m)
    end
    for j = 1, m do value.lift(A[i][j], ("entry %d, %d of the matrix of %s"):format(i, j, name)) end
  end
  return n, m
end

local function square(A, name)
  local n, m = size(A, name)
  if n ~= m then fail(sandbox.where(), "%s needs a square matrix, not %d x %d", name, n, m) end
  return n
end

local function det(A, n)
  if n == 1 then return A[1][1] end
  if n == 2 then return A[1][1] * A[2][2] - A[1][2] * A[2][1] end
  return A[1][1] * (A[2][2] * A[3][3] - A[2][3] * A[3][2]) - A[1][2] * (A[2][1] * A[3][3] - A[2][3] * A[3][1])
    + A[1][3] * (A[2][1] * A[3][2] - A[2][2] * A[3][1])
end

function F.det(A) return det(A, square(A, "det")) end

function F.trace(A)
  local sum = 0
  for i = 1, square(A, "trace") do sum = sum + A[i][i] end
  return sum
end

function F.transpose(A)
  local n, m = size(A, "transpose")
  local T = {}
  for j = 1, m do
    T[j] = {}
    for i = 1, n do T[j][i] = A[i][j] end
  end
  return T
end

function F.identity(n)
  n = type(n) == "number" and math.tointeger(n)
  if not n or n < 1 or n > 3 then fail(sandbox.where(), "identity takes a whole number from 1 to 3; write carom.identity(3)") end
  local I = {}
  for i = 1, n do
    I[i] = {}
    for j = 1, n do I[i][j] = i == j and 1 or 0 end
  end
  return I
end

function F.matmul(A, B)
  local n, m = size(A, "matmul")
  local vector = accept.plain_table(B) and not is_matrix(B)
  local R = B
  if vector then
    R = {}
    for i = 1, #B do R[i] = { B[i] } end
  end
  local k, l = size(R, "matmul")
  if k ~= m then fail(sandbox.where(), "matmul of %d x %d and %d x %d: the inner sizes differ", n, m, k, l) end
  local P = {}
  for i = 1, n do
    P[i] = {}
    for j = 1, l do
      local sum = A[i][1] * R[1][j]
      for h = 2, m do sum = sum + A[i][h] * R[h][j] end
      P[i][j] = sum
    end
    if vector then P[i] = P[i][1] end
  end
  return P
end

-- by cofactors
function F.inverse(A)
  local n = square(A, "inverse")
  local d = det(A, n)
  if n == 1 then return { { 1 / d } } end
  if n == 2 then return { { A[2][2] / d, -A[1][2] / d }, { -A[2][1] / d, A[1][1] / d } } end
  local I = { {}, {}, {} }
  for i = 1, 3 do
    for j = 1, 3 do
      local a, b, c, e = j % 3 + 1, (j + 1) % 3 + 1, i % 3 + 1, (i + 1) % 3 + 1
      I[i][j] = (A[a][c] * A[b][e] - A[a][e] * A[b][c]) / d
    end
  end
  return I
end

-- a copy of the options, so that the model's own table stays as it is; m:mesh checks them
local function options(name, o)
  if not accept.plain_table(o) then fail(sandbox.where(), "%s takes a table; write carom.%s { cells = ... }", name, name) end
  local t = {}
  for key, x in next, o do t[key] = x end
  return t
end

--- A block (three numbers of cells) or a rectangle (two).
function F.box(o) return options("box", o) end

--- A straight bar along x.
function F.bar(o)
  local t = options("bar", o)
  t.size, t.length = t.length, nil
  return t
end

return X
