-- carom docs: the site of the documentation.
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "tests.e2e.large"
local markdown = require "gen.site.markdown"

local function html(text) return (markdown.html(text, function(target) return "to:" .. target end)) end

T.test("Markdown: what lines and blocks become", function()
  T.ok(html("a `b < c` **d** [e](f.md#g)"):find('<p>a <code>b &lt; c</code> <strong>d</strong> <a href="to:f.md#g">e</a></p>', 1, true))
  T.ok(html("| a | b |\n|---|---|\n| 1 | `x` |\n"):find("<tr><td>1</td><td><code>x</code></td></tr>", 1, true))
  T.ok(html("- a\n  b\n- c\n  1. d\n"):find("<ul>\n<li>a b\n</li>\n<li>c\n<ol>\n<li>d\n</li>\n</ol>\n</li>\n</ul>", 1, true),
    html("- a\n  b\n- c\n  1. d\n"))
  T.ok(html("```lua x.lua\na < b\n```\n"):find('<p class="file">x.lua</p>\n<pre class="lua"><code>a &lt; b</code></pre>', 1, true))
  T.ok(html("100 % of *it*"):find("100 % of <em>it</em>", 1, true))
  local _, headings = markdown.html("# A b\n\nsome words\n\n## C, `d`!\n\n## C, `d`!\n", function() end)
  T.eq(headings[1].anchor, "a-b")
  T.eq(headings[1].plain:match "%S.*%S", "some words")
  T.eq(headings[2].anchor, "c-d")
  T.eq(headings[3].anchor, "c-d-1")
end)

local dir = large.out()
local pages, index = {}, nil

