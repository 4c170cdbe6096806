-- Option parser of the command line. An option table, from which help, man page and completion are made as well, is a
-- list of { "--step", short = "-s", value = "H", text = "what it does", many = true }; without `value` it is a flag.

local near = require "gen.util.text"

local args = {}

--- Raised (as a table) for a wrong command line; the exit code is 2.
function args.fail(format, ...)
  error({ usage = true, message = format:format(...) }, 0)
end

-- The key under which an option's value is found: "--list-outputs" -> list_outputs.
local function key_of(option)
  return (option[1]:gsub("^%-+", ""):gsub("%-", "_"))
end

local function index_of(options)
  local by_name, names = {}, {}
  for _, option in ipairs(options) do
    by_name[option[1]], names[#names + 1] = option, option[1]
    if option.short then by_name[option.short] = option end
  end
  return by_name, names
end

--- An option as help shows it: "-o, --out DIR".
function args.spelling(option)
  return (option.short and option.short .. ", " or "") .. option[1] .. (option.value and " " .. option.value or "")
end

--- Parses `words`: options in any order, `--x=v` or `--x v`, `--` ends them, `-` is an operand.
--- Returns { operands... , key = value | true | list (for `many`), before = operands before `--`, where there is one }.
function args.parse(words, options)
  local by_name, names = index_of(options)
  local parsed, i = {}, 1
  while i <= #words do
    local word = words[i]
    if word == "--" then
      parsed.before = #parsed
      table.move(words, i + 1, #words, #parsed + 1, parsed)
      break
    elseif word:sub(1, 1) ~= "-" or word == "-" then
      parsed[#parsed + 1] = word
    else
      local name, value = word:match("^(%-%-[^=]+)=(.*)$")
      name = name or word
      local option = by_name[name]
      if not option then args.fail("unknown option %s%s", name, near.hint(name, names)) end
      if option.value and not value then
        i = i + 1
        value = words[i] or args.fail("%s needs a value: %s %s", name, name, option.value)
      elseif not option.value and value then
        args.fail("%s takes no value", name)
      end
      if value == "" then args.fail("%s needs a value, and an empty text is none: %s %s", name, name, option.value) end
      local key = key_of(option)
      if option.many then
        parsed[key] = parsed[key] or {}
        table.insert(parsed[key], value)
      else
        parsed[key] = value or true
      end
    end
    i = i + 1
  end
  return parsed
end

--- The number in `value`, which must be one to its last character; `what` names it in the message.
function args.number(value, what)
  local x = value:find("^%s*[+-]?%.?%d") and not value:find("[xX]") and tonumber(value)
  if not x or x ~= x or math.abs(x) == math.huge then args.fail("%s '%s' is not a finite number", what, value) end
  return x
end

--- name=value pairs of a repeated option, --set: a list of { name =, text =, value = number }; the last of equal names counts.
function args.assignments(list, option)
  option = option or "--set"
  local result = {}
  for _, text in ipairs(list or {}) do
    local name, value = text:match("^([%a_][%w_.]*)=(.*)$")
    if not name then args.fail("%s %s: write %s name=value", option, text, option) end
    result[#result + 1] = { name = name, text = value, value = args.number(value, option .. " " .. name .. ":") }
  end
  return result
end

return args
