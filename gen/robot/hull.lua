-- Meshes of robots as convex polyhedra.
local fs = require "gen.util.fs"
local points_of = require "gen.util.points"
local polyhedron = require "gen.util.polyhedron"

local H = {}

local MOST = 32 -- corners that m:polyhedron takes

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

--- The corners of the convex hull of a mesh file, scaled, and how far what was left out reaches beyond; or nil and why.
function H.read(name, folder, scale)
  local path = find(name, folder)
  if not path then return nil, "there is no file " .. name end
  local points, why = points_of.read(path, scale)
  if not points then return nil, ("%s: %s"):format(name, why) end
  local made, left = polyhedron.hull(points, MOST)
  if not made then return nil, ("%s has no convex hull: %s"):format(name, left) end
  return made.corners, left
end

return H