T.test("the site is made", function()
  local out, err, code = large.carom("docs --out " .. dir)
  T.eq(code, 0, err)
  T.ok(out:find "index.html", out)
  for path in fs.capture("cd " .. fs.quote(dir) .. " && find . -type f"):gmatch "%./([^\n]+)" do pages[path] = true end
  index = json.read(fs.read(dir .. "/index.js"):match "^const INDEX = (.*);\n$")
  T.ok(#index > 300, "parts: " .. #index)
end)

T.test("no link leads nowhere, and nothing is fetched", function()
  local ids, count = {}, 0
  local function ids_of(path)
    if not ids[path] then
      ids[path] = {}
      for id in fs.read(dir .. "/" .. path):gmatch ' id="([^"]+)"' do ids[path][id] = true end
    end
    return ids[path]
  end
  for path in pairs(pages) do
    if path:find "%.html$" then
      for kind, target in fs.read(dir .. "/" .. path):gmatch ' (%a+)="([^"]*)"' do
        if (kind == "href" or kind == "src") and not target:find "^data:" then
          if target:find "^%a+:" then
            T.ok(kind == "href", path .. " fetches " .. target)
          else
            count = count + 1
            local file, anchor = target:match "^([^#]*)#?(.*)$"
            local parts = {}
            for part in ((path:match "^(.*/)" or "") .. file):gmatch "[^/]+" do
              if part == ".." then parts[#parts] = nil else parts[#parts + 1] = part end
            end
            local to = file == "" and path or table.concat(parts, "/")
            T.ok(pages[to], path .. " links to " .. target)
            if anchor ~= "" and to:find "%.html$" then T.ok(ids_of(to)[anchor], path .. " links to " .. target) end
          end
        end
      end
    end
  end
  T.ok(count > 2000, "links: " .. count)
end)

T.test("the search has every word, scheme, command, header and status", function()
  local titles = {}
  for _, e in ipairs(index) do titles[e[2]] = true end
  for _, line in ipairs { "contact", "contact_between", "free_body", "link", "heightfield", "m:draw" } do
    T.ok(titles[line] or titles[line:gsub("^m:", "")], line)
  end
  for word in fs.read "gen/lang/README.md":gmatch "\n### ([%w_]+)\n" do T.ok(titles[word], word) end
  for _, name in ipairs(require("gen.cli.commands").names) do T.ok(titles["carom " .. name], name) end
  local text = {}
  for _, e in ipairs(index) do text[#text + 1] = e[2] .. " " .. e[3] end
  text = table.concat(text, "\n")
  for _, f in ipairs(require("gen.scheme.catalogue").families) do T.ok(text:find(f.name, 1, true), f.name) end
  for _, name in ipairs(fs.list "runtime/include/carom") do
    if name:find "%.h$" then T.ok(titles["carom/" .. name], name) end
  end
  local wrong = fs.read "examples/what_can_go_wrong/README.md"
  for name in fs.read("runtime/include/carom/status.h"):gmatch "ENTRY%((CAROM_[%u_]+)," do
    T.ok(titles[name], name)
    T.ok(name == "CAROM_OK" or wrong:find("`" .. name .. "`", 1, true), name .. " is not on the page of what can go wrong")
  end
end)

-- Where warnings are written, and in which words (patterns of texts in that file). What is put into a list of warnings, or written as one,
-- stands in no other file.
local WARNINGS = {
  ["gen/scheme/foresight.lua"] = { 'return %("(.-)"' },
  ["gen/lang/core/check.lua"] = { 'notes = { %("(.-)"' }, ["gen/scheme/stability.lua"] = { 'return %("(the step .-)"' },
  ["gen/cli/run.lua"] = { '"carom: warning: (%-.-)"' }, ["gen/cli/view.lua"] = { '"carom: warning: (there.-)"' },
  ["gen/lang/words/meshes/mesh.lua"] = { 'warn%("(.-)"' }, ["gen/lang/core/assemble.lua"] = { 'local text = "(.-)"' },
  ["gen/fem/small.lua"] = { 'lowered%.warnings, %("(.-)"' }, ["gen/pipeline.lua"] = { 'unit%.warning = %("(.-)"' },
  ["runtime/driver/deform.c"] = { 'snprintf%(text, room,%s*"(.-)"' }, ["runtime/petsc/obstacle.c"] = { '"carom: warning: (.-)"' },
}
local PASSED_ON = { ["runtime/driver/driver.c"] = true, ["runtime/driver/summary.c"] = true }

T.test("every warning is on the page of what can go wrong, and every warning there is one of the code", function()
  local rows, seen = {}, {}
  local part = fs.read "examples/what_can_go_wrong/README.md":match "\n## Warnings\n(.-)\n## "
  for said in part:gmatch "\n| ([^|]-) |[^\n]+" do
    if said ~= "warning" then
      local words = said:gsub("[%^%$%(%)%%%[%]%*%+%-%?]", "%%%0"):gsub(" ?%.%.%. ?", ".-")
      rows[#rows + 1] = { said = said, pattern = words }
    end
  end
  T.ok(#rows > 10, "rows: " .. #rows)
  for path, patterns in pairs(WARNINGS) do
    local text, count = fs.read(path), 0
    for _, pattern in ipairs(patterns) do
      for words in text:gmatch(pattern) do
        local found
        count = count + 1
        for _, row in ipairs(rows) do
          if words:find(row.pattern) then found, seen[row.said] = true, true end
        end
        T.ok(found, ("%s: '%s' is not on the page"):format(path, words))
      end
    end
    T.ok(count > 0, path .. " has no warnings any more")
  end
  for _, row in ipairs(rows) do T.ok(seen[row.said], row.said .. ": no such warning in the code") end
  for path in fs.capture "grep -rlE 'carom: warning|[.]warnings, |[.]warning = ' gen runtime":gmatch "[^\n]+" do
    T.ok(WARNINGS[path] or PASSED_ON[path], path .. " writes warnings that this test does not know")
  end
end)

T.test("models have a page with their text, and those of bodies a picture", function()
  for _, name in ipairs { "slider_crank", "arm7", "sphere_pile", "bouncing_ball", "stones", "dropped_block", "two_blocks" } do
    T.ok(pages["models/" .. name .. ".html"] and pages["models/" .. name .. ".svg"], name)
    T.ok(fs.read(dir .. "/models/" .. name .. ".svg"):find "<path", name)
  end
  T.ok(fs.read(dir .. "/models/dropped_block.html"):find("carom.model &quot;dropped_block&quot;", 1, true))
end)

S.finish()
