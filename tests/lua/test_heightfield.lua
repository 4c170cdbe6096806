-- Heightfields and surfaces as words: smooth ground against plain arithmetic, tables for piles, what is refused; and the pairs of
-- shapes against the rules of the runtime.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local load = require("gen.lang.core.load").load
local pile_pairs = require "gen.lang.words.shapes.pairs"

local HEAD = [[
local carom = require "carom"
local m = carom.model "test"
local A = m:free_body("A", { mass = 2, inertia = 1, at = { %g, %g, %g } })
local ball = m:sphere("ball", { radius = 0.2, body = A })
]] -- four lines

local function read(body, at)
  return load("test.lua", { text = HEAD:format(at[1], at[2], at[3]) .. body .. "\nreturn m\n" })
end

-- gap and slips of the only contact at the start, with these velocities and spins
local function measured(m, v, w)
  local env = { [m.time] = 0 }
  for i, c in ipairs(m.coordinates) do env[c.q], env[c.v] = eval(c.initial, env), v and v[i] or 0 end
  local r = m.rotations[1]
  for k = 1, 4 do env[r.q[k]] = k == 1 and 1 or 0 end
  for k = 1, 3 do env[r.v[k]] = w and w[k] or 0 end
  local c = m.contacts[1]
  return eval(c.gap, env), c.slip and { eval(c.slip[1], env), eval(c.slip[2], env) }
end

local DUNES = [[m:contact_between(ball, m:surface("dunes", { at = { 1, -1, 0.5 },
  height = function(x, y) return 0.1 * carom.sin(2 * x) * carom.cos(y) end }), { friction = 0.3 })]]

T.test("smooth ground: the gap is the least distance less the radius", function()
  for _, at in ipairs { { 1.4, 0.3, 0.8 }, { 3.1, 1.2, 0.85 }, { 2.2, -0.6, 1.1 }, { 4, 0, 0.9 } } do
    local least, x, y, width = math.huge, at[1], at[2], 0.4
    for _ = 1, 30 do -- a shrinking lattice around the best place
      local bx, by = x, y
      for i = -8, 8 do
        for j = -8, 8 do
          local px, py = x + i * width / 8, y + j * width / 8
          local pz = 0.5 + 0.1 * math.sin(2 * (px - 1)) * math.cos(py + 1)
          local d = math.sqrt((px - at[1]) ^ 2 + (py - at[2]) ^ 2 + (pz - at[3]) ^ 2)
          if d < least then least, bx, by = d, px, py end
        end
      end
      x, y, width = bx, by, width * 0.5
    end
    T.near((measured(read(DUNES, at))), least - 0.2, 1e-12)
  end
end)

T.test("flat ground: rolling has no slip, and a tilted one is a plane", function()
  local flat = read([[m:contact_between(ball, m:surface("g", { height = function(x, y) return 0 * x end }), { friction = 0.3 })]],
    { 0.3, 0.4, 0.2 })
  local gap, slip = measured(flat, { 1, 0, 0 }, { 0, 5, 0 })
  T.near(gap, 0, 1e-15)
  T.near(slip[1], 0, 1e-15)
  T.near(slip[2], 0, 1e-15)
  local tilted = read([[m:contact_between(ball, m:surface("g", { height = function(x, y) return 0.75 * x end }))]], { 0, 0, 0.5 })
  T.near((measured(tilted)), 0.5 * 0.8 - 0.2, 1e-15)
end)

T.test("in a pile: heights row by row, spacing, level", function()
  local m = read([[m:contacts_among({ ball, m:heightfield("g", { size = { 2, 3 }, cells = { 2, 1 }, at = { 0, 0, -1 },
    height = function(x, y) return x + 10 * y end }) })]], { 1, 1, 100 })
  local g = m.among.shapes[2]
  T.eq(table.concat(g.table.numbers, " "), "0.0 1.0 2.0 30.0 31.0 32.0")
  T.eq(g.table.columns .. " " .. g.table.rows, "3 2")
  T.near(g.size[1].value, 1, 0)
  T.near(g.size[2].value, 3, 0)
  local rows = read([[m:contacts_among({ ball, m:heightfield("g", { size = { 2, 3 }, heights = { { 0, 1, 2 }, { 3, 4, 5 } } }) })]],
    { 1, 1, 100 })
  T.eq(table.concat(rows.among.shapes[2].table.numbers, " "), "0 1 2 3 4 5")
end)

local function refused(name, body, expected)
  T.test(name, function()
    local good, e = pcall(read, body, { 0.1, 0.1, 9 })
    T.ok(not good, "the model was accepted")
    T.ok(fail.is(e), "not a located error: " .. tostring(e))
    T.eq(tostring(e), "test.lua:5: error: " .. expected)
  end)
end

refused("no heights", 'm:heightfield("g", { size = { 1, 1 } })',
  "heightfield 'g' needs height = function(x, y) ... end and cells = { nx, ny }, or heights = { { ... }, ... }")
refused("no cells", 'm:heightfield("g", { size = { 1, 1 }, height = function() return 0 end })', "heightfield 'g' lacks its numbers "
  .. "of cells; write cells = { nx, ny } with height, and nothing of the kind with heights")
refused("one length", 'm:heightfield("g", { size = { 1 }, heights = { { 0, 0 }, { 0, 0 } } })',
  "size of heightfield 'g' must be two positive lengths; write size = { lx, ly }")
refused("ragged rows", 'm:heightfield("g", { size = { 1, 1 }, heights = { { 0, 0 }, { 0, 0, 0 } } })', "row 2 of heights of heightfield "
  .. "'g' is no list of at least two numbers, as long as the first row; write { { z11, z12, ... }, { z21, z22, ... }, ... }")
refused("a hole", 'm:heightfield("g", { size = { 1, 1 }, cells = { 2, 2 }, height = function(x) return 1 / (x - 0.5) end })',
  "the height of heightfield 'g' at x = 0.5, y = 0 is inf; return a finite number")
refused("ground that moves", 'm:heightfield("g", { size = { 1, 1 }, heights = { { 0, 0 }, { 0, 0 } }, at = { A.at[1], 0, 0 } })',
  "at of heightfield 'g' depends on 'A_x', but it does not move; write numbers or parameters")
refused("a pair without a rule", 'm:contacts_among { ball, m:box("b", { size = { 1, 1, 1 }, at = { 5, 0, 0 } }), m:cylinder("c", { radius '
  .. '= 1, length = 1, body = A }) }', "box 'b' and cylinder 'c' can meet, but that pair is not covered; covered are " .. pile_pairs.text)

T.test("the pairs of piles are those of the runtime", function()
  local list = {}
  for _, kind in ipairs { "sphere", "box", "capsule", "cylinder", "plane", "heightfield", "polyhedron", "polygon" } do
    local file = assert(io.open("runtime/shapes/" .. kind .. ".c"))
    local body = file:read("a"):match("carom_kind_" .. kind .. " = (%b{});")
    file:close()
    for column, name, slots in body:gmatch("%[CAROM_(%u+)%] = {carom_([%l_]+), (%d)") do
      list[#list + 1] = kind .. " " .. column:lower()
      T.eq((name:gsub("_", " ")), list[#list])
      T.eq(pile_pairs.slots(kind, column:lower()), tonumber(slots))
    end
  end
  T.eq(#list, #pile_pairs.list + #pile_pairs.flat)
  for _, pair in ipairs(list) do T.ok(pile_pairs.covers(pair:match("(%S+) (%S+)")), pair) end
end)

T.finish()
