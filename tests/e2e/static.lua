-- Static checks: shellcheck, cppcheck and gcc's analyzer over the launcher, the runtime and a sample of emitted C (luacheck is in
-- tests/lua/test_house.lua). A tool that is not here is skipped with a word; `carom test --long` takes all of the runtime.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local function check(name, tool, body)
  if S.has(tool) then T.test(name, body) else T.skip(name, tool .. " is not installed") end
end

local function sources(folders)
  local list = {}
  for _, folder in ipairs(folders) do
    for _, name in ipairs(fs.list(folder)) do
      if name:find("%.c$") then list[#list + 1] = S.here .. "/" .. folder .. "/" .. name end
    end
  end
  return list
end

local runtime = T.long and sources { "runtime", "runtime/driver", "runtime/friction", "runtime/bulk" }
  or sources { "runtime", "runtime/driver" }
local emitted = {}
for _, case in ipairs { { "slider_crank", "D-:M=2" }, { "bouncing_ball", "moreau-jean:theta=0.5" } } do
  local unit = S.unit(case[1], case[2])
  emitted[#emitted + 1] = S.write(unit) .. "/" .. unit.name .. ".c"
end

-- what a tool says about each file; nothing is what it must say
local function silent(command, files)
  for _, file in ipairs(files) do
    local said = fs.capture(("cd %s && %s -I%s -I%s %s 2>&1 </dev/null"):format(fs.quote(S.folder), command,
      fs.quote(S.here .. "/runtime/include"), fs.quote(fs.parent(file)), fs.quote(file)))
    T.eq(said, "", file)
  end
end

check("shellcheck: the launcher", "shellcheck", function() S.command("shellcheck carom") end)

local CPPCHECK = "cppcheck -q --std=c11 --enable=warning,portability --inline-suppr"
check("cppcheck: the runtime", "cppcheck", function() silent(CPPCHECK, runtime) end)
check("cppcheck: emitted C", "cppcheck", function() silent(CPPCHECK, emitted) end)

local ANALYZER = "gcc -std=c11 -fanalyzer -o analyzed.o -c"
check("gcc -fanalyzer: the runtime", "gcc", function() silent(ANALYZER, runtime) end)
check("gcc -fanalyzer: emitted C", "gcc", function() silent(ANALYZER, emitted) end)

S.finish()
