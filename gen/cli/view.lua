-- carom view: the report of a run that is there, made again and opened. And the same for carom run, which tells it here.

local args = require "gen.util.args"
local catalogue = require "gen.scheme.catalogue"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local model = require "gen.cli.model"
local rows = require "gen.report.rows"
local sha256 = require "gen.util.sha256"

local view = {
  name = "view",
  usage = "carom view RESULT [--no-open]",
  summary = "make the report of a run again and open it",
  text = [[
RESULT is the output folder of a run (out/MODEL), or the name of a model whose results are in out/. The report is the file
report.html there, one page that needs nothing else: the mechanism in motion (a mesh in colours of its strain), contacts
with their impulses and friction cones (of a pile the strongest of each instant), plots, events, what the scheme promises against
what happened. carom run writes it, too, unless told --no-report; it is made here anew from result.csv (or .npy), from run.json
and from the model file, so that a model that has changed since gives other pictures.

The page opens in the browser of the desktop where there is one.]],
  options = { { "--no-open", text = "only write it, and say where it is" } },
}

-- What the scheme declares; order: of the smooth motion, where it is known.
local function promises(scheme, order)
  local f = catalogue.family((scheme or ""):match "^[^:]+")
  if not f then return nil end
  local smooth, rest, impacts = f.smooth, f.rest, f.impacts
  if order then
    local o = catalogue.orders(catalogue.parse(scheme), order)
    smooth, rest, impacts = ("%d"):format(o.smooth), o.contact and ("%d"):format(o.contact) or rest,
      o.impacts and ("%d"):format(o.impacts) or impacts
  end
  return { { "order promised in smooth motion", smooth }, { "... in contact at rest", rest }, { "... through impacts", impacts } }
end

--- Writes run.json and report.html; a report that cannot be made is a warning. run: as gen/report/page.lua wants it, and `operand`,
--- `constants` (name -> value).
function view.write(run, out, quiet)
  local set = {}
  for i, s in ipairs(run.set) do set[i] = { s.name, s.value } end
  for name, x in pairs(run.constants or {}) do set[#set + 1] = { name, x } end
  table.sort(set, function(a, b) return a[1] < b[1] end)
  local kept = json.object { { "model", run.operand }, { "scheme", run.scheme }, { "step", run.step }, { "until", run["until"] },
    { "set", json.object(set) }, { "status", run.status }, { "command", run.command }, { "order", run.order } }
  run.promises = promises(run.scheme, run.order)
  local good, text, why = pcall(require("gen.report.page").make, run)
  if not good then text, why = nil, type(text) == "table" and text.message or tostring(text) end
  if text then good, why = fs.write(out .. "/run.json", json.write(kept)) end
  if text and good then good, why = fs.write(out .. "/report.html", text) end
  if text and good and run.watched then good, why = fs.write(out .. "/stamp.js", ("carom.stamp(%q);\n"):format(sha256(text))) end
  if (not text or not good) and not quiet then io.stderr:write("carom: warning: there is no report: ", why or "?", "\n") end
  return text and good
end

--- At how many instants the places of the bodies of a pile are kept.
function view.frames(bodies) return math.max(24, math.min(240, 9000 // bodies)) end

local function open(path)
  local display = os.getenv "DISPLAY" or os.getenv "WAYLAND_DISPLAY"
  if not display or fs.run("command -v xdg-open >/dev/null 2>&1") ~= 0 then return end
  fs.run("xdg-open " .. fs.quote(path) .. " >/dev/null 2>&1 </dev/null &")
end

--- The folder of a run by its name or that of its model, and what run.json says of it.
function view.find(operand)
  local folder = operand:gsub("(.)/+$", "%1"):gsub("/result%.csv$", ""):gsub("/result%.npy$", "")
  if not fs.is_dir(folder) and fs.is_dir("out/" .. folder) then folder = "out/" .. folder end
  local text = fs.read(folder .. "/run.json")
  if not text then
    errors.environment("%s holds no run (run.json is not there); write carom run MODEL first", folder)
  end
  local kept = json.read(text)
  if not kept or type(kept.model) ~= "string" then errors.environment("%s/run.json cannot be read; write carom run again", folder) end
  return folder, kept
end

--- The model of a run, with the values that it had, and those of parameters.
function view.load(kept)
  local words, names = {}, {}
  for name in pairs(kept.set or {}) do names[#names + 1] = name end
  table.sort(names)
  for i, name in ipairs(names) do words[i] = ("%s=%.17g"):format(name, kept.set[name]) end
  return model.load(kept.model, words)
end

--- How Chromium is called here; nil where there is none.
function view.chromium()
  for _, name in ipairs { "chromium", "chromium-browser", "google-chrome" } do
    if fs.run("command -v " .. name .. " >/dev/null 2>&1") == 0 then return name end
  end
end

function view.run(options)
  local operand = options[1] or args.fail("carom view needs a RESULT: the output folder of a run, or the name of a model")
  if options[2] then args.fail("carom view takes one RESULT; '%s' is too much", options[2]) end
  local folder, kept = view.find(operand)
  local loaded, set = view.load(kept)
  local made = view.write({ model = loaded, operand = kept.model, result = rows.path(folder), scheme = kept.scheme, step = kept.step,
    ["until"] = kept["until"], set = set, constants = view.constants(loaded, kept.set), command = kept.command,
    status = kept.status, order = kept.order, summary = fs.read(folder .. "/report.txt") or "", source = loaded.file,
    eq = view.equations(loaded, kept.scheme) }, folder)
  if not made then return 3 end
  print(folder .. "/report.html")
  if not options.no_open then open(folder .. "/report.html") end
  return 0
end

--- The equations of an ordinary model; nil where they are not derived as a whole.
function view.equations(loaded, scheme)
  if loaded.among or #(loaded.meshes or {}) > 0 then return nil end
  local good, unit = pcall(model.pipeline().compile, loaded, { scheme = scheme })
  return good and unit.eq or nil
end

--- Which of these values (name -> number) are constants of the model.
function view.constants(loaded, given)
  local list = {}
  for _, c in ipairs(loaded.constants) do list[c.name] = given and given[c.name] end
  return list
end

return view
