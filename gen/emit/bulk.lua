-- Piles: the third form of an integrator, beside unrolled and looped. Bodies and shapes become tables of instances (kinds of
-- matter, kinds of shapes); what touches what is found by runtime/bulk.
local E = require "gen.expr.node"
local algorithms = require "gen.emit.algorithms"
local code = require "gen.emit.code"
local found = require "gen.emit.found"
local friction = require "gen.emit.friction"
local indent = require "gen.emit.indent"
local print_c = require "gen.expr.print"
local tables_of = require "gen.emit.tables"
local template = require "gen.emit.template"
local texts = require "gen.emit.texts"

local B = {}

local SWEEPS = 5000 -- of the contact solver

-- doubles per contact for solvers that factor, and at most; with more bodies (CAROM_BULK_FACTORED) sweeps have to do
local SPARE, SPARE_MOST, FACTORED = 600, 6 * 1000 * 1000, 500

-- what every pile has to tell, unless the model has an output of that name
local BUILT_IN = {
  { name = "kinetic_energy", unit = "J", c = "carom_bulk_energy(&bulk, s->v)" },
  { name = "contacts", unit = "", c = "(double)s->touching" },
  { name = "penetration", unit = "m", c = "s->penetration" },
  { name = "sticking", unit = "", c = "(double)s->sticking" },
  { name = "sliding", unit = "", c = "(double)s->sliding" },
  { name = "support_x", unit = "N", c = "s->support[0]" },
  { name = "support_y", unit = "N", c = "s->support[1]" },
  { name = "support_z", unit = "N", c = "s->support[2]" },
  { name = "deepest", unit = "m", c = "s->deepest.depth" },
}

