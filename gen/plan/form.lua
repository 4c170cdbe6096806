-- What operations of a step plan are told: linear forms and predicates. Scheme files write them as the mathematics does,
--     p:combine("vf", v + h * (beta0 * a0 + beta1 * a1))          p:set("A", bilateral | press | g:le "tg" & U:le "tv")
-- and what is kept is pure data:
--     form       list of terms { c, k, x, by, on, part, of, y }: c h^k x, c a number or the name of a constant (with "-": its negative),
--                x the name of a vector or of rows; over rows also times the rows named in `by`, only on the set `on` (part = "normal":
--                and not on its tangents); of = "norm", "limit", "dot": of the tangents of each contact, |x_T|, mu x_N, x_T.y_T
--     predicate  { "or", p, .. }, { "and", p, .. }, { "not", p }, { "in", set }, { "bilateral" }, { "all" }, { "none" },
--                { "le" | "lt" | "gt" | "absgt", form, tolerance }, a tolerance being a number or a name, with "-": its negative
local F = {}

local Linear, Logic = {}, {}
Linear.__index, Logic.__index = Linear, Logic

local function complain(...) error(select("#", ...) > 1 and (...):format(select(2, ...)) or (...), 0) end

--- A factor c h^k.
function F.coefficient(c, k) return setmetatable({ kind = "coefficient", c = c, k = k or 0 }, Linear) end

--- A named vector, rows or other operand; fields go along.
function F.handle(kind, name, fields)
  local handle = fields or {}
  handle.kind, handle.name = kind, name
  return setmetatable(handle, kind == "set" and Logic or Linear)
end

local function negated(c)
  if type(c) == "number" then return -c end
  return c:sub(1, 1) == "-" and c:sub(2) or "-" .. c
end

local function product(a, b)
  if type(a) == "number" and type(b) == "number" then return a * b end
  if type(a) ~= "number" then a, b = b, a end
  if a == 1 then return b elseif a == -1 then return negated(b) end
  complain("%s times %s has no name; declare it with p:constant", a, b)
end

-- anything as { kind = "coefficient", c, k } or { kind =, terms = }
local function lifted(x)
  if type(x) == "number" then return F.coefficient(x) end
  if type(x) ~= "table" or getmetatable(x) ~= Linear then complain("%s is nothing to combine", tostring(x)) end
  if x.kind == "coefficient" or x.terms then return x end
  if x.kind ~= "vector" and x.kind ~= "rows" then complain("%s is a %s: not to be combined", x.name, x.kind) end
  return setmetatable({ kind = x.kind, terms = { { c = 1, k = 0, x = x.name } } }, Linear)
end

local function each(form, change)
  local terms = {}
  for i, term in ipairs(form.terms) do
    local copy = {}
    for _, key in ipairs { "c", "k", "x", "by", "on", "part", "of", "y" } do copy[key] = term[key] end
    terms[i] = change(copy) or copy
  end
  return setmetatable({ kind = form.kind, terms = terms }, Linear)
end

local function scaled(form, factor)
  if factor.c == 0 then return setmetatable({ kind = form.kind, terms = {} }, Linear) end
  return each(form, function(term) term.c, term.k = product(term.c, factor.c), term.k + factor.k end)
end

