-- Contacts that are found while running (contacts_among): shapes as tables, kinds of shapes once; and where the rows that they make stand
-- among those that are written. What touches what is found by runtime/bulk, rows are made by carom/found.h.
local E = require "gen.expr.node"
local code = require "gen.emit.code"
local laws = require "gen.mech.laws"
local print_c = require "gen.expr.print"
local texts = require "gen.emit.texts"

local F = {}

local COLUMNS, SPIN_COLUMNS = 12, 6 -- in rows of a point, and of its spins: CAROM_FOUND_COLUMNS, CAROM_FOUND_SPIN_COLUMNS
local SLIP = 10 -- of what the solver of the contacts leaves: more is slip

-- Of pairs of materials, beside friction and restitution: numbers in derived.pair_NAME; which are parts of something, at most 1.
local MORE = { "cohesion", "rebound", "tangential_restitution", "rolling", "pivoting" }
local PARTS = { rebound = true, tangential_restitution = true }

-- What a pile alone has to tell, unless the model has an output of that name; $: the name of the model.
local TOLD = {
  { name = "kinetic_energy", unit = "J", c = "carom_found_energy(&$_tables, s->at[s->now].A, s->v)" },
  { name = "contacts", unit = "", c = "(double)s->found.tally.contacts" },
  { name = "penetration", unit = "m", c = "s->found.tally.penetration" },
  { name = "sticking", unit = "", c = "(double)s->found.tally.sticking" },
  { name = "sliding", unit = "", c = "(double)s->found.tally.sliding" },
  { name = "support_x", unit = "N", c = "s->found.tally.support[0]" },
  { name = "support_y", unit = "N", c = "s->found.tally.support[1]" },
  { name = "support_z", unit = "N", c = "s->found.tally.support[2]" },
  { name = "deepest", unit = "m", c = "s->found.deepest.depth" },
  { name = "worst_contact", unit = "g h", c = "s->found.tally.worst" },
}

--- Files of runtime/bulk.
F.FILES = { "carry.c", "contacts.c", "found.c", "grid.c", "points.c", "bulk.h" }

