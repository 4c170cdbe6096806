-- Operators of step plans on numbers: M + wv C + wq K of one vector or of several, for tests/oracle/interpret.lua, which is `s`.
local L = require "tests.oracle.algebra"

local O = {}

--- The operator of a name.
function O.named(s, name)
  local c = name:match("^mass@(.+)$")
  return c and s.at[c].M or s.operators[name]
end

--- Coefficients as numbers.
function O.matrix(s, rows)
  local A = {}
  for i, row in ipairs(rows) do
    A[i] = {}
    for j, x in ipairs(row) do A[i][j] = s:coefficient(x[1], x[2]) end
  end
  return A
end

function O.apply(s, op) s.env[op.y] = L.product(O.named(s, op.A), s.env[op.x]) end

function O.solve(s, op)
  local A = O.named(s, op.A)
  if not A.stages then
    s.env[op.y[1]] = L.solve(A, { s.env[op.x[1]] })[1]
    return
  end
  -- over several vectors, with rows held: S x = M d and G x + .. = G d
  local n, right = s.model.n, {}
  for l = 1, A.stages do
    local d = s.env[op.x[l]]
    local y = L.product(A.M, d)
    for i = 1, n do right[#right + 1] = y[i] end
    y = L.product(A.G, d)
    for i = 1, #A.G do right[#right + 1] = y[i] end
  end
  local x, size = L.solve(A, { right }, 1e-13)[1], n + #A.G
  for l = 1, A.stages do s.env[op.y[l]] = table.move(x, (l - 1) * size + 1, (l - 1) * size + n, 1, {}) end
end

function O.operator(s, op)
  local c, n = s.at[op.c], s.model.n
  local J = s.model:derivatives(c, s.env[op.v], op.a and s.env[op.a], op.r and s.env[op.r])
  local A = {}
  if type(op.wv[1]) ~= "table" then
    local wv, wq = s:coefficient(op.wv[1], op.wv[2]), s:coefficient(op.wq[1], op.wq[2])
    for i = 1, n do
      A[i] = {}
      for j = 1, n do
        local C, K = J.C[i][j], J.K[i][j]
        if op.symmetric then C, K = (C + J.C[j][i]) / 2, (K + J.K[j][i]) / 2 end
        A[i][j] = c.M[i][j] + wv * C + wq * K
      end
    end
  else
    local wv, wq, G, Kc, Cc = O.matrix(s, op.wv), O.matrix(s, op.wq), {}, {}, {}
    for k = 1, s.model.gaps do
      if s.env[op.on][k] then G[#G + 1], Kc[#Kc + 1], Cc[#Cc + 1] = c.G[k], J.Kc[k], J.Cc[k] end
    end
    local size = n + #G
    for l = 1, #wv do
      for i = 1, size do
        local row = L.zeros(size * #wv)
        for k = 1, #wv do
          for j = 1, n do
            local x
            if i <= n then
              x = (k == l and c.M[i][j] or 0) + wv[l][k] * J.C[i][j] + wq[l][k] * J.K[i][j]
            else
              x = (k == l and G[i - n][j] or 0) + wv[l][k] * Cc[i - n][j] + wq[l][k] * Kc[i - n][j]
            end
            row[(k - 1) * size + j] = x
          end
        end
        for j = 1, i <= n and #G or 0 do row[(l - 1) * size + n + j] = -G[j][i] end
        A[#A + 1] = row
      end
    end
    A.stages, A.M, A.G = #wv, c.M, G
  end
  s.operators[op.A] = A
end

return O