-- rows times a form: every row of it by its own number
local function by_rows(rows, form)
  local only = rows.terms[1]
  if #rows.terms ~= 1 or only.c ~= 1 or only.k ~= 0 or only.by or only.on or only.of then complain "only named rows multiply others" end
  local result = each(form, function(term)
    local by = { only.x }
    for _, name in ipairs(term.by or {}) do by[#by + 1] = name end
    term.by = by
  end)
  result.kind = form.kind == "vector" and "displacements" or form.kind -- a vector for every row
  return result
end

function Linear.__mul(a, b)
  a, b = lifted(a), lifted(b)
  if a.kind == "coefficient" and b.kind == "coefficient" then return F.coefficient(product(a.c, b.c), a.k + b.k) end
  if a.kind == "coefficient" then return scaled(b, a) elseif b.kind == "coefficient" then return scaled(a, b) end
  if a.kind == "rows" then return by_rows(a, b) end
  complain "vectors are not multiplied with each other"
end

function Linear.__div(a, b)
  a, b = lifted(a), lifted(b)
  if b.kind ~= "coefficient" or type(b.c) ~= "number" then complain "divide by a number or a power of h" end
  return a * F.coefficient(1 / b.c, -b.k)
end

function Linear.__add(a, b)
  a, b = lifted(a), lifted(b)
  if a.kind ~= b.kind then complain("%s and %s are not added", a.kind, b.kind) end
  if a.kind == "coefficient" then complain "sums of constants are constants: declare them with p:constant" end
  local terms = table.move(a.terms, 1, #a.terms, 1, {})
  return setmetatable({ kind = a.kind, terms = table.move(b.terms, 1, #b.terms, #terms + 1, terms) }, Linear)
end

function Linear.__unm(a) return -1 * lifted(a) end
function Linear.__sub(a, b) return lifted(a) + -lifted(b) end
function Linear.__pow(a, n)
  local result = F.coefficient(1)
  for _ = 1, n do result = result * a end
  return result
end

--- Zero outside a set; part = "normal": tangents are zero too.
function Linear:on(set, part)
  return each(lifted(self), function(term)
    if term.on then complain("a term is restricted twice, to %s and %s", term.on, set.name) end
    term.on, term.part = set.name, part
  end)
end

local function of_tangents(what)
  return function(x, y)
    local result = each(lifted(x), function(term) term.of, term.y = what, y and y.name end)
    if x.kind ~= "rows" then complain("the tangents of a %s?", x.kind) end
    return result
  end
end
F.norm, F.limit, F.dot = of_tangents "norm", of_tangents "limit", of_tangents "dot"

--- The form as data.
function F.terms(x)
  local form = lifted(x)
  if form.kind == "coefficient" then complain "a vector or rows, not a number" end
  return form.terms, form.kind
end

-- ---- predicates -----------------------------------------------------------------------------------------------------------------

local function predicate(...) return setmetatable({ kind = "predicate", data = { ... } }, Logic) end

for _, relation in ipairs { "le", "lt", "gt", "absgt" } do
  Linear[relation] = function(self, tolerance)
    local terms, kind = F.terms(self)
    if kind ~= "rows" then complain("a predicate looks at rows, not at a %s", kind) end
    return predicate(relation, terms, tolerance)
  end
end

--- A predicate as data; a set is the predicate of being in it.
function F.data(p)
  if type(p) ~= "table" or getmetatable(p) ~= Logic then complain("%s is no predicate", tostring(p)) end
  return p.data or { "in", p.name }
end

-- `neutral` leaves the other as it is, `absorbing` swallows it
local function joined(word, neutral, absorbing)
  return function(a, b)
    a, b = F.data(a), F.data(b)
    if a[1] == neutral or b[1] == absorbing then a, b = b, a end
    if b[1] == neutral or a[1] == absorbing then return predicate(table.unpack(a)) end
    local list = { word }
    for _, x in ipairs { a, b } do
      if x[1] == word then table.move(x, 2, #x, #list + 1, list) else list[#list + 1] = x end
    end
    return predicate(table.unpack(list))
  end
end
Logic.__bor, Logic.__band = joined("or", "none", "all"), joined("and", "all", "none")
function Logic.__bnot(a) return predicate("not", F.data(a)) end

F.bilateral, F.all, F.none = predicate "bilateral", predicate "all", predicate "none"

--- Calls visit(kind, name) for everything that a form or a predicate names.
function F.names(data, visit)
  if data[1] and data[1].x then -- terms
    for _, term in ipairs(data) do
      visit("summand", term.x)
      if type(term.c) == "string" then visit("constant", (term.c:gsub("^-", ""))) end
      for _, name in ipairs(term.by or {}) do visit("rows", name) end
      if term.on then visit("set", term.on) end
      if term.y then visit("rows", term.y) end
    end
  elseif data[1] == "in" then
    visit("set", data[2])
  else
    for i = 2, #data do if type(data[i]) == "table" then F.names(data[i], visit) end end
  end
end

return F
