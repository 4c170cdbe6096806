-- carom help: texts for people, the man page and the shell completion, all from the same tables that parse the options.

local args = require "gen.util.args"
local commands = require "gen.cli.commands"
local manual = require "gen.cli.manual"
local model = require "gen.cli.model"
local text = require "gen.util.text"

local WIDTH = 96

local help = {
  name = "help",
  usage = "carom help [WORD] [--man] [--completion SHELL]",
  summary = "help about a command, a word of the modelling language or a scheme",
  text = [[
WORD is a command (run, gen, ...), a word of the modelling language (coordinate, contact, ...) or a scheme.

The words of the modelling language may be written as they are used, m:run.]],
  options = {
    { "--man", text = "print the manual page (troff)" },
    { "--completion", value = "SHELL", text = "print the completion script for bash, zsh or fish" },
  },
}

local function overview()
  print("carom: from the description of a nonsmooth mechanical system to its integrator in C\n")
  for _, name in ipairs(commands.names) do
    print(("  carom %-9s %s"):format(name, commands.get(name).summary))
  end
  print("  carom --version\n")
  print("carom help WORD tells more about a command, a word of the modelling language or a scheme.")
  print("Start: carom run bouncing_ball")
end

local function about_command(command)
  print(command.usage .. "\n\n" .. command.summary .. "\n")
  for _, option in ipairs(command.options) do
    local left = args.spelling(option)
    if #left > 22 then
      print("  " .. left)
      left = ""
    end
    print(("  %-22s %s"):format(left, (text.fill(option.text, (" "):rep(25), WIDTH):gsub("^%s+", ""))))
  end
  for paragraph in (command.text .. "\n\n"):gmatch("(.-)\n\n") do
    -- indented lines are a list and stay as they are
    print("\n" .. (paragraph:find("^\n?  ") and paragraph:gsub("^\n", "") or text.fill(paragraph, "", WIDTH)))
  end
  if require("gen.cli.word_page").page(command.name) then
    print(("\nThe word of the modelling language: carom help m:%s"):format(command.name))
  end
end

local function about_word(word)
  local page = require("gen.cli.word_page").page(word)
  if page then print(page) end
  return page ~= nil
end

local function about_scheme(word)
  local family = word:match("^[^:]+")
  for _, entry in ipairs(model.pipeline().catalogue()) do
    if entry.name == word or entry.name:match("^[^:]+") == family then
      print(entry.name .. "\n\n" .. (entry.text:gsub("%s+$", "")))
      return true
    end
  end
  return false
end

local function known_words()
  local known = table.move(commands.names, 1, #commands.names, 1, {})
  for _, name in ipairs(require("gen.cli.word_page").names()) do known[#known + 1] = name end
  for _, entry in ipairs(model.pipeline().catalogue()) do known[#known + 1] = entry.name end
  return known
end

function help.run(options)
  if options.man then
    io.stdout:write(manual.man())
  elseif options.completion then
    local shell = options.completion
    if shell ~= "bash" and shell ~= "zsh" and shell ~= "fish" then args.fail("--completion %s: write bash, zsh or fish", shell) end
    io.stdout:write(manual[shell]())
  elseif not options[1] then
    overview()
  elseif options[2] then
    args.fail("carom help takes one WORD; '%s' is too much", options[2])
  else
    local word = options[1]
    local command = commands.get(word)
    if command then
      about_command(command)
    elseif not about_word(word) and not about_scheme(word) then
      args.fail("nothing is known about '%s'%s", word, text.hint(word, known_words()))
    end
  end
  return 0
end

return help
