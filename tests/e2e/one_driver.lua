-- One driver for all back ends: states that are saved and gone on with, to the same bits; the same columns, keys, words and exit codes
-- with and without PETSc.
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local large = require "tests.e2e.large"

local carom, run = large.carom, large.run

local PILE = "sphere_pile --set N=6 --step 2e-3 --until %s"

-- What a state must carry: friction and history of contacts, two steps back, events on the way, the length of the next step, tables, cells.
for _, case in ipairs {
  { "slider_crank --scheme moreau-jean:theta=0.5 --step 1e-4 --until %s", "0.0203", "0.04" },
  { "impacting_oscillator --scheme schatzman-paoli --step 5e-3 --until %s", "1.1", "2" },
  { "bouncing_ball --scheme capture:rk=dopri5 --step 0.1 --until %s", "1", "2" },
  { "forced_pendulum --scheme D-:M=1,adaptive=on --step 0.1 --until %s", "1", "2" },
  { "bead_column --form looped --step 1e-3 --until %s", "0.1", "0.2" },
  { "impacting_bar --set n=8 --path small --until %s", "3e-4", "6e-4" },
  { PILE, "0.1", "0.2" },
} do
  T.test("saved and gone on with: " .. case[1], function()
    local _, whole, dir = run(case[1]:format(case[3]))
    local state = S.folder .. "/state"
    local _, _, half = run((case[1] .. " --checkpoint %s"):format(case[2], state))
    local out, err, code = carom(("run %s --resume %s --out %s --json"):format(case[1]:format(case[3]), state, half))
    T.eq(code, 0, out .. err)
    T.eq(fs.read(half .. "/result.csv"), fs.read(dir .. "/result.csv"))
    local rest = json.read(out)
    for _, key in ipairs { "t", "steps" } do T.eq(rest[key], whole[key], key) end
    for key, count in pairs(whole.counts) do T.eq(rest.counts[key], count, key) end
  end)
end

T.test("gone on with at its end, a run has nothing to do and keeps its last row", function()
  local state, words = S.folder .. "/end", "bouncing_ball --step 1e-3 --until 0.1 --every 7"
  local _, _, dir = run(("%s --checkpoint %s"):format(words, state))
  local rows = fs.read(dir .. "/result.csv")
  local longer = "bouncing_ball --step 1e-3 --until 0.2 --every 7"
  local out, err, code = carom(("run %s --resume %s --out %s"):format(words, state, dir))
  T.eq(code, 0, out .. err)
  T.eq(fs.read(dir .. "/result.csv"), rows)
  out, err, code = carom(("run %s --resume %s --out %s"):format(longer, state, dir))
  T.eq(code, 0, out .. err)
  T.eq(fs.read(dir .. "/result.csv"), fs.read(select(3, run(longer)) .. "/result.csv"))
end)

T.test("a state is refused by another scheme, form, constant or parameter, and when it is damaged", function()
  local state, words = S.folder .. "/ball", "run bouncing_ball --step 1e-3 --until 0.1"
  T.eq(select(3, carom(("%s --checkpoint %s --out %s"):format(words, state, large.out()))), 0)
  local text = fs.read(state)
  assert(fs.write(S.folder .. "/torn", text:sub(1, -2)))
  assert(fs.write(S.folder .. "/rotten", text:sub(1, 200) .. string.char(text:byte(201) ~ 4) .. text:sub(202)))
  for _, case in ipairs {
    { state .. " --scheme D-:M=2", "belongs to another model or scheme" },
    { state .. " --form looped", "belongs to another model or scheme" },
    { state .. " --set mass=2", "has mass = 1, this run has 2" },
    { state .. " --set q=2", "other initial values or inputs" },
    { state .. " --step 2e-3", "has step 0.001, this run has 0.002; say --step 0.001" },
    { S.folder .. "/torn", "is not a whole checkpoint" },
    { S.folder .. "/rotten", "is damaged" },
    { S.folder .. "/none", "cannot read the checkpoint" },
  } do
    local dir = large.out()
    local _, err, code = carom(("%s --out %s --resume %s"):format(words, dir, case[1]))
    T.eq(code, 2, case[1])
    T.ok(err:find(case[2], 1, true), err)
    T.ok(not fs.exists(dir), "nothing is written")
  end
end)

-- keys of an object, those of objects in it as KEY.key
local function keys(object, prefix, list)
  list = list or {}
  for key, value in pairs(object) do
    list[(prefix or "") .. key] = true
    if type(value) == "table" then keys(value, (prefix or "") .. key .. ".", list) end
  end
  return list
end

if large.here then
  local BAR = "impacting_bar --set n=8 --until 6e-4 --path "

  T.test("the same columns and keys with and without PETSc, but for those that runtime/driver/README.md gives a reason for", function()
    local _, small, one = run(BAR .. "small")
    local _, petsc, two = run(BAR .. "petsc")
    local function head(dir) return fs.read(dir .. "/result.csv"):match "[^\n]*" end
    T.eq(head(one), head(two))
    local reasons = fs.read(S.here .. "/runtime/driver/README.md"):match "## The same everywhere(.*)## Checkpoints"
    local a, b, differ = keys(small), keys(petsc), 0
    for _, pair in ipairs { { a, b }, { b, a } } do
      for key in pairs(pair[1]) do
        if not pair[2][key] then
          differ = differ + 1
          T.ok(reasons:find("`" .. key .. "`", 1, true), key .. " is on one path only, without a reason")
        end
      end
    end
    T.eq(differ, 13) -- all that the page lists
  end)

  T.test("the same words and exit codes for the same mistakes", function()
    local state = S.folder .. "/bar.state"
    T.eq(select(3, carom(("run %ssmall --out %s --checkpoint %s"):format(BAR, large.out(), state))), 0)
    for _, case in ipairs { { "--resume /nowhere", 2 }, { "--resume " .. state .. " --step 1e-7", 2 },
      { "--until 1e-4 --step 1e-300 --every 1", 2 }, { "--checkpoint /nowhere/state", 3 } } do
      local said = {}
      for i, path in ipairs { "small", "petsc" } do
        local _, err, code = carom(("run %s%s %s --out %s --quiet"):format(BAR, path, case[1], large.out()))
        T.eq(code, case[2], case[1] .. err)
        said[i] = err:match "carom: error: [^\n]*"
      end
      if not case[1]:find(state, 1, true) then T.eq(said[1], said[2]) end
    end
    -- a state says which path it is of
    local bar, half = "impacting_bar --set n=8 --step 1e-6 --until %s", large.out()
    local whole = json.read((carom(("run %s --path petsc --out %s --json"):format(bar:format "1.3e-3", large.out()))))
    T.eq(select(3, carom(("run %s --path petsc --out %s"):format(bar:format "1.2e-3", half))), 0)
    bar = bar:format "1.3e-3"
    local out, err, code = carom(("run %s --resume %s/checkpoint --out %s --json"):format(bar, half, half))
    T.ok(code == 0 and json.read(out).solver, out .. err)
    T.eq(json.read(out).deformation.bar.strain, whole.deformation.bar.strain, "the greatest strain was before that")
    out, err, code = carom(("run %s --path small --resume %s/checkpoint --out %s"):format(bar, half, half))
    T.eq(code, 2, out)
    T.ok(err:find("is of a run on PETSc; take the same --path", 1, true), err)
  end)
else
  T.skip("columns and keys with and without PETSc", "PETSc is not here")
end

S.finish()
