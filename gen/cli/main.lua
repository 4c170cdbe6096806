-- Entry of the command line: `lua5.4 <root>/gen/cli/main.lua WORDS...`, called by the launcher `carom`.
-- Finds the subcommand, parses its options, runs it, and turns every kind of error into a message and an exit code:
-- 0 good, 1 the run (or a test) failed, 2 wrong usage or model, 3 environment; 128 + n for a run stopped by signal n.

local root = arg[0]:match("^(.*)/gen/cli/main%.lua$") or "."
package.path = root .. "/?.lua;" .. package.path

local args = require "gen.util.args"
local commands = require "gen.cli.commands"
local errors = require "gen.cli.errors"
local text = require "gen.util.text"
local version = require "gen.version"

-- The subcommand and the words after it; `--help` and `--version` are understood everywhere.
local function choose(words)
  local first = words[1]
  if first == nil then
    return commands.get "help", {}, true
  elseif first == "--help" or first == "-h" then
    return commands.get "help", table.move(words, 2, #words, 1, {})
  elseif first == "--version" then
    return nil
  end
  local command = commands.get(first)
  if not command then
    local what = first:sub(1, 1) == "-" and "option" or "command"
    args.fail("unknown %s %s%s", what, first, text.hint(first, commands.names))
  end
  return command, table.move(words, 2, #words, 1, {})
end

local function main(words)
  local command, rest, bare = choose(words)
  if not command then
    print("carom " .. version)
    return 0
  end
  local options = args.parse(rest, command.options)
  if options.version then
    print("carom " .. version)
    return 0
  elseif options.help then
    return commands.get("help").run { command.name }
  end
  local code = command.run(options)
  return bare and 2 or code
end

local function wants_json(words)
  for _, word in ipairs(words) do
    if word == "--json" then return true end
    if word == "--" then break end
  end
  return false
end

local words = table.move(arg, 1, #arg, 1, {})
local good, result = xpcall(main, errors.with_trace, words)
if not good then result = errors.tell(result, wants_json(words)) end
os.exit(result, true)
