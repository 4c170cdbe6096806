-- The C that is emitted is clean under strict warnings: every model with each family, the keys in turn.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"
local lang = require "gen.lang.core.load"

-- meshes have a test of their own (fem_small.lua): most are too large for this form
local models = {}
for _, name in ipairs(lang.known(".")) do
  if not lang.find(name, "."):find("/fem/", 1, true) then models[#models + 1] = name end
end

-- Every family with its keys, each with each of its choices, lowest and highest degree. A model meets every third family; which of the
-- words of a family it meets goes round, so that every word meets several models. The long run makes every pair.
local straight = {
  { "moreau-jean", "moreau-jean:theta=0", "moreau-jean:theta=1,gamma=1,projection=off", "moreau-jean:mass=end,projection=on",
    "moreau-jean:stages=fixed-point", "moreau-jean:adaptive=on,dense=on" },
  { "schatzman-paoli", "schatzman-paoli:theta=0,stages=fixed-point" },
  { "D-:M=0", "D-:M=1", "D-:M=2,projection=on", "D-:M=3,impact=literal", "D-:M=4,stages=fixed-point", "D-:M=1,adaptive=on" },
  { "D-:M=1,impact=split,adaptive=on", "D-:M=3,quadrature=lobatto,impact=split,projection=on,dense=on", "D-:M=8,quadrature=lobatto",
    "alpha" },
  { "D+:M=0", "D+:M=1", "D+:M=2,stages=fixed-point", "D+:M=3,quadrature=lobatto,projection=on" },
}
-- coupled stages of the looped form: fixed point is the default
local looped = {
  { "moreau-jean", "moreau-jean:theta=0,projection=on", "moreau-jean:mass=end,stages=newton" },
  { "schatzman-paoli", "schatzman-paoli:theta=0,stages=newton" },
  { "D-:M=0", "D-:M=1", "D-:M=2,projection=on", "D-:M=3,impact=literal" },
  { "D-:M=1,impact=split,projection=on", "D+:M=2,stages=newton", "alpha:projection=on" },
}

-- large models take seconds to generate: they are checked at the end only, arm7 by trees.lua
local large = { billiard = true, box_tumble = true, gripper = true }
local piles = { box_stack = true, domino = true, masonry = true, sphere_pile = true }
local elsewhere = { arm7 = true }
for name in pairs(piles) do elsewhere[name] = true end
-- as straight code this one needs more memory than a model may have
local looped_only = { brick_wall = true }

-- friction is refused by some schemes and by the looped form, laws of contact by some schemes, piles by all but one family, in a sentence
local function may_refuse(message, scheme, form)
  if message:find("contacts_among", 1, true) or message:find("contacts that are found", 1, true) then return true end
  local law = message:match "^contact '[^']+' has ([%w_, ]+): "
  if law and law ~= "friction" then return true end
  if form == "looped" or scheme:find("^schatzman") then return message:find("has friction") end
  return scheme:find("impact=literal") and message:find("has friction")
end

-- header and source of a unit alone; the carom headers are those of the runtime, which every folder gets as copies
local function write_own(unit, dir)
  for _, file in ipairs(unit.files) do
    if file.name == unit.name .. ".c" or file.name == unit.name .. ".h" then assert(fs.write(dir .. "/" .. file.name, file.text)) end
  end
end

-- Writes a model with a scheme into a folder; whether it could be made.
local function write_unit(model, scheme, form, dir)
  local good, unit = pcall(S.unit, model, scheme, { form = form })
  if good then
    write_own(unit, dir)
  else
    T.ok(type(unit) == "table" and unit.carom and may_refuse(unit.message, scheme, form),
      model .. ": " .. tostring(type(unit) == "table" and unit.message or unit))
  end
  return good
end

local function here(model, form) return not elsewhere[model] and (form == "looped" or not looped_only[model]) end

local function compile(cc, flags, dir, sources)
  S.command(("cd %s && %s -std=c11 %s %s -I. -I%s/runtime/include -c %s"):format(dir, cc, S.strict, flags, fs.quote(S.here),
    table.concat(sources, " ")))
end

-- Every model with one word of a family, the next for the next model; one call of each compiler for each word of the family.
-- -Wmaybe-uninitialized and its kin need the optimiser and differ from level to level: every fifth is compiled, at one level in turn.
local LEVELS = { "-O2", "-O1", "-O3" }
local function check_family(family, form, turn)
  local sources, dirs, optimised, made = {}, {}, {}, 0
  for k, scheme in ipairs(family) do
    sources[scheme], dirs[scheme] = {}, S.place "strict"
    for i, model in ipairs(models) do
      local its_turn = (i + turn) % #family == k - 1 and (i // #family + turn) % 3 == 0
      if here(model, form) and not large[model] and (T.long or its_turn)
        and write_unit(model, scheme, form, dirs[scheme]) then
        table.insert(sources[scheme], model .. ".c")
        made = made + 1
        if made % 5 == 0 then table.insert(optimised, { scheme, model .. ".c" }) end
      end
    end
    T.ok(#sources[scheme] > 0, "no model was generated with " .. scheme)
    compile("gcc", "-fsyntax-only", dirs[scheme], sources[scheme])
    if S.has "clang" then compile("clang", "-fsyntax-only", dirs[scheme], sources[scheme]) end
  end
  for i, pair in ipairs(optimised) do compile("gcc", LEVELS[1 + i % #LEVELS], dirs[pair[1]], { pair[2] }) end
end

for _, case in ipairs { { "unrolled", straight }, { "looped", looped } } do
  local form, families = table.unpack(case)
  for turn, family in ipairs(families) do
    T.test(("strict warnings, %s, every model with one of %s"):format(form, table.concat(family, " ")),
      function() check_family(family, form, turn) end)
  end
end

-- one scheme each: they take seconds
T.test("strict warnings with -O2, large models and piles", function()
  local dir, sources = S.place "strict", {}
  for model, scheme in pairs { billiard = "D-:M=2", box_tumble = "D-:M=2,projection=on", gripper = "D+:M=2", box_stack = "moreau-jean",
    domino = "moreau-jean", masonry = "moreau-jean", sphere_pile = "moreau-jean" } do
    write_own(S.unit(model, scheme), dir)
    sources[#sources + 1] = model .. ".c"
  end
  compile("gcc", "-O2", dir, sources)
end)

S.finish()
