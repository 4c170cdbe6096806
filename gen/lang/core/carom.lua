-- What `require "carom"` gives inside a model: carom.model, the functions, pi and sum.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local matrix = require "gen.lang.core.matrix"
local model = require "gen.lang.core.model"
local meant = require "gen.lang.core.meant"
local names = require "gen.lang.core.names"
local polyhedron = require "gen.lang.words.shapes.polyhedron"
local sandbox = require "gen.lang.core.sandbox"
local value = require "gen.lang.core.value"
local words = require "gen.lang.words"

--- Members besides model, for the reference page: name, what it is.
local members = {
  { "pi", "the number 3.14159..." },
  { "sin cos tan asin acos atan", "of an angle in rad; `atan(y, x)` is `atan2(y, x)`" },
  { "exp log sqrt abs sign", "`log` is natural; `sign(0)` is 0" },
  { "sinh cosh tanh", "hyperbolic functions" },
  { "floor ceil", "the next whole number below or above; their derivative is taken as 0, also where they jump" },
  { "atan2 min max hypot", "of two arguments; `hypot(a, b)` is sqrt(a^2 + b^2)" },
  { "fmod", "`fmod(a, b)` is the rest of a/b with the sign of a; its derivative by a is taken as 1, also where it jumps" },
  { "clamp", "`clamp(x, low, high)` is x kept between low and high" },
  { "lt le gt ge", "conditions: `carom.lt(a, b)` is a < b" },
  { "select", "`carom.select(condition, a, b)` is a where the condition holds, else b" },
  { "sum", "`carom.sum { a, b, c }` adds a list; an empty list gives 0" },
}
members[#members + 1] = { "hull", "`carom.hull { points = ..., density = ... }`: mass, inertia and corners of a `polyhedron`" }
for _, member in ipairs(matrix.members) do members[#members + 1] = member end

local function sum(list)
  if not accept.plain_table(list) then fail(sandbox.where(), "sum needs a list; write carom.sum { a, b, c }") end
  local total = 0
  for i = 1, #list do total = total + value.lift(list[i], "entry " .. i .. " of sum") end
  return total
end

--- The library of one model file; state is filled as model.lua describes, state.object becomes the model.
local function library(state)
  local t = { pi = math.pi, sum = sum, hull = polyhedron.hull }
  for name, f in pairs(value.functions) do t[name] = f end
  for name, f in pairs(matrix.functions) do t[name] = f end
  function t.model(...)
    local where = sandbox.where()
    local a = accept.arguments(words.model, table.pack(...), where)
    if state.object then
      fail(where, "a file declares one model; '%s' is already there", model.raw(state.object).name)
    end
    state.object = model.new(a.name, state, where)
    return state.object
  end
  local known = {}
  for name in pairs(t) do known[#known + 1] = name end
  table.sort(known)
  return setmetatable({}, {
    __index = function(_, key)
      if t[key] ~= nil then return t[key] end
      fail(sandbox.where(), "carom has no '%s'; %s", tostring(key), meant.func[key] or names.suggest(key, known, "it has"))
    end,
    __newindex = function() fail(sandbox.where(), "carom cannot be changed; use a local") end,
  })
end

return { library = library, members = members }
