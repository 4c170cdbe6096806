-- The back end `tables`: the step of a model whose operators are loops over tables (templates/looped.c.in,
-- carom/tables.h), from its plan. What a step needs lives in the work space of the state; contact problems are those of carom/contact.h.
local print_c = require "gen.expr.print"
local straight = require "gen.backend.straight"

local T = {}

local FIXED_ROWS = 192 -- of contacts that are held at once in fixed modes: CAROM_RANK_ROWS
local PART_MOST = 12 -- unknowns in a part whose factor is full: CAROM_PART_MOST
local MATRIX_ROWS = 1000 -- of a full matrix: CAROM_CONTACT_FULL
-- of W for each contact that may be found: those of its two bodies, of which about a third are there at once; at most; and bodies beyond
-- which nothing is factored
local FOUND_BLOCKS, FOUND_BLOCKS_MOST, FOUND_FACTORED = 8, 40000, 500
local FOUND_LEAVES = 100 -- of the tolerance of found contacts: what their solver may leave in velocities, relative
local ADAPTIVE_ROWS = 90 -- step-size control keeps copies of the state on the stack: half a megabyte in each

-- Parts of the unknowns that neither the pattern of the operators nor bilateral rows couple, in order of their first; the velocities of a
-- body whose contacts are found are one. large: has one of them no factor of its own?
local function parts_of(structure, columns, constraints, where)
  local root = {}
  local function find(i)
    while root[i] do i = root[i] end
    return i
  end
  local function join(i, k)
    local a, b = find(i), find(k)
    if a ~= b then root[math.max(a, b)] = math.min(a, b) end
  end
  for k, i in ipairs(structure.Ai) do join(i, structure.Aj[k]) end
  for row = 1, constraints do
    for _, u in ipairs(columns[row]) do join(columns[row][1], u) end
  end
  for k = 1, #where, 4 do
    for i = 0, 2 do
      join(where[k + 2], where[k + 2] + i)
      join(where[k + 2], where[k + 3] + i)
    end
  end
  local number, members, part, large = {}, {}, {}, constraints > 0
  for i = 0, structure.nv - 1 do
    local first = find(i)
    if not number[first] then
      members[#members + 1] = {}
      number[first] = #members
    end
    part[i + 1] = number[first] - 1
    local list = members[number[first]]
    list[#list + 1] = i
    large = large or #list > PART_MOST
  end
  local starts, all = { 0 }, {}
  for k, list in ipairs(members) do
    table.move(list, 1, #list, #all + 1, all)
    starts[k + 1] = #all
  end
  return { part = part, first = starts, member = all, count = #members, large = large }
end

-- how many blocks W has: pairs of contacts that touch the same part, each with itself among them; no more than is worth knowing
local function blocks_of(parts, contacts, columns, most)
  local touch, count = {}, 0
  for c, rows in ipairs(contacts) do
    local seen, near = {}, { [c] = true }
    for _, row in ipairs(rows) do
      for _, u in ipairs(row >= 0 and columns[row + 1] or {}) do
        local part = parts.part[u + 1]
        if not seen[part] then
          seen[part] = true
          touch[part] = touch[part] or {}
          for _, other in ipairs(touch[part]) do near[other] = true end
        end
      end
    end
    for part in next, seen do table.insert(touch[part], c) end -- order does not matter
    for other in next, near do count = count + (other == c and 1 or 2) end -- order does not matter
    if count > most then return most end
  end
  return count
end

-- what `carom check` says; solvers of carom/contact.h
local CHOICE = {
  sparse = "sparse, blocks of contacts that touch the same body; without friction kkt",
  full = ("full matrix of the active contacts to %d rows, then products with the sparse factor; without friction kkt"):format(MATRIX_ROWS),
  pile = "pile, sweeps over the bodies that contacts touch, then a smoothed law, then the portfolio of friction",
  products = "products with the sparse factor; without friction kkt",
}

local function numbers(list) return "{" .. table.concat(list, ", ") .. "}" end

-- members of the work space that looped.c.in and carom/tables.h know
local KEPT = { kkt = true, ikkt = true, dm = true, dr = true, active = true }

-- Event capturing does not look beside faces.
local function look_at_faces(unit)
  local form = unit.operators
  if form.elements and form.elements.faced then
    error({ carom = true, message = ("scheme '%s': capture is not for faces of meshes that touch each other; write D-:M=1"):format(
      unit.spec.canonical) }, 0)
  end
end

--- Puts the step into the values of the templates plan_step.c.in and contact_tables.c.in.
function T.values(values, unit)
  if values.needs.capture then look_at_faces(unit) end
  local eq, form, NT, D = unit.eq, unit.operators, values.NT, values.D
  straight.values(values, unit, { in_work = true, extent = form.elements and form.elements.extent,
    -- corrections that fall no longer are what the solver of the contacts leaves
    stagnation = values.found and print_c.number(math.max(1e-7, FOUND_LEAVES * unit.spec.ctol)) or nil })
  local members, room = {}, values.NV
  if values.found then -- what is kept of rows from step to step
    values.carried_rows, values.carried_sets = {}, {}
    if values.keeps_force then values.carried_rows[1] = "force" end
    if values.needs.pressing then values.carried_sets[1] = { name = "pressing", first = "false" } end
    for _, m in ipairs(values.memory) do
      if m.type == "bool" then table.insert(values.carried_sets, m) end
      if m.type ~= "bool" and m.kind == "rows" then table.insert(values.carried_rows, m.name) end
    end
  end
  for _, member in ipairs(form.work) do if KEPT[member:match("([%w_]+)%[")] then members[#members + 1] = member end end
  values.sparse_parts, values.contact_rows = false, ""
  values.part_tables = {}
  unit.contact_solver = values.NR > 0 and (form.near and "elimination within the band of contacts in a row"
    or "kkt, active sets on the sparse factor") or nil
  if NT > 0 or values.rebound then
    local contacts, flat = {}, {}
    for c, contact in ipairs(unit.model.contacts) do
      contacts[c] = { eq.constraints + c - 1 }
      for k = 1, D - 1 do contacts[c][k + 1] = contact.tangents[k] or -1 end
      table.move(contacts[c], 1, D, #flat + 1, flat)
    end
    values.contact_rows = numbers(flat)
    local matrix, size = math.min(values.NC, MATRIX_ROWS // D), nil
    if unit.spec.adaptive == "on" then matrix = math.min(matrix, ADAPTIVE_ROWS // D) end
    local parts = parts_of(form.structure, form.columns, eq.constraints, values.found and values.found.where or {})
    if parts.large and not values.found and unit.spec.solver ~= "pile" then parts = nil end
    if parts then
      values.sparse_parts = parts.count
      for _, name in ipairs { "part", "first", "member" } do
        table.insert(values.part_tables, ("static const int %s_%s[%d] = %s;"):format(values.X, name == "part" and name or "part_" .. name,
          #parts[name], numbers(parts[name])))
      end
      local most = unit.spec.adaptive == "on" and matrix * matrix // 3 or math.max(40 * #contacts, matrix * matrix)
      local written, found = blocks_of(parts, contacts, form.columns, most), 0
      local asked = unit.spec.solver ~= "auto" and unit.spec.solver ~= "pile"
      if values.found and (asked or values.found.NB <= FOUND_FACTORED) then
        found = math.min(FOUND_BLOCKS * values.F, FOUND_BLOCKS_MOST) * values.FP ^ 2 | 0
      end
      size = ("CAROM_CONTACT_SPARSE(%d, %d)"):format(D, written + found)
    end
    if unit.spec.solver == "sparse" and not parts then
      error({ carom = true, message = ("scheme '%s': solver=sparse is for models without constraints whose operators couple no more "
        .. "than %d velocities; write solver=auto"):format(unit.spec.canonical, PART_MOST) }, 0)
    end
    unit.contact_solver = CHOICE[unit.spec.solver] or CHOICE[values.found and "pile" or parts and "sparse" or "full"]
    room = ("(CAROM_CONTACT_ROOM(%d, %d, %d, %d) + %s) / 8"):format(values.NV, values.NG, values.NC, D,
      size or ("CAROM_CONTACT_MATRIX(%d, %d)"):format(D, matrix))
    if values.rebound then room = ("%s + %d"):format(room, 3 * values.NR + 2 * values.NV + 5 * values.NC + 2) end
  end
  if values.found then
    local made = values.found
    members[#members + 1] = "carom_contact_place unsolved;"
    table.move({ ("carom_bulk_body at[%d];"):format(made.NB + 1), ("double place[CAROM_BULK_SHAPE_DOUBLES(%d)];"):format(made.NS),
      ("int grid[CAROM_BULK_GRID_SIZE(%d)];"):format(made.NS), ("double beyond[%d];"):format(made.NB),
      ("double pull[%d];"):format(values.NV), ("double before[%d];"):format(values.NR), ("bool among[%d];"):format(values.NG) }, 1, 7,
      #members + 1, members)
  end
  if form.elements and (values.needs.free_sensitivity or values.needs.sensitivity) then
    members[#members + 1] = ("double cell[%d]; /* tangent of one cell */"):format(form.elements.cell)
  end
  if values.needs.fixed then
    room = ("%s + CAROM_CONTACT_FIXED(%d, %d, %d)"):format(room, values.NV, values.NR, math.min(values.NR - values.NE, FIXED_ROWS))
  end
  values.work_init = { "s->work.factor = CAROM_FACTOR_NONE;" }
  if form.structure.band then
    table.move({ ("double banded[CAROM_BANDED_WORK(%d, %d, %d, %d)];"):format(values.NV, values.NR, form.ng, form.structure.band),
      ("int ibanded[CAROM_BANDED_IWORK(%d)];"):format(values.NR) }, 1, 2, #members + 1, members)
    values.work_init[2] = "s->work.ibanded[0] = 0;"
  end
  if form.near then
    table.move({ ("double dx[%d];"):format(values.NV), ("bool in_row[%d];"):format(values.NR), -- CAROM_BAND_ROOM and CAROM_NG
      ("double row_room[%d];"):format((values.NG + 2 * form.near) * (form.near + 3) + values.NG) }, 1, 3, #members + 1, members)
  end
  table.move({ ("double room[%s];"):format(room), "int factor; /* which of carom/contact.h is in kkt */" }, 1, 2, #members + 1, members)
  table.move(values.plan_members, 1, #values.plan_members, #members + 1, members)
  values.work_struct = { "struct {" }
  for _, member in ipairs(members) do values.work_struct[#values.work_struct + 1] = "    " .. member end
  values.work_struct[#values.work_struct + 1] = "} work; /* scratch of one step"
    .. (values.needs.linear and ", and the operator of all */" or "; nothing in it survives a step */")
  values.types = straight.points(values)
  local function structure(remark, name, list)
    table.insert(list, 1, ("/* %s */"):format(remark))
    table.insert(list, 2, "typedef struct {")
    table.move({ ("} %s_%s;"):format(values.X, name), "" }, 1, 2, #list + 1, list)
    table.move(list, 1, #list, #values.types + 1, values.types)
  end
  if values.needs.by_rows and values.NR > 0 then
    structure("Rows at points of their own.", "points", { ("%s_config at; /* of the last group of rows */"):format(values.X),
      ("double g[%d];"):format(values.NR), values.apart and ("double G[%d];"):format(form.ng) or nil })
  end
  if values.needs.free_sensitivity then
    structure("An operator, on the pattern of the mass.", "matrix", { ("double values[%d];"):format(form.na),
      values.needs.linear and "double weight[2]; /* of damping and stiffness in it; -1: none yet */" or nil })
    for _, member in ipairs(values.needs.linear and values.plan_members or {}) do
      local name = member:match("^" .. values.X .. "_matrix ([%w_]+);")
      if name then table.insert(values.work_init, ("s->work.%s.weight[0] = -1.0;"):format(name)) end
    end
  end
  if values.stage_count > 0 then
    structure(("The operator of %d stages, factored."):format(values.stage_count), "stage_matrix", { ("double C[%d];"):format(form.na),
      ("double K[%d];"):format(form.na), ("double work[CAROM_STAGES_WORK(%d, %d, %d, %d)];"):format(values.stage_count, values.NV,
        form.structure.nr, form.structure.nl), ("int iwork[CAROM_STAGES_IWORK(%d, %d)];"):format(values.NV, form.structure.nr) })
  end
  T.around(values)
end

-- What belongs to the step besides its plan: first guesses of active sets, and what meshes do when it is accepted.
function T.around(values)
  local elements, X = values.form.elements, values.X
  for _, level in ipairs(values.levels) do
    local before, after = {}, {}
    local function say(list, ...) for _, line in ipairs { ... } do list[#list + 1] = line end end
    if values.NR > 0 and values.needs.pressing and not values.form.near then
      say(level.declarations, ("for (int j = 0; j < %d; ++j) { /* first guess of active sets: the last accepted mode */"):format(values.WG),
        (values.needs.linear or values.needs.by_rows) and "s->work.active[j] = s->pressing[j] ? 1 : 0;"
          or ("s->work.active[j] = s->pressing[j] || c0->g[j] <= %s ? 1 : 0;"):format(values.tg), "}")
    end
    if elements and elements.faced then
      say(before, ("info.contact = %s_beside(s, t + h, %s, %s, %s + %d, &info.residual);"):format(X, level.ends.q, level.ends.v,
          level.total:match "^[%w_]+", values.NE),
        "if (info.contact >= 0) {", ("info.contact += %d;"):format(values.NE), ("return %s_fail(s, CAROM_BESIDE, &info);"):format(X), "}")
    end
    if elements and elements.supported then
      say(before, "s->before.t = t;", ("for (int i = 0; i < %d; ++i) {"):format(values.NV), "s->before.q[i] = s->q[i];",
        "s->before.v[i] = s->v[i];", "}")
    end
    if elements and elements.far and values.NR > 0 then
      say(after, ("for (int j = 0; j < %d; ++j) { /* what has left its face is let go */"):format(values.WG),
        ("s->pressing[j] = s->pressing[j] && c1->g[j] < %s;"):format(elements.far), "}")
    end
    table.move(level.accept, 1, #level.accept, #before + 1, before)
    table.move(after, 1, #after, #before + 1, before)
    level.accept = before
  end
end

--- What the templates that all forms share know of a plan.
function T.outline(plan, features)
  local outline = straight.outline(plan)
  outline.needs.linear = outline.needs.free_sensitivity and features.linear or false
  return outline
end

return T
