-- The catalogue of schemes: families, their keys, what they reach. Written `family:key=value,key=value`.
-- The same tables check what a user writes, print `carom schemes` and `carom help SCHEME`.
local quadrature = require "gen.scheme.quadrature"
local spelling = require "gen.util.text"

local C = {}

-- tg of contacts that are found: what tolerances leave adds up in the gaps of contacts that last, and where one opens a body falls
local FOUND_CLOSED = 1e-8
-- of piles, where tol and ctol are not given, with more shapes than this: see gen/scheme/README.md
local FEW_SHAPES, BULK_TOLERANCE = 30, 1e-4

local function number(low, high, what)
  return function(text)
    local x = tonumber(text)
    if not x or x < low or x > high then return nil, what end
    return x
  end
end

local function integer(low, high)
  return function(text)
    local x = math.tointeger(tonumber(text))
    if not x or x < low or x > high then return nil, ("a whole number from %d to %d"):format(low, high) end
    return x
  end
end

local function positive(text)
  local x = tonumber(text)
  if not x or x <= 0 or x == math.huge then return nil, "a positive number" end
  return x
end

-- several of them, each above the one before
local function integers(low, high)
  return function(text)
    local list = {}
    for word in (text .. ","):gmatch "([^,]*)," do
      local x = math.tointeger(tonumber(word))
      if not x or x < low or x > high or x <= (list[#list] or -1) then
        return nil, ("whole numbers from %d to %d, each above the one before"):format(low, high)
      end
      list[#list + 1] = x
    end
    return list
  end
end

local function choice(...)
  local options = { ... }
  return function(text)
    for _, option in ipairs(options) do if option == text then return text end end
    return nil, table.concat(options, " or ")
  end
end

local shared = {
  projection = { "projection", choice("off", "joints", "on"), nil, "put positions back on g = 0 at the end of each step: bilateral "
    .. "constraints (joints), or these and the contacts that carry an impulse (on); "
    .. "default on when the model has bilateral constraints, else off" },
  dg_projection = { "projection", choice("off", "joints", "impacts", "on"), nil, "put positions back on g = 0 at the end of each step: "
    .. "bilateral constraints (joints), besides all that is closed in steps with an impact (impacts), or in every step (on); "
    .. "default on when the model has bilateral constraints, else off" },
  stages = { "stages", choice("newton", "fixed-point"), nil, "how the implicit equations are solved; default newton (with the "
    .. "derived Jacobian), fixed-point for the stages of D- and D+ in loops over tables and with rolling or pivoting" },
  tol = { "tol", number(1e-15, 1e-2, "a number from 1e-15 to 1e-2"), 1e-13, "relative tolerance of the implicit equations" },
  iterations = { "iterations", integer(1, 1000), 50, "bound of that iteration; reaching it is a status, not an answer" },
  tg = { "tg", number(0, 1, "a length from 0 to 1"), 1e-10, "gap below which a contact counts as closed, in the model's length unit" },
  ctol = { "ctol", number(1e-14, 1e-2, "a number from 1e-14 to 1e-2"), 1e-11,
    "residual to which problems of several frictional contacts are solved" },
  strict = { "strict", choice("off", "on"), "off", "contacts_among: on stops where a contact problem is not solved to ctol; off goes on "
    .. "with up to the root of ctol, counts such steps and says how far they were off" },
  solver = { "solver", choice("auto", "tiny", "nsgs", "anderson", "newton", "prox", "apgd", "admm", "augmented", "lemke", "sparse", "full",
    "products", "pile", "mprgp", "tnn"), "auto",
    "what solves frictional contact problems (carom help solve); auto takes closed forms and known modes, then a portfolio; in loops over "
    .. "tables also how they are made: sparse, full, products, pile (carom check says which is taken); "
    .. "of meshes on PETSc all contact problems: mprgp, tnn or nsgs" },
  tv = { "tv", number(0, 1, "a speed from 0 to 1"), 1e-8, "gap rate below which a closed contact counts as not separating" },
}

local adaptive_keys = {
  adaptive = { "adaptive", choice("off", "on"), "off", "choose the steps inside each step h by the tolerances below" },
  rtol = { "rtol", number(0, 1, "a number from 0 to 1"), 1e-6, "relative tolerance of coordinates and velocities" },
  atol = { "atol", number(0, 1e6, "a number from 0 to 1e6"), 1e-9, "absolute tolerance of the coordinates, in their units" },
  atolv = { "atolv", number(0, 1e6, "a number from 0 to 1e6"), nil,
    "absolute tolerance of the velocities, in their units; default as atol" },
  hmin = { "hmin", number(0, 1e6, "a time"), 1e-14, "steps below this are a status, not an answer" },
}

shared.lumped = { "lumped", choice("off", "on"), nil, "meshes: the mass of each node sits on that node alone; default off for "
  .. "moreau-jean, else on, with or without PETSc: a step of D- then needs no linear system" }
shared.dense = { "dense", choice("off", "on"), "off", "emit NAME_between(): the state at any time inside the last step; "
  .. "with adaptive=on the last that was accepted, from span[0].t to t" }

local function dg_keys()
  return {
    { "M", integer(0, 8), 1, "polynomial degree of the velocities; 0 is Moreau-Jean (explicit for D-, implicit for D+)" },
    { "degrees", integers(1, 8), nil, "several degrees instead of M, as degrees=1,2,4: NAME_step_degree(s, h, M) makes a step of one of "
      .. "them, NAME_step one of the last" },
    { "quadrature", choice(table.unpack(quadrature.names)), "clenshaw-curtis",
      "nodes: order M+1 (M odd) or M+2 (M even) with clenshaw-curtis, 2M with lobatto" },
    { "impact", choice("total", "literal", "split"), "total",
      "complementarity on the total impulse of the step, or on p alone as printed in the paper (loses order on curved contacts), or each "
      .. "impact at its own time inside the step (split, D- only)" },
    { "kmax", integer(1, 20), 3, "impacts in one step that have a time of their own, with impact=split; the cost of a step is "
      .. "bounded by it" },
    { "level", choice("acceleration", "velocity"), "acceleration", "where contacts that press are held: by forces at the stages, or "
      .. "(D-:M=1) by velocities at both ends of the step, which needs no second derivatives of gaps" },
    shared.dg_projection, shared.stages, shared.tol, shared.iterations, shared.tg, shared.tv, shared.ctol, shared.strict, shared.solver,
    adaptive_keys.adaptive, adaptive_keys.rtol, adaptive_keys.atol, adaptive_keys.atolv, adaptive_keys.hmin, shared.dense,
    shared.lumped,
  }
end

-- the file that writes the plan of D- and D+
local function galerkin(spec) return spec.M == 0 and "moreau_jean" or spec.level == "velocity" and "velocity" or "galerkin" end

-- name, text and orders for people; sign: of D- and D+; keys: { name, reader, default, page }; plan(spec): the file in gen/scheme that
-- writes the plan, where it is not that of the family's name
C.families = {
  { name = "moreau-jean", text = "Moreau-Jean theta scheme, impacts at the velocity level",
    smooth = "2 (theta=1/2, mass=average), else 1", rest = "1", impacts = "1", implicit = "implicit (theta > 0)",
    keys = {
      { "theta", number(0, 1, "a number from 0 to 1"), 0.5, "0 explicit Euler, 1/2 second order in smooth motion, 1 implicit Euler" },
      { "gamma", number(0, 1, "a number from 0 to 1"), 0.5,
        "a contact is active when g + gamma h U <= tg; not read with projection=on, where it is when g <= tg" },
      { "contact", choice("velocity", "position"), nil, "how contacts without restitution are bound: active ones by their velocity, or "
        .. "all by their place at the end of the step (theta above 1/2); default position for meshes with theta=1, else velocity" },
      { "mass", choice("average", "end"), "average", "M(q)^-1 f averaged over the step (Algorithm 1.4), or M at the end as Siconos does" },
      shared.projection, shared.stages, shared.tol, shared.iterations, shared.tg, shared.tv, shared.ctol, shared.strict, shared.solver,
      adaptive_keys.adaptive, adaptive_keys.rtol, adaptive_keys.atol, adaptive_keys.atolv, adaptive_keys.hmin,
      shared.dense, shared.lumped } },
  { name = "schatzman-paoli", text = "Schatzman-Paoli two-step scheme, impacts at the position level",
    smooth = "2 in q (theta=0), else 1", rest = "1", impacts = "1", implicit = "implicit (theta > 0 or velocity-dependent forces)",
    keys = { { "theta", number(0, 1, "a number from 0 to 1"), 0.5, "point in the step where forces are evaluated" },
      shared.stages, shared.tol, shared.iterations, shared.dense, shared.lumped } },
  { name = "D-", sign = "-", text = "discontinuous Galerkin, half-explicit: end velocity on the left of the jump",
    smooth = "2,4,4,6,6,8,8,10 for M=1..8; 2M with lobatto", rest = "as smooth",
    impacts = "1; with impact=split as smooth through single impacts, 2 through accumulation and release",
    implicit = "explicit for M=1, M-1 coupled stages else", keys = dg_keys(), plan = galerkin },
  { name = "D+", sign = "+",
    text = "discontinuous Galerkin, implicit: good against stiff damping, not stiff springs",
    smooth = "as D-", rest = "as D-", impacts = "1", implicit = "M+1 coupled stages", keys = dg_keys(), plan = galerkin },
  { name = "alpha", text = "nonsmooth generalised-alpha: damps high modes only, contact forces at the acceleration level",
    smooth = "2", rest = "2", impacts = "1", implicit = "implicit",
    plan = function(spec) return spec.level == "all" and "coupled" or "alpha" end, keys = {
      { "rho", number(0, 1, "a number from 0 to 1"), 0.8, "spectral radius at infinity: 1 damps nothing, 0 all of the highest modes" },
      { "level", choice("impulse", "all"), "impulse", "where contacts hold: by forces and the impulse of the step, as D-, or on positions, "
        .. "velocities and accelerations at once, so that no gap is negative" },
      shared.dg_projection, shared.tol, shared.iterations, shared.tg, shared.tv, shared.ctol, shared.strict, shared.solver,
      shared.lumped } },
  { name = "capture", text = "event capturing: full order through impacts, accumulations and releases",
    smooth = "that of the method: rk radau3 3, radau5 5, lobatto2 2, lobatto4 4, lobatto6 6, heun2 2, kutta3 3, rk4 4, dopri5 5, "
      .. "dop853 8; dg as D-",
    rest = "as smooth", impacts = "as smooth", implicit = "as the method", keys = {
      { "rk", choice("radau3", "radau5", "lobatto2", "lobatto4", "lobatto6", "heun2", "kutta3", "rk4", "dopri5", "dop853"), nil,
        "Runge-Kutta method" },
      { "dg", choice("D-", "D+"), nil, "discontinuous Galerkin method instead; default D- when rk is not given" },
      { "M", integer(1, 8), 2, "degree, with dg" },
      { "quadrature", choice(table.unpack(quadrature.names)), "clenshaw-curtis", "nodes, with dg" },
      { "C", number(1e-6, 1e6, "a number from 1e-6 to 1e6"), 1.0, "events are located to delta = C time (h/time)^(p+1)" },
      { "kappa", number(1e-3, 1e3, "a number from 1e-3 to 1e3"), 1.0, "a bounce lower than kappa delta speed is an end of bouncing" },
      { "length", positive, nil, "scale of gaps; default from the model" },
      { "speed", positive, nil, "scale of gap rates; default from the model" },
      { "time", positive, nil, "scale of time; default from the model" },
      { "force", positive, nil, "scale of contact forces; default from the model" },
      adaptive_keys.adaptive,
      { "rtol", number(1e-14, 1, "a number from 1e-14 to 1"), 1e-6, "relative tolerance; events are located to rtol time" },
      { "atol", number(0, 1e6, "a number from 0 to 1e6"), 1e-9, "absolute tolerance of coordinates; of velocities atol speed/length" },
      adaptive_keys.hmin,
      shared.stages, shared.tol, shared.iterations, shared.ctol, shared.solver, shared.lumped } },
}

function C.family(name)
  for _, family in ipairs(C.families) do if family.name == name then return family end end
end

--- The orders that a scheme declares, given the one in smooth motion: { smooth =, contact =, impacts = }.
function C.orders(spec, smooth)
  local family = C.family(spec.family)
  local function order(text) return text:find("^as ") and smooth or tonumber(text:match("^%d+")) end
  local contact = spec.impact == "literal" and 1 or order(family.rest)
  return { smooth = smooth, contact = contact, impacts = spec.impact == "split" and smooth or order(family.impacts) }
end

local function names(list)
  local t = {}
  for i, x in ipairs(list) do t[i] = x.name or x[1] end
  return t
end

-- what a misspelt word of a list was to be, and then all of the list
local function meant(word, list, before)
  return ("%s; %s %s"):format(spelling.hint(word, list), before, table.concat(list, ", "))
end

--- Parses a scheme text to { family=, key values..., canonical= }; raises { carom=true, message= } on anything it does not know.
function C.parse(text)
  local function refuse(format, ...)
    error({ carom = true, message = ("scheme '%s': "):format(text) .. format:format(...) }, 0)
  end
  local family_name, rest = text:match("^([^:]+):?(.*)$")
  local family = C.family(family_name)
  if not family then
    local given = tostring(family_name)
    refuse("unknown family '%s'%s", given, meant(given, names(C.families), "write one of"))
  end
  local spec = { family = family.name, sign = family.sign }
  local given = {}
  local items = {}
  for item in rest:gmatch("[^,]+") do
    local more = item:match("^%s*(%d+)%s*$") -- of a list, degrees=1,2,4
    if more and #items > 0 then items[#items] = items[#items] .. "," .. more else items[#items + 1] = item end
  end
  for _, item in ipairs(items) do
    local key, value = item:match("^%s*([%w_]+)%s*=%s*(%S+)%s*$")
    if not key then refuse("cannot read '%s'; write key=value", item) end
    local known
    for _, k in ipairs(family.keys) do if k[1] == key then known = k end end
    if not known then refuse("%s has no key '%s'%s", family.name, key, meant(key, names(family.keys), "it has")) end
    if given[key] then refuse("key '%s' given twice; write it once", key) end
    local parsed, what = known[2](value)
    if parsed == nil then
      local choices = {}
      if what:find " or " then for word in (what .. " or "):gmatch "(.-) or " do choices[#choices + 1] = word end end
      refuse("%s=%s is out of range%s; write %s", key, value, spelling.hint(value, choices), what)
    end
    spec[key], given[key] = parsed, value
  end
  if spec.rk and (spec.dg or given.M or given.quadrature) then refuse("rk is a method of its own; write either rk=... or dg=...,M=...") end
  if family.name == "capture" and not spec.rk then spec.dg = spec.dg or "D-" end
  local shown = {}
  if spec.contact == "position" and (spec.theta or 0.5) <= 0.5 then
    refuse("with theta of 1/2 or less velocities of contacts bound by their place swing without end; write theta=1, or contact=velocity")
  end
  if spec.degrees then
    for _, pair in ipairs { { "M" }, { "impact", "split" }, { "level", "velocity" }, { "adaptive", "on" }, { "dense", "on" } } do
      if given[pair[1]] and (not pair[2] or pair[2] == spec[pair[1]]) then
        refuse("%s=%s knows one degree only; leave it out, or write M=%d instead of degrees", pair[1], given[pair[1]],
          spec.degrees[#spec.degrees])
      end
    end
    spec.M = spec.degrees[#spec.degrees]
  end
  if spec.impact == "split" and family.sign == "+" then
    refuse("the jump of D+ acts in its own stages, which an impact inside the step would cut; write D- with impact=split, or impact=total")
  end
  if spec.level == "velocity" and spec.dense == "on" then refuse("level=velocity has no dense output; leave dense out") end
  for _, k in ipairs(family.keys) do
    if spec[k[1]] == nil then spec[k[1]] = k[3] end
    -- what makes the method is always shown, the rest where it is not the default
    local essential = k[1] == "theta" and family.name == "moreau-jean" or k[1] == "M" and (family.sign or spec.dg) and not spec.degrees
      or k[1] == "dg" and spec.dg
    if essential or (given[k[1]] and spec[k[1]] ~= k[3]) then
      local x = spec[k[1]]
      shown[#shown + 1] = k[1] .. "=" .. (type(x) == "table" and table.concat(x, ",") or math.type(x) == "float" and ("%.15g"):format(x)
        or tostring(x))
    end
  end
  spec.given = given
  spec.canonical = family.name .. (#shown > 0 and ":" .. table.concat(shown, ",") or "")
  return spec
end

--- Fills in what depends on the model, and turns degree 0 into the Moreau-Jean schemes it is.
function C.complete(spec, eq, form)
  if spec.projection == nil then spec.projection = eq.constraints > 0 and "on" or "off" end
  if spec.stages == nil then -- the coupled stages of D- and D+ in loops over tables: no factor while it is not asked for; of contacts that
    -- ride on others the derivatives are not known
    spec.stages = (form == "looped" or eq.rides) and spec.sign and spec.M > 0 and "fixed-point" or "newton"
  end
  if spec.family == "capture" then
    if spec.adaptive == "on" and not spec.given.tol then spec.tol = math.max(1e-13, 1e-3 * spec.rtol) end
  end
  if spec.M == 0 then
    spec.theta, spec.gamma, spec.mass = spec.sign == "-" and 0.0 or 1.0, 1.0, "average"
  end
  return spec
end

--- With contacts that are found among so many shapes: tolerances are those of large problems. pile: there is nothing else.
function C.complete_found(spec, shapes, pile)
  if not spec.given.projection and spec.projection ~= "off" then spec.projection = "joints" end -- contacts stay where they are
  local few = shapes <= FEW_SHAPES and not (pile and spec.family == "moreau-jean")
  local tolerance = few and 1e-9 or BULK_TOLERANCE
  spec.found = true
  if not spec.given.tol then spec.tol = tolerance end
  if not spec.given.ctol then spec.ctol = tolerance end
  if not spec.given.tg then spec.tg = FOUND_CLOSED end
  return spec
end

--- Are all contact problems of a scheme on PETSc those of single nodes, in closed form? (The others have a matrix.)
function C.nodal(spec) return spec.sign ~= nil or spec.family == "schatzman-paoli" end

--- Fills in what meshes leave open, on either path.
function C.complete_mesh(spec)
  spec.lumped = spec.lumped or (spec.family == "moreau-jean" and "off" or "on")
  if spec.family == "moreau-jean" then spec.contact = spec.contact or (spec.theta == 1 and "position" or "velocity") end
  return spec
end

--- The same on PETSc. Tolerances that were not given are 0: those of the runtime for large models.
function C.complete_large(spec)
  C.complete_mesh(spec)
  for _, key in ipairs { "tg", "tv", "tol", "ctol", "iterations" } do
    if not spec.given[key] then spec[key] = 0 end
  end
  if spec.family == "moreau-jean" and not spec.given.tg then spec.tg = -1e-9 end -- times h: as small as rounding
  return spec
end

--- Lines for `carom schemes`.
function C.list()
  local list = {}
  for _, f in ipairs(C.families) do
    local lines = { f.text, "order in smooth motion " .. f.smooth, "order in persistent contact " .. f.rest,
      "order through impacts " .. f.impacts, f.implicit }
    for _, k in ipairs(f.keys) do
      local default = k[3]
      lines[#lines + 1] = ("  %-11s default %-16s %s"):format(k[1], default == nil and "(by model)" or tostring(default), k[4])
    end
    list[#list + 1] = { name = f.name, text = table.concat(lines, "\n"), summary = f.text, smooth = f.smooth, rest = f.rest,
      impacts = f.impacts }
  end
  return list
end

return C
