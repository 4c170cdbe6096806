-- What operations of a step plan are told, as numbers: forms, coefficients and predicates (gen/plan/form.lua). The interpreter is their
-- `self`: env and at hold vectors, rows, sets and configurations by name.
local L = require "tests.oracle.algebra"

local V = {}

local function copied(x) return table.move(x, 1, #x, 1, {}) end

function V:value(name)
  local c = name:match("^(.+)%.g$")
  if c then return self.at[c].g end
  c = name:match("^(.+)%.slide$")
  if c then return self.at[c].slide end
  return self.env[name] or self.data[name]
end

function V:coefficient(c, k)
  if type(c) == "string" then
    local name = c:gsub("^-", "")
    c = (c:sub(1, 1) == "-" and -1 or 1) * self.plan.values[name]
  end
  return c * self.h ^ k
end

-- tangents follow their contact where it has friction, contacts those that they ride on
function V:rows_of(set)
  local rows = copied(set)
  for j = self.model.bilateral + 1, self.model.gaps do
    local mount = self.model.rides[j]
    if mount then rows[j] = set[mount] and self.model.mu[j] > 0 end
  end
  for k = self.model.gaps + 1, self.model.rows do
    local c = self.model.contact_of[k]
    rows[k] = rows[c] and self.model.mu[c] > 0
  end
  return rows
end

-- the tangents of each contact: |x_T|, mu x_N or x_T.y_T
function V:of_tangents(term)
  local x, y, z = self:value(term.x), term.y and self:value(term.y), L.zeros(self.model.rows)
  for j = self.model.bilateral + 1, self.model.gaps do
    for _, t in ipairs(self.model.tangents[j] or {}) do
      z[j] = z[j] + (term.of == "dot" and x[t] * y[t] or term.of == "norm" and x[t] ^ 2 or 0)
    end
    z[j] = term.of == "norm" and math.sqrt(z[j]) or term.of == "limit" and self.model.mu[j] * x[j] or z[j]
  end
  return z
end

function V:sum(terms, count)
  local y = L.zeros(count)
  for _, term in ipairs(terms) do
    local c, x = self:coefficient(term.c, term.k), term.of and self:of_tangents(term) or self:value(term.x)
    local on = term.on and self:rows_of(self.env[term.on])
    for i = 1, count do
      local part = c * x[i]
      for _, name in ipairs(term.by or {}) do part = part * self:value(name)[i] end
      if not on or on[i] and not (term.part == "normal" and i > self.model.gaps) then y[i] = y[i] + part end
    end
  end
  return y
end

function V:tolerance(x)
  if type(x) == "number" then return x end
  return x:sub(1, 1) == "-" and -self.tolerances[x:sub(2)] or self.tolerances[x]
end

function V:predicate(p)
  local word, n, set = p[1], self.model.gaps, {}
  if word == "in" then return copied(self.env[p[2]]) end
  local parts, x = {}, nil
  if word == "or" or word == "and" or word == "not" then
    for i = 2, #p do parts[i - 1] = self:predicate(p[i]) end
  elseif type(p[2]) == "table" then
    x = self:sum(p[2], self.model.rows)
  end
  local tolerance = x and self:tolerance(p[3])
  for j = 1, n do
    if word == "or" then
      set[j] = false
      for _, part in ipairs(parts) do set[j] = set[j] or part[j] end
    elseif word == "and" then
      set[j] = true
      for _, part in ipairs(parts) do set[j] = set[j] and part[j] end
    elseif word == "not" then set[j] = not parts[1][j]
    elseif word == "all" then set[j] = true
    elseif word == "none" then set[j] = false
    elseif word == "bilateral" then set[j] = j <= self.model.bilateral
    elseif word == "le" then set[j] = x[j] <= tolerance
    elseif word == "lt" then set[j] = x[j] < tolerance
    elseif word == "gt" then set[j] = x[j] > tolerance
    elseif word == "absgt" then set[j] = math.abs(x[j]) > tolerance
    else error("no predicate " .. tostring(word)) end
  end
  return set
end

--- What the program that runs a plan sees where it halts, and the gaps at both ends.
function V:shown(keep)
  local shown = { g0 = self:value "c0.g", g1 = self:value "c1.g" }
  for _, pair in ipairs(keep) do shown[pair[1]] = self.env[pair[2]] end
  return shown
end

return V
