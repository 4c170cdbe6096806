-- Steps with impacts at their own times (impact=split), as a program over the interpreter: what runtime/include/carom/split.h does.
local function set(n, value)
  local t = {}
  for j = 1, n do t[j] = value end
  return t
end

-- the first zero in (0, 1] of a function that is positive at 0: a thousand steps, then halves
local function first_zero(f)
  local low, n = 0, 1000
  for i = 1, n do
    if f(i / n) <= 0 then
      local high = i / n
      for _ = 1, 200 do
        local middle = (low + high) / 2
        if f(middle) > 0 then low = middle else high = middle end
      end
      return high
    end
    low = i / n
  end
  return 1.0
end

local function hermite(g0, U0, g1, U1, tg)
  local c, d = -3 * g0 - 2 * U0 + 3 * g1 - U1, 2 * g0 + U0 - 2 * g1 + U1
  if g0 > tg then return first_zero(function(x) return g0 + x * (U0 + x * (c + x * d)) end) end
  return first_zero(function(x) return U0 + x * (c + x * d) end)
end

--- One step of length h. s: an interpreter; kmax, order: of the scheme.
return function(s, h, kmax, order)
  local m, x, t_end, k, landing = s.model, h, s.t + h, 0, set(s.model.gaps, false)
  local none, all, steps = set(m.gaps, false), set(m.gaps, true), s.counts.steps
  local function piece(length, look, hitting, seen)
    return s:step(length, { look = look and all or none, hitting = hitting or none, landing = landing, closing = none, rate_start = {},
      rate_end = {}, known = seen and seen.start_a and all or none, start_a = seen and seen.start_a or {},
      start_r = seen and seen.start_r or {}, start_A = seen and seen.start_A or {}, start_free = seen and seen.start_free or {} })
  end
  while x > 1e-12 * h do
    local seen = piece(x, k < kmax)
    if not seen then break end
    local tau, first, hitting, landed = {}, 1.0, set(m.gaps, false), false
    for j = m.bilateral + 1, m.gaps do
      tau[j] = seen.closing[j] and hermite(seen.g0[j], x * seen.rate_start[j], seen.g1[j], x * seen.rate_end[j], s.tolerances.tg)
        or math.huge
      first = math.min(first, tau[j])
    end
    for j = m.bilateral + 1, m.gaps do
      hitting[j] = tau[j] <= first + 1e-9
      if hitting[j] and seen.g0[j] <= s.tolerances.tg then landing[j], landed = true, true end
    end
    k = k + 1
    if not landed then
      local y = x * first
      if order > 4 then
        local there, new = piece(y, true, hitting), math.huge
        for j = m.bilateral + 1, m.gaps do
          if hitting[j] and there.rate_end[j] < 0 then new = math.min(new, y - there.g1[j] / there.rate_end[j]) end
        end
        y = new > 0 and new < x and new or y
      end
      piece(y, false, hitting, seen)
      landing = set(m.gaps, false)
      x = x - y
    end
  end
  s.t, s.counts.steps = t_end, steps + 1
end
