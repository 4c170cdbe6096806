-- What goes with what: words, schemes, keys, friction, sizes on the one hand, the ways to run a model on the other. Refusals are made from
-- this table (one message: what, why not, what to write instead), and so is the matrix in SUPPORT.md beside it, of which a test tries every
-- cell; to renew it and its short form in README.md:  LUA_PATH="./?.lua" lua5.4 -e 'require("gen.matrix").renew()'
--
-- The ways (gen/form.lua chooses between the first two):
--   straight   straight code                 tables   loops over tables          pile     contacts_among: contacts found while running
--   mesh       small meshes, in loops over tables                                petsc    meshes on PETSc
-- and across the first two `single`: --real float.
local catalogue = require "gen.scheme.catalogue"
local laws = require "gen.lang.laws"

local S = { ways = { "straight", "tables", "pile", "mesh", "petsc" } }

S.titles = { straight = "straight code", tables = "loops over tables", pile = "piles", mesh = "small meshes", petsc = "meshes on PETSc" }

-- ---- words ---------------------------------------------------------------------------------------------------------------------------

local BESIDE_FOUND = "contacts that are found while running are not for meshes on PETSc; write --path small, m:contact_surface with "
  .. "against = a shape, or m:contact_between"
local FOUND = "contacts that are found while running are loops over tables; write --form looped, or leave out --form"
local SINGLE = "solvers of large contact problems and meshes are in double precision; leave out --real float"
local MESHED = "a mesh is loops over tables or a program on PETSc; leave out --form"

local BESIDE = "beside meshes; schatzman-paoli is for coordinates and bodies without constraints, ties and nodes, moreau-jean with "
  .. "mass=average for those whose mass does not depend on where they are"

--- The words of the language, those together that go with the same ways, and why the others do not take them.
S.words = {
  { "model", "parameter", "constant", "time", "gravity", "draw", "run" },
  { "output" },
  { "input" },
  { "coordinate", "body", "kinetic_energy", "potential_energy", "dissipation", "force", "spring", "damper", notes = { petsc = BESIDE } },
  { "free_body", notes = { petsc = BESIDE } },
  { "link", "joint", "constraint", "contact", "contact_between", notes = { petsc = BESIDE } },
  { "sphere", "capsule", "cylinder", "box", "plane", "heightfield", "surface", "polyhedron", "material_pair" },
  { "disk", "segment", "arc", "polygon" },
  { "contacts_among", straight = FOUND, petsc = BESIDE_FOUND, single = SINGLE },
  { "mesh", "elastic", "hyperelastic", "fix", "body_force", "traction", "start", "probe", "contact_surface", "contact_pair",
    straight = MESHED, single = SINGLE },
  { "node", "tie", straight = MESHED, single = SINGLE },
  { "exact", mesh = "a model with meshes has no exact solution by name; leave it out",
    petsc = "a model with meshes has no exact solution by name; leave it out" },
}

local row_of = {}
for _, row in ipairs(S.words) do for _, word in ipairs(row) do row_of[word] = row end end

--- Why a way does not take a word; nil where it does.
function S.word(way, word) return row_of[word] and row_of[word][way] end

--- Refuses a model with a word that a way does not take, at the line of its first use.
function S.take(way, model)
  for _, use in ipairs(model.used or {}) do
    local why = S.word(way, use.word)
    if why then error({ carom = true, file = use.file, line = use.line, message = ("%s: %s"):format(use.word, why) }, 0) end
  end
end

-- ---- laws of contact -----------------------------------------------------------------------------------------------------------------

--- Why a way does not take a law with a scheme (nil: whatever scheme); nil where it does.
function S.law(way, spec, where)
  if where[way] then return where[way] end
  for _, rule in ipairs(spec and where.schemes or {}) do if rule[1](spec) then return rule[2] end end
end

--- Refuses a contact with a law that a way or a scheme does not take.
function S.obey(way, spec, model)
  for _, where in ipairs(laws.where) do
    local why = S.law(way, spec, where)
    local function look(c, called)
      if not where.used(c) then return end
      error({ carom = true, file = c.file, line = c.line, message = ("%s has %s: %s"):format(called, where[1], why) }, 0)
    end
    for _, c in ipairs(why and model.contacts or {}) do look(c, ("contact '%s'"):format(c.name)) end
    for _, c in ipairs(why and model.surfaces or {}) do look(c, ("contact surface '%s'"):format(c.name)) end
    for _, c in ipairs(why and model.pairs or {}) do look(c, ("contact pair '%s'"):format(c.name)) end
    for _, of in ipairs(why and model.among and model.among.materials.laws or {}) do look(of, of.name) end
  end
