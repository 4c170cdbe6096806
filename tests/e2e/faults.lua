-- What can go wrong around a run: odd names of folders, two processes at once, kill -9, no room, no permission, a decimal comma.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"
local json = require "gen.util.json"

local here = fs.capture("pwd -P"):gsub("\n$", "")
local folder = assert(fs.temporary_dir())
local cache = folder .. "/cache"

-- Standard output, standard error and exit code of carom; `before` stands ahead of the command in the shell.
local function carom(words, before, tree)
  local err = folder .. "/stderr"
  local out, code = fs.capture(("%s CAROM_CACHE=%s %s --no-install %s 2>%s </dev/null"):format(before or "", fs.quote(cache),
    fs.quote((tree or here) .. "/carom"), words, fs.quote(err)))
  return out, assert(fs.read(err)), code
end

local function out(name) return "-o " .. fs.quote(folder .. "/" .. name) end

-- names of files in a folder that are neither whole nor gone
local function leftovers(place)
  local list = {}
  for _, name in ipairs(fs.list(place)) do
    if name:find("%.part$") then list[#list + 1] = name end
  end
  return table.concat(list, " ")
end

local reference
T.test("a run to compare with", function()
  local _, err, code = carom("run zeno_ball -q " .. out "plain")
  T.eq(code, 0, err)
  reference = assert(fs.read(folder .. "/plain/result.csv"))
end)

T.test("a clone, a model, an output folder and a cache with blanks, quotes and umlauts", function()
  local tree = folder .. "/a clöne 'of' mine"
  fs.mkdir(tree)
  fs.run(("cp -R carom gen templates runtime models %s"):format(fs.quote(tree)))
  fs.run(("cp models/zeno_ball.lua %s"):format(fs.quote(folder .. "/meine Kügel.lua")))
  local model, before = fs.quote(folder .. "/meine Kügel.lua"), cache
  cache = folder .. "/zwischen \"ablage\" ü"
  for _, case in ipairs { { "run", "-q" }, { "gen", "-q" }, { "study", "-q --counts 20,40" } } do
    local _, err, code = carom(("%s %s %s %s"):format(case[1], model, out("höher " .. case[1]), case[2]), nil, tree)
    T.eq(code .. err, "0", case[1])
  end
  cache = before
  T.eq(fs.read(folder .. "/höher run/result.csv"), reference)
  T.ok(fs.exists(folder .. "/höher gen/zeno_ball.c") and fs.exists(folder .. "/höher study/study.csv"))
end)

-- The tests themselves, in a place with such a name: quick suites that compile, run and call the launcher.
T.test("suites in a clone with such a name", function()
  local tree = folder .. "/a clöne 'of' mine"
  fs.run(("cp -R tests .luacheckrc meson.build %s"):format(fs.quote(tree)))
  for _, suite in ipairs(T.long and { "e2e/solve", "e2e/rest", "e2e/dense", "e2e/newcomer", "lua/test_launcher", "lua/test_cli" }
    or { "lua/test_cli" }) do
    local said, code = fs.capture(("cd %s && %s tests/%s.lua 2>&1 </dev/null"):format(fs.quote(tree), arg[-1] or "lua5.4", suite))
    T.eq(code, 0, said)
  end
end)

T.test("two processes build and run the same model at once", function()
  local words = {}
  for i = 1, 2 do
    words[i] = ("CAROM_CACHE=%s %s run zeno_ball -q %s & one%d=$!"):format(fs.quote(folder .. "/shared"), fs.quote(here .. "/carom"),
      out("both" .. i), i)
  end
  T.eq(fs.run(table.concat(words, "\n") .. "\nwait $one1 && wait $one2"), 0)
  for i = 1, 2 do T.eq(fs.read(folder .. "/both" .. i .. "/result.csv"), reference) end
end)

T.test("three processes write into the same folder", function()
  local words = {}
  for i = 1, 3 do
    words[i] = ("CAROM_CACHE=%s %s %s zeno_ball -q %s & one%d=$!"):format(fs.quote(folder .. "/shared"), fs.quote(here .. "/carom"),
      i == 3 and "gen" or "run", out "same", i)
  end
  T.eq(fs.run(table.concat(words, "\n") .. "\nwait $one1 && wait $one2 && wait $one3"), 0)
  T.eq(fs.read(folder .. "/same/result.csv"), reference)
  T.eq(leftovers(folder .. "/same"), "")
end)

-- Kills a command after a while; the next one must neither trip over what is left nor give something else.
local function killed(words, seconds)
  fs.run(("CAROM_CACHE=%s timeout -s KILL %s %s %s >/dev/null 2>&1"):format(fs.quote(folder .. "/killed"), seconds,
    fs.quote(here .. "/carom"), words))
end

local function kills(count)
  local before = cache
  cache = folder .. "/killed"
  for i = 1, count do
    killed("run zeno_ball -q " .. out "murder", ("%.3f"):format(0.02 + 0.6 * i / count))
    killed("gen zeno_ball -q " .. out "murder_gen", ("%.3f"):format(0.02 + 0.2 * i / count))
    local whole = fs.read(folder .. "/murder/result.csv")
    T.ok(not whole or whole == reference, "half a result under its name")
  end
  local _, err, code = carom("run zeno_ball -q " .. out "murder")
  cache = before
  T.eq(code, 0, err)
  T.eq(fs.read(folder .. "/murder/result.csv"), reference)
end
T.test("killed at three moments", function() kills(3) end)

-- A study is many runs: their results are not told from those of a study that was left alone (but for processor times).
local function study_of(name)
  local text = fs.read(folder .. "/" .. name .. "/study.csv")
  return text and text:gsub(",[^,\n]*(,[^,\n]*\n)", "%1") -- cpu seconds stand last but one
end
local function study_kills(count)
  local words, before = "study zeno_ball -q --counts 20,40,80 ", cache
  local _, err, code = carom(words .. out "study")
  T.eq(code, 0, err)
  local whole = study_of "study"
  for i = 1, count do
    cache = folder .. "/killed_study" .. i -- an empty one
    fs.run(("CAROM_CACHE=%s timeout -s KILL %.3f %s %s >/dev/null 2>&1"):format(fs.quote(cache), 0.1 + 1.5 * i / count,
      fs.quote(here .. "/carom"), words .. out "study_killed"))
    local left = study_of "study_killed"
    T.ok(not left or left == whole, "half a study under its name")
  end
  cache = before
  _, err, code = carom(words .. out "study_killed")
  T.eq(code, 0, err)
  T.eq(study_of "study_killed", whole)
end
T.test("a study killed at two moments", function() study_kills(2) end)
T.long_test("a study killed at fifty moments", function() study_kills(50) end)
T.long_test(("killed at %d moments"):format(T.many(100, 100)), function() kills(T.many(100, 100)) end)

T.test("no room: a message, code 3, nothing under its name", function()
  local _, err, code = carom("run zeno_ball -q " .. out "full", "ulimit -f 8;")
  T.eq(code, 3, err)
  T.ok(err:find("cannot write", 1, true) and err:find("File too large", 1, true), err)
  T.ok(not fs.exists(folder .. "/full/result.csv"))
  T.eq(leftovers(folder .. "/full"), "")
  local answer
  answer, err, code = carom("gen zeno_ball " .. out "full_gen", "ulimit -f 4;")
  T.eq(code .. answer, "3", err)
  T.ok(err:find("nothing written", 1, true), err)
  T.eq(table.concat(fs.list(folder .. "/full_gen")), "")
end)

T.test("a name that is a folder, a folder that is a file", function()
  fs.mkdir(folder .. "/taken/result.csv")
  local answer, err, code = carom("run zeno_ball --json " .. out "taken")
  T.eq(code, 3, err)
  T.eq(json.read(answer).status, "error")
  assert(fs.write(folder .. "/file", "mine"))
  for _, command in ipairs { "run", "gen" } do
    _, err, code = carom(command .. " zeno_ball " .. out "file/below")
    T.eq(code, 3, err)
    T.ok(not err:find("internal error", 1, true), err)
  end
  T.eq(fs.read(folder .. "/file"), "mine")
end)

-- A locale with a decimal comma: one of this machine, or made here where the tool and its sources are. Only a program that asks for it
-- gets it, so the host program of a driver does.
local function decimal_comma()
  local found = fs.capture("locale -a 2>/dev/null"):match("de_DE[^\n]*")
  if found then return "LC_ALL=" .. found end
  if fs.run(("localedef -i de_DE -f UTF-8 %s >/dev/null 2>&1"):format(fs.quote(folder .. "/de_DE.UTF-8"))) == 0 then
    return ("LOCPATH=%s LC_ALL=de_DE.UTF-8"):format(fs.quote(folder))
  end
end
local comma = decimal_comma()
if comma then
  T.test("a locale with a decimal comma changes nothing", function()
    local _, err, code = carom("run zeno_ball -q --step 9.828009828009828e-3 " .. out "comma", comma)
    T.eq(code, 0, err)
    T.eq(fs.read(folder .. "/comma/result.csv"), reference)
    T.ok(not fs.read(folder .. "/comma/report.txt"):find("%d,%d%d%d"))
    assert(fs.write(folder .. "/lcp.dat", "n 2\nM\n2 0.5\n0.5 2\nq\n-5.25 -6.5\n"))
    local said
    said, err, code = carom("solve --json " .. fs.quote(folder .. "/lcp.dat"), comma)
    T.eq(code, 0, err)
    T.ok(json.read(said).residual < 1e-9, said)
  end)
  T.test("nor in a host program that took it", function()
    local dir = folder .. "/host"
    local _, err, code = carom(("gen zeno_ball -q -o %s"):format(fs.quote(dir)))
    T.eq(code, 0, err)
    assert(fs.write(dir .. "/host.c", '#include "zeno_ball.h"\n#include <carom/driver.h>\n#include <locale.h>\n#include <stdio.h>\n'
      .. 'int main(int argc, char **argv)\n{\n    char text[8] = "";\n    setlocale(LC_ALL, "");\n'
      .. '    snprintf(text, sizeof text, "%.1f", 0.5);\n    if (text[1] != \',\') { return 77; }\n'
      .. "    return carom_drive(zeno_ball_model(), argc, argv);\n}\n"))
    T.eq(fs.run(("cd %s && gcc -std=c11 -ffp-contract=off -I. -I%s/runtime/include host.c zeno_ball.c "
      .. "%s/runtime/driver/*.c %s/runtime/mesh/shape.c -o host -lm"):format(fs.quote(dir), fs.quote(here), fs.quote(here),
      fs.quote(here))), 0)
    local said
    said, code = fs.capture(("cd %s && %s ./host --step 9.828009828009828e-3 --until 4 --result r.csv --json"):format(fs.quote(dir),
      comma))
    T.eq(code, 0, said)
    T.eq(fs.read(dir .. "/r.csv"), reference)
    T.near(json.read(said).t, 4, 1e-12)
  end)
else
  T.skip("a locale with a decimal comma changes nothing", "there is no de_DE, and no localedef to make it")
end

fs.remove_tree(folder)
T.finish()
