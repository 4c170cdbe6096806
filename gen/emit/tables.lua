-- `static const` tables of emitted C, many numbers to a line; only those that some function reads are printed.
local print_c = require "gen.expr.print"

local T = {}
T.__index = T

local WIDTH = 118

function T.new()
  return setmetatable({ list = {}, formula = {} }, T)
end

function T:comment(text)
  self.list[#self.list + 1] = { lines = { "/* " .. text .. " */" } }
end

--- A table of numbers (or of their texts); an empty one is left out.
function T:add(type_name, name, items)
  if #items == 0 then return end
  local lines, line = { ("static const %s %s[%d] = {"):format(type_name, name, #items) }, "   "
  for i, item in ipairs(items) do
    local text = " " .. item .. (i < #items and "," or "")
    if #line + #text > WIDTH then
      lines[#lines + 1] = line
      line = "   "
    end
    line = line .. text
  end
  lines[#lines + 1] = line
  lines[#lines + 1] = "};"
  self.list[#self.list + 1] = { name = name, lines = lines }
end

-- The k-th of `width` numbers of each instance as a formula in i, where they are a progression.
local function progression(items, k, width)
  local first, step = items[k], width < #items and items[k + width] - items[k] or 0
  for i = k, #items, width do
    if items[i] ~= first + (i - k) // width * step then return nil end
  end
  local turns = step == 1 and "i" or step == -1 and "-i" or step ~= 0 and ("%d * i"):format(step)
  if not turns then return ("%d"):format(first) end
  return first == 0 and turns or ("%s %s %d"):format(turns, first < 0 and "-" or "+", math.abs(first))
end

--- A table of `width` entries for each instance i of a kernel: whole numbers that are a progression need none.
function T:places(name, items, width, type_name)
  self:add(type_name or "int", name, items)
  self.formula[name] = { width = width }
  for k = 1, not type_name and #items > 0 and width or 0 do self.formula[name][k] = progression(items, k, width) or false end
end

--- The k-th entry of instance i in C.
function T:at(name, k)
  local of = self.formula[name]
  if of[k] then return of[k] end
  if of.width == 1 then return name .. "[i]" end
  return ("%s[%d * i%s]"):format(name, of.width, k > 1 and " + " .. k - 1 or "")
end

--- A table that is always printed: a template reads it.
function T:fixed(type_name, name, items)
  self:add(type_name, name, items)
  if #items > 0 then self.list[#self.list].name = nil end
end

--- The tables of the shapes that contacts of a model touch with, as lines; second: do any contacts ask the geometry of the runtime?
function T.shapes(model)
  local tables, known, touching = T.new(), {}, false
  for _, c in ipairs(model.contacts) do
    touching = touching or c.rate ~= nil
    for _, of in ipairs(c.tables or {}) do
      if of and not known[of.name] then
        local numbers = {}
        for k, x in ipairs(of.numbers) do numbers[k] = print_c.number(x + 0.0) end
        tables:fixed("double", of.name, numbers)
        known[of.name] = true
      end
    end
  end
  return tables:lines {}, touching
end

--- The sparse structure as carom_kkt_tables.
function T:structure(structure, symbolic, X)
  local struct = { ("static const carom_kkt_tables %s_tables = {"):format(X) }
  local arrays, sizes = { table.unpack(symbolic.arrays) }, { table.unpack(symbolic.sizes) }
  if structure.band then arrays[#arrays + 1], sizes[#sizes + 1] = "Wo", "band" end
  for _, name in ipairs(arrays) do
    local values = structure[name]
    self:fixed("int", X .. "_" .. name, #values > 0 and values or { 0 })
  end
  for _, name in ipairs(sizes) do struct[#struct + 1] = ("    .%s = %d,"):format(name, structure[name]) end
  for _, name in ipairs(arrays) do struct[#struct + 1] = ("    .%s = %s_%s,"):format(name, X, name) end
  struct[#struct + 1] = "};"
  self.list[#self.list + 1] = { lines = struct }
end

--- All tables that are mentioned in the given lists of lines (and those that always are).
function T:lines(readers)
  local text = {}
  for i, lines in ipairs(readers) do text[i] = table.concat(lines, "\n") end
  text = table.concat(text, "\n")
  local out = {}
  for _, entry in ipairs(self.list) do
    if not entry.name or text:find(entry.name .. "[", 1, true) then
      for _, line in ipairs(entry.lines) do out[#out + 1] = line end
    end
  end
  return out
end

return T
