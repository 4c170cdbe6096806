-- What readers of robots have in common: mistakes with their line, and what is left out, told once. A reader has file, noted, robot.
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

  return Reader
end

return R
