-- The part of carom bench about trees of links: how long the equations of an arm of seven joints are, how long it takes to
-- generate and to compile it.

local build = require "gen.cli.build"
local fs = require "gen.util.fs"
local pipeline = require "gen.pipeline"

local B = {}

-- what recursive Newton-Euler and composite bodies take for an arm of seven joints when written plainly
local PLAIN = 2351

-- the same arm without any zero to spare: oblique axes and mountings, full inertias
local oblique = [[
local carom = require "carom"
local m = carom.model "oblique"
m:gravity(0, 0, -9.81)
local link
for i = 1, 7 do
  link = m:link("joint" .. i, { parent = link, joint = "revolute", axis = { 1, 2, 3 }, rotation = { axis = { 1, 2, -1 }, angle = 0.1 * i },
    at = { 0.1, 0.2, 0.3 }, mass = i, center = { 0.1, -0.2, 0.3 }, inertia = { { 3, 0.1, 0.2 }, { 0.1, 2, 0.3 }, { 0.2, 0.3, 4 } } })
end
return m
]]

--- time_of(command, before) gives the best wall time of a command.
function B.run(results, folder, time_of)
  for _, case in ipairs { { "arm7", pipeline.load "arm7" }, { "oblique arm", pipeline.load("oblique.lua", { text = oblique }) } } do
    local count = pipeline.compile(case[2], { scheme = "D-:M=1" }):dynamics()
    results:add(("operations of M and h, %s"):format(case[1]), count / PLAIN, "ratio", 1.2,
      ("%d; recursive Newton-Euler written plainly %d"):format(count, PLAIN))
  end
  local dir = folder .. "/arm7"
  local gen = fs.command { fs.root .. "/carom", "--no-install", "gen", "arm7", "--scheme", "D-:M=1", "-q", "-o", dir }
  results:add("carom gen arm7", time_of(gen, "rm -rf " .. fs.quote(dir)), "s", 2)
  results:add("compiling arm7.c", time_of(("%s -I%s -c %s -o %s"):format((build.compiler()), fs.quote(dir), fs.quote(dir .. "/arm7.c"),
    fs.quote(folder .. "/arm7.o"))), "s", 5)
end

return B
