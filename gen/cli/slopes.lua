-- A run and its derivatives by what carom fit looks for, from the tangent of the generated step: one run instead of two for each unknown,
-- and no differences that are wide or narrow. The steps' modes are held fixed, so runs in which contacts hit or change have none.
local build = require "gen.cli.build"
local fs = require "gen.util.fs"
local main = require "gen.target.slopes"

local M = {}

--- The program for these unknowns, other given values and columns: a function from values of all to times and columns with derivatives
--- ({ t =, [name] = { values, list of derivatives } }), and one that clears up; or nil and why there is none.
-- compile(with): the unit with the additions of carom gen --with; start: see gen/pipeline.lua.
function M.program(compile, start, free, given, columns)
  local good, unit = pcall(compile, { tangent = true })
  if not good then
    if type(unit) ~= "table" or not unit.message then error(unit, 0) end
    return nil, unit.message:match "no derivative of a step: (.*)$" or unit.message
  end
  local text, why = main.text(unit, start, free, given, columns)
  if not text then return nil, why end
  local program, _, clean = build.executable(unit, text)
  local function run(last, step, values)
    local words = { program, ("%.17g"):format(last), ("%.17g"):format(step) }
    for _, x in ipairs(values) do words[#words + 1] = ("%.17g"):format(x) end
    local said, code = fs.capture(fs.command(words))
    if code ~= 0 then return nil, code == 3 and "contacts hit or change, and when is left to steps" or nil end
    local made, k = { t = {} }, 0
    for _, name in ipairs(columns) do
      made[name] = { {} }
      for j = 1, #free do made[name][1 + j] = {} end
    end
    for line in said:gmatch "[^\n]+" do
      local cells = {}
      for cell in line:gmatch "[^,]+" do cells[#cells + 1] = tonumber(cell) end
      k = k + 1
      made.t[k] = cells[1]
      local at = 1
      for _, name in ipairs(columns) do
        for _, column in ipairs(made[name]) do
          at = at + 1
          column[k] = cells[at]
        end
      end
    end
    return made
  end
  return run, clean
end

return M