end

-- ---- sizes ---------------------------------------------------------------------------------------------------------------------------

S.sizes = {
  -- where straight code and tables both can, at most this many velocities, gaps and constraints are unrolled: beyond it the sparse solvers
  -- of the loops win
  both = 24,
  -- links of trees that straight code takes in explicit schemes, by recursion: their text, and its compilation, grow with their number
  links = 1000,
  -- what only straight code can do, it does up to these many velocities and rows: text and matrices grow with their squares
  straight = { velocities = 60, rows = 120 },
  -- constraints and gaps that its contact problems can have at all: CAROM_LCP_MAX of carom/lcp.h
  gaps = 255,
  -- coordinates beyond which a mesh is better run on PETSc, by dimension (factors of space meshes fill up); `refused` times as many are
  -- refused; bytes of a mesh file: about as many
  mesh = { coordinates = { 3000, 3000, 1000 }, refused = 4, bytes = 200000 },
}

-- ---- schemes -------------------------------------------------------------------------------------------------------------------------

-- A rule: when it holds (of a scheme), and what each way that cannot do it says. {key} is that key of the scheme.
local FOR_MESHES = "{family} is not for meshes; write moreau-jean:theta=0.5 or D-:M=1"
local HALTS = "impact=split halts plans where contacts close, which those of PETSc do not; leave it out, or write --path small"
local UNSYMMETRIC = "its contact problems are not symmetric, as sparse ones are; leave it out"
local schemes = {
  { function(spec) return spec.family == "capture" end, pile = "capture is not for contacts_among; write D-:M=1", petsc = FOR_MESHES },
  { function(spec) return spec.family == "schatzman-paoli" end, pile = "rows of schatzman-paoli have points of their own, which "
    .. "contacts_among does not do yet; write moreau-jean or D-:M=1", single = "schatzman-paoli takes velocities from differences of "
    .. "positions, which leave single precision nothing; write D-:M=1, or --real double" },
  { function(spec) return spec.family == "alpha" end, pile = "alpha projects its contacts, which does not move bodies out of contacts that "
    .. "are found; write D-:M=1" },
  { function(spec) return spec.sign and spec.M > 0 and spec.stages == "newton" end,
    pile = "stages=newton is not for contacts_among yet; write stages=fixed-point" },
  { function(spec) return spec.projection == "on" or spec.projection == "impacts" end, pile = "projection={projection} "
    .. "does not move bodies out of contacts that are found; write projection=off or joints" },
  { function(spec) return spec.impact == "split" end, pile = "impact=split is for few contacts: those of a pile hit all the time; leave it "
    .. "out", petsc = HALTS },
  { function(spec) return spec.level == "all" end,
    single = "level=all keeps gaps to more digits than single precision has; write level=impulse, or --real double" },
  { function(spec) return spec.level == "velocity" end, what = "level=velocity", tables = UNSYMMETRIC, mesh = UNSYMMETRIC,
    pile = "level=velocity: " .. UNSYMMETRIC, petsc = "level=velocity: " .. UNSYMMETRIC },
  { function(spec) return spec.degrees ~= nil end, petsc = "degrees are for hosts that choose one at each step, which "
    .. "runs on PETSc have none of; write M" },
  { function(spec) return spec.adaptive == "on" end, pile = "adaptive=on keeps copies of the state on the stack, which is too large with "
    .. "contacts_among; leave it out", single = "adaptive=on estimates errors by differences, of which rounding in single precision is "
    .. "most; leave it out, or write --real double" },
  { function(spec) return spec.family == "moreau-jean" and spec.theta < 0.5 end, petsc = "with theta below 1/2 the energy of an undamped "
    .. "mesh grows without bound; write theta=0.5 or more, or D-:M=1" },
  { function(spec) return spec.sign == "-" and spec.M == 0 end, petsc = "D-:M=0 is explicit Euler, with which the energy of an undamped "
    .. "mesh grows without bound; write D-:M=1" },
  { function(spec) return spec.sign and (spec.M < 1 or spec.M > 8 or spec.lumped == "off") end, petsc = "on PETSc D- and D+ are for M from "
    .. "1 to 8 with lumped mass; write D-:M=1 (or a higher M), or moreau-jean:theta=0.5 for an implicit one" },
  { function(spec) return (spec.family == "schatzman-paoli" or spec.family == "alpha") and spec.lumped == "off" end, petsc = "on PETSc "
    .. "{family} has lumped mass; write lumped=on, or moreau-jean:theta=0.5" },
}

