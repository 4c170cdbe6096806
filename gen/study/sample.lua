-- Samples of what varies in a sweep: grids and Latin hypercubes, uniform or normal. The numbers come from a generator of its own
-- (splitmix64), so a seed gives the same table everywhere.
local S = {}

local function generator(seed)
  local state = seed
  return function() -- in (0, 1)
    state = state + 0x9E3779B97F4A7C15
    local z = state
    z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
    z = (z ~ (z >> 27)) * 0x94D049BB133111EB
    z = z ~ (z >> 31)
    return ((z >> 12) + 0.5) / 2.0 ^ 52
  end
end

-- Coefficients of P. J. Acklam's rational approximation of the normal quantile (relative error 1.15e-9).
local A = { -3.969683028665376e+01, 2.209460984245205e+02, -2.759285104469687e+02, 1.383577518672690e+02, -3.066479806614716e+01,
  2.506628277459239e+00 }
local B = { -5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01 }
local C = { -7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00, -2.549732539343734e+00, 4.374664141464968e+00,
  2.938163982698783e+00 }
local D = { 7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00 }

local function polynomial(c, x, last)
  local sum = 0
  for _, a in ipairs(c) do sum = sum * x + a end
  return last and sum * x + last or sum
end

--- The number below which a share p of a standard normal distribution lies.
function S.normal(p)
  if p < 0.02425 then
    local q = math.sqrt(-2 * math.log(p))
    return polynomial(C, q) / polynomial(D, q, 1)
  elseif p > 1 - 0.02425 then
    return -S.normal(1 - p)
  end
  local q = p - 0.5
  local r = q * q
  return polynomial(A, r) * q / polynomial(B, r, 1)
end

--- All combinations; vary: list of { low, high, count }. The last one varies fastest.
function S.grid(vary)
  local rows = { {} }
  for _, v in ipairs(vary) do
    local longer = {}
    for _, row in ipairs(rows) do
      for k = 0, v.count - 1 do
        local more = table.move(row, 1, #row, 1, {})
        more[#more + 1] = v.count == 1 and v.low or v.low + (v.high - v.low) * k / (v.count - 1)
        longer[#longer + 1] = more
      end
    end
    rows = longer
  end
  return rows
end

--- A Latin hypercube of n rows: each of n equally probable parts of each distribution is met once.
--- vary: list of { low, high } or { mean, sd }.
function S.latin(vary, n, seed)
  local random, rows = generator(seed), {}
  for i = 1, n do rows[i] = {} end
  for k, v in ipairs(vary) do
    local order = {}
    for i = 1, n do order[i] = i end
    for i = n, 2, -1 do
      local j = 1 + math.floor(random() * i)
      order[i], order[j] = order[j], order[i]
    end
    for i = 1, n do
      local p = (order[i] - 1 + random()) / n
      rows[i][k] = v.mean and v.mean + v.sd * S.normal(p) or v.low + (v.high - v.low) * p
    end
  end
  return rows
end

--- Mean, standard deviation, least, greatest and median of a list of numbers.
function S.statistics(list)
  local n, mean, m2 = 0, 0, 0
  for _, x in ipairs(list) do
    n = n + 1
    local off = x - mean
    mean = mean + off / n
    m2 = m2 + off * (x - mean)
  end
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return { mean = mean, sd = n > 1 and math.sqrt(m2 / (n - 1)) or 0, least = sorted[1], greatest = sorted[n],
    median = n > 0 and (sorted[(n + 1) // 2] + sorted[n // 2 + 1]) / 2 or nil }
end

return S
