-- Bodies in the plane and gravity. m:body gives the place, the angle and points fixed on the body, readable but not changeable.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local look = require "gen.lang.core.look"
local sandbox = require "gen.lang.core.sandbox"
local text = require "gen.lang.core.text"
local value = require "gen.lang.core.value"
local word = require "gen.lang.core.word"

local B = {}
local Body = { [accept.called] = function() return "a planar body" end }
local sin, cos = value.functions.sin, value.functions.cos
local POINTS = 40 -- asked for, that a picture knows of

function B.is(x) return type(x) == "table" and getmetatable(x) == Body end

--- The place in the plane of the point (dx, dy) of a frame at `at`, turned by `angle` (nil: not turned).
function B.place(at, angle, dx, dy)
  if not angle then return { at[1] + dx, at[2] + dy } end
  local s, c = sin(angle), cos(angle)
  return { at[1] + (c * dx - s * dy), at[2] + (s * dx + c * dy) }
end

--- A body that stands at `at` and is turned by `angle` (nil: it does not turn).
function B.new(name, at, angle)
  local fields, points = { at = { at[1], at[2] }, angle = angle }, {}
  function fields.point(self, dx, dy)
    if not B.is(self) then
      fail(sandbox.where(), "point is written with a colon; write %s:point(dx, dy)", name)
    end
    local place = B.place(at, angle, value.lift(dx, "dx of point"), value.lift(dy, "dy of point"))
    if #points < POINTS then points[#points + 1] = { place[1], place[2] } end
    return place
  end
  return setmetatable({ [Body] = { name = name, fields = fields, points = points, frame = { at = { at[1], at[2] }, angle = angle } } },
    Body)
end

--- Name of a body, and the places that were asked of it: what a picture can show of a body without shapes.
function B.name(body) return rawget(body, Body).name end
function B.points(body) return rawget(body, Body).points end

--- Place and angle of a body: { at = { x, y }, angle = value or nil }, out of reach of the model.
function B.frame(body) return rawget(body, Body).frame end

Body.__index = function(body, key)
  local inside = rawget(body, Body)
  local found = inside.fields[key]
  if found ~= nil then return found end
  if key == "angle" then fail(sandbox.where(), "body '%s' has no angle; give it one with angle = ...", inside.name) end
  fail(sandbox.where(), "a body has no field '%s'; it has at, angle and point(dx, dy)", tostring(key))
end
Body.__newindex = function() fail(sandbox.where(), "a body has no fields to set; declare another body") end

accept.types.body = { shown = "body", read = function(x, what, where)
  if not B.is(x) then accept.expected(what, "a body", x, where, "give what m:body returned") end
  return x
end }

local body = word { "body", group = "Motion", "m:body(name, { mass = ..., inertia = ..., at = { x, y }, angle = ... })",
  summary = [[A rigid body in the plane, placed by expressions of the coordinates. It adds its kinetic energy and, with
    `gravity`, its weight.]],
  gives = "a body `b` with `b.at`, `b.angle` and `b:point(dx, dy)`, the place of a point fixed on it",
  arguments = { word.name },
  options = {
    { "mass", "expression", "Mass, a number or an expression of parameters.", dim = "kg", required = true },
    { "inertia", "expression", "Moment of inertia about the centre of mass; needs `angle`.", dim = "kg m^2",
      default = "none (a point mass)" },
    { "at", "point", "Place of the centre of mass.", dim = "m", required = true },
    { "angle", "expression", "Its rotation, counted anticlockwise.", dim = "rad",
      default = "none (it does not turn)" } },
  example = [[
local theta = m:coordinate("theta", { unit = "rad", initial = 0.5 })
local l = m:parameter("l", 0.4, "m")
local J = m:parameter("J", 0.01, "kg m^2")
local rod = m:body("rod", { mass = mass, inertia = J,
  at = { l/2*carom.sin(theta), -l/2*carom.cos(theta) }, angle = theta })
local tip = rod:point(0, -l/2)
m:output("tip_height", tip[2])]] }

function body.means(model, state, given, where)
  local name, o, subject = accept.named(body, given, where)
  if o.inertia and not o.angle then fail(where, "%s has inertia but no angle; write angle = ...", subject) end
  state.declare(state.bodies, name, "body", where)
  word.term(model, where, { kind = "body", name = name, mass = value.node(o.mass),
    inertia = o.inertia and value.node(o.inertia),
    at = value.nodes(o.at), angle = o.angle and value.node(o.angle) })
  return B.new(name, o.at, o.angle)
end

-- a planar body knows nothing of rotations in space
body.terms = { body = {
  text = function(t)
    return ("body %s: mass %s, inertia %s, at %s, angle %s"):format(t.name, text(t.mass), text(t.inertia), text(t.at), text(t.angle))
  end,
  check = function(t, env, rotating)
    local what = "body '" .. t.name .. "'"
    look.no_rotation(t, rotating, { t.at[1], t.at[2], t.angle }, "the place of " .. what)
    for i = 1, 2 do look.place(t.at[i], env, t, "the place of " .. what) end
    if t.angle then look.only(t.angle, look.geometric, t, "the angle of " .. what, look.write_geometric) end
    for _, field in ipairs { "mass", "inertia" } do
      if t[field] then
        look.only(t[field], look.static, t, field .. " of " .. what, look.write_static)
        local x = look.at_start(t[field], env, t, field .. " of " .. what)
        if x < 0 then fail(t, "%s of %s is %g; write a positive number", field, what, x) end
      end
    end
  end } }

local gravity = word { "gravity", group = "Motion", "m:gravity(gx, gy)\nm:gravity(gx, gy, gz)",
  summary = [[The acceleration of free fall, acting on every body (not on coordinates whose energies are written by
    hand).]],
  arguments = {
    { "gx", "expression", "Component along x.", dim = "m/s^2", required = true },
    { "gy", "expression", "Component along y; downwards is negative.", dim = "m/s^2", required = true },
    { "gz", "expression", "Component along z, for free bodies.", dim = "m/s^2", default = "0" } },
  example = "m:gravity(0, -9.81)" }

function gravity.means(model, _, given, where)
  local a = accept.arguments(gravity, given, where)
  if model.gravity then fail(where, "gravity is already given; keep one of the two") end
  model.gravity = value.nodes { a.gx, a.gy, a.gz }
end

-- A third component needs something that falls that way.
function gravity.check(model)
  local g = model.gravity
  if not g then return end
  if g[3] and #model.rotations == 0 then
    local falls = #model.meshes > 0
    for _, t in ipairs(model.terms) do falls = falls or t.kind == "tree" end
    if not falls then fail(model, "gravity has a third component but there is no free body and no link; write m:gravity(gx, gy)") end
  end
  for _, x in ipairs(g) do
    look.only(x, { param = true, time = true, input = true }, model, "gravity", "write numbers or parameters")
  end
end

B.words = { body, gravity }
return B