local function append(list, more) table.move(more, 1, #more, #list + 1, list) end

local function parameter(node) return node.op == "sym" and node.kind == "param" and "p->" .. node.name or nil end

--- Rows of nodes, each kind once: index of the row of `list` in `rows`, which grows.
function F.kind_of(rows, list, tag)
  local key = { tag or "" }
  for i, node in ipairs(list) do key[i + 1] = rows.id(node) end
  key = table.concat(key, " ")
  if not rows.known[key] then
    rows[#rows + 1] = list
    list.tag = tag
    rows.known[key] = #rows
  end
  return rows.known[key] - 1
end

function F.kinds()
  local ids, count = {}, 0
  return { known = {}, id = function(node)
    if not ids[node] then
      count = count + 1
      ids[node] = count
    end
    return ids[node]
  end }
end

--- Numbers of nodes as a table of C; other nodes leave a 0 there and are assigned by the lines appended to `lines`.
function F.numbers(list, lines, target)
  local out = {}
  for i, node in ipairs(list) do
    out[i] = print_c.number(node.op == "num" and node.value or 0)
    if node.op ~= "num" then
      append(lines, code.block({ { target(i - 1), node } }, { indent = "", name = parameter }))
    end
  end
  return out
end

function F.flat(rows, width)
  local list = {}
  for _, row in ipairs(rows) do for k = 1, width do list[#list + 1] = row[k] end end
  return list
end

function F.quoted(list, field)
  local out = {}
  for i, item in ipairs(list) do out[i] = texts.quoted(item[field]) end
  return out
end

--- A pile and nothing else has too many coordinates for columns: it tells of its bodies, and these outputs beside its own.
function F.outputs(outputs)
  local list, taken = {}, {}
  for _, o in ipairs(outputs) do
    list[#list + 1] = o
    taken[o.name] = true
  end
  for _, o in ipairs(TOLD) do if not taken[o.name] then list[#list + 1] = o end end
  return list
end

--- The bodies that shapes can be on, and their numbers by name.
function F.bodies(model)
  local bodies, index = {}, {}
  for _, t in ipairs(model.terms) do
    if t.kind == "free_body" then
      bodies[#bodies + 1] = t
      index[t.name] = #bodies - 1
    end
  end
  return bodies, index
end

-- The numbers of heightfields and polyhedra in one list, those of the same table once; of each shape columns, rows and where they begin.
-- Returns whether there are any.
local function numbered(model, tables, X)
  local numbers, of, known = {}, {}, {}
  for _, s in ipairs(model.among.shapes) do
    local text = {}
    for k, x in ipairs(s.table and s.table.numbers or {}) do text[k] = print_c.number(x + 0.0) end
    local key = table.concat(text, " ")
    if not known[key] then
      known[key] = #numbers
      append(numbers, text)
    end
    append(of, s.table and { s.table.columns, s.table.rows, known[key] } or { 0, 0, 0 })
  end
  if #numbers == 0 then return false end
  tables:fixed("double", X .. "_numbers", numbers)
  tables:fixed("int", X .. "_numbers_of", of)
  return true
end

-- What each pair of materials has: of its laws, in C, what it is. Friction and restitution always, the others where one has them.
local function paired(model)
  local list = { { "friction", "friction" }, { "restitution", "restitution" } }
  for _, law in ipairs(MORE) do
    if laws.among(model, law) then list[#list + 1] = { law, "pair_" .. law } end
  end
  return list
end

-- The contacts of a point: itself, and what rides on it (carom/found.h).
local function points(model)
  local list = { { e = "s->derived.restitution[pair]", mu = "s->derived.friction[pair]", tangents = 2,
    turned = laws.among(model, "tangential_restitution") and "s->derived.pair_tangential_restitution[pair]" or "0.0" } }
  for _, spin in ipairs { { "rolling", 2 }, { "pivoting", 1 } } do
    if laws.among(model, spin[1]) then
      local mu = ("s->derived.pair_%s[pair] > 0.0 ? 1.0 : 0.0"):format(spin[1])
      list[#list + 1] = { e = "0.0", turned = "0.0", mu = mu, tangents = spin[2] }
    end
  end
  return list
end

--- How many contacts are found, in C.
function F.contacts(model)
  local each = #points(model)
  return each > 1 and ("%d * s->found.count"):format(each) or "s->found.count"
end

-- What laws need to know of each contact, written and found: member of s->found, its values; of what is kept from search to search how.
local function of_contacts(made, model, X, written)
  local function at(law) return laws.among(model, law) and ("s->derived.pair_%s[pair]"):format(law) end
  local function has(key) return laws.written(model, key) end
  made.laws, made.members, made.carried = {}, {}, {}
  local function add(when, type, name, own, found, rider)
    if not when then return end
    table.insert(made.laws, { name = name, written = own or rider, found = found or rider, rider = rider })
    table.insert(made.members, ("%s %s[%d];"):format(type, name, written.NC))
  end
  local lasting = {}
  for k, of in ipairs(model.among.materials.laws) do lasting[k] = tostring(of.lasting or false) end
  add(laws.rides(model), "int", "rides", has "rides" and ("%s_rides[c]"):format(X) or "-1", "-1", "point")
  add(laws.rebounds(model), "double", "rebound", has "rebound" and "s->derived.rebound[c]" or "0.0", at "rebound", "0.0")
  add(laws.bonds(model), "double", "cohesion", has "cohesion" and "s->derived.cohesion[c]" or "0.0", at "cohesion", "0.0")
  add(laws.bonds(model), "bool", "lasting", has "cohesion" and ("%s_lasting[c]"):format(X) or "false",
    at "cohesion" and ("%s_pair_lasting[pair]"):format(X), "false")
  made.lasting = at "cohesion" and ("static const bool %s_pair_lasting[%d] = {%s};"):format(X, #lasting, table.concat(lasting, ", "))
  if laws.bonds(model) then
    table.insert(made.members, ("int heir[%d];"):format(written.F))
    table.insert(made.carried, { each = written.FP, heir = "s->found.heir", fresh = "h > 0.0 ? 0.0 : -1.0", -- of a state that was given
      at = "s->bond + " .. written.WC })
  end
  if laws.breaks(model) then table.insert(made.members, ("double kinetic[%d];"):format(written.NC)) end
  if laws.own(model) then
    table.insert(made.members, ("double pressed[%d];"):format(written.F))
    table.insert(made.carried, { each = 1, heir = "NULL", fresh = "0.0", at = "s->found.pressed" })
  end
end

--- The tables of shapes, and lines that fill d->form, d->friction and d->restitution. central: are all shapes on bodies spheres about
--- their centres?
function F.shapes(model, tables, X)
  local bodies, index = F.bodies(model)
  local forms, derive, shape_form, shape_body, form_kind, central = F.kinds(), {}, {}, {}, {}, true
  for i, s in ipairs(model.among.shapes) do
    local row = {}
    for _, part in ipairs { s.size, s.at, s.axis } do for k = 1, 3 do row[#row + 1] = part[k] end end
    shape_form[i] = F.kind_of(forms, row, s.kind)
    shape_body[i] = s.body and index[s.body] or #bodies
    central = central and (s.kind == "sphere" and row[4] == E.zero and row[5] == E.zero and row[6] == E.zero or not s.body)
  end
  for i, form in ipairs(forms) do form_kind[i] = "CAROM_" .. form.tag:upper() end
  local function place(k) return ("d->form[%d][%d]"):format(k // 9, k % 9) end
  tables:fixed("double", X .. "_form", F.numbers(F.flat(forms, 9), derive, place))
  tables:fixed("carom_shape_kind", X .. "_form_kind", form_kind)
  tables:fixed("int", X .. "_shape_form", shape_form)
  tables:fixed("int", X .. "_shape_body", shape_body)
  tables:fixed("char *const", X .. "_shape_name", F.quoted(model.among.shapes, "name"))
  local materials, data = model.among.materials, {}
  for _, law in ipairs(paired(model)) do
    for k, of in ipairs(materials.laws) do data[#data + 1] = { ("d->%s[%d]"):format(law[2], k - 1), E.lift(of[law[1] ] or 0) } end
  end
  append(derive, code.block(data, { indent = "", name = parameter }))
  if materials.of then tables:fixed("unsigned char", X .. "_material", materials.of) end
  return { numbered = numbered(model, tables, X), NS = #model.among.shapes, NF = #forms, NB = #bodies, derive = derive, central = central,
    materials = materials.count, material = materials.of and X .. "_material" or "NULL" }
end

-- What contacts are measured by that obey their law least.
local function weight_of(model)
  local sum = E.zero
  for _, g in ipairs(model.gravity or {}) do
    for _, symbol in ipairs(E.symbols(E.lift(g))) do if symbol.kind ~= "param" then return E.zero end end
    sum = sum + E.lift(g) * E.lift(g)
  end
  return E.sqrt(sum)
end

--- For loops over tables: the shapes, and where bodies stand among positions and velocities.
function F.build(model, symbols, tables, X)
  local made = F.shapes(model, tables, X)
  local where = {}
  for i, t in ipairs((F.bodies(model))) do
    local place, turn = symbols.places[t.position[1].q].block, symbols.places[model.rotations[i].q[1]].block
    append(where, { place.q_first, turn.q_first, place.v_first, turn.v_first })
  end
  tables:fixed("int", X .. "_where", where)
  tables:fixed("char *const", X .. "_body_name", F.quoted(F.bodies(model), "name"))
  made.where = where
  local first = { ("for (int k = 0; k < %d; ++k) {"):format(9 * made.NF), ("    d->form[k / 9][k %% 9] = %s_form[k];"):format(X), "}" }
  append(first, made.derive)
  made.points = points(model)
  local spins = -2
  for _, point in ipairs(made.points) do spins = spins + point.tangents end
  made.derive, made.columns = first, (3 * COLUMNS + spins * SPIN_COLUMNS) * model.among.maximum
  append(first, code.block({ { "d->weight", weight_of(model) } }, { indent = "", name = parameter }))
  made.derived = { "double weight; /* force per mass; 0: none, or it changes in time */",
    ("double form[%d][9]; /* size, place and axis of each kind of shape */"):format(made.NF) }
  for _, law in ipairs(paired(model)) do
    table.insert(made.derived, ("double %s[%d]; /* of each pair of materials */"):format(law[2], made.materials ^ 2 | 0))
  end
  made.more = {} -- beside friction and restitution
  for _, law in ipairs(MORE) do
    if laws.among(model, law) then
      table.insert(made.more, { name = "pair_" .. law, below = PARTS[law] and "<= 1.0" or "< HUGE_VAL",
        spin = law == "rolling" or law == "pivoting" })
    end
  end
  local function spin(law) return laws.among(model, law) and "s->derived.pair_" .. law or "NULL" end
  made.spins = ("(carom_found_spins){%s, %s}"):format(spin "rolling", spin "pivoting")
  return made
end

--- Sizes and names of the rows of a model for the templates; eq: of what is written. Without found rows they are constants and tables.
function F.rows(values, eq, model, form, spec)
  local X, written = values.X, #eq.rows - eq.gaps
  local count = model.among and model.among.maximum or 0
  values.F, values.WG, values.WC, values.WT, values.WR = count, eq.gaps, eq.gaps - eq.constraints, written, #eq.rows
  values.FP, values.FQ = 0, 0 -- contacts and tangents of a point that is found
  for _, point in ipairs(count > 0 and form.found.points or {}) do
    values.FP, values.FQ = values.FP + 1, values.FQ + point.tangents
  end
  values.NG, values.NT = eq.gaps + values.FP * count, written + values.FQ * count
  values.NR, values.NC = values.NG + values.NT, values.NG - eq.constraints
  values.LR, values.LC, values.LW = math.max(1, values.NR), math.max(1, values.NC), math.max(1, #eq.rows)
  local found = count > 0
  local function at(name, constant) return found and "s->found." .. name or constant end
  values.gaps_at, values.rows_at = at("gaps", tostring(values.NG)), at("rows", tostring(values.NR))
  values.tangents_at, values.contacts_at = at("tangents", tostring(values.NT)), at("contacts", tostring(values.NC))
  values.contact_of_at, values.tangent_at = at("contact_of", X .. "_contact_of"), at("tangent", X .. "_tangents")
  values.Gp_at, values.Gj_at = at("Gp", X .. "_Gp"), at("Gj", X .. "_Gj")
  values.e_at, values.mu_at = at("e", "s->derived.e"), at("mu", "s->derived.mu")
  values.kinetic_at, values.rebound_at = at("kinetic", "s->derived.kinetic"), at("rebound", "s->derived.rebound")
  values.found = found and form.found or false
  values.found_told = found and { AHEAD = print_c.number(spec.gamma or 1), CLOSED = print_c.number(spec.tg),
    LEFT = print_c.number(SLIP * spec.ctol), GOES_ON = spec.strict ~= "on" }
  values.LU = math.max(1, values.WC)
  values.found_include = found and { '#include "carom/found.h"' } or {}
  values.found_member = found and { X .. "_found_rows found;" } or {}
  if not found then return end
  values.found_columns = form.ng + form.found.columns
  of_contacts(form.found, model, X, values)
end

return F
