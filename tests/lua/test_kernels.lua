-- Kernels: alike terms and rows, found and rolled, with coordinates and with rotations of free bodies.
package.path = "./?.lua;" .. package.path
local T = require "tests.lua.harness"
local E = require "gen.expr.node"
local blocks = require "gen.system.blocks"
local equations = require "gen.mech.equations"
local eval = require("gen.expr.eval").eval
local kernels = require "gen.mech.kernels"
local load = require("gen.lang.core.load").load
local pieces = require "gen.mech.pieces"

-- a generator of our own: the same numbers with every Lua
local seed = 20240607
local function random() -- in [0, 1)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return (seed // 64) / 33554432
end

local function find(body, set)
  local text = 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. body .. "\nreturn m\n"
  local model = load("test.lua", { text = text, set = set })
  return kernels.find(model, equations.symbols(model))
end

-- Gives the local symbols of a kernel what they are for one instance, whose own symbols have values in env already.
local function instantiate(kernel, instance, env)
  local shape = instance.shape
  for i, block in ipairs(shape.blocks) do
    for _, part in ipairs { "q", "v" } do
      for k, symbol in ipairs(block[part]) do env[kernel.blocks[i][part][k]] = env[symbol] end
    end
  end
  for _, p in ipairs(kernel.parameters) do env[p.symbol] = env[shape.parameters[p.slot]] end
  for _, c in ipairs(kernel.data) do env[c.symbol] = shape.numbers[c.slot].value end
end

local function counts(list)
  local t = {}
  for i, k in ipairs(list) do t[i] = ("%s %d"):format(k.kind, #k.instances) end
  return table.concat(t, ", ")
end

T.test("alike terms are rolled into one kernel, whatever their number", function()
  for _, N in ipairs { 3, 50 } do
    local model = load("bead_column", { set = { N = N }, root = "." })
    T.eq(counts(kernels.find(model, equations.symbols(model))), ("kinetic %d, potential %d, row 1, row %d"):format(N, N, N - 1))
  end
end)

local springs = [[
local k1, k2 = m:parameter("k1", 3), m:parameter("k2", 5)
local q = {}
for i = 1, 4 do
  q[i] = m:coordinate("q" .. i, { initial = i })
  m:kinetic_energy(i * q[i].dot^2 / 2)
end
]]

T.test("numbers, parameters and coordinates may differ within a kernel, shapes may not", function()
  local list = find(springs .. [[
m:potential_energy(k1 * (q[2] - q[1] - 0.25)^2 / 2)
m:potential_energy(k2 * (q[3] - q[2] - 0.75)^2 / 2)
m:potential_energy(k1 * (q[4] - q[3] - 0.25)^4 / 2)
m:potential_energy(k1 * carom.cos(q[4]))]])
  local text = counts(list)
  T.ok(text:find("potential 2, potential 1, potential 1", 1, true), text)
  for _, kernel in ipairs(list) do
    if kernel.kind == "potential" and #kernel.instances == 2 then
      T.eq(#kernel.blocks, 2)
      T.eq(#kernel.parameters, 1) -- k1 or k2
      T.eq(#kernel.data, 1)       -- 0.25 or 0.75; the factor 1/2 is the same in both and stays burnt in
    end
  end
end)

T.test("a kernel with the coordinates, parameters and numbers of an instance is the term of that instance", function()
  local model = load("test.lua", { text = 'local carom = require "carom"\nlocal m = carom.model "test"\n' .. springs .. [[
for i = 1, 3 do
  local k, a, b = i == 2 and k2 or k1, 0.3 * i, 3.1 - 0.7 * i
  m:potential_energy(k * (q[i + 1] - q[i] - a)^2 / b)
  m:potential_energy(carom.cos(b * q[i]) * (a + q[i + 1] / b)^3)
  m:dissipation(b * (q[i].dot - q[i + 1].dot / b)^2 * (q[i] + a)^2)
  m:contact("c" .. i, { gap = q[i + 1] - q[i] / b - a, restitution = a })
end
return m
]] })
  local symbols = equations.symbols(model)
  local rolled = 0
  for _, kernel in ipairs(kernels.find(model, symbols)) do
    for _, instance in ipairs(kernel.instances) do
      local env = {}
      for _, symbol in ipairs(symbols.q) do env[symbol] = random() end
      for _, symbol in ipairs(symbols.v) do env[symbol] = random() end
      for _, p in ipairs(model.parameters) do env[p.sym] = random() end
      instantiate(kernel, instance, env)
      for i, arg in ipairs(instance.args) do T.near(eval(kernel.args[i], env), eval(arg, env), 1e-14, kernel.kind) end
    end
    rolled = rolled + (#kernel.instances >= 3 and 1 or 0)
  end
  T.ok(rolled >= 4, "only " .. rolled .. " kernels of three instances")
end)

T.test("a parameter used twice is not the same shape as two parameters", function()
  local list = find(springs .. "m:potential_energy(k1 * (q[1] - k1)^2)\nm:potential_energy(k1 * (q[2] - k2)^2)")
  local text = counts(list)
  T.ok(text:find("potential 1, potential 1", 1, true), text)
end)

T.test("the slope of a kernel holds what a mass that depends on q does to the acceleration", function()
  local q, v = E.sym("slope_q", "q"), E.sym("slope_v", "v")
  local ctx = pieces.along { { v = v, block = { q = { q }, rate = { v } }, index = 1 } }
  local kernel = { kind = "energy", v = { v }, ctx = ctx, M = { { i = 1, j = 1, expr = 1 + q ^ 2 } },
    h = { { i = 1, expr = -3 * q - 2 * v } } }
  local entry = kernels.jacobian(kernel)[1]
  local env = { [q] = 0.5, [v] = 0.0, [E.sym("a0", "a")] = 2.0 } -- d((1 + q^2) a + 3 q + 2 v)
  T.near(eval(entry.K, env), 5.0, 1e-15)
  T.near(eval(entry.C, env), 2.0, 1e-15)
end)

-- ---- free bodies -------------------------------------------------------------------------------------------------------------------
-- every joint, limits and motors, forces and torques on bodies, a spring, shapes with and without friction, a coordinate beside them
local bodies = [[
local carom = require "carom"
local m = carom.model "bodies"
local mu, t = m:parameter("mu", 0.3), m:time()
m:gravity(0.1, 0, -9.81)
local before
for i, kind in ipairs { "spherical", "universal", "revolute", "cylindrical", "prismatic", "planar", "fixed", "spherical" } do
  local b = m:free_body("b" .. i, { mass = 1 + 0.1 * i, inertia = { { 0.2, 0.01, 0 }, { 0.01, 0.3 + 0.01 * i, 0.02 }, { 0, 0.02, 0.4 } },
    at = { 0.4 * i, 0.1 * i, 2 } })
  local o = { type = kind, body = b, on = before, at = { -0.2, 0.05 * i, 0 }, to = not before and { 0.2, 0.15, 2 } or nil }
  if kind ~= "spherical" and kind ~= "fixed" then o.axis = { 0, 1, 0.5 } end
  if kind == "universal" then o.axis, o.to_axis = { 1, 0, 0 }, { 0, 1, 0 } end
  if kind == "revolute" then o.motor, o.limits, o.restitution = 0.5 * carom.sin(3 * t), { -0.3, 0.3 }, 0.4 end
  if kind == "prismatic" then o.motor, o.limits = 1 - 2 * t, { -0.1, 0.15 } end
  if i > 1 then m:joint("j" .. i, o) end
  m:force { body = b, torque = { 0.1, 0.2 * i, 0 } }
  m:force { at = b:point(0.1, 0, 0.1), value = { 0.3, 0, 0.2 * carom.cos(t) } }
  if i % 4 == 1 then m:contact_between(m:sphere("ball" .. i, { radius = 0.1, body = b, at = { 0.05, 0, 0 } }),
    m:surface("hill" .. i, { height = function(x, y) return 0.1 * carom.sin(x) * y end }),
    { friction = mu, restitution = 0.1 * i }) end
  if i == 2 then m:contact_between(m:box("box", { size = { 0.1, 0.2, 0.3 }, body = b }), m:plane("floor", { normal = { 0, 0.1, 1 } }),
    { friction = 0.2 }) end
  before = b
end
local x = m:coordinate("x", { initial = 1 })
m:kinetic_energy(x.dot^2 / 2)
local p = before:point(0, 0.1, 0)
m:spring { length = carom.sqrt((p[1] - x)^2 + p[2]^2 + p[3]^2), stiffness = 40, rest = 1 }
m:damper { length = carom.sqrt((p[1] - x)^2 + p[2]^2 + p[3]^2), damping = 0.3 }
return m
]]

-- a state off everything special: random, quaternions of length 1
local function state_of(model, symbols)
  local env = { [model.time] = 0.3 }
  for _, p in ipairs(model.parameters) do env[p.sym] = p.value end
  for _, block in ipairs(symbols.blocks) do
    local size = 0
    for _, q in ipairs(block.q) do
      env[q] = 0.2 + random()
      size = size + env[q] ^ 2
    end
    for _, q in ipairs(#block.q == 4 and block.q or {}) do env[q] = env[q] / math.sqrt(size) end
    for _, v in ipairs(block.v) do env[v] = random() - 0.5 end
  end
  return env
end

-- all entries that kernels add at a state: M and h summed up, rows with their G, g, g_t, bias
local function summed(symbols, list, env)
  local sum = { M = {}, h = {}, rows = {} }
  for i = 1, #symbols.v do sum.M[i], sum.h[i] = {}, 0 end
  for _, kernel in ipairs(list) do
    for _, instance in ipairs(kernel.instances) do
      instantiate(kernel, instance, env)
      local at = {}
      for _, block in ipairs(instance.shape.blocks) do
        for k = 1, #block.v do at[#at + 1] = block.v_first + k end
      end
      if kernels.is_row(kernel) then
        local row = { g = eval(kernel.gap, env), gt = eval(kernel.gt, env), bias = eval(kernel.bias, env), G = {} }
        for k, x in ipairs(kernel.G) do row.G[at[k]] = eval(x, env) end
        sum.rows[instance.row + 1] = row
      else
        for _, m in ipairs(kernel.M) do
          local i, j = math.max(at[m.i], at[m.j]), math.min(at[m.i], at[m.j])
          sum.M[i][j] = (sum.M[i][j] or 0) + eval(m.expr, env)
        end
        for _, h in ipairs(kernel.h) do sum.h[at[h.i]] = sum.h[at[h.i]] + eval(h.expr, env) end
      end
    end
  end
  return sum
end

T.test("kernels of free bodies add up to the equations of the whole: M, h, g, G, g_t, bias", function()
  local model = load("bodies.lua", { text = bodies })
  for _, c in ipairs(model.contacts) do c.frictional = c.friction ~= nil end
  local eq = equations.derive(model)
  local list = kernels.find(model, eq.symbols)
  local env = state_of(model, eq.symbols)
  local sum = summed(eq.symbols, list, env)
  local function near(x, node, what) local y = eval(node or E.zero, env) T.near(x or 0, y, 1e-12 * math.max(1, math.abs(y)), what) end
  for i = 1, eq.n do
    near(sum.h[i], eq.h[i], "h of " .. eq.names[i])
    for j = 1, i do near(sum.M[i][j], eq.M[i][j], "M of " .. eq.names[i] .. " and " .. eq.names[j]) end
  end
  T.eq(#sum.rows, #eq.rows)
  for k, row in ipairs(eq.rows) do
    local mine, name = sum.rows[k], row.item.name
    if row.kind ~= "tangent" then near(mine.g, row.g, "gap " .. name) end
    near(mine.gt, row.gt, "g_t of " .. name)
    near(mine.bias, row.bias, "bias of " .. name)
    for i = 1, eq.n do near(mine.G[i], row.G[i], "G of " .. name) end
  end
end)

T.test("slopes of kernels along rotations: K and C are the symmetric parts of differences along the motion", function()
  local model = load("bodies.lua", { text = bodies })
  local symbols = equations.symbols(model)
  local env, tried = state_of(model, symbols), 0
  for _, kernel in ipairs(kernels.find(model, symbols)) do
    local entries = not kernels.is_row(kernel) and kernels.jacobian(kernel) or {}
    if #entries > 0 and #kernel.blocks > 1 then
      local instance = kernel.instances[#kernel.instances]
      for i = 1, #kernel.v do env[E.sym("a" .. i - 1, "a")] = random() end
      -- rho = M a - h where the motion along direction j (of positions, of velocities) has led after the time s
      local function rho(part, j, s)
        instantiate(kernel, instance, env)
        if part == "q" then -- q + s H e_j, of the order s^2 from the sphere of unit quaternions
          for q, slope in pairs(kernel.ctx.seed[j]) do env[q] = env[q] + s * eval(slope, env) end
        else
          env[kernel.v[j]] = env[kernel.v[j]] + s
        end
        local r = {}
        for i = 1, #kernel.v do r[i] = 0 end
        for _, m in ipairs(kernel.M) do
          local x = eval(m.expr, env)
          r[m.i] = r[m.i] + x * env[E.sym("a" .. m.j - 1, "a")]
          if m.i ~= m.j then r[m.j] = r[m.j] + x * env[E.sym("a" .. m.i - 1, "a")] end
        end
        for _, h in ipairs(kernel.h) do r[h.i] = r[h.i] - eval(h.expr, env) end
        return r
      end
      local d, difference = 1e-5, { q = {}, v = {} }
      for _, part in ipairs { "q", "v" } do
        for j = 1, #kernel.v do
          local up, down = rho(part, j, d), rho(part, j, -d)
          difference[part][j] = {}
          for i = 1, #kernel.v do difference[part][j][i] = (up[i] - down[i]) / (2 * d) end
        end
      end
      instantiate(kernel, instance, env)
      for _, entry in ipairs(entries) do
        local i, j = entry.i, entry.j
        for letter, part in pairs { K = "q", C = "v" } do
          local expected = (difference[part][j][i] + difference[part][i][j]) / 2
          T.near(eval(entry[letter], env), expected, 1e-6 * math.max(1, math.abs(expected)), kernel.kind)
        end
        tried = tried + 1
      end
    end
  end
  T.ok(tried > 60, "only " .. tried .. " entries")
end)

T.test("blocks: scalars first, then rotations; positions and velocities have places of their own", function()
  local model = load("bodies.lua", { text = bodies })
  local list = blocks.of(model)
  local places = blocks.places(list)
  T.eq(list.scalars, 25) T.eq(list.nq, 25 + 32) T.eq(list.nv, 25 + 24) T.eq(#list, 33)
  local q, v = 0, 0
  for _, block in ipairs(list) do
    T.eq(block.q_first, q) T.eq(block.v_first, v)
    q, v = q + #block.q, v + #block.v
    for k, symbol in ipairs(block.q) do T.ok(places[symbol].block == block and places[symbol].k == k) end
  end
  T.eq(places[model.rotations[2].v[3]].block.v_first, 28)
end)

T.test("a chain of free bodies has as many kernels as a short one", function()
  local text = [[
local carom = require "carom"
local m = carom.model "chain"
m:gravity(0, 0, -9.81)
local before
for i = 1, m:constant("n", 3) do
  local b = m:free_body("b" .. i, { mass = 1 + i / 7, inertia = { 0.1, 0.2, 0.2 + i / 9 }, at = { i, 0, 1 } })
  if before then m:joint("j" .. i, { type = "spherical", body = b, on = before, at = { -0.5, 0, 0 } }) end
  m:contact_between(m:sphere("s" .. i, { radius = 0.2, body = b }), m:plane("floor" .. i, { normal = { 0, 0, 1 } }))
  before = b
end
return m
]]
  for _, n in ipairs { 3, 40 } do
    local model = load("chain.lua", { text = text, set = { n = n } })
    T.eq(counts(kernels.find(model, equations.symbols(model))),
      ("free_body %d, row %d, row %d, row %d, row %d"):format(n, n - 1, n - 1, n - 1, n))
  end
end)

T.test("--dump system: blocks with their places, terms and rows with laws and sources", function()
  local P = require "gen.pipeline"
  local text = [[
local carom = require "carom"
local m = carom.model "two_bodies"
local mu = m:parameter("mu", 0.3)
m:gravity(0, 0, -9.81)
local floor, before = m:plane("floor", { normal = { 0, 0, 1 } }), nil
for i = 1, 2 do
  local b = m:free_body("b" .. i, { mass = 1 + i, inertia = 0.1, at = { i, 0, 1 } })
  m:contact_between(m:sphere("s" .. i, { radius = 0.2, body = b }), floor, { friction = mu, restitution = 0.5 })
  if before then m:joint("j", { type = "spherical", body = b, on = before }) end
  before = b
end
return m
]]
  for _, form in ipairs { "unrolled", "looped" } do
    local said = P.compile(P.load("pair.lua", { text = text }), { scheme = "moreau-jean:theta=0.5", form = form }):dump "system"
    for _, line in ipairs { "system two_bodies: 8 blocks, 14 positions, 12 velocities, 9 rows\n", "  scalar    b2_z: q[5], v[5], line 7\n",
      "  rotation  b2: q[10..13], v[9..11], line 7\n", "  free_body of x0, x1, x2, r3; table of 2 instances, line 7\n",
      "  0, equal: ", "  3..4, coulomb{mu = mu, e = 0.5}: x0 - 0.2; table of 2 instances, line 8\n", "  5, 7, tangent of coulomb: " } do
      T.ok(said:find(line, 1, true), form .. ": no '" .. line .. "' in\n" .. said)
    end
  end
end)

T.finish()
