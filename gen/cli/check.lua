-- carom check: everything that can be said about a model without running it.

local args = require "gen.util.args"
local errors = require "gen.cli.errors"
local film = require "gen.report.film"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "gen.cli.large"
local measure = require "gen.cli.measure"
local model = require "gen.cli.model"
local summary = require "gen.cli.summary"

local check = {
  name = "check",
  usage = "carom check MODEL [--scheme S] [--set NAME=VALUE]... [--draw] [--bounds] [--json]",
  summary = "sizes, sparsity, operation counts and warnings, without running",
  text = [[
Reads and derives the model as carom gen does, tells what would be generated and what can be foreseen: a step too long for the
frequencies at the start, contacts that start closed, constraints that say the same, quantities without a unit. Writes nothing, unless
told --draw: then out/MODEL/start.html shows the mechanism as it is at the start, meshes undeformed.]],
  options = {
    model.options.scheme,
    model.options.form,
    model.options.set,
    model.options.assemble,
    { "--draw", text = "write out/MODEL/start.html: the mechanism at t = 0, as in a report" },
    { "--bounds", text = "compile it and tell code, state and the most stack that a step needs (needs gcc)" },
    { "--json", text = "print one JSON object" },
  },
}

-- A result of one row, the start, and the page of it.
local function draw(loaded, unit, out)
  local meshes = loaded.meshes or {}
  local row = require "gen.report.start" (loaded)
  local skin = meshes[1] and film.start(meshes)
  if meshes[1] and not skin then
    args.fail("the meshes of %s have more nodes than --draw shows; write carom run %s", loaded.name, loaded.name)
  elseif not row and not skin then
    args.fail("%s has nothing that --draw could show without a run; write carom run %s", loaded.name, loaded.name)
  end
  local folder = fs.need(fs.temporary_dir())
  local result = folder .. "/start.csv"
  fs.need(fs.write(result, row or "t\n0\n"))
  if skin then fs.need(fs.write(folder .. "/motion.bin", skin)) end
  local lines = {}
  for i, line in ipairs(summary(unit)) do lines[i] = ("%-20s %s"):format(line.label, line.text) end
  local good, text, why = pcall(require("gen.report.page").make, { model = loaded, result = result, scheme = unit.scheme, step = "0",
    ["until"] = "0", set = {}, command = fs.command { "carom", table.unpack(arg) }, status = "ok", summary = table.concat(lines, "\n"),
    source = loaded.file, eq = unit.eq, about = "as it is at the start" })
  fs.remove_tree(folder)
  if not good then error(text, 0) end
  if not text then errors.environment("%s", why) end
  fs.need(fs.mkdir(out))
  fs.need(fs.write(out .. "/start.html", text))
  return out .. "/start.html"
end

function check.run(options)
  local loaded, rest = model.load(model.operand(options, "check"), options.set, options.assemble)
  model.only_constants(loaded, rest, "check")
  local unit = large.described(model.pipeline(), loaded, { scheme = options.scheme, form = options.form })
  local drawn = options.draw and draw(loaded, unit, "out/" .. loaded.name)
  local told = summary(unit)
  if options.bounds then
    if not unit.sources then args.fail("--bounds is for models that carom gen --target c writes; %s runs on PETSc", loaded.name) end
    told[#told + 1] = { label = "iterations", text = ("at most %d of the implicit equations of a step"):format(unit.spec.iterations or 1) }
    for _, row in ipairs(measure.rows(measure.unit(unit))) do told[#told + 1] = { label = row[1], text = (row[2]:gsub("`", "")) } end
  end
  if options.json then
    local lines = {}
    for i, line in ipairs(told) do
      lines[i] = json.object { { "label", line.label }, { "text", line.text } }
    end
    print(json.write(json.object {
      { "model", loaded.name }, { "scheme", unit.scheme }, { "status", "ok" }, { "summary", lines }, { "drawn", drawn or nil },
    }))
    return 0
  end
  for _, line in ipairs(told) do
    print(("%-20s %s"):format(line.label, line.text))
  end
  if drawn then print(("%-20s %s"):format("to look at", drawn)) end
  return 0
end

return check
