-- The report of a run: one page of HTML that needs nothing else (templates/report holds its parts).
local E = require "gen.expr.node"
local base64 = require "gen.report.base64"
local escaped = require("gen.util.text").xml
local energy_of = require "gen.report.energy"
local momentum_of = require "gen.report.momentum"
local equations = require "gen.report.equations"
local film = require "gen.report.film"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local rows = require "gen.report.rows"
local scene_of = require "gen.report.scene"
local script = require "gen.report.script"
local version = require "gen.version"

local P = {}

local function part(name)
  local text, why = fs.read(fs.root .. "/templates/report/" .. name)
  if not text then error({ environment = true, message = "carom is not complete: " .. why }, 0) end
  return text
end

--- What each column is: a function of its name that gives group, unit and the contact or constraint it speaks of.
function P.kinds(model)
  local by = {}
  local function per_second(unit) return unit and unit ~= "" and (unit == "1" and "1/s" or unit .. "/s") or nil end
  for _, c in ipairs(model.coordinates) do
    by[c.name] = { "q", c.unit }
    by[c.name .. ".dot"] = { "v", per_second(c.unit) }
  end
  for _, r in ipairs(model.rotations or {}) do
    for _, s in ipairs(r.q) do by[s.name] = { "q", "1" } end
    for _, s in ipairs(r.v) do by[s.name] = { "v", "rad/s" } end
  end
  for _, o in ipairs(model.outputs or {}) do by[o.name] = { o.name:lower():find "energy" and "energy" or "output", o.unit } end
  for _, p in ipairs(model.probes or {}) do
    for _, axis in ipairs { "x", "y", "z" } do
      by[p.name .. "." .. axis], by[p.name .. "." .. axis .. ".dot"] = { "q", "m" }, { "v", "m/s" }
    end
  end
  if #(model.meshes or {}) > 0 then by.kinetic, by.elastic, by.energy = { "energy", "J" }, { "energy", "J" }, { "energy", "J" } end
  return function(name)
    if name == "t" then return "time", "s" end
    local known = by[name]
    if known then return known[1], known[2] end
    if name:find "%.force%.[xyz]$" then return "force", "N" end
    local of, what = name:match "^(.*)%.([%a]+)[_%d]*$"
    if what == "gap" or what == "status" or what == "force" then return what, ({ gap = "m", force = "N" })[what], of end
    if what == "impulse" or what == "friction" then return what, "N s", of end
    if name == "contacts.deepest" then return "gap", "m" end
    return name:lower():find "energy" and "energy" or "output"
  end
end

local function constant(list)
  for i = 2, #list do if list[i] ~= list[1] then return nil end end
  return list[1] == list[1] and math.abs(list[1]) < math.huge and list[1] or nil
end

local function columns(result, model)
  local kind, list = P.kinds(model), {}
  for k, name in ipairs(result.names) do
    local group, unit, of = kind(name)
    local c = constant(result.columns[k])
    list[k] = json.object { { "name", name }, { "group", group }, { "unit", unit }, { "of", of }, { "constant", k > 1 and c or nil },
      { "double", k == 1 and base64.numbers(result.columns[k], "<d") or nil },
      { "float", k > 1 and not c and base64.numbers(result.columns[k], "<f") or nil } }
  end
  return list
end

-- Of very many columns: those that the picture is made of, and a few of each kind, those of contacts that have pressed before others.
-- last: the numbers of the last row. nil: all.
local WIDE, EACH = 600, 40
local function wanted(names, kind, drawn, last)
  if #names <= WIDE then return nil end
  local used, pressed, count = {}, {}, {}
  for _, node in ipairs(drawn) do for _, s in ipairs(E.symbols(node)) do used[s.name] = true end end
  for k, name in ipairs(names) do
    local group, _, of = kind(name)
    if group == "impulse" and (last[k] or 0) ~= 0 then pressed[of] = true end
  end
  for _, first in ipairs { true, false } do
    for _, name in ipairs(names) do
      local group, _, of = kind(name)
      if (pressed[of] or false) == first and (count[group] or 0) < EACH then
        used[name], count[group] = true, (count[group] or 0) + 1
      end
    end
  end
  return function(name) return used[name] end
end

-- Numbers of parameters and inputs by symbol, with what --set says.
local function values(model, set)
  local env, given = {}, {}
  for _, s in ipairs(set) do given[s.name] = s.value end
  for _, list in ipairs { model.parameters, model.inputs } do
    for _, p in ipairs(list) do if p.sym then env[p.sym] = given[p.name] or p.value end end
  end
  return env
end

local ITEM = { "kind", "name", "o", "points", "radius", "width", "height", "size", "length", "axis", "from", "to", "closed", "fixed",
  "body", "turns", "tone", "columns", "rows", "spacing", "heights", "corners", "triangles", "index", "offset", "contact", "normal" }

