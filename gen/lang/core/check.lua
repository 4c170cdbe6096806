-- What can be said about a whole model before anything is generated: everything is finite at the start, contacts are
-- open, constraints hold, every coordinate has inertia, and expressions depend only on what they may depend on.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local assemble = require "gen.lang.core.assemble"
local eval = require("gen.expr.eval").eval
local fail = require "gen.lang.core.fail"
local in_bulk = require "gen.lang.words.piles.check"
local in_space = require "gen.lang.words.bodies.check"
local links = require "gen.lang.words.links.check"
local mass = require "gen.lang.core.mass"
local meshes = require "gen.lang.words.meshes.check"
local rate = require("gen.lang.core.rate").of

local function finite(x) return type(x) == "number" and x == x and x ~= math.huge and x ~= -math.huge end

local kinds = { q = "a coordinate", v = "a velocity", time = "time", input = "an input", param = "a parameter" }

-- The symbols of an expression must be of the allowed kinds.
local function only(node, allowed, where, what, instead)
  for _, s in ipairs(E.symbols(node)) do
    if not allowed[s.kind] then
      local kind = s.kind == "input" and string.find(s.name, ".", 1, true) and "a force of the last step" or kinds[s.kind] or s.kind
      fail(where, "%s depends on %s ('%s'); %s", what, kind, s.name, instead)
    end
  end
end

-- The symbols a model has declared; anything else came from elsewhere.
local function declared(model)
  local set = { [model.time] = true }
  for _, list in ipairs { model.parameters, model.inputs, model.felt } do
    for _, e in ipairs(list) do set[e.sym] = true end
  end
  for _, c in ipairs(model.coordinates) do set[c.q], set[c.v] = true, true end
  for _, r in ipairs(model.rotations) do
    for i = 1, 4 do set[r.q[i]] = true end
    for i = 1, 3 do set[r.v[i]] = true end
  end
  return set
end

local static = { param = true }
local geometric = { param = true, q = true, time = true }

