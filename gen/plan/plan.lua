-- The step plan: one step of a scheme as a list of operations on vectors and operators, never on scalars of the model.
-- A scheme (gen/scheme/*.lua) writes the list; a back end (templates/step.c.in) turns each operation into C.
local Plan = {}
Plan.__index = Plan

function Plan.new(scheme)
  return setmetatable({ scheme = scheme, ops = {}, vectors = {}, row_vectors = {}, coefficients = {}, depth = 0,
    seen = {}, coefficient_seen = {}, needs = {} }, Plan)
end

--- Appends an operation; `text` says in words (with equation number) what it does.
function Plan:op(kind, text, fields)
  fields = fields or {}
  fields.kind, fields.text, fields.depth = kind, text, self.depth
  self.ops[#self.ops + 1] = fields
  if kind:match("^begin") then self.depth = self.depth + 1 end
  if kind:match("^finish") then
    self.depth = self.depth - 1
    fields.depth = self.depth
  end
  return fields
end

--- Declares a vector over the velocities and returns its name.
function Plan:vector(name)
  if not self.seen[name] then
    self.seen[name] = true
    self.vectors[#self.vectors + 1] = name
  end
  return name
end

--- Declares a vector over the rows (constraints and contacts) and returns its name.
function Plan:rows(name)
  if not self.seen[name] then
    self.seen[name] = true
    self.row_vectors[#self.row_vectors + 1] = name
  end
  return name
end

--- A named constant of the scheme, correctly rounded; printed once in the C.
function Plan:coefficient(name, value, text)
  if not self.coefficient_seen[name] then
    self.coefficient_seen[name] = true
    self.coefficients[#self.coefficients + 1] = { name = name, value = value, text = text }
  end
  return name
end

--- A linear combination as a list of { coefficient name, vector }; zero coefficients are left out, ones have no name.
function Plan:sum(prefix, values, vectors, text)
  local terms = {}
  for k, vector in ipairs(vectors) do
    local value = values[k]
    if value == 1 then
      terms[#terms + 1] = { vector = vector }
    elseif value ~= 0 then
      terms[#terms + 1] = { coefficient = self:coefficient(prefix .. (k - 1), value, text:format(k - 1)), vector = vector }
    end
  end
  return terms
end

--- For people: `carom gen --dump plan`.
function Plan:dump()
  local lines = { "scheme " .. self.scheme }
  for _, op in ipairs(self.ops) do
    lines[#lines + 1] = ("  "):rep(op.depth + 1) .. ("%-14s"):format(op.kind) .. " " .. (op.text or "")
  end
  lines[#lines + 1] = "coefficients"
  for _, c in ipairs(self.coefficients) do
    lines[#lines + 1] = ("  %-8s %.17g  %s"):format(c.name, c.value, c.text)
  end
  return table.concat(lines, "\n") .. "\n"
end

return Plan
