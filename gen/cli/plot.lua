-- carom plot: columns of a result as a figure for a paper.

local args = require "gen.util.args"
local chart = require "gen.report.chart"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local rows = require "gen.report.rows"
local text = require "gen.util.text"
local view = require "gen.cli.view"

local plot = {
  name = "plot",
  usage = "carom plot RESULT [COLUMN...] [--x COLUMN] [--from T] [--to T] [--out FILE] [--title TEXT]",
  summary = "columns of a result as a figure (SVG, PDF, PNG)",
  text = [[
RESULT is the output folder of a run (out/MODEL), the name of a model whose results are in out/, or a csv or npy file. A COLUMN is the name
of one (see the first line of result.csv) or a pattern with * in it: 'theta*', '*.impulse'. Without any, the positions are drawn. Columns of
one unit share a panel.

The figure goes to plot.svg and plot.pdf in the folder, or to --out, whose ending says what it becomes: .svg and .pdf are written by carom
itself, .png by one of rsvg-convert, inkscape, magick, convert, chromium, whichever is found.]],
  options = {
    { "--x", value = "COLUMN", text = "over this column instead of time: a phase plot" },
    { "--from", value = "T", text = "leave out what is before" },
    { "--to", value = "T", text = "leave out what is after" },
    { "--out", short = "-o", value = "FILE", text = "where to, ending with .svg, .pdf or .png" },
    { "--title", value = "TEXT", text = "above it (default: the name of the model)" },
    { "--width", value = "POINTS", text = "how wide (default: 520; a column of a paper has about 250)" },
    { "--height", value = "POINTS", text = "how high each panel is" },
  },
}

-- The names that are asked for, in the order of the result.
local function chosen(names, kind, patterns)
  local list, used = {}, {}
  for i, p in ipairs(patterns) do
    local found = false
    local pattern = "^" .. p:gsub("[%^%$%(%)%%%.%[%]%+%-%?]", "%%%0"):gsub("%*", ".*") .. "$"
    for k = 2, #names do
      if names[k]:find(pattern) then
        found = true
        if not used[names[k]] then list[#list + 1], used[names[k]] = names[k], i end
      end
    end
    if not found then
      args.fail("the result has no column '%s'%s; it has %s", p, text.hint(p, names), table.concat(names, ", ", 1, math.min(#names, 14)))
    end
  end
  if #patterns == 0 then
    for k = 2, #names do if #list < 12 and kind(names[k]) == "q" then list[#list + 1] = names[k] end end
    for k = 2, #names do if #list == 0 or (#list < 4 and kind(names[k]) == "output"
      and kind(list[1]) == "output") then list[#list + 1] = names[k] end end
  end
  return list
end

local CONVERTERS = {
  { "rsvg-convert", function(svg, png) return ("rsvg-convert -z 2.5 -b white -o %s %s"):format(png, svg) end },
  { "inkscape", function(svg, png) return ("inkscape --export-background=white --export-dpi=240 --export-filename=%s %s"):format(png,
    svg) end },
  { "magick", function(svg, png) return ("magick -density 240 %s %s"):format(svg, png) end },
  { "convert", function(svg, png) return ("convert -density 240 %s %s"):format(svg, png) end },
}

-- SVG as PNG, by whatever is there; chromium takes a picture of it.
local function png(fig, path)
  local folder = fs.need(fs.temporary_dir())
  local svg, where = fs.quote(folder .. "/plot.svg"), fs.quote(path)
  fs.need(fs.write(folder .. "/plot.svg", fig:svg()))
  local done
  for _, c in ipairs(CONVERTERS) do
    if not done and fs.run("command -v " .. c[1] .. " >/dev/null 2>&1") == 0 then
      done = fs.run(c[2](svg, where) .. " >/dev/null 2>&1 </dev/null") == 0 and fs.exists(path)
    end
  end
  local chromium = not done and view.chromium()
  if chromium then
    done = fs.run(("timeout 60 %s --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=2 --user-data-dir=%s "
      .. "--window-size=%d,%d --screenshot=%s %s >/dev/null 2>&1 </dev/null"):format(chromium, fs.quote(folder .. "/profile"), fig.width,
        fig.height,
      where, fs.quote("file://" .. folder .. "/plot.svg"))) == 0 and fs.exists(path)
  end
  fs.remove_tree(folder)
  if not done then
    errors.environment("no program here makes PNG of SVG; install rsvg-convert (apt-get install librsvg2-bin), or write --out FILE.svg "
      .. "or .pdf")
  end
end

local function write(fig, path)
  local ending = path:match "%.(%a+)$"
  if ending == "svg" then
    fs.need(fs.write(path, fig:svg()))
  elseif ending == "pdf" then
    fs.need(fs.write(path, fig:pdf()))
  else
    png(fig, path)
  end
  print(path)
end

function plot.run(options)
  local operand = options[1] or args.fail("carom plot needs a RESULT: the output folder of a run, the name of a model, or a csv file")
  for _, key in ipairs { "from", "to", "width", "height" } do
    if options[key] then options[key] = args.number(options[key], "--" .. key) end
  end
  for _, key in ipairs { "width", "height" } do
    if options[key] and not (options[key] >= 80 and options[key] <= 4000) then args.fail("--%s %g: write 80 to 4000 points", key,
      options[key]) end
  end
  local folder, kept, path = nil, nil, operand
  if not operand:find "%.csv$" and not operand:find "%.npy$" or operand:find "result%.%a+$" then
    folder, kept = view.find(operand)
    path = rows.path(folder)
  end
  local out = options.out
  if out and not (out:find "%.svg$" or out:find "%.pdf$" or out:find "%.png$") then
    args.fail("--out %s: write a name that ends with .svg, .pdf or .png", out)
  end
  local names, why = rows.names(path)
  if not names then errors.environment("%s", why) end
  local kind = require("gen.report.page").kinds(kept and (view.load(kept)) or { coordinates = {} })
  local list = chosen(names, kind, table.move(options, 2, #options, 1, {}))
  if #list == 0 then args.fail("%s has no columns beside time", path) end
  local x = options.x or "t"
  if not table.concat(names, ","):find(x, 1, true) then args.fail("the result has no column '%s'%s", x, text.hint(x, names)) end
  local wanted = { [x] = true }
  for _, name in ipairs(list) do wanted[name] = true end
  local result
  result, why = rows.read(path, function(name) return wanted[name] end)
  if not result then errors.environment("%s", why) end
  local by, t = {}, result.columns[1]
  for k, name in ipairs(result.names) do
    local data, group, unit = {}, kind(name)
    for i, y in ipairs(result.columns[k]) do
      if (not options.from or t[i] >= options.from) and (not options.to or t[i] <= options.to) then data[#data + 1] = y end
    end
    by[name] = { name = name, unit = unit, data = data, steps = x == "t" and (group == "status" or group == "impulse"
      or group == "friction") }
  end
  if #by.t.data < 2 then args.fail("fewer than two rows are left between --from and --to") end
  local columns = {}
  for i, name in ipairs(list) do columns[i] = by[name] end
  local title = options.title or kept and kept.model:match "([^/]+)$":gsub("%.lua$", "") or ""
  local fig = chart(by[x], columns, { title = title, width = options.width, height = options.height })
  if out then return write(fig, out) or 0 end
  local base = folder and folder .. "/plot" or operand:gsub("%.csv$", "")
  write(fig, base .. ".svg")
  write(fig, base .. ".pdf")
  return 0
end

return plot
