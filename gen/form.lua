-- The form of the emitted C: a model's operators unrolled, or loops over tables. Both are the same integrator; which one is taken
-- depends on what each can do and on size.
local blocks = require "gen.system.blocks"
local support = require "gen.support"

local F = {}

local sizes = support.sizes

-- What in the model or scheme loops over tables cannot do: where it stands, what it is, what to write instead; nil when they can.
local function beyond_loops(model, spec)
  local instead, what = support.scheme("tables", spec)
  return instead and model, what, instead
end

--- The way (gen/support.lua) of a form that a user asks for.
function F.way(asked)
  if asked ~= "unrolled" and asked ~= "looped" then
    error({ usage = true, message = ("there is no form '%s'; write unrolled or looped"):format(asked) }, 0)
  end
  return asked == "looped" and "tables" or "straight"
end

-- Trees of links on the ground: up to how many links they stay straight. Explicit schemes solve for their accelerations by recursion, and
-- straight code grows with their number only; but where the scheme multiplies by the mass matrix as well.
local function links_of_trees(model, spec)
  if not support.explicit(spec) or #model.rotations > 0 then return 0 end
  local joints = 0
  for _, term in ipairs(model.terms) do
    for _, link in ipairs(term.kind == "tree" and not term.base and term.links or {}) do
      joints = joints + (link.joint == "fixed" and 0 or 1)
    end
  end
  if joints < #model.coordinates then return 0 end
  local multiplies = spec.M == 0 or spec.family == "moreau-jean" and spec.mass ~= "end"
  return multiplies and sizes.straight.velocities or sizes.links
end

--- "unrolled" or "looped" for a model and a scheme; asked: what the user wants, if anything.
function F.choose(model, spec, asked)
  if asked then F.way(asked) end
  local velocities, dimension = blocks.of(model).nv, 1
  for _, c in ipairs(model.contacts) do
    if c.friction then dimension = math.max(dimension, 1 + #(c.slide or c.slip or {})) end
  end
  local rows = #model.constraints + dimension * #model.contacts
  local fits = velocities <= sizes.straight.velocities and rows <= sizes.straight.rows
  local where, what, instead = beyond_loops(model, spec)
  local unfound = model.among and support.scheme("pile", spec)
  local function refuse_found()
    error({ carom = true, file = model.among.file, line = model.among.line,
      message = ("scheme '%s': %s"):format(spec.canonical, unfound) }, 0)
  end
  if model.elements then
    if asked == "unrolled" then support.take("straight", model) end
    local why, known = support.scheme("mesh", spec)
    if why and not known then error({ carom = true, message = ("scheme '%s': %s"):format(spec.canonical, why) }, 0) end
    if unfound then refuse_found() end
    if not what then return "looped" end
    error({ carom = true, file = where.file, line = where.line,
      message = ("%s: not for meshes, which are loops over tables; %s"):format(what, instead) }, 0)
  end
  if model.among then
    if asked == "unrolled" then support.take("straight", model) end
    if not unfound then return "looped" end
    refuse_found()
  end
  local gaps = #model.constraints + #model.contacts
  if asked == "unrolled" then
    if gaps <= sizes.gaps then return asked end
    error({ carom = true, message = ("straight code has contact problems of at most %d constraints and contacts (here %d); "
      .. "leave out --form unrolled"):format(sizes.gaps, gaps) }, 0)
  end
  if what then
    if not asked and fits then return "unrolled" end
    error({ carom = true, file = where.file, line = where.line,
      message = ("%s: loops over tables cannot do that yet, straight code only to %d velocities and %d rows (here %d and %d); %s"):format(
        what, sizes.straight.velocities, sizes.straight.rows, velocities, rows, instead) }, 0)
  end
  if asked then return asked end
  if dimension > 1 and fits and support.friction("tables", spec) then return "unrolled" end
  if gaps <= sizes.both and velocities <= links_of_trees(model, spec) then return "unrolled" end
  return math.max(velocities, gaps) > sizes.both and "looped" or "unrolled"
end

return F
