-- What readers of robots have in common: mistakes with their line, and what is left out, told once. A reader has file, noted, robot.
local turn = require "gen.robot.turn"

local R = {}

--- A new kind of reader.
function R.kind()
  local Reader = {}
  Reader.__index = Reader

  function Reader:refuse(element, format, ...)
    error({ carom = true, file = self.file, line = element.line, message = format:format(...) }, 0)
  end

  function Reader:note(format, ...)
    local text = format:format(...)
    if not self.noted[text] then
      self.noted[text] = true
      table.insert(self.robot.left_out, text)
    end
  end

  --- A mesh is its convex hull, in the frame of the link; left: how far the mesh reaches beyond these corners.
  function Reader:polyhedron(s, corners, file, left)
    s.kind, s.points = "polyhedron", {}
    for i, p in ipairs(corners) do s.points[i] = turn.plus(s.at, turn.turned(s.R, p)) end
    self:note("hollows of meshes: each is its convex hull")
    if left > 0 then self:note("%.2g m of the convex hull of %s, beyond the %d corners that are furthest out", left, file, #corners) end
  end

  return Reader
end

return R
