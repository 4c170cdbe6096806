-- The equations of a model as they were derived, in MathML: M(q) v' = h + G^T r and the gaps. Long ones are left out.
local ZERO = require("gen.expr.node").zero
local escaped = require("gen.util.text").xml

local LONG = 900 -- nodes of one expression written as a tree
local ALL = 100000 -- bytes of all of them
local MOST = 16 -- equations of motion that a page shows

local Q = {}

local GREEK = { alpha = "&#945;", beta = "&#946;", gamma = "&#947;", delta = "&#948;", theta = "&#952;", phi = "&#966;", psi = "&#968;",
  omega = "&#969;", lambda = "&#955;", mu = "&#956;", pi = "&#960;", rho = "&#961;", sigma = "&#963;", tau = "&#964;" }

-- A name; a number or what follows an underscore is its index, .dot a rate, whose own rate has two dots.
local function identifier(name, rate)
  local base, dot = name:match "^(.*)%.(dot)$"
  local stem, index = (base or name):match "^(%a+)_?([%w_]*)$"
  if not stem then stem, index = base or name, "" end
  local text = "<mi>" .. (GREEK[stem] or escaped(stem)) .. "</mi>"
  local dots = dot and rate and "&#168;" or (dot or rate) and "&#729;"
  if dots then text = ('<mover accent="true">%s<mo>%s</mo></mover>'):format(text, dots) end
  if index ~= "" then text = ("<msub>%s<mi>%s</mi></msub>"):format(text, escaped((index:gsub("_", " ")))) end
  return text
end

local OPEN, CLOSE = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'
local TIMES = '<mo>&#8290;</mo><mspace width="0.15em"/>'
local PRECEDENCE = { select = 1, lt = 3, le = 3, add = 5, sub = 5, neg = 6, mul = 7, div = 8 }

local function size(node, limit)
  local sum = 1
  for i = 1, #node do
    sum = sum + size(node[i], limit - sum)
    if sum > limit then return sum end
  end
  return sum
end

local function write(node, least)
  local op = node.op
  if op == "num" then
    local text = ("%.6g"):format(node.value):gsub("^%-", "&#8722;")
    return "<mn>" .. text .. "</mn>"
  elseif op == "sym" then
    return identifier(node.name)
  end
  local p, text = PRECEDENCE[op] or 10
  if op == "add" then
    text = write(node[1], 5) .. "<mo>+</mo>" .. write(node[2], 6)
  elseif op == "sub" then
    text = write(node[1], 5) .. "<mo>&#8722;</mo>" .. write(node[2], 6)
  elseif op == "mul" then
    text = write(node[1], 7) .. TIMES .. write(node[2], 7)
  elseif op == "div" then
    return ("<mfrac><mrow>%s</mrow><mrow>%s</mrow></mfrac>"):format(write(node[1], 0), write(node[2], 0))
  elseif op == "neg" then
    text = "<mo>&#8722;</mo>" .. write(node[1], 7)
  elseif op == "pow" then
    return ("<msup><mrow>%s</mrow><mrow>%s</mrow></msup>"):format(write(node[1], 10), write(node[2], 0))
  elseif op == "sqrt" then
    return "<msqrt>" .. write(node[1], 0) .. "</msqrt>"
  elseif op == "lt" or op == "le" then
    text = write(node[1], 4) .. (op == "lt" and "<mo>&lt;</mo>" or "<mo>&#8804;</mo>") .. write(node[2], 4)
  else
    local parts = {}
    for i = 1, #node do parts[i] = write(node[i], 0) end
    return ("<mi>%s</mi>%s%s%s"):format(op, OPEN, table.concat(parts, "<mo>,</mo>"), CLOSE)
  end
  if p < least then return OPEN .. text .. CLOSE end
  return text
end

local function short(node) return size(node, LONG) <= LONG end

--- Text of an expression, or nil where it is too long.
function Q.expression(node) return short(node) and write(node, 0) or nil end

local function line(text) return '<div class="equation"><math display="block"><mrow>' .. text .. "</mrow></math></div>" end

-- one equation of motion: the row of M times the accelerations = h + what constraints and contacts push
local function motion(eq, names, i)
  local left = {}
  for j = 1, eq.n do
    local node = eq.M[math.max(i, j)][math.min(i, j)]
    if node then
      if not short(node) then return nil end
      local factor = node.op == "num" and node.value == 1 and "" or write(node, 7) .. TIMES
      left[#left + 1] = factor .. identifier(names[j], true)
    end
  end
  if not short(eq.h[i]) then return nil end
  local right = { eq.h[i] ~= ZERO and write(eq.h[i], 5) or nil }
  for _, row in ipairs(eq.rows) do
    local g = row.G and row.G[i]
    if g and not short(g) then return nil end
    local factor = g and (g.op == "num" and g.value == 1 and "" or write(g, 7) .. TIMES)
    if g then right[#right + 1] = factor .. "<msub><mi>r</mi><mi>" .. escaped(row.item.name) .. "</mi></msub>" end
  end
  return line(table.concat(left, "<mo>+</mo>") .. "<mo>=</mo>" .. (right[1] and table.concat(right, "<mo>+</mo>") or "<mn>0</mn>"))
end

--- A folded part of the page, or "" where the model has none to show. eq: gen/mech/equations.lua.
function Q.page(eq)
  if not eq or not eq.M or eq.n > MOST then return "" end
  local names, lines, left_out = {}, {}, 0
  for i = 1, eq.n do names[i] = eq.symbols.v[i].name end
  local room = ALL
  local function put(text)
    if text and #text <= room then
      lines[#lines + 1], room = text, room - #text
    else
      left_out = left_out + 1
    end
  end
  for i = 1, eq.n do put(motion(eq, names, i)) end
  for k = 1, math.min(#eq.model.contacts, 2 * MOST) do
    local c = eq.model.contacts[k]
    local gap = Q.expression(c.gap)
    put(gap and line(("<msub><mi>g</mi><mi>%s</mi></msub><mo>=</mo>%s<mo>&#8805;</mo><mn>0</mn>"):format(escaped(c.name), gap)))
  end
  if #lines == 0 then return "" end
  local note = left_out > 0 and ("<p class=\"hint\">%d more are too long to be read.</p>"):format(left_out) or ""
  return "<details><summary>The equations, as derived</summary>" .. table.concat(lines, "\n") .. note .. "</details>"
end

return Q
