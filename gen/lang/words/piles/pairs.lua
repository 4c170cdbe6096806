-- Which kinds of shapes can touch in a pile, in either order: what carom_collide of the runtime has rules for.
local P = {}

P.list = { { "sphere", "sphere" }, { "sphere", "box" }, { "sphere", "capsule" }, { "sphere", "cylinder" }, { "sphere", "plane" },
  { "sphere", "heightfield" }, { "box", "box" }, { "box", "plane" }, { "box", "heightfield" }, { "capsule", "box" },
  { "capsule", "capsule" }, { "capsule", "plane" }, { "capsule", "heightfield" }, { "cylinder", "plane" } }

local covered, text = {}, {}
for i, pair in ipairs(P.list) do
  covered[pair[1] .. " " .. pair[2]], covered[pair[2] .. " " .. pair[1]] = true, true
  text[i] = pair[1] .. "-" .. pair[2]
end

function P.covers(a, b) return covered[a .. " " .. b] == true end

--- The list in words.
P.text = table.concat(text, ", ")

return P
