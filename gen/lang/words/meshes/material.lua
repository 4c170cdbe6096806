-- What meshes are made of: elastic, hyperelastic.
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local names = require "gen.lang.core.names"
local part = require "gen.lang.words.meshes.part"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"

local about, allow, subject, STATIC = part.about, part.allow, part.subject, part.STATIC

-- { mass = a, stiffness = b }: C = a M + b K
accept.types.damping = { shown = "`{ mass =, stiffness = }`", read = function(x, what, where)
  if not accept.plain_table(x) then accept.expected(what, "a table", x, where, "write damping = { mass = ..., stiffness = ... }") end
  local keys = {}
  for key in next, x do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  for _, key in ipairs(keys) do
    if key ~= "mass" and key ~= "stiffness" then
      fail(where, "%s has no '%s'; %s", what, key, names.suggest(key, { "mass", "stiffness" }, "it has"))
    end
  end
  return { mass = accept.types.expression.read(x.mass or 0, "mass of " .. what, where, "1/s"),
    stiffness = accept.types.expression.read(x.stiffness or 0, "stiffness of " .. what, where, "s") }
end }

local damping = { "damping", "damping", [[`{ mass = a, stiffness = b }`: Rayleigh's damping C = a M + b K, with K of the
  undeformed body: for bodies that turn little.]], default = "none" }

local function material(mesh, fields, o, title, where)
  if mesh.material then
    fail(where, "%s is already made of something, in line %d; keep one of the two", subject(mesh), mesh.material.line)
  end
  local function static(v, what)
    if not v then return nil end
    allow(value.node(v), {}, STATIC, what .. " of " .. title, where, "write a number or an expression of parameters")
    return value.node(v)
  end
  fields.rho, fields.file, fields.line = static(o.rho, "rho"), where.file, where.line
  fields.damping = o.damping and { mass = static(o.damping.mass, "mass damping"),
    stiffness = static(o.damping.stiffness, "stiffness damping") } or nil
  mesh.material = fields
  return static
end

-- density and damping of the meshes of one kind, and what the kind has of its own
local function check(model, env, kind, own)
  for _, mesh in ipairs(model.meshes) do
    local m, of = mesh.material, (" of mesh '%s'"):format(mesh.name)
    if m and m.kind == kind then
      look.positive(m.rho, env, m, "rho" .. of)
      own(mesh, m, env, of)
      for _, field in ipairs(m.damping and { "mass", "stiffness" } or {}) do
        local x = look.number(m.damping[field], env, m, field .. " damping" .. of)
        if x < 0 then fail(m, "%s damping%s is %g; write 0 or more", field, of, x) end
      end
    end
  end
end

local elastic = part.word { "elastic", group = "@@",
  "m:elastic(mesh, { E = ..., nu = ..., rho = ..., damping = { mass = ..., stiffness = ... } })",
  summary = "Makes a mesh linearly elastic and isotropic, for small strains and small rotations.",
  arguments = { part.mesh },
  options = {
    { "E", "expression", "Young's modulus, a number or an expression of parameters.", dim = "Pa", required = true },
    { "nu", "expression", "Poisson's ratio, likewise, more than -1 and less than 0.5. A bar has none.", dim = "1",
      default = "0" },
    { "rho", "expression", "Density, likewise.", dim = "kg/m^3", required = true }, damping },
  example = [[
local steel = m:parameter("youngs_modulus", 210e9, "Pa")
local bar = m:mesh("bar", carom.bar { cells = 4, length = 1, section = 1e-4 })
m:elastic(bar, { E = steel, rho = 7800, damping = { mass = 0, stiffness = 1e-7 } })]],
  preamble = part.bare }

function elastic.means(_, _, given, where)
  local a, o, title = about(elastic, given, where)
  local fields = { kind = "elastic" }
  local static = material(a.mesh, fields, o, title, where)
  fields.E, fields.nu = static(o.E, "E"), static(o.nu, "nu") or E.zero
end

function elastic.check(model, env)
  check(model, env, "elastic", function(_, m, _, of)
    look.positive(m.E, env, m, "E" .. of)
    local nu = look.number(m.nu, env, m, "nu" .. of)
    if nu <= -1 or nu >= 0.5 then fail(m, "nu%s is %g; Poisson's ratio is more than -1 and less than 0.5", of, nu) end
  end)