local function items(list)
  local out = {}
  for i, item in ipairs(list) do
    local pairs_list = {}
    for _, key in ipairs(ITEM) do
      if item[key] ~= nil and item[key] ~= false then pairs_list[#pairs_list + 1] = { key, item[key] } end
    end
    out[i] = json.object(pairs_list)
  end
  return out
end

-- friction coefficients that are known numbers
local function cones(model, env)
  local eval = require("gen.expr.eval").eval
  local list = {}
  for _, c in ipairs(model.contacts) do
    if c.friction then
      local good, x = pcall(eval, c.friction, env)
      if good then list[#list + 1] = { c.name, x } end
    end
  end
  return json.object(list)
end

-- Are all bodies of a pile spheres about their centres? However they turn, they look the same.
local function round(model)
  for _, s in ipairs(model.among and model.among.shapes or {}) do
    if s.body and s.kind ~= "sphere" then return false end
    for k = 1, s.body and 3 or 0 do if E.lift(s.at[k]) ~= E.zero then return false end end
  end
  return model.among ~= nil
end

local LISTED = 2000 -- events that a page has at most: the hardest

-- What contacts did as steps told it (events.csv): { time, contact, what, normal impulse, tangential } each, in order; nil where there
-- is no such file: then the page compares rows. And how many there were.
local function told(path)
  local file = io.open(path, "r")
  if not file then return nil end
  local list = {}
  for line in file:lines() do
    local t, contact, what, impulse, friction = line:match "^([^,]+),([^,]+),([^,]+),([^,]+),([^,]+),"
    if tonumber(t) then list[#list + 1] = { tonumber(t), contact, what, tonumber(impulse), tonumber(friction), #list } end
  end
  file:close()
  local happened = #list
  if happened > LISTED then
    table.sort(list, function(a, b) return a[4] ~= b[4] and a[4] > b[4] or a[4] == b[4] and a[6] < b[6] end)
    for k = #list, LISTED + 1, -1 do list[k] = nil end
    table.sort(list, function(a, b) return a[6] < b[6] end)
  end
  for _, e in ipairs(list) do e[6] = nil end
  return list, happened
end

--- The text of the page. run: model (as loaded), result (path of the csv), scheme, step, until, set (assignments), command, summary,
--- status ("ok" or what went wrong), source (the model file), eq (the equations of motion, where they were
--- derived), promises (pairs of texts: what the scheme declares), watched (the page looks for a newer one), about (a line
--- instead of scheme, step and end).
function P.make(run)
  local model = run.model
  local all, why = rows.names(run.result)
  if not all then return nil, why end
  local env, known = values(model, run.set), {}
  for _, name in ipairs(all) do known[name] = true end
  local listed = model.coordinates[1] and known[model.coordinates[1].name] ~= nil -- else its bodies are too many for columns
  local moved, skin, dimension
  if model.among or #(model.meshes or {}) > 0 then
    moved, skin, dimension = film.read((run.result:gsub("[^/]*$", "motion.bin")), round(model))
  end
  local scene = scene_of(model, env, script.size, not listed, skin and dimension)
  local result
  result, why = rows.read(run.result, wanted(all, P.kinds(model), scene.nodes, rows.last(run.result)))
  if not result then return nil, why end
  local place, whole = {}, #result.names == #all
  for k, name in ipairs(result.names) do place[name] = ("c[%d]"):format(k - 1) end
  local function symbol(s)
    if s == model.time then return "t" end
    if env[s] then return ("%.17g"):format(env[s]) end
    return place[s.name]
  end
  local energy = listed and whole and energy_of(model, script.size)
  local sums, balances = energy and table.move(energy, 1, 2, 1, {}) or {}, {}
  for i, b in ipairs(listed and whole and momentum_of(model, env) or {}) do
    sums[#sums + 1] = b.momentum
    balances[i] = json.object { { "axis", b.name }, { "force", b.force }, { "rows", b.rows } }
  end
  local heard, happened = told((run.result:gsub("[^/]*$", "events.csv")))
  local data = json.object { { "rows", result.rows }, { "columns", columns(result, model) },
    { "friction", cones(model, env) }, { "motion", moved }, { "skin", skin },
    { "events", heard }, { "happened", happened },
    { "partial", not whole or nil }, { "watched", run.watched and true or nil }, { "has_energy", energy and true or nil },
    { "momentum", #balances > 0 and balances or nil },
    { "promises", run.promises },
    { "scene", json.object { { "dimension", scene.dimension }, { "count", #scene.nodes }, { "up", scene.up }, { "length", "m" },
      { "items", items(scene.items) } } } }
  local names = { "data.js", "plots.js", "skin.js", scene.dimension == 3 and "space.js" or "plane.js", "report.js" }
  local code, vendor = {}, { part "vendor/uPlot.min.js" }
  for i, name in ipairs(names) do code[i] = part(name) end
  if scene.dimension == 3 then vendor[2] = part "vendor/three.min.js" end
  local shown = result.rows == result.total and ("all %d rows are shown"):format(result.total)
    or ("%d of %d rows are shown, among them those in which a contact changes"):format(result.rows, result.total)
  if not whole then
    shown = ("%s; %d of %d columns: what is drawn, and %d of each kind, of contacts that pressed first"):format(shown, #result.names, #all,
      EACH)
  end
  local fields = {
    TITLE = escaped(model.name), VERSION = escaped(version), STYLE = part "vendor/uPlot.min.css" .. part "report.css",
    ABOUT = escaped(run.about or ("%s, step %s, until t = %s"):format(run.scheme, run.step, run["until"])),
    STATUS = escaped(run.status == "ok" and "good" or run.status), STATUS_CLASS = run.status == "ok" and "good" or "bad",
    SUMMARY = escaped(run.summary), COMMAND = escaped(run.command), EQUATIONS = equations.page(run.eq), SOURCE = escaped(run.source),
    ROWS = shown, VENDOR = table.concat(vendor, "\n"), DATA = json.write(data):gsub("</", "<\\/"),
    POSE = table.concat(script.lines(scene.nodes, symbol), "\n"), ENERGY = table.concat(script.lines(sums, symbol), "\n"),
      SCRIPT = table.concat(code, "\n"),
  }
  return (part "report.html.in":gsub("@([A-Z_]+)@", function(key) return fields[key] end))
end

return P
