-- Puts a model's operators (unrolled or looped) and a step plan into the templates: the folder of C that users get.
local E = require "gen.expr.node"
local algorithms = require "gen.emit.algorithms"
local eval = require("gen.expr.eval").eval
local indent = require "gen.emit.indent"
local methods = require "gen.emit.methods"
local friction = require "gen.emit.friction"
local print_c = require "gen.expr.print"
local straight = require "gen.backend.straight"
local tables = require "gen.backend.tables"
local prune = require "gen.emit.prune"
local template = require "gen.emit.template"
local texts = require "gen.emit.texts"

local I = {}
local sum, matrix = methods.sum, methods.matrix
local quantity, safe, short_list = texts.quantity, texts.safe, texts.short_list

local function stage_velocity(op)
  local text = "v[i]"
  if #op.velocity > 0 then text = text .. " + h * (" .. sum(op.velocity) .. ")" end
  if op.velocity_jump ~= "" then text = text .. " + " .. op.velocity_jump .. " * w[i]" end
  return text
end

local function stage_position(op)
  local inner = op.tau == "" and "" or op.tau == "one" and "v[i]" or op.tau .. " * v[i]"
  if op.position_jump ~= "" then inner = inner .. (inner == "" and "" or " + ") .. op.position_jump .. " * w[i]" end
  if #op.position > 0 then inner = inner .. (inner == "" and "" or " + ") .. "h * (" .. sum(op.position) .. ")" end
  return inner == "" and "q[i]" or "q[i] + h * (" .. inner .. ")"
end


