-- Which numbers of steps a study uses. An impact on a grid point would be compared with v+ on one side and with v- on the
-- other, as rounding decides: a spurious error of the size of the jump. So numbers of steps are odd, nearly doubling
-- (23, 47, 93, 187, ...: no common factors), and where the model says when its events are, moved until all of them lie
-- well inside a step. Against a reference that was computed with steps of its own the grids must be nested instead:
-- N, 2N, 4N, ...

local ladder = {}

local WELL_INSIDE = 0.1 -- part of a step
local NEIGHBOURS = 8    -- how far N may be moved, and at most by a fifth
local EVENTS = 12       -- an accumulation of impacts cannot be avoided; its jumps are small

--- The distance of the nearest event to a grid point of N steps until T, as a part of the step; 0.5 without events.
function ladder.distance(N, T, events)
  local nearest = 0.5
  for i = 1, math.min(#events, EVENTS) do
    local x = events[i] * N / T
    if events[i] > 0 and events[i] < T then nearest = math.min(nearest, math.abs(x - math.floor(x + 0.5))) end
  end
  return nearest
end

-- The number near N that keeps the events off the grid: the nearest good one, or the best of all.
local function moved(N, T, events, taken)
  local best, most = N, -1
  for i = 0, 2 * math.min(NEIGHBOURS, N // 5) do
    local candidate = N + (i % 2 == 0 and i // 2 or -(i // 2 + 1))
    if candidate >= 2 and candidate > taken then
      local d = ladder.distance(candidate, T, events)
      if d >= WELL_INSIDE then return candidate end
      if d > most then best, most = candidate, d end
    end
  end
  return best
end

--- `rungs` numbers of steps from about `first` on: nearly doubling and away from the events, or doubling when nested.
function ladder.counts(first, rungs, T, events, nested)
  local counts, N = {}, math.max(3, first | 1)
  for i = 1, rungs do
    counts[i] = nested and N or moved(N, T, events, counts[i - 1] or 0)
    N = 2 * N + (nested and 0 or i % 2 == 1 and 1 or -1)
  end
  return counts
end

--- The steps lengths T/N of the counts.
function ladder.steps(counts, T)
  local steps = {}
  for i, N in ipairs(counts) do steps[i] = T / N end
  return steps
end

--- Are all steps whole multiples of the last?
function ladder.nested(steps)
  local finest = steps[#steps]
  for _, h in ipairs(steps) do
    local ratio = h / finest
    if math.abs(ratio - math.floor(ratio + 0.5)) > 1e-9 * ratio then return false end
  end
  return true
end

return ladder
