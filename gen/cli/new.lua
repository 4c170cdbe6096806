-- carom new: a model file to begin with.

local args = require "gen.util.args"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local names = require "gen.lang.core.names"
local text = require "gen.util.text"

local KINDS = { "mechanism", "pile", "mesh" }

local new = {
  name = "new",
  usage = "carom new NAME [--kind mechanism|pile|mesh]",
  summary = "write a commented model file to begin with",
  text = [[
Writes NAME.lua into the present folder: a small model that runs, with a comment at each part. mechanism: bodies on coordinates with a
contact; pile: many bodies whose contacts are found while running; mesh: an elastic body of finite elements on a floor.]],
  options = { { "--kind", value = "KIND", text = "mechanism (default), pile or mesh" } },
}

function new.run(options)
  local path = options[1] or args.fail("carom new needs a NAME for the model")
  if options[2] then args.fail("carom new takes one NAME; '%s' is too much", options[2]) end
  path = path:gsub("%.lua$", "") .. ".lua"
  local name, kind = path:match "([^/]*)%.lua$", options.kind or "mechanism"
  local why, instead = names.refusal(name)
  if why then args.fail("the name '%s' %s; %s", name, why, instead) end
  local template = fs.read(("%s/templates/new/%s.lua.in"):format(fs.root, kind))
  local known = false
  for _, k in ipairs(KINDS) do known = known or k == kind end
  if not known or not template then args.fail("--kind %s%s: write one of %s", kind, text.hint(kind, KINDS), table.concat(KINDS, ", ")) end
  if fs.exists(path) then args.fail("%s is there already; choose another name, or remove it", path) end
  local written, trouble = fs.write(path, (template:gsub("@NAME@", name)))
  if not written then errors.environment("cannot write %s: %s", path, trouble) end
  print(("%s: run it with carom run %s"):format(path, path))
  return 0
end

return new
