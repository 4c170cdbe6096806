-- What every mistake in a model says. Each mistake is a small model text; the expected answer is the whole printed
-- line, file and line number included.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local load = require("gen.lang.core.load").load
local fail = require "gen.lang.core.fail"

local HEAD = 'local carom = require "carom"\nlocal m = carom.model "test"\n'
local BALL = HEAD .. 'local q = m:coordinate("q", { unit = "m", initial = 1 })\nm:kinetic_energy(q.dot^2 / 2 * '
  .. 'm:constant("one", 1, "kg"))\n'

local function read(text, options)
  options = options or {}
  options.text = text
  return load("test.lua", options)
end

-- the body of a model after HEAD (lines 1, 2) must be refused with exactly this line
local function refused(name, body, expected, head)
  T.test(name, function()
    local good, e = pcall(read, (head or HEAD) .. body)
    T.ok(not good, "the model was accepted")
    T.ok(fail.is(e), "not a located error: " .. tostring(e))
    T.eq(tostring(e), expected)
    T.eq(e.carom, true)
  end)
end

-- after BALL (lines 1 to 4)
local function ball(name, body, expected) refused(name, body, expected, BALL) end

ball("exact: unknown name", 'm:exact(function(t) return { p = t } end)\nreturn m',
  "test.lua:5: error: exact gives 'p'; did you mean 'q'?")
ball("exact: expression", 'm:exact(function(t) return { q = q } end)\nreturn m',
  "test.lua:5: error: exact gives an expression for 'q' at t = 0; give a number (parameters come as the second "
    .. "argument)")
ball("exact: nothing", 'm:exact(function(t) end)\nreturn m',
  'test.lua:5: error: exact must give a table; write return { q = ..., ["q.dot"] = ... }')

ball("a mesh whose mass is no number, where one of its nodes is used", [[
local block = m:mesh("block", { cells = { 2, 2 }, size = { 1e308, 1e308 }, cell = "quad4" })
m:elastic(block, { E = 5e6, nu = 0.3, rho = 1000 })
local corner = m:node(block, { 0, 0 })
m:spring("rope", { between = { corner, { 0, 3 } }, stiffness = 1, rest = 1.5 })
return m]], "test.lua:7: error: the mass of a node is not a number that can be computed with; check the size and the density of its mesh")

-- words and options
ball("unknown option", 'm:contact("c", { gap = q,\n  restitutoin = 0.5 })\nreturn m',
  "test.lua:5: error: contact 'c' has no option 'restitutoin'; did you mean 'restitution'?")
local options = {}
for i, o in ipairs(require("gen.lang.words").contact.options) do options[i] = o.name end
ball("unknown option, none near", 'm:contact("c", { gap = q, colour = 1 })',
  "test.lua:5: error: contact 'c' has no option 'colour'; it has: " .. table.concat(options, ", "))
ball("missing gap", 'm:contact("c", { restitution = 0.5 })',
  "test.lua:5: error: gap of contact 'c' is missing (or nil: a misspelt name?); write gap = ...")
ball("contact without options", 'm:contact("c")',
  "test.lua:5: error: gap of contact 'c' is missing (or nil: a misspelt name?); write gap = ...")
ball("option without a name", 'm:contact("c", { q })',
  "test.lua:5: error: contact 'c' has a value without a name; write m:contact(name, { gap = ..., restitution = ..., "
    .. "friction = ..., slide = ... })")
ball("options that are no table", 'm:contact("c", q)',
  "test.lua:5: error: the options of contact 'c' must be a table, not an expression; write m:contact(name, { gap = "
    .. "..., restitution = ..., friction = ..., slide = ... })")
ball("unknown word", "m:kinetik_energy(q.dot)",
  "test.lua:5: error: there is no word 'kinetik_energy'; did you mean 'kinetic_energy'?")
ball("a dot for a colon", "m.kinetic_energy(q.dot)",
  "test.lua:5: error: kinetic_energy is written with a colon; write m:kinetic_energy(...)")
