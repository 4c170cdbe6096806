-- The subcommands in the order of the help text. A command is a table
--   { name, usage, summary (one line), text (paragraphs), options (see gen/util/args.lua), run }
-- where run(parsed options) returns the exit code; it is loaded only when it is used.

local commands = {}

commands.names = { "new", "import", "run", "view", "plot", "movie", "study", "sweep", "fit", "gen", "check", "schemes", "models",
  "solve", "docs", "bench", "test", "help" }

local common = {
  { "--help", short = "-h", text = "print this help" },
  { "--version", text = "print the version" },
}

local known = {}
for _, name in ipairs(commands.names) do known[name] = true end

--- The command of that name, its options completed by the common ones; nil when there is none.
function commands.get(name)
  if not known[name] then return nil end
  local command = require("gen.cli." .. name)
  if not command.complete then
    for _, option in ipairs(common) do table.insert(command.options, option) end
    command.complete = true
  end
  return command
end

return commands