local UNDEFINED = "schatzman-paoli does not define it; write --scheme moreau-jean:theta=0.5 or D-:M=1"
local LITERAL = "impact=literal cannot do it; write impact=total"
local SLIDING = "alpha cannot do it on PETSc, whose solvers with a matrix know no given direction of sliding; write "
  .. "moreau-jean:theta=0.5 or D-:M=1"
local NORMAL = "alpha:level=all has normal forces only; write level=impulse"
local friction = {
  { function(spec) return spec.level == "all" end, straight = NORMAL, tables = NORMAL, mesh = NORMAL, petsc = NORMAL },
  { function(spec) return spec.family == "alpha" end, petsc = SLIDING },
  { function(spec) return spec.family == "schatzman-paoli" end, straight = UNDEFINED, tables = UNDEFINED, mesh = UNDEFINED,
    petsc = UNDEFINED },
  { function(spec) return spec.impact == "literal" end, straight = LITERAL, tables = LITERAL, mesh = LITERAL, pile = LITERAL,
    petsc = LITERAL },
}

-- which solvers a way knows, and what it says of others
local solvers = {
  petsc = { known = { auto = true, nsgs = true, mprgp = true, tnn = true },
    why = "solver={solver} is not for meshes on PETSc; write solver=auto, mprgp (without friction), tnn or nsgs" },
}

-- what steps in lanes (--target batch) do not have
local batch = {
  { "tables", "instances side by side are straight code; write --form unrolled where the model is small enough" },
  { "adaptive", "instances side by side take steps of one length; leave out adaptive" },
  { "turns", "bodies that turn in space are not stepped side by side yet; leave out --target" },
  { "equalities", "constraints and joints are not stepped side by side yet; write the links by angles (m:body), or leave out --target" },
  { "laws", "this law of contact is not stepped side by side yet; write restitution and friction alone, or leave out --target" },
  { "plan", "{plan} in a step are not for instances side by side; write D-:M=1 (or moreau-jean:theta=0 without friction)" },
  { "text", "{text} in an expression are not for instances side by side yet: write it without select, sign, min, max and shapes" },
}

--- Why a model cannot be stepped in lanes; nil where it can. facts: see gen/emit/batch.lua.
function S.batch(facts)
  for _, rule in ipairs(batch) do
    if facts[rule[1]] then return (rule[2]:gsub("{(%a+)}", facts)) end
  end
end

local function filled(text, spec, more)
  return (text:gsub("{(%a+)}", function(key) return tostring(spec[key] or more and more[key]) end))
end

-- the first rule that holds and that the way has something to say about
local function refusal(list, way, spec, more)
  for _, rule in ipairs(list) do
    if rule[way] and rule[1](spec) then return filled(rule[way], spec, more), rule.what and filled(rule.what, spec, more) end
  end
end

--- Why a way cannot run a scheme, and (loops over tables) what it is that it cannot; nil where it can.
function S.scheme(way, spec) return refusal(schemes, way, spec) end

--- Why a way cannot do friction with a scheme; nil where it can.
function S.friction(way, spec) return refusal(friction, way, spec) end

-- contact pairs: what presses between two bodies
local between = { { function(spec) return spec.projection == "on" or spec.projection == "impacts" end,
  petsc = "projection={projection} does not move the nodes of a contact pair; leave it out" } }

--- Why a way cannot do contact pairs with a scheme; nil where it can.
function S.pairs(way, spec) return refusal(between, way, spec) end

-- what moves beside meshes on PETSc, where it rides along with plans under a lumped mass
local others = { tnn = true, mprgp = true }
local beside = { { function(spec) return not catalogue.nodal(spec) and others[spec.solver] end,
  petsc = "solver={solver} is not for coordinates beside meshes on PETSc; write solver=nsgs, or leave it out" } }
