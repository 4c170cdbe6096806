-- gen/support.lua tells the truth: every cell of its matrix is tried, and the matrix in README.md is the one that it makes.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local P = require "gen.pipeline"
local support = require "gen.support"
local words_of_language = require "gen.lang.words"

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
local HEAP = [[
local carom = require "carom"
local m = carom.model "heap"
m:gravity(0, 0, -9.81)
local ball = m:free_body("ball", { mass = 1, inertia = 0.4, at = { 0, 0, 2 } })
m:contacts_among({ m:sphere("s", { body = ball, radius = 0.5 }), m:plane("ground", { at = { 0, 0, 0 }, normal = { 0, 0, 1 } }) }%s)
m:run { until_time = 1, step = 0.01 }
return m]]
local text = {
  straight = { MECHANISM:format "", MECHANISM:format ", friction = 0.3, slide = a" },
  mesh = { MESH:format "", MESH:format ", friction = 0.3" },
  pile = { HEAP:format "", HEAP:format ", { friction = 0.3 }" },
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
local m = carom.model "turning"
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

-- ---- words: each in a text of its own, with all it needs -----------------------------------------------------------------------------

local HEAD = 'local carom = require "carom"\nlocal m = carom.model "words"\n'
local function ball(name) return ('m:free_body("%s", { mass = 1, inertia = 0.4, at = { 0, 0, 2 } })'):format(name) end
local function pile(name)
  return ('m:contacts_among { m:sphere("s_%s", { body = %s, radius = 0.5 }), m:plane("g_%s", { normal = { 0, 0, 1 } }) }'):format(name,
    ball(name), name)
end
local function moving(name)
  return ('local %s = m:coordinate("%s", { initial = 1 }) m:kinetic_energy(%s.dot^2 / 2) '):format(name, name, name)
end
local function block(name, of)
  return ('local %s = m:mesh("%s", { cells = { 1, 1 }, origin = { 0, %d } }) m:elastic(%s, { E = 1e5, nu = 0.3, rho = 1000 }) '):format(
    name, name, #name, name) .. (of or "")
end
local base = { straight = "", tables = "", pile = pile "first", mesh = block "first", petsc = block "first" }

local line = {
  model = "", parameter = 'm:parameter("p1", 1)', constant = 'm:constant("c1", 1)', time = "m:time()", gravity = "m:gravity(0, -9.81)",
  draw = 'm:draw("d1", { at = { 0, 0 } })',
  run = "m:run { until_time = 1, step = 0.01 }", input = 'm:input("u1")', output = 'm:output("y1", 1)', coordinate = moving "q1",
  body = moving "q2" .. 'm:body("b1", { mass = 1, at = { q2, 0 } })', kinetic_energy = moving "q3",
  potential_energy = moving "q4" .. "m:potential_energy(q4)", dissipation = moving "q5" .. "m:dissipation(q5.dot^2)",
  force = moving "q6" .. "m:force(q6, 1)", spring = moving "q7" .. "m:spring { length = q7, stiffness = 1 }",
  damper = moving "q8" .. "m:damper { length = q8, damping = 1 }", free_body = ball "f1",
  link = 'm:link("l1", { joint = "revolute", mass = 1, inertia = 1 })',
  joint = 'm:joint("j1", { type = "spherical", body = ' .. ball "f2" .. " })",
  constraint = moving "q9" .. 'm:constraint("k1", q9 - 1)', contact = moving "q10" .. 'm:contact("n1", { gap = q10 })',
  contact_between = 'm:contact_between(m:sphere("s1", { body = ' .. ball "f3"
    .. ', radius = 0.5 }), m:plane("g1", { normal = { 0, 0, 1 } }))',
  sphere = 'm:sphere("s2", { radius = 1, at = { 0, 0, 0 } })', cylinder = 'm:cylinder("z2", { radius = 1, length = 1, at = { 0, 0, 0 } })',
  capsule = 'm:capsule("c2", { radius = 1, length = 1, at = { 0, 0, 0 } })', box = 'm:box("b2", { size = { 1, 1, 1 }, at = { 0, 0, 0 } })',
  plane = 'm:plane("p2", { normal = { 0, 0, 1 } })', material_pair = 'm:material_pair("steel", "ice", { friction = 0.1 })',
  heightfield = 'm:heightfield("h2", { heights = { { 0, 0 }, { 0, 0 } }, size = { 1, 1 } })',
  polyhedron = 'm:polyhedron("p9", { points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, at = { 0, 0, 9 } })',
  surface = 'm:surface("h3", { height = function(x, y) return 0 * x end })',
  disk = 'm:disk("d2", { radius = 1, at = { 0, 0 } })', segment = 'm:segment("e2", { between = { { 0, 0 }, { 1, 0 } } })',
  arc = 'm:arc("a2", { radius = 1 })', polygon = 'm:polygon("p8", { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } })',
  contacts_among = pile "f4", exact = moving "q11" .. "m:exact(function() return {} end)",
  mesh = block "m1", elastic = block "m12", fix = block("m123", 'm:fix(m123, "left")'),
  hyperelastic = 'm:hyperelastic(m:mesh("rubber", { cells = { 1, 1 }, origin = { 5, 5 } }), { rho = 1, energy = function(F) '
    .. 'return carom.det(F)^2 + 1 - 2 * carom.det(F) end })',
  body_force = block("m1234", "m:body_force(m1234, { 0, -1 })"), traction = block("m12345", 'm:traction(m12345, "top", { 0, -1 })'),
  start = block("m123456", "m:start(m123456, { velocity = { 0, -1 } })"),
  probe = block("m1234567", 'm:probe("e1", { mesh = m1234567, at = { 0, 8 } })'),
  contact_surface = block("m12345678",
    'm:contact_surface("v1", { mesh = m12345678, boundary = "bottom", gap = function(x, y) return y + 1 end })'),
  node = block("m2", 'm:force { at = m:node(m2, { 0, 0 }), value = { 0, 1 } }'),
  tie = block("m23",
    'm:tie("weld", { mesh = m23, boundary = "top", body = m:body("on_top", { mass = 1, at = { m:coordinate("j9"), 0 } }) })'),
  contact_pair = block "a" .. block("bb",
    'm:contact_pair("v2", { mesh = bb, boundary = "bottom", master = a, master_boundary = "top" })'),
}

local scheme_of = { straight = "D-:M=1", tables = "D-:M=1", pile = "moreau-jean:theta=1", mesh = "moreau-jean", petsc = "D-:M=1" }

T.test("every word of the language has its place in the table", function()
  local count = 0
  for _, row in ipairs(support.words) do
    for _, word in ipairs(row) do
      T.ok(words_of_language[word] and line[word], word)
      count = count + 1
    end
  end
  T.eq(count, #words_of_language, "words in the table")
end)

for _, way in ipairs(support.ways) do
  T.test("words go with ways as the table says: " .. support.titles[way], function()
    local together = { {}, {} } -- what a way takes, in one model; what does not go with meshes, where there are some
    for _, row in ipairs(support.words) do
      for _, word in ipairs(row) do
        local why = row[way]
        local list = together[(way == "tables" or way == "pile") and row.mesh and 2 or 1]
        if not why then
          list[#list + 1] = word == "contacts_among" and way == "pile" and "" or line[word] -- there is one in the base
        else
          local said = try(way, HEAD .. base[way] .. "\n" .. line[word] .. "\nreturn m\n", scheme_of[way])
          T.ok(said, word .. ": runs, though the table says: " .. why)
          T.ok(said:find(why, 1, true), word .. ": " .. said .. "\nis not what the table says: " .. why)
        end
      end
    end
    for _, list in ipairs(together) do
      local model = HEAD .. base[way] .. "\n" .. table.concat(list, "\n") .. "\nreturn m\n"
      if #list > 0 then T.eq(try(way, model, scheme_of[way]), nil, model) end
    end
  end)
end

T.test("a refusal of a word gives its line; a form that is asked for and cannot be is refused", function()
  local mixed = P.load("inline.lua", { text = HEAD .. base.mesh .. "\n" .. pile "f4" .. "\nreturn m" })
  local good, e = pcall(P.compile_large, mixed, { scheme = "moreau-jean" })
  T.ok(not good and e.line == 4 and e.file == "inline.lua" and e.message:find("^contacts_among: contacts that are found"))
  T.ok(try("mesh", HEAD .. base.mesh .. "\n" .. pile "f4" .. "\nreturn m", "D-:M=1,adaptive=on"):find("too large with contacts_among",
    1, true))
  T.ok(try("straight", HEAD .. base.mesh .. "return m", "moreau-jean"):find("leave out --form", 1, true))
  T.ok(try("straight", HEAD .. base.pile .. " return m", "moreau-jean:theta=1"):find("leave out --form", 1, true))
  T.eq(try("tables", HEAD .. base.mesh .. "return m", "moreau-jean"), nil)
end)

T.test("as many schemes go with each way as were asked for", function()
  local count = {}
  for _, way in ipairs(support.ways) do
    count[way] = { 0, 0 }
    for _, text_of in ipairs(support.rows) do
      for rough = 1, 2 do count[way][rough] = count[way][rough] + (support.cell(way, text_of, rough == 2) and 0 or 1) end
    end
  end
  T.ok(#support.rows >= 25 and count.tables[2] >= 22 and count.mesh[2] >= 22 and count.straight[2] >= 24,
    "straight code and tables, with friction")
  T.ok(count.petsc[1] >= 17 and count.petsc[2] >= 13 and count.pile[2] >= 12, "PETSc and piles")
end)

T.test("a small mesh that goes to PETSc says why the small path does not run it", function()
  local large = require "gen.cli.large"
  local function loaded(scheme)
    return P.load("inline.lua", { text = (MESH:format(", friction = 0.3"):gsub("1e%-4 }", "1e-4" .. scheme .. " }")) })
  end
  local _, path, why = large.unit(P, loaded ', scheme = "moreau-jean:solver=tnn"', nil, {}, {})
  T.eq(path, "petsc")
  T.ok(why:find("^inline.lua:6: ") and why:find("solver=tnn is for meshes on PETSc", 1, true), why)
  local function path_line(scheme)
    for _, l in ipairs(large.described(P, loaded(scheme), {}).summary) do if l.label == "path" then return l.text end end
  end
  T.eq(path_line ', scheme = "moreau-jean"', "small")
  T.eq(path_line ', scheme = "moreau-jean:solver=tnn"', "PETSc; the small path does not run it: " .. why)
  -- a scheme that neither runs: both say why
  local good, e = pcall(large.unit, P, loaded ', scheme = "capture:rk=radau5,solver=mprgp"', nil, {}, {})
  T.ok(not good and e.message:find("capture is not for meshes", 1, true) and e.message:find("nor does the small path run it", 1, true))
  good, e = pcall(large.unit, P, loaded "", "petsc", { form = "looped" }, {})
  T.ok(not good and e.message:find("--form looped is not for meshes on PETSc", 1, true))
end)

T.test("the matrices in gen/SUPPORT.md and README.md are up to date", function()
  T.eq(table.concat(require("gen.matrix").old(), " "), "", "old pages; renew them as gen/matrix.lua says")
end)

T.finish()