ball("misspelt field", "m:kinetic_energy(q.dott^2)",
  "test.lua:5: error: an expression has no field 'dott'; did you mean '.dot' (its time derivative)?")
ball("misspelt name", "m:kinetic_energy(qq^2)",
  "test.lua:5: error: the name 'qq' is not known here; declare it with local first, or check the spelling")
ball("nil expression", "local t = {}\nm:kinetic_energy(t.x)",
  "test.lua:6: error: kinetic_energy lacks its T (or it is nil: a misspelt name?); write m:kinetic_energy(T)")
ball("arithmetic on nil", "local t = {}\nm:kinetic_energy(t.x * 2)",
  "test.lua:6: error: attempt to perform arithmetic on a nil value (field 'x'); check the spelling")
ball("arithmetic of an expression and nil", "local t = {}\nm:kinetic_energy(q * t.x)",
  "test.lua:6: error: the operand must be a number or an expression, not nil (a misspelt name?); check the spelling "
    .. "of its names")
ball("text as expression", 'm:kinetic_energy("q")',
  "test.lua:5: error: the T of kinetic_energy must be a number or an expression, not a string; check the spelling of "
    .. "its names")
ball("comparison of expressions", "if q < 1 then end",
  "test.lua:5: error: expressions cannot be compared with < > <= >=; write carom.select(carom.lt(a, b), x, y)")
ball("a condition in arithmetic", "local c = carom.lt(q, 1) + 1",
  "test.lua:5: error: the operand is a condition; use it as the first argument of carom.select")
ball("select without condition", "local c = carom.select(q, 1, 2)",
  "test.lua:5: error: the first argument of select must be a condition, not an expression; write carom.lt(a, b), le, "
    .. "gt or ge")
ball("division by zero", "local c = q / 0", "test.lua:5: error: division by zero in an expression")
ball("acceleration", "local c = q.dot.dot",
  "test.lua:5: error: 'q.dot' has no .dot: accelerations are unknowns; write equations with coordinates and velocities")
ball("setting a field", "q.dot = 3", "test.lua:5: error: an expression has no fields to set; keep the value in a local")
ball("force on no coordinate", "m:force(q * 2, 1)",
  "test.lua:5: error: the coordinate of force must be a coordinate, not an expression; give what m:coordinate returned")
ball("half a point force", "m:force { at = { q, q } }",
  "test.lua:5: error: a force on a point needs both at and value; write at = { x, y }, value = { fx, fy }")
ball("not a point", 'm:body("b", { mass = 1, at = q })',
  "test.lua:5: error: at of body 'b' must be a point, not an expression; write { x, y }")
ball("inertia without angle", 'm:body("b", { mass = 1, inertia = 1, at = { q, 0 } })',
  "test.lua:5: error: body 'b' has inertia but no angle; write angle = ...")
ball("too many arguments", 'm:parameter("a", 1, "kg", 4)',
  "test.lua:5: error: parameter takes at most 3 arguments but got 4; write m:parameter(name, value, unit)")
ball("carom member", "local c = carom.sine(q)", "test.lua:5: error: carom has no 'sine'; did you mean 'sin'?")

-- names
ball("name twice", 'm:parameter("q", 1)', "test.lua:5: error: the name 'q' is already used for the coordinate in "
  .. "line 3; choose another")
ball("contact twice", 'm:contact("c", { gap = q })\nm:contact("c", { gap = q })',
  "test.lua:6: error: the name 'c' is already used for the contact in line 5; choose another")
ball("body twice", 'm:body("c", { mass = 1, at = { q, 0 } })\nm:body("c", { mass = 1, at = { q, 0 } })',
  "test.lua:6: error: the name 'c' is already used for the body in line 5; choose another")
ball("not an identifier", 'm:parameter("spring rate", 1)',
  "test.lua:5: error: the name of parameter 'spring rate' is not an identifier; use letters, digits and _, starting "
    .. "with a letter")
ball("C keyword", 'm:parameter("double", 1)',
  "test.lua:5: error: the name of parameter 'double' is a C keyword; choose another name, such as double_1")
