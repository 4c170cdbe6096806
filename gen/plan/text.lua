-- A step plan for people: `carom gen --dump steps`. One line for each operation, as an algorithm box has them: what is computed on the
-- left, what it is in the mathematics (with equation numbers) on the right.
-- c h^k as a factor, and its sign
local function factor(c, k)
  local sign, text = "+"
  if type(c) == "string" then
    if c:sub(1, 1) == "-" then sign, c = "-", c:sub(2) end
    text = c:find("[%+%-]") and not c:find("^%b()$") and "(" .. c .. ")" or c
  else
    if c < 0 then sign, c = "-", -c end
    text = c ~= 1 and ("%.15g"):format(c) or ""
  end
  if k ~= 0 then text = text .. (text ~= "" and " " or "") .. "h" .. (k ~= 1 and "^" .. ("%g"):format(k) or "") end
  return sign, text
end

local function terms(list)
  local parts = {}
  for i, term in ipairs(list) do
    local sign, text = factor(term.c, term.k)
    local x = term.of == "norm" and "|" .. term.x .. "_T|" or term.of == "limit" and "mu " .. term.x .. "_N"
      or term.of == "dot" and term.x .. "_T." .. term.y .. "_T" or term.x
    local by = ""
    for _, name in ipairs(term.by or {}) do by = by .. (name:find("[%+/]") and "(" .. name .. ") " or name .. " ") end
    parts[#parts + 1] = i == 1 and (sign == "-" and "-" or "") or " " .. sign .. " "
    parts[#parts + 1] = text .. (text ~= "" and " " or "") .. by .. x
    if term.on then parts[#parts + 1] = (" on %s%s"):format(term.part and term.part .. "s of " or "", term.on) end
  end
  return #parts > 0 and table.concat(parts) or "0"
end

local comparison = { le = "<=", lt = "<", gt = ">" }

local function predicate(p, inner)
  local word = p[1]
  if word == "in" then return p[2] end
  if word == "absgt" then return ("|%s| > %s"):format(terms(p[2]), tostring(p[3])) end
  if comparison[word] then
    return ("%s %s %s"):format(terms(p[2]), comparison[word], p[3] == "zero" and "0" or tostring(p[3]))
  end
  if word == "not" then
    local simple = p[2][1] == "in" or #p[2] == 1
    return simple and "not " .. predicate(p[2]) or "not (" .. predicate(p[2]) .. ")"
  end
  if #p == 1 then return word end
  local parts = {}
  for i = 2, #p do parts[i - 1] = predicate(p[i], word) end
  local text = table.concat(parts, word == "or" and " or " or " and ")
  return word == "or" and inner == "and" and "(" .. text .. ")" or text
end

local function operator(name) return (name:gsub("^mass@(.*)$", "M(%1)")) end

local function list(names) return table.concat(names, ", ") end

local say = {}

function say.kinematics(op)
  local _, time = factor(op.node, 1)
  return ("%s = kinematics at (t%s, %s)%s%s"):format(op.c, op.node ~= 0 and " + " .. time or "", op.q,
    op.find and ", rows of this step are found" or "", op.by and ", every row at its own q + " .. terms(op.by) or "")
end
function say.forces(op) return ("%s = forces at %s with %s"):format(op.f, op.c, op.v) end
function say.rates(op) return ("%s = G %s%s at %s"):format(op.U, op.v, op.homogeneous and "" or " + g_t", op.c) end
function say.bias(op) return ("%s = bias at %s with %s"):format(op.gam, op.c, op.v) end
function say.combine(op) return ("%s = %s"):format(op.y, terms(op.terms)) end
function say.ratio(op) return ("%s = %s / %s, in [0, 1]"):format(op.y, op.a, op.b) end
function say.retract(op)
  if op.x then return ("%s = %s + %s"):format(op.q1[1], op.q, op.x) end
  local lines = {}
  for l, name in ipairs(op.q1) do
    local sum = {}
    for k, w in ipairs(op.weights[l]) do if w[1] ~= 0 then sum[#sum + 1] = { c = w[1], k = w[2], x = op.V[k] } end end
    lines[l] = ("%s = %s%s"):format(name, op.q, #sum > 0 and " + " .. terms(sum) or "")
  end
  return table.concat(lines, ";  ")
end
function say.apply(op) return ("%s = %s %s"):format(op.y, operator(op.A), op.x) end
function say.solve(op) return ("%s = %s^-1 %s"):format(list(op.y), operator(op.A), list(op.x)) end
function say.operator(op)
  local function weight(w, matrix)
    if type(w[1]) == "table" then return matrix end
    local _, text = factor(w[1], w[2])
    return text
  end
  if op.wv[1] == 0 and op.wq[1] == 0 then return ("%s = M(%s)"):format(op.A, op.c) end
  return ("%s = M + %s C + %s K at %s with %s%s"):format(op.A, weight(op.wv, "h A x"), weight(op.wq, "h^2 Abar x"), op.c,
    list { op.v, op.a, op.r }, op.symmetric and ", symmetric parts" or op.on and ", rows of " .. op.on .. " held" or "")
end
function say.spread(op) return ("%s = G^T %s at %s, rows of %s"):format(op.f, op.r, op.c, op.on) end
say["set"] = function(op) return ("%s = { %s }"):format(op.S, predicate(op.where)) end
function say.direction(op)
  if op.from then return ("%s = -%s_T/(mu %s_N) on %s"):format(op.s, op.from, op.from, op.on) end
  return ("%s = %s_T/|%s_T| where %s slides%s"):format(op.s, op.U, op.U, op.where or "it",
    op.frozen and ("; %s on %s"):format(op.where, op.frozen)
      .. (op.turns and (", joined by what still turns from iteration %d on"):format(op.turns) or "") or "")
    .. (op.forward and ", and where it points back" or "")
end
function say.contact(op)
  local u = ("G %s + %s"):format(op.x, op.b)
  local law = op.laws == "equal" and u .. " = 0" or ("law(%s, %s)"):format(u, op.r)
  local force = op.carried and ("G^T (%s - %s)"):format(op.r, op.carried) or "G^T " .. op.r
  local notes = {}
  if op.along then
    notes[#notes + 1] = ("forces%s along G(%s)%s"):format(op.along_on and " of " .. op.along_on or "", op.along,
      op.mean and ", weight 1-" .. op.mean[1] .. ", and here" or "")
  end
  if op.grip then notes[#notes + 1] = "tangents of " .. op.grip end
  if op.borne then notes[#notes + 1] = "as contacts can bear it" end
  if op.rows == "normal" then notes[#notes + 1] = "normals only" end
  if op.slide then notes[#notes + 1] = "sliding along " .. op.slide end
  if op.fallback then notes[#notes + 1] = "or the whole law" end
  if op.drop then notes[#notes + 1] = "without a finite force it leaves " .. op.drop end
  if op.guess then notes[#notes + 1] = "first guess " .. op.guess end
  if op.felt then notes[#notes + 1] = "coefficients at " .. op.felt end
  return ("%s, %s: %s %s = %s%s, %s on %s at %s%s"):format(op.x, op.r, operator(op.A), op.x, op.rhs and op.rhs .. " + " or "", force, law,
    op.set, op.at, #notes > 0 and "; " .. table.concat(notes, ", ") or "")
end
say["repeat"] = function(op)
  local stop = op.small and ("until %s is small beside %s%s"):format(list(op.small), list(op.of), op.defect
      and (" (and %s not large)"):format(list(op.defect)) or "")
    or op.same and ("until %s = %s, else %s becomes it"):format(op.same[1], op.same[2], op.same[2])
    or op.holds and "while " .. predicate(op.holds) .. (op.falls and " and " .. op.falls .. " is halved" or "") or ""
  local rounds = ""
  if op.rounds then
    rounds = ("; if %s presses and alternates again from %s with half the steps"):format(op.rounds.press, op.rounds.from)
      .. (op.rounds.freeze and ", then with " .. op.rounds.freeze .. " frozen" or "")
  end
  return ("repeat at most %d times, %s%s"):format(op.max, stop, rounds)
end
function say.when(op) return "when " .. op.any end
function say.accept(op)
  local keep = {}
  for i, pair in ipairs(op.keep) do keep[i] = pair[1] == pair[2] and pair[1] or pair[1] .. " = " .. pair[2] end
  if op.halt then return "halt, the step is not made; hand out " .. list(keep) end
  return ("accept %s, %s at %s; impulse %s%s%s"):format(op.q, op.v, op.at, table.concat(op.impulse, " + "),
    #op.events > 0 and "; events " .. list(op.events) or "", #keep > 0 and "; keep " .. list(keep) or "")
end

local WIDTH = 72

--- The whole plan.
local function whole(p)
  local lines, number = { (p.gives and "part " or "") .. p.title .. (p.order and ", order " .. p.order or "")
    .. (p.text and ": " .. p.text or "") }, 0
  local function put(text) lines[#lines + 1] = text end
  local function names(items, what)
    local t = {}
    for i, item in ipairs(items) do t[i] = item.name .. " (" .. item.kind .. (item.full and ", all when fresh" or "") .. ")" end
    if #t > 0 then put(what .. " " .. list(t)) end
  end
  names(p.memory, "memory:")
  names(p.inputs, "handed in:")
  local function go(ops, depth)
    for _, op in ipairs(ops) do
      number = number + 1
      local text = ("%3d %s%s"):format(number, ("  "):rep(depth), (say[op.op] or error("no text for " .. op.op))(op))
      if op.text and #text + 2 > WIDTH then put("    " .. ("  "):rep(depth) .. "-- " .. op.text) end
      put(op.text and #text + 2 <= WIDTH and text .. (" "):rep(WIDTH - #text) .. "-- " .. op.text or text)
      if op.body then go(op.body, depth + 1) end
      if op.other then
        put("    " .. ("  "):rep(depth) .. "else")
        go(op.other, depth + 1)
      end
    end
  end
  go(p.ops, 0)
  if p.gives then put("gives: " .. list(p.gives)) end
  if #p.constants > 0 then put "constants" end
  for _, c in ipairs(p.constants) do
    put(("    %s = %.17g%s"):format(c.name, c.value, c.text ~= "" and "  -- " .. c.text or ""))
  end
  local said = table.concat(lines, "\n") .. "\n"
  for _, part in ipairs(p.parts or {}) do said = said .. "\n" .. whole(part) end
  return p.otherwise and said .. "\nif its equations are not solved: " .. whole(p.otherwise) or said
end

--- Of several degrees: one after another.
return function(p)
  local said = {}
  for i, one in ipairs(p.degrees or { p }) do said[i] = whole(one) end
  return table.concat(said, "\n")
end
