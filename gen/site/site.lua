-- The documentation as one site: pages of Markdown beside what they describe, commands, the C API, models with their pictures. Everything
-- is a
-- list of pages { address, title, group, source, html, headings }; links between files of the repository become links between pages.
local escaped = require("gen.util.text").xml
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local markdown = require "gen.site.markdown"

local S = {}
S.__index = S

local GROUPS = { "Start", "Tutorials", "Reference", "Models", "C API", "Inside" }

-- What is a page by itself: path, title, group.
local PAGES = {
  { "README.md", "carom", "Start" }, { "CHANGELOG.md", "Changes", "Start" },
  { "gen/lang/README.md", "Words of the language", "Reference" }, { "gen/scheme/README.md", "Schemes", "Reference" },
  { "gen/SUPPORT.md", "What goes with what", "Reference" }, { "tests/bench/README.md", "Measured", "Reference" },
  { "gen/scheme/THEORY.md", "Theory", "Reference" }, { "gen/study/README.md", "Studies of convergence", "Reference" },
  { "runtime/README.md", "The runtime", "C API" }, { "runtime/friction/README.md", "Friction solvers", "C API" },
  { "runtime/petsc/README.md", "Meshes on PETSc", "C API" }, { "runtime/driver/README.md", "The driver", "C API" },
  { "CONTRIBUTING.md", "Working on carom", "Inside" }, { "gen/plan/README.md", "Step plans", "Inside" },
  { "tests/random/README.md", "Random models", "Inside" }, { "tests/mutation/README.md", "Mutation", "Inside" },
  { "tests/fuzz/README.md", "Fuzzing", "Inside" }, { "templates/report/vendor/README.md", "Libraries in reports", "Inside" },
}

local function parent(path) return path:match "^(.*)/[^/]*$" or "" end

