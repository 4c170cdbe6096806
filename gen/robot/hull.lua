-- Points of a mesh that may touch a plane: the outermost in 26 directions, each once. Of a box they are its corners; of what is rounder
-- an inscribed polyhedron. Reads STL (text and binary) and OBJ.
local fs = require "gen.util.fs"

local H = {}

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
    for c = 1, 3 do points[#points + 1] = { string.unpack("<fff", text, 85 + 50 * k + 12 * c) } end
  end
  return points
end

local function obj(text)
  local points = {}
  for x, y, z in ("\n" .. text):gmatch "\nv%s+(%S+)%s+(%S+)%s+(%S+)" do points[#points + 1] = { tonumber(x), tonumber(y), tonumber(z) } end
  return points
end

--- The outermost of these points.
function H.outermost(points)
  local list, used = {}, {}
  for dx = -1, 1 do
    for dy = -1, 1 do
      for dz = -1, 1 do
        local best, far = nil, -math.huge
        for i, p in ipairs(points) do
          local s = dx * p[1] + dy * p[2] + dz * p[3]
          if s > far + 1e-12 * math.abs(s) then best, far = i, s end
        end
        if best and (dx ~= 0 or dy ~= 0 or dz ~= 0) and not used[best] then
          local p, alike = points[best], false
          for _, q in ipairs(list) do
            alike = alike or math.abs(p[1] - q[1]) + math.abs(p[2] - q[2]) + math.abs(p[3] - q[3]) < 1e-9
          end
          used[best] = true
          if not alike then list[#list + 1] = p end
        end
      end
    end
  end
  return list
end

-- package://robot/meshes/a.stl, file:///..., or a path beside the robot's file
local function find(name, folder)
  local rest = name:gsub("^file://", ""):gsub("^package://[^/]+/", ""):gsub("^model://[^/]+/", "")
  local up = folder
  for _ = 1, 4 do
    local path = rest:sub(1, 1) == "/" and rest or up .. "/" .. rest
    if fs.exists(path) and not fs.is_dir(path) then return path end
    up = up .. "/.."
  end
end

--- The outermost points of a mesh file, scaled; or nil and why.
function H.read(name, folder, scale)
  local path = find(name, folder)
  if not path then return nil, "there is no file " .. name end
  local text = fs.read(path) or ""
  local points
  if path:lower():find "%.stl$" then points = stl(text) elseif path:lower():find "%.obj$" then points = obj(text) end
  if not points or #points < 4 then return nil, name .. " is no STL or OBJ file that can be read" end
  for _, p in ipairs(points) do
    for k = 1, 3 do
      if not p[k] or p[k] - p[k] ~= 0 then return nil, name .. " holds what is no number" end
      p[k] = p[k] * scale[k]
    end
  end
  return H.outermost(points)
end

return H
