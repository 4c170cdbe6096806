-- Unit strings and their dimensions: "kg", "m/s^2", "N m/rad", "kg*m^2", "1". Only coherent SI units are taken, so
-- that no number ever changes silently; a scaled unit (mm, deg) is refused with the factor to convert by.
--
-- A dimension is an interned vector of exponents of kg m s A K mol cd (equal dimensions are the same table). Two more
-- values occur where expressions are combined: `U.any`, of a plain number or a sine (fits everything as a summand, is
-- a pure factor otherwise), and false or nil, unknown: of what depends on a symbol declared without unit.
local U = {}

local base = { "kg", "m", "s", "A", "K", "mol", "cd" }
local interned = {}

local function dimension(exponents)
  local parts = {}
  for i = 1, #base do parts[i] = string.format("%.6g", exponents[i] == 0 and 0 or exponents[i]) end
  local key = table.concat(parts, ",")
  local d = interned[key]
  if not d then
    d = { products = {}, quotients = {} }
    for i = 1, #base do d[i] = exponents[i] end
    interned[key] = d
  end
  return d
end

U.none = dimension { 0, 0, 0, 0, 0, 0, 0 }
U.any = { any = true }

local function combine(a, b, sign)
  local e = {}
  for i = 1, #base do e[i] = a[i] + sign * b[i] end
  return dimension(e)
end

--- Dimension of a product; unknown if one factor is.
function U.mul(a, b)
  if not a or not b then return nil end
  if a == U.any then return b end
  if b == U.any then return a end
  local d = a.products[b]
  if not d then
    d = combine(a, b, 1)
    a.products[b] = d
  end
  return d
end

function U.div(a, b)
  if not a or not b then return nil end
  if b == U.any then return a end
  if a == U.any then a = U.none end
  local d = a.quotients[b]
  if not d then
    d = combine(a, b, -1)
    a.quotients[b] = d
  end
  return d
end

--- Dimension of a power with a known number as exponent.
function U.pow(a, exponent)
  if not a or a == U.any then return a end
  local e = {}
  for i = 1, #base do e[i] = a[i] * exponent end
  return dimension(e)
end

--- Dimension of a sum (or of min, max, the branches of select), and whether the two fit.
function U.same(a, b)
  if not a then return b ~= U.any and b, true end
  if a == U.any then return b, true end
  return a, not b or b == U.any or a == b
end

--- Notes the base units of a dimension in a set (index -> true).
function U.note(d, set)
  for i = 1, #base do if d[i] ~= 0 then set[i] = true end end
end

--- Do two dimensions differ in a base unit of the set?
function U.differ(a, b, set)
  for i = 1, #base do if set[i] and a[i] ~= b[i] then return true end end
  return false
end

--- May this stand where no dimension is allowed (the argument of sin)?
function U.is_pure(a) return not a or a == U.any or a == U.none end

