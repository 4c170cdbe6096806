-- Tables in pages that people write: a part between `<!-- NAME -->` and `<!-- end -->` is made by a program, a test compares.
local page = {}

--- The text with the part of this name replaced.
function page.put(text, name, content)
  local first, last = "<!-- " .. name .. " -->\n", "\n<!-- end -->"
  local _, start = text:find(first, 1, true)
  assert(start, "the page has no " .. first)
  local stop = assert(text:find(last, start, true), "no end after " .. first)
  return text:sub(1, start) .. content .. text:sub(stop)
end

--- Writes a file anew: change(text) gives the new one.
function page.renew(path, change)
  local file = assert(io.open(path, "rb"))
  local text = change(file:read("a"))
  file:close()
  file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
end

return page
