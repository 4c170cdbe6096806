-- Templates are C with two markers: a line starting with //@ is Lua (for, if, else, end), ${expr} is a value.
-- A value that is a list of lines fills whole lines, each at the indentation of its marker. Names are strict: an undefined
-- one is an error at the template's own line. There is no `pairs` in a template (its order would leak into the output).
local T = {}

local allowed = { ipairs = ipairs, tostring = tostring }

local function compile(text, chunkname)
  -- line n of the Lua made here is line n of the template, so that errors point to it
  local out = {}
  for line in (text .. "\n"):gmatch("(.-)\n") do
    local code = line:match("^%s*//@(.*)$")
    if code then
      out[#out + 1] = code
    else
      local whole = line:match("^%s*%${([^}]+)}$")
      if whole then
        out[#out + 1] = ("_whole(%s, %q)"):format(whole, line:match("^%s*"))
      else
        local parts, at = {}, 1
        while true do
          local from, to, expr = line:find("%${([^}]+)}", at)
          if not from then break end
          if from > at then parts[#parts + 1] = ("%q"):format(line:sub(at, from - 1)) end
          parts[#parts + 1] = ("_value(%s)"):format(expr)
          at = to + 1
        end
        parts[#parts + 1] = ("%q"):format(line:sub(at))
        out[#out + 1] = "_line(" .. table.concat(parts, "..") .. ")"
      end
    end
  end
  if out[#out] == '_line("")' then out[#out] = "" end -- the file's last newline
  return table.concat(out, "\n"), "@" .. chunkname
end

--- Renders a template text with the given values. `name` is how the template is called in errors.
function T.render(text, name, values)
  local lines = {}
  local env = setmetatable({
    _line = function(s) lines[#lines + 1] = s end,
    _value = function(x)
      if type(x) == "number" and math.type(x) == "float" then error("a number must be printed by emit, got " .. x, 2) end
      if x == nil or type(x) == "table" or type(x) == "boolean" then error("value is a " .. type(x), 2) end
      return tostring(x)
    end,
    _whole = function(x, indent)
      if type(x) ~= "table" then
        if x == nil then error("value is nil", 2) end
        lines[#lines + 1] = indent .. tostring(x)
        return
      end
      for _, s in ipairs(x) do lines[#lines + 1] = s == "" and "" or indent .. s end
    end,
  }, {
    __index = function(_, key)
      local value = values[key]
      if value == nil then value = allowed[key] end
      if value == nil then error("undefined name '" .. tostring(key) .. "'", 2) end
      return value
    end,
    __newindex = function(_, key) error("a template does not assign ('" .. tostring(key) .. "')", 2) end,
  })
  local source, chunkname = compile(text, name)
  local chunk, why = load(source, chunkname, "t", env)
  if not chunk then error(why, 0) end
  chunk()
  return table.concat(lines, "\n") .. "\n", lines
end

return T
