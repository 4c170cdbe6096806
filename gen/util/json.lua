-- JSON: a writer that keeps the order it is given, and a small reader.
-- Lua tables have no order, so objects are written from lists of pairs: json.object { {"name", value}, ... }.

local json = {}

--- Stands for JSON null, in both directions.
json.null = setmetatable({}, { __tostring = function() return "null" end })

local object_meta = {}

--- An object from a list of {key, value} pairs, written in that order; pairs whose value is nil are left out.
function json.object(pairs_list)
  return setmetatable(pairs_list, object_meta)
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function write_string(s)
  return '"' .. s:gsub('[%c"\\]', function(c) return escapes[c] or ("\\u%04x"):format(c:byte()) end) .. '"'
end

local function write_number(x)
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x ~= x or x == math.huge or x == -math.huge then return "null" end
  local text = ("%.15g"):format(x)
  if tonumber(text) ~= x then text = ("%.17g"):format(x) end
  return text:find("[.e]") and text or text .. ".0"
end

--- The text of a value: strings, numbers, booleans, json.null, arrays, json.object lists.
function json.write(value)
  local kind = type(value)
  if kind == "string" then return write_string(value) end
  if kind == "number" then return write_number(value) end
  if kind == "boolean" then return tostring(value) end
  if value == json.null then return "null" end
  assert(kind == "table", "cannot be written as json: " .. kind)
  local parts = {}
  if getmetatable(value) == object_meta then
    for _, pair in ipairs(value) do
      if pair[2] ~= nil then parts[#parts + 1] = write_string(pair[1]) .. ":" .. json.write(pair[2]) end
    end
    return "{" .. table.concat(parts, ",") .. "}"
  end
  for i, item in ipairs(value) do parts[i] = json.write(item) end
  return "[" .. table.concat(parts, ",") .. "]"
end

-- Reader: each function takes the text and a position and returns a value and the position after it.
local read_value

local function bad(text, at, what)
  error(("json: %s at character %d, near %q"):format(what, at, text:sub(at, at + 12)), 0)
end

local function skip(text, at)
  return text:find("%S", at) or #text + 1
end

local plain = { b = "\b", f = "\f", n = "\n", r = "\r", t = "\t", ['"'] = '"', ["\\"] = "\\", ["/"] = "/" }

local function read_escape(text, at)
  local c = text:sub(at + 1, at + 1)
  if plain[c] then return plain[c], at + 2 end
  local hex = text:match("^u(%x%x%x%x)", at + 1)
  if not hex then bad(text, at, "unknown escape") end
  local code, next_at = tonumber(hex, 16), at + 6
  local low = code >= 0xd800 and code < 0xdc00 and text:match("^\\u([dD][c-fC-F]%x%x)", next_at)
  if low then
    code, next_at = 0x10000 + ((code - 0xd800) << 10) + tonumber(low, 16) - 0xdc00, next_at + 6
  end
  return utf8.char(code), next_at
end

local function read_string(text, at)
  local parts = {}
  at = at + 1
  while true do
    local stop = text:find('["\\]', at) or bad(text, at, "unfinished string")
    parts[#parts + 1] = text:sub(at, stop - 1)
    if text:sub(stop, stop) == '"' then return table.concat(parts), stop + 1 end
    parts[#parts + 1], at = read_escape(text, stop)
  end
end

-- The list of an array or object; `item` reads one entry and stores it.
local function read_list(text, at, close, item)
  local list = {}
  at = skip(text, at + 1)
  if text:sub(at, at) == close then return list, at + 1 end
  while true do
    at = skip(text, item(list, at))
    local c = text:sub(at, at)
    if c == close then return list, at + 1 end
    if c ~= "," then bad(text, at, "expected ',' or '" .. close .. "'") end
    at = skip(text, at + 1)
  end
end

local words = { { "true", true }, { "false", false }, { "null", json.null } }

function read_value(text, at)
  at = skip(text, at)
  local c = text:sub(at, at)
  if c == '"' then return read_string(text, at) end
  if c == "[" then
    return read_list(text, at, "]", function(list, start)
      local value, stop = read_value(text, start)
      list[#list + 1] = value
      return stop
    end)
  end
  if c == "{" then
    return read_list(text, at, "}", function(list, start)
      if text:sub(start, start) ~= '"' then bad(text, start, "expected a key") end
      local key, stop = read_string(text, start)
      stop = skip(text, stop)
      if text:sub(stop, stop) ~= ":" then bad(text, stop, "expected ':'") end
      list[key], stop = read_value(text, stop + 1)
      return stop
    end)
  end
  local number = text:match("^-?%d+%.?%d*[eE]?[+-]?%d*", at)
  if number and tonumber(number) then return tonumber(number), at + #number end
  for _, word in ipairs(words) do
    if text:sub(at, at + #word[1] - 1) == word[1] then return word[2], at + #word[1] end
  end
  return bad(text, at, "expected a value")
end

--- The value of a JSON text (objects and arrays become plain tables), or nil and a message.
function json.read(text)
  local good, value, at = pcall(read_value, text, 1)
  if not good then return nil, value end
  if skip(text, at) <= #text then return nil, "json: text after the value" end
  return value
end

return json
