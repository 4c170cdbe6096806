-- Instances side by side in the folder of C (carom gen --target batch): what the templates batch.h.in and batch.c.in are told. The text of
-- the operators is that of one instance with other types, for arithmetic on vectors is written like that on numbers.
local algorithms = require "gen.emit.algorithms"
local indent = require "gen.emit.indent"
local lanes = require "gen.backend.lanes"
local prune = require "gen.emit.prune"

local M = {}

local WORD = { double = "carom_lanes", sin = "CAROM_SIN", cos = "CAROM_COS", fabs = "CAROM_ABS" }
local LIBM = { tan = 1, asin = 1, acos = 1, atan = 1, exp = 1, log = 1, sqrt = 1, sinh = 1, cosh = 1, tanh = 1, floor = 1, ceil = 1,
  pow = 2, atan2 = 2, fmod = 2 }

-- one line of an operator
local function line_of(text, X)
  local code, remark = text:match "^(.-)(%s*/%*.*)$"
  code = code or text
  code = code:gsub(X .. "_params", X .. "_pack_params"):gsub(X .. "_derived", X .. "_pack_derived")
  code = code:gsub("[%a_][%w_]*", WORD)
  code = code:gsub("%f[%w_]([%a_][%w_]*)%(", function(f)
    return LIBM[f] and ("CAROM_EACH%s(%s, "):format(LIBM[f] == 2 and "_2" or "", f)
  end)
  code = code:gsub("%f[=]= (%-?%d[%w.]*[+-]?%d*);", function(x) return x:find "[.e]" and ("= CAROM_ALL(%s);"):format(x) end)
  return code .. (remark or "")
end

local function lines_of(lines, X)
  local out = {}
  for i, line in ipairs(lines) do out[i] = line_of(line, X) end
  return out
end

-- what an expression asks for that is no arithmetic
local function unfit(lists)
  for _, lines in ipairs(lists) do
    for _, line in ipairs(lines) do
      local code = line:gsub("/%*.*", "")
      if code:find("?", 1, true) or code:find "%(double%)" then return "cases" end
      for f in code:gmatch "([%a_][%w_]*)%(" do if not (LIBM[f] or WORD[f]) then return "calls" end end
    end
  end
end

-- the same places of one lane in a pack and in a state
local function moved(values, out)
  local function each(member, count, kind)
    local cast = kind == "set" and "%s[l] = %s ? -1 : 0;" or "%s[l] = %s;"
    local back = kind == "set" and "%s = %s[l] != 0;" or "%s = %s[l];"
    local index = count and "[j]" or ""
    local into, from = "s->" .. member .. index, member .. index
    for _, side in ipairs { { out.put, cast:format(into, "from->" .. from) }, { out.get, back:format("into->" .. from, into) } } do
      local lines = side[1]
      if count then table.move({ ("for (int j = 0; j < %d; ++j) {"):format(count), side[2], "}" }, 1, 3, #lines + 1, lines)
      else lines[#lines + 1] = side[2] end
    end
  end
  local function constant(member, ...)
    local n = #out.get
    each("derived." .. member, ...)
    for i = #out.get, n + 1, -1 do out.get[i] = nil end -- set_params makes them again
  end
  for _, line in ipairs(values.form.derived) do constant(line:match "^double ([%w_]+);") end
  if values.NR > 0 then
    constant("e", values.NR)
    if values.NT > 0 then constant("frictional", nil, "set") end
    if values.form.delassus_constant then
      for _, name in ipairs { "Y", "W" } do
        local columns = name == "Y" and values.NV or values.NR
        table.move({ ("for (int j = 0; j < %d; ++j) {"):format(values.NR), ("for (int k = 0; k < %d; ++k) {"):format(columns),
          ("s->derived.%s[j][k][l] = from->derived.%s[j][k];"):format(name, name), "}", "}" }, 1, 5, #out.put + 1, out.put)
      end
    end
    for _, m in ipairs(out.memory) do each(m.member, m.count, m.kind) end
  end
  if values.strikes then each("fresh", nil, "set") end
  if values.NU > 0 then each("input", values.NU) end
end

-- the lines of a step
local function step_of(made, X)
  local declarations = {}
  for i, line in ipairs(made.declarations) do
    declarations[i] = line:find "^const double" and line
      or (line:gsub("^double ", "carom_lanes "):gsub("^bool ", "carom_mask "):gsub(X .. "_config", X .. "_pack_config"))
  end
  return { step = lines_of(made.step, X), accept = lines_of(made.accept, X), declarations = declarations, ends = made.ends,
    total = made.total, open = made.open }
end

--- Makes the lines of a unit: values.batch.
function M.prepare(values, unit)
  local plan, form = values.steps_of, values.form
  local always = form.with_tangents -- lanes do not ask
  if always then
    form = setmetatable({ configure = always.config, rates = always.rates, bias = always.bias or form.bias, rows_product = always.product },
      { __index = form })
  end
  local operators = { form.configure, form.forces, form.rates, form.bias, form.solve, form.rows_product }
  for _, row in ipairs(form.rows or {}) do operators[#operators + 1] = row.lines end
  local straight = not values.looped
  local why = unit.lanes { tables = values.looped, turns = values.NB > 0, equalities = values.NE > 0,
    laws = values.rebound or values.scaled or values.bonds or values.adheres or values.own or values.breaks or values.rides or values.feels,
    adaptive = unit.spec.adaptive == "on", plan = straight and lanes.refusal(plan), text = straight and unfit(operators) }
  if why then
    error({ carom = true, file = unit.model.file, message = ("--target batch, scheme '%s': %s"):format(unit.scheme, why) }, 0)
  end
  local X = unit.name
  local made, evaluations = lanes.lines(plan, values.size)
  local batch = step_of(made, X)
  batch.evaluations, batch.rows, batch.put, batch.get, batch.memory = evaluations, {}, {}, {}, {}
  batch.flight = made.flight and step_of(made.flight, X)
  for _, key in ipairs { "derived", "fields", "configure", "forces", "rates", "bias", "solve", "rows_product" } do
    batch[key] = lines_of(form[key], X)
  end
  batch.timed = not table.concat(form.configure, "\n"):find("(void)t;", 1, true)
  for k, row in ipairs(form.rows or {}) do batch.rows[k] = { name = row.name, lines = lines_of(row.lines, X) } end
  for _, m in ipairs(values.NR > 0 and plan.memory or {}) do
    if m.name == "press" then batch.memory[#batch.memory + 1] = { member = "pressing", kind = "set", count = values.NG } end
    if m.name == "force" and values.keeps_force then
      batch.memory[#batch.memory + 1] = { member = "force", kind = "rows", count = values.NR }
    end
  end
  moved(values, batch)
  values.batch = batch
end

--- Adds the files. render(name): text of a template.
function M.add(files, sources, values, unit, render)
  local X = unit.name
  values.batch_step = select(2, render "batch_step.c.in")
  local text = indent.c((render "batch.c.in"))
  files[#files + 1] = { name = X .. "_batch.h", text = indent.c((render "batch.h.in")) }
  files[#files + 1] = { name = X .. "_batch.c", text = prune.statics(text, algorithms.called(text, unit.read, X)) }
  sources[#sources + 1] = X .. "_batch.c"
end

return M
