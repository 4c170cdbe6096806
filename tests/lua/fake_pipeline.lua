-- A stand-in for gen.pipeline in tests of the command line: knows one model, the hand-made integrator of
-- tests/fake_model.c. Use: lua5.4 -l tests.lua.fake_pipeline gen/cli/main.lua WORDS...

local fs = require "gen.util.fs"

local pipeline = {}

function pipeline.load(name, options)
  if name == "broken" then error({ carom = true, file = "broken.lua", line = 7, message = "no mass; write one" }, 0) end
  if name == "buggy" then error("a fault of carom") end
  return {
    name = "fake", files = { "models/fake model.lua" },
    parameters = { { name = "limit", value = 1e9 }, { name = "delay", value = 0 } },
    constants = { { name = "N", value = options.set.N or 3 } },
    inputs = { { name = "push", value = 0 } },
    coordinates = { { name = "x", q = {}, initial = {} } }, rotations = {}, terms = {}, constraints = {}, contacts = {}, outputs = {},
    time = {}, pictured = { { name = "x", drawn = { line = { {}, {} } } } }, file = "models/fake model.lua",
    run = name == "timeless" and {} or { until_time = 1, step = 0.25 },
    exact = function(t, p) return { x = 1 + 0.5 * t + (p.delay > 0 and 1 or 0), ["x.dot"] = 0.5 } end,
  }
end

function pipeline.compile(model, options)
  local function text(name) return assert(fs.read("tests/" .. name)) end
  local unit = {
    name = "fake", scheme = options.scheme or "none", digest = "0", sources = { "fake.c" },
    files = {
      { name = "fake.h", text = '#include "fake_model.h"\n' },
      { name = "fake_model.h", text = text "fake_model.h" },
      { name = "fake.c", text = ("/* N = %d */\n"):format(model.constants[1].value) .. text "fake_model.c" },
      { name = "carom/status.h", text = assert(fs.read("runtime/include/carom/status.h")) },
    },
    summary = { { label = "coordinates", text = "1" }, { label = "warning", text = "none" } },
  }
  if options.scheme == "badc" then unit.files[3].text = "#error on purpose\n" end
  function unit.dump(_, stage) return "stage " .. stage end
  return unit
end

function pipeline.catalogue()
  return { { name = "D-", text = "first line\nsecond line" }, { name = "moreau-jean", text = "theta" } }
end

package.preload["gen.pipeline"] = function() return pipeline end

return pipeline
