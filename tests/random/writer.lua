-- Writes the text of a model from its parts. The same parts can be written in other units, as their mirror image, several
-- times into one model, in another order, or with another origin of time: laws.lua compares how these move.
--
-- A part is { write = function(w) ... end, needs = { parts } }: the numbers in it were drawn before, so that parts can be
-- left out without changing the others.
local W = {}
W.__index = W
W.VECTORS = { "momentum", "weight", "spin", "torque" }

-- style: length, mass, time (factors of the units), mirror (x -> -x), shift (of time), vary (of velocities, by copy)
function W.new(style)
  local w = { style = style, lines = {}, count = 0, kinetic = {}, potential = {}, rayleigh = {}, power = {}, laws = {},
    shapes = {}, quantities = {}, masses = {}, sx = style.mirror and -1 or 1, suffix = "" }
  for _, vector in ipairs(W.VECTORS) do w[vector] = { {}, {}, {} } end
  return setmetatable(w, W)
end

function W:say(format, ...) self.lines[#self.lines + 1] = select("#", ...) > 0 and format:format(...) or format end

local function text(x)
  local s = ("%.15g"):format(x)
  if tonumber(s) ~= x then s = ("%.17g"):format(x) end
  return x < 0 and "(" .. s .. ")" or s
end
W.text = text

function W:factor(l, m, t)
  local s = self.style
  return (s.length or 1) ^ (l or 0) * (s.mass or 1) ^ (m or 0) * (s.time or 1) ^ (t or 0)
end

--- A number of dimension length^l mass^m time^t.
function W:num(x, l, m, t)
  local f = self:factor(l, m, t)
  return text(f == 1 and x or x * f)
end

--- The same as a parameter of the model.
function W:par(x, l, m, t)
  self.count = self.count + 1
  local name = "p" .. self.count
  self:say('local %s = m:parameter("%s", %s)', name, name, self:num(x, l, m, t))
  return name
end

--- A number or a parameter, as the part was drawn.
function W:value(parametric, ...)
  if parametric then return self:par(...) end
  return self:num(...)
end

--- A name of this copy.
function W:name(name) return name .. self.suffix end

--- What is known about a quantity of the result: its dimension and what the mirror does to it.
-- original: its name in the model written plainly, where that is not the name without the number of the copy.
function W:quantity(name, sign, l, m, t, original)
  local head, tail = name:match("^(.*)" .. self.suffix .. "(.*)$") -- the number of the copy may stand within
  self.quantities[name] = { sign = self.style.mirror and sign or 1, factor = self:factor(l, m, t), rate = self:factor(0, 0, -1),
    original = original or head .. tail, copy = self.suffix }
end

function W:coordinate(name, sign, l, initial, velocity)
  local full = self:name(name)
  local s = self.style.mirror and sign or 1
  self:quantity(full, sign, l)
  self.angles = self.angles or l ~= 1
  velocity = velocity * (1 + 0.125 * (self.style.vary or 0))
  self:say('local %s = m:coordinate("%s", { initial = %s, velocity = %s })', full, full, self:num(s * initial, l),
    self:num(s * velocity, l, 0, -1))
  return full
end

function W:time()
  if not self.has_time then
    self.has_time = true
    table.insert(self.lines, 3, "local time = m:time()")
  end
  local shift = (self.style.shift or 0) * self:factor(0, 0, 1)
  return shift == 0 and "time" or "(time - " .. text(shift) .. ")"
end

local function sum(list) return #list == 0 and "0" or table.concat(list, "\n  + ") end

--- The text of a model. parts in the order they are to be written; style.copies writes all of them several times.
function W.model(parts, style, run)
  local w = W.new(style)
  w:say('local carom = require "carom"')
  w:say('local m = carom.model "sample"')
  local first, last = style.first or 1, style.copies or style.first or 1
  for i = first, last do
    w.suffix = (style.copies or style.first) and "_" .. i or ""
    w.style.vary = (style.copies or style.first) and i - 1 or 0
    for _, part in ipairs(parts) do if not (part.once and i > first or part.last) then part.write(w) end end
  end
  for _, part in ipairs(parts) do if part.last then part.write(w) end end
  if #w.kinetic > 0 then -- meshes have energies of their own
    for _, name in ipairs { "kinetic", "potential", "rayleigh", "power" } do
      w:say('m:output("%s", %s)', "the_" .. name, sum(w[name]))
    end
    for _, name in ipairs(W.VECTORS) do
      for k = 1, 3 do if #w[name][k] > 0 then w:say('m:output("the_%s_%d", %s)', name, k, sum(w[name][k])) end end
    end
  end
  w:say("m:run { until_time = %s, step = %s, scheme = %q }", w:num(run.step * run.steps, 0, 0, 1), w:num(run.step, 0, 0, 1), run.scheme)
  w:say("return m")
  return table.concat(w.lines, "\n") .. "\n", w
end

--- Parts in another order that still respects what they need; r draws it.
function W.shuffle(parts, r)
  local left, done, order = { table.unpack(parts) }, {}, {}
  while #left > 0 do
    local ready = {}
    for i, part in ipairs(left) do
      local good = true
      for _, needed in ipairs(part.needs or {}) do good = good and done[needed] end
      if good then ready[#ready + 1] = i end
    end
    local part = table.remove(left, r:pick(ready))
    done[part], order[#order + 1] = true, part
  end
  return order
end

return W
