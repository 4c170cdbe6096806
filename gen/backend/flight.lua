-- Free flight: a step plan as it is when none of its contact problems has a row. Then nothing of contact is left in it but the question
-- whether that is so, which is asked as soon as it can be; where it is not, the whole step is made instead. The same numbers come out.
local F = {}

local function copy(op, changes)
  local made = {}
  for key, x in next, op do made[key] = x end -- order does not matter
  for key, x in next, changes do made[key] = x end
  return made
end

-- What is known on the way: of sets what may still be in them (a predicate; false: nothing), rows that are 0, rates of gaps.
local Flight = {}
Flight.__index = Flight

-- are all terms of a form 0, and if not, can it be computed from gaps and rates alone? gives "zero", "gaps", "rates" or nil
function Flight:form(terms)
  local found = "zero"
  for _, term in ipairs(terms) do
    if term.on or term.of or term.by then return nil end
    if not self.zero[term.x] then
      local kind = term.x:find "%.g$" and "gaps" or self.rates[term.x] and "rates"
      if not kind then return nil end
      found = (kind == "rates" or found == "rates") and "rates" or kind
    end
  end
  return found
end

-- A predicate that holds wherever this one may hold: true, false, or a predicate of gaps and rates. Where one condition of several can be
-- seen from gaps, the others are not asked.
function Flight:weaker(p)
  local word = p[1]
  if word == "all" then return true elseif word == "none" or word == "bilateral" then return false end
  if word == "in" then
    local inside = self.sets[p[2]]
    if inside == nil then return true end
    return inside
  end
  if word == "not" then return true end
  if word == "or" or word == "and" then
    local all, gaps = { word }, nil
    for i = 2, #p do
      local part = self:weaker(p[i])
      if part == (word == "or") then return part end
      if part ~= (word == "and") then
        all[#all + 1] = part
        gaps = gaps or part.gaps and part
      end
    end
    if word == "and" and gaps then return gaps end
    return #all > 2 and all or all[2] or word == "and"
  end
  local form = self:form(p[2])
  if form == "zero" then
    local positive = word == "gt" or word == "absgt"
    if p[3] == "zero" then return not positive and word ~= "lt" end
    return not positive
  end
  return form == nil or { word, p[2], p[3], gaps = form == "gaps" }
end

-- the rates that a predicate looks at
function Flight:look(p)
  for i = 2, #p do
    if type(p[i]) == "table" and type(p[i][1]) == "string" then
      self:look(p[i])
    elseif type(p[i]) == "table" then
      for _, term in ipairs(p[i]) do
        if self.rates[term.x] then self.rates[term.x].kept = true end
      end
    end
  end
end

function Flight:empty(name) return self.sets[name] == false end

-- No row may be in a set: what is asked. False: it cannot be told.
function Flight:ask(ops, name)
  local inside = self.sets[name]
  if inside == nil or inside == true then return false end
  if inside then
    self:look(inside)
    ops[#ops + 1] = { op = "aloft", where = inside }
    for other, same in next, self.sets do -- order does not matter
      if same == inside then self.sets[other] = false end
    end
  end
  return true
end

local on = {}

function Flight:list(ops)
  local out = {}
  for _, op in ipairs(ops) do
    local handle = on[op.op]
    if handle then
      if not handle(self, op, out) then return nil end
    else
      out[#out + 1] = op
    end
  end
  return out
end

function on.rates(self, op, out)
  local kept = copy(op, {})
  self.rates[op.U], self.zero[op.U] = kept, nil
  out[#out + 1] = kept
  return true
end

function on.bias(self, op)
  self.zero[op.gam], self.rates[op.gam] = nil, nil
  return true
end

function on.ratio(self, op)
  self.zero[op.y], self.rates[op.y] = nil, nil
  return true
end

function on.direction() return true end

function on.spread() return false end

function on.operator(_, op, out) -- those of several stages are told of rows
  out[#out + 1] = op
  return type(op.wv[1]) ~= "table"
end

function on.kinematics(_, op, out)
  out[#out + 1] = op
  return not op.by
end

function on.combine(self, op, out)
  if op.kind == "rows" then
    self.zero[op.y], self.rates[op.y] = self:form(op.terms) == "zero" or nil, nil
  else
    out[#out + 1] = op
  end
  return true
end

on["set"] = function(self, op, out)
  self.sets[op.S] = self:weaker(op.where)
  return not self.of_contacts[op.S] or self:ask(out, op.S)
end

function on.contact(self, op, out)
  if op.carried and not self.zero[op.carried] or not self:ask(out, op.set) then return false end
  self.zero[op.r], self.rates[op.r] = true, nil
  out[#out + 1] = op
  return true
end

function on.when(self, op, out)
  if op.any ~= "fresh" and not self:empty(op.any) then return false end
  local list = self:list(op.other or {})
  if list then table.move(list, 1, #list, #out + 1, out) end
  return list ~= nil
end

on["repeat"] = function(self, op, out)
  if op.holds then return self:weaker(op.holds) == false end -- of rows: none is there
  if op.same or op.falls then return false end
  local body = self:list(op.body)
  out[#out + 1] = body and copy(op, { body = body, rounds = op.rounds and copy(op.rounds, { press = false, freeze = false }) or nil })
  return body ~= nil
end

function on.accept(self, op, out)
  out[#out + 1] = op
  for _, name in ipairs(op.events) do if not self:empty(name) then return false end end
  for _, name in ipairs(op.impulse) do if not self.zero[name] then return false end end
  for _, pair in ipairs(op.keep) do
    local kind = self.memory[pair[1]]
    if kind == "set" and not self:empty(pair[2]) or kind == "rows" and not self.zero[pair[2]] then return false end
  end
  return not (op.halt or op.dense)
end

-- sets of the contact problems of a list, however deep, but for states given from outside
local function of_contacts(ops, names)
  for _, op in ipairs(ops) do
    if op.op == "contact" then names[op.set] = true end
    if op.any ~= "fresh" then of_contacts(op.body or {}, names) end
    of_contacts(op.other or {}, names)
  end
  return names
end

--- The plan of free flight of a plan, or nil. It begins where no set that is kept has a row and the state was not given from outside.
--- open: all gaps are asked at the end.
function F.plan(plan)
  local self = setmetatable({ sets = {}, zero = {}, rates = {}, memory = {}, of_contacts = of_contacts(plan.ops, {}) }, Flight)
  for _, m in ipairs(plan.memory) do
    self.memory[m.name] = m.kind
    if m.kind == "set" then
      if m.full then return nil end
      self.sets[m.name] = false
    end
  end
  local ops = self:list(plan.ops)
  if not ops then return nil end
  local open = false
  for _, op in ipairs(ops) do
    local term = op.op == "aloft" and op.where.gaps and op.where[2][1]
    open = open or term and #op.where[2] == 1 and term.x == "c1.g" and term.c == 1
  end
  return setmetatable({ ops = ops, open = open or false }, { __index = plan })
end

return F
