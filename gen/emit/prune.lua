-- Drops what a particular model and scheme do not use: static functions nobody calls, constants nobody reads. Templates list all
-- operators; what is emitted is what is needed, so that no compiler warns.
local P = {}

--- Top-level chunks of C: each ends with a line "}" or "};" or ";" in the first column, with the comment above it.
function P.chunks_of(text)
  local chunks, current = {}, {}
  local in_braces = false
  for line in text:gmatch("(.-)\n") do
    current[#current + 1] = line
    if line:find("^{") or line:find("{$") and not line:find("^%s") then in_braces = true end
    local ends = in_braces and line:find("^};?$")
      or not in_braces and (line:find("^[^%s/#*].*;") or line:find("^%s.*;$")) -- a table may stand below its name
    if ends then
      chunks[#chunks + 1] = current
      current, in_braces = {}, false
    end
  end
  chunks[#chunks + 1] = current
  return chunks
end

--- The name a chunk defines, if it is static (and so may go)
function P.static_name(chunk)
  for _, line in ipairs(chunk) do
    if line:find("^static ") then
      local head = line:gsub("/%*.-%*/", "")
      return head:match("^[^=]-([%w_]+)%s*=") or head:match("([%w_]+)%[[^=]*=") or head:match("([%w_]+)%[[%d%]%[]*$")
        or head:match("([%w_]+)%(")
    end
  end
end

-- how often each word stands in a chunk, added to `into` with a sign; lines of tables of numbers have none
local function count_words(chunk, into, sign)
  for _, line in ipairs(chunk) do
    if not line:find("^[%s%deE.,+-]*$") then
      for word in line:gmatch("[%a_][%w_]*") do into[word] = (into[word] or 0) + sign end
    end
  end
end

--- Removes unused static functions and constants from C text, until nothing more goes. called: set of names used elsewhere.
function P.statics(text, called)
  local chunks, uses = P.chunks_of(text), {}
  called = called or {}
  for _, chunk in ipairs(chunks) do count_words(chunk, uses, 1) end
  local changed = true
  while changed do
    changed = false
    local kept = {}
    for _, chunk in ipairs(chunks) do
      local name = P.static_name(chunk)
      if name and uses[name] == 1 and not called[name] then
        changed = true
        count_words(chunk, uses, -1)
        local head = {} -- #include lines above it stay
        for i = #chunk, 1, -1 do
          if chunk[i]:find("^#") then
            head = table.move(chunk, 1, i, 1, {})
            break
          end
        end
        count_words(head, uses, 1)
        if #head > 0 then kept[#kept + 1] = head end
      else
        kept[#kept + 1] = chunk
      end
    end
    chunks = kept
  end
  local lines = {}
  for _, chunk in ipairs(chunks) do for _, line in ipairs(chunk) do lines[#lines + 1] = line end end
  return table.concat(lines, "\n") .. "\n"
end

return P
