-- The parts of a plan that is a program (carom/capture.h) as emitted C, held against the interpreter: each is run from drawn states in
-- drawn modes by a main that stands in the model's own file.
local I = require "tests.oracle.interpret"
local Model = require "tests.oracle.model"
local S = require "tests.e2e.support"

local P = {}

-- numbers in (-1, 1), the same every time
local function drawing(seed)
  local state = seed
  return function()
    state = (state * 1103515245 + 12345) % 2147483648
    return state / 1073741824 - 1
  end
end

local function list(n, f)
  local t = {}
  for i = 1, n do t[i] = f(i) end
  return t
end

-- a state and everything that a part may be handed
local function drawn(m, draw, spread, most)
  local held = m.bilateral -- not too many: they would contradict each other
  local modes = list(m.gaps, function(j)
    local rough = m.tangents[j] and #m.tangents[j] > 0 and m.mu[j] > 0
    local kind = ({ "open", "closed", rough and "stick" or "closed", rough and "slip" or "open" })[math.floor(2 * draw() + 2) + 1]
    kind = kind == "closed" and rough and "stick" or kind
    local more = kind == "open" and 0 or kind == "stick" and 1 + #m.tangents[j] or 1
    if j <= m.bilateral or held + more > most then return "open" end
    held = held + more
    return kind
  end)
  local function set(f) return list(m.gaps, function(j) return f(j, modes[j]) end) end
  local slide, anchor = list(m.rows, function() return 0.0 end), list(m.rows, function() return 0.0 end)
  for j = m.bilateral + 1, m.gaps do
    local angle, tangents = math.pi * draw(), m.tangents[j] or {}
    for i, t in ipairs(tangents) do
      local way = #tangents == 1 and (angle > 0 and 1.0 or -1.0) or i == 1 and math.cos(angle) or math.sin(angle)
      slide[t], anchor[t] = modes[j] == "slip" and way or 0.0, spread * draw()
    end
  end
  local q = list(#m.q0, function(i) return m.q0[i] + spread * draw() end)
  for first = m.simple + 1, #q, 4 do -- unit quaternions
    local size = 0.0
    for i = first, first + 3 do size = size + q[i] ^ 2 end
    for i = first, first + 3 do q[i] = q[i] / math.sqrt(size) end
  end
  return { t = 0.1 + draw() / 20, h = 0.002 * (1.5 + draw()), q = q, v = list(m.n, function(i) return m.v0[i] + draw() end),
    closed = set(function(j, mode) return j <= m.bilateral or mode ~= "open" end),
    stick = set(function(_, mode) return mode == "stick" end),
    straight = set(function() return draw() > 0 end), slide = slide, anchor = anchor, a = list(m.n, draw), r = list(m.rows, draw),
    hit = set(function(j, mode) return j > m.bilateral and mode == "open" and draw() > 0 end), candidates = set(function(j, mode)
      return j > m.bilateral and mode ~= "open" end), on = set(function() return draw() > 0 end) }
end

local function initialiser(x)
  local t = {}
  for i, value in ipairs(x) do t[i] = type(value) == "boolean" and tostring(value) or ("%.17g"):format(value) end
  return "{" .. table.concat(t, ", ") .. "}"
end

local ROOM = { set = "bool", rows = "double", vector = "double", point = "double" }

-- a block of C that runs a part and prints what it gives, a line for each
local function block(unit, m, part, case, in_place)
  local X, lines, arguments, named = unit.name, {}, {}, {}
  local function say(...) lines[#lines + 1] = (...):format(select(2, ...)) end
  local function size(kind) return kind == "vector" and m.n or kind == "point" and #m.q0 or kind == "set" and m.gaps or m.rows end
  say("{ const double q[] = %s, v[] = %s;", initialiser(case.q), initialiser(case.v))
  say("%s_config c0; carom_info info = {-1, 0, 0.0}; %s_configure(s, %.17g, q, &c0);", X, X, case.t)
  for _, input in ipairs(part.inputs) do
    named[input.name] = true
    if input.kind == "configuration" then
      say("%s_config %s = c0;", X, input.name)
      arguments[#arguments + 1] = "&" .. input.name
    else
      local x = in_place[input.name] and case[in_place[input.name]] or case[input.name]
      if input.tangential then x = table.move(x, m.gaps + 1, m.rows, 1, {}) end
      if #x == 0 then x = { 0.0 } end
      say("%s %s[] = %s;", ROOM[input.kind], input.name, initialiser(x))
      arguments[#arguments + 1] = input.name
    end
  end
  for _, name in ipairs(part.gives) do
    local kind = part.kinds[name]
    if kind == "configuration" then
      if not named[name] then
        say("%s_config %s;", X, name)
        arguments[#arguments + 1] = "&" .. name
      end
    elseif not named[name] then
      say("double %s[%d] = {0.0};", name, math.max(1, size(kind)))
      arguments[#arguments + 1] = name
    end
  end
  say("printf(\"%%d\\n\", (int)%s_part_%s(s, %.17g, q, v, &c0, %.17g, %s, &info));", X, part.title, case.t, case.h,
    table.concat(arguments, ", "))
  for _, name in ipairs(part.gives) do
    local kind = part.kinds[name]
    if kind ~= "configuration" then
      say("for (int i = 0; i < %d; ++i) printf(\"%%.17g \", %s[i]); printf(\"\\n\");", size(kind), name)
    end
  end
  say "}"
  return table.concat(lines, "\n")
end

--- Runs every part `count` times both ways. Returns what is worst, relative to the largest of its kind, how many were compared, and where
--- the worst was. options: form, seed, spread (of positions about the start), most (rows
--- that are held).
function P.compare(model, scheme, count, options)
  local unit, draw = S.unit(model, scheme, { form = options.form }), drawing(options.seed or 1)
  local m, spec = Model.new(unit), unit.spec
  local s = I.new(m, unit:steps(), { tol = spec.tol, eps = 1e-15 * spec.length, ts = 1e-11 * spec.speed })
  local runs, text, own, active = {}, {}, nil, m.gaps -- rows that carry force; nobody knows tangents without friction
  for _, file in ipairs(unit.files) do own = file.name == unit.name .. ".c" and file.text or own end
  for _, mu in next, m.mu do if mu > 0 then active = m.rows end end -- order does not matter
  for _, part in ipairs(s.plan.parts) do
    for _ = 1, own:find("_part_" .. part.title .. "(", 1, true) and count or 0 do -- those that the program of this model runs
      local case, inputs, in_place = drawn(m, draw, options.spread or 1e-3, options.most or m.n - 1), {}, { q1 = "q" }
      for _, input in ipairs(part.inputs) do
        inputs[input.name] = input.kind == "configuration" and m:kinematics(case.t, case.q) or case[in_place[input.name] or input.name]
      end
      runs[#runs + 1] = { part = part, case = case, inputs = inputs }
      text[#text + 1] = block(unit, m, part, case, in_place)
    end
  end
  local files = {}
  for i, file in ipairs(unit.files) do
    files[i] = file.name ~= unit.name .. ".c" and file or { name = file.name, text = file.text .. ("#include <stdio.h>\nint main(void)\n{\n"
      .. "static %s state, *const s = &state;\nif (%s_init(s, NULL) != CAROM_OK) { return 1; }\n"):format(unit.name, unit.name)
      .. table.concat(text, "\n") .. "\nreturn 0;\n}\n" }
  end
  local program = S.compile(setmetatable({ files = files }, { __index = unit }), { main = "typedef int nothing;\n", flags = "-O1 -w" })
  local said, at = S.command(program.program), 1
  local lines = {}
  for line in said:gmatch("(.-)\n") do lines[#lines + 1] = line end
  local worst, compared, where = 0.0, 0, ""
  for _, run in ipairs(runs) do
    local status = tonumber(lines[at])
    at = at + 1
    local good, given = pcall(s.part, s, run.part.title, run.case.t, run.case.q, run.case.v, run.case.h, run.inputs)
    for _, name in ipairs(run.part.gives) do
      if run.part.kinds[name] ~= "configuration" then
        local size, apart, i = 1e-3, 0.0, 0
        for word in (good and status == 0 and lines[at] or ""):gmatch("%S+") do
          i = i + 1
          if i > active and run.part.kinds[name] == "rows" then break end
          size, apart = math.max(size, math.abs(given[name][i])), math.max(apart, math.abs(given[name][i] - tonumber(word)))
        end
        at = at + 1
        if apart ~= apart or apart / size > worst then
          worst, where = apart ~= apart and math.huge or apart / size, run.part.title .. "." .. name
        end
      end
    end
    if good ~= (status == 0) then worst, where = math.huge, ("%s: status %d, %s"):format(run.part.title, status, tostring(given)) end
    compared = compared + (good and 1 or 0)
  end
  return worst, compared, where
end

return P
