-- examples/cortex_m where its tools are: floats on a Cortex-M4F agree with doubles on a Cortex-M7, on a stack of 4 KB. What its README
-- shows is run by docs.lua; here is the rest of its table.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local S = require "tests.e2e.support"
local fs = require "gen.util.fs"

local function run(dir, model, real, machine, words, variables)
  S.command(("cd %s && %s ./build.sh %s %s %s %s"):format(dir, variables or "", model, real, machine, words))
  local said = S.command(("cd %s && ./run.sh %s %s %s"):format(dir, model, real, machine))
  local result = { q = {} }
  for name, value in said:gmatch "(%a+) (%-?[%d.]+)\n" do
    if name == "q" then table.insert(result.q, tonumber(value)) else result[name] = tonumber(value) end
  end
  T.ok(#result.q > 0 and result.stack and result.instructions, said)
  return result
end

local function agree(model, words, stack)
  local dir = S.place "clone" .. "/examples/cortex_m"
  assert(fs.mkdir(dir))
  S.command(("ln -s %s/carom %s/../../carom && cp %s/examples/cortex_m/*.* %s"):format(fs.quote(S.here), dir, fs.quote(S.here), dir))
  local narrow = run(dir, model, "float", "m4", words)
  local wide = run(dir, model, "double", "m7", words, "STACK=" .. stack)
  for i, q in ipairs(wide.q) do T.near(narrow.q[i], q, 1e-3) end
  T.ok(narrow.stack <= 4096 and narrow.frame <= 2048, ("stack %d, frame %d"):format(narrow.stack, narrow.frame))
  T.ok(narrow.t == wide.t or math.abs(narrow.t - wide.t) < 1e-6 * wide.t)
end

if S.has "arm-none-eabi-gcc" and S.has "qemu-system-arm" then
  T.test("slider_crank with friction: float on a Cortex-M4F within 4 KB of stack, as double on a Cortex-M7", function()
    agree("slider_crank", "2000 1e-5 --set friction=0.1", 4096)
  end)
  T.long_test("arm7: the same", function() agree("arm7", "2000 1e-3", 8192) end)
else
  T.skip("float on a Cortex-M4F, double on a Cortex-M7", "arm-none-eabi-gcc or qemu-system-arm is not here")
end

S.finish()