-- rows of the model that share one restitution: Schatzman-Paoli evaluates each group at its own point
local function restitution_groups(eq)
  local groups, by_node = {}, {}
  for k, row in ipairs(eq.rows) do
    local e = row.kind == "contact" and E.lift(row.item.restitution) or E.zero
    local group = by_node[e]
    if not group then
      group = { first = k - 1, number = #groups, rows = {}, items = {} }
      by_node[e] = group
      groups[#groups + 1] = group
    end
    group.rows[#group.rows + 1] = k - 1
    group.items[#group.items + 1] = row.item.name
  end
  for _, group in ipairs(groups) do
    group.names, group.last = short_list(group.items, 60), group.rows[#group.rows]
    group.list = "{" .. table.concat(group.rows, ", ") .. "}"
    group.contiguous = #group.rows > 1 and group.last - group.first + 1 == #group.rows
  end
  return groups
end

-- What Schatzman-Paoli puts into the templates. `apart`: its rows do not share one configuration, since G or M depend on q and
-- restitutions differ, or bilateral rows are there, whose forces act along G(q_k).
local function paoli(values, unit, groups)
  local f, eq, looped = unit.features, unit.eq, values.looped
  local apart = (unit.plan.needs.two_step or unit.plan.needs.by_rows) and #eq.rows > 0
    and (not f.constant_mass or not f.affine_gaps and (#groups > 1 or eq.constraints > 0)) or false
  local group_of, flags = {}, {}
  for g, group in ipairs(groups) do for _, j in ipairs(group.rows) do group_of[j + 1] = g - 1 end end
  for j = 1, #eq.rows do flags[j] = j <= eq.constraints and 1 or 0 end
  values.restitution_groups, values.apart = groups, apart
  values.group_of, values.bilateral_flags = "{" .. table.concat(group_of, ", ") .. "}", "{" .. table.concat(flags, ", ") .. "}"
  values.paoli_config = #eq.rows > 0 and "c1" or "cs"
  values.paoli_mass, values.paoli_A = looped and (apart and "cs, " or values.paoli_config .. ", ") or "", apart and "cs->A" or "c1->A"
  values.apart_config = apart and looped and "cy" or "c1"
  local newton = unit.plan.needs.free_sensitivity
  values.apart_arguments = newton and "double t, const double *q, const double *v, const double *a, double wv, double wq, " or ""
  function values.apart_values(op)
    return newton and ("%s, Qs, V, a0, start ? 0.0 : 0.5 * h, start ? 0.0 : %s, "):format(op.time, op.wq) or ""
  end
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

-- the step as far as bodies fly: none where a contact presses
local function free_step(NE, NG)
  local flags = {}
  for j = NE, NG - 1 do flags[#flags + 1] = ("s->pressing[%d]"):format(j) end
  return #flags > 0 and "(" .. table.concat(flags, " || ") .. " ? 0.0 : h)" or "h"
end

-- operations that have a template beside templates/step.c.in
local DG, THETA, PAOLI = "step_dg.c.in", "step_theta.c.in", "step_paoli.c.in"
local template_of = { strike = DG, active_dg = DG, accelerate = DG, rotations = DG, stage_state = DG, newton_matrix = DG,
  finish_stages = DG, closed = DG, impact_dg = DG, pressing = DG, begin_jump = DG, finish_jump = DG,
  active_gamma = THETA, impact_theta = THETA, joint_forces = THETA, finish_theta = THETA, two_step = PAOLI,
  begin_once = PAOLI, finish_once = PAOLI, paoli_point = PAOLI, paoli_free = PAOLI, impact_paoli = PAOLI, paoli_end = PAOLI }

-- vectors of the step
local function declarations(plan, NQ, NV, NR, uses)
  local lines = {}
  local function declare(kind, name, size)
    lines[#lines + 1] = ("%s %s[%d];"):format(kind, name, size)
  end
  local names = { "q1", "v1" }
  for _, name in ipairs(plan.vectors) do
    if name ~= "q1" and name ~= "v1" then names[#names + 1] = name end
  end
  if plan.needs.jump then names[#names + 1] = "w" end
  for _, name in ipairs(names) do declare("double", name, (name == "q1" or name:find "^Qs?$") and NQ or NV) end
  if NQ > NV and (uses.position_theta or uses.two_step) then declare("double", "z", NV) end
  if plan.dense then
    local count = math.max(1, plan.dense.stages)
    lines[#lines + 1] = ("double kept[%d][%d];"):format(count, NV)
    if plan.dense.stages == 0 then lines[#lines + 1] = ("double path[1][%d];"):format(NV) end
  end
  if NQ > NV and plan.rotation_stages then
    local stages, width = plan.rotation_stages, 4 * (NQ - NV)
    lines[#lines + 1] = ("double turned[%d][%d];"):format(stages, width)
  end
  if NR > 0 then
    for _, name in ipairs(plan.row_vectors) do
      if name ~= "Us" then declare("double", name, NR) end
    end
    declare("double", "J", NR)
    if uses.impact_dg then declare("double", "p", NR) end
    declare("bool", "A", NR)
    declare("bool", "pressing", NR)
    if uses.closed then
      declare("bool", "Cl", NR)
      declare("bool", "closing", NR)
      if uses.friction then declare("double", "slip", NR) end
    end
    if uses.project or uses.joint_forces then declare("bool", "hold", NR) end
    if uses.strike then declare("double", "struck", NR) end
  end
  return lines
end

--- All files of the generated folder. unit = { model, eq, spec, plan, form ("unrolled"|"looped"), operators, digest, version, read }
function I.files(unit)
  local model, eq, plan, form = unit.model, unit.eq, unit.plan, unit.operators
  local X = unit.name
  local looped = unit.form == "looped"
  local NV, NE, NG, NR = eq.n, eq.constraints, eq.gaps, #eq.rows
  local NT, dimension = NR - NG, eq.dimension
  local NB, NS, NQ = #eq.symbols.blocks - eq.simple, eq.simple, #eq.q
  local uses = { friction = NT > 0 }
  for _, op in ipairs(plan.ops) do
    uses[op.kind] = true
    op.comment = indent.comment(op.text)
    if op.at == "cs" then uses.cs = true end
  end
  local needs = plan.needs
  needs.homogeneous = NR > 0 and (needs.bias or needs.free_sensitivity or needs.restitution_groups or needs.matrix or needs.pulled)
  local lines = declarations(plan, NQ, NV, NR, uses)
  if uses.cs then lines[#lines + 1] = ("%s_config stage, *const cs = &stage; /* at an interior stage */"):format(X) end
  local iterates = uses.begin_iteration or uses.begin_jump or false
  local evaluations = 0
  for _, op in ipairs(plan.ops) do if op.kind == "evaluate" then evaluations = evaluations + 1 end end
  if uses.accelerate and iterates then
    lines[#lines + 1] = "double scale = 0.0; /* size of the accelerations, for relative tolerances */"
  end
  local turning = NT > 0 and dimension == 3 and unit.spec.sign == "-" and uses.accelerate and iterates
  if turning then lines[#lines + 1] = ("%s_turn turn = {0}; /* directions of sliding at the stages */"):format(X) end
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
    if NT > 0 then table.move({ "carom/lcp.h", "carom/friction.h" }, 1, 2, #headers + 1, headers) end
  else
    if NG > 1 or NE > 0 or (NT > 0 and friction.several(eq, unit.spec)) then headers[#headers + 1] = "carom/lcp.h" end
    if NT > 0 then headers[#headers + 1] = "carom/friction.h" end
    local dense = needs.capture or needs.sensitivity or needs.free_sensitivity or needs.projection or (NT > 0 and NE > 0)
    if dense then headers[#headers + 1] = "carom/dense.h" end
  end
  if NB > 0 then headers[#headers + 1] = "carom/rotation.h" end
  if iterates and not unit.by_plan then headers[#headers + 1] = "carom/settled.h" end
  local tangents, mean = friction.names(eq), unit.spec.family == "moreau-jean" and unit.spec.theta or 0.5
  local constrained = needs.sensitivity and NR > 0
  local values = {
    X = X, NAME = X:upper(), title = safe(model.title or "a mechanical system"), version = unit.version,
    source = safe(model.file:match("([^/]+)$") or "-"), scheme = unit.spec.canonical, order = tostring(plan.order),
    digest = unit.digest, NP = #model.parameters, NB = NB, NS = NS, NQ = NQ, NV = NV, NE = NE, NR = NR, NG = NG, NT = NT,
    D = dimension, NC = NG - NE, LR = math.max(1, NR), LC = math.max(1, NG - NE), -- L: lengths of arrays in C
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
    headers = headers, plan = plan, declarations = lines,
    coefficients = values_of(plan.coefficients, function(c)
      return { name = c.name, text = print_c.number(c.value), comment = c.text }
    end),
    quantity_lists = {
      { name = "parameter", items = values_of(model.parameters, function(p) return quantity(p, p.value) end) },
      { name = "coordinate", items = quantities(unit, "q", "start") },
      { name = "velocity", items = quantities(unit, "v", "speed") },
      { name = "contact", items = values_of(model.contacts, function(c) return quantity({ name = c.name }) end) },
      { name = "constraint", items = values_of(model.constraints, function(c) return quantity({ name = c.name }) end) },
      { name = "input", items = values_of(model.inputs, function(u) return quantity(u, u.value) end) },
      { name = "tangent", items = values_of(tangents, function(name) return quantity { name = name } end) },
      { name = "output", items = values_of(model.outputs, function(o) return quantity(o) end) },
    },
    contact_places = values_of(model.contacts, function(c) return c.place or "" end),
    until_time = print_c.number(model.run.until_time or 0), step_size = print_c.number(model.run.step or 0),
    tg = print_c.number(unit.spec.tg or 0), tv = print_c.number(unit.spec.tv or 0), tol = print_c.number(unit.spec.tol or 0),
    sum = sum, sum_rows = function(terms) return sum(terms, "j") end, stage_velocity = stage_velocity,
    stage_position = stage_position, matrix = matrix, vector = methods.vector, list = methods.list, flat = methods.flat,
    seen = { vn = plan.seen.vn or false },
    -- positions near q as a vector of NV numbers: coordinates, and rotation vectors from where the bodies are
    here = NB > 0 and ("(i < %d ? q[i] : 0.0)"):format(NS) or "q[i]", chart = function(name) return NB > 0 and "z" or name end,
    place = function(name) return NB > 0 and { ("carom_place(%d, %d, q, z, %s);"):format(NS, NB, name) } or {} end,
    free_step = free_step(NE, NG), bound_by_place = function(op) return methods.bound_by_place(op, X, NE, NG) end,
    restitution = function(op) return methods.restitution(op, X, NG, NR) end,
    before = NB > 0 and ("i < %d ? q[i] : -x[i]"):format(NS) or "q[i]",
    row_name = function(r) return NR > 0 and r or "NULL" end, A_name = NR > 0 and "A" or "NULL",
    new_velocity = plan.seen.vn and "vn" or "v1",
    Y_of = form.delassus_constant and "s->derived.Y" or "c->Y", constrained_sensitivity = constrained or false,
    jacobian_text = constrained and " + G^T r" or "", jacobian_force = constrained and " - G^T r" or "",
    jacobian_bias = constrained and ", and Kc, Cc the same of G a + gam for each row" or "",
    jacobian_rows = constrained and " - G^T dr = 0, and G da + Kc dq + Cc dv = 0 on rows that carry force" or " = 0",
    convergence = {
      ("if (carom_settled(norm, &change, size, %s, defect, %s, %s)) {"):format(uses.accelerate and "scale" or "0.0",
        print_c.number(unit.spec.tol or 0), NT > 0 and "CAROM_STAGNATION_FRICTION" or "CAROM_STAGNATION"),
      "    break;",
      "}",
    },
    mean = { print_c.number(1 - mean), print_c.number(mean) }, -- of the forces at the start and the end of a step
    feels = #(model.felt or {}) > 0, -- forces of the last step
    plus = unit.spec.sign == "+", strikes = uses.strike and NG > NE or false,
    last_force = uses.closed and "r" .. unit.spec.M or "J",
    scale_pass = iterates and "scale, " or "",
    turning = turning and unit.spec.M + 1 or false, turning_argument = turning and ("%s_turn *turn, int stage, "):format(X) or "",
    iterates = iterates, evaluations = evaluations, scale_argument = iterates and "double *scale, " or "",
    scale_value = iterates and "&scale, " or "",
    dense_count = plan.dense and math.max(1, plan.dense.stages) or 0, dense_stages = plan.dense and plan.dense.stages or 0,
    dense_text = plan.dense and plan.dense.text or "", dense_basis = plan.dense and plan.dense.nodes and methods.lagrange(plan.dense) or {},
    dense_path = plan.dense and plan.dense.stages == 0 and "path" or "V",
    dense_spans = unit.spec.adaptive == "on" and 2 or 1,
    deepest = print_c.number(model.elements and 1e-5 * model.elements.size or 1e-9), -- of penetrations at the start
    adaptive = false, doubling = false, step_name = "step", looped = looped,
    bilateral = NE > 0 and ("j < %d || "):format(NE) or "", is_bilateral = NE > 0 and ("j < %d"):format(NE) or "false",
    tangent_row = NT > 0 and ("j < %d && "):format(NG) or "",
    contact_flag = NE > 0 and ("j >= %d"):format(NE) or "true", contact_row = NE > 0 and ("j >= %d && "):format(NE) or "",
    G_starts = texts.numbers(not looped and form.starts), G_columns = texts.numbers(not looped and form.columns),
    entries = looped and 0 or math.max(1, #form.columns), full_rows = not looped and NR * NV == #form.columns,
    work_struct = {}, work_init = {}, memory = {}, uniform = false, first = model.coordinates[1].name,
    example_step = print_c.number(model.run.step or 1e-3), example_end = print_c.number(model.run.until_time or 1),
  }
  -- Moreau-Jean with joints: their forces act as the others do, at both ends of the step; where the solver needs symmetry, by
  -- correction of the last iteration
  local mixed = uses.joint_forces and NE > 0
  values.deferred = mixed and (looped or NT > 0 or not needs.free_sensitivity) or false
  values.joint_argument = mixed and not values.deferred and X .. "_config *before, " or ""
  values.joint_value = mixed and not values.deferred and "c0, " or ""
  values.keeps_force = NT > 0 or needs.capture or values.deferred
  paoli(values, unit, restitution_groups(eq))
  local function render(name, extra)
    if extra then for _, pair in ipairs(extra) do values[pair[1]] = pair[2] end end
    local text, list = template.render(unit.read("templates/" .. name), "templates/" .. name, values)
    return text, list
  end
  function values.operation(op)
    return select(2, render(template_of[op.kind] or error("no template for the operation " .. op.kind), { { "op", op } }))
  end
  values.friction, values.friction_guard = {}, friction.guard(unit.frictionless)
  friction.values(values, eq, unit.spec)
  if NT > 0 then
    values.friction = select(2, render "tangents.c.in")
    if not looped then
      local _, laws = render "friction.c.in"
      table.move(laws, 1, #laws, #values.friction + 1, values.friction)
    end
  end
  values.elements = form.elements and select(2, render("elements.c.in")) or {}
  if form.elements and form.elements.supported then
    local _, more = render("supports.c.in")
    table.move(more, 1, #more, #values.elements + 1, values.elements)
  end
  if plan.capture then methods.capture(values, unit) elseif unit.spec.adaptive == "on" then methods.doubling(values, unit) end
  methods.freezing(values, uses)
  values.by_plan, values.matrix_members, values.points_members = unit.by_plan or false, {}, {}
  if unit.by_plan then (looped and tables or straight).values(values, unit) end
  values.algorithms = algorithms.defines(values)
  local _, operators = render(looped and "looped.c.in" or "unrolled.c.in")
  local parts = looped and {}
    or { "unrolled_implicit.c.in", values.apart and not unit.by_plan and "paoli.c.in" or nil }
  parts[#parts + 1] = "record.c.in"
  if unit.by_plan then
    table.move(looped and { "sets.c.in", "contact_tables.c.in" } or { "sets.c.in", "contact.c.in", "operator.c.in" }, 1, looped and 2 or 3,
      #parts + 1, parts)
  end
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
    if unit.by_plan then
      append "plan_step.c.in"
    else
      local every = values.declarations
      values.declarations = {}
      values.declarations = prune.declarations(every, (render("step.c.in")))
      append "step.c.in"
    end
    if values.doubling then append "adaptive.c.in" end
    if plan.dense then append "dense.c.in" end
  end
  if values.adaptive or values.doubling then append "toward.c.in" end
  local text = indent.c((render("model.c.in", { { "operators", operators }, { "step", step } })))
  local files = {
    { name = X .. ".h", text = indent.c((render("model.h.in"))) },
    { name = X .. ".c", text = prune.statics(text, algorithms.called(text, unit.read, X)) },
  }
  local sources = { X .. ".c" }
  local function copy(from, to)
    files[#files + 1] = { name = to, text = unit.read(from) }
    if to:match("%.c$") then sources[#sources + 1] = to end
  end
  algorithms.along(text, unit.read, copy, { friction = friction.files(eq, unit.spec, looped), contact = NT > 0 })
  values.sources = table.concat(sources, " ")
  values.meson_sources = "'" .. table.concat(sources, "', '") .. "'"
  files[#files + 1] = { name = "example_main.c", text = indent.c((render "example_main.c.in")) }
  files[#files + 1] = { name = "README.md", text = (render "README.md.in") }
  files[#files + 1] = { name = "meson.build", text = (render "meson.build.in") }
  return files, sources
end

return I