local derived = { -- name, then exponents of kg m s A K mol cd
  { "N", 1, 1, -2, 0 }, { "J", 1, 2, -2, 0 }, { "W", 1, 2, -3, 0 }, { "Pa", 1, -1, -2, 0 }, { "Hz", 0, 0, -1, 0 },
  { "C", 0, 0, 1, 1 }, { "V", 1, 2, -3, -1 }, { "Ohm", 1, 2, -3, -2 }, { "F", -1, -2, 4, 2 }, { "H", 1, 2, -2, -2 },
  { "Wb", 1, 2, -2, -1 }, { "T", 1, 0, -2, -1 }, { "rad", 0, 0, 0, 0 }, { "sr", 0, 0, 0, 0 },
}
local known, known_names = {}, {}
for i, name in ipairs(base) do
  local e = { 0, 0, 0, 0, 0, 0, 0 }
  e[i] = 1
  known[name] = dimension(e)
  known_names[#known_names + 1] = name
end
for _, row in ipairs(derived) do
  known[row[1]] = dimension { row[2], row[3], row[4], row[5], 0, 0, 0 }
  known_names[#known_names + 1] = row[1]
end
U.names = known_names

local scaled = {} -- refused, with what to write: unit, coherent unit, factor
for _, row in ipairs {
  { "mm", "m", "1e-3" }, { "cm", "m", "1e-2" }, { "km", "m", "1e3" }, { "um", "m", "1e-6" }, { "g", "kg", "1e-3" },
  { "mg", "kg", "1e-6" }, { "t", "kg", "1e3" }, { "ms", "s", "1e-3" }, { "us", "s", "1e-6" }, { "min", "s", "60" },
  { "h", "s", "3600" }, { "deg", "rad", "carom.pi/180" }, { "rpm", "rad/s", "carom.pi/30" }, { "mN", "N", "1e-3" },
  { "kN", "N", "1e3" }, { "MN", "N", "1e6" }, { "kJ", "J", "1e3" }, { "kW", "W", "1e3" }, { "kPa", "Pa", "1e3" },
  { "MPa", "Pa", "1e6" }, { "GPa", "Pa", "1e9" }, { "bar", "Pa", "1e5" }, { "kHz", "Hz", "1e3" }, { "mA", "A", "1e-3" },
} do
  scaled[row[1]] = row[2] .. " and multiply the value by " .. row[3]
end

local function superscripts(text)
  return string.find(text, "\xC2\xB2", 1, true) or string.find(text, "\xC2\xB3", 1, true)
end

-- unit := factor { [* . space] factor | / factor };  factor := (name | 1 | "(" unit ")") [^ integer]
local function parse(text)
  local at = 1
  local function peek(pattern) return string.match(text, "^%s*(" .. pattern .. ")", at) end
  local function take(pattern)
    local start, stop, found = string.find(text, "^%s*(" .. pattern .. ")", at)
    if start then at = stop + 1 end
    return found
  end
  local unit
  local function factor(depth)
    local d
    if take("%(") then
      if depth > 20 then error({ "has too many brackets", "write it flat" }, 0) end
      d = unit(depth + 1)
      if not take("%)") then error({ "lacks a ')'", "close the bracket" }, 0) end
    else
      local name = take("%a+")
      if name then
        d = known[name]
        if not d and scaled[name] then
          error({ "contains the scaled unit '" .. name .. "'", "write " .. scaled[name] }, 0)
        elseif not d then
          error({ "contains the unknown unit '" .. name .. "'", "known units: " .. table.concat(known_names, " ") }, 0)
        end
      elseif take("1") then
        d = U.none
      else
        error({ "is not a unit", "write for example \"kg\", \"m/s^2\", \"N*m\" or \"1\"" }, 0)
      end
    end
    if take("%^") then
      local n = take("%(%s*%-?%d+%s*%)") or take("%-?%d+")
      n = n and tonumber(string.match(n, "%-?%d+"))
      if not n or math.abs(n) > 12 then error({ "has a wrong exponent", "write a whole number after ^" }, 0) end
      d = U.pow(d, n)
    end
    return d
  end
  function unit(depth)
    local d = factor(depth)
    while true do
      if take("/") then
        d = U.div(d, factor(depth))
      elseif take("[*.]") or peek("[%a(1]") then
        d = U.mul(d, factor(depth))
      else
        return d
      end
    end
  end
  local d = unit(0)
  if not string.find(text, "^%s*$", at) then
    error({ "is not a unit from '" .. string.sub(text, at) .. "' on",
      "write for example \"kg\", \"m/s^2\" or \"N*m\"" }, 0)
  end
  return d
end

local parsed = {} -- unit strings are few and asked for again and again

--- The dimension of a unit string, or nil, what is wrong with it, what to write.
function U.parse(text)
  if parsed[text] then return parsed[text] end
  if superscripts(text) then return nil, "contains a superscript", "write ^2 or ^3" end
  if #text > 60 or string.find(text, "[^%w%s*/.^()%-]") then
    return nil, "is not a unit", "write for example \"kg\", \"m/s^2\", \"N*m\" or \"1\""
  end
  local good, result = pcall(parse, text)
  if good then
    parsed[text] = result
    return result
  end
  if type(result) == "table" then return nil, result[1], result[2] end
  error(result, 0)
end

--- A dimension as text: "kg m^2/s^2 (J)"; "1" for none.
function U.text(d)
  if not d then return "unknown" end
  if d == U.any then return "a number" end
  local above, below = {}, {}
  for i, name in ipairs(base) do
    local e = d[i]
    local size = math.abs(e)
    local text = size == 1 and name or name .. "^" .. string.format("%.4g", size)
    if e > 0 then above[#above + 1] = text elseif e < 0 then below[#below + 1] = text end
  end
  if #above + #below == 0 then return "1" end
  local text = #above == 0 and "1" or table.concat(above, " ")
  if #below == 1 then text = text .. "/" .. below[1] end
  if #below > 1 then text = text .. "/(" .. table.concat(below, " ") .. ")" end
  for _, row in ipairs(derived) do
    if known[row[1]] == d and row[1] ~= "Hz" then return text .. " (" .. row[1] .. ")" end
  end
  return text
end

U.force, U.energy, U.power, U.second = known.N, known.J, known.W, known.s
return U
