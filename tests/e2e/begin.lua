-- How one begins: carom new, carom check --draw and what it foresees.
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "tests.e2e.large"

local carom = large.carom

local function new(name, words) return carom(("new %s/%s %s"):format(S.folder, name, words or "")) end

-- piles and meshes are run by examples/pile and examples/mesh_contact
T.test("carom new writes a mechanism that runs and moves", function()
  for kind, until_time in pairs(T.long and { mechanism = 0.4, pile = 0.05, mesh = 0.015 } or { mechanism = 0.4 }) do
    local out, err, code = new("my_" .. kind, "--kind " .. kind)
    T.eq(code, 0, err)
    T.ok(out:find("carom run " .. S.folder, 1, true), out)
    out, err, code = carom(("run %s/my_%s.lua --until %g --json --out %s"):format(S.folder, kind, until_time, large.out()))
    T.eq(code, 0, err)
    local said = json.read(out)
    T.eq(said.status, "ok")
    if kind ~= "pile" then T.ok(said.counts.events > 0, kind .. " touches something") end
  end
end)

T.test("carom new does not overwrite, and knows its kinds", function()
  assert(fs.write(S.folder .. "/mine.lua", "-- mine\n"))
  local _, err, code = new "mine.lua"
  T.eq(code, 2)
  T.ok(err:find "is there already", err)
  T.eq(fs.read(S.folder .. "/mine.lua"), "-- mine\n")
  _, err, code = new("other", "--kind mehs")
  T.eq(code, 2)
  T.ok(err:find "did you mean 'mesh'", err)
  _, err, code = new "two-words"
  T.eq(code, 2)
  T.ok(err:find "the name 'two%-words'", err)
end)

-- two rods say twice that x is y; the contact is closed; lengths have no unit
local FORESEEN = [[
local m = require("carom").model "foreseen"
local x = m:coordinate("x", { initial = 0 })
local y = m:coordinate("y", { unit = "m", initial = 0 })
m:kinetic_energy((x.dot^2 + y.dot^2) / 2)
m:constraint("first", x - y)
m:constraint("second", 2 * x - 2 * y)
m:contact("floor", { gap = y })
m:run { until_time = 1, step = 1e-3, scheme = "moreau-jean" }
return m
]]

T.test("carom check foresees steps that are too long, where constraints leave a mechanism free", function()
  local path = S.folder .. "/stiff.lua"
  for _, case in ipairs { { "1e8 * x^2 / 2", "y", "1e+04" }, { "1e8 * (x - y)^2 / 2", "x - y" },
    { "1e8 * (x + y)^2 / 2", "x - y", "1e+04" } } do
    assert(fs.write(path, ([[
local m = require("carom").model "stiff"
local x = m:coordinate("x", { unit = "m" })
local y, z = m:coordinate("y", { unit = "m" }), m:coordinate("z", { unit = "m" })
m:kinetic_energy((x.dot^2 + 3 * y.dot^2 + z.dot^2) / 2)
m:potential_energy(%s)
m:constraint("first", %s)
m:constraint("again", 2 * z)
m:constraint("once_more", z)
m:run { until_time = 1, step = 1e-3, scheme = "D-:M=1" }
return m
]]):format(case[1], case[2])))
    local out, err, code = carom("check " .. path)
    T.eq(code, 0, err)
    local said = out:match "warning +the step 0.001 is too long: .- omega = ([%d.e+-]+)"
    T.eq(said, case[3], case[1])
  end
end)

T.test("carom check foresees closed contacts, constraints that say the same, missing units", function()
  local path = S.folder .. "/foreseen.lua"
  assert(fs.write(path, FORESEEN))
  local out, err, code = carom("check " .. path)
  T.eq(code, 0, err)
  T.ok(out:find "note +contact floor starts closed", out)
  T.ok(out:find "note +1 constraint is said already by others at the start: second;", out)
  T.ok(not out:find "note +constraint", "told once")
  T.ok(out:find "note +no unit is given for x;", out)
  out = carom "check slider_crank"
  T.ok(not out:find "note ", out)
end)

T.test("carom check --draw shows the start", function()
  local out, err, code = carom(("check %s/gen/../models/box_tumble.lua --draw"):format(S.here), "cd " .. S.here .. " &&")
  T.eq(code, 0, err)
  T.ok(out:find "to look at +out/box_tumble/start.html", out)
  local page = fs.read "out/box_tumble/start.html"
  local run = json.read(page:match "\nconst RUN = (.-);\nRUN%.scene%.pose")
  T.eq(run.rows, 1)
  T.eq(run.scene.items[1].kind, "box")
  T.ok(page:find("as it is at the start", 1, true), "it says so")
  os.remove "out/box_tumble/start.html"
end)

T.test("carom check --draw shows meshes, undeformed", function()
  for words, seen in pairs { ["dropped_block --set n=4"] = { 98, 192, 3 }, sliding_block_fem = { nil, nil, 2 } } do
    local out, err, code = carom(("check %s --draw"):format(words), "cd " .. S.here .. " &&")
    local name = words:match "^%S+"
    T.eq(code, 0, out .. err)
    local page = fs.read("out/" .. name .. "/start.html")
    local run = json.read(page:match "\nconst RUN = (.-);\nRUN%.scene%.pose")
    T.eq(run.scene.dimension, seen[3])
    T.eq(#run.skin.t .. " " .. run.skin.off, "1 0")
    T.eq(run.skin.nodes, seen[1] or run.skin.nodes)
    T.eq(#run.skin.corners, 8 * (seen[2] or #run.skin.corners / 8)) -- three numbers of two bytes are eight letters
    os.remove("out/" .. name .. "/start.html")
  end
end)

S.finish()
