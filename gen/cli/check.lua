-- carom check: everything that can be said about a model without running it.

local json = require "gen.util.json"
local large = require "gen.cli.large"
local model = require "gen.cli.model"
local summary = require "gen.cli.summary"

local check = {
  name = "check",
  usage = "carom check MODEL [--scheme S] [--set NAME=VALUE]... [--json]",
  summary = "sizes, sparsity, operation counts and warnings, without running",
  text = "Reads and derives the model as carom gen does, and tells what would be generated. Writes nothing.",
  options = {
    model.options.scheme,
    model.options.form,
    model.options.set,
    model.options.assemble,
    { "--json", text = "print one JSON object" },
  },
}

function check.run(options)
  local loaded, rest = model.load(model.operand(options, "check"), options.set, options.assemble)
  model.only_constants(loaded, rest, "check")
  local unit = large.described(model.pipeline(), loaded, { scheme = options.scheme, form = options.form })
  if options.json then
    local lines = {}
    for i, line in ipairs(summary(unit)) do
      lines[i] = json.object { { "label", line.label }, { "text", line.text } }
    end
    print(json.write(json.object {
      { "model", loaded.name }, { "scheme", unit.scheme }, { "status", "ok" }, { "summary", lines },
    }))
    return 0
  end
  for _, line in ipairs(summary(unit)) do
    print(("%-20s %s"):format(line.label, line.text))
  end
  return 0
end

return check
