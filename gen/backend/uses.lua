-- Who looks at what in a step plan: what a back end need not write, or only where it is asked for.
local operations = require "gen.backend.operations"

local A = {}

--- Everything that an operation mentions, itself and what is inside it.
function A.mentions(x, name)
  if type(x) == "string" then return x == name end
  if type(x) ~= "table" then return false end
  for key, y in next, x do if key ~= "text" and key ~= "op" and A.mentions(y, name) then return true end end -- order does not matter
  return false
end

--- Outside an operation, is a name looked at by `accept` alone?
function A.only_accepted(plan, name, inside)
  local only = true
  local function go(ops)
    for _, op in ipairs(ops) do
      if op.op ~= "accept" and op ~= inside then
        for key, x in next, op do -- order does not matter
          if type(x) == "table" and key ~= "body" and key ~= "other" then
            only = only and not A.mentions(x, name)
          elseif x == name and key ~= "y" and key ~= "S" and key ~= "r" then
            only = false
          end
        end
        go(op.body or {})
        go(op.other or {})
      end
    end
  end
  go(plan.ops)
  return only
end

local LAZY = { rates = "U", bias = "gam", combine = "y", direction = "s", ["set"] = "S" }

--- The operations just before a contact problem that nobody else looks at: they are done only if the problem is there. In a loop names may
-- come from the iteration before.
function A.only_for(ops, i, loop, around)
  local first = i
  while first > 1 do
    local op = ops[first - 1]
    local name = LAZY[op.op] and op[LAZY[op.op]]
    if not name or op.op == "combine" and op.kind ~= "rows" or name == ops[i].set then break end
    local elsewhere = loop and (A.mentions(loop.small, name) or A.mentions(loop.same, name) or A.mentions(loop.holds, name))
    local function look(other)
      local again = LAZY[other.op] and other[LAZY[other.op]] == name
      elsewhere = elsewhere or not again and A.mentions(other, name)
      return again
    end
    for k = i + 1, #ops do if look(ops[k]) then goto known end end
    for k = 1, loop and first - 2 or 0 do if look(ops[k]) then break end end
    for f = #around, 1, -1 do
      for k = around[f].i + 1, #around[f].ops do if look(around[f].ops[k]) then goto known end end
    end
    ::known::
    if elsewhere then break end
    first = first - 1
  end
  return first
end

--- Where a first guess of a contact problem is made that nobody looks at before
function A.guess_of(ops, i)
  local r = ops[i].guess == ops[i].r and ops[i].r
  for k = i - 1, 1, -1 do
    if r and ops[k].op == "combine" and ops[k].y == r and operations.copied(ops[k]) then return k end
    if not r or A.mentions(ops[k], r) then return end
  end
end

--- Accelerations under the law of contact: forces, bias and contact of one configuration, whose forces nobody else looks at. ops[i] is
--- the contact problem, `first` where what is done only for it begins; gives the forces, or nothing.
function A.accelerates(ops, i, first, loop, around)
  local op, forces, bias = ops[i], ops[first - 1], ops[first]
  if not (forces and forces.op == "forces" and first == i - 1 and bias.op == "bias" and op.rhs == forces.f and op.b == bias.gam
    and op.A == "mass@" .. op.at and forces.c == op.at and bias.c == op.at and forces.v == bias.v and not op.carried
    and op.laws ~= "equal" and not op.along) then
    return nil
  end
  -- is f read from here on, before it is made anew?
  local function look(list, from, to)
    for k = from, to do
      if list[k].op == "forces" and list[k].f == forces.f then return false end
      if A.mentions(list[k], forces.f) then return true end
    end
  end
  local read = look(ops, i + 1, #ops)
  if read == nil and loop then
    read = A.mentions(loop.small, forces.f) or A.mentions(loop.of, forces.f) or look(ops, 1, first - 2) or nil
  end
  for f = #around, 1, -1 do
    if read == nil then read = look(around[f].ops, around[f].i + 1, #around[f].ops) end
  end
  return not read and forces or nil
end

-- does a list hold a contact problem, however deep?
local function has_contact(ops)
  for _, op in ipairs(ops) do
    if op.op == "contact" or has_contact(op.body or {}) or has_contact(op.other or {}) then return true end
  end
  return false
end

--- What is done once, of a state given from outside, and is long: a function of its own.
function A.stands_apart(op) return op.op == "when" and op.any == "fresh" and op.other and has_contact(op.body) or false end

--- Every operation, however deep, but not in what stands apart
function A.each(ops, visit, inside, whole)
  for _, op in ipairs(ops) do
    visit(op, inside)
    if op.body and (whole or not A.stands_apart(op)) then
      A.each(op.body, visit, op.op == "repeat" and op or inside or op, whole)
    end
    if op.other then A.each(op.other, visit, inside or op, whole) end
  end
end

A.defines = { kinematics = { "c", "configuration" }, forces = { "f", "vector" }, rates = { "U", "rows" }, bias = { "gam", "rows" },
  ratio = { "y", "rows" }, apply = { "y", "vector" }, spread = { "f", "vector" }, ["set"] = { "S", "set" }, direction = { "s", "slide" } }

--- What an operation defines: kinds by name.
function A.made(op)
  local made, own = {}, A.defines[op.op]
  if own then made[op[own[1]]] = own[2] end
  if op.op == "combine" then made[op.y] = op.kind end
  for _, name in ipairs(op.op == "retract" and op.q1 or {}) do made[name] = "point" end
  for _, name in ipairs(op.op == "solve" and op.y or {}) do made[name] = "vector" end
  if op.op == "contact" then made[op.x], made[op.r] = "vector", "rows" end
  return made
end

--- Of some names, those that a loop does not make, and the others.
function A.unchanged(body, names)
  local made, fixed, moving = {}, {}, {}
  A.each(body, function(op) for name in next, A.made(op) do made[name] = true end end, nil, true) -- order does not matter
  for _, name in ipairs(names) do table.insert(made[name] and moving or fixed, name) end
  return fixed, moving
end

--- What a loop begins with, up to its first kinematics, without what is said about it.
function A.before_kinematics(body)
  local list = {}
  for _, op in ipairs(body) do
    if op.op == "kinematics" then break end
    local copy = {}
    for key, x in next, op do copy[key] = key ~= "text" and x or nil end -- order does not matter
    list[#list + 1] = copy
  end
  return list
end

--- What is solved just before an operator that is made of it, and for nothing else: where the operator is kept it is not asked for.
function A.solved_for(ops, i)
  local op, solve = ops[i], ops[i - 1]
  local a = solve and solve.op == "solve" and #solve.y == 1 and solve.y[1] == op.a and op.a
  for k, other in ipairs(a and ops or {}) do
    if k ~= i and k ~= i - 1 and A.mentions(other, a) then return nil end
  end
  return a and solve or nil
end

--- A list without what is repeated while something holds of rows: where there are none, nothing does.
function A.rowless(ops)
  local list = {}
  for _, op in ipairs(ops) do
    if op.op ~= "repeat" or not op.holds then
      local copy = {}
      for key, x in next, op do copy[key] = (key == "body" or key == "other") and A.rowless(x) or x end -- order does not matter
      list[#list + 1] = copy
    end
  end
  return list
end

return A
