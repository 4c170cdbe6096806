-- Contacts and constraints: a gap, restitution and, where there is friction, its tangential direction or directions; what must stay zero.
local D = require "gen.expr.diff"
local E = require "gen.expr.node"
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local handle = require "gen.lang.core.handle"
local laws = require "gen.lang.laws"
local look = require "gen.lang.core.look"
local units = require "gen.lang.core.units"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local C = {}
local nodes = value.nodes

local contact = word { "contact", group = "Contacts and constraints",
  "m:contact(name, { gap = ..., restitution = ..., friction = ..., slide = ... })",
  summary = [[A unilateral contact: the gap stays nonnegative, the contact force only pushes, and it is zero while
    the gap is open. With `friction` it also resists sliding, by Coulomb's law.]],
  gives = [[a contact `c` with `c.gap` and `c.rate` (of the gap), `c.force` (the force that pushed in the last step: its mean over the
    step, impacts included; 0 before the first) and, with friction, `c.slip` (velocity) and `c.friction` (force along it in the last
    step), in space lists of two; with `adhesion` also `c.intensity`, with `rolling` or `pivoting` `c.rolling`, `c.pivoting` (moments of the
    last step)]],
  arguments = { word.name },
  options = laws.options("contact", {
    { "gap", "expression", [[Distance to penetration: positive apart, zero touching. Of coordinates, time and
      parameters. A true distance gives impulses in N s; any smooth function with the same sign is allowed.]],
      required = true },
    { "slide", "expressions", [[Tangential displacement, whose rate is the slip velocity: one expression of
      coordinates, time and parameters in the plane, two (along two perpendicular directions) in space. Measured like
      the gap: where the gap is a true distance this is one too, or mu loses its meaning.]], default = "none" },
    { "slip", "expressions", [[The slip velocity itself, instead of `slide`, where it is not the rate of anything, as
      in rolling: one expression or two, affine in the velocities.]], default = "none" } }, {
    { "at", "place", "Where it touches, for pictures: the report marks it there while it presses.", dim = "m", default = "not shown" } }),
  notes = [[With two directions the friction cone is the same in all of them. A step says which contacts stick and
    which slide; a configuration without a solution (Painleve's) is reported, never passed over. Forces may stand in outputs and in
    forces of the model, where they act one step late (a controller with a sensor): the step must be short against what it controls.]],
  example = [[
local floor = m:contact("floor", { gap = y, restitution = 0.5, friction = 0.3, slide = x })
m:output("load", floor.force)
m:force(x, carom.select(carom.lt(floor.force, 20), 5, 0)) -- pushes as long as the floor is not pressed harder

-- a disk that rolls or slides: the slip is no rate of a displacement
local phi = m:coordinate("phi", { unit = "rad" })
local radius = m:parameter("radius", 0.1, "m")
m:kinetic_energy(mass * radius^2 * phi.dot^2 / 4)
m:contact("rim", { gap = y - radius, friction = 0.2, slip = x.dot + radius * phi.dot })]] }

local function optional(v) return v and value.node(v) end

-- A slide is a length like the gap, a slip its rate; a gap that is a plain number says nothing.
local function expect(o, subject, where)
  local dim = value.dim(o.gap)
  if not dim or dim == units.any then return end
  for _, v in ipairs(o.slide or {}) do value.expect(v, dim, "slide of " .. subject, where) end
  for _, v in ipairs(o.slip or {}) do value.expect(v, units.div(dim, units.second), "slip of " .. subject, where) end
end

-- what a model may look at
local function object(model, entry, o)
  local function all(make)
    return function()
      local list = {}
      for i, v in ipairs(o.slide or o.slip) do list[i] = make(v, i) end
      return handle.one_or_list(list)
    end
  end
  local fields = {
    { "gap", function() return o.gap end },
    { "rate", function() return o.rate or value.rate(o.gap) end },
    { "force", function() return handle.force(model, entry, 0, o.gap) end }, -- with a bond: what presses beyond its pull
  }
  if o.friction then
    fields[4] = { "slip", all(function(v) return o.slide and value.rate(v) or v end) }
    fields[5] = { "friction", all(function(_, i) return handle.force(model, entry, i, o.gap) end) }
  end
  if entry.adhesion then fields[#fields + 1] = { "intensity", function() return handle.intensity(model, entry) end } end
  for _, rider in ipairs(entry.riders) do
    fields[#fields + 1] = { rider.resists, function()
      local list = {}
      for i = 1, #rider.slip do list[i] = handle.force(model, rider, i, value.wrap(E.one, units.none)) end
      return handle.one_or_list(list)
    end }
  end
  return handle.new("contact", entry.name, fields)
end

--- Gaps of a joint's coordinate q to its limits: the contacts NAME_low and NAME_high.
function C.limits(model, state, name, o, subject, where, q)
  local low, high = value.node(o.limits[1]), value.node(o.limits[2])
  if low.op == "num" and high.op == "num" and low.value >= high.value then
    fail(where, "limits of %s are %.14g and %.14g; write { low, high }, the lower one first", subject, low.value, high.value)
  end
  for k, gap in ipairs { function(limit) return q - limit end, function(limit) return limit - q end } do
    value.expect(o.limits[k], value.dim(q), "limits of " .. subject, where)
    local full = name .. (k == 1 and "_low" or "_high")
    C.add(model, state, full, { gap = gap(o.limits[k]), restitution = o.restitution }, "contact '" .. full .. "'", where)
  end
end

--- Adds a contact to the model and gives what the model may look at. o: gap, slide or slip (lists) and options of laws as values;
-- of shapes also rate (of the gap) and field (heights that C needs); at, or place (a function that
-- gives it): where it is.
function C.add(model, state, name, o, subject, where)
  expect(o, subject, where)
  state.declare(state.taken, name, "contact", where)
  local force = laws.act(model, name, o, subject, where)
  if force then return force end
  local entry = { name = name, file = where.file, line = where.line, gap = value.node(o.gap), rate = optional(o.rate), tables = o.tables,
    slide = o.slide and nodes(o.slide), slip = o.slip and nodes(o.slip),
    place = o.place or o.at and function() return o.at end } -- for pictures
  laws.make(entry, o, subject, where)
  table.insert(model.contacts, entry)
  for _, rider in ipairs(entry.riders) do
    state.declare(state.taken, rider.name, "contact", where)
    table.insert(model.contacts, rider)
  end
  return object(model, entry, o)
end

function contact.means(model, state, given, where)
  local name, o, subject = accept.named(contact, given, where)
  return C.add(model, state, name, o, subject, where)
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
  slide = { allowed = look.geometric, write = "write it with coordinates, time and parameters", kind = "q",
    none = "does not depend on any coordinate; write a displacement along the contact" },
  slip = { allowed = { param = true, q = true, v = true, time = true },
    write = "write it with coordinates, velocities, time and parameters", kind = "v",
    none = "does not depend on any velocity; write a velocity along the contact, or slide = a displacement" },
}

local function along(c, env)
  local field = c.slide and "slide" or "slip"
  local rule, list = directions[field], c[field]
  for i, node in ipairs(list) do
    local what = string.format("%s%s of contact '%s'", #list > 1 and "entry " .. i .. " of " or "", field, c.name)
    look.only(node, rule.allowed, c, what, rule.write)
    if not look.depends_on(node, rule.kind) then fail(c, "%s %s", what, rule.none) end
    affine(node, c, what)
    look.at_start(node, env, c, what)
  end
end

function contact.check(model, env)
  for _, c in ipairs(model.contacts) do
    if not c.rides then
      look.row(c.gap, env, c, "gap of contact '" .. c.name .. "'", "the gap of contact '" .. c.name .. "'",
        "write a distance that changes with the motion")
    end
    laws.check(c, env, "contact '" .. c.name .. "'")
    if c.friction then along(c, env) end
  end
end

local constraint = word { "constraint", group = "Contacts and constraints", "m:constraint(name, { zero = expression })",
  summary = "A bilateral constraint: the expression stays zero, by a force of either sign.",
  gives = [[a constraint `k` with `k.zero` (the expression), `k.rate` and `k.force`: the force of the last step along the gradient of
    the expression, its mean over the step; 0 before the first]],
  arguments = { word.name },
  options = { { "zero", "expression", [[Of coordinates, time and parameters. It and its rate must be zero at the
    start. `m:constraint(name, expression)` means the same.]], required = true } },
  notes = "With time in it the constraint is a drive: `theta - omega*t`.",
  example = [[
local wire = m:constraint("wire", { zero = y - 2 * x })
m:output("pull", wire.force)]] }

function constraint.means(model, state, given, where)
  if value.is(given[2]) then given[2] = { zero = given[2] } end
  local name, o = accept.named(constraint, given, where)
  state.declare(state.taken, name, "constraint", where)
  local row = { name = name, expr = value.node(o.zero), file = where.file, line = where.line }
  table.insert(model.constraints, row)
  return handle.new("constraint", name, {
    { "zero", function() return o.zero end },
    { "rate", function() return value.rate(o.zero) end },
    { "force", function() return handle.force(model, row, 0, o.zero) end },
  })
end

function constraint.check(model, env)
  for _, c in ipairs(model.constraints) do
    look.row(c.expr, env, c, "constraint '" .. c.name .. "'", "constraint '" .. c.name .. "'",
      "write an expression that the motion keeps at zero")
  end
end

C.words = { contact, constraint }
return C
