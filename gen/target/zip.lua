-- A zip archive as text: files stored as they are, in the order given, without dates, so that the same files give the same bytes.
local Z = {}

local crc_table = {}
for i = 0, 255 do
  local c = i
  for _ = 1, 8 do c = c & 1 == 1 and 0xEDB88320 ~ (c >> 1) or c >> 1 end
  crc_table[i] = c
end

--- CRC-32 of a text, as zip wants it.
function Z.crc(text)
  local c = 0xFFFFFFFF
  for i = 1, #text do c = crc_table[(c ~ text:byte(i)) & 0xFF] ~ (c >> 8) end
  return c ~ 0xFFFFFFFF
end

local DATE = 0x21 -- the first day that zip knows

--- The archive of files { name =, text = }.
function Z.store(files)
  local parts, directory, at = {}, {}, 0
  for _, file in ipairs(files) do
    local common = string.pack("<I2I2I2I2I2I4I4I4I2I2", 20, 0x0800, 0, 0, DATE, Z.crc(file.text), #file.text, #file.text, #file.name, 0)
    local entry = "PK\3\4" .. common .. file.name .. file.text
    -- made by Unix, so that the mode of the file counts: rw-r--r--
    directory[#directory + 1] = "PK\1\2" .. string.pack("<I2", 0x0314) .. common
      .. string.pack("<I2I2I2I4I4", 0, 0, 0, 0x81A40000, at) .. file.name
    parts[#parts + 1] = entry
    at = at + #entry
  end
  local list = table.concat(directory)
  return table.concat(parts) .. list .. "PK\5\6" .. string.pack("<I2I2I2I2I4I4I2", 0, 0, #files, #files, #list, at, 0)
end

return Z
