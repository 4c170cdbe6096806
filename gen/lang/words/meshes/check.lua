-- What can be said about a model of meshes before anything is generated: every mesh is made of something sensible, loads and
-- coefficients are finite, nothing ordinary is mixed in. What depends on the nodes is checked where they are made.
local E = require "gen.expr.node"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"

local function finite(x) return x == x and x ~= math.huge and x ~= -math.huge end

-- the value of an expression of parameters at their defaults
local function number(node, env, where, what)
  local x = eval(node, env)
  if not finite(x) then fail(where, "%s is %s; change it or the parameters", what, x ~= x and "not a number (NaN)" or "infinite") end
  return x
end

local function positive(node, env, where, what)
  local x = number(node, env, where, what)
  if x <= 0 then fail(where, "%s is %g; write a positive number", what, x) end
end

local function elastic(mesh, env)
  local m = mesh.material
  local of = (" of mesh '%s'"):format(mesh.name)
  positive(m.E, env, m, "E" .. of)
  local nu = number(m.nu, env, m, "nu" .. of)
  if nu <= -1 or nu >= 0.5 then
    fail(m, "nu%s is %g; Poisson's ratio is more than -1 and less than 0.5", of, nu)
  end
end

-- the energy is 0 and finite where nothing is deformed
local function hyperelastic(mesh, env)
  local m = mesh.material
  local at = setmetatable({}, { __index = env })
  for i, row in ipairs(m.F) do for j, s in ipairs(row) do at[s] = i == j and 1.0 or 0.0 end end
  local x = number(m.energy, at, m, ("energy of mesh '%s' in the undeformed body"):format(mesh.name))
  for i, row in ipairs(m.F) do for j, s in ipairs(row) do at[s] = i == j and 1.1 or 0.05 end end
  local size = math.abs(number(m.energy, at, m, ("energy of mesh '%s' at a small deformation"):format(mesh.name)))
  if math.abs(x) > 1e-9 * size then
    fail(m, "energy of mesh '%s' is %g in the undeformed body (F = 1), not 0; subtract that value", mesh.name, x)
  end
end

local function coefficient(c, kind, field, env, most)
  if not c[field] then return end
  local what = ("%s of %s '%s'"):format(field, kind, c.name)
  local x = number(c[field], env, c, what)
  if x < 0 or x > most then
    fail(c, "%s is %g; write a number %s", what, x, most < math.huge and "from 0 to " .. most or "that is 0 or more")
  end
end

-- weight acts on every mesh, besides its own body force
local function weigh(model)
  if not model.gravity then return end
  for _, mesh in ipairs(model.meshes) do
    local X, list = {}, {}
    for i = 1, mesh.dimension do
      X[i] = E.sym("X_" .. i, "local")
      list[i] = model.gravity[i] or E.zero
      if mesh.load then list[i] = list[i] + mesh.load.value[i] end
    end
    mesh.load = { X = X, value = list }
  end
  model.gravity = nil
end

-- Linear cells that lock: volume where nu is near 1/2 (in plane stress the thickness gives way), bending where one cell makes up a thin
-- side. Figures: a cantilever of 20 x 1 cells, and one of nu = 0.4999 on 40 x 10.
local function warn_of_locking(model, mesh, nu)
  local function warn(...) table.insert(model.warnings, ("mesh '%s': "):format(mesh.name) .. string.format(...)) end
  if nu and nu > 0.45 and mesh.dimension > 1 and mesh.plane ~= "stress" then
    warn("nu is %g; cells of first order lock above 0.45 (a beam of nu = 0.4999 bent by 0.12 of theory), so it is too stiff", nu)
  end
  local source = mesh.source
  for k, n in ipairs(source.cells or {}) do
    local long = 0.0
    for l, length in ipairs(source.size) do if l ~= k and source.cells[l] > 1 then long = math.max(long, length / source.size[k]) end end
    if n == 1 and long >= 4 and not source.map then
      warn("one cell of first order through its thickness, %g times shorter than its length, locks where it is bent (tip of a cantilever "
        .. "at 0.07 of theory); write 4 or more cells along %s", long, ({ "x", "y", "z" })[k])
      return
    end
  end
end

--- Refuses a model of meshes that cannot be meant, and puts doubts into model.warnings; silent when all is well.
return function(model)
  local other = model.coordinates[1] or model.terms[1] or model.contacts[1] or model.constraints[1] or model.outputs[1]
    or model.inputs[1]
  if other then
    fail(other, "a model with meshes cannot also have coordinates, bodies, energies, contacts, inputs or outputs of its own; "
      .. "say it with m:fix, m:body_force, m:traction, m:contact_surface and m:probe, or make two models")
  end
  if model.exact then fail(model, "a model with meshes has no exact solution by name; leave out m:exact") end
  local env = {}
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, mesh in ipairs(model.meshes) do
    local m = mesh.material
    if not m then
      fail(mesh, "mesh '%s' is made of nothing; write m:elastic(%s, { E = ..., nu = ..., rho = ... }) or m:hyperelastic", mesh.name,
        mesh.name)
    end
    positive(m.rho, env, m, ("rho of mesh '%s'"):format(mesh.name))
    positive(mesh.thickness, env, mesh, ("thickness of mesh '%s'"):format(mesh.name))
    if m.kind == "elastic" then elastic(mesh, env) else hyperelastic(mesh, env) end
    model.warnings = model.warnings or {}
    warn_of_locking(model, mesh, m.kind == "elastic" and eval(m.nu, env))
    if m.damping then
      for _, field in ipairs { "mass", "stiffness" } do
        local x = number(m.damping[field], env, m, ("%s damping of mesh '%s'"):format(field, mesh.name))
        if x < 0 then fail(m, "%s damping of mesh '%s' is %g; write 0 or more", field, mesh.name, x) end
      end
    end
  end
  for _, list in ipairs { { model.surfaces, "contact surface" }, { model.pairs, "contact pair" } } do
    for _, c in ipairs(list[1]) do
      coefficient(c, list[2], "restitution", env, 1)
      coefficient(c, list[2], "friction", env, math.huge)
      if c.friction and c.mesh.dimension == 1 then
        fail(c, "%s '%s' has friction, but in one dimension there is nothing to slide along; leave it out", list[2], c.name)
      end
    end
  end
  weigh(model)
end
