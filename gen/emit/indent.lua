-- Indents emitted C by its braces, so that templates need not care how deep an operation stands. Also squeezes blank lines.
local I = {}

local function code_of(line)
  return (line:gsub("/%*.-%*/", ""):gsub('"[^"]*"', '""'))
end

-- does this line of code go on in the next one?
local function goes_on(code)
  return not code:find("[;{}:]$") and not (code:find(",$") and code:find("^[{.\"]"))
    and not code:find("^[%deE%s.,+-]+$") -- a line of a table of numbers
end

function I.c(text)
  local out, depth, open_comment, continued = {}, 0, false, false
  for raw in text:gmatch("(.-)\n") do
    local line = raw:match("^%s*(.-)%s*$")
    if not open_comment and not continued and line ~= "" and not line:find("[^%deE%s.,+-]") then -- of a table of numbers
      out[#out + 1] = ("    "):rep(depth) .. line
    elseif open_comment then -- inside a comment of several lines
      out[#out + 1] = ("    "):rep(depth) .. (line:sub(1, 1) == "*" and " " or "") .. line
      open_comment = not line:find("*/", 1, true)
    elseif line == "" then
      local last = out[#out]
      if last and last ~= "" and not last:find("{$") then out[#out + 1] = "" end
    elseif line:sub(1, 1) == "#" then
      out[#out + 1] = line
    else
      open_comment = line:find("/*", 1, true) and not line:find("*/", 1, true)
      local code = code_of(line):gsub("/%*.*$", ""):match("^(.-)%s*$")
      local leading = code:match("^[}%s]*")
      if leading ~= "" and out[#out] == "" then out[#out] = nil end -- no blank line before a closing brace
      local level = math.max(0, depth - select(2, leading:gsub("}", "")))
      if continued and not code:find("^[{}]") then level = level + 1 end
      out[#out + 1] = ("    "):rep(level) .. line
      if not code:find('^extern') then -- extern "C" { is no block
        depth = math.max(0, depth + select(2, code:gsub("{", "")) - select(2, code:gsub("}", "")))
      end
      if code ~= "" then continued = goes_on(code) end
    end
  end
  return table.concat(out, "\n") .. "\n"
end

--- A comment, wrapped.
function I.comment(text, width)
  width = width or 104
  local lines, line = {}, "/*"
  for word in text:gmatch("%S+") do
    if #line + 1 + #word > width then
      lines[#lines + 1] = line
      line = " * " .. word
    else
      line = line .. " " .. word
    end
  end
  lines[#lines + 1] = line .. " */"
  return lines
end

return I
