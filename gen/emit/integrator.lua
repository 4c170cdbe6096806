-- Puts a model's operators (unrolled or looped) and a step plan into the templates: the folder of C that users get.
local E = require "gen.expr.node"
local algorithms = require "gen.emit.algorithms"
local batch = require "gen.emit.batch"
local divide = require "gen.emit.divide"
local eval = require("gen.expr.eval").eval
local found = require "gen.emit.found"
local indent = require "gen.emit.indent"
local laws = require "gen.mech.laws"
local methods = require "gen.emit.methods"
local fresh = require "gen.emit.fresh"
local friction = require "gen.emit.friction"
local print_c = require "gen.expr.print"
local straight = require "gen.backend.straight"
local tables = require "gen.backend.tables"
local own = require "gen.emit.own"
local prune = require "gen.emit.prune"
local tables_of = require "gen.emit.tables"
local tangent = require "gen.emit.tangent"
local template = require "gen.emit.template"
local texts = require "gen.emit.texts"

local I = {}
local quantity, safe, short_list = texts.quantity, texts.safe, texts.short_list

-- Rows at points of their own: those of one restitution share one, `first` is the first of each group. `apart`: they do not share one
-- configuration, since G or M depend on q and restitutions differ, or bilateral rows are there, whose forces act along G(q_k).
local function by_rows(values, unit)
  local f, eq, first, group_of, by_node = unit.features, unit.eq, {}, {}, {}
  for k, row in ipairs(eq.rows) do
    local e = row.kind == "contact" and E.lift(row.item.restitution) or E.zero
    if not by_node[e] then
      first[#first + 1] = k - 1
      by_node[e] = #first
    end
    group_of[k] = by_node[e] - 1
  end
  values.groups, values.group_first, values.group_of = #first, methods.list(first), methods.list(group_of)
  values.apart = unit.plan.needs.by_rows and #eq.rows > 0
    and (not f.constant_mass or not f.affine_gaps and (#first > 1 or eq.constraints > 0)) or false
end

-- positions ("q", which begin at "start") or velocities ("v", "speed") with their values at the start
local function quantities(unit, part, first)
  local list, env = {}, {}
  for _, p in ipairs(unit.model.parameters) do env[p.sym] = p.value end
  for _, block in ipairs(unit.eq.symbols.blocks) do
    for k, symbol in ipairs(block[part]) do
      list[#list + 1] = quantity({ name = symbol.name, unit = block[part .. "_unit"] }, eval(E.lift(block[first][k]), env))
    end
  end
  return list
end

--- All files of the generated folder. unit = { model, eq, spec, plan, form ("unrolled"|"looped"), operators, digest, version, read }
function I.files(unit)
  local model, eq, plan, form = unit.model, unit.eq, unit.plan, unit.operators
  local X = unit.name
  local looped, single = unit.form == "looped", unit.real == "float"
  local sizes = { X = X }
  found.rows(sizes, eq, model, form, unit.spec)
  local NV, NE, NG, NR = eq.n, eq.constraints, sizes.NG, sizes.NR
  local NT, dimension = sizes.NT, eq.dimension
  local NB, NS, NQ = #eq.symbols.blocks - eq.simple, eq.simple, #eq.q
  local needs = plan.needs
  needs.homogeneous = NR > 0 and (needs.bias or needs.free_sensitivity or needs.matrix or needs.pulled)
  local function values_of(list, f)
    local t = {}
    for i, item in ipairs(list) do t[i] = f(item) end
    return t
  end
  local function name_of(item) return item.name end
  local headers = {}
  if NR > 0 then headers[1] = "carom/law.h" end
  if NG > NE then headers[#headers + 1] = "carom/touch.h" end
  if looped then
    headers[#headers + 1] = "carom/kkt.h"
    headers[#headers + 1] = "carom/contact.h"
    if needs.sensitivity then headers[#headers + 1] = "carom/stages.h" end
    if NT > 0 or laws.rebounds(model) then table.move({ "carom/lcp.h", "carom/friction.h" }, 1, 2, #headers + 1, headers) end
  else
    if NG > 1 or NE > 0 or (NT > 0 and friction.several(eq, unit.spec)) then headers[#headers + 1] = "carom/lcp.h" end
    if NT > 0 then headers[#headers + 1] = "carom/friction.h" end
    local dense = needs.capture or needs.sensitivity or needs.free_sensitivity or needs.projection or needs.fixed
      or NE > 0 and (NT > 0 or laws.rebounds(model))
    if dense then headers[#headers + 1] = "carom/dense.h" end
  end
  if sizes.found then headers[#headers + 1] = "carom/found.h" end
  if NB > 0 then headers[#headers + 1] = "carom/rotation.h" end
  if form.elements then table.move({ "carom/cells.h", "carom/elements.h" }, 1, 2, #headers + 1, headers) end
  local shape_tables, touching = tables_of.shapes(model)
  if touching then headers[#headers + 1] = "carom/geometry.h" end
  local state_headers = { looped and "carom/contact.h" or NR > 0 and "carom/room.h" or nil } -- which the state asks for
  if looped and needs.sensitivity then table.insert(state_headers, "carom/stages.h") end
  if needs.capture then table.insert(state_headers, "carom/points.h") end
  if needs.capture and laws.chains(model) then table.insert(state_headers, "carom/chain.h") end
  local tangents, mean = friction.names(eq), unit.spec.family == "moreau-jean" and unit.spec.theta or 0.5
  local constrained = needs.sensitivity and NR > 0
  local values = {
    X = X, NAME = X:upper(), title = safe(model.title or "a mechanical system"), version = unit.version,
    source = safe(model.file:match("([^/]+)$") or "-"), scheme = unit.spec.canonical, order = tostring(plan.order),
    digest = unit.digest, NP = #model.parameters, NB = NB, NS = NS, NQ = NQ, NV = NV, NE = NE, NR = NR, NG = NG, NT = NT,
    D = dimension, NW = #(eq.switches or {}), pile = unit.pile or false,
    NU = #model.inputs, NY = #model.outputs, iterations = unit.spec.iterations or 1, operations = form.total_operations or 0,
    parameters = values_of(model.parameters, function(p)
      return { name = p.name, value = print_c.number(p.value), comment = safe((p.unit or "no unit given") .. ", default "
        .. print_c.number(p.value) .. ", model line " .. (p.line or 0)) }
    end),
    inputs = values_of(model.inputs, function(u) return { name = u.name, value = print_c.number(u.value or 0) } end),
    form = form, needs = needs, has_lazy_delassus = NR > 0 and not form.delassus_constant and not looped,
    coordinate_names = short_list(values_of(model.coordinates, function(c)
      return c.name .. (c.unit and " (" .. safe(c.unit) .. ")" or "") end), 90),
    contact_names = short_list(values_of(model.contacts, name_of), 60),
    input_names = short_list(values_of(model.inputs, name_of), 60),
    tangent_names = short_list(tangents, 60),
    output_names = short_list(values_of(model.outputs, name_of), 60),
    headers = headers, state_headers = state_headers, shape_tables = shape_tables,
    quantity_lists = {
      { name = "parameter", items = values_of(model.parameters, function(p) return quantity(p, p.value) end) },
      { name = "coordinate", items = unit.pile and {} or quantities(unit, "q", "start") },
      { name = "velocity", items = unit.pile and {} or quantities(unit, "v", "speed") },
      { name = "contact", items = values_of(model.contacts, function(c) return quantity({ name = c.name }) end) },
      { name = "constraint", items = values_of(model.constraints, function(c) return quantity({ name = c.name }) end) },
      { name = "input", items = values_of(model.inputs, function(u) return quantity(u, u.value) end) },
      { name = "tangent", items = values_of(tangents, function(name) return quantity { name = name } end) },
      { name = "output", items = values_of(model.outputs, function(o) return quantity(o) end) },
    },
    contact_places = values_of(model.contacts, function(c) return c.place or "" end),
    until_time = print_c.number(model.run.until_time or 0), step_size = print_c.number(model.run.step or 0),
    tg = print_c.number(unit.spec.tg or 0), tv = print_c.number(unit.spec.tv or 0), tol = print_c.number(unit.spec.tol or 0),
    packed = texts.entries, finite_parameters = texts.all("fabs(p->%s) < HUGE_VAL", model.parameters),
    matrix = methods.matrix, vector = methods.vector, list = methods.list,
    jacobian_force = constrained and " - G^T r" or "",
    jacobian_bias = constrained and ", and Kc, Cc the same of G a + gam for each row" or "",
    mean = { print_c.number(1 - mean), print_c.number(mean) }, -- of the forces at the start and the end of a step
    feels = #(model.felt or {}) > 0, -- forces of the last step
    strikes = false,
    dense_count = plan.dense and math.max(1, plan.dense.stages) or 0, dense_stages = plan.dense and plan.dense.stages or 0,
    dense_text = plan.dense and plan.dense.text or "", dense_basis = plan.dense and plan.dense.nodes and methods.lagrange(plan.dense) or {},
    dense_path = plan.dense and plan.dense.stages == 0 and "path" or "V",
    dense_title = plan.split and "the last pieces of steps"
      or unit.spec.adaptive == "on" and "the two halves of the last accepted step" or "the last step",
    dense_spans = (unit.spec.adaptive == "on" and 2 or 1) * (plan.split and unit.spec.kmax + 1 or 1),
    -- of penetrations at the start
    deepest = print_c.number(model.elements and 1e-5 * model.elements.size or single and 1e-6 or 1e-9),
    real = unit.real, wide = single and "(double)" or "", suffix = single and "f" or "",
    adaptive = false, doubling = false, split = false, untimed_member = {}, glides = false, degrees = unit.spec.degrees or false,
    degree_names = table.concat(unit.spec.degrees or {}, ", "), step_name = "step", step_static = "", looped = looped,
    bilateral = NE > 0 and ("j < %d || "):format(NE) or "", contact_row = NE > 0 and ("j >= %d && "):format(NE) or "",
    G_starts = texts.numbers(not looped and form.starts), G_columns = texts.numbers(not looped and form.columns),
    entries = looped and 0 or math.max(1, #form.columns), full_rows = not looped and NR * NV == #form.columns,
    local_rows = not looped and texts.local_rows(form.reach, NV), reach = not looped and texts.pairs_of(form.reach) or "",
    work_struct = {}, work_init = {}, memory = {}, uniform = false, stage_count = 0, first = model.coordinates[1].name,
    example_step = print_c.number(model.run.step or 1e-3), example_end = print_c.number(model.run.until_time or 1),
  }
  for key, x in next, sizes do values[key] = x end -- order does not matter
  form.energy = form.energy or {} -- of models in tables it is not known
  values.listens = values.WC > 0 and not sizes.found
  values.row_by_row = looped and not form.rheonomic or false -- rows that change with time alone are made together
  values.host, values.host_functions = {}, {}
  by_rows(values, unit)
  local function render(name)
    local text, list = template.render(unit.read("templates/" .. name), "templates/" .. name, values)
    return text, list
  end
  values.rebound, values.scaled = laws.rebounds(model), laws.scaled(model)
  values.bonds, values.chains, values.rides = laws.bonds(model), laws.chains(model), laws.rides(model)
  values.own, values.breaks, values.adheres = laws.own(model), laws.breaks(model), laws.adheres(model)
  values.law_state = values.bonds and { ("double bond[%d]; /* of contacts: 1 bonded, 0 not, -1 not known yet */"):format(values.NC) } or {}
  if values.adheres then
    table.insert(values.law_state, ("double intensity[%d]; /* of adhesion: 1 whole .. 0 */"):format(values.WC))
  end
  values.law_data = laws.data(model, { contacts = values.LU, tangents = values.WT })
  values.friction_guard = friction.guard(unit.frictionless)
  friction.values(values, eq, unit.spec, looped, single)
  values.found_struct = sizes.found and select(2, render "found.h.in") or {}
  if sizes.found then
    table.insert(values.friction, sizes.found.lasting or nil)
    local lines = select(2, render "found.c.in")
    table.move(lines, 1, #lines, #values.friction + 1, values.friction)
  end
  values.elements = {}
  if form.elements then
    values.kernels = select(2, template.render(unit.read("templates/cells.c.in"), "templates/cells.c.in", form.elements.kernels))
    values.elements = select(2, render("elements.c.in"))
  end
  if plan.capture then methods.capture(values, unit) elseif unit.spec.adaptive == "on" then methods.doubling(values, unit) end
  if plan.split then methods.split(values, unit) end
  values.types = {}
  local back_end = looped and tables or straight
  back_end.values(values, unit)
  if unit.with.tangent then tangent.prepare(values, unit) end
  if unit.with.batch then batch.prepare(values, unit) end
  straight.work(values)
  values.split_keeps = (#values.work_struct > 0 and "offsetof(%s, work)" or "sizeof(%s)"):format(X)
  values.kept = (not looped and #values.work_struct > 0 and "offsetof(%s, work)" or "sizeof(%s)"):format(X)
  values.algorithms, values.own_laws = algorithms.defines(values), own.lines(model, values)
  local _, operators = render(looped and "looped.c.in" or "unrolled.c.in")
  local parts = { looped and "contact_tables.c.in" or "unrolled_implicit.c.in" }
  if sizes.found then table.insert(parts, 1, "search.c.in") end
  for _, name in ipairs(parts) do
    local _, helpers = render(name)
    table.move(helpers, 1, #helpers, #operators + 1, operators)
  end
  local step = {}
  local function append(name)
    local _, part = render(name)
    table.move(part, 1, #part, #step + 1, step)
  end
  if plan.capture then
    append "capture.c.in"
  else
    append "plan_step.c.in"
    if values.degrees then append "degrees.c.in" end
    if values.split then append "split.c.in" end
    if values.doubling then
      append "adaptive.c.in"
      append "toward.c.in"
    end
    if plan.dense then append "dense.c.in" end
  end
  values.fresh, values.operators, values.step = fresh(values), operators, step
  values.table = select(2, render "table.c.in")
  values.host, values.host_functions = select(2, render "target/host.c.in"), select(2, render "target/host.h.in")
  if unit.with.tangent then tangent.add(values, function(name) return select(2, render(name)) end) end
  local text = indent.c((render "model.c.in"))
  local files, sources = { { name = X .. ".h", text = indent.c((render("model.h.in"))) } }, {}
  local whole = prune.statics(text, algorithms.called(text, unit.read, X))
  for _, file in ipairs(unit.with.split and divide.files(X, whole, files[1].text, unit.read) or { { name = X .. ".c", text = whole } }) do
    files[#files + 1] = { name = file.name, text = indent.c(file.text) }
    if file.name:find "%.c$" then sources[#sources + 1] = file.name end
  end
  if unit.with.batch then batch.add(files, sources, values, unit, render) end
  local function copy(from, to)
    files[#files + 1] = { name = to, text = unit.read(from) }
    if to:match("%.c$") then sources[#sources + 1] = to end
  end
  if unit.with.batch then text = text .. '#include "carom/batch.h"\n' end
  algorithms.along(text, unit.read, copy, { friction = friction.files(eq, unit.spec, looped), contact = NT > 0 or values.rebound,
    fixed = needs.fixed, found = found.FILES })
  files[#files + 1] = { name = X .. ".hpp", text = (render "target/model.hpp.in") }
  copy("runtime/include/carom/host.hpp", "carom/host.hpp")
  values.sources = table.concat(sources, " ")
  values.meson_sources = "'" .. table.concat(sources, "', '") .. "'"
  files[#files + 1] = { name = "example_main.c", text = indent.c((render "example_main.c.in")) }
  files[#files + 1] = { name = "README.md", text = (render "README.md.in") }
  values.source_list, values.dollar = sources, "$"
  files[#files + 1] = { name = "CMakeLists.txt", text = (render "target/CMakeLists.txt.in") }
  files[#files + 1] = { name = "meson.build", text = (render "meson.build.in") }
  return files, sources
end

return I
