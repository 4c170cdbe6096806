-- Numbers with 252 binary places, so that coefficients are rounded only once, at the end, and correctly.
--
-- A number is floor(x * 2^252) as a table of ten limbs: [1] is the integer part (a signed Lua integer), [2]..[10]
-- are the fraction in limbs of 28 bits, never negative. Only the first limb has a sign, so sums and products need
-- no case for it; carries use floor division. Products of two limbs have 56 bits, so a whole column fits an integer.
--
-- Integer parts must stay below 2^31 where numbers are multiplied. That is ample here: the coefficients are of order
-- one and what leads to them is scaled to be so as well.
--
-- + - * / take numbers of this kind and Lua integers, mixed. Every operation is off by a few 2^-252 at most;
-- exact.round asks for 2^-140 only, so some hundred bits may be lost on the way.
local exact = {}
exact.__index = exact

local BITS = 28
local BASE = 1 << BITS
local MASK = BASE - 1
local SIZE = 10
local EPSILON_LIMB = 6 -- one in this limb is 2^-140

local function new(limbs) return setmetatable(limbs, exact) end

local function zero()
  return { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
end

-- Limbs of any size and sign into their range, in place.
local function carry(z)
  local c = 0
  for i = SIZE, 2, -1 do
    local s = z[i] + c
    z[i] = s & MASK
    c = s // BASE
  end
  z[1] = z[1] + c
  return new(z)
end

--- A Lua number as it stands: integers and floats (what they have above 2^-252) are both taken without rounding.
function exact.from(x)
  if type(x) == "table" then return x end
  if x < 0 then return -exact.from(-x) end
  local z = zero()
  for i = 1, SIZE do
    local limb = math.floor(x)
    z[i] = limb
    if limb == x then break end
    x = (x - limb) * (1.0 * BASE)
  end
  return new(z)
end

local function is_integer(x) return math.type(x) == "integer" end

function exact.__add(x, y)
  local z = zero()
  x, y = exact.from(x), exact.from(y)
  for i = 1, SIZE do z[i] = x[i] + y[i] end
  return carry(z)
end

function exact.__sub(x, y)
  local z = zero()
  x, y = exact.from(x), exact.from(y)
  for i = 1, SIZE do z[i] = x[i] - y[i] end
  return carry(z)
end

function exact.__unm(x)
  local z = zero()
  for i = 1, SIZE do z[i] = -x[i] end
  return carry(z)
end

-- x times a Lua integer below 2^32 in size.
local function scaled(x, n)
  local z = zero()
  for i = 1, SIZE do z[i] = x[i] * n end
  return carry(z)
end

-- x by a positive Lua integer below 2^32.
local function divided(x, n)
  local z, rest = zero(), 0
  for i = 1, SIZE do
    local s = rest * BASE + x[i]
    z[i] = s // n
    rest = s % n
  end
  return new(z)
end

function exact.__mul(x, y)
  if is_integer(x) then return scaled(y, x) end
  if is_integer(y) then return scaled(x, y) end
  local z, c = zero(), 0
  for i = 2, SIZE do c = c + x[i] * y[SIZE + 2 - i] end -- the first column below the last place, for its carry
  c = c // BASE
  for column = SIZE, 1, -1 do
    local s = c
    for i = 1, column do s = s + x[i] * y[column + 1 - i] end
    z[column] = s & MASK
    c = s // BASE
  end
  z[1] = z[1] + c * BASE
  return new(z)
end

-- The value as a double, good to about 2^-50 relative: the start of an iteration, not a result.
local function rough(x)
  local sum, weight = 0.0, 1.0
  for i = 1, SIZE do
    sum = sum + x[i] * weight
    weight = weight / BASE
  end
  return sum
end

-- 1/y by Newton, r <- r + r (1 - y r): each pass doubles the 50 bits of the start, three are enough.
local function reciprocal(y)
  local start = 1 / rough(y)
  assert(math.abs(start) < 2.0 ^ 30, "division by a number too small for this arithmetic")
  local r = exact.from(start)
  for _ = 1, 3 do r = r + r * (1 - y * r) end
  return r
end

function exact.__div(x, y)
  if is_integer(y) then
    if y < 0 then return divided(-x, -y) end
    assert(y > 0, "division by zero")
    return divided(x, y)
  end
  return x * reciprocal(y)
end

--- The square root of a positive number or Lua integer, from y -> 1/sqrt(x) by y <- y + y (1 - x y^2) / 2.
function exact.sqrt(x)
  x = exact.from(x)
  local start = rough(x)
  assert(start > 2.0 ^ -50, "square root of a number too small for this arithmetic")
  local y = exact.from(1 / math.sqrt(start))
  for _ = 1, 3 do y = y + y * (1 - x * y * y) / 2 end
  return x * y
end

--- p / q for Lua integers below 2^31 in size.
function exact.ratio(p, q)
  return exact.from(p) / q
end

-- The double nearest to x. The 56 leading bits, the last one set if anything follows, are converted by the machine,
-- which rounds to nearest even; three bits beyond the 53 decide every case, and the power of two is exact.
local function nearest(x)
  local sign = 1.0
  if x[1] < 0 then
    x, sign = -x, -1.0
  end
  assert(x[1] < BASE, "number too large to be rounded by this arithmetic")
  local lead = 1
  while x[lead] == 0 do
    if lead == SIZE then return 0.0 end
    lead = lead + 1
  end
  local shift, top = 0, x[lead]
  while top << shift < BASE >> 1 do shift = shift + 1 end
  local limbs = {}
  for i = lead, lead + 2 do limbs[i - lead] = x[i] or 0 end
  local bits = ((limbs[0] << BITS | limbs[1]) << shift) | (limbs[2] << shift >> BITS)
  local tail = (limbs[2] << shift) & MASK
  for i = lead + 3, SIZE do tail = tail | x[i] end
  if tail ~= 0 then bits = bits | 1 end
  return sign * bits * 2.0 ^ (-BITS * lead - shift)
end

local EPSILON = zero()
EPSILON[EPSILON_LIMB] = 1
new(EPSILON)

--- The double nearest to the number that x stands for, if x is right to 2^-140: both ends of that interval must round
--- to the same double, else an error is raised. An interval around zero is zero (never the negative one).
function exact.round(x)
  local low, high = nearest(x - EPSILON), nearest(x + EPSILON)
  if low <= 0 and high >= 0 then return 0.0 end
  assert(low == high, "too few digits to round a coefficient correctly")
  return low
end

--- The sum of x[i] * y[i] for i = first..last; carries wait for the end.
function exact.dot(x, y, first, last)
  local z = zero()
  for k = first, last do
    local term = x[k] * y[k]
    for i = 1, SIZE do z[i] = z[i] + term[i] end
  end
  return carry(z)
end

return exact
