-- The nodes of the two quadratures on [0,1], with many digits.
--
-- Both families are the end points and the extrema of a polynomial Q_M on [-1,1], mapped to [0,1]: Clenshaw-Curtis
-- takes the Chebyshev polynomial T_M, so that tau_l = (1 - cos(pi l / M)) / 2, Gauss-Lobatto the Legendre polynomial
-- P_M. So one Newton iteration serves both, and no table or value of pi with many digits is needed.
local exact = require "gen.scheme.exact"

local quadrature = {}

-- Above this the powers of the nodes grow too much for the digits of exact.lua; no sensible scheme comes near.
local LARGEST = 32

--- The names, in the order in which a message lists them.
quadrature.names = { "clenshaw-curtis", "lobatto" }

--- Whether this is the name of a quadrature.
function quadrature.is(name)
  for _, known in ipairs(quadrature.names) do
    if name == known then return true end
  end
  return false
end

--- The global order, at grid points and in smooth motion, of the discontinuous Galerkin schemes on these nodes.
function quadrature.order(name, M)
  if name == "lobatto" then return 2 * M end
  return M % 2 == 0 and M + 2 or M + 1
end

-- Q_{M-1}(x) and Q_M(x) by the three-term recurrence.
local function pair(name, M, x)
  local before, now = 1, x
  if name == "lobatto" then
    for k = 2, M do before, now = now, (x * now * (2 * k - 1) - before * (k - 1)) / k end
  else
    for _ = 2, M do before, now = now, x * now * 2 - before end
  end
  return before, now
end

-- The Newton correction of an extremum x of Q_M, for doubles as well as for many digits.
-- The root sought is that of g = Q_{M-1} - x Q_M = (1 - x^2) Q_M' / M. The differential equation of Q_M gives its slope
-- there: -(M+1) P_M (everywhere) or -M T_M (at the root, which is enough for quadratic convergence).
local function correction(name, M, x)
  local before, now = pair(name, M, x)
  return (before - x * now) / (now * (name == "lobatto" and M + 1 or M))
end

-- The l-th extremum from the left end: the Chebyshev one starts the iteration in doubles, which starts the long one
-- with about 50 bits right; three passes give 400.
local function extremum(name, M, l)
  local x = -math.cos(math.pi * l / M)
  for _ = 1, 20 do
    local step = correction(name, M, x)
    x = x + step
    if math.abs(step) < 1e-14 then break end
  end
  x = exact.from(x)
  for _ = 1, 3 do x = x + correction(name, M, x) end
  return x
end

--- The nodes tau_0 = 0 < ... < tau_M = 1 as numbers of exact.lua, indexed from 0 and symmetric to the last digit.
function quadrature.nodes(name, M)
  if not quadrature.is(name) then
    error(("unknown quadrature '%s'; write one of %s"):format(name, table.concat(quadrature.names, ", ")), 2)
  end
  if math.type(M) ~= "integer" or M < 1 or M > LARGEST then
    error(("M = %s is not an integer from 1 to %d"):format(M, LARGEST), 2)
  end
  local tau = { [0] = exact.from(0), [M] = exact.from(1) }
  for l = 1, (M - 1) // 2 do
    tau[l] = (extremum(name, M, l) + 1) / 2
    tau[M - l] = 1 - tau[l]
  end
  if M % 2 == 0 then tau[M // 2] = exact.ratio(1, 2) end
  return tau
end

return quadrature
