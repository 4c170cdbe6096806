-- Log-log plots: errors over steps or over work. Series differ by colour and by the shape of
-- their marks, so that they can be told apart in print and by everybody.

local figure = require "gen.util.figure"

local plot = {}

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
local function power(tick) return { { tick.mantissa > 1 and tick.mantissa .. "\u{b7}10" or "10" }, { ("%d"):format(tick.exponent), 5,
  8 } } end

local function frame(fig, options, x_of, y_of, limits)
  local x0, x1, y0, y1 = table.unpack(limits)
  local grid = { stroke = "#e4e4e4" }
  for _, tick in ipairs(ticks(x0, x1)) do
    local x = x_of(10.0 ^ tick.log)
    fig:path({ { x, TOP }, { x, HEIGHT - BOTTOM } }, grid)
    if tick.label then fig:text(x, HEIGHT - BOTTOM + 18, power(tick), { anchor = "middle" }) end
  end
  for _, tick in ipairs(ticks(y0, y1)) do
    local y = y_of(10.0 ^ tick.log)
    fig:path({ { LEFT, y }, { WIDTH - RIGHT, y } }, grid)
    if tick.label then fig:text(LEFT - 6, y + 4, power(tick), { anchor = "end" }) end
  end
  fig:path({ { LEFT, TOP }, { WIDTH - RIGHT, TOP }, { WIDTH - RIGHT, HEIGHT - BOTTOM }, { LEFT, HEIGHT - BOTTOM } },
    { stroke = "#444444", closed = true })
  fig:text(LEFT, TOP - 12, options.title, { bold = true })
  fig:text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, options.x, { anchor = "middle" })
  fig:text(16, (TOP + HEIGHT - BOTTOM) / 2, options.y, { anchor = "middle", upright = true })
end

-- Dashed lines of given slopes through a point of the plot, to compare with.
local function guides(fig, options, x_of, y_of, limits)
  local x0, x1, y0, y1 = table.unpack(limits)
  for _, slope in ipairs(options.slopes or {}) do
    local right, top = 10.0 ^ x1, y1 -- from the upper right corner down to the left
    local left = math.max(10.0 ^ x0, 10.0 ^ (x1 - (y1 - y0) / slope))
    local low = 10.0 ^ (top + slope * math.log(left / right, 10))
    fig:path({ { x_of(right), y_of(10.0 ^ top) }, { x_of(left), y_of(low) } }, { stroke = "#999999", dash = { 5, 4 } })
    local near = left * (right / left) ^ 0.06 -- the label stands beside the lower end
    fig:text(x_of(near) + 5, y_of(10.0 ^ (top + slope * math.log(near / right, 10))) + 9, ("slope %g"):format(slope),
      { size = 10, colour = "#777777" })
  end
end

--- A plot, as a figure (gen/util/figure.lua). options: title, x, y (labels), series = { { label =, points = { { x, y }, ... } } } with
--- positive numbers (others are left out), slopes (list: dashed lines to compare with).
function plot.figure(options)
  local fig, series = figure.new(WIDTH, HEIGHT), {}
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
  frame(fig, options, x_of, y_of, { x0, x1, y0, y1 })
  guides(fig, options, x_of, y_of, { x0, x1, y0, y1 })
  for i, s in ipairs(series) do
    local colour, path = figure.colours[(i - 1) % #figure.colours + 1], {}
    for k, p in ipairs(s.points) do path[k] = { x_of(p[1]), y_of(p[2]) } end
    if #path > 1 then fig:path(path, { stroke = colour, width = 1.5 }) end
    for _, p in ipairs(path) do fig:mark(i, p[1], p[2], colour) end
    local y = TOP + 8 + (i - 1) * 18
    fig:mark(i, WIDTH - RIGHT + 16, y, colour)
    fig:text(WIDTH - RIGHT + 26, y + 4, s.label)
  end
  return fig
end

--- The same as SVG text.
function plot.loglog(options) return plot.figure(options):svg() end

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
