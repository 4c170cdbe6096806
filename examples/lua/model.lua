-- A library of carom gen --target lib as objects of Lua: variables of the model are fields of a run of it.
-- LuaJIT calls the library through its ffi, plain Lua through the module that flat.c becomes.
local flat = rawget(_G, "jit") and require "flat_ffi" or require "flat"

local KIND = { parameter = 1, input = 2, output = 3, position = 4, velocity = 5, gap = 6, impulse = 7, force = 8 }
local SUFFIX = { gap = ".gap", impulse = ".impulse", force = ".force" }
local ORDER = { "position", "velocity", "gap", "impulse", "force", "output", "input", "parameter" }

--- The model of a library: a function that begins a run, given parameters and inputs that are not the model's own.
return function(path)
  local lib = flat(path)
  local reference, settable = { t = 0 }, {}
  for _, kind in ipairs(ORDER) do
    for i = 0, lib.count(KIND[kind]) - 1 do
      local name = lib.name(KIND[kind], i) .. (SUFFIX[kind] or "")
      reference[name] = reference[name] or 1000000 * KIND[kind] + i
      if kind == "parameter" or kind == "input" then settable[name] = 1000000 * KIND[kind] + i end
    end
  end
  local function check(status) if status ~= 0 then error(lib.text(status), 3) end end

  local handle, methods, run = {}, {}, {}
  --- Steps of h until t.
  function methods:run(t, h) check(lib.run(self[handle], t, h)) return self end
  --- One step of h.
  function methods:step(h) check(lib.step(self[handle], h)) return self end
  function run:__index(name)
    if methods[name] then return methods[name] end
    if not reference[name] then error(("there is no variable '%s'"):format(tostring(name)), 2) end
    return lib.get(self[handle], reference[name])
  end
  function run:__newindex(name, value)
    if not settable[name] then error(("'%s' is not a parameter or an input"):format(tostring(name)), 2) end
    check(lib.set(self[handle], settable[name], value))
  end
  return function(values)
    local self = setmetatable({ [handle] = lib.new() }, run)
    for name, value in pairs(values or {}) do self[name] = value end -- each alone: the order does not matter
    check(lib.start(self[handle]))
    return self
  end
end
