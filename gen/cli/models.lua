-- carom models: the models that come with carom, each with the first words of its comment.

local fs = require "gen.util.fs"
local lang = require "gen.lang.core.load"

local models = {
  name = "models",
  usage = "carom models",
  summary = "the models that come with carom",
  text = "Any of these names can stand for MODEL; so can the path of a model file of your own.",
  options = {},
}

--- List of { name =, text = } of the folders models/ and models/fem/.
function models.list()
  local result = {}
  for _, name in ipairs(lang.known(fs.root)) do
    local _, source = lang.find(name, fs.root)
    local first = source:match("^%-%-+%s*([^\n]*)")
    first = (first or ""):gsub("[.:] .*$", ""):gsub("[.:,]%s*$", "") -- up to where the details begin
    result[#result + 1] = { name = name, text = first }
  end
  return result
end

function models.run()
  for _, entry in ipairs(models.list()) do
    print((("%-22s %s"):format(entry.name, entry.text):gsub("%s+$", "")))
  end
  return 0
end

return models
