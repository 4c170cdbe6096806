-- Random models: draws them from seeds, compiles and runs each in several ways, and says where two ways to the same motion differ.
--
--   lua5.4 tests/random/run.lua --seed 17 --count 3000 [--kind planar] [--family D-] [--law NAME | --some N] [--sample N] [--petsc N]
--     [--out DIR] [--stop | --whole] [--show]
--
-- A seed always gives the same model. One that fails is shrunk, parts left out one by one while it fails in the same way, and
-- written to DIR (out/random) with the command that repeats it. --sample N tries other compilers and the sanitizers on every
-- N-th model, --petsc N puts every N-th mesh on PETSc; --some N tries N of the costly laws on each model, in turn; --stop ends
-- with the first failure, --whole does not shrink.
package.path = "./?.lua;" .. package.path
local B = require "tests.random.probe"
local L = require "tests.random.laws"
local R = require "tests.random.prng"
local S = require "tests.random.scheme"
local W = require "tests.random.writer"
local fs = require "gen.util.fs"

local KINDS = { "planar", "space", "free", "pile", "mesh" }
local makers = {}
for _, kind in ipairs { "planar", "space", "pile", "mesh" } do makers[kind] = require("tests.random." .. kind).make end
function makers.free(r, limits)
  limits.free = true
  return makers.planar(r, limits)
end

-- lengths and numbers of steps, where impacts would be rare or waves too fast with the usual ones
local STEP, STEPS = { pile = { 2e-3, 5e-3 }, mesh = { 5e-4, 1e-3, 2e-3 } }, { pile = { 40, 80 }, mesh = { 20, 40 } }

local M = { KINDS = KINDS }

--- The case of a seed: always the same.
function M.draw(seed, kind, family)
  local r = R.new(seed)
  kind = kind or R.new(seed + 1000003):pick(KINDS)
  local scheme = S.draw(r, kind, family)
  local limits = { rough = scheme.family ~= "schatzman-paoli" and S.value(scheme, "impact") ~= "literal"
    and (kind ~= "mesh" or scheme.family == "moreau-jean"),
    hits = scheme.family == "capture" }
  local parts = makers[kind](r, limits)
  return L.Case.new { seed = seed, kind = kind, scheme = scheme, parts = parts,
    run = { step = r:pick(STEP[kind] or { 1e-3, 2e-3, 5e-3, 1e-2 }), steps = r:pick(STEPS[kind] or { 20, 40, 80 }) } }
end

local function attempt(check, case)
  local good, wrong = xpcall(check, function(e) return type(e) == "table" and e or debug.traceback(tostring(e), 2) end, case)
  if good then return wrong end
  if L.refused(wrong) then return nil, wrong.message end
  return type(wrong) == "string" and wrong or tostring(wrong)
end

