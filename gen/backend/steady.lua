-- A step plan of a model in which forces, masses and rows never change: what comes out the same is computed once, what nobody looks at
-- then not at all. Terms of one vector are added up: h a/2 + h a/2 is h a.
local uses = require "gen.backend.uses"

local S = {}

-- a copy of a field of an operation, names replaced
local function substitute(x, same)
  if type(x) == "string" then
    local c, member = x:match "^(.+)(%.[%w]+)$"
    local mass = x:match "^mass@(.+)$"
    if mass then return "mass@" .. (same[mass] or mass) end
    return same[x] or c and same[c] and same[c] .. member or x
  end
  if type(x) ~= "table" then return x end
  local copy = {}
  for key, y in next, x do -- order does not matter
    copy[key] = (key == "op" or key == "text" or key == "kind") and y or substitute(y, same)
  end
  return setmetatable(copy, getmetatable(x))
end

-- Everything that a field mentions, into a set; configurations by their own name.
local function mentioned(x, into)
  if type(x) == "string" then
    into[x] = true
    into[x:match "^mass@(.+)$" or x:match "^(.+)%.[%w]+$" or x] = true
  elseif type(x) == "table" then
    for key, y in next, x do if key ~= "op" and key ~= "text" and key ~= "kind" then mentioned(y, into) end end -- order does not matter
  end
end

-- Terms of one name and power of h as one.
local function added(terms, value)
  local out, at = {}, {}
  for _, term in ipairs(terms) do
    local plain = not (term.by or term.on or term.of or term.part) and value(term.c)
    local key = plain and term.x .. " " .. term.k
    local before = key and at[key]
    if before then
      local copy = {}
      for name, x in next, before.term do copy[name] = x end -- order does not matter
      copy.c, before.value = before.value + plain, before.value + plain
      before.term, out[before.place] = copy, copy
    else
      out[#out + 1] = term
      if key then at[key] = { term = term, value = plain, place = #out } end
    end
  end
  return out
end

-- what operations compute, as text: equal texts, equal values
local function text_of(x, version)
  if type(x) == "string" then return ("%s#%d"):format(x, version[x] or 0) end
  if type(x) ~= "table" then return tostring(x) end
  local keys, parts = {}, {}
  for key in next, x do if key ~= "text" then keys[#keys + 1] = key end end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for i, key in ipairs(keys) do parts[i] = tostring(key) .. "=" .. text_of(x[key], version) end
  return "{" .. table.concat(parts, ",") .. "}"
end

-- What an operation gives: its names, and what they depend on; nil: it is made as it stands.
local function value_of(op)
  if op.op == "forces" then return { op.f }, { "forces" } end
  if op.op == "bias" then return { op.gam }, { "bias" } end
  if op.op == "rates" then return { op.U }, { "rates", op.v, op.homogeneous or false } end
  if op.op == "contact" and type(op.A) == "string" and op.A:find "^mass@" and not (op.along or op.mean or op.grip or op.rebound) then
    return { op.x, op.r }, { "contact", op.set, op.rhs or false, op.b, op.carried or false, op.laws or false, op.rows or false,
      op.within or false }
  end
  if op.op == "combine" then return { op.y }, { "combine", op.kind, op.terms } end
end

-- Is all that a list makes looked at from here on?
local function needed(ops)
  local live, kept = {}, {}
  for i = #ops, 1, -1 do
    local op, made, wanted = ops[i], uses.made(ops[i]), false
    -- rates are left, so that levels of a step stay alike
    local pure = op.op ~= "accept" and op.op ~= "contact" and op.op ~= "when" and op.op ~= "rates" and next(made) ~= nil
    for name in next, made do wanted = wanted or live[name] or false end -- order does not matter
    if wanted and op.op == "retract" then -- of several stages, those that are
      local points, weights = {}, {}
      for l, name in ipairs(op.q1) do
        if live[name] then
          points[#points + 1] = name
          weights[#points] = op.weights and op.weights[l]
        end
      end
      op.q1, op.weights = points, op.weights and weights -- it is a copy
    end
    if wanted or not pure or op.find then
      for name in next, pure and made or {} do live[name] = nil end -- order does not matter
      local looked = {}
      for key, x in next, op do -- order does not matter
        if not (pure and made[x]) and key ~= "text" and key ~= "op" and key ~= "kind" then mentioned(x, looked) end
      end
      for name in next, looked do live[name] = true end -- order does not matter
      table.insert(kept, 1, op)
    end
  end
  return kept
end

local SIMPLE = { kinematics = true, forces = true, rates = true, bias = true, combine = true, retract = true, contact = true, when = true,
  direction = true, ["set"] = true, accept = true }

local function simpler(plan)
  local last, constant = { v = 0, q = 0 }, {} -- where names are made for the last time
  for _, c in ipairs(plan.constants) do constant[c.name] = c.value end
  local function value(c)
    if type(c) == "number" then return c end
    return c:sub(1, 1) == "-" and constant[c:sub(2)] and -constant[c:sub(2)] or constant[c]
  end
  for i, op in ipairs(plan.ops) do
    uses.each({ op }, function(other) for name in next, uses.made(other) do last[name] = i end end, nil, true) -- order does not matter
  end
  local version, same, known, out = {}, {}, {}, {}
  local function define(name) version[name], same[name] = (version[name] or 0) + 1, nil end
  for i, op in ipairs(plan.ops) do
    if not SIMPLE[op.op] then return plan.ops end
    if op.op == "when" then
      local made, lost = {}, false
      uses.each({ op }, function(other) for name in next, uses.made(other) do made[name] = true end end, nil, true) -- order does not matter
      for name in next, made do lost = lost or same[name] ~= nil end -- order does not matter
      if lost then return plan.ops end
      out[#out + 1] = substitute(op, same)
      for name in next, made do define(name) end -- order does not matter
    else
      local copy, made = {}, uses.made(op)
      for key, x in next, op do -- order does not matter
        local own = key == "q1" or type(x) == "string" and made[x]
        copy[key] = (own or key == "op" or key == "text" or key == "kind") and x or substitute(x, same)
      end
      if op.op == "contact" and value_of(op) then copy.at, copy.A = "c0", "mass@c0" end -- all have the same rows and masses
      if op.op ~= "kinematics" and copy.c then copy.c = "c0" end
      if op.op == "combine" then copy.terms = added(copy.terms, value) end
      local names, inputs = value_of(copy)
      local key = names and text_of(inputs, version)
      local first = key and known[key]
      local term = op.op == "combine" and op.kind == "vector" and copy.terms[1]
      local copied = term and #copy.terms == 1 and term.c == 1 and term.k == 0 and not (term.by or term.on or term.of) and term.x
      if copied then first = { { copied, version[copied] or 0 } } end
      local fits = first ~= nil
      for k, pair in ipairs(first or {}) do
        fits = fits and (version[pair[1]] or 0) == pair[2] and (pair[1] == names[k] or (last[pair[1]] or i) < i)
      end
      if fits then
        for k, pair in ipairs(first) do if pair[1] ~= names[k] then same[names[k]] = pair[1] end end
      else
        for name in next, uses.made(op) do define(name) end -- order does not matter
        out[#out + 1] = copy
        if key then
          known[key] = {}
          for k, name in ipairs(names) do known[key][k] = { name, version[name] } end
        end
      end
    end
  end
  return needed(out)
end

--- The plan of a model without friction whose forces, masses and rows never change.
function S.plan(plan)
  local otherwise = plan.otherwise and S.plan(plan.otherwise)
  return setmetatable({ ops = simpler(plan), otherwise = otherwise }, { __index = plan })
end

return S