local function append(list, more) table.move(more, 1, #more, #list + 1, list) end

-- The tables of bodies and shapes, and lines that depend on parameters.
local function instances(unit, tables)
  local model, X = unit.model, unit.name
  local matter, derive, initial = found.kinds(), {}, {}
  local body_matter, q0, v0 = {}, {}, {}
  local bodies = found.bodies(model)
  for i, t in ipairs(bodies) do
    local J, rotation = t.inertia, model.rotations[i]
    body_matter[i] = found.kind_of(matter, { t.mass, J[1][1], J[1][2], J[1][3], J[2][1], J[2][2], J[2][3], J[3][1], J[3][2], J[3][3] })
    for k = 1, 3 do
      q0[#q0 + 1], v0[#v0 + 1] = E.lift(t.position[k].initial), E.lift(t.position[k].velocity)
    end
    for k = 1, 4 do q0[#q0 + 1] = E.lift(rotation.initial[k]) end
    for k = 1, 3 do v0[#v0 + 1] = E.lift(rotation.spin[k]) end
  end
  tables:add("double", X .. "_matter", found.numbers(found.flat(matter, 10), derive, function(k)
    return ("d->matter[%d][%d]"):format(k // 10, k % 10)
  end))
  tables:add("double", X .. "_q0", found.numbers(q0, initial, function(k) return ("s->q[%d]"):format(k) end))
  tables:add("double", X .. "_v0", found.numbers(v0, initial, function(k) return ("s->v[%d]"):format(k) end))
  tables:add("int", X .. "_body_matter", body_matter)
  tables:add("char *const", X .. "_body_name", found.quoted(bodies, "name"))
  local made = found.shapes(model, tables, X)
  made.round = made.central
  for _, m in ipairs(matter) do
    for k = 2, 10 do
      local diagonal = k == 2 or k == 6 or k == 10
      made.round = made.round and m[k] == (diagonal and m[2] or E.zero)
    end
  end
  local first = { ("memcpy(d->matter, %s_matter, sizeof d->matter);"):format(X), ("memcpy(d->form, %s_form, sizeof d->form);"):format(X) }
  append(first, derive)
  append(first, made.derive)
  made.NM, made.derive, made.initial = #matter, first, initial
  return made
end

-- where a symbol is in the state
local function places(model)
  local at = {}
  local b = 0
  for _, t in ipairs(model.terms) do
    if t.kind == "free_body" then
      local rotation = model.rotations[b + 1]
      for k = 1, 3 do
        at[t.position[k].q], at[t.position[k].v] = ("s->q[%d]"):format(7 * b + k - 1), ("s->v[%d]"):format(6 * b + k - 1)
        at[rotation.v[k]] = ("s->v[%d]"):format(6 * b + k + 2)
      end
      for k = 1, 4 do at[rotation.q[k]] = ("s->q[%d]"):format(7 * b + k + 2) end
      b = b + 1
    end
  end
  for i, u in ipairs(model.inputs) do at[u.sym] = ("s->input[%d]"):format(i - 1) end
  return function(node)
    if node.op ~= "sym" then return nil end
    return at[node] or (node.kind == "time" and "t") or "s->params." .. node.name
  end
end

--- Outputs of a pile: those of the model, then what every pile has.
function B.outputs(model)
  local list, taken = {}, {}
  for _, o in ipairs(model.outputs) do
    list[#list + 1] = o
    taken[o.name] = true
  end
  for _, o in ipairs(BUILT_IN) do if not taken[o.name] then list[#list + 1] = o end end
  return list
end

local function output_lines(outputs, name)
  local list, last, lines = {}, {}, {}
  for i, o in ipairs(outputs) do
    if o.c then last[#last + 1] = ("y[%d] = %s;"):format(i - 1, o.c) else list[#list + 1] = { ("y[%d]"):format(i - 1), E.lift(o.expr) } end
  end
  local block = code.block(list, { indent = "", name = name })
  if table.concat(block, "\n"):find("%f[%w_]t%f[^%w_]") then lines[1] = "const double t = s->t;" end
  append(lines, block)
  append(lines, last)
  if not table.concat(lines, "\n"):find("&bulk", 1, true) then table.insert(lines, 1, "(void)bulk;") end
  return lines
end

local function gravity_lines(model, name)
  local list = {}
  for k = 1, 3 do list[k] = { ("g[%d]"):format(k - 1), model.gravity and model.gravity[k] or E.zero } end
  local lines = code.block(list, { indent = "", name = name })
  for _, argument in ipairs { "s", "t" } do
    local used = table.concat(lines, "\n"):find("%f[%w_]" .. argument .. "%f[^%w_]")
    if not used then table.insert(lines, 1, ("(void)%s;"):format(argument)) end
  end
  return lines
end

--- All files of the generated folder. unit = { model, spec, plan, name, digest, version, read }
function B.files(unit)
  local model, spec, X = unit.model, unit.spec, unit.name
  local tables = tables_of.new()
  local made = instances(unit, tables)
  local outputs, name = B.outputs(model), places(model)
  local function each(list, f)
    local out = {}
    for i, item in ipairs(list) do out[i] = f(item) end
    return out
  end
  local function name_of(item) return item.name end
  local readers = {}
  for _, t in ipairs { "matter", "q0", "v0", "body_matter", "body_name" } do
    readers[#readers + 1] = X .. "_" .. t .. "["
  end
  local values = {
    X = X, NAME = X:upper(), title = texts.safe(model.title or "a mechanical system"), version = unit.version,
    source = texts.safe(model.file:match("([^/]+)$") or "-"), scheme = spec.canonical, order = tostring(unit.plan.order),
    digest = unit.digest, degrees = false,
    NP = #model.parameters, NB = made.NB, NS = made.NS, NM = made.NM, NF = made.NF, NC = model.among.maximum, NU = #model.inputs,
    numbered = made.numbered, materials = made.materials, material = made.material, NY = #outputs, NV = 6 * made.NB, NE = 0,
    iterations = spec.iterations, sweeps = SWEEPS,
    locals = made.round and 1 or model.among.maximum, operations = 0,
    spare = made.NB <= FACTORED and math.min(SPARE * model.among.maximum, SPARE_MOST) or 1,
    tg = print_c.number(spec.tg), tol = print_c.number(spec.tol), ctol = print_c.number(spec.ctol),
    memory = spec.solver == "nsgs" and 0 or "CAROM_BULK_HISTORY", explicit = spec.theta == 0,
    coefficients = { { name = "THETA", text = print_c.number(spec.theta), comment = "theta" },
      { name = "ONE_MINUS_THETA", text = print_c.number(1 - spec.theta), comment = "1 - theta" },
      { name = "GAMMA", text = print_c.number(spec.gamma), comment = "gamma, how far ahead the active set looks" } },
    parameters = each(model.parameters, function(p)
      return { name = p.name, value = print_c.number(p.value), comment = texts.safe((p.unit or "no unit given") .. ", default "
        .. print_c.number(p.value) .. ", model line " .. (p.line or 0)) }
    end),
    inputs = each(model.inputs, function(u) return { name = u.name, value = print_c.number(u.value or 0) } end),
    input_names = texts.short_list(each(model.inputs, name_of), 60), output_names = texts.short_list(each(outputs, name_of), 60),
    coordinate_names = "place and quaternion of each body", contact_names = "at most, found at run time",
    quantity_lists = {
      { name = "parameter", items = each(model.parameters, function(p) return texts.quantity(p, p.value) end) },
      { name = "input", items = each(model.inputs, function(u) return texts.quantity(u, u.value) end) },
      { name = "output", items = each(outputs, function(o) return texts.quantity(o) end) },
    },
    tables = tables:lines { readers }, derive = made.derive, initial = made.initial, gravity = gravity_lines(model, name),
    outputs = output_lines(outputs, name), until_time = print_c.number(model.run.until_time or 0),
    real = "double", wide = "", suffix = "",
    step_size = print_c.number(model.run.step or 0), example_step = print_c.number(model.run.step or 1e-3),
    example_end = print_c.number(model.run.until_time or 1), first = model.coordinates[1].name,
  }
  local function render(file) return (template.render(unit.read("templates/" .. file), "templates/" .. file, values)) end
  local files = { { name = X .. ".h", text = indent.c(render "bulk.h.in") }, { name = X .. ".c", text = indent.c(render "bulk.c.in") } }
  local sources = { X .. ".c" }
  local function copy(from, to)
    files[#files + 1] = { name = to, text = unit.read(from) }
    if to:match("%.c$") then sources[#sources + 1] = to end
  end
  local included = {}
  for i, header in ipairs { "status", "model", "touch", "bulk", "found", "collide", "friction", "law", "lcp", "lemke", "room",
    "rotation" } do
    included[i] = ('#include "carom/%s.h"'):format(header)
  end
  for _, header in ipairs(algorithms.headers(table.concat(included, "\n"), unit.read)) do
    copy("runtime/include/carom/" .. header .. ".h", "carom/" .. header .. ".h")
  end
  copy("runtime/lcp.c", "lcp.c")
  copy("runtime/lcp_lemke.c", "lcp_lemke.c")
  for _, file in ipairs(found.FILES) do copy("runtime/bulk/" .. file, "bulk/" .. file) end
  for _, file in ipairs(algorithms.SHAPES) do copy("runtime/shapes/" .. file, "shapes/" .. file) end
  for _, file in ipairs(friction.SOLVERS) do copy("runtime/friction/" .. file, "friction/" .. file) end
  values.sources, values.meson_sources = table.concat(sources, " "), "'" .. table.concat(sources, "', '") .. "'"
  files[#files + 1] = { name = "example_main.c", text = indent.c(render "example_main.c.in") }
  for _, file in ipairs { "README.md", "meson.build" } do
    files[#files + 1] = { name = file, text = render(file .. ".in") }
  end
  return files, sources, made
end

return B
