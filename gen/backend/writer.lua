-- The writer of a step: lines of C, loops that stand one after another as one, declarations, names. Its methods are those of `w` in
-- operations.lua and control.lua; what operations are told is in forms.lua.
local forms = require "gen.backend.forms"
local print_c = require "gen.expr.print"

local W = {}
for name, f in next, forms do W[name] = f end -- order does not matter

-- Tangents of sets that were just made.
function W:settle()
  local follow = self.follow
  self.follow = {}
  for _, line in ipairs(follow) do self.lines[#self.lines + 1] = line end
end

-- a line of C; the first statement of an operation carries what is said about it
function W:say(format, ...)
  if #self.follow > 0 then self:settle() end
  local line = select("#", ...) > 0 and format:format(...) or format
  if self.note and line:find ";$" then
    line, self.note = ("%s /* %s */"):format(line, self.note), nil
  end
  self.lines[#self.lines + 1] = line
end

-- loops of more turns are left to the compiler
local SHORT = 16

-- The head of a loop. In straight code short ones are written by what they go over (carom/algorithm.h): nothing is counted there.
function W:head(variable, first, last)
  if self.free and self.NR <= SHORT and first == 0 and last == "s->derived.rows" then return ("CAROM_FOR_ROWS(%s) {"):format(variable) end
  if self.free and tonumber(last) and tonumber(last) <= SHORT then return ("CAROM_FOR(%s, %s, %s) {"):format(variable, first, last) end
  return ("for (int %s = %s; %s < %s; ++%s) {"):format(variable, first, variable, last, variable)
end

function W:loop(variable, first, last, body)
  self:say(self:head(variable, first, last))
  body()
  self:say "}"
end

-- The same statement for every element: loops over the same elements that stand one after another are one loop. A statement looks at
-- no other elements of what the ones before it made.
function W:every(variable, first, last, format, ...)
  local header = self:head(variable, first, last)
  local open = self.open
  if open and open.header == header and open.lines == self.lines and open.last == #self.lines then
    self.lines[#self.lines] = nil
  else
    self:say(header)
  end
  local follow = self.follow
  self.follow = {}
  self:say(format, ...)
  self.lines[#self.lines + 1], self.follow = "}", follow
  self.open = { header = header, lines = self.lines, last = #self.lines }
end

function W:remember(format, ...) self.declarations[#self.declarations + 1] = format:format(...) end

-- Where what the step needs lives is the back end's: on the stack, or in the work space of the state, where large models have room.
-- count: numbers, of each of `rows`; nil: a structure, known by its address.
function W:declare(kind, name, count, rows)
  local many = count and (rows and ("[%d][%d]"):format(count, rows) or ("[%d]"):format(count)) or ""
  if self.in_work or self.roomy then
    self.members[#self.members + 1] = ("%s %s%s;"):format(kind, name, many)
    self:remember(rows and "%s(*const %s)[" .. rows .. "] = %s%s;" or count and "%s *const %s = %s%s;" or "%s *const %s = &%s%s;",
      kind .. (rows and " " or ""), name, self.work_at or "s->work.", name)
  elseif count then
    self:remember("%s %s%s;", kind, name, many)
  else
    self:remember("%s %s_at, *const %s = &%s_at;", kind, name, name, name)
  end
end

-- point = q + x
function W:retract(point, q, x)
  self:every("i", 0, self.NS, "%s[i] = %s[i] + %s[i];", point, q, x)
  if self.NB == 0 then return end
  self:loop("nth", 0, self.NB, function() -- it may stand in a loop over groups of rows
    self:say("carom_quaternion_turn(%s + %d + 4 * nth, %s + %d + 3 * nth, %s + %d + 4 * nth);", q, self.NS, x, self.NS, point, self.NS)
  end)
end

-- velocities of the step for dense output, and of those that were made with it (halves, pieces)
function W:keep_span(dense)
  local last = ("s->span[%d]"):format(self.spans - 1)
  if self.spans == 2 then self:say "s->span[0] = s->span[1];" end
  if self.spans > 2 then self:loop("k", 0, self.spans - 1, function() self:say "s->span[k] = s->span[k + 1];" end) end
  self:loop("i", 0, self.NV, function()
    for l, name in ipairs(dense.V) do self:say("%s.V[%d][i] = %s[i];", last, l - 1, self:named(name)) end
    if dense.path then self:say("%s.path[0][i] = %s[i];", last, self:named(dense.path)) end
  end)
  self:loop("i", 0, self.NQ, function() self:say("%s.q[i] = q[i];", last) end)
  self:say("%s.t = t;", last)
end

-- a status that ends the step
function W:try(format, ...)
  self:say("status = " .. format, ...)
  self:fail("status", "status != CAROM_OK")
end

-- the step ends with a status, if a condition holds
function W:fail(status, condition)
  local leave = self.flies and "return false;" or self.given and ("return %s;"):format(status)
    or ("return %s_fail(s, %s, &info);"):format(self.X, status)
  self:say(condition and ("if (%s) { %s }"):format(condition, leave) or leave)
end

function W:named(name)
  if self.memory[name] and not self.kinds[name] then return "s->" .. self.memory[name] end
  if self.aliases[name] then return self:named(self.aliases[name]) end
  return name
end

function W:remark(op)
  if op.text then
    self:say ""
    self:say("/* %s */", op.text)
  end
end

--- Declarations of arrays of one type in as few lines as can be.
function W.together(declarations)
  local out, first, width = {}, {}, {}
  for _, line in ipairs(declarations) do
    local kind, rest = line:match("^(double) ([%w_]+%[[%d%]%[]+);$")
    if not kind then kind, rest = line:match("^(bool) ([%w_]+%[%d+%]);$") end
    if kind and first[kind] and width[kind] + #rest < 100 then
      out[first[kind]] = out[first[kind]]:gsub(";$", ", " .. rest .. ";")
      width[kind] = #out[first[kind]]
    else
      out[#out + 1] = line
      if kind then first[kind], width[kind] = #out, #line end
    end
  end
  return out
end

--- Lines of a step as few as can be: loops over one statement, and calls that may end the step.
function W.compact(lines)
  local out, i = {}, 1
  while i <= #lines do
    local line, following = lines[i], lines[i + 1]
    local statement, remark = (following or ""):match "^([^{};]*;)%s*(.*)$"
    local call, note = line:match "^status = ([^;]*);%s*(.*)$"
    if line:find "^CAROM_FOR.*{$" and lines[i + 2] == "}" and statement then
      out[#out + 1] = ("%s %s }%s"):format(line, statement, remark ~= "" and " " .. remark or "")
      i = i + 3
    elseif call and following and following:find "^if %(status != CAROM_OK%) { return [%w_]+_fail%(s, status, &info%); }$" then
      out[#out + 1] = ("CAROM_TRY(%s);%s"):format(call, note ~= "" and " " .. note or "")
      i = i + 2
    else
      out[#out + 1] = line
      i = i + 1
    end
  end
  return out
end

--- All that was said so far but remarks, and whether a name is in it.
function W:text()
  return (table.concat(self.step or {}, "\n") .. "\n" .. table.concat(self.lines, "\n")):gsub("/%*.-%*/", "")
end

function W.mentioned(text, name) return text:find("%f[%w_]" .. name .. "%f[^%w_]") ~= nil end

--- Declarations of the constants that the lines of a step mention, correctly rounded. They stand in the step, where no name of a model is.
function W:constants_of(constants)
  local text, lines = self:text(), {}
  for _, c in ipairs(constants) do
    local name = forms.constant(c.name)
    if W.mentioned(text, name) then
      local more, last = ("%s = %s;"):format(name, print_c.number(c.value)), lines[#lines]
      if last and #last + #more < 110 then
        lines[#lines] = last:gsub(";$", ", ") .. more
      else
        lines[#lines + 1] = "const double " .. more
      end
    end
  end
  return lines
end

return W
