-- Markdown as HTML, as far as the pages of carom use it: headings, paragraphs, lists, tables, fenced and indented code, quotes; in lines
-- code,
-- strong, emphasis, links, pictures. link(target, line) gives the address of a link.
local escaped = require("gen.util.text").xml

local M = {}

--- The name of a heading in addresses, as GitHub makes it.
function M.anchor(text)
  local plain = text:gsub("%[([^%]]*)%]%([^)]*%)", "%1"):lower()
  return (plain:gsub("[^%w%s_%-\128-\255]", ""):gsub("%s", "-"))
end

local Page = {}
Page.__index = Page

-- In a line: code is taken out first, so that nothing inside it is read.
function Page:inline(text)
  local kept = {}
  local function keep(html)
    kept[#kept + 1] = html
    return ("\1%d\1"):format(#kept)
  end
  text = text:gsub("(`+)(.-)%1", function(_, code) return keep("<code>" .. escaped(code:gsub("^ (.*) $", "%1")) .. "</code>") end)
  text = text:gsub("!%[([^%]]*)%]%(([^)%s]+)%)", function(alt, target)
    return keep(('<img alt="%s" src="%s">'):format(escaped(alt), escaped(self.link(target, self.number, true))))
  end)
  text = escaped(text)
  text = text:gsub("%[([^%]]*)%]%(([^)%s]+)%)", function(words, target)
    return keep(('<a href="%s">'):format(escaped(self.link(target:gsub("&amp;", "&"), self.number)))) .. words .. keep "</a>"
  end)
  text = text:gsub("%*%*(%S.-)%*%*", "<strong>%1</strong>")
  text = text:gsub("%f[%w*]%*([%w][^*\n]-)%*%f[^%w*]", "<em>%1</em>")
  text = text:gsub("(https?://[%w%./%-_#%%~]+[%w/])", function(address) return keep(('<a href="%s">%s</a>'):format(address, address)) end)
  for _ = 1, 3 do text = text:gsub("\1(%d+)\1", function(k) return kept[tonumber(k)] end) end
  return text
end

local function cells(line)
  local list = {}
  local safe = line:gsub("\\|", "\2"):gsub("^%s*|", ""):gsub("|%s*$", "")
  for cell in (safe .. "|"):gmatch "(.-)|" do list[#list + 1] = (cell:gsub("\2", "|"):match "^%s*(.-)%s*$") end
  return list
end

function Page:table(lines, i)
  local function row(line, tag)
    local out = {}
    for k, cell in ipairs(cells(line)) do out[k] = ("<%s>%s</%s>"):format(tag, self:inline(cell), tag) end
    return "<tr>" .. table.concat(out) .. "</tr>"
  end
  self:put('<div class="wide"><table><thead>' .. row(lines[i], "th") .. "</thead><tbody>")
  i = i + 2
  while lines[i] and lines[i]:find "^%s*|" do
    self.number = i
    self:put(row(lines[i], "td"))
    i = i + 1
  end
  self:put "</tbody></table></div>"
  return i
end

function Page:put(html) self.out[#self.out + 1] = html end

local function item(line)
  local indent, mark, text = line:match "^(%s*)([%-*])%s+(.*)$"
  if not mark then indent, mark, text = line:match "^(%s*)(%d+)[.)]%s+(.*)$" end
  return mark and #indent, mark, text
end

-- A list from line i on, whose items have this indent; items may hold lists and go over several lines.
function Page:list(lines, i, indent)
  local _, mark = item(lines[i])
  local tag = mark:find "%d" and "ol" or "ul"
  self:put("<" .. tag .. ">")
  while lines[i] do
    local depth, _, text = item(lines[i])
    if not depth or depth < indent then break end
    self.number = i
    local parts = { text }
    i = i + 1
    while lines[i] and lines[i]:find "%S" and not item(lines[i]) and (lines[i]:find "^%s" or not lines[i]:find "^[#|`]") do
      parts[#parts + 1] = lines[i]:match "^%s*(.-)%s*$"
      i = i + 1
    end
    self:put("<li>" .. self:inline(table.concat(parts, " ")))
    local below = lines[i] and item(lines[i])
    if below and below > indent then i = self:list(lines, i, below) end
    self:put "</li>"
    if lines[i] and not lines[i]:find "%S" and lines[i + 1] and item(lines[i + 1]) == indent then i = i + 1 end
  end
  self:put("</" .. tag .. ">")
  return i
end

function Page:heading(level, text)
  local name = M.anchor(text)
  self.used[name] = (self.used[name] or -1) + 1
  if self.used[name] > 0 then name = name .. "-" .. self.used[name] end
  local plain = text:gsub("`", ""):gsub("%[([^%]]*)%]%([^)]*%)", "%1")
  table.insert(self.headings, { level = level, text = plain, anchor = name, at = #self.out + 1 })
  self:put(('<h%d id="%s">%s<a class="here" href="#%s" aria-label="link to this part">#</a></h%d>'):format(level, escaped(name),
    self:inline(text),
    escaped(name), level))
end

--- HTML and the list of headings { level, text, anchor, plain (the words below it) }.
function M.html(text, link)
  local self = setmetatable({ out = {}, headings = {}, used = {}, link = link }, Page)
  local lines, i = {}, 1
  for line in (text:gsub("\r", "") .. "\n"):gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  while lines[i] do
    local line = lines[i]
    self.number = i
    local fence, info = line:match "^%s*(```+)(.*)$"
    local marks, title = line:match "^(#+)%s+(.-)%s*#*$"
    if fence then
      local code = {}
      i = i + 1
      while lines[i] and not lines[i]:find("^%s*" .. fence) do
        code[#code + 1] = lines[i]
        i = i + 1
      end
      local kind, file = info:match "^(%w*)%s*(.-)%s*$"
      if file ~= "" then self:put('<p class="file">' .. escaped(file) .. "</p>") end
      self:put(('<pre class="%s"><code>%s</code></pre>'):format(kind, escaped(table.concat(code, "\n"))))
      i = i + 1
    elseif marks then
      self:heading(#marks, title)
      i = i + 1
    elseif line:find "^%s*|" and (lines[i + 1] or ""):find "^%s*|[%s:|%-]+|%s*$" then
      i = self:table(lines, i)
    elseif item(line) then
      i = self:list(lines, i, (item(line)))
    elseif line:find "^    %S" then
      local code = {}
      while lines[i] and (lines[i]:find "^    " or not lines[i]:find "%S" and (lines[i + 1] or ""):find "^    ") do
        code[#code + 1] = lines[i]:sub(5)
        i = i + 1
      end
      self:put("<pre><code>" .. escaped(table.concat(code, "\n")) .. "</code></pre>")
    elseif line:find "^<!%-%-" then
      while lines[i] and not lines[i]:find "%-%->" do i = i + 1 end
      i = i + 1
    elseif line:find "%S" then
      local words, quote = {}, line:find "^>" ~= nil
      while lines[i] and lines[i]:find "%S" and not lines[i]:find "^#+ " and not lines[i]:find "^%s*```" and not (lines[i]:find "^%s*|"
        and #words == 0)
        and not (item(lines[i]) and #words > 0) do
        words[#words + 1] = lines[i]:gsub("^>%s?", ""):match "^%s*(.-)%s*$"
        i = i + 1
      end
      self:put((quote and "<blockquote>%s</blockquote>" or "<p>%s</p>"):format(self:inline(table.concat(words, " "))))
    else
      i = i + 1
    end
  end
  for k, h in ipairs(self.headings) do
    local last = self.headings[k + 1] and self.headings[k + 1].at - 1 or #self.out
    h.plain = table.concat(self.out, " ", h.at + 1,
      last):gsub("<[^>]*>", " "):gsub("&lt;", "<"):gsub("&gt;", ">"):gsub("&quot;", '"'):gsub("&amp;", "&")
      :gsub("%s+", " ")
  end
  return table.concat(self.out, "\n"), self.headings
end

return M
