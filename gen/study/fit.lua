-- Slopes of log(error) over log(h): the measured order.

local fit = {}

--- Between two neighbours; nil when an error is missing or zero.
function fit.between(h1, e1, h2, e2)
  if not (e1 and e2 and e1 > 0 and e2 > 0 and e1 < math.huge and e2 < math.huge) then return nil end
  return math.log(e2 / e1) / math.log(h2 / h1)
end

--- Least-squares slope through the pairs; nil when there are fewer than two.
function fit.slope(h, e)
  local n, sx, sy, sxx, sxy = #h, 0, 0, 0, 0
  if n < 2 then return nil end
  for i = 1, n do
    local x, y = math.log(h[i]), math.log(e[i])
    sx, sy, sxx, sxy = sx + x, sy + y, sxx + x * x, sxy + x * y
  end
  return (n * sxy - sx * sy) / (n * sxx - sx * sx)
end

return fit
