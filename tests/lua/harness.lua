-- The little test runner of the Lua side: named tests, a few assertions, TAP on standard output.
--
-- T.long: `carom test --long` was asked for (CAROM_TEST_LONG is set and not 0), so tests may take their time. The number is the share
-- of the long counts that is made: CAROM_TEST_LONG=0.01 goes through everything with a hundredth of the inputs.
-- T.stop: the first failure ends the program (CAROM_TEST_STOP is set, as tests/mutation does).
local LONG = os.getenv "CAROM_TEST_LONG" or ""
local share = tonumber(LONG) or (LONG == "" and 0 or 1)
local T = { count = 0, failed = 0, long = share > 0, stop = os.getenv "CAROM_TEST_STOP" ~= nil }

--- How many of something to try: `short` every day, `long` in the long run.
function T.many(short, long) return T.long and math.max(1, math.ceil(share * long)) or short end

local function show(x)
  if type(x) == "string" then return string.format("%q", x) end
  if type(x) == "number" then return string.format("%.17g", x) end
  return tostring(x)
end

--- Runs one named test; an error inside it is its failure.
function T.test(name, body)
  T.count = T.count + 1
  local good, why = xpcall(body, function(e)
    if type(e) == "table" and e.message then e = (e.file or "?") .. ":" .. (e.line or "?") .. ": " .. e.message end
    return debug.traceback(tostring(e), 2)
  end)
  if good then
    print(("ok %d - %s"):format(T.count, name))
  else
    T.failed = T.failed + 1
    print(("not ok %d - %s"):format(T.count, name))
    print("# " .. tostring(why):gsub("\n", "\n# "))
    if T.stop then os.exit(1) end
  end
end

--- Says that a test could not be made here, and why.
function T.skip(name, why)
  T.count = T.count + 1
  print(("ok %d - %s # SKIP %s"):format(T.count, name, why))
end

--- Every second of a list, from the first or (turn odd) the second on; all of it in the long run.
function T.half(list, turn)
  if T.long then return list end
  local some = {}
  for i = 1 + (turn or 0) % 2, #list, 2 do some[#some + 1] = list[i] end
  return some
end

--- A test that is too slow for every day: made by `carom test --long`, skipped with a word otherwise.
function T.long_test(name, body)
  if T.long then T.test(name, body) else T.skip(name, "only with carom test --long") end
end

function T.ok(condition, message)
  if not condition then error(message or "condition is false", 2) end
end

function T.eq(actual, expected, message)
  if actual ~= expected then
    error((message and message .. ": " or "") .. "expected " .. show(expected) .. ", got " .. show(actual), 2)
  end
end

function T.near(actual, expected, tolerance, message)
  local off = math.abs(actual - expected)
  if off > tolerance or off ~= off then
    error(("%sexpected %s within %g, got %s (off by %.3g)"):format(message and message .. ": " or "", show(expected),
      tolerance, show(actual), actual - expected), 2)
  end
end

--- The function must raise an error whose text (or .message) matches the pattern.
function T.fails(body, pattern)
  local good, why = pcall(body)
  if good then error("expected an error matching " .. show(pattern), 2) end
  local text = type(why) == "table" and (why.message or "") or tostring(why)
  if not text:find(pattern) then error("error does not match " .. show(pattern) .. ": " .. text, 2) end
  return why
end

function T.finish()
  print("1.." .. T.count)
  os.exit(T.failed == 0 and 0 or 1)
end

return T
