-- Expressions as C text (and, nearly the same, as text for people). Numbers in the shortest form that reads back equal.

local P = {}

--- A double as a C literal: shortest of %.15g, %.16g, %.17g that reads back equal, always with a point or an exponent.
function P.number(x)
  if x == math.huge then return "HUGE_VAL" end
  if x == -math.huge then return "-HUGE_VAL" end
  local text
  for digits = 15, 17 do
    text = ("%." .. digits .. "g"):format(x)
    if tonumber(text) == x then break end
  end
  if not text:find("[.eEn]") then text = text .. ".0" end
  return text
end

-- precedence of C
local prec = { select = 1, lt = 3, le = 3, add = 5, sub = 5, mul = 6, div = 6, neg = 7, pow = 6 }
local infix = { add = " + ", sub = " - ", mul = " * ", div = " / ", lt = " < ", le = " <= " }

-- x^n by products, in the association that eval.lua uses
local function powers(x, n)
  if n == 1 then return x end
  local half = powers(x, n // 2)
  if n // 2 > 1 then half = "(" .. half .. ")" end
  return half .. " * " .. half .. (n % 2 == 1 and " * " .. x or "")
end

--- Is the power printed as products? (Then its base must have a name.)
function P.is_product(node)
  local n = node.op == "pow" and node[2].op == "num" and node[2].value
  return n and n % 1 == 0 and n >= 2 and n <= 8
end

--- Must this argument have a name because the C form uses it more than once?
function P.needs_name(node)
  return P.is_product(node) or node.op == "sign" or node.op == "min" or node.op == "max"
end

--- C text of a node. name(node) gives the name of a node that has one (symbols, temporaries, struct fields), else nil.
-- Returns text and precedence.
function P.c(node, name)
  local known = name(node)
  if known then return known, 10 end
  local op = node.op
  if op == "num" then
    return P.number(node.value), node.value < 0 and 7 or 10
  end
  local function child(i, least)
    local text, p = P.c(node[i], name)
    if p < least then return "(" .. text .. ")" end
    return text
  end
  if op == "part" then return ("%s[%d]"):format(name(node[1]), node.k - 1), 10 end
  if infix[op] then
    local p = prec[op]
    -- the right operand of - and / needs brackets at equal precedence; so does that of + and * to keep the order of rounding
    return child(1, p) .. infix[op] .. child(2, p + 1), p
  elseif op == "neg" then
    return "-" .. child(1, 8), 7
  elseif op == "pow" then
    if P.is_product(node) then return powers(child(1, 8), math.tointeger(node[2].value)), 6 end
    return "pow(" .. child(1, 0) .. ", " .. child(2, 0) .. ")", 10
  elseif op == "select" then
    local condition = name(node[1]) -- a condition that was given a name is a number, 0 or 1
    return (condition and condition .. " > 0.0" or child(1, 2)) .. " ? " .. child(2, 2) .. " : " .. child(3, 1), 1
  elseif op == "sign" then
    local x = child(1, 8)
    return "(double)((" .. x .. " > 0.0) - (" .. x .. " < 0.0))", 7
  elseif op == "min" or op == "max" then
    local a, b = child(1, 4), child(2, 4)
    return a .. (op == "min" and " < " or " > ") .. b .. " ? " .. a .. " : " .. b, 1
  elseif op == "abs" then
    return "fabs(" .. child(1, 0) .. ")", 10
  elseif op == "atan2" or op == "fmod" then
    return op .. "(" .. child(1, 0) .. ", " .. child(2, 0) .. ")", 10
  end
  return op .. "(" .. child(1, 0) .. ")", 10
end

-- number of characters (roughly) of an expression written as a tree; a DAG can be exponentially long
local LONG = 4000
local sizes = setmetatable({}, { __mode = "k" })
local function size(node)
  local known = sizes[node]
  if known then return known end
  local sum = 4
  for i = 1, #node do sum = sum + size(node[i]) end
  sum = math.min(sum, LONG + 1) -- a deep DAG would overflow
  sizes[node] = sum
  return sum
end

--- For people: symbols by their own names, powers with ^; very long parts are left out.
function P.text(node)
  local op = node.op
  if size(node) > LONG then return "..." end
  if op == "sym" then return node.name end
  if op == "num" then return ("%.15g"):format(node.value) end
  if op == "part" then return ("%s[%d]"):format(node[1].of.name, node.k - 1) end
  local function child(i, least)
    local text = P.text(node[i])
    local p = prec[node[i].op] or (node[i].op == "num" and node[i].value < 0 and 7) or 10
    return p < least and "(" .. text .. ")" or text
  end
  if infix[op] then
    local tight = (op == "mul" or op == "div") and infix[op]:gsub(" ", "") or infix[op]
    return child(1, prec[op]) .. tight .. child(2, (op == "sub" or op == "div") and prec[op] + 1 or prec[op])
  elseif op == "neg" then
    return "-" .. child(1, 7)
  elseif op == "pow" then
    return child(1, 8) .. "^" .. child(2, 8)
  end
  local parts = {}
  for i = 1, #node do parts[i] = P.text(node[i]) end
  return (node.of and node.of.name or op) .. "(" .. table.concat(parts, ", ") .. ")"
end

--- For comments: text cut to a width, never able to close the comment.
function P.comment(node, width)
  local text = P.text(node):gsub("%*/", "* /")
  if #text > width then text = text:sub(1, width - 3) .. "..." end
  return text
end

return P
