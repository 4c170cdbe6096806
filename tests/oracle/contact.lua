-- The one contact problem, solved by methods that are obviously right and slow: u = W r + b on the rows of a set,
--     bilateral u = 0;   contacts 0 <= r_N _|_ u_N >= 0;   Coulomb's law for tangents;   given sliding r_T = -mu slide r_N
-- In the plane every combination of modes is tried until one fits. In space contacts are swept through, each solved exactly (the direction
-- of slip is the root of one equation), until nothing moves.
local L = require "tests.oracle.algebra"

local C = {}

-- normal j and its tangents in the set; those that slide have one column along N - mu slide T
local function contact_of(given, j)
  local c = { row = j, mu = given.mu[j], tangents = {}, slides = false }
  for _, t in ipairs(given.tangents[j] or {}) do
    if given.set[t] then
      c.tangents[#c.tangents + 1] = t
      c.slides = c.slides or given.slide ~= nil and given.slide[t] ~= 0
    end
  end
  return c
end

-- the column of W that the normal force of a contact in a mode brings along
local function column(W, n, given, c, mode)
  local y = {}
  for i = 1, n do
    y[i] = W[i][c.row]
    for _, t in ipairs(c.tangents) do
      if c.slides then y[i] = y[i] - c.mu * given.slide[t] * W[i][t]
      elseif mode == "slip+" then y[i] = y[i] - c.mu * W[i][t]
      elseif mode == "slip-" then y[i] = y[i] + c.mu * W[i][t] end
    end
  end
  return y
end

-- forces of given modes: every row that is held is an equation, every force that is not slaved an unknown
local function in_modes(W, b, n, given, contacts, modes)
  local rows, columns, unknown = {}, {}, {}
  local function add(row, y, c, mode)
    rows[#rows + 1], columns[#columns + 1], unknown[#unknown + 1] = row, y, { row = row, c = c, mode = mode }
  end
  for i, c in ipairs(contacts) do
    if modes[i] ~= "open" then
      add(c.row, column(W, n, given, c, modes[i]), c, modes[i])
      for _, t in ipairs(modes[i] == "stick" and c.tangents or {}) do
        local y = {}
        for k = 1, n do y[k] = W[k][t] end
        add(t, y)
      end
    end
  end
  local r = L.zeros(n)
  if #rows == 0 then return r, rows end
  local K, y = {}, {}
  for i, row in ipairs(rows) do
    K[i], y[i] = {}, -b[row]
    for k = 1, #rows do K[i][k] = columns[k][row] end
  end
  local z = L.solve(K, { y }, 1e-12)[1]
  for k, x in ipairs(unknown) do
    r[x.row] = r[x.row] + z[k]
    for _, t in ipairs(x.c and x.c.tangents or {}) do
      if x.c.slides then r[t] = -x.c.mu * given.slide[t] * z[k]
      elseif x.mode == "slip+" then r[t] = -x.c.mu * z[k]
      elseif x.mode == "slip-" then r[t] = x.c.mu * z[k] end
    end
  end
  return r, rows
end

-- by how much forces in modes break the law, relative to the sizes of what is summed
local function broken(W, b, n, contacts, modes, r, rows)
  local u, size, worst = {}, {}, 0.0
  for i = 1, n do
    u[i], size[i] = b[i], math.abs(b[i]) + 1e-300
    for j = 1, n do
      u[i] = u[i] + W[i][j] * r[j]
      size[i] = size[i] + math.abs(W[i][j] * r[j])
    end
  end
  for i, c in ipairs(contacts) do
    local j, t = c.row, c.tangents[1]
    if modes[i] == "open" then
      worst = math.max(worst, -u[j] / size[j])
    else
      worst = math.max(worst, -r[j] * W[j][j] / size[j])
      if modes[i] == "stick" then worst = math.max(worst, (math.abs(r[t]) - c.mu * r[j]) * W[t][t] / size[t]) end
      if modes[i] == "slip+" then worst = math.max(worst, -u[t] / size[t]) end
      if modes[i] == "slip-" then worst = math.max(worst, u[t] / size[t]) end
    end
  end
  for _, j in ipairs(rows) do worst = math.max(worst, math.abs(u[j]) / size[j]) end
  return worst
end

local function choices(given, c)
  if c.slides or #c.tangents == 0 then
    return given.guess and given.guess[c.row] <= 0 and { "open", "closed" } or { "closed", "open" }
  end
  local list = { "stick", "slip+", "slip-", "open" }
  if given.guess then
    local normal, tangent = given.guess[c.row], given.guess[c.tangents[1]]
    local first = normal <= 0 and "open" or math.abs(tangent) < c.mu * normal * (1 - 1e-9) and "stick" or tangent < 0 and "slip+" or "slip-"
    local order = { first }
    for _, mode in ipairs(list) do if mode ~= first then order[#order + 1] = mode end end
    return order
  end
  return list
end

local function by_modes(W, b, n, given, contacts)
  local lists, modes, best, left = {}, {}, nil, math.huge
  for i, c in ipairs(contacts) do lists[i] = choices(given, c) end
  if #contacts == 1 then table.insert(lists[1], 1, "open") end -- where it can open it does, also if it could jam (THEORY 6.3)
  local function try(i)
    if i > #contacts then
      local r, rows = in_modes(W, b, n, given, contacts, modes)
      local bad = broken(W, b, n, contacts, modes, r, rows)
      if bad < left then best, left = r, bad end
      return left <= 1e-12
    end
    for _, mode in ipairs(lists[i]) do
      modes[i] = mode
      if try(i + 1) then return true end
    end
  end
  try(1)
  return left <= 1e-7 and best or nil, left
end

-- one contact in space: r_N and r_T for w (3 x 3) and b, by the angle of slip near which `hint` lies
local function exact(w, b, mu, hint)
  if b[1] >= 0 then return { 0.0, 0.0, 0.0 } end
  local stick = L.solve(w, { { -b[1], -b[2], -b[3] } })[1]
  local rest = 0.0 -- where the rows depend on each other there may be no force that stops all of them
  for i, y in ipairs(L.product(w, stick)) do rest = math.max(rest, math.abs(y + b[i])) end
  if rest <= 1e-10 * L.largest(b) and stick[1] >= 0 and math.sqrt(stick[2] ^ 2 + stick[3] ^ 2) <= mu * stick[1] then return stick end
  local function at(angle)
    local x, y = math.cos(angle), math.sin(angle)
    local normal = -b[1] / (w[1][1] + mu * (w[1][2] * x + w[1][3] * y))
    local r = { normal, mu * normal * x, mu * normal * y }
    local ux = b[2] + w[2][1] * r[1] + w[2][2] * r[2] + w[2][3] * r[3]
    local uy = b[3] + w[3][1] * r[1] + w[3][2] * r[2] + w[3][3] * r[3]
    return ux * y - uy * x, r, ux * x + uy * y -- slip against the force: across it nothing, along it backwards
  end
  local function root(low, high)
    local f, g = at(low), at(high)
    if f == 0 then high = low elseif g ~= 0 and (f > 0) == (g > 0) then return nil end
    for _ = 1, 80 do
      local middle = 0.5 * (low + high)
      if (at(middle) > 0) == (f > 0) then low = middle else high = middle end
    end
    local _, r, along = at(0.5 * (low + high))
    return r[1] > 0 and along <= 0 and r or nil, 0.5 * (low + high)
  end
  local parts = 720
  for i = 0, parts do -- from the hint outwards
    local offset = (i % 2 == 0 and i // 2 or -(i // 2) - 1) * 2 * math.pi / parts
    local r, angle = root(hint + offset, hint + offset + 2 * math.pi / parts)
    if r then return r, angle end
  end
  return nil
end

-- one contact with one tangent
local function exact_planar(w, b, mu)
  if b[1] >= 0 then return { 0.0, 0.0 } end
  local stick = L.solve(w, { { -b[1], -b[2] } })[1]
  if stick[1] >= 0 and math.abs(stick[2]) <= mu * stick[1] then return stick end
  for _, side in ipairs { 1, -1 } do
    local normal = -b[1] / (w[1][1] + mu * side * w[1][2])
    if (b[2] + (w[2][1] + mu * side * w[2][2]) * normal) * side <= 0 then return { normal, mu * side * normal } end
  end
end

local function by_sweeps(W, b, n, given, contacts)
  local r, hints = L.zeros(n), {}
  for i, c in ipairs(contacts) do
    hints[i] = 0.0
    for _, row in ipairs { c.row, table.unpack(c.tangents) } do r[row] = given.guess and given.guess[row] or 0.0 end
  end
  for _ = 1, 20000 do
    local change, size = 0.0, 0.0
    for i, c in ipairs(contacts) do
      local rows = { c.row, table.unpack(c.tangents) }
      local free, w, z = {}, {}
      for k, row in ipairs(rows) do
        free[k], w[k] = b[row], {}
        for j = 1, n do free[k] = free[k] + W[row][j] * r[j] end
        for l, other in ipairs(rows) do
          w[k][l] = W[row][other]
          free[k] = free[k] - W[row][other] * r[other]
        end
      end
      if c.slides or #c.tangents == 0 then
        local pivot = column(W, n, given, c)[c.row]
        z = { math.max(0.0, -free[1] / pivot) }
        for k, t in ipairs(c.tangents) do z[k + 1] = -c.mu * given.slide[t] * z[1] end
      else
        local angle
        if #c.tangents == 1 then z = exact_planar(w, free, c.mu) else z, angle = exact(w, free, c.mu, hints[i]) end
        if not z then return nil, math.huge end
        hints[i] = angle and angle - math.pi / 720 or hints[i]
      end
      for k, row in ipairs(rows) do
        change, size = math.max(change, math.abs(z[k] - r[row])), math.max(size, math.abs(z[k]))
        r[row] = z[k]
      end
    end
    if change <= 2e-16 * size or #contacts <= 1 then return r end
  end
  return nil, math.huge
end

--- given: W, b, set (booleans over all rows), bilateral (how many rows come first), gaps (these and the normals), tangents[normal] (list),
--- mu[normal], rides[normal] (the one that it rides on: carom/rides.h), equal (every row of the set is held), slide and guess (rows or
--- nil). Returns the forces; or nil, what is wrong, and where.
function C.solve(given)
  local W, b, n = given.W, given.b, #given.b
  local contacts, held = {}, {}
  for j = 1, given.gaps do
    if given.set[j] and not (given.equal and given.rides and given.rides[j]) then
      local list = j <= given.bilateral and held or contacts
      list[#list + 1] = contact_of(given, j)
    end
  end
  if given.equal then
    local all, modes = table.move(contacts, 1, #contacts, #held + 1, held), {}
    for i, c in ipairs(all) do modes[i] = c.slides and "closed" or #c.tangents > 0 and "stick" or "closed" end
    return (in_modes(W, b, n, given, all, modes))
  end
  -- bilateral rows are eliminated: u of the others with those at 0
  local E, right = {}, {}
  for i, x in ipairs(held) do
    E[i] = {}
    for k, y in ipairs(held) do E[i][k] = W[x.row][y.row] end
  end
  for j = 1, n + 1 do
    right[j] = {}
    for i, x in ipairs(held) do right[j][i] = j > n and b[x.row] or given.set[j] and W[x.row][j] or 0.0 end
  end
  local Z = #held > 0 and L.solve(E, right, 1e-13) or right
  local V, c = {}, {}
  for i = 1, n do
    V[i], c[i] = {}, b[i]
    for k, x in ipairs(held) do c[i] = c[i] - W[i][x.row] * Z[n + 1][k] end
    for j = 1, n do
      V[i][j] = W[i][j]
      for k, x in ipairs(held) do V[i][j] = V[i][j] - W[i][x.row] * Z[j][k] end
    end
  end
  for _, x in ipairs(contacts) do
    local mount = given.rides and given.rides[x.row]
    if mount then V[x.row][x.row], V[x.row][mount], c[x.row] = V[mount][mount], -V[mount][mount], 0.0 end
  end
  local free, space = {}, false
  for _, x in ipairs(contacts) do
    local j = x.row
    if #held == 0 or V[j][j] > 1e-12 * W[j][j] then -- what bilateral rows lock carries nothing
      if x.slides then
        local pivot = column(V, n, given, x)[j]
        if pivot <= 1e-12 * V[j][j] then return nil, "painleve", j end
      end
      free[#free + 1] = x
      space = space or #x.tangents == 2 and not x.slides
    end
  end
  local r, left = (space and by_sweeps or by_modes)(V, c, n, given, free)
  if not r then return nil, ("the contact problem is not solved: %g"):format(left or 0) end
  for k, x in ipairs(held) do
    r[x.row] = -Z[n + 1][k]
    for j = 1, n do
      if given.set[j] and j > given.bilateral then r[x.row] = r[x.row] - Z[j][k] * r[j] end
    end
  end
  return r
end

return C
