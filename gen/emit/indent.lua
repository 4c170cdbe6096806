-- Lays out emitted C: indents it by its braces, so that templates need not care how deep an operation stands, breaks lines that
-- long names made too long, squeezes blank lines.
local I = { COLUMNS = 120 }

local function code_of(line)
  return (line:gsub("/%*.-%*/", ""):gsub('"[^"]*"', '""'))
end

-- does this line of code go on in the next one?
local function goes_on(code)
  return not code:find("[;{}:]$") and not (code:find(",$") and code:find("^[{.\"]"))
    and not code:find("^[%deE%s.,+-]+$") -- a line of a table of numbers
end

-- Where code that is too long goes on in the next line: behind the last comma or before the last operator that leaves room, in as few
-- brackets as can be, else behind a bracket; nil when it cannot be broken. Second: blanks left out there. Texts in quotes stay whole.
local function break_of(code, from, room)
  local depth, quoted, best, least, bracket = 0, false, nil, math.huge, nil
  local i = from
  while i <= math.min(#code, room) do
    local c = code:sub(i, i)
    if quoted then
      if c == "\\" then i = i + 1 elseif c == '"' then quoted = false end
    elseif c == '"' then quoted = true
    elseif c:find("[%(%[{]") then
      depth = depth + 1
      if c == "(" and not best and code:sub(i + 1, i + 1) ~= ")" then bracket = i end
    elseif c:find("[%)%]}]") then depth = depth - 1
    elseif c == " " and i > from and (code:sub(i - 1, i - 1) == "," or code:find("^ [&|+*/?:-]+ ", i) or code:find("^ [=<>]=? ", i))
      and depth <= least then
      best, least = i, depth
    end
    i = i + 1
  end
  return best or bracket and bracket + 1, best and 1 or 0
end

-- the words of a comment that is all of a text, or begins with it and goes on in the next line
local function remark_of(text) return text:find("^/%*") and (text:find("*/", 1, true) or #text) >= #text - 1 end

-- Adds a line of a comment; what is too much goes to lines of its own.
local function put_remark(out, indent, line)
  while #indent + #line > I.COLUMNS do
    local at = I.COLUMNS - #indent + 1
    while at > 4 and line:sub(at, at) ~= " " do at = at - 1 end
    if at <= 4 then break end
    if line:sub(at) == " */" then at = #line:sub(1, at - 1):match("^(.*) ") + 1 end -- not without company
    out[#out + 1] = indent .. line:sub(1, at - 1)
    line = " * " .. line:sub(at + 1)
  end
  out[#out + 1] = indent .. line
end

-- Adds a line at its indentation, in pieces where it is longer than COLUMNS.
local function put(out, indent, line)
  local code, remark = line:match("^(.-)%s*(/%*.*)$")
  if #indent + #line <= I.COLUMNS or line:find("^#") and not remark then
    out[#out + 1] = indent .. line
  elseif line:find("^/%* %-%-%-.*%-%-%- %*/$") then -- a rule across the page
    local rule = line:gsub("%-+ %*/$", "")
    out[#out + 1] = indent .. rule .. ("-"):rep(I.COLUMNS - #indent - #rule - 3) .. " */"
  elseif code == "" and remark_of(remark) then
    put_remark(out, indent, remark)
  elseif code and remark_of(remark) and #indent + #code + 1 + #remark <= I.COLUMNS then
    out[#out + 1] = indent .. code .. " " .. remark
  elseif code and remark_of(remark) and remark:find("%*/$") then -- what is said about it stands above it
    put_remark(out, indent, remark)
    put(out, indent, code)
  else
    local from, rest = 1, line
    while #indent + #rest > I.COLUMNS do
      local at, blank = break_of(rest, from, I.COLUMNS - #indent)
      if not at then break end
      out[#out + 1] = indent .. rest:sub(1, at - 1)
      rest, from = "    " .. rest:sub(at + blank), 5
    end
    out[#out + 1] = indent .. rest
  end
end

function I.c(text)
  local out, depth, open_comment, continued = {}, 0, false, false
  for raw in text:gmatch("(.-)\n") do
    local line = raw:match("^%s*(.-)%s*$")
    if not open_comment and not continued and line ~= "" and not line:find("[^%deE%s.,+-]") then -- of a table of numbers
      out[#out + 1] = ("    "):rep(depth) .. line
    elseif open_comment then -- inside a comment of several lines
      put_remark(out, ("    "):rep(depth), (line:sub(1, 1) == "*" and " " or "") .. line)
      open_comment = not line:find("*/", 1, true)
    elseif line == "" then
      local last = out[#out]
      if last and last ~= "" and not last:find("{$") then out[#out + 1] = "" end
    elseif line:sub(1, 1) == "#" then
      put(out, "", line)
    else
      open_comment = line:find("/*", 1, true) and not line:find("*/", 1, true)
      local code = code_of(line):gsub("/%*.*$", ""):match("^(.-)%s*$")
      local leading = code:match("^[}%s]*")
      if leading ~= "" and out[#out] == "" then out[#out] = nil end -- no blank line before a closing brace
      local level = math.max(0, depth - select(2, leading:gsub("}", "")))
      if continued and not code:find("^[{}]") then level = level + 1 end
      put(out, ("    "):rep(level), line)
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
