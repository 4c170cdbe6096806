-- What the runtime knows of meshes (runtime/mesh), asked at generation: runtime/mesh_lines.c, a small program of the cache that prints
-- lines of numbers which read back equal.
local fs = require "gen.util.fs"
local program = require "gen.util.program"

local SOURCES = { "mesh_lines.c", "mesh/cursor.c", "mesh/gmsh.c", "mesh/closest.c", "mesh/shape.c", "mesh/sides.c" }
local HEADERS = { "mesh/cursor.h", "mesh/gmsh.h", "mesh/closest.h", "mesh/shape.h", "mesh/sides.h" }

local kept -- the program, where it stays: it is looked for once

local L = {}

--- Runs the program with these words and an input (a text, or nil). Returns a function that gives the next line; or nil and a reason,
-- and true when the reason is the machine and not what was asked (errors do not pass through a model).
function L.of(words, input)
  local executable, clean = kept, nil
  if not executable then
    local good, made, _, remove, stays = pcall(program.program, "mesh_lines", SOURCES, HEADERS)
    if not good then
      if type(made) ~= "table" or not made.environment then error(made, 0) end
      return nil, made.message, true
    end
    executable, kept, clean = made, stays and made or nil, not stays and remove or nil
  end
  local file = input and os.tmpname()
  if file and not fs.write(file, input) then return nil, "cannot write " .. file, true end
  local text, code = fs.capture(("%s %s <%s 2>/dev/null"):format(fs.quote(executable), fs.command(words), fs.quote(file or "/dev/null")))
  if file then os.remove(file) end
  if clean then clean() end
  if code == 1 then return nil, (text:gsub("%s+$", "")) end
  if code ~= 0 then
    return nil, ("%s ended with code %d; set CAROM_CACHE to a folder where programs may run"):format(executable, code), true
  end
  return text:gmatch "([^\n]*)\n"
end

--- The numbers of a line.
function L.numbers(line)
  local row = {}
  for word in line:gmatch "%S+" do row[#row + 1] = tonumber(word) end
  return row
end

return L