local holding = { { function(spec) return spec.family == "schatzman-paoli" end, petsc = "schatzman-paoli is not for constraints, ties and "
  .. "nodes beside meshes on PETSc; write D-:M=1, or --path small" } }

--- Why a way cannot do with a scheme what moves beside meshes; nil where it can. held: with constraints, ties or nodes.
function S.mechanism(way, spec, held) return refusal(beside, way, spec) or held and refusal(holding, way, spec) or nil end

-- where its mass depends on places
local varying = { { function(spec) return spec.family == "moreau-jean" and spec.theta < 1 and spec.mass == "average" end,
  petsc = "mass=average is not for coordinates beside meshes on PETSc whose mass depends on where they are (links do); write mass=end, or "
  .. "D-:M=1" } }

--- Why a way cannot do with a scheme what moves beside meshes with a mass that is not constant; nil where it can.
function S.varying(way, spec) return refusal(varying, way, spec) end

--- Why the solver that was asked for is not one for the contact problems of a way; nil where it is.
function S.solver(way, spec, contacts, dimension)
  local rule = solvers[way]
  if rule then return not rule.known[spec.solver or "auto"] and filled(rule.why, spec) or nil end
  if spec.solver == "tiny" and (dimension > 2 or contacts > 3) then
    return "solver=tiny is for at most 3 contacts in the plane; write solver=auto"
  elseif spec.solver == "lemke" and dimension > 2 then
    return "solver=lemke is for contacts in the plane; write solver=auto"
  elseif spec.solver == "sparse" or spec.solver == "full" or spec.solver == "products" or spec.solver == "pile" then
    if way == "straight" then return filled("solver={solver} is for loops over tables; write solver=auto, or --form looped", spec) end
    if dimension == 1 then return filled("solver={solver} is for contacts with friction; write solver=auto", spec) end
    if dimension == 2 and spec.solver == "pile" then return "solver=pile is for contacts in space; write solver=auto" end
  elseif spec.solver == "mprgp" or spec.solver == "tnn" then
    return filled("solver={solver} is for meshes on PETSc; write solver=auto, or --path petsc", spec)
  end
end

-- ---- keys that a way does not read --------------------------------------------------------------------------------------------------

-- and the value that says what it does anyway (false: there is none). Every other key of the family is read.
local unread = {
  straight = {}, tables = {}, mesh = {}, pile = {},
  petsc = { stages = false, impact = "total" },
}
-- of others than moreau-jean there; coupled stages are solved by repeats
local unread_plain = { stages = "fixed-point" }
local of_way = { petsc = "for meshes on PETSc" }

local explicit_methods = { heun2 = true, kutta3 = true, rk4 = true, dopri5 = true, dop853 = true }

--- Has the method no equations of its own to solve?
function S.explicit(spec)
  if spec.family == "moreau-jean" then return spec.theta == 0 end
  if spec.rk then return explicit_methods[spec.rk] end
  return (spec.sign == "-" or spec.dg == "D-") and spec.M <= 1
end

local function unread_of(spec, way)
  return way == "petsc" and spec.family ~= "moreau-jean" and unread_plain or unread[way]
end

-- Why a way does not read a key with its present value: false where it does. linear: of meshes, all bodies are.
local function unread_by(spec, way, key, linear)
  local nodal = way == "petsc" and catalogue.nodal(spec)
  local said = unread_of(spec, way)[key]
  if said ~= nil then return spec[key] ~= said and of_way[way] end
  if (key == "rtol" or key == "atol" or key == "atolv" or key == "hmin") and spec.adaptive ~= "on" then return "without adaptive=on" end
  if key == "strict" and not spec.found then return "without contacts_among" end
  if key == "C" and spec.adaptive == "on" then return "with adaptive=on, where rtol takes its place" end
  if key == "projection" and spec.level == "all" then return "with level=all, which keeps gaps itself" end
  if key == "kmax" and spec.impact ~= "split" then return "without impact=split" end
  if key == "level" and spec.sign and not (spec.sign == "-" and spec.M == 1 and spec.impact == "total") then
    return "but with D-:M=1 and impact=total"
  end
  if spec.M == 0 and (key == "quadrature" or key == "impact" and spec.impact ~= "total") then return "with M=0" end
  if key == "gamma" and spec.projection == "on" then return "with projection=on, which takes contacts at g <= tg" end
  if (way == "straight" or way == "tables" or way == "pile") and key == "lumped" then return "without a mesh" end
  if way ~= "petsc" and (key == "stages" or key == "tol") and S.explicit(spec) then return "for an explicit method" end
  if nodal then
    if key == "ctol" or key == "solver" then return filled("for {family} on PETSc, whose contacts have closed forms", spec) end
    if (key == "tol" or key == "iterations") and spec.sign == "-" and spec.M == 1 then return "for D-:M=1 on PETSc, which is explicit" end
  elseif way == "petsc" and spec.family == "moreau-jean" then
    if key == "tv" then return "for moreau-jean on PETSc" end
    if (key == "tol" or key == "iterations") and linear then
      return "for linear bodies and gaps on PETSc, whose step is one problem solved to ctol"
    end
  end
  return false
