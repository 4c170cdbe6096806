-- carom test: configure, build and run all tests by meson, then count every single check they report.

local args = require "gen.util.args"
local errors = require "gen.cli.errors"
local fs = require "gen.util.fs"
local json = require "gen.util.json"
local text = require "gen.util.text"

local test = {
  name = "test",
  usage = "carom test [NAME]... [--long] [--share X] [--build DIR]",
  summary = "build and run the tests of carom",
  text = [[
NAME is a test or a suite (all when none is given). Needs meson, ninja and check. Ends with a line that counts the
checks: N passed, N failed. The exit code is 0 only when some ran and none failed.

With --long the tests also do what is too slow for every day, without a time limit:

random: a thousand models of each kind drawn from seeds, every law of each, other compilers and sanitizers on some.

fuzz: a million inputs each for problem files, driver options, mesh files and checkpoints (libFuzzer, needs clang), JSON,
command words and model texts; a hundred thousand models broken gently and compiled.

faults, fem_faults: kill -9 at many moments. static: cppcheck, clang-tidy and gcc -fanalyzer over the whole runtime.
oracle, fem_supports: more schemes. warnings: every model with every scheme. determinism: every level of both compilers.
catalogue: every scheme on every model.

All of it takes hours, so name what you want: carom test --long faults static. --share 0.01 makes a hundredth of the counts,
to see that every part works. Single seeds and inputs: tests/random, tests/fuzz; breaking carom itself: tests/mutation.]],
  options = {
    { "--long", text = "also what takes hours" },
    { "--share", value = "X", text = "with --long: this share of its counts, 0 < X <= 1 (default: 1)" },
    { "--build", value = "DIR", text = "build folder (default: build in the project)" },
    { "--verbose", short = "-v", text = "show the output of every test" },
  },
}

-- A step whose output matters only when it fails.
local function quietly(what, command)
  local said, code = fs.capture(command .. " 2>&1 </dev/null")
  return code == 0, ("%s failed:\n%s"):format(what, (said:gsub("%s+$", "")))
end

local function configure(build)
  if fs.exists(build .. "/build.ninja") then return end
  -- -O1 without symbols saves 16 s of compiling; the tests then run 6 s longer
  local words = { "meson", "setup", build, fs.root, "-Doptimization=1", "-Ddebug=false" }
  local good, why = quietly("meson setup", fs.command(words))
  if not good then -- perhaps what is there was left over from another place or another meson
    words[#words + 1] = "--wipe"
    good = quietly("meson setup", fs.command(words))
  end
  if not good then errors.environment("%s", why) end
end

-- The tests that the given names mean; a suite means all of its tests. (meson would intersect suites and names.)
local function selection(build, names)
  local list = json.read((fs.capture(fs.command { "meson", "introspect", build, "--tests" }))) or {}
  local words, chosen, known = {}, {}, {}
  for _, name in ipairs(names) do
    local found = false
    for _, entry in ipairs(list) do
      local mine = entry.name == name
      known[#known + 1] = entry.name
      for _, suite in ipairs(entry.suite) do
        mine = mine or suite:match("[^:]*$") == name
        known[#known + 1] = suite:match("[^:]*$")
      end
      if mine and not chosen[entry.name] then
        chosen[entry.name], words[#words + 1] = true, entry.name
      end
      found = found or mine
    end
    if not found then args.fail("there is no test or suite '%s'%s", name, text.hint(name, known)) end
  end
  return words
end

local function add(count, what)
  count[what] = count[what] + 1
end

--- Counts the TAP lines in one entry of testlog.json into `count` and tells every failure with the comment below it.
--- A test that died counts as one more failure.
function test.count(entry, count, tell)
  local failed_before, telling = count.failed, false
  for line in entry.stdout:gmatch("[^\n]+") do
    telling = telling and line:sub(1, 1) == "#"
    if line:find("^not ok") then
      local expected = line:find("#%s*[Tt][Oo][Dd][Oo]")
      add(count, expected and "skipped" or "failed")
      telling = not expected
      if telling then tell(entry.name .. ":") end
    elseif line:find("^ok") then
      add(count, line:find("#%s*[Ss][Kk][Ii][Pp]") and "skipped" or "passed")
    end
    if telling then tell("  " .. line) end
  end
  if entry.result == "SKIP" and entry.stdout == "" then add(count, "skipped") end
  if entry.result ~= "OK" and entry.result ~= "SKIP" and count.failed == failed_before then
    add(count, "failed")
    tell(("%s: %s"):format(entry.name, entry.result))
  end
end

-- The share of the long counts must be one.
local function check_share(options)
  if not options.share then return end
  local x = tonumber(options.share)
  if not options.long then args.fail("--share is for the long tests; write --long --share %s", options.share) end
  if not x or not (x > 0 and x <= 1) then args.fail("--share %s: write a number above 0 and at most 1, as --share 0.01", options.share) end
end

function test.run(options)
  check_share(options)
  local build = options.build or fs.root .. "/build"
  if not fs.exists(fs.root .. "/meson.build") then
    errors.environment("the tests are part of the source tree; this is an installed carom")
  end
  configure(build)
  local good, why = quietly("building the tests", fs.command { "meson", "compile", "-C", build })
  if not good then
    io.stderr:write(why, "\n")
    print("0 passed, 1 failed")
    return 1
  end
  local log = build .. "/meson-logs/testlog.json"
  os.remove(log)
  local words = { "meson", "test", "-C", build, "--no-rebuild" }
  words[#words + 1] = options.verbose and "--verbose" or "--print-errorlogs"
  local chosen = selection(build, options)
  table.move(chosen, 1, #chosen, #words + 1, words)
  if options.long then
    table.move({ "env", "CAROM_TEST_LONG=" .. (options.share or "1") }, 1, 2, 1, table.move(words, 1, #words, 3))
    table.move({ "--timeout-multiplier", "0" }, 1, 2, #words + 1, words) -- none
  end
  local code = fs.run(fs.command(words))

  local count = { passed = 0, failed = 0, skipped = 0 }
  for line in (fs.read(log) or ""):gmatch("[^\n]+") do
    local entry = json.read(line)
    if entry then test.count(entry, count, print) end
  end
  if code ~= 0 and count.failed == 0 then count.failed = 1 end -- meson itself was not content
  print(("%d passed, %d failed%s"):format(count.passed, count.failed,
    count.skipped > 0 and (", %d skipped"):format(count.skipped) or ""))
  return count.failed == 0 and count.passed > 0 and 0 or 1
end

return test