ball("C++ keyword", 'm:coordinate("class")',
  "test.lua:5: error: the name of coordinate 'class' is a C++ keyword; choose another name, such as class_1")
ball("macro", 'm:parameter("NAN", 1)',
  "test.lua:5: error: the name of parameter 'NAN' is a macro of the C library; choose another name, such as NAN_1")
ball("reserved", 'm:parameter("__a", 1)', "test.lua:5: error: the name of parameter '__a' is reserved in C; use no "
  .. "leading _ and no __")
ball("the name t", 'm:coordinate("t")', "test.lua:5: error: the name 't' is already used for the time in result "
  .. "files; choose another")
ball("no name", "m:parameter(5, 1)",
  'test.lua:5: error: the name of parameter must be a name in quotes, not a number; write it as "name"')
T.test("model name must be an identifier", function()
  T.eq(tostring(T.fails(function() read 'local m = require("carom").model "a-b"' end, "identifier")),
    "test.lua:1: error: the name of model 'a-b' is not an identifier; use letters, digits and _, starting with a "
      .. "letter")
end)

-- numbers
ball("NaN parameter", 'm:parameter("a", 0/0)', "test.lua:5: error: the value of parameter 'a' is not a number (NaN); "
  .. "write a finite number")
ball("infinite parameter", 'm:parameter("a", 1/0)', "test.lua:5: error: the value of parameter 'a' is infinite; write a "
  .. "finite number")
ball("parameter that is no number", 'm:parameter("a", "1")',
  "test.lua:5: error: the value of parameter 'a' must be a number, not a string; write the number itself")
ball("NaN initial value", 'm:coordinate("a", { initial = 0/0 })',
  "test.lua:5: error: initial of coordinate 'a' is not a number (NaN); write a finite number")
ball("infinite initial velocity", 'm:coordinate("a", { velocity = math.huge })',
  "test.lua:5: error: velocity of coordinate 'a' is infinite; write a finite number")
ball("NaN initial value from a parameter",
  'local p = m:parameter("p", -1)\nlocal a = m:coordinate("a", { initial = carom.sqrt(p) '
    .. '})\nm:kinetic_energy(a.dot^2)\nreturn m',
  "test.lua:6: error: initial of coordinate 'a' is not a number (NaN); write a finite number")
ball("initial value from a coordinate", 'local a = m:coordinate("a", { initial = q '
  .. '})\nm:kinetic_energy(a.dot^2)\nreturn m',
  "test.lua:5: error: initial of coordinate 'a' depends on a coordinate ('q'); write a number or an expression of "
    .. "parameters")
ball("restitution above 1", 'm:contact("c", { gap = q, restitution = 1.5 })\nreturn m',
  "test.lua:5: error: restitution of contact 'c' is 1.5; write a number from 0 to 1")
ball("restitution below 0", 'm:contact("c", { gap = q, restitution = m:parameter("e", -0.1) })\nreturn m',
  "test.lua:5: error: restitution of contact 'c' is -0.1; write a number from 0 to 1")
ball("step and time", "m:run { step = -1 }", "test.lua:5: error: step of run is -1; write a positive number")
ball("step longer than the run", "m:run { step = 2, until_time = 1 }",
  "test.lua:5: error: the step 2 is longer than the run until 1; write a smaller step")
ball("scheme with odd characters", 'm:run { scheme = "D-*/" }',
  "test.lua:5: error: scheme of run contains a character other than letters, digits and : = , . + - _; leave it out")

refused("friction is no word", 'm:friction(1)\nreturn m', "test.lua:3: error: there is no word 'friction'; it belongs to a contact; "
  .. "write m:contact(name, { gap = ..., friction = ..., slide = ... }), and for a force in a joint m:force or m:dissipation")
refused("math has no tanh", 'local x = math.tanh(1)\nreturn m',
  "test.lua:3: error: math.tanh is not available in a model: write carom.tanh")
