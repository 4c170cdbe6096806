-- The measured sections of gen/study/paper.lua as one self-contained page: HTML with the plots inside.

local escaped = require("gen.util.text").xml
local plot = require "gen.study.plot"
local tables = require "gen.study.text"

local page = {}

local STYLE = [[
body{font:15px/1.5 Georgia,serif;color:#222;max-width:1300px;margin:2em auto;padding:0 1.5em}
h1{font-size:1.7em;margin-bottom:.2em}h2{font-size:1.15em;margin:2.2em 0 .1em;border-top:1px solid #ccc;padding-top:.8em}
.source{color:#666;font-style:italic;margin:0 0 .5em}.plots{display:flex;flex-wrap:wrap;gap:.6em}
svg{max-width:100%;height:auto}.plots svg{width:620px}
table{border-collapse:collapse;font:12.5px/1.4 sans-serif;margin:.6em 0}th,td{padding:.12em .7em;text-align:right}
th{border-bottom:1px solid #444;font-weight:600}td:first-child,th:first-child{text-align:left}
td.ours,td.ours~td{background:#f3f7fb}caption{caption-side:bottom;text-align:left;color:#666;padding-top:.3em}
@media print{body{max-width:none;margin:0;font-size:11px}section{break-inside:avoid}.plots svg{width:48%}a{color:inherit}}
]]

local function number(x)
  if not x or x ~= x then return "-" end
  if x < 1e-14 then return "0" end
  local mantissa, exponent = ("%.1e"):format(x):match("^(.-)e(.*)$")
  return ("%s&middot;10<sup>%d</sup>"):format(mantissa, tonumber(exponent))
end

-- A slope; an error at rounding has none.
local function slope(entry, label, norm)
  local x = entry.fit[label] and entry.fit[label][norm]
  if x then return ("%.2f"):format(x) end
  local last = entry.rungs[#entry.rungs]
  local e = last.errors and last.errors[label] and last.errors[label][norm]
  return e and e < 1e-11 and "exact" or "-"
end

local function is_ours(section, scheme)
  if section.source == "ours" then return true end
  for _, s in ipairs(section.ours or {}) do
    if s == scheme or s:find(scheme, 1, true) == 1 then return true end
  end
  return false
end

local function table_of(section, result)
  local out = { "<table><tr><th>scheme</th><th>declared</th>" }
  local function add(format, ...) out[#out + 1] = format:format(...) end
  for _, column in ipairs(result.columns) do
    for _, norm in ipairs(section.norms) do add("<th>%s, %s</th>", column.label, tables.title[norm]) end
  end
  local first = result.columns[1].label
  if section.more and section.id == "rest" then first = section.more.label end
  add("<th>last error of %s</th><th>evaluations</th><th>events</th></tr>", first)
  for i, entry in ipairs(result.schemes) do
    local wanted = result.wanted and result.wanted[i] or entry.scheme
    local last = entry.rungs[#entry.rungs]
    add("<tr><td%s>%s</td><td>%d; impacts %s</td>", is_ours(section, wanted) and ' class="ours"' or "", escaped(wanted),
      entry.order, escaped(entry.impacts))
    for _, column in ipairs(result.columns) do
      for _, norm in ipairs(section.norms) do add("<td>%s</td>", slope(entry, column.label, norm)) end
    end
    if last.failed then
      add("<td colspan=3>%s</td></tr>", escaped(last.failed))
    else
      add("<td>%s</td><td>%.0f</td><td>%.0f</td></tr>", number(last.errors[first][section.norms[1]]), last.evaluations, last.events)
    end
  end
  local list = {}
  for i, h in ipairs(result.steps) do list[i] = ("%.0f"):format(result.until_time / h) end
  add("<caption>Fitted slopes%s. N = %s%s.</caption></table>", section.tolerances and " over the step, or over the tolerance" or "",
    table.concat(list, ", "), result.events and #result.events > 0
    and ("; impacts are at least %.3f h away from every grid point"):format(result.distance) or "")
  return table.concat(out, "\n")
end

local NAMES = { q = "positions", v = "velocities", i = "impulse" }

local function plots_of(section, result)
  local out = {}
  for i, p in ipairs(section.plots) do
    local label, norm, work = p[1], p[2], p[3] == "work"
    local series = plot.series(result, label, norm, work)
    for k, s in ipairs(series) do
      local wanted = result.wanted and result.wanted[k] or ""
      s.label = s.label:gsub("^%S+", function() return (wanted:gsub("^capture:", ""):gsub("adaptive=on", "adaptive")) end)
    end
    out[i] = plot.loglog { title = ("%s, %s"):format(NAMES[label] or label, tables.title[norm]), x = work and "evaluations" or "step h",
      y = "error", series = series, slopes = not work and section.slopes or nil }
  end
  return table.concat(out, "\n")
end

local INTRODUCTION = [[
<p>Every curve below is measured by running generated integrators, every table says which numbers of steps were used. Slopes
are least-squares fits of log(error) over log(h). Rows on blue ground are schemes of this project that the papers do not have.</p>
<p><b>Which N, and why impacts must miss the grid.</b> A grid norm compares v<sub>k</sub> with v<sup>+</sup>(t<sub>k</sub>). If an
impact falls on a grid point, rounding decides whether the value before or after the jump is compared, and an error of the size
of the jump remains however good the scheme is. So N nearly doubles from one row to the next, and is moved until the impacts
of the exact solution (of an accumulation the first twelve) lie well inside a step; the least distance is printed. Schemes that do not
locate impacts have errors that jump about as N grows, because the place of an impact inside its step is as good as random:
their slopes need many N and mean something to about 0.3.</p>
<p><b>Norms.</b> L1, L2 and sup are grid norms, (&sum; h |e|<sup>p</sup>)<sup>1/p</sup>. Hausdorff is the distance of the graphs with
their jumps filled in, in the metric max(|dt|, |dx|), computed exactly.</p>
]]

--- The page as a text. sections: what paper.measure returned.
function page.html(sections, version)
  local out = { "<!DOCTYPE html>", '<html lang="en"><head><meta charset="utf-8"><title>carom: the figures of the papers</title>',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><style>' .. STYLE .. "</style></head><body>",
    "<h1>The figures of the papers, measured anew</h1>", ('<p class="source">carom %s study --paper</p>'):format(version),
    INTRODUCTION }
  for _, s in ipairs(sections) do
    local section = s.section
    local set = section.set and " with " .. table.concat(section.set, ", ") or ""
    out[#out + 1] = ('<section id="%s"><h2>%s</h2><p class="source">%s; model %s%s</p>'):format(section.id, section.title,
      section.source, section.model, escaped(set))
    if section.text ~= "" then out[#out + 1] = "<p>" .. section.text .. "</p>" end
    out[#out + 1] = '<div class="plots">' .. plots_of(section, s.result) .. "</div>"
    out[#out + 1] = table_of(section, s.result) .. "</section>"
  end
  out[#out + 1] = "</body></html>\n"
  return table.concat(out, "\n")
end

return page
