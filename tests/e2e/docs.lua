-- Runs what the documentation shows. In README.md and in the README.md of every example
--   ```sh          is run by sh, in order, in a folder that is empty but for `carom` (or holds a copy of the example);
--                  every command must succeed;
--   ```LANG NAME   is saved as the file NAME;
--   ```output      after a ```sh block is what it prints; `...` stands for anything in a line, alone for any lines.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local fs = require "gen.util.fs"

local here = (fs.capture("pwd -P"):gsub("\n$", ""))
local folder = assert(fs.temporary_dir())

-- The fenced blocks of a page: { info =, text =, line = }.
local function blocks(path)
  local list, open, number = {}, nil, 0
  for line in (assert(fs.read(path)) .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    local info = line:match("^```(.*)$")
    if info and open then
      open.text = table.concat(open, "\n") .. "\n"
      list[#list + 1], open = open, nil
    elseif info then
      open = { info = info, line = number + 1 }
    elseif open then
      open[#open + 1] = line
    end
  end
  T.ok(not open, path .. ": a block is not closed")
  return list
end

-- An expected output as a pattern.
local function pattern_of(text)
  local lines = {}
  for line in text:gmatch("([^\n]*)\n") do
    if line == "..." then
      lines[#lines + 1] = ".-"
    else
      local escaped = line:gsub("%%", "%%%%"):gsub("%.%.%.", "\0"):gsub("[%^%$%(%)%.%[%]%*%+%-%?]", "%%%0")
      lines[#lines + 1] = escaped:gsub("%z", "[^\n]-") .. "\n"
    end
  end
  return "^" .. table.concat(lines) .. "$"
end

-- What is running is not run once more.
local function without_test(script)
  return (("\n" .. script):gsub("\n%./carom test *%f[\n]", "\n"):sub(2))
end

-- the flags with which the other suites keep PETSc's part of the runtime; bits do not depend on them
local variables = "CAROM_NO_INSTALL=1 CAROM_CFLAGS=-O1 LC_ALL=C"

-- What the commands of a block say, on both channels, and the exit code.
local function run(place, script)
  assert(fs.write(folder .. "/block.sh", "set -e\n" .. without_test(script)))
  return fs.capture(("cd %s && %s sh %s 2>&1 </dev/null"):format(fs.quote(place), variables, fs.quote(folder .. "/block.sh")))
end

-- Follows one page in `place`; returns what every block said.
local function follow(page, place)
  local said, all = nil, {}
  for _, block in ipairs(blocks(page)) do
    local where = page .. ":" .. block.line
    local _, name = block.info:match("^(%w+) ([%w_.]+)$")
    if name then
      assert(fs.write(place .. "/" .. name, block.text))
    elseif block.info == "sh" then
      local code
      said, code = run(place, block.text)
      all[#all + 1] = said
      T.ok(code == 0, ("%s: exit code %d from\n%s\n%s"):format(where, code, block.text, said))
    elseif block.info == "output" then
      T.ok(said, where .. ": no commands before this output")
      T.ok(said:find(pattern_of(block.text)), ("%s: shown\n%s\nsaid\n%s"):format(where, block.text, said))
    end
  end
  T.ok(#all > 0, page .. " has no commands")
  return table.concat(all, "\n")
end

-- A folder with `carom` in it, as a clone has.
local function clone(name)
  local place = folder .. "/" .. name
  assert(fs.mkdir(place))
  assert(fs.run(("ln -s %s %s"):format(fs.quote(here .. "/carom"), fs.quote(place .. "/carom"))) == 0)
  return place
end

T.test("the pages' own rules: patterns and blocks", function()
  T.ok(("a 1.5 b\nx\ny\nend\n"):find(pattern_of "a ... b\n...\nend\n"))
  T.ok(("[1] (2) 50%\n"):find(pattern_of "[1] (2) 50%\n"))
  T.ok(not ("a\nb\n"):find(pattern_of "a\n"))
  T.ok(not ("abc\n"):find(pattern_of "a.c\n"))
  T.eq(without_test "./carom run x\n./carom test\necho\n", "./carom run x\n\necho\n")
  T.eq(without_test "./carom tests\n", "./carom tests\n")
end)

T.test("README.md, literally, from an empty folder", function()
  local place = clone "readme"
  local said = follow("README.md", place)
  T.ok(fs.exists(place .. "/out/zeno_ball/result.csv"))
  T.ok(fs.exists(place .. "/out/soft_wall/result.csv"))
  T.ok(fs.exists(place .. "/pendulum/README.md"))
  T.ok(said:find("wrong%.lua:14: error: "), "the mistake is not told")
  T.ok(said:find('"scheme":"moreau-jean:theta=0.5","status":"ok"', 1, true), said)
end)

T.test("gen/study/README.md, literally", function() follow("gen/study/README.md", clone "studies") end)

-- what a page shows as a command is one that a test here follows
local FOLLOWED = { ["README.md"] = true, ["gen/study/README.md"] = true }
T.test("no page of the site shows a command in a block that is not run", function()
  local site = assert(fs.read "gen/site/site.lua")
  for page in site:gmatch '{ "([%w_/]+%.md)", "' do
    for _, block in ipairs(blocks(page)) do
      for line in block.text:gmatch "[^\n]+" do
        local command = line:find "^[./]*carom [%l-]" or line:find "^lua5?%.?4? " or line:find "^np[mx] " or line:find "^make"
        T.ok(not command or block.info == "sh" and FOLLOWED[page], ("%s:%d: %s"):format(page, block.line, line))
      end
    end
  end
end)

local _, no_petsc = fs.capture "pkg-config --exists PETSc 2>/dev/null"
local have_petsc = no_petsc == 0

-- programs that some examples need beside carom and a C compiler
local NEEDS = { cortex_m = { "arm-none-eabi-gcc", "qemu-system-arm" }, embed_cmake = { "cmake", "g++" },
  fmu = { "unzip" }, python = { "python3" }, julia = { "julia" }, lua = { "luajit", "lua5.4", "pkg-config --exists lua5.4" } }
local function missing(name)
  for _, program in ipairs(NEEDS[name] or {}) do
    local ask = program:find " " and program or "command -v " .. program
    if fs.run(ask .. " >/dev/null 2>&1") ~= 0 then return program end
  end
end

for _, name in ipairs(fs.list("examples")) do
  local page = "examples/" .. name .. "/README.md"
  if name == "large_mesh" and not have_petsc then
    T.skip(page .. ", literally", "PETSc absent (libpetsc-real-dev)")
  elseif missing(name) then
    T.skip(page .. ", literally", missing(name) .. " is not here")
  elseif fs.is_dir("examples/" .. name) then
    T.test(page .. ", literally", function()
      T.ok(fs.exists(page), "an example needs a README.md")
      local place = clone("clone_" .. name)
      local target = place .. "/examples/" .. name
      assert(fs.mkdir(target))
      for _, file in ipairs(fs.list("examples/" .. name)) do
        local path = "examples/" .. name .. "/" .. file
        if file ~= "out" then fs.run(("cp -Rp %s %s"):format(fs.quote(path), fs.quote(target .. "/" .. file))) end
      end
      follow(page, target)
      if name == "own_model" then
        T.ok(fs.exists(target .. "/out/no_rebound/result.csv"))
      end
    end)
  end
end

fs.remove_tree(folder)
T.finish()