refused("three components of a planar body", 'local x = m:coordinate "x"\nm:body("b", { mass = 1, at = { x, 0, 0 } })\nreturn m',
  "test.lua:4: error: at of body 'b' must be a point, not a table; write { x, y }; a body in space is m:free_body or m:link")

-- mechanics
local OR = ", or let them be projected: --assemble, or m:run { assemble = true }"
ball("initial penetration", 'm:contact("floor", { gap = q - 2 * m:constant("l", 1, "m") })\nreturn m',
  "test.lua:5: error: contact 'floor' is penetrated at the start: its gap is -1; change the initial values so that "
    .. "it is at least 0" .. OR)
ball("gap without coordinate", 'm:contact("floor", { gap = m:parameter("l", 1) })\nreturn m',
  "test.lua:5: error: gap of contact 'floor' does not depend on any coordinate; write a distance that changes with "
    .. "the motion")
ball("gap of a velocity", 'm:contact("floor", { gap = q.dot })\nreturn m',
  "test.lua:5: error: gap of contact 'floor' depends on a velocity ('q.dot'); write it with coordinates, time and "
    .. "parameters")
ball("gap not finite", 'm:contact("floor", { gap = 1 / (q - m:constant("l", 1, "m")) })\nreturn m',
  "test.lua:5: error: gap of contact 'floor' is infinite at the start; change the initial values or the expression")
ball("constraint violated", 'm:constraint("pin", q)\nreturn m',
  "test.lua:5: error: constraint 'pin' is violated at the start: its expression is 1, not 0; change the initial values" .. OR)
ball("constraint violated by velocities", 'm:constraint("drive", q - (1 + 2 * m:time()) * m:constant("l", 1, '
  .. '"m"))\nreturn m',
  "test.lua:5: error: constraint 'drive' is violated by the initial velocities: its rate is -2, not 0; change the "
    .. "velocity options" .. OR)
ball("constraint without coordinate", 'm:constraint("pin", m:time() * 0.5)\nreturn m',
  "test.lua:5: error: constraint 'pin' does not depend on any coordinate; write an expression that the motion keeps "
    .. "at zero")
ball("coordinate without inertia", 'm:coordinate("p")\nreturn m',
  "test.lua:5: error: coordinate 'p' has no inertia; add a body that moves with it or m:kinetic_energy with p.dot")
refused("singular mass matrix", 'local a = m:coordinate("a")\nlocal b = m:coordinate("b")\nm:kinetic_energy((a.dot + '
  .. 'b.dot)^2 / 2)\nreturn m',
  "test.lua:4: error: the mass matrix is singular at the start (coordinates a, b); give each of them inertia of its "
    .. "own or remove one")
refused("negative mass", 'local a = m:coordinate("a")\nm:kinetic_energy(-a.dot^2)\nreturn m',
  "test.lua:3: error: the mass of coordinate 'a' is negative (-2); check the sign of the kinetic energy")
refused("negative body mass", 'local a = m:coordinate("a")\nm:body("b", { mass = -1, at = { a, 0 } })\nreturn m',
  "test.lua:4: error: mass of body 'b' is -1; write a positive number")
refused("kinetic energy not quadratic", 'local a = m:coordinate("a")\nm:kinetic_energy(a.dot^4)\nreturn m',
  "test.lua:4: error: the kinetic energy is not quadratic in the velocities; write terms like mass*q.dot^2/2")
ball("potential of a velocity", 'm:potential_energy(q.dot * m:constant("p", 1, "kg m/s"))\nreturn m',
  "test.lua:5: error: the potential energy depends on a velocity ('q.dot'); write velocity-dependent forces with "
    .. "dissipation or force")
refused("no coordinate", "return m", 'test.lua:2: error: the model \'test\' has no coordinate; write '
  .. 'm:coordinate("q", { initial = ... })')
