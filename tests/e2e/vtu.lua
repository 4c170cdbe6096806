-- Reads the pictures of a run (VTU, data in base64) as far as tests need them.
local fs = require "gen.util.fs"

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

--- The numbers of a named array of one piece, in order; `kind` as for string.unpack.
local function numbers(piece, name, kind)
  local data = bytes(assert(piece:match('<DataArray[^>]* Name="' .. name .. '"[^>]*>%s*(.-)%s*</DataArray>'), "no array " .. name))
  local size, list = string.packsize(kind), {}
  local length = string.unpack("<I8", data)
  assert(length == #data - 8, "length of " .. name)
  for at = 9, #data, size do list[#list + 1] = (string.unpack(kind, data, at)) end
  return list
end

--- All points of a file, nodes of several ranks as often as they occur: { x, y, z, [name] = number } for names of scalars.
function vtu.points(path, names)
  local list = {}
  for piece in assert(fs.read(path)):gmatch("<Piece.-</Piece>") do
    local X, first = numbers(piece, "Points", "<d"), #list
    for i = 1, #X // 3 do list[first + i] = { x = X[3 * i - 2], y = X[3 * i - 1], z = X[3 * i] } end
    for _, name in ipairs(names) do
      for i, v in ipairs(numbers(piece, name, "<d")) do list[first + i][name] = v end
    end
  end
  return list
end

--- The numbers of an array of the first piece.
function vtu.array(path, name) return numbers(fs.read(path):match("<Piece.-</Piece>"), name, "<d") end

return vtu
