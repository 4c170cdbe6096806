-- gen/support.lua tells the truth: every cell of its matrix is tried, and the matrix in README.md is the one that it makes.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local P = require "gen.pipeline"
local support = require "gen.support"

local MECHANISM = [[
local carom = require "carom"
local m = carom.model "mechanism"
local a, b = m:coordinate("a", { initial = 0.3 }), m:coordinate("b", { initial = 1 })
m:kinetic_energy((1.5 + b^2) / 2 * a.dot^2 + b.dot^2 / 2)
m:potential_energy(9.81 * b * carom.cos(a))
m:contact("floor", { gap = b * carom.cos(a)%s })
m:run { until_time = 1, step = 0.01 }
return m]]
local MESH = [[
local carom = require "carom"
local m = carom.model "block"
local body = m:mesh("body", { cells = { 2, 2 }, size = { 1, 1 } })
m:elastic(body, { E = 1e5, nu = 0.3, rho = 1000 })
m:contact_surface("floor", { mesh = body, boundary = "bottom", gap = function(x, y) return y + 0.01 end%s })
m:run { until_time = 0.01, step = 1e-4 }
return m]]
local text = {
  straight = { MECHANISM:format "", MECHANISM:format ", friction = 0.3, slide = a" },
  mesh = { MESH:format "", MESH:format ", friction = 0.3" },
  pile = { [[
local carom = require "carom"
local m = carom.model "heap"
m:gravity(0, 0, -9.81)
local ball = m:free_body("ball", { mass = 1, inertia = 0.4, at = { 0, 0, 2 } })
m:contacts_among({ m:sphere("s", { body = ball, radius = 0.5 }), m:plane("ground", { at = { 0, 0, 0 }, normal = { 0, 0, 1 } }) },
  { friction = 0.3 })
m:run { until_time = 1, step = 0.01 }
return m]] },
}
text.tables, text.petsc = text.straight, text.mesh

local form = { straight = "unrolled", tables = "looped" }

-- nil, or the message of the refusal
local function try(way, model, scheme)
  local good, why = pcall(function()
    local loaded = P.load("inline.lua", { text = model })
    if way == "petsc" then return P.compile_large(loaded, { scheme = scheme }) end
    return P.compile(loaded, { scheme = scheme, form = form[way] })
  end)
  if good then return nil end
  if type(why) ~= "table" or not why.carom then error(why, 0) end
  return why.message
end

-- the words of the table that a message must hold: what is in the way, and what to write
local function words(why)
  local what, instead = why:match("^(.-): not in loops over tables yet; (.*)$")
  return what and { what, instead } or { why }
end

for _, way in ipairs(support.ways) do
  T.test("every cell of the matrix is as it says: " .. support.titles[way], function()
    for kind, model in ipairs(text[way]) do
      for _, scheme in ipairs(support.rows) do
        local why, said = support.cell(way, scheme, kind == 2), try(way, model, scheme)
        local where = ("%s%s: "):format(scheme, kind == 2 and " with friction" or "")
        if not why then
          T.ok(not said, where .. tostring(said))
        else
          T.ok(said, where .. "runs, though the table says: " .. why)
          for _, word in ipairs(words(why)) do T.ok(said:find(word, 1, true), where .. said .. "\nis not what the table says: " .. word) end
        end
      end
    end
  end)
end

T.test("free bodies turn in straight code and in loops over tables", function()
  local body = [[
local carom = require "carom"
local m = carom.model "body"
m:gravity(0, 0, -9.81)
m:free_body("brick", { mass = 1, inertia = 0.4, at = { 0, 0, 2 } })
m:run { until_time = 1, step = 0.01 }
return m]]
  for _, way in ipairs { "straight", "tables" } do
    for _, scheme in ipairs(support.rows) do
      if not support.cell(way, scheme) then T.eq(try(way, body, scheme), nil, way .. ": " .. scheme) end
    end
  end
end)

T.test("the matrix in README.md is up to date", function()
  local file = assert(io.open("README.md", "rb"))
  local page = file:read("a")
  file:close()
  T.ok(support.text(page) == page, "the page is old; renew it as gen/support.lua says")
end)

T.finish()
