-- Reads what only the word link takes: its parent, a fixed rotation, values for each coordinate of a joint, limits.
local free_body = require "gen.lang.words.bodies.frame"
local value = require "gen.lang.core.value"

--- Adds the readers; read and expected as in accept.lua.
return function(read, expected, plain_table)
  function read.link(x, what, where)
    if not free_body.is(x) then
      expected(what, "a link or a free body", x, where, "give what m:link or m:free_body returned, or nothing for the ground")
    end
    return x
  end

  -- three rows of a rotation matrix, or { axis = { x, y, z }, angle = ... }
  function read.rotation(x, what, where)
    local write = "write { axis = { x, y, z }, angle = ... } or three rows"
    if not plain_table(x) then expected(what, "an axis and an angle", x, where, write) end
    if #x == 3 then
      local rows = {}
      for i = 1, 3 do rows[i] = read.vector(x[i], "row " .. i .. " of " .. what, where, "1") end
      return rows
    end
    if #x > 0 or x.axis == nil or x.angle == nil then expected(what, "an axis and an angle", x, where, write) end
    return { axis = read.vector(x.axis, "axis of " .. what, where), angle = read.expression(x.angle, "angle of " .. what, where, "rad") }
  end

  -- one expression for each coordinate of a joint; a joint with one coordinate needs no list
  function read.joint_values(x, what, where)
    if not plain_table(x) then return { value.lift(x, what) } end
    if #x < 1 or #x > 3 then expected(what, "one expression for each coordinate", x, where, "write { e1, e2 }") end
    local list = {}
    for i = 1, #x do list[i] = value.lift(x[i], "entry " .. i .. " of " .. what) end
    return list
  end

  function read.limits(x, what, where)
    if not plain_table(x) or #x ~= 2 then expected(what, "two expressions", x, where, "write { low, high }") end
    return { value.lift(x[1], "the first of " .. what), value.lift(x[2], "the second of " .. what) }
  end
end
