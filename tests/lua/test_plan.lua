-- Step plans as data: what the constructors accept and refuse, what is printed, and what the interpreter makes of schemes that no back end
-- executes yet. (Those that are emitted are held against their C in tests/e2e/oracle.lua.)
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local I = require "tests.oracle.interpret"
local Model = require "tests.oracle.model"
local O = require "gen.plan.operations"
local P = require "gen.pipeline"
local Step = require "gen.plan.step"
local algebra = require "tests.oracle.algebra"
local catalogue = require "gen.scheme.catalogue"
local contact = require "tests.oracle.contact"
local steps = require "gen.scheme.steps"
local text = require "gen.plan.text"

T.test("there are seventeen operations", function()
  T.eq(#O.list, 17)
  local names = {}
  for i, line in ipairs(O.list) do names[i] = line[1] end
  T.eq(table.concat(names, " "), "kinematics forces rates bias combine ratio retract apply solve operator spread set direction contact "
    .. "repeat when accept")
end)

-- what the programs for PETSc are given
local petsc = require "gen.backend.petsc"
local function mesh_plan(scheme, dimension, more)
  local spec = catalogue.complete_mesh(catalogue.parse(scheme))
  spec.stages, spec.projection = more or "fixed-point", spec.projection or "off"
  spec.iterations = more and 30 or spec.iterations
  local plan = steps.plan(spec, { contacts = 1, joints = false, dimension = dimension, constant_mass = true, mesh = true, driven = true })
  plan.otherwise = nil
  return plan
end

T.test("plans as tables of C: those that test_large.c executes are what is written today", function()
  local file = assert(io.open("tests/explicit_plan.h", "rb"))
  local header = file:read("a")
  file:close()
  for _, lines in ipairs { petsc.tables(mesh_plan("D-:M=1", 3), "explicit_plan", { phase = 2 }),
    petsc.tables(mesh_plan("moreau-jean:theta=0.5,gamma=0", 3, "newton"), "theta_plan") } do
    T.ok(header:find(table.concat(lines, "\n"), 1, true), "tests/explicit_plan.h is old: write these lines into it\n"
      .. table.concat(lines, "\n"))
  end
end)

T.test("tables of C: every scheme with a plan but those whose stages are solved together", function()
  for _, scheme in ipairs { "D-:M=1", "D-:M=3", "D+:M=2", "D-:M=1,projection=on", "D-:M=2,impact=literal", "schatzman-paoli",
    "moreau-jean:theta=0.5" } do
    for dimension = 1, 3 do
      local text_of_tables = table.concat(petsc.tables(mesh_plan(scheme, dimension), "p"), "\n")
      T.ok(text_of_tables:find("CAROM_DO_ACCEPT", 1, true) and not text_of_tables:find("nil", 1, true), scheme)
      T.eq(text_of_tables, table.concat(petsc.tables(mesh_plan(scheme, dimension), "p"), "\n"), "the same bytes")
    end
  end
  local good, why = pcall(petsc.tables, mesh_plan("D-:M=2", 1, "newton"), "p")
  T.ok(not good and tostring(why):find("stages are not solved together", 1, true), tostring(why))
end)

T.test("the page of the operations is up to date", function()
  local file = assert(io.open("gen/plan/README.md", "rb"))
  local page = file:read("a")
  file:close()
  T.ok(require("gen.plan.reference").text(page) == page, "the page is old; renew it as gen/plan/reference.lua says")
end)

-- explicit Euler in free fall, for trying things out
local function euler(change)
  local p = Step.new "euler"
  local c0 = p:kinematics("c0", 0, p.q, true)
  local U = p:rates("U", c0, p.v)
  local f = p:forces("f", c0, p.v)
  local a = p:solve("a", c0.mass, f)
  if change then change(p, { c0 = c0, U = U, f = f, a = a }) end
  local q1 = p:retract("q1", p.q, p:combine("d", p.h * p.v))
  return p, { q = q1, v = p:combine("v1", p.v + p.h * a), at = p:kinematics("c1", 1, q1), impulse = { U }, events = {} }
end

T.test("forms and predicates are pure data", function()
  local p = euler(function(p, x)
    local third = p:constant("third", 1 / 3)
    p:combine("y", p.v - 2 * p.h ^ 2 * x.a + third * p.h * x.a)
    p:set("A", p.bilateral | x.c0.g:le "tg" & (x.U + p.e * x.U):lt "-tv" | p.none)
  end)
  local y, A = p.ops[5], p.ops[6]
  T.eq(y.op, "combine")
  T.eq(y.terms[2].c, -2)
  T.eq(y.terms[2].k, 2)
  T.eq(y.terms[3].c, "third")
  T.eq(A.where[1], "or")
  T.eq(#A.where, 3, "none is left out")
  T.eq(A.where[3][3][2][2].by[1], "e")
  T.ok(text(p):find("A = { bilateral or c0.g <= tg and U + e U < -tv }", 1, true), text(p))
  T.ok(text(p):find("y = v - 2 h^2 a + third h a", 1, true), text(p))
end)

T.test("what is not defined or of another kind is refused", function()
  local function refused(pattern, change) T.fails(function() euler(change) end, pattern) end
  refused("'b' is not defined", function(p, x) p:put { op = "rates", U = "W", c = "c0", v = "b" } return x end)
  refused("v 'U' is a rows, not a vector", function(p, x) p:rates("W", x.c0, x.U) end)
  refused("vector and rows are not added", function(p, x) p:combine("y", x.a + x.U) end)
  refused("there is no operation 'jump'", function(p) p:put { op = "jump" } end)
  refused("forces: v is missing", function(p) p:put { op = "forces", f = "g", c = "c0" } end)
  refused("forces has no field 'speed'", function(p) p:put { op = "forces", f = "g", c = "c0", v = "v", speed = "v" } end)
  refused("a is a vector already, now a rows", function(p, x) p:rates("a", x.c0, p.v) end)
  refused("'tx' is no tolerance", function(p, x) p:set("A", x.U:le "tx") end)
  refused("no constant 'half'", function(p) p:put { op = "combine", y = "y", terms = { { c = "half", k = 0, x = "v" } } } end)
  refused("laws has no 'soft'", function(p, x)
    p:contact("x", "r", { A = x.c0.mass, at = x.c0, set = p:set("A", p.all), b = x.U, laws = "soft" })
  end)
  refused("'mass@c9' is not defined", function(p) p:put { op = "solve", y = { "b" }, A = "mass@c9", x = { "f" } } end)
  refused("'w' is not defined", function(p, x) -- what only one branch defines
    p:when(p.fresh, function() p:combine("w", 1 * x.a) end)
    p:named "w"
  end)
  refused("'dx' is not defined", function(p, x) -- what a loop that may not run defines
    p:iterate({ max = 3, holds = x.U:lt "zero" }, function() p:combine("dx", 1 * x.a) end)
    p:named "dx"
  end)
  refused("declare it with p:constant", function(p, x) p:combine("y", 2 * p:constant("third", 1 / 3) * x.a) end)
  T.fails(function()
    local p, fields = euler(function(p) p:remember("set", "press") end)
    p:accept(fields)
  end, "memory 'press' is not kept")
end)

-- a model as the interpreter wants it, with a plan
local function loaded(name, scheme)
  local unit = P.compile(P.load(name), { scheme = "D-:M=1" })
  unit.spec = catalogue.complete(catalogue.parse(scheme), unit.eq, unit.form)
  return I.new(Model.new(unit), unit:steps(), { tg = unit.spec.tg, tv = unit.spec.tv, tol = unit.spec.tol })
end

T.test("a plan is executed as it stands", function()
  local s = loaded("free_flight", "D-:M=1")
  local p, fields = euler()
  s.plan = p:accept(fields)
  local q, v = s.q[1], s.v[1]
  s:step(0.1)
  T.eq(s.q[1], q + 0.1 * v)
end)

T.test("every scheme has a plan, and everything in it can be printed", function()
  for _, features in ipairs { { contacts = 2, joints = true, dimension = 3 }, { contacts = 0, joints = false, dimension = 1 },
    { contacts = 1, joints = false, dimension = 2, constant_mass = true, affine_gaps = true, time_only = true } } do
    for _, scheme in ipairs { "moreau-jean:theta=0", "moreau-jean:theta=1,contact=position", "moreau-jean:mass=end,projection=on", "D-:M=0",
      "schatzman-paoli:theta=0", "D-:M=1", "D-:M=8,quadrature=lobatto", "D+:M=2,projection=impacts", "D-:M=1,impact=literal",
      "capture:rk=radau5", "capture:rk=dopri5", "capture:dg=D+,M=3", "alpha:rho=0.5,projection=on" } do
      local spec = catalogue.complete(catalogue.parse(scheme), { constraints = features.joints and 1 or 0 }, "unrolled")
      local said = text(steps.plan(spec, features))
      T.ok(said:find(spec.family == "capture" and "gives: q1, c1, v1" or "accept q1", 1, true), scheme)
      T.ok(not said:find("nil", 1, true), said)
    end
  end
end)

T.test("what is not needed is not in the plan", function()
  local function plan(scheme, features)
    return text(steps.plan(catalogue.complete(catalogue.parse(scheme), { constraints = 0 }, "unrolled"), features))
  end
  local smooth = plan("D-:M=1", { contacts = 1, joints = false, dimension = 1 })
  T.ok(not smooth:find "slid" and not smooth:find "repeat", smooth)
  local linear = plan("moreau-jean:theta=0.5", { contacts = 1, joints = false, dimension = 1, constant_mass = true, affine_gaps = true,
    linear = true })
  T.ok(not linear:find "repeat" and not linear:find("M(c0)^-1", 1, true) and not linear:find("M(c1)^-1", 1, true), linear)
end)

T.test("alpha: amplitude factors of the undamped oscillator", function()
  -- w h = 10: the factor per step tends to 0.929792 for rho = 0.8 and 0.682528 for rho = 0.5
  for _, line in ipairs { { 0.8, 0.929792 }, { 0.5, 0.682528 } } do
    local unit = P.compile(P.load("inline.lua", { text = [[
      local carom = require "carom"
      local m = carom.model "spring"
      local x = m:coordinate("x", { initial = 1 })
      m:kinetic_energy(x.dot^2 / 2)
      m:potential_energy(50 * x^2)
      m:run { until_time = 1, step = 1 }
      return m]] }), { scheme = "D-:M=1" })
    unit.spec = catalogue.complete(catalogue.parse("alpha:rho=" .. line[1]), unit.eq, unit.form)
    local s = I.new(Model.new(unit), unit:steps(), { tol = 1e-13 })
    local function energy() return 50 * s.q[1] ^ 2 + s.v[1] ^ 2 / 2 end
    for _ = 1, 60 do s:step(1) end
    local before = energy()
    for _ = 1, 60 do s:step(1) end
    T.near((energy() / before) ^ (1 / 120), line[2], 2e-3, "rho = " .. line[1])
  end
end)

-- ---- the parts of the oracle ---------------------------------------------------------------------------------------------------------

T.test("oracle: linear systems, also singular ones", function()
  local x, rank = algebra.solve({ { 0, 2 }, { 1, 1 } }, { { 4, 3 } })
  T.eq(rank, 2)
  T.near(x[1][1], 1, 1e-15)
  T.near(x[1][2], 2, 1e-15)
  x, rank = algebra.solve({ { 1, 1 }, { 1, 1 } }, { { 2, 2 } })
  T.eq(rank, 1)
  T.near(x[1][1] + x[1][2], 2, 1e-15)
end)

-- u = W r + b of r, and what Coulomb's law says about it
local function residual(given, r)
  local worst = 0
  local function u(i)
    local sum = given.b[i]
    for j = 1, #r do sum = sum + given.W[i][j] * r[j] end
    return sum
  end
  for j = given.bilateral + 1, given.gaps do
    worst = math.max(worst, -r[j], -u(j), math.abs(r[j] * u(j)))
    local slip, force, power = 0, 0, 0
    for _, t in ipairs(given.tangents[j] or {}) do slip, force, power = slip + u(t) ^ 2, force + r[t] ^ 2, power + u(t) * r[t] end
    slip, force = math.sqrt(slip), math.sqrt(force)
    worst = math.max(worst, force - given.mu[j] * r[j], math.abs(power + given.mu[j] * r[j] * slip)) -- maximal dissipation
  end
  for j = 1, given.bilateral do worst = math.max(worst, math.abs(u(j))) end
  return worst
end

T.test("oracle: Coulomb's law in the plane and in space, with bilateral rows", function()
  local seed = 1
  local function random()
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 1073741824 - 1
  end
  for case = 1, 60 do
    local contacts, d, bilateral = 1 + case % 3, 2 + case % 2, case % 4 == 0 and 1 or 0
    local gaps = bilateral + contacts
    local n = gaps + contacts * (d - 1)
    local G, given = {}, { W = {}, b = {}, set = {}, bilateral = bilateral, gaps = gaps, tangents = {}, mu = {} }
    for i = 1, n do
      G[i], given.b[i], given.set[i], given.mu[i] = {}, random(), true, 0.3
      for k = 1, n + 1 do G[i][k] = random() end
    end
    for j = 1, contacts do
      given.tangents[bilateral + j] = {}
      for k = 1, d - 1 do given.tangents[bilateral + j][k] = gaps + (j - 1) * (d - 1) + k end
    end
    for i = 1, n do
      given.W[i] = {}
      for j = 1, n do
        given.W[i][j] = 0
        for k = 1, n + 1 do given.W[i][j] = given.W[i][j] + G[i][k] * G[j][k] end
      end
    end
    local r = assert(contact.solve(given))
    T.ok(residual(given, r) <= 1e-11, ("case %d leaves %g"):format(case, residual(given, r)))
  end
end)

T.test("oracle: sliding without a finite force is said", function()
  local r, why, where = contact.solve { W = { { 1, 2 }, { 2, 5 } }, b = { -1, 0 }, set = { true, true }, bilateral = 0, gaps = 1,
    tangents = { { 2 } }, mu = { 1, 0 }, slide = { 0, 1 } }
  T.eq(r, nil)
  T.eq(why, "painleve")
  T.eq(where, 1)
end)

T.finish()
