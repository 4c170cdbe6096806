-- The report of a run: one page of HTML that needs nothing else (templates/report holds its parts).
local base64 = require "gen.report.base64"
local escaped = require("gen.util.text").xml
local equations = require "gen.report.equations"
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

-- What each column is: group, unit and the contact or constraint it speaks of.
local function kinds(model)
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
  return function(name)
    if name == "t" then return "time", "s" end
    local known = by[name]
    if known then return known[1], known[2] end
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
  local kind, list = kinds(model), {}
  for k, name in ipairs(result.names) do
    local group, unit, of = kind(name)
    local c = constant(result.columns[k])
    list[k] = json.object { { "name", name }, { "group", group }, { "unit", unit }, { "of", of }, { "constant", k > 1 and c or nil },
      { "double", k == 1 and base64.numbers(result.columns[k], "<d") or nil },
      { "float", k > 1 and not c and base64.numbers(result.columns[k], "<f") or nil } }
  end
  return list
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
  "body", "turns", "tone", "columns", "rows", "spacing", "heights", "index", "offset", "contact" }

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

-- The places of the bodies of a pile at some instants, as the driver wrote them: whole numbers of two bytes, places between `low` and
-- `high`, quaternions between -1 and 1.
local function motion(path)
  local text = fs.read(path)
  local bodies, from = (text or ""):match "^carom motion of (%d+) bodies\n()"
  if not bodies then return nil end
  bodies = math.tointeger(bodies)
  local size, times, frames, low, high = 8 + 28 * bodies, {}, {}, math.huge, -math.huge
  for at = from, #text - size + 1, size do
    times[#times + 1] = string.unpack("=d", text, at)
    local list = {}
    for b = 0, bodies - 1 do
      for k, x in ipairs { string.unpack("=fffffff", text, at + 8 + 28 * b) } do
        if k <= 3 then low, high = math.min(low, x), math.max(high, x) end
        list[k < 8 and 7 * b + k or 0] = x
      end
    end
    frames[#frames + 1] = list
  end
  if #times == 0 or high - low >= math.huge or high ~= high then return nil end
  local parts, span = {}, math.max(high - low, 1e-300)
  for f, list in ipairs(frames) do
    local words = {}
    for i = 1, 7 * bodies do
      local x = list[i]
      local share = (i - 1) % 7 < 3 and (x - low) / span or (math.max(-1, math.min(1, x)) + 1) / 2
      words[i] = ("<I2"):pack(math.floor(65535 * share + 0.5))
    end
    parts[f] = table.concat(words)
  end
  return json.object { { "bodies", bodies }, { "t", times }, { "low", low }, { "high", high },
    { "data", base64.encode(table.concat(parts)) } }
end

--- The text of the page. run: model (as loaded), result (path of the csv), scheme, step, until, set (assignments), command, summary,
--- status ("ok" or what went wrong), source (the model file), eq (the equations of motion, where they were
--- derived), watched (the page looks for a newer one).
function P.make(run)
  local model = run.model
  local result, why = rows.read(run.result)
  if not result then return nil, why end
  local env, place = values(model, run.set), {}
  for k, name in ipairs(result.names) do place[name] = ("c[%d]"):format(k - 1) end
  local listed = model.coordinates[1] and place[model.coordinates[1].name] ~= nil -- else its bodies are too many for columns
  local moved = model.among and not listed and motion((run.result:gsub("[^/]*$", "motion.bin"))) or nil
  local scene = scene_of(model, env, script.size, not listed)
  local function symbol(s)
    if s == model.time then return "t" end
    if env[s] then return ("%.17g"):format(env[s]) end
    return place[s.name]
  end
  local data = json.object { { "rows", result.rows }, { "columns", columns(result, model) },
    { "friction", cones(model, env) }, { "motion", moved },
    { "watched", run.watched and true or nil },
    { "scene", json.object { { "dimension", scene.dimension }, { "count", #scene.nodes }, { "up", scene.up }, { "length", "m" },
      { "items", items(scene.items) } } } }
  local names = { "data.js", "plots.js", scene.dimension == 3 and "space.js" or "plane.js", "report.js" }
  local code, vendor = {}, { part "vendor/uPlot.min.js" }
  for i, name in ipairs(names) do code[i] = part(name) end
  if scene.dimension == 3 then vendor[2] = part "vendor/three.min.js" end
  local shown = result.rows == result.total and ("all %d rows are shown"):format(result.total)
    or ("%d of %d rows are shown, among them those in which a contact changes"):format(result.rows, result.total)
  local fields = {
    TITLE = escaped(model.name), VERSION = escaped(version), STYLE = part "vendor/uPlot.min.css" .. part "report.css",
    ABOUT = escaped(("%s, step %s, until t = %s"):format(run.scheme, run.step, run["until"])),
    STATUS = escaped(run.status == "ok" and "good" or run.status), STATUS_CLASS = run.status == "ok" and "good" or "bad",
    SUMMARY = escaped(run.summary), COMMAND = escaped(run.command), EQUATIONS = equations.page(run.eq), SOURCE = escaped(run.source),
    ROWS = shown, VENDOR = table.concat(vendor, "\n"), DATA = json.write(data):gsub("</", "<\\/"),
    POSE = table.concat(script.lines(scene.nodes, symbol), "\n"), SCRIPT = table.concat(code, "\n"),
  }
  return (part "report.html.in":gsub("@([A-Z_]+)@", function(key) return fields[key] end))
end

return P
