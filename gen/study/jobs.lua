-- Runs shell commands side by side, as many as there are processors, in a temporary folder.

local fs = require "gen.util.fs"

local jobs = {}

--- Processors of this machine.
function jobs.processors()
  local said = fs.capture("getconf _NPROCESSORS_ONLN 2>/dev/null")
  return math.max(1, math.tointeger(tonumber(said)) or 1)
end

--- Runs every command (a shell text) in `folder`; the first are started first. tick(finished, all) is called after each.
--- Returns the list of their exit codes.
function jobs.run(folder, commands, tick)
  local names, codes, finished = {}, {}, 0
  for i, command in ipairs(commands) do
    names[i] = ("job%d.sh"):format(i)
    fs.need(fs.write(folder .. "/" .. names[i], ("%s\necho %d $?\n"):format(command, i)))
  end
  if #names == 0 then return codes end
  fs.need(fs.write(folder .. "/jobs", table.concat(names, "\n") .. "\n"))
  local pipe = fs.need(io.popen(fs.freed(("cd %s && xargs -n 1 -P %d sh <jobs"):format(fs.quote(folder), jobs.processors())), "r"))
  for line in pipe:lines() do
    local i, code = line:match("^(%d+) (%d+)$")
    if i then
      codes[math.tointeger(tonumber(i))] = math.tointeger(tonumber(code))
      finished = finished + 1
      if tick then tick(finished, #commands) end
    end
  end
  pipe:close()
  for i = 1, #commands do codes[i] = codes[i] or 1 end
  return codes
end

return jobs
