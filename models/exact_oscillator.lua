-- Exact motion of m q'' + c q' + k q = f0 + a cos(omega t) + r over an obstacle at q = 0, 0 <= q _|_ r >= 0, with
-- restitution: free flights, impacts, accumulations of impacts (Zeno), rest and release, event by event.
--
-- A flight is a chain of Taylor polynomials of degree 25 over at most half a unit of the shortest time scale: every
-- remainder is below rounding, whatever the damping, and short flights have full *relative* accuracy. An impact is the
-- root of q(u)/u when the flight starts on the obstacle, never of q: u = 0 is a root of that. An accumulation ends in
-- rest when the speed after an impact is below 1e-15; a rest ends where the force on the resting mass becomes positive.
--
-- solve(p) with p = { m, c, k, f0, a, omega, restitution, q0, v0 } gives an object with
--   at(t)         q and q' (the limit from the right at impacts)
--   events(T)     list of { t =, kind = "impact" | "rest" | "release", jump = change of q' } until T
local oscillator = {}

local DEGREE = 25
local SLOWEST = 1e-15 -- a rebound below this speed is rest

-- Taylor coefficients y[0..DEGREE] of the motion from (t, q, v): y_{n+2} = (f_n - c (n+1) y_{n+1} - k y_n)/(m (n+1)(n+2)).
local function taylor(p, t, q, v)
  local y = { [0] = q, v }
  local cosine, sine = p.a * math.cos(p.omega * t), -p.a * math.sin(p.omega * t)
  for n = 0, DEGREE - 2 do
    local f = cosine + (n == 0 and p.f0 or 0)
    y[n + 2] = (f - p.c * (n + 1) * y[n + 1] - p.k * y[n]) / (p.m * (n + 1) * (n + 2))
    -- the next derivative of cos and sin, divided by the next factorial
    cosine, sine = sine * p.omega / (n + 1), -cosine * p.omega / (n + 1)
  end
  return y
end

local function position(y, u)
  local q = y[DEGREE]
  for n = DEGREE - 1, 0, -1 do q = q * u + y[n] end
  return q
end

-- q(u)/u for a flight that starts on the obstacle
local function deflated(y, u)
  local q = y[DEGREE]
  for n = DEGREE - 1, 1, -1 do q = q * u + y[n] end
  return q
end

local function velocity(y, u)
  local v = DEGREE * y[DEGREE]
  for n = DEGREE - 1, 1, -1 do v = v * u + n * y[n] end
  return v
end

-- The root of f between a (f > 0) and b (f <= 0): secant steps kept inside, bisection whenever they are slow.
local function root(f, y, a, b)
  local fa, fb = f(y, a), f(y, b)
  for i = 1, 200 do
    local c = i % 3 == 0 and (a + b) / 2 or a - fa * (b - a) / (fb - fa)
    if not (c > a and c < b) then c = (a + b) / 2 end
    if c <= a or c >= b then break end
    local fc = f(y, c)
    if fc > 0 then a, fa = c, fc else b, fb = c, fc end
  end
  return b
end

-- How long one polynomial is good for; without frequencies the motion is the parabola itself.
local function reach(p)
  local fastest = math.max(math.sqrt(p.k / p.m), p.c / p.m, p.a ~= 0 and math.abs(p.omega) or 0)
  return fastest > 0 and 0.5 / fastest or 1e6
end

-- The first time in (0, length] at which the flight meets the obstacle, or nil.
local function meeting(y, length)
  local f = y[0] == 0 and deflated or position
  local curvature = 2 * math.abs(y[2])
  local step, a = length / 16, 0
  if curvature > 0 then -- a short flight lasts about 2 v/|q''|: do not step over it and back
    local own = y[0] == 0 and y[1] / curvature or (math.abs(y[1]) + math.sqrt(curvature * y[0])) / curvature
    if own > 0 then step = math.min(step, own / 2) end
  end
  while a < length do
    local b = math.min(a + step, length)
    if f(y, b) <= 0 then return root(f, y, a, b) end
    a, step = b, math.min(2 * step, length / 16)
  end
end

-- When the force f0 + a cos(omega t) on the resting mass becomes positive after t; huge when it never does.
local function release(p, t)
  if p.a == 0 or p.omega == 0 then return p.f0 + p.a > 0 and t or math.huge end
  local level = -p.f0 / p.a
  if math.abs(level) >= 1 then return p.f0 > 0 and t or math.huge end
  local turn, omega = 2 * math.pi, math.abs(p.omega)
  local phase = p.a > 0 and -math.acos(level) or math.acos(level)
  local n = math.ceil((omega * t - phase) / turn - 1e-12)
  return math.max(t, (phase + n * turn) / omega)
end

-- Appends the next piece (and the event at its end) to the solution.
local function extend(s)
  local p, now = s.p, s.now
  local t, q, v = now.t, now.q, now.v
  local force = p.f0 + p.a * math.cos(p.omega * t)
  local pieces, events = s.pieces, s.found
  if q == 0 and v <= 0 and not now.released and (force <= 0 or v < 0) then
    pieces[#pieces + 1] = { t = t, y = false }
    local free = release(p, t)
    if free < math.huge then events[#events + 1] = { t = free, kind = "release", jump = 0 } end
    s.now = { t = free, q = 0, v = 0, released = true }
    return
  end
  local y = taylor(p, t, q, v)
  local u = meeting(y, s.reach)
  pieces[#pieces + 1] = { t = t, y = y }
  if not u then
    s.now = { t = t + s.reach, q = position(y, s.reach), v = velocity(y, s.reach) }
    return
  end
  local before = math.min(velocity(y, u), 0)
  local after = -p.restitution * before
  if after < SLOWEST then after = 0 end
  events[#events + 1] = { t = t + u, kind = after == 0 and "rest" or "impact", jump = after - before }
  s.now = { t = t + u, q = 0, v = after, released = false }
end

local function until_time(s, t)
  while s.now.t <= t do extend(s) end
end

local Solution = {}

function Solution.at(s, t)
  until_time(s, t)
  local low, high = 1, #s.pieces -- the last piece that starts at t or before
  while low < high do
    local middle = (low + high + 1) // 2
    if s.pieces[middle].t <= t then low = middle else high = middle - 1 end
  end
  local piece = s.pieces[low]
  if not piece.y then return 0, 0 end
  local u = t - piece.t
  return position(piece.y, u), velocity(piece.y, u)
end

function Solution.events(s, T)
  until_time(s, T)
  local list = {}
  for _, e in ipairs(s.found) do
    if e.t <= T then list[#list + 1] = e end
  end
  return list
end

local last -- most callers ask about one set of parameters, many times

function oscillator.solve(p)
  local names = { "m", "c", "k", "f0", "a", "omega", "restitution", "q0", "v0" }
  local same = last ~= nil
  for _, name in ipairs(names) do same = same and last.p[name] == p[name] end
  if not same then
    local start = p.q0 == 0 and p.v0 < 0 and -p.restitution * p.v0 or p.v0
    last = { p = p, reach = reach(p), pieces = {}, found = {}, now = { t = 0, q = p.q0, v = start },
      at = Solution.at, events = Solution.events }
  end
  return last
end

return oscillator
