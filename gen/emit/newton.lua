-- Newton's matrix A = M + wv C + wq K of a small model, written out: its entries, A = L U on the pattern that is known here, without
-- exchanges of rows, and what is solved with it. M is positive definite and the rest small in steps that are short beside the motion; where
-- a pivot shows that it is not, the general routines of carom/operator.h take over.
local E = require "gen.expr.node"
local Q = require "gen.mech.equations"

local N = {}

local MOST = 400 -- multiplications of one factorisation; longer ones are loops

-- places (i, j) that elimination fills; also how many multiplications it takes
local function fill(has, n)
  local count = 0
  for k = 1, n do
    for i = k + 1, n do
      if has[i][k] then
        for j = k + 1, n do
          if has[k][j] then
            has[i][j] = has[i][j] or "filled"
            count = count + 1
          end
        end
      end
    end
  end
  return count
end

--- Entries of the matrix, { i, j, expression }, and its pattern; nil where it is too long to be written out. a: symbols of accelerations.
function N.entries(eq, a)
  local n, J = eq.n, Q.jacobians(eq, a)
  local wv, wq = E.sym("wv", "local"), E.sym("wq", "local")
  local list, has = {}, {}
  for i = 1, n do
    has[i] = {}
    for j = 1, n do
      local M, C, K = eq.M[math.max(i, j)][math.min(i, j)], J.C[i][j], J.K[i][j]
      if M or C or K or i == j then
        list[#list + 1] = { i, j, (M or E.zero) + ((C and wv * C or E.zero) + (K and wq * K or E.zero)) }
        has[i][j] = true
      end
    end
  end
  if fill(has, n) > MOST then return nil end
  return list, has
end

-- the velocities whose pivots elimination changes
local function factor(lines, has, n)
  local function at(i, j) return ("lu[%d]"):format((i - 1) * n + j - 1) end
  local function say(...) lines[#lines + 1] = string.format(...) end
  local safe = {}
  for i = 1, n do
    for j = 1, n do if has[i][j] == "filled" then say("%s = 0.0;", at(i, j)) end end
    local changes = false
    for k = 1, i - 1 do changes = changes or has[i][k] and has[k][i] end
    if changes then say("const double d%d = %s;", i, at(i, i)) end
    safe[i] = changes and ("p%d > 1e-8 * d%d"):format(i, i) or ("p%d > 0.0"):format(i)
  end
  for k = 1, n do
    say("const double p%d = %s;", k, at(k, k))
    say("%s = 1.0 / p%d;", at(k, k), k)
    for i = k + 1, n do
      if has[i][k] then
        say("%s *= %s;", at(i, k), at(k, k))
        for j = k + 1, n do if has[k][j] then say("%s -= %s * %s;", at(i, j), at(i, k), at(k, j)) end end
      end
    end
  end
  return table.concat(safe, " && ")
end

local function solution(has, n)
  local lines = {}
  local function row(i, first, last)
    local text = ""
    for j = first, last do
      if has[i][j] then text = text .. (" - lu[%d] * x[%d]"):format((i - 1) * n + j - 1, j - 1) end
    end
    return text
  end
  for i = 2, n do
    local less = row(i, 1, i - 1)
    if less ~= "" then lines[#lines + 1] = ("x[%d] = x[%d]%s;"):format(i - 1, i - 1, less) end
  end
  for i = n, 1, -1 do
    local less = row(i, i + 1, n)
    lines[#lines + 1] = less == "" and ("x[%d] *= lu[%d];"):format(i - 1, (i - 1) * n + i - 1)
      or ("x[%d] = (x[%d]%s) * lu[%d];"):format(i - 1, i - 1, less, (i - 1) * n + i - 1)
  end
  return lines
end

--- Bodies of the functions: matrix and factors, solution, product with M. entries, has: of N.entries.
function N.bodies(build, eq, entries, has)
  local n, assignments, products = eq.n, {}, {}
  for k, entry in ipairs(entries) do
    assignments[k] = { ("lu[%d]"):format((entry[1] - 1) * n + entry[2] - 1), entry[3] }
  end
  for i = 1, n do
    local sum = E.zero
    for j = 1, n do
      local M = eq.M[math.max(i, j)][math.min(i, j)]
      if M then sum = sum + build:kept(M) * E.sym(("x[%d]"):format(j - 1), "local") end
    end
    products[i] = { ("y[%d]"):format(i - 1), sum }
  end
  local operator = build:body("jacobian", assignments, { "s", "c", "t", "q", "v", "a", "wv", "wq" }, { "double *const lu = A->lu;" })
  local safe = factor(operator, has, n)
  return { operator = operator, safe = safe, solve = solution(has, n), apply = build:body("product", products, { "s", "c" }) }
end

return N
