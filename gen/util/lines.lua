-- What the runtime knows, asked at generation: small programs of the cache that print lines of numbers which read back equal.
--   mesh_lines   mesh files and the nearest face (runtime/mesh)
--   slot_lines   where two shapes touch (runtime/shapes)
local fs = require "gen.util.fs"
local program = require "gen.util.program"

local PROGRAMS = {
  mesh_lines = { sources = { "mesh_lines.c", "mesh/cursor.c", "mesh/gmsh.c", "mesh/closest.c", "mesh/shape.c", "mesh/sides.c" },
    headers = { "mesh/cursor.h", "mesh/gmsh.h", "mesh/closest.h", "mesh/shape.h", "mesh/sides.h" } },
  slot_lines = { sources = { "slot_lines.c", "shapes/box.c", "shapes/capsule.c", "shapes/cylinder.c", "shapes/heightfield.c",
      "shapes/patch.c", "shapes/plane.c", "shapes/polygon.c", "shapes/polyhedron.c", "shapes/shapes.c", "shapes/slots.c",
      "shapes/sphere.c" },
    headers = { "shapes/polyhedron.h", "shapes/vector.h", "include/carom/collide.h", "include/carom/geometry.h" } },
}

local kept = {} -- programs where they stay: each is looked for once

local L = {}

--- Runs a program with these words and an input (a text, or nil). Returns a function that gives the next line; or nil and a reason,
-- and true when the reason is the machine and not what was asked (errors do not pass through a model).
function L.of(name, words, input)
  local executable, clean = kept[name], nil
  if not executable then
    local good, made, _, remove, stays = pcall(program.program, name, PROGRAMS[name].sources, PROGRAMS[name].headers)
    if not good then
      if type(made) ~= "table" or not made.environment then error(made, 0) end
      return nil, made.message, true
    end
    executable, kept[name], clean = made, stays and made or nil, not stays and remove or nil
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
