-- Columns of a result over time, or over another one, as a figure for a paper: one panel for each unit, one axis below them all.
local figure = require "gen.util.figure"

local LEFT, RIGHT, TOP, BOTTOM, BETWEEN = 66, 14, 44, 40, 26

-- Round numbers between two limits, about as many as asked for.
local function ticks(low, high, about)
  local raw = (high - low) / about
  local power = 10.0 ^ math.floor(math.log(raw, 10))
  local step = 10 * power
  for _, k in ipairs { 5, 2, 1 } do if k * power >= raw then step = k * power end end
  local list = {}
  for k = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do list[#list + 1] = k * step end
  return list, step
end

-- as short as the distance of the ticks allows
local function label(x, step)
  if math.abs(x) < 1e-9 * step then x = 0 end
  local digits = math.max(0, -math.floor(math.log(step, 10) + 1e-9))
  if x ~= 0 and (math.abs(x) >= 1e6 or digits > 4) then return { { ("%.4g"):format(x) } } end
  return { { (("%." .. digits .. "f"):format(x)) } }
end

local function limits(list, room)
  local low, high = math.huge, -math.huge
  for _, data in ipairs(list) do
    for _, x in ipairs(data) do
      if x - x == 0 then low, high = math.min(low, x), math.max(high, x) end
    end
  end
  if low > high then low, high = 0, 1 end
  if low == high then low, high = low - (math.abs(low) > 0 and 0.05 * math.abs(low) or 1), high + (math.abs(high) > 0
    and 0.05 * math.abs(high) or 1) end
  return low - room * (high - low), high + room * (high - low)
end

-- one panel: grid, curves, legend above it
local function panel(fig, p, x, top, bottom, x0, x1, last)
  local left, right = LEFT, fig.width - RIGHT
  local data = {}
  for i, c in ipairs(p.columns) do data[i] = c.data end
  local y0, y1 = limits(data, 0.05)
  local function at(a, b) return { left + (a - x0) / (x1 - x0) * (right - left), bottom - (b - y0) / (y1 - y0) * (bottom - top) } end
  local grid = { stroke = "#e2e2e2", width = 0.7 }
  local list, step = ticks(x0, x1, 8)
  for _, t in ipairs(list) do
    local q = at(t, y0)
    fig:path({ { q[1], top }, { q[1], bottom } }, grid)
    if last then fig:text(q[1], bottom + 14, label(t, step), { anchor = "middle" }) end
  end
  list, step = ticks(y0, y1, math.max(3, (bottom - top) // 34))
  for _, t in ipairs(list) do
    local q = at(x0, t)
    fig:path({ { left, q[2] }, { right, q[2] } }, grid)
    fig:text(left - 5, q[2] + 4, label(t, step), { anchor = "end" })
  end
  for i, c in ipairs(p.columns) do
    local colour, line = figure.colours[(i - 1) % #figure.colours + 1], {}
    local function put()
      if #line > 1 then fig:path(line, { stroke = colour, width = 1.2, dash = i > #figure.colours and { 4, 2 } or nil }) end
      line = {}
    end
    for k, y in ipairs(c.data) do
      if y - y == 0 and x.data[k] - x.data[k] == 0 then
        if c.steps and #line > 0 then line[#line + 1] = { at(x.data[k], y)[1], line[#line][2] } end
        line[#line + 1] = at(x.data[k], y)
      else
        put()
      end
    end
    put()
  end
  fig:path({ { left, top }, { right, top }, { right, bottom }, { left, bottom } }, { stroke = "#444444", closed = true })
  local place = left
  for i, c in ipairs(p.columns) do -- the legend, above it
    if place > right - 60 then break end
    local colour = figure.colours[(i - 1) % #figure.colours + 1]
    fig:path({ { place, top - 8 }, { place + 14, top - 8 } }, { stroke = colour, width = 2 })
    fig:text(place + 18, top - 5, c.name, { size = 10 })
    place = place + 30 + 5.6 * #c.name
  end
  if p.unit and p.unit ~= "" then fig:text(14, (top + bottom) / 2, p.unit, { anchor = "middle", upright = true }) end
end

--- x: a column { name, unit, data }; columns: a list of them, with `steps` where a line would lie. options: title, width, height.
--- Columns of one unit share a panel.
return function(x, columns, options)
  local panels, by = {}, {}
  for _, c in ipairs(columns) do
    local key = c.unit or ""
    if not by[key] then
      by[key] = { unit = c.unit, columns = {} }
      panels[#panels + 1] = by[key]
    end
    table.insert(by[key].columns, c)
  end
  local each = options.height or (#panels == 1 and 260 or 170)
  local fig = figure.new(options.width or 520, TOP + BOTTOM + #panels * each + (#panels - 1) * BETWEEN)
  local x0, x1 = limits({ x.data }, x.name == "t" and 0 or 0.04)
  fig:text(LEFT, TOP - 26, options.title or "", { bold = true })
  for i, p in ipairs(panels) do
    local top = TOP + (i - 1) * (each + BETWEEN)
    panel(fig, p, x, top, top + each, x0, x1, i == #panels)
  end
  fig:text((LEFT + fig.width - RIGHT) / 2, fig.height - 8, x.name .. (x.unit and x.unit ~= "" and " [" .. x.unit .. "]" or ""),
    { anchor = "middle" })
  return fig
end
