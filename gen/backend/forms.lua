-- What operations of a step plan are told, in C: names, linear forms and predicates (gen/plan/form.lua). Methods of the writer of step.lua.
local print_c = require "gen.expr.print"

local F = {}

local SPELLED = { ["1-"] = "ONE_MINUS_", ["1/"] = "ONE_OVER_", ["-"] = "_MINUS_", ["/"] = "_OVER_", ["^"] = "_", [" "] = "_" }

--- A constant of the plan in C.
function F.constant(name)
  local text = name:gsub("%f[%w]1%-", SPELLED["1-"]):gsub("%f[%w]1/", SPELLED["1/"]):gsub("[%-/%^ ]", SPELLED):gsub("[()]", "")
  return text:upper()
end

local DATA = { e = "s->derived.e[j]", ["1+e"] = "(1.0 + s->derived.e[j])", ["1/(1+e)"] = "(1.0 / (1.0 + s->derived.e[j]))",
  ["e/(1+e)"] = "(s->derived.e[j] / (1.0 + s->derived.e[j]))" }

--- Does a set hold all bilateral rows? before: it did, of a set that grows.
function F.full(op, before)
  local first = op.where[1] == "or" and op.where[2] or op.where
  return first[1] == "bilateral" or first[1] == "in" and first[2] == op.S and before or false
end

-- c h^k as a factor in front of something, and its sign
local function factor(c)
  if type(c) == "number" then return c < 0 and "-" or "+", math.abs(c) == 1 and "" or print_c.number(math.abs(c)) .. " * " end
  if c:sub(1, 1) == "-" then return "-", F.constant(c:sub(2)) .. " * " end
  return "+", F.constant(c) .. " * "
end

--- A text times a power of h.
function F.power(k, text)
  if k == 0 then return text elseif k < 0 then return text .. (" / h"):rep(-k) end
  return ("h * "):rep(k) .. text
end

-- a value on a set, else 0
function F.on(_, element, text) return ("(%s ? %s : 0.0)"):format(element, text) end

-- friction of the contact in a row
function F:mu(index) return self.NE == 0 and ("%s[%s]"):format(self.mu_at, index) or ("%s[%s - %d]"):format(self.mu_at, index, self.NE) end

-- the element `index` of a name; rows that all models have, and gaps, are spelled out
function F:element(name, index)
  local configuration = name:match("^(.+)%.g$")
  if configuration then return ("%s->g[%s]"):format(configuration, index) end
  configuration = name:match("^(.+)%.slide$")
  if configuration then return ("%s->slide[%s - %s]"):format(configuration, index, self.NG) end
  if self.tangential[name] then return ("%s_[%s - %s]"):format(name, index, self.NG) end
  if DATA[name] then return (DATA[name]:gsub("s%->derived%.e%[j%]", self.e_at .. "[" .. index .. "]")) end
  if name == "mu" then return self:mu(index) end
  return ("%s[%s]"):format(self:named(name), index)
end

-- a sum of terms at an index, those of one power of h together; tangent: of a tangential row, where gaps and normal parts are 0
function F:sum(terms, index, tangent)
  local powers, by_power = {}, {}
  for _, term in ipairs(terms) do
    local tangential = term.x:find "%.slide$" or self.tangential[term.x]
    if not (tangent and (term.part == "normal" or term.x:find "%.g$") or tangential and not tangent) then
      local sign, front = factor(term.c)
      local text
      if term.of then
        text = term.of == "limit" and ("%s * %s"):format(self:mu(index), self:element(term.x, index))
          or term.of == "norm" and ("%s_norm(s, %s, %s)"):format(self.X, self:named(term.x), index)
          or ("%s_dot(s, %s, %s, %s)"):format(self.X, self:named(term.x), self:named(term.y), index)
      else
        text = self:element(term.x, index)
      end
      for _, name in ipairs(term.by or {}) do text = self:element(name, DATA[name] and "j" or index) .. " * " .. text end
      text = front .. text
      if term.on then -- tangents follow their contact
        local of = tangent and ("%s[%s - %s]"):format(self.contact_of_at, index, self.NG) or index
        text = self:on(("%s[%s]"):format(self:named(term.on), of), text)
      end
      if not by_power[term.k] then
        by_power[term.k] = {}
        powers[#powers + 1] = term.k
      end
      table.insert(by_power[term.k], { sign = sign, text = text })
    end
  end
  local out = ""
  for _, k in ipairs(powers) do
    local list = by_power[k]
    local sign = list[1].sign
    local text = list[1].text
    for i = 2, #list do text = text .. (list[i].sign == sign and " + " or " - ") .. list[i].text end
    if #list > 1 and (k ~= 0 or sign == "-" and out ~= "") then text = "(" .. text .. ")" end
    if sign == "-" and out == "" and #list > 1 and k == 0 then -- -a + b
      text = "-" .. list[1].text
      for i = 2, #list do text = text .. (list[i].sign == "+" and " + " or " - ") .. list[i].text end
      sign = "+"
    end
    text = F.power(k, text)
    out = out == "" and (sign == "-" and "-" .. text or text) or out .. (sign == "-" and " - " or " + ") .. text
  end
  return out == "" and "0.0" or out
end

function F:tolerance(x)
  if type(x) == "number" then return print_c.number(x) end
  local sign, name = x:match("^(%-?)(.*)$")
  return name == "zero" and "0.0" or sign .. self.tolerances[name]
end

-- a predicate of row j; strength: of what stands around it
function F:predicate(p, inside)
  local word = p[1]
  if word == "in" then return p[2] == "fresh" and "fresh" or self:named(p[2]) .. "[j]" end
  if word == "all" then return "true" elseif word == "none" then return "false" end
  if word == "bilateral" then return self.NE == 0 and "false" or self.NC == 0 and "true" or ("j < %d"):format(self.NE) end
  if word == "not" then
    local inner = self:predicate(p[2], "not")
    if inner == "true" then return "false" elseif inner == "false" then return "true" end
    if inner == ("j < %d"):format(self.NE) then return ("j >= %d"):format(self.NE) end
    return "!" .. (inner:find "[ ]" and "(" .. inner .. ")" or inner)
  end
  if word == "or" or word == "and" then
    local neutral, absorbing = word == "or" and "false" or "true", word == "or" and "true" or "false"
    local parts = {}
    for i = 2, #p do
      local text = self:predicate(p[i], word)
      if text == absorbing then return absorbing end
      if text ~= neutral then parts[#parts + 1] = text end
    end
    if #parts == 0 then return neutral end
    local text = table.concat(parts, word == "or" and " || " or " && ")
    return #parts > 1 and inside and inside ~= word and "(" .. text .. ")" or text
  end
  local relation = { le = "<=", lt = "<", gt = ">", absgt = ">" }
  local sum = self:sum(p[2], "j")
  if word == "absgt" then sum = "fabs(" .. sum .. ")" end
  return ("%s %s %s"):format(sum, relation[word], self:tolerance(p[3]))
end

return F
