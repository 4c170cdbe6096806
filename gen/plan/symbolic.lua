-- Symbolic analysis of the sparse contact system  [A G'; G 0]  : elimination order and static pattern of L D L'.
--
-- The C side (runtime/kkt.c) factorises this matrix in every step with some rows of G masked, so everything that
-- depends on structure only is computed here once and printed as tables.
--
-- The order. Rows of G have a zero on the diagonal: their pivot exists only through unknowns x eliminated before them.
-- So a row may be chosen only after all of its unknowns: its pivot is then -g A_E^-1 g' less what earlier rows explain,
-- negative unless the row depends on them, and all pivots of x stay positive, whatever subset of rows is masked. Among
-- the unknowns and rows that may be chosen, minimum (approximate) degree.
-- Exception: an unknown shared by very many rows or unknowns ("hub": a body that hundreds of others touch) goes last,
-- its rows before it, since eliminating it early would couple all its rows with one another. Such a row's pivot comes
-- from its other unknowns. Rows that have hubs only come after the hubs. Where that makes a pivot vanish at run time,
-- the C side regularises and refines, as it does for redundant contacts.
--
-- Indices in and out are 0-based as in C; the arrays themselves are Lua arrays, ready for table.concat.
local symbolic = {}

-- Adjacency of the whole matrix; nodes 1..nv are x, nv+1..nv+nr are the rows of G.
local function adjacency(nv, a, g)
  local n, neighbours = nv + #g, {}
  for k = 1, n do neighbours[k] = {} end
  for _, e in ipairs(a) do
    local i, j = e[1] + 1, e[2] + 1
    if i ~= j then
      local ni, nj = neighbours[i], neighbours[j]
      ni[#ni + 1] = j
      nj[#nj + 1] = i
    end
  end
  for r, columns in ipairs(g) do
    local row = neighbours[nv + r]
    for _, c in ipairs(columns) do
      row[#row + 1] = c + 1
      local nc = neighbours[c + 1]
      nc[#nc + 1] = nv + r
    end
  end
  return neighbours
end

local function find_hubs(nv, n, a, g)
  local by_a, by_g, hub = {}, {}, {}
  for k = 1, nv do by_a[k], by_g[k] = 0, 0 end
  for _, e in ipairs(a) do
    by_a[e[1] + 1] = by_a[e[1] + 1] + 1
    by_a[e[2] + 1] = by_a[e[2] + 1] + 1
  end
  for _, columns in ipairs(g) do
    for _, c in ipairs(columns) do by_g[c + 1] = by_g[c + 1] + 1 end
  end
  local limit_a, limit_g = math.max(16, 10 * math.sqrt(n)), math.max(16, 2 * math.sqrt(n))
  for k = 1, nv do hub[k] = by_a[k] > limit_a or by_g[k] > limit_g end
  return hub
end

-- Nodes by degree in doubly linked lists; `least` is a lower bound of the smallest degree in it.
local function new_queue()
  local head, after, before, degree, least = {}, {}, {}, {}, 0
  local queue = {}
  function queue.put(k, d)
    local first = head[d]
    degree[k], after[k], before[k], head[d] = d, first, nil, k
    if first then before[first] = k end
    if d < least then least = d end
  end
  function queue.take(k)
    local d = degree[k]
    if not d then return end
    local b, c = before[k], after[k]
    if b then after[b] = c else head[d] = c end
    if c then before[c] = b end
    degree[k] = nil
  end
  function queue.pop(limit)
    while least <= limit and not head[least] do least = least + 1 end
    local k = head[least]
    if k then queue.take(k) end
    return k
  end
  return queue
end

-- Approximate minimum degree on the quotient graph (Amestoy, Davis, Duff 1996, without supervariables).
-- waits[k]: how many neighbours must go before row k may; skip[k]: not ordered here.
local function minimum_degree(n, nv, neighbours, skip, waits)
  local queue, order = new_queue(), {}
  local elements, members, degree, mark, left, left_at, waiting = {}, {}, {}, {}, {}, {}, {}
  for k = 1, n do
    local list, rows = {}, {}
    for _, j in ipairs(neighbours[k]) do
      if not skip[j] then list[#list + 1] = j end
      if k <= nv and j > nv and not skip[j] then rows[#rows + 1] = j end
    end
    neighbours[k], elements[k], degree[k], waiting[k] = list, {}, #list, rows
  end
  for k = n, 1, -1 do -- so that of equal degrees the first comes out first
    if not skip[k] and (waits[k] or 0) == 0 then queue.put(k, degree[k]) end
  end
  local p = queue.pop(n)
  while p do
    order[#order + 1] = p
    local front = {}
    mark[p] = p
    local function gather(list)
      for _, i in ipairs(list) do
        if mark[i] ~= p then
          mark[i] = p
          front[#front + 1] = i
        end
      end
    end
    gather(neighbours[p])
    for _, e in ipairs(elements[p]) do
      if members[e] then
        gather(members[e])
        members[e] = nil -- absorbed
      end
    end
    for _, i in ipairs(waiting[p]) do waits[i] = waits[i] - 1 end
    members[p], neighbours[p], elements[p] = front, nil, nil
    for _, i in ipairs(front) do -- left[e]: members of e outside the front
      for _, e in ipairs(elements[i]) do
        if members[e] then
          if left_at[e] ~= p then left_at[e], left[e] = p, #members[e] end
          left[e] = left[e] - 1
        end
      end
    end
    local size = #front
    for _, i in ipairs(front) do
      local list, kept, d = {}, { p }, size - 1
      for _, j in ipairs(neighbours[i]) do
        if mark[j] ~= p then list[#list + 1] = j end
      end
      for _, e in ipairs(elements[i]) do
        if members[e] and left[e] > 0 then -- an element inside the front says nothing new
          kept[#kept + 1] = e
          d = d + left[e]
        end
      end
      neighbours[i], elements[i] = list, kept
      degree[i] = math.min(d + #list, degree[i] + size - 1, n - #order - 1)
      queue.take(i)
      if i <= nv or waits[i] == 0 then queue.put(i, degree[i]) end
    end
    p = queue.pop(n)
  end
  return order
end

local function elimination_order(nv, a, g)
  local n = nv + #g
  local hub = find_hubs(nv, n, a, g)
  local skip, waits, last = {}, {}, {}
  for k = 1, nv do skip[k] = hub[k] end
  for r, columns in ipairs(g) do
    local count = 0
    for _, c in ipairs(columns) do
      if not hub[c + 1] then count = count + 1 end
    end
    waits[nv + r] = count
    skip[nv + r] = count == 0
    if count == 0 then last[#last + 1] = nv + r end
  end
  local order = minimum_degree(n, nv, adjacency(nv, a, g), skip, waits)
  for k = 1, nv do
    if hub[k] then order[#order + 1] = k end
  end
  for _, k in ipairs(last) do order[#order + 1] = k end
  return order
end

-- Strictly lower rows of the permuted matrix: column and origin (p >= 0: value p of A; -1-p: value p of G).
local function permuted_rows(nv, a, g, place, n)
  local columns, sources = {}, {}
  for k = 1, n do columns[k], sources[k] = {}, {} end
  local function put(i, j, source)
    local row, column = math.max(place[i], place[j]), math.min(place[i], place[j])
    local c, s = columns[row], sources[row]
    c[#c + 1], s[#s + 1] = column - 1, source
  end
  for p, e in ipairs(a) do
    if e[1] ~= e[2] then put(e[1] + 1, e[2] + 1, p - 1) end
  end
  local p = 0
  for r, row in ipairs(g) do
    for _, c in ipairs(row) do
      put(nv + r, c + 1, -1 - p)
      p = p + 1
    end
  end
  return columns, sources
end

-- Elimination tree (Liu, with path compression); parent -1 at a root.
local function elimination_tree(n, rows)
  local parent, ancestor = {}, {}
  for k = 1, n do
    parent[k] = -1
    for _, c in ipairs(rows[k]) do
      local j = c + 1
      while j and j ~= k do
        local up = ancestor[j]
        ancestor[j] = k
        if not up then parent[j] = k - 1 end
        j = up
      end
    end
  end
  return parent
end

-- Concatenates lists; also where each begins.
local function pack(lists)
  local start, all = { 0 }, {}
  for k, list in ipairs(lists) do
    table.move(list, 1, #list, #all + 1, all)
    start[k + 1] = #all
  end
  return start, all
end

-- Pattern of L by columns: row k reaches every node on the paths from its entries up the tree.
local function factor_pattern(n, rows, parent)
  local columns, seen = {}, {}
  for k = 1, n do columns[k] = {} end
  for k = 1, n do
    seen[k] = k
    for _, c in ipairs(rows[k]) do
      local j = c + 1
      while seen[j] ~= k do
        seen[j] = k
        local list = columns[j]
        list[#list + 1] = k - 1
        j = parent[j] + 1
      end
    end
  end
  local by_row = {}
  for k = 1, n do by_row[k] = {} end
  for j = 1, n do
    for _, k in ipairs(columns[j]) do
      local list = by_row[k + 1]
      list[#list + 1] = j - 1
    end
  end
  return columns, by_row
end

local function check(nv, ne, a, g)
  local diagonal, seen = {}, {}
  for p, e in ipairs(a) do
    local i, j = e[1], e[2]
    assert(i >= 0 and i <= j and j < nv, "symbolic: an entry of A is not in the upper triangle")
    assert(not seen[i * nv + j], "symbolic: an entry of A is given twice")
    seen[i * nv + j] = true
    if i == j then diagonal[j + 1] = p - 1 end
  end
  for k = 1, nv do assert(diagonal[k], "symbolic: A has no diagonal entry in some row") end
  assert(ne <= #g, "symbolic: more bilateral rows than rows")
  for _, row in ipairs(g) do
    local used = {}
    for _, c in ipairs(row) do
      assert(c >= 0 and c < nv and not used[c], "symbolic: a row of G has a wrong or repeated column")
      used[c] = true
    end
  end
  return diagonal
end

-- The integer arrays of carom_kkt_tables in declared order, for printing.
symbolic.arrays = { "Ai", "Aj", "Ad", "Gp", "Gj", "order", "Kp", "Kj", "Ks", "Lp", "Li", "Rp", "Rj" }
symbolic.sizes = { "nv", "nr", "ne", "na", "ng", "nl" }

--- Tables of the system with nv unknowns, A on the entries a = {{i, j}, ...} with i <= j (values in this order, every
--- diagonal entry present) and rows g = {{column, ...}, ...} (values row by row), of which the first ne are bilateral.
--- Returns the fields named in symbolic.sizes and symbolic.arrays, and parent, flops (multiplications per factor).
function symbolic.kkt(nv, ne, a, g)
  local n = nv + #g
  local t = { nv = nv, nr = #g, ne = ne, na = #a, Ai = {}, Aj = {}, Ad = check(nv, ne, a, g), order = {}, flops = 0 }
  for p, e in ipairs(a) do t.Ai[p], t.Aj[p] = e[1], e[2] end
  t.Gp, t.Gj = pack(g)
  t.ng = #t.Gj
  local place = {}
  for k, node in ipairs(elimination_order(nv, a, g)) do
    t.order[k], place[node] = node - 1, k
  end
  local rows, sources = permuted_rows(nv, a, g, place, n)
  t.parent = elimination_tree(n, rows)
  local columns, by_row = factor_pattern(n, rows, t.parent)
  t.Kp, t.Kj = pack(rows)
  t.Ks = select(2, pack(sources))
  t.Lp, t.Li = pack(columns)
  t.Rp, t.Rj = pack(by_row)
  t.nl = #t.Li
  for k = 1, n do t.flops = t.flops + #columns[k] * (#columns[k] + 3) // 2 end
  return t
end

--- The pattern of A = M (and of the iteration matrix when a scheme is implicit), its diagonal first; entry(i, j) gives the place of a
--- value.
function symbolic.pattern(n)
  local a, index = {}, {}
  local function entry(i, j)
    if i > j then i, j = j, i end
    local key = i * n + j
    if not index[key] then
      a[#a + 1] = { i, j }
      index[key] = #a - 1
    end
    return index[key]
  end
  for i = 0, n - 1 do entry(i, i) end
  return a, entry
end

return symbolic