end

--- The keys of a scheme that a way reads, in the order of the catalogue.
function S.in_force(spec, way, linear)
  local list = {}
  for _, k in ipairs(catalogue.family(spec.family).keys) do
    if unread_of(spec, way)[k[1]] == nil and not unread_by(spec, way, k[1], linear) then list[#list + 1] = k[1] end
  end
  return list
end

--- A key that was given and that nothing reads: says so and names those that are read; nil where there is none.
function S.not_in_force(spec, way, linear)
  for _, k in ipairs(catalogue.family(spec.family).keys) do
    local why = spec.given[k[1]] and unread_by(spec, way, k[1], linear)
    if why then
      local keys = table.concat(S.in_force(spec, way, linear), ", ")
      return ("%s=%s is not read %s; keys that are: %s"):format(k[1], spec.given[k[1]], why, keys)
    end
  end
end

--- Everything at once, for the ways that ask once: why a scheme is not for PETSc.
function S.unfit(way, spec, linear)
  return S.scheme(way, spec) or not catalogue.nodal(spec) and S.solver(way, spec)
    or S.not_in_force(spec, way, linear)
end

local OF_PILE = {}
for word in ([[model parameter constant time gravity run input output free_body sphere capsule cylinder box polyhedron plane heightfield
  material_pair contacts_among]]):gmatch "%S+" do OF_PILE[word] = true end

--- Is a model with contacts_among a pile and nothing else? Its results tell of bodies instead of coordinates.
function S.is_pile(model)
  for _, use in ipairs(model.used or {}) do if not OF_PILE[use.word] then return false end end
  return model.among ~= nil
end

-- ---- the matrix -----------------------------------------------------------------------------------------------------------------------

--- Rows of the matrix: scheme texts that stand for what can be asked of a scheme.
S.rows = { "moreau-jean:theta=0", "moreau-jean:theta=0.5", "moreau-jean:theta=1", "moreau-jean:theta=1,contact=position",
  "moreau-jean:theta=0.5,mass=end", "moreau-jean:theta=0.5,projection=on", "moreau-jean:theta=0.5,adaptive=on",
  "moreau-jean:theta=0.5,dense=on", "schatzman-paoli", "alpha:rho=0.8", "alpha:rho=0.8,level=all", "D-:M=0", "D-:M=1",
  "D-:M=1,impact=literal",
  "D-:M=1,impact=split", "D-:M=3,quadrature=lobatto,impact=split",
  "D-:M=1,impact=split,adaptive=on", "D-:M=1,level=velocity", "D-:M=1,projection=on",
  "D-:M=1,adaptive=on", "D-:M=2", "D-:M=2,stages=newton", "D-:M=3,quadrature=lobatto", "D-:degrees=1,2,4", "D+:M=1", "D+:M=2,stages=newton",
  "capture:rk=radau5", "capture:dg=D-,M=2" }

--- What stands in a cell: nil where a way runs a scheme, else why not. rough: with friction.
function S.cell(way, text, rough)
  local spec = catalogue.parse(text)
  if way == "mesh" or way == "petsc" then catalogue.complete_mesh(spec) end
  if way == "petsc" then return S.unfit(way, spec, true) or rough and S.friction(way, spec) end
  local instead, what = S.scheme(way, spec)
  if what and way ~= "pile" then return ("%s: not in loops over tables yet; %s"):format(what, instead) end
  return instead or rough and S.friction(way, spec) or S.not_in_force(spec, way)
end

return S
