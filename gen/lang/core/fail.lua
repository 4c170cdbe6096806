-- The one way in which a model is refused: an error with the file and line of the model and a sentence for its author.
-- fail(where, format, ...) raises { carom = true, file =, line =, message = }; where = { file =, line = }.

local Failure = {}
Failure.__index = Failure

-- A model may put anything into a message (names, its own error texts): no control characters reach the terminal.
local function clean(text)
  text = string.gsub(text, "[%c]", "?")
  if #text > 600 then text = string.sub(text, 1, 597) .. "..." end
  return text
end

--- The line that is printed: `file:line: error: message`, without the line where there is none (a missing file).
function Failure.__tostring(e)
  local place = e.file or "?"
  if e.line then place = place .. ":" .. e.line end
  return place .. ": error: " .. e.message
end

local function raise(_, where, format, ...)
  where = where or {}
  local message, arguments = format, table.pack(...)
  if arguments.n > 0 then
    for i = 1, arguments.n do
      local a = arguments[i]
      if type(a) == "string" and #a > 600 then arguments[i] = string.sub(a, 1, 600) end
    end
    message = string.format(format, table.unpack(arguments, 1, arguments.n))
  end
  error(setmetatable({ carom = true, file = where.file, line = where.line, message = clean(message) }, Failure), 0)
end

-- Something is missing on this machine, which is no fault of the model.
local function missing(message) error(setmetatable({ environment = true, message = clean(message) }, Failure), 0) end

return setmetatable({
  missing = missing,
  --- Is this error one of ours? (A table that only looks like one, made by a model, is not.)
  is = function(e) return type(e) == "table" and getmetatable(e) == Failure end,
  text = tostring,
  clean = clean,
}, { __call = raise })
