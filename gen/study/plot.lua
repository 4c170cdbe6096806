-- Log-log plots as SVG, without any program: errors over steps or over work. Series differ by colour and by the shape of
-- their marks, so that they can be told apart in print and by everybody.

local escaped = require("gen.util.text").xml

local plot = {}

local COLOURS = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#000000", "#7f3c8d", "#e69f00", "#5f6b6d" }
local WIDTH, HEIGHT = 680, 380
local LEFT, RIGHT, TOP, BOTTOM = 66, 258, 34, 48 -- room for labels; the legend is on the right

-- The logarithms of the least and the largest value, with a little room.
local function range(series, k)
  local low, high = math.huge, -math.huge
  for _, s in ipairs(series) do
    for _, p in ipairs(s.points) do low, high = math.min(low, p[k]), math.max(high, p[k]) end
  end
  if low > high then low, high = 1, 10 end
  local a, b = math.log(low, 10), math.log(high, 10)
  local room = math.max(0.06 * (b - a), 0.08)
  return a - room, b + room
end

-- Where lines and labels are: at powers of ten (not all of them labelled when there are many), and at 2 and 5 times them when
-- there are few. List of { log =, mantissa =, exponent =, label = }.
local function ticks(a, b)
  local list = {}
  local mantissas = b - a < 1.6 and { 1, 2, 5 } or { 1 }
  local every = math.max(1, math.ceil((b - a) / 8))
  for n = math.floor(a), math.ceil(b) do
    for _, m in ipairs(mantissas) do
      local l = n + math.log(m, 10)
      if l >= a and l <= b then list[#list + 1] = { log = l, mantissa = m, exponent = n, label = n % every == 0 } end
    end
  end
  return list
end

-- 10 to the n, or m times that, for people
local function power(tick)
  return ('%s10<tspan dy="-5" font-size="9">%d</tspan>'):format(tick.mantissa > 1 and tick.mantissa .. "&#183;" or "", tick.exponent)
end

local MARKS = {
  function(x, y) return ('<circle cx="%.1f" cy="%.1f" r="3.4"/>'):format(x, y) end,
  function(x, y) return ('<rect x="%.1f" y="%.1f" width="6.4" height="6.4"/>'):format(x - 3.2, y - 3.2) end,
  function(x, y) return ('<path d="M%.1f %.1fl4 7h-8z"/>'):format(x, y - 4.4) end,
  function(x, y) return ('<path d="M%.1f %.1fl4.4 4.4l-4.4 4.4l-4.4 -4.4z"/>'):format(x, y - 4.4) end,
  function(x, y) return ('<path d="M%.1f %.1fl4 -7h-8z"/>'):format(x, y + 4.4) end,
}

local function frame(add, options, x_of, y_of, limits)
  local x0, x1, y0, y1 = table.unpack(limits)
  for _, tick in ipairs(ticks(x0, x1)) do
    local x = x_of(10.0 ^ tick.log)
    add('<path class="grid" d="M%.1f %dV%d"/>', x, TOP, HEIGHT - BOTTOM)
    if tick.label then add('<text x="%.1f" y="%d" text-anchor="middle">%s</text>', x, HEIGHT - BOTTOM + 18, power(tick)) end
  end
  for _, tick in ipairs(ticks(y0, y1)) do
    local y = y_of(10.0 ^ tick.log)
    add('<path class="grid" d="M%d %.1fH%d"/>', LEFT, y, WIDTH - RIGHT)
    if tick.label then add('<text x="%d" y="%.1f" text-anchor="end">%s</text>', LEFT - 6, y + 4, power(tick)) end
  end
  add('<rect class="frame" x="%d" y="%d" width="%d" height="%d"/>', LEFT, TOP, WIDTH - RIGHT - LEFT, HEIGHT - BOTTOM - TOP)
  add('<text class="title" x="%d" y="%d">%s</text>', LEFT, TOP - 12, escaped(options.title))
  add('<text x="%.1f" y="%d" text-anchor="middle">%s</text>', (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, escaped(options.x))
  add('<text transform="translate(16 %.1f) rotate(-90)" text-anchor="middle">%s</text>', (TOP + HEIGHT - BOTTOM) / 2,
    escaped(options.y))
end

-- Dashed lines of given slopes through a point of the plot, to compare with.
local function guides(add, options, x_of, y_of, limits)
  local x0, x1, y0, y1 = table.unpack(limits)
  for _, slope in ipairs(options.slopes or {}) do
    local right, top = 10.0 ^ x1, y1 -- from the upper right corner down to the left
    local left = math.max(10.0 ^ x0, 10.0 ^ (x1 - (y1 - y0) / slope))
    local low = 10.0 ^ (top + slope * math.log(left / right, 10))
    add('<path class="guide" d="M%.1f %.1fL%.1f %.1f"/>', x_of(right), y_of(10.0 ^ top), x_of(left), y_of(low))
    local near = left * (right / left) ^ 0.06 -- the label stands beside the lower end
    add('<text class="small" x="%.1f" y="%.1f">slope %g</text>', x_of(near) + 5,
      y_of(10.0 ^ (top + slope * math.log(near / right, 10))) + 9, slope)
  end
end

--- A plot as SVG text. options: title, x, y (labels), series = { { label =, points = { { x, y }, ... } } } with positive
--- numbers (others are left out), slopes (list: dashed lines to compare with).
function plot.loglog(options)
  local out, series = {}, {}
  local function add(format, ...) out[#out + 1] = format:format(...) end
  for i, s in ipairs(options.series) do
    local points = {}
    for _, p in ipairs(s.points) do
      if p[1] and p[2] and p[1] > 0 and p[2] > 0 and p[1] < 1e300 and p[2] < 1e300 then points[#points + 1] = p end
    end
    series[i] = { label = s.label, points = points }
  end
  local x0, x1 = range(series, 1)
  local y0, y1 = range(series, 2)
  local function x_of(x) return LEFT + (math.log(x, 10) - x0) / (x1 - x0) * (WIDTH - RIGHT - LEFT) end
  local function y_of(y) return HEIGHT - BOTTOM - (math.log(y, 10) - y0) / (y1 - y0) * (HEIGHT - BOTTOM - TOP) end
  add('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">', WIDTH, HEIGHT, WIDTH, HEIGHT)
  add('<style>text{font:12px sans-serif;fill:#222}.title{font-weight:bold}.legend{font-size:11px}.small{font-size:10px;fill:#777}'
    .. '.grid{stroke:#e4e4e4;fill:none}.frame{stroke:#444;fill:none}.guide{stroke:#999;stroke-dasharray:5 4;fill:none}</style>')
  frame(add, options, x_of, y_of, { x0, x1, y0, y1 })
  guides(add, options, x_of, y_of, { x0, x1, y0, y1 })
  for i, s in ipairs(series) do
    local colour, mark = COLOURS[(i - 1) % #COLOURS + 1], MARKS[(i - 1) % #MARKS + 1]
    local path = {}
    for k, p in ipairs(s.points) do path[k] = ("%.1f %.1f"):format(x_of(p[1]), y_of(p[2])) end
    add('<g fill="%s" stroke="none">', colour)
    if #path > 1 then add('<path d="M%s" fill="none" stroke="%s" stroke-width="1.5"/>', table.concat(path, "L"), colour) end
    for _, p in ipairs(s.points) do add("%s", mark(x_of(p[1]), y_of(p[2]))) end
    local y = TOP + 8 + (i - 1) * 18
    add("%s</g>", mark(WIDTH - RIGHT + 16, y))
    add('<text class="legend" x="%d" y="%d">%s</text>', WIDTH - RIGHT + 26, y + 4, escaped(s.label))
  end
  out[#out + 1] = "</svg>\n"
  return table.concat(out, "\n")
end

--- The series of a study: one per scheme, its slope in the label; work = true: over evaluations instead of steps.
function plot.series(result, label, norm, work)
  local series = {}
  for i, entry in ipairs(result.schemes) do
    local points = {}
    for _, run in ipairs(entry.rungs) do
      local e = run.errors and run.errors[label] and run.errors[label][norm]
      if e then points[#points + 1] = { work and run.evaluations or run.tolerance or run.h, e } end
    end
    local slope = entry.fit[label][norm]
    series[i] = { points = points,
      label = entry.label .. (not work and slope and (" (%.2f)"):format(slope) or "") }
  end
  return series
end

return plot
