-- Hostile inputs: some in the normal suite, a million each in the long run (carom test --long; a hundred thousand where what is
-- a model is also compiled to C).
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local build = require "tests.fuzz.build"
local fs = require "gen.util.fs"
local texts = require "tests.fuzz.texts"

for _, case in ipairs { { "json", 5000 }, { "words", 5000 }, { "model", 400 }, { "compile", 120, 100000 } } do
  local count = T.many(case[2], case[3] or 1000000)
  T.test(("%d broken texts: %s"):format(count, case[1]), function()
    local told = {}
    local _, bad = texts.run(case[1], count, { seed = T.long and 7 or 1, tell = function(text) told[#told + 1] = text end })
    T.ok(bad == 0, table.concat(told, "\n"))
  end)
end

if build.can "mesh" then
  T.test("5000 inputs from libFuzzer: mesh", function()
    local folder = assert(fs.temporary_dir())
    local good, said = build.run("mesh", 5000, { folder = folder })
    fs.remove_tree(folder)
    T.ok(good, said)
  end)
else
  T.skip("inputs from libFuzzer: mesh", "clang absent")
end

for _, target in ipairs(build.targets) do
  if build.can(target) then
    T.test("in step with what it reads: " .. target, function() T.ok(build.compiles(target)) end)
  else
    T.skip("in step with what it reads: " .. target, "clang or PETSc absent")
  end
  local count = T.many(0, 1000000)
  T.long_test(("%s inputs from libFuzzer: %s"):format(T.long and count or "a million", target), function()
    if not build.can(target) then return end
    local good, said = build.run(target, count, {})
    T.ok(good, said)
  end)
end

T.finish()
