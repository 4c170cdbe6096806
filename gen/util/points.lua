-- The points of surfaces in files: STL (text and binary) and OBJ.
local fs = require "gen.util.fs"

local P = {}

local function stl(text)
  local points = {}
  if text:find "^%s*solid" and text:find "vertex" then
    for x, y, z in text:gmatch "vertex%s+(%S+)%s+(%S+)%s+(%S+)" do points[#points + 1] = { tonumber(x), tonumber(y), tonumber(z) } end
    return points
  end
  if #text < 84 then return nil end
  local count = string.unpack("<I4", text, 81)
  if #text < 84 + 50 * count then return nil end
  for k = 0, count - 1 do
    for c = 1, 3 do
      local x, y, z = string.unpack("<fff", text, 85 + 50 * k + 12 * c)
      points[#points + 1] = { x, y, z }
    end
  end
  return points
end

local function obj(text)
  local points = {}
  for x, y, z in ("\n" .. text):gmatch "\nv%s+(%S+)%s+(%S+)%s+(%S+)" do points[#points + 1] = { tonumber(x), tonumber(y), tonumber(z) } end
  return points
end

--- The points of a file, each once, scaled; or nil and why.
function P.read(path, scale)
  local text, kind = fs.read(path), path:lower():match "%.(%w+)$"
  if not text then return nil, "there is no such file" end
  local points
  if kind == "stl" then points = stl(text) elseif kind == "obj" then points = obj(text) end
  if not points or #points < 4 then return nil, "it is no STL or OBJ file that can be read" end
  local list, seen = {}, {}
  for _, p in ipairs(points) do
    for k = 1, 3 do
      if not p[k] or p[k] - p[k] ~= 0 then return nil, "it holds what is no number" end
      p[k] = p[k] * scale[k]
    end
    local key = ("%.17g %.17g %.17g"):format(p[1], p[2], p[3])
    if not seen[key] then list[#list + 1] = p end
    seen[key] = true
  end
  return list
end

return P
