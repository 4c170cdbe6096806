-- The results of a study as a text for people, as csv and as json.

local fit = require "gen.study.fit"
local json = require "gen.util.json"
local phase = require "gen.study.phase"

local T = {}

T.title = { l1 = "L1", l2 = "L2", sup = "sup", hausdorff = "Hausd.", dense = "dense" }

local function number(x)
  if not x or x ~= x then return "-" end
  return x == 0 and "0" or ("%.2e"):format(x)
end

local function slope(x) return x and ("%.2f"):format(x) or "-" end

local function counts(result)
  local list = {}
  for i, h in ipairs(result.steps) do
    local N = result.until_time / h
    list[i] = ("%.0f"):format(math.ceil(N - 1e-6))
  end
  return table.concat(list, ", ")
end

--- What is compared with what, in a few lines.
function T.heading(result)
  local lines = {}
  local set = {}
  for i, a in ipairs(result.assignments) do set[i] = a.name .. "=" .. a.text end
  lines[1] = ("%s%s until t = %.10g"):format(result.model, #set > 0 and " with " .. table.concat(set, " ") or "", result.until_time)
  lines[2] = "steps N = " .. counts(result)
  if result.events and #result.events > 0 then
    lines[2] = lines[2] .. ("; events are at least %.2f h away from every grid point"):format(result.distance)
  end
  lines[3] = "compared with " .. result.reference
  if result.trust then
    lines[4] = ("  which is trusted to %s in q, %s in v (L1): its difference to twice its step"):format(
      number(result.trust.q.l1), number(result.trust.v.l1))
    if not result.nested then lines[#lines + 1] = "  steps are not whole multiples of the last: only common times are compared" end
  end
  return lines
end

local function columns(result, norms)
  local list = {}
  for _, column in ipairs(result.columns) do
    for _, norm in ipairs(norms) do list[#list + 1] = { label = column.label, norm = norm } end
  end
  return list
end

local function value(run, column)
  local errors = run.errors and run.errors[column.label]
  return errors and errors[column.norm]
end

-- "1 through impacts", which is what applies, and the others in parentheses; all alike where that is not known
local function declared(entry, applies)
  local others = {}
  for _, name in ipairs { "smooth", "contact", "impacts" } do
    if name ~= applies then others[#others + 1] = ("%d %s"):format(entry.declared[name], phase.words[name]) end
  end
  local rest = table.concat(others, ", ")
  return applies and ("order %d %s (%s)"):format(entry.declared[applies], phase.words[applies], rest) or "order " .. rest
end

local function scheme_lines(result, entry, list, lines)
  lines[#lines + 1] = ""
  lines[#lines + 1] = ("%s: declared %s"):format(entry.label, declared(entry, result.phase))
  local head = { ("%8s %10s"):format("N", entry.tolerances and "tolerance" or "h") }
  for _, column in ipairs(list) do head[#head + 1] = ("%9s %5s"):format(column.label .. " " .. T.title[column.norm], "slope") end
  head[#head + 1] = ("%10s %9s"):format("evals", "cpu/s")
  lines[#lines + 1] = table.concat(head, " ")
  local before
  for _, run in ipairs(entry.rungs) do
    local cells = { ("%8.0f %10.4g"):format(run.steps or math.ceil(result.until_time / run.h - 1e-6), run.tolerance or run.h) }
    if run.failed then
      cells[2] = run.failed
    else
      for _, column in ipairs(list) do
        local e = value(run, column)
        cells[#cells + 1] = ("%9s %5s"):format(number(e),
          slope(before and fit.between(before.tolerance or before.h, value(before, column), run.tolerance or run.h, e)))
      end
      cells[#cells + 1] = ("%10.0f %9.2g"):format(run.evaluations, run.cpu)
    end
    lines[#lines + 1] = table.concat(cells, " ")
    before = run
  end
  local cells = { ("%19s"):format("fitted slope") }
  for _, column in ipairs(list) do
    local n = entry.fitted[column.label][column.norm]
    cells[#cells + 1] = ("%9s %5s"):format(("over %d"):format(n), slope(entry.fit[column.label][column.norm]))
  end
  lines[#lines + 1] = table.concat(cells, " ")
end

--- The tables of all schemes and the summary, as a text.
function T.people(result, norms)
  local lines, list = T.heading(result), columns(result, norms)
  for _, entry in ipairs(result.schemes) do scheme_lines(result, entry, list, lines) end
  lines[#lines + 1] = ""
  lines[#lines + 1] = ("%-34s %-24s %s"):format("fitted slopes", "declared", "measured")
  for _, entry in ipairs(result.schemes) do
    local cells = {}
    for i, column in ipairs(list) do
      cells[i] = ("%s %s %s"):format(column.label, T.title[column.norm], slope(entry.fit[column.label][column.norm]))
    end
    local applies = result.phase
    lines[#lines + 1] = ("%-34s %-24s %s"):format(entry.label, applies and ("%d %s"):format(entry.declared[applies], phase.words[applies])
      or ("%d, impacts %d"):format(entry.order, entry.declared.impacts), table.concat(cells, ", "))
  end
  return table.concat(lines, "\n") .. "\n"
end

local function cell(x)
  if type(x) == "string" then return '"' .. x:gsub('"', '""') .. '"' end
  return x and x == x and ("%.17g"):format(x) or ""
end

--- One row per run.
function T.csv(result, norms)
  local head, lines = { "scheme", "order", "N", "h", "tolerance" }, {}
  local list = columns(result, norms)
  for _, column in ipairs(list) do head[#head + 1] = column.label .. "_" .. column.norm end
  for _, name in ipairs { "evaluations", "events", "cpu_seconds", "failed" } do head[#head + 1] = name end
  lines[1] = table.concat(head, ",")
  for _, entry in ipairs(result.schemes) do
    for _, run in ipairs(entry.rungs) do
      local cells = { cell(entry.scheme), cell(entry.order), cell(run.steps), cell(run.h), cell(run.tolerance) }
      for _, column in ipairs(list) do cells[#cells + 1] = cell(value(run, column)) end
      table.move({ cell(run.evaluations), cell(run.events), cell(run.cpu), cell(run.failed or "") }, 1, 4, #cells + 1, cells)
      lines[#lines + 1] = table.concat(cells, ",")
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

-- { q = { l1 = x } } as an object in the order of labels and norms
local function nested(result, norms, get)
  local outer = {}
  for i, column in ipairs(result.columns) do
    local inner = {}
    for _, norm in ipairs(norms) do inner[#inner + 1] = { norm, get(column.label, norm) } end
    outer[i] = { column.label, json.object(inner) }
  end
  return json.object(outer)
end

--- The same as one JSON object; files is a list of { name, path }.
function T.json(result, norms, files)
  local schemes = {}
  for i, entry in ipairs(result.schemes) do
    local runs = {}
    for j, run in ipairs(entry.rungs) do
      runs[j] = json.object { { "h", run.h }, { "tolerance", run.tolerance }, { "steps", run.steps },
        { "errors", run.errors and nested(result, norms,
        function(label, norm) return value(run, { label = label, norm = norm }) end) }, { "evaluations", run.evaluations },
        { "events", run.events }, { "cpu_seconds", run.cpu }, { "failed", run.failed } }
    end
    schemes[i] = json.object { { "scheme", entry.scheme }, { "order", entry.order }, { "impacts", entry.impacts },
      { "declared", json.object { { "smooth", entry.declared.smooth }, { "contact", entry.declared.contact },
        { "impacts", entry.declared.impacts } } },
      { "slopes", nested(result, norms, function(label, norm) return entry.fit[label][norm] end) }, { "runs", runs } }
  end
  return json.write(json.object { { "model", result.model }, { "status", "ok" }, { "until", result.until_time },
    { "reference", result.reference }, { "phase", result.phase }, { "schemes", schemes }, { "files", json.object(files) } })
end

return T
