-- carom docs: the documentation as a site.

local args = require "gen.util.args"
local commands = require "gen.cli.commands"
local fs = require "gen.util.fs"
local lang = require "gen.lang.core.load"
local model = require "gen.cli.model"
local version = require "gen.version"

local docs = {
  name = "docs",
  usage = "carom docs [--out DIR]",
  summary = "the documentation as a site of static pages",
  text = [[
Makes HTML of all that explains carom: the pages beside what they describe, every word, scheme and command, the headers of the runtime, the
tutorials, a gallery of the models. It opens without a network and has a search. A link that leads nowhere is an error.]],
  options = { { "--out", short = "-o", value = "DIR", text = "where to (default: out/docs)" } },
}

-- The models with their comments and pictures of their start.
local function models()
  local list, picture = {}, require "gen.report.picture"
  for _, name in ipairs(lang.known(fs.root)) do
    local path, source = lang.find(name, fs.root)
    local comment = source:match "^(%-%-.-)\n[^%-]" or ""
    local text = ("\n" .. comment):gsub("\n%-%- ?", "\n"):gsub("^\n", "")
    local good, loaded = pcall(model.load, name, {})
    local drawn = good and picture(loaded) or nil
    list[#list + 1] = { name = name, text = text, source = source, file = (path:gsub("^.*/(models/)", "%1")), picture = drawn }
  end
  return list
end

function docs.run(options)
  if options[1] then args.fail("carom docs takes no operand; '%s' is too much", options[1]) end
  local out, list = options.out or "out/docs", {}
  for i, name in ipairs(commands.names) do list[i] = commands.get(name) end
  local files = require("gen.site.site").make { root = fs.root, version = version, commands = list, models = models() }
  for _, file in ipairs(files) do
    fs.need(fs.mkdir(fs.parent(out .. "/" .. file.name)))
    fs.need(fs.write(out .. "/" .. file.name, file.text))
  end
  print(("%s/index.html: %d files"):format(out, #files))
  return 0
end

return docs
