-- Adhesion of contacts, the cohesive zone of Raous, Cangemi and Cocou (THEORY 6.13): known intensities, interfaces of meshes.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local P = require "gen.pipeline"

local head = 'local carom = require "carom"\n'

T.test("an opening g = 0.1 t: implicit Euler, order 1, and w/(C g^2) without viscosity", function()
  local text = head .. [[
local m = carom.model "zone"
local g, u = m:coordinate("g", { velocity = 0.1 }), m:coordinate("u", { velocity = 0.1 })
m:kinetic_energy(m:constant("heavy", 1e12) * (g.dot^2 + u.dot^2) / 2)
local law = { stiffness = 1, energy = 0.01, viscosity = m:parameter("b", 0.05) }
local c = m:contact("face", { gap = g, adhesion = law })
local apart = m:contact("apart", { gap = u + 1, adhesion = law })
m:output("beta", c.intensity)
m:output("open", apart.intensity)
return m]]
  for _, way in ipairs { { "D-:M=1", "unrolled" }, { "moreau-jean:theta=0.5", "looped" }, { "D+:M=2", "looped" } } do
    local program, before = S.compile(S.unit({ text = text }, way[1], { form = way[2] })), nil
    for _, n in ipairs { 100, 200, 400 } do
      local r = program:run { step = 4 / n, until_time = 4 }
      local left = r.outputs.beta - 0.0942408719
      if n == 100 then T.near(r.outputs.beta, 0.095805486080, 1e-11, way[1]) end
      if before then T.near(before / left, 2, 0.05, way[1] .. ", order 1") end
      before = left
      T.eq(r.outputs.open, 0, "what is open at the start does not stick")
    end
    T.near(program:run({ step = 0.04, until_time = 4, set = { "b=0" } }).outputs.beta, 0.01 / 0.4 ^ 2, 1e-12, "quasi-static")
  end
end)

-- A block with nu = 0 on the ground: all of the interface opens by p/C, until w = C g^2, p = (w C)^(1/2) = 316 N/m^2.
T.test("a block that is glued on opens by p/C and comes off at (w C)^(1/2), whatever its mesh", function()
  local text = head .. [[
local m = carom.model "glue"
local n = m:constant("n", 2)
local block = m:mesh("block", carom.box { size = { 1, 0.5 }, cells = { 2 * n, n }, cell = "quad4", %s })
m:elastic(block, { E = 1e6, nu = 0, rho = 1000 })
local pull = m:parameter("pull", 200, "N/m^2")
m:traction(block, "top", function(x, y, t) return { 0, pull * carom.min(t / 4, 1) } end)
%s
m:probe("top", { mesh = block, at = { 0.5, 0.5 } })
return m]]
  local glue = "adhesion = { stiffness = 1e5, energy = 1, viscosity = 0.01 } })"
  local ways = { { "", 'm:contact_surface("glue", { mesh = block, boundary = "bottom", gap = function(_, y) return y end, ' .. glue, 0 },
    { "", [[
local base = m:mesh("base", carom.box { size = { 1, 0.5 }, origin = { 0, -0.5 }, cells = { 3, 2 }, cell = "quad4" })
m:elastic(base, { E = 1e6, nu = 0, rho = 1000 })
m:fix(base, "bottom")
m:contact_pair("glue", { mesh = block, boundary = "bottom", master = base, master_boundary = "top", ]] .. glue, 0.5 },
    { "thickness = 2", 'm:contact_surface("glue", { mesh = block, boundary = "bottom", gap = function(_, y) return y end, ' .. glue, 0 } }
  for i, way in ipairs(ways) do
    local program = S.compile(S.unit({ text = text:format(way[1], way[2]) }, "moreau-jean:theta=1,contact=velocity",
      { set = { n = i == 1 and 3 or 2 } }))
    local function height(pull) return program:run({ step = 0.02, until_time = 14, set = { "pull=" .. pull } }).outputs["top.y"] end
    T.near(height(200), 0.5 + 200 / 1e5 + 200 * (0.5 + way[3]) / 1e6, 1e-5, "way " .. i)
    T.near(height(300), 0.5 + 300 / 1e5 + 300 * (0.5 + way[3]) / 1e6, 1e-5, "way " .. i)
    T.ok(height(330) > 1, "it comes off")
  end
end)

T.test("a mesh on PETSc does not stick, and says so", function()
  local text = head .. [[
local m = carom.model "glue"
local block = m:mesh("block", carom.box { size = { 1 }, cells = { 4 }, cell = "bar2" })
m:elastic(block, { E = 1, nu = 0, rho = 1 })
m:contact_surface("wall", { mesh = block, boundary = "left", gap = function(x) return x end, adhesion = { stiffness = 1, energy = 1 } })
return m]]
  local loaded = P.load("inline.lua", { text = text })
  local good, e = pcall(P.compile_large, loaded, { scheme = "D-:M=1" })
  T.ok(not good and e.line == 5)
  T.ok(e.message:find "contact surface 'wall' has adhesion: contacts of meshes do not stick", tostring(e.message))
end)

S.finish()
