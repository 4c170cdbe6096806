-- Small text helpers: the nearest known word to a mistyped one, filling of paragraphs, text of pages.

local text = {}

--- Text as HTML and XML need it.
function text.xml(plain)
  return (plain:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;" }))
end

--- Edit distance (insert, delete, replace, swap of neighbours), ignoring case.
function text.distance(a, b)
  a, b = a:lower(), b:lower()
  local rows = { [0] = {} }
  for j = 0, #b do rows[0][j] = j end
  for i = 1, #a do
    local row, above, two = { [0] = i }, rows[i - 1], rows[i - 2]
    for j = 1, #b do
      local same = a:byte(i) == b:byte(j)
      local best = math.min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (same and 0 or 1))
      if two and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        best = math.min(best, two[j - 2] + 1)
      end
      row[j] = best
    end
    rows[i] = row
  end
  return rows[#a][#b]
end

--- The known word nearest to `word`, or nil when none is near.
function text.nearest(word, known)
  local best, least = nil, math.max(1, #word // 2) + 1
  for _, candidate in ipairs(known) do
    local d = text.distance(word, candidate)
    if #word >= 2 and candidate:sub(1, #word) == word then d = math.min(d, 1) end
    if d < least then best, least = candidate, d end
  end
  return best
end

--- "; did you mean 'x'?" or "".
function text.hint(word, known)
  local near = text.nearest(word, known)
  return near and ("; did you mean '%s'?"):format(near) or ""
end

--- The words of `paragraph` in lines of at most `width` characters, each after `indent`.
function text.fill(paragraph, indent, width)
  local lines, line = {}, ""
  for word in paragraph:gmatch("%S+") do
    if line ~= "" and #indent + #line + 1 + #word > width then
      lines[#lines + 1] = indent .. line
      line = word
    else
      line = line == "" and word or line .. " " .. word
    end
  end
  if line ~= "" then lines[#lines + 1] = indent .. line end
  return table.concat(lines, "\n")
end

return text