--- Leaves out parts (and what needs them) while the law is still broken in the same way.
function M.shrink(case, check)
  local function without(parts, dropped)
    local gone, rest = { [dropped] = true }, {}
    for _, part in ipairs(parts) do
      for _, needed in ipairs(part.needs or {}) do if gone[needed] then gone[part] = true end end
      if not gone[part] then rest[#rest + 1] = part end
    end
    return rest
  end
  local again = true
  while again do
    again = false
    for i = #case.parts, 1, -1 do
      local rest = without(case.parts, case.parts[i])
      if #rest > 0 then
        local smaller = L.Case.new { seed = case.seed, kind = case.kind, scheme = case.scheme, parts = rest, run = case.run }
        if attempt(check, smaller) then
          case, again = smaller, true
          break
        end
      end
    end
  end
  return case
end

-- laws that need a second model; the others are always tried
local COSTLY = { "form", "pair by pair", "copies", "other units", "mirror image", "order of declaration", "time shift", "plan" }

--- A set of laws for a seed: all cheap ones and n of the costly, in turn.
function M.some(seed, n)
  local set = {}
  for _, law in ipairs(L.list) do set[law.name] = true end
  for i, name in ipairs(COSTLY) do set[name] = (seed * n + i) % #COSTLY < n end
  return set
end

--- The text of a case.
function M.text(case)
  return (W.model(case.parts, {}, { step = case.run.step, steps = case.run.steps, scheme = S.text(case.scheme, {}) }))
end

--- Tries one seed. options: kind, family, law (one) or laws (a set), compilers (a list, or nil), whole (do not shrink).
-- Returns a list of { law, wrong, case }, the status of the run, why it was refused, the case, and where one of two equal models gave up.
function M.try(seed, options)
  local found, given_up = {}, {}
  local case = M.draw(seed, options.kind, options.family)
  local wrong, why = attempt(function(c) c:base() end, case)
  for _ = 1, 6 do -- a key that this model does not read is refused: leave it out
    local key = why and (why:match("^scheme '.-': (%w+)=%S+ is not read") or why:match("has no key '(%w+)'"))
    if not key then break end
    for i = #case.scheme.keys, 1, -1 do if case.scheme.keys[i][1] == key then table.remove(case.scheme.keys, i) end end
    wrong, why = attempt(function(c) c:base() end, case)
  end
  if why then return found, "refused", why, case end
  local function note(name, check, what)
    local small = options.whole and case or M.shrink(case, check)
    found[#found + 1] = { law = name, wrong = attempt(check, small) or what, case = small, first = what }
  end
  if wrong then
    note("generate", function(c) c:base() end, wrong)
    return found, "broken", nil, case
  end
  for _, law in ipairs(L.list) do
    local wanted = (not options.law or options.law == law.name) and (not options.laws or options.laws[law.name])
    if wanted and (not law.when or law.when(case)) then
      case.gave_up = nil
      wrong = attempt(law.check, case)
      if wrong then note(law.name, law.check, wrong) end
      for _, what in ipairs(case.gave_up or {}) do given_up[#given_up + 1] = law.name .. ": " .. what end
    end
  end
  if options.compilers then
    local function check(c) return L.compilers(c, options.compilers) end
    wrong = attempt(check, case)
    if wrong then note("compilers", check, wrong) end
  end
  if options.petsc and case.kind == "mesh" then
    wrong = attempt(L.petsc, case)
    if wrong then note("petsc", L.petsc, wrong) end
  end
  return found, "status " .. case:base().result.status, nil, case, given_up
end

local function main(words)
  local options = { seed = 1, count = 100, sample = 0, out = "out/random" }
  local i = 1
  while i <= #words do
    local key = words[i]:match("^%-%-(%w+)$")
    if key == "stop" or key == "whole" or key == "show" then
      options[key] = true
      i = i + 1
    else
      assert(key and words[i + 1], "tests/random/run.lua: cannot read " .. words[i])
      options[key] = tonumber(words[i + 1]) or words[i + 1]
      i = i + 2
    end
  end
  local counts, broken, uneven, tried, hit, schemes = {}, 0, 0, 0, 0, {}
  for seed = options.seed, options.seed + options.count - 1 do
    local sampled = options.sample > 0 and seed % options.sample == 0
    local found, status, why, case, given_up = M.try(seed, { kind = options.kind, family = options.family,
      law = options.law, whole = options.whole or options.stop,
      laws = options.some and M.some(seed, options.some), compilers = sampled and B.compilers or nil,
      petsc = B.has_petsc and options.petsc and seed % options.petsc == 0 })
    counts[status] = (counts[status] or 0) + 1
    schemes[case.scheme.family] = (schemes[case.scheme.family] or 0) + 1
    if why and options.show then print(("%d refused: %s (%s)"):format(seed, why, S.text(case.scheme, {}))) end
    if not why and options.show then print(("%d %s %s"):format(seed, status, S.text(case.scheme, {}))) end
    for _, what in ipairs(given_up or {}) do
      uneven = uneven + 1
      print(("note - seed %d, %s, %s"):format(seed, S.text(case.scheme, {}), what))
    end
    for _, f in ipairs(found) do
      broken = broken + 1
      local text = M.text(f.case)
      fs.mkdir(options.out)
      local file = ("%s/%d_%s.lua"):format(options.out, seed, f.law:gsub("%W", "_"))
      assert(fs.write(file, ("-- seed %d, law: %s\n-- %s\n-- lua5.4 tests/random/run.lua --seed %d --count 1%s --law '%s'\n%s"):format(seed,
        f.law, tostring(f.wrong):gsub("\n", "\n-- "), seed, options.kind and " --kind " .. options.kind or "", f.law, text)))
      print(("not ok - seed %d, %s, %s: %s (%s)"):format(seed, S.text(f.case.scheme, {}), f.law, tostring(f.wrong):sub(1, 400), file))
      io.stdout:flush()
    end
    tried = tried + 1
    if tried % 20 == 0 then
      print(("# %d tried, %d with impacts"):format(tried, hit))
      io.stdout:flush()
    end
    if not why and status ~= "broken" and (case:base().result.events or 0) > 0 then hit = hit + 1 end
    if options.stop and broken > 0 then break end
  end
  local list = {}
  for status, n in pairs(counts) do list[#list + 1] = status .. ": " .. n end
  for family, n in pairs(schemes) do list[#list + 1] = family .. " " .. n end
  table.sort(list)
  print(("%d models (%s), %d with impacts, %d laws broken, %d times only one of two equal models gave up"):format(tried,
    table.concat(list, ", "), hit, broken, uneven))
  B.finish()
  os.exit(broken == 0 and 0 or 1)
end

if arg and arg[0] and arg[0]:find("random/run%.lua$") then main(arg) end
return M
