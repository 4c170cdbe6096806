-- Least squares by Levenberg and Marquardt for a few unknowns, with derivatives that are given or central differences.
local M = {}

-- x with A x = b, by elimination with pivots; nil when A is singular
local function solve(A, b)
  local n = #b
  local a = {}
  for i = 1, n do
    a[i] = table.move(A[i], 1, n, 1, {})
    a[i][n + 1] = b[i]
  end
  for k = 1, n do
    local p = k
    for i = k + 1, n do if math.abs(a[i][k]) > math.abs(a[p][k]) then p = i end end
    if a[p][k] == 0 or a[p][k] ~= a[p][k] then return nil end
    a[k], a[p] = a[p], a[k]
    for i = k + 1, n do
      local l = a[i][k] / a[k][k]
      for j = k, n + 1 do a[i][j] = a[i][j] - l * a[k][j] end
    end
  end
  local x = {}
  for i = n, 1, -1 do
    local sum = a[i][n + 1]
    for j = i + 1, n do sum = sum - a[i][j] * x[j] end
    x[i] = sum / a[i][i]
  end
  return x
end

local function squares(r)
  local sum = 0
  for _, y in ipairs(r) do sum = sum + y * y end
  return sum
end

-- Derivatives of the residuals r at x, by central differences.
local function differences(x, r, residuals, small)
  local n, points, d, J = #x, {}, {}, {}
  for j = 1, n do
    d[j] = small * math.max(math.abs(x[j]), 1e-3)
    for _, sign in ipairs { 1, -1 } do
      local y = table.move(x, 1, n, 1, {})
      y[j] = y[j] + sign * d[j]
      points[#points + 1] = y
    end
  end
  local at = residuals(points)
  for j = 1, n do
    local plus, minus = at[2 * j - 1] or r, at[2 * j] or r -- at the edge of what can be run: one-sided
    local width = (at[2 * j - 1] and d[j] or 0) + (at[2 * j] and d[j] or 0)
    if width == 0 then return nil end
    J[j] = {}
    for k = 1, #r do J[j][k] = (plus[k] - minus[k]) / width end
  end
  return J
end

--- Minimises the sum of squares of residual(x), a list of numbers or nil where there is none; residuals(list of x) gives many at once.
--- options: jacobian(x) (a list of derivatives for each unknown, or nil: by differences), small (relative differences), iterations,
--- tell(iteration, x, rms).
--- Returns x, rms of the residuals, standard errors, and whether it converged.
function M.fit(x, residuals, options)
  local n, lambda, small = #x, 1e-3, options.small or 1e-4
  local function one(y) return residuals({ y })[1] end
  local r = one(x)
  if not r then return nil end
  local best, converged, inverse = squares(r), false, nil
  for iteration = 1, options.iterations or 50 do
    local A, g = {}, {}
    local J = options.jacobian and options.jacobian(x) or differences(x, r, residuals, small)
    if not J then return nil end
    for i = 1, n do
      A[i], g[i] = {}, 0
      for k = 1, #r do g[i] = g[i] - J[i][k] * r[k] end
      for j = 1, n do
        A[i][j] = 0
        for k = 1, #r do A[i][j] = A[i][j] + J[i][k] * J[j][k] end
      end
    end
    inverse = A
    local moved = false
    for _ = 1, 12 do
      local damped = {}
      for i = 1, n do
        damped[i] = table.move(A[i], 1, n, 1, {})
        damped[i][i] = damped[i][i] * (1 + lambda)
      end
      local step = solve(damped, g)
      if not step then return nil end
      local y, far = {}, 0
      for i = 1, n do
        y[i] = x[i] + step[i]
        far = math.max(far, math.abs(step[i]) / math.max(math.abs(x[i]), 1e-12))
      end
      local tried = one(y)
      if tried and squares(tried) <= best then
        converged = far < 1e-7 or best - squares(tried) <= 1e-12 * best
        x, r, best, lambda, moved = y, tried, squares(tried), lambda / 5, true
        break
      end
      if far < 1e-9 then
        converged = true
        break
      end
      lambda = lambda * 5
    end
    if options.tell then options.tell(iteration, x, math.sqrt(best / #r)) end
    if converged or not moved then
      converged = converged or not moved
      break
    end
  end
  local errors = {}
  for i = 1, n do
    local unit = {}
    for j = 1, n do unit[j] = i == j and 1 or 0 end
    local column = solve(inverse, unit)
    errors[i] = column and #r > n and math.sqrt(math.max(column[i], 0) * best / (#r - n)) or nil
  end
  return x, math.sqrt(best / #r), errors, converged
end

return M
