-- Adhesion of contacts, the cohesive zone of Raous, Cangemi and Cocou (THEORY 6.13): known intensities, interfaces of meshes.
package.path = "./?.lua;" .. package.path
local S = require "tests.e2e.support"
local T = require "tests.lua.harness"
local P = require "gen.pipeline"
local large = require "tests.e2e.large"

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

-- M = cos(omega t) sum of x_i min(C g_i, w^2/(C g_i^3)); explicit in the intensity, so of order 1 where a spot tears
T.test("glued_lid: the moment that pries it open, spot by spot, and the work it takes", function()
  local function moment(t)
    local sum = 0
    for i = 1, 10 do
      local x = (i - 0.5) * 0.02
      local g = x * math.sin(0.02 * t)
      sum = sum + x * math.min(1e6 * g, 1 / (1e6 * g ^ 3))
    end
    return sum * math.cos(0.02 * t)
  end
  T.near(moment(1), 141.994084, 1e-6)
  for _, way in ipairs { { "D-:M=1", "unrolled" }, { "D-:M=1", "looped" }, { "D-:M=2", "unrolled" }, { "D+:M=1", "unrolled" },
    { "D+:M=2", "looped" }, { "moreau-jean:theta=0.5", "unrolled" } } do
    local lid, called = S.compile(S.unit("glued_lid", way[1], { form = way[2] })), way[1] .. ", " .. way[2]
    for _, t in ipairs { 0.2, 1, 2, 5, 10 } do
      T.near(lid:run({ step = 2e-3, until_time = t }).outputs.moment / moment(t), 1, 6e-3, called .. ", at " .. t)
    end
    local rows, work, left = lid:run({ step = 2e-3, until_time = 20, csv = true }).rows, 0, 10
    T.near(rows[1].whole, 1, 1e-12, called .. ": whole before the first step")
    for k = 2, #rows do work = work + rows[k].moment * 0.02 * 2e-3 end
    for i = 1, 10 do left = left - 1 / (2e6 * ((i - 0.5) * 0.02 * math.sin(0.4)) ^ 2) end
    T.near(work / left, 1, 4e-3, called .. ", work")
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

-- Peeled from one side: some nodes are worn, some gone, some whole.
local PEELED = [[
local block = m:mesh("block", { cell = "quad4", cells = { 4, 2 }, size = { 1, 0.5 }%s })
m:elastic(block, { E = 1e6, nu = 0.3, rho = 1000 })
m:traction(block, "top", function(x, y, t) return { 0, 900 * x * carom.min(t / 0.1, 1) } end)
%s
m:probe("left", { mesh = block, at = { 0, 0 } })
m:probe("right", { mesh = block, at = { 1, 0 } })
m:run { until_time = 0.15, step = 1e-3 }]]
local LAW = "adhesion = { stiffness = 1e5, energy = 1, viscosity = 0.01 } })"
-- the obstacle hits the block at the start, and its gap is no distance
local SURFACE = PEELED:format(", thickness = 2",
  'm:contact_surface("glue", { mesh = block, boundary = "bottom", gap = function(_, y, t) return 0.8 * (y - 1e-3 * t) end, ' .. LAW)
local PAIR = PEELED:format("", [[
local base = m:mesh("base", { cell = "quad4", cells = { 3, 2 }, size = { 1, 0.5 }, origin = { 0, -0.5 } })
m:elastic(base, { E = 1e6, nu = 0, rho = 1000 })
m:fix(base, "bottom")
m:contact_pair("glue", { mesh = block, boundary = "bottom", master = base, master_boundary = "top", ]] .. LAW)

T.test("interfaces on PETSc, with an obstacle and between meshes, wear as on the small path", function()
  if not large.here then return T.skip("interfaces on PETSc", "PETSc absent") end
  local cases = { { SURFACE, { "D-:M=2", "moreau-jean:theta=1,contact=velocity" } }, { PAIR, { "D-:M=1", "D-:M=1", ranks = 2 } } }
  for _, case in ipairs(cases) do
    local path = large.model("peeled", case[1])
    for i, scheme in ipairs(case[2]) do
      local ranks = i == 2 and case[2].ranks
      local small = large.run(("%s --path small --scheme %s"):format(path, scheme))
      local rows = large.run(("%s %s --scheme %s"):format(path, ranks and "--ranks " .. ranks or "--path petsc", scheme))
      local what = scheme .. (ranks and " on two ranks" or "")
      T.eq(#rows, #small)
      for k, row in ipairs(small) do
        for _, name in ipairs { "left.y", "right.x", "right.y", "right.y.dot", "glue.closed" } do
          T.near(rows[k][name], row[name], scheme:find "^D" and 1e-9 or 1e-7, ("%s: %s at %g"):format(what, name, row.t))
        end
      end
      local last = small[#small]
      T.ok(last["right.y"] > 5e-3 and last["left.y"] < 2e-3, ("it peels: %g, %g"):format(last["left.y"], last["right.y"]))
    end
  end
end)

T.test("interfaces on PETSc are those of surfaces and pairs", function()
  local text = head .. [[
local m = carom.model "glue"
local block = m:mesh("block", carom.box { size = { 1 }, cells = { 4 }, cell = "bar2" })
m:elastic(block, { E = 1, nu = 0, rho = 1 })
local u = m:coordinate "u"
m:kinetic_energy(u.dot^2)
m:contact("wall", { gap = u, adhesion = { stiffness = 1, energy = 1 } })
return m]]
  local good, e = pcall(P.compile_large, P.load("inline.lua", { text = text }), { scheme = "D-:M=1" })
  T.ok(not good and e.line == 7)
  T.ok(e.message:find "contact 'wall' has adhesion: on PETSc that is for contact_surface and contact_pair", tostring(e.message))
end)

S.finish()