end

local hyperelastic = part.word { "hyperelastic", group = "@@",
  "m:hyperelastic(mesh, { rho = ..., energy = function(F) return W end, damping = ... })",
  summary = [[Makes a mesh elastic at large strains and rotations, by any stored energy. Stress and stiffness are derived
    from it.]],
  arguments = { part.mesh },
  options = {
    { "rho", "expression", "Density of the undeformed body, a number or an expression of parameters.", dim = "kg/m^3",
      required = true },
    { "energy", "function", [[Gets the deformation gradient F, a list of rows (3 x 3 in space and in plane strain, where the
      third row and column are those of the unit matrix, and F[3][3] must be written out for the stress through the thickness to be
      right; 1 x 1 in a bar), and gives the stored energy per undeformed volume (Pa), 0 where
      F is the unit matrix. `carom.det`, `trace`, `transpose`, `matmul`, `inverse` help to write it.]], required = true },
    damping },
  example = [[
local ball = m:mesh("ball", { cells = { 2, 2, 2 } })
local G, K = m:parameter("G", 1e6, "Pa"), m:parameter("K", 2e7, "Pa")
m:hyperelastic(ball, { rho = 1100, energy = function(F)   -- neo-Hooke, nearly incompressible
  local J = carom.det(F)
  local I1 = carom.trace(carom.matmul(carom.transpose(F), F))
  return G / 2 * (I1 * J^(-2/3) - 3) + K / 2 * (J - 1)^2
end })]] }

-- F as the energy sees it; in plane strain F_33 is 1, but a symbol, so that the stress through the thickness can be had
local function deformation(d)
  local symbols, list, seen = {}, {}, {}
  local shown = d == 2 and 3 or d
  for i = 1, shown do
    symbols[i], seen[i] = {}, {}
    for j = 1, shown do
      local free = i <= d and j <= d or i == j
      symbols[i][j] = free and E.sym(("F_%d%d"):format(i, j), "local") or E.zero
      seen[i][j] = free and value.wrap(symbols[i][j], units.none) or 0
      if free then list[#list + 1] = symbols[i][j] end
    end
  end
  return symbols, list, seen
end

function hyperelastic.means(_, _, given, where)
  local a, o, title = about(hyperelastic, given, where)
  local mesh = a.mesh
  if mesh.plane == "stress" then
    fail(where, "%s is in plane stress, which hyperelastic does not know; write plane = \"strain\"", subject(mesh))
  end
  local F, list, seen = deformation(mesh.dimension)
  local result = o.energy(seen)
  local what = "energy of " .. title
  if not value.is(result) then
    fail(where, "%s gives %s; return the stored energy as an expression of F", what, value.describe(result))
  end
  value.expect(value.lift(result, what), units.parse "Pa", what, where)
  allow(value.node(result), list, STATIC, what, where, "write it with F, numbers and parameters")
  material(mesh, { kind = "hyperelastic", F = F, energy = value.node(result) }, o, title, where)
end

-- the energy is 0 and finite where nothing is deformed
local function undeformed(mesh, m, env)
  local at = setmetatable({}, { __index = env })
  for i, row in ipairs(m.F) do for j, s in ipairs(row) do at[s] = i == j and 1.0 or 0.0 end end
  local x = look.at_start(m.energy, at, m, ("energy of mesh '%s' in the undeformed body"):format(mesh.name))
  for i, row in ipairs(m.F) do for j, s in ipairs(row) do at[s] = i == j and 1.1 or 0.05 end end
  local size = math.abs(look.at_start(m.energy, at, m, ("energy of mesh '%s' at a small deformation"):format(mesh.name)))
  if math.abs(x) > 1e-9 * size then
    fail(m, "energy of mesh '%s' is %g in the undeformed body (F = 1), not 0; subtract that value", mesh.name, x)
  end
end

function hyperelastic.check(model, env) check(model, env, "hyperelastic", undeformed) end

return { words = { elastic, hyperelastic } }