-- a path relative to a folder, without . and ..
local function joined(folder, path)
  local parts = {}
  for part in (path:sub(1, 1) == "/" and path or folder .. "/" .. path):gmatch "[^/]+" do
    if part == ".." then parts[#parts] = nil elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

local function address_of(path)
  if path == "README.md" then return "index.html" end
  return (path:gsub("/?README%.md$", ""):gsub("%.md$", "")) .. ".html"
end

-- "../" for each folder of an address
local function up(address) return (("../"):rep(select(2, address:gsub("/", "")))) end

function S:add(page)
  page.root = up(page.address)
  self.pages[#self.pages + 1], self.by[page.address] = page, page
  return page
end

local function refuse(source, line, format, ...)
  error({ carom = true, file = source, line = line, message = format:format(...) }, 0)
end

-- A file that is no page of its own is shown as it is.
function S:file(path)
  local address = "files/" .. path .. ".html"
  if not self.by[address] then
    local text = fs.read(self.root .. "/" .. path) or ""
    self:add { address = address, title = path, source = path, html = ("<h1>%s</h1>\n<pre><code>%s</code></pre>"):format(escaped(path),
      escaped(text)),
      headings = {} }
  end
  return address
end

-- A folder: its README, or the list of what is in it.
function S:folder(path)
  if path == "models" then return "models.html" end
  if fs.exists(self.root .. "/" .. path .. "/README.md") then return address_of(path .. "/README.md") end
  local address = "files/" .. path .. "/index.html"
  if not self.by[address] then
    local page = self:add { address = address, title = path, source = path, html = "", headings = {} }
    local lines = {}
    for i, name in ipairs(fs.list(self.root .. "/" .. path)) do
      lines[i] = ('<li><a href="%s%s">%s</a></li>'):format(page.root, self:target(path .. "/" .. name), escaped(name))
    end
    page.html = ("<h1>%s</h1>\n<ul>%s</ul>"):format(escaped(path), table.concat(lines, "\n"))
  end
  return address
end

--- The address of a file or folder of the repository; nil where there is none.
function S:target(path)
  if self.known[path] then return self.known[path] end
  local model = path:match "^models/(.*)%.lua$"
  if model and self.models[model:match "[^/]+$"] then return "models/" .. model:match "[^/]+$" .. ".html" end
  if fs.is_dir(self.root .. "/" .. path) then return self:folder(path) end
  if fs.exists(self.root .. "/" .. path) then return self:file(path) end
end

-- pictures are copied
function S:picture(path)
  local text = fs.read(self.root .. "/" .. path)
  if text then self.files["pictures/" .. path] = text end
  return text and "pictures/" .. path
end

function S:markdown(path, title, group)
  local source, address = fs.need(fs.read(self.root .. "/" .. path)), address_of(path)
  local page = self:add { address = address, title = title, group = group, source = path }
  self.later[#self.later + 1] = function()
    page.html, page.headings = markdown.html(source, function(target, line, picture)
      if target:find "^%a+:" then return target end
      local file, anchor = target:match "^([^#]*)(#?.*)$"
      if file == "" then
        table.insert(self.links, { page, page, anchor, path, line })
        return anchor
      end
      local full = joined(parent(path), file)
      local to = picture and self:picture(full) or not picture and self:target(full)
      if not to then refuse(path, line, "there is no %s, to which a link leads", full) end
      if anchor ~= "" then table.insert(self.links, { page, self.by[to], anchor, path, line }) end
      return page.root .. to .. anchor
    end)
  end
end

-- a page of parts: list of { heading, level, html }
function S:parts(address, title, group, source, parts)
  local page, html, headings = self:add { address = address, title = title, group = group, source = source }, {}, {}
  for _, p in ipairs(parts) do
    local name = markdown.anchor(p[1])
    headings[#headings + 1] = { level = p[2], text = p[1], anchor = name, plain = (p[3]:gsub("<[^>]*>", " "):gsub("%s+", " ")) }
    html[#html + 1] = ('<h%d id="%s">%s</h%d>\n%s'):format(p[2], escaped(name), escaped(p[1]), p[2], p[3])
  end
  page.html, page.headings = table.concat(html, "\n"), headings
  return page
end

-- public headers: the comment at the top, then the text
function S:headers()
  local names = fs.list(self.root .. "/runtime/include/carom")
  table.sort(names)
  local parts = { { "Headers", 1, "<p>Every public header of the runtime, as it is.</p>" } }
  for _, name in ipairs(names) do
    if name:find "%.h$" or name:find "%.hpp$" then
      local text = fs.need(fs.read(self.root .. "/runtime/include/carom/" .. name))
      local about = text:match "^/%*(.-)%*/" or ""
      local list = {}
      for word in text:gmatch "[\n ]%*?(carom_[%w_]+)%(" do if not list[word] then list[word], list[#list + 1] = true, word end end
      local functions = #list > 0 and "<p>Functions: <code>" .. table.concat(list, "</code>, <code>") .. "</code></p>" or ""
      parts[#parts + 1] = { "carom/" .. name, 2,
        ("<p>%s</p>%s<details><summary>the text</summary><pre><code>%s</code></pre></details>"):format(
        escaped((about:gsub("\n%s*%*", " "):gsub("%s+", " "))), functions, escaped(text)) }
    end
  end
  self:parts("headers.html", "Headers", "C API", "runtime/include/carom", parts)
end

--- What each status means, from the list in status.h.
function S:statuses()
  local text = fs.need(fs.read(self.root .. "/runtime/include/carom/status.h")):gsub("\\\n", "")
  local rows = {}
  for name, number, sentence in text:gmatch 'ENTRY%((CAROM_[%u_]+),%s*(%-?%d+),%s*(".-")%)%s' do
    sentence = sentence:gsub('"%s+"', ""):gsub('^"', ""):gsub('"$', "")
    rows[#rows + 1] = { name, 2, ("<p>Number %s: %s.</p>"):format(number, escaped(sentence)) }
  end
  table.insert(rows, 1, { "Statuses",
    1, "<p>What a step or an integrator can answer. Positive numbers: the state is unchanged, a smaller step may help; "
    .. "negative ones: it cannot be gone on with.</p>" })
  self:parts("statuses.html", "Statuses", "Reference", "runtime/include/carom/status.h", rows)
end

function S:commands(list)
  local parts = { { "Commands", 1, "<p>Every command of the program <code>carom</code>.</p>" } }
  for _, c in ipairs(list) do
    local options, text = {}, {}
    for i, o in ipairs(c.options) do
      options[i] = ("<tr><td><code>%s%s%s</code></td><td>%s</td></tr>"):format(o.short and o.short .. ", " or "", escaped(o[1]), o.value
        and " "
        .. escaped(o.value) or "", escaped(o.text))
    end
    for paragraph in (c.text .. "\n\n"):gmatch "(.-)\n\n+" do text[#text + 1] = "<p>" .. escaped(paragraph) .. "</p>" end
    parts[#parts + 1] = { "carom " .. c.name, 2, ("<p>%s.</p><pre><code>%s</code></pre>%s<table>%s</table>"):format(escaped(c.summary),
      escaped(c.usage),
      table.concat(text), table.concat(options)) }
  end
  self:parts("commands.html", "Commands", "Reference", "gen/cli", parts)
end

-- the first sentence of a comment, without what stands in brackets
local function sentence(text)
  local paragraph = (text .. "\n\n"):match "^(.-)\n%s*\n":gsub("%s+", " "):gsub(" ?%b()", "")
  return ((paragraph:match "^(.-%.) %u" or paragraph):gsub(":$", "."))
end

-- models: { name, text (of its comment), source, file, picture (SVG) or nil }
function S:gallery(models)
  local items = {}
  for i, m in ipairs(models) do
    local picture = m.picture and ('<img alt="%s" src="models/%s.svg" loading="lazy">'):format(escaped(m.name), m.name) or ""
    if m.picture then self.files["models/" .. m.name .. ".svg"] = m.picture end
    items[i] = ('<li>%s<a href="models/%s.html">%s</a><br>%s</li>'):format(picture, m.name, m.name, escaped(sentence(m.text)))
    local about = {}
    for paragraph in (m.text .. "\n\n"):gmatch "(.-)\n\n+" do about[#about + 1] = "<p>" .. escaped(paragraph) .. "</p>" end
    self:parts("models/" .. m.name .. ".html", m.name, nil, m.file, { { m.name, 1, (m.picture
      and ('<img alt="%s at its start" src="%s.svg">'):format(
      escaped(m.name), m.name) or "") .. table.concat(about)
        .. ("<pre><code>./carom run %s</code></pre><pre><code>%s</code></pre>"):format(m.name,
      escaped(m.source)) } })
  end
  self:parts("models.html", "Gallery", "Models", "models", { { "Models that come with carom", 1,
    "<p>Each runs with <code>./carom run NAME</code>; pictures show the start.</p><ul class=\"gallery\">" .. table.concat(items, "\n")
      .. "</ul>" } })
end

function S:navigation(page)
  local out = {}
  for _, group in ipairs(GROUPS) do
    local list = {}
    for _, p in ipairs(self.pages) do
      if p.group == group then
        list[#list + 1] = ('<li><a href="%s%s"%s>%s</a></li>'):format(page.root, p.address, p == page and ' aria-current="page"' or "",
          escaped(p.title))
      end
    end
    if #list > 0 then out[#out + 1] = ("<h2>%s</h2>\n<ul>%s</ul>"):format(group, table.concat(list, "\n")) end
  end
  return table.concat(out, "\n")
end

local function contents(page)
  local out = {}
  for _, h in ipairs(page.headings) do
    if h.level == 2 or h.level == 3 then
      out[#out + 1] = ('<li%s><a href="#%s">%s</a></li>'):format(h.level == 3 and ' class="deep"' or "", escaped(h.anchor), escaped(h.text))
    end
  end
  return #out > 0 and "<ul>" .. table.concat(out, "\n") .. "</ul>" or ""
end

-- links to parts of pages lead to headings that are there
function S:check()
  for _, l in ipairs(self.links) do
    local _, to, anchor, source, line = table.unpack(l)
    local there = false
    for _, h in ipairs(to and to.headings or {}) do there = there or "#" .. h.anchor == anchor end
    if not there then refuse(source, line, "there is no part %s in %s, to which a link leads", anchor, to and to.source or "?") end
  end
end

--- Files of the site: list of { name, text }. given: root (of the repository), version, commands (tables of gen/cli), models.
function S.make(given)
  local self = setmetatable({ root = given.root, pages = {}, by = {}, known = {}, later = {}, links = {}, files = {}, models = {} }, S)
  for _, m in ipairs(given.models) do self.models[m.name] = true end
  local list = table.move(PAGES, 1, #PAGES, 1, {})
  for _, name in ipairs(fs.list(self.root .. "/examples")) do
    local path = "examples/" .. name .. "/README.md"
    local text = fs.read(self.root .. "/" .. path)
    if text then list[#list + 1] = { path, text:match "^#%s+([^\n]+)" or name, "Tutorials" } end
  end
  for _, p in ipairs(list) do self.known[p[1]] = address_of(p[1]) end
  for _, p in ipairs(list) do self:markdown(p[1], p[2], p[3]) end
  self:commands(given.commands)
  self:statuses()
  self:gallery(given.models)
  self:headers()
  for _, make in ipairs(self.later) do make() end
  self:check()
  local template = fs.need(fs.read(self.root .. "/templates/site/page.html.in"))
  local files, index = {}, {}
  for _, page in ipairs(self.pages) do
    local fields = { VERSION = given.version, TITLE = escaped(page.title), ROOT = page.root, NAVIGATION = self:navigation(page),
      CONTENT = page.html,
      PARTS = contents(page), SOURCE = escaped(page.source) }
    files[#files + 1] = { name = page.address, text = (template:gsub("@([A-Z]+)@", fields)) }
    for _, h in ipairs(page.headings) do
      index[#index + 1] = { page.address .. "#" .. h.anchor, h.text, (h.plain or ""):sub(1, 900), page.title }
    end
  end
  for _, name in ipairs { "site.css", "site.js" } do files[#files + 1] = { name = name, text = fs.need(fs.read(self.root
    .. "/templates/site/" .. name)) } end
  files[#files + 1] = { name = "index.js", text = "const INDEX = " .. json.write(index):gsub("%s+$", "") .. ";\n" }
  local more = {}
  for name in next, self.files do more[#more + 1] = name end
  table.sort(more)
  for _, name in ipairs(more) do files[#files + 1] = { name = name, text = self.files[name] } end
  return files
end

return S
