-- Reads the pictures of a run (VTU: XML, data in base64) as far as tests need them, and holds them against what the format says.
local fs = require "gen.util.fs"
local xml = require "gen.robot.xml"

local vtu = {}

local value = {}
for i = 1, 64 do value[("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"):byte(i)] = i - 1 end

local function bytes(text)
  local out = {}
  for a, b, c, d in text:gmatch("([%w+/])([%w+/])([%w+/=])([%w+/=])") do
    local x = value[a:byte()] << 18 | value[b:byte()] << 12 | (value[c:byte()] or 0) << 6 | (value[d:byte()] or 0)
    out[#out + 1] = string.pack(">I3", x):sub(1, c == "=" and 1 or d == "=" and 2 or 3)
  end
  return table.concat(out)
end

local KIND = { Float64 = "<d", Int64 = "<i8", UInt8 = "B" }

-- A DataArray as { components =, numbers in order }.
local function array(element)
  local kind = assert(KIND[element.attr.type], element.attr.type)
  local data, size = bytes(element.text), string.packsize(kind)
  local list = { components = math.tointeger(element.attr.NumberOfComponents) }
  assert(string.unpack("<I8", data) == #data - 8, "length of " .. element.attr.Name)
  for at = 9, #data, size do list[#list + 1] = (string.unpack(kind, data, at)) end
  return list
end

local function child(element, tag)
  local found
  for _, e in ipairs(element) do
    if e.tag == tag then
      assert(not found, "two " .. tag)
      found = e
    end
  end
  return assert(found, "no " .. tag)
end

local NODES = { [3] = 2, [5] = 3, [9] = 4, [10] = 4, [12] = 8 } -- of types of cells

--- A file: { points, connectivity, offsets, types, point = { NAME = array }, cell = { NAME = array } }, all of the right lengths.
function vtu.read(path)
  local root = xml.read(assert(fs.read(path), path), path)
  assert(root.tag == "VTKFile" and root.attr.type == "UnstructuredGrid" and root.attr.byte_order == "LittleEndian"
    and root.attr.header_type == "UInt64")
  local piece = child(child(root, "UnstructuredGrid"), "Piece")
  local points, cells = math.tointeger(piece.attr.NumberOfPoints), math.tointeger(piece.attr.NumberOfCells)
  local p = { points = array(child(child(piece, "Points"), "DataArray")), point = {}, cell = {} }
  assert(p.points.components == 3 and #p.points == 3 * points, "points")
  for _, e in ipairs(child(piece, "Cells")) do p[e.attr.Name] = array(e) end
  assert(#p.offsets == cells and #p.types == cells and p.offsets[cells] == #p.connectivity, "cells")
  for i, type in ipairs(p.types) do assert(p.offsets[i] - (p.offsets[i - 1] or 0) == NODES[type], "nodes of a cell") end
  for _, n in ipairs(p.connectivity) do assert(n >= 0 and n < points, "a node that is not there") end
  for _, part in ipairs { { "PointData", p.point, points }, { "CellData", p.cell, cells } } do
    for _, e in ipairs(child(piece, part[1])) do
      local a = array(e)
      assert(#a == a.components * part[3], e.attr.Name)
      part[2][e.attr.Name] = a
    end
  end
  return p
end

--- All points of a file, nodes of several ranks as often as they occur: { x, y, z, [name] = number } for names of scalars.
function vtu.points(path, names)
  local p, list = vtu.read(path), {}
  for i = 1, #p.points // 3 do
    list[i] = { x = p.points[3 * i - 2], y = p.points[3 * i - 1], z = p.points[3 * i] }
    for _, name in ipairs(names) do list[i][name] = p.point[name][i] end
  end
  return list
end

--- The numbers of an array, of points or of cells.
function vtu.array(path, name)
  local p = vtu.read(path)
  return p.point[name] or p.cell[name]
end

--- The names of its arrays, in order of the alphabet: of points, then of cells.
function vtu.names(path)
  local p, list = vtu.read(path), {}
  for k, of in ipairs { p.point, p.cell } do
    list[k] = {}
    for name in next, of do table.insert(list[k], name) end
    table.sort(list[k])
    list[k] = table.concat(list[k], ", ")
  end
  return table.concat(list, "; ")
end

return vtu
