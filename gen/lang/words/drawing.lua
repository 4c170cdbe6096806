-- The word draw: what a report shows beside bodies and shapes. It means nothing to the motion.
local accept = require "gen.lang.core.accept"
local fail = require "gen.lang.core.fail"
local word = require "gen.lang.core.word"

accept.types.path = { shown = "list of points", read = function(x, what, where, dim)
  if not accept.plain_table(x) or #x < 2 or #x > 1000 then
    accept.expected(what, "a list of points", x, where, "write { { x1, y1 }, { x2, y2 }, ... }")
  end
  local list = {}
  for i = 1, #x do
    list[i] = accept.types.place.read(x[i], "point " .. i .. " of " .. what, where, dim)
    if #list[i] ~= #list[1] then
      fail(where, "%s has points in the plane and in space; give all two components or all three", what)
    end
  end
  return list
end }

local draw = word { "draw", group = "Pictures",
  "m:draw(name, { line = { p1, p2, ... }, closed = true })\nm:draw(name, { at = { x, y }, radius = ... })",
  summary = [[Something that the report shows (`report.html` of `carom run`), where bodies, links, shapes and springs do not say enough:
    a line through points, or a disk or ball. It changes nothing of the motion.]],
  arguments = { { "name", "name", "An identifier; pictures have a list of names of their own.", required = true } },
  options = {
    { "line", "path", "Points, each `{ x, y }` or in space `{ x, y, z }`: expressions of coordinates, time and parameters.", dim = "m" },
    { "closed", "flag", "The last point is joined to the first, and the inside is filled.", default = "false" },
    { "at", "place", "The middle of a disk or ball.", dim = "m" },
    { "radius", "expression", "Its radius.", dim = "m", least = 0, default = "a small one" },
    { "width", "number", "Thickness of the line.", default = "thin" },
    { "fixed", "flag", "It is drawn as something that stands still.", default = "false" } },
  example = [[
local theta = m:coordinate("theta", { unit = "rad", initial = 0.5 })
local l = m:parameter("l", 0.4, "m")
local bob = { l * carom.sin(theta), -l * carom.cos(theta) }
m:body("bob", { mass = mass, at = bob })
m:draw("rod", { line = { { 0, 0 }, bob } })]] }

function draw.means(model, state, given, where)
  local name, o, subject = accept.named(draw, given, where)
  if (o.line == nil) == (o.at == nil) then
    fail(where, "%s needs either line = { p1, p2, ... } or at = { x, y }; write one of the two", subject)
  end
  if o.radius and not o.at or (o.closed or o.width) and not o.line then
    fail(where, "%s has %s, which belongs to %s", subject, o.radius and "a radius" or "closed or width", o.radius and "at" or "line")
  end
  state.drawn = state.drawn or {}
  state.declare(state.drawn, name, "draw", where)
  table.insert(model.pictured, { name = name, drawn = o })
end

return { words = { draw } }
