-- A figure of lines and text, written as SVG or as PDF, without other programs. Lengths are points (1/72 inch), y grows downwards.
local escaped = require("gen.util.text").xml

local Figure = {}
Figure.__index = Figure

--- Colours that can be told apart in print and by everybody.
local COLOURS = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8a6d00", "#56b4e9", "#000000", "#7f3c8d", "#e69f00", "#5f6b6d" }

-- Widths of the letters of Helvetica, in thousandths of its size, from the space on.
local WIDTHS = { 278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
  556,
  556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667,
    611,
  722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556,
  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584 }

local function number(x) return (("%.2f"):format(x):gsub("%.?0+$", ""):gsub("^%-0$", "0")) end

local function new(width, height) return setmetatable({ width = width, height = height, parts = {} }, Figure) end

--- Lines through points { x, y }; style: stroke, width, dash (list), fill, closed.
function Figure:path(points, style) self.parts[#self.parts + 1] = { points = points, style = style } end

--- Text at a place, or pieces { text, rise, size } of it; style: size, bold, anchor ("start", "middle", "end"), upright (read from below),
--- colour.
function Figure:text(x, y, text, style)
  local pieces = type(text) == "table" and text or { { text } }
  self.parts[#self.parts + 1] = { x = x, y = y, pieces = pieces, style = style or {} }
end

--- A mark of the k-th shape around a point.
function Figure:mark(k, x, y, colour)
  local shapes = {
    function()
      local list = {}
      for i = 0, 15 do list[i + 1] = { x + 3.4 * math.cos(i * math.pi / 8), y + 3.4 * math.sin(i * math.pi / 8) } end
      return list
    end,
    function() return { { x - 3.2, y - 3.2 }, { x + 3.2, y - 3.2 }, { x + 3.2, y + 3.2 }, { x - 3.2, y + 3.2 } } end,
    function() return { { x, y - 4.4 }, { x + 4, y + 2.6 }, { x - 4, y + 2.6 } } end,
    function() return { { x, y - 4.4 }, { x + 4.4, y }, { x, y + 4.4 }, { x - 4.4, y } } end,
    function() return { { x, y + 4.4 }, { x + 4, y - 2.6 }, { x - 4, y - 2.6 } } end,
  }
  self:path(shapes[(k - 1) % #shapes + 1](), { fill = colour, closed = true })
end

local function coordinates(points)
  local list = {}
  for i, p in ipairs(points) do list[i] = number(p[1]) .. " " .. number(p[2]) end
  return list
end

function Figure:svg()
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" font-family="Helvetica, Arial, '
    .. 'sans-serif">'):format(self.width, self.height, self.width, self.height) }
  for _, p in ipairs(self.parts) do
    local s = p.style
    if p.points then
      out[#out + 1] = ('<path d="M%s%s" fill="%s"%s%s/>'):format(table.concat(coordinates(p.points), "L"), s.closed and "z" or "", s.fill
        or "none",
        s.stroke and (' stroke="%s" stroke-width="%s" stroke-linejoin="round"'):format(s.stroke, number(s.width or 1)) or "",
        s.dash and (' stroke-dasharray="%s"'):format(table.concat(s.dash, " ")) or "")
    else
      local spans, rise = {}, 0
      for i, piece in ipairs(p.pieces) do
        local text, up = escaped(piece[1]), piece[2] or 0
        spans[i] = (up ~= rise or piece[3]) and ('<tspan dy="%s"%s>%s</tspan>'):format(number(rise - up), piece[3] and
          (' font-size="%s"'):format(number(piece[3])) or "", text) or text
        rise = up
      end
      out[#out + 1] = ('<text %s font-size="%s"%s%s fill="%s">%s</text>'):format(
        s.upright and ('transform="translate(%s %s) rotate(-90)"'):format(number(p.x), number(p.y))
          or ('x="%s" y="%s"'):format(number(p.x), number(p.y)),
        number(s.size or 11), s.bold and ' font-weight="bold"' or "", s.anchor and (' text-anchor="%s"'):format(s.anchor) or "",
        s.colour or "#222222", table.concat(spans))
    end
  end
  out[#out + 1] = "</svg>\n"
  return table.concat(out, "\n")
end

local function rgb(colour)
  local r, g, b = colour:match "^#(%x%x)(%x%x)(%x%x)$"
  return ("%s %s %s"):format(number(tonumber(r, 16) / 255), number(tonumber(g, 16) / 255), number(tonumber(b, 16) / 255))
end

-- What the font of PDF has: letters of Latin 1, others as a question mark; parentheses with a backslash.
local function encoded(text)
  local list = {}
  for _, c in utf8.codes(text, true) do list[#list + 1] = string.char(c == 0x2212 and 45 or c < 256 and c or 63) end
  return (table.concat(list):gsub("[\\()]", "\\%0"))
end

local function long(pieces, size)
  local sum = 0
  for _, piece in ipairs(pieces) do
    for _, c in utf8.codes(piece[1], true) do sum = sum + (WIDTHS[c - 31] or 556) * (piece[3] or size) / 1000 end
  end
  return sum
end

local function pdf_text(p, height)
  local s = p.style
  local size = s.size or 11
  local back = ({ middle = 0.5, ["end"] = 1 })[s.anchor] or 0
  local off = back * long(p.pieces, size) * (s.bold and 1.06 or 1)
  local out = { ("BT %s rg %s Tm"):format(rgb(s.colour or "#222222"), s.upright
    and ("0 1 -1 0 %s %s"):format(number(p.x), number(height - p.y - off)) or ("1 0 0 1 %s %s"):format(number(p.x - off),
      number(height - p.y))) }
  for _, piece in ipairs(p.pieces) do
    out[#out + 1] = ("/%s %s Tf %s Ts (%s) Tj"):format(s.bold and "B" or "F", number(piece[3] or size), number(piece[2] or 0),
      encoded(piece[1]))
  end
  return table.concat(out, " ") .. " ET"
end

local function pdf_path(p, height)
  local s, out = p.style, {}
  if s.fill and s.fill ~= "none" then out[#out + 1] = rgb(s.fill) .. " rg" end
  if s.stroke then
    out[#out + 1] = ("%s RG %s w 1 j [%s] 0 d"):format(rgb(s.stroke), number(s.width or 1), table.concat(s.dash or {}, " "))
  end
  for i, q in ipairs(p.points) do out[#out + 1] = ("%s %s %s"):format(number(q[1]), number(height - q[2]), i == 1 and "m" or "l") end
  local filled = s.fill and s.fill ~= "none"
  out[#out + 1] = (s.closed and "h " or "") .. (filled and s.stroke and "B" or filled and "f" or "S")
  return table.concat(out, "\n")
end

function Figure:pdf()
  local drawn = {}
  for i, p in ipairs(self.parts) do drawn[i] = (p.points and pdf_path or pdf_text)(p, self.height) end
  local content = table.concat(drawn, "\n") .. "\n"
  local font = "<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>"
  local objects = { "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    ("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %d %d] /Contents 4 0 R /Resources << /Font << /F 5 0 R /B 6 0 R >> >> >>"):format(
      self.width, self.height),
    ("<< /Length %d >>\nstream\n%sendstream"):format(#content, content), font:format "Helvetica", font:format "Helvetica-Bold" }
  local text, at = "%PDF-1.4\n", {}
  for i, object in ipairs(objects) do
    at[i] = ("%010d 00000 n \n"):format(#text)
    text = ("%s%d 0 obj\n%s\nendobj\n"):format(text, i, object)
  end
  return ("%sxref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"):format(text, #objects + 1,
    table.concat(at), #objects + 1, #text)
end

return { new = new, colours = COLOURS }