T.test("terms linear in the velocities are allowed", function()
  read(HEAD .. 'local a = m:coordinate("a")\nlocal w = m:time()\nm:kinetic_energy((a.dot + w)^2 / 2 + 3 * '
    .. 'a.dot)\nreturn m')
end)
T.test("a long sum of energies is checked fast", function()
  local t0 = os.clock()
  read(HEAD .. 'local T = 0\nfor i = 1, 1000 do\n  local q = m:coordinate("q" .. i)\n  T = T + q.dot^2 / '
    .. '2\nend\nm:kinetic_energy(T)\nreturn m')
  T.ok(os.clock() - t0 < 1, "took " .. os.clock() - t0)
end)

-- words of other programs: what is to be written instead exists
ball("a function by another name", "local x = carom.ln(q)", "test.lua:5: error: carom has no 'ln'; write carom.log, the natural logarithm")
ball("a word of another program", "m:torque(q)",
  "test.lua:5: error: there is no word 'torque'; write m:force(angle, value): a force on an angle is a torque")
T.test("what is said to be meant exists, and what it stands for does not", function()
  local meant, words = require "gen.lang.core.meant", require "gen.lang.words"
  local library = require("gen.lang.core.carom").library { set = {} }
  for list, is in next, { [meant.func] = function(name) return pcall(function() return library[name] end) end,
    [meant.word] = function(name) return words[name] ~= nil end } do
    for name, text in next, list do
      T.ok(not is(name), name .. " exists")
      for word in text:gmatch("m:([%w_]+)") do T.ok(words[word], text) end
      for word in text:gmatch("carom%.([%w_]+)") do T.ok(library[word], text) end
    end
  end
end)

-- sizes of shapes
refused("a negative radius", 'm:sphere("s", { radius = -1 })',
  "test.lua:3: error: radius of sphere 's' is -1; write a number that is 0 or more")
refused("a negative radius of parameters", 'local r = m:parameter("r", 1)\nlocal s = m:disk("s", { radius = r - 2, at = { 0, 0 } })\n'
  .. 'local q = m:coordinate("q")\nm:kinetic_energy(q.dot^2)\nreturn m',
  "test.lua:4: error: radius of disk 's' is -1 at the start; write a number that is 0 or more")
refused("a negative size", 'm:box("b", { size = { 1, -2, 1 } })',
  "test.lua:3: error: y of size of box 'b' is -2; write a number that is 0 or more")
T.test("a shape may be a point", function()
  read(HEAD .. 'local q = m:coordinate("q", { initial = 1 })\nm:kinetic_energy(q.dot^2)\n'
    .. 'm:contact_between(m:disk("d", { radius = 0, at = { 0, q } }), m:plane("p"))\nreturn m')
end)

-- files
ball("model not returned", "\n\n", "test.lua:6: error: the model is not returned; end the file with: return m")
T.test("no model in the file", function()
  T.eq(tostring(T.fails(function() read "return 5\n" end, "declares no model")),
    'test.lua:1: error: the file declares no model; begin with: local m = require("carom").model "name"')
end)
ball("two models", 'carom.model "other"', "test.lua:5: error: a file declares one model; 'test' is already there")
ball("syntax error", "local a = = 3", "test.lua:5: error: unexpected symbol near '='; correct the Lua syntax here or "
  .. "just above")
ball("an error of the model's own", 'error("N must be even")', "test.lua:5: error: N must be even")
ball("an assertion", 'assert(false, "N must be even")', "test.lua:5: error: N must be even")
T.test("missing file names the nearest", function()
  local why = T.fails(function() load("zeno_bal", { root = "." }) end, "did you mean zeno_ball%?")
  T.eq(tostring(why), "zeno_bal: error: there is no such model; did you mean zeno_ball?")
  T.fails(function() load("models/zeno_bal.lua", { root = "." }) end, "did you mean models/zeno_ball.lua%?")
  T.fails(function() load("quaternion", { root = "." }) end, "give a file or one of: arm7, bead_column, belt")
  T.fails(function() load("models", { root = "." }) end, "cannot be read: it is not a file; give a model file")
end)
T.test("a model from standard input is called -", function()
  T.eq(tostring(T.fails(function() load("-", { text = "x()" }) end, "x")):sub(1, 11), "-:1: error:")
end)

T.finish()