--- Numbers for all symbols at the start; fails where one is not finite.
local function initial_values(model)
  local env = { [model.time] = 0.0 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, p in ipairs(model.inputs) do env[p.sym] = p.value end
  for _, f in ipairs(model.felt) do env[f.sym] = 0.0 end
  local starts = {}
  for _, c in ipairs(model.coordinates) do
    for _, field in ipairs { "initial", "velocity" } do
      local what = field .. " of coordinate '" .. c.name .. "'"
      only(c[field], static, c, what, "write a number or an expression of parameters")
      local x = eval(c[field], env)
      if not finite(x) then
        fail(c, "%s is %s; write a finite number", what, x ~= x and "not a number (NaN)" or "infinite")
      end
      starts[#starts + 1] = x
    end
  end
  in_space.initial_values(model, env)
  for i, c in ipairs(model.coordinates) do env[c.q], env[c.v] = starts[2 * i - 1], starts[2 * i] end
  return env
end

local function depends_on(node, kind)
  for _, s in ipairs(E.symbols(node)) do if s.kind == kind then return true end end
  return false
end

local function at_start(node, env, where, what)
  local x = eval(node, env)
  if not finite(x) then
    fail(where, "%s is %s at the start; change the initial values or the expression", what,
      x ~= x and "not a number (NaN)" or "infinite")
  end
  return x
end

-- a coefficient: a number or an expression of parameters, within bounds at the start
local function coefficient(c, field, env, most)
  local what = field .. " of contact '" .. c.name .. "'"
  only(c[field], static, c, what, "write a number or an expression of parameters")
  local x = at_start(c[field], env, c, what)
  if x < 0 or x > most then
    fail(c, "%s is %g; write a number %s", what, x, most < math.huge and "from 0 to " .. most or "that is 0 or more")
  end
end

-- A slip must be affine in the velocities: its derivatives by them are the rows of the contact problem.
local function affine(node, c, what)
  for _, v in ipairs(E.symbols(node)) do
    if v.kind == "v" then
      for _, s in ipairs(E.symbols(D.by(node, v))) do
        if s.kind == "v" then
          fail(c, "%s is not affine in the velocities ('%s'); write sums of velocities times functions of the "
            .. "coordinates", what, s.name)
        end
      end
    end
  end
end

local directions = {
  slide = { allowed = geometric, write = "write it with coordinates, time and parameters", kind = "q",
    none = "does not depend on any coordinate; write a displacement along the contact" },
  slip = { allowed = { param = true, q = true, v = true, time = true },
    write = "write it with coordinates, velocities, time and parameters", kind = "v",
    none = "does not depend on any velocity; write a velocity along the contact, or slide = a displacement" },
}

local function friction(c, env)
  coefficient(c, "friction", env, math.huge)
  if c.tangential_restitution then coefficient(c, "tangential_restitution", env, 1) end
  local field = c.slide and "slide" or "slip"
  local rule, list = directions[field], c[field]
  for i, node in ipairs(list) do
    local what = string.format("%s%s of contact '%s'", #list > 1 and "entry " .. i .. " of " or "", field, c.name)
    only(node, rule.allowed, c, what, rule.write)
    if not depends_on(node, rule.kind) then fail(c, "%s %s", what, rule.none) end
    affine(node, c, what)
    at_start(node, env, c, what)
  end
end

local function contacts(model, env)
  for _, c in ipairs(model.contacts) do
    local what = "gap of contact '" .. c.name .. "'"
    only(c.gap, geometric, c, what, "write it with coordinates, time and parameters")
    if not depends_on(c.gap, "q") then
      fail(c, "%s does not depend on any coordinate; write a distance that changes with the motion", what)
    end
    at_start(c.gap, env, c, what)
    at_start(rate(c.gap), env, c, "rate of the " .. what) -- a distance of 0 between two middles has no direction
    coefficient(c, "restitution", env, 1)
    if c.friction then friction(c, env) end
  end
end

local function constraints(model, env)
  for _, c in ipairs(model.constraints) do
    local what = "constraint '" .. c.name .. "'"
    only(c.expr, geometric, c, what, "write it with coordinates, time and parameters")
    if not depends_on(c.expr, "q") then
      fail(c, "%s does not depend on any coordinate; write an expression that the motion keeps at zero", what)
    end
    at_start(c.expr, env, c, what)
    at_start(rate(c.expr), env, c, "rate of " .. what)
  end
end

local any = { param = true, q = true, v = true, time = true, input = true }
local positions = { param = true, q = true, time = true, input = true }

local function terms(model, env)
  local rotating = in_space.symbols(model)
  for _, t in ipairs(model.terms) do
    if t.kind == "kinetic" then
      in_space.no_rotation(t, rotating, { t.expr }, "the kinetic energy")
    elseif t.kind == "free_body" then
      in_space.free_body(t, env)
    elseif t.kind == "tree" then
      links.tree(t, env)
    elseif t.kind == "body_torque" then
      for i = 1, 3 do at_start(t.value[i], env, t, "the torque") end
    elseif t.kind == "potential" then
      only(t.expr, positions, t, "the potential energy", "write velocity-dependent forces with dissipation or force")
      at_start(t.expr, env, t, "the potential energy")
    elseif t.kind == "dissipation" then
      at_start(t.expr, env, t, "the dissipation")
    elseif t.kind == "force" then
      at_start(t.value, env, t, "the force on '" .. t.on.name .. "'")
    elseif t.kind == "point_force" or t.kind == "spatial_force" then
      for i = 1, #t.at do
        only(t.at[i], geometric, t, "the point of the force", "write it with coordinates, time and parameters")
        at_start(t.at[i], env, t, "the point of the force")
        at_start(t.value[i], env, t, "the force")
      end
      if t.torque then at_start(t.torque, env, t, "the torque") end
      if t.angle then
        only(t.angle, geometric, t, "the angle of the torque", "write it with coordinates, time and parameters")
      end
    elseif t.kind == "body" then
      local what = "body '" .. t.name .. "'"
      in_space.no_rotation(t, rotating, { t.at[1], t.at[2], t.angle }, "the place of " .. what)
      for i = 1, 2 do
        only(t.at[i], geometric, t, "the place of " .. what, "write it with coordinates, time and parameters")
        at_start(t.at[i], env, t, "the place of " .. what)
      end
      if t.angle then
        only(t.angle, geometric, t, "the angle of " .. what, "write it with coordinates, time and parameters")
      end
      for _, field in ipairs { "mass", "inertia" } do
        if t[field] then
          only(t[field], static, t, field .. " of " .. what, "write a number or an expression of parameters")
          local x = at_start(t[field], env, t, field .. " of " .. what)
          if x < 0 then fail(t, "%s of %s is %g; write a positive number", field, what, x) end
        end
      end
    end
  end
  in_space.gravity(model)
  for _, g in ipairs(model.gravity or {}) do
    only(g, { param = true, time = true, input = true }, model, "gravity", "write numbers or parameters")
  end
end

-- Where the model starts: given values win over its own (name -> number).
local function overridden(model, env, given)
  for _, p in ipairs(model.parameters) do env[p.sym] = given[p.name] or env[p.sym] end
  for _, u in ipairs(model.inputs) do env[u.sym] = given[u.name] or env[u.sym] end
  for _, c in ipairs(model.coordinates) do
    env[c.q], env[c.v] = given[c.name] or eval(E.lift(c.initial), env), given[c.name .. ".dot"] or eval(E.lift(c.velocity), env)
  end
  for _, r in ipairs(model.rotations) do
    for i = 1, 4 do env[r.q[i]] = given[r.q[i].name] or eval(E.lift(r.initial[i]), env) end
    for i = 1, 3 do env[r.v[i]] = given[r.v[i].name] or eval(E.lift(r.spin[i]), env) end
  end
end

local C = {}

--- What a run with other values (name -> number) must start from so that it fits: a list of { name =, value = } of what is moved and
-- the report of assemble.lua; nil where nothing is wrong. Fails where the defect is not small and not asked for.
function C.assembled(model, given, asked)
  if #model.meshes > 0 or model.among then return nil end
  local env = initial_values(model)
  overridden(model, env, given)
  local solve, index = mass(model, env)
  local report = assemble.project(model, env, solve, index, asked)
  if not report then return nil end
  local list = {}
  for _, symbols in ipairs { report.symbols.q, report.symbols.v } do
    for _, s in ipairs(symbols) do
      if env[s] ~= report.before[s] then list[#list + 1] = { name = s.name, value = env[s] } end
    end
  end
  return list, report
end

--- Refuses a model that cannot be meant; silent when all is well. Small defects of the start are mended (larger ones when asked
-- to) and told in model.warnings and model.assembled.
function C.model(model, assembling)
  if #model.meshes > 0 then return meshes(model) end
  if model.run.cfl then fail(model, "cfl of run is for models with a mesh; write step = ...") end
  if #model.coordinates == 0 then
    fail(model, "the model '%s' has no coordinate; write m:coordinate(\"q\", { initial = ... })", model.name)
  end
  local env = initial_values(model)
  local known = declared(model)
  for _, o in ipairs(model.outputs) do
    only(o.expr, any, o, "output '" .. o.name .. "'", "write it with what the model declares")
  end
  for _, t in ipairs(model.terms) do
    for _, node in ipairs(E.is(t.value) and { t.value } or t.value or { t.expr }) do
      if E.is(node) then
        for _, s in ipairs(E.symbols(node)) do
          if not known[s] then fail(t, "'%s' does not belong to this model; use what its own words return", s.name) end
        end
      end
    end
  end
  for _, b in ipairs(model.bounds or {}) do
    local x = at_start(b.expr, env, b, b.what)
    if x < b.least then fail(b, "%s is %g at the start; write a number that is %g or more", b.what, x, b.least) end
  end
  terms(model, env)
  local solve, index = mass(model, env)
  contacts(model, env)
  constraints(model, env)
  local asked = assembling or model.run.assemble
  local report = assemble.project(model, env, solve, index, asked)
  if report then
    assemble.keep(model, env, report)
    model.assembled, model.warnings = report, model.warnings or {}
    if not asked then table.insert(model.warnings, report.text) end
  end
  local redundant = assemble.redundant(model, env, solve, index)
  if redundant and redundant[1] then
    local shown = table.concat(redundant, ", ", 1, math.min(#redundant, 6)) .. (#redundant > 6 and ", ..." or "")
    model.notes = { ("%d constraint%s said already by others at the start: %s; motion is not affected, but their forces are not unique")
      :format(#redundant, #redundant == 1 and " is" or "s are", shown) }
  end
  if model.among then in_bulk(model, env) end
end

return C
