-- The part of carom bench about piles at rest: how the cost of a step grows with the number of contacts.

local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local B = {}

-- the pile of tests/bench/packed_pile.lua with so many spheres: contacts and processor seconds of a step
local function step(spheres, folder)
  local command = fs.command { fs.root .. "/carom", "--no-install", "run", fs.root .. "/tests/bench/packed_pile.lua", "--set",
    "N=" .. spheres, "--json", "--every", "1000000", "--out", folder .. "/pile" }
  local said, code = fs.capture(command .. " 2>/dev/null </dev/null")
  local result = json.read(said)
  if code ~= 0 or not result then errors.environment("%s failed:\n%s", command, said) end
  return result.outputs.contacts, result.cpu_seconds / result.steps
end

function B.run(results, folder)
  local least, first
  for _, spheres in ipairs { 40, 360, 3500, 10000 } do
    local contacts, seconds = step(spheres, folder)
    first = first or seconds / contacts
    least = seconds
    results:add(("pile at rest, %d spheres, %.0f contacts: time of a contact"):format(spheres, contacts), 1e9 * seconds / contacts, "ns")
    if spheres == 3500 then
      results:add("  the same over that of the smallest pile", seconds / contacts / first, "ratio", 1)
    end
  end
  results:add("pile at rest, 10000 spheres: a step", 1e6 * least, "us", 50000)
end

return B
