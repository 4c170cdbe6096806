-- Switches of forces: where a condition of `select`, the argument of `sign` or `abs`, or the difference of what `min` and `max` compare
-- changes its sign, forces jump or have a kink, and a step across it loses its order. Event capturing locates these zeros; on the way
-- there `sign` and `select` keep their side, which the state holds, so that stages beyond the zero see the smooth force of this side.
-- Other schemes with adaptive steps look whether a step went across one.
local E = require "gen.expr.node"
local L = require "gen.expr.level"

local W = {}

local PARTIAL = { sqrt = true, log = true, asin = true, acos = true } -- not defined everywhere: beyond its zero a side may be nothing

local function partial(node)
  return PARTIAL[node.op] or node.op == "pow" and not (node[2].op == "num" and math.tointeger(node[2].value))
end

-- what changes its sign; nil where nothing switches while a model moves
local function zero_of(node)
  local a, b = node[1], node[2]
  local phi = (node.op == "sign" or node.op == "abs") and a or (node.op == "min" or node.op == "max") and a - b
    or node.op == "select" and a[1] - a[2]
  return phi and L.of(phi) > 0 and phi or nil
end

--- Puts into eq: switches, the functions whose zeros they are; sides, symbols of the sides that are kept (1, -1; 0: not kept) with where
--- the state has them; sided, the forces with these. Nothing where forces do not switch. keeps: are sides kept? Else zeros are all.
function W.find(eq, keeps)
  local within, beneath = {}, {} -- nodes with something partial in them, and beneath it
  E.walk(eq.h, function(node)
    within[node] = partial(node)
    for i = 1, #node do within[node] = within[node] or within[node[i]] end
  end)
  local function mark(node)
    if beneath[node] then return end
    beneath[node] = true
    for i = 1, #node do mark(node[i]) end
  end
  E.walk(eq.h, function(node) if partial(node) then for i = 1, #node do mark(node[i]) end end end)

  local phis, sides, number, sided = {}, {}, {}, {}
  local function side(phi)
    if not number[phi] then
      phis[#phis + 1] = phi
      number[phi] = #phis
      sides[#phis] = { sym = E.sym("side" .. #phis, "input"), from = ("s->side[%d]"):format(#phis - 1) }
    end
    local s = sides[number[phi]].sym
    if not keeps then return phi end
    return E.select(E.lt(0.5, E.abs(s)), s, phi)
  end
  local function go(node)
    if sided[node] then return sided[node] end
    local phi = zero_of(node)
    local result
    if not phi then
      result = E.map(node, go)
    elseif node.op == "sign" then
      result = E.sign(side(go(phi)))
    elseif node.op == "select" and not within[node] and not beneath[node] then
      result = E.select(E[node[1].op](side(go(phi)), 0), go(node[2]), go(node[3]))
    else -- a kink: located, and force is what it is
      side(go(phi))
      result = E.map(node, go)
    end
    sided[node] = result
    return result
  end
  local h = {}
  for i, node in ipairs(eq.h) do h[i] = go(node) end
  if #phis > 0 then eq.switches = phis end
  if #phis > 0 and keeps then eq.sides, eq.sided = sides, h end
end

--- The first of these pieces (gen/mech/pieces.lua) in which something switches: who cannot locate it says so.
function W.first(pieces)
  for _, piece in ipairs(pieces) do
    local found = false
    E.walk(piece.args, function(node) found = found or zero_of(node) ~= nil end)
    if found then return piece end
  end
end

return W
