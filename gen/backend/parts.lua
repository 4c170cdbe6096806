-- The parts of a plan that is a program (gen/plan/step.lua) as functions of C, NAME_part_PART(s, t, q, v, c0, h, inputs, what it gives,
-- info): from the state (t, q, v) with its configuration, which need not be that of s. Nothing of s is changed but its counts.
local step = require "gen.backend.step"

local P = {}

local TYPE = { set = "bool *", rows = "double *", vector = "double *", point = "double *" }

local function argument(X, kind, name, constant)
  return (constant and kind ~= "configuration" and "const " or "") .. (TYPE[kind] or X .. "_config *") .. name
end

-- the head of a function, its arguments in as few lines as can be
local function head(X, part, arguments, roomy)
  local lines = { ("/* Part of the step: %s. */"):format(part.text) }
  local line = ("static %scarom_status %s_part_%s("):format(roomy and "CAROM_OWN_FRAME " or "", X, part.title)
  for i, text in ipairs(arguments) do
    text = text .. (i < #arguments and "," or ")")
    if #line + #text > 110 then
      lines[#lines + 1] = line
      line = "   "
    end
    line = line .. (line:find "%($" and "" or " ") .. text
  end
  lines[#lines + 1] = line
  return lines
end

-- one part as lines of C; also its members of a work space, and of how many stages its operator is
local function written(X, part, size)
  local given, arguments, known = {}, { X .. " *s", "double t", "const double *q", "const double *v", X .. "_config *c0", "double h" },
    { "s", "t", "q", "v", "c0", "h" }
  local again = {} -- inputs that are changed in place
  for _, name in ipairs(part.gives) do again[name] = true end
  local function add(kind, name, constant)
    given[name] = true
    arguments[#arguments + 1], known[#known + 1] = argument(X, kind, name, constant), name
  end
  for _, input in ipairs(part.inputs) do
    given[input.name] = true
    add(input.kind, input.tangential and input.name .. "_" or input.name, not again[input.name])
  end
  for _, name in ipairs(part.gives) do if not given[name] then add(part.kinds[name], name) end end
  arguments[#arguments + 1], known[#known + 1] = "carom_info *info", "info"
  local made = step.lines(part, setmetatable({ given = given }, { __index = size }))
  local lines, body = head(X, part, arguments, size.roomy), table.move(made.step, 1, #made.step, #made.declarations + 1,
    table.move(made.declarations, 1, #made.declarations, 1, {}))
  local text = table.concat(body, "\n"):gsub("/%*.-%*/", "")
  lines[#lines + 1] = "{"
  for _, name in ipairs(known) do
    if not text:find("%f[%w_]" .. name .. "%f[^%w_]") and not (name == "s" and text:find "counts") then
      lines[#lines + 1] = ("(void)%s;"):format(name)
    end
  end
  if text:find "%f[%w_]counts%f[^%w_]" then lines[#lines + 1] = "carom_counts *const counts = &s->counts;" end
  lines[#lines + 1] = "carom_status status = CAROM_OK;"
  table.move(body, 1, #body, #lines + 1, lines)
  table.move({ "return status;", "}", "" }, 1, 3, #lines + 1, lines)
  return lines, made
end

--- Puts the functions into the values of the templates, and what they need of a work space. long: is what a part declares too much for
--- the stack? Then what all of them need lies in the state: who runs them has one frame.
function P.values(values, plan, size, long)
  local all, roomy = {}, false
  for i, part in ipairs(plan.parts) do
    all[i] = { written(values.X, part, size) }
    values.stage_count = math.max(values.stage_count, all[i][2].stages)
  end
  for _, one in ipairs(all) do roomy = roomy or long and long(one[2].declarations) end
  local in_state = setmetatable({ roomy = true }, { __index = size })
  for i, part in ipairs(plan.parts) do
    if roomy then all[i] = { written(values.X, part, in_state) } end
    local lines, made = table.unpack(all[i])
    table.move(lines, 1, #lines, #values.plan_functions + 1, values.plan_functions)
    for _, member in ipairs(made.members) do
      local known = false
      for _, other in ipairs(values.plan_members) do known = known or other == member end
      if not known then table.insert(values.plan_members, member) end
    end
  end
end

return P
