-- Dense linear algebra for the interpreter of plans: slow and obvious. Matrices are lists of rows.
local L = {}

function L.zeros(n)
  local x = {}
  for i = 1, n do x[i] = 0.0 end
  return x
end

function L.largest(x)
  local size = 0.0
  for i = 1, #x do
    if x[i] ~= x[i] then return math.huge end
    size = math.max(size, math.abs(x[i]))
  end
  return size
end

--- A x
function L.product(A, x)
  local y = {}
  for i = 1, #A do
    local sum = 0.0
    for j = 1, #x do sum = sum + A[i][j] * x[j] end
    y[i] = sum
  end
  return y
end

--- A^T x, A with n columns
function L.transposed_product(A, x, n)
  local y = L.zeros(n)
  for i = 1, #A do
    if x[i] ~= 0 then for j = 1, n do y[j] = y[j] + A[i][j] * x[i] end end
  end
  return y
end

--- Solves A X = B for a list B of right-hand sides, by elimination with complete pivoting. Where A is singular the unknowns that are
--- left over are 0, and what the equations then still ask for is left. Returns the list of solutions and the rank.
function L.solve(A, B, tolerance)
  local n, m = #A, #B
  local M, column = {}, {}
  for i = 1, n do
    M[i] = {}
    column[i] = i
    for j = 1, n do M[i][j] = A[i][j] end
    for k = 1, m do M[i][n + k] = B[k][i] end
  end
  local largest, rank = 0.0, 0
  for s = 1, n do
    local pi, pj, best = s, s, -1.0
    for i = s, n do
      for j = s, n do
        if math.abs(M[i][j]) > best then pi, pj, best = i, j, math.abs(M[i][j]) end
      end
    end
    largest = math.max(largest, best)
    if best <= (tolerance or 1e-13) * largest then break end
    rank = s
    M[s], M[pi] = M[pi], M[s]
    column[s], column[pj] = column[pj], column[s]
    for i = 1, n do M[i][s], M[i][pj] = M[i][pj], M[i][s] end
    for i = s + 1, n do
      local factor = M[i][s] / M[s][s]
      if factor ~= 0 then
        for j = s + 1, n + m do M[i][j] = M[i][j] - factor * M[s][j] end
        M[i][s] = 0.0
      end
    end
  end
  local X = {}
  for k = 1, m do
    local y = L.zeros(n)
    for i = rank, 1, -1 do
      local sum = M[i][n + k]
      for j = i + 1, rank do sum = sum - M[i][j] * y[column[j]] end
      y[column[i]] = sum / M[i][i]
    end
    X[k] = y
  end
  return X, rank
end

return L
