-- The C that is emitted is clean under strict warnings: every model with each family; unrolled, each key meets a third of the
-- models, in turn.
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

-- every family, every key with each of its choices, lowest and highest degree
local schemes = {
  "moreau-jean", "moreau-jean:theta=0", "moreau-jean:theta=1,gamma=1,projection=off", "moreau-jean:mass=end,projection=on",
  "moreau-jean:stages=fixed-point", "schatzman-paoli", "schatzman-paoli:theta=0,stages=fixed-point", "D-:M=0", "D+:M=0",
  "D-:M=1", "D-:M=2,projection=on", "D-:M=3,impact=literal", "D-:M=4,stages=fixed-point", "D-:M=8,quadrature=lobatto",
  "D-:M=1,impact=split", "D-:M=3,quadrature=lobatto,impact=split,projection=on,dense=on",
  "D+:M=1", "D+:M=2,stages=fixed-point", "D+:M=3,quadrature=lobatto,projection=on", "D-:M=1,adaptive=on",
  "moreau-jean:adaptive=on,dense=on", "alpha",
}
-- coupled stages of the looped form: fixed point is the default
local looped_schemes = {
  "moreau-jean", "moreau-jean:theta=0,projection=on", "moreau-jean:mass=end,stages=newton", "schatzman-paoli",
  "schatzman-paoli:theta=0,stages=newton", "D-:M=0", "D-:M=1", "D-:M=2,projection=on", "D-:M=3,impact=literal",
  "D-:M=1,impact=split,projection=on", "D+:M=2,stages=newton", "alpha:projection=on",
}

-- every model is checked with these; the others go round
local plain = { ["moreau-jean"] = true, ["schatzman-paoli"] = true, ["D-:M=1"] = true, ["D+:M=1"] = true }

-- large models take seconds to generate: they are checked with the sample of optimised builds only, arm7 by trees.lua
local large = { billiard = true, box_tumble = true, gripper = true }
local piles = { box_stack = true, domino = true, sphere_pile = true }
local elsewhere = { arm7 = true }
for name in pairs(piles) do elsewhere[name] = true end
-- as straight code this one needs more memory than a model may have
local looped_only = { brick_wall = true }

-- friction is refused by some schemes and by the looped form, laws of contact by some schemes, piles by all but one family, in a sentence
local function may_refuse(message, scheme, form)
  if message:find("contacts_among", 1, true) then return true end
  local law = message:match "^contact '[^']+' has ([%w_, ]+): "
  if law and law ~= "friction" then return true end
  if form == "looped" or scheme:find("^schatzman") then return message:find("has friction") end
  return scheme:find("impact=literal") and message:find("has friction")
end

-- header and source of a unit alone; the carom headers are those of the runtime, which every folder gets as copies
local function write_own(unit, dir)
  for _, file in ipairs(unit.files) do
    if file.name == unit.name .. ".c" or file.name == unit.name .. ".h" then
      local out = assert(io.open(dir .. "/" .. unit.name .. file.name:sub(-2), "wb"))
      out:write(file.text)
      out:close()
    end
  end
end

-- the same unit is asked for by gcc and by clang, and at several levels
local made = {}
local function unit_of(model, scheme, form)
  local key = ("%s %s %s"):format(model, scheme, form)
  if not made[key] then
    local good, unit = pcall(S.unit, model, scheme, { form = form })
    made[key] = { good, good and { name = unit.name, files = unit.files } or unit }
  end
  return table.unpack(made[key])
end

-- Models with one scheme, checked by one call of the compiler; with `turn` every third, beginning there.
local function check_all(cc, flags, scheme, form, turn)
  local dir, sources = S.place "strict", {}
  for i, model in ipairs(models) do
    local here = not elsewhere[model] and (form == "looped" or not looped_only[model])
    if here and (not large[model] or flags == "-O2") and (not turn or (i + turn) % 3 == 0) then
      local good, unit = unit_of(model, scheme, form)
      if good then
        write_own(unit, dir)
        sources[#sources + 1] = model .. ".c"
      else
        T.ok(type(unit) == "table" and unit.carom and may_refuse(unit.message, scheme, form),
          model .. ": " .. tostring(type(unit) == "table" and unit.message or unit))
      end
    end
  end
  T.ok(#sources >= (turn and 4 or 13), "only " .. #sources .. " models were generated")
  S.command(("cd %s && %s -std=c11 %s %s -I. -I%s/runtime/include -c %s"):format(dir, cc, S.strict, flags, fs.quote(S.here),
    table.concat(sources, " ")))
end

for k, scheme in ipairs(schemes) do
  local turn = not plain[scheme] and k or nil
  T.test(("strict warnings, unrolled, %s, %s"):format(turn and "models in turn" or "every model", scheme), function()
    check_all("gcc", "-fsyntax-only", scheme, "unrolled", turn)
  end)
end
for _, scheme in ipairs(looped_schemes) do
  T.test("strict warnings, looped, every model, " .. scheme, function() check_all("gcc", "-fsyntax-only", scheme, "looped") end)
end
T.test("strict warnings with -O2, piles", function()
  local dir = S.place "strict"
  for _, model in ipairs(models) do
    if piles[model] then
      write_own(S.unit(model, "moreau-jean"), dir)
      S.command(("cd %s && gcc -std=c11 %s -O2 -I. -I%s/runtime/include -c %s.c"):format(dir, S.strict, fs.quote(S.here), model))
    end
  end
end)
-- -Wmaybe-uninitialized and its kin need the optimiser, and differ from level to level
for _, sample in ipairs { { "D+:M=2", "-O1", "unrolled" }, { "D-:M=2,projection=on", "-O2", "unrolled" },
  { "moreau-jean:projection=on", "-O3", "unrolled" }, { "D-:M=2", "-O2", "looped" } } do
  T.test(("strict warnings with %s, %s, every model, %s"):format(sample[2], sample[3], sample[1]), function()
    check_all("gcc", sample[2], sample[1], sample[3])
  end)
end
for _, sample in ipairs { { "D+:M=2", "unrolled" }, { "moreau-jean:mass=end,projection=on", "unrolled" },
  { "schatzman-paoli", "unrolled" }, { "D-:M=2,projection=on", "looped" } } do
  local name = ("strict warnings of clang, %s, every model, %s"):format(sample[2], sample[1])
  if S.has "clang" then
    T.test(name, function() check_all("clang", "-fsyntax-only", sample[1], sample[2]) end)
  else
    T.skip(name, "no clang")
  end
end

S.finish()
