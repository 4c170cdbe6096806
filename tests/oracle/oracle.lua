-- Compiled integrators held against the interpreter of their plan. O.compare runs both and says how far they are apart.
local I = require "tests.oracle.interpret"
local Model = require "tests.oracle.model"
local S = require "tests.e2e.support"
local split = require "tests.oracle.split"

local O = {}

--- An interpreter at the start of a model. unit: a compiled model, the last that was loaded; values: parameters by name.
function O.interpreter(unit, values)
  local spec = unit.spec
  return I.new(Model.new(unit, values), unit:steps(), { tg = spec.tg, tv = spec.tv, tol = spec.tol })
end

-- names of positions and velocities in the results, in the order of the interpreter's vectors
local function names(model)
  local q, v = {}, {}
  for _, c in ipairs(model.coordinates) do q[#q + 1], v[#v + 1] = c.name, c.name end
  for _, r in ipairs(model.rotations or {}) do
    for k = 1, 4 do q[#q + 1] = r.q[k].name end
    for k = 1, 3 do v[#v + 1] = r.v[k].name end
  end
  return q, v
end

local function apart(x, y) return math.abs(x - y) / math.max(1, math.abs(x)) end

--- Runs `steps` steps of length h both ways. options: set (parameters by name), inputs (what the plan is handed), form. Returns what is
--- worst in q, v and impulses (relative to 1 or the value), the result of the C and the interpreter.
function O.compare(model, scheme, h, steps, options)
  options = options or {}
  local unit, set = S.unit(model, scheme, { form = options.form }), {}
  for name, x in next, options.set or {} do set[#set + 1] = ("%s=%.17g"):format(name, x) end
  table.sort(set)
  local s = O.interpreter(unit, options.set)
  for _ = 1, steps do
    if unit.plan.split then split(s, h, unit.spec.kmax, unit.plan.order) else s:step(h, options.inputs and options.inputs(s) or {}) end
  end
  local r = S.compile(unit, { flags = "-O0" }):run { step = h, until_time = steps * h, set = set }
  if r.steps ~= steps then error(("%d steps instead of %d"):format(r.steps, steps)) end
  local q, v = names(unit.model)
  local worst = { q = 0, v = 0, impulse = 0 }
  local function count(part, x, y)
    local d = apart(x, y)
    if d ~= d or d > worst[part] then worst[part] = d ~= d and math.huge or d end
  end
  for i, name in ipairs(q) do count("q", s.q[i], r.q[name]) end
  for i, name in ipairs(v) do count("v", s.v[i], r.v[name]) end
  for k, c in ipairs(unit.model.contacts) do count("impulse", s.impulse[s.model.bilateral + k], r.impulse[c.name]) end
  return worst, r, s
end

return O
