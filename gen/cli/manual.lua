-- The manual page and the completions of shells, made from the option tables of the commands.

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
    "      run:*|study:*|sweep:*|gen:*|check:*) words=$(\"${COMP_WORDS[0]}\" --no-install models 2>/dev/null | cut -d ' ' -f 1) ;;",
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

--- The same for zsh.
function manual.zsh()
  local lines = {
    "#compdef carom",
    "# zsh completion of carom; made by: carom help --completion zsh",
    "local -a list",
    "if (( CURRENT == 2 )); then",
    ("  list=(%s --help --version)"):format(table.concat(commands.names, " ")),
    "else",
    "  case ${words[2]} in",
  }
  for _, name in ipairs(commands.names) do lines[#lines + 1] = ("    %s) list=(%s) ;;"):format(name, option_words(commands.get(name))) end
  for _, line in ipairs {
    "  esac",
    "  case ${words[2]}:${words[CURRENT]} in",
    "    *:-*) ;;",
    "    run:*|study:*|sweep:*|gen:*|check:*) list=(${(f)\"$(${words[1]} --no-install models 2>/dev/null | cut -d ' ' -f 1)\"}); _files ;;",
    ("    help:*) list=(%s) ;;"):format(table.concat(commands.names, " ")),
    "    *) _files ;;",
    "  esac",
    "fi",
    "compadd -- $list",
  } do
    lines[#lines + 1] = line
  end
  return table.concat(lines, "\n") .. "\n"
end

--- The same for fish.
function manual.fish()
  local function quoted(text) return "'" .. text:gsub("[\\']", "\\%0") .. "'" end
  local lines = { "# fish completion of carom; made by: carom help --completion fish" }
  for _, name in ipairs(commands.names) do
    local command = commands.get(name)
    lines[#lines + 1] = ("complete -c carom -n __fish_use_subcommand -a %s -d %s"):format(name, quoted(command.summary))
    for _, option in ipairs(command.options) do
      lines[#lines + 1] = ("complete -c carom -n '__fish_seen_subcommand_from %s' -l %s%s%s -d %s"):format(name, option[1]:gsub("^%-+", ""),
        option.short and " -s " .. option.short:gsub("^%-", "") or "", option.value and " -r" or "", quoted(option.text))
    end
  end
  lines[#lines + 1] = "complete -c carom -n '__fish_seen_subcommand_from run study sweep gen check' -a "
    .. "'(carom --no-install models 2>/dev/null | cut -d \" \" -f 1)'"
  return table.concat(lines, "\n") .. "\n"
end

return manual
