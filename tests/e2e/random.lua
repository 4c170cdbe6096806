-- Random models in the normal suite: a hundred, with a few laws each; thousands with all laws, other compilers and the
-- sanitizers in the long run (carom test --long; see tests/random/run.lua for single seeds).
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local B = require "tests.random.probe"
local M = require "tests.random.run"

-- first seed and number in the normal run, by kind; there the costly laws take turns
local SHORT = { planar = { 1, 40 }, space = { 1, 20 }, free = { 1, 10 }, pile = { 1, 15 }, mesh = { 1, 15 } }

local function report(seed, found)
  local words = {}
  for i, f in ipairs(found) do
    words[i] = ("%s: %s\n%s"):format(f.law, f.wrong, M.text(f.case))
  end
  T.ok(#found == 0, ("seed %d (lua5.4 tests/random/run.lua --seed %d --count 1)\n%s"):format(seed, seed, table.concat(words, "\n")))
end

for _, kind in ipairs(M.KINDS) do
  local first, count = table.unpack(SHORT[kind] or {})
  if T.long then first, count = 1, T.many(count, 1000) end
  if first then
    T.test(("%d random models, %s"):format(count, kind), function()
      local run = 0
      for seed = first, first + count - 1 do
        local found, status
        if T.long then
          found, status = M.try(seed, { kind = kind, compilers = seed % 20 == 0 and B.compilers or nil, petsc = B.has_petsc })
        else
          found, status = M.try(seed, { kind = kind, laws = M.some(seed, 1) })
        end
        if status ~= "refused" then run = run + 1 end
        report(seed, found)
      end
      T.ok(count < 20 or run >= 0.7 * count, ("only %d of %d models could be run"):format(run, count))
    end)
  end
end

B.finish()
T.finish()
