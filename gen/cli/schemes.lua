-- carom schemes: the catalogue of schemes.

local model = require "gen.cli.model"

local schemes = {
  name = "schemes",
  usage = "carom schemes",
  summary = "the catalogue of integration schemes",
  text = "A scheme is written family:key=value,key=value; keys that are left out have the defaults listed.",
  options = {},
}

function schemes.run()
  for i, entry in ipairs(model.pipeline().catalogue()) do
    if i > 1 then print() end
    print(entry.name)
    for line in entry.text:gsub("\n$", ""):gmatch("([^\n]*)\n?") do
      if line ~= "" then print("  " .. line) end
    end
  end
  return 0
end

return schemes
