-- The manual page and the bash completion, made from the option tables of the commands.

local args = require "gen.util.args"
local commands = require "gen.cli.commands"
local version = require "gen.version"

local manual = {}

local function troff(s)
  return (s:gsub("\\", "\\e"):gsub("%-", "\\-"):gsub("\n([.'])", "\n\\&%1"))
end

--- The manual page carom(1).
function manual.man()
  local page = {}
  local function add(...) page[#page + 1] = table.concat({ ... }) end
  add('.TH CAROM 1 "" "carom ', version, '"')
  add ".SH NAME\ncarom \\- generate and run integrators of nonsmooth mechanical systems"
  add ".SH SYNOPSIS"
  for _, name in ipairs(commands.names) do
    add(".B ", troff(commands.get(name).usage), "\n.br")
  end
  add ".SH COMMANDS"
  for _, name in ipairs(commands.names) do
    local command = commands.get(name)
    add(".SS carom ", name, "\n", troff(command.summary), ".\n.PP\n", (troff(command.text):gsub("\n\n", "\n.PP\n")))
    for _, option in ipairs(command.options) do
      add(".TP\n.B ", troff(args.spelling(option)), "\n", troff(option.text))
    end
  end
  add ".SH EXIT STATUS\n0 good; 1 the run failed; 2 wrong usage or model; 3 a compiler, package or file is missing;"
  add "128 + n when the run was stopped by signal n."
  add ".SH ENVIRONMENT\nCC, CAROM_CFLAGS, CAROM_CACHE, CAROM_NO_INSTALL."
  return table.concat(page, "\n") .. "\n"
end

local function option_words(command)
  local words = {}
  for _, option in ipairs(command.options) do words[#words + 1] = option[1] end
  return table.concat(words, " ")
end

--- A completion script for bash: commands, options, models.
function manual.bash()
  local lines = {
    "# bash completion of carom; made by: carom help --completion bash",
    "_carom() {",
    "  local word=${COMP_WORDS[COMP_CWORD]} words=''",
    "  if [ \"$COMP_CWORD\" -eq 1 ]; then",
    ("    words='%s --help --version'"):format(table.concat(commands.names, " ")),
    "  else",
    "    case ${COMP_WORDS[1]} in",
  }
  for _, name in ipairs(commands.names) do
    lines[#lines + 1] = ("      %s) words='%s' ;;"):format(name, option_words(commands.get(name)))
  end
  for _, line in ipairs {
    "    esac",
    "    case ${COMP_WORDS[1]}:$word in",
    "      *:-*) ;;",
    "      run:*|study:*|gen:*|check:*) words=$(\"${COMP_WORDS[0]}\" --no-install models 2>/dev/null | cut -d ' ' -f 1) ;;",
    ("      help:*) words='%s' ;;"):format(table.concat(commands.names, " ")),
    "    esac",
    "  fi",
    "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")",
    "}",
    "complete -o default -F _carom carom",
  } do
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n") .. "\n"
end

return manual
