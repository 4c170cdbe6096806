-- The band of W = G A^-1 G^T where A is diagonal: rows are coupled where they share an unknown. See carom/banded.h.
--
-- The order is that of Cuthill and McKee, backwards: breadth first from a row at the end of its part, neighbours by degree. Chains of
-- bodies get a band as wide as two joints have rows, loops twice that.
local B = {}

-- rows that each shares something with: more on the average is something that many others touch, and no band is worth making
local MOST = 64

-- The rows that each row shares an unknown with, those with fewest themselves first; nil where there are too many.
local function neighbours_of(g)
  local of_unknown, near, count = {}, {}, 0
  for i, columns in ipairs(g) do
    for _, c in ipairs(columns) do
      of_unknown[c] = of_unknown[c] or {}
      table.insert(of_unknown[c], i)
    end
  end
  for i, columns in ipairs(g) do
    local list, seen = {}, { [i] = true }
    for _, c in ipairs(columns) do
      count = count + #of_unknown[c]
      if count > MOST * #g then return nil end
      for _, j in ipairs(of_unknown[c]) do
        if not seen[j] then
          seen[j] = true
          list[#list + 1] = j
        end
      end
    end
    near[i] = list
  end
  for _, list in ipairs(near) do
    table.sort(list, function(i, j)
      if #near[i] ~= #near[j] then return #near[i] < #near[j] end
      return i < j
    end)
  end
  return near
end

-- Breadth first from a row; gives the list, and where its last level begins.
local function spread(near, start)
  local list, seen = { start }, { [start] = true }
  local from, to, level = 1, 1, 1
  while from <= to do
    level = from
    for k = from, to do
      for _, j in ipairs(near[list[k]]) do
        if not seen[j] then
          seen[j] = true
          list[#list + 1] = j
        end
      end
    end
    from, to = to + 1, #list
  end
  return list, level
end

--- Rows of g (lists of columns) in the order of elimination, 0-based, and the width of the band; nil where W has none worth using.
--- most: multiplications of another factorisation.
function B.of(g, most)
  local near = neighbours_of(g)
  if not near or #g == 0 then return nil end
  local order, placed, width = {}, {}, 1
  for i = 1, #g do
    if not placed[i] then
      local list, level = spread(near, i)
      for _ = 1, 2 do -- from the far end, twice: a row at the end of the part
        local least = list[level]
        for k = level, #list do least = #near[list[k]] < #near[least] and list[k] or least end
        list, level = spread(near, least)
      end
      for k = #list, 1, -1 do
        order[#order + 1] = list[k] - 1
        placed[list[k]] = #order
      end
    end
  end
  for i, list in ipairs(near) do
    for _, j in ipairs(list) do width = math.max(width, placed[i] - placed[j]) end
  end
  if #g * width * (width + 3) // 2 > 2 * most then return nil end
  return order, width
end

return B
