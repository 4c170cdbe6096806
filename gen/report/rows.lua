-- The rows of a result that a report shows: runtime/sample.c picks them, evenly and wherever a contact changes.
local fs = require "gen.util.fs"
local program = require "gen.util.program"

local R = {}

local VALUES = 60000 -- numbers in a report, about
local LEAST, MOST = 150, 3000 -- rows

--- The rows of a run in its folder.
function R.path(folder)
  return folder .. (fs.exists(folder .. "/result.npy") and "/result.npy" or "/result.csv")
end

-- The names in the head of an .npy file (runtime/driver/npy.h), and how its numbers are packed; none: it is no such file.
local function npy_names(file)
  local names, packed = {}, "<d"
  local magic, version = ("c6 B x"):unpack(file:read(8) or ("\0"):rep(8))
  if magic ~= "\x93NUMPY" then return names end
  local digits = version == 1 and 2 or 4
  local size = ("<I" .. digits):unpack(file:read(digits) or ("\0"):rep(digits))
  for name, order in (file:read(size) or ""):gmatch "%('([^']+)', '([<>])f8'%)" do names[#names + 1], packed = name, order .. "d" end
  return names, packed
end

--- The names in the head of a result; or nil and why.
function R.names(path)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local names = {}
  if path:find "%.npy$" then
    names = npy_names(file)
  else
    for name in (file:read "l" or ""):gmatch "[^,]+" do names[#names + 1] = name end
  end
  file:close()
  if names[1] ~= "t" then return nil, path .. " is not a result of carom run" end
  return names
end

--- The numbers of the last row, as far as they can be read.
function R.last(path)
  local file, list = io.open(path, "rb"), {}
  if not file then return list end
  if path:find "%.npy$" then
    local names, packed = npy_names(file)
    file:seek("end", -8 * #names)
    for k in ipairs(names) do list[k] = packed:unpack(file:read(8)) end
    file:close()
    return list
  end
  local size = file:seek "end"
  file:seek("set", math.max(0, size - (1 << 21))) -- more than a row of very many columns has
  local line = ("\n" .. file:read "a"):match "^.*\n([^\n]+)\n*$" -- from the end: without ^ each character would be tried as its first
  file:close()
  for word in (line or ""):gmatch "[^,]+" do list[#list + 1] = tonumber(word) or 0 end
  return list
end

--- Gives { names, columns (lists of numbers), rows (how many), total (in the file), events (in the file) }; or nil and why.
--- keep(name): is this column wanted? (default: all)
function R.read(path, keep)
  local all, why = R.names(path)
  if not all then return nil, why end
  local names, at = {}, {}
  for k, name in ipairs(all) do
    if k == 1 or not keep or keep(name) then names[#names + 1], at[k] = name, #names + 1 end
  end
  local executable, _, clean = program.program("sample", { "sample.c", "driver/npy.c", "driver/digits.c" },
    { "driver/npy.h", "driver/digits.h" })
  local most = math.max(LEAST, math.min(MOST, VALUES // #names))
  local text, code = fs.capture(fs.command { executable, path, ("%d"):format(most) })
  clean()
  local total, events, from = text:match "^(%d+) (%d+)\n[^\n]*\n()"
  if code ~= 0 or not total then return nil, "cannot read " .. path end
  local columns, n = {}, 0
  for k = 1, #names do columns[k] = {} end
  for line in text:sub(from):gmatch "[^\n]+" do
    n = n + 1
    local k = 0
    for word in line:gmatch "[^,]+" do
      k = k + 1
      if at[k] then columns[at[k]][n] = tonumber(word) or 0 / 0 end
    end
  end
  if n == 0 then return nil, path .. " has no rows" end
  return { names = names, columns = columns, rows = n, total = tonumber(total), events = tonumber(events) }
end

return R
